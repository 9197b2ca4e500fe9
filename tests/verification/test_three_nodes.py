# SPDX-License-Identifier: MIT
"""A world of three nodes that share a wire: both engines, the wire's room once the link is good, and counterexamples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.verification.test_verification import TOP, hsmc
from tests.long_tests import long

# The outer nodes tell the middle one a number. It confirms both later, each to its node.
GATHERING = """
protocol gathering

payload Frame
  number: u8

device tell(to: u8, f: Frame)
device confirm(to: u8, f: Frame)
device noted(from: u8, number: u8)

property own_confirmation safety   "A node gets the confirmation of its own number."
property all_confirmed    liveness "Each number is confirmed."

action say(number: u8)
  let f: Frame = Frame(number: number)
  tell(2, f)

process Teller
  external event begin(number: u8)
  external event confirmed(f: Frame)
  variable mine: u8
  variable got:  u8
  state IDLE initial
    on begin(number)  / mine := number; say(number)  -> WAITING
    ignore confirmed
  state WAITING
    on confirmed(f)   / got := f.number               -> OVER
    after 1000        / say(mine)                     -> WAITING
    never begin
  state OVER
    ignore confirmed
    never begin

action answer(to: u8, number: u8)
  let f: Frame = Frame(number: number)
  confirm(to, f)

process Noter
  external event told(from: u8, f: Frame)
  external event ready(to: u8, number: u8)
  state OPEN initial
    on told(from, f)      / noted(from, f.number)
    on ready(to, number)  / answer(to, number)

world hall "Two tell, one notes."
  nodes left, right, middle
  bound in_flight = 1
  link loses repeats reorders
  variable begun: bool[2]
  variable notes: u8[2]    "numbers not confirmed yet"
  view left_got  = got at left
  view right_got = got at right

  host Teller.begin(10 + n) at n for n in left..right when not begun[n] / begun[n] := true
  host Noter.ready(n, notes[n]) at middle for n in left..right whenever notes[n] != 0 / notes[n] := 0
  wire tell(to, f) -> Noter.told(node, f) at to told TELL number
  wire confirm(to, f) -> Teller.confirmed(f) at to told CONFIRM number
  observe noted(from, number) / notes[from] := number
  always own_confirmation: left_got == 0 or left_got == 10 + left
  always own_confirmation: right_got == 0 or right_got == 10 + right
  end when left_got != 0 and right_got != 0
  eventually all_confirmed: left_got != 0 and right_got != 0

check hall
  world in_flight = 1

check crowded
  world in_flight = 2
"""


def test_both_engines_find_the_same_states(tmp_path: Path) -> None:
    """Once the link is good, two confirmations find room beside a frame that is told again."""
    (tmp_path / "gathering.hsm").write_text(GATHERING)
    result = hsmc(tmp_path, *"verify gathering.hsm --json".split())
    assert result.returncode == 0, result.stdout + result.stderr
    states: dict[tuple[str, str], set[int]] = {}
    for record in json.loads(result.stdout):
        states.setdefault((record["config"], record["kind"]), set()).add(
            record["states"]
        )
    assert states == {
        ("gathering/hall", "safety"): {51},
        ("gathering/hall", "liveness"): {202},
        ("gathering/crowded", "safety"): {196},
        ("gathering/crowded", "liveness"): {613},
    }


@long
@pytest.mark.parametrize("to", ["0", "to ^ 1"])
def test_a_confirmation_for_another_node(tmp_path: Path, to: str) -> None:
    """It is found, told with the right nodes, and repeated on the interpreter and on the C."""
    right = "/ answer(to, number)"
    assert GATHERING.count(right) == 1
    text = GATHERING.replace(right, f"/ answer(u8({to}), number)")
    (tmp_path / "gathering.hsm").write_text(text)
    found = hsmc(tmp_path, *"verify gathering.hsm hall --kind safety".split())
    assert found.returncode == 1, found.stderr
    assert found.stdout.count("VIOLATED: own_confirmation") == 2
    assert "wire -> node 2: TELL number=1" in found.stdout
    trail = "build/verify/gathering/hall/own_confirmation/counterexample.trail"
    again = hsmc(tmp_path, "replay", trail)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "violates own_confirmation" in again.stdout


def test_a_build_for_two_nodes(tmp_path: Path) -> None:
    """The number is too small for the world of three nodes, which a build does not need."""
    command = f"build spec/emp/emp.hsm --set node_limit=2 --output {tmp_path}"
    result = hsmc(TOP, *command.split())
    assert result.returncode == 0, result.stdout + result.stderr
    assert "index" not in result.stderr
