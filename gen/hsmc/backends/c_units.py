# SPDX-License-Identifier: MIT
"""The C of a protocol whose processes a placement divides between the two processors of a NIC.

A unit is what one processor runs: the machines of its processes, with the functions and actions that these reach. The units
share the headers, so numbers of rows, timers and states are those of the whole protocol.
"""

from __future__ import annotations

import dataclasses
from typing import Mapping, Sequence

from .. import ir, naming
from ..placement import PlacementAnalysis
from . import backend_c, c_messages
from .c_messages import UnitWriter
from .exchange import Exchange
from .property_checks import places_read

PROCESSORS = ("A", "B")  # of the chip; A starts


class Unsupported(Exception):
    """No image can be made of this placement."""


def exchange_of(analysis: PlacementAnalysis, placement: ir.Placement) -> Exchange:
    """What crosses. Raises Unsupported where an image cannot have it."""
    if placement.dynamic:
        return Exchange(analysis.protocol, analysis.crossings(placement))
    used = {processor for _, processor in placement.processors}
    if used != set(PROCESSORS):
        raise Unsupported(
            f"placement {placement.name} has processes on {', '.join(sorted(used))}: expected some on each of "
            f"{' and '.join(PROCESSORS)}; an image for A alone is made without --placement"
        )
    exchange = Exchange(analysis.protocol, analysis.crossings(placement))
    if exchange.messages and exchange.takes_while_waiting is None:
        raise Unsupported(
            f"in placement {placement.name} messages make either processor send messages, so both may wait for room in full "
            "queues for ever: expected one whose messages make it send none; "
            f"'hsmc place --placement {placement.name}' tells which do"
        )
    for process in analysis.protocol.processes:
        if analysis.most_at_start(process, placement):
            raise Unsupported(
                f"in placement {placement.name} process {process.name} raises an event on another processor when it starts: "
                "that one may not have started yet"
            )
    return exchange


def unit(
    analysis: PlacementAnalysis,
    placement: ir.Placement,
    processor: str,
    common: Sequence[str] = (),
) -> ir.Protocol:
    """The protocol with the processes of one processor alone, and the properties of their data. Of common data no property is
    looked at: the event that changes them may be the other processor's."""
    protocol = analysis.protocol
    here = {name for name, where in placement.processors if where == processor}
    owners = set(here)
    for name in here:
        access = analysis.access[name]
        for used in (*access.reads, *access.writes):
            owners.add(used.partition(".")[0])
    owners -= set(common)
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
    """File name -> text. Raises Unsupported. Where either processor takes the next event there are no units: both run the
    C of one processor (backend_c)."""
    exchange = exchange_of(analysis, placement)
    if placement.dynamic:
        return {}
    stem = naming.plain(analysis.protocol.name)
    texts = {
        f"{stem}_{processor.lower()}.c": backend_c.source(
            UnitWriter(
                unit(analysis, placement, processor, exchange.holders),
                exchange,
                processor,
            )
        )
        for processor in PROCESSORS
    }
    return {**texts, f"{stem}_messages.h": c_messages.header(exchange)}
