/* SPDX-License-Identifier: MIT */
// One node on the page: its statecharts, and the events that may come to it now.

/** An element; attributes that are functions are handlers, those that are false are left out. */
function element(tag, attributes = {}, ...children) {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") result.addEventListener(name, value);
    else if (value !== false && value !== undefined) result.setAttribute(name, value === true ? "" : value);
  }
  result.append(...children);
  return result;
}

const FEW_FIELDS = 4; // more are folded away

class Panel {
  /** `page` performs actions: perform(node, action), stateOf and the like are asked of the simulation it holds. */
  constructor(page, index, letter) {
    this.page = page;
    this.index = index;
    this.letter = letter;
    this.model = page.model;
    this.vocabulary = page.simulation.vocabulary;
    this.shown = { process: this.model.processes[0], instance: 0 };
    this.forms = [];
    this.charts = new Map();
    this.element = element("section", { class: "panel", "aria-label": letter ? "Node " + letter : "Node" });
    this.build();
  }

  get node() {
    return this.page.simulation.nodes[this.index];
  }

  // --- built once

  build() {
    this.tabs = element("div", { class: "tabs", role: "group", "aria-label": "Processes" });
    this.chooser = element("div", { class: "chooser", role: "group", "aria-label": "Instances" });
    this.picture = element("div", { class: "picture", tabindex: "0", role: "group", "aria-label": "Statechart" });
    for (const template of document.querySelectorAll("template.chart")) {
      const chart = template.content.firstElementChild.cloneNode(true);
      this.charts.set(template.dataset.process, new Chart(chart));
      this.picture.append(chart);
    }
    const left = element("div", { class: "left" }, this.tabs, this.chooser, this.picture);
    if (this.letter) left.prepend(element("h2", {}, "Node " + this.letter));
    this.timers = element("div", { class: "timers" });
    const right = element("div", { class: "right" }, element("h3", {}, "Running timers"), this.timers);
    for (const process of this.model.processes) {
      if (!process.events.length) continue;
      right.append(element("h3", { title: process.doc }, process.name));
      for (const event of process.events) {
        const form = new EventForm(this, process, event);
        this.forms.push(form);
        right.append(form.element);
      }
    }
    const live = this.model.parameters.filter((parameter) => parameter.live);
    if (live.length) right.append(element("h3", {}, "Live parameters"), ...live.map((p) => this.parameterForm(p)));
    this.element.append(left, right);
  }

  parameterForm(parameter) {
    const input = valueInput(this.vocabulary, parameter, "set " + parameter.name + (this.letter ? " of node " + this.letter : ""));
    this.parameterInputs = [...(this.parameterInputs || []), [parameter, input]];
    const submit = (event) => {
      event.preventDefault();
      this.page.attempt(() => {
        const action = this.vocabulary.action("set " + parameter.name + "=" + input.value.trim());
        this.page.simulation.perform(this.index, action);
      });
    };
    const label = element("label", { title: parameter.doc }, parameter.name, input, parameter.unit);
    return element("form", { class: "event", submit }, element("button", {}, "set"), " ", label);
  }

  // --- after every step

  /** Shows the process the last step was about. */
  follow(step) {
    const first = step.outcome.log.find((entry) => entry[0] === 0);
    if (!first) return;
    const name = this.model.rows[first[1]][0].split(".")[0];
    this.shown = { process: this.model.processes.find((p) => p.name === name), instance: first[2] };
  }

