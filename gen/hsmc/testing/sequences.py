# SPDX-License-Identifier: MIT
"""Random events that make sense often enough: the generic half of what feeds a differential run.

Plausible values are found without knowing the protocol: payloads that the node itself has handed to a device are
offered to it again, whole or with a field changed, and a field takes values which fields of that name have in the
state, or next to them. What a protocol's world would do on top is a subclass with its own `plausible`.
"""

from __future__ import annotations

import random
from typing import Optional, Sequence

from .. import ir
from ..admission import Carried, carried, largest
from .differential import Command, Reference
from ..interpreter.interpreter import EntryPoint, LogEntry, Program, Value

RECENT = 24  # payloads remembered per type


def device_payloads(program: Program) -> dict[int, list[tuple[str, int, int]]]:
    """Where payloads lie in a log entry of a device call: (payload, first, behind the last)."""
    result = {}
    for device in program.protocol.devices:
        position, found = 1, []
        for argument in device.arguments:
            width = program.writer.width(argument.type)
            if isinstance(argument.type, ir.PayloadType):
                found.append((argument.type.name, position, position + width))
            position += width
        result[program.writer.log_numbers["device", device.name]] = found
    return result


class Guide:
    """Chooses events for one node, a sequence at a time. Deterministic in the seeds given to `begin`."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.node = reference.node
        self.program: Program = reference.program
        self.protocol = self.program.protocol
        self.random = random.Random()
        self.recent: dict[str, list[tuple[int, ...]]] = {
            payload.name: [] for payload in self.protocol.payloads
        }
        self.slots_by_name: dict[str, list[int]] = {}
        for index, slot in enumerate(self.node.layout.slots):
            if slot.kind == "value":
                name = slot.name.split(".")[-1].split("[")[0]
                self.slots_by_name.setdefault(name, []).append(index)
        self.device_arguments = device_payloads(self.program)
        self.timer_slots = [
            (slot, timer.index, instance)
            for timer in self.protocol.timers
            for instance, slot in self.node.layout.timers[timer.name].items()
        ]

    # --- a sequence

    def begin(self, seed: int) -> Command:
        """A new node: parameters at their defaults, at an end of their range, or anything."""
        self.random.seed(seed)
        for payloads in self.recent.values():
            payloads.clear()
        if self.random.random() < 0.2:
            return ("D",)
        values = [self.parameter(parameter) for parameter in self.protocol.parameters]
        return ("R", *values)

    def parameter(self, parameter: ir.Parameter) -> int:
        if self.random.random() < 0.5:
            return parameter.default.value
        low, high = 0, (1 << self.program.number_of_bits(parameter.type)) - 1
        if parameter.range is not None:
            low, high = parameter.range.low.value, parameter.range.high.value
        return self.random.choice((low, high, self.random.randint(low, high)))

    def next(self) -> Command:
        """What happens next."""
        chance = self.random.random()
        if chance < 0.08:
            expiry = self.expiry()
            if expiry is not None:
                return expiry
        if chance < 0.1:
            live = [p for p in self.protocol.parameters if p.live]
            if live:
                parameter = self.random.choice(live)
                return ("P", parameter.index, self.parameter(parameter))
        if chance < 0.8:
            command = self.likely_command()
            if command is not None:
                return command
        return self.any_event()

    def likely_command(self) -> Optional[Command]:
        """What the world around the node would do: for subclasses."""
        return None

    def observe(self, log: list[LogEntry]) -> None:
        """Called after every event with what it logged."""
        for entry in log:
            for payload, first, last in self.device_arguments.get(entry[0], ()):
                payloads = self.recent[payload]
                payloads.append(entry[first:last])
                del payloads[:-RECENT]

    def expiry(self) -> Optional[Command]:
        state = self.node.state
        armed = [entry for entry in self.timer_slots if state[entry[0]]]
        if not armed:
            return None
        _, timer, instance = self.random.choice(armed)
        return ("T", timer, instance)

    # --- one event

    def any_event(self) -> Command:
        entry = self.random.choice(self.program.entries)
        return self.event(entry)

    def event(self, entry: EntryPoint) -> Command:
        values: list[Value] = []
        if entry.takes_reference:
            instances = self.node.instances(entry.process.name)
            if instances and self.random.random() < 0.9:
                values.append(self.random.choice(instances))
            else:
                pool = self.node.layout.containers[str(entry.process.pool)]
                values.append(self.random.randint(0, min(pool.count + 1, 255)))
        for argument in entry.event.arguments:
            items = list(carried(self.protocol, (argument,)))
            if isinstance(argument.type, ir.PayloadType):
                values.append(self.payload(argument.type.name, items))
            else:
                values.append(self.number(argument.name, items[0]))
        return ("E", entry.number, *values)

    def payload(self, name: str, items: Sequence[Carried]) -> tuple[int, ...]:
        fields = self.protocol.payload(name).fields
        recent = self.recent[name]
        if recent and self.random.random() < 0.6:
            values = list(self.random.choice(recent))
            for _ in range(self.random.choice((0, 0, 1, 1, 2))):
                index = self.random.randrange(len(fields))
                values[index] = self.number(fields[index].name, items[index])
        else:
            values = [self.number(f.name, item) for f, item in zip(fields, items)]
        return tuple(values)

    def number(self, name: str, item: Carried) -> int:
        """Allowed but for one time in fifty; often one the state knows, or next to it."""
        if isinstance(item.type, ir.BoolType):
            return self.random.randrange(2)
        low, high = item.lowest, item.highest
        chance = self.random.random()
        if chance < 0.02:
            return self.random.randint(0, largest(item.type))
        if isinstance(item.type, ir.EnumerationType):
            return self.random.choice(item.numbers)
        value = -1
        slots = self.slots_by_name.get(name)
        if slots and chance < 0.5:
            value = self.node.state[self.random.choice(slots)]
            value += self.random.choice((0, 0, 0, 1, -1))
        elif chance < 0.85:
            value = low + self.random.choice((0, 0, 1, 1, 2, 3))
        elif chance < 0.92:
            value = self.random.choice((low, high))
        if not low <= value <= high:
            value = self.random.randint(low, high)
        return value
