# SPDX-License-Identifier: MIT
"""Runs a command of hsmc in the process of the tests: a start of its own would cost more than most commands take.

What a process itself decides (hash seeds, pipes, signals, what is kept from one start to the next) needs a real one.
"""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from hsmc.commands.main import main


@dataclass
class Result:
    """Named as subprocess.CompletedProcess names them."""

    returncode: int
    stdout: str
    stderr: str


def run_hsmc(*arguments: object, text: str = "", directory: Path = Path()) -> Result:
    """`text` is what standard input gives."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        with (
            contextlib.chdir(directory),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = main([str(argument) for argument in arguments])
    except SystemExit as ended:  # argparse
        status = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdin = before
    return Result(status, out.getvalue(), err.getvalue())
