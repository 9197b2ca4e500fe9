#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make campaign` and `make campaign-fast` run: worlds under random faults, every byte of every message compared.

A world follows from its seed alone: topology, programs of hosts, faults and their end (tests/campaign_worlds). An oracle
reads what hosts asked for and got. Mode `boards` simulates boards instruction by instruction (tests/simulated_worlds).
Mode `fast` runs the same generated C on the native port, event by event (tests/native_worlds). A world that fails is
shrunk to a small one that fails alike. build/campaign.json has the sums.

With `--features LIST` it counts which features of the protocol meet in a world (gen/hsmc/verification/features_on_boards.py).

Many machines share a campaign: each runs `--part N --parts COUNT --into DIR`, in any order, and `--merge DIR` then adds
up what they wrote. A part writes its file when it is done, so a part whose machine was lost is run again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "gen"))

from hsmc import parts  # pylint: disable=wrong-import-position
from hsmc.failure import Failure  # pylint: disable=wrong-import-position
from hsmc.files import write_all  # pylint: disable=wrong-import-position

if TYPE_CHECKING:
    from hsmc.verification.features_on_boards import Boards

SEED_SPAN = 1_000_000_000  # worlds of one campaign's seed
FINDINGS = "lost duplicated corrupted misordered stuck leaked stopped strayed".split()
FAULTS = "loss burst_enter duplicate corrupt delay cancel_chance short_chance".split()
FAULTS += ["wildcard_chance", "damage"]
FAULTS += "restarts late_devices incast through_switch".split()
FAULTS += "reorder truncate lengthen holes unplugs pauses hides jumps".split()
# What a shrunk world may have instead, best first.
SMALLER = {
    "nodes": [2, 3, 4, 8],
    "longest": [0, 4, 64, 1478, 2964, 5000],
    "tags": [1, 2],
    "sends_ahead": [1, 2, 4, 8],
    "receives_ahead": [2, 4],
    "collection_size": [3],
    "switches": [0, 1, 2],
    "fault_us": [1000, 5000],
}


@dataclass(frozen=True)
class Mode:
    """A program that runs worlds."""

    program: str
    messages: int  # of a world
    worlds: int  # of a process: progress is seen, and starting it costs little
    image: Optional[str] = None  # what its boards run


MODES = {
    "boards": Mode("campaign_boards", 160, 10, "firmware/emp_a_checked.elf"),
    "fast": Mode("campaign_fast", 10_000, 50),
}

Record = dict[str, Any]


@dataclass
class Part:
    """Worlds of one process."""

    first: int
    worlds: int
    messages: int  # of each


@dataclass
class Sums:
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Record] = field(default_factory=list)


