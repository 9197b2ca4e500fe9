#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make bench-switches` prints: what each mechanism of EMP's profile modern gains, and what it costs.

Each row is an image of the profile with one constant of the spec changed, so that one mechanism is off. The methods are
those of `make bench-emp`. Times are simulated, so results are the same everywhere. build/bench_switches.json has a record
for each figure; its profile names the constant.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from os import cpu_count
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.bench_emp import BUILDS, Bench, Record  # noqa: E402

RESULT = Path("build/bench_switches.json")
VARIANTS = Path("build/switches")


@dataclass(frozen=True)
class Switch:
    """A mechanism, and the constant of the spec that turns it off."""

    mechanism: str
    setting: str

    @property
    def build(self) -> Path:
        return VARIANTS / self.setting.replace("=", "_")


SWITCHES = (
    Switch("reports of missing frames", "reports_gaps=0"),
    Switch("probes of what was overtaken", "probes_overtaken=0"),
    Switch("back-off", "back_off_limit=0"),
    Switch("short first time-out", "retransmit_timeout=1000"),
    Switch("measured round trips and window", "follows_round_trips=0"),
    Switch("window narrowed by long round trips", "queueing_limit=0xFFFFFFFF"),
    Switch("slots before received frames", "slot_first=0"),
    Switch("postings among received frames", "posts_among_frames=0"),
    Switch("short ways of messages of one frame", "short_messages=0"),
    Switch("short ways of device operations", "quick_devices=0"),
    Switch("bytes in descriptors", "inline_limit=0"),
    Switch("larger collections", "enlarges_after=0"),
    Switch("calls for refused messages", "calls_refused=0"),
    Switch("messages that pass a late one", "passes_late=0"),
)

# A column of the table: its title, the metric of the record it shows, and what measures it.
COLUMNS: tuple[tuple[str, str, Callable[[Bench], list[Record]]], ...] = (
    ("4 B us", "latency", lambda bench: bench.latency(4)),
    ("4 B 1/s", "message_rate", lambda bench: bench.bandwidth(4)),
    ("4 kB 1 %", "goodput", lambda bench: bench.goodput(4096, 0.01)),
    ("4 kB 10 %", "goodput", lambda bench: bench.goodput(4096, 0.1)),
    ("4 kB 30 %", "goodput", lambda bench: bench.goodput(4096, 0.3)),
    ("64 kB 1 %", "goodput", lambda bench: bench.goodput(65536, 0.01)),
    ("64 kB 10 %", "goodput", lambda bench: bench.goodput(65536, 0.1)),
    ("64 kB 30 %", "goodput", lambda bench: bench.goodput(65536, 0.3)),
    ("64 kB both ways", "both_ways", lambda bench: bench.both_ways(65536)),
    ("incast 1400 B", "incast", lambda bench: bench.incast(1400)),
    ("incast 4 kB", "incast", lambda bench: bench.incast(4096)),
    ("incast 64 kB", "incast", lambda bench: bench.incast(65536)),
)


def build(switch: Switch) -> None:
    """The image and the host's program, for the profile without this mechanism."""
    targets = (switch.build / "host/emp_demo", switch.build / "firmware/emp_a.elf")
    options = f"OPTIONS_emp=--profile modern --set {switch.setting}"
    variables = ("PROFILE=modern", f"BUILD={switch.build}", options)
    command = ["make", "--no-print-directory", "-s", *variables, *map(str, targets)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def figure(
    bench: Bench, metric: str, measure: Callable[[Bench], list[Record]]
) -> Record:
    return next(record for record in measure(bench) if record.metric == metric)


def main() -> None:
    benches = [
        (f"`{profile}`", Bench(profile, path)) for profile, path in BUILDS.items()
    ]
    for switch in SWITCHES:
        build(switch)
        bench = Bench(f"modern {switch.setting}", switch.build)
        benches.append((f"without {switch.mechanism}", bench))
    with ThreadPoolExecutor(cpu_count()) as pool:
        rows = [
            (
                name,
                [
                    pool.submit(partial(figure, bench, metric, measure))
                    for _, metric, measure in COLUMNS
                ],
            )
            for name, bench in benches
        ]
        records = [(name, [cell.result() for cell in cells]) for name, cells in rows]
    print("| profile | " + " | ".join(title for title, _, _ in COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name, found in records:
        values = (
            f"{r.value:.0f}" if r.value >= 1000 else f"{r.value:.1f}" for r in found
        )
        print(f"| {name} | " + " | ".join(values) + " |")
    flat = [asdict(record) for _, found in records for record in found]
    RESULT.write_text(json.dumps(flat, indent=1) + "\n", encoding="utf-8")
    print(f"\nGoodput and incast in Mb/s. {RESULT} has all records.")


if __name__ == "__main__":
    main()
