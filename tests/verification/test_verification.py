# SPDX-License-Identifier: MIT
"""hsmc verify and hsmc replay: seeded bugs and their counterexamples, verdicts of searches cut short, what can go wrong.

HSMC_REFRESH=1 writes the goldens anew.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden"
sys.path[:0] = [str(TOP), str(TOP / "gen")]

from hsmc.commands.main import main
from hsmc.failure import Failure
from hsmc import compile_spec, ir  # noqa: E402
from hsmc.backends.backend_promela import PromelaWriter  # noqa: E402
from hsmc.interpreter.interpreter import Program  # noqa: E402
from hsmc.verification import (  # noqa: E402
    divergence,
    native,
    unreached,
    verdicts,
    narration,
)
from hsmc.verification.campaign import run_all  # noqa: E402
from hsmc.verification.search import Run  # noqa: E402
from hsmc.verification.subject import Search, Subject  # noqa: E402
from tests.tutorial import follow  # noqa: E402
from tests.long_tests import long  # noqa: E402

ABP = (TOP / "spec/abp/abp.hsm").read_text()
FORGETFUL = (
    "else                    / count frames_repeated; acknowledge(f)",
    "else                    / count frames_repeated",
)
HASTY = (
    "on submit(item)      / pending := item ",
    "on submit(item)      / pending := item; accepted(item) ",
)


def hsmc(
    directory: Path, *arguments: str, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOP / "gen/bin/hsmc"), *arguments],
        cwd=directory,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def inside(directory: Path, *arguments: str) -> tuple[int, str]:
    """Without a process of its own, for many runs that end soon: status and what was said."""
    said = io.StringIO()
    with contextlib.chdir(directory), contextlib.redirect_stderr(said):
        status = main(arguments)
    return status, said.getvalue()


def seeded(directory: Path, change: tuple[str, str]) -> None:
    assert ABP.count(change[0]) == 1, "the spec has changed: mend the bug"
    (directory / "abp.hsm").write_text(ABP.replace(*change))


def report(result: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    found = json.loads(result.stdout)
    assert isinstance(found, list), result.stderr
    return found


def golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("HSMC_REFRESH"):
        path.write_text(text)
    assert path.read_text() == text


# --- counterexamples


def test_a_repeated_frame_is_not_acknowledged(tmp_path: Path) -> None:
    seeded(tmp_path, FORGETFUL)
    result = hsmc(tmp_path, *"verify abp.hsm --kind liveness --engine c --json".split())
    (record,) = report(result)
    assert result.returncode == 1
    assert (record["verdict"], record["property"]) == ("violated", "every_item_arrives")
    assert record["steps"] == 8
    trail = Path(str(record["trail"]))
    there = tmp_path / trail
    golden("every_item_arrives.txt", there.with_suffix(".txt").read_text())
    golden("every_item_arrives.svg", there.with_suffix(".svg").read_text())
    content = json.loads(there.read_text())
    assert (content["format"], content["version"]) == ("hsmc trail", 2)
    assert [step["do"] for step in content["steps"]].count("lose") == 1

    again = hsmc(tmp_path, "replay", str(trail))
    assert again.returncode == 0, again.stdout + again.stderr
    told = there.with_suffix(".txt").read_text().split("\n\n     host 0")[0]
    assert again.stdout.startswith(told)
    assert "is where it was before step 7" in again.stdout

    # What is mended does something else, and says so.
    (tmp_path / "abp.hsm").write_text(ABP)
    mended = hsmc(tmp_path, "replay", str(trail))
    assert mended.returncode == 1
    assert "has changed since the trail was found" in mended.stdout
    wanted = "the C puts ACK bit=0 on the wire; the model put nothing"
    assert wanted in mended.stdout

    # Damaged files are refused.
    damages: tuple[dict[str, object], ...] = (
        {"version": 1},
        {"steps": [{"do": "jump"}]},
        {"check": "three_items"},
        {"format": "log"},
        {"loop": "x"},
        {"nodes": None},
    )
    for damage in damages:
        there.write_text(json.dumps({**content, **damage}))
        status, said = inside(tmp_path, "replay", str(trail))
        assert status == 2 and said.startswith("hsmc: "), damage
    there.write_text("{")
    assert inside(tmp_path, "replay", str(trail))[0] == 2


@pytest.mark.parametrize("engine", ["promela", "c"])
def test_an_item_is_accepted_before_it_arrives(engine: str, tmp_path: Path) -> None:
    seeded(tmp_path, HASTY)
    command = f"verify abp.hsm --level quick --kind safety --engine {engine}"
    result = hsmc(tmp_path, *command.split())
    assert result.returncode == 1
    assert "VIOLATED: no_early_completion" in result.stdout
    assert f"engine {engine}, 1 step, none shorter" in result.stdout
    assert "abp.hsm:46: on submit(item)" in result.stdout
    place = "build/verify/abp/two_items/no_early_completion/counterexample.trail"
    again = hsmc(tmp_path, "replay", place)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "violates no_early_completion" in again.stdout


# Bugs in EMP whose counterexamples contain a restart, an event that must change nothing, a live parameter that changes.
BUGS = {
    "one message more than the window": (
        "message - SendPeer[peer].oldest < ",
        "message - SendPeer[peer].oldest <= ",
        "three_messages",
        "event",
    ),
    "acknowledgements of the sender before the restart count": (
        "or f.message - first_message() - SendPeer[f.sender].oldest >= message_window",
        "or (f.message & 0xFFFF) - SendPeer[f.sender].oldest >= message_window",
        "restart --property stale_frame_changes_nothing",
        "restart",
    ),
    "the collection size is looked at anew for each collection": (
        "= min(m.size, m.frames - first)",
        "= min(collection_size, m.frames - first)",
        "new_size --property no_early_acknowledgement",
        "set",
    ),
}


@long
@pytest.mark.parametrize("bug", BUGS)
def test_counterexamples_of_broken_emps(bug: str, tmp_path: Path) -> None:
    old, new, search, do = BUGS[bug]
    shutil.copytree(TOP / "spec/emp", tmp_path / "emp")
    file = tmp_path / "emp/send.hsm"
    text = file.read_text()
    assert old in text, "the spec has changed: mend the bug"
    file.write_text(text.replace(old, new))
    command = f"verify emp/emp.hsm {search} --kind safety --engine c --json"
    result = hsmc(tmp_path, *command.split())
    records = report(result)
    assert all(record["verdict"] == "violated" for record in records), records
    record = records[0]
    trail = json.loads((tmp_path / str(record["trail"])).read_text())
    assert do in [step["do"] for step in trail["steps"]]
    again = hsmc(tmp_path, "replay", "--json", str(record["trail"]))
    assert again.returncode == 0, again.stdout + again.stderr
    replayed = json.loads(again.stdout)
    assert str(record["property"]) in replayed["violated"]
    assert len(replayed["steps"]) == record["steps"]
    for step in replayed["steps"][:-1]:
        assert step["c"] == step["interpreter"] or step["c"] is None


# --- transitions nothing takes


def judged(tmp_path: Path, listed: str, missing: list[str]) -> unreached.Judgement:
    """ABP, of which the C has never taken some transitions."""
    spec = tmp_path / "abp.hsm"
    spec.write_text(ABP)
    (tmp_path / "abp_unreached.toml").write_text(listed)
    subject = Subject(spec, tmp_path / "build")
    ids = [row.id for row in subject.protocol.rows()]
    run = Run(subject.search("two_items", "c", "safety"), states=1)
    run.not_taken = [ids.index(name) for name in missing]
    return unreached.judge([run], subject)


ONE = "Sender.WAIT_ACK.ack.0"
LISTED = f'[[unreached]]\nrow = "{ONE}"\nreason = "for a test"\n'


def test_transitions_nothing_takes(tmp_path: Path) -> None:
    result = judged(tmp_path, LISTED, [ONE])
    assert result.problems == [] and result.lines[1].endswith("): for a test")
    (problem,) = judged(tmp_path, "", [ONE]).problems
    assert problem.startswith(f"no configuration takes {ONE} (")
    (problem,) = judged(tmp_path, LISTED, []).problems
    assert f"says that nothing executes {ONE}, and a search does" in problem


@pytest.mark.parametrize(
    "listed, why",
    [
        ("[[", "Invalid"),
        ("[other]", "expected \\[\\[unreached\\]\\] and nothing else"),
        ('[[unreached]]\nrow = "x"', "not exactly the keys"),
        (LISTED.replace("for a test", " "), "none empty"),
        (LISTED.replace("ack.0", "ack.9"), "the spec has no transition"),
        (LISTED * 2, "listed twice"),
    ],
)
def test_lists_that_say_nothing(tmp_path: Path, listed: str, why: str) -> None:
    with pytest.raises(Failure, match=why):
        judged(tmp_path, listed, [])


# --- verdicts


@long
def test_quick_level_of_all_specs(tmp_path: Path) -> None:
    """Of every folder there is, so that of a protocol begun with `hsmc new` too."""
    specs = [p for p in TOP.glob("spec/*/*.hsm") if p.stem == p.parent.name]
    command = f"verify {' '.join(map(str, specs))} --level quick --json --output"
    result = hsmc(TOP, *command.split(), str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    records = report(result)
    assert [record["verdict"] for record in records] == ["holds"] * 4 * len(specs)
    assert all(record["exhaustive"] for record in records)
    emp = next(r for r in records if str(r["config"]).startswith("emp/"))
    assert emp["faults"] == ["loss", "duplication", "reordering"]
    assert emp["besides"] == ["frames that make no sense"]
    assert "restart of either side" in str(emp["not_here"])


OUTSIDE = """protocol world_index

