# SPDX-License-Identifier: MIT
"""What searches may execute besides transitions: lines of worlds, what they assert, and the premises of that.

Named from the text alone, so that a name means the same in every check, whatever its bounds leave out:

    exchange.host.Match.posted.0    the first line of the world `exchange` that offers this event
    exchange.premise.in_order.1     the second premise of what this world says of the property `in_order`
"""

from __future__ import annotations

from typing import Iterable, Iterator, Optional

from .. import ir
from . import ast

LITERALS = ("true", "false")


def nodes_of(item: object) -> Iterable[ast.Node]:
    """All nodes of the syntax, outermost first."""
    if isinstance(item, tuple):
        for part in item:
            yield from nodes_of(part)
    elif isinstance(item, ast.Node):
        yield item
        for name in item.__dataclass_fields__:
            yield from nodes_of(getattr(item, name))


def premises_of(condition: Optional[ast.Expression]) -> tuple[ir.PathDown, ...]:
    """Paths to the parts that are evaluated only where a premise holds: of `not p or q` that is q, of `a or b or c` it is
    c; of `q if p else r` it is each of q and r."""
    return tuple(_premises(condition, ())) if condition is not None else ()


def _premises(node: ast.Expression, path: ir.PathDown) -> Iterator[ir.PathDown]:
    if isinstance(node, ast.Binary) and node.operator == "and":
        yield from _premises(node.left, (*path, "left"))
        yield from _premises(node.right, (*path, "right"))
    elif isinstance(node, ast.Binary) and node.operator == "or":
        yield (*path, "right")
        yield from _premises(node.right, (*path, "right"))
    elif isinstance(node, ast.Conditional):
        for name, part in (("then", node.then), ("otherwise", node.otherwise)):
            if not (isinstance(part, ast.Word) and part.text in LITERALS):
                yield (*path, name)
                yield from _premises(part, (*path, name))


def executions_of(world: ast.World) -> tuple[ir.Execution, ...]:
    found = _Executions(world.name.text)
    for wire in world.wires:
        found.add("wire", wire, wire.device.text)
        found.unchanged(wire.unchanged)
    for offer in world.offers:
        found.add("fault" if offer.kind == "fault" else "host", offer, _offered(offer))
        found.unchanged(offer.unchanged)
    for observer in world.observers:
        device = [observer.device] if observer.device is not None else []
        named = ".".join(name.text for name in (*device, *observer.timer))
        found.add("observe", observer, named or "step")
    for node in nodes_of((world.observers, world.ends, world.always)):
        if isinstance(node, ast.Assert):
            found.add("assert", node, node.property.text)
        if isinstance(node, (ast.Assert, ast.Always)):
            for position in range(len(premises_of(node.condition))):
                found.add("premise", node, node.property.text, position)
    for eventually in world.eventually:
        found.add("eventually", eventually, eventually.property.text)
    for link in world.links[:1]:
        if link.repeats is not None:
            found.once("repeats", link, "link.repeats")
    for gate in world.gates:
        if gate.kind == "timers":
            found.once("timers", gate, "timers")
    return tuple(found.result)


def _offered(offer: ast.Offer) -> str:
    """What a line is named after: its first event, or its device operation, or the word it has instead."""
    for each in offer.events[:1]:
        parts: list[str] = []
        node: object = each.event
        while not isinstance(node, ast.NameUse):
            if isinstance(node, ast.Call):
                node = node.callee
            elif isinstance(node, ast.Member):
                parts.insert(0, node.name.text)
                node = node.base
            elif isinstance(node, ast.Index):
                node = node.base
            else:
                return "event"
        return ".".join((node.name, *parts))
    return offer.alone or "nothing"


class _Executions:
    def __init__(self, world: str) -> None:
        self.world = world
        self.counts: dict[str, int] = {}
        self.result: list[ir.Execution] = []

    def add(
        self, kind: ir.ExecutionKind, node: ast.Node, named: str, position: int = 0
    ) -> None:
        stem = f"{kind}.{named}"
        number = self.counts[stem] = self.counts.get(stem, -1) + 1
        self.once(kind, node, f"{stem}.{number}", position)

    def once(
        self, kind: ir.ExecutionKind, node: ast.Node, named: str, position: int = 0
    ) -> None:
        name = f"{self.world}.{named}"
        place = node.span.place()
        self.result.append(
            ir.Execution(kind=kind, name=name, place=place, position=position)
        )

    def unchanged(self, node: Optional[ast.Unchanged]) -> None:
        if node is not None:
            self.add("unchanged", node, node.property.text)
