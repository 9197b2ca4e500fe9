# SPDX-License-Identifier: MIT
"""Results of searches, as text and as JSON. A verdict names its bounds, and a search cut short is no proof."""

from __future__ import annotations

import itertools
from typing import Any, Mapping, Sequence

from .search import Run
from .subject import Search


def verdict(run: Run) -> str:
    if run.errors:
        return f"VIOLATED: {run.violated}"
    if run.incomplete:
        return f"INCOMPLETE, no proof: {'; '.join(run.incomplete)}"
    return "holds, exhaustive" + (f"; only {run.only}" if run.only else "")


def listed(values: Mapping[str, int]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items()) or "none"


def faults_text(search: Search) -> str:
    faults = ", ".join(search.faults)
    return f"unbounded {faults}" if faults else "none"


def table(runs: Sequence[Run]) -> str:
    """Grouped by configuration and kind of property, for which the bounds are the same."""
    lines: list[str] = []
    key = lambda run: (  # noqa: E731
        run.search.protocol,
        run.search.check,
        listed({key: value for key, value in run.search.bounds.items() if value}),
        faults_text(run.search),
        tuple(run.search.other_faults),
        tuple(run.search.absent),
    )
    widest = max((len(verdict(run)) for run in runs), default=0)
    heading = f"  {'kind':8}  {'engine':7} {'states':>10} {'depth':>8} {'MB':>6} {'seconds':>8}  verdict"
    for (
        protocol,
        check,
        bounds,
        faults,
        other_faults,
        absent,
    ), group in itertools.groupby(runs, key):
        members = list(group)
        lines.append(f"{protocol}/{check}  bounds: {bounds}")
        lines.append(f"  set: {listed(members[0].search.settings)}")
        lines.append(f"  faults: {faults}")
        if other_faults:
            lines.append(f"  besides: {', '.join(other_faults)}")
        if absent:
            lines.append(f"  not here: {', '.join(absent)}")
        lines.append(heading.ljust(len(heading) - 7 + min(widest, 40)).rstrip())
        for run in members:
            lines.append(
                f"  {run.search.kind:8}  {run.engine:7} {run.states:>10} {run.depth:>8} {run.megabytes:>6.0f} "
                f"{run.seconds:>8.2f}  {verdict(run)}"
            )
    return "\n".join(lines) + "\n" if lines else ""


def unequal(runs: Sequence[Run]) -> list[tuple[str, Search]]:
    """Pairs of engines that did not store the same states or execute the same, or of which one alone found a violation."""
    problems = []
    for one, other in itertools.combinations(runs, 2):
        same = (one.search.protocol, one.search.check, one.search.kind) == (
            other.search.protocol,
            other.search.check,
            other.search.kind,
        )
        if not same or one.engine == other.engine or one.incomplete or other.incomplete:
            continue
        if bool(one.errors) != bool(other.errors):
            verdicts = (f"{run.name}: {verdict(run)}" for run in (one, other))
            text = f"{'; '.join(verdicts)}: the two back ends differ"
            problems.append((text, one.search))
        elif one.holds and one.states != other.states:
            text = f"{one.name} stores {one.states} states, {other.name} {other.states}: the two back ends differ"
            problems.append((text, one.search))
        elif one.holds and executed(one) != executed(other):
            text = f"{one.name} and {other.name} do not execute the same: the two back ends differ"
            problems.append((text, one.search))
    return problems


def executed(run: Run) -> tuple[list[int], list[str], list[tuple[str, str]]]:
    """By what it has left out, and which features have met."""
    return run.not_taken, run.not_executed, run.together


def as_record(run: Run) -> dict[str, Any]:
    search = run.search
    record: dict[str, Any] = {
        "config": f"{search.protocol}/{search.check}",
        "engine": search.engine,
        "kind": search.kind,
        "only": run.only,
        "verdict": "violated"
        if run.errors
        else "incomplete"
        if run.incomplete
        else "holds",
        "exhaustive": run.exhaustive,
        "incomplete": run.incomplete,
        "states": run.states,
        "transitions": run.transitions,
        "depth": run.depth,
        "megabytes": run.megabytes,
        "seconds": run.seconds,
        "compile_seconds": run.compile_seconds,
        "errors": run.errors,
        "bounds": search.bounds,
        "settings": search.settings,
        "faults": search.faults,
        "besides": search.other_faults,
        "not_here": search.absent,
        "not_executed": run.not_executed,
        "together": run.together,
    }
    if run.failure:
        record.update(failure=run.failure, property=run.violated or None)
    return record
