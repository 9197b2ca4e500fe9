# SPDX-License-Identifier: MIT
"""The C of a protocol whose processes a placement divides between the two processors of a NIC.

A unit is what one processor runs: the machines of its processes, with the functions and actions that these reach. The units
share the headers, so numbers of rows, timers and states are those of the whole protocol.
"""

from __future__ import annotations

import dataclasses
from typing import Mapping

from .. import ir, naming
from ..placement import PlacementAnalysis
from . import backend_c
from .property_checks import places_read

PROCESSORS = ("A", "B")  # of the chip; A starts


class Unsupported(Exception):
    """No image can be made of this placement."""


def check(analysis: PlacementAnalysis, placement: ir.Placement) -> None:
    """Raises Unsupported where an image would need more than units that have nothing to do with each other."""
    used = {processor for _, processor in placement.processors}
    if used != set(PROCESSORS):
        raise Unsupported(
            f"placement {placement.name} has processes on {', '.join(sorted(used))}: expected some on each of "
            f"{' and '.join(PROCESSORS)}; an image for A alone is made without --placement"
        )
    crossings = analysis.crossings(placement)
    what = [
        f"{len(found)} {kind}"
        for found, kind in (
            (crossings.raises, "raises"),
            (crossings.data, "data"),
        )
        if found
    ]
    if what:
        raise Unsupported(
            f"in placement {placement.name} {' and '.join(what)} cross between processors, for which no code is made yet; "
            f"'hsmc place --placement {placement.name}' tells which"
        )


def unit(
    analysis: PlacementAnalysis, placement: ir.Placement, processor: str
) -> ir.Protocol:
    """The protocol with the processes of one processor alone, and the properties of their data."""
    protocol = analysis.protocol
    here = {name for name, where in placement.processors if where == processor}
    owners = set(here)
    for name in here:
        access = analysis.access[name]
        for used in (*access.reads, *access.writes):
            owners.add(used.partition(".")[0])
    known = {*analysis.holders, *(process.name for process in protocol.processes)}
    return dataclasses.replace(
        protocol,
        processes=tuple(p for p in protocol.processes if p.name in here),
        timers=tuple(t for t in protocol.timers if t.process in here),
        properties=tuple(
            p
            for p in protocol.properties
            if p.condition is None
            or {owner for owner, _ in places_read(protocol, p)} & known <= owners
        ),
    )


def generate(analysis: PlacementAnalysis, placement: ir.Placement) -> Mapping[str, str]:
    """File name -> text. Raises Unsupported."""
    check(analysis, placement)
    prefix = naming.plain(analysis.protocol.name)
    return {
        f"{prefix}_{processor.lower()}.c": backend_c.source(
            unit(analysis, placement, processor)
        )
        for processor in PROCESSORS
    }
