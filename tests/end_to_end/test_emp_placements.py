# SPDX-License-Identifier: MIT
"""EMP on both processors of a board: random faults, boards that are killed, traces against the spec, and what it gains."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.programs import TOP, succeeds
from tests.long_tests import one_in
from tests.sim_debug.gdb_session import GDB

BUILDS = [
    Path("build/modern/DSR"),
    Path("build/DSR"),
    Path("build/SO"),
    Path("build/modern/SO"),
    Path("build/RO"),
    Path("build/modern/RO"),
    Path("build/SR"),
    Path("build/modern/SR"),
    Path("build/dynamic"),
    Path("build/modern/dynamic"),
]
CHECKED = "emp_a_checked.elf"


@pytest.mark.parametrize("build", one_in(2, BUILDS), ids=str)
def test_random_faults(build: Path) -> None:
    said = succeeds(build, "campaign", "10", image=CHECKED)
    assert "800 messages, 0 worlds failed" in said
    sums = json.loads(
        succeeds(build, "campaign_boards", "300", "10", "160", image=CHECKED)
    )
    assert sums["worlds"] == 10 and sums["failed"] == 0


@pytest.mark.parametrize("step_ns", one_in(2, [10_000, 5_000]))
@pytest.mark.parametrize("build", one_in(2, BUILDS), ids=str)
def test_boards_killed_and_loaded_anew(build: Path, step_ns: int) -> None:
    """Processor B is stopped and started with A, wherever it was."""
    assert " 0 ends unexplained" in succeeds(build, "kills", "4", image=CHECKED)
    assert "; 0 not as they must be" in succeeds(
        build, "restarts", str(step_ns), "8", image=CHECKED
    )


@pytest.mark.parametrize("build", one_in(2, BUILDS), ids=str)
def test_failed_transfers_stop_the_board(build: Path) -> None:
    """Also where processor B waits for the transfer, and A may wait for B's lock."""
    b_places = build.name in ("DSR", "RO", "SR")
    program = TOP / build / "tests/end_to_end/test_stops"
    result = subprocess.run(
        [program, *(["b"] if b_places else [])],
        cwd=TOP,
        env={**os.environ, "EMP_IMAGE": str(build / "firmware/emp_a.elf")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "build",
    one_in(2, BUILDS),
    ids=str,
)
def test_traces_agree_with_the_spec(build: Path) -> None:
    profile = "modern" if "modern" in build.parts else "paper"
    result = subprocess.run(
        ["scripts/conform.py", "--worlds=5", "--jobs=1", f"--profile={profile}"]
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
        assert replayed and int(replayed[1]) > 100 and int(replayed[2]) > 0, line
    assert len(observed) == 2


def swept(build: Path, *options: str) -> dict[str, Any]:
    """In Mb/s of simulated time: the same on every machine."""
    command = [build / "host/emp_demo", "sweep", "--quiet", "--json=-"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", "--iterations=1"]
    result = subprocess.run(
        [*map(str, command), *options],
        cwd=TOP,
        check=True,
        capture_output=True,
        timeout=60,
    )
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found[0]


def both_ways(build: Path) -> float:
    """Of messages of 64 KiB."""
    return float(swept(build, "--both-ways", "--size=65536")["both_ways_mbps"])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_more_receives_are_posted_than_pages_of_addresses_fit(build: Path) -> None:
    """A page is fetched again while its frame waits, and there the processors need each other. When one of them waited under
    the lock, both waited for ever after some 20 messages.
    """
    found = swept(build, "--size=32768", "--messages=64")
    assert found["messages"] == 64 and found["receives"] > 16
    assert found["bandwidth_mbps"] > 600


def test_a_board_sends_and_receives_at_once() -> None:
    one = both_ways(Path("build/modern"))
    two = both_ways(Path("build/modern/DSR"))
    assert two > 1850 and two > 1.08 * one


STREAM = """
boards = ( {{ name = "left"; image = "{build}/firmware/emp_a.elf"; }}, {{ name = "right"; image = "{build}/firmware/emp_a.elf"; }} );
wires = ( {{ between = [ "left", "right" ]; }} );
programs = (
  {{ board = "left"; run = "{build}/emp/host.so"; arguments = [ "send", "--image=$image", "--peer=1", "--bytes={size}", "--file={here}/sent" ]; }},
  {{ board = "right"; run = "{build}/emp/host.so"; arguments = [ "receive", "--image=$image", "--peer=0", "--bytes={size}", "--output={here}/came" ]; }}
);
stop = {{ time = "5 s"; }};
"""


def streamed(build: Path, directory: Path, size: int = 4, messages: int = 8000) -> Any:
    """Messages one way, on a wire that loses nothing; what the sending board counts."""
    (directory / "sent").write_bytes(
        (bytes(range(250)) * size * messages)[: size * messages]
    )
    scenario = directory / "stream.scenario"
    scenario.write_text(STREAM.format(build=TOP / build, here=directory, size=size))
    command = [str(TOP / "build/tigonsim"), "run", str(scenario), "--json"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert (directory / "came").read_bytes() == (directory / "sent").read_bytes()
    return json.loads(told)["boards"][0]


DYNAMIC = [build for build in BUILDS if build.name == "dynamic"]
HANDING_OVER = [build for build in BUILDS if build.name in ("RO", "SR")]


@pytest.mark.parametrize("build", HANDING_OVER, ids=str)
def test_the_buffer_of_frames_that_are_not_handed_over_is_given_back(
    build: Path, tmp_path: Path
) -> None:
    """The acknowledgements fill the receive buffer of 384 kB more than once, and A hands over none of them to B, which alone
    gives buffer back. When A did not tell B in time, the MAC dropped frames.
    """
    found = streamed(build, tmp_path)["statistics"]
    assert found["receive_frames"] > 8000
    assert found["dropped_no_buffer"] == 0


@pytest.mark.parametrize("build", HANDING_OVER, ids=str)
def test_no_message_is_refused_because_match_learns_late_of_the_end_of_another(
    build: Path, tmp_path: Path
) -> None:
    """Each is sent once, and so are the announcement and the first contact."""
    assert streamed(build, tmp_path)["statistics"]["transmit_frames"] < 8010


@pytest.mark.parametrize("name, low", [("SO", 40), ("SR", 40), ("RO", 0)])
def test_where_b_transmits_each_processor_has_a_ring_of_reads(
    name: str, low: int, tmp_path: Path
) -> None:
    """A reads the page of addresses of each message, in two pieces, and B its frames."""
    reads = streamed(Path("build") / name, tmp_path, 32768, 20)["statistics"][
        "dma_read"
    ]
    assert reads["errors"] == 0
    assert reads["ring_low"] == low and reads["ring_high"] > 400


@pytest.mark.parametrize("build", DYNAMIC, ids=str)
def test_either_processor_takes_events_and_frames_keep_their_order(
    build: Path, tmp_path: Path
) -> None:
    """A frame that overtook another one would be dropped, and sent again after a time-out or a refusal. What it costs to
    send 2000 messages is one frame each, the announcement and the first contact.
    """
    found = streamed(build, tmp_path, messages=2000)["statistics"]
    assert found["transmit_frames"] < 2010
    for core in ("core_a", "core_b"):
        assert found[core]["locks_taken"] > 1000


def test_raises_cross_on_the_boards() -> None:
    """What puts a message is in the unit that raises, and what a message calls in the other one."""
    books = {"emp_put_transmit_request", "emp_send_transmitted"}
    wire = {"emp_put_send_transmitted", "emp_transmit_request"}
    objects = TOP / "build/SO/firmware/emp"
    for unit, here, there in (
        (objects / "observed.o", books, wire),
        (objects / "observed_second/second.o", wire, books),
    ):
        names = names_of(unit)
        assert here <= names and not there & names, unit


def names_of(unit: Path) -> set[str]:
    listed = subprocess.run(
        ["mips-linux-gnu-nm", "--defined-only", str(unit)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {line.split()[-1] for line in listed.splitlines()}


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
    """Each names the functions in the scratchpad of its processor; the scratchpads have the same addresses."""
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
