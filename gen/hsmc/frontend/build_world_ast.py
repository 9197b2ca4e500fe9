# SPDX-License-Identifier: MIT
"""The syntax tree of a world: one method per grammar rule, named after it, is given what the rule consists of."""

from __future__ import annotations

import dataclasses
from typing import Optional

from lark import Token

from . import ast
from .build_parts import (
    Children,
    Meta,
    PartBuilder,
    body_of,
    of_kind,
    text_of,
    word_text,
)


class WorldBuilder(PartBuilder):
    """The rules of worlds."""

    def world(self, meta: Meta, children: Children) -> ast.World:
        name, doc, *lines = children
        return ast.World(
            self._span(meta),
            self._new(name),
            text_of(doc),
            tuple(of_kind(tuple, lines)),
            tuple(of_kind(ast.Bound, lines)),
            tuple(of_kind(ast.Link, lines)),
            tuple(of_kind(ast.Gate, lines)),
            tuple(of_kind(ast.WorldVariable, lines)),
            tuple(of_kind(ast.WorldParameter, lines)),
            tuple(of_kind(ast.Function, lines)),
            tuple(of_kind(ast.View, lines)),
            tuple(of_kind(ast.Wire, lines)),
            tuple(of_kind(ast.Offer, lines)),
            tuple(of_kind(ast.Observe, lines)),
            tuple(of_kind(ast.End, lines)),
            tuple(of_kind(ast.Always, lines)),
            tuple(of_kind(ast.Eventually, lines)),
        )

    def nodes(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        names: tuple[ast.Name, ...] = children[0]
        return tuple(map(self._new, names))

    def bound(self, meta: Meta, children: Children) -> ast.Bound:
        name, value, doc = children
        return ast.Bound(self._span(meta), self._new(name), text_of(doc), value)

    def link(self, meta: Meta, children: Children) -> ast.Link:
        loses, repeats, reorders = children
        return ast.Link(self._line(meta), loses, repeats, reorders is not None)

    def loses(self, meta: Meta, children: Children) -> ast.Fault:
        return ast.Fault(self._span(meta), children[0])

    def repeats(self, meta: Meta, children: Children) -> ast.Fault:
        return ast.Fault(self._span(meta), children[0])

    def world_variable(self, meta: Meta, children: Children) -> ast.WorldVariable:
        transient, name, type_use, doc = children
        return ast.WorldVariable(
            self._span(meta),
            self._new(name),
            text_of(doc),
            type_use,
            transient is not None,
        )

    def world_parameter(self, meta: Meta, children: Children) -> ast.WorldParameter:
        return ast.WorldParameter(self._line(meta), children[0], children[1])

    def view(self, meta: Meta, children: Children) -> ast.View:
        name, value, at, doc = children
        return ast.View(self._span(meta), self._new(name), text_of(doc), value, at)

    def gate(self, meta: Meta, children: Children) -> ast.Gate:
        return ast.Gate(self._line(meta), str(children[0]), children[1])

    def wire(self, meta: Meta, children: Children) -> ast.Wire:
        device, bindings, when, event, at, arrives, told, unchanged, actions = children
        return ast.Wire(
            device.span.to(event.span),
            device,
            bindings or (),
            when,
            event,
            at,
            arrives,
            told or (),
            unchanged,
            actions.statements if actions is not None else (),
        )

    def told(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        return tuple(of_kind(ast.Name, children))

    def offer(self, meta: Meta, children: Children) -> ast.Offer:
        kind, *rest = children
        events = tuple(of_kind(ast.Offered, rest))
        first = rest[0]
        alone = None if events else first
        at, choices, unchanged, *rest = rest[len(events) or 1 :]
        row = next((r for r in rest if isinstance(r, _WorldRow)), _WorldRow())
        doc = next((r for r in rest if isinstance(r, Token)), row.doc)
        return ast.Offer(
            events[0].span.to(events[-1].span) if events else self._token_span(first),
            str(kind),
            events,
            word_text(alone),
            at,
            choices or (),
            unchanged,
            row.when,
            row.waits,
            row.actions,
            text_of(doc),
        )

    def choices(self, meta: Meta, children: Children) -> tuple[ast.For, ...]:
        return tuple(of_kind(ast.For, children))

    def choice_of(self, meta: Meta, children: Children) -> ast.For:
        name, first, last = children
        return ast.For(self._span(meta), self._new(name), first, last, ())

    def world_row(self, meta: Meta, children: Children) -> "_WorldRow":
        when, actions, doc, body = children
        simple = actions.statements if actions is not None else ()
        waits = not isinstance(when, _Whenever)
        condition = when if waits else when.condition
        return _WorldRow(condition, (*simple, *(body or ())), doc, waits)

    def whenever(self, meta: Meta, children: Children) -> "_Whenever":
        return _Whenever(children[0])

    def offered(self, meta: Meta, children: Children) -> ast.Offered:
        each, event = children
        return ast.Offered(self._span(meta), event, each is not None)

    def unchanged(self, meta: Meta, children: Children) -> ast.Unchanged:
        return ast.Unchanged(self._span(meta), children[0], None)

    def unchanged_when(self, meta: Meta, children: Children) -> ast.Unchanged:
        return ast.Unchanged(self._span(meta), children[0], children[1])

    def observe(self, meta: Meta, children: Children) -> ast.Observe:
        observed, *rest = children
        return dataclasses.replace(observed, actions=body_of(rest))

    def observed(self, meta: Meta, children: Children) -> ast.Observe:
        device = children[0] if isinstance(children[0], ast.Name) else None
        bindings = children[1] if device is not None else ()
        return ast.Observe(self._span(meta), device, bindings or (), (), ())

    def observed_timer(self, meta: Meta, children: Children) -> ast.Observe:
        return ast.Observe(self._span(meta), None, (), tuple(children), ())

    def end(self, meta: Meta, children: Children) -> ast.End:
        when, *rest = children
        return ast.End(when.span, when, body_of(rest))

    def always(self, meta: Meta, children: Children) -> ast.Always:
        return ast.Always(self._line(meta), children[0], children[1])

    def eventually(self, meta: Meta, children: Children) -> ast.Eventually:
        return ast.Eventually(self._line(meta), children[0], children[1])

    def world_when(self, meta: Meta, children: Children) -> ast.Expression:
        condition: ast.Expression = children[0]
        return condition

    def world_at(self, meta: Meta, children: Children) -> ast.Expression:
        node: ast.Expression = children[0]
        return node


class _Whenever:
    def __init__(self, condition: ast.Expression) -> None:
        self.condition = condition


class _WorldRow:
    def __init__(
        self,
        when: Optional[ast.Expression] = None,
        actions: tuple[ast.Statement, ...] = (),
        doc: Optional[Token] = None,
        waits: bool = True,
    ) -> None:
        self.when = when
        self.actions = actions
        self.doc = doc
        self.waits = waits
