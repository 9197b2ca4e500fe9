# SPDX-License-Identifier: MIT
"""Tests that `hsmc tests` finds: complete, the same everywhere, and the same on the interpreter and on native C."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Optional

import hsmc
import pytest
from hsmc.testing import generated_tests
from hsmc.testing.differential import NativeFailure, Reference, build_harness, compare
from hsmc.interpreter.interpreter import Program
from hsmc.interpreter.node_state import ContractViolation
from hsmc.interpreter.scenario import Mistake, Vocabulary, read_scenario
from hsmc.recall import faulty_recalls
from hsmc.testing.search import Search
from tests.compiled import compiled
from tests.in_process import run_hsmc as run

TOP = Path(__file__).resolve().parents[2]
HSMC = TOP / "gen/bin/hsmc"
ABP = TOP / "spec/abp/abp.hsm"
SPECS = [
    path
    for path in sorted((TOP / "spec").glob("*/*.hsm"))
    if any(line.startswith("protocol ") for line in path.read_text().split("\n"))
]
# Each spec in its default profile, and in every other that it declares.
VARIANTS = [
    (spec, profile)
    for spec in SPECS
    for profile in (
        None,
        *re.findall(r"^profile (\w+) (?!default)", spec.read_text(), re.MULTILINE),
    )
]
FEATURES = sorted((TOP / "tests/compiler/features").glob("*.hsm"))
QUICK = ("-O0",)
FEW = 20_000  # attempts where not every transition can be taken


def run_with_hash_seed(
    seed: str, *arguments: object
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        [str(HSMC), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def check_on_both_sides(
    spec: Path, tests: Path, work: Path, profile: Optional[str] = None
) -> set[str]:
    """Each test on the interpreter, against what it says itself, and on native C under the sanitizers, against the
    interpreter: transitions, effects and state after every event. Returns the transitions taken.
    """
    program = Program(compiled(spec, profile=profile))
    vocabulary = Vocabulary(program)
    reference = Reference(program)
    taken: set[str] = set()
    commands, lines = [], []
    for path in generated_tests.files_of_index(tests):
        scenario = read_scenario(path.read_text(), vocabulary, path.name)
        rows = generated_tests.replay(scenario, program, path.name)
        assert path.name.removesuffix(".scenario") in rows
        taken.update(rows)
        for command in generated_tests.commands(scenario, program):
            commands.append(command)
            lines.append(reference.execute(command))
            assert all(entry[0] != 1 for entry in reference.node.log), "a never event"
            assert reference.node.verdict != 3, "an event was refused"
    harness = build_harness(program, work, TOP, QUICK)
    difference = compare(harness, commands, lines)
    assert difference is None, difference.describe(program)
    return taken


@pytest.mark.parametrize("spec, profile", VARIANTS)
def test_every_transition_of_a_spec(
    spec: Path, profile: Optional[str], tmp_path: Path
) -> None:
    """Those `make` has searched; they are searched here when only this module is run."""
    name = spec.stem + (f"@{profile}" if profile else "")
    index = f"build/generated_tests/{name}/index.json"
    subprocess.run(["make", "-s", index], cwd=TOP, check=True)
    taken = check_on_both_sides(spec, TOP / Path(index).parent, tmp_path, profile)
    every = {row.id for row in compiled(spec, profile=profile).rows()}
    assert taken == every


@pytest.mark.parametrize("spec", FEATURES, ids=lambda p: p.stem)
def test_features_of_the_language(spec: Path, tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    result = run("tests", spec, "--output", tests, "--attempts", FEW)
    assert result.returncode in (0, 1) and not result.stderr
    taken = check_on_both_sides(spec, tests, tmp_path)
    missing = {
        row["id"] for row in json.loads((tests / "index.json").read_text())["not_taken"]
    }
    protocol = compiled(spec)
    every = {row.id for row in protocol.rows()}
    assert taken == every - missing - {row.id for row in faulty_recalls(protocol)}
    assert (result.returncode == 0) == (not missing)


def test_what_the_contract_excludes_is_not_asked_for(tmp_path: Path) -> None:
    """A deferred event may not be delivered where it is `never`; so no test can take that row, and none is missing."""
    spec = tmp_path / "spec.hsm"
    spec.write_text(
        """protocol t
device done()
process P
  external event go()
  external event job() keeps 2
  state A initial
    on go -> B
    defer job
  state B
    on job / done()
    on go -> C
  state C
    on go -> A
    never job
"""
    )
    result = run("tests", spec, "--output", tmp_path / "tests")
    assert "t: 6 of 6 transitions taken" in result.stdout and result.returncode == 0
    result = run("coverage", spec, "--tests", tmp_path / "tests", "--gate")
    assert result.returncode == 0
    assert "P.C.recall.0 cannot be taken: what it delivers is 'never'" in result.stdout


def test_the_same_everywhere(tmp_path: Path) -> None:
    """Not even the order of sets makes a difference."""
    spec = TOP / "tests/compiler/features/hierarchy.hsm"
    for seed in ("1", "2"):
        run_with_hash_seed(seed, "tests", spec, "--output", tmp_path / seed)
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "2").iterdir())
    assert len(names) > 5
    for name in names:
        assert (tmp_path / "1" / name).read_text() == (
            tmp_path / "2" / name
        ).read_text()


def test_arguments_are_found_from_guards(tmp_path: Path) -> None:
    """Numbers nobody would draw: compared through functions and lets, with state, several in one event."""
    spec = tmp_path / "lock.hsm"
    spec.write_text(
        """protocol lock
