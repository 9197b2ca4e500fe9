/* SPDX-License-Identifier: MIT */
// The page of a simulation: panels, wire, trace, and what is saved and loaded.
//
// #scenario=TEXT (encoded as in an address) plays that scenario when the page opens. `simulation.perform("sender.submit
// item=5")` does so from the console.

class SimulationPage {
  constructor(model) {
    this.model = model;
    this.simulation = new Simulation(model);
    this.remembered = new Map(); // where frames of a kind were last delivered
    this.parts = Object.fromEntries([...document.querySelectorAll("[data-part]")].map((e) => [e.dataset.part, e]));
    this.buildMembers();
    this.buildParameters();
    this.buildPanels();
    this.listen();
    this.refresh();
  }

  buildMembers() {
    for (const [name, members] of Object.entries(this.model.enumerations)) {
      const options = members.map((member) => element("option", { value: member[0] }));
      this.parts.members.append(element("datalist", { id: "members-" + name }, ...options));
    }
  }

  buildParameters() {
    this.parameterInputs = this.model.parameters.map((parameter) => {
      const input = valueInput(this.simulation.vocabulary, parameter, parameter.name, true);
      input.value = this.simulation.vocabulary.numberText(parameter.default, parameter.type);
      this.parts.parameters.append(element("label", { title: parameter.doc }, parameter.name, input, parameter.unit));
      return [parameter, input];
    });
    if (!this.model.parameters.length) this.parts.parameters.append("The protocol has none.");
  }

  buildPanels() {
    const { nodes } = this.simulation;
    this.panels = nodes.map((_, index) => new Panel(this, index, nodes.length > 1 ? "AB"[index] : ""));
    this.parts.panels.replaceChildren(...this.panels.map((panel) => panel.element));
    this.parts.panels.classList.toggle("two", nodes.length > 1);
    this.parts.two.setAttribute("aria-pressed", String(nodes.length > 1));
    this.parts.which.replaceChildren(...nodes.map((_, index) => element("option", { value: index }, "node " + "AB"[index])));
    this.parts.which.hidden = nodes.length < 2;
  }

