# SPDX-License-Identifier: MIT
"""hsmc verify --placement: nodes whose processes run on two processors, with queues between them."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hsmc.commands.main import main
from tests.long_tests import one_in

HERE = Path(__file__).resolve().parent
BELL = HERE / "divided/bell.hsm"
TICKET = HERE / "divided/ticket.hsm"
SHOP = HERE / "divided/shop.hsm"
EMP = HERE.parents[1] / "spec/emp/emp.hsm"


def verify(directory: Path, spec: Path, *arguments: str) -> dict[str, Any]:
    """What each engine and kind of search found, by configuration."""
    report = directory / "report.json"
    with contextlib.chdir(directory):
        main(["verify", str(spec), "--report", str(report), *arguments])
    found: dict[str, Any] = {}
    for run in json.loads(report.read_text()):
        result = (run["states"], run.get("property") or run["verdict"])
        of_kind = found.setdefault(run["config"].partition("/")[2], {})
        assert of_kind.setdefault(run["kind"], result) == result, "the engines differ"
    return found


def test_states_of_divided_nodes_are_more(tmp_path: Path) -> None:
    whole = verify(tmp_path, BELL, "presses")
    divided = verify(tmp_path, BELL, "presses", "--placement", "APART")
    assert whole == {"presses": {"safety": (7, "holds"), "liveness": (14, "holds")}}
    assert divided == {"presses": {"safety": (13, "holds"), "liveness": (32, "holds")}}


@pytest.mark.parametrize(
    "name", ["message", "now", "frame", "from", "uint", "wire_store", "queue_put"]
)
def test_an_argument_may_have_the_name_of_what_carries_it(
    tmp_path: Path, name: str
) -> None:
    """Of SPIN's variables and types, too."""
    spec = tmp_path / "bell.hsm"
    spec.write_text(re.sub(r"\bnumber\b", name, BELL.read_text()))
    options = ("presses", "--kind=safety", "--placement", "APART")
    assert verify(tmp_path, spec, *options) == {"presses": {"safety": (13, "holds")}}


def test_only_checks_with_bounds_for_it_are_searched(tmp_path: Path) -> None:
    found = verify(tmp_path, BELL, "--kind=safety", "--placement", "APART")
    assert set(found) == {"presses", "at_once", "restart", "touch"}
    assert found["restart"] == {"safety": (19, "holds")}
    assert found["touch"] == {"safety": (22, "holds")}


def test_a_raise_that_comes_late_violates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the button does needs the bell at once: right on one processor, wrong on two."""
    assert verify(tmp_path, BELL, "at_once", "--kind=safety")["at_once"] == {
        "safety": (7, "holds")
    }
    found = verify(tmp_path, BELL, "at_once", "--kind=safety", "--placement", "APART")
    assert found["at_once"]["safety"][1] == "rings_at_once"
    trail = "build/verify/bell@APART/at_once/rings_at_once/counterexample.trail"
    capsys.readouterr()
    with contextlib.chdir(tmp_path):
        assert main(["replay", trail]) == 0
    said = capsys.readouterr().out
    assert "=> put_Bell_strike(number: 0)" in said
    assert "the same 1 transitions; violates rings_at_once" in said


def test_a_message_for_a_record_that_is_free_is_ignored(tmp_path: Path) -> None:
    found = verify(tmp_path, TICKET, "--placement", "APART")
    assert found == {"visitor": {"safety": (10, "holds"), "liveness": (19, "holds")}}


def test_a_counterexample_names_what_comes_from_the_queue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The board must not call a visitor who may have left; here it does."""
    careless = tmp_path / "ticket.hsm"
    text = TICKET.read_text()
    leaves = next(line for line in text.splitlines() if "release t" in line)
    careless.write_text(text.replace(leaves, "    ignore leave"))
    found = verify(tmp_path, careless, "--kind=safety", "--placement", "APART")
    assert found["visitor"]["safety"][1] == "called_while_there"
    said = capsys.readouterr().out
    assert "queue -> node 0: board.show t=1" in said
    assert "queue -> node 0: desk[1].called" in said


def test_placements_that_no_image_has_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "bell.hsm"
    alone.write_text(BELL.read_text().replace("  Bell on B", "  Bell on A"))
    with contextlib.chdir(tmp_path):
        assert main(["verify", str(alone), "--placement", "APART"]) != 0
        assert main(["verify", str(alone), "--placement", "APPART"]) != 0
    said = capsys.readouterr().err
    assert "expected some on each of A and B" in said
    assert "did you mean 'APART'" in said


def test_where_either_processor_runs_all_the_searches_are_those_of_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "bell.hsm"
    either = "placement EITHER\n  Button, Bell on A or B\n\nworld house"
    spec.write_text(BELL.read_text().replace("world house", either))
    one = verify(tmp_path, spec, "--kind=safety")
    capsys.readouterr()
    assert verify(tmp_path, spec, "--kind=safety", "--placement", "EITHER") == one
    said = capsys.readouterr().out
    assert "bell/presses  bounds" in said and "bell@EITHER" not in said
    assert "the searches of one processor are its own" in said
    records = json.loads((tmp_path / "report.json").read_text())
    assert {record["also_of"] for record in records} == {"EITHER"}


def test_a_message_that_is_too_late_for_its_record_is_ignored(tmp_path: Path) -> None:
    """Its machine has had its end, or the record is in use again."""
    found = verify(tmp_path, SHOP, "--kind=safety", "--placement", "TWO")
    assert found == {"hints": {"safety": (46, "holds")}}


@pytest.mark.parametrize(
    "placement, states", one_in(3, [("SR", 39302), ("SO", 22876), ("RO", 6056)])
)
def test_profile_modern_is_searched_in_divided_nodes(
    tmp_path: Path, placement: str, states: int
) -> None:
    """The smallest check with calls and tags; `make verify-placements` has the others."""
    options = ("--kind=safety", "--profile=modern", "--placement", placement)
    found = verify(tmp_path, EMP, "late_receives_tags", *options)
    assert found == {"late_receives_tags": {"safety": (states, "holds")}}
