"""Guards of one event in one state: repeated, overlapping, constant."""

from __future__ import annotations

from typing import Optional, Sequence

from .. import ir
from ..frontend.constants import LARGEST
from ..frontend.context import Context
from ..dump import expression_text, identity
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
