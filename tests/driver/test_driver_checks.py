# SPDX-License-Identifier: MIT
"""The driver's checks (host/driver/endpoint.h) in user space, with the sanitizers, on simulated boards."""

from pathlib import Path

import pytest
from tests.end_to_end.programs import succeeds

BUILD = Path("build/modern/nodes-64/boards-16")  # host/driver/build.mk


def test_the_manual_has_the_measured_costs_of_calls() -> None:
    rows = [
        line
        for line in succeeds(BUILD, "driver/measure_calls").splitlines()
        if line.startswith("| ")
    ]
    assert len(rows) == 8
    manual = Path("docs/driver.md").read_text().splitlines()
    for row in rows[1:]:
        name, *measured = row.strip("| ").split(" | ")
        (told,) = [line for line in manual if line.startswith(f"| {name} |")]
        for found, written in zip(measured, told.strip("| ").split(" | ")[1:]):
            # Changes of the firmware move the last digit.
            assert float(found) == pytest.approx(float(written), rel=0.05, abs=0.05)


@pytest.mark.parametrize(
    "program",
    ["test_endpoint", "test_flashable", "test_hostile", "test_session", "test_share"],
)
def test_program(program: str) -> None:
    assert "OK ]" in succeeds(BUILD, f"driver/{program}")
