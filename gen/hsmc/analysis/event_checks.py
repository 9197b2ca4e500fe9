"""Durations of nothing, expiries without effect, events no state does anything with."""

from __future__ import annotations

from .. import ir
from ..frontend.places import Places


def check_timers(protocol: ir.Protocol, places: Places) -> None:
    parameters = {parameter.name: parameter for parameter in protocol.parameters}
    for timer in protocol.timers:
        duration = timer.duration
        if duration.value == 0:
            places.error(
                "HSM0541",
                timer.place,
                "a duration of 0: the state would be left as soon as it is entered",
            )
        elif isinstance(duration, ir.ParameterName):
            parameter = parameters[duration.name]
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
