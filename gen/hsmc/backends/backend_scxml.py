# SPDX-License-Identifier: MIT
"""A process as SCXML (W3C State Chart XML), for editors, simulators and checkers that read it.

States nest as written, a row is one <transition> with `cond` and `target`, history is <history>, the answers `ignore` and `never` are
transitions without target that keep outer states from answering; rows stand in the order they are tried. What SCXML
has no word for is in the namespace NAMESPACE: the ids of the flattened transitions (`ids`), lets, statements, records,
rows tried ahead of those of the states inside (`before`),
`defer` (an `answer`; `recall` names the transitions that deliver what waited).
Expressions stay in the spec's own notation: the data model is called `x-hsm`.

Where SCXML differs: it arms a state's timer in the entry of that state, so after the row's actions instead of before;
nothing can be observed of that, as no timer fires within a transition. A `raise` is a <send>, which SCXML queues; it
stands last in what a row does, so what it leads to comes after the row either way.
"""

from __future__ import annotations

import re
from typing import Optional, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from .. import ir
from ..comparison.compare_declarations import arguments_text, range_text
from ..dump import expression_text
from ..comparison.written import TIMER, WrittenProcess, WrittenRow, WrittenState

SCXML = "http://www.w3.org/2005/07/scxml"
NAMESPACE = "urn:hsmc:scxml:1"
DATA_MODEL = "x-hsm"

RAISE = re.compile(r"raise (?P<process>\w+)(?P<rest>[\[.].*)")


def generate(
    protocol: ir.Protocol, process: ir.Process, written: WrittenProcess
) -> str:
    """The text of one file."""
    return _Writer(protocol, process).document(written)


def file_name(protocol: ir.Protocol, process: ir.Process) -> str:
    return f"{protocol.name}_{process.name}.scxml"


def timer_event(path: str) -> str:
    """What a timer of the state sends; `after` is no name of an event."""
    return f"after.{path}"


def history_id(path: str) -> str:
    return f"{path}.history"


def split_arguments(text: str) -> list[str]:
    """At the commas outside parentheses and brackets.

    >>> split_arguments("a, f(b, c[1]), d"), split_arguments("")
    (['a', 'f(b, c[1])', 'd'], [])
    """
    parts: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def closing(text: str) -> int:
    """Where the bracket that opens a text is closed.

    >>> closing("[a[b] - c].event(d[e])")
    9
    """
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth == 0:
            return position
    raise ValueError(f"no end of '{text}'")


def milliseconds(microseconds: int) -> str:
    """
    >>> milliseconds(1500), milliseconds(4294967295), milliseconds(1)
    ('1.5ms', '4294967.295ms', '0.001ms')
    """
    whole, part = divmod(microseconds, 1000)
    digits = f".{part:03}".rstrip("0") if part else ""
    return f"{whole}{digits}ms"


