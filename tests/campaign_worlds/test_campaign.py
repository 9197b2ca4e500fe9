# SPDX-License-Identifier: MIT
"""Campaigns on boards and on the native port: right firmware passes, the same each time; bugs in the spec are found, and
their worlds shrunk."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
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


# The fast campaign does not find this one, not in 200 000 messages either.
ON_BOARDS_ONLY = "numbers go on after the peer has restarted"
# How many messages boards are given to find a bug. A world that is stuck takes long.
BUGS_ON_BOARDS = {
    "repeated frames are not acknowledged again": 480,
    ON_BOARDS_ONLY: 3_200,
}


def campaign(
    mode: str, build: Path, messages: int, work: Path
) -> tuple[int, str, dict[str, int]]:
    output = work / "campaign.json"
    command = ["scripts/campaign.py", f"--mode={mode}", f"--messages={messages}"]
    result = subprocess.run(
        [
            *command,
            f"--build={build}",
            f"--output={output}",
            "--no-progress",
            "--shrink-seconds=3",
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


@pytest.mark.parametrize("program", ["campaign_fast", "campaign_boards"])
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
