# SPDX-License-Identifier: MIT
"""Which rows have a function of their own in C: those below a line `rare`, and all that are tried after them.

The function of the event gets short, so that it takes little of the fast memory (docs/language.md, "Processes").
"""

from __future__ import annotations

import dataclasses
from typing import Optional, Sequence

from .. import ir, walk


@dataclasses.dataclass(frozen=True)
class RareRows:
    """A handler with only the rows that are apart. `passed`: locals whose values their function is given."""

    handler: ir.Handler
    passed: tuple[ir.Local, ...]


def split_rare(handler: ir.Handler) -> tuple[ir.Handler, Optional[RareRows]]:
    """The rows that stay, and those that are apart, if any."""
    for at, group in enumerate(handler.groups):
        first = next((i for i, row in enumerate(group.rows) if row.rare), None)
        if first is not None:
            break
    else:
        return handler, None
    stay, apart = group.rows[:first], group.rows[first:]
    early, late, passed = _split_lets(group.lets, stay, apart)
    common = (*handler.groups[:at], ir.Group(lets=early, rows=stay))
    rest = (ir.Group(lets=late, rows=apart), *handler.groups[at + 1 :])
    return (
        dataclasses.replace(handler, groups=common),
        RareRows(dataclasses.replace(handler, groups=rest), passed),
    )


def _split_lets(
    lets: Sequence[ir.Let], stay: Sequence[ir.Row], apart: Sequence[ir.Row]
) -> tuple[tuple[ir.Let, ...], tuple[ir.Let, ...], tuple[ir.Local, ...]]:
    """What each of the two computes, and what is passed on. What only rare rows read, common ones do not pay for."""
    early: list[ir.Let] = []
    late: list[ir.Let] = []
    passed: list[ir.Local] = []
    early_reads = walk.read_locals([walk.row_parts(row) for row in stay])
    late_reads = walk.read_locals([walk.row_parts(row) for row in apart])
    for let in reversed(lets):
        name = let.local.unique
        is_early = name in early_reads
        # A payload would be passed by address, and read in another way than a local.
        is_late = not is_early or isinstance(let.local.type, ir.PayloadType)
        if is_early:
            early.insert(0, let)
            early_reads |= walk.read_locals([let.value])
            if name in late_reads and not is_late:
                passed.insert(0, let.local)
        if is_late and (name in late_reads or not is_early):
            late.insert(0, let)
            late_reads |= walk.read_locals([let.value])
    return tuple(early), tuple(late), tuple(passed)
