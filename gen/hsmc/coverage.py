"""Which transitions were taken: counted in a differential run, or read from traces.

A trace is any text that names transitions by their ids (`Sender.READY.submit.0`): saved scenarios, what a trace
decoder prints, a transcript.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Iterable, Sequence

from . import ir

WORD = re.compile(r"[A-Za-z_][\w.]*")


class Coverage:
    """How often each transition was taken."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.rows = list(protocol.rows())
        self.numbers = {row.id: row.number for row in self.rows}
        self.counts: Counter[int] = Counter()

    def read(self, text: str) -> int:
        """Counts the ids in a trace; how many there were."""
        found = 0
        for word in WORD.findall(text):
            number = self.numbers.get(word.rstrip("."))
            if number is not None:
                self.counts[number] += 1
                found += 1
        return found

    def add(self, numbers: Iterable[int]) -> None:
        self.counts.update(numbers)

    def read_counts(self, other: "Coverage") -> None:
        """Adds what was counted for the same spec with other constants: its transitions have the same ids."""
        for row in other.rows:
            if row.id in self.numbers:
                self.counts[self.numbers[row.id]] += other.counts[row.number]

    @property
    def missing(self) -> list[ir.Row]:
        return [row for row in self.rows if not self.counts[row.number]]

    def summary(self) -> str:
        taken = len(self.rows) - len(self.missing)
        return (
            f"{self.protocol.name}: {taken} of {len(self.rows)} transitions taken, "
            f"{sum(self.counts.values())} times in all"
        )

    def table(self) -> str:
        """All transitions with their counts, those not taken marked."""
        widest = max((len(row.id) for row in self.rows), default=0)
        lines = []
        for row in self.rows:
            count = self.counts[row.number]
            shown = str(count) if count else "NOT TAKEN"
            lines.append(f"{shown:>10}  {row.id:{widest}}  {row.place}")
        return "\n".join([*lines, self.summary()]) + "\n"


def command(protocol: ir.Protocol, traces: Sequence[Path]) -> int:
    """hsmc coverage: the table; status 1 when a trace names no transition, which is a mistake more often than not."""
    coverage = Coverage(protocol)
    status = 0
    for path in traces:
        try:
            found = coverage.read(path.read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            print(f"hsmc: {path}: {error.strerror}", file=sys.stderr)
            return 2
        if found == 0:
            print(
                f"hsmc: {path} names no transition of {protocol.name}", file=sys.stderr
            )
            status = 1
    sys.stdout.write(coverage.table())
    return status
