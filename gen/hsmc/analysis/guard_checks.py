# SPDX-License-Identifier: MIT
"""Guards of one event in one state: repeated, overlapping, constant."""

from __future__ import annotations

from typing import Optional, Sequence

from .. import ir
from ..frontend.context import Context
from ..dump import expression_text, identity
from ..frontend.guard_coverage import Intervals, comparison
from ..frontend.machines import Choice, Machine


def check_guards(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        for state in machine.states:
            by_event: dict[Optional[str], list[Choice]] = {}
            for rows in sorted(state.rows, key=lambda rows: not rows.node.before):
                # Lets may give one name two meanings in two blocks; guards are compared within a block, and
                # between blocks only where no lets are involved.
                if rows.lets:
                    _compare_guards(context, list(rows.choices))
                else:
                    by_event.setdefault(rows.event, []).extend(rows.choices)
            for choices in by_event.values():
                _compare_guards(context, choices)


def _compare_guards(context: Context, choices: list[Choice]) -> None:
    before = GuardsBefore()
    for second in choices:
        if second.guard is None or second.node.guard is None:
            continue
        if second.guard.value is not None:
            truth = "always" if second.guard.value else "never"
            context.error(
                "HSM0525", second.node.guard.span, f"this guard {truth} holds"
            )
            continue
        found = before.first_related(second.guard)
        before.add(second, second.guard)
        if found is None:
            continue
        relation, first = found
        assert first.node.guard is not None
        code, message = RELATIONS[relation]
        notes = [("the row before", first.node.guard.span)]
        context.error(code, second.node.guard.span, message, notes)


RELATIONS = {
    "same": ("HSM0509", "this guard stands in a row before: the row is never taken"),
    "inside": (
        "HSM0509",
        "a row before holds whenever this one does: the row is never taken",
    ),
    "partly": ("HSM0510", "this guard overlaps one before; the first row wins"),
}


def _overlap(first: Intervals, second: Intervals) -> str:
    if all(any(x <= low and high <= y for x, y in first) for low, high in second):
        return "inside"
    common = any(low <= y and x <= high for x, y in first for low, high in second)
    return "partly" if common else ""


class GuardsBefore:
    """Guards of the rows before one, found by what they compare: thousands of rows that ask for one number each are
    not compared pair by pair."""

    def __init__(self) -> None:
        self._choices: list[Choice] = []
        # Positions in `_choices`: by the whole guard; of comparisons with one number by operand and number; of
        # others by operand.
        self._guards: dict[str, int] = {}
        self._numbers: dict[str, dict[int, int]] = {}
        self._others: dict[str, list[tuple[int, Intervals]]] = {}

    def add(self, choice: Choice, guard: ir.Expression) -> None:
        position = len(self._choices)
        self._choices.append(choice)
        self._guards.setdefault(identity(guard), position)
        compared = comparison(guard)
        if compared is None:
            return
        operand, intervals = compared
        number = _single(intervals)
        if number is None:
            self._others.setdefault(operand, []).append((position, intervals))
        else:
            self._numbers.setdefault(operand, {}).setdefault(number, position)

    def first_related(self, guard: ir.Expression) -> Optional[tuple[str, Choice]]:
        found: list[tuple[int, str]] = []
        same = self._guards.get(identity(guard))
        if same is not None:
            found.append((same, "same"))
        compared = comparison(guard)
        if compared is not None:
            operand, intervals = compared
            number = _single(intervals)
            numbers = self._numbers.get(operand, {})
            wanted = [number] if number is not None else numbers
            candidates = [
                (numbers[n], [(n, n)]) for n in wanted if n is not None and n in numbers
            ]
            for position, other in (*candidates, *self._others.get(operand, ())):
                relation = _overlap(other, intervals)
                if relation and position != same:
                    found.append((position, relation))
        if not found:
            return None
        position, relation = min(found)
        return relation, self._choices[position]


def _single(intervals: Intervals) -> Optional[int]:
    """The number the intervals hold, if it is one only."""
    if len(intervals) == 1 and intervals[0][0] == intervals[0][1]:
        return intervals[0][0]
    return None
