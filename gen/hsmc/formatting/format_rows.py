# SPDX-License-Identifier: MIT
"""The rows of a process as state tables: event and guard, `/` actions, `->` target, each in a column of its own through
all states of the process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence

from .format_lines import Code, Piece, Token, depths, text_of
from .format_writer import CONTINUED_BY, GAP, WIDTH, Line, Writer

# A head that ends beyond this does not push the column of the actions: they go below it. Where all heads are that
# long, up to the second limit, the column follows them.
HEAD_LIMIT = 48
HEAD_LIMIT_ALL = 72
# Actions that end beyond this do not push the column of the targets.
TARGET_LIMIT = 104
# Actions of rows without a target push it no further than this.
TARGET_LIMIT_OTHERS = 80

LEADING = {"/": "actions", "->": "target"}


@dataclass
class Row:
    code: Code
    parts: dict[str, list[Piece]] = field(default_factory=dict)
    # Tokens of the event, and the width it is filled up to, where guards of adjacent rows stand in a column.
    event: int = 0
    event_width: int = 0

    def breaks_before(self, name: str) -> bool:
        """A comment between the parts keeps them on lines of their own."""
        names = list(self.parts)
        before = self.parts[names[names.index(name) - 1]]
        return bool(before[-1].comment) or not before[-1].tokens

    def writer(self) -> Writer:
        return Writer(self.code.indent, self.code.opens_block)

    def put_head(self, writer: Writer) -> None:
        pieces = self.parts["head"]
        if not self.event_width:
            writer.put_pieces(pieces)
            return
        tokens = pieces[0].tokens
        writer.put(tokens[: self.event])
        writer.put(tokens[self.event :], self.code.indent + self.event_width + 1)


def write_rows(codes: Sequence[Code]) -> dict[int, list[Line]]:
    """All rows of one process, by id()."""
    rows = [_row(code) for code in codes]
    _align_guards(rows)
    actions = _action_column(rows)
    target = _target_column(rows, actions)
    return {id(row.code): _write(row, actions, target) for row in rows}


def _row(code: Code) -> Row:
    """A part begins in the middle of a line or at its start; either way it is a part of its own."""
    row = Row(code, {"head": []})
    name = "head"
    depth = 0
    for piece in code.pieces:
        tokens = piece.tokens
        start = 0
        for index, (token, own) in enumerate(zip(tokens, depths(tokens))):
            begins = LEADING.get(token.text) if depth + own == 0 else None
            if begins and begins not in row.parts and name != "target":
                if index > start:
                    row.parts[name].append(Piece(tokens[start:index]))
                row.parts[begins] = []
                name, start = begins, index
        depth += sum(t.text in "([" for t in tokens) - sum(
            t.text in ")]" for t in tokens
        )
        row.parts[name].append(Piece(tokens[start:], piece.comment))
    return row


def _align_guards(rows: Sequence[Row]) -> None:
    """`on a(x)  when ...` below `on bcd when ...`."""
    run: list[Row] = []
    for row in [*rows, None]:
        if row is not None:
            row.event = _event_tokens(row)
        if row is not None and row.event and (not run or _adjacent(run[-1], row)):
            run.append(row)
            continue
        if len(run) > 1:
            widths = [len(text_of(_head(r)[: r.event])) for r in run]
            rests = [len(text_of(_head(r)[r.event :])) for r in run]
            indent = run[0].code.indent
            if indent + max(widths) + 1 + max(rests) <= HEAD_LIMIT:
                for aligned in run:
                    aligned.event_width = max(widths)
        run = [row] if row is not None and row.event else []


def _head(row: Row) -> list[Token]:
    return row.parts["head"][0].tokens


def _event_tokens(row: Row) -> int:
    """How many tokens stand before the guard, 0 where there is none to align."""
    if len(row.parts["head"]) > 1 or row.code.first_word not in (
        "before",
        "on",
        "after",
    ):
        return 0
    tokens = _head(row)
    at = list(depths(tokens))
    words = ("when", "else")
    found = (i for i, t in enumerate(tokens) if t.text in words and at[i] == 0)
    return next((i for i in found if i > 0), 0)


def _adjacent(before: Row, after: Row) -> bool:
    return before.code.level == after.code.level and before.code.next is after.code


def _head_end(row: Row) -> Optional[int]:
    """None where the head takes more than one line."""
    writer = row.writer()
    row.put_head(writer)
    return None if writer.lines else writer.column


def _action_column(rows: Sequence[Row]) -> Optional[int]:
    ends = [(row, _head_end(row)) for row in rows]
    known = [(row, end) for row, end in ends if end is not None]
    acting = [end for row, end in known if "actions" in row.parts]
    for limit in (HEAD_LIMIT, HEAD_LIMIT_ALL):
        if any(end <= limit for end in acting):
            # Rows that only lead elsewhere keep out of the column too.
            return max(end for _, end in known if end <= limit) + GAP
    return None


def _put_actions(row: Row, writer: Writer, column: Optional[int]) -> None:
    pieces = row.parts["actions"]
    below = row.code.indent + CONTINUED_BY
    wanted = below if column is None else column
    same_line = not row.breaks_before("actions") and not (
        writer.lines and len(row.parts["head"]) > 1
    )
    width = len(text_of(pieces[0].tokens))
    if "target" not in row.parts and len(pieces) == 1:
        width += sum(GAP + len(f"@{name}") for name in row.code.marks)
    if wanted + width > WIDTH:
        # Further left, where more of it fits.
        wanted, same_line = below, False
    if not same_line or writer.column + GAP > wanted:
        writer.end(_comment_before(row, "actions"))
    writer.put_pieces(pieces, wanted)


def _comment_before(row: Row, name: str) -> str:
    names = list(row.parts)
    return row.parts[names[names.index(name) - 1]][-1].comment


def _until_target(row: Row, actions: Optional[int]) -> Writer:
    writer = row.writer()
    row.put_head(writer)
    if "actions" in row.parts:
        _put_actions(row, writer, actions)
    return writer


def _target_column(rows: Sequence[Row], actions: Optional[int]) -> Optional[int]:
    best = actions  # never further left
    for row in rows:
        column = _until_target(row, actions).column + GAP
        if "target" not in row.parts:
            if column <= TARGET_LIMIT_OTHERS and "actions" in row.parts:
                best = max(best or 0, column)
            continue
        width = len(text_of(row.parts["target"][0].tokens))
        if column <= TARGET_LIMIT and column + width <= WIDTH:
            best = max(best or 0, column)
    return best


def _write(row: Row, actions: Optional[int], target: Optional[int]) -> list[Line]:
    writer = _until_target(row, actions)
    if "target" in row.parts:
        pieces = row.parts["target"]
        column = max(target or 0, writer.column + GAP)
        if row.breaks_before("target"):
            writer.end(_comment_before(row, "target"))
            column = target or row.code.indent + CONTINUED_BY
        elif column + len(text_of(pieces[0].tokens)) > WIDTH:
            writer.end()
            column = target or row.code.indent + CONTINUED_BY
        writer.put_pieces(pieces, column)
    return writer.finish(row.code.pieces[-1].comment, row.code.marks)
