# SPDX-License-Identifier: MIT
"""Changes between two specs as text for people and as JSON (`hsmc diff`)."""

from __future__ import annotations

import difflib
from typing import Any, Iterator, Optional, Sequence

from .. import ir
from .compare import Change, Detail

SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">", "renamed": "="}
# Said by the heading or by the name already, when something came or went.
NO_NEWS = ("documentation",)


def text(changes: Sequence[Change]) -> str:
    """Grouped: declarations, then each process, then within it each state. The last line counts."""
    lines: list[str] = []
    heading = ""
    state = ""
    for change in _grouped(changes):
        group = f"process {change.process}" if change.process else "declarations"
        if group != heading:
            lines += ([""] if lines else []) + [group]
            heading, state = group, ""
        indent = "  "
        if change.item == "row":
            if change.state != state:
                lines.append(f"  state {change.state}")
                state = change.state
            indent = "    "
        lines += [indent + line for line in _lines(change)]
    counts = [
        f"{sum(c.change == kind for c in changes)} {kind}"
        for kind in SIGNS
        if any(c.change == kind for c in changes)
    ]
    lines += ([""] if lines else []) + [", ".join(counts) or "no change"]
    return "\n".join(lines) + "\n"


def as_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {
            "change": change.change,
            "item": change.item,
            "name": change.name,
            "process": change.process or None,
            "state": change.state or None,
            "former": change.former or None,
            "old": _json_place(change.old),
            "new": _json_place(change.new),
            "details": [
                {"what": d.what, "old": d.old or None, "new": d.new or None}
                for d in change.details
            ],
        }
        for change in changes
    ]


def _grouped(changes: Sequence[Change]) -> list[Change]:
    """In each process states before rows, and rows of one state together."""
    processes = list(dict.fromkeys(change.process for change in changes))
    states = list(dict.fromkeys((change.process, change.state) for change in changes))

    def order(change: Change) -> tuple[int, int]:
        inside = change.item == "row"
        position = states.index((change.process, change.state)) if inside else -1
        return processes.index(change.process), position

    return sorted(changes, key=order)


def _lines(change: Change) -> Iterator[str]:
    sign = SIGNS[change.change]
    name = change.name
    if change.process and change.item not in ("row", "state", "process"):
        name = name.partition(".")[2]
    what = name if change.item == "row" else f"{change.item} {name}"
    if change.change == "renamed":
        what = f"{change.item} {change.former} renamed to {name}"
    elif change.change == "moved" and change.former and change.item == "state":
        what = f"state {change.former} moved to {name}"
    elif change.change == "moved" and change.former:
        what += f"   moved here from {change.former}"
    yield f"{sign} {what}    [{_places(change)}]"
    for detail in change.details:
        yield from _detail(detail, change)


def _detail(detail: Detail, change: Change) -> Iterator[str]:
    if change.change in ("added", "removed"):
        if detail.what in NO_NEWS:
            return
        value = detail.new or detail.old
        if "\n" not in value:
            yield f"    {detail.what}: {value}"
        return
    if "\n" in detail.old + detail.new:
        yield f"    {detail.what}"
        old, new = detail.old.split("\n"), detail.new.split("\n")
        for line in list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]:
            yield "      " + ("..." if line.startswith("@@") else line)
    elif detail.old and detail.new and len(detail.old + detail.new) < 60:
        yield f"    {detail.what}: {detail.old} -> {detail.new}"
    elif detail.old and detail.new:
        yield f"    {detail.what}"
        yield f"      -{detail.old}"
        yield f"      +{detail.new}"
    else:
        sign = "+" if detail.new else "-"
        value = detail.new or detail.old
        yield f"    {sign} {detail.what}" + (
            f": {value}" if value != detail.what else ""
        )


def _places(change: Change) -> str:
    if change.old is not None and change.new is not None:
        if change.old.file == change.new.file:
            return f"{change.old} -> {change.new.line}"
        return f"{change.old} -> {change.new}"
    return str(change.old or change.new)


def _json_place(place: Optional[ir.Place]) -> Optional[dict[str, Any]]:
    if place is None:
        return None
    return {"file": place.file, "line": place.line, "column": place.column}
