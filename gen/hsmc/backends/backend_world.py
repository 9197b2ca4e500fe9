# SPDX-License-Identifier: MIT
"""The world of a spec for SPIN: what surrounds the nodes, once, in C, for both engines.

SPIN chooses what happens next, and keeps the variables; what they mean is C, on top of models/world_support.h. Files, all
for one check and one kind of search:

    NAME_world.pml   variables, the loop of choices, the claim
    NAME_devices.h   device operations, conditions, what is asserted; also for `hsmc replay` without SPIN
    NAME_schedule.h  what each choice does; the arguments of the events it brings
    NAME_model.h, NAME_port.h   how the generated C lives inside
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence, Union, assert_never

from .. import ir, naming, walk
from . import backend_c
from .backend_promela import PromelaWriter
from .promela_statements import handler_owner
from .c_expressions import ATOM, BOOL, INT, UNARY, WORD, Text
from .c_records import width
from .exchange import Exchange
from .executions import Counting
from .promela_expressions import field_name
from .world_queues import Queues, wires

NODES_LIMIT = 15  # half a byte of a frame


class Unsupported(Exception):
    """What a model has no room for, in the words of the spec."""


class WorldWriter(backend_c.CWriter):
    """Statements of the world as C. `node`: what the word means where the statement stands."""

    node = ""
    always: Sequence[ir.Assert] = ()

    def __init__(self, protocol: ir.Protocol, counting: Counting) -> None:
        super().__init__(protocol)
        self.read_locals = _Everything()
        self.counting = counting

    def variable(self, name: str) -> str:
        return f"hsm_now->{variable_name(name)}"

    def world_expression(
        self, node: Union[ir.WorldVariable, ir.WorldView, ir.WorldFact]
    ) -> Text:
        match node:
            case ir.WorldVariable():
                return self._world_variable(node)
            case ir.WorldView():
                promoted = BOOL if isinstance(node.type, ir.BoolType) else WORD
                return Text(f"hsm_view_{naming.snake(node.name)}", ATOM, promoted)
            case ir.WorldFact():
                if node.name == "node":
                    return Text(self.node, ATOM, WORD)
                return Text(f"hsm_{node.name}()", ATOM, BOOL)
            case _:
                assert_never(node)

    def _world_variable(self, node: ir.WorldVariable) -> Text:
        place = self.variable(node.name)
        if isinstance(node.type, ir.BitsType):
            return Text(f"(uint32_t *)&{place}", UNARY, WORD)
        if isinstance(node.type, ir.ArrayType):
            return Text(place, ATOM, WORD)
        return self.read(place, node.type)

    def read(self, place: str, kind: ir.Type) -> Text:
        """SPIN's numbers are signed."""
        if isinstance(kind, ir.BoolType):
            return Text(place, ATOM, BOOL)
        if getattr(kind, "bits", 32) < 32:
            return Text(place, ATOM, INT)
        return Text(f"(uint32_t){place}", UNARY, WORD)

    def _element(self, node: ir.Element) -> Text:
        assert isinstance(node.base.type, ir.ArrayType)
        index = self.text(node.index)
        if node.index.value is None:
            place = naming.quoted(str(node.place))
            count = self.size(node.base.type.count)
            index = self.call("hsm_world_index", [index, count, place])
        return self.read(f"{self.text(node.base)}[{index}]", node.type)

    # What generated C checks in a build with HSM_CHECKED, a world checks for both engines: its C is the same for both.

    def checked(self, name: str, arguments: list[str], node: ir.Expression) -> str:
        return self.call(name, [*arguments, naming.quoted(str(node.place))])

    def shift(self, node: ir.Binary, places: str) -> str:
        return self.checked("hsm_world_shift", [places], node)

    def bits_call(
        self,
        helper: str,
        bits: ir.Expression,
        *rest: ir.Expression,
        written: bool = False,
    ) -> str:
        assert isinstance(bits.type, ir.BitsType)
        size = self.size(bits.type.count)
        index, *length = [self.text(each) for each in rest]
        if length:
            index = self.checked("hsm_world_bits", [index, *length, size], rest[0])
        elif rest[0].value is None:
            index = self.checked("hsm_world_index", [index, size], rest[0])
        place = self.written(bits) if written else self.text(bits)
        return self.call(helper, [place, size, index, *length])

    def _may_be_cut(self, node: ir.Expression, kind: ir.Type) -> bool:
        if not isinstance(kind, (ir.IntegerType, ir.EnumerationType)):
            return False
        return kind.bits < 32 and self.expression(node).promoted == WORD

    def _fitting(self, node: ir.Expression, kind: ir.Type) -> str:
        assert isinstance(kind, (ir.IntegerType, ir.EnumerationType))
        largest = naming.unsigned(str((1 << kind.bits) - 1))
        return self.checked("hsm_world_fits", [self.text(node), largest], node)

    def _narrow(self, node: ir.Narrow) -> Text:
        """Of an argument, a field of a payload, what a function gives."""
        if node.meant or not self._may_be_cut(node.operand, node.type):
            return super()._narrow(node)
        text = self._fitting(node.operand, node.type)
        return Text(f"({self.names.scalar(node.type)}){text}", UNARY, INT)

    def _assign(self, node: ir.Assign, depth: int) -> str:
        target = self.text(node.target).removeprefix("(uint32_t)")
        kind, value = node.target.type, node.value
        text = self.stored(value, kind)
        if value.value is None and self._may_be_cut(value, kind):
            text = f"({self.names.scalar(kind)}){self._fitting(value, kind)}"
        return self.line(depth, f"{target} = {text};")

    def world_statement(
        self, node: Union[ir.ClearVariable, ir.Assert], depth: int
    ) -> str:
        match node:
            case ir.ClearVariable():
                place = self.variable(node.variable.name)
                return self.line(depth, zeroed(place, node.variable.type))
            case ir.Assert():
                return self.line(depth, self._asserted(node))
            case _:
                assert_never(node)

    def _asserted(self, node: ir.Assert) -> str:
        number = self.counting.number

        def counted(position: int) -> str:
            return f"WORLD_PREMISE({number('premise', node.place, position)}u"

        condition = self.with_premises(node.condition, node.premises, counted)
        text = naming.quoted(node.text)
        line = f"HOLDS_AS({node.property}, {condition}, {text});"
        if any(node is each for each in self.always):  # asserted at each step
            return line
        return f"{self.counting.call('assert', node.place)} {line}"

    def _call(self, node: ir.Call) -> Text:
        """The world has functions of its own, for the generated C may not be there."""
        function = next(f for f in self.protocol.functions if f.name == node.function)
        arguments = self.arguments(function.arguments, node.arguments)
        name = self.function_name(function)
        return self.place(self.call(name, arguments), function.result)

    def function_name(self, function: ir.Function) -> str:
        return f"world_{naming.snake(function.name)}"

    def body(self, block: ir.Block) -> str:
        self.fixed_locals = {
            local.unique for local in block.locals
        } - walk.assigned_locals((block.statements,))
        return self.block(block.statements, 1)


