# SPDX-License-Identifier: MIT
"""The intermediate form as text: for goldens, for messages and for the curious (`hsmc dump`)."""

from __future__ import annotations

import dataclasses
from typing import Iterable, Iterator, Optional, Sequence, Union, assert_never

from . import ir, walk

PRECEDENCE: dict[str, int] = {
    **dict.fromkeys(["or"], 1),
    **dict.fromkeys(["and"], 2),
    **dict.fromkeys(["==", "!=", "<", "<=", ">", ">="], 4),
    **{"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9},
    **dict.fromkeys(["*", "/", "%"], 10),
}
ATOM = 12
COMMUTATIVE = ("+", "*", "&", "|", "^", "==", "!=")


def expression_text(expression: ir.Expression) -> str:
    """In the spec's own notation, with names resolved: event arguments under their declared names."""
    return _text(expression)[0]


NAMES = (
    ir.ConstantName,
    ir.ParameterName,
    ir.MemberName,
    ir.VariableName,
    ir.ArgumentName,
    ir.InstanceName,
    ir.WorldVariable,
    ir.WorldView,
    ir.WorldFact,
)


def identity(expression: ir.Expression) -> str:
    """The same for two expressions that compute the same from the same things, as far as C compilers see that: with
    constants by value, and with the sides of a sum in either order. The text alone does not distinguish names: a row
    may bind an event's argument by a name of its own, because the declared one is also that of a variable.
    """
    ordered = walk.rebuilt(expression, _ordered)
    kinds = " ".join(
        type(node).__name__
        for node in walk.nodes(ordered)
        if isinstance(node, (*NAMES, ir.LocalName))
    )
    return f"{expression_text(ordered)} ({kinds})"


def _ordered(e: ir.Expression) -> Optional[ir.Expression]:
    if e.value is not None:
        return ir.Number(type=e.type, place=e.place, value=e.value, text=str(e.value))
    if isinstance(e, ir.Minimum) or (
        isinstance(e, ir.Binary) and e.operator in COMMUTATIVE
    ):
        sides = [walk.rebuilt(side, _ordered) for side in (e.left, e.right)]
        left, right = sorted(sides, key=expression_text)
        return dataclasses.replace(e, left=left, right=right)
    return None


def _inner(expression: ir.Expression, level: int) -> str:
    text, own = _text(expression)
    return text if own >= level else f"({text})"


def _text(e: ir.Expression) -> tuple[str, int]:
    """The text and how tightly it binds."""
    if isinstance(e, ir.Number):
        return e.text, ATOM
    if isinstance(e, ir.NoneReference):
        return "none", ATOM
    if isinstance(e, NAMES):
        return e.name, ATOM
    if isinstance(e, ir.LocalName):
        return e.local.unique, ATOM
    if isinstance(e, ir.PayloadField):
        return f"{_inner(e.base, ATOM)}.{e.field}", ATOM
    if isinstance(e, ir.RecordField):
        return f"{e.container}[{expression_text(e.index)}].{e.field}", ATOM
    if isinstance(e, ir.Element):
        return f"{_inner(e.base, ATOM)}[{expression_text(e.index)}]", ATOM
    if isinstance(e, ir.Unary):
        if e.operator == "not":
            return f"not {_inner(e.operand, 3)}", 3
        return f"{e.operator}{_inner(e.operand, 11)}", 11
    if isinstance(e, ir.Binary):
        level = PRECEDENCE[e.operator]
        left = _inner(e.left, level + (level == 4))
        return f"{left} {e.operator} {_inner(e.right, level + 1)}", level
    if isinstance(e, ir.Conditional):
        return (
            f"{_inner(e.then, 1)} if {_inner(e.condition, 1)} else {_inner(e.otherwise, 0)}",
            0,
        )
    if isinstance(e, ir.Call):
        return f"{e.function}({_list(e.arguments)})", ATOM
    if isinstance(e, ir.Has):
        return f"has({_list((e.bits, e.index))})", ATOM
    if isinstance(e, ir.HasAll):
        return f"has_all({_list((e.bits, e.first, e.count))})", ATOM
    if isinstance(e, ir.Available):
        return f"available({e.pool})", ATOM
    if isinstance(e, ir.InUse):
        return f"in_use({e.pool}[{expression_text(e.reference)}])", ATOM
    if isinstance(e, ir.NumberOf):
        return f"number({expression_text(e.reference)})", ATOM
    if isinstance(e, ir.ReferenceOf):
        return f"reference({expression_text(e.number)})", ATOM
    if isinstance(e, ir.Minimum):
        name = "max" if e.largest else "min"
        return f"{name}({_list((e.left, e.right))})", ATOM
    if isinstance(e, ir.Narrow):
        return f"{e.type}({expression_text(e.operand)})", ATOM
    if isinstance(e, ir.BuildPayload):
        fields = ", ".join(f"{n}: {expression_text(v)}" for n, v in e.fields)
        return f"{e.payload}({fields})", ATOM
    assert_never(e)


def _list(expressions: Iterable[ir.Expression]) -> str:
    return ", ".join(map(expression_text, expressions))


def statement_lines(statements: Sequence[ir.Statement], indent: str) -> Iterator[str]:
    for s in statements:
        if isinstance(s, ir.If):
            yield f"{indent}if {expression_text(s.condition)}"
            yield from statement_lines(s.then, indent + "  ")
            if s.otherwise:
                yield f"{indent}else"
                yield from statement_lines(s.otherwise, indent + "  ")
        elif isinstance(s, ir.Repeat):
            condition = f" while {expression_text(s.condition)}" if s.condition else ""
            yield f"{indent}repeat {s.count}{condition}"
            yield from statement_lines(s.body, indent + "  ")
        elif isinstance(s, ir.For):
            yield f"{indent}for {s.local.unique}: {s.local.type} in {s.low}..{s.high}"
            yield from statement_lines(s.body, indent + "  ")
        else:
            yield indent + _simple(s)


def _simple(s: ir.Statement) -> str:
    assert not isinstance(s, (ir.If, ir.Repeat, ir.For))
    if isinstance(s, ir.Let):
        return f"let {s.local.unique}: {s.local.type} = {expression_text(s.value)}"
    if isinstance(s, ir.Create):
        return f"let {s.local.unique}: {s.local.type} = create {s.pool} in {s.process}.{s.initial}"
    if isinstance(s, ir.Assign):
        return f"{expression_text(s.target)} := {expression_text(s.value)}"
    if isinstance(s, ir.Return):
        return f"return {expression_text(s.result)}" if s.result else "return"
    if isinstance(s, ir.ActionCall):
        return f"{s.action}({_list(s.arguments)})"
    if isinstance(s, ir.DeviceCall):
        return f"device {s.device}({_list(s.arguments)})"
    if isinstance(s, ir.Raise):
        instance = f"[{expression_text(s.instance)}]" if s.instance else ""
        return f"raise {s.process}{instance}.{s.event}({_list(s.arguments)})"
    if isinstance(s, ir.Release):
        return f"release {s.pool}[{expression_text(s.reference)}]"
    if isinstance(s, ir.Clear):
        return f"clear {s.table}[{expression_text(s.index)}]"
    if isinstance(s, ir.Count):
        return f"count {s.counter}"
    if isinstance(s, ir.Assert):
        return f"assert {s.property}: {expression_text(s.condition)}"
    if isinstance(s, ir.ClearVariable):
        return f"clear {s.variable.name}"
    if isinstance(s, ir.SetBit):
        name = "set" if s.present else "unset"
        return f"{name}({_list((s.bits, s.index))})"
    assert_never(s)


def dump(protocol: ir.Protocol) -> str:
    return "\n".join(_protocol(protocol)) + "\n"


def _protocol(p: ir.Protocol) -> Iterator[str]:
    profile = f" profile {p.profile}" if p.profile else ""
    yield f"protocol {p.name}{profile}" + (f" check {p.check}" if p.check else "")
    for declared in p.profiles:
        settings = ", ".join(f"{name} = {value}" for name, value in declared.settings)
        default = " default" if declared.default else ""
        yield f"profile {declared.name}{default}: set {settings or '-'}"
    for constant in p.constants:
        external = "external " if constant.external else ""
        fixed = " fixed" if constant.fixed else ""
        yield f"{external}constant {constant.name} = {constant.value} = {expression_text(constant.expression)}{fixed}"
    for parameter in p.parameters:
        limits = f" range {parameter.range}" if parameter.range else ""
        unit = f" unit {parameter.unit}" if parameter.unit else ""
        live = " live" if parameter.live else ""
        yield (
            f"parameter {parameter.index} {parameter.name}: {parameter.type} = "
            f"{parameter.default}{limits}{unit}{live}"
        )
    for enumeration in p.enumerations:
        members = ", ".join(f"{m.name} = {m.value}" for m in enumeration.members)
        yield f"enumeration {enumeration.name}: u{enumeration.bits} {{{members}}}"
    for layout in p.layouts:
        at = f" at {layout.at}" if layout.at else ""
        if layout.within:
            at += f" in {layout.within}{_condition(layout.when)}"
        if layout.ethertype:
            at += f" ethernet {layout.ethertype.value:#06x}"
        yield f"layout {layout.name}{at}: {layout.bytes} bytes"
        for field in layout.fields:
            holds = f", of {field.enumeration}" if field.enumeration else ""
            holds += _condition(field.when) + (", shown" if field.shown else "")
            fixed = f" = {field.fixed}" if field.fixed else ""
            yield (
                f"  {field.name}: {field.bits} bits at {field.offset}, word {field.word}, "
                f"shift {field.shift}, mask {field.mask:#x}{holds}{fixed}"
            )
        for area in layout.areas:
            fixed = f" = {area.fixed}" if area.fixed else ""
            yield f"  {area.name}: {area.count} bytes at byte {area.offset}{fixed}"
        if layout.data:
            condition = _condition(layout.data.when)
            yield f"  {layout.data.name}: {layout.data.length} bytes{condition}"
    for payload in p.payloads:
        source = f" from {', '.join(payload.sources)}" if payload.sources else ""
        yield f"payload {payload.name}{source}{_condition(payload.when)}"
        yield from _fields(payload.fields)
    for pool in p.pools:
        yield (
            f"pool {pool.name}[{pool.count}] of u{pool.reference.bits} references, "
            f"written by {pool.written_by}, created by {pool.created_by}, process {pool.process}{_cold(pool)}"
        )
        yield from _fields(pool.fields)
    for table in p.tables:
        parallel = f" parallel to {table.pool}" if table.pool else ""
        yield f"table {table.name}[{table.count}]{parallel} written by {table.written_by}{_cold(table)}"
        yield from _fields(table.fields)
    for device in p.devices:
        yield f"device {device.name}({_arguments(device.arguments)})"
    for counter in p.counters:
        yield f"counter {counter.index} {counter.name}"
    for property_ in p.properties:
        instance = f"({_arguments([property_.instance])})" if property_.instance else ""
        yield f"property {property_.name}{instance} {property_.kind}"
        if property_.condition is not None:
            yield f"  {expression_text(property_.condition)}"
    for function in p.functions:
        reads = " reads state" if function.reads_state else ""
        reads += " of a find" if function.hidden else ""
        yield f"function {function.name}({_arguments(function.arguments)}): {function.result}{_code(function)}{reads}"
        yield from statement_lines(function.body, "  ")
    for action in p.actions:
        used = f" used by {', '.join(action.processes)}" if action.processes else ""
        raises = f" raises {_raises(action.raises)}" if action.raises else ""
        yield f"action {action.name}({_arguments(action.arguments)}){_code(action)}{used}{raises}"
        yield from statement_lines(action.body, "  ")
    for process in p.processes:
        yield from _process(process)
    for placement in p.placements:
        where = ", ".join(f"{name} on {cpu}" for name, cpu in placement.processors)
        yield f"placement {placement.name}: {where}"
        if placement.locked:
            yield f"  locked {', '.join(placement.locked)}"
        for name, meaning in placement.shared:
            yield f"  shared {name}: {meaning}"
    for check in p.checks:
        settings = ", ".join(f"{n} = {v}" for n, v in check.settings)
        world = ", ".join(f"{n} = {v}" for n, v in check.world)
        within = f" in {check.within}" if check.within else ""
        yield f"check {check.name}{within}: set {settings or '-'}; world {world or '-'}"
    for each in p.worlds:
        yield from _world(each)


def _world(w: ir.World) -> Iterator[str]:
    yield f"world {w.name}: nodes {', '.join(w.nodes)}; in flight {w.in_flight}"
    for bound in w.bounds:
        yield f"  bound {bound.name} = {bound.value}"
    faults = [f" loses{_limit(w.loses)}"] if w.loses else []
    faults += [f" repeats{_limit(w.repeats)}"] if w.repeats else []
    yield f"  link{''.join(faults)}{' reorders' if w.reorders else ''}"
    gates = {"ready": w.ready, "timers": w.timers}
    for word, gate in gates.items():
        if gate is not None:
            yield f"  {word}{_when(gate)}"
    if w.good:
        yield "  good from the beginning"
    for parameter in w.parameters:
        yield f"  parameter {parameter.name} = {expression_text(parameter.value)}"
    for view in w.views:
        yield f"  view {view.name} = {expression_text(view.value)} at {expression_text(view.at)}"
    for variable in w.variables:
        transient = "transient " if variable.transient else ""
        yield f"  {transient}variable {variable.name}: {variable.type}"
    for wire in w.wires:
        names = ", ".join(name for name, _ in wire.told)
        yield (
            f"  wire {wire.device}{_when(wire.when)} -> {_offered(wire.event)} at {expression_text(wire.at)}"
            f"{_when(wire.arrives)}{_unchanged(wire.unchanged)} keeps {', '.join('.'.join(filter(None, each)) for each in wire.kept) or '-'} told {wire.label}({names})"
        )
        yield from statement_lines(wire.block.statements, "    ")
    for offer in w.offers:
        events = ", ".join(map(_offered, offer.events))
        if offer.sent is not None:
            values = ", ".join(map(expression_text, offer.sent.arguments))
            events = f"{offer.sent.device}({values})"
        events = events or ("restart" if offer.restart else "nothing")
        kind = "fault" if offer.fault else "host"
        yield (
            f"  {kind} {events} at {expression_text(offer.at)}{_unchanged(offer.unchanged)}"
            f"{_when(offer.when, 'when' if offer.waits else 'whenever')}"
        )
        yield from statement_lines(offer.block.statements, "    ")
    for observer in w.observers:
        after = f"after {observer.timer}" if observer.timer else "step"
        yield f"  observe {observer.device or after}"
        yield from statement_lines(observer.block.statements, "    ")
    if w.end is not None:
        yield f"  end{_when(w.end.when)}"
        yield from statement_lines(w.end.block.statements, "    ")
    for invariant in w.always:
        yield f"  always {invariant.property}: {expression_text(invariant.condition)}"
    for each in w.eventually:
        yield f"  eventually {each.property}: {expression_text(each.condition)}"


def _unchanged(unchanged: Optional[ir.Unchanged]) -> str:
    if unchanged is None:
        return ""
    return f" unchanged {unchanged.property}{_when(unchanged.when)}"


def _limit(fault: ir.Fault) -> str:
    return "" if fault.limit is None else f" {fault.limit}"


def _when(condition: Optional[ir.Expression], word: str = "when") -> str:
    return f" {word} {expression_text(condition)}" if condition else ""


def _offered(event: ir.Offered) -> str:
    each = "each " if event.each else ""
    record = f"[{expression_text(event.record)}]" if event.record is not None else ""
    return f"{each}{event.process}{record}.{event.event}({_list(event.arguments)})"


def _cold(declaration: Union[ir.Pool, ir.Table, ir.Process]) -> str:
    return " cold" if declaration.cold else ""


def _code(declaration: Union[ir.Function, ir.Action, ir.Event]) -> str:
    return f" {declaration.code}" if declaration.code else ""


def condition_text(condition: ir.LayoutCondition) -> str:
    """As in the spec: `kind == HEADER or kind == DATA`."""
    return " or ".join(
        f"{condition.field} == {expression_text(value.expression)}"
        for value in condition.values
    )


def held_text(field: ir.LayoutField) -> str:
    """The enumeration a field holds and when, "" for plain numbers."""
    if field.enumeration is None:
        return ""
    when = f" when {condition_text(field.when)}" if field.when else ""
    return field.enumeration + when


def _condition(condition: Optional[ir.LayoutCondition]) -> str:
    if condition is None:
        return ""
    values = " or ".join(f"{condition.field} == {v}" for v in condition.values)
    return f" when {values}"


def _fields(fields: Iterable[ir.Field]) -> Iterator[str]:
    for field in fields:
        limits = f" range {field.range}" if field.range else ""
        initial = f" = {field.initial}" if field.initial else ""
        local = " local" if field.local else ""
        yield f"  {field.name}: {field.type}{limits}{initial}{local}"


def _arguments(arguments: Iterable[ir.Argument]) -> str:
    return ", ".join(
        f"{a.name}: {a.type}" + (f" range {a.range}" if a.range else "")
        for a in arguments
    )


def _raises(raises: Iterable[tuple[str, str]]) -> str:
    return ", ".join(".".join(pair) for pair in raises)


def _process(p: ir.Process) -> Iterator[str]:
    instance = f"({p.instance}: {p.pool})" if p.pool else ""
    yield f"process {p.index} {p.name}{instance}{_cold(p)}"
    for variable in _fields(p.variables):
        yield "  variable" + variable[1:]
    for event in p.events:
        external = "external " if event.external else ""
        creates = " creates" if event.creates else ""
        select = f" select {expression_text(event.select)}" if event.select else ""
        keeps = f" keeps {event.keeps}" if event.keeps else ""
        yield f"  {external}event {event.name}({_arguments(event.arguments)}){creates}{select}{keeps}{_code(event)}"
        if event.room is not None:
            yield f"    no room unless {expression_text(event.room)}"
    if p.recall is not None:
        yield f"  recall by {p.recall.event} while {expression_text(p.recall.pending)}"
    leaves = ", ".join(
        f"{leaf.name} = {leaf.number}" + (" cold" if leaf.cold and not p.cold else "")
        for leaf in p.leaves
    )
    yield f"  leaves {leaves}; initial {p.initial}"
    yield from statement_lines(p.initial_actions, "  initially ")
    for timer in p.initial_timers:
        yield f"  initially arm {timer.name}"
    for timer in p.timers:
        yield f"  timer {timer.index} {timer.name} after {expression_text(timer.duration)}"
    for handler in p.handlers:
        yield f"  {handler.leaf}.{handler.event}: otherwise {handler.otherwise}"
        for group in handler.groups:
            yield from statement_lines(group.lets, "    ")
            for row in group.rows:
                yield from _row(row)


def _row(row: ir.Row) -> Iterator[str]:
    guard = f" when {expression_text(row.guard)}" if row.guard else ""
    target = f" -> {row.target}" if row.target else ""
    rare = " rare" if row.rare else ""
    yield f"    {row.number} {row.id}{guard}{target}{rare}    # {row.place} {row.text}"
    yield from statement_lines(row.exit_actions, "      exit: ")
    for timer in row.cancelled:
        yield f"      cancel {timer.name}"
    for timer in row.armed:
        if not timer.computed:
            yield f"      arm {timer.name}"
    yield from statement_lines(row.actions, "      ")
    for timer in row.armed:
        if timer.computed:
            yield f"      arm {timer.name}"
    yield from statement_lines(row.entry_actions, "      entry: ")
    if row.raises:
        yield f"      raises {_raises(row.raises)}"
