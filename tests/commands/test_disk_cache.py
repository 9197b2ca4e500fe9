# SPDX-License-Identifier: MIT
"""What hsmc keeps from one start to the next never changes what it does (gen/hsmc/disk_cache.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Optional

import pytest

from hsmc import disk_cache
from hsmc.commands.main import main
from hsmc.frontend import kept_trees
from hsmc.source import SourceFile
from scripts.test import environment

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


def compile_here(capsys: pytest.CaptureFixture[str], spec: Path, profile: str) -> str:
    """All that is known of a spec: in this process, whose compiler keeps trees as that of any start does."""
    assert main(["dump", str(spec), "--profile", profile]) == 0
    return capsys.readouterr().out


def test_trees_of_large_files(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are of a text and a profile, wherever the file lies, and a spoilt one is parsed anew."""
    profiles = ("windowed", "stop_and_wait")
    spec = tmp_path / "fetch" / "fetch.hsm"
    shutil.copytree(ROOT / "spec/fetch", spec.parent)
    place = tmp_path / "cache"
    monkeypatch.setattr(disk_cache, "directory", lambda: None)
    plain = {name: compile_here(capsys, spec, name) for name in profiles}
    assert plain["windowed"] != plain["stop_and_wait"]

    monkeypatch.setattr(disk_cache, "directory", lambda: place)
    for _ in range(2):
        for name in profiles:
            assert compile_here(capsys, spec, name) == plain[name]
    trees = sorted(place.glob("*.tree"))
    assert len(trees) == 4  # client.hsm and server.hsm
    moved = tmp_path / "elsewhere" / "fetch.hsm"
    shutil.copytree(spec.parent, moved.parent)
    assert compile_here(capsys, moved, "windowed") == plain["windowed"]
    assert sorted(place.glob("*.tree")) == trees

    for tree in trees:
        tree.write_bytes(tree.read_bytes()[:-100])
    assert compile_here(capsys, spec, "windowed") == plain["windowed"]

    # Complaints are made each time, and of the file that has the mistake.
    client = spec.with_name("client.hsm")
    client.write_text(client.read_text() + "\nconstant 5\n")
    said = []
    for _ in range(2):
        assert main(["check", str(spec)]) == 1
        said.append(capsys.readouterr().err)
    assert said[0] == said[1] and "client.hsm" in said[0]


def test_the_oldest_trees_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "directory", lambda: tmp_path)
    text = (ROOT / "spec/fetch/client.hsm").read_text()
    for number in range(kept_trees.FILES + 5):
        parsed = kept_trees.Parsed(SourceFile(Path("a"), "a", text), [], [], [])
        kept_trees.write(f"{number}{kept_trees.SUFFIX}", parsed)
        os.utime(tmp_path / f"{number}{kept_trees.SUFFIX}", (number, number))
    assert not (tmp_path / "0.tree").exists()
    assert (tmp_path / f"{kept_trees.FILES + 4}.tree").exists()
    assert len(list(tmp_path.iterdir())) == kept_trees.FILES


def test_tests_started_without_make_keep_what_make_test_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    found = environment()
    assert "PYTHONDONTWRITEBYTECODE" not in found
    assert found["PYTHONPYCACHEPREFIX"] == str(Path("build/pycache").resolve())
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "/elsewhere")
    assert environment()["PYTHONPYCACHEPREFIX"] == "/elsewhere"