device out(n: u8)

property all_told safety "What went out was told."

process P
  external event go(n: u8)

  state ONE initial
    on go(n)  / out(n)

world one
  nodes a
  bound most = 2
  variable seen:  bool[2]
  variable told: u8

  host P.go(told) at a
    when told < most / told := told + 1

  observe out(n)
    seen[n] := true
    assert all_told: seen[n]

  end when told == most

check two
  world most = 2

check three "One more than the world has room for."
  world most = 3
"""


def test_an_index_outside_an_array_of_the_world_is_told(tmp_path: Path) -> None:
    """By its place, in both engines; not by a verifier that crashes."""
    (tmp_path / "outside.hsm").write_text(OUTSIDE)
    result = hsmc(tmp_path, *"verify outside.hsm three --kind safety".split())
    assert result.returncode == 1
    assert result.stdout.count("VIOLATED: index_in_bounds") == 2
    assert "of the world, at outside.hsm:23" in result.stdout


def test_a_world_with_every_kind_of_line(tmp_path: Path) -> None:
    """Both engines store as many states; a difference would be status 1."""
    command = "verify tests/compiler/features/world.hsm --level nightly --json --output"
    result = hsmc(TOP, *command.split(), str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    records = report(result)
    found = {(str(r["config"]), str(r["kind"])): r["states"] for r in records}
    assert found == {
        ("courier/one", "safety"): 55,
        ("courier/one", "liveness"): 227,
        ("courier/several", "safety"): 65,
        ("courier/several", "liveness"): 173,
    }
    assert records[0]["besides"] == [
        "loss up to a limit",
        "duplication up to a limit",
        "strikes",
    ]
    assert records[0]["not_here"] == ["reordering"]


@long
def test_two_worlds(tmp_path: Path) -> None:
    """Each check is searched in its own, with lines for all nodes and values."""
    command = "verify tests/compiler/features/worlds.hsm --json --output"
    result = hsmc(TOP, *command.split(), str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    found = {(str(r["config"]), str(r["kind"])): r["states"] for r in report(result)}
    assert found == {
        ("lamps/both", "safety"): 17,
        ("lamps/both", "liveness"): 48,
        ("lamps/alone", "safety"): 7,
        ("lamps/alone", "liveness"): 13,
    }


def test_what_always_holds(tmp_path: Path) -> None:
    """It is asserted when the event is over, in the model and when the trail is executed again."""
    text = (TOP / "tests/compiler/features/worlds.hsm").read_text()
    spec = tmp_path / "lamps.hsm"
    spec.write_text(text.replace("fault Lamp.fuse(false)", "fault Lamp.fuse(true)"))
    found = hsmc(tmp_path, *"verify lamps.hsm both --kind safety".split())
    assert found.returncode == 1, found.stderr
    assert found.stdout.count("VIOLATED: dark_without_fuse") == 2
    trail = "build/verify/lamps/both/dark_without_fuse/counterexample.trail"
    again = hsmc(tmp_path, "replay", trail)
    assert again.returncode == 0, again.stdout
    assert "2 transitions; violates dark_without_fuse" in again.stdout


def test_a_queue_as_long_as_a_check_says(tmp_path: Path) -> None:
    """`keeps services` was moved up by as many places as the spec has services, though the check has fewer: beyond the
    array."""
    command = (
        "verify spec/fetch/fetch.hsm waiting --kind safety --engine c --json --output"
    )
    result = hsmc(TOP, *command.split(), str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert [record["states"] for record in report(result)] == 2 * [10847]


def test_a_search_cut_short_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "abp.hsm").write_text(ABP)
    command = "verify abp.hsm --level quick --kind safety --engine c".split()
    for limit, why in (
        ("--depth 10", "the depth limit of 10 steps was reached"),
        ("--memory 1", "the memory limit of 1 MB was reached"),
        ("--storage bitstate", "bitstate hashing: states may have been missed"),
        ("--storage hash-compact", "hash compaction"),
    ):
        result = hsmc(tmp_path, *command, *limit.split())
        assert result.returncode == 1
        assert f"INCOMPLETE, no proof: {why}" in result.stdout
        assert "0 exhaustive" in result.stdout
    accepted = hsmc(tmp_path, *command, "--depth", "10", "--accept-incomplete")
    assert accepted.returncode == 0
    assert "no proof" in accepted.stdout


def test_one_property_only(tmp_path: Path) -> None:
    """The bug breaks no_early_completion first; asked about another property, the search goes on to what follows."""
    seeded(tmp_path, HASTY)
    command = "verify abp.hsm --level quick --engine c --json --property"
    result = hsmc(tmp_path, *command.split(), "delivered_once")
    (record,) = report(result)
    assert (record["only"], record["property"]) == ("delivered_once", "never_event")


def test_engines_that_differ() -> None:
    def run(engine: str, states: int, violated: str = "") -> Run:
        search = Search("abp", "two", engine, "safety", {}, {}, [], [], [], Path("."))
        return Run(search, states=states, errors=bool(violated), violated=violated)

    assert verdicts.unequal([run("promela", 5), run("c", 5)]) == []
    ((problem, search),) = verdicts.unequal([run("promela", 5), run("c", 6)])
    assert "stores 5 states" in problem and "6: the two back ends differ" in problem
    assert search.check == "two"
    ((problem, _),) = verdicts.unequal([run("promela", 5), run("c", 3, "order")])
    assert "promela safety: holds" in problem and "VIOLATED: order" in problem
    assert verdicts.unequal([run("promela", 3, "order"), run("c", 4, "order")]) == []


def test_the_first_difference_between_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first step and the line of the spec, when one back end computes something else."""
    subject = Subject(TOP / "spec/abp/abp.hsm", tmp_path / "same")
    check = subject.protocol.checks[0].name
    assert "show no difference" in divergence.find_divergence(subject, check)
    right = PromelaWriter._binary

    def wrong(writer: PromelaWriter, node: ir.Binary) -> str:
        return "0" if node.operator == "-" else right(writer, node)

    monkeypatch.setattr(PromelaWriter, "_binary", wrong)
    subject = Subject(TOP / "spec/abp/abp.hsm", tmp_path / "other")
    told = divergence.find_divergence(subject, check)
    first, place, what, written = told.split("\n")[:4]
    assert first.startswith("promela and the interpreter part at step ")
    assert "/ bit := 1 - bit" in place or "/ expected := 1 - expected" in place
    line = int(place.split(":")[1])
    assert "1 - " in ABP.split("\n")[line - 1]
    assert what.strip() in (
        "Sender.bit=1 is missing",
        "Receiver.expected=1 is missing",
    )
    assert written.strip() == f"written at abp.hsm:{line}"


