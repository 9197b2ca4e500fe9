# SPDX-License-Identifier: MIT
"""Keeps the syntax trees of large files from one start of hsmc to the next (disk_cache.py).

A file that parsed without a complaint is the same tree whenever text, profile and the compiler's own files are the same. To
read the tree takes a sixth of the time of parsing.
"""

from __future__ import annotations

import contextlib
import pickle
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Optional

import lark

from .. import disk_cache
from ..source import SourceFile
from . import ast
from .profiles import Selection

SMALLEST = 8000  # characters: what is shorter is parsed as fast
FILES = 64  # kept at most; the oldest go
SUFFIX = ".tree"


@dataclass
class Parsed:
    """Of one file, what it includes unread."""

    file: SourceFile
    profiles: list[ast.Profile]
    declarations: list[ast.AnyDeclaration | ast.Include]
    marks: list[ast.Name]


@lru_cache(maxsize=None)
def _compiler() -> str:
    """A digest of all that makes the tree."""
    digest = sha256(lark.__version__.encode())
    here = Path(__file__).parent
    for path in [*sorted(here.iterdir()), here.with_name("source.py")]:
        if path.suffix in (".py", ".lark"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def name_of(text: str, selection: Selection, top: bool) -> Optional[str]:
    """Where the tree of this text is kept; None if it is not. `selection` is that of the top file, with the
    profiles that the text declares."""
    if len(text) < SMALLEST:
        return None
    return disk_cache.name_for(text, repr(selection), str(top), _compiler()) + SUFFIX


def read(name: Optional[str], path: Path, shown: str) -> Optional[Parsed]:
    """The tree, as of the file at `path`, which messages call `shown`."""
    content = disk_cache.read(name) if name is not None else None
    if content is None:
        return None
    try:
        found = pickle.loads(content)
        assert isinstance(found, Parsed)
    except Exception:  # spoilt, in whatever way
        return None
    found.file.path, found.file.name = path, shown
    return found


def write(name: Optional[str], parsed: Parsed) -> None:
    if name is None or (place := disk_cache.directory()) is None:
        return
    with contextlib.suppress(pickle.PicklingError, RecursionError):
        disk_cache.write(name, pickle.dumps(parsed, pickle.HIGHEST_PROTOCOL))
    with contextlib.suppress(OSError):  # others may do the same
        kept = sorted(place.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in kept[:-FILES]:
            path.unlink(missing_ok=True)
