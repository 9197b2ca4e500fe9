# SPDX-License-Identifier: MIT
"""From the tree of states to one ordered list of rows per (leaf, event)."""

from __future__ import annotations

from typing import Callable, Iterable, Literal, Optional

from .. import ir
from .guard_coverage import Coverage
from .context import Context
from .deferral import Deferral
from .added_state import AddedState, both, compare, number, smallest
from .machines import Choice, Machine, Rows, StateNode, initial_of, walk
from ..source import Span
from .transition_paths import (
    TransitionPath,
    history_targets,
    numbered_children,
    remembered_children,
    transition_paths,
)

Raises = Callable[[Iterable[ir.Statement]], tuple[tuple[str, str], ...]]
Statements = tuple[ir.Statement, ...]
Ordered = Callable[[Statements, Statements], tuple[Statements, Statements]]


class Flattener:
    """`raises` tells what statements raise, through actions too; `ordered` puts the raises of a row last. Numbers rows
    across all processes."""

    def __init__(self, context: Context, raises: Raises, ordered: Ordered) -> None:
        self.context = context
        self.raises = raises
        self.ordered = ordered
        self.number = 0
        self.unhandled: list[StateNode] = []  # leaves that say nothing of an event
        self.deferral: Optional[Deferral] = None  # of the process at work

    def handlers(self, machine: Machine, deferral: Deferral) -> tuple[ir.Handler, ...]:
        result: list[ir.Handler] = []
        self.deferral = deferral
        machine.successors = {leaf: set() for leaf in machine.leaves}
        for event in self.context.events.get(machine.name, {}):
            self.unhandled.clear()
            for leaf in machine.leaves:
                result.append(self._event_handler(machine, leaf, event))
            self._report_unhandled(machine, event)
        if deferral.queues:
            for leaf in machine.leaves:
                result.append(self._recall_handler(machine, deferral, leaf))
        for owner in machine.states:
            if owner.timer is not None:
                for leaf in machine.leaves:
                    if owner in leaf.chain():
                        result.append(self._timer_handler(machine, leaf, owner))
        return tuple(result)

    def _event_handler(
        self, machine: Machine, leaf: StateNode, event: str
    ) -> ir.Handler:
        groups: list[ir.Group] = []
        otherwise: Literal["handled", "ignore", "never", ""] = ""
        place: Optional[ir.Place] = None
        if leaf.node.final:
            otherwise = "never"
            for choice in (c for rows in leaf.rows for c in rows.choices):
                choice.reached = True  # reported as such already
        else:
            for state in reversed(list(leaf.chain())):
                own = _of_event(state, event, before=True)
                self._add_rows(machine, leaf, state, own, event, groups)
        for state in leaf.chain():
            if otherwise:
                break
            own = _of_event(state, event, before=False)
            if self._add_rows(machine, leaf, state, own, event, groups):
                otherwise = "handled"
            elif event in state.verdicts:
                state_verdict = state.verdicts[event]
                place = state_verdict.span.place()
                otherwise = "ignore" if state_verdict.kind == "ignore" else "never"
                if state_verdict.kind == "defer":
                    self._add_defer(machine, leaf, state, event, groups)
        if not otherwise:
            self._unhandled(machine, leaf, event, groups)
        return ir.Handler(
            leaf=leaf.name,
            event=event,
            timer=None,
            groups=tuple(groups),
            otherwise=otherwise or "never",
            place=place,
        )

    def _add_defer(
        self,
        machine: Machine,
        leaf: StateNode,
        state: StateNode,
        event: str,
        groups: list[ir.Group],
    ) -> None:
        assert self.deferral is not None
        verdict = state.verdicts[event]
        inner = next(
            (
                r
                for s in leaf.chain()
                if s is not state
                for r in s.rows
                if r.event == event
            ),
            None,
        )
        if groups and inner is not None:
            self.context.error(
                "HSM0530",
                inner.node.span,
                f"when no guard holds, '{event}' comes to the 'defer' of state {state.path[-1]}: "
                "a state handles an event or defers it",
                [("deferred here", verdict.span)],
            )
        if groups or event not in self.deferral.queues:
            return  # reported
        guard, statements = self.deferral.defer(event, verdict)
        row = self._synthesized(
            machine, leaf, state, event, 0, "defer", guard, statements, verdict.span
        )
        groups.append(ir.Group(lets=(), rows=(row,)))

    def _recall_handler(
        self, machine: Machine, deferral: Deferral, leaf: StateNode
    ) -> ir.Handler:
        rows: list[ir.Row] = []
        for queue in deferral.recallable(leaf):
            guard, statements = deferral.recall(queue)
            span = queue.event.name.span
            row = self._synthesized(
                machine,
                leaf,
                leaf,
                deferral.event,
                len(rows),
                "recall",
                guard,
                statements,
                span,
            )
            rows.append(row)
        return ir.Handler(
            leaf=leaf.name,
            event=deferral.event,
            timer=None,
            groups=(ir.Group(lets=(), rows=tuple(rows)),) if rows else (),
            otherwise="ignore",
        )

    def _synthesized(
        self,
        machine: Machine,
        leaf: StateNode,
        state: StateNode,
        event: str,
        count: int,
        kind: Literal["defer", "recall"],
        guard: ir.Expression,
        statements: tuple[ir.Statement, ...],
        span: Span,
    ) -> ir.Row:
        """A generated row, without target."""
        number = self.number
        self.number += 1
        return ir.Row(
            id=f"{machine.name}.{leaf.name}.{event}.{count}",
            number=number,
            state=state.name,
            guard=guard,
            exit_actions=(),
            cancelled=(),
            target=None,
            armed=(),
            actions=statements,
            entry_actions=(),
            raises=self.raises(statements),
            text=f"{kind} {event if kind == 'defer' else span.text}",
            place=span.place(),
            kind=kind,
        )

    def _timer_handler(
        self, machine: Machine, leaf: StateNode, owner: StateNode
    ) -> ir.Handler:
        event = "after" if owner is leaf else f"after_{owner.name}"
        groups: list[ir.Group] = []
        own = [rows for rows in owner.rows if rows.event is None]
        handled = self._add_rows(machine, leaf, owner, own, event, groups)
        if not handled and own:
            coverage = Coverage(self.context, _rows(groups))
            if not coverage.complete and not self._gap(
                coverage, own[-1], leaf, "the expiry"
            ):
                self.context.error(
                    "HSM0511",
                    own[-1].node.span,
                    f"when no guard holds, the expiry in state {owner.path[-1]} is lost: an 'else' is missing",
                )
        return ir.Handler(
            leaf=leaf.name,
            event=event,
            timer=owner.timer,
            groups=tuple(groups),
            otherwise="handled" if handled else "never",
        )

    def _add_rows(
        self,
        machine: Machine,
        leaf: StateNode,
        state: StateNode,
        own: list[Rows],
        event: str,
        groups: list[ir.Group],
    ) -> bool:
        """Does one of the rows always hold?"""
        first = len(groups)
        for rows in own:
            built: list[ir.Row] = []
            handled = False
            for choice in rows.choices:
                choice.reached = True
                found = (
                    transition_paths(machine, leaf, state, choice)
                    if choice.target is not None
                    else (TransitionPath((), ()),)
                )
                for path in found:
                    count = sum(len(g.rows) for g in groups) + len(built)
                    built.append(
                        self._row(machine, leaf, state, choice, path, event, count)
                    )
                if not choice.conditional:
                    handled = True
                    break
            if not rows.lets and len(groups) > first:
                last = groups.pop()
                groups.append(ir.Group(lets=last.lets, rows=(*last.rows, *built)))
            else:
                groups.append(ir.Group(lets=rows.lets, rows=tuple(built)))
            if handled:
                return True
        return False

    def _row(
        self,
        machine: Machine,
        leaf: StateNode,
        state: StateNode,
        choice: Choice,
        path: TransitionPath,
        event: str,
        count: int,
    ) -> ir.Row:
        exited, entered = path.exited, path.entered
        exit_actions = tuple(s for e in exited for s in e.exit)
        entry_actions = tuple(s for e in entered for s in e.entry)
        if not releases_own((*exit_actions, *choice.actions, *entry_actions)):
            # In front of all else: exit actions may raise, and then nothing but raises may follow.
            before = _remembering(machine, path)
            if entered and self.deferral is not None and self.deferral.queues:
                before += self.deferral.leaving(leaf, entered[-1])
            exit_actions = (*before, *exit_actions)
        if entered:
            machine.successors[leaf].add(entered[-1])
        guard = choice.guard
        if path.remembered is not None and choice.target in machine.history:
            place = machine.history[choice.target]
            index = numbered_children(choice.target).index(path.remembered)
            guard = both(guard, compare("==", place, index, place.place))
        number = self.number
        self.number += 1
        actions, entry_actions = self.ordered(choice.actions, entry_actions)
        if any(e.timer is not None and e.timer.computed for e in entered):
            # A duration is computed behind what the row does, but in front of what it raises.
            first_raise = 0
            while first_raise < len(actions) and not self.raises(
                actions[first_raise : first_raise + 1]
            ):
                first_raise += 1
            entry_actions = (*actions[first_raise:], *entry_actions)
            actions = actions[:first_raise]
        return ir.Row(
            id=f"{machine.name}.{leaf.name}.{event}.{count}",
            number=number,
            state=state.name,
            guard=guard,
            exit_actions=exit_actions,
            cancelled=tuple(e.timer for e in exited if e.timer is not None),
            target=entered[-1].name if entered else None,
            armed=tuple(e.timer for e in entered if e.timer is not None),
            actions=actions,
            entry_actions=entry_actions,
            raises=self.raises((*exit_actions, *actions, *entry_actions)),
            text=choice.text,
            place=choice.node.span.place(),
            rare=choice.rare,
        )

    def _unhandled(
        self,
        machine: Machine,
        leaf: StateNode,
        event: str,
        groups: list[ir.Group],
    ) -> None:
        if self.context.spec.damaged or any(s.damaged for s in leaf.chain()):
            return
        if groups:
            coverage = Coverage(self.context, _rows(groups))
            if coverage.complete:
                return  # what is left is no member: never
            last = next(
                rows
                for state in leaf.chain()
                for rows in reversed(state.rows)
                if rows.event == event
            )
            own = last.node
            if self._gap(coverage, last, leaf, f"'{event}'"):
                return
            self.context.error(
                "HSM0507",
                own.span,
                f"in state {leaf.dotted} nothing says what happens to '{event}' when no guard holds: "
                "an 'else' is missing",
            )
        else:
            self.unhandled.append(leaf)

    def _gap(self, coverage: Coverage, rows: Rows, leaf: StateNode, what: str) -> bool:
        """Reports which members no row is for, where rows are chosen by an enumeration."""
        if coverage.gap:
            self.context.error(
                "HSM0550",
                rows.node.span,
                f"in state {leaf.dotted} no row is for {what} when {coverage.gap}",
            )
        return bool(coverage.gap)

    def _report_unhandled(self, machine: Machine, event: str) -> None:
        """One message for all states: often one line in the state around them is missing."""
        if not self.unhandled:
            return
        declared = next(e for e in machine.node.events if e.name.text == event)
        first, *others = self.unhandled
        names = ", ".join(leaf.dotted for leaf in self.unhandled)
        many = bool(others)
        self.context.error(
            "HSM0506",
            first.node.name.span,
            f"{'states' if many else 'state'} {names} of process {machine.name} "
            f"{'say' if many else 'says'} nothing of event '{event}': "
            "handle it, 'ignore' it, or declare it 'never'",
            [("the event", declared.name.span)]
            + [("also this state", leaf.node.name.span) for leaf in others[:3]],
        )


