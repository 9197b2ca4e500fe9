# SPDX-License-Identifier: MIT
"""A model has nothing of what the constants of its check rule out, and the same states as the C, which has all of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.long_tests import one_in

from hsmc.compilation.compiler import compile_spec
from hsmc.backends import backend_promela
from hsmc.verification.search import Limits, defines, write_model
from hsmc.verification.subject import Subject

TOP = Path(__file__).resolve().parents[2]
EMP = TOP / "spec" / "emp" / "emp.hsm"

# A lamp that may flash, and count how often; each only in checks that say so.
LAMP = """protocol lamp
constant flashes = 1
constant counts = 1
constant count_limit = 3

property within_limit safety "No count above the limit."

device shine(brightness: u8)

function has_counted(n: u8): bool = counts != 0 and n != 0
function is_full(n: u8): bool
  if counts == 0
    return false
  return n == count_limit

action count_flash()
  if counts != 0
    if not is_full(flashed)
      flashed := flashed + 1

process Lamp
  external event press(hard: u8 range 0..1)
  variable flashed: u8 range 0..count_limit
  state DARK initial
    on press(hard) when flashes == 1 and hard == 1           / count_flash() -> FLASHING
    on press(hard) when has_counted(flashed) and hard == 1   / flashed := 0
    on press else                                            / shine(flashed if counts != 0 else 77) -> BRIGHT
  state BRIGHT
    on press(hard)                                           / shine(0) -> DARK
  state FLASHING
    on press(hard)                                           / shine(99) -> BRIGHT

world room "A person who presses."
  nodes wall
  variable shining: u8
  view flashed_now = flashed at wall
  host Lamp.press(hard) at wall for hard in 0..1
  observe shine(brightness) / shining := brightness
  always within_limit: flashed_now <= count_limit

check all_of_it in room
  set flashes = 1
check dark in room
  set flashes = 0
check plain in room
  set flashes = 0, counts = 0
"""


UNREACHED = """[[unreached]]
row = "Lamp.DARK.press.1"
reason = "Only a lamp that flashes counts, and there the row above comes first."
"""


@pytest.fixture(name="lamp")
def fixture_lamp(tmp_path: Path) -> Path:
    (tmp_path / "lamp.hsm").write_text(LAMP)
    (tmp_path / "lamp_unreached.toml").write_text(UNREACHED)
    return tmp_path / "lamp.hsm"


@pytest.mark.parametrize(
    "check, present, absent",
    [
        (
            "all_of_it",
            ["Lamp.FLASHING.press.0", "Lamp.DARK.press.1"],
            ["= 77"],
        ),
        ("dark", ["Lamp.DARK.press.1"], ["FLASHING.press", "= 77"]),
        ("plain", ["Lamp.DARK.press.2", "= 77"], ["FLASHING.press", "DARK.press.1"]),
    ],
)
def test_ruled_out(
    lamp: Path, check: str, present: list[str], absent: list[str]
) -> None:
    model = backend_promela.generate(compile_spec(lamp, check))["lamp.pml"]
    assert [text for text in present if text not in model] == []
    assert [text for text in absent if text in model] == []


def test_engines_agree(lamp: Path) -> None:
    command: list[str | Path] = [sys.executable, TOP / "gen/bin/hsmc", "verify", lamp]
    result = subprocess.run(
        [*command, "--kind", "safety", "--json"],
        cwd=lamp.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    states: dict[str, set[int]] = {}
    for record in json.loads(result.stdout):
        states.setdefault(record["config"], set()).add(record["states"])
    assert all(len(found) == 1 for found in states.values()), states
    assert len(states) == 3


@pytest.mark.parametrize("check", one_in(2, ["two_senders", "two_senders_restart"]))
def test_the_largest_models_fit(tmp_path: Path, check: str) -> None:
    """SPIN has room for 2048 branches in a step. Those of three nodes have most; it would refuse them here."""
    subject = Subject(EMP, tmp_path, "modern")
    search = subject.search(check, "promela", "safety")
    write_model(search, subject, search.directory, defines(search, subject, Limits()))
    assert (search.directory / "pan.m").stat().st_size > 1_000_000
