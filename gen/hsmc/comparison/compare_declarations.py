# SPDX-License-Identifier: MIT
"""The declarations of a spec as comparable items: kind, name and aspects, each a short text (see compare.py)."""

from __future__ import annotations

import re
import dataclasses
from dataclasses import dataclass
from typing import Iterable, Iterator, Optional

from .. import ir
from ..frontend import ast
from ..dump import condition_text, expression_text
from .written import block_lines, body_lines

Key = tuple[str, str]  # kind, name

DOCUMENTATION = re.compile(r'\s*"[^"]*"$')


@dataclass(frozen=True)
class Item:
    """Parts of a declaration (fields, members, events, variables) are items of their own, named OWNER.PART, whose
    `owner` is the whole. An aspect that does not apply is "" or absent."""

    kind: str
    name: str
    place: ir.Place
    attributes: dict[str, str]
    owner: Optional[Key] = None
    process: str = ""

    @property
    def key(self) -> Key:
        return self.kind, self.name


def items_of(protocol: ir.Protocol, spec: ast.Spec) -> Iterator[Item]:
    """In the order of kinds of ir.Protocol; `spec` is what it was compiled from."""
    protocol = _as_written(protocol, spec)
    yield Item("protocol", protocol.name, protocol.place, _documented(protocol, {}))
    yield from _data(protocol)
    yield from _interface(protocol)
    yield from _bodies(protocol, spec)
    for process in protocol.processes:
        yield from _process(process, spec)
    for placement in protocol.placements:
        attributes = {name: f"on {cpu}" for name, cpu in placement.processors}
        attributes |= {name: "locked" for name in placement.locked}
        attributes |= {name: f"shared: {text}" for name, text in placement.shared}
        yield _item("placement", placement, attributes)
    for check in protocol.checks:
        attributes = {f"set {name}": str(value) for name, value in check.settings}
        attributes |= {f"world {name}": str(value) for name, value in check.world}
        attributes |= {"in": check.within} if check.within else {}
        yield _item("check", check, attributes)
    for world in protocol.worlds:
        yield from _world(world, spec)


def _world(world: ir.World, spec: ast.Spec) -> Iterator[Item]:
    """Bounds by their values; of the other lines the text counts."""
    node = next(
        d
        for d in spec.declarations
        if isinstance(d, ast.World) and d.name.span.place() == world.place
    )
    bounds = {f"bound {bound.name}": str(bound.value) for bound in world.bounds}
    attributes = {**bounds, "lines": "\n".join(block_lines(node))}
    documented = {**attributes, "documentation": world.doc}
    yield Item("world", world.name, world.place, documented)


def _as_written(protocol: ir.Protocol, spec: ast.Spec) -> ir.Protocol:
    """Without what the compiler adds for handles."""
    names = {
        node.name.text
        for node in spec.declarations
        if isinstance(node, (ast.Constant, ast.Table, ast.Function))
    }
    return dataclasses.replace(
        protocol,
        constants=tuple(c for c in protocol.constants if c.name in names),
        tables=tuple(t for t in protocol.tables if t.name in names),
        functions=tuple(f for f in protocol.functions if f.name in names),
    )


def size_text(size: ir.Size) -> str:
    """As written, with the number it comes to where that is another text."""
    written = expression_text(size.expression)
    if written.replace("_", "") == str(size.value):
        return str(size.value)
    if isinstance(size.expression, ir.Number):
        return written
    return f"{written} (= {size.value})"


def _documented(
    declaration: ir.Declaration, attributes: dict[str, str]
) -> dict[str, str]:
    return {**attributes, "documentation": declaration.doc}


def _item(kind: str, declaration: ir.Declaration, attributes: dict[str, str]) -> Item:
    return Item(
        kind, declaration.name, declaration.place, _documented(declaration, attributes)
    )


def _part(
    kind: str, owner: Item, declaration: ir.Declaration, attributes: dict[str, str]
) -> Item:
    return Item(
        kind,
        f"{owner.name}.{declaration.name}",
        declaration.place,
        _documented(declaration, attributes),
        owner.key,
        owner.name if owner.kind == "process" else "",
    )


def range_text(limits: Optional[ir.Range]) -> str:
    return f"{size_text(limits.low)}..{size_text(limits.high)}" if limits else ""


def arguments_text(arguments: Iterable[ir.Argument]) -> str:
    return ", ".join(
        f"{a.name}: {a.type}" + (f" range {range_text(a.range)}" if a.range else "")
        for a in arguments
    )


def _fields(kind: str, owner: Item, fields: Iterable[ir.Field]) -> Iterator[Item]:
    for field in fields:
        if field.hidden:
            continue  # no part of the text
        attributes = {"type": str(field.type), "range": range_text(field.range)}
        if field.initial is not None:
            attributes["initial value"] = size_text(field.initial)
        if field.local:
            attributes["on the wire"] = "no"
        yield _part(kind, owner, field, attributes)


