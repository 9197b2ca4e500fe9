# SPDX-License-Identifier: MIT
"""The same commit gives the same bytes wherever it is built: C, models, site, firmware with its debug information."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.long_tests import long

ROOT = Path(__file__).resolve().parents[2]
SPEC = "spec/emp/emp.hsm"
# Of each tree: what its path, its environment and the rights of new files look like.
TREES = (
    (
        "one",
        {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "1", "USER": "ada"},
        0o022,
    ),
    (
        "another/place_further_down",
        {
            "LC_ALL": "C.UTF-8",
            "TZ": "Pacific/Kiritimati",
            "PYTHONHASHSEED": "4711",
            "USER": "bob",
            "COLUMNS": "40",
        },
        0o077,
    ),
)


def copy(target: Path) -> None:
    """What is under version control, as it stands here."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        source, place = ROOT / name, target / name
        if source.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)


def build(tree: Path, settings: dict[str, str], umask: int) -> dict[str, bytes]:
    """Path -> content of everything that is handed to people or loaded into a board."""
    copy(tree)
    # What make told the tests of its own tree must not reach this one.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MAKE", "MFLAGS", "LC_", "LANG", "HSMC_"))
    }
    environment |= settings
    commands = (
        "make -s generate firmware docs",
        f"gen/bin/hsmc build {SPEC} --output build/again --check-model-dir build/models",
    )
    for command in commands:
        subprocess.run(
            command.split(),
            cwd=tree,
            env=environment,
            umask=umask,
            stdout=subprocess.PIPE,
            check=True,
            timeout=900,
        )
    wanted = [tree / "build/firmware/emp_a.elf"]
    for part in ("gen", "again", "models", "docs"):
        found = (tree / "build" / part).rglob("*")
        wanted += [path for path in found if path.is_file() and path.suffix != ".d"]
    # A program that ran here, made by the compiler of this machine.
    wanted = [path for path in wanted if path.name != "frame_ranges"]
    return {str(path.relative_to(tree)): path.read_bytes() for path in wanted}


@long
def test_same_bytes_anywhere(tmp_path: Path) -> None:
    one, another = (
        build(tmp_path / path, settings, umask) for path, settings, umask in TREES
    )
    assert len(one) > 50 and "build/firmware/emp_a.elf" in one
    assert sorted(one) == sorted(another)
    assert [name for name in sorted(one) if one[name] != another[name]] == []
    # Nor does either tell where it was made.
    for name, content in another.items():
        assert str(tmp_path).encode() not in content, name


@pytest.mark.parametrize(
    "spec", ["spec/emp/emp.hsm", "spec/abp/abp.hsm", "spec/fetch/fetch.hsm"]
)
def test_same_bytes_from_anywhere(spec: str, tmp_path: Path) -> None:
    """However the spec is named, and from wherever hsmc is called."""
    ways = (
        (ROOT, spec),
        (ROOT, str(ROOT / spec)),
        (ROOT / "docs", f"../{spec}"),
    )
    results = []
    for number, (directory, name) in enumerate(ways):
        target = tmp_path / str(number)
        subprocess.run(
            [ROOT / "gen/bin/hsmc", "build", name, "--output", target],
            cwd=directory,
            check=True,
        )
        results.append({p.name: p.read_bytes() for p in sorted(target.iterdir())})
    assert results[0] == results[1] == results[2]
