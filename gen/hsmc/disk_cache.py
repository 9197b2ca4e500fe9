# SPDX-License-Identifier: MIT
"""A cache beside Python's bytecode: parser tables and compiled templates, which follow from the compiler's own files alone, and
the syntax trees of large files (frontend/kept_trees.py).

A start of hsmc would spend half of its time on them. As with bytecode, nothing depends on the cache: where files
cannot be written, are damaged or belong to another version, all is derived anew.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from hashlib import sha256
from pathlib import Path
from typing import Optional


def directory() -> Optional[Path]:
    """None when Python may not write bytecode either."""
    if sys.dont_write_bytecode:
        return None
    return Path(importlib.util.cache_from_source(__file__)).parent / "cache"


def read(name: str) -> Optional[bytes]:
    place = directory()
    if place is None:
        return None
    try:
        return (place / name).read_bytes()
    except OSError:
        return None


def write(name: str, content: bytes) -> None:
    """Atomically: other compilers may be running."""
    place = directory()
    if place is None:
        return
    temporary = place / f"{name}.{os.getpid()}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        os.replace(temporary, place / name)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()


def name_for(*inputs: str) -> str:
    """A name that differs where the inputs or the version of Python differ."""
    text = repr((inputs, sys.implementation.cache_tag))
    return sha256(text.encode()).hexdigest()[:32]
