# SPDX-License-Identifier: MIT
"""What a model has no room for is refused by `hsmc build`, with the name of the thing, and nothing is written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HSMC = Path(__file__).resolve().parents[2] / "gen" / "bin" / "hsmc"
SPEC = """protocol big
constant size = 40
constant places = 4
pool Job[places] written by P
  done: bits[size]
process P(j: Job)
  external event start(n: u8) creates
  external event step(n: u8)
  state NEW initial
    on start(n) when n < size / set(j.done, n) -> BUSY
    on start else / release j -> GONE
    never step
  state BUSY
    on step(n) when n < size and not has(j.done, n) / set(j.done, n)
    on step else / release j -> GONE
    never start
  state GONE final
placement base
  P on A
check small "Where it fits or not."
  set size = {size}, places = {places}
  world in_flight = 1
"""


def build(tmp_path: Path, size: int, places: int) -> "subprocess.CompletedProcess[str]":
    spec = tmp_path / "big.hsm"
    spec.write_text(SPEC.format(size=size, places=places))
    command: list[str | Path] = [HSMC, "build", spec, "--output", tmp_path / "out"]
    command += ["--check-model-dir", tmp_path / "model"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("size, places", [(31, 32), (8, 2)])
def test_what_fits_is_built(size: int, places: int, tmp_path: Path) -> None:
    result = build(tmp_path, size, places)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "model" / "small" / "big.pml").exists()


@pytest.mark.parametrize(
    "size, places, complaint",
    [
        (32, 4, "check small: 'done' is a set of 32 bits: a model has room for 31"),
        (8, 33, "check small: pool 'Job' has 33 records: a model has room for 32"),
    ],
)
def test_what_does_not_fit_is_refused(
    size: int, places: int, complaint: str, tmp_path: Path
) -> None:
    result = build(tmp_path, size, places)
    assert result.returncode == 1
    assert complaint in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists() and not (tmp_path / "model").exists()
