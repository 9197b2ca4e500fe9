# SPDX-License-Identifier: MIT
"""A constant declared `fixed` keeps its number: on the command line and in the C; documents say how often loops turn."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hsmc.commands.main import main

TOP = Path(__file__).resolve().parents[2]
LOOPS = TOP / "tests/compiler/features/loops.hsm"


def test_the_command_line_may_not_set_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["build", str(LOOPS), "--output", str(out), "--set", "pair=3"]
    assert main(arguments) == 1
    complaint = capfd.readouterr().err
    assert f"{LOOPS}:5:10: error HSM0327: constant 'pair' is fixed" in complaint
    assert not out.exists()
    assert main([*arguments[:-1], "jobs=4"]) == 0


def test_no_build_may_define_it(tmp_path: Path) -> None:
    assert main(["build", str(LOOPS), "--output", str(tmp_path)]) == 0
    command = ["gcc", "-std=c11", f"-I{TOP}", "-c", str(tmp_path / "loops.c")]
    command += ["-o", str(tmp_path / "loops.o")]
    assert subprocess.run(command).returncode == 0
    assert subprocess.run([*command, "-DLOOPS_JOBS=2"]).returncode == 0
    refused = subprocess.run(
        [*command, "-DLOOPS_PAIR=2"], capture_output=True, text=True
    )
    assert refused.returncode != 0
    assert "the spec fixes LOOPS_PAIR" in refused.stderr


def test_documents_say_how_often_loops_turn(tmp_path: Path) -> None:
    assert main(["doc", str(LOOPS), "--output", str(tmp_path)]) == 0
    page = next(tmp_path.rglob("actions.html")).read_text()
    sections = {part.split('"')[0]: part for part in page.split('id="')}
    assert "at most 3 turns" in sections["action-cancel_all"]
    # A search in a pool is a loop, too, and no function of its own.
    assert "at most 3 turns" in sections["function-oldest"]
    assert "find_Job" not in page
