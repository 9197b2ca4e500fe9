# SPDX-License-Identifier: MIT
"""The queues between the two processors of a node, in the model of a placement (models/queue_support.h).

A raise that crosses is a message here, as in the image for both processors: `exchange.divided` has made an operation of a
device of it, which puts the message, and an event from outside, which comes when the other processor takes the message.
SPIN chooses when that is. Messages of one queue are taken in their order. An event that may put messages begins only
where its queue has room for all of them, as in the image. A message for a record that is free by then is ignored.

A transient variable of the world describes a step, for properties that judge the frames of this step. Where only lines
that bring events set it, and no observer does, it also describes what the messages of this step cause. So a message carries
its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Sequence

from .. import ir, naming, walk
from .c_records import width
from .exchange import Event, Exchange, Message

if TYPE_CHECKING:
    from .backend_world import FrameField, Line


class Queues:
    """`room`: messages in one queue; as few as the image allows."""

    def __init__(self, exchange: Exchange, world: ir.World) -> None:
        self.exchange = exchange
        observed = set(_set_by_observers(world))
        self.judged_by = tuple(
            field
            for field in world.variables
            if field.transient and field.name not in observed
        )
        self.processors = tuple(
            dict.fromkeys(where for _, where in exchange.placement.processors)
        )
        self.room = exchange.most_at_once
        self.slots = len(world.nodes) * len(self.processors) * self.room
        self.lines: Sequence[Line] = ()

    @property
    def message_bytes(self) -> int:
        return self.late_offset + bool(self.exchange.released_before)

    @property
    def context_offset(self) -> int:
        ends = [k.offset + k.bytes for line in self.lines for k in line.frame_fields]
        return max([2, *ends])

    @property
    def late_offset(self) -> int:
        """Where a message says that its record has been released since it was put."""
        return self.context_offset + sum(width(each.type) for each in self.judged_by)

    def may_be_late(self, line: Line) -> bool:
        """May the message come when its record has had its end, or is in use again? It is ignored then, as in the image."""
        return self.exchange.may_be_late(self._process(line))

    def pool(self, line: Line) -> str:
        return str(self._process(line).pool)

    def ends(self, line: Line) -> list[int]:
        """The final states of the record's machine."""
        return [leaf.number for leaf in self._process(line).leaves if leaf.final]

    def record(self, line: Line) -> FrameField:
        """Where a message names its record."""
        name = naming.snake(str(self._process(line).instance))
        return next(k for k in line.frame_fields if k.argument == name)

    def _process(self, line: Line) -> ir.Process:
        return self.exchange.protocol.process(self.message(line).process)

    def context(self) -> Iterator[tuple[str, int, int]]:
        """The variable of the world, and where a message has it: offset and bytes."""
        offset = self.context_offset
        for each in self.judged_by:
            yield each.name, offset, width(each.type)
            offset += width(each.type)

    def message(self, line: Line) -> Message:
        return self.exchange.messages[line.number - 1]

    def receiver(self, line: Line) -> int:
        """The processor, as a number."""
        return self.processors.index(self.message(line).receiver)

    def instance(self, line: Line) -> str:
        """The argument that names the record; "": the event is for none."""
        process = self._process(line)
        carried = {name for name, _ in line.wire.kept}
        return (
            naming.snake(str(process.instance)) if process.instance in carried else ""
        )

    def has_room(self, node: str, *events: Event) -> str:
        """A condition in C: may these events begin, one after the other, at a node? "": they put nothing."""
        on = dict(self.exchange.placement.processors)
        wanted = dict.fromkeys(self.processors, 0)
        for event in events:
            for receiver in self.processors:
                if receiver != on[event[0]]:
                    wanted[receiver] += self.exchange.most(event)
        return " && ".join(
            f"queue_has_room({node}, {self.processors.index(receiver)}u, {count}u)"
            for receiver, count in wanted.items()
            if count
        )


def _set_by_observers(world: ir.World) -> Iterator[str]:
    """Variables that observers assign, whole or in part."""
    for observer in world.observers:
        for node in walk.nodes(list(observer.block.statements)):
            target: object = None
            if isinstance(node, ir.Assign):
                target = node.target
            elif isinstance(node, ir.ClearVariable):
                target = node.variable
            elif isinstance(node, ir.SetBit):
                target = node.bits
            for part in walk.nodes(target):
                if isinstance(part, ir.WorldVariable):
                    yield part.name


def wires(exchange: Exchange, divided: ir.Protocol) -> list[ir.Wire]:
    """Each kind of message in the form of a line of the world."""
    return [_wire(message, exchange.protocol, divided) for message in exchange.messages]


def _wire(message: Message, protocol: ir.Protocol, divided: ir.Protocol) -> ir.Wire:
    device = next(d for d in divided.devices if d.name == message.device)
    process = protocol.process(message.process)
    event = next(e for e in process.events if e.name == message.event)
    return ir.Wire(
        device=message.device,
        when=None,
        at=ir.WorldFact(place=process.place, type=ir.IntegerType(32), name="node"),
        kept=tuple(
            (name, field)
            for name, _, field in (each.name.partition(".") for each in message.carries)
        ),
        arrives=None,
        event=ir.Offered(
            process=message.process,
            event=message.event,
            each=False,
            record=None,
            arguments=tuple(
                ir.ArgumentName(
                    place=event.place, type=argument.type, name=argument.name
                )
                for argument in event.arguments
            ),
        ),
        label=f"{message.process}.{message.event}",
        told=(),
        unchanged=None,
        block=ir.Block(statements=(), locals=()),
        place=device.place,
    )