def _data(protocol: ir.Protocol) -> Iterator[Item]:
    for constant in protocol.constants:
        value = ir.Size(constant.value, constant.expression)
        external = "external" if constant.external else ""
        attributes = {
            "value": size_text(value),
            "external": external,
            "fixed": "fixed" if constant.fixed else "",
        }
        yield _item("constant", constant, attributes)
    for parameter in protocol.parameters:
        attributes = {
            "type": str(parameter.type),
            "default": size_text(parameter.default),
            "range": range_text(parameter.range),
            "unit": parameter.unit,
            "live": "live" if parameter.live else "",
        }
        yield _item("parameter", parameter, attributes)
    for enumeration in protocol.enumerations:
        whole = _item("enumeration", enumeration, {"type": f"u{enumeration.bits}"})
        yield whole
        for member in enumeration.members:
            yield _part("member", whole, member, {"value": str(member.value)})
    for layout in protocol.layouts:
        at = size_text(layout.at) if layout.at else ""
        whole = _item("layout", layout, {"at": at, "bytes": str(layout.bytes)})
        yield whole
        for field in layout.fields:
            attributes = {
                "bits": str(field.bits),
                "first bit": str(field.offset),
                "value": size_text(field.fixed) if field.fixed else "",
            }
            yield _part("layout field", whole, field, attributes)
        for area in layout.areas:
            attributes = {
                "bytes": size_text(area.count),
                "first byte": str(area.offset),
                "value": size_text(area.fixed) if area.fixed else "",
            }
            yield _part("layout field", whole, area, attributes)
    for payload in protocol.payloads:
        attributes = {
            "from": ", ".join(payload.sources),
            "when": condition_text(payload.when) if payload.when else "",
        }
        whole = _item("payload", payload, attributes)
        yield whole
        yield from _fields("payload field", whole, payload.fields)
    for pool in protocol.pools:
        attributes = {
            "count": size_text(pool.count),
            "written by": pool.written_by,
            "created by": pool.created_by,
            "cold": "cold" if pool.cold else "",
        }
        whole = _item("pool", pool, attributes)
        yield whole
        yield from _fields("pool field", whole, pool.fields)
    for table in protocol.tables:
        count = f"one per {table.pool}" if table.pool else size_text(table.count)
        attributes = {
            "count": count,
            "written by": table.written_by,
            "cold": "cold" if table.cold else "",
        }
        whole = _item("table", table, attributes)
        yield whole
        yield from _fields("table field", whole, table.fields)


def _interface(protocol: ir.Protocol) -> Iterator[Item]:
    for device in protocol.devices:
        yield _item("device", device, {"arguments": arguments_text(device.arguments)})
    for counter in protocol.counters:
        yield _item("counter", counter, {})
    for property_ in protocol.properties:
        attributes: dict[str, str] = {"kind": property_.kind}
        if property_.instance is not None:
            attributes["for"] = arguments_text([property_.instance])
        if property_.condition is not None:
            attributes["condition"] = expression_text(property_.condition)
        yield _item("property", property_, attributes)


def _bodies(protocol: ir.Protocol, spec: ast.Spec) -> Iterator[Item]:
    bodies = {
        node.name.text: "\n".join(body_lines(node))
        for node in spec.declarations
        if isinstance(node, (ast.Function, ast.Action))
    }
    for function in protocol.functions:
        if function.hidden:
            continue  # compared with what it stands in
        attributes = {
            "arguments": arguments_text(function.arguments),
            "result": str(function.result),
            "code": function.code,
            "body": bodies[function.name],
        }
        yield _item("function", function, attributes)
    for action in protocol.actions:
        attributes = {
            "arguments": arguments_text(action.arguments),
            "code": action.code,
            "body": bodies[action.name],
        }
        yield _item("action", action, attributes)


def _process(process: ir.Process, spec: ast.Spec) -> Iterator[Item]:
    """Events and variables as they are declared."""
    node = next(
        d
        for d in spec.declarations
        if isinstance(d, ast.Process) and d.name.text == process.name
    )
    record = f"{process.instance}: {process.pool}" if process.pool else ""
    attributes = {"record": record, "cold": "cold" if process.cold else ""}
    whole = Item(
        "process",
        process.name,
        process.place,
        _documented(process, attributes),
        process=process.name,
    )
    yield whole
    yield from _fields("variable", whole, process.variables)
    events = {event.name: event for event in process.events}
    for declaration in node.events:
        event = events[declaration.name.text]
        text = DOCUMENTATION.sub("", declaration.span.squeezed)
        yield _part("event", whole, event, {"declaration": text})
