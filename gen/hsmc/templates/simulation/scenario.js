/* SPDX-License-Identifier: MIT */
// Events as people write them, and files of them: the same words as `hsmc run` reads and writes (gen/hsmc/scenario.py).
//
// An action is { kind: "event", process, event, instance, numbers }, { kind: "expire", timer, instance } or
// { kind: "set", parameter, value }; `numbers` are all an event carries, fields of payloads among them.

/** Something typed that cannot be meant; the text says what was expected. */
class Mistake extends Error {}

function snake(name) {
  name = name.replace(/\./g, "_");
  if (name.toUpperCase() === name) return name.toLowerCase();
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2").toLowerCase();
}

class Vocabulary {
  constructor(model) {
    this.model = model;
    this.records = Object.fromEntries(model.records.map((record) => [record.name, record]));
    this.members = new Map();
    for (const [owner, members] of Object.entries(model.enumerations)) {
      for (const [name, value] of members) this.members.set(name, [...(this.members.get(name) || []), [owner, value]]);
    }
  }

  isMember(enumeration, number) {
    return this.model.enumerations[enumeration].some(([, value]) => value === number);
  }

  /** All numbers an event carries, in order. */
  places(event) {
    return event.arguments.flatMap((argument) => {
      if (argument.type.kind !== "payload") return [{ ...argument, path: argument.name, lowest: argument.lowest || 0 }];
      return this.model.payloads[argument.type.name].map((field) => ({
        ...field,
        path: argument.name + "." + field.name,
        lowest: field.lowest || 0,
      }));
    });
  }

  /** The values the entry point takes: payloads as lists. */
  values(action) {
    const rest = action.numbers.slice();
    const values = action.event.reference ? [action.instance] : [];
    for (const { type } of action.event.arguments) {
      values.push(type.kind === "payload" ? rest.splice(0, this.model.payloads[type.name].length) : rest.shift());
    }
    return values;
  }

  apply(action, node) {
    if (action.kind === "event") return node.deliver(action.event.number, this.values(action));
    if (action.kind === "set") return node.setParameter(action.parameter.name, action.value);
    const index = this.model.timers.indexOf(action.timer);
    const slot = node.layout.timers[action.timer.name].get(action.instance);
    if (slot === undefined || !node.state[slot]) {
      throw new Mistake("timer " + this.instanceText(action.timer.name, action.instance) + " is not running");
    }
    return node.expire(index, action.instance);
  }

  // --- reading

  action(text) {
    const words = text.trim().split(/\s+/);
    if (words[0] === "expire" || words[0] === "after") return this.expiry(words.slice(1));
    if (words[0] === "set") {
      const settings = this.settings(words.slice(1));
      if (settings.length !== 1) throw new Mistake("set takes one parameter: set NAME=VALUE");
      return { kind: "set", parameter: settings[0][0], value: settings[0][1] };
    }
    return this.event(words);
  }

  expiry(words) {
    const match = /^([A-Za-z_]\w*)(?:\[(\w+)\])?$/.exec(words[0] || "");
    if (!match || words.length > 2) throw new Mistake("expire takes a timer: expire NAME or expire NAME[INSTANCE]");
    const timer = this.find("timer", this.model.timers, match[1]);
    return { kind: "expire", timer, instance: this.plainNumber(match[2] || words[1] || "0") };
  }

  settings(words) {
    return words.map((word) => {
      const [name, text] = this.pair(word);
      const parameter = this.model.parameters.find((p) => p.name === name);
      if (!parameter) throw this.unknown("parameter", name, this.model.parameters);
      const value = this.value(text, parameter.type, name);
      const low = parameter.low === undefined ? 0 : parameter.low;
      const high = parameter.high === undefined ? 2 ** parameter.type.bits - 1 : parameter.high;
      if (value < low || value > high) throw new Mistake(`${name} must be ${low} to ${high}, not ${value}`);
      return [parameter, value];
    });
  }

  pair(word) {
    const equals = word.indexOf("=");
    if (equals < 0) throw new Mistake(`expected NAME=VALUE, not '${word}'`);
    return [word.slice(0, equals), word.slice(equals + 1)];
  }

