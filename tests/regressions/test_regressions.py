# SPDX-License-Identifier: MIT
"""Each mistake of the compiler that was mended stays mended: README.md says what a case is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Sequence

import hsmc
import pytest
from hsmc.backends.backend_promela import Unsupported
from hsmc.testing import generated_tests
from hsmc.testing.campaign import Campaign
from hsmc.compilation.compiler import Compilation
from hsmc.testing.differential import Command, Reference, build_harness, compare
from hsmc.interpreter.interpreter import Program
from hsmc.commands.main import main
from hsmc.interpreter.scenario import Vocabulary, read_scenario
from hsmc.testing.sequences import Guide
from hsmc.testing.engines import (
    Engine,
    Promela,
    Script,
    Shipped,
    describe,
    first_divergence,
)
from tests.backend.test_generated_c import CHIP_PORT, COMPILERS
from tests.fuzz.engines import Clang, JavaScript

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
SPECS = sorted(HERE.glob("*.hsm"))
SCENARIOS = sorted(HERE.glob("*.scenario"))
SEQUENCES = 200
ATTEMPTS = 5_000
OTHERS: tuple[type[Engine], ...] = (Clang, Promela, JavaScript)


def head(path: Path) -> str:
    """The comment a case begins with."""
    lines = path.read_text().split("\n")
    return "\n".join(lines[: next(i for i, l in enumerate(lines) if l[:1] != "#")])


def given(path: Path, key: str) -> str:
    found = re.search(rf"^# {key}: (.*)$", head(path), re.MULTILINE)
    return found.group(1) if found else ""


def scenario_commands(program: Program, path: Path) -> list[Command]:
    scenario = read_scenario(path.read_text(), Vocabulary(program), path.name)
    generated_tests.replay(scenario, program, path.name)
    return generated_tests.commands(scenario, program)


def assert_same(program: Program, harness: Path, commands: list[Command]) -> None:
    reference = Reference(program)
    lines = [reference.execute(command) for command in commands]
    difference = compare(harness, commands, lines)
    assert difference is None, difference.describe(program)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_spec(path: Path, tmp_path: Path) -> None:
    expected = re.findall(r"(HSM\d{4}) (\d+:\d+)", given(path, "expects"))
    diagnostics = Compilation(path).diagnostics()
    found = [(d.code, f"{d.span.line}:{d.span.column}") for d in diagnostics]
    if expected:
        assert found == expected
        assert main(["check", str(path), "--warnings-are-errors"]) == 1
        return
    assert [d for d in diagnostics if d.severity == "error"] == []
    assert main(["build", str(path), "--output", str(tmp_path / "generated")]) == 0
    for form in ("json", "scxml"):
        options = ["--format", form, "--output", str(tmp_path / form)]
        assert main(["export", str(path), *options]) == 0
    program = Program(hsmc.compile_spec(path))
    harness = build_harness(program, tmp_path, TOP)
    assert_compiles_for_the_chip(tmp_path, program.protocol.name)
    finding = Campaign(program, harness).run(SEQUENCES)
    assert finding is None, finding
    files = generated_tests.generate(program.protocol, limit=ATTEMPTS)
    commands = random_commands(program)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for test in generated_tests.files_of_index(tmp_path):
        commands += scenario_commands(program, test)
    assert_same(program, harness, commands)
    check = given(path, "check")
    if check:
        shipped = program.protocol
        program = Program(hsmc.compile_spec(path, check))
        commands = random_commands(program)
        ship = Shipped(program, tmp_path / "shipped", shipped)
        assert_engines_agree(program, commands, [ship])
    others = [kind(program, tmp_path / kind.name) for kind in OTHERS]
    assert_engines_agree(program, commands, others)


def assert_compiles_for_the_chip(generated: Path, name: str) -> None:
    """The firmware's compiler warns of other things, and has no instruction to multiply with."""
    (generated / "chip_port.h").write_text(CHIP_PORT + '#include "port.h"\n')
    source, target = generated / f"{name}.c", generated / "chip.s"
    command = [*COMPILERS["chip"], "-S", "-o", str(target), str(source)]
    command += [f'-D{name.upper()}_PORT_HEADER="chip_port.h"', f"-I{TOP}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def random_commands(program: Program) -> list[Command]:
    """Of some more sequences."""
    reference = Reference(program)
    guide = Guide(reference)
    commands: list[Command] = []
    for seed in range(SEQUENCES // 10):
        for position in range(50):
            commands.append(guide.next() if position else guide.begin(seed))
            reference.execute(commands[-1])
            guide.observe(reference.node.log)
    return commands


def assert_engines_agree(
    program: Program, commands: list[Command], engines: Sequence[Engine]
) -> None:
    """The other compiler, the model and the page, with the interpreter, as far as each can tell."""
    reference = Reference(program)
    lines = [reference.execute(command) for command in commands]
    script = Script(program, commands, lines)
    for engine in engines:
        try:
            engine.build()
        except Unsupported:
            continue  # a model has room for small sets and pools
        divergence = first_divergence(engine, script)
        assert divergence is None, describe(script, divergence)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path, tmp_path: Path) -> None:
    program = Program(hsmc.compile_spec(TOP / given(path, "spec")))
    harness = build_harness(program, tmp_path, TOP, ("-O0",))
    assert_same(program, harness, scenario_commands(program, path))


def test_cases_are_numbered_and_say_what_went_wrong() -> None:
    cases = sorted(SPECS + SCENARIOS, key=lambda path: path.name)
    numbers = [path.name[:5] for path in cases]
    assert numbers == [f"{number:04}_" for number in range(1, len(cases) + 1)]
    for path in cases:
        assert len(head(path)) > 30, f"{path.name} does not say what went wrong"
    for path in SCENARIOS:
        assert (TOP / given(path, "spec")).is_file(), f"{path.name} names no spec"
