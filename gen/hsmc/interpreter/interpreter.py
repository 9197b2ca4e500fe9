# SPDX-License-Identifier: MIT
"""The reference interpreter: executes the intermediate form itself, one node at a time.

    node = Node(Program(protocol))
    outcome = node.deliver("Sender", "submit", 0, [5])
    outcome.verdict, outcome.transitions, outcome.effects, outcome.changes

It takes nothing from the C back end, so that the two can be compared. What the intermediate form forbids raises
ContractViolation with the place in the spec, and leaves the state as it was before the event.
"""

from __future__ import annotations

import enum
import types
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from .. import ir
from .interpreter_code import PythonWriter
from .node_state import Checked, ContractViolation, Layout

Value = Union[int, tuple[int, ...]]  # a payload is the tuple of its fields
LogEntry = tuple[int, ...]

FILE = "<interpreter>"


class Verdict(enum.IntEnum):
    """As enum hsm_verdict of fw-runtime/hsm_support.h."""

    DONE = 0
    IGNORED = 1
    NO_ROOM = 2
    REFUSED = 3


@dataclass(frozen=True)
class EntryPoint:
    """An external event."""

    number: int
    process: ir.Process
    event: ir.Event

    @property
    def name(self) -> str:
        return f"{self.process.name}.{self.event.name}"

    @property
    def takes_reference(self) -> bool:
        return self.process.pool is not None and self.event.needs_reference


@dataclass(frozen=True)
class Change:
    slot: int
    before: int
    after: int


