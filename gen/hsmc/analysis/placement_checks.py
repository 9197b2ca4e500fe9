# SPDX-License-Identifier: MIT
"""Data races: what two processors use in a placement, and one of them writes, is under the lock or one word with a meaning.

A raise that crosses carries values, so what travels in it is no race. All else that crosses is data in memory, and the
placement says for each how the two processors use it. The lock is the chip's: it does not reach the host. An event uses
shared words once, so that it still happens at one moment, as in the models.
"""

from __future__ import annotations

from typing import Optional

from .. import ir
from ..frontend import ast
from ..frontend.context import Context
from ..frontend.places import Places
from ..placement import Entry, PlacementAnalysis, SharedData, is_named

HOST = "host"


def check_placements(context: Context, protocol: ir.Protocol, places: Places) -> None:
    if not protocol.placements:
        return
    analysis = PlacementAnalysis(protocol)
    nodes = {
        node.name.text: node
        for node in context.spec.declarations
        if isinstance(node, ast.Placement) and context.is_first(node)
    }
    for placement in protocol.placements:
        crossings = analysis.crossings(placement)
        data = crossings.data
        on = dict(placement.processors)
        shared = dict(placement.shared)
        words = True  # are all data words that are said to be?
        for datum in data:
            whole = datum.name.partition(".")[0]
            if datum.name in shared or whole in shared:
                node = nodes[placement.name]
                words &= _check_word(places, placement, datum, on, node)
            elif HOST in _where(datum, on):
                _race(places, placement, datum, on, "the lock does not reach the host")
            elif not is_named(datum.name, placement.locked):
                _race(places, placement, datum, on, "nothing says how they share it")
        for entry in crossings.entries:
            if words and entry.shared_uses > 1:
                _used_again(places, analysis, placement, entry)
        _check_needed(context, placement, data, nodes[placement.name])


def _where(datum: SharedData, on: dict[str, str]) -> set[str]:
    return {on[process] for process in datum.writers + datum.users}


def _what(datum: SharedData) -> str:
    """For people."""
    holder, _, member = datum.name.partition(".")
    if datum.type is None:
        return f"which records of {holder} are in use, and their states"
    return f"{holder}.{member}"


def _race(
    places: Places,
    placement: ir.Placement,
    datum: SharedData,
    on: dict[str, str],
    why: str,
) -> None:
    writer = datum.writers[0]
    others = [
        (user, place)
        for user, place in zip(datum.users, datum.used)
        if on[user] != on[writer]
    ]
    user, used = others[0]
    name = datum.name.partition(".")[0] if datum.type is None else datum.name
    places.error(
        "HSM0611",
        datum.written[0],
        f"in placement {placement.name} process {writer} on {on[writer]} writes {_what(datum)}, process {user} on "
        f"{on[user]} uses the same, and {why}: expected 'locked {name}' or 'shared {name} \"MEANING\"' there",
        [
            (f"process {user} uses it here", used),
            ("the placement", placement.place),
        ],
    )


def _check_word(
    places: Places,
    placement: ir.Placement,
    datum: SharedData,
    on: dict[str, str],
    node: ast.Placement,
) -> bool:
    line = next(
        line.data.span
        for line in node.shared
        if is_named(datum.name, [line.data.span.squeezed.replace(" ", "")])
    )
    where = {on[writer] for writer in datum.writers}
    problem: Optional[str] = None
    notes: list[tuple[str, ir.Place]] = []
    if not datum.one_word:
        problem = f"{_what(datum)}: not one word, so the other processor may see half of a change"
        notes = [("written here", datum.written[0])]
    elif len(where) > 1:
        problem = f"{_what(datum)} is written on {' and '.join(sorted(where))}, so one may undo what the other writes"
        notes = [
            (f"process {writer} on {on[writer]} writes it here", place)
            for writer, place in zip(datum.writers, datum.written)
        ]
    if problem is not None:
        places.error(
            "HSM0612",
            line.place(),
            f"in placement {placement.name} data cannot be shared as a word: {problem}",
            notes,
        )
    return problem is None


def _used_again(
    places: Places, analysis: PlacementAnalysis, placement: ir.Placement, entry: Entry
) -> None:
    event = analysis.events.get((entry.process, entry.event))
    handlers = analysis.protocol.process(entry.process).handlers
    expiries = [row for h in handlers if h.event == entry.event for row in h.rows]
    place = event.place if event else expiries[0].place
    places.error(
        "HSM0615",
        place,
        f"in placement {placement.name} {entry.process}.{entry.event} may use shared data {entry.shared_uses} times, and "
        "they may change in between: expected one use in an event; read once by 'let', or say 'locked'",
        [("the placement", placement.place)],
    )


def _check_needed(
    context: Context,
    placement: ir.Placement,
    data: tuple[SharedData, ...],
    node: ast.Placement,
) -> None:
    crossing = [datum.name for datum in data]
    for said in (*node.locked, *(line.data for line in node.shared)):
        name = said.span.squeezed.replace(" ", "")
        if not any(is_named(each, [name]) for each in crossing):
            context.error(
                "HSM0613",
                said.span,
                f"in placement {placement.name} {name} does not cross: "
                + (
                    "every event runs under the lock"
                    if placement.dynamic
                    else "one processor alone writes and uses it, or it is never written"
                ),
            )
