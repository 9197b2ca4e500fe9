# SPDX-License-Identifier: MIT
"""Comparisons whose outcome is the same for all values their operands can have by type and declared range."""

from __future__ import annotations

from typing import Iterator, Optional

from .. import ir, walk
from . import intervals
from ..frontend.constants import LARGEST
from ..dump import expression_text, identity
from ..frontend.guard_coverage import Intervals, comparison
from .intervals import Interval
from ..frontend.places import Places
from .facts import Facts
from .ranges import Ranges, RangesWithoutReports
from .values import COMPARISONS

LOGICAL = (*COMPARISONS, "and", "or")


def check_comparisons(protocol: ir.Protocol, places: Places, ranges: Ranges) -> None:
    without_reports = RangesWithoutReports(ranges)
    seen: set[ir.Place] = set()
    for node in _comparisons(protocol):
        if node.value is not None or node.place in seen:
            continue
        seen.add(node.place)
        left = without_reports.value(node.left, Facts({}))
        right = without_reports.value(node.right, Facts({}))
        outcome, reason = outcome_of(node, left, right)
        if outcome is not None:
            truth = "always" if outcome else "never"
            what = "condition" if node.operator in ("and", "or") else "comparison"
            places.error("HSM0318", node.place, f"this {what} {truth} holds: {reason}")


def joined(node: ir.Binary) -> Optional[bool]:
    """Of conditions joined by `and` or `or`: do the comparisons of one operand with constants leave no other choice? None
    where a part of them decides that already."""
    values: dict[str, Intervals] = {}
    for part in _conditions(node, node.operator):
        found = comparison(part)
        if found is None:
            continue
        operand, holds = found
        if node.operator == "or":
            values[operand] = values.get(operand, []) + holds
        else:
            values[operand] = _common(values.get(operand, [(0, LARGEST)]), holds)
    for side in (node.left, node.right):
        if isinstance(side, ir.Binary) and side.operator == node.operator:
            if joined(side) is not None:
                return None
    if node.operator == "or":
        return True if any(map(_everything, values.values())) else None
    return None if all(values.values()) else False


def _conditions(node: ir.Expression, operator: str) -> Iterator[ir.Expression]:
    """Those a chain of `and`, or of `or`, consists of."""
    if isinstance(node, ir.Binary) and node.operator == operator:
        yield from _conditions(node.left, operator)
        yield from _conditions(node.right, operator)
    else:
        yield node


def _common(left: Intervals, right: Intervals) -> Intervals:
    both = [(max(a, c), min(b, d)) for a, b in left for c, d in right]
    return [(low, high) for low, high in both if low <= high]


def _everything(values: Intervals) -> bool:
    reached = -1
    for low, high in sorted(values):
        if low > reached + 1:
            return False
        reached = max(reached, high)
    return reached >= LARGEST


def outcome_of(
    node: ir.Binary, left: Interval, right: Interval
) -> tuple[Optional[bool], str]:
    if node.operator in ("and", "or"):
        return joined(node), "its comparisons leave no other choice"
    if identity(node.left) == identity(node.right):
        text = expression_text(node.left)
        return node.operator in ("==", "<=", ">="), f"'{text}' is on both sides"
    if isinstance(node.left.type, ir.ReferenceType):
        return None, ""
    outcome = intervals.compare(node.operator, left, right)
    if outcome is not None:
        reasons = [
            f"'{expression_text(side)}' lies in {interval}"
            for side, interval in ((node.left, left), (node.right, right))
            if side.value is None
        ]
        return outcome, " and ".join(reasons)
    impossible = never_equal(node)
    if impossible is None:
        return None, ""
    masked, value = impossible
    return node.operator == "!=", f"'{expression_text(masked)}' is never {value}"


def never_equal(node: ir.Binary) -> Optional[tuple[ir.Expression, int]]:
    """The side of `==` or `!=` that cannot have the value of the other, and that value."""
    if node.operator in ("==", "!="):
        for masked, number in ((node.left, node.right), (node.right, node.left)):
            if number.value is not None and impossible_bits(masked, number.value):
                return masked, number.value
    return None


def impossible_bits(node: ir.Expression, value: int) -> bool:
    """Is it `x & mask` or `x | mask` with a mask that can never give the value?"""
    if isinstance(node, ir.Binary) and node.operator in ("&", "|"):
        for mask in (node.left.value, node.right.value):
            if mask is not None:
                lost = value & ~mask if node.operator == "&" else mask & ~value
                return lost != 0
    return False


def _comparisons(protocol: ir.Protocol) -> Iterator[ir.Binary]:
    bodies: list[object] = [f.body for f in protocol.functions]
    bodies += [a.body for a in protocol.actions]
    for process in protocol.processes:
        bodies.append(process.initial_actions)
        bodies += [event.select for event in process.events]
        bodies += [timer.duration for timer in process.timers]
        bodies += [walk.handler_parts(handler) for handler in process.handlers]
    added_variables = {
        v.name for p in protocol.processes for v in p.variables if v.hidden
    }
    for node in walk.nodes(bodies):
        if isinstance(node, ir.Binary) and node.operator in LOGICAL:
            left = node.left
            if not (isinstance(left, ir.VariableName) and left.name in added_variables):
                yield node
