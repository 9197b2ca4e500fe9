"""Guards of one event in one state: repeated, overlapping, constant."""

from __future__ import annotations

from typing import Optional, Sequence

from . import ir
from .constants import LARGEST
from .context import Context
from .dump import expression_text
from .machines import Choice, Machine


def check_guards(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        for state in machine.states:
            by_event: dict[Optional[str], list[Choice]] = {}
            for rows in state.rows:
                # Lets may give one name two meanings in two blocks; guards are compared within a block, and
                # between blocks only where no lets are involved.
                if rows.lets:
                    _compare_guards(context, list(rows.choices))
                else:
                    by_event.setdefault(rows.event, []).extend(rows.choices)
            for choices in by_event.values():
                _compare_guards(context, choices)


def _compare_guards(context: Context, choices: list[Choice]) -> None:
    for later, second in enumerate(choices):
        if second.guard is None or second.node.guard is None:
            continue
        if second.guard.value is not None:
            truth = "always" if second.guard.value else "never"
            context.error(
                "HSM0525", second.node.guard.span, f"this guard {truth} holds"
            )
            continue
        for first in choices[:later]:
            if first.guard is None or first.node.guard is None:
                continue
            notes = [("the row before", first.node.guard.span)]
            if expression_text(first.guard) == expression_text(second.guard):
                context.error(
                    "HSM0509",
                    second.node.guard.span,
                    "this guard stands in a row before: the row is never taken",
                    notes,
                )
                break
            overlap = _overlap(first.guard, second.guard)
            if overlap == "inside":
                context.error(
                    "HSM0509",
                    second.node.guard.span,
                    "a row before holds whenever this one does: the row is never taken",
                    notes,
                )
                break
            if overlap == "partly":
                context.error(
                    "HSM0510",
                    second.node.guard.span,
                    "this guard overlaps one before; the first row wins",
                    notes,
                )
                break


Intervals = list[tuple[int, int]]


def comparison(guard: ir.Expression) -> Optional[tuple[str, Intervals]]:
    """For `operand op constant`: the operand's text and the values for which it holds."""
    if not isinstance(guard, ir.Binary):
        return None
    operator, left, right = guard.operator, guard.left, guard.right
    if left.value is not None and right.value is None:
        mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        left, right = right, left
        operator = mirrored.get(operator, operator)  # type: ignore[assignment]
    if right.value is None or left.value is not None:
        return None
    value = right.value
    intervals: dict[str, Intervals] = {
        "==": [(value, value)],
        "!=": [(0, value - 1), (value + 1, LARGEST)],
        "<": [(0, value - 1)],
        "<=": [(0, value)],
        ">": [(value + 1, LARGEST)],
        ">=": [(value, LARGEST)],
    }
    if operator not in intervals:
        return None
    return expression_text(left), [i for i in intervals[operator] if i[0] <= i[1]]


def _overlap(first: ir.Expression, second: ir.Expression) -> str:
    a, b = comparison(first), comparison(second)
    if a is None or b is None or a[0] != b[0]:
        return ""
    if all(any(x <= low and high <= y for x, y in a[1]) for low, high in b[1]):
        return "inside"
    common = any(low <= y and x <= high for x, y in a[1] for low, high in b[1])
    return "partly" if common else ""
