# SPDX-License-Identifier: MIT
"""Where the interpreter keeps the state of a node: one flat list of numbers, each with a name for people.

A flat list makes a snapshot one copy, a change one pair (slot, old value), and a comparison with the generated C one
walk in a stated order: states and variables of the processes, parameters, counters, armed timers, pools, tables; within
a record the fields as declared. The differential harness walks the C structures in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional, Union

from .. import ir

SlotKind = Literal["state", "value", "bits", "parameter", "counter", "timer", "used"]


@dataclass(frozen=True)
class Slot:
    """One number of the state. `type` is None for what the spec has no type for: counters, timers, sets in use."""

    name: str
    kind: SlotKind
    type: Optional[ir.Type]
    process: str = ""  # of a state: the process

    @property
    def hexadecimal_digits(self) -> int:
        """How a set of bits is printed: whole words, the highest first. 0 for numbers."""
        if isinstance(self.type, ir.BitsType):
            return 8 * ((self.type.count.value + 31) // 32)
        return 0


class ContractViolation(Exception):
    """The spec did what the intermediate form forbids; a model asserts the same. `place` is file:line of the spec."""

    def __init__(self, complaint: str, place: Optional[ir.Place] = None) -> None:
        super().__init__(complaint)
        self.complaint = complaint
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.complaint}" if self.place else self.complaint


class Checked(dict[int, int]):
    """A table of the valid indices: any other violates the contract.

    A hit costs no more than that of a plain dictionary, so checks are free where nothing is wrong.
    """

    def __init__(self, entries: dict[int, int], what: str, none: str = "") -> None:
        super().__init__(entries)
        self.what = what
        self.none = none

    def __missing__(self, key: int) -> int:
        if key == 0 and self.none:
            raise ContractViolation(self.none)
        raise ContractViolation(self.what.format(key=key))


@dataclass(frozen=True)
class Container:
    """A pool or a table within the list: `bases` gives the first slot of a record by reference or by number."""

    name: str
    by_reference: bool
    count: int
    stride: int  # slots of a record
    offsets: dict[str, int]  # of fields; "" is the state of the record's process
    fields: tuple[ir.Field, ...]
    bases: Checked
    used: int  # slot of the set of records in use; -1 for tables
    process: Optional[str]


@dataclass(frozen=True)
class Array:
    """A field or variable that has elements: checked indices."""

    name: str
    indices: Checked


class Layout:
    """Slots of all state of a protocol."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.slots: list[Slot] = []
        self.initial: list[int] = []
        self.states: dict[str, int] = {}  # of processes without records
        self.variables: dict[tuple[str, str], int] = {}
        self.parameters: dict[str, int] = {}
        self.counters: dict[str, int] = {}
        self.timers: dict[str, Checked] = {}  # by instance, 0 where there is none
        self.containers: dict[str, Container] = {}
        self.arrays: dict[tuple[str, str], Array] = {}
        self.by_name: dict[str, int] = {}
        for process in protocol.processes:
            self._process(process)
        for parameter in protocol.parameters:
            self.parameters[parameter.name] = self._add(
                Slot(parameter.name, "parameter", parameter.type),
                parameter.default.value,
            )
        for counter in protocol.counters:
            self.counters[counter.name] = self._add(Slot(counter.name, "counter", None))
        for timer in protocol.timers:
            self._timer(timer)
        for pool in protocol.pools:
            self._container(pool)
        for table in protocol.tables:
            self._container(table)
        self.by_name = {slot.name: index for index, slot in enumerate(self.slots)}

    def _add(self, slot: Slot, value: int = 0) -> int:
        self.slots.append(slot)
        self.initial.append(value)
        return len(self.slots) - 1

    def _process(self, process: ir.Process) -> None:
        if process.pool is None:
            slot = Slot(f"{process.name}.state", "state", None, process.name)
            self.states[process.name] = self._add(slot)
        for variable in process.variables:
            slot_number = self._field(f"{process.name}.{variable.name}", variable)
            self.variables[process.name, variable.name] = slot_number
            self._array(process.name, variable)

    def _timer(self, timer: ir.Timer) -> None:
        process = self.protocol.process(timer.process)
        entries = {}
        if process.pool is None:
            entries[0] = self._add(Slot(f"timer {timer.name}", "timer", None))
        else:
            for reference in range(1, self.protocol.pool(process.pool).count.value + 1):
                name = f"timer {timer.name}[{reference}]"
                entries[reference] = self._add(Slot(name, "timer", None))
        what = f"timer {timer.name} has no instance {{key}}"
        self.timers[timer.name] = Checked(entries, what)

    def _container(self, declaration: Union[ir.Pool, ir.Table]) -> None:
        name, count = declaration.name, declaration.count.value
        used, process = -1, None
        if isinstance(declaration, ir.Pool):
            used = self._add(Slot(f"{name}.used", "used", set_of(count)))
            process = declaration.process
        by_reference = isinstance(declaration, ir.Pool) or declaration.pool is not None
        first = 1 if by_reference else 0
        bases: dict[int, int] = {}
        offsets: dict[str, int] = {}
        for key in range(first, first + count):
            base = bases[key] = len(self.slots)
            for field in declaration.fields:
                offsets[field.name] = (
                    self._field(f"{name}[{key}].{field.name}", field) - base
                )
            if process is not None:
                slot = Slot(f"{name}[{key}].state", "state", None, process)
                offsets[""] = self._add(slot) - base
        for field in declaration.fields:
            self._array(name, field)
        self.containers[name] = Container(
            name=name,
            by_reference=by_reference,
            count=count,
            stride=len(self.slots) - bases[first + count - 1],
            offsets=offsets,
            fields=declaration.fields,
            bases=Checked(
                bases,
                f"{{key}} is outside {name}, which has {count} records",
                f"none is no record of {name}" if by_reference else "",
            ),
            used=used,
            process=process,
        )

    def _field(self, name: str, field: ir.Field) -> int:
        if isinstance(field.type, ir.ArrayType):
            first = len(self.slots)
            for element in range(field.type.count.value):
                self._add(Slot(f"{name}[{element}]", "value", field.type.element))
            return first
        kind: SlotKind = "bits" if isinstance(field.type, ir.BitsType) else "value"
        initial = field.initial.value if field.initial is not None else 0
        return self._add(Slot(name, kind, field.type), initial)

    def _array(self, owner: str, field: ir.Field) -> None:
        if isinstance(field.type, (ir.ArrayType, ir.BitsType)):
            count = field.type.count.value
            kind = "bits" if isinstance(field.type, ir.BitsType) else "elements"
            name = f"{owner}.{field.name}"
            indices = {i: i for i in range(count)}
            what = f"index {{key}} is outside {name}, which has {count} {kind}"
            self.arrays[owner, field.name] = Array(name, Checked(indices, what))


def set_of(count: int) -> ir.BitsType:
    """The type of a set of records in use."""
    place = ir.Place("", 0, 0)
    number = ir.Number(
        type=ir.IntegerType(32), place=place, value=count, text=str(count)
    )
    return ir.BitsType(ir.Size(count, number))
