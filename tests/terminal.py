# SPDX-License-Identifier: MIT
"""A pseudo-terminal for tests of what only a terminal is shown. Where there is none, they are skipped."""

import contextlib
import os
from typing import Iterator

import pytest


@contextlib.contextmanager
def pseudo_terminal() -> Iterator[tuple[int, int]]:
    """Descriptors of the side that hears and of the terminal itself."""
    try:
        hearing, terminal = os.openpty()  # the pty module drops the reason
    except OSError as error:
        pytest.skip(
            f"no pseudo-terminal here ({error.strerror}): needs /dev/ptmx and a devpts mounted on /dev/pts"
        )
    try:
        yield hearing, terminal
    finally:
        os.close(hearing)
        os.close(terminal)
