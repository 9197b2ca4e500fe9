# SPDX-License-Identifier: MIT
"""The small Ethernet firmware under tigonsim: the scenario that the manual names, and one with faults."""

import json
import subprocess
from pathlib import Path
from typing import Any

SCENARIO = "tests/ethernet/ethernet.scenario"


def run(*arguments: str) -> tuple[int, dict[str, Any]]:
    result = subprocess.run(
        ["build/tigonsim", "run", *arguments, "--json", "--quiet"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return result.returncode, json.loads(result.stdout)


def figures(results: dict[str, Any]) -> list[dict[str, Any]]:
    return [board["figures"] for board in results["boards"]]


def test_the_scenario_passes_and_repeats() -> None:
    status, results = run(SCENARIO)
    assert status == 0
    for figure in figures(results):
        assert figure["received frames"] == 2000
        assert figure["wrong frames"] == 0
        assert figure["received Mb/s"] > 100
    assert run(SCENARIO) == (status, results)


def test_core_b_drives_all_dma() -> None:
    """The log names how each transfer was started: none by the hardware assist."""
    log = Path("build/tests/ethernet.log")
    run(SCENARIO, "--until", "70ms", f"--log={log}:dma")
    lines = log.read_text().splitlines()
    assert len(lines) > 500
    assert all(", by hand, " in line for line in lines)


def test_frames_lost_on_the_wire_are_missed_and_no_others() -> None:
    status, results = run(SCENARIO, "--set", "wire_loss=0.02")
    assert status == 1  # the scenario expects all of them
    lost = [direction["lost"] for direction in results["wires"][0]]
    assert min(lost) > 10
    received = [figure["received frames"] for figure in figures(results)]
    assert sorted(received) == sorted(2000 - count for count in lost)
