# SPDX-License-Identifier: MIT
"""make demo says what runs while it has nothing to show (scripts/demo.py)."""

import os
from pathlib import Path

import pytest

from scripts import demo


@pytest.fixture(autouse=True)
def fixture_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "SILENCE_S", 0.05)


def test_a_command_that_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.run(["sh", "-c", "sleep 0.5; echo done"]) == "done\n"
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("s  sh -c sleep 0.5") > 1


def test_make_names_the_file_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "make"
    script.write_text("#!/bin/sh\necho '  CC       one.c'\nsleep 0.5\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    demo.make("all")
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("s  CC       one.c") > 1
