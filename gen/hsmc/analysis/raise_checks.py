# SPDX-License-Identifier: MIT
"""Raises are tail calls, and the events rows raise do not lead back in a circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Optional, Sequence

from .. import ir
from ..frontend.context import Context
from ..frontend.machines import Choice, Machine, StateNode
from ..frontend.raises import Raises, first_obstacle, first_raise, only_raises
from ..source import Span
from ..walk import nodes, row_parts
from ..frontend.transition_paths import transition_paths


@dataclass
class _Flow:
    """Where control may be: `continues` past the statements seen, having raised at `raised`."""

    continues: bool
    raised: Optional[ir.Place]


class TailCheck:
    def __init__(
        self,
        context: Context,
        actions: dict[str, ir.Action],
        spans: "dict[ir.Place, Span]",
        raises: Optional[Raises],
    ) -> None:
        """`raises` has moved those it could in the bodies of `actions`."""
        self.context = context
        self.raises = raises
        self.actions = actions
        self.spans = spans

    def check(self, machines: Sequence[Machine]) -> None:
        for action in self.actions.values():
            self._scan(action.body, None)
        for machine in machines:
            seen: set[tuple[ir.Place, ...]] = set()
            for leaf in machine.leaves:
                for state in leaf.chain():
                    for rows in state.rows:
                        for choice in rows.choices:
                            for statements in self._executed(
                                machine, leaf, state, choice
                            ):
                                key = tuple(s.place for s in statements)
                                if key not in seen:
                                    seen.add(key)
                                    self._scan(statements, None)

    def _executed(
        self, machine: Machine, leaf: StateNode, state: StateNode, choice: Choice
    ) -> Iterator[tuple[ir.Statement, ...]]:
        """What the row executes, on each path it may take."""
        if choice.target is None:
            yield self._moved(choice.actions)
            return
        for path in transition_paths(machine, leaf, state, choice):
            yield (
                *(s for e in path.exited for s in e.exit),
                *self._moved(
                    (*choice.actions, *(s for e in path.entered for s in e.entry))
                ),
            )

    def _moved(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        return self.raises.last(statements) if self.raises else statements

    def _scan(
        self, statements: Iterable[ir.Statement], raised: Optional[ir.Place]
    ) -> _Flow:
        flow = _Flow(True, raised)
        before: list[ir.Statement] = []
        for statement in statements:
            if not flow.continues:
                break
            if flow.raised is not None and not only_raises(statement, self.actions):
                why = first_obstacle(self.raises, before, statement)
                problem = "comes after a raise" + (f", but {why}" if why else "")
                self._error(statement.place, flow.raised, problem)
                return _Flow(True, None)
            before.append(statement)
            if isinstance(statement, ir.Raise):
                flow.raised = statement.place
            elif isinstance(statement, ir.ActionCall):
                if first_raise((statement,), self.actions) is not None:
                    flow.raised = statement.place
            elif isinstance(statement, ir.Return):
                flow.continues = False
            elif isinstance(statement, ir.If):
                then = self._scan(statement.then, flow.raised)
                otherwise = self._scan(statement.otherwise, flow.raised)
                places = [
                    b.raised for b in (then, otherwise) if b.continues and b.raised
                ]
                flow = _Flow(
                    then.continues or otherwise.continues, places[0] if places else None
                )
            elif isinstance(statement, ir.LOOPS):
                inside = first_raise(statement.body, self.actions)
                if inside is not None:
                    flow.raised = inside
                    if not only_raises(statement, self.actions):
                        problem = "stands in a loop that does more than raise: after it comes the next turn"
                        self._error(inside, None, problem)
        return flow

    def _error(self, place: ir.Place, raised: Optional[ir.Place], problem: str) -> None:
        span = self.spans.get(place)
        if span is None:
            return
        notes = []
        if raised is not None and raised in self.spans:
            notes.append(("the raise", self.spans[raised]))
            self.context.error(
                "HSM0515", span, f"this {problem}: a raise must come last", notes
            )
        else:
            self.context.error("HSM0515", span, f"this raise {problem}")


def check_raise_cycles(
    context: Context, processes: Sequence[ir.Process], spans: "dict[ir.Place, Span]"
) -> None:
    edges: dict[tuple[str, str], dict[tuple[str, str], ir.Place]] = {}
    for process in processes:
        for handler in process.handlers:
            for row in handler.rows:
                node = (process.name, handler.event)
                for raised in row.raises:
                    place = _place_of_raise(row, raised)
                    edges.setdefault(node, {}).setdefault(raised, place)
    done: set[tuple[str, str]] = set()

    def visit(node: tuple[str, str], path: list[tuple[str, str]]) -> None:
        for callee, place in edges.get(node, {}).items():
            if callee in path:
                names = [".".join(n) for n in path[path.index(callee) :] + [callee]]
                circle = [*path[path.index(callee) :], callee]
                hops = list(zip(circle, circle[1:]))[:-1]
                notes = [
                    (
                        f"{'.'.join(source)} raises {'.'.join(target)}",
                        spans[edges[source][target]],
                    )
                    for source, target in hops
                    if edges[source][target] in spans
                ]
                if place in spans:
                    context.error(
                        "HSM0516",
                        spans[place],
                        f"events raise each other in a circle: {' -> '.join(names)}",
                        notes,
                    )
            elif callee not in done:
                visit(callee, [*path, callee])
        done.add(node)

    for start in edges:
        if start not in done:
            visit(start, [start])


def _place_of_raise(row: ir.Row, raised: tuple[str, str]) -> ir.Place:
    """The statement of the row that raises the event; the row where an action it calls does."""
    for node in nodes(row_parts(row)):
        if isinstance(node, ir.Raise) and (node.process, node.event) == raised:
            return node.place
    return row.place
