"""What hsmc keeps from one start to the next never changes what it does (gen/hsmc/kept.py)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Optional

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
    output, errors = process.communicate(timeout=120)
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


def test_second_start(tmp_path: Path, fresh: dict[str, str]) -> None:
    assert build(tmp_path / "first", tmp_path / "cache") == fresh
    files = kept(tmp_path / "cache")
    assert [path.suffix for path in files] == [".tables"] + [".template"] * 3
    times = [path.stat().st_mtime_ns for path in files]
    assert build(tmp_path / "second", tmp_path / "cache") == fresh
    assert [path.stat().st_mtime_ns for path in kept(tmp_path / "cache")] == times


@pytest.mark.parametrize("content", [b"", b"\x80nonsense", None], ids=repr)
def test_spoilt(
    tmp_path: Path, fresh: dict[str, str], content: Optional[bytes]
) -> None:
    build(tmp_path / "first", tmp_path / "cache")
    for path in kept(tmp_path / "cache"):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    assert build(tmp_path / "second", tmp_path / "cache") == fresh
    # It is whole again.
    assert build(tmp_path / "third", tmp_path / "cache") == fresh
    assert all(path.stat().st_size > 1000 for path in kept(tmp_path / "cache"))


def test_nowhere_to_write(tmp_path: Path, fresh: dict[str, str]) -> None:
    (tmp_path / "file").write_text("")
    assert build(tmp_path / "out", tmp_path / "file" / "cache") == fresh


def test_not_wanted(tmp_path: Path, fresh: dict[str, str]) -> None:
    more = {"PYTHONDONTWRITEBYTECODE": "1"}
    assert build(tmp_path / "out", tmp_path / "cache", **more) == fresh
    assert not (tmp_path / "cache").exists()


def test_side_by_side(tmp_path: Path, fresh: dict[str, str]) -> None:
    places = [tmp_path / f"out_{number}" for number in range(4)]
    running = [start(place, tmp_path / "cache") for place in places]
    for process, place in zip(running, places, strict=True):
        assert result(process, place) == fresh
    assert len(kept(tmp_path / "cache")) == 4
