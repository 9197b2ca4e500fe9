# SPDX-License-Identifier: MIT
"""Messages for records that have had their end on the other processor, or have been released since."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hsmc.commands.main import main

TOP = Path(__file__).resolve().parents[2]
SOURCES = TOP / "tests/backend/messages"


def run(*command: object) -> str:
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def program(tmp_path: Path, compiler: str) -> Path:
    command = ["build", str(SOURCES / "late.hsm"), "--placement", "TWO"]
    assert main([*command, "--output", str(tmp_path)]) == 0
    options = ["-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    options += ["-fsanitize=address,undefined", f"-I{TOP}", f"-I{tmp_path}"]
    objects = []
    for unit, kept in enumerate(("late_clerk", "late_packer")):
        objects.append(tmp_path / f"{kept}.o")
        own = [f"-DLATE_UNIT={unit}", f'-DLATE_SOURCE="late_{"ab"[unit]}.c"']
        run(
            compiler,
            *options,
            *own,
            "-c",
            "-o",
            objects[-1],
            SOURCES / "late_unit.c",
        )
        kept_too = ["-G", "late_order_releases"] if unit == 0 else []
        run("objcopy", "-G", kept, *kept_too, objects[-1])
    built = tmp_path / "program"
    run(compiler, *options, "-o", built, SOURCES / "late.c", *objects)
    return built


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_late_messages_are_ignored(tmp_path: Path, compiler: str) -> None:
    run(program(tmp_path, compiler))
