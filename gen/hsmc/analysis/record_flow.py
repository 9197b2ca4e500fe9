# SPDX-License-Identifier: MIT
"""What becomes of pool records: released once, not used afterwards, not lost, no timer left running for them.

Follows every path through the statements a row executes. A record is known by the syntax that leads to it: an
argument, the process' own record, a local, or a place of the state that nothing has been written to in between. Two
references that may or may not be equal are taken for different, so whatever is reported happens on a path that can be
pointed at. Actions and events are summed up by what they do to the references passed to them: both calls and raises
are free of cycles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Iterator, Optional, Sequence, Union, assert_never

from .. import ir, walk
from ..frontend.constants import LARGEST
from ..dump import expression_text, identity
from ..frontend.expressions import FOLD
from ..walk import turns
from ..frontend.places import Places
from .leaks import Arrivals, report_leaks

# More paths than this through one body are merged: a record released on some of them then counts as perhaps released.
PATHS_LIMIT = 24
# How the process' own record is called among the references an event is given.
OWN = "the record"
OPPOSITE = {"!=": "==", ">=": "<", "<=": ">"}


@dataclass(frozen=True)
class Release:
    """`on_all_paths` False: on some of the paths through what was called."""

    place: ir.Place
    pool: str
    on_all_paths: bool = True


@dataclass
class Path:
    """One path to a statement."""

    released: dict[str, Release] = field(default_factory=dict)
    # What a local or a place of the state stands for.
    locals: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    # Conditions known to hold or not to hold; True in the second place: cannot change.
    facts: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    ended: bool = False

    def fork(self) -> "Path":
        return Path(
            dict(self.released),
            dict(self.locals),
            dict(self.places),
            dict(self.facts),
            self.ended,
        )

    def state_changes(self) -> None:
        self.places.clear()
        self.facts = {text: fact for text, fact in self.facts.items() if fact[1]}

    def identity(self) -> tuple[object, ...]:
        return (
            tuple(sorted((k, r.on_all_paths) for k, r in self.released.items())),
            tuple(sorted(self.locals.items())),
            tuple(sorted(self.places.items())),
            tuple(sorted(self.facts.items())),
            self.ended,
        )


@dataclass(frozen=True)
class Summary:
    """`outcomes`: for each way through, what is released of the references passed, and whether surely. `uses`: those
    needed while they live. `others`: pools of which records are released that were not passed.
    """

    outcomes: tuple[tuple[tuple[str, bool], ...], ...] = ((),)
    uses: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


def _merged(paths: Sequence[Path]) -> list[Path]:
    """Without repetitions; as one path where there are too many."""
    found = {path.identity(): path for path in paths}
    if len(found) <= PATHS_LIMIT:
        return list(found.values())
    result: list[Path] = []
    for ended in (False, True):
        group = [path for path in found.values() if path.ended == ended]
        if not group:
            continue
        released: dict[str, Release] = {}
        for path in group:
            for key, release in path.released.items():
                on_all_paths = all(
                    key in other.released and other.released[key].on_all_paths
                    for other in group
                )
                released[key] = Release(release.place, release.pool, on_all_paths)
        first = group[0]
        known = {
            key: value
            for key, value in first.locals.items()
            if all(path.locals.get(key) == value for path in group)
        }
        result.append(Path(released, known, {}, {}, ended))
    return result


class Body:
    """Follows the statements of one body. Errors go to `flow`."""

    def __init__(
        self, flow: "RecordFlow", constants: Iterable[tuple[str, int]] = ()
    ) -> None:
        self.flow = flow
        # Arguments that are given a known number.
        self.constants = dict(constants)
        self.uses: set[str] = set()
        self.others: set[str] = set()

    # --- which record

    def key(self, node: ir.Expression, path: Path) -> Optional[str]:
        if not isinstance(node.type, ir.ReferenceType):
            return None
        if isinstance(node, ir.InstanceName):
            return OWN
        if isinstance(node, ir.ArgumentName):
            return f"argument {node.name}"
        if isinstance(node, ir.LocalName):
            name = node.local.unique
            return path.locals.setdefault(name, f"local {name}")
        if isinstance(node, ir.PayloadField):
            return f"field {expression_text(node)}"
        if isinstance(node, (ir.VariableName, ir.RecordField, ir.Element)):
            place = node.place
            return path.places.setdefault(
                identity(node),
                f"{expression_text(node)} at {place}:{place.column} {len(path.released)}",
            )
        return None

    def name(self, node: ir.Expression) -> str:
        return expression_text(node)

    # --- uses

    def use(self, node: ir.Expression, path: Path, what: str) -> None:
        key = self.key(node, path)
        if key is None:
            return
        self.uses.add(key)
        release = path.released.get(key)
        if release is not None and release.on_all_paths:
            self.flow.error(
                "HSM0537",
                node.place,
                f"'{self.name(node)}' has been released before: {what}",
                [("released here", release.place)],
            )

    def evaluate(self, nodes: object, path: Path) -> None:
        """Reads of records within expressions."""
        for node in walk.nodes(nodes):
            if isinstance(node, ir.RecordField) and node.container_kind == "pool":
                self.use(node.index, path, "its fields are zero or another record's")
            elif isinstance(node, ir.Call):
                function = self.flow.functions[node.function]
                used = self.flow.used_by_function(node.function)
                for argument, value in zip(function.arguments, node.arguments):
                    if argument.name in used:
                        self.use(value, path, f"function '{node.function}' reads it")

    # --- statements

    def run(self, statements: Iterable[ir.Statement], paths: list[Path]) -> list[Path]:
        for statement in statements:
            result: list[Path] = []
            for path in paths:
                if path.ended:
                    result.append(path)
                else:
                    result.extend(self.step(statement, path))
            paths = _merged(result)
        return paths

    def step(self, statement: ir.Statement, path: Path) -> list[Path]:
        if isinstance(statement, ir.If):
            return self.branch(statement, path)
        if isinstance(statement, ir.LOOPS):
            return self.loop(statement, path)
        if isinstance(statement, ir.Release):
            self.release(statement, path)
        elif isinstance(statement, ir.ActionCall):
            return self.call(statement, path)
        elif isinstance(statement, ir.Raise):
            return self.raised(statement, path)
        elif isinstance(statement, ir.Let):
            self.evaluate(statement.value, path)
            self.bind(statement.local, statement.value, statement.place, path)
        elif isinstance(statement, ir.Create):
            path.state_changes()
            self.fresh(statement.local, statement.place, path)
        elif isinstance(statement, ir.Assign):
            self.assign(statement, path)
        elif isinstance(statement, ir.DeviceCall):
            self.evaluate(statement.arguments, path)
            for value in statement.arguments:
                self.use(value, path, f"device '{statement.device}' gets it")
        elif isinstance(statement, ir.Return):
            self.evaluate(statement.result, path)
            path.ended = True
        elif isinstance(statement, ir.Clear):
            self.evaluate(statement.index, path)
            path.state_changes()
        elif isinstance(statement, ir.SetBit):
            self.evaluate((statement.bits, statement.index), path)
            path.state_changes()
        elif not isinstance(statement, (ir.Count, ir.ClearVariable, ir.Assert)):
            assert_never(statement)
        return [path]

    def fresh(self, local: ir.Local, place: ir.Place, path: Path) -> None:
        key = f"local {local.unique} of {place}:{place.column}"
        path.released.pop(key, None)
        path.locals[local.unique] = key

    def bind(
        self, local: ir.Local, value: ir.Expression, place: ir.Place, path: Path
    ) -> None:
        key = self.key(value, path)
        if key is None:
            self.fresh(local, place, path)
        else:
            path.locals[local.unique] = key

    def assign(self, statement: ir.Assign, path: Path) -> None:
        self.evaluate(statement.value, path)
        target = statement.target
        if isinstance(target, ir.LocalName):
            self.bind(target.local, statement.value, statement.place, path)
            # Texts of places and conditions may name the local.
            path.places.clear()
            path.facts.clear()
            return
        self.evaluate(target, path)
        key = self.key(statement.value, path)
        if isinstance(statement.value.type, ir.ReferenceType):
            self.use(
                statement.value, path, "the reference stored leads to a free record"
            )
        path.state_changes()
        if key is not None:
            path.places[identity(target)] = key

    def branch(self, statement: ir.If, path: Path) -> list[Path]:
        self.evaluate(statement.condition, path)
        known = self.truth(statement.condition, path)
        result: list[Path] = []
        for holds, block in ((True, statement.then), (False, statement.otherwise)):
            if known is None or known == holds:
                taken = path.fork()
                self.assume(statement.condition, holds, taken)
                result.extend(self.run(block, [taken]))
        return result

    def loop(self, statement: Union[ir.Repeat, ir.For], path: Path) -> list[Path]:
        """None, one or two turns: what a turn does to the next one shows in the second."""
        condition = statement.condition if isinstance(statement, ir.Repeat) else None
        self.evaluate(condition, path)
        result = [path]
        paths = [path.fork()]
        for _ in range(min(2, turns(statement))):
            if isinstance(statement, ir.For):
                for before in paths:
                    # Another record in each turn.
                    self.fresh(statement.local, statement.place, before)
            paths = self.run(statement.body, [p for p in paths if not p.ended])
            for after in paths:
                after.places.clear()
                after.facts.clear()
                if not after.ended:
                    self.evaluate(condition, after)
            result.extend(after.fork() for after in paths)
        return result

    # --- conditions

    def truth(self, condition: ir.Expression, path: Path) -> Optional[bool]:
        if condition.value is not None:
            return bool(condition.value)
        if isinstance(condition, ir.Unary) and condition.operator == "not":
            inner = self.truth(condition.operand, path)
            return None if inner is None else not inner
        text, positive = _canonical(condition)
        fact = path.facts.get(text)
        if fact is not None:
            return fact[0] == positive
        number = self.number(condition, path)
        return None if number is None else bool(number)

    def number(self, node: ir.Expression, path: Path) -> Optional[int]:
        """The value, where constant arguments decide it."""
        if node.value is not None:
            return node.value
        if isinstance(node, ir.ArgumentName):
            return self.constants.get(node.name)
        if isinstance(node, ir.Binary):
            if node.operator in ("and", "or"):
                left, right = self.truth(node.left, path), self.truth(node.right, path)
                decisive = node.operator == "or"
                if decisive in (left, right):
                    return int(decisive)
                known = left is not None and right is not None
                return int(not decisive) if known else None
            a, b = self.number(node.left, path), self.number(node.right, path)
            if a is not None and b is not None and node.operator not in ("<<", ">>"):
                return int(FOLD[node.operator](a, b)) & LARGEST
        return None

    def assume(self, condition: ir.Expression, holds: bool, path: Path) -> None:
        if isinstance(condition, ir.Unary) and condition.operator == "not":
            self.assume(condition.operand, not holds, path)
            return
        if isinstance(condition, ir.Binary) and condition.operator == (
            "and" if holds else "or"
        ):
            self.assume(condition.left, holds, path)
            self.assume(condition.right, holds, path)
            return
        fixed = not any(
            isinstance(
                node,
                (
                    ir.VariableName,
                    ir.RecordField,
                    ir.Call,
                    ir.Available,
                    ir.InUse,
                    ir.ParameterName,
                ),
            )
            for node in walk.nodes(condition)
        )
        text, positive = _canonical(condition)
        path.facts[text] = (holds == positive, fixed)

    # --- what releases

    def release(self, statement: ir.Release, path: Path) -> None:
        reference = statement.reference
        self.evaluate(reference, path)
        key = self.key(reference, path)
        if key is None:
            self.others.add(statement.pool)
        else:
            self.mark(
                key, reference, Release(statement.place, statement.pool), path, ""
            )
        # A record was zeroed.
        pool = f"{statement.pool}["
        path.places = {t: k for t, k in path.places.items() if pool not in t}
        path.facts = {text: fact for text, fact in path.facts.items() if fact[1]}

    def mark(
        self,
        key: str,
        node: ir.Expression,
        release: Release,
        path: Path,
        by: str,
    ) -> None:
        before = path.released.get(key)
        if before is not None and before.on_all_paths and release.on_all_paths:
            self.flow.error(
                "HSM0536",
                node.place,
                f"'{self.name(node)}' is released a second time{by}",
                [("released here first", before.place)],
            )
        if before is None or not before.on_all_paths:
            path.released[key] = release
        if key != OWN and not key.startswith("argument "):
            self.others.add(release.pool)

    def call(self, statement: ir.ActionCall, path: Path) -> list[Path]:
        self.evaluate(statement.arguments, path)
        action = self.flow.actions[statement.action]
        passed = {
            f"argument {argument.name}": value
            for argument, value in zip(action.arguments, statement.arguments)
        }
        constants: list[tuple[str, int]] = []
        for argument, value in zip(action.arguments, statement.arguments):
            if isinstance(argument.type, (ir.ReferenceType, ir.PayloadType)):
                continue
            number = self.number(value, path)
            if number is None and isinstance(value.type, ir.BoolType):
                number = self.truth(value, path)
            if number is not None:
                constants.append((argument.name, int(number)))
        summary = self.flow.action(statement.action, tuple(constants))
        return self.apply(
            summary, passed, statement.place, path, f"action '{statement.action}'"
        )

    def raised(self, statement: ir.Raise, path: Path) -> list[Path]:
        self.evaluate(statement.arguments, path)
        event = self.flow.events[statement.process, statement.event]
        passed = {
            f"argument {argument.name}": value
            for argument, value in zip(event.arguments, statement.arguments)
        }
        if statement.instance is not None:
            self.evaluate(statement.instance, path)
            self.use(statement.instance, path, "its process is gone")
            passed[OWN] = statement.instance
        summary = self.flow.event(statement.process, statement.event)
        what = f"event {statement.process}.{statement.event}"
        return self.apply(summary, passed, statement.place, path, what)

    def apply(
        self,
        summary: Summary,
        passed: dict[str, ir.Expression],
        place: ir.Place,
        path: Path,
        what: str,
    ) -> list[Path]:
        self.others |= summary.others
        for name, value in passed.items():
            if name in summary.uses and name != OWN:
                self.use(value, path, f"{what} uses it")
        result: list[Path] = []
        for outcome in summary.outcomes:
            after = path.fork()
            after.state_changes()
            for name, _ in outcome:
                argument = passed.get(name)
                if argument is None or not isinstance(argument.type, ir.ReferenceType):
                    continue
                key = self.key(argument, path)
                if key is None:
                    self.others.add(argument.type.pool)
                else:
                    # What decides between the outcomes may be known to the writer of the spec.
                    on_all_paths = all(
                        (name, True) in other for other in summary.outcomes
                    )
                    release = Release(place, argument.type.pool, on_all_paths)
                    self.mark(key, argument, release, after, f" by {what}")
            result.append(after)
        return result


class RecordFlow:
    """The whole protocol. Run only when it has no errors: calls and raises must be free of cycles."""

    def __init__(self, protocol: ir.Protocol, places: Places) -> None:
        self.protocol = protocol
        self.places = places
        self.functions = {f.name: f for f in protocol.functions}
        self.actions = {a.name: a for a in protocol.actions}
        self.events = {
            (p.name, e.name): e for p in protocol.processes for e in p.events
        }
        self._functions: dict[str, frozenset[str]] = {}
        self._actions: dict[tuple[str, tuple[tuple[str, int], ...]], Summary] = {}
        self._events: dict[tuple[str, str], Summary] = {}
        self._rows: dict[tuple[object, ...], tuple[list[Path], Body]] = {}

    def error(
        self,
        code: str,
        place: ir.Place,
        message: str,
        notes: Iterable[tuple[str, ir.Place]] = (),
    ) -> None:
        self.places.error(code, place, message, notes)

    # --- summaries

    def used_by_function(self, name: str) -> frozenset[str]:
        """Arguments of which a function reads the record."""
        if name not in self._functions:
            used: set[str] = set()
            for node in walk.nodes(self.functions[name].body):
                if isinstance(node, ir.RecordField) and node.container_kind == "pool":
                    if isinstance(node.index, ir.ArgumentName):
                        used.add(node.index.name)
                elif isinstance(node, ir.NumberOf):  # into a handle
                    if isinstance(node.reference, ir.ArgumentName):
                        used.add(node.reference.name)
                elif isinstance(node, ir.Call):
                    inner = self.used_by_function(node.function)
                    callee = self.functions[node.function]
                    for argument, value in zip(callee.arguments, node.arguments):
                        if argument.name in inner and isinstance(
                            value, ir.ArgumentName
                        ):
                            used.add(value.name)
            self._functions[name] = frozenset(used)
        return self._functions[name]

    def action(self, name: str, constants: tuple[tuple[str, int], ...] = ()) -> Summary:
        """What the action does when called with these constants."""
        if not any(
            isinstance(a.type, ir.ReferenceType) for a in self.actions[name].arguments
        ):
            constants = ()
        key = (name, constants)
        if key not in self._actions:
            body = Body(self, constants)
            paths = body.run(self.actions[name].body, [Path()])
            self._actions[key] = _summary([(paths, body)], False)
        return self._actions[key]

    def event(self, process: str, event: str) -> Summary:
        if (process, event) not in self._events:
            found: list[tuple[list[Path], Body]] = []
            ignored = False
            machine = self.protocol.process(process)
            for handler in machine.handlers_of(event):
                ignored = ignored or handler.otherwise == "ignore"
                for row, lets in _rows(handler):
                    found.append(self.row(row, lets))
            self._events[process, event] = _summary(found, ignored)
        return self._events[process, event]

    def row(self, row: ir.Row, lets: tuple[ir.Let, ...]) -> tuple[list[Path], Body]:
        """How the ways through a row end. The same row in several leaves is examined once."""
        statements = (*lets, *row.exit_actions, *row.actions, *row.entry_actions)
        key = (row.place, tuple(s.place for s in statements))
        if key not in self._rows:
            body = Body(self)
            path = Path()
            body.run(lets, [path])
            if row.guard is not None:
                body.evaluate(row.guard, path)
                body.assume(row.guard, True, path)
            executed = (*row.exit_actions, *row.actions, *row.entry_actions)
            self._rows[key] = (body.run(executed, [path]), body)
        return self._rows[key]

    # --- the checks

    def check(self) -> None:
        for action in self.actions:
            self.action(action)
        others: set[str] = set()
        for process in self.protocol.processes:
            for handler in process.handlers:
                for row, lets in _rows(handler):
                    others |= self.row(row, lets)[1].others
            for statements in (process.initial_actions,):
                body = Body(self)
                body.run(statements, [Path()])
                others |= body.others
        for pool in self.protocol.pools:
            if pool.process is not None:
                process = self.protocol.process(pool.process)
                self._check_process(process, pool, pool.name in others)
        self._check_created()

    def _releasers(self, pool: ir.Pool) -> tuple[bool, bool]:
        """Is a record of the pool released by an event that gets a reference to it, and by one that others than the
        record's own process reach?"""
        found = elsewhere = False
        raisers: dict[tuple[str, str], set[str]] = {}
        for process in self.protocol.processes:
            for handler in process.handlers:
                for row in handler.rows:
                    for raised in row.raises:
                        raisers.setdefault(raised, set()).add(process.name)
        for (name, event_name), event in self.events.items():
            summary = self.event(name, event_name)
            released = {name for outcome in summary.outcomes for name, _ in outcome}
            for argument in event.arguments:
                if argument.type == pool.reference:
                    if f"argument {argument.name}" in released:
                        found = True
                        callers = raisers.get((name, event_name), set())
                        if event.external or callers - {pool.process}:
                            elsewhere = True
        return found, elsewhere

    def _check_process(self, process: ir.Process, pool: ir.Pool, others: bool) -> None:
        by_event, elsewhere = self._releasers(pool)
        releasing: set[str] = set()  # leaves with a row that releases
        edges: dict[str, set[str]] = {leaf.name: set() for leaf in process.leaves}
        finals: dict[str, Arrivals] = {
            leaf.name: {} for leaf in process.leaves if leaf.final
        }
        for handler in process.handlers:
            for row, lets in _rows(handler):
                paths, _ = self.row(row, lets)
                gone = [path for path in paths if OWN in path.released]
                if gone:
                    releasing.add(handler.leaf)
                if row.target is not None:
                    edges[handler.leaf].add(row.target)
                self._check_timers(process, handler, row, gone)
                if row.target in finals:
                    leak = " on some path" if gone else ""
                    arrivals = finals[row.target]
                    target = self.places.target_of(row)
                    if len(gone) < len(paths):
                        arrivals[target] = leak
                    else:
                        arrivals.setdefault(target, None)
        if others or elsewhere:
            return
        for leaf in process.leaves:
            if leaf.final:
                report_leaks(self.places, process, leaf, finals[leaf.name])
        if any(leak is not None for into in finals.values() for leak in into.values()):
            return
        if not releasing and not by_event:
            self.error(
                "HSM0539",
                process.place,
                f"no row of process {process.name} releases its record: once all {pool.count} of "
                f"{pool.name} are in use, no more can be created",
                [("the pool", pool.place)],
            )
            return
        self._check_dead_ends(process, edges, releasing)

    def _check_dead_ends(
        self, process: ir.Process, edges: dict[str, set[str]], releasing: set[str]
    ) -> None:
        """Leaves entered from which no row that releases can be reached."""
        reached: set[str] = set()
        pending = [process.initial]
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending.extend(edges[name])
        alive = set(releasing)
        growing = True
        while growing:
            more = {name for name in edges if edges[name] & alive} - alive
            alive |= more
            growing = bool(more)
        for leaf in process.leaves:
            if leaf.name in reached and leaf.name not in alive and not leaf.final:
                self.error(
                    "HSM0539",
                    leaf.place,
                    f"from state {leaf.path} of process {process.name} nothing leads to a row that releases "
                    f"'{process.instance}'",
                )

    def _check_timers(
        self,
        process: ir.Process,
        handler: ir.Handler,
        row: ir.Row,
        gone: Sequence[Path],
    ) -> None:
        """No timer may run on for a record that is free."""
        running = _timers(process, row.target or handler.leaf)
        if not running:
            return
        for path in gone:
            release = path.released[OWN]
            if release.on_all_paths:
                states = {state.name: state.path for state in process.states}
                self.error(
                    "HSM0538",
                    release.place,
                    f"'{process.instance}' is released while the timer of state {states[running[-1].state]} runs: "
                    "it would expire for a free record",
                    [("the timer", running[-1].place), ("the row", row.place)],
                )

    def _check_created(self) -> None:
        bodies: list[object] = [action.body for action in self.protocol.actions]
        for process in self.protocol.processes:
            bodies.append(process.initial_actions)
            bodies += [walk.handler_parts(handler) for handler in process.handlers]
        seen: set[int] = set()
        for body in bodies:
            nodes = list(walk.nodes(body))
            created = [
                n for n in nodes if isinstance(n, ir.Create) and id(n.local) not in seen
            ]
            if not created:
                continue
            seen.update(id(create.local) for create in created)
            passed_on = _passed_on(nodes)
            for create in created:
                if id(create.local) not in passed_on:
                    self.error(
                        "HSM0540",
                        create.place,
                        f"the record created here is lost: '{create.local.name}' is neither stored, passed on "
                        "nor raised to",
                    )


