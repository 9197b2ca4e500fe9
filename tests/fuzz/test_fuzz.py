# SPDX-License-Identifier: MIT
"""A few random specs on all engines, and what is told when one engine is wrong. `make fuzz` runs as many as wanted.

FUZZ_SPECS: how many, 6 unless told.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

import pytest

import hsmc
from hsmc import ir
from hsmc.backends.backend_javascript import JavaScriptWriter
from hsmc.interpreter.interpreter import Program
from hsmc.testing.engines import difference, first_divergence
from tests.fuzz import spec_writer
from tests.fuzz.batches import Batch, fill
from tests.fuzz.features import FEATURES, Features
from tests.fuzz.engines import ENGINES, TOP, Cross, JavaScript
from tests.fuzz.fuzz import Run, seeds_of
from tests.long_tests import long

SPECS = int(os.environ.get("FUZZ_SPECS", "6"))


COUNTED = """protocol one
device x(n: u8)
process A1
  external event go(n: u8)
  external event stop()
  variable v: u8
  state OUT initial
    before on go(n) when n < 9  / all(n)
    state IN initial
      exit                      / v := 1
      on go(n) when n < 50      -> AGAIN
      on go                     / x(v)
    state AGAIN
      ignore go
    on stop                     -> local AGAIN
action all(n: u8)
  repeat 2 while v < 3
    v := v + n
  raise B1.told()
process B1
  event told()
  state S initial
    on told / x(1)
"""


def test_all_engines_do_the_same(tmp_path: Path) -> None:
    run = Run(tmp_path, ENGINES)
    told = run.batch(seeds_of(0, 0, SPECS))
    assert told == []
    assert run.specs == SPECS and run.refused == 0
    assert run.events > 20 * SPECS
    names = ["interpreter", "manual", "gcc", "clang", "cross", "promela", "javascript"]
    assert list(run.seconds) == names
    print(run.report())


@pytest.mark.parametrize("name", ["defer", "records", "profiles"])
def test_the_firmware_compiler_takes_what_the_language_has(
    name: str, tmp_path: Path
) -> None:
    """Pools, whose lowest free record the core finds by an instruction of its own; state that is made of bytes."""
    protocol = hsmc.compile_spec(TOP / f"tests/compiler/features/{name}.hsm")
    batch = Batch(Program(protocol), [], [])
    fill(batch, 1, 200)
    engine = Cross(batch.program, tmp_path)
    engine.build()
    assert len(batch.commands) > 100
    assert first_divergence(engine, batch) is None


def test_specs_are_full_of_edges() -> None:
    """Every operator and every edge occurs, and the same seed gives the same spec."""
    text, parts = spec_writer.write_specs(range(80), range(80))
    assert spec_writer.write_specs(range(80), range(80))[0] == text
    for edge in spec_writer.EDGES:
        assert f" {edge}" in text or f" {edge:#x}" in text, edge
    for operator in spec_writer.LEVELS:
        assert f" {operator} " in text, operator
    words = "min( max( has( has_all( set( unset( clear count raise repeat for when range after not -( ~"
    for word in words.split():
        assert word in text, word
    lines = text.split("\n")
    for part in parts:
        first = lines[part.first - 1]
        begins = (f"constant first{part.number} ", f"payload Note{part.number}")
        assert first.startswith(begins)


def test_specs_have_and_execute_what_the_language_has(tmp_path: Path) -> None:
    """Each feature in a good part of the specs, and executed; an engine that has not executed one is no proof of it."""
    run = Run(tmp_path, [JavaScript])
    assert run.batch(seeds_of(0, 0, 80)) == []
    assert run.shortcomings() == []
    rows = [line.split() for line in run.table().split("\n")[1:]]
    assert [int(row[-2]) for row in rows] == [run.having[f] for f in FEATURES]
    assert [int(row[-1]) for row in rows] == [
        run.executed["javascript"][f] for f in FEATURES
    ]
    run.having["local"] = 3
    run.executed["javascript"]["history"] = 0
    run.beyond["javascript"] = 5
    assert run.shortcomings() == [
        "only 3 of 80 specs have: local",
        "javascript has never executed: history",
        "5 of 80 specs are refused by, or too large for javascript",
    ]


def test_a_feature_counts_where_its_row_is_taken(tmp_path: Path) -> None:
    """As often as the row, in the lines of a run; also where an action that the row calls has it."""
    path = tmp_path / "one.hsm"
    path.write_text(COUNTED)
    protocol = hsmc.compile_spec(path)
    features = Features(protocol, COUNTED)
    rows = {row.id: row.number for row in protocol.rows()}
    assert features.of_row[rows["A1.IN.go.0"]] == {
        *("nested states", "before", "loop", "raise"),
    }
    assert features.of_row[rows["A1.IN.go.1"]] == {
        *("nested states", "exit actions"),
    }
    assert features.of_row[rows["A1.AGAIN.stop.0"]] == {"nested states", "local"}
    line = f"row {rows['A1.IN.go.0']}/0; row {rows['B1.S.told.0']}/0; x(1) | 0 | "
    assert features.executed([line, line]) == {
        **dict.fromkeys(("nested states", "before", "loop", "raise"), 2),
    }


@long
def test_a_wrong_engine_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the spec alone, made small, the first step, and the line."""

    def wrong(writer: JavaScriptWriter, node: ir.Minimum) -> str:
        return f"({writer.expression(node.left)} | 0)"

    monkeypatch.setattr(JavaScriptWriter, "_minimum", wrong)
    run = Run(tmp_path, [JavaScript], attempts=8)
    (told,) = run.batch(seeds_of(0, 0, 10))
    first, place, what = told.split("\n")[:3]
    path, _, rest = first.partition(": ")
    assert rest.startswith("javascript and the interpreter part at step ")
    assert "becomes" in what or "missing" in what or "too much" in what
    text = Path(path).read_text()
    assert "min(" in text or "max(" in text
    whole, _ = spec_writer.write_specs([int(Path(path).stem.split("_")[1])], [0])
    assert text.count("\n") < whole.count("\n")
    assert place.startswith("  fuzz.hsm:")
    assert told.split("\n")[-2].startswith("interpreter: ")
    assert run.differences == 1


def test_the_first_difference_of_two_lines() -> None:
    line = "row 1/0; told(1 2) | 0 | A.x=1; A.y=2"
    assert difference(line, line.replace("x=1", "x=3")) == "A.x=1 becomes A.x=3"
    assert difference(line, line.replace("A.x=1; ", "")) == "A.x=1 is missing"
    more = line.replace("A.y", "A.w=7; A.y")
    assert difference(line, more) == "A.w=7 is too much"
    other = line.replace("(1 2)", "(1 3)")
    assert difference(line, other) == "told(1 2) becomes told(1 3)"
    assert difference(line, line.replace("row 1/", "row 2/")).endswith("row 2/0")
