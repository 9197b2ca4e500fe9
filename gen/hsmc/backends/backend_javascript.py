# SPDX-License-Identifier: MIT
"""The JavaScript of a simulation: the protocol made executable in a browser, and what a page must know about it.

    const MODEL = { ..., make(V, N, L, ...) {...} };

`make` has the transitions, in the order and with the numbers of the reference interpreter: both come from
code_writer.py. Numbers are unsigned 32 bits, bools are 0 and 1, payloads arrays of their fields, sets of bits BigInt.
The machine around it, the same for every protocol, is templates/simulation/node.js.

Names the text uses beyond those of code_writer.py:
    W(slot, value)                    writes, noting what was there
    AT(table, key, place)             looks up, a violation of the contract where there is no such entry
    SHIFT(number, place), LIMIT(value, low, high, text, place)
    USED(used, bases, pool, reference, place)   the first slot of a record in use
    HOLDS(text, place, condition, used)         a property; of every record whose bit is in the slot `used`
"""

from __future__ import annotations

import json
from typing import Any, Callable, Optional, Sequence, Union

from .. import ir, naming
from ..admission import runs
from ..interpreter.code_writer import COMPARISONS, CodeWriter, Limits
from ..interpreter.interpreter import EntryPoint, Program
from ..interpreter.node_state import Checked, Container

Link = Callable[[ir.Place], str]

HELPERS = "V, W, L, AT, ZERO, ARM, CANCEL, NEVER, SHIFT, LIMIT, HAS_ALL, CREATE, RELEASE, PENDING, USED, HOLDS"


