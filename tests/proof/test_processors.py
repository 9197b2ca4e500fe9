# SPDX-License-Identifier: MIT
"""The proofs of lock, signals and queues, and of generated units, hold (`make prove`, subjects processors and units). What is
broken they find: tests/mutants/test_placement_mutants.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

from models.proof import event_loops, processors, units  # noqa: E402
from models.proof.processors import Traffic  # noqa: E402
from tests.long_tests import one_in  # noqa: E402


@pytest.mark.parametrize("traffic", [Traffic((0, 2), 1), Traffic((1, 1), 1)])
def test_lock_signals_and_queues_are_proved(traffic: Traffic, tmp_path: Path) -> None:
    assert processors.search(traffic, tmp_path, []).states > 1000


@pytest.mark.parametrize("limit", one_in(2, units.LIMITS))
def test_units_are_proved(limit: int, tmp_path: Path) -> None:
    assert units.search(limit, tmp_path, []).states > 10000


def test_event_loops_of_either_processor_are_proved(tmp_path: Path) -> None:
    assert event_loops.search(tmp_path, []).states > 100000
