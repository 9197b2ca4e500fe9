# SPDX-License-Identifier: MIT
"""The simulator without sim/native: the directory is deleted, one line of sim/build.mk changed, and the tests pass."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]
CHOICE = re.compile(r"^SIM_ENGINE *:=.*$", re.MULTILINE)
PROGRAMS = ["test_cpu", "test_devices", "test_faults", "test_three_boards"]


@long
def test_builds_and_passes(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    left_out = shutil.ignore_patterns("build", ".git", "__pycache__", ".mypy_cache")
    shutil.copytree(TOP, tree, ignore=left_out)
    shutil.rmtree(tree / "sim/native")
    makefile = tree / "sim/build.mk"
    text, changed = CHOICE.subn("SIM_ENGINE :=", makefile.read_text())
    assert changed == 1
    makefile.write_text(text)
    programs = [f"build/tests/{name}" for name in PROGRAMS]
    quiet = {**os.environ, "MAKEFLAGS": ""}
    for command in (["make", "-s", "-j2", *programs], *([name] for name in programs)):
        result = subprocess.run(
            command, cwd=tree, env=quiet, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