  update(step) {
    const { node, shown } = this;
    const instances = node.instances(shown.process);
    if (!instances.includes(shown.instance)) shown.instance = instances.length ? instances[0] : 0;
    this.updateTabs();
    this.updateChooser(instances);
    const taken = step && step.node === this.index ? step.outcome.transitions.map((n) => this.model.rows[n][0]) : [];
    for (const [name, chart] of this.charts) {
      const process = this.model.processes.find((p) => p.name === name);
      const isShown = process === shown.process;
      chart.element.style.display = isShown ? "" : "none";
      if (!isShown) continue;
      const own = process.pool === null || shown.instance;
      const leaf = own ? process.leaves.find((l) => l.number === node.leafOf(process, shown.instance)) : undefined;
      chart.show(process, leaf, taken, this.picture);
    }
    this.updateTimers();
    for (const form of this.forms) form.update();
    for (const [parameter, input] of this.parameterInputs || []) {
      if (document.activeElement !== input) input.value = String(node.value(parameter.name));
    }
  }

  stateText(process, instance) {
    return this.node.leafPath(process, this.node.leafOf(process, instance));
  }

  updateTabs() {
    const tabs = this.model.processes.map((process) => {
      const instances = this.node.instances(process);
      const state = process.pool === null ? this.stateText(process, 0) : instances.length + " of " + this.vocabulary.records[process.pool].count;
      const waiting = instances.map((instance) => this.waiting(process, instance)).filter(Boolean).join("; ");
      return button(`tab ${this.letter} ${process.name}`, {
        class: "tab",
        "aria-pressed": String(process === this.shown.process),
        title: waiting ? "waiting: " + waiting : process.doc,
        click: () => this.choose(process, instances[0] || 0),
      }, element("b", {}, process.name), element("span", {}, state + (waiting ? " +" : "")));
    });
    this.tabs.replaceChildren(...tabs);
  }

  updateChooser(instances) {
    const { process } = this.shown;
    if (process.pool === null) return this.chooser.replaceChildren();
    if (!instances.length) {
      return this.chooser.replaceChildren(element("span", { class: "none" }, `no ${process.pool} in use: no instance of ${process.name}`));
    }
    const choices = instances.map((instance) => button(`instance ${this.letter} ${process.name} ${instance}`, {
      "aria-pressed": String(instance === this.shown.instance),
      title: this.waiting(process, instance) ? "waiting: " + this.waiting(process, instance) : "",
      click: () => this.choose(process, instance),
    }, `${instance}: ${this.stateText(process, instance)}`));
    return this.chooser.replaceChildren(...choices);
  }

  /** How many of which deferred events wait. */
  waiting(process, instance) {
    const owner = process.pool === null ? process.name : `${process.pool}[${instance}]`;
    return process.queues
      .map(([event, name]) => [this.node.value(owner + "." + name), event])
      .filter(([count]) => count)
      .map(([count, event]) => count + " " + event)
      .join(", ");
  }

  choose(process, instance) {
    this.shown = { process, instance };
    this.page.refresh();
  }

  updateTimers() {
    const running = this.node.armed().map(([index, instance]) => {
      const timer = this.model.timers[index];
      const name = this.vocabulary.instanceText(timer.name, instance);
      const expire = () => this.page.attempt(() => this.page.simulation.perform(this.index, { kind: "expire", timer, instance }));
      return element("div", { class: "event" },
        button(`expire ${this.letter} ${name}`, { click: expire, title: "Let the timer run out" }, "expire"), " ",
        element("a", { href: timer.link, title: timer.place }, name));
    });
    this.timers.replaceChildren(...(running.length ? running : [element("span", { class: "none" }, "none")]));
  }

  /** Where a payload may be delivered on this node now: { event, process, instance, text }. */
  receivers(payload) {
    return this.forms
      .filter((form) => form.event.arguments.filter((a) => a.type.name === payload).length === 1)
      .flatMap((form) => form.targets().filter((target) => !target.never).map((target) => {
        const who = this.vocabulary.instanceText(form.process.snake, target.instance);
        return { form, process: form.process, event: form.event, instance: target.instance, text: `${who}.${form.event.name}` };
      }));
  }
}

/** A button that keeps the focus when it is made anew: `key` says which it is. */
function button(key, attributes, ...children) {
  return element("button", { type: "button", "data-key": key, ...attributes }, ...children);
}

