# SPDX-License-Identifier: MIT
"""The relay firmware: text in SRAM, both cores on one ring, low rings; alone, with faults and on a switch."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

DIRECTORY = Path("tests/relay").resolve()
SCENARIO = DIRECTORY / "relay.scenario"


def run(
    *arguments: str | Path, program: str = "build/tigonsim"
) -> tuple[int, dict[str, Any]]:
    result = subprocess.run(
        [program, "run", *map(str, arguments), "--json", "--quiet"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert "Sanitizer" not in result.stderr, result.stderr
    assert "runtime error" not in result.stderr, result.stderr
    return result.returncode, json.loads(result.stdout)


def changed(directory: Path, *changes: tuple[str, str]) -> Path:
    text = SCENARIO.read_text().replace("../../build", str(DIRECTORY / "../../build"))
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path = directory / "changed.scenario"
    path.write_text(text)
    return path


def faults(*lines: str) -> tuple[str, str]:
    told = ", ".join(f'"{line}"' for line in lines)
    return ("stop =", f"faults = ( {told} );\nstop =")


def left(results: dict[str, Any]) -> dict[str, Any]:
    board = results["boards"][0]
    assert isinstance(board, dict)
    return board


def without_parking(results: dict[str, Any]) -> dict[str, Any]:
    for board in results["boards"]:
        for core in ("core_a", "core_b"):
            del board["statistics"][core]["parked_cycles"]
    return results


def test_all_frames_come_back() -> None:
    status, results = run(SCENARIO)
    assert status == 0
    board = left(results)
    assert board["figures"]["frames taken"] == board["figures"]["frames kept"] == 600
    assert board["figures"]["sent anew"] == 0
    assert board["figures"]["waits for the semaphore"] > 0
    statistics = board["statistics"]
    # A write for each frame and a read for each piece go by the low rings, all else by the high ones.
    assert statistics["dma_write"]["ring_low"] == 600
    assert statistics["dma_read"]["ring_low"] > 900
    assert statistics["dma_write"]["ring_high"] > 600
    assert statistics["host_interrupts"] < 600


@pytest.mark.parametrize(
    "options",
    [
        ["--set=idle_parking=0"],
        ["--set=native_code=0"],
        ["--profile=/dev/null"],
        ["--vcd=/dev/null"],
    ],
)
def test_results_are_those_of_any_way_of_running(options: list[str]) -> None:
    plain = without_parking(run(SCENARIO)[1])
    assert without_parking(run(SCENARIO, *options)[1]) == plain


@pytest.mark.parametrize(
    "knobs",
    [
        ["sram_bytes=512K"],
        ["sram_bytes=2M", "bus_kind=32/33"],
        ["host_memory_base=0x12FFF0000", "transmit_cut_through=0"],
    ],
)
def test_other_boards(knobs: list[str]) -> None:
    status, results = run(
        SCENARIO, *(f"--set={knob}" for knob in knobs), program="build/tests/tigonsim"
    )
    assert status == 0, results["problems"]
    assert left(results)["figures"]["sent anew"] == 0


@pytest.mark.parametrize(
    "lines",
    [
        ["left<->right: lose 1%"],
        ["left->right: corrupt 1%", "right->left: truncate to 30 1%"],
        ["left<->right: duplicate 3%"],
        ["left<->right: unplug at 25 ms for 5 ms"],
    ],
)
def test_what_the_wire_does_is_mended(tmp_path: Path, lines: list[str]) -> None:
    status, results = run(changed(tmp_path, faults(*lines)))
    assert status == 0, results["problems"]
    assert all(fault["hits"] > 0 for fault in results["faults"])
    if "unplug" in lines[0]:
        assert left(results)["figures"]["link changes"] == 1


def test_dma_that_fails_is_done_once_more(tmp_path: Path) -> None:
    lines = ["left: fail dma read transfers 40-45", "right: fail dma write 0.5%"]
    status, results = run(changed(tmp_path, faults(*lines)))
    assert status == 0, results["problems"]
    assert left(results)["figures"]["failed dma"] == 6
    assert left(results)["figures"]["sent anew"] == 0


def test_labels_of_the_assembler_are_functions() -> None:
    """start.S says no `.type`: profile and report know its global labels all the same."""
    profile = Path("build/tests/relay.profile")
    report = Path("build/tests/relay.report")
    run(SCENARIO, f"--profile={profile}", f"--report={report}", "--until=20ms")
    lines = [line.split() for line in profile.read_text().splitlines()]
    named = {words[0] for words in lines if words}
    assert {"start_a", "loop_a", "loop_b", "nothing", "host_has_written"} <= named
    assert "at_" not in profile.read_text()
    assert "CPU B: running; pc 0000" in report.read_text()
    assert "loop_b+" in report.read_text() or "nothing+" in report.read_text()


def test_three_boards_on_a_switch(tmp_path: Path) -> None:
    third = (
        '  { name = "right"; image',
        '  { name = "third"; image = "@/relay.elf"; load = "host"; },\n  { name = "right"; image',
    )
    build = str(DIRECTORY / "../../build/relay")
    text = changed(
        tmp_path,
        ('  { name = "right"; image', third[1].replace("@", build)),
        (
            'wires = ( { between = [ "left", "right" ]; } );',
            'switches = ( { name = "box"; ports = 3; } );\nwires = ( '
            '{ between = [ "left", "box:0" ]; }, { between = [ "third", "box:1" ]; }, '
            '{ between = [ "right", "box:2" ]; } );',
        ),
        ('"ask", "1"', '"ask", "2"'),
        (
            "programs = (",
            f'programs = (\n  {{ board = "third"; run = "{build}/relay.so"; '
            'arguments = [ "ask", "2", "0", "300" ]; },',
        ),
    )
    status, results = run(text)
    assert status == 0, results["problems"]
    assert results["boards"][2]["figures"]["frames taken"] >= 900
