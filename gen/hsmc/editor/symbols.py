# SPDX-License-Identifier: MIT
"""The outline of a file."""

from __future__ import annotations

from typing import Sequence

from ..frontend import ast
from ..frontend.context import KINDS
from ..source import SourceFile, Span
from .positions import Json, range_of

# The protocol's numbers for kinds of symbols; a spec has others than a program, the nearest is taken.
SYMBOL_KINDS = {
    ast.Protocol: 2,  # module
    ast.Constant: 14,
    ast.Parameter: 7,  # property
    ast.Enumeration: 10,
    ast.EnumerationMember: 22,
    ast.Layout: 23,  # structure
    ast.LayoutField: 8,
    ast.Payload: 23,
    ast.Pool: 18,  # array
    ast.Table: 18,
    ast.Device: 11,  # interface
    ast.Counter: 16,  # number
    ast.Property: 17,  # boolean
    ast.Function: 12,
    ast.Action: 6,  # method
    ast.Process: 5,  # class
    ast.Placement: 4,  # package
    ast.Check: 4,
    ast.Field: 8,
    ast.Event: 24,
    ast.State: 19,  # object
}
OTHER = 13  # variable


def outline(spec: ast.Spec, file: SourceFile) -> list[Json]:
    return [_symbol(d) for d in spec.declarations if d.span.file is file]


def kind_of(node: ast.Node) -> int:
    return SYMBOL_KINDS.get(type(node), OTHER)


def _symbol(node: ast.Declaration) -> Json:
    detail = KINDS.get(type(node), "field")
    if isinstance(node, ast.State):
        marks = [w for w in ("initial", "final", "cold") if getattr(node, w)]
        detail = " ".join((*marks, detail))
    children: Sequence[ast.Declaration] = ()
    if isinstance(node, ast.Process):
        children = (*node.events, *node.variables, *node.states)
    elif isinstance(node, ast.State):
        children = node.states
    elif isinstance(node, ast.Enumeration):
        children = node.members
    elif isinstance(node, (ast.Layout, ast.Payload, ast.Pool, ast.Table)):
        children = node.fields
    if isinstance(node, ast.Field) and detail == "variable":
        detail = node.type.span.squeezed
    return {
        "name": node.name.text,
        "detail": detail,
        "kind": kind_of(node),
        "range": range_of(_trimmed(node.span.to(node.name.span))),
        "selectionRange": range_of(node.name.span),
        "children": [_symbol(child) for child in children],
    }


def _trimmed(span: Span) -> Span:
    """Without the comments and blank lines before what comes next."""
    text = span.file.clean[span.start : span.end].rstrip(" \n\x0b")
    return Span(span.file, span.start, span.start + len(text))
