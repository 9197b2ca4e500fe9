# SPDX-License-Identifier: MIT
"""State machines as written: the tree of states with everything in it resolved, before flattening."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Iterator, Optional, Sequence

from .. import ir
from . import ast
from .context import Body, Context
from .declarations import Declarations
from .statements import Statements


@dataclass(eq=False)
class Choice:
    """One row."""

    node: ast.Choice
    guard: Optional[ir.Expression]
    conditional: bool  # False: unguarded or else
    actions: tuple[ir.Statement, ...]
    target: Optional["StateNode"]
    text: str
    rare: bool = False  # below a line `rare`
    reached: bool = False  # set by flattening: stands in some leaf


@dataclass(eq=False)
class Rows:
    """Rows of one event (or of the state's timer when event is None) that share lets."""

    node: ast.Rows
    event: Optional[str]
    lets: tuple[ir.Let, ...]
    choices: tuple[Choice, ...]


@dataclass(eq=False)
class StateNode:
    node: ast.State
    path: tuple[str, ...]
    parent: Optional["StateNode"]
    name: str = ""  # unique within the process
    children: list["StateNode"] = field(default_factory=list)
    entry: tuple[ir.Statement, ...] = ()
    exit: tuple[ir.Statement, ...] = ()
    timer: Optional[ir.Timer] = None
    rows: list[Rows] = field(default_factory=list)
    verdicts: dict[str, ast.Verdict] = field(default_factory=dict)
    # A row here names an event or state that is unknown: what is missing here may only be misspelt.
    damaged: bool = False

    def chain(self) -> Iterator["StateNode"]:
        """This state and those around it, innermost first."""
        state: Optional[StateNode] = self
        while state is not None:
            yield state
            state = state.parent

    def initial_chain(self) -> Iterator["StateNode"]:
        """This state and the initial one inside it, down to a leaf."""
        state = self
        yield state
        while state.children:
            state = initial_of(state.children)
            yield state

    @property
    def dotted(self) -> str:
        return ".".join(self.path)


# Most events of a kind that may wait for one process.
QUEUE_LIMIT = 255


def initial_of(states: Sequence[StateNode]) -> StateNode:
    """The initial one; the first where none is marked (then it is never entered so, or that is reported elsewhere)."""
    return next((s for s in states if s.node.initial), states[0])


@dataclass(eq=False)
class Machine:
    node: ast.Process
    body: Body
    roots: list[StateNode]
    states: list[StateNode]  # all, in declaration order
    leaves: list[StateNode]  # in the order of their numbers
    timers: list[ir.Timer] = field(default_factory=list)
    selects: dict[str, ir.Expression] = field(default_factory=dict)
    queue_sizes: dict[str, ir.Size] = field(default_factory=dict)
    # Of each leaf, those its rows lead to: known once it is flattened.
    successors: dict[StateNode, set[StateNode]] = field(default_factory=dict)
    added_fields: list[ir.Field] = field(default_factory=list)  # generated variables
    # Of each state entered by history, where it keeps the number of the child last active.
    history: dict[StateNode, ir.Expression] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.node.name.text

    @property
    def damaged(self) -> bool:
        return any(state.damaged for state in self.states)


class MachineBuilder:
    """Two steps, because bodies of actions need to know where a created record starts."""

    def __init__(self, context: Context, types: Declarations, node: ast.Process):
        self.context = context
        self.types = types
        self.node = node
        self.machine = Machine(node, Body("process", node.name.text), [], [], [])

    # --- the tree

    def build_tree(self) -> None:
        machine = self.machine
        machine.roots = self._states(self.node.states, None)
        self._check_initial(machine.roots, self.node.name, "process")
        names = [state.path[-1] for state in machine.states]
        for state in machine.states:
            own = state.path[-1]
            state.name = own if names.count(own) == 1 else "_".join(state.path)
            while any(s.name == state.name for s in machine.states if s is not state):
                state.name += "_"
        machine.leaves = [s for s in machine.states if not s.children]
        if machine.roots and self.node.instance is None:
            initial = list(initial_of(machine.roots).initial_chain())[-1]
            machine.leaves.remove(initial)
            machine.leaves.insert(0, initial)
        if machine.roots:
            first = list(initial_of(machine.roots).initial_chain())[-1]
            self.context.initial_leaf[self.node.name.text] = first.name

    def _states(
        self, nodes: Sequence[ast.State], parent: Optional[StateNode]
    ) -> list[StateNode]:
        result: list[StateNode] = []
        seen: dict[str, ast.State] = {}
        for node in nodes:
            first = seen.setdefault(node.name.text, node)
            if first is not node:
                self.context.error(
                    "HSM0202",
                    node.name.span,
                    f"there are two states '{node.name.text}' here",
                    [("first declared here", first.name.span)],
                )
                continue
            path = (*(parent.path if parent else ()), node.name.text)
            state = StateNode(node, path, parent)
            self.machine.states.append(state)
            state.children = self._states(node.states, state)
            if state.children:
                self._check_one_initial(state.children, node.name, "state")
            result.append(state)
        return result

    def _check_initial(
        self, states: Sequence[StateNode], name: ast.Name, what: str
    ) -> None:
        """Of a process: of states with states inside, state_checks.py knows whether they need one."""
        if not any(s.node.initial for s in states):
            reason = (
                "has no initial state" if states else "has no state that could be read"
            )
            if states or not self.context.spec.damaged:
                self.context.error("HSM0501", name.span, f"{what} {name.text} {reason}")
        self._check_one_initial(states, name, what)

    def _check_one_initial(
        self, states: Sequence[StateNode], name: ast.Name, what: str
    ) -> None:
        initial = [s for s in states if s.node.initial]
        for again in initial[1:]:
            self.context.error(
                "HSM0502",
                again.node.name.span,
                f"{what} {name.text} has a second initial state",
                [("first one", initial[0].node.name.span)],
            )

    # --- what stands in it

    def resolve(self) -> None:
        for event in self.node.events:
            self._event(event)
        for state in self.machine.states:
            self._state(state)
        self._check_keeps()

    def _check_keeps(self) -> None:
        deferred = {
            name.text
            for state in self.machine.states
            for verdict in state.node.verdicts
            if verdict.kind == "defer"
            for name in verdict.events
        }
        for event in self.node.events:
            if event.keeps is not None and event.name.text not in deferred:
                self.context.error(
                    "HSM0529",
                    event.name.span,
                    f"event '{event.name.text}' keeps what waits, but no state defers it",
                )

    def _statements(self) -> Statements:
        """A resolver that knows the process' own record."""
        resolver = Statements(self.context, self.types, self.machine.body)
        instance = self.node.instance
        if instance is not None:
            pool = self.context.pools.get(instance.type.name.text)
            if pool is not None:
                resolver.bind(
                    instance.name,
                    ir.InstanceName(
                        type=pool.reference,
                        place=instance.name.span.place(),
                        process=self.machine.name,
                        name=instance.name.text,
                    ),
                    "the record",
                )
            else:
                self.context.report.damaged_names.add(instance.name.text)
        return resolver

    def _event(self, event: ast.Event) -> None:
        name = event.name.text
        if event.keeps is not None:
            size = self.types.constants.size(
                event.keeps, 1, QUEUE_LIMIT, "how many may wait"
            )
            if size is not None:
                self.machine.queue_sizes[name] = size
        if event.creates or event.select is not None:
            if self.node.instance is None:
                self.context.error(
                    "HSM0523",
                    event.name.span,
                    f"process {self.machine.name} does not run per record: nothing to create or select",
                )
                return
            if not event.external or (event.creates and event.select is not None):
                self.context.error(
                    "HSM0523",
                    event.name.span,
                    "'creates' and 'select' exclude each other"
                    if event.external
                    else f"event '{name}' is not external: the row that raises it names the record",
                )
                return
        if event.select is None:
            return
        resolver = Statements(self.context, self.types, self.machine.body)
        signature = self.context.events.get(self.machine.name, {}).get(name)
        if signature is None or self.node.instance is None:
            return
        for node, argument in zip(event.arguments, signature.arguments):
            resolver.bind(
                node.name, _argument(node.name, argument, argument.name), "argument"
            )
        pool = self.node.instance.type.name.text
        if pool in self.context.pools:
            selected = resolver.reference(event.select, pool)
            if selected is not None:
                self.machine.selects[name] = selected

    def _state(self, state: StateNode) -> None:
        node = state.node
        state.entry = self._statements().block(node.entry)
        state.exit = self._statements().block(node.exit)
        if node.final and (node.rows or node.verdicts or node.states or node.exit):
            inside: ast.Node = [
                *node.rows,
                *node.verdicts,
                *node.exit,
                *node.states,
            ][0]
            self.context.error(
                "HSM0503",
                inside.name.span if isinstance(inside, ast.State) else inside.span,
                f"final state {state.path[-1]} may only have an entry",
                [("declared final here", node.name.span)],
            )
        for rows in node.rows:
            self._rows(state, rows)
        for verdict in node.verdicts:
            for name in verdict.events:
                self._verdict(state, verdict, name)
        self._check_order(state)
        self._check_initial_instance(state)

    def _check_initial_instance(self, state: StateNode) -> None:
        if self.node.instance is None:
            return
        initial = list(initial_of(self.machine.roots).initial_chain())
        if state in initial and (state.node.entry or state.timer is not None):
            self.context.error(
                "HSM0514",
                state.node.name.span,
                f"{state.path[-1]} is where a new record starts: it may have no entry and no timer",
            )

    def _rows(self, state: StateNode, node: ast.Rows) -> None:
        resolver = self._statements()
        head = ""
        if node.event is not None:
            event, signature = resolver.event(self.node, node.event)
            if event is None or signature is None:
                state.damaged = True
                return
            head = f"{'before ' if node.before else ''}on {node.event.text}"
            if node.before:
                self._check_before(state, node)
            if node.bindings:
                head += "(" + ", ".join(b.text for b in node.bindings) + ")"
            if node.bindings and len(node.bindings) != len(signature.arguments):
                count = len(signature.arguments)
                self.context.error(
                    "HSM0302",
                    node.event.span,
                    f"event {event.name.text} has {count} argument{'s' * (count != 1)}, not {len(node.bindings)}",
                    [("declared here", event.name.span)],
                )
                state.damaged = True
                return
            resolver.declared_arguments = frozenset(
                argument.name for argument in signature.arguments
            )
            for name, argument in zip(node.bindings, signature.arguments):
                resolver.bind(
                    name, _argument(name, argument, argument.name), "argument"
                )
        else:
            assert node.duration is not None
            head = f"after {node.duration.span.squeezed}"
            if not self._timer(state, node, resolver):
                return
        resolver.scopes.append({})
        lets = tuple(
            let for let in map(resolver.let, node.lets) if isinstance(let, ir.Let)
        )
        for let in node.lets:
            if isinstance(let.value, ast.Create):
                self.context.error(
                    "HSM0313",
                    let.span,
                    "a let in front of guards may not create: the record would be lost when no guard holds",
                )
        choices = tuple(
            self._choice(state, choice, resolver, head if node.is_block else "")
            for choice in node.choices
        )
        self._check_rare(node)
        for line in node.rare_lines:
            for choice in choices[line.above :]:
                choice.rare = True
        state.rows.append(
            Rows(node, node.event.text if node.event else None, lets, choices)
        )

    def _check_rare(self, node: ast.Rows) -> None:
        for line in node.rare_lines:
            if line is not node.rare_lines[0]:
                self.context.error(
                    "HSM0556",
                    line.span,
                    "the rows below are rare already",
                    [("the line that says so", node.rare_lines[0].span)],
                )
            elif line.above in (0, len(node.choices)):
                where = "above" if line.above == 0 else "below"
                self.context.error(
                    "HSM0556",
                    line.span,
                    f"'rare' stands between two rows of an event, and there is none {where} it",
                )

    def _check_before(self, state: StateNode, node: ast.Rows) -> None:
        if not state.children:
            self.context.error(
                "HSM0552",
                node.span,
                f"{state.path[-1]} has no states inside: there are no rows to come before",
                [("the state", state.node.name.span)],
            )
        last = node.choices[-1]
        if last.guard is None:
            self.context.error(
                "HSM0551",
                last.span,
                "this row always holds and stands before those of the states inside, which would never be tried",
                [("the state around them", state.node.name.span)],
            )

    def _choice(
        self, state: StateNode, node: ast.Choice, resolver: Statements, head: str
    ) -> Choice:
        guard = resolver.condition(node.guard) if node.guard is not None else None
        actions = resolver.block(node.actions)
        if not (node.actions or node.target or node.guard is not None or node.is_else):
            self.context.error(
                "HSM0524", node.span, "this row does nothing; say 'ignore' instead"
            )
        target = self._target(state, node.target) if node.target else None
        if target is not None and node.local:
            self._check_local(state, node, target)
        if target is not None and node.history and not target.children:
            self.context.error(
                "HSM0527",
                node.target[0].span.to(node.target[-1].span),
                f"{target.path[-1]} has no states inside: there is no history to go back to",
                [("the state", target.node.name.span)],
            )
        text = f"{head} {node.span.squeezed}".strip()
        return Choice(node, guard, node.guard is not None, actions, target, text)

    def _target(
        self, state: StateNode, names: tuple[ast.Name, ...]
    ) -> Optional[StateNode]:
        wanted = tuple(name.text for name in names)
        found = [s for s in self.machine.states if s.path[-len(wanted) :] == wanted]
        span = names[0].span.to(names[-1].span)
        if len(found) > 1:
            exact = [s for s in found if s.path == wanted]
            if len(exact) != 1:
                self.context.error(
                    "HSM0212",
                    span,
                    f"'{'.'.join(wanted)}' may be "
                    + " or ".join(s.dotted for s in found),
                    [("one of them", s.node.name.span) for s in found],
                )
                state.damaged = True
                return None
            found = exact
        if not found:
            self.context.report.unknown(
                "HSM0203",
                span,
                f"process {self.machine.name} has no state '{'.'.join(wanted)}'",
                ".".join(wanted),
                [s.path[-1] for s in self.machine.states]
                + [s.dotted for s in self.machine.states],
            )
            state.damaged = True
            return None
        for name, part in zip(reversed(names), found[0].chain()):
            self.context.refer(name.span, part.node.name.span)
        return found[0]

    def _check_local(
        self, state: StateNode, node: ast.Choice, target: StateNode
    ) -> None:
        if target is not state and state in target.chain():
            return
        self.context.error(
            "HSM0526",
            node.target[0].span.to(node.target[-1].span),
            f"a local transition stays in {state.path[-1]}, but {target.dotted} is not inside it",
            [("the row belongs to this state", state.node.name.span)],
        )
        state.damaged = True

    def _timer(self, state: StateNode, node: ast.Rows, resolver: Statements) -> bool:
        assert node.duration is not None
        if state.timer is not None:
            first = next(r for r in state.rows if r.event is None)
            self.context.error(
                "HSM0512",
                node.span,
                f"state {state.path[-1]} has a timer already; put its rows in one block",
                [("this one", first.node.span)],
            )
            return False
        duration = resolver.number(node.duration)
        if duration is None:
            state.damaged = True
            return False
        if isinstance(duration, ir.ParameterName):
            if self.context.parameters[duration.name].unit != "us":
                self.context.error(
                    "HSM0301",
                    node.span,
                    f"parameter '{duration.name}' is no duration: it needs 'unit us'",
                )
        state.timer = ir.Timer(
            name=f"{self.machine.name}_{state.name}",
            process=self.machine.name,
            state=state.name,
            index=len(self.context.timers),
            duration=duration,
            place=node.span.place(),
        )
        self.machine.timers.append(state.timer)
        self.context.timers.append(state.timer)
        return True

    def _verdict(self, state: StateNode, node: ast.Verdict, name: ast.Name) -> None:
        resolver = Statements(self.context, self.types, self.machine.body)
        event, _ = resolver.event(self.node, name)
        if event is None:
            state.damaged = True
            return
        if node.kind == "defer":
            self._check_defer(state, name, event)
        first = state.verdicts.get(name.text)
        handled = next(
            (
                rows
                for rows in state.rows
                if rows.event == name.text
                and any(not c.conditional for c in rows.choices)
            ),
            None,
        )
        if first is not None or handled is not None:
            other = first.span if first else handled.node.span if handled else node.span
            self.context.error(
                "HSM0513",
                name.span,
                f"state {state.path[-1]} already says what to do with '{name.text}'",
                [("here", other)],
            )
            return
        state.verdicts[name.text] = node

    def _check_defer(self, state: StateNode, name: ast.Name, event: ast.Event) -> None:
        declared = [("the event", event.name.span)]
        if event.creates:
            self.context.error(
                "HSM0532",
                name.span,
                f"event '{name.text}' creates its record, so it cannot wait for one",
                declared,
            )
        elif event.keeps is None:
            self.context.error(
                "HSM0528",
                name.span,
                f"how many '{name.text}' may wait? The event needs 'keeps' and a number",
                declared,
            )
        for rows in state.rows:
            if rows.event == name.text and all(c.conditional for c in rows.choices):
                self.context.error(
                    "HSM0530",
                    name.span,
                    f"state {state.path[-1]} handles '{name.text}' at times and defers it at others",
                    [("a row of the event", rows.node.span)],
                )
                break

    def _check_order(self, state: StateNode) -> None:
        """Within one state: rows after one that always holds."""
        final: dict[tuple[Optional[str], bool], Choice] = {}
        for rows in state.rows:
            for choice in rows.choices:
                key = (rows.event, rows.node.before)
                last = final.get(key)
                if last is not None:
                    self.context.error(
                        "HSM0508",
                        choice.node.span,
                        "this row is never tried: the one before it always holds",
                        [("the row before", last.node.span)],
                    )
                    choice.reached = True  # said enough about it
                elif not choice.conditional:
                    final[key] = choice


def _argument(name: ast.Name, argument: ir.Argument, declared: str) -> ir.ArgumentName:
    return ir.ArgumentName(type=argument.type, place=name.span.place(), name=declared)


def walk(statements: Iterable[ir.Statement]) -> Iterator[ir.Statement]:
    """All statements, nested ones too."""
    for statement in statements:
        yield statement
        if isinstance(statement, ir.If):
            yield from walk(statement.then)
            yield from walk(statement.otherwise)
        elif isinstance(statement, ir.LOOPS):
            yield from walk(statement.body)
