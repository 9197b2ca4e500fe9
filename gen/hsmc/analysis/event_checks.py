# SPDX-License-Identifier: MIT
"""Durations of nothing, expiries without effect, events no state does anything with."""

from __future__ import annotations

from .. import ir
from ..frontend.context import Context
from ..frontend.places import Places
from ..frontend.raises import Raises
from .facts import Facts
from .ranges import Ranges


# Microseconds: what runtimes keep a duration in has 32 bits, and of two times less than half of them apart it is known
# which comes first.
LONGEST = (1 << 31) - 1


def check_timers(
    context: Context, protocol: ir.Protocol, places: Places, ranges: Ranges
) -> None:
    parameters = {parameter.name: parameter for parameter in protocol.parameters}
    for timer in protocol.timers:
        if timer.computed:
            _check_computed(timer, places, ranges)
        duration = timer.duration
        if duration.value == 0:
            places.error(
                "HSM0541",
                timer.place,
                "a duration of 0: the state would be left as soon as it is entered",
            )
        elif duration.value is not None and duration.value > LONGEST:
            places.error(
                "HSM0553",
                timer.place,
                f"a duration of {duration.value} us: no timer runs longer than {LONGEST} us",
            )
        elif isinstance(duration, ir.ParameterName):
            parameter = parameters[duration.name]
            if parameter.range is not None and parameter.range.high.value > LONGEST:
                places.error(
                    "HSM0553",
                    timer.place,
                    f"parameter '{parameter.name}' may be {parameter.range.high.value} us: no timer runs longer than "
                    f"{LONGEST} us",
                    [("the parameter", parameter.place)],
                )
            if parameter.range is None or parameter.range.low.value == 0:
                what = "has no range" if parameter.range is None else "may be 0"
                places.error(
                    "HSM0542",
                    timer.place,
                    f"parameter '{parameter.name}' {what}: the timer may expire as soon as it is armed",
                    [("the parameter", parameter.place)],
                )
        process = protocol.process(timer.process)
        handlers = process.handlers_of_timer(timer)
        if handlers and all(map(_idle, handlers)):
            places.error(
                "HSM0543",
                timer.place,
                "this timer changes nothing when it expires: it does nothing and stays where it is",
            )

    _check_order(context, protocol, places)


def _check_computed(timer: ir.Timer, places: Places, ranges: Ranges) -> None:
    value = ranges.value(timer.duration, Facts({}))
    if value.low < 1 or value.high > LONGEST:
        places.error(
            "HSM0554",
            timer.place,
            f"this duration is {value}, as far as is known: it must lie in 1..{LONGEST} us; bound it with min() and "
            "max(), or give what it is made of a range",
        )


def _check_order(context: Context, protocol: ir.Protocol, places: Places) -> None:
    """What is done after a duration is computed, and changes what it was computed from."""
    functions = {f.name: f for f in protocol.functions}
    actions = {a.name: a for a in protocol.actions}
    effects = Raises(context, (), functions, actions).effects
    seen: set[tuple[int, ir.Place]] = set()
    for row in protocol.rows():
        for timer in row.armed:
            reads = effects(timer.duration).reads if timer.computed else set()
            for statement in row.entry_actions:
                changed = sorted(reads & effects(statement).writes)
                key = (timer.index, statement.place)
                if changed and key not in seen:
                    seen.add(key)
                    places.error(
                        "HSM0555",
                        statement.place,
                        f"this changes '{changed[0]}' after the duration of {timer.state} has been computed from it",
                        [("the duration", timer.place), ("the row", row.place)],
                    )


def _idle(handler: ir.Handler) -> bool:
    """Whatever guard holds, nothing is executed and the leaf stays active."""
    return all(
        not (row.exit_actions or row.actions or row.entry_actions)
        and row.target in (None, handler.leaf)
        for row in handler.rows
    )


def check_ignored(protocol: ir.Protocol, places: Places) -> None:
    for process in protocol.processes:
        for event in process.events:
            handlers = [
                handler
                for handler in process.handlers_of(event.name)
                if not process.leaf(handler.leaf).final
            ]
            ignored = any(handler.otherwise == "ignore" for handler in handlers)
            if event.external and ignored and not any(h.groups for h in handlers):
                places.error(
                    "HSM0544",
                    event.place,
                    f"event '{event.name}' of process {process.name} is handled in no state",
                )
