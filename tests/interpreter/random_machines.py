# SPDX-License-Identifier: MIT
"""Machines of random states in states, whose rows are local, go back by history, and defer: all that flattening does.

Three of them, so that what one raises may wait in the next: Branch (per record) raises in Tree, Tree in Twig. Every
machine the generator makes is a spec without errors: in each leaf each event has an answer, guarded rows never come to a
`defer` around them, and `home` leads from everywhere to a state that defers nothing.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Optional

DECLARATIONS = """
device passed(place: u16, n: u16)

pool Limb[3] written by Branch
  sum: u16
  leaves: u8
"""
# Name, arguments as declared, as bound in rows, keeps; `home` is never deferred.
EVENTS = (
    ("shake", "(n: u16)", "(n)", 1),
    ("letter", "(l: Letter, n: u16)", "(l, n)", 2),
    ("turn", "(b: bool, n: u16, c: Colour)", "(b, n, c)", 6),
    ("still", "(n: u16)", "(n)", 0),
)


@dataclass
class State:
    name: str
    number: int
    parent: Optional["State"]
    children: list["State"] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{self.parent.path}.{self.name}" if self.parent else self.name

    def below(self) -> list["State"]:
        return [s for child in self.children for s in (child, *child.below())]


class MachineWriter:
    """One process. `raises`: the process whose `poked` internal rows may raise."""

    def __init__(
        self, random_: random.Random, name: str, raises: str, per_record: bool
    ) -> None:
        self.random = random_
        self.name = name
        self.raises = raises
        self.per_record = per_record
        self.count = 0
        self.roots = [self._state(None, 0) for _ in range(3)]
        self.states = [s for root in self.roots for s in (root, *root.below())]
        self.composite = [s for s in self.states if s.children]
        self.events = [(n, k) for n, _, _, k in EVENTS]
        if not per_record:
            self.events.append(("poked", 2))
        self.bound = {n: b for n, _, b, _ in EVENTS} | {"poked": "(n)"}

    def _state(self, parent: Optional[State], depth: int) -> State:
        state = State(f"{self.name[0]}{self.count}", self.count, parent)
        self.count += 1
        if depth < 3 and self.random.random() < (0.8, 0.5, 0.3)[depth]:
            for _ in range(self.random.choice((2, 2, 3))):
                state.children.append(self._state(state, depth + 1))
        return state

    # --- answers

    def _target(self, source: State) -> str:
        inside = source.below()
        if inside and self.random.random() < 0.5:
            composite = [s for s in inside if s.children]
            if composite and self.random.random() < 0.4:
                return f"-> local history {self.random.choice(composite).path}"
            return f"-> local {self.random.choice(inside).path}"
        if self.composite and self.random.random() < 0.4:
            return f"-> history {self.random.choice(self.composite).path}"
        return f"-> {self.random.choice(self.states).path}"

    def _row(self, state: State, event: str) -> str:
        """What follows the guard."""
        if self.random.random() < 0.6:
            action = f"/ passed({state.number + 100}, n) " * self.random.randrange(2)
            return action + self._target(state)
        if self.raises and self.random.random() < 0.5:
            return f"/ raise {self.raises}.poked(n + {state.number})"
        return f"/ passed({state.number + 200}, n)"

    def _guard(self) -> str:
        mask = self.random.choice((1, 3))
        return f"n & {mask} == {self.random.randint(0, mask)}"

    def _whole(self, state: State, event: str, keeps: int) -> str:
        """An answer that leaves nothing open; gives its kind."""
        kind = self.random.choice(("row", "row", "guarded", "ignore", "defer", "defer"))
        if state is self.roots[0] or state in self.roots[0].below() or not keeps:
            kind = kind if kind != "defer" else "row"
        on = f"on {event}{self.bound[event]}"
        if kind == "row":
            state.lines.append(f"{on} {self._row(state, event)}")
        elif kind == "guarded":
            state.lines.append(f"{on} when {self._guard()} {self._row(state, event)}")
            state.lines.append(f"{on} else {self._row(state, event)}")
        else:
            state.lines.append(f"{kind} {event}")
        return kind

    def answer(self, state: State, event: str, keeps: int) -> None:
        """Every leaf inside gets an answer, from itself or from a state around it."""
        if state.children and self.random.random() < 0.5:
            for child in state.children:
                self.answer(child, event, keeps)
            return
        kind = self._whole(state, event, keeps)
        # The first child leaves all to this state, or its rows would never be tried.
        for child in state.children[1:]:
            chance = self.random.random()
            if chance < 0.3:
                self.answer(child, event, keeps)
            elif chance < 0.6 and kind != "defer":
                on = f"on {event}{self.bound[event]} when {self._guard()}"
                child.lines.append(f"{on} {self._row(child, event)}")

    # --- text

    def _text(self, state: State, initial: bool, depth: int) -> list[str]:
        pad = "  " * depth
        lines = [f"{pad}state {state.name}{' initial' if initial else ''}"]
        inner = list(state.lines)
        start = initial and state.parent is None and self.per_record
        if not start:
            inner.insert(0, f"entry / passed({state.number}, 1)")
        inner.insert(1, f"exit / passed({state.number}, 2)")
        if self.random.random() < 0.3 and not start:
            inner.append(f"after {100 + state.number} {self._target(state)}")
        lines += [f"{pad}  {line}" for line in inner]
        for number, child in enumerate(state.children):
            lines += self._text(child, number == 0, depth + 1)
        return lines

    def text(self) -> str:
        for event, keeps in self.events:
            for root in self.roots:
                self.answer(root, event, keeps)
        head = f"process {self.name}{'(k: Limb)' if self.per_record else ''}"
        lines = [head]
        for name, arguments, _, keeps in EVENTS:
            kept = f" keeps {keeps}" if keeps and self._deferred(name) else ""
            lines.append(f"  external event {name}{arguments}{kept}")
        lines.append("  external event home()")
        if self.per_record:
            lines += [
                "  external event grow(n: u16) creates",
                "  external event fall()",
                "  state NEW initial",
                f"    on grow(n) / k.sum := n; k.leaves := k.leaves + 1; passed(k.sum, k.leaves) -> {self.name[0]}0",
                "    never home, fall, shake, letter, turn, still",
            ]
        else:
            kept = " keeps 2" if self._deferred("poked") else ""
            lines.append(f"  event poked(n: u16){kept}")
        for number, root in enumerate(self.roots):
            root.lines.append(f"on home -> {self.roots[0].name}")
            if self.per_record:
                root.lines.append("on fall / release k -> FALLEN")
                root.lines.append("never grow")
            lines += self._text(root, number == 0 and not self.per_record, 1)
        if self.per_record:
            lines.append("  state FALLEN final")
        return "\n".join(lines) + "\n"

    def _deferred(self, event: str) -> bool:
        return any(f"defer {event}" in state.lines for state in self.states)


def machines(random_: random.Random) -> str:
    """Declarations and three processes, for a spec that declares Letter and Colour."""
    parts = [DECLARATIONS]
    parts.append(MachineWriter(random_, "Branch", "Tree", True).text())
    parts.append(MachineWriter(random_, "Tree", "Twig", False).text())
    parts.append(MachineWriter(random_, "Twig", "", False).text())
    return "\n".join(parts)
