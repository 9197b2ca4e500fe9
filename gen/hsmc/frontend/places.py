# SPDX-License-Identifier: MIT
"""From places of the intermediate form back to the text, for checks that work on that form."""

from __future__ import annotations

from typing import Iterable

from .. import ir
from .context import Context
from ..source import SourceFile, Span


class Places:
    """Reports at places as others report at spans."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._files: dict[str, SourceFile] = {}
        for declaration in context.spec.declarations:
            file = declaration.span.file
            self._files.setdefault(file.name, file)

    def span(self, place: ir.Place) -> Span:
        file = self._files[place.file]
        start = file.line_starts[place.line - 1] + place.column - 1
        return Span(file, start, start + place.length)

    def error(
        self,
        code: str,
        place: ir.Place,
        message: str,
        notes: Iterable[tuple[str, ir.Place]] = (),
    ) -> None:
        found = [(text, self.span(where)) for text, where in notes]
        self.context.error(code, self.span(place), message, found)

    def text(self, place: ir.Place) -> str:
        return self.span(place).squeezed

    def target_of(self, row: ir.Row) -> ir.Place:
        """Where a row names its target."""
        span = self.span(row.place)
        text = span.file.clean[span.start : span.end]
        arrow = text.rfind("->")
        if arrow < 0:
            return row.place
        name = text[arrow + 2 :]
        start = span.start + arrow + 2 + len(name) - len(name.lstrip())
        return Span(span.file, start, start + len(name.strip())).place()
