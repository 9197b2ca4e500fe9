# SPDX-License-Identifier: MIT
"""What all rules of the grammar need to become syntax: names, places in the file, children by kind."""

from __future__ import annotations

from typing import Any, Iterable, Optional, TypeVar

from lark import Token

from . import ast
from ..report import Report
from ..source import SourceFile, Span

Kind = TypeVar("Kind")
Children = list[Any]
Meta = tuple[int, int]  # begin and end of the rule's text, (0, 0) if it has none
# Beyond any 32-bit number in any notation, whatever blanks it has in it.
DIGITS_LIMIT = 200

# Words the grammar gives a meaning in expressions and statements; a thing of that name could not be used.
RESERVED = frozenset(
    """and or not if else none true false let raise release clear count return repeat for find while when on after
    create entry exit ignore never assert set unset has has_all available min max bits bool u8 u16 u32""".split()
)


class PartBuilder:
    """`base` is the position in the file of the text that was parsed. Among the children, names are ast.Name."""

    def __init__(self, file: SourceFile, base: int, report: Report) -> None:
        self.file = file
        self.base = base
        self.report = report

    def NAME(self, token: Token) -> ast.Name:
        return ast.Name(self._token_span(token), str(token))

    def _token_span(self, token: Token) -> Span:
        start = self.base + (token.start_pos or 0)
        return Span(self.file, start, start + len(token))

    def _span(self, meta: Meta) -> Span:
        return Span(self.file, self.base + meta[0], self.base + meta[1])

    def _new(self, name: ast.Name) -> ast.Name:
        """A name being declared."""
        if name.text in RESERVED:
            self.report.add(
                "HSM0106", name.span, f"'{name.text}' is a word of the language"
            )
        return name

    def _line(self, meta: Meta) -> Span:
        """Without the newline and blank lines that end it."""
        span = self._span(meta)
        text = self.file.clean[span.start : span.end]
        return Span(self.file, span.start, span.start + len(text.rstrip()))


def word_text(token: Optional[Token]) -> Any:
    """One of those the grammar lists."""
    return "" if token is None else str(token)


def text_of(token: Optional[Token]) -> str:
    return "" if token is None else str(token)[1:-1]


def of_kind(kind: type[Kind], children: Iterable[Any]) -> Iterable[Kind]:
    return (child for child in children if isinstance(child, kind))


def body_of(rest: Children) -> tuple[ast.Statement, ...]:
    """Of a line of a world: a block, or statements behind a '/'."""
    if rest and isinstance(rest[0], tuple):
        return rest[0]
    return statements_of(rest)


def statements_of(children: Children) -> tuple[ast.Statement, ...]:
    return tuple(child for child in children if child is not None)