def test_numbers_in_verifier_output_are_unsigned() -> None:
    """Promela prints a parameter of 32 bits with its sign."""
    program = Program(compile_spec(TOP / "spec/abp/abp.hsm"))
    told = narration.NarrationReader(program).read(
        "@ initialise 0 -2147483648\n@ set 0 timeout -1\n"
    )
    assert told.parameters == [[0x80000000]]
    assert [step.values for step in told.steps] == [[0xFFFFFFFF]]


# --- what can go wrong


@pytest.mark.parametrize(
    "arguments, message",
    [
        ("abp.hsm two_itms", "did you mean 'two_items'?"),
        ("abp.hsm --property delivered_onc", "did you mean 'delivered_once'?"),
        ("two_items", "name a spec"),
        ("abp.hsm abp.hsm", "two of the specs are of the same protocol"),
        ("abp.hsm --depth 0", "--depth and --memory take numbers from 1 on"),
        ("other.hsm", "other.hsm has no world in which its checks could be searched"),
    ],
)
def test_wrong_usage(arguments: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "abp.hsm").write_text(ABP)
    before, _, rest = ABP.replace("protocol abp", "protocol other").partition("world")
    other = before + "check" + rest.partition("\ncheck")[2]
    (tmp_path / "other.hsm").write_text(other)
    status, said = inside(tmp_path, "verify", *arguments.split())
    assert status == 2
    assert message in said