class JavaScriptWriter(CodeWriter):
    """The factory `make`, a method."""

    # --- statements and blocks

    def line(self, text: str, place: Optional[ir.Place] = None) -> None:
        self.source.add(f"{text};", place)

    def begin(self, kind: str, text: str, place: Optional[ir.Place] = None) -> None:
        heads = {"function": f"function {text}", "else": "else"}
        heads["if"] = f"if {self.negated(text)}"
        head = heads.get(kind, f"for (let turn = 0; turn < {text}; turn++)")
        self.source.add(f"{head} {{", place)
        self.source.depth += 1

    def begin_for(self, name: str, low: int, high: int, place: ir.Place) -> None:
        head = f"for (var {name} = {low}; {name} <= {high}; {name}++)"
        self.source.add(f"{head} {{", place)
        self.source.depth += 1

    @staticmethod
    def negated(condition: str) -> str:
        """A condition of CodeWriter.leave may begin with `not`."""
        if condition.startswith("(not "):
            return f"(!{condition[5:]}"
        return f"({condition})"

    def end(self) -> None:
        self.source.depth -= 1
        self.source.add("}")

    def assign(self, name: str, value: str, place: Optional[ir.Place]) -> None:
        # A local of a handler stands in several blocks: `var` may be repeated.
        self.source.add(f"var {name} = {value};", place)

    def leave_unless(self, condition: str, place: ir.Place) -> None:
        self.source.add(f"if (!{condition}) break;", place)

    # --- expressions: bools are numbers

    def literal(self, node: ir.Expression) -> str:
        return str(node.value)

    @property
    def place(self) -> str:
        assert self.here is not None
        return json.dumps(str(self.here))

    def lookup(self, table: str, key: str) -> str:
        return f"AT({table}, {key}, {self.place})"

    def all_of(self, limits: Sequence[Limits]) -> str:
        parts = (f"{low} <= {text} && {text} <= {high}" for low, text, high in limits)
        return f"({' && '.join(parts)})"

    def spread(self, payload: str) -> str:
        return f"...{payload}"

    def _unary(self, node: ir.Unary) -> str:
        operand = self.expression(node.operand)
        if node.operator == "not":
            return f"(+!{operand})"
        return f"({node.operator}{operand} >>> 0)"

    def _binary(self, node: ir.Binary) -> str:
        left, right = self.expression(node.left), self.expression(node.right)
        operator: str = node.operator
        if operator in ("and", "or"):
            return f"({left} {'&&' if operator == 'and' else '||'} {right})"
        if operator in COMPARISONS:
            same = {"==": "===", "!=": "!=="}
            return f"(+({left} {same.get(operator, operator)} {right}))"
        if operator in ("<<", ">>") and (
            node.right.value is None or node.right.value > 31
        ):
            right = f"SHIFT({right}, {self.place})"
        if operator == ">>":
            return f"({left} >>> {right})"
        if operator == "*":
            return f"(Math.imul({left}, {right}) >>> 0)"
        if operator == "/":
            return f"Math.floor({left} / {right})"
        return f"(({left} {operator} {right}) >>> 0)"

    def _conditional(self, node: ir.Conditional) -> str:
        parts = (node.condition, node.then, node.otherwise)
        condition, then, otherwise = (self.expression(part) for part in parts)
        return f"({condition} ? {then} : {otherwise})"

    def _has(self, node: ir.Has) -> str:
        bits = self.expression(node.bits)
        index = self.index(node.bits, node.index)
        return f"Number({bits} >> BigInt({index}) & 1n)"

    def _has_all(self, node: ir.HasAll) -> str:
        assert isinstance(node.bits.type, ir.BitsType)
        arguments = self.list((node.bits, node.first, node.count))
        return f"HAS_ALL({arguments}, {node.bits.type.count.value}, {self.place})"

    def _in_use(self, node: ir.InUse) -> str:
        used = self.layout.containers[node.pool].used
        bit = self.expression(node.reference)
        return f"Number(V[{used}] >> BigInt({bit} - 1) & 1n)"

    def _available(self, node: ir.Available) -> str:
        return f"(+!{self.full(self.layout.containers[node.pool])})"

    def _minimum(self, node: ir.Minimum) -> str:
        name = "max" if node.largest else "min"
        left, right = self.expression(node.left), self.expression(node.right)
        return f"Math.{name}({left}, {right})"

    def _narrow(self, node: ir.Narrow) -> str:
        assert isinstance(node.type, (ir.IntegerType, ir.EnumerationType))
        mask = (1 << node.type.bits) - 1
        return f"(({self.expression(node.operand)} & {mask}) >>> 0)"

    def _build_payload(self, node: ir.BuildPayload) -> str:
        given = dict(node.fields)
        values = [
            self.expression(given[field.name]) if field.name in given else "0"
            for field in self.protocol.payload(node.payload).fields
        ]
        return f"[{', '.join(values)}]"

    # --- effects

    def log(
        self, kind: str, name: str, parts: Sequence[str], place: Optional[ir.Place]
    ) -> None:
        number = self.log_numbers[kind, name]
        self.line(f"L([{', '.join([str(number), *parts])}])", place)

    def write(
        self,
        slot: str,
        value: str,
        place: ir.Place,
        bounds: Optional[tuple[str, ir.Range]] = None,
    ) -> None:
        """The value before the slot, as the interpreter does: either may violate the contract."""
        if bounds is not None:
            name, allowed = bounds
            low, high = allowed.low.value, allowed.high.value
            text = json.dumps(f"is outside the range {allowed} of {name}")
            value = f"LIMIT({value}, {low}, {high}, {text}, {json.dumps(str(place))})"
        if slot.isdecimal():
            self.line(f"W({slot}, {value})", place)
        else:
            self.source.add(f"{{ const v = {value}; W({slot}, v); }}", place)

    def incremented(self, slot: int) -> str:
        return f"V[{slot}] + 1 >>> 0"

    def _set_bit(self, node: ir.SetBit) -> None:
        index = self.index(node.bits, node.index)
        bits = self.expression(node.bits)
        operator = "|" if node.present else "& ~"
        value = f"{bits} {operator}(1n << BigInt({index}))"
        self.write(self.slot(node.bits, True), value, node.place)

    def _release(self, node: ir.Release) -> None:
        reference = self.expression(node.reference)
        self.line(f"release_{node.pool}({reference}, {self.place})", node.place)

    def never_call(
        self, process: ir.Process, code: int, event: str, defers: bool
    ) -> str:
        values = f"{json.dumps(event)}, {json.dumps(defers)}, {self.place}"
        instance = self.instance(process)
        return f"NEVER({process.index}, state, {code}, {instance}, {values})"

    def arm(self, timer: ir.Timer, instance: str) -> None:
        self.here = timer.place
        duration = self.expression(timer.duration)
        slot = self.timer_slot(timer)
        text = f"ARM({slot}, {timer.index}, {instance}, {duration}, {self.place})"
        self.line(text, timer.place)

    # --- checks

    def used(self, pool: str, reference: str) -> str:
        slot, bases = self.layout.containers[pool].used, self.bases(pool)
        return f"USED({slot}, {bases}, {json.dumps(pool)}, {reference}, {self.place})"

    def holds(self, property_: ir.Property, condition: str) -> None:
        text = json.dumps(f"property {property_.name} does not hold")
        instance, used, name = property_.instance, "", ""
        if instance is not None:
            assert isinstance(instance.type, ir.ReferenceType)
            pool = instance.type.pool
            name = f"a_{instance.name}"
            used = f", {self.layout.containers[pool].used}, {json.dumps(pool)}"
        code = f"HOLDS({text}, {self.place}, ({name}) => {condition}{used})"
        self.line(code, property_.place)

    # --- pools

    def create(self, pool: str) -> str:
        return f"create_{pool}({self.place})"

    def full(self, pool: Container) -> str:
        return f"(V[{pool.used}] === {(1 << pool.count) - 1}n)"

    def pool(self, pool: ir.Pool) -> None:
        container, bases = self.layout.containers[pool.name], self.bases(pool.name)
        rest = f"{container.used}, {bases}, {json.dumps(pool.name)}"
        self.begin("function", f"create_{pool.name}(place)")
        state, initial = 0, 0
        if pool.process is not None:
            process = self.protocol.process(pool.process)
            state = container.offsets[""]
            initial = process.leaf(process.initial).number
        self.line(f"return CREATE({rest}, {state}, {initial}, place)")
        self.end()
        self.begin("function", f"release_{pool.name}(reference, place)")
        self.line(f"RELEASE({rest}, {container.stride}, reference, place)")
        self.end()

    def recalling(self) -> None:
        self.begin("function", "recall()")
        self.source.add("for (;;) {")
        self.source.depth += 1
        for process in self.recall.processes:
            assert process.recall is not None
            self.here = process.place
            slot = self.layout.variables[process.name, process.recall.pending.name]
            call = f"on_{process.name}_{process.recall.event}"
            self.begin("if", f"V[{slot}]", process.place)
            if process.pool is None:
                self.line(f"W({slot}, 0)", process.place)
                self.line(f"{call}()", process.place)
            else:
                self.assign("instance", f"PENDING({slot})", process.place)
                state = f"V[{self.state_slot(process)}]"
                self.line(f"if ({state}) {call}(instance)", process.place)
            self.line("continue")
            self.end()
        self.line("return")
        self.source.depth -= 1
        self.source.add("}")
        self.end()

    # --- the factory

    def write_all(self) -> str:
        source = self.source
        source.depth = 2
        self.write_functions()
        entries = [e for p in self.protocol.processes for e in p.events if e.external]
        enter = ", ".join(f"enter_{number}" for number in range(len(entries)))
        expired = ", ".join(f"expired_{t.index}" for t in self.protocol.timers)
        source.add(f"return {{ initialise, enter: [{enter}], expired: [{expired}] }};")
        tables = [
            f"    const {name} = {json.dumps(_table(table))};"
            for name, table in self.tables.items()
        ]
        return "\n".join(
            [f"  make({HELPERS}) {{", *tables, source.text.rstrip(), "  }"]
        )


