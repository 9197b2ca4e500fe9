# SPDX-License-Identifier: MIT
"""hsmc replay --boards: counterexamples of broken EMPs on the firmware that is built from them.

The trails are kept, because searches are long: HSMC_SEARCH=1 searches anew and follows the page (make campaign does),
HSMC_REFRESH=1 also writes what comes of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import doctest
import io
import json
import os
import re
import shutil
import sys
import types
from pathlib import Path
from typing import Any, Optional

import pytest

TOP = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden"
sys.path[:0] = [str(TOP), str(TOP / "gen")]

from hsmc.compilation.compiler import Compilation
from hsmc.interpreter.interpreter import Program  # noqa: E402
from hsmc.commands.main import main
from hsmc.commands import boards_report  # noqa: E402
from hsmc.workbench import boards, boards_judge, boards_run
from hsmc.workbench.boards_judge import Judge
from hsmc.workbench.boards_plan import Irreproducible, Planner
from hsmc.verification.narration import Step  # noqa: E402
from hsmc.verification.trail import Trail, from_json  # noqa: E402
from tests.long_tests import long  # noqa: E402
from tests.tutorial import console  # noqa: E402

REFRESH = bool(os.environ.get("HSMC_REFRESH"))
SEARCH = REFRESH or bool(os.environ.get("HSMC_SEARCH"))

# A world so small that counterexamples are short.
ONE_FRAME = """
check one_frame in exchange "One message of one frame."
  set node_limit = 2, send_limit = 1, receive_limit = 1, descriptor_limit = 1, frame_limit = 1
  set collection_window = 2
  world messages = 1, frames = 1, in_flight = 2

check one_restart in exchange "The same, and a node restarts."
  set node_limit = 2, send_limit = 1, receive_limit = 1, descriptor_limit = 1, frame_limit = 1
  set collection_window = 2
  world messages = 1, frames = 1, restarts = 1, acquainted = 1, in_flight = 1
"""
# A world where the receiving host may take its receive back.
ONE_CANCEL = """
check one_cancel in exchange "One message of one frame, and a cancel."
  set node_limit = 2, send_limit = 1, receive_limit = 1, descriptor_limit = 1, frame_limit = 1
  set collection_window = 2
  world messages = 1, frames = 1, cancels = 1, in_flight = 2
