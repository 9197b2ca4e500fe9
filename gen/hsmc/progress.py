# SPDX-License-Identifier: MIT
"""The progress line of a command."""

from __future__ import annotations

import sys
import time

PROGRESS_AFTER_SECONDS = 1.0


class Progress:
    """Shows on the terminal what is being done, after one second; silent where standard error is no terminal."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = False
        self._watched = sys.stderr.isatty()

    def step(self, what: str) -> None:
        late = time.monotonic() - self._start > PROGRESS_AFTER_SECONDS
        if self._watched and late:
            print(f"\r\033[Khsmc: {what}", end="", file=sys.stderr, flush=True)
            self._shown = True

    def done(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._shown = False