def _table(table: Checked) -> dict[str, Any]:
    """A checked table: its entries lie at equal distances."""
    keys = list(table)
    values = [table[key] for key in keys]
    step = values[1] - values[0] if len(values) > 1 else 0
    assert values == [values[0] + step * i for i in range(len(values))]
    assert keys == list(range(keys[0], keys[0] + len(keys)))
    return {
        "first": keys[0],
        "count": len(keys),
        "base": values[0],
        "step": step,
        "what": table.what,
        "none": table.none,
    }


# --- what the page must know


def description(program: Program, link: Link) -> dict[str, Any]:
    """Names, types and places, as JSON. Lists stand in the order of the intermediate form, states in that of Layout."""
    protocol = program.protocol
    records: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
    return {
        "name": protocol.name,
        "title": protocol.doc or protocol.name,
        "check": protocol.check,
        "profile": protocol.profile,
        "enumerations": {
            e.name: [[m.name, m.value] for m in e.members]
            for e in protocol.enumerations
        },
        "payloads": {
            p.name: [_field(protocol, field) for field in p.fields]
            for p in protocol.payloads
        },
        "parameters": [
            {
                **_field(protocol, parameter),
                "default": parameter.default.value,
                "unit": parameter.unit,
                "live": parameter.live,
            }
            for parameter in protocol.parameters
        ],
        "counters": [counter.name for counter in protocol.counters],
        "timers": [
            {
                "name": timer.name,
                "snake": naming.snake(timer.name),
                "process": timer.process,
                "link": link(timer.place),
                "place": str(timer.place),
            }
            for timer in protocol.timers
        ],
        "devices": {
            device.name: {
                "doc": device.doc,
                "arguments": [_argument(protocol, a) for a in device.arguments],
            }
            for device in protocol.devices
        },
        "processes": [
            _process(program, process, link) for process in protocol.processes
        ],
        "records": [
            {
                "name": record.name,
                "count": record.count.value,
                "pool": isinstance(record, ir.Pool),
                "first": int(isinstance(record, ir.Pool) or record.pool is not None),
                "process": record.process if isinstance(record, ir.Pool) else None,
                "fields": [_field(protocol, field) for field in record.fields],
            }
            for record in records
        ],
        "rows": [
            [row.id, str(row.place), link(row.place), row.text]
            for row in protocol.rows()
        ],
        "formats": program.formats,
        "logged": [list(key) for key in program.log_kinds],
        "event_names": [list(key) for key in program.event_names],
        "slot_count": len(program.layout.slots),
    }


