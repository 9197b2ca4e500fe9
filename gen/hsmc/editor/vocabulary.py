# SPDX-License-Identifier: MIT
"""The words of the language and where each may stand, read off the compiler's own grammar.

Most words mean something in one place only and are usable as names elsewhere. So a highlighter has to know where a
word may stand: which tokens may come before it and after it follows from the rules of the grammar. A word added to the
grammar is highlighted without a change here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterable

from lark.grammar import Symbol

from ..frontend.build_parts import RESERVED
from ..frontend.calls import Calls
from ..frontend.declarations import INTEGERS
from ..frontend.parser import lark_parser

LINE_ENDS = frozenset(("_NL", "_INDENT", "_DEDENT", "$BEGIN"))
ALTERNATIVES = re.compile(
    r"(?:\(\?:|\()?([A-Za-z_]+(?:\|[A-Za-z_]+)*)\)?(?:\\b)?(?:\(\?[=!].*)?"
)

TYPES = (*INTEGERS, "bool", "bits")
CALLED = (n.removeprefix("_builtin_") for n in dir(Calls) if n.startswith("_builtin_"))
# The names of types, which convert, look the same wherever they stand.
BUILTINS = (*(name for name in CALLED if name not in INTEGERS), "set", "unset")


@dataclass(frozen=True)
class Keyword:
    """`begins_line`: it may be the first word of a line; `only_begins`: nothing but other such words before it, as
    `external` before `constant`. `before`, `after`: terminals."""

    word: str
    terminal: str
    begins_line: bool
    only_begins: bool
    before: frozenset[str]
    after: frozenset[str]

    @property
    def reserved(self) -> bool:
        return self.word in RESERVED

    @property
    def top(self) -> bool:
        """It begins a declaration, in column 1."""
        return self.only_begins and not self.before & (LINE_ENDS - {"$BEGIN"})

    @property
    def names(self) -> bool:
        """A name must follow."""
        return self.after == {"NAME"}


# What a declared name is called by the highlighters, where it is not just a name.
ROLES = {"state": "state", "event": "event"}


@dataclass(frozen=True)
class Group:
    """Words that begin a line in the same place. `following`: what may come next, as a class of characters. `role` of
    the name that follows: name, state, event, or "" where the word declares none."""

    words: tuple[str, ...]
    top: bool
    prefixes: tuple[str, ...]
    following: str
    role: str


class Vocabulary:
    def __init__(self) -> None:
        self._rules: dict[str, list[list[Symbol]]] = defaultdict(list)
        for rule in lark_parser().rules:
            self._rules[str(rule.origin.name)].append(list(rule.expansion))
        self._first = self._ends(0)
        self._last = self._ends(-1)
        self.words = self._words()
        self.before: dict[str, set[str]] = defaultdict(set)
        self.after: dict[str, set[str]] = defaultdict(set)
        self._neighbours()
        self.keywords = self._keywords()

    # --- the grammar

    def _ends(self, end: int) -> dict[str, set[str]]:
        """The terminals each rule may begin (0) or end (-1) with. No rule of the grammar may be empty."""
        found: dict[str, set[str]] = {name: set() for name in self._rules}
        changed = True
        while changed:
            changed = False
            for name, expansions in self._rules.items():
                for expansion in expansions:
                    symbol = expansion[end]
                    new = {symbol.name} if symbol.is_term else found[str(symbol.name)]
                    if not new <= found[name]:
                        found[name] |= new
                        changed = True
        return found

    def _neighbours(self) -> None:
        for expansions in self._rules.values():
            for expansion in expansions:
                for left, right in zip(expansion, expansion[1:]):
                    for one in self.last(left):
                        for other in self.first(right):
                            self.after[one].add(other)
                            self.before[other].add(one)
        for terminal in self._first["start"]:
            self.before[terminal].add("$BEGIN")

    def first(self, symbol: Symbol) -> set[str]:
        return {symbol.name} if symbol.is_term else self._first[str(symbol.name)]

    def last(self, symbol: Symbol) -> set[str]:
        return {symbol.name} if symbol.is_term else self._last[str(symbol.name)]

    @staticmethod
    def _words() -> dict[str, tuple[str, ...]]:
        """By terminal the words it stands for."""
        found: dict[str, tuple[str, ...]] = {}
        for terminal in lark_parser().terminals:
            value = terminal.pattern.value
            match = ALTERNATIVES.fullmatch(value)
            if match is not None:
                found[terminal.name] = tuple(sorted(match[1].split("|")))
        return found

    def _keywords(self) -> tuple[Keyword, ...]:
        begins = {t for t in self.words if self.before[t] & LINE_ENDS}
        only: set[str] = set()
        while True:
            more = {t for t in begins if self.before[t] <= LINE_ENDS | only}
            if more <= only:
                break
            only |= more
        return tuple(
            Keyword(
                word,
                terminal,
                terminal in begins,
                terminal in only,
                frozenset(self.before[terminal]),
                frozenset(self.after[terminal]),
            )
            for terminal, words in self.words.items()
            if terminal != "CONSTANT_WORD"
            for word in words
        )

    # --- groups of words

    @property
    def constants(self) -> tuple[str, ...]:
        return self.words["CONSTANT_WORD"]

    def _rule_words(self, rule: str) -> set[str]:
        """Words that lines inside the block of a rule begin with; the rule's own first word not."""
        found: set[str] = set()
        pending, seen = [rule], set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            for expansion in self._rules[name]:
                inside = name != rule
                for symbol in expansion:
                    if symbol.name == "_INDENT":
                        inside = True
                    elif inside and not symbol.is_term:
                        if str(symbol.name).startswith("__"):
                            pending.append(str(symbol.name))
                        else:
                            found |= self._first[str(symbol.name)]
        return found

    def declaring(self) -> tuple[Keyword, ...]:
        """Words that begin a declaration with a name."""
        places = self._first["start"] | self._rule_words("process")
        prefixes = {
            t for t in places if t in self.words and not self.after[t] == {"NAME"}
        }
        behind = {t for p in prefixes for t in self.after[p]}
        return tuple(
            k for k in self.keywords if k.names and k.terminal in places | behind
        )

    def prefixes(self, keyword: Keyword) -> tuple[str, ...]:
        """Words that may stand before one that begins a line: `external` before `constant`."""
        found = (k.word for k in self.keywords if k.terminal in keyword.before)
        return tuple(found) if keyword.only_begins else ()

    def preceding(self, keyword: Keyword) -> tuple[str, ...]:
        """The words one of which must stand before a word inside a line; none where something else may."""
        if not keyword.before <= self.words.keys():
            return ()
        return tuple(sorted(w for t in keyword.before for w in self.words[t]))

    def by_place(self) -> tuple["Group", ...]:
        """The words that begin a line and are words only there, but for those of events; those that declare a name
        come last."""
        declaring = {k.word for k in self.declaring()}
        of_events = {k.word for k in self.of_events()}
        groups: dict[tuple[bool, tuple[str, ...], str, str], list[str]] = {}
        for keyword in self.keywords:
            if keyword.reserved or not keyword.only_begins:
                continue
            if keyword.word in of_events:
                continue
            role = ""
            if keyword.word in declaring:
                role = ROLES.get(keyword.word, "name")
            key = (
                keyword.top,
                self.prefixes(keyword),
                self.following(keyword)[0],
                role,
            )
            groups.setdefault(key, []).append(keyword.word)
        found = [Group(tuple(words), *key) for key, words in groups.items()]
        return tuple(sorted(found, key=lambda group: group.role != ""))

    def of_events(self) -> tuple[Keyword, ...]:
        """Words of a state's lines that names of events follow."""
        places = self._rule_words("state")
        declaring = {k.word for k in self.declaring()}
        return tuple(
            k
            for k in self.keywords
            if k.names and k.terminal in places and k.word not in declaring
        )

    def of_targets(self) -> tuple[str, ...]:
        """Words between the arrow and the state."""
        arrow = next(t.name for t in lark_parser().terminals if t.pattern.value == "->")
        found: set[str] = set()
        pending = {arrow}
        while pending:
            for terminal in self.after[pending.pop()]:
                if terminal in self.words and terminal not in found:
                    found.add(terminal)
                    pending.add(terminal)
        return tuple(sorted(w for terminal in found for w in self.words[terminal]))

    def openers(self) -> tuple[str, ...]:
        """Words beginning a line that a block of its own may follow."""
        found: set[str] = set()
        for name, expansions in self._rules.items():
            for expansion in expansions:
                for left, right in zip(expansion, expansion[1:]):
                    if left.name == "_NL" and "_INDENT" in self.first(right):
                        found |= self.first(expansion[0])
        return tuple(sorted(w for t in found if t in self.words for w in self.words[t]))

    def operators(self) -> tuple[str, ...]:
        """Longest first, so that one tried after the other finds the right one."""
        found: set[str] = set()
        for terminal in lark_parser().terminals:
            value = terminal.pattern.value
            if terminal.pattern.type == "str" and terminal.name not in self.words:
                found.add(value)
            elif terminal.pattern.type == "re" and not re.search(
                r"[A-Za-z0-9\s]", value
            ):
                for part in re.sub(r"\(\?!.*?\)|\(\?:|\)", "", value).split("|"):
                    found.add(part)
        return tuple(sorted(found - set('()[],;.:"'), key=lambda o: (-len(o), o)))

    def following(self, keyword: Keyword) -> tuple[str, bool]:
        """The characters what follows a word may begin with, and whether the line may end there."""
        characters: set[str] = set()
        for terminal in keyword.after:
            if terminal in ("NAME", "CONSTANT_WORD") or terminal in self.words:
                characters |= {"A-Z", "a-z", "_"}
            elif terminal == "NUMBER":
                characters.add("0-9")
            elif terminal == "STRING":
                characters.add('"')
            elif terminal == "_THEN":
                characters.add("/")
            elif terminal == "_NL":
                characters |= {"#", "@"}
            else:
                characters.add(pattern(terminal)[0])
        ranges = [c for c in characters if len(c) > 1]
        single = [c for c in characters if len(c) == 1]
        return "".join(sorted(ranges) + sorted(single)), "_NL" in keyword.after


def pattern(terminal: str) -> str:
    """The text or regular expression of a terminal."""
    found = next(t for t in lark_parser().terminals if t.name == terminal)
    return str(found.pattern.value)


def words_of(keywords: Iterable[Keyword]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(k.word for k in keywords))


@lru_cache(maxsize=None)
def vocabulary() -> Vocabulary:
    return Vocabulary()
