# SPDX-License-Identifier: MIT
"""What generated code costs on the simulated core, compared with the same protocol written by hand.

The figures are those of the compiler the packages name and of the core's timing (sim/timing.h): both are
deterministic, so the exact cycles are pinned. When they change on purpose: read the table (`make bench`), then change
them here and in docs/generated-code.md.
"""

from __future__ import annotations

import re

import pytest

from tests.overhead import overhead_table
from tests.overhead.overhead_table import Measurement, measure

# event: cycles generated, by hand
PINNED = {
    "submit": (66, 67),
    "data": (62, 61),
    "ack": (45, 43),
    "late_ack": (23, 21),
    "stale_ack": (31, 28),
    "time_out": (68, 64),
    "repeated_data": (52, 51),
    "refused": (40, 38),
    "unknown": (39, 38),
    "never": (28, 28),
}
OVERHEAD_LIMIT = 0.05
TRACE_RECORD_LIMIT = 30  # cycles


@pytest.fixture(scope="module")
def generated() -> Measurement:
    return measure("generated")


@pytest.fixture(scope="module")
def hand() -> Measurement:
    return measure("hand")


def test_same_behaviour(generated: Measurement, hand: Measurement) -> None:
    assert generated.trail == hand.trail == measure("generated_trace").trail


def test_overhead_of_a_message(generated: Measurement, hand: Measurement) -> None:
    """The goal: at most 5 % on the way of a message that is not lost."""
    assert generated.ping_pong <= hand.ping_pong * (1 + OVERHEAD_LIMIT)


def test_cycles(generated: Measurement, hand: Measurement) -> None:
    measured = {
        name: (generated.events[name].cycles, hand.events[name].cycles)
        for name in generated.events
    }
    assert measured == PINNED


def test_trace_record(generated: Measurement) -> None:
    """A record for each transition, none for an event that takes none."""
    traced = measure("generated_trace")
    for name in overhead_table.PING_PONG:
        more = traced.events[name].cycles - generated.events[name].cycles
        assert 10 < more <= TRACE_RECORD_LIMIT, name


def test_page(generated: Measurement, hand: Measurement) -> None:
    """docs/generated-code.md tells these figures and no others, and shows the code as it is."""
    page = (overhead_table.ROOT / "docs/generated-code.md").read_text()
    rows = re.findall(r"^\| ([a-z ]+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    told = {name.replace(" ", "_"): (int(a), int(b)) for name, a, b in rows}
    assert told == PINNED
    assert f"{generated.ping_pong} cycles against {hand.ping_pong}" in page
    code = [overhead_table.sizes(image).code for image in ("generated", "hand")]
    assert f"{code[0]} bytes of code against {code[1]}" in page
    source = (overhead_table.BUILD / "gen/abp/abp.c").read_text()
    (shown,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    lines_aside = [re.sub(r"hsm:\d+", "hsm:N", text) for text in (shown, source)]
    assert lines_aside[0] in lines_aside[1]


def test_table() -> None:
    assert "submit+data+ack" in overhead_table.table()
