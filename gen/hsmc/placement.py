# SPDX-License-Identifier: MIT
"""What a placement makes cross from one processor to another: raises, what they carry, and data; and which events must run
under the lock for it.

Only this module computes it. A back end that crosses by messages, locks or errors starts from here.

* A raise crosses when the process that raises and the process that is raised run on different processors. It carries the
  reference of the record, the arguments, and of a payload those fields that the receiver reads, also where it passes
  the payload on.
* Data cross when a process on one processor writes them and a process on another reads or writes them. What a process
  does through actions and functions counts as its own. Fields are distinguished, elements and records are not. With the
  set of records in use goes the state of each record: who creates a record writes both, and the process of the pool
  reads both with each of its events.
* An entry is what a processor begins by itself: an external event, an expiry, or an event that another processor raises.
  What its handlers raise on the same processor belongs to it.
* Where either processor takes the next event, nothing crosses: an event runs under the lock with all that it raises.
* Counters and device operations are the runtime's; the report names those that two processors use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional, Sequence, Union, assert_never

from . import ir, walk
from .most import Body, Most

# What accesses no data of a process, and what stands in worlds only.
NO_ACCESS = (
    walk.STATELESS
    + ir.WORLD_ONLY
    + (ir.Let, ir.LocalName, ir.If, ir.Repeat, ir.For, ir.Return)
)

Owner = Union[str, tuple[str, str]]  # a function or an action; an event of a process


@dataclass(frozen=True)
class Carried:
    """One value of a raise: a reference, an argument, or a field of a payload (`name` is then `f.length`)."""

    name: str
    type: ir.Type


@dataclass(frozen=True)
class CrossingRaise:
    source: str  # process
    target: str  # process
    event: str
    carries: tuple[Carried, ...]
    places: tuple[ir.Place, ...]  # of the raises


@dataclass(frozen=True)
class SharedData:
    """`name` is `Container.field`, `Process.variable` or `Pool.used`, the set of records in use."""

    name: str
    kind: str
    type: Optional[ir.Type]  # None: the set of records in use
    writers: tuple[str, ...]  # processes
    users: tuple[
        str, ...
    ]  # that read or write it on another processor than some writer
    one_word: bool  # read and written in one access of at most 32 bits
    written: tuple[ir.Place, ...]  # the first place of each writer
    used: tuple[ir.Place, ...]  # the first place of each user


@dataclass(frozen=True)
class SharedUse:
    """A counter or a device operation that several processors use."""

    name: str
    kind: str
    processes: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """`event`: that of an event, or of a timer as in ir.Row.id. `locked`: data for whose sake it runs under the lock; in
    a dynamic placement each entry does, for all data that any event writes. `messages`: so many it sends to other
    processors at most. `shared_uses`: so often it uses data in a line `shared` at most.
    """

    process: str
    event: str
    locked: tuple[str, ...]
    messages: int
    shared_uses: int


@dataclass(frozen=True)
class Crossings:
    placement: ir.Placement
    raises: tuple[CrossingRaise, ...]
    data: tuple[SharedData, ...]
    uses: tuple[SharedUse, ...]
    entries: tuple[Entry, ...]


@dataclass
class _Access:
    """What a process, or one of its events, does directly and through what it calls. Keys keep the order of the spec's
    text."""

    reads: dict[str, ir.Place] = field(default_factory=dict)
    writes: dict[str, ir.Place] = field(default_factory=dict)
    counters: dict[str, None] = field(default_factory=dict)
    devices: dict[str, None] = field(default_factory=dict)
    raises: dict[tuple[str, str], list[ir.Place]] = field(default_factory=dict)

    def add(self, other: "_Access") -> None:
        self.reads = {**other.reads, **self.reads}
        self.writes = {**other.writes, **self.writes}
        self.counters.update(other.counters)
        self.devices.update(other.devices)
        for target, places in other.raises.items():
            known = self.raises.setdefault(target, [])
            known += [place for place in places if place not in known]


class PlacementAnalysis:
    """A whole protocol; each placement is then a question of who runs where."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.bodies: dict[str, Body] = {f.name: f for f in protocol.functions}
        self.bodies.update((a.name, a) for a in protocol.actions)
        self.events = {
            (process.name, event.name): event
            for process in protocol.processes
            for event in process.events
        }
        self.holders: dict[str, Union[ir.Pool, ir.Table]] = {
            **{pool.name: pool for pool in protocol.pools},
            **{table.name: table for table in protocol.tables},
        }
        self.types: dict[str, ir.Type] = {}
        for holder in self.holders.values():
            for member in holder.fields:
                self.types[f"{holder.name}.{member.name}"] = member.type
        for process in protocol.processes:
            for member in process.variables:
                self.types[f"{process.name}.{member.name}"] = member.type
        self._fields: dict[tuple[Owner, str], dict[str, None]] = {}
        # What each event does, and what each process does by its events and when it begins.
        self.units: dict[tuple[str, str], _Access] = {}
        self.access = {p.name: self._accesses(p) for p in protocol.processes}

    # --- what a process does

    def _accesses(self, process: ir.Process) -> _Access:
        found = self._reached([process.initial_actions])
        for event in process.events:
            unit = self._reached([event.select, event.room, event.waiting])
            if event.creates:
                assert process.pool is not None
                unit.writes[f"{process.pool}.used"] = event.place
            self.units[process.name, event.name] = unit
        for handler in process.handlers:
            unit = self.units.setdefault((process.name, handler.event), _Access())
            unit.add(self._reached(walk.handler_parts(handler)))
            for row in handler.rows:
                durations = [timer.duration for timer in row.armed]
                unit.add(self._reached(list(durations)))
        for name, unit in self.units.items():
            if name[0] == process.name:
                if process.pool is not None:
                    unit.reads[f"{process.pool}.used"] = process.place
                found.add(unit)
        return found

    def _reached(self, parts: list[object]) -> _Access:
        """What the parts do themselves and through what they call."""
        found = _Access()
        seen: set[str] = set()
        waiting = [parts]
        while waiting:
            for body in self._access(waiting.pop(), found):
                if body.name not in seen:
                    seen.add(body.name)
                    waiting.append([body.body])
        return found

    def _access(self, parts: Sequence[object], found: _Access) -> Iterator[Body]:
        """Adds what the parts do themselves; yields what they call."""
        targets: set[int] = set()
        for node in walk.nodes(list(parts)):
            if isinstance(node, ir.Call):
                yield self.bodies[node.function]
            elif isinstance(node, ir.ActionCall):
                yield self.bodies[node.action]
            elif isinstance(node, ir.DeviceCall):
                found.devices[node.device] = None
            elif isinstance(node, ir.Count):
                found.counters[node.counter] = None
            elif isinstance(node, ir.Raise):
                key = (node.process, node.event)
                found.raises.setdefault(key, []).append(node.place)
            elif isinstance(node, ir.Assign):
                target: ir.Expression = node.target
                if isinstance(target, ir.Element):
                    target = target.base
                targets.add(id(target))
                name = _name(target)
                if name:
                    found.writes.setdefault(name, node.place)
            elif isinstance(node, ir.SetBit):
                found.writes.setdefault(_name(node.bits), node.place)
            elif isinstance(node, (ir.Release, ir.Clear)):
                holder = node.pool if isinstance(node, ir.Release) else node.table
                for member in self.holders[holder].fields:
                    found.writes.setdefault(f"{holder}.{member.name}", node.place)
                if isinstance(node, ir.Release):
                    found.writes.setdefault(f"{holder}.used", node.place)
            elif isinstance(node, ir.Create):
                found.writes.setdefault(f"{node.pool}.used", node.place)
            elif isinstance(node, (ir.Available, ir.InUse)):
                found.reads.setdefault(f"{node.pool}.used", node.place)
            elif isinstance(node, (ir.RecordField, ir.VariableName)):
                if id(node) not in targets:
                    found.reads.setdefault(_name(node), node.place)
            elif not isinstance(node, NO_ACCESS):
                assert_never(node)

    # --- what of a payload is read

    def fields_read(self, owner: Owner, argument: str) -> dict[str, None]:
        """Fields of a payload argument that a function, an action or what an event does reads, also where it passes the
        payload on. Neither calls nor raises lead back to their beginning, so this ends.
        """
        key = (owner, argument)
        if key not in self._fields:
            found: dict[str, None] = {}
            for node in walk.nodes(self._parts(owner)):
                if isinstance(node, ir.PayloadField) and _is(node.base, argument):
                    found[node.field] = None
                elif isinstance(node, (ir.Call, ir.ActionCall, ir.Raise)):
                    callee, declared = self._callee(node)
                    for passed, given in zip(declared, node.arguments):
                        if _is(given, argument):
                            found.update(self.fields_read(callee, passed.name))
                elif isinstance(node, ir.DeviceCall):
                    for given in node.arguments:
                        if _is(given, argument):
                            assert isinstance(given.type, ir.PayloadType)
                            payload = self.protocol.payload(given.type.name)
                            found.update(
                                (member.name, None) for member in payload.fields
                            )
            self._fields[key] = found
        return self._fields[key]

    def _parts(self, owner: Owner) -> list[object]:
        if isinstance(owner, str):
            return [self.bodies[owner].body]
        handlers = self.protocol.process(owner[0]).handlers_of(owner[1])
        parts: list[object] = [self.events[owner].select]
        return parts + [walk.handler_parts(handler) for handler in handlers]

    def _callee(
        self, node: Union[ir.Call, ir.ActionCall, ir.Raise]
    ) -> tuple[Owner, tuple[ir.Argument, ...]]:
        if isinstance(node, ir.Raise):
            event = (node.process, node.event)
            return event, self.events[event].arguments
        name = node.function if isinstance(node, ir.Call) else node.action
        return name, self.bodies[name].arguments

    # --- a placement

    def crossings(self, placement: ir.Placement) -> Crossings:
        on = dict(placement.processors)
        data = tuple(self._data(on))
        locked = [d for d in data if is_named(d.name, placement.locked)]
        named = [name for name, _ in placement.shared]
        shared = [d for d in data if is_named(d.name, named)]
        return Crossings(
            placement,
            tuple(self._raises(on)),
            data,
            tuple(self._uses(on)),
            tuple(self._entries(on, locked, shared)),
        )

    def _raises(self, on: dict[str, str]) -> Iterator[CrossingRaise]:
        for source, access in self.access.items():
            for (target, name), places in access.raises.items():
                if on[source] != on[target]:
                    event = self.events[target, name]
                    carries = tuple(self._carried(target, event))
                    yield CrossingRaise(source, target, name, carries, tuple(places))

    def _carried(self, process: str, event: ir.Event) -> Iterator[Carried]:
        machine = self.protocol.process(process)
        if machine.pool is not None and event.needs_reference:
            yield Carried(
                str(machine.instance), self.protocol.pool(machine.pool).reference
            )
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                read = self.fields_read((process, event.name), argument.name)
                for member in self.protocol.payload(argument.type.name).fields:
                    if member.name in read:
                        yield Carried(f"{argument.name}.{member.name}", member.type)
            else:
                yield Carried(argument.name, argument.type)

    def _data(self, on: dict[str, str]) -> Iterator[SharedData]:
        names: dict[str, ir.Place] = {}
        for access in self.access.values():
            names.update(access.writes)
        for name in names:
            writers = [p for p, a in self.access.items() if name in a.writes]
            where = {on[process] for process in writers}
            others = [
                p
                for p, a in self.access.items()
                if (name in a.reads or name in a.writes) and where - {on[p]}
            ]
            if others:
                kind = self.types.get(name)
                yield SharedData(
                    name,
                    self._kind(name),
                    kind,
                    tuple(writers),
                    tuple(others),
                    kind is not None
                    and not isinstance(kind, (ir.BitsType, ir.ArrayType)),
                    tuple(self.access[p].writes[name] for p in writers),
                    tuple(self._use(p, name) for p in others),
                )

    def _use(self, process: str, name: str) -> ir.Place:
        access = self.access[process]
        return access.reads[name] if name in access.reads else access.writes[name]

    # --- what a processor begins

    def _entries(
        self,
        on: dict[str, str],
        crossing: Sequence[SharedData],
        shared: Sequence[SharedData],
    ) -> Iterator[Entry]:
        """Data that only its own processor writes, an event may read without the lock: they do not change meanwhile."""
        dynamic = ir.EITHER in on.values()
        if len(set(on.values())) < 2 and not dynamic:
            return
        written = {name for access in self.access.values() for name in access.writes}
        raised = {
            target
            for source, access in self.access.items()
            for target in access.raises
            if on[source] != on[target[0]]
        }
        messages = self._messages(on)
        uses = self._uses_of_shared(on, shared) if shared else None
        for process, event in self.units:
            declared = self.events.get((process, event))
            if declared and not declared.external and (process, event) not in raised:
                continue
            access = self._of_entry((process, event), on)
            locked = [
                datum.name
                for datum in crossing
                if datum.name in access.writes
                or datum.name in access.reads
                and any(on[writer] != on[process] for writer in datum.writers)
            ]
            if dynamic:
                used = (*access.writes, *access.reads)
                locked = [name for name in dict.fromkeys(used) if name in written]
            yield Entry(
                process,
                event,
                tuple(locked),
                messages.event(process, event),
                uses.event(process, event) if uses else 0,
            )

    def _of_entry(self, unit: tuple[str, str], on: dict[str, str]) -> _Access:
        """With what it raises on its own processor. Raises do not lead back to their beginning."""
        found = _Access()
        found.add(self.units[unit])
        for target in self.units[unit].raises:
            if on[target[0]] == on[unit[0]]:
                found.add(self._of_entry(target, on))
        return found

    def most_at_start(self, process: ir.Process, placement: ir.Placement) -> int:
        """So many raises cross at most when the process starts."""
        return self._messages(dict(placement.processors)).start(process)

    def _messages(self, on: dict[str, str]) -> Most:
        """How many raises cross."""

        def crosses(node: walk.Node, process: str) -> int:
            return isinstance(node, ir.Raise) and on[node.process] != on[process]

        return Most(self.protocol, self.bodies, on, crosses)

    def _uses_of_shared(self, on: dict[str, str], shared: Sequence[SharedData]) -> Most:
        """How often shared data are used: written, or read where another processor writes them. A processor's reads of what it
        alone writes do not count: nothing changes these data meanwhile."""
        writer = {datum.name: on[datum.writers[0]] for datum in shared}

        def used(node: walk.Node, process: str) -> int:
            if isinstance(node, ir.Assign):
                return _name(node.target) in writer
            if isinstance(node, (ir.Release, ir.Clear)):
                holder = node.pool if isinstance(node, ir.Release) else node.table
                return sum(name.partition(".")[0] == holder for name in writer)
            return writer.get(_name(node), on[process]) != on[process]

        return Most(self.protocol, self.bodies, on, used)

    def _kind(self, name: str) -> str:
        holder = self.holders.get(name.partition(".")[0])
        if holder is None:
            return "variable"
        return "pool" if isinstance(holder, ir.Pool) else "table"

    def _uses(self, on: dict[str, str]) -> Iterator[SharedUse]:
        for kind, declared in (
            ("counter", self.protocol.counters),
            ("device", self.protocol.devices),
        ):
            for declaration in declared:
                users = [
                    process
                    for process, access in self.access.items()
                    if declaration.name
                    in (access.counters if kind == "counter" else access.devices)
                ]
                if len({on[process] for process in users}) > 1:
                    yield SharedUse(declaration.name, kind, tuple(users))


def is_named(name: str, data: Sequence[str]) -> bool:
    """Is `Container.field` among the data that a placement names?"""
    return name in data or name.partition(".")[0] in data


def _is(node: ir.Expression, argument: str) -> bool:
    return isinstance(node, ir.ArgumentName) and node.name == argument


def _name(node: object) -> str:
    if isinstance(node, ir.RecordField):
        return f"{node.container}.{node.field}"
    if isinstance(node, ir.VariableName):
        return f"{node.process}.{node.name}"
    return ""
