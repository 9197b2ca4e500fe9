# SPDX-License-Identifier: MIT
"""A differential run: many random sequences, the interpreter first, then the generated C, then line by line."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

from .coverage import Coverage
from .differential import (
    Command,
    Difference,
    Reference,
    compare,
    describe_command,
)
from ..interpreter.interpreter import Program
from ..interpreter.node_state import ContractViolation
from .sequences import Guide

CHUNK = 250  # sequences per run of the harness: bounds the memory for the lines
SHORTEST, LONGEST = 10, 50  # events of a sequence


@dataclass
class Campaign:
    """Runs until something differs or all sequences are done.

    `sound`: the spec keeps its contract whatever happens; otherwise a sequence ends where it does not, and `broken` counts.
    """

    program: Program
    harness: Path
    guide: Callable[[Reference], Guide] = Guide
    seed: int = 1
    sound: bool = True
    broken: int = 0
    events: int = 0
    sequences: int = 0
    seconds: float = 0.0
    verdicts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.coverage = Coverage(self.program.protocol)

    def run(self, sequences: int) -> Optional[str]:
        """None when both sides agree; else the finding, for people."""
        begin = time.monotonic()
        try:
            for first in range(0, sequences, CHUNK):
                finding = self._chunk(first, min(CHUNK, sequences - first))
                if finding is not None:
                    return f"seed {self.seed}: {finding}"
            return None
        finally:
            self.seconds += time.monotonic() - begin

    def _chunk(self, first: int, count: int) -> Optional[str]:
        reference = Reference(self.program)
        commands: list[Command] = []
        lines: list[str] = []
        violation: Optional[str] = None
        guide = self.guide(reference)
        for number in range(first, first + count):
            begin = len(commands)
            beginning = guide.begin(self.seed * 1_000_003 + number)
            length = guide.random.randint(SHORTEST, LONGEST)
            for position in range(length + 1):
                command = guide.next() if position else beginning
                commands.append(command)
                try:
                    lines.append(reference.execute(command))
                except ContractViolation as error:
                    if not self.sound:
                        commands.pop()
                        self.broken += 1
                        break
                    violation = self._violation(commands[begin:], error)
                    del commands[begin:], lines[begin:]
                    break
                self._count(reference)
                guide.observe(reference.node.log)
            if violation is not None:
                break
            self.sequences += 1
            self.events += length
        difference: Optional[Difference] = None
        if commands:
            difference = compare(self.harness, commands, lines)
        if difference is not None:
            return difference.describe(self.program)
        return violation

    def _count(self, reference: Reference) -> None:
        node = reference.node
        self.verdicts[node.verdict] = self.verdicts.get(node.verdict, 0) + 1
        self.coverage.add([entry[1] for entry in node.log if entry[0] == 0])

    def _violation(self, commands: list[Command], error: ContractViolation) -> str:
        shown = "\n".join(f"  {describe_command(self.program, c)}" for c in commands)
        return f"the spec breaks its contract: {error}\n{shown}"

    def report(self) -> str:
        verdicts = ("done", "ignored", "no room", "refused")
        counts = ", ".join(
            f"{self.verdicts.get(number, 0)} {name}"
            for number, name in enumerate(verdicts)
        )
        return (
            f"{self.program.protocol.name}: {self.sequences} sequences, {self.events} events ({counts}) "
            f"in {self.seconds:.1f} s, no difference\n"
        )
