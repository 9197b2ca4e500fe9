# SPDX-License-Identifier: MIT
"""Values that are never read and statements that are never reached: payload fields, locals, what follows a return."""

from __future__ import annotations

from typing import Iterable, Iterator, Union

from .. import ir, walk
from ..frontend.machines import walk as statements_of
from ..frontend.places import Places


def check_data_flow(protocol: ir.Protocol, places: Places) -> None:
    _check_payloads(protocol, places)
    for body in _bodies(protocol):
        _check_locals(body, places)
    for callable_ in _callables(protocol):
        _check_reached(callable_.body, places)


def _callables(protocol: ir.Protocol) -> list[Union[ir.Function, ir.Action]]:
    return [*protocol.functions, *protocol.actions]


def _bodies(protocol: ir.Protocol) -> Iterator[list[object]]:
    """What shares locals: a function, an action, all rows of a process."""
    for callable_ in _callables(protocol):
        yield [callable_.body]
    for process in protocol.processes:
        parts: list[object] = [process.initial_actions]
        for handler in process.handlers:
            parts += walk.handler_parts(handler)
        yield parts


def _check_payloads(protocol: ir.Protocol, places: Places) -> None:
    """Fields left out wherever a payload is built, though events from outside do not bring it either."""
    built: dict[str, set[str]] = {}
    for body in _bodies(protocol):
        for node in walk.nodes(body):
            if isinstance(node, ir.BuildPayload):
                built.setdefault(node.payload, set()).update(n for n, _ in node.fields)
    given = {
        argument.type.name
        for process in protocol.processes
        for event in process.events
        for argument in event.arguments
        if event.external and isinstance(argument.type, ir.PayloadType)
    }
    for payload in protocol.payloads:
        if payload.name in built and payload.name not in given:
            for field in payload.fields:
                if field.name not in built[payload.name]:
                    places.error(
                        "HSM0709",
                        field.place,
                        f"field '{field.name}' of payload '{payload.name}' is set nowhere: it is always 0",
                    )


def _check_locals(body: list[object], places: Places) -> None:
    """Assigned, but never read: neither after the assignment nor anywhere else."""
    read = walk.read_locals(body)
    seen: set[ir.Place] = set()
    for node in walk.nodes(body):
        if isinstance(node, ir.Assign) and isinstance(node.target, ir.LocalName):
            local = node.target.local
            if local.unique not in read and node.place not in seen:
                seen.add(node.place)
                places.error(
                    "HSM0710",
                    node.target.place,
                    f"'{local.name}' is assigned, but never read",
                    [("declared here", local.place)],
                )


def _check_reached(body: tuple[ir.Statement, ...], places: Places) -> None:
    blocks = [body]
    for statement in statements_of(body):
        if isinstance(statement, ir.If):
            blocks += [statement.then, statement.otherwise]
        elif isinstance(statement, ir.LOOPS):
            blocks.append(statement.body)
    for block in blocks:
        for before, after in zip(block, block[1:]):
            if _returns([before]):
                places.error(
                    "HSM0711",
                    after.place,
                    "this statement is never reached: what comes before it returns",
                    [("the statement before", before.place)],
                )
                break


def _returns(statements: Iterable[ir.Statement]) -> bool:
    """Does every way through end in a return?"""
    return any(
        isinstance(statement, ir.Return)
        or isinstance(statement, ir.If)
        and _returns(statement.then)
        and _returns(statement.otherwise)
        for statement in statements
    )
