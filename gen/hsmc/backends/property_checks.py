# SPDX-License-Identifier: MIT
"""Which properties one node can check, and after which of the runtime's calls their outcome may have changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from .. import ir, walk
from ..recall import Node, Recall, reaching

# Owner and name: a field of a pool, table or process; "*": all of them, and which records are in use.
Place = tuple[str, str]


@dataclass(frozen=True)
class PropertyChecks:
    """`events` and `timers`: those after which the properties have to be checked."""

    properties: tuple[ir.Property, ...]
    events: frozenset[Node]
    timers: frozenset[str]


def property_checks(protocol: ir.Protocol, recall: Recall) -> PropertyChecks:
    """Leaves out events and timers that write nothing a property reads, and raise nothing that does: they cost nothing."""
    properties = tuple(p for p in protocol.properties if p.condition is not None)
    reader = _Reader(protocol)
    read = set().union(*(reader.read(p) for p in properties)) if properties else set()
    edges: dict[Node, set[Node]] = {}
    writing: set[Node] = set()
    for process in protocol.processes:
        for handler in process.handlers:
            name = handler.timer.name if handler.timer else handler.event
            node = (process.name, name)
            for row in handler.rows:
                edges.setdefault(node, set()).update(row.raises)
            if _touches(reader.written(walk.handler_parts(handler)), read):
                writing.add(node)
    found = reaching(edges, writing)
    events: set[Node] = set()
    for process in protocol.processes:
        for event in process.events:
            node = (process.name, event.name)
            creates = event.creates and _touches({(str(process.pool), "*")}, read)
            if event.external and (creates or node in found or node in recall.events):
                events.add(node)
    timers = {t.name for t in protocol.timers if (t.process, t.name) in found}
    if not properties:
        return PropertyChecks((), frozenset(), frozenset())
    if ("parameter", "*") in read:
        every = {(p.name, e.name) for p in protocol.processes for e in p.events}
        return PropertyChecks(
            properties, frozenset(every), frozenset(t.name for t in protocol.timers)
        )
    return PropertyChecks(
        properties, frozenset(events), frozenset(timers | recall.timers)
    )


def places_read(protocol: ir.Protocol, property_: ir.Property) -> set[Place]:
    """What a property reads; of live parameters ("parameter", "*")."""
    return _Reader(protocol).read(property_)


def _touches(written: Iterable[Place], read: set[Place]) -> bool:
    owners = {owner for owner, _ in read}
    return any(p in read or (p[1] == "*" and p[0] in owners) for p in written)


class _Reader:
    def __init__(self, protocol: ir.Protocol) -> None:
        self.functions = {f.name: f.body for f in protocol.functions}
        self.actions = {a.name: a.body for a in protocol.actions}
        self.live = {p.name for p in protocol.parameters if p.live}
        self._written_by: dict[str, frozenset[Place]] = {}  # an action

    def read(self, property_: ir.Property) -> set[Place]:
        found = self._read(property_.condition)
        if property_.instance is not None:
            assert isinstance(property_.instance.type, ir.ReferenceType)
            found.add((property_.instance.type.pool, "*"))
        return found

    def _read(self, part: object) -> set[Place]:
        found: set[Place] = set()
        for node in walk.nodes(part):
            if isinstance(node, ir.RecordField):
                found.add((node.container, node.field))
            elif isinstance(node, ir.VariableName):
                found.add((node.process, node.name))
            elif isinstance(node, ir.Available):
                found.add((node.pool, "*"))
            elif isinstance(node, ir.ParameterName) and node.name in self.live:
                found.add(("parameter", "*"))
            elif isinstance(node, ir.Call):
                found |= self._read(self.functions[node.function])
        return found

    def written(self, part: object) -> set[Place]:
        found: set[Place] = set()
        for node in walk.nodes(part):
            target: object = None
            if isinstance(node, ir.Assign):
                target = node.target
            elif isinstance(node, ir.SetBit):
                target = node.bits
            elif isinstance(node, (ir.Create, ir.Release)):
                found.add((node.pool, "*"))
            elif isinstance(node, ir.Clear):
                found.add((node.table, "*"))
            elif isinstance(node, ir.ActionCall):
                found |= self._action(node.action)
            if isinstance(target, ir.Element):
                target = target.base
            if isinstance(target, ir.RecordField):
                found.add((target.container, target.field))
            elif isinstance(target, ir.VariableName):
                found.add((target.process, target.name))
        return found

    def _action(self, name: str) -> frozenset[Place]:
        if name not in self._written_by:
            self._written_by[name] = frozenset(self.written(self.actions[name]))
        return self._written_by[name]