def run_worlds(program: Path, part: Part, *knobs: str) -> list[Record]:
    """The failures, with knob "rows" also what each world shows, and the sums behind them."""
    command = [str(program), str(part.first), str(part.worlds)]
    result = subprocess.run(
        [*command, str(part.messages), *knobs],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode == 2:
        raise SystemExit(f"{' '.join(command)}: {result.stderr}")
    if result.returncode not in (0, 1):
        # A check of the generated code, or the port's: of which world the process does not say.
        text = result.stderr.strip().split("\n")[-1]
        record = {"seed": part.first, "finding": "stopped", "text": text}
        record |= {"knobs": {}, "worlds": part.worlds, "messages": part.messages}
        return [record, {"failed": 1, "worlds": part.worlds}]
    records: list[Record] = [json.loads(line) for line in result.stdout.splitlines()]
    done = records[-1].get("worlds", 0) if records else 0
    if done != part.worlds:
        raise SystemExit(
            f"{' '.join(command)}: expected the sums of {part.worlds} worlds, found {done}"
        )
    return records


def parts_of(options: argparse.Namespace) -> Iterator[Part]:
    mode = MODES[options.mode]
    each = min(mode.messages, options.messages)
    worlds = -(-options.messages // each)
    first = 1 + (options.seed - 1) * SEED_SPAN
    end = worlds * options.part // options.parts
    for begin in range(worlds * (options.part - 1) // options.parts, end, mode.worlds):
        yield Part(first + begin, min(mode.worlds, end - begin), each)


def fails_alike(program: Path, failure: Record, knobs: dict[str, int]) -> bool:
    texts = [f"{name}={value}" for name, value in knobs.items()]
    found = run_worlds(program, Part(failure["seed"], 1, knobs["messages"]), *texts)
    return any(record.get("finding") == failure["finding"] for record in found)


def smaller(knobs: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Changes worth a try."""
    for part in (16, 4, 2):
        if knobs["messages"] // part > 0:
            yield "messages", knobs["messages"] // part
    for name in FAULTS:
        if knobs[name] != 0:
            yield name, 0
    for name, values in SMALLER.items():
        yield from ((name, value) for value in values if value < knobs[name])


def shrunk(program: Path, failure: Record, seconds: float) -> dict[str, int]:
    """Knobs of a smaller world with the same seed and the same kind of failure."""
    knobs: dict[str, int] = dict(failure["knobs"])
    end = time.monotonic() + seconds
    changed = True
    while changed:
        changed = False
        for name, value in list(smaller(knobs)):
            tried = {**knobs, name: value}
            if time.monotonic() > end:
                return knobs
            if value < knobs[name] and fails_alike(program, failure, tried):
                knobs = tried
                changed = True
    return knobs


def describe(program: Path, failure: Record, shrink_seconds: float) -> str:
    """At most 40 lines."""
    command = f"{program} {failure['seed']}"
    lines = [f"seed {failure['seed']}: {failure['finding']}: {failure['text']}"]
    if not failure["knobs"]:
        lines.append(
            f"  one of these worlds: {command} {failure['worlds']} {failure['messages']}"
        )
        return "\n".join(lines)
    lines.append(f"  version: {digest_of(program)} of program and image")
    lines.append(f"  repeat it with: {command} 1 {failure['knobs']['messages']}")
    knobs = shrunk(program, failure, shrink_seconds)
    texts = " ".join(f"{name}={value}" for name, value in knobs.items())
    lines.append(f"  and small: {command} 1 {knobs['messages']} {texts}")
    return "\n".join(lines)


def digest_of(program: Path) -> str:
    """With equal programs and images a seed gives the same world."""
    digest = hashlib.sha256(program.read_bytes())
    image = image_of(program)
    if image is not None:
        digest.update(image.read_bytes())
    return digest.hexdigest()[:16]


def image_of(program: Path) -> Optional[Path]:
    """What the boards of its worlds run, if that is not in the program itself."""
    mode = next(mode for mode in MODES.values() if mode.program == program.name)
    if mode.image is None:
        return None
    return Path(os.environ.get("EMP_IMAGE", program.parent.parent / mode.image))


def show(done: int, worlds: int, sums: Sums, begun: float) -> None:
    passed = time.monotonic() - begun
    rate = sums.counts["frames"] / passed
    left = passed / done * (worlds - done)
    frames = f", {rate:,.0f} frames a second" if sums.counts["frames"] else ""
    print(
        f"\r{done} of {worlds} worlds, {sums.counts['failed']} failed{frames}, "
        f"{left:.0f} s left   ",
        end="\n" if done == worlds else "",
        file=sys.stderr,
        flush=True,
    )


def run(options: argparse.Namespace, features: Optional[Boards]) -> Record:
    """Its record; adds to the features."""
    sums = Sums()
    knobs = ["rows"] if features is not None else []
    pieces = list(parts_of(options))
    worlds = sum(part.worlds for part in pieces)
    begun = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        done = 0
        for future in as_completed(
            pool.submit(run_worlds, program(options), p, *knobs) for p in pieces
        ):
            *records, counts = future.result()
            counts.pop("deeds", None)
            sums.failures += [record for record in records if "finding" in record]
            sums.counts.update(counts)
            for record in records:
                if features is not None and "rows" in record:
                    features.add(record["rows"], record["deeds"])
            done += counts["worlds"]
            if options.progress:
                show(done, worlds, sums, begun)
    record = record_of(options, sums, time.monotonic() - begun)
    return {**record, "features": features.record() if features else None}


def features_of(options: argparse.Namespace) -> Optional[Boards]:
    """What is counted, nothing yet."""
    if options.features is None:
        return None
    from hsmc.verification import features_on_boards

    names = run_worlds(program(options), Part(1, 0, 1), "rows")[-1]["deeds"]
    runs = image_of(program(options)) or program(options)
    return features_on_boards.read(options.features, runs, names)


def command_of(options: argparse.Namespace) -> str:
    """Which repeats it, but for where things are."""
    what = f"--mode {options.mode} --messages {options.messages} --seed {options.seed}"
    return f"scripts/campaign.py {what} --features {options.features.name} --page PAGE"


def program(options: argparse.Namespace) -> Path:
    path: Path = options.build / "tests" / MODES[options.mode].program
    return path


def record_of(options: argparse.Namespace, sums: Sums, seconds: float) -> Record:
    found = Counter(failure["finding"] for failure in sums.failures)
    return {
        "mode": options.mode,
        "messages": sums.counts["messages"],
        "worlds": sums.counts["worlds"],
        "seeds": [options.seed],
        "failed": sums.counts["failed"],
        **{name: found[name] for name in FINDINGS},
        "frames": sums.counts["frames"] or None,
        "frames_per_second": round(sums.counts["frames"] / seconds) or None,
        "seconds": round(seconds, 1),
        "failures": sums.failures,
    }


# ------------------------------------------------------------------------------------- Parts


def campaign_of(options: argparse.Namespace, features: Optional[Boards]) -> Record:
    """What all parts of a campaign have in common."""
    return {
        "mode": options.mode,
        "messages": options.messages,
        "seed": options.seed,
        "program": digest_of(program(options)),
        "features": features.digest if features else None,
    }


def run_part(options: argparse.Namespace, features: Optional[Boards]) -> int:
    campaign = campaign_of(options, features)
    if parts.is_done(options, campaign):
        return 0
    record = run(options, features)
    parts.write(options, campaign, record)
    print(f"part {options.part} of {options.parts}: {record['failed']} worlds failed")
    return 0


def merged(options: argparse.Namespace) -> tuple[Record, Optional[Boards]]:
    """The sums of all parts."""
    records = parts.read(options.merge)
    campaign = records[0]["whole"]
    for name in ("mode", "messages", "seed"):
        setattr(options, name, campaign[name])
    features = features_of(options)
    if campaign.get("features") != (features.digest if features else None):
        raise Failure(
            f"{options.merge}: the parts have counted another list of features, or none: merge them with the same --features"
        )
    if features is not None:
        for record in records:
            features.add_record(record["features"])
    total: Record = {"mode": campaign["mode"], "seeds": [campaign["seed"]]}
    for name in ["messages", "worlds", "failed", "frames", "seconds", *FINDINGS]:
        total[name] = sum(record[name] or 0 for record in records)
    total["seconds"] = round(total["seconds"], 1)
    total["frames_per_second"] = round(total["frames"] / total["seconds"]) or None
    total["failures"] = [f for record in records for f in record["failures"]]
    total["features"] = features.record() if features else None
    return total, features


def conclude(
    options: argparse.Namespace, record: Record, features: Optional[Boards]
) -> int:
    path = options.output or options.build / "campaign.json"
    write_all({path: json.dumps(record, indent=1) + "\n"})
    if features is not None:
        print("\n".join(features.report()))
        if options.page is not None:
            write_all({options.page: features.page(command_of(options))})
    for failure in record["failures"][:3]:
        print(describe(program(options), failure, options.shrink_seconds))
    frames = f"{record['frames']} frames, " if record["frames"] else ""
    print(
        f"{record['worlds']} worlds, {record['messages']} messages, {frames}"
        f"{record['failed']} worlds failed; {record['seconds']:.0f} s"
    )
    return 1 if record["failed"] else 0


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--mode", choices=("boards", "fast"), default="boards")
    parser.add_argument("--messages", type=int, default=16_000, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, metavar="COUNT")
    parser.add_argument("--build", type=Path, default=Path("build"), metavar="DIR")
    parser.add_argument("--shrink-seconds", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--output", type=Path, metavar="FILE", help="campaign.json")
    parser.add_argument(
        "--features",
        type=Path,
        metavar="LIST",
        help="of the protocol: PROTOCOL_features.toml; count which of them meet",
    )
    parser.add_argument("--page", type=Path, help="which of them have met, as Markdown")
    parser.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=sys.stderr.isatty()
    )
    parts.add_options(parser, "campaign")
    options = parser.parse_args(arguments)
    if options.messages < 1 or options.seed < 1:
        parser.error("messages and seed are counted from 1")
    if options.page is not None and options.features is None:
        parser.error("--page needs --features LIST")
    try:
        return act(options)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return failure.status


def act(options: argparse.Namespace) -> int:
    parts.check_options(options)
    if options.merge is not None:
        return conclude(options, *merged(options))
    features = features_of(options)
    if options.into is not None:
        return run_part(options, features)
    return conclude(options, run(options, features), features)


if __name__ == "__main__":
    sys.exit(main())
