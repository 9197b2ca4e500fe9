# SPDX-License-Identifier: MIT
"""Campaigns on boards and on the native port: right firmware passes, the same each time; bugs in the spec are found, and
their worlds shrunk."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hsmc.verification.features_on_boards import rows_in
from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]

# A file of the spec, what stands there, what instead, how often; what the oracle may find.
BUGS = {
    "repeated frames are not acknowledged again": (
        "receive.hsm",
        ("; raise Acknowledge.acknowledge(f)", "", 4),
        {"stuck"},
    ),
    "data are acknowledged before they are in memory": (
        "receive.hsm",
        (
            "accept(r, f, f.size == 1)  @paper\n",
            "accept(r, f, f.size == 1)  @paper\n  if f.size == 1  @paper\n    raise Acknowledge.acknowledge(f)\n",
            1,
        ),
        {"corrupted", "lost"},
    ),
    "numbers go on after the peer has restarted": (
        "send.hsm",
        (
            "  clear SendPeer[f.sender]\n",
            "  let going_on: u32 = SendPeer[f.sender].next_message  @paper\n"
            "  clear SendPeer[f.sender]\n"
            "  SendPeer[f.sender].next_message := going_on          @paper\n"
            "  SendPeer[f.sender].oldest := going_on                @paper\n",
            1,
        ),
        {"stuck"},
    ),
}


PROGRAMS = ["campaign_fast", "campaign_boards"]
FEATURES = """
[[feature]]
name   = "restart"
of     = []
shown  = ["exchange.fault.restart.0"]
boards = ["restart"]

[[feature]]
name  = "sends"
of    = []
shown = ["Send.BOOKKEEPING.posted.*"]

[[feature]]
name  = "too long"
of    = []
shown = ["Send.BOOKKEEPING.posted.0"]