def _of_event(state: StateNode, event: str, before: bool) -> list[Rows]:
    return [r for r in state.rows if r.event == event and r.node.before == before]


def _rows(groups: Iterable[ir.Group]) -> list[ir.Row]:
    return [row for group in groups for row in group.rows]


def _remembering(machine: Machine, path: TransitionPath) -> tuple[ir.Statement, ...]:
    """Notes, in each state left that some row enters by history, which child was active."""
    result: list[ir.Statement] = []
    for child, state in zip(path.exited, path.exited[1:]):
        if state in machine.history:
            place = machine.history[state]
            index = numbered_children(state).index(child)
            assert isinstance(place.type, ir.IntegerType)
            result.append(
                ir.Assign(
                    place=place.place,
                    target=place,
                    value=number(index, place.type, place.place),
                )
            )
    return tuple(result)


def releases_own(statements: Iterable[ir.Statement]) -> bool:
    """Is the record the process runs for given back in any case? Nothing kept in it matters then."""
    return any(
        isinstance(s, ir.Release) and isinstance(s.reference, ir.InstanceName)
        for s in statements
    )


def add_history(context: Context, machine: Machine) -> None:
    """Declares what history needs to remember."""
    added = AddedState(context, machine)
    for state in history_targets(machine) if added.usable else ():
        if len(remembered_children(machine, state)) == 1:
            continue  # the initial one, whatever happened
        children = numbered_children(state)
        machine.history[state] = added.add(
            f"{state.name}_history",
            smallest(len(children) - 1),
            f"which state inside {state.dotted} was active when it was last left: "
            + ", ".join(f"{n} {c.path[-1]}" for n, c in enumerate(children)),
            state.node.name.span.place(),
            largest=len(children) - 1,
        )


