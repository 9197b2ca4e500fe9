"""Turns the intermediate form into Python source for the interpreter.

Walking trees for each event would make long random runs slow, so each function, action and handler becomes a Python
function once. The text is for the machine, but each line of it belongs to one place of the spec (`places`), which is
how an exception finds its way back.

Names the text uses, given by `interpreter.Node`:
    V          the state, a list of numbers (node_state.Layout)
    J(pair)    notes (slot, value before) ahead of every write
    L(entry)   the log: (number of a format, values ...)
    B_*, X_*   checked tables: first slot of a record, index of an element; T_* slot of an armed timer; SHIFT
    ZERO, ARM, CANCEL, NEVER, HAS_ALL, Violation: see interpreter.Node
"""

from __future__ import annotations

from typing import Callable, Optional, Sequence, Union

from . import ir
from .node_state import Layout
from .recall import recall

WORD = 0xFFFFFFFF
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Source:
    """Python text in the making, with the place of the spec each line comes from."""

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


class PythonWriter:
    """The whole protocol as one Python factory, `make(...)`, which binds it to the state of one node."""

    def __init__(self, protocol: ir.Protocol, layout: Layout) -> None:
        self.protocol = protocol
        self.layout = layout
        self.source = Source()
        self.tables: dict[str, object] = {}
        self.formats: list[str] = []
        self.log_numbers: dict[tuple[str, str], int] = {}
        self.recall = recall(protocol)
        self.event_codes: dict[tuple[str, str], int] = {}
        self._log_formats()
        for process in protocol.processes:
            for event in process.events:
                self.event_codes[process.name, event.name] = len(self.event_codes)
            for timer in process.timers:
                name = f"after_{timer.state}"
                self.event_codes[process.name, name] = len(self.event_codes)

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
        """Always an atom of Python: a name, a number, or in brackets."""
        if node.value is not None:
            if isinstance(node.type, ir.BoolType):
                return "True" if node.value else "False"
            return str(node.value)
        method: Callable[[ir.Expression], str] = getattr(
            self, "_" + type(node).__name__
        )
        return method(node)

    def _NoneReference(self, node: ir.NoneReference) -> str:
        return "0"

    def _ParameterName(self, node: ir.ParameterName) -> str:
        return f"V[{self.layout.parameters[node.name]}]"

    def _VariableName(self, node: ir.VariableName) -> str:
        return f"V[{self.slot(node)}]"

    def _LocalName(self, node: ir.LocalName) -> str:
        return f"l_{node.local.unique}"

    def _ArgumentName(self, node: ir.ArgumentName) -> str:
        return f"a_{node.name}"

    def _InstanceName(self, node: ir.InstanceName) -> str:
        return "instance"

    def _PayloadField(self, node: ir.PayloadField) -> str:
        fields = [f.name for f in self.protocol.payload(node.payload).fields]
        return f"{self.expression(node.base)}[{fields.index(node.field)}]"

    def _RecordField(self, node: ir.RecordField) -> str:
        return f"V[{self.slot(node)}]"

    def _Element(self, node: ir.Element) -> str:
        return f"V[{self.slot(node)}]"

    def slot(self, node: ir.Expression) -> str:
        """The slot a variable, field or element lies in."""
        if isinstance(node, ir.VariableName):
            return str(self.layout.variables[node.process, node.name])
        if isinstance(node, ir.RecordField):
            offset = self.layout.containers[node.container].offsets[node.field]
            return f"{self.base(node.container, node.index)} + {offset}"
        assert isinstance(node, ir.Element)
        index = f"{self.indices(node.base)}[{self.expression(node.index)}]"
        return f"{self.slot(node.base)} + {index}"

    def base(self, container: str, index: ir.Expression) -> str:
        name = f"B_{container}"
        self.tables[name] = self.layout.containers[container].bases
        return f"{name}[{self.expression(index)}]"

    def indices(self, node: ir.Expression) -> str:
        """The table that checks indices into an array or a set of bits."""
        assert isinstance(node, (ir.VariableName, ir.RecordField))
        if isinstance(node, ir.VariableName):
            key = (node.process, node.name)
        else:
            key = (node.container, node.field)
        name = f"X_{key[0]}_{key[1]}"
        self.tables[name] = self.layout.arrays[key].indices
        return name

    def _Unary(self, node: ir.Unary) -> str:
        operand = self.expression(node.operand)
        if node.operator == "not":
            return f"(not {operand})"
        if node.operator == "-":
            return f"(-{operand} & {WORD})"
        return f"({operand} ^ {WORD})"

    def _Binary(self, node: ir.Binary) -> str:
        left, right = self.expression(node.left), self.expression(node.right)
        if node.operator in ("<<", ">>"):
            if node.right.value is None or node.right.value > 31:
                right = f"SHIFT[{right}]"
        if node.operator in ("+", "-", "*", "<<"):
            return f"({left} {node.operator} {right} & {WORD})"
        return f"({left} {node.operator} {right})"

    def _Conditional(self, node: ir.Conditional) -> str:
        parts = (node.then, node.condition, node.otherwise)
        then, condition, otherwise = (self.expression(part) for part in parts)
        return f"({then} if {condition} else {otherwise})"

    def _Call(self, node: ir.Call) -> str:
        return f"f_{node.function}({self.list(node.arguments)})"

    def list(self, arguments: Sequence[ir.Expression]) -> str:
        return ", ".join(self.expression(argument) for argument in arguments)

    def _Has(self, node: ir.Has) -> str:
        index = f"{self.indices(node.bits)}[{self.expression(node.index)}]"
        return f"({self.expression(node.bits)} >> {index} & 1 != 0)"

    def _HasAll(self, node: ir.HasAll) -> str:
        assert isinstance(node.bits.type, ir.BitsType)
        arguments = self.list((node.bits, node.first, node.count))
        return f"HAS_ALL({arguments}, {node.bits.type.count.value})"

    def _Available(self, node: ir.Available) -> str:
        pool = self.layout.containers[node.pool]
        return f"(V[{pool.used}] != {(1 << pool.count) - 1})"

    def _Minimum(self, node: ir.Minimum) -> str:
        name = "max" if node.largest else "min"
        return f"{name}({self.expression(node.left)}, {self.expression(node.right)})"

    def _Narrow(self, node: ir.Narrow) -> str:
        assert isinstance(node.type, (ir.IntegerType, ir.EnumerationType))
        return f"({self.expression(node.operand)} & {(1 << node.type.bits) - 1})"

    def _BuildPayload(self, node: ir.BuildPayload) -> str:
        given = dict(node.fields)
        values = [
            self.expression(given[field.name]) if field.name in given else "0"
            for field in self.protocol.payload(node.payload).fields
        ]
        return f"({', '.join(values)},)"

    # --- statements

    def statements(self, nodes: Sequence[ir.Statement]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: ir.Statement) -> None:
        method: Callable[[ir.Statement], None] = getattr(
            self, "_" + type(node).__name__
        )
        method(node)

    def body(self, nodes: Sequence[ir.Statement]) -> None:
        self.source.depth += 1
        self.statements(nodes)
        if not nodes:
            self.source.add("pass")
        self.source.depth -= 1

    def _Let(self, node: ir.Let) -> None:
        value = self.expression(node.value)
        self.source.add(f"l_{node.local.unique} = {value}", node.place)

    def _Create(self, node: ir.Create) -> None:
        text = f"l_{node.local.unique} = create_{node.pool}()"
        self.source.add(text, node.place)

    def _Assign(self, node: ir.Assign) -> None:
        value = self.expression(node.value)
        if isinstance(node.target, ir.LocalName):
            self.source.add(f"l_{node.target.local.unique} = {value}", node.place)
            return
        self.write(self.slot(node.target), value, node.place, self.range(node.target))

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

    def write(
        self,
        slot: str,
        value: str,
        place: ir.Place,
        bounds: Optional[tuple[str, ir.Range]] = None,
    ) -> None:
        if bounds is not None:
            name, allowed = bounds
            low, high = allowed.low.value, allowed.high.value
            self.source.add(f"v = {value}", place)
            complaint = f"f'{{v}} is outside the range {allowed} of {name}'"
            text = f"if not {low} <= v <= {high}: raise Violation({complaint})"
            self.source.add(text, place)
            value = "v"
        text = f"v = {value}; s = {slot}; J((s, V[s])); V[s] = v"
        self.source.add(text, place)

    def _If(self, node: ir.If) -> None:
        self.source.add(f"if {self.expression(node.condition)}:", node.place)
        self.body(node.then)
        if node.otherwise:
            self.source.add("else:")
            self.body(node.otherwise)

    def _Repeat(self, node: ir.Repeat) -> None:
        self.source.add(f"for _ in range({node.count.value}):", node.place)
        self.source.depth += 1
        if node.condition is not None:
            condition = self.expression(node.condition)
            self.source.add(f"if not {condition}: break", node.place)
        self.source.depth -= 1
        self.body(node.body)

    def _Return(self, node: ir.Return) -> None:
        text = "return"
        if node.result is not None:
            text += f" {self.expression(node.result)}"
        self.source.add(text, node.place)

    def _ActionCall(self, node: ir.ActionCall) -> None:
        self.source.add(f"c_{node.action}({self.list(node.arguments)})", node.place)

    def _DeviceCall(self, node: ir.DeviceCall) -> None:
        parts = []
        for argument in node.arguments:
            payload = isinstance(argument.type, ir.PayloadType)
            parts.append(("*" if payload else "") + self.expression(argument))
        self.log("device", node.device, parts, node.place)

    def log(
        self, kind: str, name: str, parts: Sequence[str], place: Optional[ir.Place]
    ) -> None:
        number = self.log_numbers[kind, name]
        self.source.add(f"L(({', '.join([str(number), *parts])},))", place)

    def _Raise(self, node: ir.Raise) -> None:
        arguments = [self.expression(argument) for argument in node.arguments]
        if node.instance is not None:
            arguments.insert(0, self.expression(node.instance))
        text = f"on_{node.process}_{node.event}({', '.join(arguments)})"
        self.source.add(text, node.place)

    def _Release(self, node: ir.Release) -> None:
        text = f"release_{node.pool}({self.expression(node.reference)})"
        self.source.add(text, node.place)

    def _Clear(self, node: ir.Clear) -> None:
        stride = self.layout.containers[node.table].stride
        text = f"ZERO({self.base(node.table, node.index)}, {stride})"
        self.source.add(text, node.place)

    def _Count(self, node: ir.Count) -> None:
        slot = self.layout.counters[node.counter]
        self.write(str(slot), f"V[{slot}] + 1 & {WORD}", node.place)
        index = next(c.index for c in self.protocol.counters if c.name == node.counter)
        self.log("count", "", [str(index)], node.place)

    def _SetBit(self, node: ir.SetBit) -> None:
        index = f"{self.indices(node.bits)}[{self.expression(node.index)}]"
        bits = self.expression(node.bits)
        operator = "|" if node.present else "& ~"
        self.write(self.slot(node.bits), f"{bits} {operator}(1 << {index})", node.place)

    # --- machines

    def state_slot(self, process: ir.Process) -> str:
        if process.pool is None:
            return str(self.layout.states[process.name])
        name = f"B_{process.pool}"
        container = self.layout.containers[process.pool]
        self.tables[name] = container.bases
        return f"{name}[instance] + {container.offsets['']}"

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
        source = self.source
        source.add(f"def {name}({', '.join(names)}):")
        source.depth += 1
        source.add(f"state = V[{self.state_slot(process)}]", process.place)
        for handler in handlers:
            leaf = process.leaf(handler.leaf)
            source.add(f"if state == {leaf.number}:", leaf.place)
            source.depth += 1
            for group in handler.groups:
                self.statements(group.lets)
                for row in group.rows:
                    self.row(process, handler, row)
            if handler.otherwise == "never":
                self.never(process, event, handler.place or leaf.place, handler.defers)
            if handler.otherwise != "handled":
                source.add("return")
            source.depth -= 1
        self.never(process, event, process.place)
        source.depth -= 1

    def never(
        self, process: ir.Process, event: str, place: ir.Place, defers: bool = False
    ) -> None:
        code = self.event_codes[process.name, event]
        instance = "0" if process.pool is None else "instance"
        text = f"NEVER({process.index}, state, {code}, {instance}, {event!r}, {defers})"
        self.source.add(text, place)

    def row(self, process: ir.Process, handler: ir.Handler, row: ir.Row) -> None:
        source = self.source
        if row.guard is not None:
            source.add(f"if {self.expression(row.guard)}:", row.place)
            source.depth += 1
        instance = "0" if process.pool is None else "instance"
        self.log("transition", "", [str(row.number), instance], row.place)
        self.statements(row.exit_actions)
        for timer in row.cancelled:
            text = f"CANCEL({self.timer_slot(timer)}, {timer.index}, {instance})"
            source.add(text, timer.place)
        if row.target is not None and row.target != handler.leaf:
            number = process.leaf(row.target).number
            self.write(self.state_slot(process), str(number), row.place)
        for timer in row.armed:
            self.arm(timer, instance)
        self.statements(row.actions)
        self.statements(row.entry_actions)
        source.add("return")
        if row.guard is not None:
            source.depth -= 1

    def timer_slot(self, timer: ir.Timer) -> str:
        name = f"T_{timer.index}"
        self.tables[name] = self.layout.timers[timer.name]
        if self.protocol.process(timer.process).pool is None:
            return f"{name}[0]"
        return f"{name}[instance]"

    def arm(self, timer: ir.Timer, instance: str) -> None:
        duration = self.expression(timer.duration)
        text = f"ARM({self.timer_slot(timer)}, {timer.index}, {instance}, {duration})"
        self.source.add(text, timer.place)

    # --- pools

    def pool(self, pool: ir.Pool) -> None:
        container = self.layout.containers[pool.name]
        self.tables[f"B_{pool.name}"] = container.bases
        source, used, full = self.source, container.used, (1 << container.count) - 1
        source.add(f"def create_{pool.name}():")
        source.depth += 1
        source.add(f"free = ~V[{used}] & {full}")
        source.add("if free == 0:")
        source.add(f"    raise Violation('all records of {pool.name} are in use')")
        source.add("lowest = free & -free; reference = lowest.bit_length()")
        source.add(f"J(({used}, V[{used}])); V[{used}] |= lowest")
        if pool.process is not None:
            process = self.protocol.process(pool.process)
            number = process.leaf(process.initial).number
            source.add(f"s = B_{pool.name}[reference] + {container.offsets['']}")
            source.add(f"J((s, V[s])); V[s] = {number}")
        source.add("return reference")
        source.depth -= 1
        source.add(f"def release_{pool.name}(reference):")
        source.depth += 1
        source.add(f"base = B_{pool.name}[reference]")
        source.add(f"if not V[{used}] >> reference - 1 & 1:")
        complaint = f"f'{pool.name} {{reference}} is released, but is not in use'"
        source.add(f"    raise Violation({complaint})")
        source.add(f"ZERO(base, {container.stride})")
        source.add(f"J(({used}, V[{used}])); V[{used}] &= ~(1 << reference - 1)")
        source.depth -= 1

    # --- entry points

    def entry(self, number: int, process: ir.Process, event: ir.Event) -> None:
        """An external event as the runtime calls it: verdicts 0 done, 1 ignored, 2 no room, 3 refused."""
        source = self.source
        names = [f"a_{argument.name}" for argument in event.arguments]
        passed = list(names)
        conditions = []
        if process.pool is not None:
            passed.insert(0, "instance")
            if event.needs_reference:
                names.insert(0, "instance")
                count = self.layout.containers[process.pool].count
                conditions.append(f"1 <= instance <= {count}")
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                fields = self.protocol.payload(argument.type.name).fields
                for index, field in enumerate(fields):
                    if field.range is not None:
                        low, high = field.range.low.value, field.range.high.value
                        conditions.append(
                            f"{low} <= a_{argument.name}[{index}] <= {high}"
                        )
            elif isinstance(argument.type, ir.ReferenceType):
                count = self.protocol.pool(argument.type.pool).count.value
                conditions.append(f"a_{argument.name} <= {count}")
        source.add(f"def enter_{number}({', '.join(names)}):")
        source.depth += 1
        if conditions:
            source.add(f"if not ({' and '.join(conditions)}): return 3", event.place)
        if process.pool is not None and event.creates:
            pool = self.layout.containers[process.pool]
            full = (1 << pool.count) - 1
            source.add(f"if V[{pool.used}] == {full}: return 2", event.place)
            source.add(f"instance = create_{process.pool}()", event.place)
        elif process.pool is not None and event.select is not None:
            source.add(f"instance = {self.expression(event.select)}", event.place)
            source.add("if instance == 0: return 1", event.place)
        if event.room is not None:
            source.add(f"if not {self.expression(event.room)}: return 2", event.place)
        then = "; recall()" if (process.name, event.name) in self.recall.events else ""
        text = f"on_{process.name}_{event.name}({', '.join(passed)}){then}; return 0"
        source.add(text, event.place)
        source.depth -= 1

    def recalling(self) -> None:
        """Delivers what waits and need not wait any longer, one after the other, each in full."""
        source = self.source
        source.add("def recall():")
        source.depth += 1
        source.add("while True:")
        source.depth += 1
        for process in self.recall.processes:
            assert process.recall is not None
            slot = self.layout.variables[process.name, process.recall.pending.name]
            call = f"on_{process.name}_{process.recall.event}"
            source.add(f"if V[{slot}]:", process.place)
            source.depth += 1
            if process.pool is None:
                source.add(f"J(({slot}, V[{slot}])); V[{slot}] = 0", process.place)
                source.add(f"{call}()", process.place)
            else:
                source.add(f"lowest = V[{slot}] & -V[{slot}]", process.place)
                source.add(f"J(({slot}, V[{slot}])); V[{slot}] -= lowest")
                source.add("instance = lowest.bit_length()")
                source.add(f"if V[{self.state_slot(process)}]: {call}(instance)")
            source.add("continue")
            source.depth -= 1
        source.add("return")
        source.depth -= 2

    def initialise(self) -> None:
        self.source.add("def initialise():")
        self.source.depth += 1
        for process in self.protocol.processes:
            if process.pool is None:
                for timer in process.initial_timers:
                    self.arm(timer, "0")
                self.statements(process.initial_actions)
        if self.recall.initialise:
            self.source.add("recall()")
        self.source.add("return 0")
        self.source.depth -= 1

    def write_all(self) -> Source:
        """The factory. Its arguments after the first line come from `tables`, which is complete afterwards."""
        source, protocol = self.source, self.protocol
        source.depth = 1
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
                name = f"{'handle_' if recalls else ''}expired_{timer.index}"
                self.handler(name, process, handlers, (), event_name)
                if recalls:
                    instance = "" if process.pool is None else "instance"
                    source.add(f"def expired_{timer.index}({instance}):")
                    source.add(f"    {name}({instance}); recall()", timer.place)
        if self.recall.processes:
            self.recalling()
        self.initialise()
        source.add("return locals()")
        helpers = "V, J, L, ZERO, ARM, CANCEL, NEVER, Violation, SHIFT, HAS_ALL"
        names = ", ".join([helpers, *self.tables])
        source.lines.insert(0, f"def make({names}):")
        source.places.insert(0, None)
        return source

    def routine(self, name: str, routine: Union[ir.Function, ir.Action]) -> None:
        arguments = ", ".join(f"a_{argument.name}" for argument in routine.arguments)
        self.source.add(f"def {name}({arguments}):", routine.place)
        self.body(routine.body)
