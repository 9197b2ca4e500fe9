# SPDX-License-Identifier: MIT
"""Which features of a protocol meet in a search: a file people write beside the spec, and `hsmc verify` judges.

    [[feature]]
    name  = "peeks"
    of    = ["peeks"]                           # bounds of worlds, and what checks set: each is listed here or as a size
    shown = ["exchange.assert.honest_peek.*"]   # rows, and lines of worlds: it is at work where one of them is executed
    where = { peeks = 1 }                       # optional: only in searches whose bounds are at least these

    [[size]]                                    # bounds, and what checks set, that are no features
    of     = ["messages", "frames"]
    reason = "..."

    [[apart]]                                   # no search can have one of `one` together with one of `other`
    one    = ["peeks"]
    other  = ["damage", "short receives"]
    reason = "..."

It is `<protocol>_features.toml`, `<protocol>_<profile>_features.toml` for a profile other than the default one.

Two features have met when one path of one exhaustive search, from the beginning on, executes what shows either. The
verifier keeps with the stack of its path which features that has shown (models/spin_support.h). A state that it has seen
before it does not go through again with other features, so it may miss a pair, and never makes one up. A pair that has
neither met nor a reason is an error, and so is a reason for one that has met.
"""

from __future__ import annotations

import fnmatch
import itertools
import string
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence

from .. import naming
from ..backends import executions
from ..failure import Failure
from ..files import read_text
from ..report import did_you_mean
from .subject import Search, Subject

if TYPE_CHECKING:
    from .search import Run

# Of each list of the file: the keys of its tables with the type of their values, and those that may be missing.
TABLES: dict[str, tuple[dict[str, type], set[str]]] = {
    "feature": ({"name": str, "of": list, "shown": list, "where": dict}, {"where"}),
    "size": ({"of": list, "reason": str}, set()),
    "apart": ({"one": list, "other": list, "reason": str}, set()),
}
BITS = 63  # of a word of the verifier, all but one
Pair = tuple[str, str]


@dataclass(frozen=True)
class Feature:
    name: str
    of: tuple[str, ...]
    shown: frozenset[str]  # names of rows and of what else is executed
    where: tuple[tuple[str, int], ...]

    def possible(self, search: Search) -> bool:
        return all(search.bounds.get(name, 0) >= least for name, least in self.where)


@dataclass(frozen=True)
class Features:
    path: Path
    all: tuple[Feature, ...] = ()
    apart: tuple[tuple[Pair, str], ...] = ()  # sorted names, and the reason

    def pairs(self) -> list[Pair]:
        return list(itertools.combinations(sorted(f.name for f in self.all), 2))

    def header(self, search: Search, subject: Subject) -> str:
        """C: by row, and by what else is executed, a word with the bits of the features that it shows."""
        here = [(1 << n, f.shown) for n, f in enumerate(self.all) if f.possible(search)]

        def words(names: Iterable[str]) -> str:
            bits = (sum(bit for bit, shown in here if name in shown) for name in names)
            return ", ".join(f"{word:#x}u" for word in bits)

        rows = [row.id for row in subject.protocol.rows()]
        lines = [each.name for each in subject.executions(search.check)]
        return (
            f"static const unsigned long spin_row_features[] = {{{words(rows)}}};\n"
            f"static const unsigned long spin_line_features[] = {{{words([*lines, ''])}}};\n"
        )

    def together(self, words: Sequence[int]) -> list[Pair]:
        """Of a report of the verifier: for each feature a word of those it has met."""
        names = [feature.name for feature in self.all]
        found = {
            (min(name, other), max(name, other))
            for name, word in zip(names, words)
            for n, other in enumerate(names)
            if word >> n & 1 and name != other
        }
        return sorted(found)


def file_of(subject: Subject) -> Path:
    stem = naming.plain(subject.name.replace("@", "_"))
    return subject.spec.resolve().parent / f"{stem}_features.toml"


def known(subject: Subject) -> Optional[Features]:
    """None where the file is missing, and of nodes that a placement divides: they are other machines with other rows."""
    path = file_of(subject)
    if subject.placement is not None or not path.is_file():
        return None
    tables = read(path)
    protocol = subject.protocol
    names = [row.id for row in protocol.rows()] + [
        each.name
        for world in protocol.worlds
        for each in executions.all_of(protocol, world)
    ]
    bounds = {bound.name for world in protocol.worlds for bound in world.bounds}
    switches = bounds | {name for c in protocol.checks for name, _ in c.settings}
    features = []
    for where, values in tables["feature"]:
        shown: set[str] = set()
        for pattern in values["shown"]:
            found = fnmatch.filter(names, pattern)
            if not found:
                hint = did_you_mean(pattern, names)
                raise Failure(f"{where}: the spec has no row or line {pattern}{hint}")
            shown.update(found)
        for name in values.get("where", {}):
            one_of(where, "bound", name, bounds)
        least = tuple(values.get("where", {}).items())
        features.append(
            Feature(values["name"], tuple(values["of"]), frozenset(shown), least)
        )
    by_name = {feature.name for feature in features}
    if len(by_name) != len(features) or len(features) > BITS:
        raise Failure(f"{path}: expected at most {BITS} features, each of another name")
    apart: dict[Pair, str] = {}
    for where, values in tables["apart"]:
        for one, other in itertools.product(values["one"], values["other"]):
            for name in (one, other):
                one_of(where, "feature", name, by_name)
            pair = (min(one, other), max(one, other))
            if one == other or pair in apart:
                raise Failure(
                    f"{where}: {one} with {other} is no pair, or listed twice"
                )
            apart[pair] = values["reason"]
    cover(path, tables, switches)
    return Features(path, tuple(features), tuple(sorted(apart.items())))


