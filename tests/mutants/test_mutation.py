# SPDX-License-Identifier: MIT
"""Mutation operators: which texts they make of a small spec, and that they cope with the large ones."""

from __future__ import annotations

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "gen"))

from hsmc.compilation.compiler import Compilation
from hsmc.testing.mutation import OPERATORS, Mutant, mutants  # noqa: E402

SPECS = sorted(ROOT.glob("spec/*/*.hsm"))
TOPS = [path for path in SPECS if path.stem == path.parent.name]

SPEC = """\
protocol toll

constant limit = 4
enumeration Colour: u8
  RED   = 1
  GREEN = 2

device show(colour: Colour)
device open(up: bool)
counter cars

function over(n: u8): u8 = n - 1 if n > 2 else 0

process Gate "A gate."
  external event coin(a: u8, b: u8)
  external event car()
  external event off()
  variable paid: u8
  variable owed: u8

  state SHUT initial
    entry                           / show(RED)
    on coin(a, b)
      when a > 1 and (b == 2 or a < 9)  # enough
        / paid := a; open(true)     -> RAISED
      when b != 0                   / owed := over(b)
      else                          / owed := u8(paid + 1)
    ignore car, off

  state RAISED
    exit                            / paid := 0
    on car                          / pass_car()  -> SHUT
    ignore coin
    on off when paid + owed < limit -> SHUT
    ignore off
    after 1000                      -> SHUT

action pass_car()
  count cars
  if paid == 1
    open(false)
  repeat 3 while paid > 0
    paid := paid - 1
  show(GREEN)
"""

# Operator and name of the mutant; the lines that go, the lines that come.
EXPECTED = {
    "drop-row Gate.SHUT.coin.1: when b != 0 / owed := over(b)": (
        ["when b != 0 / owed := over(b)"],
        [],
    ),
    "ignore-event Gate.RAISED.car: ignore car": (
        ["on car / pass_car() -> SHUT"],
        ["ignore car"],
    ),
    "drop-timer Gate.RAISED.after: after 1000 -> SHUT": (["after 1000 -> SHUT"], []),
    "drop-entry Gate.SHUT.entry: entry / show(RED)": (["entry / show(RED)"], []),
    "drop-exit Gate.RAISED.exit: exit / paid := 0": (["exit / paid := 0"], []),
    "forbid-event Gate.SHUT: ignore car": (
        ["ignore car, off"],
        ["ignore off", "never car"],
    ),
    "negate-guard Gate.SHUT.coin.1: b != 0": (
        ["when b != 0 / owed := over(b)"],
        ["when not (b != 0) / owed := over(b)"],
    ),
    "force-guard Gate.SHUT.coin.1: b != 0": (
        ["when b != 0 / owed := over(b)", "else / owed := u8(paid + 1)"],
        ["else / owed := over(b)"],
    ),
    "swap-target Gate.RAISED.car.0: SHUT => RAISED": (
        ["on car / pass_car() -> SHUT"],
        ["on car / pass_car() -> RAISED"],
    ),
    "drop-target Gate.RAISED.car.0: SHUT": (
        ["on car / pass_car() -> SHUT"],
        ["on car / pass_car()"],
    ),
    "drop-assignment Gate.SHUT.coin.0: paid := a": (
        ["/ paid := a; open(true) -> RAISED"],
        ["/ open(true) -> RAISED"],
    ),
    "drop-call Gate.SHUT.coin.0: open(true)": (
        ["/ paid := a; open(true) -> RAISED"],
        ["/ paid := a -> RAISED"],
    ),
    "drop-call pass_car: show(GREEN)": (["show(GREEN)"], []),
    "drop-count pass_car: count cars": (["count cars"], []),
    "drop-if pass_car: if paid == 1 open(false)": (
        ["if paid == 1", "open(false)"],
        [],
    ),
    "drop-repeat pass_car: repeat 3 while paid > 0 paid := paid - 1": (
        ["repeat 3 while paid > 0", "paid := paid - 1"],
        [],
    ),
    "duplicate-call Gate.SHUT.coin.0: open(true)": (
        ["/ paid := a; open(true) -> RAISED"],
        ["/ paid := a; open(true); open(true) -> RAISED"],
    ),
    "duplicate-call pass_car: show(GREEN)": ([], ["show(GREEN)"]),
    "negate-condition pass_car: paid == 1": (
        ["if paid == 1"],
        ["if not (paid == 1)"],
    ),
    "comparison Gate.SHUT.coin.0: a > 1 => a >= 1": (
        ["when a > 1 and (b == 2 or a < 9) # enough"],
        ["when a >= 1 and (b == 2 or a < 9) # enough"],
    ),
    "connective Gate.SHUT.coin.0: b == 2 or a < 9 => b == 2 and a < 9": (
        ["when a > 1 and (b == 2 or a < 9) # enough"],
        ["when a > 1 and (b == 2 and a < 9) # enough"],
    ),
    "drop-operand Gate.SHUT.coin.0: a > 1 and (b == 2 or a < 9) => (b == 2 or a < 9)": (
        ["when a > 1 and (b == 2 or a < 9) # enough"],
        ["when (b == 2 or a < 9) # enough"],
    ),
    "arithmetic Gate.SHUT.coin.2: paid + 1 => paid - 1": (
        ["else / owed := u8(paid + 1)"],
        ["else / owed := u8(paid - 1)"],
    ),
    "swap-arms over: n - 1 if n > 2 else 0": (
        ["function over(n: u8): u8 = n - 1 if n > 2 else 0"],
        ["function over(n: u8): u8 = 0 if n > 2 else n - 1"],
    ),
    "number Gate.SHUT.coin.2: 1 => 2": (
        ["else / owed := u8(paid + 1)"],
        ["else / owed := u8(paid + 2)"],
    ),
    "constant limit: 4 => 3": (["constant limit = 4"], ["constant limit = 3"]),
    "word Gate.SHUT.coin.0: true => false": (
        ["/ paid := a; open(true) -> RAISED"],
        ["/ paid := a; open(false) -> RAISED"],
    ),
    "member pass_car: GREEN => RED": (["show(GREEN)"], ["show(RED)"]),
}


