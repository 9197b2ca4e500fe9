# SPDX-License-Identifier: MIT
"""Work that many machines share, in numbered parts. A part writes a file when it is done, and the files are merged.

So the part of a machine that was lost is missing, and is run again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Optional

from .failure import Failure
from .files import write_all

Record = dict[str, Any]


def add_options(parser: argparse.ArgumentParser, what: str) -> None:
    sharing = parser.add_argument_group(f"one {what} on many machines")
    sharing.add_argument("--parts", type=int, default=1, metavar="COUNT")
    sharing.add_argument(
        "--part", type=int, default=1, help="run this one only, from 1 on"
    )
    sharing.add_argument("--into", type=Path, metavar="DIR", help="where parts go")
    sharing.add_argument("--merge", type=Path, metavar="DIR", help="add up all parts")


def check_options(options: argparse.Namespace) -> None:
    if not 1 <= options.part <= options.parts:
        raise Failure(
            f"expected --part from 1 to {options.parts}, found {options.part}"
        )
    if options.parts != 1 and options.into is None:
        raise Failure("--parts needs --into DIR, where each part writes its file")


def file_of(options: argparse.Namespace) -> Path:
    path: Path = options.into / f"part-{options.part:05}.json"
    return path


def is_done(options: argparse.Namespace, whole: Record) -> bool:
    """`whole`: what all parts have in common."""
    path = file_of(options)
    if not path.exists():
        return False
    there = json.loads(path.read_text(encoding="utf-8"))["whole"]
    differ = difference(there, {**whole, "parts": options.parts})
    if differ:
        raise Failure(
            f"{path} is a part of other work: {differ}; give each a directory of its own",
            1,
        )
    print(f"part {options.part} of {options.parts} has been run before")
    return True


def write(options: argparse.Namespace, whole: Record, record: Record) -> None:
    common = {**whole, "parts": options.parts}
    done = {"whole": common, "part": options.part, **record}
    write_all({file_of(options): json.dumps(done, indent=1) + "\n"})


def read(directory: Path, whole: Optional[Record] = None) -> list[Record]:
    """All parts, in order. `whole`: what they must have in common, if that is known here."""
    records = [json.loads(p.read_text("utf-8")) for p in directory.glob("part-*.json")]
    if not records:
        raise Failure(f"{directory}: expected files part-*.json, found none", 1)
    records.sort(key=lambda record: int(record["part"]))
    first = records[0]
    parts = first["whole"]["parts"]
    wanted = first["whole"] if whole is None else {**whole, "parts": parts}
    for record in records:
        differ = difference(record["whole"], wanted)
        if differ:
            raise Failure(
                f"{directory}: part {record['part']} is of other work: {differ}; "
                "only parts of the same work can be merged",
                1,
            )
    missing = sorted(set(range(1, parts + 1)) - {record["part"] for record in records})
    if missing:
        raise Failure(
            f"{directory}: {len(missing)} of {parts} parts are missing; run again --part {','.join(map(str, missing))}",
            1,
        )
    return records


def difference(one: Record, other: Record) -> str:
    """What makes two works differ, in a few words.

    >>> difference({"seed": 1, "parts": 4}, {"seed": 2, "parts": 4})
    'seed'
    """
    names = sorted({*one, *other})
    return ", ".join(name for name in names if one.get(name) != other.get(name))
