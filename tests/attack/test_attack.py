# SPDX-License-Identifier: MIT
"""A short `make attack`: every attack once, with few frames; libemp is misused under the sanitizers. Of `modern`, those
whose outcome depends on the profile."""

import subprocess
from pathlib import Path

import pytest

ATTACK = Path("build/tests/attack/attack")
SANITIZED = Path("build/tests/attack/attack_sanitized")
SIZE = "150"


def attack(*arguments: str, program: Path = ATTACK) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), "--size", SIZE, "--world", "0", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def figures(report: str) -> list[str]:
    """All of a report but for how long it took."""
    return [line for line in report.splitlines() if "simulated seconds" not in line]


@pytest.mark.parametrize("kind", ["stranger", "known", "host", "misuse"])
def test_oracles_are_content(kind: str) -> None:
    report = attack("--only", kind, program=SANITIZED if kind == "misuse" else ATTACK)
    assert report.returncode == 0, report.stdout + report.stderr


@pytest.mark.parametrize("only", ["known, VLAN", "known, goodput", "stranger, goodput"])
def test_oracles_are_content_in_modern(only: str) -> None:
    report = attack("--only", only, program=Path("build/modern/tests/attack/attack"))
    assert report.returncode == 0, report.stdout + report.stderr


def test_a_seed_says_everything() -> None:
    once = attack("--only", "known, edges", "--seed", "7", "--jobs", "1")
    again = attack("--only", "known, edges", "--seed", "7", "--jobs", "2")
    other = attack("--only", "known, edges", "--seed", "8")
    assert figures(once.stdout) == figures(again.stdout)
    assert figures(once.stdout) != figures(other.stdout)


def test_a_failure_says_how_to_repeat_it(tmp_path: Path) -> None:
    """An image that cannot be read makes every world fail."""
    report = subprocess.run(
        [str(ATTACK), "--size", SIZE, "--world", "0", "--only", "known, runts"],
        env={"EMP_IMAGE": str(tmp_path / "none.elf")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.returncode == 1
    assert "seed 1" in report.stdout
    assert "repeat it with: build/tests/attack/attack --seed 1" in report.stdout
