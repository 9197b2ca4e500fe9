# SPDX-License-Identifier: MIT
"""Transitions that no configuration takes, and why: a file people write beside the spec, and `hsmc verify` checks.

    [[unreached]]
    row    = "Send.PHY.transmitted.0"
    reason = "..."

It is `<protocol>_unreached.toml` beside the spec, `<protocol>_<profile>_unreached.toml` for a profile other than the
default one. A transition that is neither taken nor listed, or both, is an error, also where there is no list; divided by
a placement, where some checks may have no bounds, only with a list. `row = "Link.*"` lists all transitions of a process.
"""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field
from pathlib import Path
from typing import Sequence

from .. import naming
from ..failure import Failure
from ..report import did_you_mean
from . import reasons_file
from .search import Run
from .subject import Subject
from .verdicts import never_taken


ALIKE = 4  # transitions with the same reason; more are printed as one


@dataclass
class Judgement:
    """Notes and errors about a protocol's transitions."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def list_of(subject: Subject) -> Path:
    stem = naming.plain(subject.name.replace("@", "_"))
    return subject.spec.resolve().parent / f"{stem}_unreached.toml"


def read(path: Path, rows: Sequence[str]) -> dict[str, str]:
    """Reasons by transition."""
    result: dict[str, str] = {}
    for where, values in reasons_file.entries(path, "unreached", ("row", "reason")):
        wanted = values["row"]
        found = fnmatch.filter(rows, wanted)
        if not found:
            hint = did_you_mean(wanted, list(rows))
            raise Failure(f"{where}: the spec has no transition {wanted}{hint}")
        for row in found:
            if row in result:
                raise Failure(f"{where}: {row} is listed twice")
            result[row] = values["reason"]
    return result


def known(subject: Subject) -> dict[str, str]:
    """The entries of the list."""
    path = list_of(subject)
    if not path.is_file():
        return {}
    return read(path, [row.id for row in subject.protocol.rows()])


def judge(runs: Sequence[Run], subject: Subject) -> Judgement:
    """Of searches that are all there are of a protocol. Only exhaustive ones of the C say anything."""
    listed = known(subject)
    missing = never_taken(runs, subject)
    if missing is None:
        return Judgement(
            [
                f"transitions of {subject.name} that no configuration takes: not known, for only searches of the generated C "
                "count them (--engine), and none of those was exhaustive and held"
            ]
        )
    complete = subject.placement is None or list_of(subject).is_file()
    result = Judgement()
    if missing:
        result.lines.append(
            f"transitions of {subject.name} that no configuration takes:"
        )
    reasons = [listed.get(row) for row, _ in missing]
    for (row, place), reason in zip(missing, reasons):
        alike = reasons.count(reason) if reason else 1
        if alike <= ALIKE:
            known_as = f": {reason}" if reason else ""
            result.lines.append(f"  {row}  ({place}){known_as}")
        elif reasons.index(reason) == missing.index((row, place)):
            result.lines.append(f"  {row}  ({place}) and {alike - 1} more: {reason}")
        if reason is None and complete:
            result.problems.append(
                f"no configuration takes {row} ({place}): add a check that does, or list it with its reason in "
                f"{list_of(subject).name}"
            )
    for row in listed:
        if row not in [name for name, _ in missing]:
            result.problems.append(
                f"{list_of(subject).name} says that nothing takes {row}, and a configuration does: remove it there"
            )
    return result
