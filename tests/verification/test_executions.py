# SPDX-License-Identifier: MIT
"""What no search ever executes has a name, in both engines: lines of worlds, assertions, premises, comparisons, liveness
that is fulfilled at once, a link that repeats the only frame it has room for, timers that never run out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hsmc.failure import Failure
from hsmc.verification import unreached, verdicts
from hsmc.verification.search import Run, run_search
from hsmc.verification.subject import ENGINES, Subject
from tests.verification.test_verification import ABP, hsmc, seeded

VACUOUS = Path(__file__).parent / "vacuous"


def found_by(spec: Path, build: Path, engine: str) -> list[str]:
    """Names of what no search of a spec executes, with one engine."""
    subject = Subject(spec, build)
    runs = [
        run_search(search, subject, quick=True)
        for search in subject.searches(engines=[engine])
    ]
    assert [run.failure for run in runs if not run.holds] == []
    return [each.name for each in unreached.missing(runs, subject) or ()]


def abp(directory: Path, *changes: tuple[str, str]) -> Path:
    text = ABP
    for old, new in changes:
        assert text.count(old) == 1, "the spec has changed: mend the test"
        text = text.replace(old, new)
    (directory / "abp.hsm").write_text(text)
    return directory / "abp.hsm"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_world_in_which_nothing_happens(engine: str, tmp_path: Path) -> None:
    assert found_by(VACUOUS / "nothing_happens.hsm", tmp_path, engine) == [
        "A.S.go.0", "A.S.got.0", "A.S.fail.0",
        "none_happens.wire.send.0", "none_happens.host.A.go.0",
        "none_happens.observe.told.0", "none_happens.assert.never_observed.0",
        "none_happens.premise.premise_never.0",
        "premise.own_condition.0", "none_happens.eventually.true_at_once.0",
    ]  # fmt: skip


def test_it_is_an_error_and_says_what_it_means(tmp_path: Path) -> None:
    spec = str(VACUOUS / "nothing_happens.hsm")
    result = hsmc(tmp_path, "verify", spec)
    assert result.stdout.count("holds, exhaustive") == 4
    assert result.returncode == 1
    for words in (
        "no search executes none_happens.host.A.go.0 (nothing_happens.hsm:",
        "true_at_once.0 (nothing_happens.hsm:37), fulfilled in the first state of every search: add a check that does",
        "list it with its reason in vac_unreached.toml",
    ):
        assert words in result.stderr


@pytest.mark.parametrize("engine", ENGINES)
def test_liveness_fulfilled_at_once(engine: str, tmp_path: Path) -> None:
    assert found_by(VACUOUS / "fulfilled_at_once.hsm", tmp_path, engine) == [
        "P.S.ask.0", "one.observe.answer.0", "one.eventually.all_answered.0"
    ]  # fmt: skip


def test_liveness_is_not_judged_by_safety(tmp_path: Path) -> None:
    spec = VACUOUS / "fulfilled_at_once.hsm"
    subject = Subject(spec, tmp_path)
    (search,) = subject.searches(engines=["c"], kinds=["safety"])
    found = unreached.missing([run_search(search, subject, quick=True)], subject)
    assert "one.eventually.all_answered.0" not in [e.name for e in found or ()]


def one_frame(directory: Path) -> Path:
    """Takes any acknowledgement for the one that it waits for, and has room for one frame."""
    return abp(
        directory,
        ("      when f.bit == bit  / bit", "      when f.item == 0  / bit"),
        ("link loses repeats", "link loses repeats reorders"),
        ("items = 3, in_flight = 2", "items = 3, in_flight = 1"),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_link_with_room_for_one_frame_repeats_nothing(
    engine: str, tmp_path: Path
) -> None:
    """It "holds", and is violated at once with room for two."""
    found = found_by(one_frame(tmp_path), tmp_path / "build", engine)
    assert "pair.link.repeats" in found
    assert "pair.assert.no_early_completion.1" in found  # at the end, never reached
    assert found_by(abp(tmp_path), tmp_path / "build", engine) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_timers_that_never_run_out(engine: str, tmp_path: Path) -> None:
    gate = ("  link loses repeats\n", "  link loses repeats\n  timers when items > 9\n")
    spec = abp(tmp_path, gate)
    subject = Subject(spec, tmp_path / "build")
    (search,) = subject.searches(engines=[engine], kinds=["safety"])
    run = run_search(search, subject, quick=True)
    assert "pair.timers" in run.not_executed
    assert run.not_executed == ["pair.eventually.every_item_arrives.0", "pair.timers"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_premise_that_holds_in_one_check_is_enough(
    engine: str, tmp_path: Path
) -> None:
    """Of a property that one node can see."""
    spec = VACUOUS / "own_property.hsm"
    assert found_by(spec, tmp_path, engine) == []
    subject = Subject(spec, tmp_path)
    runs = [
        run_search(search, subject, quick=True)
        for search in subject.searches(["idle"], engines=[engine])
    ]
    found = [each.name for each in unreached.missing(runs, subject) or ()]
    assert "premise.kept.0" in found


def test_an_unchanged_that_compares_nothing(tmp_path: Path) -> None:
    line = "-> Sender.ack(f) told ACK bit"
    spec = abp(tmp_path, (line, f"{line} unchanged delivered_once when submitted > 9"))
    for engine in ENGINES:
        found = found_by(spec, tmp_path / "build", engine)
        assert found == ["pair.unchanged.delivered_once.0"]


# --- reasons


def listed(directory: Path, *entries: str) -> Path:
    spec = abp(directory, ("items = 3, in_flight = 2", "items = 0, in_flight = 2"))
    text = "".join(
        f'[[unreached]]\n{each}\nreason = "for a test"\n' for each in entries
    )
    (directory / "abp_unreached.toml").write_text(text)
    return spec


def test_reasons_are_for_what_is_not_executed(tmp_path: Path) -> None:
    rows, lines = ('row = "*"',), ('line = "pair.*"',)
    spec = listed(tmp_path, *rows, *lines)
    subject = Subject(spec, tmp_path / "build")
    runs = [run_search(s, subject, quick=True) for s in subject.searches()]
    (problem,) = unreached.judge(runs, subject).problems
    assert problem == (
        "abp_unreached.toml says that nothing executes pair.assert.no_early_completion.1, and a search does: "
        "remove it there"
    )


@pytest.mark.parametrize(
    "entry, why",
    [
        (
            'line = "pair.wire.send.9"',
            "no line of a world or premise pair.wire.send.9",
        ),
        ('row = "pair.wire.send.0"', "no transition pair.wire.send.0"),
        (
            'line = "pair.wire.send.0"\nrow = "Sender.READY.submit.0"',
            "not exactly the keys row and reason, or line and reason",
        ),
    ],
)
def test_lists_that_name_nothing(entry: str, why: str, tmp_path: Path) -> None:
    spec = listed(tmp_path, entry)
    with pytest.raises(Failure, match=why):
        unreached.known(Subject(spec, tmp_path / "build"))


# --- what some checks do


def test_some_checks_only_say_what_they_leave_out(tmp_path: Path) -> None:
    seeded(tmp_path, ("items = 3, in_flight = 2", "items = 0, in_flight = 2"))
    command = "verify abp.hsm two_items --engine c"
    result = hsmc(tmp_path, *command.split())
    assert result.returncode == 0, result.stderr
    assert "not taken here: Sender.READY.submit.0, " in result.stdout
    assert "not executed here: pair.wire.send.0, pair.wire.send.1, " in result.stdout


def test_engines_that_execute_otherwise_differ(tmp_path: Path) -> None:
    subject = Subject(abp(tmp_path), tmp_path / "build")
    one, other = (
        Run(subject.search("two_items", engine, "safety"), states=1)
        for engine in ENGINES
    )
    assert verdicts.unequal([one, other]) == []
    other.not_executed = ["pair.wire.send.0"]
    ((problem, _),) = verdicts.unequal([one, other])
    assert "do not execute the same: the two back ends differ" in problem
