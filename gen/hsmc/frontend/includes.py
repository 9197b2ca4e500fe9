# SPDX-License-Identifier: MIT
"""Where `include "name"` finds its file: beside the file that includes it, or in the compiler's library."""

from __future__ import annotations

from pathlib import Path
from typing import Container

# Parts that specs share: what every protocol on one kind of board has.
LIBRARY = Path(__file__).resolve().parents[1] / "library"


def find(directory: Path, name: str, texts: Container[Path] = ()) -> Path:
    """The file that a file in `directory` means by `name`; `texts`: files that are there, whatever the disk says. A file of
    one's own comes before one of the library's. Where there is neither, the place of one's own.
    """
    own, shared = directory / name, LIBRARY / name
    try:
        if own.resolve() not in texts and not own.exists() and shared.is_file():
            return shared
    except (OSError, RuntimeError, ValueError):  # no name of a file at all
        pass
    return own


def shown(path: Path, root: Path) -> str:
    """The name of a file for people: relative to the top file's directory, or to the library."""
    for base in (root, LIBRARY):
        try:
            return str(path.relative_to(base))
        except ValueError:
            pass
    return path.name
