#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws what `emp perf --csv` has printed: plot_perf.py FILE.csv OUTPUT.svg (or .png, .pdf)."""

import csv
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    latency: list[tuple[int, float]] = []
    bandwidth: dict[str, list[tuple[int, float]]] = defaultdict(list)
    with open(sys.argv[1], newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            size = int(row["bytes"])
            if row["test"] == "latency":
                latency.append((size, float(row["latency_us"])))
            elif row["test"] in ("stream", "both"):
                bandwidth[row["test"]].append((size, float(row["mbit_per_s"])))
    if not latency and not bandwidth:
        print(f"plot_perf: {sys.argv[1]} has no measurements", file=sys.stderr)
        return 1
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.plot(*zip(*latency), "o-") if latency else None
    left.set(xlabel="bytes", ylabel="us one way", title="Latency", xscale="log")
    left.set_yscale("log")
    for name, points in bandwidth.items():
        right.plot(*zip(*points), "o-", label=name)
    right.set(xlabel="bytes", ylabel="Mb/s", title="Bandwidth", xscale="log")
    if bandwidth:
        right.legend()
    figure.savefig(
        sys.argv[2], metadata={"Date": None} if sys.argv[2].endswith("svg") else None
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
