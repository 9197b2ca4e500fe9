# SPDX-License-Identifier: MIT
"""States never entered, rows never tried, events never raised."""

from __future__ import annotations

from typing import Optional, Sequence

from ..frontend.context import Context
from ..frontend.machines import Machine, StateNode, initial_of
from ..source import Span


def check_reachability(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        if machine.damaged or not machine.roots or context.spec.damaged:
            continue
        _check_initial_inside(context, machine)
        alive = _alive(machine)
        for state in machine.states:
            if state not in alive and (state.parent is None or state.parent in alive):
                context.error(
                    "HSM0504",
                    state.node.name.span,
                    f"state {state.dotted} of process {machine.name} is never entered",
                )
        for state in machine.states:
            for rows in state.rows:
                for choice in rows.choices:
                    if not choice.reached:
                        context.error(
                            "HSM0508",
                            choice.node.span,
                            "this row is never tried: every state inside handles the event itself",
                            _inside(machine, state, rows.event),
                        )


def _check_initial_inside(context: Context, machine: Machine) -> None:
    """States with states inside of which none is initial, though they may be entered so that it matters."""
    entered: dict[StateNode, Span] = {}

    def enter(state: StateNode, span: Span) -> None:
        for inner in state.initial_chain():
            if not _initial_marked(inner):
                entered.setdefault(inner, span)
                return  # what is inside the first one is a guess

    root = initial_of(machine.roots)
    enter(root, root.node.name.span)
    for state in machine.states:
        for rows in state.rows:
            for choice in rows.choices:
                target = choice.target
                if target is None:
                    continue
                span = choice.node.span
                if not (choice.node.history and target.children):
                    enter(target, span)
                    continue
                for child in target.children:
                    enter(child, span)
                if not _always_inside_before(machine, state, target):
                    enter(target, span)
    for state, span in entered.items():
        context.error(
            "HSM0501",
            state.node.name.span,
            f"state {state.path[-1]} has no initial state",
            [("entered here", span)],
        )


def _always_inside_before(
    machine: Machine, source: StateNode, outer: StateNode
) -> bool:
    """Has `outer` been active, whatever happened before, when a row of `source` is taken?"""
    reached: set[StateNode] = set()
    pending = [list(initial_of(machine.roots).initial_chain())[-1]]
    while pending:
        leaf = pending.pop()
        if leaf not in reached and outer not in leaf.chain():
            reached.add(leaf)
            pending += machine.successors.get(leaf, ())
    return not any(source in leaf.chain() for leaf in reached)


def _inside(
    machine: Machine, outer: StateNode, event: Optional[str]
) -> list[tuple[str, Span]]:
    """Where the states inside answer the event; of a state and those around it the outermost that does."""
    notes: list[tuple[str, Span]] = []
    pending = [s for s in machine.states if s.parent is outer]
    while pending:
        state = pending.pop(0)
        answers = [rows.node.span for rows in state.rows if rows.event == event]
        if event in state.verdicts:
            answers.append(state.verdicts[event].span)
        if answers:
            notes.append((f"state {state.dotted} does it here", answers[-1]))
        else:
            pending = [s for s in machine.states if s.parent is state] + pending
    return notes


def _alive(machine: Machine) -> set[StateNode]:
    """States some chain of transitions leads to, whatever the guards."""
    reached: set[StateNode] = set()
    alive: set[StateNode] = set()
    histories: set[StateNode] = set()
    pending = [list(initial_of(machine.roots).initial_chain())[-1]]
    while pending:
        leaf = pending.pop()
        if leaf not in reached:
            reached.add(leaf)
            alive.update(leaf.chain())
            for state in leaf.chain():
                for rows in state.rows:
                    for choice in rows.choices:
                        if choice.target is not None:
                            if choice.node.history:
                                histories.add(choice.target)
                                if not _initial_marked(choice.target):
                                    continue
                            pending.append(list(choice.target.initial_chain())[-1])
        if not pending:
            # A history brings back children that were active once, each with its initial states.
            again = {
                list(child.initial_chain())[-1]
                for state in histories
                for child in state.children
                if child in alive
            }
            pending += [leaf for leaf in machine.leaves if leaf in again - reached]
    return alive


def _initial_marked(state: StateNode) -> bool:
    """Or needs no mark, having no states inside."""
    return not state.children or any(c.node.initial for c in state.children)


def check_events(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        for event in machine.node.events:
            name = f"{machine.name}.{event.name.text}"
            if not event.external and ("event", name) not in context.used:
                context.error(
                    "HSM0505",
                    event.name.span,
                    f"no row raises event '{event.name.text}' of process {machine.name}",
                )