payload Key
  first:  u32
  second: u32
  third:  u16 range 0..999
function mixed(k: Key): u32 = k.first + 77 & 0xFFFFFFFF
process Door
  external event turn(k: Key)
  variable last: u32
  state SHUT initial
    on turn(k)
      let sum = mixed(k)
      when sum == 123456789 and k.second == sum ^ 0x5A5A and k.third * 3 == 2997
        / last := k.first                                     -> AJAR
    ignore turn
  state AJAR
    on turn(k) when k.second - last == 4000000000             -> OPEN
    never turn
  state OPEN
    ignore turn
"""
    )
    search = Search(hsmc.compile_spec(spec), limit=20_000)
    search.run()
    assert not search.missing


def test_what_no_test_takes_is_named(tmp_path: Path) -> None:
    spec = tmp_path / "half.hsm"
    spec.write_text(
        """protocol half
process P
  external event go(n: u8)
  variable seen: u8
  state A initial
    on go(n)
      when seen == 1  / seen := 2
      else            / seen := 0
"""
    )
    result = run("tests", spec, "--output", tmp_path / "t", "--attempts", 500)
    assert result.returncode == 1
    assert "half.hsm:7: P.A.go.0 is not taken: on go(n) when seen == 1" in result.stdout
    assert "half: 1 of 2 transitions taken by 1 tests" in result.stdout
    gate = run("coverage", spec, "--tests", tmp_path / "t", "--gate")
    assert gate.returncode == 1
    assert gate.stdout.split("\n")[0].startswith("half: half.hsm:7: P.A.go.0 is not")


def test_the_gate_sees_a_test_that_is_gone(tmp_path: Path) -> None:
    assert run("tests", ABP, "--output", tmp_path).returncode == 0
    whole = run("coverage", ABP, "--tests", tmp_path, "--gate", "--by-test")
    assert whole.returncode == 0
    assert whole.stdout.startswith("abp: 6 of 6 transitions taken by ")
    paths = generated_tests.files_of_index(tmp_path)
    after = next(p for p in paths if "after" in p.name)
    index = json.loads((tmp_path / "index.json").read_text())
    index["tests"] = [t for t in index["tests"] if t["file"] != after.name]
    (tmp_path / "index.json").write_text(json.dumps(index))
    less = run("coverage", ABP, "--tests", tmp_path, "--gate")
    assert less.returncode == 1
    assert "Sender.WAIT_ACK.after.0 is not taken" in less.stdout
    as_json = json.loads(run("coverage", ABP, "--tests", tmp_path, "--json").stdout)
    assert (as_json["taken"], as_json["transitions"]) == (5, 6)
    # A search into the same directory removes what it does not make.
    (tmp_path / paths[0].name).rename(tmp_path / "old.scenario")
    index["tests"] = [{"file": "old.scenario"}]
    (tmp_path / "index.json").write_text(json.dumps(index))
    run("tests", ABP, "--output", tmp_path)
    assert not (tmp_path / "old.scenario").exists()


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("Sender.READY.submit.0", "Sender.READY.submit.1", ":3: the file says"),
        (
            "= Sender.state: WAIT_ACK",
            "= Sender.state: READY",
            "at the end the file says Sender.state: READY",
        ),
        (
            "= timer Sender_WAIT_ACK: running\n",
            "",
            "but there is: timer Sender_WAIT_ACK: running",
        ),
    ],
)
def test_a_test_that_no_longer_holds_fails(
    old: str, new: str, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "one.scenario"
    text = (
        "# by hand\n\nsender.submit\n  -> Sender.READY.submit.0\n"
        "= Sender.state: WAIT_ACK\n= timer Sender_WAIT_ACK: running\n"
    )
    path.write_text(text)
    assert run("coverage", ABP, "--tests", path).returncode == 0
    assert run("run", ABP, "--replay", path).returncode == 0
    assert old in text
    path.write_text(text.replace(old, new))
    for command in (("coverage", ABP, "--tests"), ("run", ABP, "--replay")):
        result = run(*command, path)
        assert result.returncode == 1
        assert complaint in result.stdout + result.stderr


def test_a_broken_contract_is_told_and_not_used(tmp_path: Path) -> None:
    spec = tmp_path / "breaks.hsm"
    spec.write_text(
        """protocol breaks
process P
  external event put(i: u8)
  variable index: u8
  variable level: u8[4]
  state A initial
    on put(i)
      when i == 9 and index != 0    / level[index] := 1
      else                          / index := i | 4
"""
    )
    result = run("tests", spec, "--output", tmp_path / "t", "--attempts", 500)
    assert result.returncode == 1
    said, notes, total, _ = result.stdout.split("\n")
    assert said.startswith("breaks.hsm:8: P.A.put.0 is not taken: ")
    assert "events tried are not used: breaks.hsm:8: index " in notes
    assert notes.endswith("is outside P.level, which has 4 elements")
    assert total.startswith("breaks: 1 of 2 transitions taken by 1 tests; ")


def test_wrong_usage(tmp_path: Path) -> None:
    assert run("coverage", ABP).returncode == 2
    assert run("coverage", ABP, "--tests", tmp_path).returncode == 2
    assert run("tests", ABP, "--output", tmp_path, "--attempts", 0).returncode == 2
    assert run("tests", ABP).returncode == 2