class _Everything(set[str]):
    """Every local counts as read."""

    def __contains__(self, item: object) -> bool:
        return True


def variable_name(name: str) -> str:
    """Of a variable of the world in the model: kept clear of what SPIN and the generated code declare."""
    return f"world_{naming.plain(name)}"


def zeroed(place: str, kind: ir.Type) -> str:
    """A statement in C. A flag is a bit field of SPIN's state: it has no address."""
    if isinstance(kind, ir.ArrayType):
        return f"memset({place}, 0, sizeof({place}));"
    return f"{place} = 0;"


@dataclass(frozen=True)
class FrameField:
    """A number of a frame on the wire: where it lies, and where it comes from and goes to."""

    offset: int
    bytes: int
    place: str  # in the device's arguments
    argument: str
    field: str  # "" for a plain number
    kind: str  # in C


@dataclass(frozen=True)
class Line:
    """A wire line as the templates print it."""

    number: int  # from 1
    wire: ir.Wire
    frame_fields: tuple[FrameField, ...]
    when: str
    at: str
    arrives: str  # condition
    unchanged: str  # condition
    arrival: str  # statements
    setting: str  # of the event's arguments
    trail_values: tuple[tuple[str, str], ...]
    declared: tuple[str, ...]  # arguments declared again on arrival


