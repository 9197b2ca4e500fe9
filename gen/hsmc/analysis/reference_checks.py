# SPDX-License-Identifier: MIT
"""No reference that may be none is used, and no record created where there may be no room: over all states of all
processes.

What a state knows of the references its process keeps (its variables, or the fields of its own record) is what holds on
every way into it and stays so in it; what an event knows of its arguments is what all who raise it know. Both begin with
the most that is possible and give way until nothing changes: what is left holds in every run.
"""

from __future__ import annotations

from typing import Iterator, Optional, Union

from .. import ir, walk
from ..frontend.places import Places
from .known_values import Nothing, Path, Slot, Terms, joined
from .reference_flow import (
    ArgumentKey,
    Declared,
    Findings,
    Follower,
    RaisedValues,
    Use,
    is_reference,
)

# What is followed at a time: a handler, by its process and its place there.
Work = tuple[str, int]


def check_references(protocol: ir.Protocol, places: Places) -> None:
    if protocol.pools:
        References(protocol, places).check()


class References:
    """The whole protocol."""

    def __init__(self, protocol: ir.Protocol, places: Places) -> None:
        self.protocol = protocol
        self.places = places
        self.declared = Declared(protocol)
        self.terms = Terms()
        # Of states that are reached: what is known of the references.
        self.states: dict[tuple[str, str], dict[str, Nothing]] = {}
        # What is written to records in whatever state they are.
        self.written: dict[str, Nothing] = {}
        # Of raised events: arguments, and pools with a free record.
        self.raised_values: dict[tuple[str, str], RaisedValues] = {}
        self.findings: dict[Union[Work, str], Findings] = {}
        self.waiting: dict[Work, None] = {}
        self._uses_references: dict[Work, bool] = {}
        self.leaves: dict[tuple[str, str], list[Work]] = {}
        self.events: dict[tuple[str, str], list[Work]] = {}
        for process in protocol.processes:
            for index, handler in enumerate(process.handlers):
                work = process.name, index
                self.leaves.setdefault((process.name, handler.leaf), []).append(work)
                if handler.timer is None:
                    key = process.name, handler.event
                    self.events.setdefault(key, []).append(work)

    def check(self) -> None:
        self.begin()
        while self.waiting:
            work = next(iter(self.waiting))
            del self.waiting[work]
            self.follow(work)
        self.report()

    # --- what begins

    def begin(self) -> None:
        path = Path(self.terms)
        for pool in self.protocol.pools:
            path.facts[path.available(pool.name)] = True
        for property_ in self.protocol.properties:
            if property_.condition is not None and self.protocol.processes:
                self.look(property_, property_.condition)
        for process in self.protocol.processes:
            for event in process.events:
                if event.external:
                    self.select(process, event)
            if process.pool is not None:
                self.enter(process, process.initial, self.created(process))
                continue
            follower = Follower(self.declared, self.terms, process, None)
            for slot in follower.slots():
                path.memory[slot] = self.terms.none
            path.left = None
            paths = follower.run(process.initial_actions, [path])
            self.leave(process, follower, paths, process.initial)
            self.take(f"{process.name} initially", follower.findings)
            path = Path.merge([p for p in paths if p.left is None] or paths)
            path.ended = False

    def created(self, process: ir.Process) -> dict[str, Nothing]:
        """A new record is zero; tables parallel to the pool keep what they hold."""
        return {
            name: True if name.startswith(f"{process.pool}.") else None
            for name in self.declared.slots[process.name]
        }

    def select(self, process: ir.Process, event: ir.Event) -> None:
        if event.select is not None:
            follower = Follower(self.declared, self.terms, process, event)
            path = Path(self.terms)
            self.bind(event, None, path)
            follower.evaluate(event.select, path)
            self.findings[f"{process.name}.{event.name}"] = follower.findings

    def look(self, property_: ir.Property, condition: ir.Expression) -> None:
        """It may hold or not after any event, so nothing is known of what the processes keep."""
        follower = Follower(self.declared, self.terms, self.protocol.processes[0], None)
        path = Path(self.terms)
        if property_.instance is not None:
            term = self.terms.make("argument", property_.instance.name)
            path.names[property_.instance.name] = term
            path.nothing[term] = False
        follower.evaluate(condition, path)
        self.findings[f"property {property_.name}"] = follower.findings

    def bind(
        self, event: ir.Event, raised_values: Optional[RaisedValues], path: Path
    ) -> None:
        """Gives the arguments their values. `raised_values` None: nothing is known of them."""
        for argument in event.arguments:
            path.names[argument.name] = self.terms.make("argument", argument.name)
        if raised_values is None:
            return
        for (name, field), nothing in raised_values.nothing.items():
            term = path.names[name]
            if field:
                term = self.terms.make("field", term, field)
            if nothing is not None:
                path.nothing[term] = nothing
        for pool in raised_values.available:
            path.facts[path.available(pool)] = True

    # --- one handler

    def follow(self, work: Work) -> None:
        process = self.declared.processes[work[0]]
        handler = process.handlers[work[1]]
        state = self.states.get((process.name, handler.leaf))
        if state is None or process.leaf(handler.leaf).final:
            return
        event: Optional[ir.Event] = None
        path = Path(self.terms)
        if handler.timer is None:
            event = self.declared.events[process.name, handler.event]
            raised_values = None
            if not event.external:
                raised_values = self.raised_values.get((process.name, event.name))
                if raised_values is None:
                    return
            self.bind(event, raised_values, path)
        follower = Follower(self.declared, self.terms, process, event)
        if not self.uses_references(work, handler):
            for row in handler.rows:
                if row.kind == "written" and row.target is not None:
                    self.enter(process, row.target, state)
            return
        for slot in follower.slots():
            nothing = state[slot.field]
            if slot.field in self.written:
                nothing = joined(nothing, self.written[slot.field])
            path.memory[slot] = path.unknown(nothing)
        self.rows(process, handler, follower, path)
        self.take(work, follower.findings)

    def uses_references(self, work: Work, handler: ir.Handler) -> bool:
        if work not in self._uses_references:
            parts = tuple(walk.handler_parts(handler))
            self._uses_references[work] = self.declared.uses_references(parts)
        return self._uses_references[work]

    def rows(
        self, process: ir.Process, handler: ir.Handler, follower: Follower, path: Path
    ) -> None:
        for group in handler.groups:
            follower.run(group.lets, [path])
            for row in group.rows:
                # What waits was checked when it was raised.
                if row.kind != "written":
                    return
                taken = path
                if row.guard is not None:
                    guard = follower.evaluate(row.guard, path)
                    taken = path.fork()
                    taken.assume(guard, True)
                    path.assume(guard, False)
                if not taken.dead:
                    executed = (*row.exit_actions, *row.actions, *row.entry_actions)
                    paths = follower.run(executed, [taken])
                    self.leave(process, follower, paths, row.target or handler.leaf)
                if row.guard is None or path.dead:
                    return

    def leave(
        self,
        process: ir.Process,
        follower: Follower,
        paths: list[Path],
        target: str,
    ) -> None:
        """What the rows' ends, or the moments of their first raise, tell the target."""
        for path in paths:
            if not path.own_released:
                state = follower.state(path) if path.left is None else path.left
                follower.findings.states.append((target, state))

    # --- what others learn

    def take(self, work: Union[Work, str], findings: Findings) -> None:
        self.findings[work] = findings
        name = work.split(" ")[0] if isinstance(work, str) else work[0]
        process = self.declared.processes[name]
        for target, state in findings.states:
            self.enter(process, target, {s.field: n for s, n in state.items()})
        for field, nothing in findings.written:
            before = self.written.get(field, nothing)
            after = joined(before, nothing)
            if field not in self.written or after != self.written[field]:
                self.written[field] = after
                owner = self.declared.owners[field]
                for key, works in self.leaves.items():
                    if key[0] == owner:
                        self.waiting.update(dict.fromkeys(works))
        for raised_values in findings.raised_values:
            self.merge_raised_values(raised_values)

    def enter(self, process: ir.Process, leaf: str, state: dict[str, Nothing]) -> None:
        key = process.name, leaf
        before = self.states.get(key)
        after = dict(state)
        if before is not None:
            after = {name: joined(before[name], state[name]) for name in before}
        if after != before:
            self.states[key] = after
            self.waiting.update(dict.fromkeys(self.leaves.get(key, ())))

    def merge_raised_values(self, raised_values: RaisedValues) -> None:
        key = raised_values.process, raised_values.event
        event = self.declared.events[key]
        if event.keeps is not None:
            # It may be delivered later, when others have been at the pools.
            raised_values = RaisedValues(*key, raised_values.nothing, frozenset())
        before = self.raised_values.get(key)
        if before is not None:
            nothing = {
                name: joined(before.nothing[name], value)
                for name, value in raised_values.nothing.items()
            }
            raised_values = RaisedValues(
                *key, nothing, before.available & raised_values.available
            )
        if raised_values != before:
            self.raised_values[key] = raised_values
            self.waiting.update(dict.fromkeys(self.events.get(key, ())))

    # --- reports

    def report(self) -> None:
        passed: dict[ArgumentKey, list[Use]] = {}
        for findings in self.findings.values():
            for key, use in findings.passed:
                passed.setdefault(key, []).append(use)
        seen: set[ir.Place] = set()
        answered: set[ArgumentKey] = set()
        for findings in self.findings.values():
            for message, place, notes in findings.no_room:
                if place not in seen:
                    seen.add(place)
                    self.places.error("HSM0546", place, message, notes)
            for use in findings.uses:
                for found, first in self.answers(use, use.place, passed, answered):
                    if found.place not in seen:
                        seen.add(found.place)
                        notes = found.notes
                        if first != found.place and not notes:
                            notes = (("used here", first),)
                        self.places.error("HSM0545", found.place, found.message, notes)

    def answers(
        self,
        use: Use,
        first: ir.Place,
        passed: dict[ArgumentKey, list[Use]],
        answered: set[ArgumentKey],
    ) -> Iterator[tuple[Use, ir.Place]]:
        """Who must see to it: the row itself, or those who raise its event."""
        if use.argument is None:
            yield use, first
        elif use.argument not in answered:
            answered.add(use.argument)
            for raiser in passed.get(use.argument, ()):
                yield from self.answers(raiser, first, passed, answered)
