/* SPDX-License-Identifier: MIT */
// What has happened so far to one node or two, and what is on the wire between them: everything an undo takes back.

/** Payloads handed to devices which some external event takes: frames that may arrive, be lost or come twice. */
class Wire {
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
    const { model } = vocabulary;
    this.taken = new Set(
      model.processes.flatMap((process) =>
        process.events.flatMap((event) => event.arguments.map((a) => a.type.name).filter(Boolean))));
    this.frames = []; // replaced, never changed: an undo keeps what was there before
    this.count = 0;
  }

  /** The frames with those an outcome of node `from` adds. */
  after(outcome, from) {
    const { model } = this.vocabulary;
    const added = [];
    for (const [number, ...values] of outcome.log) {
      const [kind, device] = model.logged[number];
      if (kind !== "device") continue;
      for (const { type } of model.devices[device].arguments) {
        const own = values.splice(0, type.kind === "payload" ? model.payloads[type.name].length : 1);
        if (type.kind === "payload" && this.taken.has(type.name)) {
          added.push({ id: ++this.count, from, device, payload: type.name, values: own });
        }
      }
    }
    return [...this.frames, ...added];
  }

  without(frame) {
    return this.frames.filter((other) => other.id !== frame.id);
  }

  withCopyOf(frame) {
    const index = this.frames.findIndex((other) => other.id === frame.id);
    return [...this.frames.slice(0, index + 1), { ...frame, id: ++this.count }, ...this.frames.slice(index + 1)];
  }
}

/** Steps: { node, action, outcome, text, before, after } with the frames before and after; node -1: the wire alone. */
class Simulation {
  constructor(model, count = 1) {
    this.model = model;
    this.vocabulary = new Vocabulary(model);
    this.restart(count, []);
  }

  /** `parameters`: of each node those that have not their default, by name. */
  restart(count, parameters) {
    this.parameters = Array.from({ length: count }, (_, index) => parameters[index] || {});
    this.nodes = this.parameters.map((own) => new SimulatedNode(this.model, own));
    this.wire = new Wire(this.vocabulary);
    this.nodes.forEach((node, index) => (this.wire.frames = this.wire.after(node.initialOutcome, index)));
    this.done = [];
    this.undone = [];
  }

  /** Throws Mistake or ContractViolation; then nothing has happened. `frame` is taken off the wire. */
  perform(index, action, frame = null) {
    const outcome = this.vocabulary.apply(action, this.nodes[index]);
    const before = this.wire.frames;
    if (frame) this.wire.frames = this.wire.without(frame);
    this.wire.frames = this.wire.after(outcome, index);
    return this.note({ node: index, action, outcome, text: this.vocabulary.actionText(action), before });
  }

  lose(frame) {
    const before = this.wire.frames;
    this.wire.frames = this.wire.without(frame);
    return this.note({ node: -1, text: "lost: " + this.vocabulary.payloadText(frame.payload, frame.values), before });
  }

  duplicate(frame) {
    const before = this.wire.frames;
    this.wire.frames = this.wire.withCopyOf(frame);
    return this.note({ node: -1, text: "came twice: " + this.vocabulary.payloadText(frame.payload, frame.values), before });
  }

  note(step) {
    step.after = this.wire.frames;
    this.done.push(step);
    this.undone = [];
    return step;
  }

  undo() {
    const step = this.done.pop();
    if (!step) return null;
    if (step.node >= 0) this.nodes[step.node].undo(step.outcome);
    this.wire.frames = step.before;
    this.undone.push(step);
    return step;
  }

  redo() {
    const step = this.undone.pop();
    if (!step) return null;
    if (step.node >= 0) this.nodes[step.node].redo(step.outcome);
    this.wire.frames = step.after;
    this.done.push(step);
    return step;
  }

  /** As `hsmc run --save` writes it, of one node. */
  scenario(index = 0) {
    const steps = this.done.filter((step) => step.node === index).map((step) => [step.action, step.outcome]);
    return writeScenario(this.vocabulary, this.parameters[index], steps);
  }

  /** Begins anew with one node and the events of a scenario. What came before a mistake has happened. */
  replay(text, name) {
    const scenario = readScenario(text, this.vocabulary, name);
    this.restart(1, [Object.fromEntries(scenario.parameters.map(([parameter, value]) => [parameter.name, value]))]);
    for (const { action, transitions, line } of scenario.steps) {
      let step;
      try {
        step = this.perform(0, action);
      } catch (error) {
        throw new Mistake(`${name}:${line}: ${error.message}`);
      }
      const taken = step.outcome.transitions.map((number) => this.model.rows[number][0]);
      if (transitions && transitions.join() !== taken.join()) {
        const wanted = transitions.join(", ") || "no transition";
        throw new Mistake(`${name}:${line}: the text says ${wanted}, but taken: ${taken.join(", ") || "none"}`);
      }
    }
    return scenario.steps.length;
  }
}
