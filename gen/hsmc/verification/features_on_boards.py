# SPDX-License-Identifier: MIT
"""Which features of a protocol meet in worlds of a campaign on boards: counted, and beside what searches have.

Two features have met in a world when it shows both: rows that any of its boards has taken, and by name what else happened
in it. A feature's `boards` says what shows it, or else the rows of its `shown` (features.py). A pair of the list has a
reason or has met in a search: `hsmc verify` sees to that.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Iterable, Sequence

from ..failure import Failure
from ..report import did_you_mean
from . import features
from .features import Pair

PAGE = """# Features that meet on boards

Made by this command; do not edit:

    {command}

A number says in how many of {worlds} worlds boards have shown both features, on the diagonal the one. Searches have each
pair without a letter, as `hsmc verify` makes sure; a letter says why they have not. A feature with - is one that boards
cannot show ([how a pair counts](verification.md#features-that-meet)).
"""


@dataclass
class Boards:
    """What a campaign counts."""

    title: str
    digest: str  # of the list and of the rows: equal where sums can be added
    rows: list[str]  # by number
    # By feature: rows, and names of what else happens in worlds. None: boards cannot show it.
    shown: dict[str, frozenset[str]]
    reasons: dict[Pair, str]
    worlds: int = 0
    met: Counter[Pair] = field(default_factory=Counter)  # also each with itself

    def add(self, rows: Iterable[int], deeds: Iterable[str]) -> None:
        """Of one world."""
        names = {*(self.rows[number] for number in rows), *deeds}
        found = sorted(name for name, shown in self.shown.items() if shown & names)
        self.worlds += 1
        self.met.update(
            (one, other) for n, one in enumerate(found) for other in found[n:]
        )

    def record(self) -> dict[str, Any]:
        return {
            "of": self.title,
            "worlds": self.worlds,
            "met": [[*pair, count] for pair, count in sorted(self.met.items())],
        }

    def add_record(self, record: dict[str, Any]) -> None:
        self.worlds += record["worlds"]
        self.met.update({(one, other): n for one, other, n in record["met"]})

    def pairs(self) -> list[Pair]:
        return list(itertools.combinations(sorted(self.shown), 2))

    def cell(self, pair: Pair, letter: str) -> str:
        if not all(self.shown[name] for name in pair):
            return letter or "-"
        if letter and not self.met[pair]:
            return letter
        return f"{self.met[pair]} {letter}".strip()

    def left_out(self) -> list[str]:
        """What no world has: features, and pairs of the others."""
        hidden = [name for name, shown in self.shown.items() if not shown]
        seen = [name for name in self.shown if self.met[name, name]]
        unseen = [n for n in self.shown if n not in hidden and n not in seen]
        pairs = [
            p
            for p in self.pairs()
            if {*p} <= {*seen} and not self.met[p] and p not in self.reasons
        ]
        lines = by_first("not with", pairs)
        if unseen:
            lines.append(f"in no world: {', '.join(unseen)}")
        if hidden:
            lines.append(f"boards cannot show: {', '.join(hidden)}")
        return lines

    def beyond(self) -> list[Pair]:
        """What worlds have, and no search."""
        return [p for p in self.pairs() if self.met[p] and p in self.reasons]

    def report(self) -> list[str]:
        """For a terminal: how many pairs, and which no world has."""
        found = sum(self.met[pair] > 0 for pair in self.pairs())
        head = f"features of {self.title}: {found} of {len(self.pairs())} pairs have met in {self.worlds} worlds"
        only = by_first("in no search with", self.beyond())
        return [head, *(f"  {line}" for line in self.left_out() + only)]

    def page(self, command: str) -> str:
        """Markdown."""
        lines = features.matrix(self.title, list(self.shown), self.reasons, self.cell)
        for title, found in (
            ("In searches, not on boards", self.left_out()),
            ("On boards, not in searches", by_first("with", self.beyond())),
        ):
            lines += [
                f"### {title}",
                "",
                *(f"* {line}" for line in found or ["none"]),
                "",
            ]
        head = PAGE.format(command=command, worlds=self.worlds).split("\n")
        return "\n".join([*head, *lines]).rstrip("\n") + "\n"


def by_first(verb: str, pairs: Iterable[Pair]) -> list[str]:
    """A line for each first feature."""
    grouped = itertools.groupby(sorted(pairs), key=lambda pair: pair[0])
    return [
        f"{one} {verb} {', '.join(other for _, other in group)}"
        for one, group in grouped
    ]


def read(path: Path, program: Path, deeds: Sequence[str]) -> Boards:
    """`program`: what has the names of the protocol's rows, an image of it or a program with one. `deeds`: what else worlds
    of the campaign can show. Raises Failure."""
    tables = features.read(path)
    title, rows = rows_in(program)
    shown = {}
    for where, values in tables["feature"]:
        shown[values["name"]] = features.on_boards(where, values, rows)
        for name in shown[values["name"]] - set(rows):
            if name not in deeds:
                hint = did_you_mean(name, deeds) or f"; it has {', '.join(deeds)}"
                raise Failure(f"{where}: the campaign has no {name}{hint}")
    digest = sha256(repr((path.read_bytes(), rows)).encode()).hexdigest()[:16]
    return Boards(title, digest, rows, shown, features.reasons_of(path, tables))


def rows_in(program: Path) -> tuple[str, list[str]]:
    """The protocol, with its profile, and its rows in the order of their numbers (host/board/image_format.h)."""
    lines = rb"protocol (\w+)\n(?:profile (\w+)\n)?hash \w+\n(?:file .*\n)*((?:transition .*\n)+)"
    found = re.search(lines, program.read_bytes())
    if found is None:
        raise Failure(f"{program} has no names of rows")
    protocol, profile, rows = (text.decode() for text in found.groups(b""))
    names = [line.removeprefix("transition ") for line in rows.splitlines()]
    return f"{protocol}, profile {profile}" if profile else protocol, names
