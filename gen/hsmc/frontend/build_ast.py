# SPDX-License-Identifier: MIT
"""The syntax tree of ast.py: one method per grammar rule, named after it, is given what the rule consists of."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import ast
from .build_parts import (
    DIGITS_LIMIT,
    Children,
    Meta,
    of_kind,
    statements_of,
    text_of,
    word_text,
)
from .build_world_ast import WorldBuilder
from .constants import LARGEST
from ..source import Span


class AstBuilder(WorldBuilder):
    """All rules of the grammar. Among the children, names are ast.Name."""

    # --- declarations

    def start(self, meta: Meta, children: Children) -> Any:
        return children[0]

    def protocol(self, meta: Meta, children: Children) -> ast.Protocol:
        name, doc = children
        return ast.Protocol(self._span(meta), self._new(name), text_of(doc))

    def include(self, meta: Meta, children: Children) -> ast.Include:
        return ast.Include(self._token_span(children[0]), text_of(children[0]))

    def constant(self, meta: Meta, children: Children) -> ast.Constant:
        external, name, value, fixed = children
        return ast.Constant(
            self._span(meta),
            self._new(name),
            "",
            external is not None,
            value,
            fixed is not None,
        )

    def parameter(self, meta: Meta, children: Children) -> ast.Parameter:
        name, type_use, default, limits, unit, live, doc = children
        return ast.Parameter(
            self._span(meta),
            self._new(name),
            text_of(doc),
            type_use,
            default,
            limits,
            unit,
            live is not None,
        )

    def enumeration(self, meta: Meta, children: Children) -> ast.Enumeration:
        name, base, doc, *members = children
        return ast.Enumeration(
            self._span(meta), self._new(name), text_of(doc), base, tuple(members)
        )

    def member(self, meta: Meta, children: Children) -> ast.EnumerationMember:
        name, value, doc = children
        return ast.EnumerationMember(
            self._span(meta), self._new(name), text_of(doc), value
        )

    def layout(self, meta: Meta, children: Children) -> ast.Layout:
        name, at, within, when, ethernet, doc, *lines = children
        return ast.Layout(
            self._span(meta),
            self._new(name),
            text_of(doc),
            at,
            within,
            when,
            ethernet is not None,
            tuple(line for line in lines if isinstance(line, ast.LayoutField)),
            tuple(line for line in lines if isinstance(line, ast.LayoutData)),
        )

    def layout_field(self, meta: Meta, children: Children) -> ast.LayoutField:
        name, bits, enumeration, when, shown, fixed, doc = children
        return ast.LayoutField(
            self._span(meta),
            name,
            text_of(doc),
            bits,
            enumeration,
            when,
            shown is not None,
            fixed,
        )

    def layout_data(self, meta: Meta, children: Children) -> ast.LayoutData:
        name, length, when, fixed, doc = children
        return ast.LayoutData(self._span(meta), name, text_of(doc), length, when, fixed)

    def layout_when(self, meta: Meta, children: Children) -> ast.Expression:
        condition: ast.Expression = children[0]
        return condition

    def payload(self, meta: Meta, children: Children) -> ast.Payload:
        name, doc, *fields = children
        return ast.Payload(
            self._span(meta), self._new(name), text_of(doc), tuple(fields)
        )

    def payload_from(self, meta: Meta, children: Children) -> ast.Payload:
        name, sources, when, doc, *fields = children
        return ast.Payload(
            self._span(meta),
            self._new(name),
            text_of(doc),
            tuple(of_kind(ast.Field, fields)),
            sources,
            when,
        )

    def payload_field(self, meta: Meta, children: Children) -> ast.Field:
        name, type_use, limits, local, doc = children
        return ast.Field(
            self._span(meta),
            name,
            text_of(doc),
            type_use,
            limits,
            local=local is not None,
        )

    def pool(self, meta: Meta, children: Children) -> ast.Pool:
        name, count, writer, creator, cold, doc, *fields = children
        return ast.Pool(
            self._span(meta),
            self._new(name),
            text_of(doc),
            count,
            writer,
            creator,
            cold is not None,
            tuple(fields),
        )

    def table(self, meta: Meta, children: Children) -> ast.Table:
        name, count, writer, cold, doc, *fields = children
        return ast.Table(
            self._span(meta),
            self._new(name),
            text_of(doc),
            count,
            writer,
            cold is not None,
            tuple(fields),
        )

    def field(self, meta: Meta, children: Children) -> ast.Field:
        name, type_use, limits, doc = children
        return ast.Field(self._span(meta), name, text_of(doc), type_use, limits)

    def device(self, meta: Meta, children: Children) -> ast.Device:
        name, arguments, doc = children
        return ast.Device(self._span(meta), self._new(name), text_of(doc), arguments)

    def counter(self, meta: Meta, children: Children) -> ast.Counter:
        name, doc = children
        return ast.Counter(self._span(meta), name, text_of(doc))

    def property(self, meta: Meta, children: Children) -> ast.Property:
        name, instance, kind, condition, doc = children
        return ast.Property(
            self._span(meta), name, text_of(doc), str(kind), instance, condition
        )

    def function(self, meta: Meta, children: Children) -> ast.Function:
        name, arguments, result, code, doc, body = children
        if not isinstance(body, tuple):
            body = (ast.Return(body.span, body),)
        return ast.Function(
            self._span(meta),
            self._new(name),
            text_of(doc),
            arguments,
            result,
            word_text(code),
            body,
        )

    def action(self, meta: Meta, children: Children) -> ast.Action:
        name, arguments, code, doc, body = children
        return ast.Action(
            self._span(meta),
            self._new(name),
            text_of(doc),
            arguments,
            word_text(code),
            body,
        )

    def placement(self, meta: Meta, children: Children) -> ast.Placement:
        name, doc, *lines = children
        return ast.Placement(
            self._span(meta),
            name,
            text_of(doc),
            tuple(line for line in lines if isinstance(line, ast.Placed)),
            tuple(
                d for line in lines if isinstance(line, ast.Locked) for d in line.data
            ),
            tuple(line for line in lines if isinstance(line, ast.Shared)),
        )

    def placed(self, meta: Meta, children: Children) -> ast.Placed:
        processes, processor, other = children
        return ast.Placed(self._span(meta), processes, processor, other)

    def data(self, meta: Meta, children: Children) -> ast.Data:
        return ast.Data(self._span(meta), children[0], children[1])

    def locked(self, meta: Meta, children: Children) -> ast.Locked:
        return ast.Locked(self._span(meta), tuple(children))

    def shared(self, meta: Meta, children: Children) -> ast.Shared:
        data, meaning = children
        return ast.Shared(self._span(meta), data, text_of(meaning))

    def check(self, meta: Meta, children: Children) -> ast.Check:
        name, world, doc, *lines = children
        settings = tuple(setting for line in lines for setting in line)
        return ast.Check(self._span(meta), name, text_of(doc), world, settings)

    def check_line(self, meta: Meta, children: Children) -> list[ast.Setting]:
        kind, *settings = children
        return [ast.Setting(s.span, str(kind), s.name, s.value) for s in settings]

    def setting(self, meta: Meta, children: Children) -> ast.Setting:
        return ast.Setting(self._span(meta), "", children[0], children[1])

    def profile(self, meta: Meta, children: Children) -> ast.Profile:
        name, default, doc, *lines = children
        settings = tuple(s for line in lines if line is not None for s in line)
        return ast.Profile(
            self._span(meta), name, text_of(doc), default is not None, settings
        )

    def profile_line(self, meta: Meta, children: Children) -> list[ast.Setting]:
        return [ast.Setting(s.span, "set", s.name, s.value) for s in children]

    def range(self, meta: Meta, children: Children) -> ast.Range:
        return ast.Range(self._span(meta), children[0], children[1])

    def type(self, meta: Meta, children: Children) -> ast.TypeUse:
        return ast.TypeUse(self._span(meta), children[0], children[1])

    def arguments(self, meta: Meta, children: Children) -> tuple[ast.Argument, ...]:
        return tuple(of_kind(ast.Argument, children))

    def argument(self, meta: Meta, children: Children) -> ast.Argument:
        name, type_use, limits = children
        return ast.Argument(self._span(meta), self._new(name), type_use, limits)

    def record(self, meta: Meta, children: Children) -> ast.Argument:
        return ast.Argument(self._span(meta), self._new(children[0]), children[1], None)

    def names(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        return tuple(of_kind(ast.Name, children))

    def bindings(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        return children[0] or ()

    # --- processes

    def process(self, meta: Meta, children: Children) -> ast.Process:
        name, instance, cold, doc, *items = children
        return ast.Process(
            self._span(meta),
            self._new(name),
            text_of(doc),
            instance,
            cold is not None,
            tuple(of_kind(ast.Event, items)),
            tuple(of_kind(ast.Field, items)),
            tuple(of_kind(ast.State, items)),
        )

    def event(self, meta: Meta, children: Children) -> ast.Event:
        external, name, arguments, creates, select, keeps, code, doc = children
        return ast.Event(
            self._span(meta),
            self._new(name),
            text_of(doc),
            external is not None,
            arguments or (),
            creates is not None,
            select,
            keeps,
            word_text(code),
        )

    def variable(self, meta: Meta, children: Children) -> ast.Field:
        name, type_use, limits, initial, doc = children
        return ast.Field(
            self._span(meta), self._new(name), text_of(doc), type_use, limits, initial
        )

    def state(self, meta: Meta, children: Children) -> ast.State:
        name, initial, final, cold, doc, *items = children
        if name.text in ast.BEFORE_TARGETS:
            self.report.add(
                "HSM0106",
                name.span,
                f"'{name.text}' means something behind an arrow: no state can have that name",
            )
        entries = [i for i in items if isinstance(i, _Entry)]
        for kind in ("entry", "exit"):
            same = [e for e in entries if e.kind == kind]
            for again in same[1:]:
                self.report.add(
                    "HSM0202",
                    again.span,
                    f"state {name.text} has a second '{kind}'",
                    [("first here", same[0].span)],
                )
        return ast.State(
            self._span(meta),
            name,
            text_of(doc),
            initial is not None,
            final is not None,
            cold is not None,
            next((e.statements for e in entries if e.kind == "entry"), ()),
            next((e.statements for e in entries if e.kind == "exit"), ()),
            tuple(of_kind(ast.Rows, items)),
            tuple(of_kind(ast.Verdict, items)),
            tuple(of_kind(ast.State, items)),
        )

    def entry(self, meta: Meta, children: Children) -> "_Entry":
        return _Entry("entry", self._span(meta), statements_of(children))

    def exit(self, meta: Meta, children: Children) -> "_Entry":
        return _Entry("exit", self._span(meta), statements_of(children))

    def row(self, meta: Meta, children: Children) -> ast.Rows:
        before, event, bindings, *rest = children
        choice = self._choice(self._line(meta), rest)
        return ast.Rows(
            event.span,
            event,
            None,
            bindings or (),
            (),
            (choice,),
            False,
            before is not None,
        )

    def block(self, meta: Meta, children: Children) -> ast.Rows:
        before, event, bindings, *rest = children
        head = event.span
        if bindings:
            head = head.to(bindings[-1].span)
        return ast.Rows(
            head,
            event,
            None,
            bindings or (),
            tuple(of_kind(ast.Let, rest)),
            tuple(of_kind(ast.Choice, rest)),
            True,
            before is not None,
            _rare_lines(rest),
        )

    def after(self, meta: Meta, children: Children) -> ast.Rows:
        duration, *rest = children
        choice = self._choice(self._line(meta), rest)
        return ast.Rows(duration.span, None, duration, (), (), (choice,), False)

    def after_block(self, meta: Meta, children: Children) -> ast.Rows:
        duration, *rest = children
        return ast.Rows(
            duration.span,
            None,
            duration,
            (),
            tuple(of_kind(ast.Let, rest)),
            tuple(of_kind(ast.Choice, rest)),
            True,
            rare_lines=_rare_lines(rest),
        )

    def ignore(self, meta: Meta, children: Children) -> ast.Verdict:
        return ast.Verdict(self._line(meta), "ignore", children[0])

    def never(self, meta: Meta, children: Children) -> ast.Verdict:
        return ast.Verdict(self._line(meta), "never", children[0])

    def defer(self, meta: Meta, children: Children) -> ast.Verdict:
        return ast.Verdict(self._line(meta), "defer", children[0])

    def choice(self, meta: Meta, children: Children) -> ast.Choice:
        return self._choice(self._line(meta), children)

    def rare_line(self, meta: Meta, children: Children) -> ast.RareLine:
        return ast.RareLine(self._line(meta), above=0)

    def guard(self, meta: Meta, children: Children) -> Any:
        return children[1] if len(children) > 1 else "else"

    def actions(self, meta: Meta, children: Children) -> "_Actions":
        return _Actions(statements_of(children))

    def target(self, meta: Meta, children: Children) -> "_Target":
        local, history, *names = children
        return _Target(tuple(names), local is not None, history is not None)

    def let_line(self, meta: Meta, children: Children) -> ast.Let:
        return children[0]

    def _choice(self, span: Span, parts: Children) -> ast.Choice:
        actions = next((p.statements for p in parts if isinstance(p, _Actions)), ())
        target = next((p for p in parts if isinstance(p, _Target)), _Target(()))
        guard = parts[0] if parts and parts[0] is not None else None
        if isinstance(guard, (_Actions, _Target)):
            guard = None
        is_else = isinstance(guard, str)
        if is_else:
            guard = None
        return ast.Choice(
            span,
            guard,
            is_else,
            actions,
            target.names,
            target.local,
            target.history,
        )

    # --- statements

    def body(self, meta: Meta, children: Children) -> tuple[ast.Statement, ...]:
        return statements_of(children)

    def if_statement(self, meta: Meta, children: Children) -> ast.If:
        condition, then, otherwise = children
        return ast.If(condition.span, condition, then, otherwise or ())

    def else_part(self, meta: Meta, children: Children) -> tuple[ast.Statement, ...]:
        part = children[0]
        return part if isinstance(part, tuple) else (part,)

    def repeat(self, meta: Meta, children: Children) -> ast.Repeat:
        count, condition, body = children
        return ast.Repeat(count.span, count, condition, body)

    def for_loop(self, meta: Meta, children: Children) -> ast.For:
        name, first, last, body = children
        span = name.span.to((last or first).span)
        return ast.For(span, self._new(name), first, last, body)

    def let(self, meta: Meta, children: Children) -> ast.Let:
        name, type_use, value = children
        return ast.Let(self._span(meta), self._new(name), type_use, value)

    def create(self, meta: Meta, children: Children) -> ast.Create:
        return ast.Create(self._span(meta), children[0])

    def assign(self, meta: Meta, children: Children) -> ast.Assign:
        return ast.Assign(self._span(meta), children[0], children[1])

    def call_statement(self, meta: Meta, children: Children) -> ast.CallStatement:
        return ast.CallStatement(self._span(meta), children[0])

    def raise_(self, meta: Meta, children: Children) -> ast.Raise:
        return ast.Raise(self._span(meta), children[0])

    def release(self, meta: Meta, children: Children) -> ast.Release:
        return ast.Release(self._span(meta), children[0])

    def clear(self, meta: Meta, children: Children) -> ast.Clear:
        return ast.Clear(self._span(meta), children[0])

    def count(self, meta: Meta, children: Children) -> ast.Count:
        return ast.Count(self._span(meta), children[0])

    def assert_(self, meta: Meta, children: Children) -> ast.Assert:
        return ast.Assert(self._span(meta), children[0], children[1])

    def return_(self, meta: Meta, children: Children) -> ast.Return:
        return ast.Return(self._span(meta), children[1])

    # --- expressions

    def conditional(self, meta: Meta, children: Children) -> ast.Conditional:
        then, condition, otherwise = children
        return ast.Conditional(self._span(meta), then, condition, otherwise)

    def find(self, meta: Meta, children: Children) -> ast.Find:
        name, pool, condition = children
        return ast.Find(self._span(meta), self._new(name), pool, condition)

    def binary(self, meta: Meta, children: Children) -> ast.Binary:
        left, operator, right = children
        return ast.Binary(self._span(meta), str(operator), left, right)

    def unary(self, meta: Meta, children: Children) -> ast.Unary:
        operator, operand = children
        return ast.Unary(self._span(meta), str(operator), operand)

    def member_access(self, meta: Meta, children: Children) -> ast.Member:
        return ast.Member(self._span(meta), children[0], children[1])

    def index(self, meta: Meta, children: Children) -> ast.Index:
        return ast.Index(self._span(meta), children[0], children[1])

    def call(self, meta: Meta, children: Children) -> ast.Call:
        return ast.Call(
            self._span(meta), children[0], tuple(of_kind(ast.Passed, children[1:]))
        )

    def passed(self, meta: Meta, children: Children) -> ast.Passed:
        return ast.Passed(self._span(meta), children[0], children[1])

    def name(self, meta: Meta, children: Children) -> ast.NameUse:
        return ast.NameUse(self._span(meta), children[0].text)

    def number(self, meta: Meta, children: Children) -> ast.Number:
        digits = str(children[0]).replace("_", "").lower()
        if len(digits) > DIGITS_LIMIT:
            message = (
                f"a number of {len(digits)} digits; the largest is 2^32 - 1 = {LARGEST}"
            )
            self.report.add("HSM0303", self._span(meta), message)
            digits = str(LARGEST)
        if digits.startswith("0x"):
            return ast.Number(self._span(meta), digits, int(digits, 16))
        value = int(digits[2:], 2) if digits.startswith("0b") else int(digits)
        return ast.Number(self._span(meta), str(value), value)

    def word(self, meta: Meta, children: Children) -> ast.Word:
        return ast.Word(self._span(meta), str(children[0]))

    def parenthesis(self, meta: Meta, children: Children) -> ast.Expression:
        return children[0]


# Rules named like words of Python.
setattr(AstBuilder, "raise", AstBuilder.raise_)
setattr(AstBuilder, "return", AstBuilder.return_)
setattr(AstBuilder, "assert", AstBuilder.assert_)


class _Entry:
    def __init__(
        self, kind: str, span: Span, statements: tuple[ast.Statement, ...]
    ) -> None:
        self.kind = kind
        self.span = span
        self.statements = statements


def _rare_lines(items: Children) -> tuple[ast.RareLine, ...]:
    found: list[ast.RareLine] = []
    rows = 0
    for item in items:
        if isinstance(item, ast.RareLine):
            found.append(dataclasses.replace(item, above=rows))
        rows += isinstance(item, ast.Choice)
    return tuple(found)


class _Actions:
    def __init__(self, statements: tuple[ast.Statement, ...]) -> None:
        self.statements = statements


class _Target:
    def __init__(
        self, names: tuple[ast.Name, ...], local: bool = False, history: bool = False
    ) -> None:
        self.names = names
        self.local = local
        self.history = history
