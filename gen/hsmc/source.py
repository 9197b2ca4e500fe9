# SPDX-License-Identifier: MIT
"""Source text and places in it."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from . import ir


def decoded(data: bytes) -> str:
    """The text of a spec file. The mark some editors put in front of UTF-8 is none of it. Raises UnicodeDecodeError."""
    return data.decode("utf-8-sig")


@dataclass(eq=False)
class SourceFile:
    """One spec file. `name` is relative to the top file's directory: output must not depend on where that lies."""

    path: Path
    name: str
    text: str
    line_starts: list[int] = field(init=False)
    # The same text, character for character in place, without comments and with continued lines joined (parser.py).
    clean: str = field(init=False)
    # Lines that belong to profiles not chosen (profiles.py).
    excluded_lines: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.clean = self.text
        self.line_starts = [0]
        for line in self.text.split("\n")[:-1]:
            self.line_starts.append(self.line_starts[-1] + len(line) + 1)

    def line_of(self, position: int) -> int:
        """Counted from 1."""
        return bisect.bisect_right(self.line_starts, position)

    def line_text(self, line: int) -> str:
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]


@dataclass(frozen=True, init=False)
class Span:
    """A piece of a file, end exclusive."""

    file: SourceFile
    start: int
    end: int

    def __init__(self, file: SourceFile, start: int, end: int) -> None:
        """There are as many as words in a spec: not by way of __setattr__, as a frozen class does by itself."""
        own = self.__dict__
        own["file"] = file
        own["start"] = start
        own["end"] = end

    @property
    def line(self) -> int:
        return self.file.line_of(self.start)

    @property
    def column(self) -> int:
        return self.start - self.file.line_starts[self.line - 1] + 1

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    @property
    def squeezed(self) -> str:
        """On one line, without comments and surplus blanks."""
        return " ".join(self.file.clean[self.start : self.end].split())

    def place(self) -> ir.Place:
        """Asked for again with every check, which resolves the same tree."""
        place: Optional[ir.Place] = self.__dict__.get("_place")
        if place is None:
            line = self.line
            column = self.start - self.file.line_starts[line - 1] + 1
            length = max(1, self.end - self.start)
            place = ir.Place(self.file.name, line, column, length)
            self.__dict__["_place"] = place
        return place

    def to(self, other: "Span") -> "Span":
        """From the start of this one to the end of the other."""
        return Span(self.file, self.start, max(self.end, other.end))
