# SPDX-License-Identifier: MIT
"""Places as the language server protocol counts them: lines from 0, characters in UTF-16 units; files as URIs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional
from urllib.parse import unquote, urlsplit

from ..source import SourceFile, Span

Json = dict[str, Any]


def units(text: str) -> int:
    """How many UTF-16 units a text takes.

    >>> units("ä"), units("\\U0001f600")
    (1, 2)
    """
    return len(text) + sum(character > "\uffff" for character in text)


def position(file: SourceFile, offset: int) -> Json:
    line = file.line_of(offset)
    start = file.line_starts[line - 1]
    return {"line": line - 1, "character": units(file.text[start:offset])}


def offset(file: SourceFile, line: int, character: int) -> int:
    """Beyond the end of a line or of the file: the end."""
    if line < 0:
        return 0
    if line >= len(file.line_starts):
        return len(file.text)
    start = file.line_starts[line]
    left = character
    for index, each in enumerate(file.line_text(line + 1)):
        left -= units(each)
        if left < 0:
            return start + index
    return start + len(file.line_text(line + 1))


def range_of(span: Span) -> Json:
    return {
        "start": position(span.file, span.start),
        "end": position(span.file, span.end),
    }


def path_of(uri: str) -> Optional[Path]:
    """None for what is no file.

    >>> path_of("file:///a%20b/c.hsm"), path_of("untitled:Untitled-1")
    (PosixPath('/a b/c.hsm'), None)
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or not parts.path.startswith("/") or "\0" in uri:
        return None
    path = unquote(parts.path)
    return None if "\0" in path else Path(path).resolve()


def normalised(text: str) -> str:
    """Line ends as reading a file makes them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
