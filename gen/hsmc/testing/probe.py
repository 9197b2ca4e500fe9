# SPDX-License-Identifier: MIT
"""A node that records its comparisons while it handles an event: they steer the search for tests.

It is the interpreter's own code with each comparison, test of a bit and test of a pool noted. A search for
arguments that lead elsewhere solves nothing: the two sides of each guard are there as numbers.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional, Sequence

from .. import ir
from ..interpreter.code_writer import COMPARISONS
from ..interpreter.interpreter import Node, Program, Value
from ..interpreter.interpreter_code import PythonWriter
from ..interpreter.node_state import ContractViolation, Layout

# (row whose guard was being evaluated or that runs, place in the code, outcome, left, right); before any guard is evaluated, as
# where the record of an event is selected, the row is that of no_row(entry).
Comparison = tuple[int, int, bool, int, int]

NO_ROW = -1
GUARD = 0  # the place that says: this guard is being asked


def no_row(entry: int) -> int:
    """Stands for a row as long as an external event has come to none."""
    return NO_ROW - 1 - entry


FUNCTIONS: dict[str, tuple[str, Callable[[int, int], bool]]] = {
    "==": ("EQUAL", operator.eq),
    "!=": ("UNEQUAL", operator.ne),
    "<": ("LESS", operator.lt),
    "<=": ("LESS_EQUAL", operator.le),
    ">": ("GREATER", operator.gt),
    ">=": ("GREATER_EQUAL", operator.ge),
}


class ProbeWriter(PythonWriter):
    """Writes the interpreter's text with a call around whatever is to be noted. Short-circuits stay as they are."""

    def __init__(self, protocol: ir.Protocol, layout: Layout) -> None:
        super().__init__(protocol, layout)
        self.comparisons: list[Comparison] = []
        self.row_now = NO_ROW
        self._places = 0
        self._guard: Optional[ir.Expression] = None
        self._number = NO_ROW
        for name, function in FUNCTIONS.values():
            self.helpers[name] = self._comparing(function)
        self.helpers["TRUTH"] = self._truth
        self.helpers["AT"] = self._at

    # --- what the text calls

    def _comparing(
        self, function: Callable[[int, int], bool]
    ) -> Callable[[int, int, int], bool]:
        comparisons = self.comparisons

        def compare(place: int, left: int, right: int) -> bool:
            outcome = function(left, right)
            comparisons.append((self.row_now, place, outcome, left, right))
            return outcome

        return compare

    def _truth(self, place: int, outcome: bool) -> bool:
        self.comparisons.append((self.row_now, place, outcome, 0, 0))
        return outcome

    def _at(self, row: int) -> bool:
        self.row_now = row
        self.comparisons.append((row, GUARD, True, 0, 0))
        return True

    # --- the text

    def _place(self) -> int:
        self._places += 1
        return self._places

    def expression(self, node: ir.Expression) -> str:
        if node is self._guard and node.value is None:
            self._guard = None
            return f"(AT({self._number}) and {super().expression(node)})"
        return super().expression(node)

    def row(self, process: ir.Process, handler: ir.Handler, row: ir.Row) -> None:
        self._guard, self._number = row.guard, row.number
        super().row(process, handler, row)
        self._guard = None

    def _binary(self, node: ir.Binary) -> str:
        if node.operator not in COMPARISONS:
            return super()._binary(node)
        left, right = self.expression(node.left), self.expression(node.right)
        return f"{FUNCTIONS[node.operator][0]}({self._place()}, {left}, {right})"

    def _has(self, node: ir.Has) -> str:
        return f"TRUTH({self._place()}, {super()._has(node)})"

    def _has_all(self, node: ir.HasAll) -> str:
        return f"TRUTH({self._place()}, {super()._has_all(node)})"

    def _in_use(self, node: ir.InUse) -> str:
        return f"TRUTH({self._place()}, {super()._in_use(node)})"

    def _available(self, node: ir.Available) -> str:
        return f"TRUTH({self._place()}, {super()._available(node)})"


# What may happen to a probe: as the scripts of a differential run, ("E", entry, *values), ("T", timer, instance),
# ("P", parameter, value).
Step = tuple[Any, ...]


class Probe:
    """One node to try events on: each attempt can be taken back, at the cost of what it changed."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.program = Program(protocol, ProbeWriter)
        writer = self.program.writer
        assert isinstance(writer, ProbeWriter)
        self.writer = writer
        self.comparisons = writer.comparisons
        self.node = Node(self.program)
        self.violation: Optional[ContractViolation] = None
        self._parameter_slots = [
            self.node.layout.parameters[p.name] for p in protocol.parameters
        ]

    def possible(self, step: Step) -> bool:
        """Does the timer run, the instance exist? In a path that was made elsewhere, or shortened, it may not."""
        node = self.node
        if step[0] == "T":
            timer = self.program.protocol.timers[step[1]]
            return bool(node.state[node.layout.timers[timer.name][step[2]]])
        if step[0] == "E":
            entry = self.program.entries[step[1]]
            if entry.takes_reference:
                return step[2] in node.instances(entry.process.name)
        return True

    def attempt(self, step: Step) -> bool:
        """Lets it happen; false when it may not: it meets a `never`, breaks the contract or is refused. The state is then as
        before, and `violation` says why if it is the spec that objects."""
        node = self.node
        self.comparisons.clear()
        self.writer.row_now = NO_ROW
        self.violation = None
        kind = step[0]
        try:
            if kind == "E":
                self.writer.row_now = no_row(step[1])
                values: Sequence[Value] = step[2:]
                verdict = node.run(node.entries[step[1]], values)
                return verdict != 3
            if kind == "T":
                node.run_expiry(step[1], step[2])
                return True
            node.run(self._set_parameter, step[1:])
            return True
        except ContractViolation as violation:
            self.violation = violation
            return False

    def _set_parameter(self, index: int, value: int) -> int:
        slot = self._parameter_slots[index]
        self.node.journal.append((slot, self.node.state[slot]))
        self.node.state[slot] = value
        return 0

    def take_back(self) -> None:
        """The last attempt, which was successful."""
        node = self.node
        for slot, before in reversed(node.journal):
            node.state[slot] = before
        node.journal.clear()

    def rows(self) -> list[int]:
        """Numbers of the transitions the last attempt took."""
        return [entry[1] for entry in self.node.log if entry[0] == 0]
