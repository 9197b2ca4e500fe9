# SPDX-License-Identifier: MIT
"""Follows references through the statements of one row: which may be none where it is used, and is there room where a
record is created?

What is called is followed in place, with what its caller knows; what is raised gets what the raiser knows of the
arguments, and checked by itself (reference_checks.py). Where a value came in as an argument, the one who passed it
answers for it.
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    NamedTuple,
    Optional,
    Sequence,
    Union,
    assert_never,
)

from .. import ir, walk
from ..dump import expression_text
from ..frontend.raises import first_raise
from .known_values import Nothing, Path, Slot, Term, Terms, joined

# More paths than this through one body are merged into one. With 24, EMP's Send.ack alone took two thirds of a compilation.
PATHS_LIMIT = 16
ArgumentKey = tuple[str, str, str, str]  # process, event, argument, field of a payload
Note = tuple[str, ir.Place]


class Use(NamedTuple):
    """Of a reference that may be none. `argument`: of the event, when its raisers must answer for it."""

    argument: Optional[ArgumentKey]
    place: ir.Place
    message: str
    notes: tuple[Note, ...]


@dataclass
class RaisedValues:
    """What is known of the references that a raise passes on."""

    process: str
    event: str
    nothing: dict[tuple[str, str], Nothing]  # by argument and field
    available: frozenset[str]  # pools known to have a free record


@dataclass
class Findings:
    """What one row, one select expression or one initialisation brings to light."""

    uses: list[Use] = field(default_factory=list)
    no_room: list[tuple[str, ir.Place, tuple[Note, ...]]] = field(default_factory=list)
    raised_values: list[RaisedValues] = field(default_factory=list)
    # Where an argument that may be none is passed on by a raise: which argument, and who answers.
    passed: list[tuple[ArgumentKey, Use]] = field(default_factory=list)
    states: list[tuple[str, dict[Slot, Nothing]]] = field(default_factory=list)
    written: list[tuple[str, Nothing]] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        for name in Findings.__dataclass_fields__:
            getattr(self, name).extend(getattr(other, name))


@dataclass
class Frame:
    """A call that is followed."""

    what: str
    place: ir.Place
    arguments: dict[str, ir.Expression]


class Declared:
    """What the analysis asks of the declarations."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.functions = {f.name: f for f in protocol.functions}
        self.actions = {a.name: a for a in protocol.actions}
        self.live = {p.name for p in protocol.parameters if p.live}
        self.processes = {p.name: p for p in protocol.processes}
        self.events = {
            (p.name, e.name): e for p in protocol.processes for e in p.events
        }
        self.fields: dict[str, list[tuple[str, bool]]] = {}
        holders: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
        for holder in holders:
            self.fields[holder.name] = [
                (f"{holder.name}.{f.name}", is_reference(f.type)) for f in holder.fields
            ]
        self.payload_references = {
            p.name: [f.name for f in p.fields if isinstance(f.type, ir.ReferenceType)]
            for p in protocol.payloads
        }
        self.payload_types = {
            (p.name, f.name): f.type for p in protocol.payloads for f in p.fields
        }
        self.slots: dict[str, list[str]] = {
            p.name: self._slots(p) for p in protocol.processes
        }
        self.owners = {
            slot: process for process, slots in self.slots.items() for slot in slots
        }
        self._changed: dict[str, set[str]] = {}
        self._uses_references: dict[str, bool] = {}

    def _slots(self, process: ir.Process) -> list[str]:
        """References that each state of the process may know something of."""
        if process.pool is None:
            return [
                f"{process.name}.{v.name}"
                for v in process.variables
                if isinstance(v.type, ir.ReferenceType)
            ]
        found: list[str] = []
        holders: list[Union[ir.Pool, ir.Table]] = [
            *self.protocol.pools,
            *self.protocol.tables,
        ]
        for holder in holders:
            parallel = isinstance(holder, ir.Table) and holder.pool == process.pool
            if parallel or holder.name == process.pool:
                found += [
                    f"{holder.name}.{f.name}"
                    for f in holder.fields
                    if isinstance(f.type, ir.ReferenceType)
                ]
        return found

    def uses_references(self, item: object) -> bool:
        """Does it do anything with a reference but look at the own record, or with pools?"""
        for node in walk.nodes(item):
            if isinstance(node, ir.ExpressionBase):
                if isinstance(node.type, ir.ReferenceType):
                    if not isinstance(node, ir.InstanceName):
                        return True
                elif isinstance(node, ir.Call) and self._body_uses_references(
                    node.function
                ):
                    return True
            elif isinstance(node, ir.ActionCall):
                if self._body_uses_references(node.action):
                    return True
            elif isinstance(node, (ir.Raise, ir.Create, ir.Release, ir.Clear)):
                return True
        return False

    def _body_uses_references(self, name: str) -> bool:
        if name not in self._uses_references:
            body = self.functions.get(name) or self.actions[name]
            self._uses_references[name] = self.uses_references(body.body)
        return self._uses_references[name]

    def changed_by(
        self, action: str, follow: Callable[[Iterable[ir.Statement]], set[str]]
    ) -> set[str]:
        if action not in self._changed:
            self._changed[action] = follow(self.actions[action].body)
        return self._changed[action]

    def references(self, arguments: Sequence[ir.Argument]) -> Iterator[tuple[str, str]]:
        """Arguments that are references, and fields of payloads that are."""
        for argument in arguments:
            if isinstance(argument.type, ir.ReferenceType):
                yield argument.name, ""
            elif isinstance(argument.type, ir.PayloadType):
                for name in self.payload_references[argument.type.name]:
                    yield argument.name, name