[[feature]]
name   = "hidden"
of     = []
shown  = []
"""

# The fast campaign does not find this one, not in 200 000 messages either.
ON_BOARDS_ONLY = "numbers go on after the peer has restarted"
# How many messages boards are given to find a bug. A world that is stuck takes long.
BUGS_ON_BOARDS = {
    "repeated frames are not acknowledged again": 480,
    ON_BOARDS_ONLY: 3_200,
}


def campaign(
    mode: str, build: Path, messages: int, work: Path, *options: str
) -> tuple[int, str, dict[str, Any]]:
    output = work / "campaign.json"
    command = ["scripts/campaign.py", f"--mode={mode}", f"--messages={messages}"]
    result = subprocess.run(
        [
            *command,
            f"--build={build}",
            f"--output={output}",
            "--no-progress",
            "--shrink-seconds=3",
            *options,
        ],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert output.exists(), result.stdout + result.stderr
    return result.returncode, result.stdout, json.loads(output.read_text())


@pytest.mark.parametrize("mode, messages", [("fast", 200_000), ("boards", 1_600)])
def test_nothing_is_found(mode: str, messages: int, tmp_path: Path) -> None:
    status, said, record = campaign(mode, Path("build"), messages, tmp_path)
    assert status == 0, said
    assert record["messages"] >= messages and record["frames"] > record["messages"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_world_is_the_same_each_time(program: str) -> None:
    """With all faults, restarts and cancels: what happened is the same, to the frame."""
    knobs = (
        "nodes=5 restarts=2 loss=100000 duplicate=200000 delay=100000 reorder=100000"
    )
    knobs += (
        " corrupt=20000 burst_enter=5000 holes=2 unplugs=1 pauses=3 hides=3 jumps=2"
    )
    knobs += " switches=3 through_switch=1"
    command = [f"build/tests/{program}", "17", "2", "300", *knobs.split()]
    runs = [
        subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    counts = json.loads(runs[0].stdout)
    assert runs[0].stdout == runs[1].stdout
    hit = ("frames_dropped", "frames_duplicated", "frames_delayed")
    assert all(counts[name] > 100 for name in hit), counts
    assert counts["restarts"] == 4


def shown_in(program: str, *knobs: str) -> set[str]:
    """By one world: rows that its boards took, and what else happened."""
    command = [f"build/tests/{program}", "17", "1", "200", "rows", *knobs]
    run = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True)
    world, sums = map(json.loads, run.stdout.splitlines())
    _, rows = rows_in(TOP / "build/firmware/emp_a_checked.elf")
    assert set(world["deeds"]) <= set(sums["deeds"])
    return {*(rows[number] for number in world["rows"]), *world["deeds"]}


CALM = (
    "nodes=2 restarts=0 cancel_chance=0 short_chance=0 loss=0 burst_enter=0 duplicate=0"
)
CALM += " corrupt=0 delay=0 reorder=0 truncate=0 lengthen=0 holes=0 unplugs=0 hides=0"
CALM += " jumps=0 pauses=0 switches=0 through_switch=0 incast=0 longest=0"


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "knob, shown",
    [
        ("restarts=1", {"restart"}),
        ("cancel_chance=300000", {"cancel", "Match.LISTENING.cancel.0"}),
        ("longest=1400", {"truncated"}),  # receives are for other messages, too
        ("loss=300000", {"lost"}),
        ("duplicate=300000", {"duplicated", "Match.LISTENING.header.5"}),
        ("delay=300000", {"delayed"}),
        ("longest=9000", {"Transmit.SENDING.slot.0"}),
    ],
)
def test_what_a_world_shows(program: str, knob: str, shown: set[str]) -> None:
    """It has what its faults bring about, and a world without them has not."""
    calm = shown_in(program, *CALM.split())
    assert "Receive.PHY.placed.2" in calm or "Receive.SEND_ACK.placed.2" in calm
    assert not calm & (shown - {"Match.LISTENING.cancel.0"})  # hosts cancel at the end
    assert shown <= shown_in(program, *CALM.split(), knob)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_world_shows_nothing_of_the_one_before(program: str) -> None:
    def worlds(first: int, count: int) -> list[str]:
        command = [f"build/tests/{program}", str(first), str(count), "160", "rows"]
        run = subprocess.run(
            command, cwd=TOP, capture_output=True, text=True, check=True
        )
        return run.stdout.splitlines()[:-1]

    together = worlds(17, 4)
    assert len(set(together)) == 4
    assert together == [worlds(17 + n, 1)[0] for n in range(4)]


@pytest.mark.parametrize("mode, messages", [("fast", 100_000), ("boards", 1_600)])
def test_features_that_meet(mode: str, messages: int, tmp_path: Path) -> None:
    (tmp_path / "emp_features.toml").write_text(FEATURES)
    page = tmp_path / "page.md"
    options = [f"--features={tmp_path / 'emp_features.toml'}", f"--page={page}"]
    status, said, record = campaign(mode, Path("build"), messages, tmp_path, *options)
    assert status == 0, said
    counted = {(one, other): n for one, other, n in record["features"]["met"]}
    assert counted["sends", "sends"] == record["features"]["worlds"] == 10
    assert 0 < counted["restart", "restart"] == counted["restart", "sends"] < 10
    assert "1 of 6 pairs have met in 10 worlds" in said
    assert f"| 2 | sends | {counted['restart', 'sends']} | 10 |  |" in page.read_text()


def test_a_list_that_names_what_no_campaign_has(tmp_path: Path) -> None:
    wrong = tmp_path / "emp_features.toml"
    wrong.write_text(FEATURES.replace('["restart"]', '["restrat"]'))
    command = ["scripts/campaign.py", "--mode=fast", f"--features={wrong}"]
    run = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "the campaign has no restrat; did you mean 'restart'?" in run.stderr


@long
def test_nothing_is_found_among_64_nodes(tmp_path: Path) -> None:
    subprocess.run(
        "make -s PROFILE=modern NODES=64 build/modern/nodes-64/tests/campaign_fast".split(),
        cwd=TOP,
        check=True,
    )
    status, said, record = campaign(
        "fast", Path("build/modern/nodes-64"), 100_000, tmp_path
    )
    assert status == 0, said
    assert record["messages"] >= 100_000


@long
@pytest.mark.parametrize("bug", [name for name in BUGS if name != ON_BOARDS_ONLY])
def test_a_bug_in_the_spec_is_found(bug: str, tmp_path: Path) -> None:
    look_for(bug, "fast", 30_000, tmp_path)


@long
@pytest.mark.parametrize("bug, messages", BUGS_ON_BOARDS.items())
def test_a_bug_in_the_spec_is_found_on_boards(
    bug: str, messages: int, tmp_path: Path
) -> None:
    look_for(bug, "boards", messages, tmp_path)


def look_for(bug: str, mode: str, messages: int, work: Path) -> None:
    file, (old, new, times), findings = BUGS[bug]
    shutil.copytree(TOP / "spec/emp", work / "emp")
    changed = work / "emp" / file
    assert changed.read_text().count(old) == times, "the spec has changed: mend the bug"
    changed.write_text(changed.read_text().replace(old, new))
    build = work / "build"
    program = build / "tests" / f"campaign_{mode}"
    command = ["make", "-s", f"BUILD={build}", f"SPEC_emp={work / 'emp/emp.hsm'}"]
    made = subprocess.run(
        [*command, str(program)], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    status, said, record = campaign(mode, build, messages, work)
    assert status == 1
    assert len(said.splitlines()) <= 40
    assert sum(record[name] for name in findings) > 0, record
    small = next(line for line in said.split("\n") if "and small: " in line)
    again = subprocess.run(
        small.split("and small: ")[1].split(),
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 1
    assert json.loads(again.stdout.split("\n")[0])["finding"] in findings
