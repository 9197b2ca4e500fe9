# SPDX-License-Identifier: MIT
"""tigonsim explain: the segments of a message add up to its latency, messages follow each other without a gap, and a
number of the simulator that changes shows in its own segment alone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

TOP = Path.cwd()
TIGONSIM = TOP / "build/tests/tigonsim"
PING = TOP / "sim/scenarios/emp-ping.scenario"
SWITCH = TOP / "sim/scenarios/emp-switch.scenario"
NS = 0.002  # times are rounded to a picosecond each


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TIGONSIM), "explain", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


def explain(which: str, *arguments: object, scenario: Path = PING) -> Any:
    done = run(which, scenario, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["message"]


def lengths(message: Any) -> dict[str, float]:
    return {segment["segment"]: segment["ns"] for segment in message["segments"]}


def test_segments_add_up() -> None:
    message = explain("right:20")
    expected = 0.0
    for segment in message["segments"]:
        assert segment["from_ns"] == pytest.approx(expected, abs=NS)
        expected += segment["ns"]
        if segment["kind"] in ("core", "wait"):
            assert sum(segment["function_ns"].values()) == pytest.approx(
                segment["ns"], abs=NS * 10
            )
    assert message["latency_ns"] == pytest.approx(expected, abs=NS)
    kinds = [segment["kind"] for segment in message["segments"]]
    assert kinds == [
        "host",
        "wait",
        "core",
        "dma_read",
        "mac",
        "wire",
        "wait",
        "core",
        "dma_write",
        "wait",
        "core",
        "host",
    ]
    boards = [segment["board"] for segment in message["segments"]]
    assert boards == ["left"] * 6 + ["right"] * 6


def test_messages_follow_each_other() -> None:
    """The host that saw a message end sends the next one at once. So the times of all make up the run."""
    there, back, again = (
        explain(which) for which in ("right:20", "left:20", "right:21")
    )
    assert there["started_ns"] + there["latency_ns"] == pytest.approx(
        back["started_ns"], abs=NS
    )
    assert back["started_ns"] + back["latency_ns"] == pytest.approx(
        again["started_ns"], abs=NS
    )


def test_a_longer_fibre_shows_on_the_wire_alone() -> None:
    """Of the first message: later ones may meet other work of a core."""
    near = explain("right:0")
    far = explain("right:0", "--set=wire_propagation_ns=700")
    before, after = lengths(near), lengths(far)
    wire = "wire: first byte sent to last byte received"
    assert after[wire] - before[wire] == pytest.approx(500, abs=NS)
    own = (
        "DMA read of the data",
        "MAC, frames that go before",
        "DMA write of the data",
    )
    for name in own:
        assert after[name] == pytest.approx(before[name], abs=NS)


def test_through_a_switch() -> None:
    message = explain("north:3", scenario=SWITCH)
    assert message["segments"][0]["board"] != "north"
    assert lengths(message)["wire: first byte sent to last byte received"] > 4200


@pytest.mark.parametrize(
    "which, status, expected",
    [
        ("right:100000", 1, "no program of board right saw the end of message 100000"),
        ("middle:1", 2, "no board is called middle"),
        ("right", 2, "expected BOARD:NUMBER"),
        ("right:-1", 2, "expected BOARD:NUMBER"),
    ],
)
def test_what_cannot_be_explained(which: str, status: int, expected: str) -> None:
    done = run(which, PING)
    assert done.returncode == status
    assert expected in done.stderr


def test_needs_a_message_and_a_scenario() -> None:
    assert run().returncode == 2
    assert "expected a message" in run().stderr
    assert run("--help").returncode == 0