  listen() {
    const { parts, simulation } = this;
    parts.undo.addEventListener("click", () => this.undo());
    parts.redo.addEventListener("click", () => this.redo());
    parts.restart.addEventListener("click", () => this.attempt(() => this.restart(simulation.nodes.length)));
    parts.two.addEventListener("click", () => this.attempt(() => this.restart(simulation.nodes.length > 1 ? 1 : 2)));
    parts.which.addEventListener("change", () => this.refresh());
    parts.play.addEventListener("click", () => this.replay(parts.text.value, "scenario"));
    parts.download.addEventListener("click", () => this.download());
    parts.file.addEventListener("change", async () => {
      const file = parts.file.files[0];
      if (file) this.replay(await file.text(), file.name);
      parts.file.value = "";
    });
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, textarea, select") || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) this.undo();
      else if (key === "y" || (key === "z" && event.shiftKey)) this.redo();
      else return;
      event.preventDefault();
    });
  }

  // --- what may be done

  /** Does it, shows what came of it, or says why not. True when it was done. */
  attempt(what) {
    try {
      const step = what();
      if (step && step.node >= 0) this.panels[step.node].follow(step);
      this.refresh(step ? this.summary(step) : "");
      return true;
    } catch (error) {
      if (!(error instanceof Mistake || error instanceof ContractViolation)) throw error;
      const rest = error instanceof ContractViolation ? "; the state is as before" : "";
      this.refresh(error.message + rest, true);
      return false;
    }
  }

  /** As typed: `sender.submit item=5`, `expire sender_wait_ack`, `set timeout=7`. */
  perform(text, index = 0) {
    return this.attempt(() => this.simulation.perform(index, this.simulation.vocabulary.action(text)));
  }

  undo() {
    const step = this.simulation.undo();
    this.refresh(step ? "undone: " + step.text : "there is nothing to undo");
  }

  redo() {
    const step = this.simulation.redo();
    if (step && step.node >= 0) this.panels[step.node].follow(step);
    this.refresh(step ? "" : "there is nothing to do again");
  }

  /** With the parameters as typed, of two nodes perhaps one value each; a scenario names those not at their default. */
  restart(count) {
    const { vocabulary } = this.simulation;
    const before = this.simulation.nodes.length;
    const parameters = Array.from({ length: count }, (_, index) => {
      const given = this.parameterInputs.map(([parameter, input]) => {
        const texts = input.value.split(",");
        return vocabulary.settings([parameter.name + "=" + (texts[index] || texts[0]).trim()])[0];
      });
      return Object.fromEntries(given.filter(([p, value]) => value !== p.default).map(([p, value]) => [p.name, value]));
    });
    this.simulation.restart(count, parameters);
    if (before !== count) this.buildPanels();
  }

  replay(text, name) {
    const before = this.simulation.nodes.length;
    let message = "";
    let isError = false;
    try {
      message = this.simulation.replay(text, name) + " events replayed";
    } catch (error) {
      if (!(error instanceof Mistake || error instanceof ContractViolation)) throw error;
      message = error.message;
      isError = true;
    }
    if (before !== this.simulation.nodes.length) this.buildPanels();
    for (const [parameter, input] of this.parameterInputs) {
      const value = this.simulation.parameters[0][parameter.name];
      input.value = this.simulation.vocabulary.numberText(value === undefined ? parameter.default : value, parameter.type);
    }
    const last = this.simulation.done[this.simulation.done.length - 1];
    if (last) this.panels[0].follow(last);
    this.refresh(message, isError);
    return !isError;
  }

  download() {
    const address = URL.createObjectURL(new Blob([this.scenario()], { type: "text/plain" }));
    element("a", { href: address, download: this.model.name + ".scenario" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  scenario() {
    return this.simulation.scenario(Number(this.parts.which.value) || 0);
  }

  // --- what is shown

  refresh(message = "", isError = false) {
    const { parts, simulation } = this;
    const focused = document.activeElement && document.activeElement.dataset.key;
    const last = simulation.done[simulation.done.length - 1];
    for (const panel of this.panels) panel.update(last);
    this.showWire();
    this.showTrace();
    this.showState();
    parts.undo.disabled = !simulation.done.length;
    parts.redo.disabled = !simulation.undone.length;
    parts.text.value = this.scenario();
    parts.message.textContent = message;
    parts.message.classList.toggle("error", isError);
    if (focused) {
      const again = document.querySelector(`[data-key="${CSS.escape(focused)}"]`);
      if (again) again.focus();
    }
  }

  summary(step) {
    if (step.node < 0 || !step.outcome) return "";
    const { verdict, transitions } = step.outcome;
    if (verdict !== VERDICT.DONE) return this.explain(step);
    return transitions.length || step.action.kind === "set" ? "" : "ignored in this state";
  }

  explain({ action, outcome }) {
    const { event, process } = action;
    const { vocabulary } = this.simulation;
    if (outcome.verdict === VERDICT.NO_ROOM) {
      if (event.keeps !== null) return `no room: ${event.keeps} ${event.name} wait already`;
      return `no room: all ${vocabulary.records[process.pool].count} records of ${process.pool} are in use`;
    }
    if (outcome.verdict === VERDICT.IGNORED) return "ignored: there is no instance it is for";
    for (const [index, place] of vocabulary.places(event).entries()) {
      const number = action.numbers[index];
      if (place.low !== undefined && (number < place.low || number > place.high)) {
        return `refused: ${place.path} is ${number}, its range is ${place.low}..${place.high}`;
      }
      if (place.type.kind === "enumeration" && !vocabulary.isMember(place.type.name, number)) {
        return `refused: ${place.path} is ${number}, no member of ${place.type.name}`;
      }
    }
    return "refused: a reference is not one of the pool";
  }

  showTrace() {
    const { simulation, model } = this;
    const items = simulation.done.map((step, index) => this.traceItem(step, index)).reverse();
    const values = (p) => [...new Set(simulation.parameters.map((own) => (own[p.name] === undefined ? p.default : own[p.name])))];
    const settings = model.parameters.map((p) => `${p.name} = ${values(p).join(" and ")}`);
    const begin = element("li", { class: "begin" }, `protocol ${model.name}: ${settings.join(", ") || "no parameters"}`);
    for (const node of simulation.nodes) begin.append(...this.effects(node, node.initialOutcome));
    this.parts.trace.replaceChildren(...items, begin);
  }

  traceItem(step, index) {
    const who = this.simulation.nodes.length > 1 && step.node >= 0 ? element("b", { class: "who" }, "AB"[step.node]) : "";
    const item = element("li", {}, element("span", { class: "number" }, String(index + 1)), who, element("code", { class: "command" }, step.text));
    if (step.node < 0) return item;
    const summary = this.summary(step);
    if (summary) item.append(element("div", { class: "verdict" }, summary));
    for (const number of step.outcome.transitions) {
      const [id, place, link, text] = this.model.rows[number];
      item.append(element("div", { class: "row" }, element("a", { href: link, class: "id" }, id), " ", element("span", { class: "where" }, place), " ", element("code", {}, text)));
    }
    const node = this.simulation.nodes[step.node];
    item.append(...this.effects(node, step.outcome));
    for (const [slot, before, after] of step.outcome.changes) {
      const { vocabulary } = this.simulation;
      const texts = [before, after].map((value) => vocabulary.slotText(node, slot, value));
      item.append(element("div", { class: "change" }, `${node.layout.slots[slot].name}: ${texts[0]} → `, element("b", {}, texts[1])));
    }
    return item;
  }

  effects(node, outcome) {
    return outcome.log.filter((entry) => entry[0] !== 0).map((entry) => element("div", { class: "effect" }, this.effectText(entry)));
  }

  effectText([number, ...values]) {
    const { vocabulary } = this.simulation;
    const [kind, name] = this.model.logged[number];
    if (kind === "device") return vocabulary.deviceText(name, values);
    if (kind === "count") return "count " + this.model.counters[values[0]];
    const text = kind + " " + vocabulary.instanceText(this.model.timers[values[0]].name, values[1]);
    return kind === "arm" ? `${text} for ${values[2]} us` : text;
  }

  showState() {
    const lists = this.simulation.nodes.map((node, index) => {
      const lines = [];
      node.state.forEach((value, slot) => {
        if (value) lines.push(`${node.layout.slots[slot].name}: ${this.simulation.vocabulary.slotText(node, slot, value)}`);
      });
      const title = this.simulation.nodes.length > 1 ? "Node " + "AB"[index] + "\n" : "";
      return element("pre", {}, title + (lines.join("\n") || "all 0"));
    });
    this.parts.state.replaceChildren(...lists);
  }

  // --- the wire

  showWire() {
    const { frames } = this.simulation.wire;
    const isTwo = this.simulation.nodes.length > 1;
    this.parts.wire.hidden = !this.simulation.wire.taken.size;
    this.parts.wireTitle.textContent = isTwo ? "On the wire" : "Handed to devices";
    const rows = frames.map((frame) => this.wireItem(frame, isTwo));
    this.parts.frames.replaceChildren(...(rows.length ? rows : [element("li", { class: "none" }, "nothing")]));
  }

  wireItem(frame, isTwo) {
    const { simulation } = this;
    const text = this.frameText(frame);
    const other = isTwo ? 1 - frame.from : frame.from;
    const order = isTwo ? [other, frame.from] : [other];
    const receivers = order.flatMap((index) => this.panels[index].receivers(frame.payload).map((receiver) => ({
      ...receiver,
      node: index,
      label: (isTwo ? "AB"[index] + " " : "") + receiver.text,
    })));
    const chosen = this.likely(frame, receivers);
    const key = this.kindOf(frame);
    const choice = element("select", {
      "aria-label": "Deliver to",
      "data-key": "to " + frame.id,
      change: () => this.remembered.set(key, choice.value),
    }, ...receivers.map((receiver) => element("option", { value: receiver.label, selected: receiver === chosen }, receiver.label)));
    const receiver = () => receivers.find((r) => r.label === choice.value);
    const deliver = () => this.attempt(() => {
      const { node, form, process, event, instance } = receiver();
      const numbers = this.numbers(form, frame);
      return simulation.perform(node, { kind: "event", process, event, instance, numbers }, frame);
    });
    const edit = () => {
      const { form } = receiver();
      form.fill(frame.payload, frame.values);
      if (form.body.open === false) form.body.open = true;
      form.inputs[0].focus();
    };
    const act = (name, title, click, disabled = false) => button(`${name} ${frame.id}`, { title, click, disabled }, name);
    const isNowhere = !receivers.length;
    return element("li", {},
      element("span", { class: "way" }, isTwo ? `${"AB"[frame.from]} → ${"AB"[other]}` : frame.device), " ",
      element("code", {}, text), " ",
      element("span", { class: "acts" },
        act("deliver", "It arrives", deliver, isNowhere), " to ", isNowhere ? "nobody: no event may take it now" : choice, " ",
        act("edit", "Put it into the form of the event, to change it first", edit, isNowhere), " ",
        act("duplicate", "It comes twice", () => this.attempt(() => simulation.duplicate(frame))), " ",
        act("lose", "It never arrives", () => this.attempt(() => simulation.lose(frame)))));
  }

  /** With the names of members, where a number is likely to be one. */
  frameText(frame) {
    const parts = this.model.payloads[frame.payload].map((field, index) => {
      const value = frame.values[index];
      return value ? `${field.name}: ${this.memberName(field, value) || this.simulation.vocabulary.numberText(value, field.type)}` : "";
    });
    return `${frame.payload}(${parts.filter(Boolean).join(", ")})`;
  }

  memberName(field, value) {
    const members = this.model.enumerations[field.members || field.type.name] || [];
    const member = members.find((m) => m[1] === value);
    return member ? member[0] : "";
  }

  /** What an event carries when it brings the frame; other arguments as its form says. */
  numbers(form, frame) {
    const numbers = form.action().numbers;
    const name = form.event.arguments.find((a) => a.type.name === frame.payload).name;
    const first = form.places.findIndex((place) => place.path.startsWith(name + "."));
    numbers.splice(first, frame.values.length, ...frame.values);
    return numbers;
  }

  /** Frames that look alike are likely to go to the same event: by device and members of enumerations. */
  kindOf(frame) {
    return [frame.from, frame.device, ...this.memberNames(frame)].join(" ");
  }

  memberNames(frame) {
    return this.model.payloads[frame.payload].map((field, index) => this.memberName(field, frame.values[index])).filter(Boolean);
  }

  likely(frame, receivers) {
    const before = receivers.find((receiver) => receiver.label === this.remembered.get(this.kindOf(frame)));
    if (before) return before;
    const names = this.memberNames(frame).map((name) => name.toLowerCase());
    return receivers.find((receiver) => names.includes(receiver.event.name.toLowerCase())) || receivers[0];
  }
}

const simulation = new SimulationPage(MODEL);
if (location.hash.startsWith("#scenario=")) {
  simulation.replay(decodeURIComponent(location.hash.slice("#scenario=".length)), "scenario");
}
