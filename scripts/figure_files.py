# SPDX-License-Identifier: MIT
"""Figures of matplotlib as files: SVG and PNG, the same bytes for the same figure."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
# No random ids in SVG.
matplotlib.rcParams["svg.hashsalt"] = "bench"

from matplotlib.figure import Figure  # noqa: E402


def save(figure: Figure, directory: Path, name: str) -> list[Path]:
    """Writes the figure in each format, without a date, and returns the paths."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for suffix, metadata in (("svg", {"Date": None}), ("png", {})):
        path = directory / f"{name}.{suffix}"
        figure.savefig(path, metadata=metadata, dpi=120)
        written.append(path)
    return written
