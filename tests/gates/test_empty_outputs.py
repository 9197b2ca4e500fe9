# SPDX-License-Identifier: MIT
"""Tools that say nothing: whatever looks for bad words in their output must not take that for good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "gen")]

from models.proof.symbolic import Tally  # noqa: E402
from models.prove import prove  # noqa: E402
from scripts import campaign, fresh, guest, licence  # noqa: E402


def test_the_log_of_a_guest() -> None:
    with pytest.raises(AssertionError, match="the log of the kernel is empty"):
        guest.warnings("")
    assert guest.warnings("<6>[    0.100000] Run /init as init process\n") == []


def program(directory: Path, text: str) -> Path:
    path = directory / "worlds"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("said", ["true", """echo '{"worlds": 1, "failed": 0}'"""])
def test_the_worlds_of_a_campaign(said: str, tmp_path: Path) -> None:
    """Worlds that no sum speaks of were not run."""
    with pytest.raises(SystemExit, match="expected the sums of 2 worlds, found"):
        campaign.run_worlds(program(tmp_path, said), campaign.Part(1, 2, 3))


def test_the_report_of_the_tests_on_a_bare_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_in(system: Path, command: str, log: Path) -> tuple[int, float]:
        log.write_text("5 passed, 0 failed\n")
        return 0, 1.0

    monkeypatch.setattr(fresh, "make_system", lambda directory: tmp_path / "system")
    monkeypatch.setattr(fresh, "run_in", run_in)
    assert fresh.check(tmp_path) == (6, 1)


def test_the_files_that_git_knows(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    with pytest.raises(SystemExit, match="git knows no file here"):
        list(licence.missing(tmp_path))


@pytest.mark.parametrize("told, paths", [([], 1), (["one function"], 0)])
def test_a_proof_of_nothing(told: list[str], paths: int) -> None:
    verdict = prove("codecs", lambda: (told, Tally(paths=paths)))
    assert verdict["result"] == "undecided"
    assert "nothing was proved" in verdict["why"]