class WorldBackend:
    """`exchange`: of the placement that divides the nodes; the protocol is then `exchange.divided`."""

    def __init__(
        self,
        protocol: ir.Protocol,
        liveness: bool,
        exchange: Optional[Exchange] = None,
    ) -> None:
        world = protocol.world_of(str(protocol.check))
        assert world is not None
        self.protocol = protocol
        self.liveness = liveness
        # What a bound rules out would only take room in each state.
        offers = tuple(o for o in world.offers if not ir.ruled_out(o.when))
        self.world = dataclasses.replace(world, offers=offers)
        self.counting = Counting(protocol, world)
        self.c = WorldWriter(protocol, self.counting)
        self.c.always = world.always
        self.p = PromelaWriter(protocol)
        self.prefix = self.c.names.prefix
        self.node = f"(uint32_t){self.prefix}_node"
        self.queues: Optional[Queues] = None
        if exchange is not None and exchange.messages:
            self.queues = Queues(exchange, self.world)
            self.queues.lines = [
                self._line(number, wire)
                for number, wire in enumerate(wires(exchange, protocol), start=1)
            ]
        if len(self.world.nodes) > NODES_LIMIT:
            raise Unsupported(
                f"{len(self.world.nodes)} nodes: a model has room for {NODES_LIMIT}"
            )

    # --- events

    def event(self, offered: ir.Offered) -> tuple[ir.Process, ir.Event]:
        process = self.protocol.process(offered.process)
        return process, next(e for e in process.events if e.name == offered.event)

    def setting(self, offered: ir.Offered, depth: int = 1) -> str:
        """Statements that leave an event's arguments where the entry points of the model look for them."""
        process, event = self.event(offered)
        owner = handler_owner(process.name, event.name)
        lines = []
        for argument, value in zip(event.arguments, offered.arguments, strict=True):
            if not isinstance(argument.type, ir.PayloadType):
                target = self.p.variable(owner, argument.name)
                lines.append(
                    f"{target} = (int){self.c.expression(value).as_unary_operand()};"
                )
                continue
            variable = self.p.event_payload(argument.type.name)
            given = dict(value.fields) if isinstance(value, ir.BuildPayload) else {}
            for field in self.protocol.payload(argument.type.name).fields:
                if isinstance(value, ir.ArgumentName):
                    source = f"{naming.snake(value.name)}->{naming.snake(field.name)}"
                elif field.name in given:
                    source = self.c.expression(given[field.name]).as_unary_operand()
                else:
                    source = "0"
                lines.append(f"{variable}.{field_name(field.name)} = (int){source};")
        return "\n".join("\t" * depth + line for line in lines)

    def sent_arguments(self, sent: ir.Sent) -> list[str]:
        """Declarations of the device's arguments, for the function that puts its frame on the wire."""
        device = self.device(sent.device)
        self.c.node = self.node
        result = []
        for argument, value in zip(device.arguments, sent.arguments, strict=True):
            if isinstance(value, ir.BuildPayload):
                fields = [
                    f".{naming.snake(name)} = ({self.field_kind(value, name)}){self.c.expression(each).as_unary_operand()}"
                    for name, each in value.fields
                ]
                struct = self.c.names.struct(value.payload)
                text = f"&({struct}){{{', '.join(fields)}}}"
                result.append(
                    f"const {struct} *const {naming.snake(argument.name)} = {text};"
                )
            else:
                kind = self.c.names.scalar(argument.type)
                text = f"({kind}){self.c.expression(value).as_unary_operand()}"
                result.append(f"const {kind} {naming.snake(argument.name)} = {text};")
        return result

    def sent_call(self, sent: ir.Sent) -> str:
        names = [naming.snake(a.name) for a in self.device(sent.device).arguments]
        return f"hsm_put_{naming.snake(sent.device)}({', '.join(names)});"

    def field_kind(self, value: ir.BuildPayload, name: str) -> str:
        fields = self.protocol.payload(value.payload).fields
        return self.c.names.scalar(next(f.type for f in fields if f.name == name))

    def instance_variable(self, offered: ir.Offered) -> str:
        process, event = self.event(offered)
        return self.p.variable(
            handler_owner(process.name, event.name), str(process.instance)
        )

    def used_records(self, offered: ir.Offered) -> str:
        """Of a pool at the node, as a word; each engine keeps it elsewhere."""
        pool = str(self.event(offered)[0].pool)
        return f"hsm_used({self.prefix}_node, {naming.snake(pool)}_used)"

    # --- the wire

    def lines(self) -> list[Line]:
        return [
            self._line(number, wire)
            for number, wire in enumerate(self.world.wires, start=1)
        ]

    def _line(self, number: int, wire: ir.Wire) -> Line:
        device = self.device(wire.device)
        frame_fields = tuple(self._frame_fields(device, wire))
        self.c.node = self.node
        when = self.c.text(wire.when) if wire.when is not None else ""
        at = self.c.text(wire.at)
        self.c.node = "hsm_from"
        trail_values = tuple((name, self.c.text(value)) for name, value in wire.told)
        still = wire.unchanged.when if wire.unchanged is not None else None
        return Line(
            number,
            wire,
            frame_fields,
            when,
            at,
            self.condition(wire.arrives, ""),
            self.condition(still, "true"),
            self.c.body(wire.block),
            self.setting(wire.event),
            trail_values,
            tuple(self._declared(device, wire, frame_fields)),
        )

    def device(self, name: str) -> ir.Device:
        return next(d for d in self.protocol.devices if d.name == name)

    def _frame_fields(self, device: ir.Device, wire: ir.Wire) -> Iterator[FrameField]:
        offset = 2
        arguments = {argument.name: argument for argument in device.arguments}
        for argument, field in wire.kept:
            kind: ir.Type = arguments[argument].type
            name, member = naming.snake(argument), naming.snake(field)
            if isinstance(kind, ir.PayloadType):
                fields = self.protocol.payload(kind.name).fields
                kind = next(f.type for f in fields if f.name == field)
            place = f"{name}->{member}" if field else name
            size = width(kind)
            scalar = self.c.names.scalar(kind)
            yield FrameField(offset, size, place, name, member, scalar)
            offset += size

    def _declared(
        self, device: ir.Device, wire: ir.Wire, frame_fields: Sequence[FrameField]
    ) -> Iterator[str]:
        """The device's arguments again, from the bytes of a frame."""
        for argument in device.arguments:
            name = naming.snake(argument.name)
            own = [each for each in frame_fields if each.argument == name]
            reads = [
                f"({k.kind})wire_number(hsm_frame, {k.offset}u, {k.bytes}u)"
                for k in own
            ]
            if not own:
                continue
            if not isinstance(argument.type, ir.PayloadType):
                yield f"const {own[0].kind} {name} = {reads[0]};"
                continue
            members = ", ".join(
                f".{k.field} = {read}" for k, read in zip(own, reads, strict=True)
            )
            struct = self.c.names.struct(argument.type.name)
            yield f"const {struct} *const {name} = &({struct}){{{members}}};"

    @property
    def losses(self) -> Optional[int]:
        """So many at most; None: no limit, or none at all."""
        return self.world.loses.limit if self.world.loses else None

    @property
    def copies(self) -> Optional[int]:
        return self.world.repeats.limit if self.world.repeats else None

    @property
    def repeats_always(self) -> bool:
        return self.world.repeats is not None and self.world.repeats.limit is None

    @property
    def copy_choices(self) -> Sequence[str]:
        """What a frame that arrives may be, as C: is it a copy?"""
        return ("false", "true") if self.copies else ("false",)

    @property
    def slots(self) -> int:
        if not self.world.wires:
            return 0
        nodes = len(self.world.nodes)
        directions = 1 if self.world.reorders else nodes * (nodes - 1)
        # Once the link is good what an event puts there finds room, and each node may have to put something there at once.
        room = max(nodes, 2) if self.liveness or self.world.good else 1
        # What waits in queues between processors may become a frame each, when the wire had room only for what put it there.
        late = self.queues.slots if self.queues and room > 1 else 0
        return self.world.in_flight * directions * room + late

    def frame_bytes(self, lines: Sequence[Line]) -> int:
        ends = [k.offset + k.bytes for line in lines for k in line.frame_fields]
        return max([2, *ends])

    # --- what may happen

    def clocks(self) -> list[tuple[ir.Timer, int, int]]:
        """Each timer with the records it may be for, 1 for a process without, and the number of its first process in the
        model."""
        result = []
        first = self.slots
        for timer in self.protocol.timers:
            pool = self.protocol.process(timer.process).pool
            count = self.protocol.pool(pool).count.value if pool else 1
            result.append((timer, count, first))
            first += count * len(self.world.nodes)
        return result

    def groups(self) -> list[tuple[list[int], int]]:
        """Numbers of the offers of one line with choices, and the number of the first process in the model. A line of
        several events, or for each record, stands in the model once for each choice."""
        result: list[tuple[list[int], int]] = []
        first = self.slots + sum(
            count * len(self.world.nodes) for _, count, _ in self.clocks()
        )
        for _, found in itertools.groupby(
            enumerate(self.world.offers), key=lambda each: each[1].place
        ):
            group = list(found)
            events = group[0][1].events
            if len(group) > 1 and len(events) < 2 and not any(e.each for e in events):
                result.append(([number for number, _ in group], first))
                first += len(group)
        return result

    def first_queue(self) -> int:
        """The number of the first process that takes messages."""
        return (
            self.slots
            + sum(count * len(self.world.nodes) for _, count, _ in self.clocks())
            + sum(len(group) for group, _ in self.groups())
        )

    def single_offers(self) -> list[int]:
        grouped = {number for group, _ in self.groups() for number in group}
        return [n for n in range(len(self.world.offers)) if n not in grouped]

    def timer_bit(self, timer: ir.Timer, instance: int) -> int:
        return timer.index * self.p.timer_stride() + max(instance - 1, 0)

    def expired_instance(self, timer: ir.Timer) -> str:
        """The variable that names the record a timer of a process with records is for."""
        process = self.protocol.process(timer.process)
        if process.instance is None:
            return ""
        owner = handler_owner(process.name, f"after_{timer.state}")
        return self.p.variable(owner, process.instance)

    # --- room in the queues between processors: conditions in C, "" where nothing needs room

    def room_of_wire(self, wire: ir.Wire) -> str:
        node = "(uint32_t)(wire_frame(hsm_slot)[WIRE_DIRECTION] & 15)"
        event = (wire.event.process, wire.event.event)
        return self.queues.has_room(node, event) if self.queues else ""

    def room_of_message(self, line: Line) -> str:
        event = (line.wire.event.process, line.wire.event.event)
        room = self.queues.has_room("node", event) if self.queues else ""
        return room and f" && {room}"

    def room_of_offer(self, offer: ir.Offer) -> str:
        if self.queues is None:
            return ""
        events = [
            (event.process, event.event)
            for event in offer.events
            for _ in (self.records(event) if event.each else (0,))
        ]
        room = self.queues.has_room(self.with_node(offer.at, "0u"), *events)
        return room and f" && {room}"

    def room_of_timers(self) -> Iterator[tuple[ir.Timer, str]]:
        for timer in self.protocol.timers if self.queues else ():
            assert self.queues is not None
            process = self.protocol.process(timer.process)
            expiries = {
                (process.name, handler.event)
                for handler in process.handlers_of_timer(timer)
            }
            room = self.queues.has_room("(uint32_t)node", *expiries)
            if room:
                yield timer, room

    # --- variables

    def declaration(self, field: ir.WorldField) -> str:
        """Of a variable, in Promela."""
        name = variable_name(field.name)
        kind: ir.Type = field.type
        count = ""
        if isinstance(kind, ir.ArrayType):
            count = f"[{kind.count.value}]"
            kind = kind.element
        if isinstance(kind, ir.BitsType):
            return f"int {name}"
        if isinstance(kind, ir.BoolType):
            return f"bool {name}{count}"
        bits = getattr(kind, "bits", 32)
        if bits == 16 and not count:
            return f"unsigned {name} : 16"
        return f"{'byte' if bits == 8 else 'int'} {name}{count}"

    def parameters(self) -> list[tuple[ir.Parameter, str]]:
        """What the world says of parameters, and what holds the value of one in the model: nothing where the node's own
        number is all there is to it."""
        declared = {p.name: p for p in self.protocol.parameters}
        return [
            (
                declared[each.name],
                ""
                if isinstance(each.value, ir.WorldFact)
                else f"value_{naming.snake(each.name)}",
            )
            for each in self.world.parameters
        ]

    def parameter_value(self, name: str) -> str:
        each = next(p for p in self.world.parameters if p.name == name)
        self.c.node = "node"
        return self.c.expression(each.value).as_unary_operand()

    def view(self, view: ir.View, promela: bool) -> str:
        """Where a field of a node lies in C; `promela`: in the state of the generated Promela."""
        assert view.at.value is not None
        if not promela:
            return f"{self.prefix}_nodes[{view.at.value}].{self._member(view.value, naming.snake)}"
        place = f"hsm_now->{self.prefix}_nodes[{view.at.value}]"
        return f"{place}.{self._member(view.value, field_name)}"

    def _member(self, value: ir.Expression, spelt: Callable[[str], str]) -> str:
        if isinstance(value, ir.RecordField):
            index = value.index.value
            assert index is not None
            index -= value.index_kind == "reference"
            return f"{spelt(value.container)}[{index}].{spelt(value.field)}"
        assert isinstance(value, ir.VariableName)
        return spelt(value.name)

    def armed_type(self) -> str:
        bits = max(len(self.protocol.timers), 1) * self.p.timer_stride()
        if bits > 31:
            raise Unsupported(f"{bits} timers at a node: a model has room for 31")
        return "byte" if bits <= 8 else "short" if bits < 16 else "int"

    def functions(self) -> list[ir.Function]:
        """Those the world calls, and those they call."""
        wanted: set[str] = set()
        found: list[object] = list(walk.world_parts(self.world))
        while found:
            for node in walk.nodes(found.pop()):
                if isinstance(node, ir.Call) and node.function not in wanted:
                    wanted.add(node.function)
                    found += [
                        f.body
                        for f in self.protocol.functions
                        if f.name == node.function
                    ]
        return [f for f in self.protocol.functions if f.name in wanted]

    def condition(self, expression: Optional[ir.Expression], other: str) -> str:
        return self.c.text(expression) if expression is not None else other

    def with_node(self, expression: Optional[ir.Expression], node: str) -> str:
        """A condition at a node; none: it always holds."""
        self.c.node = node
        return self.condition(expression, "true")

    def block_at(self, block: ir.Block, node: str) -> str:
        self.c.node = node
        return self.c.body(block)

    def invariants(self) -> str:
        """Statements that assert what holds after each step."""
        self.c.node = self.node
        return self.c.block(self.world.always, 1)

    @property
    def compares(self) -> list[str]:
        """The properties for which a step is compared with the state before it."""
        lines: tuple[Union[ir.Wire, ir.Offer], ...] = (
            *self.world.wires,
            *self.world.offers,
        )
        found = [each.unchanged.property for each in lines if each.unchanged]
        return list(dict.fromkeys(found))

    def held_type(self, parameter: ir.Parameter) -> str:
        return "byte" if getattr(parameter.type, "bits", 32) <= 8 else "int"

    def steps(self) -> list[str]:
        """What is done at the end of each step."""
        return [
            self.observed(observer)
            for observer in self.world.observers
            if not observer.device and not observer.timer
        ]

    def observed(self, observer: ir.Observer) -> str:
        counted = self.c.line(1, self.counting.call("observe", observer.place))
        return f"{counted}\n{self.block_at(observer.block, self.node)}"

    def expiry(self, timer: ir.Timer) -> list[str]:
        """What is done before a timer runs out."""
        return [
            self.observed(observer)
            for observer in self.world.observers
            if observer.timer == timer.name
        ]

    def devices(self) -> list[tuple[ir.Device, list[str], list[int]]]:
        """Each with the statements that observe it and the numbers of its lines."""
        result = []
        for device in self.protocol.devices:
            observed = [
                self.observed(observer)
                for observer in self.world.observers
                if observer.device == device.name
            ]
            numbers = [
                number
                for number, wire in enumerate(self.world.wires, start=1)
                if wire.device == device.name
            ]
            result.append((device, observed, numbers))
        return result

    def promela_device(self, device: ir.Device) -> tuple[str, str, str]:
        """Name, parameters and body of the inline by which the generated Promela reaches the same C. Embedded C does not
        see the parameters of an inline, so a payload is copied first."""
        name = self.c.names.lower("device", device.name)
        parameters, arguments, lines = [], [], []
        for argument in device.arguments:
            variable = self.p.variable(f"device_{device.name}", argument.name)
            if not isinstance(argument.type, ir.PayloadType):
                kind = self.c.names.scalar(argument.type)
                arguments.append(f"({kind}){variable}")
                continue
            parameter = f"{naming.snake(argument.name)}_"
            parameters.append(parameter)
            copy = f"hsm_{naming.plain(device.name)}_{naming.plain(argument.name)}"
            members = []
            for field in self.protocol.payload(argument.type.name).fields:
                member = field_name(field.name)
                lines.append(f"{copy}.{member} = {parameter}.{member}")
                kind = self.c.names.scalar(field.type)
                members.append(f".{naming.snake(field.name)} = ({kind}){copy}.{member}")
            struct = self.c.names.struct(argument.type.name)
            arguments.append(f"&({struct}){{ {', '.join(members)} }}")
        lines.append(f"c_code {{ {name}({', '.join(arguments)}); }}")
        return name, ", ".join(parameters), ";\n".join("\t" + line for line in lines)

    def payload_copies(self) -> list[tuple[str, str]]:
        """The variables those inlines copy to, with their types."""
        return [
            (
                f"hsm_{naming.plain(device.name)}_{naming.plain(argument.name)}",
                self.p.payload_type(argument.type.name),
            )
            for device in self.protocol.devices
            for argument in device.arguments
            if isinstance(argument.type, ir.PayloadType)
        ]

    def setting_at(self, offered: ir.Offered) -> str:
        self.c.node = self.node
        return self.setting(offered)

    def records(self, offered: ir.Offered) -> range:
        """All there can be of the event's process."""
        pool = self.protocol.pool(str(self.event(offered)[0].pool))
        return range(1, pool.count.value + 1)

    def selects(self, offered: ir.Offered) -> str:
        """May the event be for no record? As C."""
        return "true" if self.event(offered)[1].select is not None else "false"