class _Writer:
    def __init__(self, protocol: ir.Protocol, process: ir.Process) -> None:
        self.protocol = protocol
        self.process = process
        self.ids: dict[ir.Place, list[str]] = {}
        # Of what the compiler has made of `defer`: by line and event, and what delivers the event later.
        self.deferred: dict[tuple[ir.Place, str], list[str]] = {}
        self.recalled: list[str] = []
        for handler in process.handlers:
            for row in handler.rows:
                if row.kind == "written":
                    self.ids.setdefault(row.place, []).append(row.id)
                elif row.kind == "defer":
                    key = (row.place, handler.event)
                    self.deferred.setdefault(key, []).append(row.id)
                else:
                    self.recalled.append(row.id)
        self.timers = {timer.state: timer for timer in process.timers}
        self.names = {state.path: state.name for state in process.states}
        self.history: set[str] = set()

    def document(self, written: WrittenProcess) -> str:
        for state in written.walk():
            for row in state.rows:
                words = row.target.split()
                if "history" in words[:-1]:
                    self.history.add(self._path(words[-1]))
        root = Element(
            "scxml",
            {
                "xmlns": SCXML,
                "xmlns:hsm": NAMESPACE,
                "version": "1.0",
                "name": self.process.name,
                "datamodel": DATA_MODEL,
                "initial": _initial(written.states).path,
            },
        )
        if self.process.pool is not None:
            root.set("hsm:record", f"{self.process.instance}: {self.process.pool}")
        self._documentation(root, self.process.doc)
        self._data(root)
        for state in written.states:
            self._state(root, state)
        self._definitions(root)
        if self.recalled:
            SubElement(root, "hsm:recall", {"ids": " ".join(self.recalled)})
        ElementTree.indent(root)
        # Names are written with their prefix; no element is in a namespace of its own.
        text = ElementTree.tostring(root, encoding="unicode")
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f"<!-- Generated by hsmc from {self.protocol.files[0]}; do not edit. -->\n"
            f"{text}\n"
        )

    # --- data

    def _data(self, root: Element) -> None:
        """Variables of the process; of a process per record the fields of its record."""
        model = SubElement(root, "datamodel")
        fields: list[tuple[str, ir.Field]] = []
        if self.process.pool is not None:
            pool = self.protocol.pool(self.process.pool)
            fields += [(f"{self.process.instance}.{f.name}", f) for f in pool.fields]
        fields += [(field.name, field) for field in self.process.variables]
        fields = [(name, field) for name, field in fields if not field.hidden]
        for name, field in fields:
            data = SubElement(model, "data", {"id": name, "hsm:type": str(field.type)})
            if field.range is not None:
                data.set("hsm:range", range_text(field.range))
            if field.initial is not None:
                data.set("expr", expression_text(field.initial.expression))
            elif isinstance(field.type, (ir.IntegerType, ir.EnumerationType)):
                data.set("expr", "0")
            elif isinstance(field.type, ir.BoolType):
                data.set("expr", "false")
            elif isinstance(field.type, ir.ReferenceType):
                data.set("expr", "none")
        if not fields:
            root.remove(model)

    def _definitions(self, root: Element) -> None:
        """The named actions that rows of this process use."""
        for action in self.protocol.actions:
            if self.process.name in action.processes:
                arguments = arguments_text(action.arguments)
                element = SubElement(root, "hsm:action", {"name": action.name})
                if arguments:
                    element.set("arguments", arguments)
                element.text = "\n".join(action.text)

    # --- states

    def _state(self, parent: Element, state: WrittenState) -> None:
        kind = "final" if state.final else "state"
        element = SubElement(parent, kind, {"id": state.path})
        if any(inner.initial for inner in state.states):
            element.set("initial", _initial(state.states).path)
        self._documentation(element, state.doc)
        timer = self.timers.get(self.names[state.path])
        if timer is not None or state.entry:
            self._content(SubElement(element, "onentry"), timer, state.entry)
        if timer is not None or state.exit:
            onexit = SubElement(element, "onexit")
            self._statements(onexit, state.exit)
            if timer is not None:
                SubElement(onexit, "cancel", {"sendid": timer.name})
        for row in state.rows:
            self._row(element, state, row)
        for event, answer, place in state.verdicts:
            self._answer(element, event, answer, place)
        if state.path in self.history:
            history = SubElement(
                element, "history", {"id": history_id(state.path), "type": "shallow"}
            )
            initial = _initial(state.states).path
            SubElement(history, "transition", {"target": initial})
        for inner in state.states:
            self._state(element, inner)

    def _content(self, entry: Element, timer: Optional[ir.Timer], text: str) -> None:
        if timer is not None:
            path = next(p for p, name in self.names.items() if name == timer.state)
            send = SubElement(
                entry, "send", {"id": timer.name, "event": timer_event(path)}
            )
            if timer.duration.value is not None:
                send.set("delay", milliseconds(timer.duration.value))
            else:
                send.set("delayexpr", expression_text(timer.duration))
                send.set("hsm:unit", "us")
        self._statements(entry, text)

    # --- rows

    def _row(self, parent: Element, state: WrittenState, row: WrittenRow) -> None:
        timer = row.event == TIMER
        event = timer_event(state.path) if timer else row.event
        element = SubElement(parent, "transition", {"event": event})
        if row.bindings:
            element.set("hsm:arguments", ", ".join(row.bindings))
        if row.guard not in ("", "else"):
            element.set("cond", row.guard)
        words = row.target.split()
        if words:
            path = self._path(words[-1])
            local = "local" in words[:-1]
            past = "history" in words[:-1]
            element.set("target", history_id(path) if past else path)
            element.set("type", "internal" if local else "external")
        if row.before:
            element.set("hsm:before", "true")
        element.set("hsm:ids", " ".join(self.ids.get(row.place, [])))
        element.set("hsm:place", str(row.place))
        for let in row.lets:
            SubElement(element, "hsm:let").text = let.removeprefix("let ")
        self._statements(element, row.actions)

    def _answer(
        self, parent: Element, event: str, answer: str, place: ir.Place
    ) -> None:
        element = SubElement(
            parent, "transition", {"event": event, "hsm:answer": answer}
        )
        if (place, event) in self.deferred:
            element.set("hsm:ids", " ".join(self.deferred[place, event]))
        if answer == "never":
            SubElement(element, "raise", {"event": f"error.never.{event}"})

    def _statements(self, parent: Element, text: str) -> None:
        for statement in filter(None, (part.strip() for part in text.split(";"))):
            found = RAISE.match(statement)
            if found is None:
                SubElement(parent, "hsm:do").text = statement
                continue
            process = self.protocol.process(found["process"])
            rest = found["rest"]
            end = closing(rest) if rest.startswith("[") else -1
            record, (name, _, passed) = rest[1:end], rest[end + 2 :].partition("(")
            send = SubElement(parent, "send", {"event": name.strip()})
            send.set("target", f"#_{process.name}")
            if end > 0:
                send.set("hsm:record", record)
            event = next(e for e in process.events if e.name == name.strip())
            passed = passed.strip().removesuffix(")")
            for argument, value in zip(event.arguments, split_arguments(passed)):
                SubElement(send, "param", {"name": argument.name, "expr": value})

    def _path(self, written: str) -> str:
        """The full path of a state a row names."""
        if written in self.names:
            return written
        return next(p for p in self.names if p.endswith("." + written))

    def _documentation(self, parent: Element, text: str) -> None:
        if text:
            parent.set("hsm:documentation", text)


def _initial(states: Sequence[WrittenState]) -> WrittenState:
    """The first where none is marked: such a state is never entered so, but a history must name one."""
    return next((state for state in states if state.initial), states[0])
