# SPDX-License-Identifier: MIT
"""`hsmc verify` on many machines: a part is some of the searches, and the runs of all parts are judged as one list."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Sequence

from .. import __version__, parts
from .campaign import run_all
from .search import Limits, Run
from .subject import Search, Subject

Searches = Sequence[tuple[Search, Subject]]


def work_of(searches: Searches, limits: Limits) -> parts.Record:
    """What all parts have in common: the searches, and the specs they read."""
    subjects = {subject.name: subject for _, subject in searches}
    texts = {name: each.compilation.texts() for name, each in subjects.items()}
    return {
        "version": __version__,
        "specs": sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:16],
        "searches": [search.name for search, _ in searches],
        "limits": asdict(limits),
    }


def run_part(
    options: argparse.Namespace, searches: Searches, limits: Limits, quick: bool
) -> int:
    """Every so many searches, so that the long ones of a configuration are in different parts."""
    work = work_of(searches, limits)
    if parts.is_done(options, work):
        return 0
    runs = run_all(searches[options.part - 1 :: options.parts], limits, quick)
    parts.write(options, work, {"runs": [record_of(run) for run in runs]})
    holding = sum(run.holds for run in runs)
    print(
        f"part {options.part} of {options.parts}: {len(runs)} searches, {holding} exhaustive without a violation"
    )
    return 0


def record_of(run: Run) -> parts.Record:
    values = {f.name: getattr(run, f.name) for f in fields(run) if f.name != "search"}
    return {"search": run.name, **values}


def merged(directory: Path, searches: Searches, limits: Limits) -> list[Run]:
    """The runs of all parts, in the order of the searches."""
    found = {
        record.pop("search"): record
        for part in parts.read(directory, work_of(searches, limits))
        for record in part["runs"]
    }
    return [Run(search, **found[search.name]) for search, _ in searches]
