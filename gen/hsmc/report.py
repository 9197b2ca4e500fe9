# SPDX-License-Identifier: MIT
"""Collecting diagnostics and printing them. What the numbers mean stands in diagnostics.py."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import Iterable, Sequence

from .diagnostics import TABLE
from .source import Span

# Unknown names, types and processes: all would be declared in the same name space.
GLOBAL_NAMES = ("HSM0201", "HSM0206", "HSM0207")
PLACES_SHOWN = 2


@dataclass(frozen=True)
class Diagnostic:
    code: str
    message: str
    span: Span
    notes: tuple[tuple[str, Span], ...] = ()

    @property
    def severity(self) -> str:
        return TABLE[self.code].severity

    def sort_key(self) -> tuple[str, int, str, str]:
        return (self.span.file.name, self.span.start, self.code, self.message)


class SpecError(Exception):
    """The spec has errors; `diagnostics` holds them, warnings included, in order of place."""

    def __init__(self, diagnostics: Sequence["Diagnostic"]) -> None:
        super().__init__("\n".join(render(d) for d in diagnostics))
        self.diagnostics = list(diagnostics)


class Report:
    """All diagnostics of one run. The same message at the same place is kept once."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, int, str], Diagnostic] = {}
        # A name that is missing is one mistake, wherever it is used.
        self._unknown: dict[tuple[str, str], list[Diagnostic]] = {}
        # Words of text that did not parse: a name missing because its declaration is broken is no error of its own.
        self.damaged_names: set[str] = set()

    def add(
        self,
        code: str,
        span: Span,
        message: str,
        notes: Iterable[tuple[str, Span]] = (),
    ) -> None:
        diagnostic = Diagnostic(code, message, span, tuple(notes))
        self._seen.setdefault((code, span.file.name, span.start, message), diagnostic)

    def unknown(
        self,
        code: str,
        span: Span,
        what: str,
        name: str,
        candidates: Iterable[str],
    ) -> None:
        """An unknown name, with the nearest known one."""
        if name in self.damaged_names:
            return
        diagnostic = Diagnostic(code, what + did_you_mean(name, candidates), span)
        key = ("", name) if code in GLOBAL_NAMES else (code, what)
        places = self._unknown.setdefault(key, [])
        if all(other.span != span for other in places):
            places.append(diagnostic)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        found = list(self._seen.values())
        for places in self._unknown.values():
            first, *others = sorted(places, key=Diagnostic.sort_key)
            notes = [("also here", other.span) for other in others[:PLACES_SHOWN]]
            message = first.message
            if len(others) > PLACES_SHOWN:
                message += f" ({len(places)} places)"
            found.append(Diagnostic(first.code, message, first.span, tuple(notes)))
        return sorted(found, key=Diagnostic.sort_key)

    @property
    def number(self) -> int:
        """Of complaints so far."""
        return len(self._seen) + sum(map(len, self._unknown.values()))

    @property
    def errors(self) -> int:
        own = sum(d.severity == "error" for d in self._seen.values())
        return own + len(self._unknown)


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    known = sorted(set(candidates))
    folded = {k.lower().replace("_", ""): k for k in known}
    same = folded.get(name.lower().replace("_", ""))
    close = [same] if same else difflib.get_close_matches(name, known, n=1, cutoff=0.65)
    return f"; did you mean '{close[0]}'?" if close else ""


def render(diagnostic: Diagnostic) -> str:
    """file:line:column: error HSM0123: message, the line, a caret; then the notes in the same form."""
    lines = [
        f"{_where(diagnostic.span)}: {diagnostic.severity} {diagnostic.code}: {diagnostic.message}",
        *_excerpt(diagnostic.span),
    ]
    for message, span in diagnostic.notes:
        lines.append(f"{_where(span)}: note: {message}")
        lines.extend(_excerpt(span))
    return "\n".join(lines)


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    return json.dumps(
        [
            {
                "code": d.code,
                "severity": d.severity,
                "title": TABLE[d.code].title,
                "page": f"docs/diagnostics/{d.code}.md",
                "message": d.message,
                **_json_place(d.span),
                "notes": [{"message": m, **_json_place(s)} for m, s in d.notes],
            }
            for d in diagnostics
        ],
        indent=2,
    )


def _json_place(span: Span) -> dict[str, object]:
    """`endColumn` is the column behind the last character on the first line, as the caret shows it."""
    return {
        "file": str(span.file.path),
        "line": span.line,
        "column": span.column,
        "endColumn": span.column + _shown_length(span),
    }


def _shown_length(span: Span) -> int:
    """Characters of the span on its first line, one at least."""
    rest = len(span.file.line_text(span.line)) - span.column + 1
    return max(1, min(span.end - span.start, rest))


def _where(span: Span) -> str:
    return f"{span.file.path}:{span.line}:{span.column}"


def _excerpt(span: Span) -> list[str]:
    text = span.file.line_text(span.line)
    if not text.strip():
        return []
    margin = "".join("\t" if c == "\t" else " " for c in text[: span.column - 1])
    return [f"  {text}", f"  {margin}{'^' * _shown_length(span)}"]