def made(path: pathlib.Path) -> list[Mutant]:
    return mutants(Compilation(path).spec)


@pytest.fixture(name="spec")
def fixture_spec(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "toll.hsm"
    path.write_text(SPEC)
    return path


@pytest.mark.parametrize("name", EXPECTED)
def test_operator(spec: pathlib.Path, name: str) -> None:
    mutant = next(mutant for mutant in made(spec) if mutant.name == name)
    lines = [line for line in mutant.difference().split("\n") if line[:2] != "@@"]
    gone, come = (
        [" ".join(line[1:].split()) for line in lines if line[0] == sign]
        for sign in "-+"
    )
    assert (gone, come) == EXPECTED[name]


def test_swapped_rows(spec: pathlib.Path) -> None:
    (mutant,) = [m for m in made(spec) if m.operator == "swap-rows"]
    first = mutant.text.index("when b != 0")
    assert first < mutant.text.index("when a > 1") < mutant.text.index("/ paid := a;")
    assert mutant.text.index("/ paid := a;") < mutant.text.index("else  ")


def test_the_small_spec_compiles_and_so_do_most_mutants(spec: pathlib.Path) -> None:
    assert Compilation(spec).diagnostics() == []
    every = made(spec)
    syntax = [
        (mutant.name, [d.message for d in found])
        for mutant in every
        for found in [
            Compilation(spec, {mutant.file.path.resolve(): mutant.text}).diagnostics()
        ]
        if any(d.code == "HSM0101" for d in found)
    ]
    # An 'if' and a loop may not be empty.
    assert [name for name, _ in syntax] == [
        "drop-call pass_car: open(false)",
        "drop-assignment pass_car: paid := paid - 1",
    ]


@pytest.mark.parametrize("path", TOPS, ids=lambda path: path.stem)
def test_names_are_unique_and_texts_differ(path: pathlib.Path) -> None:
    every = made(path)
    names = [mutant.name for mutant in every]
    assert len(names) == len(set(names))
    for mutant in every:
        assert mutant.text != mutant.file.text, mutant.name
    assert names == [mutant.name for mutant in made(path)]


def test_every_operator_finds_a_place() -> None:
    found = {mutant.operator for path in TOPS for mutant in made(path)}
    assert found == set(OPERATORS)


def test_names_do_not_depend_on_lines(spec: pathlib.Path) -> None:
    before = [mutant.name for mutant in made(spec)]
    spec.write_text(SPEC.replace("constant limit", "# A line more.\n\nconstant limit"))
    assert [mutant.name for mutant in made(spec)] == before
