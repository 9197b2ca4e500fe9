# SPDX-License-Identifier: MIT
"""Comparisons of which a C compiler knows the outcome from the types alone, and therefore warns.

Declared ranges do not count: the C must do what it says when they are broken. What the compiler of the spec warns of
stands in constant_comparisons.py.
"""

from __future__ import annotations

from typing import Optional, Union

from .. import ir, walk
from ..analysis import intervals
from ..analysis.constant_comparisons import joined, never_equal
from ..dump import identity
from ..analysis.intervals import ANY, BOOL, Interval, exactly, of_bits
from ..analysis.values import OPERATIONS


def constant_result(node: ir.Binary) -> Optional[bool]:
    """The outcome of a comparison, or of two joined, where it is always the same."""
    if node.operator in ("and", "or"):
        return joined(node)
    if identity(node.left) == identity(node.right):
        return node.operator in ("==", "<=", ">=")
    if isinstance(node.left.type, ir.ReferenceType):
        return None
    outcome = intervals.compare(
        node.operator, interval_by_type(node.left), interval_by_type(node.right)
    )
    if outcome is not None:
        return outcome
    return node.operator == "!=" if never_equal(node) is not None else None


def interval_by_type(node: ir.Expression) -> Interval:
    """The values the C expression can have."""
    if node.value is not None:
        return exactly(node.value)
    if isinstance(node, ir.ParameterName):
        return ANY  # kept in a word, whatever its type
    if isinstance(node, ir.Conditional):
        outcome = fixed_result(node.condition)
        if outcome is not None:
            return interval_by_type(node.then if outcome else node.otherwise)
        return interval_by_type(node.then).join(interval_by_type(node.otherwise))
    if isinstance(node, ir.Minimum):
        pick = intervals.larger if node.largest else intervals.smaller
        return pick(interval_by_type(node.left), interval_by_type(node.right))
    if isinstance(node.type, ir.BoolType):
        return BOOL
    if isinstance(node, ir.Binary) and node.operator in OPERATIONS:
        return OPERATIONS[node.operator](
            interval_by_type(node.left), interval_by_type(node.right)
        )
    if isinstance(node, ir.Unary):
        return ANY
    if isinstance(node, ir.Narrow):
        operand = interval_by_type(node.operand)
        assert isinstance(node.type, ir.IntegerType)
        return (
            operand if operand.high < 1 << node.type.bits else of_bits(node.type.bits)
        )
    if isinstance(node.type, (ir.IntegerType, ir.EnumerationType)):
        return of_bits(node.type.bits)
    return ANY


def fixed_result(condition: ir.Expression) -> Optional[bool]:
    """The outcome of a condition where a compiler knows it, whatever a check sets."""
    if depends_on_setting(condition):
        return None
    if condition.value is not None:
        return condition.value == 1
    return constant_result(condition) if isinstance(condition, ir.Binary) else None


def depends_on_setting(item: Union[ir.Expression, ir.Size, ir.Range, None]) -> bool:
    """Does its value depend on a constant that a check may set? The C that ships is also that of the checks, so nothing
    may be decided by such a value."""
    if isinstance(item, ir.Range):
        return depends_on_setting(item.low) or depends_on_setting(item.high)
    expression = item.expression if isinstance(item, ir.Size) else item
    return any(isinstance(node, ir.ConstantName) for node in walk.nodes(expression))
