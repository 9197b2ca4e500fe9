# SPDX-License-Identifier: MIT
"""Where the statements of a spec stand in its text."""

from __future__ import annotations

from .. import ir
from ..frontend import ast
from ..source import Span


def statement_spans(spec: ast.Spec) -> dict[ir.Place, Span]:
    """Back from places to spans, which messages need; of statements and rows."""
    found: dict[ir.Place, Span] = {}

    def enter(node: ast.Node) -> None:
        found[node.span.place()] = node.span

    def statements(nodes: tuple[ast.Statement, ...]) -> None:
        for node in nodes:
            enter(node)
            if isinstance(node, ast.If):
                statements(node.then)
                statements(node.otherwise)
            elif isinstance(node, (ast.Repeat, ast.For)):
                statements(node.body)

    def states(nodes: tuple[ast.State, ...]) -> None:
        for node in nodes:
            statements(node.entry)
            statements(node.exit)
            for rows in node.rows:
                for choice in rows.choices:
                    enter(choice)
                    statements(choice.actions)
            states(node.states)

    for declaration in spec.declarations:
        if isinstance(declaration, (ast.Function, ast.Action)):
            statements(declaration.body)
        elif isinstance(declaration, ast.Process):
            states(declaration.states)
    return found
