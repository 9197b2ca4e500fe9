# SPDX-License-Identifier: MIT
"""What an image for the NIC has in common for all protocols, as two C files.

`PREFIX_nic.h` is the port header of the generated C on top of fw-runtime/: where the state, the parameters and the counters
lie, and what timers and the trace are. `PREFIX_nic.c` starts the protocol: it fills the control block of
the library's nic/board.hsm, checks the parameters and hands timers and the link to the machines. With a placement on two
processors it does so on processor A, and `PREFIX_nic_b.c` does on B what B needs of it. Where either processor takes the
next event both run what one would: the port takes the lock (NIC_DYNAMIC in fw-runtime/port.h).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .. import ir, naming
from ..placement import PlacementAnalysis
from . import backend_c, c_units
from .exchange import Exchange

CONTROL = "Control"
LINK_PROCESS, LINK_DEVICES = "Link", {"link_send", "link_idle", "link_enable"}


class Unsupported(Exception):
    """The spec lacks a part that an image needs."""


@dataclass(frozen=True)
class TimerNumbers:
    """The numbers fw-runtime/timers.h knows the instances of one timer by."""

    timer: ir.Timer
    first: str  # macros
    end: str
    count: str  # "" where the process has one instance


def timer_numbers(writer: backend_c.CWriter) -> list[TimerNumbers]:
    """In order of declaration, without a gap."""
    timers, numbers = writer.protocol.timers, []
    firsts = [f"{writer.names.timer(timer)}_FIRST" for timer in timers]
    firsts.append(f"{writer.names.capitals}_TIMER_LIMIT")
    for timer, first, end in zip(timers, firsts, firsts[1:]):
        pool = writer.protocol.process(timer.process).pool
        count = writer.size(writer.protocol.pool(pool).count) if pool else ""
        numbers.append(TimerNumbers(timer, first, end, count))
    return numbers


def message_words(exchange: Exchange) -> int:
    """Of a slot of a queue: the chip does not multiply."""
    return max(8, 1 << (exchange.words() - 1).bit_length()) if exchange else 0


def generate(
    protocol: ir.Protocol, placement: Optional[ir.Placement] = None
) -> dict[str, str]:
    """File name -> text; without a placement all is for processor A. Raises Unsupported."""
    if not any(layout.name == CONTROL for layout in protocol.layouts):
        raise Unsupported(
            f"protocol {protocol.name} has no layout {CONTROL}, by which its host and a NIC find each other: "
            'add include "nic/board.hsm"'
        )
    writer = backend_c.CWriter(protocol)
    environment = backend_c.environment(writer)
    prefix, stem = writer.names.prefix, writer.names.stem
    dynamic = placement if placement and placement.dynamic else None
    if dynamic:
        placement = None
    on = dict(placement.processors) if placement else {}
    exchange = None
    if placement:
        exchange = c_units.exchange_of(PlacementAnalysis(protocol), placement)
    context = {
        "protocol": protocol,
        "exchange": exchange,
        "size": writer.size,
        "names": writer.names,
        "message_words": message_words(exchange) if exchange else 0,
        "common": exchange.members() if exchange else (),
        "members": [(naming.snake(n), cold) for n, cold in writer.state_members()],
        "placement": placement,
        "dynamic": dynamic,
        "processors": [
            (process, c_units.PROCESSORS.index(on.get(process.name, "A")))
            for process in protocol.processes
        ],
        "prefix": prefix,
        "capitals": writer.names.capitals,
        "numbers": timer_numbers(writer),
        "fixed": [p for p in protocol.parameters if not p.live],
        "from_control": [p for p in protocol.parameters if p.name in ("node", "epoch")],
        "link": LINK_DEVICES <= {device.name for device in protocol.devices},
    }
    files = {f"{stem}_nic.h": "nic.h", f"{stem}_nic.c": "nic.c"}
    if placement:
        if on.get(LINK_PROCESS, "A") != "A":
            raise Unsupported(
                f"placement {placement.name} has {LINK_PROCESS} on {on[LINK_PROCESS]}: expected it on A, which has the wire"
            )
        files[f"{stem}_nic_b.c"] = "nic_b.c"
    return {
        file: backend_c.wrapped(
            environment.get_template(f"nic/{template}.j2").render(context)
        )
        for file, template in files.items()
    }
