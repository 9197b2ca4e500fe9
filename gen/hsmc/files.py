# SPDX-License-Identifier: MIT
"""Reading and writing text files; errors end the command."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .failure import Failure
from .source import decoded


def read_text(path: Path) -> str:
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Failure(f"{path} is not UTF-8 text") from None


def write_all(files: dict[Path, str]) -> None:
    for path, text in files.items():
        try:
            write_if_changed(path, text)
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror}") from None


def write_if_changed(path: Path, text: str) -> bool:
    """Never leaves half a file, and keeps the time stamp of a file that stays the same."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return False
    except (OSError, UnicodeDecodeError):
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