/** What a value is typed into or chosen from; `several`: with commas between them. */
function valueInput(vocabulary, place, label, several = false) {
  const { type } = place;
  const bounds = place.low === undefined ? type.text : `${place.low}..${place.high}`;
  const title = [place.doc, bounds].filter(Boolean).join(" – ");
  let options = null;
  if (type.kind === "enumeration") options = vocabulary.model.enumerations[type.name].map(([name]) => name);
  if (type.kind === "bool") options = ["false", "true"];
  if (options) {
    const others = type.kind === "enumeration" && !vocabulary.isMember(type.name, 0) ? ["0"] : [];
    return element("select", { "aria-label": label, title }, ...[...options, ...others].map((o) => element("option", {}, o)));
  }
  const first = place.low === undefined ? 0 : place.low;
  const input = element("input", { type: "text", size: "6", spellcheck: "false", autocomplete: "off", "aria-label": label, title, value: first });
  if (place.members) input.setAttribute("list", "members-" + place.members);
  input.addEventListener("input", () => {
    let complaint = "";
    try {
      for (const text of several ? input.value.split(",") : [input.value]) {
        const number = vocabulary.value(text.trim(), type, place.name);
        if (place.low !== undefined && (number < place.low || number > place.high)) complaint = `outside ${bounds}: it is refused`;
      }
    } catch (error) {
      complaint = error.message;
    }
    input.classList.toggle("odd", Boolean(complaint));
    input.title = complaint || title;
  });
  return input;
}

/** An external event: a button, which instance, and what it carries. */
class EventForm {
  constructor(panel, process, event) {
    Object.assign(this, { panel, process, event, vocabulary: panel.vocabulary });
    this.places = this.vocabulary.places(event);
    this.inputs = this.places.map((place) => valueInput(this.vocabulary, place, `${process.name}.${event.name} ${place.path}`));
    this.button = element("button", { title: event.doc }, event.name);
    this.instances = event.reference ? element("select", { "aria-label": `${process.name} instance for ${event.name}`, change: () => this.update() }) : null;
    this.note = element("span", { class: "note" });
    const head = element("div", { class: "head" }, this.button, this.instances || "", this.note);
    const labels = this.places.map((place, index) => element("label", { title: place.doc }, place.path.split(".").pop(), this.inputs[index]));
    const fields = element("div", { class: "fields" }, ...labels);
    const folded = labels.length > FEW_FIELDS;
    this.summary = element("summary", {});
    this.body = folded ? element("details", {}, this.summary, fields) : fields;
    this.element = element("form", {
      class: "event",
      novalidate: true,
      submit: (submit) => {
        submit.preventDefault();
        if (!this.button.disabled) panel.page.attempt(() => panel.page.simulation.perform(panel.index, this.action()));
      },
    }, head, labels.length ? this.body : "");
    this.element.addEventListener("input", () => this.summarise());
    this.summarise();
  }

  action() {
    const instance = this.instances ? Number(this.instances.value) : 0;
    const numbers = this.places.map((place, index) => this.vocabulary.value(this.inputs[index].value.trim(), place.type, place.path));
    return { kind: "event", process: this.process, event: this.event, instance, numbers };
  }

