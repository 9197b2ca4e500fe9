# SPDX-License-Identifier: MIT
"""Fixtures for GDB sessions with simulated boards."""

import sys
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.sim_debug.gdb_session import Sessions  # noqa: E402


@pytest.fixture
def directory() -> Iterator[Path]:
    """Short enough for the name of a socket."""
    with tempfile.TemporaryDirectory(prefix="gdb") as name:
        yield Path(name)


@pytest.fixture
def sessions(directory: Path) -> Iterator[Sessions]:
    result = Sessions(directory)
    yield result
    for session in result.open:
        session.close()
