# SPDX-License-Identifier: MIT
"""What the formatter works on: a file as lines of tokens with their levels, comments and marks; no meaning, but the
lines that the parser sees as one are one. Also how tokens stand beside each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterator, Optional, Sequence

from ..frontend.parser import FileParser, LogicalLine, lark_parser
from ..frontend.profiles import find_marks

INDENT = 2  # columns of a level

# Written with a blank before a bracket; any other word there is being called, or declared.
KEYWORDS = frozenset(
    """and or not if else when on after while repeat for in return let raise release clear""".split()
)
SPACED_AROUND = frozenset(":= = == != < <= > >= << >> + - * / % & | ^ ->".split())
# After these a '-' is a sign.
BEFORE_OPERAND = SPACED_AROUND | frozenset("( [ , ; : .. ~".split()) | KEYWORDS
KNOWN = SPACED_AROUND | frozenset("( ) [ ] , ; : . .. ~ @".split())
ROW_WORDS = frozenset("before on when else after entry exit".split())


@dataclass(frozen=True)
class Token:
    text: str
    gap: int  # blanks before it

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha() or self.text[0] == "_"

    @property
    def is_string(self) -> bool:
        return self.text[0] == '"'


@dataclass
class Piece:
    """A physical line of a logical one. Neither tokens nor comment: a blank line."""

    tokens: list[Token]
    comment: str = ""


@dataclass
class Code:
    """A logical line. `parents`: the first words of the lines around it, outermost first."""

    level: int
    pieces: list[Piece]
    marks: list[str]
    parents: tuple[str, ...]
    opens_block: bool = False
    next: Optional[Code] = None  # where nothing stands between

    @property
    def tokens(self) -> list[Token]:
        return [token for piece in self.pieces for token in piece.tokens]

    @property
    def first_word(self) -> str:
        return self.pieces[0].tokens[0].text if self.pieces[0].tokens else ""

    @property
    def indent(self) -> int:
        return INDENT * self.level

    @property
    def is_row(self) -> bool:
        return self.parents[:1] == ("process",) and self.first_word in ROW_WORDS


@dataclass
class Comment:
    level: int
    text: str


@dataclass
class Blank:
    pass


Item = Code | Comment | Blank


@lru_cache(maxsize=None)
def _token_pattern() -> re.Pattern[str]:
    """Operators come from the grammar too: one added there is one token here."""
    operators = {":=", "->", "..", "==", "!=", "<=", ">=", "<<", ">>"}
    for terminal in lark_parser().terminals:
        value = terminal.pattern.value
        if terminal.pattern.type == "str" and not value[0].isalpha():
            operators.add(value)
    longest_first = sorted(operators, key=lambda text: (-len(text), text))
    return re.compile(
        r'"[^"\n]*"|[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z_]*|'
        + "|".join(map(re.escape, longest_first))
        + r"|\S"
    )


@lru_cache(maxsize=None)
def _words_of_the_grammar() -> frozenset[str]:
    """Those that mean something in one place only: before a bracket they may be a name or not."""
    found = {
        terminal.pattern.value
        for terminal in lark_parser().terminals
        if terminal.pattern.type == "str" and terminal.pattern.value[0].isalpha()
    }
    return frozenset(found - KEYWORDS)


def tokens_of(code: str) -> list[Token]:
    found: list[Token] = []
    end = 0
    for match in _token_pattern().finditer(code):
        found.append(Token(match.group(), match.start() - end))
        end = match.end()
    return found


def split_comment(text: str) -> tuple[str, str]:
    """The code of a physical line, and its comment with the '#', or nothing."""
    quoted = False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return text[:position].rstrip(), text[position:].rstrip()
    return text.rstrip(), ""


# --- reading


def read(parser: FileParser) -> list[Item]:
    """The lines of a file that has been scanned without errors."""
    items: list[Item] = []
    file = parser.file
    starting = {file.line_of(line.start): line for line in parser.lines}
    number = 1
    levels: list[int] = []  # indentation of the open blocks
    words: list[str] = []  # the first words of the lines that opened them
    waiting: list[tuple[int, str]] = []  # comments, whose level the next line tells
    count = len(file.line_starts)

    def settle(next_level: int) -> None:
        for indent, text in waiting:
            if not text:
                items.append(Blank())
                continue
            fits = [i for i, own in enumerate(levels) if own <= indent]
            items.append(Comment(max([next_level, *fits[-1:]]), text))
        waiting.clear()

    while number <= count:
        text = file.line_text(number)
        line = starting.get(number)
        if line is None:
            _, comment = split_comment(text)
            waiting.append((len(text) - len(text.lstrip(" ")), comment))
            number += 1
            continue
        outer = [own for own in levels if own < line.indent]
        settle(len(outer))
        code = _code_line(parser, line)
        del words[len(outer) :]
        levels[:] = [*outer, line.indent]
        code.level = len(outer)
        code.parents = tuple(words)
        words.append(code.first_word)
        items.append(code)
        number = file.line_of(line.end) + 1
    settle(0)
    codes = [item for item in items if isinstance(item, Code)]
    for before, after in zip(codes, codes[1:]):
        before.opens_block = after.level > before.level
    return _without_doubled_blanks(items)


def _code_line(parser: FileParser, line: LogicalLine) -> Code:
    file = parser.file
    marked = find_marks(file.clean[line.start : line.end])
    code_end = line.start + marked.code_end
    pieces: list[Piece] = []
    for number in range(file.line_of(line.start), file.line_of(line.end) + 1):
        code, comment = split_comment(file.line_text(number))
        start = file.line_starts[number - 1]
        pieces.append(Piece(tokens_of(code[: max(0, code_end - start)]), comment))
    return Code(0, pieces, [name for name, _ in marked.names], ())


def _without_doubled_blanks(items: list[Item]) -> list[Item]:
    result: list[Item] = []
    for item in items:
        if isinstance(item, Blank) and (not result or isinstance(result[-1], Blank)):
            continue
        result.append(item)
    while result and isinstance(result[-1], Blank):
        result.pop()
    return result


# --- writing


def text_of(tokens: Sequence[Token], before: Optional[Token] = None) -> str:
    """On one line. `before`: the token on the line above, which tells a sign from an operator."""
    parts: list[str] = []
    previous = before
    signed = False  # the previous token is a sign
    for position, token in enumerate(tokens):
        if position and previous is not None and _needs_blank(previous, token, signed):
            parts.append(" ")
        parts.append(token.text)
        signed = token.text == "~" or (
            token.text == "-" and (previous is None or previous.text in BEFORE_OPERAND)
        )
        previous = token
    return "".join(parts)


def _needs_blank(left: Token, right: Token, signed: bool) -> bool:
    a, b = left.text, right.text
    if b in (")", "]", ",", ";", ":") or a in ("(", "["):
        return False
    if a in (".", "..") or b in (".", "..") or signed:
        return False
    if b == "(" and left.is_word and a not in KEYWORDS:
        return right.gap > 0 if a in _words_of_the_grammar() else False
    if b == "[" and (left.is_word and a not in KEYWORDS or a in (")", "]")):
        return False
    if b == "(" and a in (")", "]"):
        return False
    for token in (left, right):
        known = token.text in KNOWN or token.is_word or token.is_string
        if not known and not token.text[0].isdigit():
            return right.gap > 0
    return True


def depths(tokens: Sequence[Token]) -> Iterator[int]:
    """How many brackets are open before each token; a closing one counts as outside."""
    depth = 0
    for token in tokens:
        if token.text in (")", "]"):
            depth -= 1
        yield depth
        if token.text in ("(", "["):
            depth += 1
