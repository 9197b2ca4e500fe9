# SPDX-License-Identifier: MIT
"""Random text within the grammar: sentences derived from the rules of grammar.lark themselves, so that what is added
there is tried without a word here; printed as carelessly as the language allows, with comments and profiles."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Iterator, Optional, Protocol, Sequence

from lark.grammar import NonTerminal, Rule, Terminal

from hsmc.editor.vocabulary import ALTERNATIVES
from hsmc.frontend.parser import SpecIndenter, lark_parser

NAMES = (
    "a",
    "zz",
    "Thing",
    "B_2",
    "x",
    "a_rather_long_name_of_a_place",
    "state_",
    "ons",
)
NUMBERS = ("0", "7", "1_000", "0x88B5", "0b101", "4294967295")
TEXTS = (
    '""',
    '"a # text @paper (\'"',
    '"say: why, (when) -> and or"',
    '"%s"' % ("long " * 12),
)
REGULAR = {
    "NAME": NAMES,
    "NUMBER": NUMBERS,
    "STRING": TEXTS,
    "COMPARE": ("==", "!=", "<=", ">=", "<", ">"),
    "CONSTANT_WORD": ("none", "true", "false"),
}
CONTINUING = ("=", "/", "->", "and", "or", "+", "==")
# Before a word or a number: otherwise one of these may be a name at the start of a line.
PARTS = ("at", "told", "unchanged")
BLOCK = ("_NL", "_INDENT", "_DEDENT")
PROFILES = ("paper", "modern")
# A derivation grows freely to this number of terminals, then ends as soon as it can.
LONGEST = 60


class Source(Protocol):
    """Of choices: random.Random, or what hypothesis makes of it."""

    def randrange(self, stop: int, /) -> int:
        ...


@lru_cache(maxsize=None)
def rules() -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in lark_parser().rules:
        found.setdefault(rule.origin.name, []).append(rule)
    return found


@lru_cache(maxsize=None)
def _heights() -> dict[str, int]:
    """The least number of rules below each one another, by nonterminal."""
    heights: dict[str, int] = {}
    while len(heights) < len(rules()):
        for name, alternatives in rules().items():
            known = [h for h in (_height(r, heights) for r in alternatives) if h]
            if known:
                heights[name] = min(known)
    return heights


def _height(rule: Rule, heights: dict[str, int]) -> Optional[int]:
    below = [heights.get(s.name) for s in rule.expansion if isinstance(s, NonTerminal)]
    return None if None in below else 1 + max((h for h in below if h), default=0)


def derive(
    source: Source, wanted: Optional[Rule] = None
) -> tuple[list[tuple[str, str]], set[Rule]]:
    """Terminals with their texts, and the rules used. `wanted` is among them where given."""
    used: set[Rule] = set()
    tokens: list[tuple[str, str]] = []
    path = _path_to(wanted) if wanted is not None else []
    # Not by recursion of Python alone: blocks of statements nest deep.
    pending: list[tuple[Terminal | NonTerminal, bool]] = [
        (NonTerminal("start"), bool(path))
    ]
    while pending:
        symbol, on_path = pending.pop()
        if not isinstance(symbol, NonTerminal):
            tokens.append((symbol.name, _text(symbol.name, source)))
            continue
        rule = path.pop(0) if on_path else _choose(symbol.name, len(tokens), source)
        used.add(rule)
        steps: list[tuple[Terminal | NonTerminal, bool]] = []
        for part in rule.expansion:
            follows = bool(on_path and path and part == path[0].origin)
            # Once: the path leads through one of the parts.
            follows = follows and not any(step[1] for step in steps)
            steps.append((part, follows))
        pending += reversed(steps)
    return tokens, used


def _choose(name: str, written: int, source: Source) -> Rule:
    """Most often the shortest: each level of the expressions has a way to grow."""
    alternatives = rules()[name]
    if written > LONGEST or (len(alternatives) > 1 and source.randrange(5) > 1):
        least = _heights()[name]
        alternatives = [r for r in alternatives if _height(r, _heights()) == least]
    return alternatives[source.randrange(len(alternatives))]


@lru_cache(maxsize=None)
def _paths() -> dict[str, list[Rule]]:
    """How to come to each nonterminal: the rules from the start on."""
    found: dict[str, list[Rule]] = {"start": []}
    front = ["start"]
    while front:
        name = front.pop(0)
        for rule in rules()[name]:
            for part in rule.expansion:
                if isinstance(part, NonTerminal) and part.name not in found:
                    found[part.name] = [*found[name], rule]
                    front.append(part.name)
    return found


def _path_to(rule: Rule) -> list[Rule]:
    return [*_paths()[rule.origin.name], rule]


def reachable() -> list[Rule]:
    return [rule for name in _paths() for rule in rules()[name]]


def _text(terminal: str, source: Source) -> str:
    if terminal in BLOCK:
        return ""
    if terminal == "_THEN":
        return "/"
    options: Sequence[str] = REGULAR.get(terminal, ())
    if not options:
        pattern = next(t.pattern for t in lark_parser().terminals if t.name == terminal)
        value = pattern.value
        words = ALTERNATIVES.fullmatch(value)
        plain = words[1] if words else value.removeprefix("(?:").removesuffix(")")
        options = (value,) if pattern.type == "str" else plain.split("|")
    return options[source.randrange(len(options))]


# --- printing


def lines(tokens: Sequence[tuple[str, str]]) -> Iterator[tuple[int, list[str], bool]]:
    """Level, texts and whether a block follows, by line. A division that would be taken for the '/' of a row becomes
    another operator."""
    level = 0
    line: list[tuple[str, str]] = []
    for index, (name, text) in enumerate(tokens):
        if name == "_NL":
            opens = index + 1 < len(tokens) and tokens[index + 1][0] == "_INDENT"
            yield level, _undivided(line), opens
            line = []
        elif name == "_INDENT":
            level += 1
        elif name == "_DEDENT":
            level -= 1
        else:
            line.append((name, text))


def _undivided(line: Sequence[tuple[str, str]]) -> list[str]:
    depth = 0
    first = line[0][0]
    texts: list[str] = []
    acting = False
    for name, text in line:
        acting |= name == "_THEN"
        depth += (name in SpecIndenter.OPEN_PAREN_types) - (
            name in SpecIndenter.CLOSE_PAREN_types
        )
        divides = name == "SLASH" and depth == 0 and not acting
        texts.append("*" if divides and first in SpecIndenter.ROWS else text)
    return texts


class Printer:
    """Careless: blanks, line breaks, comments and empty lines wherever they are allowed."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = ""

    def sometimes(self, one_in: int) -> bool:
        return self.source.randrange(one_in) == 0

    def declaration(self, tokens: Sequence[tuple[str, str]]) -> None:
        indents = [0]
        once: dict[int, set[str]] = {}  # by level: a state has one of each
        # The declaration of a profile carries no marks.
        markable = tokens[0][1] != "profile"
        for level, texts, opens in lines(tokens):
            del indents[level + 1 :]
            once = {deep: seen for deep, seen in once.items() if deep <= level}
            if texts[0] in ("entry", "exit"):
                seen = once.setdefault(level, set())
                if texts[0] in seen:
                    continue
                seen.add(texts[0])
            if level == len(indents):
                indents.append(indents[-1] + 1 + self.source.randrange(4))
            if self.sometimes(12):
                self.text += " " * self.source.randrange(9) + "# by itself\n"
            if self.sometimes(12):
                self.text += " " * self.source.randrange(3) + "\n"
            first = texts[0]
            if first == "profile" and level == 0:
                texts[1] = PROFILES[self.source.randrange(2)]
            doubled = (
                markable and not opens and level > 0 and first not in ("else", "if")
            )
            if doubled and self.sometimes(10):
                for profile in PROFILES:
                    self.line(texts, indents[level], f"@{profile}")
            elif level == 0 and markable and self.sometimes(8):
                self.line(texts, 0, "@paper@modern" if self.sometimes(2) else "@modern")
            else:
                self.line(texts, indents[level], "")

    def line(self, texts: Sequence[str], indent: int, marks: str) -> None:
        self.text += " " * indent
        depth = 0
        before = ""
        shown = [*texts, marks] if marks else texts
        for text, following in zip(shown, [*shown[1:], "."]):
            if before:
                part = text in PARTS and following[0].isalnum()
                self._between(before, text, depth, indent, part)
            depth += (text in "([") - (text in ")]")
            self.text += text
            before = text
        self._end()

    def _between(
        self, before: str, text: str, depth: int, indent: int, part: bool
    ) -> None:
        continues = part or text in CONTINUING or text[0] == '"'
        if (depth > 0 or continues) and self.sometimes(9):
            self._end()
            if self.sometimes(5):
                self.text += "      # between\n"
            self.text += " " * (indent + 1 + self.source.randrange(7))
            return
        words = [t[-1].isalnum() or t[-1] in '_"' for t in (before,)] + [
            text[0].isalnum() or text[0] in '_"@'
        ]
        signs = not any(w or t in "()[],;" for w, t in zip(words, (before, text)))
        least = 1 if all(words) or signs else 0
        self.text += " " * (
            least + (self.source.randrange(4) if self.sometimes(3) else 0)
        )

    def _end(self) -> None:
        self.text += " " * self.source.randrange(2)
        self.text += '# why @paper ("\n' if self.sometimes(15) else "\n"


def random_text(source: Source, declarations: int = 2) -> tuple[str, set[Rule]]:
    printer = Printer(source)
    used: set[Rule] = set()
    for _ in range(declarations):
        tokens, rules_used = derive(source)
        printer.declaration(tokens)
        used |= rules_used
    return printer.text, used


def text_with(rule: Rule, seed: int) -> tuple[str, set[Rule]]:
    source = random.Random(f"{rule} {seed}")
    tokens, used = derive(source, rule)
    assert rule in used
    printer = Printer(source)
    printer.declaration(tokens)
    return printer.text, used