  event(words) {
    const match = /^([A-Za-z_]\w*)(?:\[(\w+)\])?\.([A-Za-z_]\w*)$/.exec(words[0]);
    if (!match) throw new Mistake(`'${words[0]}' is not process.event, expire or set`);
    const process = this.find("process", this.model.processes, match[1]);
    const event = this.find("external event of " + process.name, process.events, match[3]);
    let instance = 0;
    if (event.reference) {
      const owner = process.snake;
      if (match[2] === undefined) throw new Mistake(`${owner} has instances: ${owner}[REFERENCE].${event.name} ...`);
      instance = this.plainNumber(match[2]);
      const count = this.records[process.pool].count;
      if (instance > (count < 256 ? 255 : 65535)) throw new Mistake(`a reference is 1 to ${count}`);
    } else if (match[2] !== undefined) {
      throw new Mistake(`${process.name}.${event.name} names no instance: leave out [${match[2]}]`);
    }
    return { kind: "event", process, event, instance, numbers: this.numbers(event, words.slice(1)) };
  }

  numbers(event, words) {
    const places = this.places(event);
    const numbers = places.map((place) => place.lowest);
    let isNamed = false;
    words.forEach((word, position) => {
      let index = position;
      let text = word;
      if (word.includes("=")) {
        isNamed = true;
        const [name, given] = this.pair(word);
        index = this.argument(places, name, event);
        text = given;
      } else if (isNamed) {
        throw new Mistake(`expected NAME=VALUE, not '${word}'`);
      } else if (position >= places.length) {
        throw new Mistake(`${event.name} takes ${places.length} values at most`);
      }
      numbers[index] = this.value(text, places[index].type, places[index].path);
    });
    return numbers;
  }

  /** By its whole path or by the name of a field, where that is unique. */
  argument(places, name, event) {
    let found = places.filter((place) => place.path === name);
    if (!found.length) found = places.filter((place) => place.name === name);
    if (found.length > 1) throw new Mistake(`'${name}' may be ${found.map((place) => place.path).join(" or ")}`);
    if (!found.length) throw this.unknown("argument of " + event.name, name, places);
    return places.indexOf(found[0]);
  }

  value(text, type, what) {
    if (type.kind === "bool" && (text === "true" || text === "false")) return +(text === "true");
    if (type.kind === "reference" && text === "none") return 0;
    const [owner, member] = text.includes(".") ? text.split(".") : ["", text];
    let owners = this.members.get(member) || [];
    if (type.kind === "enumeration") owners = owners.filter((found) => found[0] === type.name);
    if (owner) owners = owners.filter((found) => found[0] === owner);
    const values = new Set(owners.map((found) => found[1]));
    let number;
    if (values.size === 1) number = owners[0][1];
    else if (values.size) {
      throw new Mistake(`${text} has several values: write one of ${owners.map((o) => o[0] + "." + text).join(", ")}`);
    } else if (isNumber(text)) number = Number(text);
    else throw new Mistake(`${what} is ${type.text}; '${text}' is neither a number nor a member of an enumeration`);
    if (number >= 2 ** type.bits) throw new Mistake(`${what} is ${type.text}, which cannot hold ${number}`);
    return number;
  }

  plainNumber(text) {
    if (!isNumber(text)) throw new Mistake(`expected a number, not '${text}'`);
    return Number(text);
  }

  find(what, items, name) {
    const found = items.find((item) => item.snake === snake(name));
    if (!found) throw this.unknown(what, name, items);
    return found;
  }

  unknown(what, name, items) {
    const names = items.map((item) => item.snake || item.name).sort();
    return new Mistake(`there is no ${what} '${name}'; there are: ${names.join(", ") || "none"}`);
  }

  // --- writing

  /** A value as the spec would write it. */
  numberText(number, type) {
    if (!type) return String(number);
    if (type.kind === "bool") return number ? "true" : "false";
    if (type.kind === "reference") return number ? String(number) : "none";
    if (type.kind === "bits") return "{" + bitsOf(number).join(", ") + "}";
    const members = type.kind === "enumeration" ? this.model.enumerations[type.name] : [];
    const member = members.find((m) => m[1] === number);
    return member ? member[0] : String(number);
  }

  instanceText(name, instance) {
    return instance ? `${name}[${instance}]` : name;
  }

