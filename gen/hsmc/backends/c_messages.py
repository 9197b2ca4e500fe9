# SPDX-License-Identifier: MIT
"""The C by which the units of two processors raise each other's events and use common data (exchange.py).

In the unit that raises, a function puts the message; in the other unit `PREFIX_message_came` raises the
event. Word 0 of a message is its kind, then each carried value has a word of its own. Events that use common data run under
the lock, from their first guard to their last action.
"""

from __future__ import annotations

import dataclasses
from typing import Mapping, Sequence

from .. import ir, naming
from . import backend_c
from .exchange import Exchange, Message


class UnitWriter(backend_c.CWriter):
    """The machines of one processor."""

    def __init__(self, unit: ir.Protocol, exchange: Exchange, processor: str) -> None:
        incoming = tuple(m for m in exchange.messages if m.receiver == processor)
        super().__init__(_with_entries(unit, incoming))
        self.exchange = exchange
        self.incoming = incoming
        self.outgoing = tuple(m for m in exchange.messages if m.sender == processor)
        self.waits = exchange.waits(processor)
        self.released_before = exchange.released_before
        self.takes_late = any(
            exchange.may_be_late(self.any_process(m.process)) for m in incoming
        )
        self.takes = exchange.takes_while_waiting == processor and bool(incoming)

    # --- raising

    def any_process(self, name: str) -> ir.Process:
        return self.exchange.protocol.process(name)

    def raising_function(self, process: str, event: str) -> str:
        if any((m.process, m.event) == (process, event) for m in self.outgoing):
            return self.names.put(process, event)
        return super().raising_function(process, event)

    def declared(self, message: Message) -> ir.Event:
        process = self.any_process(message.process)
        return next(e for e in process.events if e.name == message.event)

    def sending_function(self, message: Message) -> str:
        """What stands for the handler of a process on the other processor."""
        process, event = self.any_process(message.process), self.declared(message)
        parameters = self.parameter_list(
            event.arguments, self.instance_parameter(process)
        )
        name = self.names.put(message.process, message.event)
        lines = [
            f"void {name}({parameters})",
            "{",
            self.line(
                1, f"volatile uint32_t *const message_ = {self.hook('BEGIN')}();"
            ),
            "",
        ]
        carried = {value.name.partition(".")[0] for value in message.carries}
        for argument in event.arguments:
            if argument.name not in carried:
                lines.append(self.line(1, f"(void){naming.snake(argument.name)};"))
        lines.append(
            self.line(
                1,
                f"message_[0] = {self.names.message(message.process, message.event)};",
            )
        )
        for word, value in enumerate(message.carries, start=1):
            holder, _, member = value.name.partition(".")
            text = naming.snake(holder)
            if member:
                text += f"->{naming.snake(member)}"
            elif word == 1 and self.exchange.may_be_late(process):
                text += f" | {self.releases(process, text)} << 16"
            lines.append(self.line(1, f"message_[{word}] = {text};"))
        lines += [self.line(1, f"{self.hook('PUT')}();"), "}"]
        return "\n".join(lines)

    def hook(self, name: str) -> str:
        return self.names.upper("message", name)

    def releases(self, process: ir.Process, reference: str) -> str:
        """How often the record has been released."""
        assert process.pool is not None
        return f"{self.names.releases(process.pool)}[{reference} - 1u]"

    # --- incoming messages

    def lateness(self, process: ir.Process, event: ir.Event) -> list[str]:
        """The record has had its end, or has been released since the message was put."""
        if not event.message or not self.exchange.may_be_late(process):
            return []
        assert process.pool is not None and process.instance is not None
        name = naming.snake(process.instance)
        record = f"{self.state(naming.snake(process.pool))}[{name} - 1u]"
        ends = [leaf.name for leaf in process.leaves if leaf.final]
        return [
            *(f"{record}.state_ == {self.names.leaf(process.name, e)}" for e in ends),
            f"releases_ != (uint16_t){self.releases(process, name)}",
        ]

    def came(self, message: Message) -> str:
        """The case of a message that has come."""
        event = self.declared(message)
        process = self.any_process(message.process)
        words = {value.name: i for i, value in enumerate(message.carries, start=1)}
        lines = [
            self.line(
                1, f"case {self.names.message(message.process, message.event)}: {{"
            )
        ]
        passed: list[str] = []
        if process.pool is not None:
            passed.append(self.scalar_from(message, words, str(process.instance)))
            if self.exchange.may_be_late(process):
                lines.append(self.line(2, "releases_ = (uint16_t)(words_[1] >> 16);"))
        for argument in event.arguments:
            if not isinstance(argument.type, ir.PayloadType):
                passed.append(self.scalar_from(message, words, argument.name))
                continue
            name = naming.snake(argument.name)
            fields = [
                f".{naming.snake(n.partition('.')[2])} = {self.scalar_from(message, words, n)}"
                for n in words
                if n.startswith(f"{argument.name}.")
            ]
            struct = self.names.struct(argument.type.name)
            lines.append(self.line(2, f"const {struct} {name} = {{"))
            lines += [self.line(3, f"{field},") for field in fields or ["0"]]
            lines += [self.line(2, "};"), ""]
            passed.append(f"&{name}")
        entry = self.names.lower(message.process, message.event)
        lines.append(self.line(2, f"(void){self.call(entry, passed)};"))
        lines += [self.line(2, "return;"), self.line(1, "}")]
        return "\n".join(lines)

    def scalar_from(self, message: Message, words: Mapping[str, int], name: str) -> str:
        kind = next(value.type for value in message.carries if value.name == name)
        text = f"words_[{words[name]}]"
        if isinstance(kind, ir.BoolType):
            return f"{text} != 0"
        scalar = self.names.scalar(kind)
        return text if scalar == "uint32_t" else f"({scalar}){text}"

    # --- around an event

    def event_begins(self, process: str, events: Sequence[str], depth: int) -> str:
        named = [(process, event) for event in events]
        lines = []
        most = self.exchange.most(*named)
        if most:
            lines.append(self.line(depth, f"{self.waiting_name}({most}u);"))
        if self.exchange.locked(*named):
            lines.append(self.line(depth, f"{self.names.upper('LOCK')}();"))
        return "\n".join(lines)

    def event_ends(self, process: str, events: Sequence[str], depth: int) -> str:
        if not self.exchange.locked(*((process, event) for event in events)):
            return ""
        return self.line(depth, f"{self.names.upper('UNLOCK')}();")

    @property
    def waiting_name(self) -> str:
        return f"{self.names.prefix}_wait_for_room_"


def _with_entries(unit: ir.Protocol, incoming: Sequence[Message]) -> ir.Protocol:
    """An event that comes as a message begins as an external one does."""
    coming = {(m.process, m.event) for m in incoming}
    return dataclasses.replace(
        unit,
        processes=tuple(
            dataclasses.replace(
                process,
                events=tuple(
                    dataclasses.replace(event, external=True, message=True)
                    if (process.name, event.name) in coming
                    else event
                    for event in process.events
                ),
            )
            for process in unit.processes
        ),
    )


def header(exchange: Exchange) -> str:
    """PREFIX_messages.h, which both units include."""
    writer = backend_c.CWriter(exchange.protocol)
    messages = [
        (writer.protocol.process(message.process), event, message)
        for message in exchange.messages
        for event in writer.protocol.process(message.process).events
        if event.name == message.event
    ]
    template = backend_c.environment(writer).get_template("c/messages.h.j2")
    context = backend_c.context_of(writer)
    return backend_c.wrapped(
        template.render({**context, "exchange": exchange, "messages": messages})
    )
