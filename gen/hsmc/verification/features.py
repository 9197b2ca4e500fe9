# SPDX-License-Identifier: MIT
"""Which features of a protocol meet in a search: a file people write beside the spec, and `hsmc verify` judges.

    [[feature]]
    name  = "peeks"
    of    = ["peeks"]                           # bounds of worlds, and what checks set: each is listed here or as a size
    shown = ["exchange.assert.honest_peek.*"]   # rows, and lines of worlds: it is at work where one of them is executed
    where = { peeks = 1 }                       # optional: only in searches whose bounds are at least these
    boards = ["cancel", "Match.LISTENING.*"]    # optional: what shows it on boards; else the rows of `shown`

    [[size]]                                    # bounds, and what checks set, that are no features
    of     = ["messages", "frames"]
    reason = "..."

    [[apart]]                                   # no search can have one of `one` together with one of `other`
    one    = ["peeks"]
    other  = ["damage", "short receives"]
    reason = "..."

What shows a feature on boards: rows, and names without a point, which are those of a campaign (features_on_boards.py).

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
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, Sequence

from .. import naming
from ..backends import executions
from ..failure import Failure
from ..files import read_text
from ..report import did_you_mean

if TYPE_CHECKING:
    from .search import Run
    from .subject import Search, Subject

# Of each list of the file: the keys of its tables with the type of their values, and those that may be missing.
TABLES: dict[str, tuple[dict[str, type], set[str]]] = {
    "feature": (
        {"name": str, "of": list, "shown": list, "where": dict, "boards": list},
        {"where", "boards"},
    ),
    "size": ({"of": list, "reason": str}, set()),
    "apart": ({"one": list, "other": list, "reason": str}, set()),
}
BITS = 63  # of a word of the verifier, all but one
Pair = tuple[str, str]
Tables = dict[str, list[tuple[str, dict[str, Any]]]]  # by list, see read()


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
    rows = [row.id for row in protocol.rows()]
    names = rows + [
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
        on_boards(where, values, rows)
        for name in values.get("where", {}):
            one_of(where, "bound", name, bounds)
        least = tuple(values.get("where", {}).items())
        features.append(
            Feature(values["name"], tuple(values["of"]), frozenset(shown), least)
        )
    apart = reasons_of(path, tables)
    cover(path, tables, switches)
    return Features(path, tuple(features), tuple(sorted(apart.items())))


def on_boards(
    where: str, values: dict[str, Any], rows: Sequence[str]
) -> frozenset[str]:
    """Of a feature's table: the rows, and names of a campaign, that show it on boards."""
    found: set[str] = set()
    for pattern in values.get("boards", values["shown"]):
        matching = fnmatch.filter(rows, pattern)
        if not matching and "boards" in values:
            if "." in pattern:
                hint = did_you_mean(pattern, rows)
                raise Failure(f"{where}: the spec has no row {pattern}{hint}")
            matching = [pattern]
        found.update(matching)
    return frozenset(found)


def reasons_of(path: Path, tables: Tables) -> dict[Pair, str]:
    """Why no search has a pair."""
    names = [values["name"] for _, values in tables["feature"]]
    if len(set(names)) != len(names) or len(names) > BITS:
        raise Failure(f"{path}: expected at most {BITS} features, each of another name")
    apart: dict[Pair, str] = {}
    for where, values in tables["apart"]:
        for one, other in itertools.product(values["one"], values["other"]):
            for name in (one, other):
                one_of(where, "feature", name, names)
            pair = (min(one, other), max(one, other))
            if one == other or pair in apart:
                raise Failure(
                    f"{where}: {one} with {other} is no pair, or listed twice"
                )
            apart[pair] = values["reason"]
    return apart


def cover(path: Path, tables: Tables, switches: set[str]) -> None:
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


def read(path: Path) -> Tables:
    """By list: where each table stands, and its values."""
    try:
        content = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"{path}: {error}") from None
    if unknown := set(content) - set(TABLES):
        raise Failure(
            f"{path}: expected {', '.join(TABLES)}, found {', '.join(sorted(unknown))}"
        )
    result: Tables = {}
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

    def cell(pair: Pair, letter: str) -> str:
        if pair[0] == pair[1]:
            return ""
        return str(len(checks[pair])) if pair in checks else letter or "?"

    return matrix(subject.name, names, dict(features.apart), cell)


def matrix(
    title: str,
    names: Sequence[str],
    reasons: dict[Pair, str],
    cell: Callable[[Pair, str], str],
) -> list[str]:
    """Markdown. `cell` gives a pair's text, by the letter of its reason, "" if it has none; and that of a feature with itself."""
    letters = {
        reason: string.ascii_lowercase[n % 26] * (1 + n // 26)
        for n, reason in enumerate(dict.fromkeys(reasons.values()))
    }

    def text(row: int, column: int) -> str:
        pair = (min(names[row], names[column]), max(names[row], names[column]))
        letter = letters[reasons[pair]] if pair in reasons else ""
        return cell(pair, letter) if column <= row else ""

    lines = [f"## {title}", ""]
    lines.append(f"| | | {' | '.join(str(n + 1) for n in range(len(names)))} |")
    lines.append("|--:|---|" + "--:|" * len(names))
    for row, name in enumerate(names):
        cells = " | ".join(text(row, column) for column in range(len(names)))
        lines.append(f"| {row + 1} | {name} | {cells} |")
    lines.append("")
    lines += [f"* {letter}: {reason}" for reason, letter in letters.items()]
    return [*lines, ""] if letters else lines
