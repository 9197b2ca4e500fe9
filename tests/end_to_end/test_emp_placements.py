# SPDX-License-Identifier: MIT
"""EMP on both processors of a board: random faults, boards that are killed, traces against the spec, and what it gains."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.programs import TOP, succeeds
from tests.long_tests import one_in
from tests.sim_debug.gdb_session import GDB

BUILDS = [Path("build/modern/DSR"), Path("build/DSR")]
CHECKED = "emp_a_checked.elf"


@pytest.mark.parametrize("build", one_in(2, BUILDS), ids=str)
def test_random_faults(build: Path) -> None:
    said = succeeds(build, "campaign", "10", image=CHECKED)
    assert "800 messages, 0 worlds failed" in said
    sums = json.loads(
        succeeds(build, "campaign_boards", "300", "10", "160", image=CHECKED)
    )
    assert sums["worlds"] == 10 and sums["failed"] == 0


@pytest.mark.parametrize("build", one_in(2, BUILDS), ids=str)
def test_boards_killed_and_loaded_anew(build: Path) -> None:
    """Processor B is stopped and started with A, wherever it was."""
    assert " 0 ends unexplained" in succeeds(build, "kills", "8", image=CHECKED)
    assert "; 0 not as they must be" in succeeds(
        build, "restarts", "5000", "20", image=CHECKED
    )


@pytest.mark.parametrize(
    "profile, build",
    one_in(2, zip(("modern", "paper"), BUILDS)),
    ids=("modern", "paper"),
)
def test_traces_agree_with_the_spec(profile: str, build: Path) -> None:
    result = subprocess.run(
        ["scripts/conform.py", "--worlds=5", f"--profile={profile}"]
        + [f"--build={build}"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    observed = [line for line in result.stdout.splitlines() if "observed image" in line]
    for line in observed:
        replayed = re.search(r"(\d+) events replayed, (\d+) end states", line)
        assert replayed and int(replayed[1]) > 100 and int(replayed[2]) > 1, line
    assert len(observed) == 2


def both_ways(build: Path) -> float:
    """Of messages of 64 KiB, in Mb/s of simulated time: the same on every machine."""
    command = [build / "host/emp_demo", "sweep", "--quiet", "--json=-", "--both-ways"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", "--size=65536"]
    result = subprocess.run(
        [*map(str, command), "--iterations=1"], cwd=TOP, check=True, capture_output=True
    )
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return float(found[0]["both_ways_mbps"])


def test_a_board_sends_and_receives_at_once() -> None:
    one = both_ways(Path("build/modern"))
    two = both_ways(Path("build/modern/DSR"))
    assert two > 1850 and two > 1.08 * one


def test_each_processor_runs_its_half() -> None:
    """What the spec places on B is in B's scratchpad or in no other unit; A has nothing of it."""
    image = TOP / "build/DSR/firmware/emp_a.elf"
    listed = subprocess.run(
        ["mips-linux-gnu-nm", str(image)], check=True, capture_output=True, text=True
    ).stdout
    names = [line.split()[-1] for line in listed.splitlines()]
    assert names.count("emp_on_receive_frame") == 1
    assert names.count("tigon2_on_receive") == 1
    second = subprocess.run(
        ["mips-linux-gnu-nm"]
        + [str(TOP / "build/DSR/firmware/emp/image_second/second.o")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "emp_on_receive_frame" in second and "emp_transmit_frame" not in second


def test_gdb_has_a_file_for_each_processor() -> None:
    """Each names what lies in its processor's scratchpad, where the other one has something else at the same address."""
    firmware = TOP / "build/DSR/firmware"
    symbols = subprocess.run(
        ["mips-linux-gnu-objdump", "-t", str(firmware / "emp_a.elf")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = re.search(r"^(\w+) .* \.second\t\w+ emp_accept$", symbols, re.MULTILINE)
    assert found
    inside = int(found[1], 16) + 16
    lines = [
        subprocess.run(
            [*GDB, "-ex", f"info line *{inside}", str(firmware / name)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for name in ("emp_a.elf", "emp_b.elf")
    ]
    assert "<emp_accept+" in lines[1] and "<emp_accept+" not in lines[0], lines
