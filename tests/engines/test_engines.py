# SPDX-License-Identifier: MIT
"""History and deferred events explored by SPIN, as generated Promela and as generated C: no fault, and as many states.

The specs stand here; how searches run, and what counts as a verdict, is `hsmc verify`'s.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import sys

import pytest
from tests.long_tests import one_in

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "gen"))

from hsmc import compile_spec  # noqa: E402
from hsmc.interpreter.interpreter import Program  # noqa: E402
from hsmc.verification import counterexample, native  # noqa: E402
from hsmc.verification.campaign import run_all  # noqa: E402
from hsmc.verification.search import Limits, Run  # noqa: E402
from hsmc.verification.subject import Subject  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("spin") is None, reason="needs spin")


def searches(
    spec: pathlib.Path, build: pathlib.Path, kind: str = "safety"
) -> list[Run]:
    subject = Subject(spec, build)
    chosen = list(subject.searches(level="quick", kinds=[kind]))
    assert [search.engine for search in chosen] == ["c", "promela"]
    return run_all([(search, subject) for search in chosen], quick=True)


def test_both_engines_store_the_same_states(tmp_path: pathlib.Path) -> None:
    runs = searches(HERE / "waiting.hsm", tmp_path)
    assert [(run.name, run.failure) for run in runs if not run.holds] == []
    assert runs[0].states == runs[1].states > 1000
    assert runs[0].transitions == runs[1].transitions
    # Every way back and every recall is taken somewhere: the world leaves out nothing.
    protocol = compile_spec(HERE / "waiting.hsm")
    rows = list(protocol.rows())
    assert [rows[number].id for number in runs[1].not_taken] == []


def test_loops_and_searches_are_the_same_in_both_engines(
    tmp_path: pathlib.Path,
) -> None:
    runs = searches(HERE / "rooms.hsm", tmp_path)
    assert [(run.name, run.failure) for run in runs if not run.holds] == []
    assert runs[0].states == runs[1].states > 1000
    assert runs[0].transitions == runs[1].transitions
    rows = list(compile_spec(HERE / "rooms.hsm").rows())
    assert [rows[number].id for number in runs[1].not_taken] == []


@pytest.mark.parametrize(
    "old, new",
    [
        # Who came at lunch is lost.
        (r"(state LUNCH\n +)defer customer", r"\1ignore customer"),
        # A raised event for which there is no room.
        (r"ignore served, lunch, bill", "ignore served, lunch\n    defer bill"),
    ],
)
def test_both_engines_find_a_mistake(
    old: str, new: str, tmp_path: pathlib.Path
) -> None:
    text, count = re.subn(old, new, (HERE / "waiting.hsm").read_text())
    assert count == 1
    if "defer bill" in new:
        text = text.replace("event bill(dish: Dish)", "event bill(dish: Dish) keeps 1")
    spec = tmp_path / "waiting.hsm"
    spec.write_text(text)
    runs = searches(spec, tmp_path / "build")
    wanted = "never_event" if "defer bill" in new else "first_in_first_out"
    assert [run.violated for run in runs] == [wanted, wanted]


@pytest.mark.parametrize(
    "old, new, wanted",
    [
        ("bills := dish & 1", "bills := dish + 1", "value_in_range"),
        (
            "process Clerk",
            'property no_bill safety = bills == 0 ""\n\nprocess Clerk',
            "no_bill",
        ),
        (
            "process Clerk",
            'property cross(g: Visit) safety = g.mood == 1 ""\n\nprocess Clerk',
            "cross",
        ),
    ],
)
def test_both_engines_see_what_one_node_sees(
    old: str, new: str, wanted: str, tmp_path: pathlib.Path
) -> None:
    text = (HERE / "waiting.hsm").read_text()
    assert text.count(old) == 1
    spec = tmp_path / "waiting.hsm"
    spec.write_text(text.replace(old, new))
    runs = searches(spec, tmp_path / "build")
    assert [run.violated for run in runs] == [wanted, wanted]


def test_a_counterexample_of_one_node_without_a_wire(tmp_path: pathlib.Path) -> None:
    """Nothing of trails is made for two nodes and frames only."""
    spec = tmp_path / "waiting.hsm"
    text = (HERE / "waiting.hsm").read_text()
    assert "defer customer" in text
    spec.write_text(text.replace("defer customer", "ignore customer"))
    subject = Subject(spec, tmp_path / "build")
    runs = run_all([(subject.search("two_guests", "c", "safety"), subject)], quick=True)
    ((trail, told, paths),) = counterexample.explain(runs, subject, Limits())
    assert (trail.violated, trail.shortest) == ("first_in_first_out", True)
    assert len(told) == 4 and not [each.difference for each in told if each.difference]
    assert "wire" not in paths["txt"].read_text()
    replay = native.run(Program(subject.checked("two_guests")), subject, trail)
    assert "first_in_first_out" in replay.violated
    assert set(native.differences(trail, replay)) == {""}


def test_handles_find_their_own_record_only(tmp_path: pathlib.Path) -> None:
    """Of records used again and again; and events by reference for records that are free."""
    runs = searches(HERE / "late.hsm", tmp_path)
    assert [(run.name, run.failure) for run in runs if not run.holds] == []
    assert runs[0].states == runs[1].states > 200
    assert runs[0].transitions == runs[1].transitions


def test_a_repeat_does_not_hold_up_a_longer_timer(tmp_path: pathlib.Path) -> None:
    runs = searches(HERE / "giving_up.hsm", tmp_path, "liveness")
    assert [(run.name, run.failure) for run in runs if not run.holds] == []
    assert runs[0].states == runs[1].states > 20


@pytest.mark.parametrize(
    "changes",
    [
        # Each repeat arms the longer timer anew.
        {" -> ASKING": " -> CALLING"},
        # There is no longer timer, but two repeats.
        {"give_up_after   / ended(current)  -> IDLE": "give_up_after  -> CALLING"},
        # A repeat passes over the longer timer; then questions and answers follow each other for ever, and no timer of
        # the model runs out any more. That takes two frames on the wire, for which there is room once the link is good.
        {
            "      entry               / ask(current)\n": "",
            "after repeat_every                    ->": "after repeat_every  / ask(0); ask(1)  ->",
            "    never call\n": "    on answer             / ask(0); ask(1)\n    never call\n",
            "-> CALLING\n\n": "-> CALLING\n    ignore answer\n\n",
            "  variable current": "  external event answer(number: u8)\n  variable current",
            "device ended": "device answer(number: u8)\ndevice ended",
            "    on question(n)": "    on question(n) when n == 1  / answer(n)\n    on question(n)",
            "  observe ended": "  wire answer(n) -> Caller.answer(n)\n  observe ended",
        },
    ],
    ids=["armed anew", "only repeats", "no timer"],
)
def test_what_goes_on_for_ever_is_found(
    changes: dict[str, str], tmp_path: pathlib.Path
) -> None:
    text = (HERE / "giving_up.hsm").read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    spec = tmp_path / "giving_up.hsm"
    spec.write_text(text)
    runs = searches(spec, tmp_path / "build", "liveness")
    assert [run.violated for run in runs] == ["each_call_ends", "each_call_ends"]
    assert runs[0].states == runs[1].states


HOUSE = HERE / "house.hsm"


def house(
    build: pathlib.Path, check: str, changes: dict[str, str], engine: str = "c"
) -> tuple[Subject, Run]:
    text = HOUSE.read_text()
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    build.mkdir(exist_ok=True)
    spec = build / HOUSE.name
    spec.write_text(text)
    subject = Subject(spec, build / "build")
    search = subject.search(check, engine, "safety")
    (run,) = run_all([(search, subject)], quick=True)
    return subject, run


def test_rare_lines_of_a_world(tmp_path: pathlib.Path) -> None:
    subject = Subject(HOUSE, tmp_path)
    chosen = list(subject.searches(kinds=["safety"]))
    runs = run_all([(search, subject) for search in chosen], quick=True)
    assert [(run.name, run.failure) for run in runs if not run.holds] == []
    pairs = list(zip(runs[::2], runs[1::2]))
    assert [p.states for p, _ in pairs] == [c.states for _, c in pairs]
    assert [p.transitions for p, _ in pairs] == [c.transitions for _, c in pairs]
    assert [pairs[0][1].states > 1000, pairs[0][1].not_taken] == [True, []]


BROKEN = {
    "restart": ("lossy", "forgets", {"fault restart at hall": "fault nothing at hall"}),
    "parameter": (
        "lossy",
        "done_is_taken",
        {"parameter life = lives[node] + 1": "parameter life = 1 + lives[cellar]"},
    ),
    "parameter that is the node": (
        "lossy",
        "right_way",
        {"parameter own  = node": "parameter own  = 1 - node"},
    ),
    # The rate that changes meanwhile, which is a fault of nothing but the world's own variables.
    "live parameter": (
        "lossy",
        "fair_price",
        {"life: life, cost: e.cost": "life: life, cost: rate"},
    ),
    "view of a variable": (
        "lossy",
        "remembers",
        {"last := n.number": "last := n.number + 1"},
    ),
    "view of a record": (
        "lossy",
        "want_changes_nothing",
        {"view held   = Errand[1]": "view held   = Errand[2]"},
    ),
    "ready": ("lossy", "one_letter", {"ready when letter == 0": "ready when true"}),
    "timers": (
        "patient",
        "no_hurry",
        {"timers when patient == 0 or quiet": "timers when true"},
    ),
    "good": (
        "clean",
        "no_needless_time_out",
        {"good when faultless > 0": "good when false"},
    ),
    "unchanged on a fault line": (
        "lossy",
        "nonsense_changes_nothing",
        {"number: u8 range 1..3": "number: u8"},
    ),
    "unchanged whatever the verdict": (
        "lossy",
        "want_changes_nothing",
        {"when held != 0 and other != 0": "when held != 0"},
    ),
    "unchanged on a wire line": (
        "lossy",
        "stale_changes_nothing",
        {"  / answer(n)\n": "  / Log[0].life := 1; answer(n)\n"},
    ),
    "event of a record": (
        "lossy",
        "never_event",
        {"    fetching[r - 1] := 0\n": "    fetching[2 - r] := 0\n"},
    ),
    "frame of the world's own": (
        "lossy",
        "fair_price",
        {"cost: letter_cost))": "cost: letter_cost + 1))"},
    ),
    "function": (
        "lossy",
        "stale_changes_nothing",
        {"first if number == 1": "first if number == 2"},
    ),
}


@pytest.mark.parametrize("broken", one_in(3, BROKEN))
def test_rare_lines_of_a_world_find_a_mistake(
    broken: str, tmp_path: pathlib.Path
) -> None:
    check, violated, changes = BROKEN[broken]
    _, run = house(tmp_path, check, changes)
    assert run.violated == violated, run.failure


@pytest.mark.parametrize("broken", one_in(2, ["parameter", "unchanged on a wire line"]))
def test_counterexamples_of_rare_lines(broken: str, tmp_path: pathlib.Path) -> None:
    check, violated, changes = BROKEN[broken]
    subject, run = house(tmp_path, check, changes)
    ((trail, told, paths),) = counterexample.explain([run], subject, Limits())
    assert trail.violated == violated
    done = [step.do for step in trail.steps]
    assert ("restart" in done) == (broken == "parameter")
    assert [each.difference for each in told if each.difference] == []
    replay = native.run(Program(subject.checked(check)), subject, trail)
    assert violated in replay.violated
    assert set(native.differences(trail, replay)) == {""}
