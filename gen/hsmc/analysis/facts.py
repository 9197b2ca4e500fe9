# SPDX-License-Identifier: MIT
"""What is known at a point of the spec of its expressions, beyond their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, Mapping, NamedTuple, Optional

from .. import ir
from .intervals import LARGEST, Interval, add, exactly, subtract


class Subject(NamedTuple):
    """Something facts are about: its text, the locals and arguments in it, the fields and variables it reads. The text
    of a sum has a line per term, in order of the alphabet, each with its sign in front.
    """

    text: str
    names: frozenset[str]
    state: frozenset[str]


def named(name: str) -> Subject:
    """A local, or an argument, itself."""
    return Subject(name, frozenset([name]), frozenset())


class Term(NamedTuple):
    sign: int
    subject: Subject
    bits: int  # of its type


@dataclass(frozen=True)
class Sum:
    """Terms and a number, modulo 2^32. Two ways to write the same sum are the same."""

    terms: tuple[Term, ...]
    number: int

    def negative(self) -> "Sum":
        terms = tuple(Term(-t.sign, t.subject, t.bits) for t in self.terms)
        return Sum(terms, -self.number)

    def plus(self, other: "Sum") -> "Sum":
        rest = list(self.terms)
        for term in other.terms:
            opposite = Term(-term.sign, term.subject, term.bits)
            if opposite in rest:
                rest.remove(opposite)
            else:
                rest.append(term)
        return Sum(tuple(sorted(rest)), self.number + other.number)

    @property
    def subject(self) -> Optional[Subject]:
        """Of the terms; None where there are none."""
        if not self.terms:
            return None
        if len(self.terms) == 1 and self.terms[0].sign > 0:
            return self.terms[0].subject
        subjects = [term.subject for term in self.terms]
        return Subject(
            ordered(
                "\n".join(
                    f"{'+' if t.sign > 0 else '-'}{t.subject.text}" for t in self.terms
                )
            ),
            frozenset().union(*(subject.names for subject in subjects)),
            frozenset().union(*(subject.state for subject in subjects)),
        )

    @property
    def modular_bits(self) -> int:
        """Of a difference of two values of the same type: its width. 0 where it is none."""
        added = [term.bits for term in self.terms if term.sign > 0]
        taken = [term.bits for term in self.terms if term.sign < 0]
        if added and taken and max(added) == max(taken):
            return max(added)
        return 0

    def of_terms(self, whole: Interval, terms: Interval) -> Optional[Interval]:
        """What the terms are where the sum is `whole`, when without that they are `terms`; None: nothing is learnt."""
        if self.number == 0:
            return whole
        if self.number < 0:
            found = add(whole, exactly(-self.number % (LARGEST + 1)))
        else:
            low = whole
            if low.low < self.number and terms.high + self.number <= LARGEST:
                if low.high < self.number:
                    return None
                low = Interval(self.number, whole.high, False, whole.high_known)
            found = subtract(low, exactly(self.number % (LARGEST + 1)))
        return terms.meet(found)

    def whole(self, terms: Interval) -> Optional[Interval]:
        """What the sum is; None where it may wrap."""
        low, high = terms.low + self.number, terms.high + self.number
        if low < 0 or high > LARGEST:
            return None
        return terms._replace(low=low, high=high)


def ordered(text: str) -> str:
    return "\n".join(sorted(text.split("\n"))) if "\n" in text else text


@dataclass
class Facts:
    """What is known of subjects. `dead`: control cannot be here."""

    known: dict[Subject, Interval]
    dead: bool = False

    def copy(self) -> "Facts":
        return Facts(dict(self.known), self.dead)

    def forget_name(self, name: str) -> None:
        self.known = {s: i for s, i in self.known.items() if name not in s.names}

    def forget_state(self, written: Iterable[str]) -> None:
        gone = set(written)
        if gone:
            self.known = {s: i for s, i in self.known.items() if not s.state & gone}

    def join(self, other: "Facts") -> "Facts":
        if self.dead or other.dead:
            return other if self.dead else self
        return Facts(
            {
                subject: interval.join(other.known[subject])
                for subject, interval in self.known.items()
                if subject in other.known
            }
        )


def renamed(subject: Subject, names: Mapping[str, ir.Expression]) -> Optional[Subject]:
    """A subject of a function in terms of its caller; None where an argument is no plain name there."""
    text = subject.text
    found: set[str] = set()
    for name, value in names.items():
        outer = name_of(value)
        if outer is None or (outer in names and outer != name):
            return None
        text = in_words(text, name, outer)
        found.add(outer)
    return Subject(ordered(text), frozenset(found), subject.state)


def in_words(text: str, name: str, other: str) -> str:
    return re.sub(rf"(?<![\w.]){name}\b", other, text)


def name_of(value: ir.Expression) -> Optional[str]:
    """Of an argument or a local."""
    if isinstance(value, ir.LocalName):
        return value.local.unique
    if isinstance(value, (ir.ArgumentName, ir.InstanceName)):
        return value.name
    return None
