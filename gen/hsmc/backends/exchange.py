# SPDX-License-Identifier: MIT
"""What the two processors of a placement have to do with each other: messages, and which of them takes while it waits.

A raise that crosses is a message in a bounded queue, one queue for each direction, and messages are handled in the order in
which they were put.

Before an event begins that may put messages, its processor waits until the queue has room for all of them, and holds no
lock meanwhile. One of the two processors handles messages while it waits: one that puts no messages while it handles them
(`takes_while_waiting`), so handling them ends without waiting. The other one waits for a processor that never waits for
it. So neither waits for ever, however small the queues are; c_units.py refuses a placement without such a processor.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Optional, Sequence, cast

from .. import ir, naming, walk
from ..placement import Carried, Crossings

Event = tuple[str, str]  # process, event


@dataclass(frozen=True)
class Message:
    """`sender` and `receiver` are processors."""

    process: str
    event: str
    sender: str
    receiver: str
    carries: tuple[Carried, ...]

    @property
    def words(self) -> int:
        return 1 + len(self.carries)

    @property
    def device(self) -> str:
        """What puts the message, as an operation of a device (`divided`)."""
        return f"put_{self.process}_{self.event}"


class Exchange:
    """What the two processors of a placement have to do with each other."""

    def __init__(self, protocol: ir.Protocol, crossings: Crossings) -> None:
        placement = crossings.placement
        self.protocol = protocol
        self.placement = placement
        on = dict(placement.processors)
        self.entries = {(e.process, e.event): e for e in crossings.entries}
        found: dict[tuple[str, str, str], Message] = {}
        for raised in crossings.raises:
            sender, receiver = on[raised.source], on[raised.target]
            key = (raised.target, raised.event, sender)
            found.setdefault(
                key,
                Message(raised.target, raised.event, sender, receiver, raised.carries),
            )
        self.messages = tuple(found.values())
        self.holders = tuple(
            dict.fromkeys(shared.name.partition(".")[0] for shared in crossings.data)
        )
        # Pools whose records one processor may release while a message for one is on its way from it to the other.
        used = {shared.name for shared in crossings.data}
        receiving = {protocol.process(m.process).pool for m in self.messages}
        self.released_before = tuple(
            pool.name
            for pool in protocol.pools
            if f"{pool.name}.used" in used and pool.name in receiving
        )
        # What the messages that a processor takes make it send.
        self._answers = {
            processor: max(
                (
                    self.most((m.process, m.event))
                    for m in self.messages
                    if m.receiver == processor
                ),
                default=0,
            )
            for processor in dict.fromkeys(on.values())
        }

    def __bool__(self) -> bool:
        return bool(self.messages or self.holders)

    def most(self, *events: Event) -> int:
        """So many messages one of the events puts at most."""
        found = [self.entries[e].messages for e in events if e in self.entries]
        return max(found, default=0)

    def locked(self, *events: Event) -> bool:
        """Does one of the events use common data?"""
        return any(e in self.entries and self.entries[e].locked for e in events)

    def may_be_late(self, process: ir.Process) -> bool:
        """May a message for one of its records come when the record has had its end, or is in use again?"""
        return process.pool in self.released_before

    def waits(self, processor: str) -> bool:
        return any(
            entry.messages and self.placement.processor(process) == processor
            for (process, _), entry in self.entries.items()
        )

    @property
    def most_at_once(self) -> int:
        return max((entry.messages for entry in self.entries.values()), default=0)

    @property
    def takes_while_waiting(self) -> Optional[str]:
        """The processor; None where messages answer messages on both."""
        quiet = [name for name, answers in self._answers.items() if answers == 0]
        return quiet[0] if quiet else None

    def words(self) -> int:
        return max((message.words for message in self.messages), default=0)

    def members(self) -> tuple[str, ...]:
        """Members of the struct of the state that both processors use; of a pool also which records are in use."""
        pools = {pool.name for pool in self.protocol.pools}
        result: list[str] = []
        for holder in self.holders:
            result.append(naming.snake(holder))
            if holder in pools:
                result.append(f"{naming.snake(holder)}_used")
        return tuple(result)


def divided(exchange: Exchange) -> ir.Protocol:
    """The protocol as its two processors run it: a raise that crosses is an operation of a device, and the event comes from
    outside. Raises ValueError where processes of both processors raise one event of the same action.
    """
    protocol, on = exchange.protocol, dict(exchange.placement.processors)
    crossing = {(m.process, m.event): m for m in exchange.messages}
    processors = _processors_of_actions(protocol, on)
    devices = tuple(
        ir.Device(
            name=message.device,
            doc="",
            place=protocol.place,
            arguments=_arguments(protocol, message),
        )
        for message in exchange.messages
    )

    def of_process(process: ir.Process) -> ir.Process:
        here = {on[process.name]}
        return dataclasses.replace(
            process,
            events=tuple(
                dataclasses.replace(event, external=True, message=True)
                if (process.name, event.name) in crossing
                else event
                for event in process.events
            ),
            initial_actions=_replaced(process.initial_actions, here, on, crossing),
            handlers=tuple(
                dataclasses.replace(
                    handler,
                    groups=tuple(
                        dataclasses.replace(
                            group,
                            rows=tuple(of_row(row, here) for row in group.rows),
                        )
                        for group in handler.groups
                    ),
                )
                for handler in process.handlers
            ),
        )

    def of_row(row: ir.Row, here: set[str]) -> ir.Row:
        return dataclasses.replace(
            row,
            exit_actions=_replaced(row.exit_actions, here, on, crossing),
            actions=_replaced(row.actions, here, on, crossing),
            entry_actions=_replaced(row.entry_actions, here, on, crossing),
            raises=tuple(r for r in row.raises if {on[r[0]]} == here),
        )

    return dataclasses.replace(
        protocol,
        devices=(*protocol.devices, *devices),
        processes=tuple(of_process(process) for process in protocol.processes),
        actions=tuple(
            dataclasses.replace(
                action,
                body=_replaced(
                    action.body, processors.get(action.name, set()), on, crossing
                ),
                raises=tuple(
                    r
                    for r in action.raises
                    if {on[r[0]]} == processors.get(action.name, set())
                ),
            )
            for action in protocol.actions
        ),
    )


def _arguments(protocol: ir.Protocol, message: Message) -> tuple[ir.Argument, ...]:
    process = protocol.process(message.process)
    event = next(e for e in process.events if e.name == message.event)
    if process.pool is None:
        return event.arguments
    reference = ir.Argument(
        name=str(process.instance), type=protocol.pool(process.pool).reference
    )
    return (reference, *event.arguments)


def _processors_of_actions(
    protocol: ir.Protocol, on: dict[str, str]
) -> dict[str, set[str]]:
    """Where the processes run that reach an action."""
    bodies = {action.name: action.body for action in protocol.actions}
    found: dict[str, set[str]] = {}
    for process in protocol.processes:
        waiting: list[object] = [process.initial_actions]
        waiting += [walk.handler_parts(handler) for handler in process.handlers]
        while waiting:
            for node in walk.nodes(waiting.pop()):
                if isinstance(node, ir.ActionCall):
                    where = found.setdefault(node.action, set())
                    if on[process.name] not in where:
                        where.add(on[process.name])
                        waiting.append(bodies[node.action])
    return found


def _replaced(
    statements: Sequence[ir.Statement],
    here: set[str],
    on: dict[str, str],
    crossing: dict[Event, Message],
) -> tuple[ir.Statement, ...]:
    """With raises that leave the processors `here` as operations of a device."""
    result: list[ir.Statement] = []
    for node in statements:
        if isinstance(node, ir.Raise) and here - {on[node.process]}:
            if len(here) > 1:
                raise ValueError(
                    f"{node.place}: processes on both processors raise {node.process}.{node.event} here"
                )
            given = (() if node.instance is None else (node.instance,)) + node.arguments
            device = crossing[node.process, node.event].device
            result.append(
                ir.DeviceCall(place=node.place, device=device, arguments=given)
            )
        elif isinstance(node, ir.If):
            result.append(
                dataclasses.replace(
                    node,
                    then=_replaced(node.then, here, on, crossing),
                    otherwise=_replaced(node.otherwise, here, on, crossing),
                )
            )
        elif isinstance(node, ir.LOOPS):
            body = _replaced(node.body, here, on, crossing)
            result.append(cast(ir.Statement, dataclasses.replace(node, body=body)))
        else:
            result.append(node)
    return tuple(result)
