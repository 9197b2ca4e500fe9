# SPDX-License-Identifier: MIT
"""Physical lines of the formatter's output: where a line breaks, how what continues it is indented, what stands to the
right of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from .format_lines import Piece, Token, depths, text_of

WIDTH = 120
GAP = 2  # blanks before marks, comments and the columns of rows
CONTINUED_BY = (
    4  # how much deeper a continuing line stands, so that no block is mistaken for it
)
# Lines with code beyond this do not draw the marks and comments beside them to the right.
LONG = 100

# Parts of the lines of a world that may stand in lines of their own, and what a line with such parts begins with.
PARTS = ("->", "at", "told", "unchanged")
PARTED = ("wire", "host", "fault", "view", *PARTS)

BINARY = frozenset("+ - * / | ^ & << >> == != < <= > >=".split())


@dataclass
class Line:
    """`code` None: kept as it is, a comment or nothing. Lines of one `group` have one column of comments, though some
    have none."""

    code: Optional[str]
    marks: str = ""
    comment: str = ""
    group: int = 0


class Writer:
    """One logical line, token by token."""

    def __init__(self, indent: int, opens_block: bool) -> None:
        self.indent = indent
        self.opens_block = opens_block
        self.lines: list[Line] = []
        self.current = ""
        self._previous: Optional[Token] = None
        # The indentation of the lines whose brackets are open.
        self._open: list[int] = []

    @property
    def column(self) -> int:
        return len(self.current)

    def put(self, tokens: Sequence[Token], column: Optional[int] = None) -> None:
        """On the current line, from `column` or after one blank; what does not fit goes to lines of its own."""
        if not tokens:
            return
        if not self.current:
            self.current = " " * (self._margin(tokens) if column is None else column)
        elif column is None:
            self.current += " "
        else:
            self.current = self.current.ljust(column)
        end = break_before(tokens, self.column)
        self._append(tokens[:end])
        if end < len(tokens):
            self.end()
            self.put(tokens[end:])

    def put_text(self, text: str, tokens: Sequence[Token]) -> None:
        """Tokens that the caller has spaced."""
        self.current += text
        self._enter(tokens)

    def put_pieces(self, pieces: Sequence[Piece], column: Optional[int] = None) -> None:
        """Broken where the author broke them."""
        for number, piece in enumerate(pieces):
            if number:
                self.end(pieces[number - 1].comment)
            if piece.tokens:
                self.put(piece.tokens, column if number == 0 else None)
            elif piece.comment:
                after = [t for later in pieces[number + 1 :] for t in later.tokens]
                deeper = self.indent + CONTINUED_BY
                self.current = " " * (self._margin(after) if after else deeper)

    def end(self, comment: str = "") -> None:
        if self.current.strip():
            self.lines.append(Line(self.current, comment=comment))
        else:
            self.lines.append(Line(None, comment=(self.current + comment).rstrip()))
        self.current = ""

    def finish(self, comment: str, marks: Sequence[str]) -> list[Line]:
        self.end(comment)
        self.lines[-1].marks = " ".join(f"@{name}" for name in marks)
        return self.lines

    def _append(self, tokens: Sequence[Token]) -> None:
        self.current += text_of(tokens, self._previous)
        self._enter(tokens)

    def _enter(self, tokens: Sequence[Token]) -> None:
        indent = len(self.current) - len(self.current.lstrip())
        for token in tokens:
            if token.text in ("(", "["):
                self._open.append(indent)
            elif token.text in (")", "]") and self._open:
                self._open.pop()
        if tokens:
            self._previous = tokens[-1]

    def _margin(self, tokens: Sequence[Token]) -> int:
        """Where a line that begins with these tokens is indented to."""
        if self._previous is None:
            return self.indent
        if self._open:
            return self._open[-1] + (CONTINUED_BY if self.opens_block else 2)
        if tokens[0].text == "=" or tokens[0].is_string:
            return self.indent + 2
        return self.indent + CONTINUED_BY


def break_before(tokens: Sequence[Token], column: int) -> int:
    """How many of the tokens stay on a line when they begin at the column: all when they fit or nothing helps."""
    if column + len(text_of(tokens)) <= WIDTH:
        return len(tokens)
    best: tuple[int, int] = (1000, 0)
    at = list(depths(tokens))
    for index in range(1, len(tokens)):
        rank = _rank(tokens, index, at[index])
        if rank is None or rank > best[0]:
            continue
        if column + len(text_of(tokens[:index])) <= WIDTH:
            best = (rank, index)
    return best[1] or len(tokens)


def _rank(tokens: Sequence[Token], index: int, depth: int) -> Optional[int]:
    """How bad it is to break before a token; None: the language does not continue a line there."""
    token, before = tokens[index], tokens[index - 1]
    if token.is_string and depth == 0:
        return 0
    if token.text == "=" and tokens[0].text == "function" and depth == 0:
        return 1
    if token.text in PARTS and tokens[0].text in PARTED and depth == 0:
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        return None if following[:1] in tuple(":=(.[") else 2
    if token.text in ("and", "or"):
        return 10 + depth
    if before.text == "," and depth > 0:
        return 20 + depth
    if token.text in BINARY and (before.is_word or before.text[0].isdigit()):
        return 30 + depth
    return None


def align_right(lines: list[Line]) -> list[str]:
    """Marks and comments of adjacent lines stand in a column each."""
    texts = [line.code or "" for line in lines]
    for attribute in ("marks", "comment"):
        run: list[int] = []
        for index, line in enumerate([*lines, Line(None)]):
            has = line.code is not None and bool(getattr(line, attribute))
            related = run and line.group == lines[run[-1]].group > 0
            if has and (not run or related or run[-1] == index - 1):
                run.append(index)
                continue
            if related and line.code is not None:
                continue
            short = [len(texts[i]) for i in run if len(texts[i]) <= LONG]
            column = max(short, default=0)
            for i in run:
                texts[i] = texts[i].ljust(column) + " " * GAP
                texts[i] += getattr(lines[i], attribute)
            run = [index] if has else []
    return [
        text if line.code is not None else line.comment
        for text, line in zip(texts, lines)
    ]
