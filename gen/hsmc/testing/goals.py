# SPDX-License-Identifier: MIT
"""Which rows lead on to which: those that write what the guard of another reads.

A transition whose guard asks for what the protocol remembers (so many blocks have come, a sum is right) is not reached
by better arguments of its own event: rows that change what it asks for have to be taken before, often many times.
"""

from __future__ import annotations

from typing import Iterable

from .. import ir, walk

Field = tuple[str, str]  # container or process, field or variable


class Goals:
    """By number of row: fields of the state its guard reads, and fields it writes, through functions and actions."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self._functions = {
            function.name: function.body for function in protocol.functions
        }
        self._actions = {action.name: action.body for action in protocol.actions}
        self._called: dict[str, tuple[frozenset[Field], frozenset[Field]]] = {}
        self.reads: dict[int, frozenset[Field]] = {}
        self.writes: dict[int, frozenset[Field]] = {}
        for process in protocol.processes:
            for handler in process.handlers:
                lets: list[object] = []
                for group in handler.groups:
                    lets += group.lets
                    for row in group.rows:
                        self.reads[row.number] = self._reads([*lets, row.guard])
                        self.writes[row.number] = self._writes(walk.row_parts(row))

    def helpers(self, missing: Iterable[int]) -> frozenset[int]:
        """Rows that write what the guards of these rows read."""
        wanted = frozenset[Field]().union(*(self.reads[row] for row in missing))
        return frozenset(row for row, own in self.writes.items() if own & wanted)

    def _reads(self, parts: object) -> frozenset[Field]:
        found: set[Field] = set()
        for node in walk.nodes(parts):
            if isinstance(node, ir.RecordField):
                found.add((node.container, node.field))
            elif isinstance(node, ir.VariableName):
                found.add((node.process, node.name))
            elif isinstance(node, ir.Call):
                found |= self._of_call(node.function, self._functions)[0]
        return frozenset(found)

    def _writes(self, parts: object) -> frozenset[Field]:
        found: set[Field] = set()
        for node in walk.nodes(parts):
            target = _written(node)
            if isinstance(target, ir.RecordField):
                found.add((target.container, target.field))
            elif isinstance(target, ir.VariableName):
                found.add((target.process, target.name))
            if isinstance(node, ir.ActionCall):
                found |= self._of_call(node.action, self._actions)[1]
        return frozenset(found)

    def _of_call(
        self, name: str, bodies: dict[str, tuple[ir.Statement, ...]]
    ) -> tuple[frozenset[Field], frozenset[Field]]:
        if name not in self._called:  # nothing recurs
            body = bodies[name]
            self._called[name] = (self._reads(body), self._writes(body))
        return self._called[name]


def _written(node: object) -> object:
    """The place a statement writes to; of an element or a bit, what it is a part of."""
    target: object = None
    if isinstance(node, ir.Assign):
        target = node.target
    elif isinstance(node, ir.SetBit):
        target = node.bits
    while isinstance(target, ir.Element):
        target = target.base
    return target