  /** Sets what a payload carries; other arguments stay. */
  fill(payload, values) {
    const name = this.event.arguments.find((a) => a.type.name === payload).name;
    this.places.filter((place) => place.path.startsWith(name + ".")).forEach((place, index) => {
      const input = this.inputs[this.places.indexOf(place)];
      input.value = this.vocabulary.numberText(values[index], place.type);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  summarise() {
    const set = this.places
      .map((place, index) => [place, this.inputs[index].value.trim()])
      .filter(([place, text]) => text !== String(place.lowest) && text !== this.vocabulary.numberText(place.lowest, place.type));
    const text = set.map(([place, value]) => `${place.path.split(".").pop()}=${value}`).join(" ");
    this.summary.textContent = text || `${this.places.length} fields`;
  }

  /** Which instances it may come to now, [0] where that needs no name: { instance, note, never, link }. */
  targets() {
    const { node } = this.panel;
    const { process, event } = this;
    if (event.creates) {
      const record = this.vocabulary.records[process.pool];
      const full = node.inUse(process.pool).length === record.count;
      return [{ instance: 0, note: full ? `no room: all ${record.count} records of ${process.pool} are in use` : "makes an instance" }];
    }
    const found = node.instances(process).map((instance) => this.answer(instance));
    if (!event.selects) return found;
    const note = found.length ? "finds its instance" : "ignored: no instance";
    return [{ instance: 0, note }];
  }

  answer(instance) {
    const { node } = this.panel;
    const number = node.leafOf(this.process, instance);
    const path = node.leafPath(this.process, number);
    const [kind, place, link] = this.event.answers[number] || ["never", "", ""];
    const notes = { handle: "", ignore: `ignored in ${path}`, defer: `waits in ${path}`, never: `never in ${path}` };
    return { instance, path, never: kind === "never", note: notes[kind], place, link: kind === "handle" ? "" : link };
  }

  update() {
    const targets = this.targets();
    let target = targets[0];
    if (this.instances) {
      const wanted = this.instances.value || String(this.panel.shown.instance);
      const options = targets.map((t) => element("option", { value: t.instance }, `${t.instance}: ${t.path}${t.note ? ", " + t.note.split(" ")[0] : ""}`));
      this.instances.replaceChildren(...options);
      const kept = targets.find((t) => String(t.instance) === wanted) || targets.find((t) => !t.never) || targets[0];
      if (kept) this.instances.value = String(kept.instance);
      this.instances.hidden = !targets.length;
      target = kept;
    }
    const never = !target || Boolean(target.never);
    this.button.disabled = never;
    this.element.classList.toggle("never", never);
    const note = target ? target.note : "no instance";
    this.note.replaceChildren(target && target.link ? element("a", { href: target.link, title: target.place }, note) : note);
  }
}

/** A picture made by Graphviz, with the active state and the rows just taken marked. */
class Chart {
  constructor(svg) {
    this.element = svg;
    this.states = new Map();
    for (const group of svg.querySelectorAll("g.node, g.cluster")) {
      const title = group.querySelector("title");
      if (title) this.states.set(title.textContent, group);
    }
    this.rows = [...svg.querySelectorAll("a[data-title]")].map((link) => [link, link.dataset.title.split("\n")]);
    for (const title of svg.querySelectorAll("title")) title.remove();
    // Browsers show a <title>, not the attribute Graphviz writes.
    for (const [link, lines] of this.rows) {
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = lines.join("\n");
      link.prepend(title);
    }
  }

  show(process, leaf, taken, frame) {
    for (const group of this.states.values()) group.classList.remove("active", "around");
    for (const [link] of this.rows) (link.closest("g.edge") || link).classList.remove("taken");
    for (const [link, lines] of this.rows) {
      if (lines.some((line) => taken.includes(line))) (link.closest("g.edge") || link).classList.add("taken");
    }
    if (!leaf) return;
    const active = this.states.get("state_" + leaf.state);
    active.classList.add("active");
    const parts = leaf.path.split(".");
    for (let depth = 1; depth < parts.length; depth++) {
      const number = process.states.indexOf(parts.slice(0, depth).join("."));
      this.states.get("cluster_" + number).classList.add("around");
    }
    const box = active.getBoundingClientRect();
    const outer = frame.getBoundingClientRect();
    if (box.left < outer.left || box.right > outer.right) frame.scrollLeft += (box.left + box.right - outer.left - outer.right) / 2;
    if (box.top < outer.top || box.bottom > outer.bottom) frame.scrollTop += (box.top + box.bottom - outer.top - outer.bottom) / 2;
  }
}
