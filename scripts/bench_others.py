# SPDX-License-Identifier: MIT
"""EMP on the simulated boards beside the systems that paper 000 compares it with: TCP on the same board with Alteon's
firmware, and GM on Myrinet. Their figures are the published ones; none of them is measured here.

The paper says of the curves of Figure 5 only what is quoted here, and has numbers for host times (Table 2).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scripts.bench_records import Record
from scripts.figure_files import save

SYSTEMS = ("EMP", "GM", "TCP")
BYTES = 10240  # of Table 2


@dataclass(frozen=True)
class Published:
    """What paper 000 says of a system: a figure, or a bound of it."""

    value: float
    bound: str = ""  # "at most", "near", "at least"

    def __str__(self) -> str:
        return f"{self.bound} {self.value:g}".strip()


@dataclass(frozen=True)
class Comparison:
    """A figure of ours, and what is published of it. `source` numbers it in docs/reference/papers.md."""

    title: str
    unit: str
    source: str
    ours: Callable[[list[Record]], Optional[float]]
    published: dict[str, Published]


def value(metric: str, size: int) -> Callable[[list[Record]], Optional[float]]:
    def find(records: list[Record]) -> Optional[float]:
        found = [r.value for r in records if (r.metric, r.bytes) == (metric, size)]
        return found[0] if found else None

    return find


def best(metric: str) -> Callable[[list[Record]], Optional[float]]:
    """Of all sizes."""

    def find(records: list[Record]) -> Optional[float]:
        return max((r.value for r in records if r.metric == metric), default=None)

    return find


CALLS = ("send", "receive", "wait")


def all_calls(records: list[Record]) -> Optional[float]:
    found = [value(f"host_time_{call}", BYTES)(records) for call in CALLS]
    known = [time for time in found if time is not None]
    return sum(known) if len(known) == len(CALLS) else None


def exact(emp: float, gm: float, tcp: float) -> dict[str, Published]:
    return dict(zip(SYSTEMS, map(Published, (emp, gm, tcp))))


HOST_TIMES = (
    Comparison(
        "post a send",
        "us",
        "EQ30",
        value("host_time_send", BYTES),
        exact(53, 66, 137),
    ),
    Comparison(
        "post a receive",
        "us",
        "EQ31",
        value("host_time_receive", BYTES),
        exact(9, 1, 4),
    ),
    Comparison(
        "wait",
        "us",
        "EQ32",
        value("host_time_wait", BYTES),
        exact(3, 123, 126),
    ),
    # TCP's parts sum to 267; the paper's sum is kept.
    Comparison("all three", "us", "EQ33", all_calls, exact(65, 190, 266)),
)
NETWORK = (
    Comparison(
        "one way, best size",
        "Mb/s",
        "EQ3, EQ26, EQ27",
        best("bandwidth"),
        {
            "EMP": Published(880),
            "GM": Published(1200, "near"),
            "TCP": Published(600, "at most"),
        },
    ),
    # Of TCP's latency only that it is "much higher".
    Comparison(
        "latency 4 bytes",
        "us",
        "EQ1, EQ25",
        value("latency", 4),
        {"EMP": Published(23), "GM": Published(13, "at least")},
    ),
)

NOTES = """\
  Published: calls of MPI, on two 933 MHz Pentium III with Linux 2.4.2. Ours: calls of libemp, with memory registered
  before; they cost what libemp_costs(3) charges for such a host, and the bus adds its time. GM runs on Myrinet, a wire of
  1200 Mb/s. "at least": GM is up to 10 us faster. Of TCP's latency the paper says only that it is much higher."""


def profiles_of(records: list[Record]) -> dict[str, list[Record]]:
    """Of the images on one processor, as the papers' first firmware is."""
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.placement == "base":
            found.setdefault(record.profile, []).append(record)
    return found


def print_others(records: list[Record]) -> None:
    profiles = profiles_of(records)
    print("\nEMP beside GM on Myrinet and TCP on the same board (paper 000)")
    heads = "".join(f"{name:>10}" for name in profiles)
    heads += "".join(f"{'publ. ' + system:>15}" for system in SYSTEMS)
    print(f"{'':>34}{heads}")
    for comparison in (*HOST_TIMES, *NETWORK):
        ours = (comparison.ours(mine) for mine in profiles.values())
        shown = "".join(f"{'' if v is None else f'{v:.2f}':>10}" for v in ours)
        published = comparison.published
        shown += "".join(f"{str(published.get(system, '')):>15}" for system in SYSTEMS)
        if comparison in HOST_TIMES:
            title = f"host, 10 kB: {comparison.title}"
        else:
            title = comparison.title
        print(f"{title + ', ' + comparison.unit:>34}{shown}  {comparison.source}")
    print(NOTES)


def host_times(records: list[Record]) -> Optional[Figure]:
    """Bars for each call and system, or nothing where host times were not measured."""
    bars: dict[str, list[float]] = {}
    for profile, mine in profiles_of(records).items():
        found = [comparison.ours(mine) for comparison in HOST_TIMES]
        known = [time for time in found if time is not None]
        if len(known) == len(found):
            bars[f"EMP {profile}, simulated"] = known
    if not bars:
        return None
    for system in SYSTEMS:
        bars[f"{system}, published"] = [
            comparison.published[system].value for comparison in HOST_TIMES
        ]
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(bars)
    for place, (name, times) in enumerate(bars.items()):
        at = [call + width * place for call in range(len(times))]
        marks = axes.bar(at, times, width, label=name)
        axes.bar_label(marks, fmt="%.3g", fontsize=7)
    middle = width * (len(bars) - 1) / 2
    axes.set_xticks([call + middle for call in range(len(HOST_TIMES))])
    axes.set_xticklabels([comparison.title for comparison in HOST_TIMES])
    axes.set_ylabel("us")
    axes.set_title("Host time of a call, messages of 10 kB in batches of five")
    axes.legend()
    return figure


def mark_bandwidth(axes: Axes) -> None:
    """The published bandwidths of the other systems, which name no size, as lines across."""
    for style, system in (("--", "GM"), ("-.", "TCP")):
        published = NETWORK[0].published[system]
        axes.axhline(
            published.value,
            linestyle=style,
            color="black",
            linewidth=0.8,
            label=f"{system}, published: {published}",
        )


def draw_others(records: list[Record], directory: Path) -> list[Path]:
    """Writes the figure of host times and returns its paths."""
    figure = host_times(records)
    return [] if figure is None else save(figure, directory, "host_time")
