# SPDX-License-Identifier: MIT
"""Each diagnostic: errors/NNNN_name.hsm says in its first line what must be reported, and where."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from hsmc.compilation.compiler import Compilation
from hsmc.diagnostics import TABLE
from hsmc.documents.diagnostic_pages import examine_models
from hsmc.report import render, render_json

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
HSMC = TOP / "gen/bin/hsmc"
CASES = sorted((HERE / "errors").glob("*.hsm"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_error_case(path: Path) -> None:
    first = path.read_text().split("\n")[0]
    compilation = Compilation(path)
    if TABLE[f"HSM{path.stem[:4]}"].by == "hsmc verify":
        assert compilation.diagnostics() == []
        examine_models(compilation)
    expected = re.findall(r"(HSM\d{4}) (\d+:\d+)", first)
    found = [
        (d.code, f"{d.span.line}:{d.span.column}") for d in compilation.diagnostics()
    ]
    assert found == expected
    assert f"HSM{path.stem[:4]}" in {code for code, _ in expected}


def test_every_diagnostic_has_a_case() -> None:
    tested = {f"HSM{path.stem[:4]}" for path in CASES}
    assert tested == set(TABLE)


def test_every_number_used_is_explained() -> None:
    used: set[str] = set()
    for path in (HERE.parents[1] / "gen/hsmc").rglob("*.py"):
        if path.name != "diagnostics.py":
            used |= set(re.findall(r'"(HSM\d{4})"', path.read_text()))
    assert used == set(TABLE)


def test_misspelt_state_is_one_clear_error() -> None:
    path = HERE / "errors/0203_unknown_state.hsm"
    result = subprocess.run([HSMC, "check", path], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.split("\n")[:3] == [
        f"{path}:7:18: error HSM0203: process Send has no state 'WAITACK'; did you mean 'WAIT_ACK'?",
        "      on posted -> WAITACK",
        "                   ^^^^^^^",
    ]
    assert "1 error, 0 warnings" in result.stderr


def test_notes_point_at_the_second_place() -> None:
    compilation = Compilation(HERE / "errors/0202_duplicate.hsm")
    text = render(compilation.diagnostics()[0])
    assert "duplicate.hsm:3:19: note: first declared here" in text


def test_json() -> None:
    path = HERE / "errors/0202_duplicate.hsm"
    diagnostics = Compilation(path).diagnostics()
    first = json.loads(render_json(diagnostics))[0]
    assert first["code"] == "HSM0202"
    assert first["severity"] == "error"
    assert (first["line"], first["column"]) == (4, 19)
    assert first["notes"][0]["line"] == 3


def test_explain() -> None:
    for number in ("HSM0203", "203", "hsm0203"):
        result = subprocess.run(
            [HSMC, "explain", number], capture_output=True, text=True
        )
        assert result.returncode == 0
        assert "unknown state" in result.stdout
    assert (
        subprocess.run([HSMC, "explain", "9999"], capture_output=True).returncode == 2
    )


def test_nothing_is_written_when_there_is_an_error(tmp_path: Path) -> None:
    path = HERE / "errors/0203_unknown_state.hsm"
    command: list[str | Path] = [HSMC, "build", path, "--output", tmp_path / "out"]
    command += ["--depfile", tmp_path / "out.d"]
    assert subprocess.run(command, capture_output=True).returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_usage_is_status_2() -> None:
    assert subprocess.run([HSMC, "chekc"], capture_output=True).returncode == 2


def test_a_missing_name_is_one_error(tmp_path: Path) -> None:
    """However often it is used: a state misspelt where it is declared, a pool misspelt, a process renamed."""
    emp = TOP / "spec/emp"
    damages = [
        ("    state WAIT_ACK ", "    state WAITACK ", "HSM0203"),
        ("pool SendMessage[", "pool SendMesage[", "HSM0206"),
        ("process Send(m: SendMessage)", "process Sender(m: SendMessage)", "HSM0207"),
        (
            "    never posted, turn, memory_read\n",
            "    never posted, memory_read\n",
            "HSM0506",
        ),
    ]
    for before, after, code in damages:
        for path in emp.glob("*.hsm"):
            text = path.read_text()
            if path.name == "send.hsm":
                assert text.count(before) == 1
                text = text.replace(before, after)
            (tmp_path / path.name).write_text(text)
        found = Compilation(tmp_path / "emp.hsm").diagnostics()
        assert [d.code for d in found] == [code]
        assert found[0].notes
