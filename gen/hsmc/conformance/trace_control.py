# SPDX-License-Identifier: MIT
"""Checks the transitions of a run against the intermediate form, as far as their numbers and times prove anything.

What is known of a node without its data is a set of states per process or record, which timers run since when, and
which raised events are still to come; each may be several things, since conditions are not evaluated. A record of the
trace must fit one of them. What is reported is therefore wrong whatever the data were; trace_replay.py is the check
that evaluates everything.

* A transition starts in a state its process or record can be in; records are created lowest first and released.
* Raised events come in the order the row's statements demand, before anything from outside.
* A timer expires only when it runs and not before its time; one that runs is not forgotten.

Events of two processors overlap. So what is to come next, and the clock, are those of the processor that a transition's
process runs on.

Times are microseconds of a clock of 32 bits that wraps. A row is recorded before its timers are armed, an expiry after
the clock has been read, so the time between two records is at least what the timer was armed for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence, Union

from .. import ir
from ..interpreter.interpreter import Program
from .row_paths import PathFinder, Raised, RowPaths
from .trace_file import Item, Run

CLOCK = 1 << 32
LATE_MICROSECONDS = 100_000  # by which the event loop may serve an expiry late


class UnknownRaises:
    """Stands for unknown raises: after a gap, or where a row has too many paths."""

    def __init__(self, raises: Optional[frozenset[Raised]] = None) -> None:
        self.raises = raises  # None: any event there is

    def allows(self, process: str, event: str) -> bool:
        if self.raises is None:
            return True
        return any((r.process, r.event) == (process, event) for r in self.raises)


UNKNOWN = UnknownRaises()
Pending = tuple[
    Union["Awaited", UnknownRaises], ...
]  # what is to come, the next one first


@dataclass(frozen=True)
class Awaited:
    """A raised event: `instance` where it is known."""

    process: str
    event: str
    instance: Optional[int]

    def __str__(self) -> str:
        who = f"{self.process}[{self.instance}]" if self.instance else self.process
        return f"{who}.{self.event}"


@dataclass(frozen=True)
class Finding:
    """A step the spec does not explain."""

    line: int
    what: str
    expected: tuple[str, ...]


@dataclass(frozen=True)
class RowFacts:
    """What the checks need of a transition, worked out once."""

    row: ir.Row
    process: ir.Process
    handler: ir.Handler
    source: int  # bit of the leaf it starts in
    target: int  # bit of the leaf it ends in
    root: bool  # comes from outside, not from a raise
    creating: bool
    paths: RowPaths

    @property
    def event(self) -> str:
        return self.handler.event


class Tables:
    """A spec prepared for checking many runs."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.finder = PathFinder(protocol)
        self.rows: list[RowFacts] = []
        self.process_of_pool: dict[str, ir.Process] = {}
        self.answers: dict[tuple[str, str], list[ir.Handler]] = {}
        self.leaf_bits: dict[tuple[str, str], int] = {}
        self.continuations: dict[tuple[int, int], list[Pending]] = {}
        self.ranges = {
            process.name: range(1)
            if process.pool is None
            else range(1, protocol.pool(process.pool).count.value + 1)
            for process in protocol.processes
        }
        for process in protocol.processes:
            if process.pool is not None:
                self.process_of_pool[process.pool] = process
            for leaf in process.leaves:
                self.leaf_bits[process.name, leaf.name] = 1 << leaf.number
            for handler in process.handlers:
                self.answers.setdefault((process.name, handler.event), []).append(
                    handler
                )
                for row in handler.rows:
                    self.rows.append(self._facts(process, handler, row))

    def _facts(self, process: ir.Process, handler: ir.Handler, row: ir.Row) -> RowFacts:
        source = self.leaf_bits[process.name, handler.leaf]
        target = source
        if row.target is not None:
            target = self.leaf_bits[process.name, row.target]
        event = next((e for e in process.events if e.name == handler.event), None)
        recall = process.recall is not None and process.recall.event == handler.event
        outside = handler.timer is not None or recall or bool(event and event.external)
        creating = event is not None and event.creates
        paths = self.finder.row(row)
        return RowFacts(row, process, handler, source, target, outside, creating, paths)

    def instances(self, process: ir.Process) -> range:
        return self.ranges[process.name]

    def alternatives_of(self, facts: RowFacts, instance: int) -> list[Pending]:
        """What may come after a row, in each path through its statements."""
        key = (facts.row.number, instance)
        if key not in self.continuations:
            self.continuations[key] = list(continuations(facts.paths, instance))
        return self.continuations[key]

    def unrecorded_leaves(self, process: str, event: str) -> int:
        """The leaves in which the event may leave no trace, as bits."""
        result = 0
        for handler in self.answers.get((process, event), ()):
            if handler.timer is None and handler.otherwise == "ignore":
                result |= self.leaf_bits[process, handler.leaf]
        return result