def _type(kind: ir.Type) -> dict[str, Any]:
    """`kind` tells how a value is written, `text` is the type as a message names it, `bits` its width."""
    if isinstance(kind, ir.ArrayType):
        return {"kind": "array", "count": kind.count.value, "of": _type(kind.element)}
    if isinstance(kind, ir.BitsType):
        return {"kind": "bits", "count": kind.count.value}
    if isinstance(kind, ir.PayloadType):
        return {"kind": "payload", "name": kind.name}
    names = {ir.BoolType: "bool", ir.ReferenceType: "reference"}
    result: dict[str, Any] = {"kind": names.get(type(kind), "number")}
    if isinstance(kind, ir.EnumerationType):
        result = {"kind": "enumeration", "name": kind.name}
    if isinstance(kind, ir.ReferenceType):
        result["pool"] = kind.pool
    bits = 1 if isinstance(kind, ir.BoolType) else kind.bits
    return {**result, "bits": bits, "text": str(kind)}


def _field(
    protocol: ir.Protocol, field: Union[ir.Field, ir.Parameter]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "name": field.name,
        "doc": field.doc,
        "type": _type(field.type),
    }
    result.update(_limits(protocol, field.type, field.range))
    if isinstance(field, ir.Field) and field.initial is not None:
        result["initial"] = field.initial.value
    members = _members(protocol, field.name)
    if members and isinstance(field.type, ir.IntegerType):
        result["members"] = members
    return result


