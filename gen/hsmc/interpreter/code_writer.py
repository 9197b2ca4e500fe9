# SPDX-License-Identifier: MIT
"""What any language that executes the intermediate form itself is written with: the interpreter's Python, the page's
JavaScript.

The order of everything that happens, and the slots of the state it happens to (node_state.Layout), are decided here,
once; a language adds how it spells them. Both sides therefore log the same numbers in the same order.

Names the text uses, given by what runs it:
    V          the state, a list of numbers
    L          notes an entry of the log: (number of a format, values ...)
    B_*, X_*   checked tables: first slot of a record, index of an element; T_* slot of an armed timer
    ZERO, ARM, CANCEL, NEVER, HAS_ALL: see interpreter.Node
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Optional, Sequence, Union, assert_never

from .. import ir
from ..admission import carried
from .node_state import Checked, Container, Layout
from ..late_timers import LateTimers
from ..recall import recall

WORD = 0xFFFFFFFF
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

Limits = tuple[int, str, Optional[int]]  # lowest, what is compared, highest or no limit


class Source:
    """Text in the making, with the place of the spec each line comes from."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.places: list[Optional[ir.Place]] = []
        self.depth = 0

    def add(self, text: str, place: Optional[ir.Place] = None) -> None:
        self.lines.append("    " * self.depth + text)
        self.places.append(place)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


