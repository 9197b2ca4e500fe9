# SPDX-License-Identifier: MIT
"""A copy of the tree with what is built of it, in which a test changes the one and builds the other."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
SOURCES = ["Makefile", ".clang-format", "docs", "fw-runtime", "gen", "host", "models"]
SOURCES += ["scripts", "sim", "tests"]
# Of what is built; a host program lies in a folder with the name of its protocol.
BUILT = ("obj", "pic", "gen", "tigonsim", "tigonsim.command", "firmware", "emp", "host")
BUILT_MODERN = ("obj", "pic", "gen", "firmware", "emp")


def run(tree: Path, *command: str, status: int = 0) -> str:
    """Both streams."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS"))
    }
    result = subprocess.run(
        command, cwd=tree, capture_output=True, text=True, check=False, env=environment
    )
    told = result.stdout + result.stderr
    assert result.returncode == status, told
    return told


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path) -> Path:
    return copied(tmp_path)


def copied(directory: Path) -> Path:
    """The project, with what is built of it so far, times included."""
    tree = directory / "tree"
    (tree / "build").mkdir(parents=True)
    for name in SOURCES:
        (tree / name).symlink_to(TOP / name)
    shutil.copytree(TOP / "spec", tree / "spec")
    for path in tree.glob("spec/**/*.hsm"):
        shutil.copystat(TOP / path.relative_to(tree), path)
    # hsmc takes the tree it lies in for the project's.
    (tree / "gen").unlink()
    shutil.copytree(TOP / "gen", tree / "gen", copy_function=shutil.copy2)
    # Python's bytecode and the cache of hsmc lie there by the place of the tree.
    shutil.copytree(
        TOP / "build/pycache" / str(TOP)[1:] / "gen",
        tree / "build/pycache" / str(tree)[1:] / "gen",
        copy_function=shutil.copy2,
    )
    for name in (*BUILT, *(f"modern/{name}" for name in BUILT_MODERN)):
        if (TOP / "build" / name).is_dir():
            shutil.copytree(
                TOP / "build" / name,
                tree / "build" / name,
                copy_function=shutil.copy2,
            )
        else:
            shutil.copy2(TOP / "build" / name, tree / "build" / name)
    return tree