  /** As it may be typed again: what has its lowest value is left out. */
  actionText(action) {
    if (action.kind === "expire") return "expire " + this.instanceText(action.timer.snake, action.instance);
    if (action.kind === "set") return `set ${action.parameter.name}=${action.value}`;
    const instance = action.event.reference ? `[${action.instance}]` : ""; // also 0, which the node refuses
    const words = [action.process.snake + instance + "." + action.event.name];
    const places = this.places(action.event);
    places.forEach((place, index) => {
      if (action.numbers[index] === place.lowest) return;
      const isUnique = places.filter((other) => other.name === place.name).length === 1;
      words.push((isUnique ? place.name : place.path) + "=" + this.numberText(action.numbers[index], place.type));
    });
    return words.join(" ");
  }

  /** A device call with the names of what it was given; fields of payloads that are 0 are left out. */
  deviceText(name, values) {
    const rest = values.slice();
    const parts = this.model.devices[name].arguments.map((argument) => {
      if (argument.type.kind !== "payload") return argument.name + ": " + this.numberText(rest.shift(), argument.type);
      const fields = this.model.payloads[argument.type.name];
      const own = rest.splice(0, fields.length);
      return this.payloadText(argument.type.name, own);
    });
    return `${name}(${parts.join(", ")})`;
  }

  payloadText(name, values) {
    const fields = this.model.payloads[name];
    const shown = fields
      .map((field, index) => [field, values[index]])
      .filter(([, value]) => value)
      .map(([field, value]) => field.name + ": " + this.numberText(value, field.type));
    return `${name}(${shown.join(", ")})`;
  }

  slotText(node, index, value) {
    const slot = node.layout.slots[index];
    if (slot.kind === "state") return node.leafPath(slot.process, value);
    if (slot.kind === "timer") return value ? "running" : "off";
    if (slot.kind === "used") return this.numberText(value << 1n, slot.type); // references count from 1
    return this.numberText(value, slot.type);
  }
}

function isNumber(text) {
  return /^(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0+|[1-9][0-9]*)$/.test(text);
}

// --- files

/** { parameters: [[parameter, value]], steps: [{ action, transitions (ids) or null, line }] } */
function readScenario(text, vocabulary, name = "scenario") {
  const scenario = { parameters: [], steps: [] };
  text.split(/\r?\n/).forEach((line, index) => {
    const bare = line.split("#")[0].trim();
    if (!bare) return;
    try {
      if (bare.startsWith("->")) {
        const step = scenario.steps[scenario.steps.length - 1];
        if (!step) throw new Mistake("no event stands above this transition");
        const words = bare.slice(2).trim().split(/\s+/).filter(Boolean);
        step.transitions = [...(step.transitions || []), ...words.slice(0, 1)];
      } else if (/^parameters\b/.test(bare)) {
        if (scenario.steps.length) throw new Mistake("parameters come before the first event; later: set");
        scenario.parameters = vocabulary.settings(bare.split(/\s+/).slice(1));
      } else {
        scenario.steps.push({ action: vocabulary.action(bare), transitions: null, line: index + 1 });
      }
    } catch (error) {
      if (error instanceof Mistake) throw new Mistake(`${name}:${index + 1}: ${error.message}`);
      throw error;
    }
  });
  return scenario;
}

/** `history`: pairs of action and outcome; `parameters`: what differs from the defaults, by name. */
function writeScenario(vocabulary, parameters, history) {
  const { model } = vocabulary;
  const options = (model.check ? " --check " + model.check : "") + (model.profile ? " --profile " + model.profile : "");
  const lines = [`# Scenario of protocol ${model.name}; hsmc run SPEC${options} --replay FILE`];
  const settings = Object.entries(parameters).map(([name, value]) => name + "=" + value);
  if (settings.length) lines.push("parameters " + settings.join(" "));
  for (const [action, outcome] of history) {
    lines.push(vocabulary.actionText(action));
    for (const number of outcome.transitions) lines.push(`  -> ${model.rows[number][0]}  ${model.rows[number][1]}`);
    if (!outcome.transitions.length && action.kind !== "set") lines.push("  ->");
  }
  return lines.join("\n") + "\n";
}
