# SPDX-License-Identifier: MIT
"""Which states have functions of their own in C: cold ones, where an event is handled in others, too.

On the NIC what is cold runs from SRAM; only what the function of an event does in all other states takes room in the
scratchpad (docs/language.md, "Processes").
"""

from __future__ import annotations

from typing import Sequence

from .. import ir


def cold_handlers(
    process: ir.Process, handlers: Sequence[ir.Handler]
) -> tuple[ir.Handler, ...]:
    """Of all handlers of one event those that get a function of their own."""
    if all_cold(process, handlers):
        return ()
    return tuple(h for h in handlers if h.groups and _leaf(process, h).cold)


def all_cold(process: ir.Process, handlers: Sequence[ir.Handler]) -> bool:
    """Whether nothing happens on the data path, so that the function of the event is cold itself."""
    return process.cold or (
        any(h.groups for h in handlers)
        and all(_leaf(process, h).cold for h in handlers if h.groups)
    )


def _leaf(process: ir.Process, handler: ir.Handler) -> ir.Leaf:
    return next(leaf for leaf in process.leaves if leaf.name == handler.leaf)
