# SPDX-License-Identifier: MIT
"""Test programs of a build, run with its image of EMP."""

import os
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def succeeds(
    build: Path, program: str, *arguments: str, image: str = "emp_a.elf"
) -> str:
    """What build/tests/PROGRAM prints; it must end with status 0."""
    result = subprocess.run(
        [build / "tests" / program, *arguments],
        cwd=TOP,
        env={**os.environ, "EMP_IMAGE": str(build / "firmware" / image)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
