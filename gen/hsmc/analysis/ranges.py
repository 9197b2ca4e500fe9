# SPDX-License-Identifier: MIT
"""Which numbers values can be, followed through guards, conditions, actions and functions: what leaves its range.

Each row is followed with what its guard, and the guards before it that did not hold, say of its operands. Actions and
functions are followed anew for each call that tells them something else, so a guard in front of a call protects what
stands inside; an event that rows raise knows what all who raise it have in common.

What must be shown: that an index, a shift, a number of a bit, and what goes into a place with a range, is inside; that
nothing is lost where a number is cut to fit; that a difference is not below zero where its order matters. What is
wrong whatever happens is an error, and so is an index that came from outside and that nothing bounds.
"""

from __future__ import annotations

from typing import Iterable, Mapping, Optional, Sequence, Union, assert_never

from .. import ir, walk
from .facts import Facts, Subject, in_words, name_of, named, ordered
from .intervals import ANY, Interval, exactly
from .values import Context, Numeric, Values

# Turns of a loop, times those of the loops around it, that are followed one by one.
TURNS = 512

Loop = Union[ir.Repeat, ir.For]


class Ranges(Values):
    """The whole protocol."""

    _without_reports: Optional["RangesWithoutReports"] = None

    def without_reports(self) -> "RangesWithoutReports":
        if self._without_reports is None:
            self._without_reports = RangesWithoutReports(self)
        return self._without_reports

    # --- calls

    def passed(
        self,
        declared: Iterable[ir.Argument],
        arguments: Iterable[ir.Expression],
        facts: Facts,
    ) -> Facts:
        """What is known where something is called: of its arguments, and of the state."""
        result = Facts({})
        names: dict[str, list[str]] = {}
        without_reports = self.without_reports()
        for argument, value in zip(declared, arguments):
            name = name_of(value)
            if name is not None:
                names.setdefault(name, []).append(argument.name)
            if isinstance(argument.type, Numeric):
                given = without_reports.value(value, facts)
                if argument.range is not None:
                    # What is outside has been reported.
                    bounds = self.allowed(argument.type, argument.range)
                    given = given.meet(bounds) or bounds
                result.known[named(argument.name)] = given
        for subject, interval in facts.known.items():
            if not subject.names:
                result.known[subject] = interval
            elif all(name in names for name in subject.names):
                known = self.inside(subject, names)
                if known is not None:
                    result.known.setdefault(known, interval)
        return result

    @staticmethod
    def inside(subject: Subject, names: Mapping[str, list[str]]) -> Optional[Subject]:
        """A subject of the caller in terms of what it calls."""
        text = subject.text
        if any(
            names[name][0] in names and names[name][0] != name for name in subject.names
        ):
            return None
        for name in subject.names:
            text = in_words(text, name, names[name][0])
        found = frozenset(names[name][0] for name in subject.names)
        return Subject(ordered(text), found, subject.state)

    def check_argument_ranges(
        self,
        declared: Iterable[ir.Argument],
        arguments: Iterable[ir.Expression],
        facts: Facts,
    ) -> None:
        """Arguments keep to the ranges they are declared with."""
        for argument, node in zip(declared, arguments):
            value = self.value(node, facts)
            if argument.range is not None:
                low, high = argument.range.low.value, argument.range.high.value
                what = f"argument '{argument.name}'"
                self.check_within(value, low, high, node.place, what)

    def call(
        self,
        name: str,
        arguments: tuple[ir.Expression, ...],
        place: ir.Place,
        facts: Facts,
    ) -> Interval:
        body = self.bodies[name]
        self.check_argument_ranges(body.arguments, arguments, facts)
        inner = self.passed(body.arguments, arguments, facts)
        context = self.context(name, inner)
        found = self._calls.get(context)
        calls = self._calls_without_reports if self.reports_off else self._calls
        if found is None and context not in calls:
            outer, self.result = self.result, None
            self.callers.append(place)
            calls[context] = ANY
            self.run(body.body, inner)
            self.callers.pop()
            found = self.result
            self.result = outer
            if found is None:
                kind = body.result if isinstance(body, ir.Function) else ir.BoolType()
                found = self.declared(kind, None)
            calls[context] = found
        return found if found is not None else calls[context]

    @staticmethod
    def context(name: str, facts: Facts) -> Context:
        return name, tuple(sorted(facts.known.items(), key=lambda i: i[0].text))

    def raise_(self, statement: ir.Raise, facts: Facts) -> None:
        process = self.protocol.process(statement.process)
        event = next(e for e in process.events if e.name == statement.event)
        if statement.instance is not None:
            self.value(statement.instance, facts)
        self.check_argument_ranges(event.arguments, statement.arguments, facts)
        if facts.dead:
            return
        inner = self.passed(event.arguments, statement.arguments, facts)
        # Of state nothing is known any more: what is raised before may have changed it.
        inner.known = {s: i for s, i in inner.known.items() if not s.state}
        key = (statement.process, statement.event)
        before = self._raised.get(key)
        self._raised[key] = inner if before is None else before.join(inner)

    # --- statements

    def writes(self, statements: object) -> set[str]:
        """Fields and variables that statements may change, through actions too."""
        found: set[str] = set()
        for node in walk.nodes(statements):
            if isinstance(node, ir.Assign):
                found |= self._written(node.target)
            elif isinstance(node, ir.SetBit):
                found |= self._written(node.bits)
            elif isinstance(node, ir.ActionCall):
                if node.action not in self._writes:
                    body = self.bodies[node.action].body
                    self._writes[node.action] = frozenset(self.writes(body))
                found |= self._writes[node.action]
            elif isinstance(node, (ir.Release, ir.Clear)):
                container = node.pool if isinstance(node, ir.Release) else node.table
                found |= {
                    f"{container}.{field}"
                    for holder, field in self.fields
                    if holder == container
                }
            elif isinstance(node, (ir.Create, ir.Raise)):
                found.add("*")
        if found:
            found.add("*")
        return found

    @staticmethod
    def _written(target: ir.Expression) -> set[str]:
        if isinstance(target, ir.Element):
            target = target.base
        if isinstance(target, ir.RecordField):
            return {f"{target.container}.{target.field}"}
        if isinstance(target, ir.VariableName):
            return {f"{target.process}.{target.name}"}
        return set()

    def run(self, statements: Iterable[ir.Statement], facts: Facts) -> Facts:
        for statement in statements:
            if facts.dead:
                break
            facts = self.step(statement, facts)
        return facts

    def step(self, statement: ir.Statement, facts: Facts) -> Facts:
        if isinstance(statement, ir.If):
            self.value(statement.condition, facts)
            then, otherwise = facts.copy(), facts.copy()
            self.assume(statement.condition, True, then)
            self.assume(statement.condition, False, otherwise)
            return self.run(statement.then, then).join(
                self.run(statement.otherwise, otherwise)
            )
        if isinstance(statement, ir.LOOPS):
            return self.loop(statement, facts)
        if isinstance(statement, ir.Let):
            value = self.value(statement.value, facts)
            self.set_local(statement.local, value, facts)
            if isinstance(statement.value, ir.BuildPayload):
                self.built(statement.local, statement.value, facts)
        elif isinstance(statement, ir.Create):
            facts.forget_name(statement.local.unique)
            facts.forget_state(self.writes(statement))
        elif isinstance(statement, ir.Assign):
            self.assign(statement, facts)
        elif isinstance(statement, ir.Return):
            if statement.result is not None:
                value = self.value(statement.result, facts)
                self.result = self.result.join(value) if self.result else value
            return Facts({}, True)
        elif isinstance(statement, ir.ActionCall):
            self.call(statement.action, statement.arguments, statement.place, facts)
            facts.forget_state(self.writes(statement))
        elif isinstance(statement, ir.DeviceCall):
            declared = self.devices[statement.device].arguments
            self.check_argument_ranges(declared, statement.arguments, facts)
        elif isinstance(statement, ir.Raise):
            self.raise_(statement, facts)
        elif isinstance(statement, ir.Release):
            self.value(statement.reference, facts)
            facts.forget_state(self.writes(statement))
        elif isinstance(statement, ir.Clear):
            self.index(statement, facts)
            facts.forget_state(self.writes(statement))
        elif isinstance(statement, ir.SetBit):
            self.value(statement.bits, facts)
            assert isinstance(statement.bits.type, ir.BitsType)
            index = self.value(statement.index, facts)
            count = statement.bits.type.count.value
            self.indexes(statement.index, index, count, "index", facts)
            facts.forget_state(self.writes(statement))
        elif not isinstance(statement, (ir.Count, ir.ClearVariable, ir.Assert)):
            assert_never(statement)
        return facts

    def set_local(self, local: ir.Local, value: Interval, facts: Facts) -> None:
        facts.forget_name(local.unique)
        if value != ANY:
            facts.known[named(local.unique)] = value

    def built(self, local: ir.Local, node: ir.BuildPayload, facts: Facts) -> None:
        """What the fields of a payload hold."""
        parts = dict(node.fields)
        name = frozenset([local.unique])
        for field in self.protocol.payload(node.payload).fields:
            if isinstance(field.type, Numeric):
                part = parts.get(field.name)
                value = (
                    self.without_reports().value(part, facts) if part else exactly(0)
                )
                subject = Subject(f"{local.unique}.{field.name}", name, frozenset())
                facts.known[subject] = value

    def assign(self, statement: ir.Assign, facts: Facts) -> None:
        value = self.value(statement.value, facts)
        target = statement.target
        if isinstance(target, ir.LocalName):
            self.set_local(target.local, value, facts)
            return
        self.value(target, facts)
        place = target.base if isinstance(target, ir.Element) else target
        field: Optional[ir.Field] = None
        if isinstance(place, ir.RecordField):
            field = self.fields.get((place.container, place.field))
        elif isinstance(place, ir.VariableName):
            field = self.fields.get((place.process, place.name))
        if field is not None:
            what = f"value of '{self.places.text(target.place)}'"
            self.check_field_range(value, field, statement.value.place, what)
        subject = self.subject(target)
        facts.forget_state(self.writes(statement))
        if not isinstance(target.type, ir.ReferenceType):
            if field is not None and field.range is not None:
                # What is outside has been reported.
                bounds = Interval(field.range.low.value, field.range.high.value)
                value = value.meet(bounds) or bounds
            facts.known[subject] = value

    def loop(self, statement: Loop, facts: Facts) -> Facts:
        """Turns are followed one by one until they add nothing. Where that takes too many, nothing is known at the
        beginning of a turn of what the body changes, but for the condition, or the numbers the loop runs through.
        """
        self.reports_off += 1
        before, self.turns = self.turns, self.turns * walk.turns(statement)
        found = self.followed(statement, facts, TURNS // before)
        self.turns = before
        self.reports_off -= 1
        if found is None:
            for node in walk.nodes(statement.body):
                if isinstance(node, ir.Assign):
                    if isinstance(node.target, ir.LocalName):
                        facts.forget_name(node.target.local.unique)
            facts.forget_state(self.writes(statement.body))
            found = facts, facts
        begin, after = found
        self.turn(statement, begin.copy(), None)
        return after.copy()

    def followed(
        self, statement: Loop, facts: Facts, most: int
    ) -> Optional[tuple[Facts, Facts]]:
        """What is known at the beginning of any turn, and after the last; None if that takes too many turns to see."""
        begin, now = facts, facts
        after = Facts({}, True)
        for number in range(walk.turns(statement)):
            if number == most:
                return None
            if number > 0:
                wider = begin.join(now)
                if wider == begin:
                    again = self.turn(statement, begin.copy(), None)
                    if again.dead or begin.join(again) == begin:
                        return begin, begin  # no turn adds anything
                begin = wider
            if isinstance(statement, ir.Repeat) and statement.condition is not None:
                leaving = now.copy()
                self.assume(statement.condition, False, leaving)
                after = after.join(leaving)
            now = self.turn(statement, now.copy(), number)
            if now.dead:
                break
        return begin, after.join(now)

    def turn(self, statement: Loop, inside: Facts, number: Optional[int]) -> Facts:
        """One, or with None any."""
        if isinstance(statement, ir.For):
            low, high = statement.low.value, statement.high.value
            value = Interval(low, high) if number is None else exactly(low + number)
            self.set_local(statement.local, value, inside)
        elif statement.condition is not None:
            self.value(statement.condition, inside)
            self.assume(statement.condition, True, inside)
        return self.run(statement.body, inside)

    # --- the whole

    def check(self) -> None:
        for property_ in self.protocol.properties:
            if property_.condition is not None:
                self.value(property_.condition, Facts({}))
        for process in self.protocol.processes:
            for event in process.events:
                if event.select is not None:
                    self.value(event.select, self.entering(process, event))
            self.run(process.initial_actions, Facts({}))
        for process, handler in self.in_order():
            facts = Facts({})
            for event in process.events:
                if handler.timer is None and event.name == handler.event:
                    facts = self.entering(process, event)
            for group in handler.groups:
                facts = self.run(group.lets, facts)
                for row in group.rows:
                    if row.kind != "written":
                        continue
                    if row.guard is not None:
                        self.value(row.guard, facts)
                    taken = facts.copy()
                    if row.guard is not None:
                        self.assume(row.guard, True, taken)
                        self.assume(row.guard, False, facts)
                    executed = (*row.exit_actions, *row.actions, *row.entry_actions)
                    self.run(executed, taken)

    def entering(self, process: ir.Process, event: ir.Event) -> Facts:
        """What is known of the arguments of an event."""
        if not event.external:
            raised = self._raised.get((process.name, event.name))
            return raised.copy() if raised is not None else Facts({})
        return Facts(
            {
                named(argument.name): self.external_interval(
                    argument.type, argument.range
                )
                for argument in event.arguments
                if isinstance(argument.type, Numeric)
            }
        )

    def in_order(self) -> Sequence[tuple[ir.Process, ir.Handler]]:
        """Whoever raises an event before the event: rows do not raise each other in circles."""
        handlers: dict[tuple[str, str], list[tuple[ir.Process, ir.Handler]]] = {}
        for process in self.protocol.processes:
            for handler in process.handlers:
                key = (process.name, handler.event)
                handlers.setdefault(key, []).append((process, handler))
        done: dict[tuple[str, str], None] = {}

        def visit(key: tuple[str, str]) -> None:
            if key in done:
                return
            for _, handler in handlers.get(key, ()):
                for row in handler.rows:
                    for raised in row.raises:
                        visit(raised)
            done[key] = None

        for key in reversed(handlers):
            visit(key)
        return [pair for key in reversed(done) for pair in handlers.get(key, ())]


class RangesWithoutReports(Ranges):
    """The same analysis where the values have been, or will be, reported on elsewhere."""

    def __init__(self, outer: Ranges) -> None:
        self.__dict__ = outer.__dict__

    def report(self, code: str, place: ir.Place, message: str) -> None:
        pass

    def call(
        self,
        name: str,
        arguments: tuple[ir.Expression, ...],
        place: ir.Place,
        facts: Facts,
    ) -> Interval:
        function = self.bodies[name]
        context = self.context(name, self.passed(function.arguments, arguments, facts))
        assert isinstance(function, ir.Function)
        known = self._calls.get(context) or self._calls_without_reports.get(context)
        return known or self.declared(function.result, None)
