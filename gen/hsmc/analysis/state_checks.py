"""States never entered, rows never tried, events nobody raises."""

from __future__ import annotations

from typing import Optional, Sequence

from ..frontend.context import Context
from ..frontend.machines import Machine, StateNode, initial_of
from ..frontend.source import Span


def check_reachability(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        if machine.damaged or not machine.roots or context.spec.damaged:
            continue
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
                            pending.append(list(choice.target.initial_chain())[-1])
                            if choice.node.history:
                                histories.add(choice.target)
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


def check_events(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        for event in machine.node.events:
            name = f"{machine.name}.{event.name.text}"
            if not event.external and ("event", name) not in context.used:
                context.error(
                    "HSM0505",
                    event.name.span,
                    f"nobody raises event '{event.name.text}' of process {machine.name}",
                )
