# SPDX-License-Identifier: MIT
"""Mutants that nothing kills, and why that is right: a file people write and the tool checks.

    [[survivor]]
    mutant = "drop-assignment Sender.WAIT_ACK.ack.0: pending := 0"
    kind   = "equivalent"
    reason = "..."

In `mutant` a `*` stands for anything. The kinds are those of KINDS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

from ..failure import Failure
from ..report import did_you_mean
from . import reasons_file

KINDS = {
    "equivalent": "does the same as the spec, whatever happens",
    "beyond": "differs in what the world around the protocol does not do",
    "unobserved": "differs in what no property speaks of",
    "longer": "is killed by a search that is too long for every mutant; the reason names it",
}


@dataclass(frozen=True)
class Survivor:
    mutant: str
    kind: str
    reason: str

    def means(self, name: str) -> bool:
        pattern = ".*".join(re.escape(part) for part in self.mutant.split("*"))
        return re.fullmatch(pattern, name) is not None


def read(path: Path) -> list[Survivor]:
    return [
        entry(where, values)
        for where, values in reasons_file.entries(
            path, "survivor", ("mutant", "kind", "reason")
        )
    ]


def entry(where: str, values: dict[str, str]) -> Survivor:
    if values["kind"] not in KINDS:
        hint = did_you_mean(values["kind"], list(KINDS))
        raise Failure(
            f"{where}: there is no kind '{values['kind']}'{hint}; there are: {', '.join(KINDS)}"
        )
    return Survivor(values["mutant"], values["kind"], values["reason"])


def explanation(known: Iterable[Survivor], name: str) -> Survivor | None:
    return next((survivor for survivor in known if survivor.means(name)), None)


def idle(
    known: Iterable[Survivor], survived: Iterable[str], tried: Iterable[str]
) -> list[Survivor]:
    """Entries for which a mutant was tried but none survived."""
    survived, tried = list(survived), list(tried)
    return [
        each
        for each in known
        if any(map(each.means, tried)) and not any(map(each.means, survived))
    ]
