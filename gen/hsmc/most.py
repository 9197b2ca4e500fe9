# SPDX-License-Identifier: MIT
"""So often an event does something at most, of what runs on one processor: put a message, use shared data.

The row that does it most often counts, with the guards before that row. Of an `if` the branch that does it more often counts,
and a loop counts as often as it may turn. What a raise makes another process of the same processor do belongs to the event.
"""

from __future__ import annotations

from typing import Callable, Mapping, Union

from . import ir, walk
from .walk import Node

Body = Union[ir.Function, ir.Action]


class Most:
    """`counted(node, process)` is what an expression or statement does itself. The place that an assignment writes is no
    expression of its own: it counts with the assignment."""

    def __init__(
        self,
        protocol: ir.Protocol,
        bodies: Mapping[str, Body],
        on: Mapping[str, str],
        counted: Callable[[Node, str], int],
    ) -> None:
        self.protocol = protocol
        self.bodies = bodies
        self.on = on
        self.counted = counted
        self._known: dict[tuple[str, str], int] = {}
        self._known_bodies: dict[tuple[str, str], int] = {}

    def event(self, process: str, event: str) -> int:
        """Raises do not lead back to their beginning, so this ends."""
        key = (process, event)
        if key not in self._known:
            machine = self.protocol.process(process)
            before = sum(
                self.of([declared.select, declared.room, declared.waiting], process)
                for declared in machine.events
                if declared.name == event
            )
            handlers = [h for h in machine.handlers if h.event == event]
            most = max((self._handler(h, process) for h in handlers), default=0)
            self._known[key] = before + most
        return self._known[key]

    def start(self, process: ir.Process) -> int:
        return self.of(process.initial_actions, process.name)

    def _handler(self, handler: ir.Handler, process: str) -> int:
        asked = most = 0
        for group in handler.groups:
            asked += self.of(group.lets, process)
            for row in group.rows:
                asked += self.of(row.guard, process)
                done = self.of(
                    [row.exit_actions, row.actions, row.entry_actions], process
                )
                durations = [timer.duration for timer in row.armed]
                most = max(most, asked + done + self.of(durations, process))
        return max(most, asked)

    def of(self, item: object, process: str) -> int:
        if isinstance(item, (tuple, list)):
            return sum(self.of(part, process) for part in item)
        if not isinstance(item, (ir.ExpressionBase, ir.StatementBase)):
            return 0
        if not any(self._matters(node, process) for node in walk.nodes(item)):
            return 0
        node: Node = item  # type: ignore[assignment]
        here = self.counted(node, process)
        if isinstance(node, (ir.If, ir.Conditional)):
            return (
                here
                + self.of(node.condition, process)
                + max(self.of(node.then, process), self.of(node.otherwise, process))
            )
        if isinstance(node, ir.For):
            return here + walk.turns(node) * self.of(node.body, process)
        if isinstance(node, ir.Repeat):
            looks = self.of(node.condition, process)
            turns = walk.turns(node) * (looks + self.of(node.body, process))
            return here + turns + looks
        if isinstance(node, ir.Assign):
            place = walk.parts_of(node.target)
            return here + self.of([node.value, *place], process)
        here += self.of(walk.parts_of(node), process)
        if isinstance(node, (ir.Call, ir.ActionCall)):
            here += self._body(node, process)
        elif isinstance(node, ir.Raise) and self.on[node.process] == self.on[process]:
            here += self.event(node.process, node.event)
        return here

    def _matters(self, node: Node, process: str) -> bool:
        calls = (ir.Call, ir.ActionCall, ir.Raise)
        return isinstance(node, calls) or self.counted(node, process) > 0

    def _body(self, node: Union[ir.Call, ir.ActionCall], process: str) -> int:
        name = node.function if isinstance(node, ir.Call) else node.action
        key = (name, process)
        if key not in self._known_bodies:
            self._known_bodies[key] = self.of(self.bodies[name].body, process)
        return self._known_bodies[key]
