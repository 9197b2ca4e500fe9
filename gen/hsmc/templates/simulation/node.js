/* SPDX-License-Identifier: MIT */
// One node in a browser: its whole state and what may happen to it, as gen/hsmc/interpreter.py does it.
//
// MODEL, made by backend_javascript.py, has the transitions; here is what they call. An event either happens in full or,
// when it breaks the contract of the spec, not at all.

/** The spec did what the intermediate form forbids; `place` is file:line of the spec. */
class ContractViolation extends Error {
  constructor(complaint, place) {
    super(place + ": " + complaint);
    this.complaint = complaint;
    this.place = place;
  }
}

const VERDICT = { DONE: 0, IGNORED: 1, NO_ROOM: 2, REFUSED: 3 };

/** Slots of all state, in the order of gen/hsmc/node_state.py. Of each: name, kind, type; where processes keep theirs. */
function layoutOf(model) {
  const layout = { slots: [], initial: [], states: {}, records: {}, timers: {}, byName: new Map() };

  function add(name, kind, type, more = {}) {
    const isBits = kind === "bits" || kind === "used";
    layout.byName.set(name, layout.slots.length);
    layout.slots.push({ name, kind, type, isBits, ...more });
    layout.initial.push(isBits ? 0n : more.initial || 0);
    return layout.slots.length - 1;
  }
  function addField(name, field) {
    if (field.type.kind === "array") {
      const first = layout.slots.length;
      for (let i = 0; i < field.type.count; i++) add(name + "[" + i + "]", "value", field.type.of);
      return first;
    }
    return add(name, field.type.kind === "bits" ? "bits" : "value", field.type, { initial: field.initial });
  }

  for (const process of model.processes) {
    if (process.pool === null) layout.states[process.name] = add(process.name + ".state", "state", null, { process });
    for (const variable of process.variables) addField(process.name + "." + variable.name, variable);
  }
  for (const parameter of model.parameters) add(parameter.name, "parameter", parameter.type, { initial: parameter.default });
  for (const counter of model.counters) add(counter, "counter", null);
  const counts = Object.fromEntries(model.records.map((record) => [record.name, record.count]));
  const byName = Object.fromEntries(model.processes.map((process) => [process.name, process]));
  for (const timer of model.timers) {
    const pool = byName[timer.process].pool;
    const slots = (layout.timers[timer.name] = new Map());
    if (pool === null) slots.set(0, add("timer " + timer.name, "timer", null));
    else for (let i = 1; i <= counts[pool]; i++) slots.set(i, add("timer " + timer.name + "[" + i + "]", "timer", null));
  }
  for (const record of model.records) {
    const place = (layout.records[record.name] = { used: -1, base: 0, stride: 0, state: -1, first: record.first });
    if (record.pool) place.used = add(record.name + ".used", "used", { kind: "bits", count: record.count });
    place.base = layout.slots.length;
    for (let key = record.first; key < record.first + record.count; key++) {
      const name = record.name + "[" + key + "]";
      const begin = layout.slots.length;
      for (const field of record.fields) addField(name + "." + field.name, field);
      if (record.process !== null) {
        place.state = add(name + ".state", "state", null, { process: byName[record.process] }) - begin;
      }
      place.stride = layout.slots.length - begin;
    }
  }
  if (layout.slots.length !== model.slot_count) throw new Error("slots and model do not fit");
  return layout;
}

/** `strict`: an event that can never come is a ContractViolation. Otherwise it is logged and ignored, as on the NIC. */
class SimulatedNode {
  constructor(model, parameters = {}, strict = true) {
    this.model = model;
    this.layout = layoutOf(model);
    this.strict = strict;
    this.state = this.layout.initial.slice();
    this.journal = [];
    this.log = [];
    this.verdict = 0;
    this.code = this.bind();
    this.initialOutcome = this.reset(parameters);
  }

