#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make bench-emp` prints: what programs over EMP get from the simulated boards, for both profiles, and for images on
both processors.

Times are simulated, so results are the same everywhere. build/bench.json has a record for each figure, build/bench the
curves as SVG and PNG, with the published figures as marks.

Method: latency is half a ping-pong, where in `modern` the receive for an answer is held until the send has gone
(libemp_hold_receives); bandwidth one way is a stream of two outstanding sends with a returned message, both
ways the worst of eight phases; the message rate is that of the one-way stream, whose receives are posted again meanwhile,
with two, four and sixteen sends outstanding.
Host times and throughput are those of the papers' loop of receives, sends, work and waits, in batches of five. Goodput
under loss is a file of 2 MB, mean of three seeds. Incast is 15 senders to one receiver through a switch. Late is the time
from the post of a receive until its message is there, when the receive comes 10 to 20 ms after the message; the mean of 100.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from os import cpu_count
from pathlib import Path
from typing import Any, Callable, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts import published  # noqa: E402
from scripts.bench_best import print_best  # noqa: E402
from scripts.bench_others import draw_others, print_others  # noqa: E402
from scripts.bench_plots import draw  # noqa: E402
from scripts.bench_records import PLOTS, RESULT, Record, write  # noqa: E402

BUILDS = {"paper": Path("build"), "modern": Path("build/modern")}
PLACEMENTS = ("base", "DSR", "SO", "RO", "SR", "dynamic")

LATENCY_SIZES = (0, 4, 64, 256, 512, 1024, 1478, 1500, 2048, 4096, 8192, 16384, 65536)
BANDWIDTH_SIZES = (4, 64, 256, 1024, 1478, 1500, 2048, 4096, 16384, 65536, 1 << 20)
# How many sends of small messages are outstanding. The stream of `bandwidth` has two.
STREAM_POSTED = 2
MORE_POSTED = (4, 16)
MORE_POSTED_SIZES = (4, 64, 1024)
BOTH_WAYS_SIZES = (4, 1024, 4096, 65536, 1 << 20)
LOSS_SIZES = (4096, 65536)
LOSSES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.3)
INCAST_SIZES = (4, 4096, 65536)
INCAST_SENDERS = 15
PHASES = 8
# A collection of three full frames takes so long on the wire: phases divide it.
COLLECTION_NS = 36912
CALLS_BYTES = 10240  # Table 2 of paper 000
WORKS_NS = (0, 100_000, 300_000, 500_000, 700_000, 1_000_000, 2_000_000, 5_000_000)
FILE_BYTES = 2_000_000
SEEDS = (1, 2, 3)