def processors_of(protocol: ir.Protocol, run: Run) -> dict[str, str]:
    """By process. Without a placement it is one processor."""
    for placement in protocol.placements:
        if placement.name == run.placement:
            return dict(placement.processors)
    return {process.name: "" for process in protocol.processes}


def continuations(paths: RowPaths, instance: Optional[int]) -> Iterator[Pending]:
    if paths.paths is None:
        yield (UnknownRaises(frozenset(paths.any_order.raises)),)
        return
    for raises in paths.raises or ((),):
        yield tuple(
            Awaited(r.process, r.event, instance if r.own else None) for r in raises
        )


class ControlCheck:
    """One run, from its start."""

    def __init__(self, tables: Tables, run: Run) -> None:
        self.tables = tables
        self.run = run
        self.protocol = tables.protocol
        self.findings: list[Finding] = []
        self.rows = 0
        self.lost = 0
        self.states: dict[tuple[str, int], int] = {}
        self.last_line: dict[tuple[str, int], int] = {}
        self.on = processors_of(self.protocol, run)
        self.pending_on: dict[str, set[Pending]] = {}
        self.armed: dict[tuple[int, int], Optional[tuple[int, int, int]]] = {}
        self.clocks: dict[str, int] = {}
        self.values = {p.name: p.default.value for p in self.protocol.parameters}
        self.values.update(run.parameters)
        self.before = dict(self.values)  # what a row may still have met
        self.unrecorded_leaves: dict[tuple[str, str], int] = {}
        self._begin()

    def _begin(self) -> None:
        for process in self.protocol.processes:
            for instance in self.tables.instances(process):
                # The initial leaf of a process without records, none of one with them, is 0.
                self.states[process.name, instance] = 1
        if self.run.begins_midway:
            self._forget()
            return
        for processor in dict.fromkeys(self.on.values()):
            self.pending_on[processor] = {()}
        for process in self.protocol.processes:
            for timer in process.initial_timers:
                self.armed[timer.index, 0] = None
            paths = self.tables.finder.statements(process.initial_actions)
            self.pending_on[self.on[process.name]] = {
                before + continuation
                for before in self.pending_on[self.on[process.name]]
                for continuation in continuations(paths, None)
            }

    def _forget(self) -> None:
        """After a gap everything may be."""
        for process in self.protocol.processes:
            every = 0 if process.pool is None else 1
            for leaf in process.leaves:
                every |= 1 << leaf.number
            for instance in self.tables.instances(process):
                self.states[process.name, instance] = every
            for timer in process.timers:
                for instance in self.tables.instances(process):
                    self.armed[timer.index, instance] = None
        for processor in self.on.values():
            self.pending_on[processor] = {(), (UNKNOWN,)}
        self.clocks.clear()
        self.last_line.clear()

    # --- the run

    def check(self) -> None:
        for item in self.run.items:
            if item.kind == "row":
                self._row(item)
            elif item.kind == "gap":
                self.lost += item.numbers[0]
                self._forget()
            elif item.kind == "parameter":
                self._parameter(item)
        self._end()

    def _find(self, line: int, what: str, expected: Sequence[str] = ()) -> None:
        self.findings.append(Finding(line, what, tuple(dict.fromkeys(expected))))

    def _parameter(self, item: Item) -> None:
        if item.name not in self.values:
            names = ", ".join(self.values)
            self._find(
                item.line, f"there is no parameter {item.name}", [f"one of: {names}"]
            )
            return
        self.before[item.name] = self.values[item.name]
        self.values[item.name] = item.numbers[0]

    def _row(self, item: Item) -> None:
        time, number, argument = item.numbers
        self.rows += 1
        if number >= len(self.tables.rows):
            what = f"there is no transition {number}"
            self._find(item.line, what, [f"0 to {len(self.tables.rows) - 1}"])
            return
        facts = self.tables.rows[number]
        instance = argument if facts.process.pool is not None else 0
        if instance not in self.tables.instances(facts.process):
            found = self.tables.instances(facts.process)
            what = (
                f"{facts.row.id}: there is no record {argument} of {facts.process.pool}"
            )
            self._find(item.line, what, [f"{found[0]} to {found[-1]}"])
            return
        if argument != instance:
            what = f"{facts.row.id} has the argument {argument}, but {facts.process.name} has no records"
            self._find(item.line, what, ["0"])
        self._time(item, time, self.on[facts.process.name])
        key = (facts.process.name, instance)
        if not self._source(item, facts, key):
            # one finding for one mistake
            self.pending_on[self.on[facts.process.name]] = {(UNKNOWN,)}
        self._order(item, facts, instance)
        self._timers(item, facts, instance, time)
        self._move(facts, key)
        self.last_line[key] = item.line

    def _time(self, item: Item, time: int, processor: str) -> None:
        clock = self.clocks.get(processor)
        if clock is not None and (time - clock) % CLOCK >= CLOCK // 2:
            what = f"the clock runs backwards, from {clock} to {time}"
            self._find(item.line, what, [f"a time not before {clock}"])
        self.clocks[processor] = time

    # --- states

    def _source(self, item: Item, facts: RowFacts, key: tuple[str, int]) -> bool:
        mask = self.states[key]
        if facts.creating:
            self._created(item, facts, key)
            return True
        if mask & facts.source:
            return True
        since = self.last_line.get(key)
        where = f" since line {since}" if since else ""
        what = (
            f"{facts.row.id} starts in {facts.handler.leaf}, but {self.name(key)} is in "
            f"{self.leaves(facts.process, mask)}{where}"
        )
        self._find(item.line, what, self._possible(key))
        return False

    def _created(self, item: Item, facts: RowFacts, key: tuple[str, int]) -> None:
        """The event takes the lowest free record."""
        name, instance = key
        lower = next(
            (i for i in range(1, instance) if self.states[name, i] == 1), instance
        )
        if not self.states[key] & 1:
            what = (
                f"{facts.row.id} creates {self.name(key)}, which is in use: in "
                f"{self.leaves(facts.process, self.states[key])}"
            )
            self._find(item.line, what, [f"the lowest free record of {name}"])
        elif lower != instance:
            what = f"{facts.row.id} creates {self.name(key)}, but a lower one is free"
            self._find(item.line, what, [self.name((name, lower))])
        self.states[key] = facts.source

    def _move(self, facts: RowFacts, key: tuple[str, int]) -> None:
        paths = facts.paths.paths
        after = facts.target
        if paths is None:
            after |= int(facts.paths.any_order.releases_own)
        elif facts.process.pool is not None and paths:
            gone = [path.releases_own for path in paths]
            after = 1 if all(gone) else facts.target | int(any(gone))
        self.states[key] = after
        any_order = facts.paths.any_order
        for pool in any_order.releases:
            self._may(pool, lambda mask: mask | 1)
        for pool in any_order.creates:
            self._may_create(pool)

    def _may(self, pool: str, change: Callable[[int], int]) -> None:
        process = self.tables.process_of_pool.get(pool)
        if process is not None:
            for instance in self.tables.instances(process):
                key = (process.name, instance)
                self.states[key] = change(self.states[key])

    def _may_create(self, pool: str) -> None:
        """A row that creates may have taken any record up to the first that is surely free."""
        process = self.tables.process_of_pool.get(pool)
        if process is None:
            return
        initial = self.tables.leaf_bits[process.name, process.initial]
        for instance in self.tables.instances(process):
            key = (process.name, instance)
            free = self.states[key]
            if free & 1:
                self.states[key] = free | initial
            if free == 1:
                return

    # --- order of raises

    def _order(self, item: Item, facts: RowFacts, instance: int) -> None:
        coming = self.tables.alternatives_of(facts, instance)
        after: set[Pending] = set()
        processor = self.on[facts.process.name]
        for pending in self.pending_on[processor]:
            for rest in self._consume(pending, facts, instance):
                after.update([continuation + rest for continuation in coming])
        if not after:
            expected = [str(p[0]) for p in self.pending_on[processor] if p]
            if expected:
                what = f"{facts.row.id} comes although a raised event is to come first"
            else:
                what = f"{facts.row.id}: nothing has raised {facts.event}"
                expected = self._outside()
            self._find(item.line, what, expected)
            after = {continuation + (UNKNOWN,) for continuation in coming} | set(coming)
        self.pending_on[processor] = after

    def _consume(
        self, pending: Pending, facts: RowFacts, instance: int
    ) -> Iterator[Pending]:
        """What is to come after this row, in each way it fits what was to come before."""
        while pending:
            top, rest = pending[0], pending[1:]
            if isinstance(top, UnknownRaises):
                if facts.handler.timer is None and top.allows(
                    facts.process.name, facts.event
                ):
                    yield pending
            else:
                if (top.process, top.event) == (facts.process.name, facts.event) and (
                    top.instance is None or top.instance == instance
                ):
                    yield rest
                if not self._may_be_ignored(top):
                    return
            pending = rest
        if facts.root:
            yield ()

    def _may_be_ignored(self, awaited: Awaited) -> bool:
        key = (awaited.process, awaited.event)
        if key not in self.unrecorded_leaves:
            self.unrecorded_leaves[key] = self.tables.unrecorded_leaves(*key)
        process = self.protocol.process(awaited.process)
        instances: Sequence[int] = self.tables.instances(process)
        if awaited.instance is not None:
            instances = (awaited.instance,)
        unrecorded_leaves = self.unrecorded_leaves[key]
        return any(
            self.states[awaited.process, i] & unrecorded_leaves for i in instances
        )

    # --- timers

    def _timers(self, item: Item, facts: RowFacts, instance: int, time: int) -> None:
        timer = facts.handler.timer
        if timer is not None:
            self._expired(item, timer, instance, time)
        for timer in facts.row.cancelled:
            armed = self.armed.pop((timer.index, instance), None)
            if armed is None or facts.handler.timer is timer:
                continue
            since, _, most = armed
            if (time - since) % CLOCK > most + LATE_MICROSECONDS:
                what = (
                    f"{facts.row.id} cancels {self.timer(timer, instance)}, armed for {most} us "
                    f"{(time - since) % CLOCK} us ago: it should have expired"
                )
                self._find(item.line, what, [f"an expiry of {timer.name}"])
        for timer in facts.row.armed:
            low, high = self._duration(timer)
            self.armed[timer.index, instance] = (time, low, high)

    def _expired(self, item: Item, timer: ir.Timer, instance: int, time: int) -> None:
        key = (timer.index, instance)
        name = self.timer(timer, instance)
        if key not in self.armed:
            what = f"{name} expires, but does not run"
            running = [
                f"an expiry of {self.timer(self.protocol.timers[t], i)}"
                for t, i in self.armed
            ]
            self._find(item.line, what, running or ["no expiry: no timer runs"])
            return
        armed = self.armed.pop(key)
        if armed is None:
            return
        since, least, most = armed
        elapsed = (time - since) % CLOCK
        if elapsed < least:
            what = f"{name} expires {elapsed} us after it was armed for {least} us"
            self._find(item.line, what, [f"a time from {(since + least) % CLOCK} on"])
        elif elapsed > most + LATE_MICROSECONDS:
            what = f"{name} expires {elapsed} us after it was armed for {most} us"
            self._find(item.line, what, [f"a time near {(since + most) % CLOCK}"])

    def _duration(self, timer: ir.Timer) -> tuple[int, int]:
        """The least and the most it may have been armed for: the host may be changing a parameter."""
        if isinstance(timer.duration, ir.ParameterName):
            name = timer.duration.name
            now, before = self.values[name], self.before[name]
            return min(now, before), max(now, before)
        value = timer.duration.value
        return (0, CLOCK) if value is None else (value, value)

    # --- the end

    def _end(self) -> None:
        if not self.run.idle:
            return
        line = self.run.items[-1].line if self.run.items else self.run.line
        for found in self.pending_on.values():
            if not any(self._may_end(pending) for pending in found):
                awaited = [str(pending[0]) for pending in found if pending]
                what = "the run ends although a raised event is to come"
                self._find(line, what, awaited)
        for (name, instance), mask in self.states.items():
            process = self.protocol.process(name)
            slot = f"{process.pool or name}{f'[{instance}]' if instance else ''}.state"
            unknown = slot if process.pool is None else f"{process.pool}[].state"
            if unknown in self.run.unknown:
                continue
            state = self.run.state.get(slot, 0)
            if not mask >> state & 1:
                what = f"the run ends with {self.name((name, instance))} in {self.leaves(process, 1 << state)}"
                self._find(line, what, [self.leaves(process, mask)])

    def _may_end(self, pending: Pending) -> bool:
        return all(
            isinstance(top, UnknownRaises) or self._may_be_ignored(top)
            for top in pending
        )

    # --- words

    @staticmethod
    def name(key: tuple[str, int]) -> str:
        return f"{key[0]}[{key[1]}]" if key[1] else key[0]

    @staticmethod
    def timer(timer: ir.Timer, instance: int) -> str:
        return f"timer {timer.name}[{instance}]" if instance else f"timer {timer.name}"

    @staticmethod
    def leaves(process: ir.Process, mask: int) -> str:
        names = [leaf.path for leaf in process.leaves if mask >> leaf.number & 1]
        if process.pool is not None and mask & 1:
            names.insert(0, "no record")
        return " or ".join(names) or f"state number {mask.bit_length() - 1}"

    def _possible(self, key: tuple[str, int]) -> list[str]:
        """Transitions that can start where the process or record is."""
        mask = self.states[key]
        found = [
            facts.row.id
            for facts in self.tables.rows
            if facts.process.name == key[0]
            and (facts.source & mask or (facts.creating and mask & 1))
        ]
        return found or [f"none: {self.name(key)} is not in use"]

    def _outside(self) -> list[str]:
        """Transitions that events from outside can cause now."""
        return [
            facts.row.id
            for facts in self.tables.rows
            if facts.root
            and any(
                self.states[facts.process.name, i] & (facts.source | facts.creating)
                for i in self.tables.instances(facts.process)
            )
        ]


def place_of(program: Program, number: int) -> str:
    """Where a transition is written, and how."""
    row = program.rows[number]
    return f"{row.place}: {row.text}"
