# SPDX-License-Identifier: MIT
"""What became of mutants in earlier runs: a file that a clone of the tree believes, so that it does not search again.

Each entry has the hash of all that its searches depended on, so it counts only as long as that is the same. The spec's own
searches are one entry, each mutant one line: under its name the hash, how many searches in the order of the spec's it took,
its fate, and which property was violated in which search after how many steps. What the compiler kills is not kept, for it
takes no time.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional

from ..failure import Failure
from ..files import write_all


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Known:
    key: str
    searches: int
    fate: str
    by: str
    search: str  # the last one
    steps: int
    same_states: bool


@dataclass(frozen=True)
class KnownSpec:
    """The spec itself: searches and their states, in the order in which mutants are searched; those that take too long;
    rows, by number, that no search takes."""

    key: str
    searched: list[tuple[tuple[str, str], int]]
    left_out: list[str]
    untaken: list[int]


@dataclass
class KnownMutants:
    spec: Optional[KnownSpec] = None
    mutants: dict[str, Known] = field(default_factory=dict)


def read(path: Path) -> KnownMutants:
    """Nothing is known without the file."""
    try:
        record = json.loads(path.read_text())
        return KnownMutants(
            _spec(record["spec"]) if record["spec"] is not None else None,
            {name: _known(values) for name, values in record["mutants"].items()},
        )
    except FileNotFoundError:
        return KnownMutants()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Failure(
            f"{path} has no results of mutants ({error}); remove it, and all are searched"
        ) from None


def _spec(record: Mapping[str, Any]) -> KnownSpec:
    searched = [((check, kind), int(n)) for check, kind, n in record["searched"]]
    return KnownSpec(
        str(record["key"]), searched, list(record["left_out"]), list(record["untaken"])
    )


def _known(values: list[Any]) -> Known:
    key, searches, fate, by, search, steps, same = values
    if fate not in ("property", "survived", "same"):
        raise ValueError(f"fate {fate}")
    return Known(key, int(searches), fate, by, search, int(steps), bool(same))


def write(path: Path, spec: Optional[KnownSpec], mutants: Mapping[str, Known]) -> None:
    """`spec` is None where mutants are of several files, and searches differ (models/placement_mutants.py)."""
    record = spec and {
        "key": spec.key,
        "searched": [[check, kind, n] for (check, kind), n in spec.searched],
        "left_out": spec.left_out,
        "untaken": spec.untaken,
    }
    lines = [
        f"{json.dumps(name)}: {json.dumps(astuple(known))}"
        for name, known in mutants.items()
    ]
    inner = ",\n".join(lines)
    write_all(
        {path: f'{{"spec": {json.dumps(record)},\n"mutants": {{\n{inner}\n}}}}\n'}
    )