def demo(build: Path, command: str, *options: str) -> Any:
    """What emp_demo writes as JSON."""
    program = [str(build / "host/emp_demo"), command, "--quiet", "--json=-"]
    image = f"--image={build / 'firmware/emp_a.elf'}"
    done = subprocess.run(
        [*program, image, *options], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


Job = Callable[[], list[Record]]


class Bench:
    """Collects the records of one profile and placement. Each method measures one metric."""

    def __init__(self, profile: str, build: Path, placement: str = "base") -> None:
        self.profile = profile
        self.build = build if placement == "base" else build / placement
        self.placement = placement

    def record(
        self,
        metric: str,
        size: int,
        value: float,
        unit: str,
        loss: float = 0.0,
        limit: Optional[float] = None,
        paper: Optional[float] = None,
        detail: str = "",
    ) -> Record:
        value = round(value, 3)
        return Record(
            self.profile,
            self.placement,
            metric,
            size,
            loss,
            value,
            unit,
            limit,
            paper,
            detail,
        )

    def latency(self, size: int) -> list[Record]:
        options = [f"--size={size}", "--iterations=200", "--messages=1"]
        if self.profile != "paper":
            options.append("--hold-receives")
        (found,) = demo(self.build, "sweep", *options)
        paper = found["paper_latency_us"]
        return [self.record("latency", size, found["latency_us"], "us", paper=paper)]

    def bandwidth(self, size: int) -> list[Record]:
        (found,) = demo(self.build, "sweep", f"--size={size}", "--iterations=1")
        mbps = found["bandwidth_mbps"]
        records = [
            self.record(
                "bandwidth",
                size,
                mbps,
                "Mb/s",
                limit=found["limit_mbps"],
                paper=found["paper_bandwidth_mbps"],
            )
        ]
        if size <= 1478:
            records.append(self.rate("message_rate", size, mbps, STREAM_POSTED))
        return records

    def rate(self, metric: str, size: int, mbps: float, posted: int) -> Record:
        value = mbps * 1e6 / 8 / size
        return self.record(metric, size, value, "1/s", detail=f"{posted} posted")

    def more_posted(self, size: int, posted: int) -> list[Record]:
        options = (f"--size={size}", "--iterations=1", f"--outstanding={posted}")
        (found,) = demo(self.build, "sweep", *options)
        metric = f"message_rate_{posted}_posted"
        return [self.rate(metric, size, found["bandwidth_mbps"], posted)]

    def both_ways(self, size: int) -> list[Record]:
        options = (f"--size={size}", "--iterations=1", "--both-ways")
        found = []
        limit = 0.0
        for phase in range(PHASES):
            lag = COLLECTION_NS * phase // PHASES
            (result,) = demo(self.build, "sweep", *options, f"--lag={lag}")
            found.append(result["both_ways_mbps"])
            limit = 2 * result["limit_mbps"]
        return [
            self.record(
                "both_ways",
                size,
                min(found),
                "Mb/s",
                limit=limit,
                paper=940.0 if size == 1 << 20 else None,
                detail=f"worst of {PHASES} phases; best {max(found)}",
            )
        ]

    def calls(self, work_ns: int) -> list[Record]:
        options = (f"--size={CALLS_BYTES}", f"--work={work_ns}")
        (found,) = demo(self.build, "calls", *options)
        share = round(work_ns / found["iteration_ns"], 3)
        records = [
            self.record(
                "throughput_under_work",
                CALLS_BYTES,
                found["throughput_mbps"],
                "Mb/s",
                detail=f"{work_ns // 1000} us of work, {share} of the host's time",
            )
        ]
        # With so much work that all messages have come, a wait is only a look.
        if work_ns == WORKS_NS[-1]:
            for name, paper in (("send", 53.0), ("receive", 9.0), ("wait", 3.0)):
                value = found[f"{name}_ns"] / 1000
                records.append(
                    self.record(
                        f"host_time_{name}", CALLS_BYTES, value, "us", paper=paper
                    )
                )
        return records

    def goodput(self, size: int, loss: float) -> list[Record]:
        found = [transfer(self.build, size, loss, seed) for seed in SEEDS]
        value = sum(result["mbps"] for result in found) / len(found)
        limit = found[0]["limit_mbps"]
        return [
            self.record("goodput", size, value, "Mb/s", loss=loss, limit=limit),
        ]

    def late(self, size: int) -> list[Record]:
        (found,) = demo(self.build, "late", f"--size={size}")
        detail = f"at most {found['most_us']}; {found['repeated_frames']} frames repeated meanwhile"
        return [self.record("late", size, found["mean_us"], "us", detail=detail)]

    def incast(self, size: int) -> list[Record]:
        options = (f"--size={size}", f"--senders={INCAST_SENDERS}")
        (found,) = demo(self.build, "incast", *options)
        dropped = f"{INCAST_SENDERS} senders; {found['frames_dropped']} frames dropped"
        limit = found["limit_mbps"]
        return [
            self.record(
                "incast",
                size,
                found["goodput_mbps"],
                "Mb/s",
                limit=limit,
                detail=dropped,
            ),
            self.record(
                "incast_least_share",
                size,
                found["least_share"],
                "of the mean",
                limit=1.0,
                detail=dropped,
            ),
        ]

    def jobs(self) -> list[Job]:
        jobs: list[Job] = [partial(self.latency, size) for size in LATENCY_SIZES]
        jobs += [partial(self.bandwidth, size) for size in BANDWIDTH_SIZES]
        for posted in MORE_POSTED:
            jobs += [
                partial(self.more_posted, size, posted) for size in MORE_POSTED_SIZES
            ]
        jobs += [partial(self.both_ways, size) for size in BOTH_WAYS_SIZES]
        if self.placement != "base":
            return jobs
        jobs += [partial(self.calls, work_ns) for work_ns in WORKS_NS]
        for size in LOSS_SIZES:
            jobs += [partial(self.goodput, size, loss) for loss in LOSSES]
        jobs += [partial(self.incast, size) for size in INCAST_SIZES]
        jobs += [partial(self.late, size) for size in LOSS_SIZES]
        return jobs


def file_content() -> bytes:
    """The same everywhere, and without a pattern."""
    blocks = (FILE_BYTES + 31) // 32
    data = b"".join(sha256(str(i).encode()).digest() for i in range(blocks))
    return data[:FILE_BYTES]


def transfer(build: Path, size: int, loss: float, seed: int) -> Any:
    """Of a file, which must arrive as it was sent."""
    with tempfile.TemporaryDirectory() as name:
        sent = Path(name) / "sent"
        sent.write_bytes(file_content())
        options = [f"--file={sent}", f"--output={sent}.received", f"--seed={seed}"]
        options += [f"--message-bytes={size}", f"--loss={loss}"]
        result = demo(build, "transfer", *options)
    if not result["sha256_equal"]:
        raise SystemExit(
            f"the file changed on its way: {build} {size} {loss} seed {seed}"
        )
    return result


def steps() -> list[Record]:
    """The most cycles that our functions for the papers' steps execute, beside what the papers' functions take."""
    entry = published.sweep((1 << 20,))[1 << 20]
    return [
        Record(
            profile="paper",
            placement="base",
            metric="step_cycles",
            bytes=1 << 20,
            loss=0.0,
            value=line["own_most"],
            unit="cycles",
            limit=None,
            paper=line["cycles"],
            detail=line["step"],
        )
        for line in entry["charges"]
    ]


def print_metric(records: list[Record], metric: str, title: str) -> None:
    """One line for each size, loss and detail, one column for each profile and placement."""
    chosen = [record for record in records if record.metric == metric]
    if not chosen:
        return
    print(f"\n{title}, {chosen[0].unit}")
    columns = list(dict.fromkeys(column_of(record) for record in chosen))
    heads = "".join(f"{column:>15}" for column in columns)
    print(f"{'':>30}{heads}{'limit':>10}{'published':>10}")
    keys = list(dict.fromkeys((r.bytes, r.loss, row_of(r)) for r in chosen))
    for key in keys:
        rows = [r for r in chosen if (r.bytes, r.loss, row_of(r)) == key]
        values = {column_of(row): f"{row.value:.2f}" for row in rows}
        shown = "".join(f"{values.get(column, ''):>15}" for column in columns)
        label = f"{key[0]} bytes" + (f", loss {100 * key[1]:g} %" if key[1] else "")
        print(
            f"{key[2] or label:>30}{shown}{show(rows[0].limit):>10}{show(rows[0].paper):>10}".rstrip()
        )


def column_of(record: Record) -> str:
    """The profile, and the placement if it is not on one processor."""
    return (
        record.profile
        if record.placement == "base"
        else f"{record.profile} {record.placement}"
    )


def row_of(record: Record) -> str:
    """What tells records of one size apart. Details of other metrics belong to a single figure."""
    if record.metric in ("step_cycles", "throughput_under_work"):
        return record.detail.split(",")[0]
    return ""


def show(value: Optional[float]) -> str:
    return "" if value is None else f"{value:g}" if value < 100 else f"{value:.1f}"


TITLES = {
    "latency": "Latency",
    "bandwidth": "Bandwidth one way",
    "both_ways": f"Bandwidth both ways together, worst of {PHASES} phases",
    "message_rate": "Messages one way, receives posted again, 2 sends posted",
    **{
        f"message_rate_{posted}_posted": f"The same, {posted} sends posted"
        for posted in MORE_POSTED
    },
    "host_time_send": "Host time of a call that posts a send",
    "host_time_receive": "Host time of a call that posts a receive",
    "host_time_wait": "Host time of a wait for a message that has come",
    "throughput_under_work": "Throughput both ways, by the host's time for other work",
    "goodput": "Goodput over a wire that loses frames",
    "incast": f"Incast of {INCAST_SENDERS} senders: goodput of the receiver",
    "incast_least_share": "Incast: share of the sender that got least",
    "step_cycles": "Steps of the papers: most cycles our functions execute",
}


def measure(profiles: list[str]) -> list[Record]:
    """All records, in the same order whatever ran first."""
    jobs: list[Job] = []
    for placement in PLACEMENTS:
        for profile in profiles:
            jobs += Bench(profile, BUILDS[profile], placement).jobs()
    if "paper" in profiles:
        jobs.append(steps)
    with ThreadPoolExecutor(cpu_count()) as pool:
        parts = pool.map(lambda job: job(), jobs)
        return [record for part in parts for record in part]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--profile", action="append", choices=list(BUILDS), help="one only (both)"
    )
    arguments = parser.parse_args()
    records = measure(arguments.profile or list(BUILDS))
    for metric, title in TITLES.items():
        print_metric(records, metric, title)
    print_best(records)
    print_others(records)
    write(records)
    print(f"\n{RESULT} has all records; curves:")
    paths = draw([asdict(record) for record in records], PLOTS)
    for path in paths + draw_others(records, PLOTS):
        print(f"  {path}")


if __name__ == "__main__":
    main()
