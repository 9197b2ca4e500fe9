# SPDX-License-Identifier: MIT
"""All ways of dividing a protocol's processes between the two processors of a NIC, and what crosses in each.

The first process stands on A: exchanging the processors changes nothing of what crosses. All data that cross are taken to
be under the lock. Whether a NIC can run a map, its glue decides; which of them is fast, a bench.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Optional

from . import ir
from .placement import PlacementAnalysis

MOST_PROCESSES = 12  # 2048 maps


@dataclass(frozen=True)
class Map:
    """A placement that the spec need not have, and how much crosses."""

    placement: ir.Placement
    called: Optional[str]  # by the spec
    raises: int
    data: int
    locked: int  # events under the lock
    events: int  # that a processor begins
    messages: int  # of one event at most

    @property
    def on_b(self) -> list[str]:
        return [name for name, where in self.placement.processors if where == "B"]

    @property
    def lines(self) -> list[str]:
        """As in a spec, behind the line with `placement` and a name."""
        lines = []
        for processor in "AB":
            names = [n for n, where in self.placement.processors if where == processor]
            if names:
                lines.append(f"  {', '.join(names)} on {processor}")
        if self.placement.locked:
            lines.append(f"  locked {', '.join(self.placement.locked)}")
        return lines


def all_maps(protocol: ir.Protocol) -> list[Map]:
    """Those with least that crosses first. Raises ValueError when there are too many."""
    names = [process.name for process in protocol.processes]
    if len(names) > MOST_PROCESSES:
        raise ValueError(
            f"{protocol.name} has {len(names)} processes: expected at most {MOST_PROCESSES} for all maps of them"
        )
    analysis = PlacementAnalysis(protocol)
    called = {placement.processors: placement.name for placement in protocol.placements}
    template = ir.Placement(
        name="", doc="", place=protocol.processes[0].place, processors=()
    )
    maps = []
    for where in product("AB", repeat=len(names) - 1):
        on = tuple(zip(names, ("A", *where)))
        found = analysis.crossings(replace(template, processors=on))
        locked = tuple(
            # The records in use of a pool are named by the pool.
            dict.fromkeys(
                datum.name if datum.type else datum.name.partition(".")[0]
                for datum in found.data
            )
        )
        whole = [name for name in locked if "." not in name]
        locked = tuple(
            n for n in locked if n.partition(".")[0] not in whole or n in whole
        )
        placement = replace(template, processors=on, locked=locked)
        found = analysis.crossings(placement)
        maps.append(
            Map(
                placement,
                called.get(on),
                len(found.raises),
                len(found.data),
                sum(bool(entry.locked) for entry in found.entries),
                len(found.entries),
                max((entry.messages for entry in found.entries), default=0),
            )
        )
    return sorted(maps, key=lambda m: (m.raises + m.locked, m.raises, m.data))


def text(maps: list[Map]) -> str:
    rows = [("on B", "raises", "data", "events under the lock", "messages", "")]
    rows += [
        (
            ", ".join(each.on_b) or "-",
            str(each.raises),
            str(each.data),
            f"{each.locked} of {each.events}" if each.events else "-",
            str(each.messages),
            each.called or "",
        )
        for each in maps
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(row[1:5], widths[1:5])]
            + [row[5]]
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def as_json(maps: list[Map]) -> list[dict[str, Any]]:
    return [
        {
            "on_b": each.on_b,
            "processors": dict(each.placement.processors),
            "raises": each.raises,
            "data": each.data,
            "locked_events": each.locked,
            "events": each.events,
            "messages": each.messages,
            "placement": each.called,
            "lines": each.lines,
        }
        for each in maps
    ]
