# SPDX-License-Identifier: MIT
"""What a search did not say is no good news: what it never executed, figures that are missing, a verifier that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from hsmc.verification.search import Limits, Run, interpret
from hsmc.verification.subject import ENGINES, Subject
from tests.verification.test_verification import ABP, TOP, hsmc, seeded

VACUOUS = Path(__file__).parent / "vacuous"
NOTHING = ("items = 3, in_flight = 2", "items = 0, in_flight = 2")
WHOLE = """
State-vector 28 byte, depth reached 3, errors: 0
        4 states, stored
        0 states, matched
        4 transitions (= stored+matched)
  246.404	total actual memory usage

transitions not taken: 1 2
not executed: 0 3
"""


def never_taken(said: str) -> list[str]:
    """Names of transitions, as the errors have them."""
    words = "no configuration takes "
    lines = [line for line in said.splitlines() if line.startswith(words)]
    return [line.removeprefix(words).split()[0] for line in lines]


def test_a_check_that_sends_nothing_proves_nothing(tmp_path: Path) -> None:
    """A copy of ABP without its list beside it; what never happened is named, and is an error."""
    seeded(tmp_path, NOTHING)
    result = hsmc(tmp_path, "verify", "abp.hsm")
    assert result.stdout.count("holds, exhaustive") == 4
    assert result.returncode == 1, result.stdout
    assert never_taken(result.stderr) == [
        row.id for row in Subject(tmp_path / "abp.hsm", tmp_path).protocol.rows()
    ]


@pytest.mark.parametrize("name", ["one_check", "idle_check"])
def test_an_idle_check_hides_nothing(name: str, tmp_path: Path) -> None:
    """The idle one takes no transition at all, and must not count as one that takes all."""
    result = hsmc(
        tmp_path, "verify", str(VACUOUS / f"{name}.hsm"), "--engine", "c", "--kind", "safety"
    )  # fmt: skip
    assert result.returncode == 1
    assert never_taken(result.stderr) == [
        "Main.SS.fin.0", "Main.SS.pin.0", "Main.TT.after.1",
        "Rec2.G.go.0", "Rec.N.mk.0", "Rec.H.del.0",
    ]  # fmt: skip


def test_a_search_that_ends_before_the_world_begins_takes_nothing(
    tmp_path: Path,
) -> None:
    """Its property is fulfilled in the first state, so SPIN looks no further."""
    spec = VACUOUS / "fulfilled_at_once.hsm"
    command = ("verify", str(spec), "--engine", "c", "--kind", "liveness")
    result = hsmc(tmp_path, *command)
    assert result.returncode == 1
    assert never_taken(result.stderr) == ["P.S.ask.0"]


def run_of(output: str, status: int, directory: Path, engine: str = "c") -> Run:
    (directory / "abp.hsm").write_text(ABP)
    subject = Subject(directory / "abp.hsm", directory / "build")
    run = Run(subject.search("two_items", engine, "safety"))
    interpret(run, output, status, subject, Limits())
    return run


def test_a_whole_report_holds(tmp_path: Path) -> None:
    run = run_of(WHOLE, 0, tmp_path)
    assert run.holds and run.not_taken == [1, 2] and not run.cut_short
    assert run.not_executed == ["pair.wire.send.0", "pair.observe.send.0"]
    assert run_of(WHOLE, 0, tmp_path, "promela").not_taken == [1, 2]


@pytest.mark.parametrize("line", [line for line in WHOLE.splitlines() if line])
def test_a_report_without_one_of_its_lines_is_no_proof(
    line: str, tmp_path: Path
) -> None:
    needed = "matched" not in line or "transitions" in line
    for engine in ENGINES:
        run = run_of(WHOLE.replace(line, ""), 0, tmp_path, engine)
        assert run.holds is not needed


def test_a_verifier_that_says_nothing_or_fails_proves_nothing(tmp_path: Path) -> None:
    assert run_of("", 0, tmp_path).incomplete == [
        "the verifier ended with status 0 and did not say its states, transitions, depth, megabytes, errors: see pan.log"
    ]
    assert not run_of("", 0, tmp_path, "promela").holds
    assert not run_of(WHOLE, -11, tmp_path).holds