def cover(
    path: Path, tables: dict[str, list[tuple[str, dict[str, Any]]]], switches: set[str]
) -> None:
    """Every bound, and all that checks set, is of a feature or a size."""
    listed: set[str] = set()
    for where, values in tables["feature"] + tables["size"]:
        for name in values["of"]:
            one_of(where, "bound, and nothing that a check sets,", name, switches)
        listed.update(values["of"])
    if missing := sorted(switches - listed):
        raise Failure(
            f"{path}: list {', '.join(missing)} in the `of` of a feature, or as a [[size]] with the reason"
        )


def one_of(where: str, what: str, name: str, names: Iterable[str]) -> None:
    if name not in names:
        raise Failure(f"{where}: there is no {what} {name}{did_you_mean(name, names)}")


def read(path: Path) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """By list: where each table stands, and its values."""
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"{path}: {error}") from None
    if unknown := set(content) - set(TABLES):
        raise Failure(
            f"{path}: expected {', '.join(TABLES)}, found {', '.join(sorted(unknown))}"
        )
    result: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for name, (types, optional) in TABLES.items():
        result[name] = []
        for number, values in enumerate(content.get(name, []), start=1):
            where = f"{path}: {name} {number}"
            keys = set(values)
            if not set(types) - optional <= keys <= set(types):
                raise Failure(f"{where} has not the keys {', '.join(types)}")
            for key, value in values.items():
                kind = types[key]
                parts = value.values() if kind is dict else value
                inner = int if kind is dict else str
                if not isinstance(value, kind) or not all(
                    isinstance(part, inner) for part in parts
                ):
                    raise Failure(f"{where}: {key} is no {kind.__name__} as it should")
            result[name].append((where, values))
    return result


def met(runs: Sequence[Run], subject: Subject) -> set[Pair]:
    """By exhaustive searches without a violation."""
    mine = (run for run in runs if run.search.protocol == subject.name and run.holds)
    return {(one, other) for run in mine for one, other in run.together}


def judge(runs: Sequence[Run], subject: Subject) -> list[str]:
    """Errors, of all searches of a protocol."""
    features = known(subject)
    if features is None:
        return []
    found = met(runs, subject)
    reasons = dict(features.apart)
    name = features.path.name
    return [
        f"no search of {subject.name} has {one} together with {other}: add a check that has, or list the pair with its reason "
        f"in {name}"
        for one, other in features.pairs()
        if (one, other) not in found and (one, other) not in reasons
    ] + [
        f"{name} says that {one} and {other} never meet, and they do in a search: remove the pair there"
        for one, other in reasons
        if (one, other) in found
    ]


def page(runs: Sequence[Run], subject: Subject) -> list[str]:
    """Markdown: for each pair the checks in which it has met, or the letter of the reason; empty without features."""
    features = known(subject)
    if features is None:
        return []
    names = [feature.name for feature in features.all]
    checks: dict[Pair, set[str]] = {}
    for run in runs:
        if run.search.protocol == subject.name and run.holds:
            for one, other in run.together:
                checks.setdefault((one, other), set()).add(run.search.check)
    reasons = dict(features.apart)
    letters = {
        reason: string.ascii_lowercase[n % 26] * (1 + n // 26)
        for n, reason in enumerate(dict.fromkeys(reasons.values()))
    }

    def cell(row: int, column: int) -> str:
        if column >= row:
            return ""
        pair = (min(names[row], names[column]), max(names[row], names[column]))
        if pair in checks:
            return str(len(checks[pair]))
        return letters[reasons[pair]] if pair in reasons else "?"

    lines = [f"## {subject.name}", ""]
    lines.append(f"| | | {' | '.join(str(n + 1) for n in range(len(names)))} |")
    lines.append("|--:|---|" + "--:|" * len(names))
    for row, name in enumerate(names):
        cells = " | ".join(cell(row, column) for column in range(len(names)))
        lines.append(f"| {row + 1} | {name} | {cells} |")
    lines.append("")
    lines += [f"* {letter}: {reason}" for reason, letter in letters.items()]
    return [*lines, ""] if letters else lines