def generate(
    protocol: ir.Protocol, liveness: bool, exchange: Optional[Exchange] = None
) -> dict[str, str]:
    """File name -> text. The protocol has a check applied, and the bounds of this kind of search; where an exchange divides
    the nodes, it is `exchange.divided`. Raises Unsupported."""
    backend = WorldBackend(protocol, liveness, exchange)
    env = backend_c.environment(backend.c)
    lines = backend.lines()
    stem = backend.c.names.stem
    context: dict[str, object] = {
        "protocol": protocol,
        "world": backend.world,
        "w": backend,
        "q": backend.queues,
        "prefix": backend.prefix,
        "capitals": backend.c.names.capitals,
        "lines": lines,
        "frame_bytes": backend.frame_bytes(lines) if lines else 0,
        "variable_name": variable_name,
        "zeroed": zeroed,
        "field_name": field_name,
    }
    files = {
        f"{stem}_world.pml": "world/world.pml.j2",
        f"{stem}_devices.h": "world/devices.h.j2",
        f"{stem}_schedule.h": "world/schedule.h.j2",
        f"{stem}_model.h": "world/model.h.j2",
        f"{stem}_port.h": "world/port.h.j2",
    }
    return {
        name: env.get_template(template).render(context)
        for name, template in files.items()
    }