class CodeWriter(ABC):
    """The whole protocol as one factory, which binds it to the state of one node."""

    def __init__(self, protocol: ir.Protocol, layout: Layout) -> None:
        self.protocol = protocol
        self.layout = layout
        self.source = Source()
        self.tables: dict[str, Checked] = {}
        self.formats: list[str] = []
        self.log_numbers: dict[tuple[str, str], int] = {}
        self.recall = recall(protocol)
        self.late_timers = LateTimers(protocol)
        # What one node can see of the properties.
        self.checked_properties = [
            p for p in protocol.properties if p.condition is not None
        ]
        self.event_codes: dict[tuple[str, str], int] = {}
        self.here: Optional[ir.Place] = None  # of the line in the making
        self._log_formats()
        for process in protocol.processes:
            for event in process.events:
                self.event_codes[process.name, event.name] = len(self.event_codes)
            for timer in process.timers:
                name = f"after_{timer.state}"
                self.event_codes[process.name, name] = len(self.event_codes)

    # --- what a language decides

    @abstractmethod
    def line(self, text: str, place: Optional[ir.Place] = None) -> None:
        """A statement of one line."""

    @abstractmethod
    def begin(self, kind: str, text: str, place: Optional[ir.Place] = None) -> None:
        """Opens a block: `kind` is function (text: name and arguments), if (a condition), else or repeat (a number)."""

    @abstractmethod
    def begin_for(self, name: str, low: int, high: int, place: ir.Place) -> None:
        """Opens a loop in which a local name takes the numbers from low to high."""

    @abstractmethod
    def end(self) -> None:
        """Closes the block."""

    @abstractmethod
    def assign(self, name: str, value: str, place: Optional[ir.Place]) -> None:
        """A local name, its first value or another."""

    @abstractmethod
    def leave_unless(self, condition: str, place: ir.Place) -> None:
        """Ends a loop."""

    @abstractmethod
    def literal(self, node: ir.Expression) -> str:
        ...

    @abstractmethod
    def lookup(self, table: str, key: str) -> str:
        """An entry of a checked table."""

    @abstractmethod
    def all_of(self, limits: Sequence[Limits]) -> str:
        ...

    @abstractmethod
    def spread(self, payload: str) -> str:
        """The fields of a payload among the values of a log entry."""

    @abstractmethod
    def log(
        self, kind: str, name: str, parts: Sequence[str], place: Optional[ir.Place]
    ) -> None:
        ...

    @abstractmethod
    def create(self, pool: str) -> str:
        """A call that gives the reference of a new record."""

    @abstractmethod
    def write(
        self,
        slot: str,
        value: str,
        place: ir.Place,
        bounds: Optional[tuple[str, ir.Range]] = None,
    ) -> None:
        """Into the state; `bounds`: the range a variable or field is declared with, and whose it is."""

    @abstractmethod
    def incremented(self, slot: int) -> str:
        ...

    @abstractmethod
    def full(self, pool: Container) -> str:
        """Are all records in use?"""

    @abstractmethod
    def never_call(
        self, process: ir.Process, code: int, event: str, defers: bool
    ) -> str:
        ...

    @abstractmethod
    def pool(self, pool: ir.Pool) -> None:
        """How records are created and released."""

    @abstractmethod
    def used(self, pool: str, reference: str) -> str:
        """The first slot of a record in use."""

    @abstractmethod
    def holds(self, property_: ir.Property, condition: str) -> None:
        """Violates the contract where the condition does not hold; of every record in use, where it is about one."""

    @abstractmethod
    def recalling(self) -> None:
        """Delivers what waits and need not wait any longer, one after the other, each in full."""

    @abstractmethod
    def _unary(self, node: ir.Unary) -> str:
        ...

    @abstractmethod
    def _binary(self, node: ir.Binary) -> str:
        ...

    @abstractmethod
    def _conditional(self, node: ir.Conditional) -> str:
        ...

    @abstractmethod
    def _has(self, node: ir.Has) -> str:
        ...

    @abstractmethod
    def _has_all(self, node: ir.HasAll) -> str:
        ...

    @abstractmethod
    def _available(self, node: ir.Available) -> str:
        ...

    @abstractmethod
    def _in_use(self, node: ir.InUse) -> str:
        ...

    @abstractmethod
    def _minimum(self, node: ir.Minimum) -> str:
        ...

    @abstractmethod
    def _narrow(self, node: ir.Narrow) -> str:
        ...

    @abstractmethod
    def _build_payload(self, node: ir.BuildPayload) -> str:
        ...

    @abstractmethod
    def _release(self, node: ir.Release) -> None:
        ...

    @abstractmethod
    def _set_bit(self, node: ir.SetBit) -> None:
        ...

    # --- the log

    def _log_formats(self) -> None:
        """One format for each thing that can be logged: the canonical text both sides of a comparison print."""
        self._log_format("transition", "", "row %d/%d")
        self._log_format("never", "", "never %d %d %d")
        self._log_format("arm", "", "arm %d/%d %d")
        self._log_format("cancel", "", "cancel %d/%d")
        self._log_format("count", "", "count %d")
        for device in self.protocol.devices:
            values = sum(self.width(argument.type) for argument in device.arguments)
            text = " ".join(["%d"] * values)
            self._log_format("device", device.name, f"{device.name}({text})")

    def _log_format(self, kind: str, name: str, text: str) -> None:
        self.log_numbers[kind, name] = len(self.formats)
        self.formats.append(text)

    def width(self, kind: ir.Type) -> int:
        """How many numbers an argument is."""
        if isinstance(kind, ir.PayloadType):
            return len(self.protocol.payload(kind.name).fields)
        return 1

    # --- expressions

    def expression(self, node: ir.Expression) -> str:
        """Always an atom: a name, a number, a call, or in brackets."""
        if node.value is not None:
            return self.literal(node)
        match node:
            case ir.NoneReference():
                return "0"
            case ir.ParameterName():
                return f"V[{self.layout.parameters[node.name]}]"
            case ir.VariableName():
                return f"V[{self.slot(node)}]"
            case ir.LocalName():
                return f"l_{node.local.unique}"
            case ir.ArgumentName():
                return f"a_{node.name}"
            case ir.InstanceName():
                return "instance"
            case ir.PayloadField():
                return self._payload_field(node)
            case ir.RecordField():
                return f"V[{self.slot(node)}]"
            case ir.Element():
                return f"V[{self.slot(node)}]"
            case ir.Call():
                return f"f_{node.function}({self.list(node.arguments)})"
            case ir.NumberOf():
                return self.expression(node.reference)
            case ir.ReferenceOf():
                return self.expression(node.number)
            case ir.Unary():
                return self._unary(node)
            case ir.Binary():
                return self._binary(node)
            case ir.Conditional():
                return self._conditional(node)
            case ir.Has():
                return self._has(node)
            case ir.HasAll():
                return self._has_all(node)
            case ir.Available():
                return self._available(node)
            case ir.InUse():
                return self._in_use(node)
            case ir.Minimum():
                return self._minimum(node)
            case ir.Narrow():
                return self._narrow(node)
            case ir.BuildPayload():
                return self._build_payload(node)
            case ir.Number() | ir.ConstantName() | ir.MemberName():
                raise AssertionError("has a value")
            case ir.WorldVariable() | ir.WorldView() | ir.WorldFact():
                raise AssertionError("stands in a world only")
            case _:
                assert_never(node)

    def _payload_field(self, node: ir.PayloadField) -> str:
        fields = [f.name for f in self.protocol.payload(node.payload).fields]
        return f"{self.expression(node.base)}[{fields.index(node.field)}]"

    def slot(self, node: ir.Expression, written: bool = False) -> str:
        """The slot a variable, field or element lies in. A free record may be read, it is all zero, but not written."""
        if isinstance(node, ir.VariableName):
            return str(self.layout.variables[node.process, node.name])
        if isinstance(node, ir.RecordField):
            offset = self.layout.containers[node.container].offsets[node.field]
            own = isinstance(node.index, ir.InstanceName)
            if written and node.container_kind == "pool" and not own:
                base = self.used(node.container, self.expression(node.index))
                return f"{base} + {offset}"
            return f"{self.base(node.container, node.index)} + {offset}"
        assert isinstance(node, ir.Element)
        base = self.slot(node.base, written)
        return f"{base} + {self.index(node.base, node.index)}"

    def base(self, container: str, index: ir.Expression) -> str:
        return self.lookup(self.bases(container), self.expression(index))

    def bases(self, container: str) -> str:
        """The table of the first slots of records."""
        name = f"B_{container}"
        self.tables[name] = self.layout.containers[container].bases
        return name

    def index(self, node: ir.Expression, index: ir.Expression) -> str:
        """A checked index into an array or a set of bits."""
        assert isinstance(node, (ir.VariableName, ir.RecordField))
        if isinstance(node, ir.VariableName):
            key = (node.process, node.name)
        else:
            key = (node.container, node.field)
        name = f"X_{key[0]}_{key[1]}"
        self.tables[name] = self.layout.arrays[key].indices
        return self.lookup(name, self.expression(index))

    def list(self, arguments: Sequence[ir.Expression]) -> str:
        return ", ".join(self.expression(argument) for argument in arguments)

    # --- statements

    def statements(self, nodes: Sequence[ir.Statement]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: ir.Statement) -> None:
        self.here = node.place
        match node:
            case ir.Let():
                self._let(node)
            case ir.Create():
                self._create(node)
            case ir.Assign():
                self._assign(node)
            case ir.If():
                self._if(node)
            case ir.Repeat():
                self._repeat(node)
            case ir.For():
                self._for(node)
            case ir.Return():
                self._return(node)
            case ir.ActionCall():
                self._action_call(node)
            case ir.DeviceCall():
                self._device_call(node)
            case ir.Raise():
                self._raise(node)
            case ir.Clear():
                self._clear(node)
            case ir.Count():
                self._count(node)
            case ir.Release():
                self._release(node)
            case ir.SetBit():
                self._set_bit(node)
            case ir.ClearVariable() | ir.Assert():
                raise AssertionError("stands in a world only")
            case _:
                assert_never(node)

    def _let(self, node: ir.Let) -> None:
        name = f"l_{node.local.unique}"
        self.assign(name, self.expression(node.value), node.place)

    def _create(self, node: ir.Create) -> None:
        name = f"l_{node.local.unique}"
        self.assign(name, self.create(node.pool), node.place)

    def _assign(self, node: ir.Assign) -> None:
        value = self.expression(node.value)
        if isinstance(node.target, ir.LocalName):
            self.assign(f"l_{node.target.local.unique}", value, node.place)
            return
        slot = self.slot(node.target, True)
        self.write(slot, value, node.place, self.range(node.target))

    def range(self, node: ir.Expression) -> Optional[tuple[str, ir.Range]]:
        """The range a variable or field is declared with, and whose it is."""
        if isinstance(node, ir.Element):
            return self.range(node.base)
        assert isinstance(node, (ir.VariableName, ir.RecordField))
        if isinstance(node, ir.VariableName):
            owner, name = node.process, node.name
            fields = self.protocol.process(owner).variables
        else:
            owner, name = node.container, node.field
            fields = self.layout.containers[owner].fields
        bounds = next(field.range for field in fields if field.name == name)
        return (f"{owner}.{name}", bounds) if bounds is not None else None

    def _if(self, node: ir.If) -> None:
        self.begin("if", self.expression(node.condition), node.place)
        self.statements(node.then)
        self.end()
        if node.otherwise:
            self.begin("else", "")
            self.statements(node.otherwise)
            self.end()

    def _repeat(self, node: ir.Repeat) -> None:
        self.begin("repeat", str(node.count.value), node.place)
        if node.condition is not None:
            self.leave_unless(self.expression(node.condition), node.place)
        self.statements(node.body)
        self.end()

    def _for(self, node: ir.For) -> None:
        name = f"l_{node.local.unique}"
        self.begin_for(name, node.low.value, node.high.value, node.place)
        self.statements(node.body)
        self.end()

    def _return(self, node: ir.Return) -> None:
        text = "return"
        if node.result is not None:
            text += f" {self.expression(node.result)}"
        self.line(text, node.place)

    def _action_call(self, node: ir.ActionCall) -> None:
        self.line(f"c_{node.action}({self.list(node.arguments)})", node.place)

    def _device_call(self, node: ir.DeviceCall) -> None:
        parts = []
        for argument in node.arguments:
            text = self.expression(argument)
            payload = isinstance(argument.type, ir.PayloadType)
            parts.append(self.spread(text) if payload else text)
        self.log("device", node.device, parts, node.place)

    def _raise(self, node: ir.Raise) -> None:
        arguments = [self.expression(argument) for argument in node.arguments]
        if node.instance is not None:
            arguments.insert(0, self.expression(node.instance))
        text = f"on_{node.process}_{node.event}({', '.join(arguments)})"
        self.line(text, node.place)

    def _clear(self, node: ir.Clear) -> None:
        stride = self.layout.containers[node.table].stride
        text = f"ZERO({self.base(node.table, node.index)}, {stride})"
        self.line(text, node.place)

    def _count(self, node: ir.Count) -> None:
        slot = self.layout.counters[node.counter]
        self.write(str(slot), self.incremented(slot), node.place)
        index = next(c.index for c in self.protocol.counters if c.name == node.counter)
        self.log("count", "", [str(index)], node.place)

    # --- machines

    def state_slot(self, process: ir.Process) -> str:
        if process.pool is None:
            return str(self.layout.states[process.name])
        container = self.layout.containers[process.pool]
        base = self.lookup(self.bases(process.pool), "instance")
        return f"{base} + {container.offsets['']}"

    def handler(
        self,
        name: str,
        process: ir.Process,
        handlers: Sequence[ir.Handler],
        arguments: Sequence[ir.Argument],
        event: str,
    ) -> None:
        """What a process does with an event or a timer: a choice by state."""
        names = [f"a_{argument.name}" for argument in arguments]
        if process.pool is not None:
            names.insert(0, "instance")
        self.begin("function", f"{name}({', '.join(names)})")
        self.here = process.place
        self.assign("state", f"V[{self.state_slot(process)}]", process.place)
        for handler in handlers:
            leaf = process.leaf(handler.leaf)
            self.begin("if", f"(state == {leaf.number})", leaf.place)
            for group in handler.groups:
                self.statements(group.lets)
                for row in group.rows:
                    self.row(process, handler, row)
            if handler.otherwise == "never":
                self.never(process, event, handler.place or leaf.place, handler.defers)
            if handler.otherwise != "handled":
                self.line("return")
            self.end()
        self.never(process, event, process.place)
        self.end()

    def never(
        self, process: ir.Process, event: str, place: ir.Place, defers: bool = False
    ) -> None:
        self.here = place
        code = self.event_codes[process.name, event]
        self.line(self.never_call(process, code, event, defers), place)

    def row(self, process: ir.Process, handler: ir.Handler, row: ir.Row) -> None:
        self.here = row.place
        if row.guard is not None:
            self.begin("if", self.expression(row.guard), row.place)
        instance = self.instance(process)
        self.log("transition", "", [str(row.number), instance], row.place)
        self.statements(row.exit_actions)
        for timer in row.cancelled:
            self.here = timer.place
            text = f"CANCEL({self.timer_slot(timer)}, {timer.index}, {instance})"
            self.line(text, timer.place)
        if row.target is not None and row.target != handler.leaf:
            self.here = row.place
            number = process.leaf(row.target).number
            self.write(self.state_slot(process), str(number), row.place)
        for timer in row.armed:
            if not timer.computed:
                self.arm(timer, instance)
        self.statements(row.actions)
        late = self.late_timers.in_row(row)
        if late:
            self.statements(row.entry_actions)
        for timer in row.armed:
            if timer.computed:
                self.arm(timer, instance)
        if not late:
            self.statements(row.entry_actions)
        self.line("return")
        if row.guard is not None:
            self.end()

    @staticmethod
    def instance(process: ir.Process) -> str:
        return "0" if process.pool is None else "instance"

    def timer_slot(self, timer: ir.Timer) -> str:
        name = f"T_{timer.index}"
        self.tables[name] = self.layout.timers[timer.name]
        return self.lookup(name, self.instance(self.protocol.process(timer.process)))

    @abstractmethod
    def arm(self, timer: ir.Timer, instance: str) -> None:
        ...

    # --- entry points

    def entry(self, number: int, process: ir.Process, event: ir.Event) -> None:
        """An external event as the runtime calls it: verdicts 0 done, 1 ignored, 2 no room, 3 refused."""
        self.here = event.place
        names = [f"a_{argument.name}" for argument in event.arguments]
        passed = list(names)
        limits: list[Limits] = []
        if process.pool is not None:
            passed.insert(0, "instance")
            if event.needs_reference:
                names.insert(0, "instance")
                count = self.layout.containers[process.pool].count
                limits.append((1, "instance", count))
        gaps: list[Limits] = []
        # Of a message, fields that nothing reads are not carried.
        for argument in () if event.message else event.arguments:
            for index, item in enumerate(carried(self.protocol, (argument,))):
                name = f"a_{argument.name}"
                if item.field is not None:
                    name += f"[{index}]"
                if item.allowed:
                    high = item.allowed[-1][1].value
                    limits.append((item.lowest, name, high))
                for before, after in item.gaps:
                    gaps.append((before.value + 1, name, after.value - 1))
        self.begin("function", f"enter_{number}({', '.join(names)})")
        if limits:
            self.leave(f"(not {self.all_of(limits)})", 3, event.place)
        for gap in gaps:
            self.leave(self.all_of([gap]), 3, event.place)
        if process.pool is not None and event.needs_reference:
            self.leave(f"(V[{self.state_slot(process)}] == 0)", 1, event.place)
        if process.pool is not None and event.creates:
            pool = self.layout.containers[process.pool]
            self.leave(self.full(pool), 2, event.place)
            self.assign("instance", self.create(process.pool), event.place)
        elif process.pool is not None and event.select is not None:
            self.assign("instance", self.expression(event.select), event.place)
            self.leave("(instance == 0)", 1, event.place)
        if event.room is not None:
            self.leave(f"(not {self.expression(event.room)})", 2, event.place)
        self.line(f"on_{process.name}_{event.name}({', '.join(passed)})", event.place)
        if (process.name, event.name) in self.recall.events:
            self.line("recall()", event.place)
        if self.checked_properties:
            self.line("properties()", event.place)
        self.line("return 0")
        self.end()

    def leave(self, condition: str, verdict: int, place: ir.Place) -> None:
        """`condition` is in brackets and may begin with `not`, which a language without that word replaces."""
        self.begin("if", condition, place)
        self.line(f"return {verdict}", place)
        self.end()

    def initialise(self) -> None:
        self.begin("function", "initialise()")
        for process in self.protocol.processes:
            if process.pool is None:
                for timer in process.initial_timers:
                    self.arm(timer, "0")
                self.statements(process.initial_actions)
        if self.recall.initialise:
            self.line("recall()")
        self.line("return 0")
        self.end()

    def write_functions(self) -> None:
        """Everything inside the factory."""
        protocol = self.protocol
        for pool in protocol.pools:
            self.pool(pool)
        for function in protocol.functions:
            self.routine(f"f_{function.name}", function)
        for action in protocol.actions:
            self.routine(f"c_{action.name}", action)
        number = 0
        for process in protocol.processes:
            for event in process.events:
                name = f"on_{process.name}_{event.name}"
                handlers = process.handlers_of(event.name)
                self.handler(name, process, handlers, event.arguments, event.name)
                if event.external:
                    self.entry(number, process, event)
                    number += 1
            for timer in process.timers:
                handlers = process.handlers_of_timer(timer)
                event_name = f"after_{timer.state}"
                recalls = timer.name in self.recall.timers
                more = recalls or bool(self.checked_properties)
                name = f"{'handle_' if more else ''}expired_{timer.index}"
                self.handler(name, process, handlers, (), event_name)
                if more:
                    instance = "" if process.pool is None else "instance"
                    self.begin("function", f"expired_{timer.index}({instance})")
                    self.line(f"{name}({instance})", timer.place)
                    if recalls:
                        self.line("recall()", timer.place)
                    if self.checked_properties:
                        self.line("properties()", timer.place)
                    self.end()
        if self.recall.processes:
            self.recalling()
        if self.checked_properties:
            self.properties()
        self.initialise()

    def properties(self) -> None:
        self.begin("function", "properties()")
        for each in self.checked_properties:
            assert each.condition is not None
            self.here = each.place
            self.holds(each, self.expression(each.condition))
        self.end()

    def routine(self, name: str, routine: Union[ir.Function, ir.Action]) -> None:
        arguments = ", ".join(f"a_{argument.name}" for argument in routine.arguments)
        self.begin("function", f"{name}({arguments})", routine.place)
        self.statements(routine.body)
        self.end()
