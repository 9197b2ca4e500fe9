# SPDX-License-Identifier: MIT
"""What an editor shows of the thing under the pointer, as Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator, Optional

from ..documents import diagnostic_pages
from .. import ir
from ..frontend import ast
from ..diagnostics import TABLE
from ..frontend.index import Definition
from ..source import SourceFile, Span
from .workspace import Analysis

# Words the language gives a meaning that are no keywords.
WORDS = {
    "u8": "unsigned number of 8 bits",
    "u16": "unsigned number of 16 bits",
    "u32": "unsigned number of 32 bits",
    "bool": "`true` or `false`",
    "bits": "`bits[n]`: a set of the numbers 0 to n - 1; see `has`, `has_all`, `set`, `unset`",
    "has": "`has(bits, i)`: is i in the set?",
    "has_all": "`has_all(bits, first, count)`: are all of first, first + 1, ... in the set? At most 31 at once",
    "set": "`set(bits, i)`: puts i into the set",
    "unset": "`unset(bits, i)`: takes i out of the set",
    "available": "`available(Pool)`: is there a free record?",
    "handle": "`handle[Pool]`: names a record for as long as it lives; `handle(reference)` makes one",
    "record": "`record(handle)`: the record, or none when it has been released since",
    "min": "`min(a, b)`: the smaller one",
    "max": "`max(a, b)`: the larger one",
}


def hover(analysis: Analysis, path: Path, offset: int) -> Optional[tuple[str, Span]]:
    """The text, and what it is about."""
    file = analysis.files[path]
    parts: list[str] = []
    span: Optional[Span] = None
    name = analysis.name_at(path, offset)
    if name is not None:
        span = name.span
        if name.definition is not None:
            parts.append(describe(analysis, name.definition))
        elif span.text in WORDS and span not in analysis.index.undeclared:
            parts.append(WORDS[span.text])
    for diagnostic in analysis.diagnostics:
        at = diagnostic.span
        if at.file is file and at.start <= offset <= at.end:
            span = span or at
            parts.append(
                f"**{diagnostic.code}** {diagnostic.severity}: {TABLE[diagnostic.code].title}\n\n"
                + explanation(diagnostic.code)
            )
    rows = list(_transitions(analysis, file, offset))
    if rows and (name is None or name.definition is None or not parts):
        parts.append("transition " + ", ".join(f"`{row.id}`" for row in rows))
        span = span or _word_at(file, offset)
    if not parts or span is None:
        return None
    return "\n\n---\n\n".join(parts), span


def knows(analysis: Analysis, path: Path, offset: int) -> bool:
    """Does the name there mean something in this profile?"""
    name = analysis.name_at(path, offset)
    return name is not None and name.definition is not None


def explanation(code: str) -> str:
    """The page about a diagnostic up to its example."""
    try:
        text = diagnostic_pages.page(code).text
    except OSError:
        return ""
    return text.partition("\n")[2].partition("```")[0].strip()


def describe(analysis: Analysis, definition: Definition) -> str:
    """The declaration, its text in quotes or its comment, and what the compiler knows of it."""
    index = analysis.index
    lines = [f"```hsm\n{declaration(definition)}\n```"]
    title = f"{definition.kind} `{index.path(definition)}`"
    uses = len(index.occurrences(definition)) - 1
    lines.append(f"{title}, {uses} use{'s' * (uses != 1)}")
    text = remark(definition)
    if text:
        lines.append(text)
    lines += facts(analysis, definition)
    return "\n\n".join(lines)


def declaration(definition: Definition) -> str:
    """Its first line, on one line with what continues it, without remarks."""
    node = definition.node
    if isinstance(node, ast.Rows):
        return f"{'before ' if node.before else ''}on {node.span.squeezed}"
    span = node.span
    text = span.file.clean[span.start : span.end].lstrip().split("\n")[0]
    text = " ".join(text.replace("\x0b", " ").split())
    return re.sub(r'\s*"[^"]*"$', "", text)


def remark(definition: Definition) -> str:
    node = definition.node
    if isinstance(node, ast.Declaration) and node.doc:
        return node.doc
    line = definition.span.file.line_text(definition.span.line)
    return re.sub(r'"[^"]*"', "", line).partition("#")[2].strip()


def facts(analysis: Analysis, definition: Definition) -> list[str]:
    """Values and types, as far as they could be resolved."""
    context = analysis.index.context
    node, name = definition.node, definition.text
    found: list[str] = []
    constant = context.constants.get(name)
    parameter = context.parameters.get(name)
    type_ = context.local_types.get(definition.span.place())
    if isinstance(node, ast.Constant) and constant is not None:
        found.append(f"= {number(constant.value)}{' fixed' * constant.fixed}")
    elif isinstance(node, ast.Parameter) and parameter is not None:
        found.append(f"default {number(parameter.default.value)}")
        if parameter.range is not None:
            low, high = parameter.range.low.value, parameter.range.high.value
            found.append(f"{low} to {high} {parameter.unit}".rstrip())
    elif isinstance(node, ast.EnumerationMember):
        owner = context.enumerations.get(definition.owners[-1].name.text)
        for member in owner.members if owner else ():
            if member.name == name:
                found.append(f"= {number(member.value)}")
    elif isinstance(node, ast.LayoutField):
        found += _layout_field(
            context.layouts.get(definition.owners[-1].name.text), name
        )
    elif isinstance(node, ast.Layout) and name in context.layouts:
        found.append(f"{context.layouts[name].bytes} bytes")
    elif isinstance(node, ast.Pool) and name in context.pools:
        pool = context.pools[name]
        found.append(
            f"{pool.count.value} records, a reference takes {pool.reference.bits} bits"
        )
    elif isinstance(node, ast.Table) and name in context.tables:
        found.append(f"{context.tables[name].count.value} records")
    elif isinstance(node, ast.State):
        found += _state(analysis.protocol, definition)
    elif type_ is not None and definition.kind in ("local name", "argument", "record"):
        found.append(f"type {type_}")
    return found


def number(value: int) -> str:
    """
    >>> number(9), number(34998)
    ('9', '34998 (0x88b6)')
    """
    return str(value) if value < 10 else f"{value} (0x{value:x})"


def _layout_field(layout: Optional[ir.Layout], name: str) -> list[str]:
    for field in layout.fields if layout else ():
        if field.name == name:
            first = field.offset % 32
            return [
                f"byte {field.offset // 8}, word {field.word}, "
                f"bits {first} to {first + field.bits - 1} from the left"
            ]
    return []


def _state(protocol: Optional[ir.Protocol], definition: Definition) -> list[str]:
    """The rows that can be taken in a state."""
    process = definition.process
    if protocol is None or process is None:
        return []
    path = [o.name.text for o in definition.owners[1:]] + [definition.text]
    rows = [
        f"`{row.id}` {row.text.split(' / ')[0]}"
        for each in protocol.processes
        if each.name == process.name.text
        for handler in each.handlers
        for row in handler.rows
        if _leaf_path(each, handler.leaf)[: len(path)] == path
    ]
    return ["\n".join(f"* {row}" for row in rows)] if rows else []


def _leaf_path(process: ir.Process, leaf: str) -> list[str]:
    return next((s.path.split(".") for s in process.states if s.name == leaf), [])


def _transitions(analysis: Analysis, file: SourceFile, offset: int) -> Iterator[ir.Row]:
    """The transitions made of the row at an offset: one per leaf state it stands for."""
    if analysis.protocol is None:
        return
    for row in analysis.protocol.rows():
        place = row.place
        if place.file == file.name:
            start = file.line_starts[place.line - 1] + place.column - 1
            if start <= offset <= start + place.length:
                yield row
            elif file.line_of(offset) == place.line and offset < start:
                yield row


def _word_at(file: SourceFile, offset: int) -> Span:
    text = file.text
    start = end = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return Span(file, start, max(end, min(start + 1, len(text))))
