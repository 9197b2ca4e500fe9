# SPDX-License-Identifier: MIT
"""What hsmc keeps from one start to the next never changes what it does (gen/hsmc/disk_cache.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Optional

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "spec" / "abp" / "abp.hsm"


def start(directory: Path, prefix: Path, **more: str) -> subprocess.Popen[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment |= {"PYTHONPYCACHEPREFIX": str(prefix), **more}
    command: list[str | Path] = [
        ROOT / "gen/bin/hsmc",
        "build",
        SPEC,
        "--output",
        directory,
    ]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def result(process: subprocess.Popen[str], directory: Path) -> dict[str, str]:
    output, errors = process.communicate(timeout=600)
    assert (process.returncode, output, errors) == (0, "", "")
    return {path.name: path.read_text() for path in sorted(directory.iterdir())}


def build(directory: Path, prefix: Path, **more: str) -> dict[str, str]:
    return result(start(directory, prefix, **more), directory)


def kept(prefix: Path) -> list[Path]:
    found = sorted(prefix.rglob("*.tables")) + sorted(prefix.rglob("*.template"))
    # Nothing half written is left behind.
    places = {path.parent for path in found}
    assert sorted(f for place in places for f in place.iterdir()) == sorted(found)
    return found


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What comes out without anything kept."""
    directory = tmp_path_factory.mktemp("fresh")
    return build(directory / "out", directory / "cache", PYTHONDONTWRITEBYTECODE="1")


@pytest.fixture(scope="module")
def first(
    tmp_path_factory: pytest.TempPathFactory, fresh: dict[str, str]
) -> tuple[Path, list[Path]]:
    """The cache a first start fills, and what hsmc keeps in it: compiling its own modules anew would cost seconds."""
    prefix = tmp_path_factory.mktemp("first") / "cache"
    assert build(prefix.parent / "out", prefix) == fresh
    return prefix, kept(prefix)


Copy = Callable[[bool], Path]


@pytest.fixture
def copy(tmp_path: Path, first: tuple[Path, list[Path]]) -> Copy:
    """A copy of that cache: with what is kept, or with the bytecode alone."""

    def copy(with_kept: bool) -> Path:
        shutil.copytree(first[0], tmp_path / "cache")
        if not with_kept:
            for path in kept(tmp_path / "cache"):
                path.unlink()
        return tmp_path / "cache"

    return copy


def test_second_start(
    tmp_path: Path, fresh: dict[str, str], first: tuple[Path, list[Path]]
) -> None:
    prefix, files = first
    assert [path.suffix for path in files] == [".tables"] + [".template"] * 4
    times = [path.stat().st_mtime_ns for path in files]
    assert build(tmp_path / "second", prefix) == fresh
    assert [path.stat().st_mtime_ns for path in kept(prefix)] == times


@pytest.mark.parametrize("content", [b"", b"\x80nonsense", None], ids=repr)
def test_spoilt(
    tmp_path: Path, fresh: dict[str, str], content: Optional[bytes], copy: Copy
) -> None:
    prefix = copy(True)
    for path in kept(prefix):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    assert build(tmp_path / "second", prefix) == fresh
    # It is whole again.
    assert build(tmp_path / "third", prefix) == fresh
    assert all(path.stat().st_size > 1000 for path in kept(prefix))


def test_nowhere_to_write(tmp_path: Path, fresh: dict[str, str]) -> None:
    (tmp_path / "file").write_text("")
    assert build(tmp_path / "out", tmp_path / "file" / "cache") == fresh


def test_not_wanted(tmp_path: Path, fresh: dict[str, str]) -> None:
    more = {"PYTHONDONTWRITEBYTECODE": "1"}
    assert build(tmp_path / "out", tmp_path / "cache", **more) == fresh
    assert not (tmp_path / "cache").exists()


def test_side_by_side(tmp_path: Path, fresh: dict[str, str], copy: Copy) -> None:
    prefix = copy(False)
    places = [tmp_path / f"out_{number}" for number in range(4)]
    running = [start(place, prefix) for place in places]
    for process, place in zip(running, places, strict=True):
        assert result(process, place) == fresh
    assert len(kept(prefix)) == 5
