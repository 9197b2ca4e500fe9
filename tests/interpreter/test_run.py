# SPDX-License-Identifier: MIT
"""hsmc run and hsmc coverage, from outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
JOBS = HERE / "jobs.hsm"


def hsmc(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TOP / "gen/bin/hsmc"), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_transcript() -> None:
    """What the program prints for jobs.session is jobs.transcript, to the letter."""
    commands = (HERE / "jobs.session").read_text()
    result = hsmc("run", JOBS, "--node-parameters", "patience=7", stdin=commands)
    assert result.stdout == (HERE / "jobs.transcript").read_text()
    assert result.returncode == 1  # there are mistakes in it, on purpose


def test_save_replay_coverage(tmp_path: Path) -> None:
    scenario = tmp_path / "work.scenario"
    commands = "worker.start size=3 desk=1\nworker.step size=1 desk=1\nworker.step size=5 desk=1\nundo\n"
    commands += "expire worker_busy[1]\nset patience=9\n"
    result = hsmc(
        "run",
        JOBS,
        "--node-parameters",
        "patience=8",
        "--save",
        scenario,
        stdin=commands,
    )
    assert result.returncode == 0, result.stdout
    text = scenario.read_text()
    assert text == (
        "# Scenario of protocol jobs; hsmc run SPEC --replay FILE\n"
        "parameters patience=8\n"
        "worker.start size=3 desk=1\n"
        "  -> Worker.NEW.start.0  jobs.hsm:37\n"
        "  -> Clerk.READY.place.0  jobs.hsm:75\n"
        "worker.step desk=1\n"
        "  -> Worker.WAITING.step.0  jobs.hsm:40\n"
        "expire worker_busy[1]\n"
        "  -> Worker.PREPARING.after_BUSY.0  jobs.hsm:47\n"
        "set patience=9\n"
    )
    replayed = hsmc("run", JOBS, "--replay", scenario, stdin="list\n")
    assert replayed.returncode == 0, replayed.stdout
    assert "4 events replayed" in replayed.stdout
    assert replayed.stdout.endswith("Worker: 0 of 3 instances\nClerk: READY\n")

    covered = hsmc("coverage", JOBS, "--traces", scenario)
    assert covered.returncode == 0
    lines = [line.split() for line in covered.stdout.split("\n")]
    assert ["1", "Worker.WAITING.step.0", "jobs.hsm:40"] in lines
    assert ["NOT", "TAKEN", "Clerk.READY.free.0", "jobs.hsm:80"] in lines
    assert covered.stdout.endswith("4 of 16 transitions taken, 4 times in all\n")


def test_replay_tells_where_a_scenario_is_not_followed(tmp_path: Path) -> None:
    scenario = tmp_path / "old.scenario"
    scenario.write_text("worker.start size=3\n  -> Worker.NEW.start.1\n")
    result = hsmc("run", JOBS, "--replay", scenario)
    assert result.returncode == 1
    assert (
        "error: old.scenario:1: the file says Worker.NEW.start.1, "
        "but taken: Worker.NEW.start.0, Clerk.READY.place.0" in result.stdout
    )
    scenario.write_text("\n\nworker.sart size=3\n")
    result = hsmc("run", JOBS, "--replay", scenario)
    assert "error: old.scenario:3: there is no external event" in result.stdout


def test_wrong_usage() -> None:
    result = hsmc("run", JOBS, "--node-parameters", "patience=0")
    assert result.returncode == 2
    assert "hsmc: patience must be 1 to 1000, not 0" in result.stderr
    result = hsmc("coverage", JOBS, "--traces", TOP / "README.md")
    assert result.returncode == 1
    assert "names no transition of jobs" in result.stderr
    result = hsmc("coverage", JOBS, "--traces", "/nowhere")
    assert result.returncode == 2
