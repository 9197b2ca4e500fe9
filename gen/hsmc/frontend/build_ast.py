# SPDX-License-Identifier: MIT
"""The syntax tree of ast.py: one method per grammar rule, named after it, is given what the rule consists of."""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Optional, TypeVar

from lark import Token

from . import ast
from .constants import LARGEST
from ..report import Report
from ..source import SourceFile, Span

Kind = TypeVar("Kind")
Children = list[Any]
Meta = tuple[int, int]  # begin and end of the rule's text, (0, 0) if it has none
# Beyond any 32-bit number in any notation, whatever blanks it has in it.
DIGITS_LIMIT = 200

# Words the grammar gives a meaning in expressions and statements; a thing of that name could not be used.
RESERVED = frozenset(
    """and or not if else none true false let raise release clear count return repeat for find while when on after
    create entry exit ignore never assert set unset has has_all available min max bits bool u8 u16 u32""".split()
)


class AstBuilder:
    """`base` is the position in the file of the text that was parsed. Among the children, names are ast.Name."""

    def __init__(self, file: SourceFile, base: int, report: Report) -> None:
        self.file = file
        self.base = base
        self.report = report

    def NAME(self, token: Token) -> ast.Name:
        return ast.Name(self._token_span(token), str(token))

    def _token_span(self, token: Token) -> Span:
        start = self.base + (token.start_pos or 0)
        return Span(self.file, start, start + len(token))

    def _span(self, meta: Meta) -> Span:
        return Span(self.file, self.base + meta[0], self.base + meta[1])

    def _new(self, name: ast.Name) -> ast.Name:
        """A name being declared."""
        if name.text in RESERVED:
            self.report.add(
                "HSM0106", name.span, f"'{name.text}' is a word of the language"
            )
        return name

    # --- declarations

    def start(self, meta: Meta, children: Children) -> Any:
        return children[0]

    def protocol(self, meta: Meta, children: Children) -> ast.Protocol:
        name, doc = children
        return ast.Protocol(self._span(meta), self._new(name), _text(doc))

    def include(self, meta: Meta, children: Children) -> ast.Include:
        return ast.Include(self._token_span(children[0]), _text(children[0]))

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
            _text(doc),
            type_use,
            default,
            limits,
            unit,
            live is not None,
        )

    def enumeration(self, meta: Meta, children: Children) -> ast.Enumeration:
        name, base, doc, *members = children
        return ast.Enumeration(
            self._span(meta), self._new(name), _text(doc), base, tuple(members)
        )

    def member(self, meta: Meta, children: Children) -> ast.EnumerationMember:
        name, value, doc = children
        return ast.EnumerationMember(
            self._span(meta), self._new(name), _text(doc), value
        )

    def layout(self, meta: Meta, children: Children) -> ast.Layout:
        name, at, within, when, ethernet, doc, *lines = children
        return ast.Layout(
            self._span(meta),
            self._new(name),
            _text(doc),
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
            _text(doc),
            bits,
            enumeration,
            when,
            shown is not None,
            fixed,
        )

    def layout_data(self, meta: Meta, children: Children) -> ast.LayoutData:
        name, length, when, fixed, doc = children
        return ast.LayoutData(self._span(meta), name, _text(doc), length, when, fixed)

    def layout_when(self, meta: Meta, children: Children) -> ast.Expression:
        condition: ast.Expression = children[0]
        return condition

    def payload(self, meta: Meta, children: Children) -> ast.Payload:
        name, doc, *fields = children
        return ast.Payload(self._span(meta), self._new(name), _text(doc), tuple(fields))

    def payload_from(self, meta: Meta, children: Children) -> ast.Payload:
        name, sources, when, doc, *fields = children
        return ast.Payload(
            self._span(meta),
            self._new(name),
            _text(doc),
            tuple(_of(ast.Field, fields)),
            sources,
            when,
        )

    def payload_field(self, meta: Meta, children: Children) -> ast.Field:
        name, type_use, limits, local, doc = children
        return ast.Field(
            self._span(meta),
            name,
            _text(doc),
            type_use,
            limits,
            local=local is not None,
        )

    def pool(self, meta: Meta, children: Children) -> ast.Pool:
        name, count, writer, creator, cold, doc, *fields = children
        return ast.Pool(
            self._span(meta),
            self._new(name),
            _text(doc),
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
            _text(doc),
            count,
            writer,
            cold is not None,
            tuple(fields),
        )

    def field(self, meta: Meta, children: Children) -> ast.Field:
        name, type_use, limits, doc = children
        return ast.Field(self._span(meta), name, _text(doc), type_use, limits)

    def device(self, meta: Meta, children: Children) -> ast.Device:
        name, arguments, doc = children
        return ast.Device(self._span(meta), self._new(name), _text(doc), arguments)

    def counter(self, meta: Meta, children: Children) -> ast.Counter:
        name, doc = children
        return ast.Counter(self._span(meta), name, _text(doc))

    def property(self, meta: Meta, children: Children) -> ast.Property:
        name, instance, kind, condition, doc = children
        return ast.Property(
            self._span(meta), name, _text(doc), str(kind), instance, condition
        )

    def function(self, meta: Meta, children: Children) -> ast.Function:
        name, arguments, result, code, doc, body = children
        if not isinstance(body, tuple):
            body = (ast.Return(body.span, body),)
        return ast.Function(
            self._span(meta),
            self._new(name),
            _text(doc),
            arguments,
            result,
            _word(code),
            body,
        )

    def action(self, meta: Meta, children: Children) -> ast.Action:
        name, arguments, code, doc, body = children
        return ast.Action(
            self._span(meta),
            self._new(name),
            _text(doc),
            arguments,
            _word(code),
            body,
        )

    def placement(self, meta: Meta, children: Children) -> ast.Placement:
        name, doc, *lines = children
        return ast.Placement(
            self._span(meta),
            name,
            _text(doc),
            tuple(line for line in lines if isinstance(line, ast.Placed)),
            tuple(
                d for line in lines if isinstance(line, ast.Locked) for d in line.data
            ),
            tuple(line for line in lines if isinstance(line, ast.Shared)),
        )

    def placed(self, meta: Meta, children: Children) -> ast.Placed:
        processes, processor = children
        return ast.Placed(self._span(meta), processes, processor)

    def data(self, meta: Meta, children: Children) -> ast.Data:
        return ast.Data(self._span(meta), children[0], children[1])

    def locked(self, meta: Meta, children: Children) -> ast.Locked:
        return ast.Locked(self._span(meta), tuple(children))

    def shared(self, meta: Meta, children: Children) -> ast.Shared:
        data, meaning = children
        return ast.Shared(self._span(meta), data, _text(meaning))

    def check(self, meta: Meta, children: Children) -> ast.Check:
        name, world, doc, *lines = children
        settings = tuple(setting for line in lines for setting in line)
        return ast.Check(self._span(meta), name, _text(doc), world, settings)

    def check_line(self, meta: Meta, children: Children) -> list[ast.Setting]:
        kind, *settings = children
        return [ast.Setting(s.span, str(kind), s.name, s.value) for s in settings]

    def setting(self, meta: Meta, children: Children) -> ast.Setting:
        return ast.Setting(self._span(meta), "", children[0], children[1])

    def profile(self, meta: Meta, children: Children) -> ast.Profile:
        name, default, doc, *lines = children
        settings = tuple(s for line in lines if line is not None for s in line)
        return ast.Profile(
            self._span(meta), name, _text(doc), default is not None, settings
        )

    def profile_line(self, meta: Meta, children: Children) -> list[ast.Setting]:
        return [ast.Setting(s.span, "set", s.name, s.value) for s in children]

    def range(self, meta: Meta, children: Children) -> ast.Range:
        return ast.Range(self._span(meta), children[0], children[1])

    def type(self, meta: Meta, children: Children) -> ast.TypeUse:
        return ast.TypeUse(self._span(meta), children[0], children[1])

    def arguments(self, meta: Meta, children: Children) -> tuple[ast.Argument, ...]:
        return tuple(_of(ast.Argument, children))

    def argument(self, meta: Meta, children: Children) -> ast.Argument:
        name, type_use, limits = children
        return ast.Argument(self._span(meta), self._new(name), type_use, limits)

    def record(self, meta: Meta, children: Children) -> ast.Argument:
        return ast.Argument(self._span(meta), self._new(children[0]), children[1], None)

    def names(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        return tuple(_of(ast.Name, children))

    def bindings(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        return children[0] or ()

    # --- the world

    def world(self, meta: Meta, children: Children) -> ast.World:
        name, doc, *lines = children
        return ast.World(
            self._span(meta),
            self._new(name),
            _text(doc),
            tuple(_of(tuple, lines)),
            tuple(_of(ast.Bound, lines)),
            tuple(_of(ast.Link, lines)),
            tuple(_of(ast.Gate, lines)),
            tuple(_of(ast.WorldVariable, lines)),
            tuple(_of(ast.WorldParameter, lines)),
            tuple(_of(ast.Function, lines)),
            tuple(_of(ast.View, lines)),
            tuple(_of(ast.Wire, lines)),
            tuple(_of(ast.Offer, lines)),
            tuple(_of(ast.Observe, lines)),
            tuple(_of(ast.End, lines)),
            tuple(_of(ast.Always, lines)),
            tuple(_of(ast.Eventually, lines)),
        )

    def nodes(self, meta: Meta, children: Children) -> tuple[ast.Name, ...]:
        names: tuple[ast.Name, ...] = children[0]
        return tuple(map(self._new, names))

    def bound(self, meta: Meta, children: Children) -> ast.Bound:
        name, value, doc = children
        return ast.Bound(self._span(meta), self._new(name), _text(doc), value)

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
            _text(doc),
            type_use,
            transient is not None,
        )

    def world_parameter(self, meta: Meta, children: Children) -> ast.WorldParameter:
        return ast.WorldParameter(self._line(meta), children[0], children[1])

    def view(self, meta: Meta, children: Children) -> ast.View:
        name, value, at, doc = children
        return ast.View(self._span(meta), self._new(name), _text(doc), value, at)

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
        return tuple(_of(ast.Name, children))

    def offer(self, meta: Meta, children: Children) -> ast.Offer:
        kind, *rest = children
        events = tuple(_of(ast.Offered, rest))
        first = rest[0]
        alone = None if events else first
        at, choices, unchanged, *rest = rest[len(events) or 1 :]
        row = next((r for r in rest if isinstance(r, _WorldRow)), _WorldRow())
        doc = next((r for r in rest if isinstance(r, Token)), row.doc)
        return ast.Offer(
            events[0].span.to(events[-1].span) if events else self._token_span(first),
            str(kind),
            events,
            _word(alone),
            at,
            choices or (),
            unchanged,
            row.when,
            row.waits,
            row.actions,
            _text(doc),
        )

    def choices(self, meta: Meta, children: Children) -> tuple[ast.For, ...]:
        return tuple(_of(ast.For, children))

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
        return dataclasses.replace(observed, actions=_body(rest))

    def observed(self, meta: Meta, children: Children) -> ast.Observe:
        device = children[0] if isinstance(children[0], ast.Name) else None
        bindings = children[1] if device is not None else ()
        return ast.Observe(self._span(meta), device, bindings or (), (), ())

    def observed_timer(self, meta: Meta, children: Children) -> ast.Observe:
        return ast.Observe(self._span(meta), None, (), tuple(children), ())

    def end(self, meta: Meta, children: Children) -> ast.End:
        when, *rest = children
        return ast.End(when.span, when, _body(rest))

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

    # --- processes

    def process(self, meta: Meta, children: Children) -> ast.Process:
        name, instance, cold, doc, *items = children
        return ast.Process(
            self._span(meta),
            self._new(name),
            _text(doc),
            instance,
            cold is not None,
            tuple(_of(ast.Event, items)),
            tuple(_of(ast.Field, items)),
            tuple(_of(ast.State, items)),
        )

    def event(self, meta: Meta, children: Children) -> ast.Event:
        external, name, arguments, creates, select, keeps, code, doc = children
        return ast.Event(
            self._span(meta),
            self._new(name),
            _text(doc),
            external is not None,
            arguments or (),
            creates is not None,
            select,
            keeps,
            _word(code),
        )

    def variable(self, meta: Meta, children: Children) -> ast.Field:
        name, type_use, limits, initial, doc = children
        return ast.Field(
            self._span(meta), self._new(name), _text(doc), type_use, limits, initial
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
            _text(doc),
            initial is not None,
            final is not None,
            cold is not None,
            next((e.statements for e in entries if e.kind == "entry"), ()),
            next((e.statements for e in entries if e.kind == "exit"), ()),
            tuple(_of(ast.Rows, items)),
            tuple(_of(ast.Verdict, items)),
            tuple(_of(ast.State, items)),
        )

    def entry(self, meta: Meta, children: Children) -> "_Entry":
        return _Entry("entry", self._span(meta), _statements(children))

    def exit(self, meta: Meta, children: Children) -> "_Entry":
        return _Entry("exit", self._span(meta), _statements(children))

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
            tuple(_of(ast.Let, rest)),
            tuple(_of(ast.Choice, rest)),
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
            tuple(_of(ast.Let, rest)),
            tuple(_of(ast.Choice, rest)),
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
        return _Actions(_statements(children))

    def target(self, meta: Meta, children: Children) -> "_Target":
        local, history, *names = children
        return _Target(tuple(names), local is not None, history is not None)

    def let_line(self, meta: Meta, children: Children) -> ast.Let:
        return children[0]

    def _line(self, meta: Meta) -> Span:
        """Without the newline and blank lines that end it."""
        span = self._span(meta)
        text = self.file.clean[span.start : span.end]
        return Span(self.file, span.start, span.start + len(text.rstrip()))

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
        return _statements(children)

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
            self._span(meta), children[0], tuple(_of(ast.Passed, children[1:]))
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


def _word(token: Optional[Token]) -> Any:
    """One of those the grammar lists."""
    return "" if token is None else str(token)


def _text(token: Optional[Token]) -> str:
    return "" if token is None else str(token)[1:-1]


def _of(kind: type[Kind], children: Iterable[Any]) -> Iterable[Kind]:
    return (child for child in children if isinstance(child, kind))


def _body(rest: Children) -> tuple[ast.Statement, ...]:
    """Of a line of a world: a block, or statements behind a '/'."""
    if rest and isinstance(rest[0], tuple):
        return rest[0]
    return _statements(rest)


def _statements(children: Children) -> tuple[ast.Statement, ...]:
    return tuple(child for child in children if child is not None)
