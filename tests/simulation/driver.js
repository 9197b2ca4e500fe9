// Executes the script lines of a differential run (see gen/hsmc/differential.py) and prints one line for each: log |
// verdict | changes, as the reference does, or what the contract was broken by.

function number(values) {
  const value = Number(values.shift());
  if (!Number.isInteger(value)) throw new Error("the script has too few numbers");
  return value;
}

/** The flat numbers of a line as the values of an event. */
function valuesOf(event, numbers) {
  const values = event.reference ? [number(numbers)] : [];
  for (const argument of event.arguments) {
    if (argument.type.kind === "payload") values.push(MODEL.payloads[argument.type.name].map(() => number(numbers)));
    else values.push(number(numbers));
  }
  return values;
}

function changeText(slot, value) {
  if (!slot.isBits) return slot.name + "=" + value;
  return slot.name + "=" + value.toString(16).padStart(8 * Math.ceil(slot.type.count / 32), "0");
}

function main(script, strict) {
  const node = new SimulatedNode(MODEL, {}, strict);
  const events = MODEL.processes.flatMap((process) => process.events);
  const lines = [];
  for (const line of script.split("\n").filter(Boolean)) {
    const [kind, ...numbers] = line.split(" ");
    let outcome;
    let everything = false;
    try {
      if (kind === "E") {
        const event = events[number(numbers)];
        outcome = node.deliver(event.number, valuesOf(event, numbers));
      } else if (kind === "T") {
        outcome = node.expire(number(numbers), number(numbers));
      } else if (kind === "P") {
        outcome = node.setParameter(MODEL.parameters[number(numbers)].name, number(numbers));
      } else {
        const names = kind === "R" ? MODEL.parameters.map((parameter) => parameter.name) : [];
        outcome = node.reset(Object.fromEntries(names.map((name) => [name, number(numbers)])));
        everything = true;
      }
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error;
      lines.push("violation " + error.message);
      continue;
    }
    const log = outcome.log.map((entry) => {
      let position = 1;
      return MODEL.formats[entry[0]].replace(/%d/g, () => String(entry[position++]));
    });
    let changes = outcome.changes.map((change) => [change[0], change[2]]);
    if (everything) changes = node.state.map((value, slot) => [slot, value]).filter((change) => change[1]);
    const texts = changes.map(([slot, value]) => changeText(node.layout.slots[slot], value));
    lines.push(log.join("; ") + " | " + outcome.verdict + " | " + texts.join("; "));
  }
  process.stdout.write(lines.join("\n") + "\n");
}

main(require("fs").readFileSync(0, "utf8"), process.argv[2] === "strict");
