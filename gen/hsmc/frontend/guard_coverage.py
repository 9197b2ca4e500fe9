# SPDX-License-Identifier: MIT
"""What guards compare with constants, and which members of an enumeration the guards of rows leave out."""

from __future__ import annotations

from typing import Optional, Sequence

from .. import ir
from ..dump import expression_text, identity
from .constants import LARGEST
from .context import Context

Intervals = list[tuple[int, int]]


def comparison(guard: ir.Expression) -> Optional[tuple[str, Intervals]]:
    """For `operand op constant`: what the operand is, and the values for which it holds."""
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
    return identity(left), [i for i in intervals[operator] if i[0] <= i[1]]


def compared(guard: ir.Expression) -> Optional[tuple[ir.Expression, Intervals]]:
    """For a comparison with a constant, or several of the same operand joined by `or`: the operand, and the values for
    which it holds."""
    if not isinstance(guard, ir.Binary):
        return None
    if guard.operator == "or":
        left, right = compared(guard.left), compared(guard.right)
        if left is None or right is None or identity(left[0]) != identity(right[0]):
            return None
        return left[0], left[1] + right[1]
    found = comparison(guard)
    operand = guard.left if guard.left.value is None else guard.right
    return (operand, found[1]) if found is not None else None


class Coverage:
    """Which members of an enumeration the guards of rows leave out."""

    def __init__(self, context: Context, rows: Sequence[ir.Row]) -> None:
        self.context = context
        self.operands: dict[str, ir.Expression] = {}
        held: dict[str, Intervals] = {}
        self.others = False  # is there a guard about something else?
        for row in rows:
            found = compared(row.guard) if row.guard is not None else None
            if found is None or not isinstance(found[0].type, ir.EnumerationType):
                self.others = True
                continue
            operand, intervals = found
            self.operands.setdefault(identity(operand), operand)
            held.setdefault(identity(operand), []).extend(intervals)
        self.missing = {
            key: self._missing(operand, held[key])
            for key, operand in self.operands.items()
        }

    @property
    def complete(self) -> bool:
        return any(not missing for missing in self.missing.values())

    @property
    def gap(self) -> str:
        """What is left out, where all guards are about the same thing; "" otherwise."""
        if self.others or len(self.operands) != 1:
            return ""
        ((key, operand),) = self.operands.items()
        return f"'{expression_text(operand)}' is {' or '.join(self.missing[key])}"

    def _missing(self, operand: ir.Expression, held: Intervals) -> list[str]:
        def is_held(value: int) -> bool:
            return any(low <= value <= high for low, high in held)

        assert isinstance(operand.type, ir.EnumerationType)
        members = self.context.enumerations[operand.type.name].members
        missing = [m.name for m in members if not is_held(m.value)]
        if all(m.value != 0 for m in members) and not is_held(0):
            if self._starts_at_zero(operand):
                missing.append("0, as before it is set")
        return missing

    def _starts_at_zero(self, operand: ir.Expression) -> bool:
        if isinstance(operand, ir.VariableName):
            field = self.context.variables[operand.name]
            return field.initial is None
        return isinstance(operand, (ir.RecordField, ir.Element))
