# SPDX-License-Identifier: MIT
"""What crosses between processors, for people and as JSON."""

from __future__ import annotations

import textwrap
from typing import Any, Sequence

from .placement import Crossings, CrossingRaise, SharedData

WIDTH = 100


def text(crossings: Crossings) -> str:
    placement = crossings.placement
    on = dict(placement.processors)
    doc = f": {placement.doc}" if placement.doc else ""
    lines = [f"placement {placement.name}{doc}"]
    for processor in dict.fromkeys(on.values()):
        names = [process for process, where in on.items() if where == processor]
        lines.append(f"  {processor}: {', '.join(names)}")
    if not (crossings.raises or crossings.data or crossings.uses):
        lines.append("  nothing crosses")
    if placement.dynamic:
        lines.append(
            f"  either processor takes the next event, and has the lock from its first guard to its last action: "
            f"{len(crossings.entries)} events"
        )
    if crossings.raises:
        lines.append("  raises that cross")
        for crossing in crossings.raises:
            way = f"{on[crossing.source]} to {on[crossing.target]}"
            raised = f"{crossing.source} raises {crossing.target}.{crossing.event}"
            lines += textwrap.wrap(
                f"{way}: {raised}{_carries(crossing)}",
                width=WIDTH,
                initial_indent=" " * 4,
                subsequent_indent=" " * 8,
            )
    if crossings.data:
        lines.append("  data that cross")
        rows = [
            (
                shared.name,
                _kind(shared),
                f"written on {_where(shared.writers, on)}",
                f"used on {_where(shared.users, on)}",
            )
            for shared in crossings.data
        ]
        lines += ["    " + line for line in _columns(rows)]
    locked = [
        (f"{entry.process}.{entry.event}", f"for {_names(entry.locked)}")
        for entry in crossings.entries
        if entry.locked and not placement.dynamic
    ]
    if locked:
        lines.append("  events under the lock")
        for event, why in locked:
            lines += textwrap.wrap(
                f"{event} {why}",
                width=WIDTH,
                initial_indent=" " * 4,
                subsequent_indent=" " * 8,
            )
    sending = [entry for entry in crossings.entries if entry.messages]
    if sending:
        lines.append("  messages of one event at most")
        counts = [
            (f"{entry.process}.{entry.event}", str(entry.messages)) for entry in sending
        ]
        lines += ["    " + line for line in _columns(counts)]
    if crossings.uses:
        lines.append("  used on several processors")
        used = [
            (f"{use.kind} {use.name}", _where(use.processes, on))
            for use in crossings.uses
        ]
        lines += ["    " + line for line in _columns(used)]
    return "\n".join(lines) + "\n"


def as_json(crossings: Crossings) -> dict[str, Any]:
    return {
        "placement": crossings.placement.name,
        "processors": dict(crossings.placement.processors),
        "dynamic": crossings.placement.dynamic,
        "raises": [
            {
                "source": crossing.source,
                "target": crossing.target,
                "event": crossing.event,
                "carries": [
                    {"name": carried.name, "type": str(carried.type)}
                    for carried in crossing.carries
                ],
                "places": [
                    {"file": p.file, "line": p.line, "column": p.column}
                    for p in crossing.places
                ],
            }
            for crossing in crossings.raises
        ],
        "data": [
            {
                "name": shared.name,
                "kind": shared.kind,
                "type": None if shared.type is None else str(shared.type),
                "one_word": shared.one_word,
                "writers": list(shared.writers),
                "users": list(shared.users),
            }
            for shared in crossings.data
        ],
        "entries": [
            {
                "process": entry.process,
                "event": entry.event,
                "locked": list(entry.locked),
                "messages": entry.messages,
                "shared_uses": entry.shared_uses,
            }
            for entry in crossings.entries
        ],
        "uses": [
            {"name": use.name, "kind": use.kind, "processes": list(use.processes)}
            for use in crossings.uses
        ],
    }


def _names(data: Sequence[str]) -> str:
    """`Pool.used` is the set of records in use; the rest is called as in the spec."""
    sets = [
        f"the records of {name.partition('.')[0]}" for name in data if _is_set(name)
    ]
    return ", ".join(sets + [name for name in data if not _is_set(name)])


def _is_set(name: str) -> bool:
    return name.endswith(".used")


def _carries(crossing: CrossingRaise) -> str:
    values = [f"{carried.name}: {carried.type}" for carried in crossing.carries]
    return f" with {', '.join(values)}" if values else ""


def _kind(shared: SharedData) -> str:
    if shared.type is None:
        return "records in use"
    return f"{shared.type}" if shared.one_word else f"{shared.type}, not one word"


def _where(processes: Sequence[str], on: dict[str, str]) -> str:
    """A (Send, Match), B (Receive)"""
    parts = []
    for processor in dict.fromkeys(on[process] for process in processes):
        names = [process for process in processes if on[process] == processor]
        parts.append(f"{processor} ({', '.join(names)})")
    return ", ".join(parts)


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in rows
    ]
