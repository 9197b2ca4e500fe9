# SPDX-License-Identifier: MIT
"""Which features of the language a small spec has, and how often a run executed each: read from the compiled rows, and
counted by the rows that an engine's lines tell."""

from __future__ import annotations

import re
from collections import Counter
from typing import Iterable, Iterator

from hsmc import ir, walk

FEATURES = (
    "nested states",
    "history",
    "local",
    "before",
    "entry actions",
    "exit actions",
    "constant timer",
    "computed timer",
    "defer",
    "waiting event delivered",
    "waiting payload delivered",
    "pool",
    "create",
    "release",
    "raise",
    "raise to a record",
    "queue of records",
    "loop",
    "function",
)
LEAST = 0.05  # of the specs have each


class Features:
    """Of the small specs of one program. `text`: its file."""

    def __init__(self, protocol: ir.Protocol, text: str) -> None:
        self.lines = text.split("\n")
        self.actions = {action.name: action.body for action in protocol.actions}
        self.functions = {f.name: f.body for f in protocol.functions}
        self.of_row: dict[int, frozenset[str]] = {}
        self.of_spec: dict[int, set[str]] = {}
        for process in protocol.processes:
            number = int(re.findall(r"\d+$", process.name)[0])
            own = self.of_spec.setdefault(number, set())
            for handler in process.handlers:
                for row in handler.rows:
                    found = frozenset(self._row(process, handler, row))
                    self.of_row[row.number] = found
                    own |= found

    def executed(self, lines: Iterable[str]) -> Counter[str]:
        """How often rows with each feature were taken, by the lines of a run."""
        result: Counter[str] = Counter()
        for line in lines:
            for number in re.findall(r"\brow (\d+)/", line.partition(" | ")[0]):
                result.update(self.of_row[int(number)])
        return result

    def _row(
        self, process: ir.Process, handler: ir.Handler, row: ir.Row
    ) -> Iterator[str]:
        if process.pool is not None:
            yield "pool"
        if "." in process.leaf(handler.leaf).path:
            yield "nested states"
        if row.kind == "defer":
            yield "defer"
        elif row.kind == "recall":
            yield "waiting event delivered"
            if self._carries_payload(process, row):
                yield "waiting payload delivered"
        else:
            yield from self._written(process, handler, row)

    @staticmethod
    def _carries_payload(process: ir.Process, row: ir.Row) -> bool:
        """The event that a row delivers, which it raises."""
        names = {event for _, event in row.raises}
        return any(
            isinstance(argument.type, ir.PayloadType)
            for event in process.events
            if event.name in names
            for argument in event.arguments
        )

    def _written(
        self, process: ir.Process, handler: ir.Handler, row: ir.Row
    ) -> Iterator[str]:
        arrow = row.text.partition("->")[2].split()
        if "history" in arrow:
            yield "history"
        if "local" in arrow:
            yield "local"
        if row.text.startswith("before "):
            yield "before"
        if self._on_a_line("entry", row.entry_actions):
            yield "entry actions"
        if self._on_a_line("exit", row.exit_actions):
            yield "exit actions"
        if handler.timer is not None:
            yield "computed timer" if handler.timer.computed else "constant timer"
        creating = {e.name for e in process.events if e.creates}
        if handler.event in creating:
            yield "create"
        for node in self._reached(walk.row_parts(row)):
            match node:
                case ir.Create():
                    yield "create"
                case ir.Release():
                    yield "release"
                case ir.Raise():
                    yield "raise"
                    if node.instance is not None:
                        yield "raise to a record"
                case ir.Assign(target=ir.RecordField(type=ir.ReferenceType())):
                    yield "queue of records"
                case ir.Repeat() | ir.For():
                    yield "loop"
                case ir.Call():
                    yield "function"

    def _on_a_line(self, word: str, statements: Iterable[ir.Statement]) -> bool:
        return any(
            self.lines[s.place.line - 1].strip().startswith(word) for s in statements
        )

    def _reached(self, item: object) -> Iterator[object]:
        """The nodes of a row, and of the actions and functions it calls."""
        pending, seen = [item], set()
        while pending:
            for node in walk.nodes(pending.pop()):
                yield node
                if isinstance(node, ir.ActionCall) and node.action not in seen:
                    seen.add(node.action)
                    pending.append(self.actions[node.action])
                elif isinstance(node, ir.Call) and node.function not in seen:
                    seen.add(node.function)
                    pending.append(self.functions[node.function])