def flatten(
    context: Context, machine: Machine, index: int, flattener: Flattener
) -> Optional[ir.Process]:
    """None for a process without states (reported)."""
    if not machine.roots:
        return None
    node = machine.node
    add_history(context, machine)
    first = 0 if node.instance is None else 1
    initial = list(initial_of(machine.roots).initial_chain())
    deferral = Deferral(context, machine)
    handlers = flattener.handlers(machine, deferral)
    deferral.check()
    singleton = node.instance is None
    return ir.Process(
        name=machine.name,
        doc=node.doc,
        place=node.name.span.place(),
        index=index,
        cold=node.cold,
        pool=node.instance.type.name.text if node.instance else None,
        instance=node.instance.name.text if node.instance else None,
        variables=(
            *(
                context.variables[v.name.text]
                for v in node.variables
                if v.name.text in context.variables
            ),
            *machine.added_fields,
        ),
        events=_events(context, machine, deferral),
        states=tuple(_state(state) for state in machine.states),
        leaves=tuple(
            ir.Leaf(
                name=leaf.name,
                path=leaf.dotted,
                number=number,
                final=leaf.node.final,
                cold=node.cold or any(s.node.cold for s in leaf.chain()),
                place=leaf.node.name.span.place(),
            )
            for number, leaf in enumerate(machine.leaves, start=first)
        ),
        initial=initial[-1].name,
        initial_actions=(
            tuple(s for e in initial for s in e.entry) if singleton else ()
        ),
        initial_timers=(
            tuple(e.timer for e in initial if e.timer is not None) if singleton else ()
        ),
        timers=tuple(machine.timers),
        handlers=handlers,
        locals=tuple(machine.body.locals),
        recall=(
            ir.Recall(event=deferral.event, pending=deferral.pending)
            if isinstance(deferral.pending, ir.VariableName)
            else None
        ),
    )


