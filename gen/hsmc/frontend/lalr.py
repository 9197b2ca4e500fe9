# SPDX-License-Identifier: MIT
"""Runs the tables that Lark makes of the grammar, and builds the syntax tree as it goes.

Lark's own loop makes a node for each rule of the ladder of expressions, a tree of those, and walks that again: half of
the time a large spec took. Tokens are Lark's, and what does not parse is left to Lark, which knows what to say of it;
test_syntax.py holds the two against each other.
"""

from __future__ import annotations

from typing import Any

from lark import Lark
from lark.exceptions import LarkError
from lark.grammar import Rule
from lark.lexer import LexerThread
from lark.parsers.lalr_analysis import Shift

from .build_ast import AstBuilder

# Levels of the tree of one declaration. What walks it does so recursively (main.py makes room for that).
DEPTH_LIMIT = 600
DROPPED, KEPT, INLINED = range(3)


class NotParsed(Exception):
    """The text is wrong, or deeper than the limit: ask Lark."""


def parse(lark: Lark, text: str, builder: AstBuilder) -> Any:
    """The declaration in the text. Raises NotParsed."""
    run = _Run(lark, builder)
    try:
        for token in LexerThread.from_text(lark.parser.lexer, text).lex(run):
            run.feed(token.type, token)
        run.feed("$END", None)
    except LarkError:
        raise NotParsed() from None
    return run.read[0][0]


class _Form:
    """What is done with the parts of a rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule  # lives as long as its identity is used
        self.origin: str = rule.origin.name
        self.size = len(rule.expansion)
        self.name: str = rule.alias or self.origin
        # Its children go to the rule around it.
        self.inlined = self.origin.startswith("_")
        # Of each part the Nones before it, and what becomes of it; the Nones at the end.
        self.parts: list[tuple[int, int]] = []
        self.nones = 0
        symbols = iter(rule.expansion)
        for absent in rule.options.empty_indices or [False] * self.size:
            if absent:
                self.nones += 1
                continue
            symbol = next(symbols)
            if symbol.is_term:
                fate = DROPPED if symbol.filter_out else KEPT
            else:
                fate = INLINED if symbol.name.startswith("_") else KEPT
            self.parts.append((self.nones, fate))
            self.nones = 0
        # One child stands for the whole; if nothing else belongs to it, the rule makes no difference at all.
        self.single = rule.options.expand1 and not rule.alias
        alone = self.parts == [(0, KEPT)] and not self.nones
        self.hands_on = self.single and alone


# By the identity of the rule: Lark compares rules by what they are made of.
_forms: dict[int, _Form] = {}


class _Run:
    def __init__(self, lark: Lark, builder: AstBuilder) -> None:
        table = lark.parser.parser._parse_table
        self.states: dict[int, dict[str, tuple[object, Any]]] = table.states
        self.end: int = table.end_states["start"]
        self.builder = builder
        # What has been read, from the bottom: states (one more), and value, begin, end and depth of the tree.
        self.stack: list[int] = [table.start_states["start"]]
        self.read: list[tuple[Any, int, int, int]] = []

    @property
    def position(self) -> int:
        """Lark's lexer asks."""
        return self.stack[-1]

    def feed(self, kind: str, token: Any) -> None:
        states, stack = self.states, self.stack
        while True:
            state = stack[-1]
            found = states[state].get(kind)
            if found is None:
                raise NotParsed()
            if found[0] is Shift:
                value = self.builder.NAME(token) if kind == "NAME" else token
                stack.append(found[1])
                self.read.append((value, token.start_pos, token.end_pos, 0))
                return
            form = _forms.get(id(found[1]))
            if form is None:
                form = _forms[id(found[1])] = _Form(found[1])
            if form.hands_on:
                stack[-1] = states[stack[-2]][form.origin][1]
            else:
                self._reduce(form)
                if kind == "$END" and stack[-1] == self.end:
                    return

    def _reduce(self, form: _Form) -> None:
        stack, read, size = self.stack, self.read, form.size
        begin = end = depth = 0
        children: list[Any] = []
        if size:
            for (nones, fate), (value, first, last, below) in zip(
                form.parts, read[-size:]
            ):
                if last:  # there is text
                    if not end:
                        begin = first
                    end = last
                if below > depth:
                    depth = below
                if nones:
                    children += [None] * nones
                if fate == KEPT:
                    children.append(value)
                elif fate == INLINED:
                    if children:
                        children += value
                    else:  # lists grow on the left
                        children = value
            del stack[-size:], read[-size:]
        if form.nones:
            children += [None] * form.nones
        result: Any = children
        if form.single and len(children) == 1:
            result = children[0]
        elif not form.inlined:
            depth += 1
            if depth > DEPTH_LIMIT:
                raise NotParsed()
            result = getattr(self.builder, form.name)((begin, end), children)
        stack.append(self.states[stack[-1]][form.origin][1])
        read.append((result, begin, end, depth))
