# SPDX-License-Identifier: MIT
"""Turns the intermediate form into Python source for the interpreter.

Walking trees for each event would make long random runs slow, so each function, action and handler becomes a Python
function once. The text is for the machine, but each line of it belongs to one place of the spec (`places`), which is
how an exception finds its way back.

Names the text uses beyond those of code_writer.py, given by `interpreter.Node`:
    J(pair)    notes (slot, value before) ahead of every write
    SHIFT      a checked table; Violation: the exception
"""

from __future__ import annotations

from typing import Optional, Sequence

from .. import ir
from .code_writer import WORD, CodeWriter, Limits, Source
from .node_state import Container, Layout


class PythonWriter(CodeWriter):
    """The whole protocol as one Python factory, `make(...)`. `helpers`: what a writer derived from this one calls besides."""

    def __init__(self, protocol: ir.Protocol, layout: Layout) -> None:
        super().__init__(protocol, layout)
        self.helpers: dict[str, object] = {}

    # --- statements and blocks

    def line(self, text: str, place: Optional[ir.Place] = None) -> None:
        self.source.add(text, place)

    def begin(self, kind: str, text: str, place: Optional[ir.Place] = None) -> None:
        heads = {"function": f"def {text}:", "if": f"if {text}:", "else": "else:"}
        self.source.add(heads.get(kind, f"for _ in range({text}):"), place)
        self.source.depth += 1
        self.source.add("pass")

    def begin_for(self, name: str, low: int, high: int, place: ir.Place) -> None:
        self.source.add(f"for {name} in range({low}, {high + 1}):", place)
        self.source.depth += 1
        self.source.add("pass")

    def end(self) -> None:
        self.source.depth -= 1

    def assign(self, name: str, value: str, place: Optional[ir.Place]) -> None:
        self.source.add(f"{name} = {value}", place)

    def leave_unless(self, condition: str, place: ir.Place) -> None:
        self.source.add(f"if not {condition}: break", place)

    # --- expressions

    def literal(self, node: ir.Expression) -> str:
        if isinstance(node.type, ir.BoolType):
            return "True" if node.value else "False"
        return str(node.value)

    def lookup(self, table: str, key: str) -> str:
        return f"{table}[{key}]"

    def all_of(self, limits: Sequence[Limits]) -> str:
        parts = (f"{low} <= {text} <= {high}" for low, text, high in limits)
        return f"({' and '.join(parts)})"

    def spread(self, payload: str) -> str:
        return f"*{payload}"

    def _unary(self, node: ir.Unary) -> str:
        operand = self.expression(node.operand)
        if node.operator == "not":
            return f"(not {operand})"
        if node.operator == "-":
            return f"(-{operand} & {WORD})"
        return f"({operand} ^ {WORD})"

    def _binary(self, node: ir.Binary) -> str:
        left, right = self.expression(node.left), self.expression(node.right)
        if node.operator in ("<<", ">>"):
            if node.right.value is None or node.right.value > 31:
                right = f"SHIFT[{right}]"
        if node.operator == "/":
            return f"({left} // {right})"
        if node.operator in ("+", "-", "*", "<<"):
            return f"({left} {node.operator} {right} & {WORD})"
        return f"({left} {node.operator} {right})"

    def _conditional(self, node: ir.Conditional) -> str:
        parts = (node.then, node.condition, node.otherwise)
        then, condition, otherwise = (self.expression(part) for part in parts)
        return f"({then} if {condition} else {otherwise})"

    def _has(self, node: ir.Has) -> str:
        index = self.index(node.bits, node.index)
        return f"({self.expression(node.bits)} >> {index} & 1 != 0)"

    def _has_all(self, node: ir.HasAll) -> str:
        assert isinstance(node.bits.type, ir.BitsType)
        arguments = self.list((node.bits, node.first, node.count))
        return f"HAS_ALL({arguments}, {node.bits.type.count.value})"

    def _available(self, node: ir.Available) -> str:
        return f"(not {self.full(self.layout.containers[node.pool])})"

    def _in_use(self, node: ir.InUse) -> str:
        used = self.layout.containers[node.pool].used
        return f"(V[{used}] >> {self.expression(node.reference)} - 1 & 1 != 0)"

    def _minimum(self, node: ir.Minimum) -> str:
        name = "max" if node.largest else "min"
        return f"{name}({self.expression(node.left)}, {self.expression(node.right)})"

    def _narrow(self, node: ir.Narrow) -> str:
        assert isinstance(node.type, (ir.IntegerType, ir.EnumerationType))
        return f"({self.expression(node.operand)} & {(1 << node.type.bits) - 1})"

    def _build_payload(self, node: ir.BuildPayload) -> str:
        given = dict(node.fields)
        values = [
            self.expression(given[field.name]) if field.name in given else "0"
            for field in self.protocol.payload(node.payload).fields
        ]
        return f"({', '.join(values)},)"

    # --- effects

    def log(
        self, kind: str, name: str, parts: Sequence[str], place: Optional[ir.Place]
    ) -> None:
        number = self.log_numbers[kind, name]
        self.source.add(f"L(({', '.join([str(number), *parts])},))", place)

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

    def incremented(self, slot: int) -> str:
        return f"V[{slot}] + 1 & {WORD}"

    def _set_bit(self, node: ir.SetBit) -> None:
        index = self.index(node.bits, node.index)
        bits = self.expression(node.bits)
        operator = "|" if node.present else "& ~"
        self.write(
            self.slot(node.bits, True), f"{bits} {operator}(1 << {index})", node.place
        )

    def _release(self, node: ir.Release) -> None:
        text = f"release_{node.pool}({self.expression(node.reference)})"
        self.source.add(text, node.place)

    def never_call(
        self, process: ir.Process, code: int, event: str, defers: bool
    ) -> str:
        instance = self.instance(process)
        return f"NEVER({process.index}, state, {code}, {instance}, {event!r}, {defers})"

    def arm(self, timer: ir.Timer, instance: str) -> None:
        duration = self.expression(timer.duration)
        text = f"ARM({self.timer_slot(timer)}, {timer.index}, {instance}, {duration})"
        self.source.add(text, timer.place)

    # --- checks

    def used(self, pool: str, reference: str) -> str:
        return f"used_{pool}({reference})"

    def holds(self, property_: ir.Property, condition: str) -> None:
        source, place, instance = self.source, property_.place, property_.instance
        complaint = f"property {property_.name} does not hold"
        if instance is None:
            text = f"if not {condition}: raise Violation({complaint!r})"
            source.add(text, place)
            return
        assert isinstance(instance.type, ir.ReferenceType)
        pool = instance.type.pool
        source.add(f"rest = V[{self.layout.containers[pool].used}]", place)
        source.add("while rest:", place)
        source.depth += 1
        name = f"a_{instance.name}"
        source.add(f"lowest = rest & -rest; {name} = lowest.bit_length()", place)
        source.add("rest -= lowest", place)
        text = f"raise Violation(f'{complaint} for {pool} {{{name}}}')"
        source.add(f"if not {condition}: {text}", place)
        source.depth -= 1

    # --- pools

    def create(self, pool: str) -> str:
        return f"create_{pool}()"

    def full(self, pool: Container) -> str:
        return f"(V[{pool.used}] == {(1 << pool.count) - 1})"

    def pool(self, pool: ir.Pool) -> None:
        container = self.layout.containers[pool.name]
        bases = self.bases(pool.name)
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
            source.add(f"s = {bases}[reference] + {container.offsets['']}")
            source.add(f"J((s, V[s])); V[s] = {number}")
        source.add("return reference")
        source.depth -= 1
        source.add(f"def used_{pool.name}(reference):")
        source.depth += 1
        source.add(f"base = {bases}[reference]")
        source.add(f"if not V[{used}] >> reference - 1 & 1:")
        complaint = f"f'{pool.name} {{reference}} is free'"
        source.add(f"    raise Violation({complaint})")
        source.add("return base")
        source.depth -= 1
        source.add(f"def release_{pool.name}(reference):")
        source.depth += 1
        source.add(f"base = {bases}[reference]")
        source.add(f"if not V[{used}] >> reference - 1 & 1:")
        complaint = f"f'{pool.name} {{reference}} is released, but is not in use'"
        source.add(f"    raise Violation({complaint})")
        source.add(f"ZERO(base, {container.stride})")
        source.add(f"J(({used}, V[{used}])); V[{used}] &= ~(1 << reference - 1)")
        source.depth -= 1

    def recalling(self) -> None:
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

    # --- the factory

    def write_all(self) -> Source:
        """The factory. Its arguments after the first line come from `tables`, which is complete afterwards, and `helpers`."""
        source = self.source
        source.depth = 1
        self.write_functions()
        source.add("return locals()")
        helpers = "V, J, L, ZERO, ARM, CANCEL, NEVER, Violation, SHIFT, HAS_ALL"
        names = ", ".join([helpers, *self.tables, *self.helpers])
        source.lines.insert(0, f"def make({names}):")
        source.places.insert(0, None)
        return source
