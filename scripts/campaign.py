#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make campaign` and `make campaign-fast` run: simulated worlds under random faults, every byte of every message compared.

Mode `boards` simulates boards instruction by instruction (tests/end_to_end/campaign.c). Mode `fast` runs the same
generated C on the native port, event by event, and an oracle reads what hosts asked for and got
(tests/native_worlds). A world follows from its seed alone, so the same worlds run everywhere. A world of mode `fast`
that fails is shrunk to a small one that fails alike. build/campaign.json has the sums.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

SEED_SPAN = 1_000_000_000  # worlds of one campaign's seed
FAST_MESSAGES = 10_000  # of a world
BOARDS_MESSAGES = 80
FINDINGS = "lost duplicated corrupted misordered stuck leaked stopped strayed".split()
FAULTS = "loss burst_enter duplicate corrupt delay cancel_chance short_chance".split()
FAULTS += "restarts late_devices incast through_switch".split()
# What a shrunk world may have instead, best first.
SMALLER = {
    "nodes": [2, 3, 4, 8],
    "longest": [0, 4, 64, 1478, 2964, 5000],
    "tags": [1, 2],
    "sends_ahead": [1, 2, 4, 8],
    "receives_ahead": [2, 4],
    "collection_size": [3],
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


def fast(build: Path, part: Part, *knobs: str) -> list[Record]:
    """The failures, and the sums behind them."""
    command = [str(build / "tests/campaign_fast"), str(part.first), str(part.worlds)]
    result = subprocess.run(
        [*command, str(part.messages), *knobs],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode not in (0, 1):
        # A check of the generated code, or the port's: of which world the process does not say.
        text = result.stderr.strip().split("\n")[-1]
        record = {"seed": part.first, "finding": "stopped", "text": text}
        record |= {"knobs": {}, "worlds": part.worlds}
        return [record, {"failed": 1, "worlds": part.worlds}]
    return [json.loads(line) for line in result.stdout.splitlines()]


def boards(build: Path, part: Part) -> list[Record]:
    command = [str(build / "tests/campaign"), str(part.worlds), str(part.first)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    sums = re.search(
        r"(\d+) worlds, (\d+) messages, (\d+) worlds failed", result.stdout
    )
    if sums is None:
        raise SystemExit(f"{' '.join(command)}: {result.stdout}{result.stderr}")
    worlds, messages, failed = map(int, sums.groups())
    records: list[Record] = [
        {"seed": int(seed), "finding": "corrupted", "text": text, "knobs": {}}
        for seed, text in re.findall(r"seed (\d+): (.*)", result.stdout)
    ]
    return [*records, {"worlds": worlds, "messages": messages, "failed": failed}]


def parts_of(options: argparse.Namespace) -> Iterator[Part]:
    """Small enough that progress is seen, large enough that starting a process costs nothing."""
    if options.mode == "boards":
        each, at_once = BOARDS_MESSAGES, 10
    else:
        each, at_once = min(FAST_MESSAGES, options.messages), 50
    worlds = -(-options.messages // each)
    first = 1 + (options.seed - 1) * SEED_SPAN
    for begin in range(0, worlds, at_once):
        yield Part(first + begin, min(at_once, worlds - begin), each)


def fails_alike(build: Path, failure: Record, knobs: dict[str, int]) -> bool:
    texts = [f"{name}={value}" for name, value in knobs.items()]
    found = fast(build, Part(failure["seed"], 1, knobs["messages"]), *texts)
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


def shrunk(build: Path, failure: Record, seconds: float) -> dict[str, int]:
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
            if value < knobs[name] and fails_alike(build, failure, tried):
                knobs = tried
                changed = True
    return knobs


def describe(build: Path, mode: str, failure: Record, shrink_seconds: float) -> str:
    """At most 40 lines."""
    if mode == "boards":
        repeat = f"{build}/tests/campaign 1 {failure['seed']}"
        return f"seed {failure['seed']}: {failure['text']}\n  repeat it with: {repeat}"
    lines = [f"{failure['finding']}: {failure['text']}"]
    command = f"{build}/tests/campaign_fast {failure['seed']}"
    if not failure["knobs"]:
        lines.append(
            f"  one of these worlds: {command} {failure['worlds']} {FAST_MESSAGES}"
        )
        return "\n".join(lines)
    lines.append(f"  repeat it with: {command} 1 {failure['knobs']['messages']}")
    knobs = shrunk(build, failure, shrink_seconds)
    texts = " ".join(f"{name}={value}" for name, value in knobs.items())
    lines.append(f"  and small: {command} 1 {knobs['messages']} {texts}")
    return "\n".join(lines)


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


def run(options: argparse.Namespace) -> tuple[Sums, float]:
    sums = Sums()
    parts = list(parts_of(options))
    worlds = sum(part.worlds for part in parts)
    begun = time.monotonic()
    run_part: Callable[[Path, Part], list[Record]] = fast
    if options.mode == "boards":
        run_part = boards
    with ThreadPoolExecutor(options.jobs) as pool:
        done = 0
        for future in as_completed(
            pool.submit(run_part, options.build, p) for p in parts
        ):
            *failures, counts = future.result()
            sums.failures += failures
            sums.counts.update(counts)
            done += counts["worlds"]
            if options.progress:
                show(done, worlds, sums, begun)
    return sums, time.monotonic() - begun


def write_report(options: argparse.Namespace, sums: Sums, seconds: float) -> None:
    found = Counter(failure["finding"] for failure in sums.failures)
    record: Record = {
        "mode": options.mode,
        "messages": sums.counts["messages"],
        "worlds": sums.counts["worlds"],
        "seeds": [options.seed],
        **{name: found[name] for name in FINDINGS},
        "frames": sums.counts["frames"] or None,
        "frames_per_second": round(sums.counts["frames"] / seconds) or None,
        "seconds": round(seconds, 1),
        "failures": sums.failures,
    }
    path = options.output or options.build / "campaign.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


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
        "--progress", action=argparse.BooleanOptionalAction, default=sys.stderr.isatty()
    )
    options = parser.parse_args(arguments)
    if options.messages < 1 or options.seed < 1:
        parser.error("messages and seed are counted from 1")
    sums, seconds = run(options)
    write_report(options, sums, seconds)
    for failure in sums.failures[:3]:
        print(describe(options.build, options.mode, failure, options.shrink_seconds))
    counts = sums.counts
    frames = f"{counts['frames']} frames, " if counts["frames"] else ""
    print(
        f"{counts['worlds']} worlds, {counts['messages']} messages, {frames}"
        f"{counts['failed']} worlds failed; {seconds:.0f} s"
    )
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