def _canonical(condition: ir.Expression) -> tuple[str, bool]:
    """One text for a comparison and its opposite, and which of the two it is."""
    if isinstance(condition, ir.Binary):
        left, right = identity(condition.left), identity(condition.right)
        operator = OPPOSITE.get(condition.operator, condition.operator)
        return f"{left} {operator} {right}", operator == condition.operator
    return identity(condition), True


def _rows(handler: ir.Handler) -> Iterator[tuple[ir.Row, tuple[ir.Let, ...]]]:
    """Rows of the spec: deferring and recalling neither releases nor keeps what they do not hold."""
    lets: tuple[ir.Let, ...] = ()
    for group in handler.groups:
        lets = (*lets, *group.lets)
        for row in group.rows:
            if row.kind == "written":
                yield row, lets


def _timers(process: ir.Process, leaf: str) -> list[ir.Timer]:
    """That run while the leaf is active, innermost first."""
    states = {state.name: state for state in process.states}
    found: list[ir.Timer] = []
    name: Optional[str] = leaf
    while name is not None:
        state = states[name]
        if state.timer is not None:
            found.append(state.timer)
        name = state.parent
    return found


def _summary(found: Sequence[tuple[list[Path], Body]], nothing: bool) -> Summary:
    """`nothing`: it may also happen that none of these is taken."""
    outcomes: dict[tuple[tuple[str, bool], ...], None] = {(): None} if nothing else {}
    uses: set[str] = set()
    others: set[str] = set()
    for paths, body in found:
        uses |= body.uses
        others |= body.others
        for path in paths:
            outcome = tuple(
                (key, release.on_all_paths)
                for key, release in sorted(path.released.items(), key=lambda i: i[0])
                if key == OWN or key.startswith("argument ")
            )
            outcomes[outcome] = None
    if len(outcomes) > PATHS_LIMIT:
        names = sorted({name for outcome in outcomes for name, _ in outcome})
        outcomes = {
            tuple(
                (name, all((name, True) in outcome for outcome in outcomes))
                for name in names
            ): None
        }
    return Summary(tuple(outcomes) or ((),), frozenset(uses), frozenset(others))


def _passed_on(nodes: Sequence[object]) -> set[int]:
    """Locals whose value goes anywhere but into a comparison or the choice of a record's field."""
    passed_on: set[int] = set()

    def value(node: object) -> None:
        if isinstance(node, ir.LocalName):
            passed_on.add(id(node.local))
        elif isinstance(node, ir.Conditional):
            value(node.then)
            value(node.otherwise)
        elif isinstance(node, ir.BuildPayload):
            for _, part in node.fields:
                value(part)

    for node in nodes:
        if isinstance(node, (ir.Let, ir.Assign)):
            value(node.value)
        elif isinstance(node, (ir.ActionCall, ir.DeviceCall, ir.Call)):
            for argument in node.arguments:
                value(argument)
        elif isinstance(node, ir.Raise):
            value(node.instance)
            for argument in node.arguments:
                value(argument)
        elif isinstance(node, ir.Release):
            value(node.reference)
    return passed_on
