# SPDX-License-Identifier: MIT
"""What an image for the NIC has in common for all protocols, as two C files.

`PREFIX_nic.h` is the port header of the generated C on top of fw-runtime/: where the state, the parameters and the counters
lie, and what timers and the trace are. `PREFIX_nic.c` starts the protocol: it fills the control block of
the library's nic/board.hsm, checks the parameters and hands timers and the link to the machines.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import ir
from . import backend_c

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


def generate(protocol: ir.Protocol) -> dict[str, str]:
    """File name -> text. Raises Unsupported."""
    if not any(layout.name == CONTROL for layout in protocol.layouts):
        raise Unsupported(
            f"protocol {protocol.name} has no layout {CONTROL}, by which its host and a NIC find each other: "
            'add include "nic/board.hsm"'
        )
    writer = backend_c.CWriter(protocol)
    environment = backend_c.environment(writer)
    prefix = writer.names.prefix
    context = {
        "protocol": protocol,
        "prefix": prefix,
        "capitals": writer.names.capitals,
        "numbers": timer_numbers(writer),
        "fixed": [p for p in protocol.parameters if not p.live],
        "from_control": [p for p in protocol.parameters if p.name in ("node", "epoch")],
        "link": LINK_DEVICES <= {device.name for device in protocol.devices},
    }
    return {
        f"{prefix}_nic.{kind}": backend_c.wrapped(
            environment.get_template(f"nic/nic.{kind}.j2").render(context)
        )
        for kind in ("h", "c")
    }
