# SPDX-License-Identifier: MIT
"""The machines as people wrote them: states in states, rows with their guard, actions and target as text.

The intermediate form is flattened: a row of a composite state has become one transition per leaf, and what stood in
which state is gone. What compares or draws specs as written (compare.py, backend_scxml.py) starts from here instead.
All text is without comments and surplus blanks, so equal text means equal meaning of the words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

from .. import ir
from ..frontend import ast
from ..source import Span

TIMER = "after"  # stands for the event of rows a timer's expiry chooses among


@dataclass(frozen=True)
class WrittenRow:
    """`guard` is "" for a row without, "else" for one that says so. `target` is what stands behind the arrow, "" for
    an internal row. `place` is that of ir.Row.place of the transitions it became."""

    event: str
    bindings: tuple[str, ...]
    before: bool  # tried ahead of the rows of the states inside
    duration: str  # of timer rows
    lets: tuple[str, ...]  # of the block it stands in
    guard: str
    actions: str
    target: str
    place: ir.Place

    @property
    def head(self) -> str:
        """
        >>> WrittenRow("ack", ("f",), False, "", (), "", "", "", ir.Place("a", 1, 1)).head
        'on ack(f)'
        """
        if self.event == TIMER:
            return f"after {self.duration}"
        names = f"({', '.join(self.bindings)})" if self.bindings else ""
        return f"{'before ' if self.before else ''}on {self.event}{names}"

    @property
    def text(self) -> str:
        """In one line, as it would stand outside a block."""
        parts = [self.head]
        if self.guard:
            parts.append("else" if self.guard == "else" else f"when {self.guard}")
        if self.actions:
            parts.append(f"/ {self.actions}")
        if self.target:
            parts.append(f"-> {self.target}")
        return " ".join(parts)


@dataclass(frozen=True)
class WrittenState:
    """`verdicts`: (event, what it says instead of rows, the line)."""

    name: str
    path: str  # dotted from the outermost
    doc: str
    initial: bool
    final: bool
    cold: bool
    entry: str
    exit: str
    rows: tuple[WrittenRow, ...]
    verdicts: tuple[tuple[str, str, ir.Place], ...]
    states: tuple["WrittenState", ...]
    place: ir.Place

    def walk(self) -> Iterator["WrittenState"]:
        """The state and all inside, in order of the text."""
        yield self
        for state in self.states:
            yield from state.walk()


@dataclass(frozen=True)
class WrittenProcess:
    name: str
    states: tuple[WrittenState, ...]

    def walk(self) -> Iterator[WrittenState]:
        for state in self.states:
            yield from state.walk()


def written_processes(spec: ast.Spec) -> tuple[WrittenProcess, ...]:
    """Of a spec without errors, in order of declaration."""
    return tuple(
        WrittenProcess(
            node.name.text, tuple(_state(state, "") for state in node.states)
        )
        for node in spec.declarations
        if isinstance(node, ast.Process)
    )


def body_lines(node: ast.Function | ast.Action) -> tuple[str, ...]:
    """What a function or action does: its lines without comments, two blanks per level; one line for `= expression`."""
    if not node.body:
        return ()
    file = node.span.file
    first = node.body[0].span.start
    if file.clean[node.span.start : first].find("\n") < 0:
        return (node.body[0].span.squeezed,)
    return block_lines(node)


def block_lines(node: ast.Declaration) -> tuple[str, ...]:
    """The lines below the head of a declaration, without comments, two blanks per level."""
    lines: list[str] = []
    levels: list[int] = []
    head, *rest = node.span.file.clean[node.span.start : node.span.end].split("\n")
    for line in rest:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip(" "))
        while levels and levels[-1] > indent:
            levels.pop()
        if not levels or levels[-1] < indent:
            levels.append(indent)
        lines.append("  " * (len(levels) - 1) + " ".join(line.split()))
    return tuple(lines)


def _state(node: ast.State, outer: str) -> WrittenState:
    path = f"{outer}.{node.name.text}" if outer else node.name.text
    return WrittenState(
        name=node.name.text,
        path=path,
        doc=node.doc,
        initial=node.initial,
        final=node.final,
        cold=node.cold,
        entry=_statements(node.entry),
        exit=_statements(node.exit),
        rows=tuple(row for rows in node.rows for row in _rows(rows)),
        verdicts=tuple(
            (name.text, verdict.kind, verdict.span.place())
            for verdict in node.verdicts
            for name in verdict.events
        ),
        states=tuple(_state(state, path) for state in node.states),
        place=node.name.span.place(),
    )


def _rows(node: ast.Rows) -> Iterator[WrittenRow]:
    for choice in node.choices:
        text = choice.span.squeezed
        arrow = text.rfind("->")
        yield WrittenRow(
            event=node.event.text if node.event else TIMER,
            bindings=tuple(name.text for name in node.bindings),
            before=node.before,
            duration=node.duration.span.squeezed if node.duration else "",
            lets=tuple(let.span.squeezed for let in node.lets),
            guard=_guard(choice),
            actions=_statements(choice.actions),
            target=text[arrow + 2 :].strip() if arrow >= 0 else "",
            place=choice.span.place(),
        )


def _guard(choice: ast.Choice) -> str:
    if choice.is_else:
        return "else"
    return choice.guard.span.squeezed if choice.guard is not None else ""


def _statements(nodes: Sequence[ast.Statement]) -> str:
    """Between the first and the last: separated by semicolons as written."""
    if not nodes:
        return ""
    span = Span(nodes[0].span.file, nodes[0].span.start, nodes[-1].span.end)
    return span.squeezed
