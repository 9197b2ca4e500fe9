# SPDX-License-Identifier: MIT
"""What no search executes, and why: a file people write beside the spec, and `hsmc verify` checks.

    [[unreached]]
    row    = "Send.PHY.transmitted.0"          # a transition
    reason = "..."

    [[unreached]]
    line   = "exchange.premise.in_order.1"     # of a world, or the premise of a property: frontend/executions.py
    reason = "..."

It is `<protocol>_unreached.toml` beside the spec, `<protocol>_<profile>_unreached.toml` for a profile other than the
default one. What is neither executed nor listed, or both, is an error, also where there is no list; divided by a
placement, where some checks may have no bounds, only with a list. `row = "Link.*"` lists all transitions of a process.
"""

from __future__ import annotations

import fnmatch
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional, Sequence

from .. import ir, naming
from ..backends import executions
from ..failure import Failure
from ..report import did_you_mean
from . import reasons_file
from .search import Run
from .subject import Subject

ALIKE = 4  # with the same reason; more are printed as one
KEYS = {"row": "transition", "line": "line of a world or premise"}
# What it means that a search leaves it out, where the name does not say it.
MEANS = {
    "premise": "never looked at, for what stands before it always decides",
    "unchanged": "nothing is ever compared",
    "eventually": "fulfilled in the first state of every search",
    "repeats": "a frame that comes again is always alone on the link",
    "timers": "never true, so no timer runs out",
}


@dataclass(frozen=True)
class Missing:
    """What no search has executed. `key`: its key in a list."""

    key: str
    name: str
    place: str
    means: str = ""

    def __str__(self) -> str:
        means = f", {self.means}" if self.means else ""
        return f"{self.name}  ({self.place}{means})"


@dataclass
class Judgement:
    """Notes and errors about what was left out."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def list_of(subject: Subject) -> Path:
    stem = naming.plain(subject.name.replace("@", "_"))
    return subject.spec.resolve().parent / f"{stem}_unreached.toml"


def read(path: Path, names: dict[str, Sequence[str]]) -> dict[str, str]:
    """Reasons by name; `names`: what there is, by key."""
    result: dict[str, str] = {}
    choices = [(key, "reason") for key in KEYS]
    for where, values in reasons_file.entries(path, "unreached", *choices):
        key = next(key for key in KEYS if key in values)
        wanted = values[key]
        found = fnmatch.filter(names[key], wanted)
        if not found:
            hint = did_you_mean(wanted, list(names[key]))
            raise Failure(f"{where}: the spec has no {KEYS[key]} {wanted}{hint}")
        for name in found:
            if name in result:
                raise Failure(f"{where}: {name} is listed twice")
            result[name] = values["reason"]
    return result


def known(subject: Subject) -> dict[str, str]:
    """The entries of the list."""
    path = list_of(subject)
    if not path.is_file():
        return {}
    protocol = subject.protocol
    lines = {
        each.name: each
        for world in protocol.worlds
        for each in executions.all_of(protocol, world)
    }
    return read(path, {"row": [row.id for row in protocol.rows()], "line": list(lines)})


def missing(runs: Sequence[Run], subject: Subject) -> Optional[list[Missing]]:
    """What no exhaustive search of a protocol executes, of its transitions and of the worlds that were searched; None:
    there was none."""
    held = [run for run in runs if run.search.protocol == subject.name and run.holds]
    if not held:
        return None
    left_out = set.intersection(*(set(run.not_taken) for run in held))
    return [
        Missing("row", row.id, str(row.place))
        for number, row in enumerate(subject.protocol.rows())
        if number in left_out
    ] + [
        Missing("line", each.name, str(each.place), MEANS.get(each.kind, ""))
        for each in not_executed(held, subject)
    ]


def not_executed(held: Sequence[Run], subject: Subject) -> Iterator[ir.Execution]:
    """By exhaustive searches. Only searches for liveness evaluate what it means."""
    found: dict[str, ir.Execution] = {}
    executed: set[str] = set()
    for run in held:
        for each in subject.executions(run.search.check):
            if each.kind == "eventually" and run.search.kind != "liveness":
                continue
            found[each.name] = each
            if each.name not in run.not_executed:
                executed.add(each.name)
    return (each for name, each in found.items() if name not in executed)


def judge(runs: Sequence[Run], subject: Subject) -> Judgement:
    """Of searches that are all there are of a protocol. Only exhaustive ones say anything."""
    listed = known(subject)
    found = missing(runs, subject)
    if found is None:
        return Judgement(
            [
                f"what no search of {subject.name} executes is not known, for none was exhaustive and held"
            ]
        )
    complete = subject.placement is None or list_of(subject).is_file()
    result = Judgement()
    for key, heading in (
        ("row", f"transitions of {subject.name} that no configuration takes:"),
        ("line", f"lines and premises of {subject.name} that no search executes:"),
    ):
        those = [each for each in found if each.key == key]
        if those:
            result.lines += [heading, *_with_reasons(those, listed)]
    for each in found if complete else ():
        if each.name not in listed:
            verb = "configuration takes" if each.key == "row" else "search executes"
            result.problems.append(
                f"no {verb} {each.name} ({each.place}){f', {each.means}' * bool(each.means)}: add a check that does, or "
                f"list it with its reason in {list_of(subject).name}"
            )
    names = {each.name for each in found}
    result.problems += [
        f"{list_of(subject).name} says that nothing executes {name}, and a search does: remove it there"
        for name in listed
        if name not in names
    ]
    return result


def _with_reasons(found: Sequence[Missing], listed: dict[str, str]) -> Iterator[str]:
    reasons = [listed.get(each.name) for each in found]
    for each, reason in zip(found, reasons):
        alike = reasons.count(reason) if reason else 1
        if alike <= ALIKE:
            known_as = f": {reason}" if reason else ""
            yield f"  {each}{known_as}"
        elif reasons.index(reason) == found.index(each):
            yield f"  {each} and {alike - 1} more: {reason}"


def left_out(runs: Sequence[Run], subject: Subject) -> list[str]:
    """What some searches of a protocol have not executed, without what is known to be out of reach."""
    listed = known(subject)
    found = [e for e in missing(runs, subject) or () if e.name not in listed]
    lines = []
    for key, heading in (("row", "not taken here"), ("line", "not executed here")):
        names = [each.name for each in found if each.key == key]
        text = f"{heading}: {', '.join(names)}"
        if names:
            lines += textwrap.wrap(
                text,
                120,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return lines
