# SPDX-License-Identifier: MIT
"""Final states a record is left behind in: one error for one cause."""

from __future__ import annotations

from typing import Optional

from .. import ir
from ..frontend.places import Places

PLACES_SHOWN = 3  # of those that have the same cause

# Of the rows into a final state: where each names it, and where it leaks ("": on every path, " on some path", None: nowhere).
Arrivals = dict[ir.Place, Optional[str]]


def report_leaks(
    places: Places, process: ir.Process, final: ir.Leaf, arrivals: Arrivals
) -> None:
    """Where all rows into a final state leak, its entry is the one cause."""
    leaks = {place: some for place, some in arrivals.items() if some is not None}
    if len(leaks) > 1 and len(leaks) == len(arrivals):
        some = " on some path" if all(leaks.values()) else ""
        places.error(
            "HSM0535",
            final.place,
            f"process {process.name} ends in {final.path} without releasing '{process.instance}'{some}: "
            f"neither the entry nor any of the {len(leaks)} rows that lead here does",
            [("one of the rows", place) for place in list(leaks)[:PLACES_SHOWN]],
        )
        return
    for place, some in leaks.items():
        places.error(
            "HSM0535",
            place,
            f"process {process.name} ends in {final.path} without releasing '{process.instance}'{some}",
            [("the final state", final.place)],
        )
