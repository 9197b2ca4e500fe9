# SPDX-License-Identifier: MIT
"""Which states a row leaves and enters: external, local and history transitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .machines import Choice, Machine, StateNode, initial_of


@dataclass(frozen=True)
class TransitionPath:
    """One path that a row with a target may take: states left (innermost first) and entered (outermost first). Of a history
    target that is entered from outside there is one for each child that may be remembered; it is taken when
    `remembered` was the last to be active, or, when that is None, if no path before it was.
    """

    exited: tuple[StateNode, ...]
    entered: tuple[StateNode, ...]
    remembered: Optional[StateNode] = None


def transition_paths(
    machine: Machine, leaf: StateNode, source: StateNode, choice: Choice
) -> tuple[TransitionPath, ...]:
    """The paths that a row with a target, written in `source`, may take while `leaf` is active."""
    target = choice.target
    assert target is not None
    domain = _domain(source, choice)
    exited = _exited(leaf, domain)
    entered: list[StateNode] = []
    for state in target.chain():
        if state is domain:
            break
        entered.insert(0, state)
    if not choice.node.history or not target.children:
        return (TransitionPath(exited, (*entered, *list(target.initial_chain())[1:])),)
    if target in exited:
        child = exited[exited.index(target) - 1]
        return (TransitionPath(exited, (*entered, *child.initial_chain())),)
    *others, initial = reversed(remembered_children(machine, target))
    return tuple(
        TransitionPath(
            exited,
            (*entered, *child.initial_chain()),
            child if child is not initial else None,
        )
        for child in (*reversed(others), initial)
    )


def numbered_children(state: StateNode) -> list[StateNode]:
    """In the order in which history counts them: the initial one is 0, so that zeroed state means "never inside"."""
    initial = initial_of(state.children)
    return [initial, *(child for child in state.children if child is not initial)]


def remembered_children(machine: Machine, outer: StateNode) -> list[StateNode]:
    """Those that may be active when the state is left, and the initial one, which is first, if one is marked."""
    found = {child for child in outer.children if child.node.initial}
    for leaf in machine.leaves:
        if outer not in leaf.chain() or leaf is outer:
            continue
        chain = list(leaf.chain())
        child = chain[chain.index(outer) - 1]
        for source in chain:
            for rows in source.rows:
                if leaf.node.final and rows.event is not None:
                    continue
                for choice in rows.choices:
                    if choice.target is not None:
                        if outer in _exited(leaf, _domain(source, choice)):
                            found.add(child)
    found = found or {initial_of(outer.children)}
    return [child for child in numbered_children(outer) if child in found]


def history_targets(machine: Machine) -> list[StateNode]:
    """States some row enters by history, in declaration order."""
    targets = {
        choice.target
        for state in machine.states
        for rows in state.rows
        for choice in rows.choices
        if choice.target is not None and choice.node.history
    }
    return [state for state in machine.states if state in targets and state.children]


def _domain(source: StateNode, choice: Choice) -> Optional[StateNode]:
    """The innermost state that stays: it properly contains source and target; of a local row it is the source."""
    assert choice.target is not None
    around_source = list(source.chain())
    around_target = list(choice.target.chain())[1:]
    if not choice.node.local:
        del around_source[0]
    return next((s for s in around_source if s in around_target), None)


def _exited(leaf: StateNode, domain: Optional[StateNode]) -> tuple[StateNode, ...]:
    exited: list[StateNode] = []
    for state in leaf.chain():
        if state is domain:
            break
        exited.append(state)
    return tuple(exited)
