# SPDX-License-Identifier: MIT
"""Where the runtime's calls must look for events that wait and may now be delivered: what back ends ask about deferred
events. How the events wait and come back are rows like any other (deferral.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator

from . import ir, walk

Node = tuple[str, str]  # process, event as in Handler.event; of a timer its name


@dataclass(frozen=True)
class Recall:
    """`processes` that defer, in the order in which they are examined; entry points after which one of them may be
    marked."""

    processes: tuple[ir.Process, ...]
    events: frozenset[Node]
    timers: frozenset[str]
    initialise: bool

    @property
    def ever(self) -> bool:
        """Does an event that waits ever come back? Not where every state that defers it is left for the end alone."""
        return bool(self.events or self.timers or self.initialise)


def recall(protocol: ir.Protocol) -> Recall:
    """Only rows that leave a deferring state mark their process; an event that reaches none of them costs nothing."""
    processes = tuple(p for p in protocol.processes if p.recall is not None)
    edges: dict[Node, set[Node]] = {}
    marking: set[Node] = set()
    for process in protocol.processes:
        for handler in process.handlers:
            name = handler.timer.name if handler.timer else handler.event
            node = (process.name, name)
            for row in handler.rows:
                edges.setdefault(node, set()).update(row.raises)
                if process.recall is not None and _marks(process.recall, row):
                    marking.add(node)
    leading = reaching(edges, marking)
    return Recall(
        processes=processes,
        events=frozenset(
            (p.name, e.name)
            for p in protocol.processes
            for e in p.events
            if e.external and (p.name, e.name) in leading
        ),
        timers=frozenset(
            t.name for t in protocol.timers if (t.process, t.name) in leading
        ),
        initialise=any(
            raised in leading
            for process in protocol.processes
            for raised in _raised(protocol, process.initial_actions)
        ),
    )


def _marks(recall_: ir.Recall, row: ir.Row) -> bool:
    return any(
        (isinstance(s, ir.Assign) and s.target == recall_.pending)
        or (isinstance(s, ir.SetBit) and s.bits == recall_.pending)
        for s in row.exit_actions
    )


def reaching(edges: dict[Node, set[Node]], goal: set[Node]) -> set[Node]:
    """Nodes from which the edges lead to one of the goal."""
    found = set(goal)
    grown = True
    while grown:
        more = {node for node, raised in edges.items() if raised & found} - found
        grown = bool(more)
        found |= more
    return found


def _raised(
    protocol: ir.Protocol, statements: Iterable[ir.Statement]
) -> Iterator[Node]:
    raises = {action.name: action.raises for action in protocol.actions}
    for node in walk.nodes(tuple(statements)):
        if isinstance(node, ir.Raise):
            yield (node.process, node.event)
        elif isinstance(node, ir.ActionCall):
            yield from raises[node.action]


def faulty_recalls(protocol: ir.Protocol) -> list[ir.Row]:
    """Rows that would deliver a deferred event where the spec says it cannot come. The contract itself excludes them:
    whatever took one would have met a `never`, which models assert and no test may do.
    """
    result = []
    for process in protocol.processes:
        answers = {(h.leaf, h.event): h for h in process.handlers if h.timer is None}
        for handler in process.handlers:
            for row in handler.rows:
                if row.kind != "recall":
                    continue
                raised = [answers[handler.leaf, event] for _, event in row.raises]
                if all(a.otherwise == "never" and not a.groups for a in raised):
                    result.append(row)
    return result
