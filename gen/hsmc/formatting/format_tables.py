# SPDX-License-Identifier: MIT
"""Lines of the same kind below each other, cell by cell: fields, constants, counters, events; assignments the author
has aligned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from .format_lines import Code, Comment, Item, Token, depths, text_of
from .format_writer import WIDTH, Line, Writer

TOP_LEVEL = frozenset("constant parameter device counter property profile".split())
BLOCKS = {
    "enumeration": "member",
    "layout": "layout field",
    "payload": "field",
    "pool": "field",
    "table": "field",
}
IN_WORLDS = frozenset("bound variable parameter view".split())
DOC_GAP = 4  # before the texts of a block
DOC_GAP_TOP = 2


def kind_of(code: Code) -> Optional[str]:
    """Lines of one kind make a table."""
    if code.opens_block:
        return None
    words = [token.text for token in code.tokens[:2]]
    prefixed = words[0] in ("external", "transient") and len(words) > 1
    word = words[1] if prefixed else words[0]
    if code.level == 0:
        return word if word in TOP_LEVEL else None
    if code.parents[0] == "process":
        return word if code.level == 1 and word in ("event", "variable") else None
    if code.parents[0] == "world":
        return word if code.level == 1 and word in IN_WORLDS else None
    if code.level == 1 and code.parents[0] in BLOCKS:
        return BLOCKS[code.parents[0]]
    if code.parents[0] in ("action", "function") and _assignment(code) > 0:
        return "assignment"
    return None


def _assignment(code: Code) -> int:
    """The index of the ':=' of a line that is an assignment and nothing else, or -1."""
    tokens = code.tokens
    at = list(depths(tokens))
    if any(token.text == ";" for token in tokens):
        return -1
    return next((i for i, t in enumerate(tokens) if t.text == ":=" and at[i] == 0), -1)


@dataclass
class Row:
    code: Code
    cells: dict[str, list[Token]]
    doc_below: bool
    # Longer than its neighbours: its text stands close behind it and leaves the column to the others.
    unaligned: bool = False


# Columns by kind, in order, and where a cell begins: before a word or sign, after ':', before a text.
COLUMNS = ("head", "type", "bits", "modifier", "range", "value", "doc")
# How much further than the middle of its neighbours a line reaches to be a loose one.
LOOSE = 12


def _cells(kind: str, tokens: Sequence[Token]) -> dict[str, list[Token]]:
    cells: dict[str, list[Token]] = {}
    column = "head"
    for index, (token, depth) in enumerate(zip(tokens, depths(tokens))):
        before = tokens[index - 1].text if index else ""
        if depth == 0:
            begins = _column_begun_by(kind, column, before, token, index)
            if begins is not None and COLUMNS.index(begins) > COLUMNS.index(column):
                column = begins
        cells.setdefault(column, []).append(token)
    return cells


def _column_begun_by(
    kind: str, column: str, before: str, token: Token, index: int
) -> Optional[str]:
    if token.is_string:
        return "doc"
    if kind == "layout field":
        return "bits" if before == ":" else None
    if token.text in ("=", ":="):
        return "value"
    if kind in ("field", "variable", "parameter"):
        if before == ":" and column == "head":
            return "type"
        return "range" if token.text == "range" else None
    if kind == "event" and index > 2 and before == ")":
        return "modifier"
    if kind == "property" and index >= 2 and token.text in ("safety", "liveness"):
        return "modifier"
    if kind == "profile" and index == 2:
        return "modifier"
    return None


def runs(items: Sequence[Item]) -> Iterator[list[Code]]:
    """Tables: adjacent lines of one kind; comments between them do not part them."""
    run: list[Code] = []
    for item in items:
        if isinstance(item, Comment) and not (run and kind_of(run[0]) == "assignment"):
            continue
        if (
            run
            and isinstance(item, Code)
            and _alignment_key(item) == _alignment_key(run[0])
        ):
            run.append(item)
            continue
        if run:
            yield run
        run = [item] if isinstance(item, Code) and kind_of(item) else []
    if run:
        yield run


def _alignment_key(code: Code) -> tuple[Optional[str], int, str]:
    """Assignments are aligned for one place's parts only."""
    kind = kind_of(code)
    return kind, code.level, code.first_word if kind == "assignment" else ""


