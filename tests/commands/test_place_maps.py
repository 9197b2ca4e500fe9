# SPDX-License-Identifier: MIT
"""hsmc place --maps: all ways of dividing processes between two processors, each a placement that compiles."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hsmc.commands.main import main
from tests.commands.test_place import SPEC, TOP


@pytest.fixture(name="shop")
def fixture_shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hsm"
    path.write_text(SPEC)
    return path


def maps_of(spec: Path, capsys: Any) -> list[dict[str, Any]]:
    assert main(["place", str(spec), "--maps", "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_each_way_comes_once_the_first_process_on_a(shop: Path, capsys: Any) -> None:
    found = maps_of(shop, capsys)
    ways = [tuple(each["processors"].values()) for each in found]
    assert sorted(ways) == [("A", *rest) for rest in product("AB", repeat=2)]
    assert [each["placement"] for each in found if not each["on_b"]] == ["together"]


def test_least_crosses_first(shop: Path, capsys: Any) -> None:
    found = maps_of(shop, capsys)
    assert found[0]["on_b"] == [] and found[0]["raises"] == found[0]["data"] == 0
    crossing = [each["raises"] + each["locked_events"] for each in found]
    assert crossing == sorted(crossing)


def written(spec: Path, found: list[dict[str, Any]]) -> list[str]:
    """The maps as placements of the spec; their names."""
    text = spec.read_text()
    for number, each in enumerate(found):
        text += "\n".join(["", f"placement map{number}", *each["lines"], ""])
    spec.write_text(text)
    return [f"map{number}" for number in range(len(found))]


def counted(report: dict[str, Any]) -> dict[str, Any]:
    entries = report["entries"]
    return {
        "raises": len(report["raises"]),
        "data": len(report["data"]),
        "locked_events": sum(bool(entry["locked"]) for entry in entries),
        "events": len(entries),
        "messages": max((entry["messages"] for entry in entries), default=0),
    }


def agree(spec: Path, capsys: Any) -> int:
    """Each map compiles as a placement: what crosses is under the lock. Its numbers are those of the report."""
    found = maps_of(spec, capsys)
    names = written(spec, found)
    assert main(["place", str(spec), "--json"]) == 0
    reports = {each["placement"]: each for each in json.loads(capsys.readouterr().out)}
    for name, each in zip(names, found):
        expected = counted(reports[name])
        assert expected == {key: each[key] for key in expected}, each["on_b"]
    return len(found)


def test_maps_of_a_small_protocol_compile(shop: Path, capsys: Any) -> None:
    assert agree(shop, capsys) == 4
    main(["check", str(shop)])
    assert "does not cross" not in "".join(capsys.readouterr())


def test_maps_of_emp_compile(tmp_path: Path, capsys: Any) -> None:
    for file in (TOP / "spec/emp").glob("*.hsm"):
        shutil.copy(file, tmp_path)
    assert agree(tmp_path / "emp.hsm", capsys) == 32


def test_the_table_names_the_placements_of_the_spec(capsys: Any) -> None:
    assert main(["place", str(TOP / "spec/emp/emp.hsm"), "--maps"]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = {line.split()[-1] for line in lines[1:] if line.split()[-1].isalpha()}
    assert {"base", "SO", "RO", "DSR", "SR"} <= named
    (dsr,) = [line for line in lines if line.endswith("DSR")]
    assert dsr.split() == "Match, Receive, Acknowledge 0 0 0 of 16 0 DSR".split()


def test_too_many_processes(tmp_path: Path, capsys: Any) -> None:
    process = (
        "process P{0}\n  external event e{0}()\n  state S initial\n    ignore e{0}\n\n"
    )
    spec = tmp_path / "many.hsm"
    spec.write_text("protocol many\n\n" + "".join(map(process.format, range(13))))
    assert main(["place", str(spec), "--maps"]) == 2
    assert "13 processes: expected at most 12" in capsys.readouterr().err
