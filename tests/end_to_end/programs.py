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


def make_variant(build: Path, options: str, *names: str) -> None:
    """Makes files of a directory of its own with these options of hsmc for EMP. To optimise much takes longer than the
    tests of a variant gain by it."""
    command = ["make", "-s", "--no-print-directory", "LTO_LINK=-fno-lto"]
    command += ["VARIANT_CFLAGS=-O1 -fno-lto"]
    command += [f"BUILD={build}", "PROFILE=modern"]
    command += [f"OPTIONS_emp=--profile modern {options}"]
    subprocess.run(
        [*command, *(str(build / name) for name in names)],
        cwd=TOP,
        check=True,
        stdout=subprocess.DEVNULL,
    )
