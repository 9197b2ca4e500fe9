# SPDX-License-Identifier: MIT
"""The generated C against the interpreter, event by event, under the sanitizers.

HSMC_SEQUENCES: how many random sequences per protocol; 1200 unless told, 10000 in `make differential`. Tables of the
transitions taken are left in build/tests/coverage_PROTOCOL.txt; a transition no sequence takes is a failure.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Optional, Union

import hsmc
import pytest
from hsmc import ir
from hsmc.compilation.compiler import Compilation
from tests.interpreter.emp_guide import EmpGuide
from hsmc.testing.campaign import Campaign
from hsmc.testing.coverage import Coverage
from hsmc.testing.differential import (
    NativeFailure,
    Reference,
    build_harness,
    compare,
    run_native,
)
from hsmc.interpreter.interpreter import Program
from hsmc.testing.sequences import Guide
from tests.interpreter.random_specs import random_spec
from tests.long_tests import one_in

TOP = Path(__file__).resolve().parents[2]
SEQUENCES = int(os.environ.get("HSMC_SEQUENCES", "1200"))
# Compiled fast where many are compiled; what ships is compiled with optimisation once.
QUICK = ("-O0",)

SPECS = [
    path
    for path in sorted((TOP / "spec").glob("*/*.hsm"))
    if any(line.startswith("protocol ") for line in path.read_text().split("\n"))
]
# Its lists share records as no protocol would, for the sake of what the compiler says of them.
UNSOUND = {"record_flow"}
GUIDES: dict[str, type[Guide]] = {"emp": EmpGuide}


def run(
    spec: Union[Path, ir.Protocol],
    directory: Path,
    sequences: int,
    guide: Callable[[Reference], Guide] = Guide,
    options: tuple[str, ...] = (),
    profile: Optional[str] = None,
    sound: bool = True,
) -> Campaign:
    """`spec`: a file, or what it was compiled to."""
    if isinstance(spec, Path):
        spec = hsmc.compile_spec(spec, None, profile)
    program = Program(spec)
    harness = build_harness(program, directory, TOP, options)
    campaign = Campaign(program, harness, guide, sound=sound)
    finding = campaign.run(sequences)
    assert finding is None, finding
    print(campaign.report(), end="")
    return campaign


def leave_table(coverage: Coverage) -> None:
    path = TOP / "build" / "tests" / f"coverage_{coverage.protocol.name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(coverage.table())
    print(coverage.table(), end="")


@pytest.mark.parametrize("one_of", one_in(2, [6, 1]))
@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_spec(spec: Path, one_of: int, tmp_path: Path) -> None:
    """As it ships, and with the small pools of its checks, where there is no room more often than not. Checks that differ
    in their world alone are the same C; of the others `make test` takes one of six."""
    guide = GUIDES.get(spec.stem, Guide)
    compilation = Compilation(spec)
    protocol = compilation.protocol(None)
    assert protocol is not None
    settings = {check.settings: check for check in protocol.checks if check.settings}
    whole = SEQUENCES * 6 // 10 if settings else SEQUENCES
    campaign = run(protocol, tmp_path / "whole", whole, guide)
    chosen = list(settings.values())[::one_of]
    for check in chosen:
        share = (SEQUENCES - whole) // len(chosen)
        configured = compilation.protocol(check.name)
        assert configured is not None
        small = run(configured, tmp_path / check.name, share, guide, QUICK)
        campaign.coverage.read_counts(small.coverage)
    leave_table(campaign.coverage)
    # Chance reaches all that a small spec has, or one with a guide; of others the generated tests see to it.
    if spec.stem in (*GUIDES, "abp"):
        assert not campaign.coverage.missing


@pytest.mark.parametrize(
    "spec",
    sorted((TOP / "tests/compiler/features").glob("*.hsm")),
    ids=lambda p: p.stem,
)
def test_features_of_the_language(spec: Path, tmp_path: Path) -> None:
    sound = spec.stem not in UNSOUND
    sequences = max(100, SEQUENCES // 10)
    campaign = run(spec, tmp_path, sequences, options=QUICK, sound=sound)
    assert campaign.broken < sequences // 2


def test_a_profile_that_is_not_the_default(tmp_path: Path) -> None:
    spec = TOP / "tests/compiler/features/profiles.hsm"
    sequences = max(100, SEQUENCES // 10)
    modern = run(spec, tmp_path, sequences, options=QUICK, profile="modern")
    assert "Window.EAGER.ask.0" in {row.id for row in modern.program.protocol.rows()}


def test_fetch_with_one_block_under_way(tmp_path: Path) -> None:
    spec = TOP / "spec/fetch/fetch.hsm"
    campaign = run(spec, tmp_path, SEQUENCES // 4, profile="stop_and_wait")
    assert "hasten" not in {action.name for action in campaign.program.protocol.actions}


@pytest.mark.parametrize("seed", one_in(4, range(1, 3 + SEQUENCES // 500)))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    spec = tmp_path / f"random_{seed}.hsm"
    spec.write_text(random_spec(seed))
    run(spec, tmp_path, 100, options=QUICK)


# --- the comparison itself


@pytest.mark.parametrize(
    "old, new",
    [
        ("bit := 1 - bit;", "bit := bit;"),
        ("count frames_repeated\n    after", "ignore_it()\n    after"),
        ("deliver(f.item); acknowledge(f)", "acknowledge(f); deliver(f.item)"),
        ("when f.bit == expected", "when f.bit != expected"),
        ("timeout: u32 = 1000", "timeout: u32 = 1001"),
        ("variable pending: u32", "variable pending: u16"),
        ("Frame(kind: ACK, bit: f.bit)", "Frame(kind: ACK)"),
    ],
)
def test_a_change_of_the_c_is_found(old: str, new: str, tmp_path: Path) -> None:
    """The C of a changed spec against the interpreter of the unchanged one."""
    original = TOP / "spec/abp/abp.hsm"
    text = original.read_text()
    assert old in text
    text = text.replace(old, new)
    if "ignore_it" in new:
        text += "\naction ignore_it()\n  bit := bit\n"
    changed = tmp_path / "abp.hsm"
    changed.write_text(text)
    harness = build_harness(Program(hsmc.compile_spec(changed)), tmp_path, TOP)
    finding = Campaign(Program(hsmc.compile_spec(original)), harness).run(200)
    assert finding is not None
    assert finding.startswith("seed 1: interpreter and generated C differ after\n")


def test_a_difference_comes_with_its_shortest_prefix(tmp_path: Path) -> None:
    program = Program(hsmc.compile_spec(TOP / "spec/abp/abp.hsm"))
    harness = build_harness(program, tmp_path, TOP)
    reference = Reference(program)
    commands = [("R", 1000), ("E", 0, 5), ("R", 7), ("E", 0, 6), ("T", 0, 0)]
    lines = [reference.execute(command) for command in commands]  # type: ignore[arg-type]
    assert compare(harness, commands, lines) is None  # type: ignore[arg-type]
    lines[3] += "x"
    difference = compare(harness, commands, lines)  # type: ignore[arg-type]
    assert difference is not None
    assert difference.prefix == (("R", 7), ("E", 0, 6))
    text = difference.describe(program)
    assert text.split("\n")[-4:] == [
        "at the event",
        "  E 0 6                                    # Sender.submit",
        f"interpreter: {lines[3]}",
        f"native C:    {lines[3][:-1]}",
    ]


def test_an_end_of_the_harness_is_no_silence(tmp_path: Path) -> None:
    program = Program(hsmc.compile_spec(TOP / "spec/abp/abp.hsm"))
    harness = build_harness(program, tmp_path, TOP)
    with pytest.raises(NativeFailure) as caught:
        run_native(harness, [("R", 1000), ("E", 0, 5), ("E", 99)])
    assert caught.value.lines == 2
    assert "does not exist" in caught.value.text
