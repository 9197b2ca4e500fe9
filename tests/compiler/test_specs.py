# SPDX-License-Identifier: MIT
"""The project's own specs, and what a build promises: determinism, atomic writing, dependencies, speed."""

import cProfile
import dataclasses
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import hsmc
from hsmc import ir
from hsmc.compilation.compiler import Compilation, diagnose, load
from hsmc.dump import dump
from hsmc.files import write_if_changed
from hsmc.report import render
from tests.compiled import compiled
from tests.compiler.large_spec import large_spec
from tests.long_tests import long
from tests.places import tells_place

TOP = Path(__file__).resolve().parents[2]
SPECS = [TOP / f"spec/{name}/{name}.hsm" for name in ("abp", "emp", "fetch")]
HSMC = TOP / "gen/bin/hsmc"
names = pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)


@names
def test_compiles_without_warnings(spec: Path) -> None:
    assert [render(d) for d in Compilation(spec).diagnostics()] == []


@names
def test_deterministic(spec: Path) -> None:
    """Also across hash seeds and working directories."""
    outputs = set()
    for seed, directory in (("1", TOP), ("2", spec.parent)):
        result = subprocess.run(
            [HSMC, "dump", os.path.relpath(spec, directory)],
            cwd=directory,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(result.stdout)
    assert len(outputs) == 1


@names
def test_ids_and_numbers(spec: Path) -> None:
    protocol = compiled(spec)
    rows = list(protocol.rows())
    assert [row.number for row in rows] == list(range(len(rows)))
    assert len({row.id for row in rows}) == len(rows)
    for process in protocol.processes:
        for event in process.events:
            handlers = process.handlers_of(event.name)
            assert [h.leaf for h in handlers] == [leaf.name for leaf in process.leaves]
        for handler in process.handlers:
            assert (handler.otherwise == "handled") == (
                bool(handler.rows) and handler.rows[-1].guard is None
            )


@names
def test_flattening_is_consistent(spec: Path) -> None:
    """Every timer a row leaves behind is one of the target's, and the other way round."""
    for process in compiled(spec).processes:
        timers: dict[str, set[str]] = {leaf.name: set() for leaf in process.leaves}
        parents = {state.name: state for state in process.states}
        for leaf in process.leaves:
            state: str | None = leaf.name
            while state is not None:
                timer = parents[state].timer
                if timer is not None:
                    timers[leaf.name].add(timer.name)
                state = parents[state].parent
        for handler in process.handlers:
            for row in handler.rows:
                running = set(timers[handler.leaf])
                running -= {t.name for t in row.cancelled}
                assert not running & {t.name for t in row.armed}
                running |= {t.name for t in row.armed}
                assert running == timers[row.target or handler.leaf]


def test_public_interface() -> None:
    protocol = hsmc.compile_spec(str(SPECS[1]), check="one_message")
    values = {c.name: c.value for c in protocol.constants}
    assert values["node_limit"] == 2
    assert protocol.check == "one_message"
    assert protocol.hash == hsmc.compile_spec(SPECS[1]).hash
    assert {p.name: p.count.value for p in protocol.pools}["SendMessage"] == 1
    with pytest.raises(ValueError, match="there is no check"):
        hsmc.compile_spec(SPECS[1], check="none_such")
    with pytest.raises(hsmc.SpecError) as caught:
        load(SPECS[1], {"send_limit": 0})
    assert caught.value.diagnostics[0].code == "HSM0303"


def test_expressions_have_places_and_types() -> None:
    """Walks everything: what a back end may meet is complete."""
    protocol = compiled(SPECS[1])
    count = 0

    def walk(value: Any) -> None:
        nonlocal count
        if isinstance(value, ir.ExpressionBase):
            count += 1
            assert value.place.line > 0
            assert not (
                isinstance(value.type, ir.ReferenceType) and not value.type.pool
            )
        if isinstance(value, ir.ArrayType):
            return
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                walk(getattr(value, field.name))
        elif isinstance(value, tuple):
            for item in value:
                walk(item)

    walk(protocol)
    assert count > 1000


def test_build_writes_only_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "deep/file.txt"
    assert write_if_changed(path, "one")
    before = path.stat().st_mtime_ns
    assert not write_if_changed(path, "one")
    assert path.stat().st_mtime_ns == before
    assert write_if_changed(path, "two")
    assert path.read_text() == "two"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


# What is made of EMP for its 36 checks is in `make test-long`.
@pytest.mark.parametrize(
    "spec",
    [pytest.param(s, marks=long) if s.stem == "emp" else s for s in SPECS],
    ids=lambda path: path.stem,
)
def test_build(spec: Path, tmp_path: Path) -> None:
    pytest.importorskip("hsmc.backends.backend_c")
    pytest.importorskip("hsmc.backends.backend_promela")
    contents = []
    for turn in ("one", "two"):
        out, models = tmp_path / turn / "out", tmp_path / turn / "models"
        depfile = tmp_path / turn / "out.d"
        command: list[str | Path] = [
            HSMC,
            "build",
            spec,
            "--output",
            out,
            "--check-model-dir",
            models,
        ]
        subprocess.run([*command, "--depfile", depfile], check=True)
        contents.append(
            {
                path.relative_to(tmp_path / turn): path.read_text()
                for path in sorted((tmp_path / turn).rglob("*.*"))
                if path.is_file() and path != depfile
            }
        )
        rule = depfile.read_text()
        assert re.search(rf"{re.escape(str(spec))}\b", rule)
        assert "gen/hsmc/frontend/grammar.lark" in rule
        assert str(out / f"{spec.stem}.c") in rule.split(":")[0]
    assert contents[0] == contents[1]
    for text in contents[0].values():
        assert not tells_place(text, tmp_path)
        assert not tells_place(text, TOP)


def test_dump_names_the_row() -> None:
    protocol = compiled(SPECS[0])
    assert "Sender.WAIT_ACK.ack.0" in dump(protocol)


def test_a_large_spec(tmp_path: Path) -> None:
    """Twice the rows take about twice the work: nothing looks through all rows for each row."""
    calls = []
    for rows in (500, 1000):
        path = tmp_path / f"{rows}.hsm"
        path.write_text(large_spec(rows))
        profile = cProfile.Profile()
        found = profile.runcall(diagnose, path)
        assert found == []
        profile.create_stats()
        calls.append(sum(count for _, count, *_ in profile.stats.values()))
    assert calls[1] < 2.2 * calls[0]