@pytest.mark.parametrize("tool", ["spin", "gcc", "tcc"])
def test_a_tool_is_missing(tool: str, tmp_path: Path) -> None:
    (tmp_path / "abp.hsm").write_text(ABP)
    tools = tmp_path / "tools"
    tools.mkdir()
    for other in {"spin", "gcc", "tcc"} - {tool}:
        (tools / other).symlink_to(str(shutil.which(other)))
    result = hsmc(tmp_path, "verify", "abp.hsm", path=str(tools))
    assert result.returncode == 2
    assert f"{tool} is not installed" in result.stderr


def test_a_verifier_of_another_spin(tmp_path: Path) -> None:
    """Our hash takes the place of SPIN's in its text. Where that text is another one, it must not be left out in silence."""
    spin = tmp_path / "bin" / "spin"
    spin.parent.mkdir()
    spin.write_text(
        f'#!/bin/sh\n{shutil.which("spin")} "$@" && sed -i "s/hasher = d_sfh;/hasher = other;/" pan.c\n'
    )
    spin.chmod(0o755)
    (tmp_path / "abp.hsm").write_text(ABP)
    path = f"{spin.parent}:{os.environ['PATH']}"
    result = hsmc(tmp_path, "verify", "abp.hsm", path=path)
    assert result.returncode == 2
    assert "is not as SPIN 6.5 makes it: 'hasher = d_sfh;'" in result.stderr


def test_a_verifier_touches_what_its_search_needs(tmp_path: Path) -> None:
    """Its stack for 4 million steps would be more than 200 MB."""
    (tmp_path / "abp.hsm").write_text(ABP)
    command = ["verify", "abp.hsm", "--engine", "c", "--kind", "safety"]
    assert hsmc(tmp_path, *command).returncode == 0
    pan = next(iter(tmp_path.rglob("pan")))
    # A process begins with what its parent has; that of these tests may have more.
    measure = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    process = subprocess.run(
        [sys.executable, "-c", measure, pan, "-m4000000", "-w22"],
        cwd=pan.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(process.stdout) < 100 << 10


# --- the page


@long
def test_tutorial(tmp_path: Path) -> None:
    follow(TOP / "docs/verification.md", "Break ABP", tmp_path / "abp.hsm", ABP)


@pytest.mark.parametrize("module", [narration, native])
def test_examples_in_the_code(module: types.ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
