# SPDX-License-Identifier: MIT
"""The inputs that the fuzzer of EMP's glue has found, replayed: none may be a finding."""

import subprocess
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
REPLAY = "build/tests/replay_glue"


def replay(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [REPLAY, *map(str, files)], capture_output=True, text=True, check=False
    )


def test_corpus_has_no_finding() -> None:
    files = sorted(CORPUS.iterdir())
    result = replay(*files)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout == f"{len(files)} inputs, no finding\n"


def test_missing_input_is_an_error(tmp_path: Path) -> None:
    """A file that is not there is an error, not a run of nothing."""
    assert replay(tmp_path / "none").returncode == 1