def write_table(codes: Sequence[Code]) -> dict[int, list[Line]]:
    """By id() of the lines it could align; the others are written by themselves."""
    kind = kind_of(codes[0]) or ""
    rows = [row for row in (_row(kind, code) for code in codes) if row is not None]
    if kind == "assignment" and not any(
        row.cells["value"][0].gap > 1 for row in rows if "value" in row.cells
    ):
        return {}
    gap = DOC_GAP if codes[0].level else min(DOC_GAP_TOP, len(rows))
    while rows:
        texts = _aligned(rows, gap)
        long = [row for row, text in zip(rows, texts) if len(text) > WIDTH]
        if not long:
            break
        unaligned = _widest_row(rows)
        if unaligned is not None:
            unaligned.unaligned = True
            continue
        # A text too long goes below its line; a line too long without one stands outside the table.
        worst = max(long, key=lambda row: len(text_of(row.code.tokens)))
        if "doc" in worst.cells and not worst.doc_below:
            worst.doc_below = True
        else:
            rows.remove(worst)
    result: dict[int, list[Line]] = {}
    for row, text in zip(rows, _aligned(rows, gap)):
        writer = Writer(row.code.indent, False)
        shown = [t for name, cell in row.cells.items() for t in cell if name != "doc"]
        writer.put_text(text, shown)
        if row.doc_below:
            writer.end()
            writer.put(row.cells["doc"])
        lines = writer.finish(row.code.pieces[-1].comment, row.code.marks)
        for line in lines:
            line.group = id(codes[0])
        result[id(row.code)] = lines
    return result


def _widest_row(rows: Sequence[Row]) -> Optional[Row]:
    """The row that pushes the column of texts far, if it can be let go."""
    reach = {
        index: len(text)
        for index, text in enumerate(_aligned(rows, None))
        if "doc" in rows[index].cells and not rows[index].doc_below
    }
    if len(reach) < 3:
        return None
    aligned_rows = [index for index in reach if not rows[index].unaligned]
    widest = max(aligned_rows, key=lambda index: reach[index], default=None)
    if widest is None:
        return None
    fits = reach[widest] + DOC_GAP + len(text_of(rows[widest].cells["doc"])) <= WIDTH
    middle = sorted(reach.values())[len(reach) // 2]
    return rows[widest] if fits and reach[widest] > middle + LOOSE else None


def _row(kind: str, code: Code) -> Optional[Row]:
    first, *others = code.pieces
    if others and (
        len(others) > 1
        or first.comment
        or len(others[0].tokens) != 1
        or not others[0].tokens[0].is_string
    ):
        return None
    cells = _cells(kind, code.tokens)
    if "doc" in cells and len(cells["doc"]) > 1:
        return None
    return Row(code, cells, bool(others))


def _aligned(rows: Sequence[Row], doc_gap: Optional[int]) -> list[str]:
    """A column begins behind the widest of the lines that have it. `doc_gap` None: without the texts."""
    texts = [" " * row.code.indent + text_of(row.cells["head"]) for row in rows]
    for column in COLUMNS[1:]:
        is_doc = column == "doc"
        having = [
            index
            for index, row in enumerate(rows)
            if column in row.cells and not (is_doc and row.doc_below)
        ]
        if not having or is_doc and doc_gap is None:
            continue
        cells = {i: text_of(rows[i].cells[column]) for i in having}
        if column == "bits":
            _align_numbers(cells)
        gap = doc_gap or 1 if is_doc else 1
        aligned_rows = [i for i in having if not (is_doc and rows[i].unaligned)]
        start = max((len(texts[i]) for i in aligned_rows), default=0) + gap
        for i in having:
            width = start if i in aligned_rows else max(start, len(texts[i]) + gap)
            texts[i] = texts[i].ljust(width) + cells[i]
    return texts


def _align_numbers(cells: dict[int, str]) -> None:
    """`4 bits` below `16 bits`."""
    numbers = [text.split(" ")[0] for text in cells.values() if text[0].isdigit()]
    width = max(map(len, numbers), default=0)
    for index, text in cells.items():
        if text[0].isdigit():
            cells[index] = " " * (width - len(text.split(" ")[0])) + text