def _members(protocol: ir.Protocol, name: str) -> str:
    """The enumeration a number is likely to hold: that of a field of a layout with the same name."""
    found = {
        field.enumeration
        for layout in protocol.layouts
        for field in layout.fields
        if field.name == name and field.enumeration is not None and not field.when
    }
    return str(found.pop()) if len(found) == 1 else ""


def _limits(
    protocol: ir.Protocol, kind: ir.Type, limits: Optional[ir.Range]
) -> dict[str, Any]:
    """`low` and `high` of a declared range; `lowest`, where that is not 0, of what an event may carry."""
    result: dict[str, Any] = {}
    if limits is not None:
        result = {"low": limits.low.value, "high": limits.high.value}
    if not isinstance(kind, (ir.PayloadType, ir.ArrayType, ir.BitsType)):
        allowed = runs(protocol, kind, limits)
        if allowed and allowed[0][0].value > 0:
            result["lowest"] = allowed[0][0].value
    return result


def _argument(protocol: ir.Protocol, argument: ir.Argument) -> dict[str, Any]:
    return {
        "name": argument.name,
        "type": _type(argument.type),
        **_limits(protocol, argument.type, argument.range),
    }


def _process(program: Program, process: ir.Process, link: Link) -> dict[str, Any]:
    states = {state.path: number for number, state in enumerate(process.states)}
    return {
        "name": process.name,
        "snake": naming.snake(process.name),
        "doc": process.doc,
        "pool": process.pool,
        "variables": [_field(program.protocol, f) for f in process.variables],
        "leaves": [
            {"path": leaf.path, "number": leaf.number, "state": states[leaf.path]}
            for leaf in process.leaves
        ],
        "states": [state.path for state in process.states],
        "events": [
            _event(program.protocol, entry, link)
            for entry in program.entries
            if entry.process is process
        ],
        "queues": [
            [event.name, _queue(event)]
            for event in process.events
            if event.waiting is not None
        ],
    }


def _queue(event: ir.Event) -> str:
    """The name of the variable or field that counts the events that wait."""
    if isinstance(event.waiting, ir.VariableName):
        return event.waiting.name
    assert isinstance(event.waiting, ir.RecordField)
    return event.waiting.field


def _event(protocol: ir.Protocol, entry: EntryPoint, link: Link) -> dict[str, Any]:
    event, process = entry.event, entry.process
    return {
        "number": entry.number,
        "name": event.name,
        "snake": naming.snake(event.name),
        "doc": event.doc,
        "creates": event.creates,
        "selects": event.select is not None,
        "reference": process.pool is not None and event.needs_reference,
        "keeps": (
            event.keeps.value
            if event.keeps is not None and event.room is not None
            else None
        ),
        "arguments": [_argument(protocol, a) for a in event.arguments],
        "answers": {
            str(process.leaf(handler.leaf).number): _answer(process, handler, link)
            for handler in process.handlers_of(event.name)
        },
    }


def _answer(process: ir.Process, handler: ir.Handler, link: Link) -> list[str]:
    """What a state does with the event, and the line that says so, where one does."""
    place = handler.place or process.leaf(handler.leaf).place
    if handler.defers:
        kind = "defer"
    else:
        kind = "handle" if handler.groups else handler.otherwise
    return [kind, str(place), link(place)]


def generate(program: Program, link: Link) -> str:
    """The script of a protocol: `const MODEL = {...}`. `link` gives the address of a line of the spec."""
    writer = JavaScriptWriter(program.protocol, program.layout)
    code = writer.write_all()
    facts = description(program, link)
    members = ",\n".join(
        f"  {key}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in facts.items()
    )
    # Inside a page, "</script" would end it.
    members = members.replace("</", "<\\/")
    return (
        f"// Generated by hsmc from the spec of protocol {program.protocol.name}. Not to be edited.\n"
        f'"use strict";\n\nconst MODEL = {{\n{members},\n{code},\n}};\n'
    )
