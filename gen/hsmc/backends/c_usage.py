# SPDX-License-Identifier: MIT
"""What of a protocol its processes really use: the rest is declared, warned of, and left out of the C."""

from __future__ import annotations

from typing import Iterable, Sequence

from .. import ir, walk
from ..recall import recall


class Usage:
    """`functions` and `actions` reached from rows, entries and selections; `raised` events; pools and tables by what
    is done with their records."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.functions: set[str] = set()
        self.actions: set[str] = set()
        self.raised: set[tuple[str, str]] = set()
        self.created: set[str] = set()
        self.available: set[str] = set()
        self.released: set[str] = set()
        self.cleared: set[str] = set()
        # What only properties need: `functions` and `available` of builds that look at them.
        self.asserted_functions: set[str] = set()
        self.asserted_available: set[str] = set()
        self._bodies = {f"function {f.name}": f.body for f in protocol.functions}
        self._bodies.update((f"action {a.name}", a.body) for a in protocol.actions)
        recalls = recall(protocol).ever
        for process in protocol.processes:
            if process.recall is not None and recalls:
                self.raised.add((process.name, process.recall.event))
            self._read(process.initial_actions)
            for timer in process.timers:
                self._read(timer.duration)
            for event in process.events:
                self._read(event.select)
                if event.creates:
                    self.created.add(str(process.pool))
                    self.available.add(str(process.pool))
            for timer in process.timers:
                self._read_handlers(process.handlers_of_timer(timer))
        self._read_events(protocol)
        functions, available = set(self.functions), set(self.available)
        self._read([p.condition for p in protocol.properties])
        self.asserted_functions = self.functions - functions
        self.asserted_available = self.available - available
        self.functions, self.available = functions, available

    def _read_events(self, protocol: ir.Protocol) -> None:
        """Of those that come: from outside, or raised by what is reached. Reading one may reach others."""
        read: set[tuple[str, str]] = set()
        more = True
        while more:
            more = False
            for process in protocol.processes:
                for event in self.handled(process):
                    if (process.name, event.name) not in read:
                        read.add((process.name, event.name))
                        self._read_handlers(process.handlers_of(event.name))
                        more = True

    def _read_handlers(self, handlers: Iterable[ir.Handler]) -> None:
        for handler in handlers:
            self._read(walk.handler_parts(handler))

    def _read(self, item: object) -> None:
        for node in walk.nodes(item):
            if isinstance(node, ir.Call):
                self._reach(self.functions, "function", node.function)
            elif isinstance(node, ir.ActionCall):
                self._reach(self.actions, "action", node.action)
            elif isinstance(node, ir.Raise):
                self.raised.add((node.process, node.event))
            elif isinstance(node, ir.Create):
                self.created.add(node.pool)
            elif isinstance(node, ir.Available):
                self.available.add(node.pool)
            elif isinstance(node, ir.Release):
                self.released.add(node.pool)
            elif isinstance(node, ir.Clear):
                self.cleared.add(node.table)

    def _reach(self, known: set[str], kind: str, name: str) -> None:
        if name not in known:
            known.add(name)
            self._read(self._bodies[f"{kind} {name}"])

    def handled(self, process: ir.Process) -> Iterable[ir.Event]:
        """Events that the runtime calls or a process raises."""
        for event in process.events:
            if event.external or (process.name, event.name) in self.raised:
                yield event


def declared_locals(row: ir.Row) -> set[str]:
    """Locals that stand in the outermost block of a row."""
    statements = (*row.exit_actions, *row.actions, *row.entry_actions)
    return {s.local.unique for s in statements if isinstance(s, (ir.Let, ir.Create))}


def repeated_locals(handlers: Sequence[ir.Handler]) -> set[str]:
    """Locals that would be declared twice in one switch: all its cases are one block."""
    seen: set[str] = set()
    repeated: set[str] = set()
    for handler in handlers:
        for group in handler.groups:
            for row in group.rows:
                if row.guard is None and not group.lets:
                    repeated |= seen & declared_locals(row)
                    seen |= declared_locals(row)
    return repeated
