# SPDX-License-Identifier: MIT
"""What is known along one path: values as terms, what the state holds, which references are none, which conditions hold.

A term is a value, known by how it came about: the same term is the same value, whatever has been written since it was
read. So what a condition says of a term stays true, and a write only changes which term a place holds. Places that may
be the same (two records that may be one) share what is written to either.
"""

from __future__ import annotations

import itertools
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

from ..frontend.constants import LARGEST
from ..frontend.expressions import FOLD

Term = int
# Is a reference none? None: it may be.
Nothing = Optional[bool]
ARITHMETIC = ("+", "-", "*", "|", "&", "^", "<<", ">>")


class Slot(NamedTuple):
    """A place of the state: the field (or variable) as OWNER.NAME, whose record, which element; 0 where there is none."""

    field: str
    record: Term = 0
    element: Term = 0


class Terms:
    """All terms of an analysis, each with a number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], Term] = {("nothing",): 0}
        self.parts: list[tuple[Any, ...]] = [("nothing",)]
        self.built: dict[Term, dict[str, Term]] = {}  # payloads: their fields
        self._count = 0
        self.none = self.make("none")
        self.true, self.false = self.constant(1), self.constant(0)

    def make(self, *parts: object) -> Term:
        number = self._numbers.get(parts)
        if number is None:
            number = self._numbers[parts] = len(self.parts)
            self.parts.append(parts)
        return number

    def count(self) -> int:
        self._count += 1
        return self._count

    def fresh(self) -> Term:
        """A value nothing is known of."""
        return self.make("fresh", self.count())

    def constant(self, value: int) -> Term:
        return self.make("constant", value)

    def number(self, term: Term) -> Optional[int]:
        parts = self.parts[term]
        return int(parts[1]) if parts[0] == "constant" else None

    def opposite(self, term: Term) -> Term:
        parts = self.parts[term]
        number = self.number(term)
        if number is not None:
            return self.constant(int(not number))
        return int(parts[1]) if parts[0] == "not" else self.make("not", term)

    def binary(self, operator: str, left: Term, right: Term) -> Term:
        """Comparisons become == and <, and what is not."""
        if operator == "!=":
            return self.opposite(self.binary("==", left, right))
        if operator == ">":
            return self.binary("<", right, left)
        if operator == "<=":
            return self.opposite(self.binary("<", right, left))
        if operator == ">=":
            return self.opposite(self.binary("<", left, right))
        a, b = self.number(left), self.number(right)
        if a is not None and b is not None:
            if operator in ("==", "<") or operator in ARITHMETIC:
                if operator not in ("<<", ">>") or b < 32:
                    return self.constant(int(FOLD[operator](a, b)) & LARGEST)
        if operator == "==" and left > right:
            left, right = right, left
        return self.make(operator, left, right)


def joined(one: Nothing, other: Nothing) -> Nothing:
    return one if one == other else None


class Path:
    """One execution path to a statement."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.nothing: dict[Term, bool] = {}  # references known to be none, or not
        self.facts: dict[Term, bool] = {}  # conditions known to hold, or not
        self.numbers: dict[Term, int] = {}
        self.memory: dict[Slot, Term] = {}
        self.versions: dict[str, int] = {}  # of fields: another one after each write
        self.epoch = 0  # another one after each event raised
        self.names: dict[str, Term] = {}  # arguments and locals
        self.callers: tuple[dict[str, Term], ...] = ()  # names of those that called
        self.ended = False
        self.dead = False  # no path leads here
        self.result: Optional[Term] = None  # of a function
        self.left: Optional[dict[Slot, Nothing]] = None  # the state at the first raise
        self.own_released = False  # the own record has been released
        # What was known before a release of a record that may be the own one, which otherwise lives on as it was.
        self.alive: dict[Slot, Nothing] = {}
        # Of is_none, with how much was known then. What is known only grows, so as long as it is as much it is the same.
        self.answers: dict[Term, tuple[tuple[int, int, int], Nothing]] = {}

    def fork(self) -> "Path":
        other = Path.__new__(Path)
        other.__dict__.update(self.__dict__)
        other.nothing = dict(self.nothing)
        other.facts = dict(self.facts)
        other.numbers = dict(self.numbers)
        other.memory = dict(self.memory)
        other.versions = dict(self.versions)
        other.names = dict(self.names)
        other.alive = dict(self.alive)
        other.answers = {}
        return other

    # --- values

    def is_none(self, term: Term) -> Nothing:
        known = self.nothing.get(term)
        if known is not None:
            return known
        parts = self.terms.parts[term]
        if parts[0] == "none":
            return True
        if parts[0] in ("own", "created"):
            return False
        if parts[0] != "if":
            return None
        known_now = len(self.facts), len(self.nothing), len(self.numbers)
        answer = self.answers.get(term)
        if answer is None or answer[0] != known_now:
            self.answers[term] = answer = known_now, self._either_is_none(*parts[1:])
        return answer[1]

    def _either_is_none(self, condition: Term, then: Term, otherwise: Term) -> Nothing:
        truth = self.truth(condition)
        if truth is not None:
            return self.is_none(then if truth else otherwise)
        outcomes: list[Nothing] = []
        for holds, part in ((True, then), (False, otherwise)):
            inside = self.fork()
            inside.assume(condition, holds)
            if not inside.dead:
                outcomes.append(inside.is_none(part))
        return joined(outcomes[0], outcomes[-1]) if outcomes else None

    def number(self, term: Term) -> Optional[int]:
        found = self.terms.number(term)
        return found if found is not None else self.numbers.get(term)

    def truth(self, term: Term) -> Optional[bool]:
        known = self.facts.get(term)
        if known is not None:
            return known
        parts = self.terms.parts[term]
        kind = parts[0]
        if kind == "constant":
            return bool(parts[1])
        if kind == "not":
            inner = self.truth(parts[1])
            return None if inner is None else not inner
        if kind in ("and", "or"):
            left = self.truth(parts[1])
            right = self.truth(parts[2])
            if (kind == "or") in (left, right):
                return kind == "or"
            return None if None in (left, right) else kind == "and"
        if kind in ("==", "<"):
            return self._compare(*parts)
        if kind == "if":
            condition = self.truth(parts[1])
            if condition is not None:
                return self.truth(parts[2] if condition else parts[3])
        return None

    def _compare(self, operator: str, left: Term, right: Term) -> Optional[bool]:
        if left == right:
            return operator == "=="
        a, b = self.number(left), self.number(right)
        if a is not None and b is not None:
            return a == b if operator == "==" else a < b
        if operator == "==":
            one, other = self.is_none(left), self.is_none(right)
            if one is not None and other is not None and (one or other):
                return one and other
        return None

    # --- conditions

    def assume(self, term: Term, holds: bool) -> None:
        if self.dead:
            return
        known = self.truth(term)
        if known is not None and known != holds:
            self.dead = True
            return
        parts = self.terms.parts[term]
        kind = parts[0]
        if kind == "not":
            self.assume(parts[1], not holds)
            return
        self.facts[term] = holds
        if kind in ("and", "or"):
            left, right = parts[1], parts[2]
            if (kind == "and") == holds:
                self.assume(left, holds)
                self.assume(right, holds)
            else:
                one, other = self.fork(), self.fork()
                one.assume(left, holds)
                other.assume(left, not holds)
                other.assume(right, holds)
                self._assume_common((one, other))
        elif kind == "==" and holds:
            self._equal(parts[1], parts[2])
        elif kind == "==":
            for side, opposite in ((parts[1], parts[2]), (parts[2], parts[1])):
                if self.is_none(side) is True:
                    self.set_none(opposite, False)
        elif kind == "if":
            paths = []
            for outcome, part in ((True, parts[2]), (False, parts[3])):
                inside = self.fork()
                inside.assume(parts[1], outcome)
                inside.assume(part, holds)
                paths.append(inside)
            self._assume_common(paths)

    def _equal(self, left: Term, right: Term) -> None:
        for one, other in ((left, right), (right, left)):
            number = self.number(one)
            if number is not None:
                self.numbers.setdefault(other, number)
            nothing = self.is_none(one)
            if nothing is not None:
                self.set_none(other, nothing)

    def set_none(self, term: Term, nothing: bool) -> None:
        known = self.is_none(term)
        if known is not None:
            self.dead = self.dead or known != nothing
            return
        self.nothing[term] = nothing
        parts = self.terms.parts[term]
        if parts[0] == "if":
            paths = []
            for outcome, part in ((True, parts[2]), (False, parts[3])):
                inside = self.fork()
                inside.assume(parts[1], outcome)
                inside.set_none(part, nothing)
                paths.append(inside)
            self._assume_common(paths)

    def _assume_common(self, forks: Sequence["Path"]) -> None:
        """What all possible forks of this path have in common."""
        possible = [fork for fork in forks if not fork.dead]
        if not possible:
            self.dead = True
            return
        self._assume_common_terms(possible)

    def _assume_common_terms(self, paths: Sequence["Path"]) -> None:
        """`paths`: forks of this one, or any if nothing is known here. So what is known here comes first in each of them."""
        first, *others = paths
        for name in ("nothing", "facts", "numbers"):
            own = getattr(self, name)
            learnt = list(
                itertools.islice(getattr(first, name).items(), len(own), None)
            )
            for other in others:
                if not learnt:
                    break
                known = getattr(other, name)
                learnt = [pair for pair in learnt if known.get(pair[0]) == pair[1]]
            own.update(learnt)

    # --- the state

    def read(self, slot: Slot) -> Term:
        held = self.memory.get(slot)
        if held is None:
            version = self.versions.get(slot.field, 0)
            held = self.terms.make("read", *slot, version, self.epoch)
            self.memory[slot] = held
        return held

    def write(self, slot: Slot, value: Term, reference: bool) -> None:
        """What may be the same place may hold the value now."""
        nothing = self.is_none(value) if reference else None
        for other in [s for s in self.memory if s.field == slot.field]:
            if other == slot or self.certainly_distinct(other, slot):
                continue
            self._forget_value(other, nothing, reference)
            if other in self.alive:
                self.alive[other] = joined(self.alive[other], nothing)
        self.versions[slot.field] = self.terms.count()
        self.memory[slot] = value
        self.alive.pop(slot, None)

    def _forget_value(self, slot: Slot, nothing: Nothing, reference: bool) -> None:
        if not reference:
            del self.memory[slot]
            return
        before = joined(self.is_none(self.memory[slot]), nothing)
        self.memory[slot] = self.unknown(before)

    def unknown(self, nothing: Nothing) -> Term:
        """A reference of which only this is known."""
        term = self.terms.fresh()
        if nothing is not None:
            self.nothing[term] = nothing
        return term

    def zero(self, field: str, record: Term, reference: bool, release: bool) -> None:
        """Of one record. `release`: should it be the own one, there is no more state to be in."""
        self.versions[field] = self.terms.count()
        zero = self.terms.none if reference else self.terms.false
        self.memory[Slot(field, record)] = zero
        for slot in [s for s in self.memory if s.field == field]:
            if slot.record == record:
                self.memory[slot] = zero
            elif not self._differ(slot.record, record):
                own = self.terms.parts[slot.record][0] == "own"
                if own and release and reference:
                    self.alive.setdefault(slot, self.is_none(self.memory[slot]))
                elif slot in self.alive:
                    self.alive[slot] = joined(self.alive[slot], True)
                self._forget_value(slot, True, reference)

    def create(self, fields: Iterable[tuple[str, bool]]) -> Term:
        """A new record: all zero, and no other one."""
        record = self.terms.make("created", self.terms.count())
        for field, reference in fields:
            zero = self.terms.none if reference else self.terms.false
            self.memory[Slot(field, record)] = zero
        return record

    def certainly_distinct(self, one: Slot, other: Slot) -> bool:
        """Are they certainly two places?"""
        return self._differ(one.record, other.record) or self._differ(
            one.element, other.element
        )

    def _differ(self, one: Term, other: Term) -> bool:
        if one == other:
            return False
        return self.truth(self.terms.binary("==", one, other)) is False

    def state_of(self, slot: Slot) -> Nothing:
        """What is known of a reference of the own record, or of the process."""
        if slot in self.alive:
            return self.alive[slot]
        held = self.memory.get(slot)
        return None if held is None else self.is_none(held)

    def forget_state(self) -> None:
        """Others have been at it."""
        self.memory.clear()
        self.epoch = self.terms.count()

    def available(self, pool: str) -> Term:
        """Has the pool a free record?"""
        version = self.versions.get(f"{pool} used", 0)
        return self.terms.make("available", pool, version, self.epoch)

    def used_changes(self, pool: str, available: bool) -> None:
        """A record has been created or released; `available`: so there is a free one."""
        self.versions[f"{pool} used"] = self.terms.count()
        if available:
            self.facts[self.available(pool)] = True

    # --- several paths

    def same_state(self, other: "Path") -> bool:
        return (
            self.names == other.names
            and self.memory == other.memory
            and self.versions == other.versions
            and self.epoch == other.epoch
            and self.ended == other.ended
            and self.result == other.result
            and self.left == other.left
            and self.own_released == other.own_released
            and self.alive == other.alive
        )

    @staticmethod
    def merge(paths: Sequence["Path"]) -> "Path":
        """One path for all of them: what they have in common."""
        first = paths[0]
        if len(paths) == 1:
            return first
        result = Path(first.terms)
        result.callers, result.ended = first.callers, first.ended
        result.own_released = all(path.own_released for path in paths)
        result._assume_common_terms(paths)
        for name in first.names:
            found = {path.names.get(name, 0) for path in paths}
            if 0 not in found:
                result.names[name] = result._one_of(found, name, paths, "names")
        for slot in first.memory:
            found = {path.memory.get(slot, 0) for path in paths}
            if 0 not in found:
                result.memory[slot] = result._one_of(found, slot, paths, "memory")
        for slot in {slot for path in paths for slot in path.alive}:
            states = {path.state_of(slot) for path in paths}
            result.alive[slot] = states.pop() if len(states) == 1 else None
        fields = {field for path in paths for field in path.versions}
        for field in fields:
            versions = {path.versions.get(field, 0) for path in paths}
            same = len(versions) == 1
            result.versions[field] = versions.pop() if same else first.terms.count()
        epochs = {path.epoch for path in paths}
        result.epoch = first.epoch if len(epochs) == 1 else first.terms.count()
        result.left = merged_states(path.left for path in paths)
        if first.result is not None:
            results = {path.result or 0 for path in paths}
            result.result = first.terms.fresh()
            if len(results) == 1:
                result.result = first.result
        return result

    def _one_of(
        self,
        found: set[Term],
        key: Union[str, Slot],
        paths: Sequence["Path"],
        attribute: str,
    ) -> Term:
        if len(found) == 1:
            return next(iter(found))
        outcomes = {path.is_none(getattr(path, attribute)[key]) for path in paths}
        return self.unknown(outcomes.pop() if len(outcomes) == 1 else None)


def merged_states(
    states: Iterable[Optional[dict[Slot, Nothing]]],
) -> Optional[dict[Slot, Nothing]]:
    """Of those that are known."""
    result: Optional[dict[Slot, Nothing]] = None
    for state in states:
        if state is not None:
            if result is None:
                result = dict(state)
            else:
                result = {
                    slot: joined(nothing, state[slot])
                    for slot, nothing in result.items()
                }
    return result