def is_reference(kind: ir.Type) -> bool:
    if isinstance(kind, ir.ArrayType):
        kind = kind.element
    return isinstance(kind, ir.ReferenceType)


class Follower:
    """Of one process' statements. `event`: whose rows they are, if any."""

    def __init__(
        self,
        declared: Declared,
        terms: Terms,
        process: ir.Process,
        event: Optional[ir.Event],
    ) -> None:
        self.declared = declared
        self.terms = terms
        self.process = process
        self.event = event
        self.findings = Findings()
        self.frames: list[Frame] = []
        self.own = terms.make("own", process.name)

    # --- who answers for a reference that may be none

    def need(self, node: ir.Expression, path: Path, what: str) -> Term:
        """The reference must not be none here."""
        term = self.evaluate(node, path)
        nothing = path.is_none(term)
        if nothing is not False:
            self.findings.uses.append(self.use(node, nothing, what))
            path.nothing[term] = False
        return term

    def use(self, node: ir.Expression, nothing: Nothing, what: str) -> Use:
        place = node.place
        notes: list[Note] = []
        for frame in reversed(self.frames):
            passed = _passed_as(node, frame)
            if passed is None:
                break
            if not notes:
                notes.append(("here", place))
            what = f"{frame.what} uses it"
            node, place = passed
        else:
            key = self._argument(node)
            if key is not None:
                return Use(key, place, what, tuple(notes))
        may = "is" if nothing else "may be"
        text = expression_text(node)
        if isinstance(node, ir.LocalName):
            text = node.local.name
        return Use(None, place, f"'{text}' {may} none, but {what}", tuple(notes))

    def _argument(self, node: ir.Expression) -> Optional[ArgumentKey]:
        """Of an event that only other rows raise."""
        if self.event is None or self.event.external:
            return None
        name = self.event.name
        if isinstance(node, ir.ArgumentName):
            return self.process.name, name, node.name, ""
        if isinstance(node, ir.PayloadField):
            if isinstance(node.base, ir.ArgumentName):
                return self.process.name, name, node.base.name, node.field
        return None

    # --- expressions

    def evaluate(self, node: ir.Expression, path: Path) -> Term:
        if isinstance(node, ir.NoneReference):
            return self.terms.none
        if node.value is not None:
            return self.terms.constant(node.value)
        match node:
            case ir.RecordField() | ir.VariableName() | ir.Element():
                return path.read(self.slot(node, path))
            case ir.InstanceName():
                return self.own
            case ir.ArgumentName():
                return path.names[node.name]
            case ir.LocalName():
                return path.names[node.local.unique]
            case ir.Binary():
                return self._binary(node, path)
            case ir.PayloadField():
                return self._payload_field(node, path)
            case ir.Conditional():
                return self._conditional(node, path)
            case ir.ParameterName():
                if node.name in self.declared.live:
                    return self.terms.fresh()
                return self.terms.make("parameter", node.name)
            case ir.Unary():
                return self._unary(node, path)
            case ir.Call():
                return self._call(node, path)
            case ir.Available():
                return path.available(node.pool)
            case ir.InUse():
                return self._in_use(node, path)
            case ir.Minimum():
                return self._minimum(node, path)
            case ir.ReferenceOf():
                return self._reference_of(node, path)
            case ir.BuildPayload():
                return self._build_payload(node, path)
            case ir.Has():
                return self._compound(node, (node.bits, node.index), path)
            case ir.HasAll():
                return self._compound(node, (node.bits, node.first, node.count), path)
            case ir.Narrow():
                return self._compound(node, (node.operand,), path)
            case ir.NumberOf():
                return self._compound(node, (node.reference,), path)
            case ir.Number() | ir.ConstantName() | ir.MemberName():
                raise AssertionError("has a value")
            case ir.WorldVariable() | ir.WorldView() | ir.WorldFact():
                raise AssertionError("stands in a world only")
            case _:
                assert_never(node)

    def _compound(
        self, node: ir.Expression, parts: Iterable[ir.Expression], path: Path
    ) -> Term:
        """A term that is equal to another of the same kind with equal parts."""
        values = [self.evaluate(part, path) for part in parts]
        return self.terms.make(type(node), str(node.type), *values)

    def _payload_field(self, node: ir.PayloadField, path: Path) -> Term:
        base = self.evaluate(node.base, path)
        built = self.terms.built.get(base)
        if built is None:
            return self.terms.make("field", base, node.field)
        zero = self.terms.none if is_reference(node.type) else self.terms.false
        return built.get(node.field, zero)

    def _unary(self, node: ir.Unary, path: Path) -> Term:
        operand = self.evaluate(node.operand, path)
        if node.operator == "not":
            return self.terms.opposite(operand)
        return self.terms.make(node.operator, "of", operand)

    def _minimum(self, node: ir.Minimum, path: Path) -> Term:
        left, right = self.evaluate(node.left, path), self.evaluate(node.right, path)
        return self.terms.make("max" if node.largest else "min", left, right)

    def _reference_of(self, node: ir.ReferenceOf, path: Path) -> Term:
        number = self.evaluate(node.number, path)
        result = self.terms.make("reference", node.type, number)
        path.nothing[result] = False
        return result

    def _in_use(self, node: ir.InUse, path: Path) -> Term:
        version = path.versions.get(f"{node.pool} used", 0)
        reference = self.evaluate(node.reference, path)
        return self.terms.make("in use", version, path.epoch, reference)

    def _build_payload(self, node: ir.BuildPayload, path: Path) -> Term:
        result = self.terms.fresh()
        self.terms.built[result] = {
            name: self.evaluate(part, path) for name, part in node.fields
        }
        return result

    def slot(self, node: ir.Expression, path: Path) -> Slot:
        if isinstance(node, ir.VariableName):
            return Slot(f"{node.process}.{node.name}")
        if isinstance(node, ir.RecordField):
            name = f"{node.container}.{node.field}"
            if node.index_kind == "number":
                return Slot(name, self.evaluate(node.index, path))
            what = f"its field '{node.field}' is used"
            if node.container_kind == "table":
                what = f"its record of {node.container} is used"
            return Slot(name, self.need(node.index, path, what))
        assert isinstance(node, ir.Element)
        base = self.slot(node.base, path)
        return base._replace(element=self.evaluate(node.index, path))

    def _binary(self, node: ir.Binary, path: Path) -> Term:
        left = self.evaluate(node.left, path)
        if node.operator not in ("and", "or"):
            right = self.evaluate(node.right, path)
            return self.terms.binary(node.operator, left, right)
        inside = path.fork()
        inside.assume(left, node.operator == "and")
        if inside.dead:
            return left
        return self.terms.make(node.operator, left, self.evaluate(node.right, inside))

    def _conditional(self, node: ir.Conditional, path: Path) -> Term:
        condition = self.evaluate(node.condition, path)
        values: list[Term] = []
        outcomes: list[Nothing] = []
        for holds, part in ((True, node.then), (False, node.otherwise)):
            inside = path.fork()
            inside.assume(condition, holds)
            if not inside.dead:
                values.append(self.evaluate(part, inside))
                outcomes.append(inside.is_none(values[-1]))
        if len(values) < 2:
            return values[0] if values else self.terms.fresh()
        result = self.terms.make("if", condition, *values)
        nothing = joined(*outcomes)
        if nothing is not None and is_reference(node.type):
            path.nothing[result] = nothing
        return result

    @contextmanager
    def called(
        self,
        what: str,
        place: ir.Place,
        declared: Sequence[ir.Argument],
        arguments: Sequence[ir.Expression],
        path: Path,
    ) -> Iterator[Path]:
        """The path inside; its `callers` lead back."""
        values = [self.evaluate(value, path) for value in arguments]
        names = [argument.name for argument in declared]
        self.frames.append(Frame(what, place, dict(zip(names, arguments))))
        path.callers = (*path.callers, path.names)
        path.names = dict(zip(names, values))
        yield path
        self.frames.pop()

    @staticmethod
    def back(path: Path) -> None:
        path.names = dict(path.callers[-1])
        path.callers = path.callers[:-1]
        path.ended = False

    def _call(self, node: ir.Call, path: Path) -> Term:
        function = self.declared.functions[node.function]
        expression = function.expression
        what = f"function '{node.function}'"
        with self.called(what, node.place, function.arguments, node.arguments, path):
            if expression is not None:
                result = self.evaluate(expression, path)
            else:
                values = path.names.values()
                result = self.terms.make("call", node.function, *values)
                if function.reads_state:
                    result = self.terms.make(
                        "at", result, path.epoch, *sorted(path.versions.items())
                    )
                paths = self.run(function.body, [path.fork()])
                returned = {each.result for each in paths if each.result is not None}
                if is_reference(node.type):
                    outcomes = {each.is_none(each.result or 0) for each in paths}
                    if len(outcomes) == 1 and None not in outcomes:
                        path.nothing[result] = bool(outcomes.pop())
                elif len(returned) == 1:
                    result = returned.pop()
        self.back(path)
        return result

    # --- statements

    def run(self, statements: Iterable[ir.Statement], paths: list[Path]) -> list[Path]:
        for statement in statements:
            result: list[Path] = []
            for path in paths:
                if path.ended:
                    result.append(path)
                else:
                    result.extend(self.step(statement, path))
            paths = _merged([path for path in result if not path.dead])
        return paths

    def step(self, statement: ir.Statement, path: Path) -> list[Path]:
        if isinstance(statement, ir.If):
            return self.branch(statement, path)
        if isinstance(statement, ir.LOOPS):
            return self.loop(statement, path)
        if isinstance(statement, ir.ActionCall):
            action = self.declared.actions[statement.action]
            what = f"action '{statement.action}'"
            with self.called(
                what, statement.place, action.arguments, statement.arguments, path
            ):
                paths = self.run(action.body, [path])
            for each in paths:
                self.back(each)
            return paths
        if isinstance(statement, ir.Raise):
            self.raised(statement, path)
        elif isinstance(statement, ir.Release):
            self.release(statement, path)
        elif isinstance(statement, ir.Let):
            path.names[statement.local.unique] = self.evaluate(statement.value, path)
        elif isinstance(statement, ir.Create):
            self.create(statement, path)
        elif isinstance(statement, ir.Assign):
            self.assign(statement, path)
        elif isinstance(statement, ir.DeviceCall):
            for value in statement.arguments:
                self.evaluate(value, path)
        elif isinstance(statement, ir.Return):
            if statement.result is not None:
                path.result = self.evaluate(statement.result, path)
            path.ended = True
        elif isinstance(statement, ir.Clear):
            self.clear(statement, path)
        elif isinstance(statement, ir.SetBit):
            self.evaluate(statement.index, path)
            path.write(self.slot(statement.bits, path), self.terms.fresh(), False)
        elif not isinstance(statement, (ir.Count, ir.ClearVariable, ir.Assert)):
            assert_never(statement)
        return [path]

    def branch(self, statement: ir.If, path: Path) -> list[Path]:
        condition = self.evaluate(statement.condition, path)
        result: list[Path] = []
        for holds, block in ((True, statement.then), (False, statement.otherwise)):
            taken = path.fork()
            taken.assume(condition, holds)
            if not taken.dead:
                result.extend(self.run(block, [taken]))
        return result

    def loop(self, statement: Union[ir.Repeat, ir.For], path: Path) -> list[Path]:
        """At the beginning of a turn what turns change is unknown, but for references that are at the end of each turn
        what they were before the first: none, or not."""
        fields = self.changed(statement.body)
        if first_raise(statement.body, self.declared.actions) is not None:
            # Such a loop does nothing else: what the row does itself is done.
            if path.left is None:
                path.left = self.state(path)
            path.forget_state()
        names = {
            node.target.local.unique
            for node in walk.nodes(statement.body)
            if isinstance(node, ir.Assign) and isinstance(node.target, ir.LocalName)
        }
        before: dict[Union[str, Slot], Nothing] = {}
        for name in names & set(path.names):
            before[name] = path.is_none(path.names[name])
        for slot, term in path.memory.items():
            if slot.field in fields:
                before[slot] = path.is_none(term)
        outer = self.findings
        while True:
            self.findings = Findings()
            begin = path.fork()
            for key, nothing in before.items():
                holder: dict[Any, Term] = begin.names
                if isinstance(key, Slot):
                    holder = begin.memory
                holder[key] = begin.unknown(nothing)
            for name in fields:
                begin.versions[name] = self.terms.count()
            turn = begin.fork()
            if isinstance(statement, ir.For):
                # Another number each time, or a record.
                turn.names[statement.local.unique] = turn.unknown(False)
            elif statement.condition is not None:
                turn.assume(self.evaluate(statement.condition, turn), True)
            paths = self.run(statement.body, [] if turn.dead else [turn])
            after = dict(before)
            for each in paths:
                if not each.ended:
                    for key in before:
                        holder = each.names
                        if isinstance(key, Slot):
                            holder = each.memory
                        now = each.is_none(holder[key]) if key in holder else None
                        after[key] = joined(after[key], now)
            if after == before:
                break
            before = after
        outer.add(self.findings)
        self.findings = outer
        if isinstance(statement, ir.For) or statement.condition is None:
            return paths  # there is a turn at least
        return [begin, *(each for each in paths if each.ended)]

    def changed(self, statements: Iterable[ir.Statement]) -> set[str]:
        """Fields and variables that may be written, through actions too, but not by what is raised."""
        found: set[str] = set()
        for node in walk.nodes(tuple(statements)):
            if isinstance(node, (ir.Assign, ir.SetBit)):
                place = node.target if isinstance(node, ir.Assign) else node.bits
                if isinstance(place, ir.Element):
                    place = place.base
                if isinstance(place, ir.RecordField):
                    found.add(f"{place.container}.{place.field}")
                elif isinstance(place, ir.VariableName):
                    found.add(f"{place.process}.{place.name}")
            elif isinstance(node, ir.ActionCall):
                found |= self.declared.changed_by(node.action, self.changed)
            elif isinstance(node, (ir.Release, ir.Create)):
                found.add(f"{node.pool} used")
                found.update(name for name, _ in self.declared.fields[node.pool])
            elif isinstance(node, ir.Clear):
                found.update(name for name, _ in self.declared.fields[node.table])
        return found

    # --- what writes the state

    def assign(self, statement: ir.Assign, path: Path) -> None:
        value = self.evaluate(statement.value, path)
        target = statement.target
        if isinstance(target, ir.LocalName):
            path.names[target.local.unique] = value
            return
        slot = self.slot(target, path)
        reference = is_reference(target.type)
        path.write(slot, value, reference)
        if reference:
            self.note_write(slot, path.is_none(value))

    def note_write(self, slot: Slot, nothing: Nothing) -> None:
        """Tells what other records than the row's own get: which state they are in is not known."""
        if self.declared.owners.get(slot.field, self.process.name) != self.process.name:
            self.findings.written.append((slot.field, nothing))
        elif slot.field in self.declared.owners and slot not in self.slots():
            self.findings.written.append((slot.field, nothing))

    def slots(self) -> list[Slot]:
        """What each state of the process may know something of."""
        own = 0 if self.process.pool is None else self.own
        return [Slot(name, own) for name in self.declared.slots[self.process.name]]

    def state(self, path: Path) -> dict[Slot, Nothing]:
        return {slot: path.state_of(slot) for slot in self.slots()}

    def release(self, statement: ir.Release, path: Path) -> None:
        record = self.need(statement.reference, path, "it is released")
        for name, reference in self.declared.fields[statement.pool]:
            path.zero(name, record, reference, release=True)
        path.used_changes(statement.pool, True)
        path.own_released = path.own_released or record == self.own

    def create(self, statement: ir.Create, path: Path) -> None:
        pool = statement.pool
        if path.truth(path.available(pool)) is not True:
            place, what, notes = statement.place, "", []
            if self.frames:
                place, what = (
                    self.frames[0].place,
                    f": {self.frames[0].what} creates one",
                )
                notes.append(("here", statement.place))
            message = f"nothing shows that {pool} has a free record here{what}"
            self.findings.no_room.append((message, place, tuple(notes)))
        path.used_changes(pool, False)
        record = path.create(self.declared.fields[pool])
        path.names[statement.local.unique] = record

    def clear(self, statement: ir.Clear, path: Path) -> None:
        if statement.index_kind == "reference":
            what = f"its record of {statement.table} is cleared"
            record = self.need(statement.index, path, what)
        else:
            record = self.evaluate(statement.index, path)
        for name, reference in self.declared.fields[statement.table]:
            path.zero(name, record, reference, release=False)
            if reference:
                self.note_write(Slot(name, record), True)

    def raised(self, statement: ir.Raise, path: Path) -> None:
        process, name = statement.process, statement.event
        event = self.declared.events[process, name]
        what = f"event {process}.{name}"
        terms = [self.evaluate(value, path) for value in statement.arguments]
        if statement.instance is not None:
            self.need(statement.instance, path, f"{what} is raised to it")
        nothing: dict[tuple[str, str], Nothing] = {}
        positions = {a.name: i for i, a in enumerate(event.arguments)}
        for argument, part in self.declared.references(event.arguments):
            node = statement.arguments[positions[argument]]
            term = terms[positions[argument]]
            if part:
                assert isinstance(node.type, ir.PayloadType)
                node = ir.PayloadField(
                    type=self.declared.payload_types[node.type.name, part],
                    place=node.place,
                    base=node,
                    payload=node.type.name,
                    field=part,
                )
                built = self.terms.built.get(term)
                if built is None:
                    term = self.terms.make("field", term, part)
                else:
                    term = built.get(part, self.terms.none)
            known = path.is_none(term)
            nothing[argument, part] = known
            if known is not False:
                key = process, name, argument, part
                use = self.use(node, known, f"{what} uses it")
                self.findings.passed.append((key, use))
        room = {
            pool.name
            for pool in self.declared.protocol.pools
            if path.truth(path.available(pool.name))
        }
        self.findings.raised_values.append(
            RaisedValues(process, name, nothing, frozenset(room))
        )
        if path.left is None:
            path.left = self.state(path)
        path.forget_state()


def _passed_as(
    node: ir.Expression, frame: Frame
) -> Optional[tuple[ir.Expression, ir.Place]]:
    """What the caller passed, when the value came in as an argument."""
    if isinstance(node, ir.ArgumentName):
        argument = frame.arguments[node.name]
        return argument, argument.place
    if isinstance(node, ir.PayloadField) and isinstance(node.base, ir.ArgumentName):
        argument = frame.arguments[node.base.name]
        return dataclasses.replace(node, base=argument), argument.place
    return None


def _merged(paths: list[Path]) -> list[Path]:
    """Without those that say the same of names and state; as few as need be where there are too many."""
    found: list[Path] = []
    for path in paths:
        for index, other in enumerate(found):
            if other.same_state(path):
                found[index] = Path.merge([other, path])
                break
        else:
            found.append(path)
    if len(found) <= PATHS_LIMIT:
        return found
    groups: dict[tuple[bool, bool, bool], list[Path]] = {}
    for path in found:
        kind = path.ended, path.left is None, path.result is None
        groups.setdefault(kind, []).append(path)
    return [Path.merge(group) for group in groups.values()]
