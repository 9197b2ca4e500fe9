# SPDX-License-Identifier: MIT
"""What recording the runs of an image takes (docs/conformance.md), as two C headers.

`PREFIX_observed.h` goes into an image whose runs are to be replayed: it keeps events, expiries and device operations
out of line, so that a simulator sees each call with its arguments. `PREFIX_watch.h` tells the recorder which functions
these are, what they carry, and where each variable and field lies. The C compiler fills in offsets and sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

from .. import ir, naming
from ..backends import backend_c, c_units
from ..backends.exchange import Message
from ..placement import PlacementAnalysis


@dataclass(frozen=True)
class WatchArgument:
    payload: Optional[ir.Payload]  # None: a number


@dataclass(frozen=True)
class WatchPoint:
    """A function whose calls are recorded. `title` begins the line of the trace."""

    symbol: str
    title: str
    declaration: str
    returns: int  # the recorder notes: 0 nothing, 1 the verdict, 2 that it came back
    arguments: tuple[WatchArgument, ...]


@dataclass(frozen=True)
class WatchMember:
    """A variable, a field of all records of a container, or its set of records in use. Numbers that depend on the C
    compiler are expressions. `words`: a set of bits."""

    symbol: str
    title: str  # with [] where the number of the record goes
    first: int
    count: int
    stride: str
    offset: str
    bytes: str
    elements: int
    words: int


class WatchWriter:
    def __init__(self, protocol: ir.Protocol, messages: Sequence[Message] = ()) -> None:
        self.protocol = protocol
        self.messages = {(m.process, m.event): m for m in messages}
        self.writer = backend_c.CWriter(protocol)
        self.names = self.writer.names

    def arguments(
        self, arguments: Sequence[ir.Argument], reference: bool = False
    ) -> tuple[WatchArgument, ...]:
        result = [WatchArgument(None)] if reference else []
        for argument in arguments:
            kind = argument.type
            payload = None
            if isinstance(kind, ir.PayloadType):
                payload = self.protocol.payload(kind.name)
            result.append(WatchArgument(payload))
        return tuple(result)

    def points(self) -> list[WatchPoint]:
        prefix = self.names.prefix
        start = f"{prefix}_initialise"
        result = [WatchPoint(start, "start", f"void {start}(void)", 2, ())]
        for process in self.protocol.processes:
            for event in process.events:
                message = self.messages.get((process.name, event.name))
                if not event.external and message is None:
                    continue
                symbol = self.names.lower(process.name, event.name)
                parameters = self.writer.entry_parameters(process, event)
                reference = process.pool is not None and event.needs_reference
                result.append(
                    WatchPoint(
                        symbol,
                        f"event {process.name}.{event.name}",
                        f"enum hsm_verdict {symbol}({parameters})",
                        1,
                        self.arguments(event.arguments, reference),
                    )
                )
        if self.protocol.timers:
            result.append(
                WatchPoint(
                    f"{prefix}_timer_expired",
                    "expiry",
                    f"void {prefix}_timer_expired(enum {prefix}_timer timer, uint32_t instance)",
                    2,
                    (WatchArgument(None), WatchArgument(None)),
                )
            )
        result += self.puts()
        for device in self.protocol.devices:
            symbol = self.names.lower("device", device.name)
            parameters = self.writer.parameter_list(device.arguments)
            result.append(
                WatchPoint(
                    symbol,
                    f"device {device.name}",
                    f"void {symbol}({parameters})",
                    0,
                    self.arguments(device.arguments),
                )
            )
        return result

    def puts(self) -> Iterator[WatchPoint]:
        """Raises that cross, as operations of a device (exchange.divided)."""
        for process in self.protocol.processes:
            for event in process.events:
                message = self.messages.get((process.name, event.name))
                if message is None:
                    continue
                symbol = self.names.put(process.name, event.name)
                own = self.writer.instance_parameter(process)
                parameters = self.writer.parameter_list(event.arguments, own)
                yield WatchPoint(
                    symbol,
                    f"device {message.device}",
                    f"void {symbol}({parameters})",
                    0,
                    self.arguments(event.arguments, bool(own)),
                )

    def members(self) -> list[WatchMember]:
        """In the order of the interpreter's slots (node_state.py), without parameters, counters and timers."""
        result: list[WatchMember] = []
        for process in self.protocol.processes:
            if process.pool is None:
                symbol = f"{naming.snake(process.name)}_state_"
                result.append(self.variable(symbol, f"{process.name}.state", None))
            for variable in process.variables:
                symbol = naming.snake(variable.name)
                title = f"{process.name}.{variable.name}"
                result.append(self.variable(symbol, title, variable.type))
        containers: list[Union[ir.Pool, ir.Table]] = [
            *self.protocol.pools,
            *self.protocol.tables,
        ]
        for container in containers:
            result += self.container(container)
        return result

    def variable(self, symbol: str, title: str, kind: Optional[ir.Type]) -> WatchMember:
        place = f"((struct {self.names.prefix}_state *)0)->{symbol}"
        elements, words = counted(kind)
        return WatchMember(
            symbol, title, 0, 1, "0", "0", f"sizeof({place})", elements, words
        )

    def container(self, declaration: Union[ir.Pool, ir.Table]) -> list[WatchMember]:
        name, symbol = declaration.name, naming.snake(declaration.name)
        count, struct = declaration.count.value, self.names.struct(declaration.name)
        result = []
        first = 0
        fields: list[tuple[str, str, Optional[ir.Type]]] = [
            (naming.snake(field.name), field.name, field.type)
            for field in declaration.fields
        ]
        if isinstance(declaration, ir.Pool) or declaration.pool is not None:
            first = 1
        if isinstance(declaration, ir.Pool):
            place = f"((struct {self.names.prefix}_state *)0)->{symbol}_used"
            result.append(
                WatchMember(
                    f"{symbol}_used",
                    f"{name}.used",
                    0,
                    1,
                    "0",
                    "0",
                    f"sizeof({place})",
                    1,
                    1,
                )
            )
            if declaration.process is not None:
                fields.append(("state_", "state", None))
        for member, title, kind in fields:
            elements, words = counted(kind)
            result.append(
                WatchMember(
                    symbol,
                    f"{name}[].{title}",
                    first,
                    count,
                    f"sizeof({struct})",
                    f"offsetof({struct}, {member})",
                    f"sizeof((({struct} *)0)->{member})",
                    elements,
                    words,
                )
            )
        return result


