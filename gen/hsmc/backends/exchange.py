# SPDX-License-Identifier: MIT
"""What the two processors of a placement have to do with each other: messages, and which of them takes while it waits.

A raise that crosses is a message in a bounded queue, one queue for each direction, and messages are handled in the order in
which they were put.

Before an event begins that may put messages, its processor waits until the queue has room for all of them, and holds no
lock meanwhile. One of the two processors handles what comes while it waits. That is one whose messages make it put none
(`takes_while_waiting`), so what it handles then ends without waiting. The other one waits for a processor that always
gets on. So neither waits for ever, however small the queues are; c_units.py refuses a placement without such a processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional

from .. import ir, naming
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
