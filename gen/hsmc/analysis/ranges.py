"""Which numbers values can be, followed through guards, conditions, actions and functions: what leaves its range.

Each row is followed with what its guard, and the guards before it that did not hold, say of its operands. Actions and
functions are followed anew for each call that tells them something else, so a guard in front of a call protects what
stands inside. Two kinds of findings: what is wrong whatever happens (errors), and what the spec itself says is possible
(warnings): see intervals.py for what counts as said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, NamedTuple, Optional, Union

from .. import ir, walk
from . import intervals
from ..dump import expression_text
from .intervals import ANY, BOOL, Interval, exactly, of_bits
from ..frontend.places import Places

Named = (ir.ArgumentName, ir.InstanceName, ir.LocalName)
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
OPERATIONS = {
    "+": intervals.add,
    "-": intervals.subtract,
    "*": intervals.multiply,
    "&": intervals.bit_and,
    "|": intervals.bit_or,
    "^": intervals.bit_xor,
    "<<": intervals.shift_left,
    ">>": intervals.shift_right,
    "/": intervals.divide,
    "%": intervals.remainder,
}


class Subject(NamedTuple):
    """Something facts are about: its text, the locals and arguments in it, the fields and variables it reads."""

    text: str
    names: frozenset[str]
    state: frozenset[str]


@dataclass
class Facts:
    """What is known of subjects beyond their types. `dead`: control cannot be here."""

    known: dict[Subject, Interval]
    dead: bool = False

    def copy(self) -> "Facts":
        return Facts(dict(self.known), self.dead)

    def forget_name(self, name: str) -> None:
        self.known = {s: i for s, i in self.known.items() if name not in s.names}

    def forget_state(self, written: Iterable[str]) -> None:
        gone = set(written)
        if gone:
            self.known = {s: i for s, i in self.known.items() if not s.state & gone}

    def join(self, other: "Facts") -> "Facts":
        if self.dead or other.dead:
            return other if self.dead else self
        return Facts(
            {
                subject: interval.join(other.known[subject])
                for subject, interval in self.known.items()
                if subject in other.known
            }
        )


Body = Union[ir.Function, ir.Action]
Context = tuple[str, tuple[tuple[Subject, Interval], ...]]


class Ranges:
    """The whole protocol."""

    def __init__(self, protocol: ir.Protocol, places: Places) -> None:
        self.protocol = protocol
        self.places = places
        self.bodies: dict[str, Body] = {f.name: f for f in protocol.functions}
        self.bodies.update((a.name, a) for a in protocol.actions)
        self.parameters = {p.name: p for p in protocol.parameters}
        self.fields: dict[tuple[str, str], ir.Field] = {}
        for payload in protocol.payloads:
            for field in payload.fields:
                self.fields["payload " + payload.name, field.name] = field
        self.counts: dict[str, int] = {}
        holders: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
        for holder in holders:
            self.counts[holder.name] = holder.count.value
            for field in holder.fields:
                self.fields[holder.name, field.name] = field
        for process in protocol.processes:
            for variable in process.variables:
                self.fields[process.name, variable.name] = variable
        self._subjects: dict[int, Subject] = {}
        self._writes: dict[str, frozenset[str]] = {}
        self._calls: dict[Context, Interval] = {}
        # Where the body under analysis was called from, outermost first, and what it returns.
        self.callers: list[ir.Place] = []
        self.result: Optional[Interval] = None

    # --- reports

    def report(self, code: str, place: ir.Place, message: str) -> None:
        notes = [("comes here from", self.callers[-1])] if self.callers else []
        self.places.error(code, place, message, notes)

    def within(
        self, value: Interval, low: int, high: int, place: ir.Place, what: str
    ) -> None:
        """Must lie in low..high."""
        if value.low > high or value.high < low:
            self.report("HSM0315", place, f"{what} is {value}, never in {low}..{high}")
        elif value.high_known and value.high > high:
            self.report(
                "HSM0316", place, f"{what} may be {value.high}, not in {low}..{high}"
            )
        elif value.low_known and value.low < low:
            self.report(
                "HSM0316", place, f"{what} may be {value.low}, not in {low}..{high}"
            )

    # --- what facts are about

    def subject(self, node: ir.Expression) -> Subject:
        found = self._subjects.get(id(node))
        if found is None:
            names: set[str] = set()
            state: set[str] = set()
            for part in walk.nodes(node):
                if isinstance(part, ir.LocalName):
                    names.add(part.local.unique)
                elif isinstance(part, (ir.ArgumentName, ir.InstanceName)):
                    names.add(part.name)
                elif isinstance(part, ir.RecordField):
                    state.add(f"{part.container}.{part.field}")
                elif isinstance(part, ir.VariableName):
                    state.add(f"{part.process}.{part.name}")
                elif isinstance(part, (ir.Call, ir.Available, ir.InUse)):
                    state.add("*")  # whatever a function reads
            found = Subject(expression_text(node), frozenset(names), frozenset(state))
            self._subjects[id(node)] = found
        return found

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

    # --- expressions

    def value(self, node: ir.Expression, facts: Facts) -> Interval:
        """Reports what is wrong inside on the way."""
        if node.value is not None:
            return exactly(node.value)
        found = self.computed(node, facts)
        known = facts.known.get(self.subject(node)) if facts.known else None
        if known is not None:
            both = found.meet(known)
            if both is None:
                facts.dead = True
                return found
            return both
        return found

    def declared(self, kind: ir.Type, field: Optional[ir.Field]) -> Interval:
        """By type and declared range. Whatever its range, a field of a record is zero before it is set."""
        if isinstance(kind, ir.ArrayType):
            kind = kind.element
        if isinstance(kind, ir.BoolType):
            return BOOL
        if not isinstance(kind, (ir.IntegerType, ir.EnumerationType)):
            return ANY
        if field is None or field.range is None:
            return of_bits(kind.bits)
        low = field.range.low.value
        if field.initial is None or field.initial.value < low:
            low = 0
        return Interval(low, field.range.high.value)

    def computed(self, node: ir.Expression, facts: Facts) -> Interval:
        if isinstance(node, ir.ParameterName):
            parameter = self.parameters[node.name]
            if parameter.range is None:
                return self.declared(parameter.type, None)
            return Interval(parameter.range.low.value, parameter.range.high.value)
        if isinstance(node, ir.VariableName):
            return self.declared(node.type, self.fields.get((node.process, node.name)))
        if isinstance(node, ir.PayloadField):
            field = self.fields[("payload " + node.payload, node.field)]
            if field.range is not None:
                return Interval(field.range.low.value, field.range.high.value)
            return self.declared(node.type, None)
        if isinstance(node, ir.RecordField):
            self.index(node, facts)
            return self.declared(
                node.type, self.fields.get((node.container, node.field))
            )
        if isinstance(node, ir.Element):
            kind = node.base.type
            base = self.value(node.base, facts)
            index = self.value(node.index, facts)
            assert isinstance(kind, ir.ArrayType)
            self.within(index, 0, kind.count.value - 1, node.index.place, "index")
            return base
        if isinstance(node, ir.Unary):
            operand = self.value(node.operand, facts)
            if node.operator != "not":
                return ANY
            if operand.low == operand.high:
                return exactly(1 - operand.low)
            return BOOL
        if isinstance(node, ir.Binary):
            return self.binary(node, facts)
        if isinstance(node, ir.Conditional):
            self.value(node.condition, facts)
            values: list[Interval] = []
            for holds, part in ((True, node.then), (False, node.otherwise)):
                inside = facts.copy()
                self.assume(node.condition, holds, inside)
                if not inside.dead:
                    values.append(self.value(part, inside))
            if not values:
                return self.declared(node.type, None)
            return values[0] if len(values) == 1 else values[0].join(values[1])
        if isinstance(node, ir.Call):
            return self.call(node.function, node.arguments, node.place, facts)
        if isinstance(node, (ir.Has, ir.HasAll)):
            return self.bits(node, facts)
        if isinstance(node, ir.Minimum):
            left, right = self.value(node.left, facts), self.value(node.right, facts)
            pick = intervals.larger if node.largest else intervals.smaller
            return pick(left, right)
        if isinstance(node, ir.Narrow):
            return self.narrow(node, facts)
        if isinstance(node, ir.BuildPayload):
            for name, part in node.fields:
                value = self.value(part, facts)
                field = self.fields["payload " + node.payload, name]
                self.fits(value, field, part.place, f"field '{name}'")
            return ANY
        return self.declared(node.type, None)

    def fits(
        self, value: Interval, field: ir.Field, place: ir.Place, what: str
    ) -> None:
        if field.range is not None and not field.hidden:
            low, high = field.range.low.value, field.range.high.value
            self.within(value, low, high, place, what)

    def narrow(self, node: ir.Narrow, facts: Facts) -> Interval:
        value = self.value(node.operand, facts)
        assert isinstance(node.type, ir.IntegerType)
        limit = (1 << node.type.bits) - 1
        if value.low > limit:
            self.report(
                "HSM0319",
                node.place,
                f"this is {value}: {node.type} always loses bits of it; mask it if that is meant",
            )
        return value if value.high <= limit else of_bits(node.type.bits)

    def binary(self, node: ir.Binary, facts: Facts) -> Interval:
        operator = node.operator
        left = self.value(node.left, facts)
        if operator in ("and", "or"):
            inside = facts.copy()
            self.assume(node.left, operator == "and", inside)
            if inside.dead:
                return exactly(int(operator == "or"))
            right = self.value(node.right, inside)
            decisive = int(operator == "or")
            if exactly(decisive) in (left, right):
                return exactly(decisive)
            return right if left.low == left.high else BOOL
        right = self.value(node.right, facts)
        if operator in COMPARISONS:
            outcome = intervals.compare(operator, left, right)
            if isinstance(node.left.type, ir.ReferenceType) or outcome is None:
                return BOOL
            return exactly(int(outcome))
        if operator in ("<<", ">>"):
            self.within(right, 0, 31, node.right.place, "shift")
        elif operator == "-" and left.high < right.low:
            if left.high_known and right.low_known:
                self.report(
                    "HSM0317",
                    node.place,
                    f"{left} - {right} is below zero: the result is near 2^32",
                )
            return ANY
        operation = OPERATIONS.get(operator)
        return operation(left, right) if operation else ANY

    def bits(self, node: Union[ir.Has, ir.HasAll], facts: Facts) -> Interval:
        self.value(node.bits, facts)
        assert isinstance(node.bits.type, ir.BitsType)
        size = node.bits.type.count.value
        if isinstance(node, ir.Has):
            index = self.value(node.index, facts)
            self.within(index, 0, size - 1, node.index.place, "index")
            return BOOL
        first, count = self.value(node.first, facts), self.value(node.count, facts)
        self.within(count, 0, 31, node.count.place, "number of bits")
        if count.low > 0 and count.low_known:
            if size >= count.low:
                self.within(
                    first, 0, size - count.low, node.first.place, "first of the bits"
                )
        return BOOL

    def index(self, node: Union[ir.RecordField, ir.Clear], facts: Facts) -> None:
        value = self.value(node.index, facts)
        if node.index_kind == "number":
            name = node.container if isinstance(node, ir.RecordField) else node.table
            limit = self.counts[name] - 1
            self.within(value, 0, limit, node.index.place, f"index of {name}")

    # --- conditions

    def assume(self, node: ir.Expression, holds: bool, facts: Facts) -> None:
        """Adds what follows when the condition holds, or does not."""
        if facts.dead:
            return
        if node.value is not None:
            facts.dead = bool(node.value) != holds
        elif isinstance(node, ir.Unary) and node.operator == "not":
            self.assume(node.operand, not holds, facts)
        elif isinstance(node, ir.Binary) and node.operator in ("and", "or"):
            if (node.operator == "and") == holds:
                self.assume(node.left, holds, facts)
                self.assume(node.right, holds, facts)
            else:
                one, other = facts.copy(), facts.copy()
                self.assume(node.left, holds, one)
                self.assume(node.left, not holds, other)
                self.assume(node.right, holds, other)
                both = one.join(other)
                facts.known, facts.dead = both.known, both.dead
        elif isinstance(node, ir.Binary) and node.operator in COMPARISONS:
            if not isinstance(node.left.type, ir.ReferenceType):
                operator = node.operator if holds else NEGATED[node.operator]
                self.bound(node.left, operator, node.right, facts)
                self.bound(node.right, MIRRORED[operator], node.left, facts)
        elif isinstance(node, ir.Conditional):
            one, other = facts.copy(), facts.copy()
            self.assume(node.condition, True, one)
            self.assume(node.then, holds, one)
            self.assume(node.condition, False, other)
            self.assume(node.otherwise, holds, other)
            both = one.join(other)
            facts.known, facts.dead = both.known, both.dead
        else:
            self._assume_call(node, holds, facts)
            if isinstance(node.type, ir.BoolType):
                self.learn(node, exactly(int(holds)), facts)

    def _assume_call(self, node: ir.Expression, holds: bool, facts: Facts) -> None:
        """What a condition that is a function of one expression says of its arguments."""
        if not isinstance(node, ir.Call):
            return
        function = self.bodies[node.function]
        if not isinstance(function, ir.Function) or function.expression is None:
            return
        inner = self.passed(function, node.arguments, facts)
        self.assume(function.expression, holds, inner)
        facts.dead = inner.dead
        back = {
            argument.name: value
            for argument, value in zip(function.arguments, node.arguments)
        }
        for subject, interval in inner.known.items():
            names = {n: back[n] for n in subject.names if n in back}
            if len(names) < len(subject.names):
                continue
            outer = _renamed(subject, names)
            if outer is not None:
                before = facts.known.get(outer)
                facts.known[outer] = (before and before.meet(interval)) or interval

    def bound(
        self, node: ir.Expression, operator: str, other: ir.Expression, facts: Facts
    ) -> None:
        if node.value is not None:
            return
        silent = Silent(self)
        limit, value = silent.value(other, facts), silent.value(node, facts)
        bounded = intervals.bounded_by(operator, value, limit)
        if bounded is None:
            facts.dead = True
            return
        self.learn(node, bounded, facts)
        if isinstance(node, ir.Narrow) and bounded == value:
            return
        if isinstance(node, ir.Binary) and node.operator in ("+", "-"):
            # x + 1 < n says something of x, where nothing wraps.
            step = node.right.value
            if step is None or node.left.value is not None:
                return
            inner = silent.value(node.left, facts)
            if node.operator == "+" and inner.high + step <= intervals.LARGEST:
                shifted = intervals.subtract(bounded, exactly(step))
            elif node.operator == "-" and inner.low >= step:
                shifted = intervals.add(bounded, exactly(step))
            else:
                return
            meet = inner.meet(shifted)
            if meet is not None:
                self.learn(node.left, meet, facts)

    def learn(self, node: ir.Expression, interval: Interval, facts: Facts) -> None:
        facts.known[self.subject(node)] = interval

    # --- calls

    def passed(
        self, body: Body, arguments: Iterable[ir.Expression], facts: Facts
    ) -> Facts:
        """What a body knows when it is called: of its arguments, and of the state."""
        result = Facts({})
        names: dict[str, list[str]] = {}
        silent = Silent(self)
        for argument, value in zip(body.arguments, arguments):
            if isinstance(value, Named):
                name = (
                    value.local.unique
                    if isinstance(value, ir.LocalName)
                    else value.name
                )
                names.setdefault(name, []).append(argument.name)
            if isinstance(
                argument.type, (ir.IntegerType, ir.EnumerationType, ir.BoolType)
            ):
                given = silent.value(value, facts)
                if given != self.declared(argument.type, None):
                    subject = Subject(
                        argument.name, frozenset([argument.name]), frozenset()
                    )
                    result.known[subject] = given
        for subject, interval in facts.known.items():
            if not subject.names:
                result.known[subject] = interval
            elif len(subject.names) == 1:
                (name,) = subject.names
                for inner in names.get(name, ()):
                    text = re.sub(rf"(?<![\w.]){name}\b", inner, subject.text)
                    known = Subject(text, frozenset([inner]), subject.state)
                    result.known.setdefault(known, interval)
        return result

    def call(
        self,
        name: str,
        arguments: tuple[ir.Expression, ...],
        place: ir.Place,
        facts: Facts,
    ) -> Interval:
        for argument in arguments:
            self.value(argument, facts)
        body = self.bodies[name]
        inner = self.passed(body, arguments, facts)
        context = (name, tuple(sorted(inner.known.items(), key=lambda i: i[0].text)))
        if context not in self._calls:
            outer, self.result = self.result, None
            self.callers.append(place)
            self._calls[context] = ANY
            self.run(body.body, inner)
            self.callers.pop()
            found = self.result
            self.result = outer
            if found is None:
                kind = body.result if isinstance(body, ir.Function) else ir.BoolType()
                found = self.declared(kind, None)
            self._calls[context] = found
        return self._calls[context]

    # --- statements

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
        elif isinstance(statement, (ir.DeviceCall, ir.Raise)):
            for argument in statement.arguments:
                self.value(argument, facts)
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
            limit = statement.bits.type.count.value - 1
            self.within(index, 0, limit, statement.index.place, "index")
            facts.forget_state(self.writes(statement))
        return facts

    def set_local(self, local: ir.Local, value: Interval, facts: Facts) -> None:
        facts.forget_name(local.unique)
        if value != ANY:
            subject = Subject(local.unique, frozenset([local.unique]), frozenset())
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
            self.fits(value, field, statement.value.place, what)
        subject = self.subject(target)
        facts.forget_state(self.writes(statement))
        if not isinstance(target.type, ir.ReferenceType):
            if field is not None and field.range is not None:
                # What is outside has been reported.
                bounds = Interval(field.range.low.value, field.range.high.value)
                value = value.meet(bounds) or bounds
            facts.known[subject] = value

    def loop(self, statement: Union[ir.Repeat, ir.For], facts: Facts) -> Facts:
        """Of what the body changes nothing is known at the beginning of a turn but the condition."""
        for node in walk.nodes(statement.body):
            if isinstance(node, ir.Assign) and isinstance(node.target, ir.LocalName):
                facts.forget_name(node.target.local.unique)
        facts.forget_state(self.writes(statement.body))
        inside = facts.copy()
        if isinstance(statement, ir.For):
            bounds = Interval(statement.low.value, statement.high.value)
            self.set_local(statement.local, bounds, inside)
        elif statement.condition is not None:
            self.value(statement.condition, inside)
            self.assume(statement.condition, True, inside)
        self.run(statement.body, inside)
        return facts

    # --- the whole

    def check(self) -> None:
        for process in self.protocol.processes:
            for event in process.events:
                if event.select is not None:
                    self.value(event.select, Facts({}))
            self.run(process.initial_actions, Facts({}))
            for handler in process.handlers:
                facts = Facts({})
                for group in handler.groups:
                    facts = self.run(group.lets, facts)
                    for row in group.rows:
                        if row.kind != "written":
                            continue
                        taken = facts.copy()
                        if row.guard is not None:
                            self.value(row.guard, facts)
                            self.assume(row.guard, True, taken)
                            self.assume(row.guard, False, facts)
                        executed = (
                            *row.exit_actions,
                            *row.actions,
                            *row.entry_actions,
                        )
                        self.run(executed, taken)


class Silent(Ranges):
    """The same analysis where the values have been, or will be, reported on elsewhere."""

    def __init__(self, outer: Ranges) -> None:
        self.__dict__ = dict(outer.__dict__)

    def report(self, code: str, place: ir.Place, message: str) -> None:
        pass

    def call(
        self,
        name: str,
        arguments: tuple[ir.Expression, ...],
        place: ir.Place,
        facts: Facts,
    ) -> Interval:
        inner = self.passed(self.bodies[name], arguments, facts)
        context = (name, tuple(sorted(inner.known.items(), key=lambda i: i[0].text)))
        function = self.bodies[name]
        assert isinstance(function, ir.Function)
        return self._calls.get(context, self.declared(function.result, None))


def _renamed(subject: Subject, names: dict[str, ir.Expression]) -> Optional[Subject]:
    """A subject of a function in terms of its caller."""
    text = subject.text
    found: set[str] = set()
    state = set(subject.state)
    for name, value in names.items():
        if not isinstance(value, Named):
            return None
        outer = value.local.unique if isinstance(value, ir.LocalName) else value.name
        if outer in names and outer != name:
            return None
        text = re.sub(rf"(?<![\w.]){name}\b", outer, text)
        found.add(outer)
    return Subject(text, frozenset(found), frozenset(state))
