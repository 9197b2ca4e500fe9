# SPDX-License-Identifier: MIT
"""The driver's checks (host/driver/endpoint.h) in user space, with the sanitizers, on simulated boards."""

from pathlib import Path

import pytest
from tests.end_to_end.programs import succeeds

BUILD = Path("build/modern/nodes-64/boards-16")  # host/driver/build.mk


@pytest.mark.parametrize(
    "program", ["test_endpoint", "test_flashable", "test_hostile", "test_share"]
)
def test_program(program: str) -> None:
    assert "OK ]" in succeeds(BUILD, f"driver/{program}")