  /** What the generated text calls. */
  bind() {
    const V = this.state;
    const write = (slot, value) => {
      this.journal.push([slot, V[slot]]);
      V[slot] = value;
    };
    const fail = (complaint, place) => {
      throw new ContractViolation(complaint, place);
    };
    const at = (table, key, place) => {
      const index = key - table.first;
      if (index >= 0 && index < table.count) return table.base + table.step * index;
      return fail(key === 0 && table.none ? table.none : table.what.replace("{key}", key), place);
    };
    const zero = (first, count) => {
      for (let slot = first; slot < first + count; slot++) if (V[slot]) write(slot, this.layout.slots[slot].isBits ? 0n : 0);
    };
    const arm = (slot, timer, instance, duration, place) => {
      if (V[slot]) fail(this.layout.slots[slot].name + " is armed, but runs already", place);
      write(slot, 1);
      this.log.push([2, timer, instance, duration]);
    };
    const cancel = (slot, timer, instance) => {
      write(slot, 0);
      this.log.push([3, timer, instance]);
    };
    const never = (process, state, code, instance, event, defers, place) => {
      if (this.strict) {
        const owner = this.model.processes[process];
        const who = owner.pool === null ? owner.name : owner.name + "[" + instance + "]";
        const why = defers ? "where as many wait as the event keeps" : "where the spec says it cannot come";
        fail(who + " gets " + event + " in state " + this.leafPath(owner, state) + ", " + why, place);
      }
      this.log.push([1, process, state, code]);
    };
    const shift = (number, place) => (number > 31 ? fail("shift by " + number + ": more than 31", place) : number);
    const limit = (value, low, high, text, place) =>
      low <= value && value <= high ? value : fail(value + " " + text, place);
    const hasAll = (bits, first, count, size, place) => {
      if (count === 0) return 1;
      if (count > 31) fail(count + " bits are asked for: at most 31 at once", place);
      if (first + count > size) {
        fail("bits " + first + " to " + (first + count - 1) + " are asked for of a set of " + size, place);
      }
      const wanted = (1n << BigInt(count)) - 1n;
      return +(((bits >> BigInt(first)) & wanted) === wanted);
    };
    const create = (used, bases, name, state, initial, place) => {
      for (let index = 0; index < bases.count; index++) {
        const bit = 1n << BigInt(index);
        if (V[used] & bit) continue;
        write(used, V[used] | bit);
        if (initial) write(at(bases, index + 1, place) + state, initial);
        return index + 1;
      }
      return fail("all records of " + name + " are in use", place);
    };
    const release = (used, bases, name, stride, reference, place) => {
      const base = at(bases, reference, place);
      const bit = 1n << BigInt(reference - 1);
      if (!(V[used] & bit)) fail(name + " " + reference + " is released, but is not in use", place);
      zero(base, stride);
      write(used, V[used] & ~bit);
    };
    const used = (slot, bases, name, reference, place) => {
      const base = at(bases, reference, place);
      return V[slot] & (1n << BigInt(reference - 1)) ? base : fail(name + " " + reference + " is free", place);
    };
    const holds = (text, place, condition, slot, pool) => {
      if (slot === undefined) {
        if (!condition()) fail(text, place);
        return;
      }
      for (const index of bitsOf(V[slot])) {
        if (!condition(index + 1)) fail(text + " for " + pool + " " + (index + 1), place);
      }
    };
    // The lowest record something is pending of, which it then no longer is.
    const pending = (slot) => {
      const lowest = V[slot] & -V[slot];
      write(slot, V[slot] - lowest);
      return lowest.toString(2).length;
    };
    const note = (entry) => this.log.push(entry);
    return this.model.make(
      V, write, note, at, zero, arm, cancel, never, shift, limit, hasAll, create, release, pending, used,
      holds);
  }

  // --- events

  /** Starts anew, with these parameters and otherwise the defaults, and initialises. */
  reset(parameters) {
    this.layout.initial.forEach((value, slot) => (this.state[slot] = value));
    for (const [name, value] of Object.entries(parameters)) this.state[this.layout.byName.get(name)] = value;
    return this.run(() => this.code.initialise());
  }

  /** An external event by its number; `values` begin with the reference where it takes one. */
  deliver(number, values) {
    return this.run(() => this.code.enter[number](...values));
  }

  /** A timer that runs runs out. */
  expire(index, instance) {
    const slot = this.layout.timers[this.model.timers[index].name].get(instance);
    return this.run(() => {
      this.journal.push([slot, this.state[slot]]);
      this.state[slot] = 0;
      this.code.expired[index](instance);
      return VERDICT.DONE;
    });
  }

  setParameter(name, value) {
    const slot = this.layout.byName.get(name);
    return this.run(() => {
      this.journal.push([slot, this.state[slot]]);
      this.state[slot] = value;
      return VERDICT.DONE;
    });
  }

  /** What came of it: verdict, log, changes [slot, before, after] in order of the slots. */
  run(event) {
    this.log = [];
    this.journal.length = 0;
    try {
      this.verdict = event();
    } catch (error) {
      for (const [slot, before] of this.journal.reverse()) this.state[slot] = before;
      this.journal.length = 0;
      throw error;
    }
    const first = new Map();
    for (const [slot, before] of this.journal) if (!first.has(slot)) first.set(slot, before);
    const changes = [...first]
      .filter(([slot, before]) => this.state[slot] !== before)
      .map(([slot, before]) => [slot, before, this.state[slot]])
      .sort((a, b) => a[0] - b[0]);
    return { verdict: this.verdict, log: this.log, changes, transitions: this.log.filter((e) => e[0] === 0).map((e) => e[1]) };
  }

  undo(outcome) {
    for (const [slot, before] of outcome.changes) this.state[slot] = before;
  }

  redo(outcome) {
    for (const change of outcome.changes) this.state[change[0]] = change[2];
  }

  // --- looking at the state

  value(name) {
    return this.state[this.layout.byName.get(name)];
  }

  /** Number of the leaf a process is in; of a record 0 is none. */
  leafOf(process, instance) {
    if (process.pool === null) return this.state[this.layout.states[process.name]];
    const record = this.layout.records[process.pool];
    return this.state[record.base + (instance - record.first) * record.stride + record.state];
  }

  leafPath(process, number) {
    const leaf = process.leaves.find((l) => l.number === number);
    return leaf ? leaf.path : "none";
  }

  /** References of the records in use, [0] for a process without records. */
  instances(process) {
    if (process.pool === null) return [0];
    return this.inUse(process.pool);
  }

  inUse(pool) {
    const used = this.state[this.layout.records[pool].used];
    return bitsOf(used).map((index) => index + 1);
  }

  /** Timers running: [index, instance]. */
  armed() {
    const found = [];
    this.model.timers.forEach((timer, index) => {
      for (const [instance, slot] of this.layout.timers[timer.name]) if (this.state[slot]) found.push([index, instance]);
    });
    return found;
  }
}

function bitsOf(set) {
  const found = [];
  for (let index = 0; set >> BigInt(index); index++) if ((set >> BigInt(index)) & 1n) found.push(index);
  return found;
}