def counted(kind: Optional[ir.Type]) -> tuple[int, int]:
    """Elements, and whether it is a set of bits."""
    if isinstance(kind, ir.ArrayType):
        return kind.count.value, 0
    return 1, int(isinstance(kind, ir.BitsType))


def _row_processors(
    protocol: ir.Protocol, placement: Optional[ir.Placement]
) -> list[int]:
    """By the number of a transition, which processor takes it; none without a placement, and where either may."""
    if placement is None or placement.dynamic:
        return []
    on = dict(placement.processors)
    return [
        c_units.PROCESSORS.index(on[process.name])
        for process in protocol.processes
        for handler in process.handlers
        for _ in handler.rows
    ]


def generate(
    protocol: ir.Protocol, placement: Optional[ir.Placement] = None
) -> dict[str, str]:
    """File name -> text."""
    messages: Sequence[Message] = ()
    if placement is not None:
        messages = c_units.exchange_of(PlacementAnalysis(protocol), placement).messages
    writer = WatchWriter(protocol, messages)
    environment = backend_c.environment(writer.writer)
    context: dict[str, object] = {
        "protocol": protocol,
        "prefix": writer.names.prefix,
        "capitals": writer.names.capitals,
        "observed": f"{writer.names.prefix}_observed",
        "points": writer.points(),
        "members": writer.members(),
        "placement": placement,
        "row_processors": _row_processors(protocol, placement),
    }
    return {
        f"{writer.names.stem}_{part}.h": environment.get_template(
            f"conform/{part}.h.j2"
        ).render(context)
        for part in ("watch", "observed")
    }