def _events(
    context: Context, machine: Machine, deferral: Deferral
) -> tuple[ir.Event, ...]:
    signatures = context.events.get(machine.name, {})
    events: list[ir.Event] = []
    for node in machine.node.events:
        name = node.name.text
        queue = deferral.queues.get(name)
        if name in signatures and all(e.name != name for e in events):
            events.append(
                ir.Event(
                    name=name,
                    doc=node.doc,
                    place=node.name.span.place(),
                    process=machine.name,
                    index=len(events),
                    arguments=signatures[name].arguments,
                    external=node.external,
                    creates=node.creates,
                    select=machine.selects.get(name),
                    keeps=machine.queue_sizes.get(name),
                    room=queue.room if queue and node.external else None,
                    waiting=queue.count if queue else None,
                    code=node.code,
                )
            )
    if deferral.queues:
        events.append(
            ir.Event(
                name=deferral.event,
                doc="delivers what waits where it need not wait any longer",
                place=machine.node.name.span.place(),
                process=machine.name,
                index=len(events),
                arguments=(),
                external=False,
                creates=False,
                select=None,
            )
        )
    return tuple(events)


def _state(state: StateNode) -> ir.State:
    return ir.State(
        name=state.name,
        doc=state.node.doc,
        place=state.node.name.span.place(),
        path=state.dotted,
        parent=state.parent.name if state.parent else None,
        children=tuple(child.name for child in state.children),
        initial=state.node.initial,
        final=state.node.final,
        cold=state.node.cold,
        entry=state.entry,
        exit=state.exit,
        timer=state.timer,
    )


def raises_of(
    statements: Iterable[ir.Statement],
    actions: dict[str, tuple[tuple[str, str], ...]],
) -> tuple[tuple[str, str], ...]:
    """(process, event) pairs in order of first occurrence."""
    found: dict[tuple[str, str], None] = {}
    for statement in walk(statements):
        if isinstance(statement, ir.Raise):
            found[(statement.process, statement.event)] = None
        elif isinstance(statement, ir.ActionCall):
            found.update(dict.fromkeys(actions.get(statement.action, ())))
    return tuple(found)
