# SPDX-License-Identifier: MIT
"""How a command ends that cannot do what it is for."""

from __future__ import annotations

from typing import Optional, Sequence

from .report import did_you_mean


class Failure(Exception):
    """Ends the command with a message (may be empty when all is said) and a status."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def choose(
    what: str, name: str, names: Sequence[str], hint: Optional[str] = None
) -> None:
    """Ends the command when there is no such name."""
    if name not in names:
        raise Failure(
            f"there is no {what} {name}{did_you_mean(name, names)}" + (hint or "")
        )