"""
# A file, what stands there so often, and what instead.
Change = tuple[str, str, str, int]
# Repeated frames are not acknowledged again.
FORGETFUL = ("receive.hsm", "; raise Acknowledge.acknowledge(f)", "", 4)
# What has come is acknowledged before it is in the host's memory.
HASTY = (
    "receive.hsm",
    "accept(r, f, f.size == 1)\n",
    "accept(r, f, f.size == 1)\n  if f.size == 1  @paper\n    raise Acknowledge.acknowledge(f)\n",
    1,
)
# Who hears of another incarnation of the peer counts it and goes on.
FAITHFUL = ("send.hsm", "/ lose_peer(f)\n", "/ count frames_malformed\n", 1)


# What is cancelled stays on the list; a mark keeps it from being cancelled twice.
CLINGING = [
    (
        "  take_off(descriptor, before)\n  complete",
        "  Posted[descriptor].length := 4000\n  complete",
    ),
    (
        "let found = Posted[before].next == c.descriptor + 1\n",
        "let found = Posted[before].next == c.descriptor + 1 and Posted[c.descriptor].length != 4000\n",
    ),
]


def copied(
    directory: Path, change: Optional[Change] = None, world: str = ONE_FRAME
) -> Path:
    """The spec with the small worlds, and perhaps a bug."""
    shutil.copytree(
        TOP / "spec/emp",
        directory / "emp",
        ignore=lambda _, names: [n for n in names if not n.endswith(".hsm")],
    )
    spec = directory / "emp/emp.hsm"
    spec.write_text(spec.read_text() + world)
    if change is not None:
        file, old, new, times = change
        changed = directory / "emp" / file
        assert changed.read_text().count(old) == times, "mend the bug"
        changed.write_text(changed.read_text().replace(old, new))
    return spec


def hsmc(directory: Path, *arguments: str) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.chdir(directory), contextlib.redirect_stdout(said):
        with contextlib.redirect_stderr(said):
            status = main(arguments)
    return status, said.getvalue()


def golden_trail(
    directory: Path, name: str, kind: str, check: str = "one_frame"
) -> Path:
    """What hsmc verify finds in the spec there."""
    path = GOLDEN / f"{name if check == 'one_frame' else check}.trail"
    if not SEARCH:
        return path
    command = f"verify emp/emp.hsm {check} --engine c --kind {kind}"
    if check == "one_cancel":  # something else is violated sooner
        command += f" --property {name}"
    status, said = hsmc(directory, *command.split())
    assert status == 1, said
    found = directory / f"build/verify/emp/{check}/{name}/counterexample.trail"
    if REFRESH:
        shutil.copy(found, path)
    return found


def replayed(
    directory: Path, trail: Path, *more: str
) -> tuple[int, dict[str, Any], str]:
    status, said = hsmc(
        directory, "replay", "--boards", "--turns=20", "--json", str(trail), *more
    )
    assert said.startswith("{"), said
    record: dict[str, Any] = json.loads(said)
    return status, record, said


def test_endless_retransmission(tmp_path: Path) -> None:
    """Found by liveness; on the boards the same frame for ever; with the mended spec an acknowledgement."""
    spec = copied(tmp_path, FORGETFUL)
    trail = golden_trail(tmp_path, "every_send_completes", "liveness")
    status, record, said = replayed(tmp_path, trail)
    assert status == 0, said
    assert record["problems"] == [] and record["deviation"] is None
    (shows,) = record["shows"]
    assert (
        "in each of 19 more turns of the cycle the boards send the same frame" in shows
    )
    assert "send 0 of host 0 never finishes" in shows
    turns = [step for step in record["steps"] if step["turn"] == 7]
    sent = [frame for step in turns for frame in step["wire"]]
    assert [(frame["kind"], frame["message"], frame["frame"]) for frame in sent] == [
        (1, 65536, 0)
    ]

    shutil.rmtree(spec.parent)
    copied(tmp_path)
    status, record, said = replayed(tmp_path, trail)
    assert status == 1
    assert "takes Match.LISTENING.header.5, Acknowledge.READY" in record["deviation"]
    last = record["steps"][-1]
    assert last["boards"][1][-1] == "Acknowledge.READY.acknowledge.0"
    assert [frame["kind"] for frame in last["wire"]] == [3]


@long
def test_acknowledged_too_early(tmp_path: Path) -> None:
    """The wire sees the acknowledgement, and the host that its memory has nothing of the message."""
    copied(tmp_path, HASTY)
    trail = golden_trail(tmp_path, "no_early_acknowledgement", "safety")
    status, record, said = replayed(tmp_path, trail)
    assert status == 0, said
    assert record["where"] == "seen by hosts and on the wire"
    (shows,) = record["shows"]
    assert shows.endswith("but its host's memory lacks frame 0 of message 0")


@long
def test_a_board_restarts(tmp_path: Path) -> None:
    """A sender that does not heed the refusals of another incarnation sends to the former one for ever."""
    copied(tmp_path, FAITHFUL)
    trail = golden_trail(tmp_path, "every_send_completes", "liveness", "one_restart")
    status, record, said = replayed(tmp_path, trail)
    assert status == 0, said
    assert record["problems"] == [] and record["deviation"] is None
    (shows,) = record["shows"]
    assert "in each of 19 more turns of the cycle the boards send the same" in shows
    # Before the restart and after it the host posts a receive: either may be the one that is open.
    assert re.search("send 0 of host 0 and receive [01] of host 1 never finish", shows)
    # In the world that was searched the numbers of incarnations begin in the middle, and rise or fall.
    (restarted,) = [s for s in record["steps"] if s["command"].startswith("restart 1 ")]
    number = int(restarted["command"].split()[-1])
    assert number in (1, 3)
    refused = [
        frame
        for step in record["steps"]
        if step["step"] > restarted["step"] and step["turn"] == 0
        for frame in step["wire"]
        if frame["kind"] == 4
    ]
    assert [(f["length"], f["frame"]) for f in refused] == [(2, 256 * number)]

    # A parameter that is set while all that goes on changes nothing of it.
    content = json.loads(trail.read_text())
    content["steps"].insert(
        0, {"do": "set", "node": 0, "parameter": "collection_size", "value": 2}
    )
    content["loop"] += 1
    other = tmp_path / "other.trail"
    other.write_text(json.dumps(content))
    status, record, said = replayed(tmp_path, other)
    assert status == 0, said
    assert record["steps"][0]["command"] == "parameter 0 collection_size 2"


@long
def test_bytes_in_a_cancelled_receive(tmp_path: Path) -> None:
    """The host has its memory back, and sees a message come into it."""
    copied(tmp_path, None, ONE_CANCEL)
    receive = tmp_path / "emp/receive.hsm"
    for old, new in CLINGING:
        assert receive.read_text().count(old) == 1, "mend the bug"
        receive.write_text(receive.read_text().replace(old, new))
    trail = golden_trail(tmp_path, "descriptor_once", "safety", "one_cancel")
    status, record, said = replayed(tmp_path, trail)
    assert status == 0, said
    assert record["where"] == "seen by hosts once all is written to their memory"
    (shows,) = record["shows"]
    assert shows == "receive 0 of host 1 is finished, and its memory changes"
    commands = [step["command"] for step in record["steps"]]
    assert "cancel 1 0" in commands
    status, said = hsmc(tmp_path, "replay", str(trail))
    assert status == 0 and "violates descriptor_once" in said, said

    shutil.rmtree(tmp_path / "emp")
    copied(tmp_path, None, ONE_CANCEL)
    status, record, said = replayed(tmp_path, trail)
    assert status == 1
    assert "takes Match.LISTENING.header.3" in record["deviation"]


@pytest.mark.skipif(not SEARCH, reason="a minute of searches: HSMC_SEARCH=1")
def test_page(tmp_path: Path) -> None:
    page = TOP / "docs/verification.md"
    text = page.read_text()
    before, marker, rest = text.partition("## Break EMP")
    assert marker
    copied(tmp_path)
    parts = rest.split("```console\n")
    for number, part in enumerate(parts[1:], 1):
        block, _, after = part.partition("```\n")
        parts[number] = f"{console(block, tmp_path)}```\n{after}"
    now = before + marker + "```console\n".join(parts)
    if REFRESH:
        page.write_text(now)
    assert now == text or REFRESH


# --- what boards cannot do


@pytest.fixture(name="program", scope="module")
def fixture_program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    spec = copied(tmp_path_factory.mktemp("forgetful"), FORGETFUL)
    protocol = Compilation(spec).resolve({"send_limit": 2, "receive_limit": 2}, None)
    assert protocol is not None
    return Program(protocol)


@pytest.fixture(name="trail")
def fixture_trail(program: Program) -> Trail:
    path = GOLDEN / "every_send_completes.trail"
    return from_json(json.loads(path.read_text()), program, path)


def first(trail: Trail, event: str) -> int:
    return next(i for i, s in enumerate(trail.steps) if s.event == event)


def test_times_let_timers_run_out_when_the_trail_says(
    program: Program, trail: Trail
) -> None:
    plan = Planner(program, trail, 3).plan()
    assert plan.deviation == "" and plan.cycle_closes and plan.held == [1]
    armed = [p for p in plan.steps if p.armed]
    expired = [p for p in plan.steps if p.step.do == "expire"]
    assert len(expired) >= 4
    for planned in expired:
        before = [p for p in armed if p.start < planned.start]
        assert before[-1].duration is not None
        end = before[-1].start + before[-1].duration
        assert planned.start <= end <= planned.start + 4000
    assert armed[-1].duration == 60_000_000  # never
    lines = plan.script("retransmit_timeout")
    assert lines[0] == "hold 1" and lines[-1] == "free 1"


def test_unknown_steps(program: Program, trail: Trail) -> None:
    trail.loop = None
    steps = list(trail.steps)
    trail.steps = [*steps, Step("freeze", 0)]
    with pytest.raises(Irreproducible, match="boards know no 'freeze'"):
        Planner(program, trail, 2).plan()
    trail.steps = [Step("set", 0, "retransmit_timeout", values=[70]), *steps]
    with pytest.raises(Irreproducible, match="what makes timers run out"):
        Planner(program, trail, 2).plan()
    trail.steps = steps
    trail.parameters.append(trail.parameters[0])
    with pytest.raises(Irreproducible, match="two nodes"):
        Planner(program, trail, 2).plan()


def test_frames_with_names_nobody_knows(program: Program, trail: Trail) -> None:
    planner = Planner(program, trail, 2)
    assert planner.identity("NACK frame=257 message=65536 contact=256", 1) == {
        "kind": 4,
        "message": 65536,
        "frame": 257,
        "contact": 256,
    }
    with pytest.raises(Irreproducible, match="no frame is called"):
        planner.identity("PING message=0", 3)
    with pytest.raises(Irreproducible, match="'colour=1' of"):
        planner.identity("DATA colour=1", 3)


def test_a_slot_the_board_would_give_earlier(program: Program, trail: Trail) -> None:
    """A second message posted before the slot of the first: then they are sent in turn, on a board one by one."""
    post = first(trail, "Send.posted")
    slot = first(trail, "Transmit.slot")
    steps = [trail.steps[post], dataclasses.replace(trail.steps[post])]
    steps += [trail.steps[slot]]
    for step in steps:
        step.rows, step.verdict, step.put = [], None, []
    trail.steps, trail.loop = steps, None
    plan = Planner(program, trail, 2).plan()
    assert plan.early == [3] and plan.steps[1].otherwise is False
    # Both orders end alike here. Where they do not, the slot that comes too early is named.
    planner = Planner(program, trail, 2)
    assert (
        "step 3: Transmit.slot comes after Send.posted of step 2"
        in planner._reordered_event()
    )


def test_a_cancel_that_libemp_refuses(program: Program, trail: Trail) -> None:
    """Of what has not been posted; of what has been it is told by its number."""
    post = first(trail, "Match.posted")
    cancel = dataclasses.replace(
        trail.steps[post], event="Match.cancel", values=[0], rows=[], verdict=None
    )
    steps = [dataclasses.replace(trail.steps[post], rows=[], verdict=None), cancel]
    trail.steps, trail.loop = steps, None
    plan = Planner(program, trail, 2).plan()
    assert [planned.command.split()[0] for planned in plan.steps] == ["post", "cancel"]
    assert plan.steps[1].command == "cancel 1 0"
    trail.steps = [*steps, dataclasses.replace(cancel)]
    with pytest.raises(Irreproducible, match="step 3: the host cancels what has ended"):
        Planner(program, trail, 2).plan()


# --- what hosts and wire see


def seen(text: str) -> Judge:
    judge = Judge(payload=1486, first=1478, acknowledgement=3)
    posts = "= post 0 send 7 3064\n= post 0 send 7 100\n"
    posts += "= post 1 receive 7 3064\n= post 1 receive 7 100\n= cancel 1 0\n"
    answers, _ = boards_run.parse(posts + "= idle 1\n" + text + "end 1\n")
    for answer in answers:
        judge.listen(answer)
    return judge


ACK = "put 1 kind=3 position=2 message=65536 frame=2 collection=0 size=3 digest=0x1\n"


@pytest.mark.parametrize(
    "text, violated",
    [
        (
            "memory 1 0 0 0x7\n" + ACK + "done 1 receive 0 0 3064\ndone 0 send 0 0 0\n",
            "",
        ),
        ("memory 1 0 0 0x3\n" + ACK, "no_early_acknowledgement"),
        ("memory 1 0 0 0x5\ndone 0 send 0 0 3064\n", "no_early_completion"),
        ("done 0 send 0 -104 0\n", "no_early_completion"),
        ("memory 1 0 1 0x1\ndone 1 receive 0 0 100\n", "in_order"),
        ("memory 1 0 0 0x7\nmemory 1 1 0 0x1\n", "delivered_once"),
        ("memory 1 0 0 0x3\ndone 1 receive 0 0 3064\n", "intact_placement"),
        ("memory 1 0 0 0x7\ndone 1 receive 0 0 99\n", "intact_placement"),
        ("torn 1 0 0x2\n", "intact_placement"),
        (
            "memory 1 0 0 0x7\ndone 1 receive 0 0 3064\nmemory 1 0 0 0x6\n",
            "descriptor_once",
        ),
        ("done 1 receive 0 -125 0\nmemory 1 1 0 0x7\ndone 1 receive 1 0 3064\n", ""),
        (
            "done 1 receive 0 -125 0\nmemory 1 1 1 0x1\ndone 1 receive 1 0 100\n",
            "in_order",
        ),
        ("done 1 receive 0 -125 0\nmemory 1 0 0 0x7\n", "descriptor_once"),
        ("memory 1 0 0 0x1\ndone 1 receive 0 -125 0\n", "cancelled_unmet"),
        ("done 1 receive 1 -125 0\n", "cancelled_unmet"),
    ],
)
def test_properties_as_hosts_see_them(text: str, violated: str) -> None:
    judge = seen(text)
    assert [name for name, _ in judge.found] == [violated] * bool(violated)


def test_unfinished_requests() -> None:
    judge = seen("done 0 send 0 0 0\ndone 1 receive 1 0 100\n")
    assert judge.unfinished() == ["send 1 of host 0", "receive 0 of host 1"]


@pytest.mark.parametrize("module", [boards_report, boards_judge, boards_run])
def test_examples_of_boards(module: types.ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
