# SPDX-License-Identifier: MIT
"""What numbers expressions can be, and what conditions say of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Iterable, Optional, Union, assert_never

from .. import ir, walk
from . import intervals
from ..admission import member_runs
from ..dump import expression_text
from .facts import Facts, Subject, Sum, Term, name_of, renamed
from .intervals import ANY, BOOL, Below, Interval, exactly, of_bits
from ..frontend.places import Places

Numbers = (ir.IntegerType, ir.EnumerationType)
Numeric = (ir.IntegerType, ir.EnumerationType, ir.BoolType)
ORDER = ("<", "<=", ">", ">=")
NAMES = (ir.ArgumentName, ir.LocalName)

# Of these no more is known than their type says.
BY_TYPE = (
    ir.Number,
    ir.NoneReference,
    ir.ConstantName,
    ir.MemberName,
    ir.ArgumentName,
    ir.LocalName,
    ir.Available,
    ir.InUse,
    ir.NumberOf,
    ir.ReferenceOf,
    ir.WorldVariable,
    ir.WorldView,
    ir.WorldFact,
)
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


Body = Union[ir.Function, ir.Action]
Context = tuple[str, tuple[tuple[Subject, Interval], ...]]


class Values(ABC):
    """Reports what is wrong inside the expressions it looks at."""

    def __init__(self, protocol: ir.Protocol, places: Places) -> None:
        self.protocol = protocol
        self.places = places
        self.bodies: dict[str, Body] = {f.name: f for f in protocol.functions}
        self.bodies.update((a.name, a) for a in protocol.actions)
        self.parameters = {p.name: p for p in protocol.parameters}
        self.devices = {d.name: d for d in protocol.devices}
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
        # By identity of type and field; the type is kept, lest another takes its place.
        self._declared: dict[tuple[int, int], tuple[ir.Type, Interval]] = {}
        self._sums: dict[int, Sum] = {}
        self._writes: dict[str, frozenset[str]] = {}
        # What bodies give, by what they know when they are called; those called while nothing is reported are apart.
        self._calls: dict[Context, Interval] = {}
        self._calls_without_reports: dict[Context, Interval] = {}
        # What is known of the arguments of events that rows raise, from all these rows together.
        self._raised: dict[tuple[str, str], Facts] = {}
        external_payloads = {
            a.type.name
            for process in protocol.processes
            for event in process.events
            if event.external
            for a in event.arguments
            if isinstance(a.type, ir.PayloadType)
        }
        self.reported: set[tuple[str, ir.Place]] = set()
        bodies = [body.body for body in self.bodies.values()]
        rows = [walk.row_parts(row) for row in protocol.rows()]
        # Fields of payloads that the spec itself gives values which are no constants.
        self.computed_fields = {
            (node.payload, name)
            for node in walk.nodes([*bodies, *rows])
            if isinstance(node, ir.BuildPayload)
            for name, value in node.fields
            if value.value is None
        }
        self.external_payloads = external_payloads  # payloads that come from outside
        self.reports_off = 0  # while above 0 nothing is reported
        self.turns = 1  # of the loops that are followed turn by turn
        # Where the body under analysis was called from, outermost first, and what it returns.
        self.callers: list[ir.Place] = []
        self.result: Optional[Interval] = None

    @abstractmethod
    def without_reports(self) -> "Values":
        """The same where the values have been, or will be, reported on elsewhere."""

    @abstractmethod
    def call(
        self,
        name: str,
        arguments: tuple[ir.Expression, ...],
        place: ir.Place,
        facts: Facts,
    ) -> Interval:
        """What a function gives."""

    @abstractmethod
    def passed(
        self,
        declared: Iterable[ir.Argument],
        arguments: Iterable[ir.Expression],
        facts: Facts,
    ) -> Facts:
        """What is known where something is called: of its arguments, and of the state."""

    # --- reports

    def report(self, code: str, place: ir.Place, message: str) -> None:
        if self.reports_off or (code, place) in self.reported:
            return
        self.reported.add((code, place))
        notes = [("comes here from", self.callers[-1])] if self.callers else []
        self.places.error(code, place, message, notes)

    def check_within(
        self,
        value: Interval,
        low: int,
        high: int,
        place: ir.Place,
        what: str,
        unset: bool = False,
    ) -> None:
        """Must be shown to lie in low..high. `unset`: what is read there counts as possibly zero all the same."""
        if value.inside(low if value.low_known or not unset else 0, high):
            return
        if value.low > high or value.high < low:
            self.report("HSM0315", place, f"{what} is {value}, never in {low}..{high}")
            return
        wrong = value.high if value.high > high else value.low
        message = f"{what} may be {wrong}, not in {low}..{high}"
        if value.below and value.high > high:
            message = f"{what} may be below zero, and so near 2^32"
        code = "HSM0316"
        if value.outside and value.high > high and not value.high_known:
            code = "HSM0323"
            message += ": it comes from outside, and nothing bounds it"
        self.report(code, place, message)

    def indexes(
        self,
        node: ir.Expression,
        value: Interval,
        count: int,
        what: str,
        facts: Facts,
    ) -> None:
        """Must be shown to be one of `count`. What comes after may rely on it: the mistake has been reported."""
        self.check_within(value, 0, count - 1, node.place, what)
        if value.high >= count > value.low:
            self.record_interval(
                node, Interval(value.low, count - 1, value.low_known), facts
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
            text = expression_text(node)
            found = Subject(text, frozenset(names), frozenset(state))
            self._subjects[id(node)] = found
        return found

    def sum(self, node: ir.Expression) -> Sum:
        """Of anything; what is no sum is one term."""
        found = self._sums.get(id(node))
        if found is None:
            if node.value is not None:
                found = Sum((), node.value)
            elif isinstance(node, ir.Binary) and node.operator in ("+", "-"):
                right = self.sum(node.right)
                if node.operator == "-":
                    right = right.negative()
                found = self.sum(node.left).plus(right)
            else:
                bits = node.type.bits if isinstance(node.type, Numbers) else 32
                found = Sum((Term(1, self.subject(node), bits),), 0)
            self._sums[id(node)] = found
        return found

    # --- expressions

    def value(self, node: ir.Expression, facts: Facts) -> Interval:
        """Reports what is wrong inside on the way."""
        if node.value is not None:
            return exactly(node.value)
        if isinstance(node, NAMES):
            found = self.declared(node.type, None)
        else:
            found = self.computed(node, facts)
        known = self.known(node, facts) if facts.known else None
        if known is not None:
            both = found.meet(known)
            if both is None:
                facts.dead = True
                return found
            if name_of(node) is None:
                return both
            if (both.outside, both.below) == (known.outside, known.below):
                return both
            return both._replace(outside=known.outside, below=known.below)
        return found

    def known(self, node: ir.Expression, facts: Facts) -> Optional[Interval]:
        if not isinstance(node, ir.Binary) or node.operator not in ("+", "-"):
            return facts.known.get(self.subject(node))
        whole = self.sum(node)
        # What is known of a single term has been checked where it stands.
        return self.interval_of_sum(whole, facts) if len(whole.terms) > 1 else None

    @staticmethod
    def interval_of_sum(whole: Sum, facts: Facts) -> Optional[Interval]:
        terms = facts.known.get(whole.subject) if whole.subject else None
        return whole.whole(terms) if terms is not None else None

    def declared(self, kind: ir.Type, field: Optional[ir.Field]) -> Interval:
        """Of state, by type and declared range. Whatever these are, a field of a record is zero before it is set."""
        key = (id(kind), id(field))
        before = self._declared.get(key)
        if before is not None:
            return before[1]
        scalar = kind.element if isinstance(kind, ir.ArrayType) else kind
        first = Interval(0, 0, False, False)
        if field is not None and field.initial is not None:
            first = exactly(field.initial.value)
        found = self.allowed(scalar, field.range if field else None).join(first)
        self._declared[key] = kind, found
        return found

    def allowed(self, kind: ir.Type, limits: Optional[ir.Range]) -> Interval:
        """By type and range, of what cannot still be zero."""
        if isinstance(kind, ir.BoolType):
            return BOOL
        if limits is not None:
            return Interval(limits.low.value, limits.high.value)
        if isinstance(kind, ir.EnumerationType):
            runs = member_runs(self.protocol.enumeration(kind.name))
            return Interval(runs[0][0].value, runs[-1][1].value)
        return of_bits(kind.bits) if isinstance(kind, ir.IntegerType) else ANY

    def external_interval(self, kind: ir.Type, limits: Optional[ir.Range]) -> Interval:
        """Of what comes from outside."""
        found = self.allowed(kind, limits)
        if limits is None and isinstance(kind, ir.IntegerType):
            return found._replace(outside=True)
        return found

    def computed(self, node: ir.Expression, facts: Facts) -> Interval:
        if isinstance(node, ir.ParameterName):
            parameter = self.parameters[node.name]
            if isinstance(parameter.type, ir.EnumerationType) and not parameter.range:
                return of_bits(parameter.type.bits)  # whatever the host says
            return self.external_interval(parameter.type, parameter.range)
        if isinstance(node, ir.VariableName):
            return self.declared(node.type, self.fields.get((node.process, node.name)))
        if isinstance(node, ir.PayloadField):
            field = self.fields[("payload " + node.payload, node.field)]
            if node.payload in self.external_payloads:
                found = self.external_interval(node.type, field.range)
            else:
                found = self.allowed(node.type, field.range)
            if (node.payload, node.field) in self.computed_fields and found.low > 0:
                found = found._replace(low=0, low_known=False)
            return found
        if isinstance(node, ir.RecordField):
            self.index(node, facts)
            return self.declared(
                node.type, self.fields.get((node.container, node.field))
            )
        if isinstance(node, ir.InstanceName):
            assert isinstance(node.type, ir.ReferenceType)
            return Interval(1, self.counts[node.type.pool])
        if isinstance(node, ir.Element):
            kind = node.base.type
            base = self.value(node.base, facts)
            index = self.value(node.index, facts)
            assert isinstance(kind, ir.ArrayType)
            self.indexes(node.index, index, kind.count.value, "index", facts)
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
            safe = Below.NO if node.largest else Below.MODULAR
            if max(left.below, right.below) > safe:
                self.difference_compared(node.place)
            pick = intervals.larger if node.largest else intervals.smaller
            return pick(left, right)
        if isinstance(node, ir.Narrow):
            return self.narrow(node, facts)
        if isinstance(node, ir.BuildPayload):
            for name, part in node.fields:
                value = self.value(part, facts)
                field = self.fields["payload " + node.payload, name]
                self.check_field_range(value, field, part.place, f"field '{name}'")
            return ANY
        if not isinstance(node, BY_TYPE):
            assert_never(node)
        return self.declared(node.type, None)

    def check_field_range(
        self, value: Interval, field: ir.Field, place: ir.Place, what: str
    ) -> None:
        if field.range is not None and not field.hidden:
            low, high = field.range.low.value, field.range.high.value
            self.check_within(value, low, high, place, what, field.initial is None)

    def narrow(self, node: ir.Narrow, facts: Facts) -> Interval:
        value = self.value(node.operand, facts)
        assert isinstance(node.type, ir.IntegerType)
        limit = (1 << node.type.bits) - 1
        if value.high <= limit:
            return value._replace(below=Below.NO) if node.meant else value
        if node.meant:
            pass
        elif value.low > limit:
            self.report(
                "HSM0319",
                node.place,
                f"this is {value}: {node.type} always loses bits of it; say {node.type}(...) where that is meant",
            )
        else:
            what = "may be below zero" if value.below else f"may be {value.high}"
            self.report(
                "HSM0321",
                node.place,
                f"this {what}, and {node.type} keeps the low {node.type.bits} bits: "
                f"bound it, or say {node.type}(...) where that is meant",
            )
        return of_bits(node.type.bits)._replace(outside=value.outside)

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
            if operator in ORDER:
                small, large = (
                    (left, right) if operator in ("<", "<=") else (right, left)
                )
                if large.below or small.below == Below.YES:
                    self.difference_compared(node.place)
            outcome = intervals.compare(operator, left, right)
            if isinstance(node.left.type, ir.ReferenceType) or outcome is None:
                return BOOL
            return exactly(int(outcome))
        if operator in ("<<", ">>"):
            self.indexes(node.right, right, 32, "shift", facts)
        elif operator == "-" and left.high < right.low:
            if left.high_known and right.low_known:
                self.report(
                    "HSM0317",
                    node.place,
                    f"{left} - {right} is below zero: the result is near 2^32",
                )
        operation = OPERATIONS.get(operator)
        found = operation(left, right) if operation else ANY
        below = Below.NO
        if operator in ("+", "-"):
            wraps = operator == "-" and left.low < right.high
            if wraps or left.below or right.below:
                bits = self.sum(node).modular_bits
                below = Below.NO if bits == 32 else Below.MODULAR if bits else Below.YES
        outside = left.outside or right.outside
        return found._replace(outside=outside, below=below)

    def difference_compared(self, place: ir.Place) -> None:
        self.report(
            "HSM0322",
            place,
            "the difference that is compared may be below zero, and so near 2^32: compare before you subtract, "
            "or say u32(...) where that is meant",
        )

    def bits(self, node: Union[ir.Has, ir.HasAll], facts: Facts) -> Interval:
        self.value(node.bits, facts)
        assert isinstance(node.bits.type, ir.BitsType)
        size = node.bits.type.count.value
        if isinstance(node, ir.Has):
            index = self.value(node.index, facts)
            self.indexes(node.index, index, size, "index", facts)
            return BOOL
        first, count = self.value(node.first, facts), self.value(node.count, facts)
        if count.low > size:
            what = f"number of bits is {count}: there are {size}"
            self.report("HSM0315", node.count.place, what)
            return BOOL
        self.indexes(node.count, count, 32, "number of bits", facts)
        if count.high > 31:
            return BOOL
        if count.low == count.high:
            last = size - count.high
            self.check_within(first, 0, last, node.first.place, "first of the bits")
        elif count.high > 0:
            self.end_of_bits(node, first, count, size, facts)
        return BOOL

    def end_of_bits(
        self,
        node: ir.HasAll,
        first: Interval,
        count: Interval,
        size: int,
        facts: Facts,
    ) -> None:
        """The bits behind the last one examined must begin inside, too."""
        whole = self.sum(node.first).plus(self.sum(node.count))
        behind = intervals.add(first, count)
        known = self.interval_of_sum(whole, facts)
        if known is not None:
            behind = behind.meet(known) or behind
        behind = behind._replace(outside=first.outside or count.outside)
        self.check_within(behind, 0, size, node.place, "end of the bits")

    def index(self, node: Union[ir.RecordField, ir.Clear], facts: Facts) -> None:
        value = self.value(node.index, facts)
        if node.index_kind == "number":
            name = node.container if isinstance(node, ir.RecordField) else node.table
            what = f"index of {name}"
            self.indexes(node.index, value, self.counts[name], what, facts)

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
                self.differ(node.left, operator, node.right, facts)
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
                self.record_interval(node, exactly(int(holds)), facts)

    def _assume_call(self, node: ir.Expression, holds: bool, facts: Facts) -> None:
        """What a condition that is a function of one expression says of its arguments."""
        if not isinstance(node, ir.Call):
            return
        function = self.bodies[node.function]
        if not isinstance(function, ir.Function) or function.expression is None:
            return
        inner = self.passed(function.arguments, node.arguments, facts)
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
            outer = renamed(subject, names)
            if outer is not None:
                before = facts.known.get(outer)
                facts.known[outer] = (before and before.meet(interval)) or interval

    def bound(
        self, node: ir.Expression, operator: str, other: ir.Expression, facts: Facts
    ) -> None:
        if node.value is not None:
            return
        without_reports = self.without_reports()
        limit, value = without_reports.value(other, facts), without_reports.value(
            node, facts
        )
        bounded = intervals.bounded_by(operator, value, limit)
        if bounded is None:
            facts.dead = True
            return
        self.record_interval(node, bounded, facts)

    def record_interval(
        self, node: ir.Expression, interval: Interval, facts: Facts
    ) -> None:
        if isinstance(node, ir.Narrow):
            operand = self.without_reports().value(node.operand, facts)
            if operand.high < 1 << getattr(node.type, "bits", 32):
                self.record_interval(node.operand, interval, facts)
        if not isinstance(node, ir.Binary) or node.operator not in ("+", "-"):
            facts.known[self.subject(node)] = interval
            return
        whole = self.sum(node)
        subject = whole.subject
        if subject is None:
            return
        before = facts.known.get(subject)
        if before is None and len(whole.terms) == 1 and whole.terms[0].sign > 0:
            before = self.of_term(node, facts)
        found = whole.of_terms(interval, before or ANY)
        if found is not None:
            facts.known[subject] = found

    def of_term(self, node: ir.Expression, facts: Facts) -> Interval:
        """The one operand of a sum that is no number."""
        while isinstance(node, ir.Binary):
            node = node.left if node.right.value is not None else node.right
        return self.without_reports().value(node, facts)

    def differ(
        self, left: ir.Expression, operator: str, right: ir.Expression, facts: Facts
    ) -> None:
        """What a comparison of two values says of their difference: it is not below zero."""
        if facts.dead or operator == "!=":
            return
        if left.value is not None or right.value is not None:
            return
        if operator in ("<", "<="):
            left, right = right, left
        without_reports = self.without_reports()
        great, small = without_reports.value(left, facts), without_reports.value(
            right, facts
        )
        high = great.high - small.low if operator != "==" else 0
        difference = Interval(int(operator in ("<", ">")), high, True, great.high_known)
        whole = self.sum(left).plus(self.sum(right).negative())
        if difference.low > difference.high or whole.subject is None:
            return
        before = facts.known.get(whole.subject)
        found = whole.of_terms(difference, before or ANY)
        if found is not None:
            facts.known[whole.subject] = found
