# SPDX-License-Identifier: MIT
"""The inputs that the fuzzer of EMP's glue has found, replayed: none may be a finding."""

import subprocess
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus"
BUILDS = ("build", "build/modern")


def replay(build: str, *files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [f"{build}/tests/replay_glue", *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("build", BUILDS)
def test_corpus_has_no_finding(build: str) -> None:
    files = sorted(CORPUS.iterdir())
    result = replay(build, *files)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout == f"{len(files)} inputs, no finding\n"


def test_missing_input_is_an_error(tmp_path: Path) -> None:
    """A file that is not there is an error, not a run of nothing."""
    assert replay(BUILDS[0], tmp_path / "none").returncode == 1
