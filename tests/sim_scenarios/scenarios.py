# SPDX-License-Identifier: MIT
"""Runs tigonsim for the tests of this directory."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

SANITIZED = Path("build/tests/tigonsim").resolve()
SHIPPED = Path("build/tigonsim").resolve()
IMAGE = Path("build/firmware/emp_a.elf").resolve()
PROGRAMS = Path("build/emp/host.so").resolve()
LEAKS = Path("tests/sim_scenarios/leaks.txt").resolve()
# Damaged files a test tries; more of them: SCENARIO_DAMAGES=1000 scripts/test.py tests/sim_scenarios
DAMAGES = int(os.environ.get("SCENARIO_DAMAGES", "20"))
TIME_LIMIT_SECONDS = 600  # against programs that hang; the machine may be busy


def tigonsim(
    *arguments: str | Path, program: Path = SANITIZED, leaks: bool = True
) -> subprocess.CompletedProcess[str]:
    """`leaks` off: for runs that end amid a program, whose memory nobody can give back."""
    environment = dict(
        os.environ,
        ASAN_OPTIONS=f"detect_leaks={int(leaks)}",
        LSAN_OPTIONS=f"suppressions={LEAKS}:print_suppressions=0",
    )
    result = subprocess.run(
        [program, *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIME_LIMIT_SECONDS,
        check=False,
        env=environment,
    )
    assert "Sanitizer" not in result.stderr, result.stderr
    assert "runtime error" not in result.stderr, result.stderr
    assert result.returncode in (0, 1, 2), result
    return result


def run(
    scenario: Path, *options: str, status: int = 0, leaks: bool = True
) -> dict[str, Any]:
    """The results of a run as JSON."""
    result = tigonsim("run", scenario, "--json", *options, leaks=leaks)
    assert result.returncode == status, result.stderr
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


def write(directory: Path, text: str, name: str = "test.scenario") -> Path:
    path = directory / name
    for mark, file in {"@IMAGE@": IMAGE, "@PROGRAMS@": PROGRAMS}.items():
        text = text.replace(mark, str(file))
    path.write_text(text)
    return path
