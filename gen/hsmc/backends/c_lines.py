# SPDX-License-Identifier: MIT
"""Lines of generated C: how they are broken, and which line of the spec each comes from.

While the text is made, what comes from one place of the spec begins with a mark, which is gone in the end. What it
says remains where a check may fail: a table at the end of the file leads from lines of C to lines of the spec.
"""

from __future__ import annotations

import re
from typing import Sequence

from .. import ir

MARK = re.compile("\x01([0-9]+)\x02")
# What becomes a check in a build with HSM_CHECKED: fw-runtime/hsm_checks.h, and macros of the generated file.
CHECK = re.compile(
    r"\bHSM_(?:INDEX|REFERENCE|USED|RANGE|FIELD|ROOM|SHIFT|HOLDS)\b|\bhsm_(?:has|has_all|set|unset)\("
    r"|_(?:RECORD|ENTRY|ENTRY_OF|IN_USE|NEVER)\("
)
# Not to be torn apart where a line is broken.
WHOLE = re.compile(r"(_(?:RECORD|ENTRY|ENTRY_OF|IN_USE)\([a-z0-9_]+,) ")
PLACES = "/* places of checks */"  # in the template: where the table goes
COLUMNS = 100


class Marks:
    """Places of the spec, by number; `wanted`: a later step removes the marks."""

    def __init__(self) -> None:
        self.wanted = False
        self.places: list[ir.Place] = []
        self._numbers: dict[tuple[str, int], int] = {}

    def mark(self, place: ir.Place, text: str) -> str:
        """The text with a mark in front."""
        if not text or not self.wanted:
            return text
        key = (place.file, place.line)
        if key not in self._numbers:
            self._numbers[key] = len(self.places)
            self.places.append(place)
        return f"\x01{self._numbers[key]}\x02{text}"


def wrapped(text: str, columns: int = COLUMNS) -> str:
    """Indented by four blanks, long lines broken after a logical operator or a comma. Comments and directives are left
    as long as they are.

    >>> print(wrapped("\\treturn first_condition(a) && second_one;", 40))
        return first_condition(a) &&
            second_one;
    """
    lines: list[str] = []
    for line in WHOLE.sub("\\1\x03", text).split("\n"):
        mark = MARK.match(line)
        if mark is not None:
            line = MARK.sub("", line)
        bare = line.lstrip("\t")
        pad = "    " * (len(line) - len(bare))
        first = len(lines)
        while len(pad) + len(bare) > columns:
            if bare.startswith(("/*", "*", " *", "#", '"', "X(")):
                break
            room = columns - len(pad)
            found = (0, 0)
            for marks in ((" && ", " || "), (", ",), (" : ", " ? ", " == ", " = ")):
                if found[0] <= 0:
                    found = max((bare.rfind(m, 0, room), len(m)) for m in marks)
            if found[0] <= 0:
                break
            lines.append(pad + bare[: sum(found)].rstrip())
            bare = bare[sum(found) :]
            pad = "    " * (len(line) - len(line.lstrip("\t")) + 1)
        lines.append(pad + bare)
        if mark is not None:
            lines[first] = mark[0] + lines[first]
    return "\n".join(lines).replace("\x03", " ")


def with_places(text: str, marks: Marks, files: Sequence[str]) -> str:
    """The text without its marks, and with the table of places in it."""
    lines: list[str] = []
    rows: list[str] = []
    here = last = None
    for number, line in enumerate(text.split("\n"), start=1):
        mark = MARK.match(line)
        if mark is not None:
            here = int(mark[1])
        line = MARK.sub("", line)
        lines.append(line)
        if line == "}":
            here = None
        if here is not None and here != last and CHECK.search(line):
            place = marks.places[here]
            rows.append(f"{{{number}u, {files.index(place.file)}u, {place.line}u}},")
            last = here
    return "\n".join(lines).replace(PLACES, "\n".join(_filled(rows)))


def _filled(items: Sequence[str]) -> list[str]:
    """As many in a line as fit."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + 1 + len(item) <= COLUMNS:
            lines[-1] += f" {item}"
        else:
            lines.append(f"    {item}")
    return lines