@dataclass(frozen=True)
class Effect:
    """Something done to the outside: `kind` is device, arm, cancel, count or never; values as logged."""

    kind: str
    name: str  # of the device, timer or counter; of a never event Process.event
    values: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What came of one event."""

    verdict: Verdict
    log: tuple[LogEntry, ...]
    changes: tuple[Change, ...]
    program: "Program"

    @property
    def transitions(self) -> list[str]:
        """Ids of the transitions taken, in order."""
        rows = self.program.rows
        return [rows[entry[1]].id for entry in self.log if entry[0] == 0]

    @property
    def effects(self) -> list[Effect]:
        """What was done to the outside, in order."""
        return [self.program.effect(entry) for entry in self.log if entry[0] != 0]


class Program:
    """A protocol made executable; shared by all nodes that run it."""

    def __init__(
        self, protocol: ir.Protocol, writer: type[PythonWriter] = PythonWriter
    ) -> None:
        self.protocol = protocol
        self.layout = Layout(protocol)
        self.writer = writer(protocol, self.layout)
        source = self.writer.write_all()
        self.text = source.text
        self.places = source.places
        names: dict[str, Any] = {}
        exec(compile(self.text, FILE, "exec"), names)  # of our own making
        self.make: Callable[..., dict[str, Any]] = names["make"]
        self.rows = list(protocol.rows())
        self.formats = self.writer.formats
        self.log_kinds = [key for key in self.writer.log_numbers]
        self.event_names = list(self.writer.event_codes)
        self.entries: list[EntryPoint] = []
        for process in protocol.processes:
            for event in process.events:
                if event.external:
                    entry = EntryPoint(len(self.entries), process, event)
                    self.entries.append(entry)
        self.entry_by_name = {entry.name: entry for entry in self.entries}

    def effect(self, entry: LogEntry) -> Effect:
        kind, name = self.log_kinds[entry[0]]
        if kind in ("arm", "cancel"):
            name = self.protocol.timers[entry[1]].name
            return Effect(kind, name, entry[2:])
        if kind == "count":
            return Effect(kind, self.protocol.counters[entry[1]].name, ())
        if kind == "never":
            process, event = self.event_names[entry[3]]
            return Effect(kind, f"{process}.{event}", entry[1:])
        return Effect(kind, name, entry[1:])

    def place_of(self, traceback: Optional[types.TracebackType]) -> Optional[ir.Place]:
        """Where in the spec an exception came from: the innermost line of generated text that has a place."""
        found = None
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == FILE:
                place = self.places[traceback.tb_lineno - 1]
                found = place or found
            traceback = traceback.tb_next
        return found

    def number_of_bits(self, kind: ir.Type) -> int:
        """Width of a scalar as an argument."""
        if isinstance(kind, ir.BoolType):
            return 1
        assert isinstance(kind, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType))
        return kind.bits


SHIFT = Checked({n: n for n in range(32)}, "shift by {key}: more than 31")


class Node:
    """One node: its state and what may happen to it.

    `strict`: a `never` event raises ContractViolation. Otherwise it is logged and ignored, as on the NIC.
    """

    def __init__(
        self,
        program: Program,
        parameters: Optional[Mapping[str, int]] = None,
        strict: bool = True,
    ) -> None:
        self.program = program
        self.layout = program.layout
        self.strict = strict
        self.state: list[int] = list(self.layout.initial)
        self.journal: list[tuple[int, int]] = []
        self.log: list[LogEntry] = []
        self.verdict = 0
        tables = program.writer.tables
        self._code = program.make(
            self.state,
            self.journal.append,
            self.log.append,
            self._zero,
            self._arm,
            self._cancel,
            self._never,
            ContractViolation,
            SHIFT,
            _has_all,
            **tables,
            **program.writer.helpers,
        )
        self.entries: list[Callable[..., int]] = [
            self._code[f"enter_{n}"] for n in range(len(program.entries))
        ]
        self.expiries: list[Callable[..., None]] = [
            self._code[f"expired_{timer.index}"] for timer in program.protocol.timers
        ]
        self.initial_outcome = self.reset(parameters or {})

    # --- what the generated text calls

    def _zero(self, first: int, count: int) -> None:
        for slot in range(first, first + count):
            if self.state[slot]:
                self.journal.append((slot, self.state[slot]))
                self.state[slot] = 0

    def _arm(self, slot: int, timer: int, instance: int, duration: int) -> None:
        if self.state[slot]:
            name = self.layout.slots[slot].name
            raise ContractViolation(f"{name} is armed, but runs already")
        self.journal.append((slot, 0))
        self.state[slot] = 1
        self.log.append((2, timer, instance, duration))

    def _cancel(self, slot: int, timer: int, instance: int) -> None:
        self.journal.append((slot, self.state[slot]))
        self.state[slot] = 0
        self.log.append((3, timer, instance))

    def _never(
        self,
        process: int,
        state: int,
        code: int,
        instance: int,
        event: str,
        defers: bool,
    ) -> None:
        if self.strict:
            owner = self.program.protocol.processes[process]
            leaf = self.leaf_name(owner, state)
            who = f"{owner.name}[{instance}]" if owner.pool else owner.name
            complaint = "where the spec says it cannot come"
            if defers:
                complaint = "where as many wait as the event keeps"
            raise ContractViolation(f"{who} gets {event} in state {leaf}, {complaint}")
        self.log.append((1, process, state, code))

    def leaf_name(self, process: ir.Process, number: int) -> str:
        if process.pool is not None:
            return process.leaves[number - 1].path if number else "none"
        return process.leaves[number].path

    # --- events

    def reset(self, parameters: Mapping[str, int]) -> Outcome:
        """Starts anew, with these parameters and otherwise the defaults, and initialises."""
        self.state[:] = self.layout.initial
        for name, value in parameters.items():
            self.check_parameter(name, value)
            self.state[self.layout.parameters[name]] = value
        return self._outcome(self.run(self._code["initialise"], ()))

    def check_parameter(self, name: str, value: int) -> None:
        for parameter in self.program.protocol.parameters:
            if parameter.name == name:
                low, high = parameter.bounds
                if not low <= value <= high:
                    raise ValueError(f"{name} must be {low} to {high}, not {value}")
                return
        names = ", ".join(p.name for p in self.program.protocol.parameters) or "none"
        raise ValueError(f"there is no parameter '{name}'; there are: {names}")

    def set_parameter(self, name: str, value: int) -> Outcome:
        """As the host does while the node runs; whether the parameter is declared live is the caller's business."""
        self.check_parameter(name, value)
        slot = self.layout.parameters[name]
        before, self.state[slot] = self.state[slot], value
        self.log.clear()
        self.journal[:] = [(slot, before)]
        self.verdict = 0
        changes = (Change(slot, before, value),) if before != value else ()
        return Outcome(Verdict.DONE, (), changes, self.program)

    def deliver(
        self,
        process: str,
        event: str,
        reference: int = 0,
        arguments: Sequence[Value] = (),
    ) -> Outcome:
        """An external event. `reference` counts only where the runtime names the record."""
        entry = self.program.entry_by_name.get(f"{process}.{event}")
        if entry is None:
            raise ValueError(f"there is no external event {process}.{event}")
        values: list[Value] = list(arguments)
        self._check_arguments(entry, reference, values)
        if entry.takes_reference:
            values.insert(0, reference)
        return self._outcome(self.run(self.entries[entry.number], values))

    def _check_arguments(
        self, entry: EntryPoint, reference: int, values: Sequence[Value]
    ) -> None:
        """What cannot even be handed to the entry point in C is the caller's mistake, not a refusal."""
        declared = entry.event.arguments
        if len(values) != len(declared):
            raise ValueError(
                f"{entry.name} takes {len(declared)} arguments, not {len(values)}"
            )
        parts: list[tuple[str, ir.Type, int]] = []
        if entry.takes_reference:
            pool = self.program.protocol.pool(str(entry.process.pool))
            parts.append((str(entry.process.instance), pool.reference, reference))
        for argument, value in zip(declared, values, strict=True):
            if isinstance(argument.type, ir.PayloadType):
                fields = self.program.protocol.payload(argument.type.name).fields
                if not isinstance(value, tuple) or len(value) != len(fields):
                    raise ValueError(
                        f"{entry.name}: {argument.name} is a tuple of {len(fields)} numbers"
                    )
                parts += [(f.name, f.type, v) for f, v in zip(fields, value)]
            else:
                if not isinstance(value, int):
                    raise ValueError(f"{entry.name}: {argument.name} is a number")
                parts.append((argument.name, argument.type, value))
        for name, kind, number in parts:
            bits = self.program.number_of_bits(kind)
            if not 0 <= number < 1 << bits:
                raise ValueError(
                    f"{entry.name}: {name} is {kind}, which cannot hold {number}"
                )

    def armed(self) -> list[tuple[ir.Timer, int]]:
        """Timers running: (timer, instance), by timer and instance."""
        return [
            (timer, instance)
            for timer in self.program.protocol.timers
            for instance, slot in self.layout.timers[timer.name].items()
            if self.state[slot]
        ]

    def expire(self, timer: str, instance: int = 0) -> Outcome:
        """A timer that runs runs out."""
        found = [t for t in self.program.protocol.timers if t.name == timer]
        if not found:
            names = ", ".join(t.name for t in self.program.protocol.timers) or "none"
            raise ValueError(f"there is no timer '{timer}'; there are: {names}")
        slots = self.layout.timers[timer]
        if instance not in slots or not self.state[slots[instance]]:
            which = f"{timer}[{instance}]" if instance else timer
            running = ", ".join(
                f"{name}[{number}]" if number else name
                for name, number in ((t.name, number) for t, number in self.armed())
            )
            raise ValueError(
                f"timer {which} is not running; running: {running or 'none'}"
            )
        return self._outcome(self.run_expiry(found[0].index, instance))

    def run_expiry(self, timer: int, instance: int) -> int:
        slot = self.layout.timers[self.program.protocol.timers[timer].name][instance]
        return self.run(self._expiry, (slot, timer, instance))

    def _expiry(self, slot: int, timer: int, instance: int) -> int:
        self.journal.append((slot, self.state[slot]))
        self.state[slot] = 0
        if self.program.protocol.process(
            self.program.protocol.timers[timer].process
        ).pool:
            self.expiries[timer](instance)
        else:
            self.expiries[timer]()
        return 0

    def run(self, code: Callable[..., int], values: Sequence[Any]) -> int:
        """Executes generated text as one event: what it did is in `log` and `journal` until the next one.

        The fast way in, for callers that check arguments themselves.
        """
        self.log.clear()
        self.journal.clear()
        try:
            self.verdict = code(*values)
        except ContractViolation as violation:
            violation.place = self.program.place_of(violation.__traceback__)
            for slot, before in reversed(self.journal):
                self.state[slot] = before
            raise
        return self.verdict

    def _outcome(self, verdict: int) -> Outcome:
        return Outcome(
            Verdict(verdict), tuple(self.log), tuple(self.changes()), self.program
        )

    def changed_slots(self) -> list[int]:
        """Where the last event left another value, in order."""
        state = self.state
        first = dict(reversed(self.journal))
        return sorted([slot for slot in first if first[slot] != state[slot]])

    def changes(self) -> list[Change]:
        """What the last event changed, in order of the state."""
        first = dict(reversed(self.journal))  # the earliest note of a slot wins
        return [
            Change(slot, first[slot], self.state[slot]) for slot in self.changed_slots()
        ]

    # --- looking at the state

    def value(self, name: str) -> int:
        """Of a variable, field, parameter or counter by the name its slot has: `SendMessage[1].peer`."""
        return self.state[self.layout.by_name[name]]

    def state_of(self, process: str, instance: int = 0) -> str:
        """The path of the state a process is in; "none" for a record not in use."""
        found = self.program.protocol.process(process)
        if found.pool is None:
            slot = self.layout.states[process]
        else:
            container = self.layout.containers[found.pool]
            slot = container.bases[instance] + container.offsets[""]
        return self.leaf_name(found, self.state[slot])

    def instances(self, process: str) -> list[int]:
        """References of the records in use, [0] for a process without records."""
        pool = self.program.protocol.process(process).pool
        if pool is None:
            return [0]
        used = self.state[self.layout.containers[pool].used]
        return [i + 1 for i in range(used.bit_length()) if used >> i & 1]

    def snapshot(self) -> list[int]:
        return list(self.state)

    def restore(self, snapshot: Sequence[int]) -> None:
        self.state[:] = snapshot


def _has_all(bits: int, first: int, count: int, size: int) -> bool:
    if count == 0:
        return True
    if count > 31:
        raise ContractViolation(f"{count} bits are asked for: at most 31 at once")
    if first + count > size:
        raise ContractViolation(
            f"bits {first} to {first + count - 1} are asked for of a set of {size}"
        )
    wanted = (1 << count) - 1
    return bits >> first & wanted == wanted
