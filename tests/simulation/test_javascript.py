# SPDX-License-Identifier: MIT
"""The JavaScript of a simulation against the reference interpreter, event by event.

HSMC_SEQUENCES: how many random sequences per protocol; a fifth of them for EMP.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Callable, Optional

import hsmc
import pytest
from hsmc.backends import backend_javascript
from hsmc.documents.docs_references import source_address
from hsmc.testing.differential import Command, Reference, describe_command, script_line
from hsmc.interpreter.interpreter import Node, Program
from hsmc.interpreter.node_state import ContractViolation
from hsmc.testing.sequences import Guide
from tests.interpreter.emp_guide import EmpGuide
from tests.interpreter.random_specs import random_spec

TOP = Path(__file__).resolve().parents[2]
NODE_JS = TOP / "gen/hsmc/templates/simulation/node.js"
DRIVER = Path(__file__).with_name("driver.js")
JOBS = TOP / "tests/interpreter/jobs.hsm"
SEQUENCES = int(os.environ.get("HSMC_SEQUENCES", "150"))
SHORTEST, LONGEST = 10, 50  # events of a sequence


def script_of(program: Program) -> str:
    """What node executes: the protocol, the node, the driver."""
    parts = (NODE_JS.read_text(), DRIVER.read_text())
    return "\n".join([backend_javascript.generate(program, source_address), *parts])


def run_javascript(script: str, commands: list[Command], mode: str = "") -> list[str]:
    lines = "".join(f"{script_line(command)}\n" for command in commands)
    # The program itself comes by a file, so that standard input is free for the events.
    directory = TOP / "build" / "tests" / "simulation"
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"driver_{os.getpid()}.js"
    path.write_text(script)
    try:
        result = subprocess.run(
            ["/usr/bin/node", str(path), mode],
            input=lines,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
    finally:
        path.unlink()
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout.split("\n")[:-1]


class Comparison:
    """Random sequences on the interpreter, their lines, then the same events in JavaScript."""

    def __init__(
        self, program: Program, guide: Callable[[Reference], Guide] = Guide
    ) -> None:
        self.program = program
        self.reference = Reference(program)
        self.guide = guide(self.reference)
        self.commands: list[Command] = []
        self.lines: list[str] = []
        self.rows: set[int] = set()

    def execute(self, command: Command) -> bool:
        self.commands.append(command)
        try:
            self.lines.append(self.reference.execute(command))
        except ContractViolation as violation:
            self.lines.append(f"violation {violation}")
            return False
        log = self.reference.node.log
        self.rows |= {entry[1] for entry in log if entry[0] == 0}
        self.guide.observe(log)
        return True

    def sequences(self, count: int) -> None:
        for seed in range(1, count + 1):
            self.execute(self.guide.begin(seed))
            for _ in range(self.guide.random.randint(SHORTEST, LONGEST)):
                if not self.execute(self.guide.next()):
                    break

    def check(self, script: Optional[str] = None) -> Optional[str]:
        """The first difference with the events that led to it, None where there is none."""
        found = run_javascript(script or script_of(self.program), self.commands)
        assert len(found) == len(self.lines)
        for index, (wanted, line) in enumerate(zip(self.lines, found, strict=True)):
            if line != wanted:
                first = max(
                    i for i in range(index + 1) if self.commands[i][0] in ("R", "D")
                )
                events = [
                    describe_command(self.program, command)
                    for command in self.commands[first : index + 1]
                ]
                return "\n".join([*events, f"interpreter: {wanted}", f"page: {line}"])
        return None


def compared(
    spec: Path,
    sequences: int,
    guide: Callable[[Reference], Guide] = Guide,
    check: Optional[str] = None,
) -> Comparison:
    comparison = Comparison(Program(hsmc.compile_spec(spec, check)), guide)
    comparison.sequences(sequences)
    difference = comparison.check()
    assert difference is None, difference
    return comparison


def test_abp() -> None:
    comparison = compared(TOP / "spec/abp/abp.hsm", SEQUENCES)
    assert len(comparison.rows) == len(list(comparison.program.protocol.rows()))


def test_emp() -> None:
    """As it ships, and with the small pools of a check, where there is no room more often than not."""
    spec = TOP / "spec/emp/emp.hsm"
    whole = compared(spec, SEQUENCES, EmpGuide)
    check = whole.program.protocol.checks[0].name
    compared(spec, SEQUENCES // 3, EmpGuide, check)
    assert len(whole.rows) > 50


@pytest.mark.parametrize(
    "spec",
    [*sorted((TOP / "tests/compiler/features").glob("*.hsm")), JOBS],
    ids=lambda p: p.stem,
)
def test_features_of_the_language(spec: Path) -> None:
    compared(spec, max(20, SEQUENCES // 5))


@pytest.mark.parametrize("seed", range(1, 3 + SEQUENCES // 500))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    """Every operator, widths, wraps, conversions."""
    spec = tmp_path / f"random_{seed}.hsm"
    spec.write_text(random_spec(seed))
    compared(spec, 20)


def test_a_breach_of_the_contract_is_told_by_place_and_undone() -> None:
    """Events that break it in every way there is, strictly: the same complaint, and the state is as before."""
    from tests.interpreter.test_interpreter import BREACHES

    program = Program(hsmc.compile_spec(JOBS))
    script = script_of(program)
    for name, before, event, _, complaint in BREACHES:
        commands: list[Command] = [("D",)]
        record_deliveries(program, before, event, commands)
        found = run_javascript(script, [*commands, ("D",)], "strict")
        node = Node(program)
        before(node)
        with pytest.raises(ContractViolation) as caught:
            event(node)
        assert found[-2] == f"violation {caught.value}", name
        assert complaint in found[-2]


def record_deliveries(
    program: Program,
    before: Callable[[Node], object],
    event: Callable[[Node], object],
    commands: list[Command],
) -> None:
    """What a test of the interpreter does to a node, as commands."""

    class Recorder(Node):
        def deliver(self, process, event, reference=0, arguments=()):  # type: ignore[no-untyped-def]
            entry = program.entry_by_name[f"{process}.{event}"]
            values = [reference] if entry.takes_reference else []
            commands.append(("E", entry.number, *values, *arguments))
            return super().deliver(process, event, reference, arguments)

    node = Recorder(program)
    before(node)
    with pytest.raises(ContractViolation):
        event(node)


@pytest.mark.parametrize(
    "old, new",
    [
        ("bit := 1 - bit;", "bit := bit;"),
        ("deliver(f.item); acknowledge(f)", "acknowledge(f); deliver(f.item)"),
        ("when f.bit == expected", "when f.bit != expected"),
        ("timeout: u32 = 1000", "timeout: u32 = 1001"),
        ("variable pending: u32", "variable pending: u16"),
    ],
)
def test_a_change_of_the_protocol_is_found(old: str, new: str, tmp_path: Path) -> None:
    original = TOP / "spec/abp/abp.hsm"
    changed = tmp_path / "abp.hsm"
    changed.write_text(original.read_text().replace(old, new))
    comparison = Comparison(Program(hsmc.compile_spec(original)))
    comparison.sequences(40)
    script = script_of(Program(hsmc.compile_spec(changed)))
    assert comparison.check(script) is not None
