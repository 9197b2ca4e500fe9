# SPDX-License-Identifier: MIT
"""What a search counts as executed, besides transitions: numbers, and the C that counts (models/spin_support.h).

Counts are no part of the state. A world's own come first, then the premises of what single nodes can see of properties.
"""

from __future__ import annotations

from .. import ir


def all_of(protocol: ir.Protocol, world: ir.World) -> list[ir.Execution]:
    """In the order of their numbers."""
    premises = [
        ir.Execution(
            kind="premise",
            name=f"premise.{each.name}.{position}",
            place=each.place,
            position=position,
        )
        for each in protocol.properties
        for position in range(len(each.premises))
    ]
    return [*world.executions, *premises]


class Counting:
    def __init__(self, protocol: ir.Protocol, world: ir.World) -> None:
        self.count = len(all_of(protocol, world))
        self.of_world = len(world.executions)
        self._executions = world.executions
        self._numbers = {
            (each.kind, each.place, each.position): number
            for number, each in enumerate(world.executions)
        }

    def number(self, kind: ir.ExecutionKind, place: ir.Place, position: int = 0) -> int:
        return self._numbers[kind, place, position]

    def only(self, kind: str) -> int:
        """The number of what a world has once."""
        return next(n for n, e in enumerate(self._executions) if e.kind == kind)

    def call(self, kind: ir.ExecutionKind, place: ir.Place) -> str:
        """The statement that counts."""
        return f"spin_execute({self.number(kind, place)}u);"
