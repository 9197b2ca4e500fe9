# SPDX-License-Identifier: MIT
"""Which transitions were taken: counted in a differential run, or read from traces.

A trace is any text that names transitions by their ids (`Sender.READY.submit.0`): saved scenarios, what a trace
decoder prints, a transcript.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Iterable, Sequence

from .. import ir
from . import generated_tests
from ..failure import Failure
from ..files import read_text
from ..interpreter.interpreter import Program
from ..interpreter.node_state import ContractViolation
from ..recall import faulty_recalls
from ..interpreter.scenario import Mistake, Vocabulary, read_scenario

WORD = re.compile(r"[A-Za-z_][\w.]*")


class Coverage:
    """How often each transition was taken."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.rows = list(protocol.rows())
        self.numbers = {row.id: row.number for row in self.rows}
        self.counts: Counter[int] = Counter()
        self.takers: dict[int, list[str]] = {}  # names of what took a transition
        self.tests = 0

    def read(self, text: str, name: str = "") -> int:
        """Counts the ids in a trace; how many there were."""
        found = 0
        for word in WORD.findall(text):
            number = self.numbers.get(word.rstrip("."))
            if number is not None:
                self.counts[number] += 1
                self._by(number, name)
                found += 1
        return found

    def _by(self, number: int, name: str) -> None:
        names = self.takers.setdefault(number, [])
        if name not in names:
            names.append(name)

    def add_test(self, name: str, taken: Iterable[str]) -> None:
        """What one test takes."""
        self.tests += 1
        for transition in taken:
            number = self.numbers[transition]
            self.counts[number] += 1
            self._by(number, name)

    def add(self, numbers: Iterable[int]) -> None:
        self.counts.update(numbers)

    def read_counts(self, other: "Coverage") -> None:
        """Adds what was counted for the same spec with other constants: its transitions have the same ids."""
        for row in other.rows:
            if row.id in self.numbers:
                self.counts[self.numbers[row.id]] += other.counts[row.number]

    @property
    def missing(self) -> list[ir.Row]:
        """Not taken, though nothing shows that it cannot be."""
        faults = {row.number for row in faulty_recalls(self.protocol)}
        return [
            row
            for row in self.rows
            if not self.counts[row.number] and row.number not in faults
        ]

    @property
    def impossible(self) -> list[ir.Row]:
        return [
            row for row in faulty_recalls(self.protocol) if not self.counts[row.number]
        ]

    def summary(self) -> str:
        taken = len(self.rows) - len(self.missing)
        return (
            f"{self.protocol.name}: {taken} of {len(self.rows)} transitions taken, "
            f"{sum(self.counts.values())} times in all"
        )

    def gate_report(self) -> str:
        """What is not taken, by name, and how much is."""
        lines = [
            f"{self.protocol.name}: {row.place}: {row.id} is not taken: {row.text}"
            for row in self.missing
        ]
        lines += [
            f"{self.protocol.name}: {row.place}: {row.id} cannot be taken: what it delivers is 'never' there"
            for row in self.impossible
        ]
        taken = len(self.rows) - len(self.missing) - len(self.impossible)
        by = f" by {self.tests} tests" if self.tests else ""
        possible = len(self.rows) - len(self.impossible)
        total = f"{taken} of {possible} transitions taken{by}"
        return "\n".join([*lines, f"{self.protocol.name}: {total}"]) + "\n"

    def by_test(self) -> str:
        """Each transition with the files it is taken in."""
        lines = []
        for row in self.rows:
            lines.append(f"{row.id}  {row.place}")
            lines += [f"    {name}" for name in self.takers.get(row.number, [])]
        return "\n".join(lines) + "\n"

    def record(self) -> dict[str, Any]:
        """For programs."""
        return {
            "protocol": self.protocol.name,
            "transitions": len(self.rows),
            "taken": len(self.rows) - len(self.missing),
            "tests": self.tests,
            "rows": [
                {
                    "id": row.id,
                    "place": str(row.place),
                    "text": row.text,
                    "count": self.counts[row.number],
                    "files": self.takers.get(row.number, []),
                }
                for row in self.rows
            ],
        }

    def table(self) -> str:
        """All transitions with their counts, those not taken marked."""
        widest = max((len(row.id) for row in self.rows), default=0)
        lines = []
        for row in self.rows:
            count = self.counts[row.number]
            shown = str(count) if count else "NOT TAKEN"
            lines.append(f"{shown:>10}  {row.id:{widest}}  {row.place}")
        return "\n".join([*lines, self.summary()]) + "\n"


def measure(
    protocol: ir.Protocol, traces: Sequence[Path], tests: Sequence[Path]
) -> tuple[Coverage, bool]:
    """Counts what traces name and what tests take when they are replayed. The second result says that one of them has
    nothing to do with the protocol, which is a mistake more often than not. Raises Failure.
    """
    coverage = Coverage(protocol)
    unused = False
    for path in traces:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None
        if coverage.read(text, str(path)) == 0:
            print(
                f"hsmc: {path} names no transition of {protocol.name}", file=sys.stderr
            )
            unused = True
    if tests:
        program = Program(protocol)
        vocabulary = Vocabulary(program)
        for path in tests_of(tests):
            try:
                scenario = read_scenario(read_text(path), vocabulary, str(path))
                taken = generated_tests.replay(scenario, program, str(path))
            except (Mistake, ContractViolation) as error:
                raise Failure(str(error), 1) from None
            coverage.add_test(path.name, taken)
    return coverage, unused


def tests_of(paths: Sequence[Path]) -> list[Path]:
    """The scenarios; of a directory those its index names."""
    result: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = generated_tests.files_of_index(path)
            if not found:
                raise Failure(f"{path} holds no tests that 'hsmc tests' has made")
            result += found
        else:
            result.append(path)
    return result
