# SPDX-License-Identifier: MIT
"""A world computes as specs do: what would be cut, and shifts beyond a word, end a search in both engines, by their place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hsmc import compile_spec
from hsmc.backends import backend_world
from hsmc.compilation.compiler import Compilation
from tests.verification.test_verification import hsmc

CUT = Path(__file__).parent / "cut"


@pytest.mark.parametrize(
    "name, violated, place",
    [
        ("world_overflow", "value_in_range", "world_overflow.hsm:19"),
        ("world_shift", "shift_in_word", "world_shift.hsm:15"),
        ("world_bit", "index_in_bounds", "world_bit.hsm:17"),
        ("world_bits", "index_in_bounds", "world_bits.hsm:18"),
    ],
)
def test_both_engines_find_it(
    name: str, violated: str, place: str, tmp_path: Path
) -> None:
    spec = str(CUT / f"{name}.hsm")
    result = hsmc(tmp_path, "verify", spec, "--kind", "safety")
    assert result.returncode == 1
    assert result.stdout.count(f"VIOLATED: {violated}") == 2
    assert f"of the world, at {place}" in result.stdout
    assert "the two back ends differ" not in result.stderr


SPEC = """protocol numbers
device out(n: u16)
property p safety "Something."
process P
  external event go(a: u8)
  state S initial
    on go(a) / out(a)
world one
  nodes only
  variable small: u8
  variable wide:  u32
  variable list:  u8[4]
  function low(n: u32): u8 = u8(n & 3)
  function half(n: u16): u8 = n >> 1
  host P.go(small) at only when wide < 2
      / {action}
  observe out(n) / assert p: low(wide) < 4
  end when wide == 2
check c
  world nightly = 0
"""


def places(directory: Path, action: str, given: str = "small") -> list[str]:
    """Where the world checks a number, in its C."""
    spec = directory / "numbers.hsm"
    spec.write_text(SPEC.format(action=action).replace("go(small)", f"go({given})"))
    files = backend_world.generate(compile_spec(str(spec), "c"), False)
    text = "".join(files.values())
    return re.findall(r'"numbers.hsm:(\d+)"\)', text)


@pytest.mark.parametrize(
    "action, checked",
    [
        ("wide := wide + 1", []),
        ("small := small + 1", ["16"]),
        ("small := wide", ["16"]),
        ("list[0] := wide", ["16"]),
        ("wide := 1 << small", ["16"]),
        ("small := 3", []),
        ("small := u8(small + 1)", []),
        ("small := list[1]", []),
        ("small := half(wide)", ["16", "14"]),  # what it is given, and what it gives
        ("small := half(u16(wide))", ["14"]),
    ],
)
def test_what_is_assigned_and_shifted_is_checked(
    action: str, checked: list[str], tmp_path: Path
) -> None:
    """But for what fits, and what a conversion cuts on purpose."""
    assert places(tmp_path, action) == checked


def test_what_an_event_is_given_is_checked(tmp_path: Path) -> None:
    assert places(tmp_path, "small := 3", given="wide") == ["15"]
    assert places(tmp_path, "small := 3", given="u8(wide)") == []


# --- what is certain without a search


MORE = """  bound most = 0
  function under(a: u32, b: u32): bool = a <= b or small == 9
"""


def codes(directory: Path, action: str, holds: str = "low(wide) < 3") -> list[str]:
    spec = directory / "numbers.hsm"
    text = SPEC.format(action=action).replace("low(wide) < 4", holds)
    text = text.replace("      / \n", "")
    spec.write_text(text.replace("  variable small", MORE + "  variable small"))
    return [each.code for each in Compilation(spec).diagnostics()]


@pytest.mark.parametrize(
    "action, found",
    [
        ("wide := 1 << (small | 32)", ["HSM0315"]),
        ("list[small + 4] := 1", ["HSM0315"]),
        ("small := wide | 256", ["HSM0319"]),
        # The search looks at what only may be outside.
        ("wide := 1 << small", []),
        ("list[small] := 1", []),
        ("small := wide", []),
        ("small := u8(wide | 256)", []),
        # What the bounds rule out is not looked at.
        ("if most > 0 / wide := 1 << (small | 32)", []),
    ],
)
def test_what_is_certainly_outside_is_an_error(
    action: str, found: list[str], tmp_path: Path
) -> None:
    if action.startswith("if "):
        condition, _, statement = action.partition(" / ")
        action = f"\n      {condition}\n        {statement}"
    assert codes(tmp_path, action) == found  # as a block below the line


@pytest.mark.parametrize(
    "holds, found",
    [
        ("small < 256", ["HSM0318"]),
        ("low(wide) < 4", ["HSM0318"]),
        ("small < 4 or small > 3", ["HSM0318"]),
        ("small < 255", []),
        ("small < most", []),  # checks set bounds
        ("small >= most", []),
        ("under(0, n)", []),  # of this call only
        ("under(n, 0)", []),
    ],
)
def test_a_comparison_of_a_world_that_says_nothing(
    holds: str, found: list[str], tmp_path: Path
) -> None:
    assert codes(tmp_path, "wide := wide + 1", holds) == found
