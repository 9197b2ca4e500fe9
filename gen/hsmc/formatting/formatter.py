# SPDX-License-Identifier: MIT
"""The canonical layout of a spec file.

A file is laid out line by line, by its tokens and levels; the grammar is not asked, so that the lines of all profiles
are there at once. That nothing changed its meaning is proved afterwards: what was written is parsed again in each
profile, and its syntax trees and its tokens are compared with those of the original.
"""

from __future__ import annotations

import dataclasses
from itertools import groupby
from pathlib import Path
from typing import Any, Sequence

from ..frontend import ast
from .format_lines import Blank, Code, Comment, Item, read
from .format_rows import write_rows
from .format_tables import runs, write_table
from .format_writer import Line, Writer, align_right
from ..frontend.parser import FileParser, parse_text
from ..frontend.profiles import Selection
from ..report import Diagnostic, Report, SpecError
from ..source import SourceFile

# A line broken in the first round is broken where the author would have in the second, and may join a table then.
ROUNDS = 6

Tree = list[Any]


class InternalError(Exception):
    """The formatter would have changed what the file says, or found no end."""


def format_text(text: str, path: Path) -> str:
    """The text of one file in the canonical layout. `path` is for messages. Raises SpecError where it does not parse,
    InternalError rather than give a text that means something else."""
    text = text.replace("\r\n", "\n")
    before = _trees(text, path)
    written = text
    for _round in range(ROUNDS):
        previous, written = written, _layout(read(_scanned(written, path)))
        if written == previous:
            break
    else:
        raise InternalError("the layout does not settle")
    if written != text:
        _compare(text, written, before, path)
    return written


def _scanned(text: str, path: Path) -> FileParser:
    report = Report()
    parser = FileParser(SourceFile(path, path.name, text), report)
    if report.errors:
        raise SpecError(report.diagnostics)
    return parser


# --- proof


def _trees(text: str, path: Path) -> dict[str, Tree]:
    """The syntax trees by profile. Profiles are those the file declares, or else those it mentions and one besides,
    in which an included file need not make sense."""
    codes = [i for i in read(_scanned(text, path)) if isinstance(i, Code)]
    names = list(dict.fromkeys(name for code in codes for name in code.marks))
    report = Report()
    own = FileParser(SourceFile(path, path.name, text), report).profiles()
    names = list(dict.fromkeys([p.name.text for p in own] + names))
    trees: dict[str, Tree] = {}
    diagnostics: dict[tuple[str, int, str, str], Diagnostic] = {}
    for name in names or [""]:
        report = Report()
        trees[name] = parse_text(text, path, report, Selection(name or None, None))
        for diagnostic in report.diagnostics:
            diagnostics.setdefault(diagnostic.sort_key(), diagnostic)
    if diagnostics:
        raise SpecError([diagnostics[key] for key in sorted(diagnostics)])
    if names and not own:
        report = Report()
        tree = parse_text(text, path, report, Selection(None, None))
        if not report.diagnostics:
            trees[""] = tree
    return trees


def _compare(text: str, written: str, before: dict[str, Tree], path: Path) -> None:
    try:
        after = _trees(written, path)
    except SpecError as error:
        raise InternalError(f"its layout does not parse: {error}") from error
    for name, tree in before.items():
        if not same_tree(tree, after.get(name)):
            raise InternalError("its layout would mean something else")
    # Lines that no profile has, and comments.
    if _words(text, path) != _words(written, path):
        raise InternalError("its layout would say something else")


def same_tree(left: object, right: object) -> bool:
    """Equal but for the places."""
    if isinstance(left, (list, tuple)):
        return (
            isinstance(right, (list, tuple))
            and len(left) == len(right)
            and all(same_tree(a, b) for a, b in zip(left, right))
        )
    if isinstance(left, ast.Node):
        return type(left) is type(right) and all(
            same_tree(getattr(left, f.name), getattr(right, f.name))
            for f in dataclasses.fields(left)
            if f.name != "span"
        )
    return type(left) is type(right) and left == right


def _words(text: str, path: Path) -> tuple[list[object], list[str]]:
    """Levels, tokens and marks of all lines; and all comments."""
    lines: list[object] = []
    comments: list[str] = []
    for item in read(_scanned(text, path)):
        if isinstance(item, Comment):
            comments.append(item.text)
        elif isinstance(item, Code):
            words = [token.text for token in item.tokens]
            lines.append((item.level, words, item.marks))
            comments += [piece.comment for piece in item.pieces if piece.comment]
    return lines, comments


# --- layout


def _layout(items: Sequence[Item]) -> str:
    _link(items)
    written: dict[int, list[Line]] = {}
    for run in runs(items):
        written.update(write_table(run))
    for _, process in groupby(
        (i for i in _numbered(items) if i[1].is_row), key=lambda numbered: numbered[0]
    ):
        written.update(write_rows([code for _, code in process]))
    lines: list[Line] = []
    number = 0
    for item in items:
        if isinstance(item, Blank):
            lines.append(Line(None))
        elif isinstance(item, Comment):
            lines.append(Line(None, comment=" " * (2 * item.level) + item.text))
        else:
            number += item.level == 0
            own = written.get(id(item)) or _plain(item)
            if item.parents[:1] == ("process",) and not item.opens_block:
                for line in own:
                    line.group = number
            lines += own
    return "".join(f"{line}\n" for line in align_right(lines))


def _link(items: Sequence[Item]) -> None:
    for before, after in zip(items, items[1:]):
        if isinstance(before, Code) and isinstance(after, Code):
            before.next = after


def _numbered(items: Sequence[Item]) -> list[tuple[int, Code]]:
    """Each line with the number of its declaration."""
    number = 0
    result: list[tuple[int, Code]] = []
    for item in items:
        if isinstance(item, Code):
            number += item.level == 0
            result.append((number, item))
    return result


def _plain(code: Code) -> list[Line]:
    writer = Writer(code.indent, code.opens_block)
    writer.put_pieces(code.pieces)
    return writer.finish(code.pieces[-1].comment, code.marks)
