# SPDX-License-Identifier: MIT
"""The curves of `make bench-emp`, as SVG and PNG: a figure for each metric that has one, a curve for each profile."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from scripts.bench_others import mark_bandwidth
from scripts.figure_files import save

MARKERS = {"paper": "o", "modern": "s"}


@dataclass
class Curve:
    """What a figure shows: a metric, and which key of its records stands on the abscissa."""

    metric: str
    title: str
    abscissa: str
    label: str
    logarithmic: bool = True


CURVES = (
    Curve("latency", "Latency", "bytes", "message, bytes"),
    Curve("message", "Message, from post to sight", "bytes", "message, bytes"),
    Curve("bandwidth", "Bandwidth one way", "bytes", "message, bytes"),
    Curve("both_ways", "Bandwidth both ways", "bytes", "message, bytes"),
    Curve("message_rate", "Messages one way", "bytes", "message, bytes"),
    Curve("goodput", "Goodput under loss", "loss", "frames lost", False),
    Curve("incast", "Incast", "bytes", "message, bytes"),
    Curve(
        "throughput_under_work",
        "Throughput while the host works",
        "work",
        "host's time for other work",
        False,
    ),
)


def abscissa(record: dict[str, Any], curve: Curve) -> float:
    if curve.abscissa == "work":
        return float(record["detail"].split(", ")[1].split()[0])
    return float(record[curve.abscissa])


def build_of(record: dict[str, Any]) -> tuple[str, str]:
    return record["profile"], record["placement"]


def draw_curve(records: list[dict[str, Any]], curve: Curve) -> Figure:
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    # Sizes apart only where the abscissa is something else.
    sizes = (
        sorted({r["bytes"] for r in records}) if curve.abscissa == "loss" else [None]
    )
    for profile, placement in dict.fromkeys(map(build_of, records)):
        for size in sizes:
            chosen = [
                r
                for r in records
                if build_of(r) == (profile, placement) and size in (None, r["bytes"])
            ]
            points = sorted((abscissa(r, curve), r["value"]) for r in chosen)
            build = profile if placement == "base" else f"{profile} {placement}"
            name = f"{build}, {size} bytes" if size else build
            axes.plot(*zip(*points), marker=MARKERS.get(profile, "x"), label=name)
    if curve.abscissa == "bytes":
        limits = sorted({(r["bytes"], r["limit"]) for r in records if r["limit"]})
        if limits:
            axes.plot(
                *zip(*limits), linestyle=":", color="grey", label="the wire allows"
            )
        papers = sorted({(r["bytes"], r["paper"]) for r in records if r["paper"]})
        if papers:
            style = {"linestyle": "", "marker": "*", "markersize": 12, "color": "black"}
            axes.plot(*zip(*papers), label="published", **style)
    if curve.metric == "bandwidth":
        mark_bandwidth(axes)
    if curve.logarithmic:
        axes.set_xscale("symlog", base=2, linthresh=4)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(curve.label)
    axes.set_ylabel(records[0]["unit"])
    axes.set_title(f"{curve.title}: EMP on simulated boards")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def draw(records: list[dict[str, Any]], directory: Path) -> list[Path]:
    """Writes the figures and returns their paths."""
    written = []
    for curve in CURVES:
        chosen = [r for r in records if r["metric"] == curve.metric]
        if not chosen:
            continue
        figure = draw_curve(chosen, curve)
        written += save(figure, directory, curve.metric)
    return written
