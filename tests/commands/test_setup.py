# SPDX-License-Identifier: MIT
"""Set-up beside a program that installs packages at the same time, as a machine that has just started does."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "scripts/setup.sh"
LOCKS = (
    "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 123 (apt-get)",
    "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 123 (unattended-upgr)",
    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
    "E: Unable to lock directory /var/cache/apt/archives/",
)


def program(place: Path, name: str, text: str) -> None:
    (place / name).write_text(f"#!/bin/sh\n{text}\n")
    (place / name).chmod(0o755)


def set_up(place: Path, apt_get: str) -> subprocess.CompletedProcess[str]:
    """Runs set-up with programs of our own for apt-get, dpkg-query, id and sleep, which count their calls."""
    program(place, "apt-get", f'echo "apt-get $*" >> {place}/calls\n{apt_get}')
    program(place, "dpkg-query", "exit 1")
    program(place, "id", "echo 0")
    program(place, "sleep", f'echo "sleep $*" >> {place}/calls')
    return subprocess.run(
        [SETUP, "prove"],
        env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def calls(place: Path, name: str) -> list[str]:
    lines = (place / "calls").read_text().splitlines()
    return [line for line in lines if line.startswith(name)]


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("command", ["update", "install"])
def test_set_up_waits_for_a_lock(lock: str, command: str, tmp_path: Path) -> None:
    held_twice = (
        f'[ "$1" = {command} ] || exit 0\necho x >> {tmp_path}/tries\n'
        f"[ $(wc -l < {tmp_path}/tries) -gt 2 ] || {{ echo '{lock}' >&2; exit 100; }}"
    )
    result = set_up(tmp_path, held_twice)
    assert result.returncode == 0, result.stderr
    assert len(calls(tmp_path, "sleep")) == 2
    told = [line for line in result.stdout.splitlines() if "waiting" in line]
    assert len(told) == 1
    assert lock.removeprefix("E: ") in told[0]


def test_waiting_for_a_lock_ends(tmp_path: Path) -> None:
    result = set_up(tmp_path, f"echo '{LOCKS[0]}' >&2; exit 100")
    assert result.returncode == 1
    assert LOCKS[0] in result.stderr
    assert 60 < len(calls(tmp_path, "sleep")) < 200


def test_another_failure_is_told_at_once(tmp_path: Path) -> None:
    result = set_up(tmp_path, "echo 'E: Unable to fetch some archives' >&2; exit 100")
    assert result.returncode == 1
    assert "Unable to fetch some archives" in result.stderr
    assert not calls(tmp_path, "sleep")
