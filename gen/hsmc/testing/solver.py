# SPDX-License-Identifier: MIT
"""Looks for arguments with which an event takes a certain row, by what the comparisons on the way there measure.

A guard is a chain of comparisons. The one that stands in the way is turned round while those before it stay as they
are: by a number it was compared with; by solving which bits of the arguments change which bits of the difference,
which is exact for what is linear over bits (check sums, CRCs, shifts, masks) and converges from the lowest bit on for
sums; and where that upsets a comparison before it, by mending that one with the other arguments. Nothing is known of
functions: they are run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Optional, Sequence

from ..interpreter.code_writer import WORD
from .arguments import Numbers, near_values
from .probe import Comparison

FLIPS = 12  # comparisons turned round on the way to one row
ROUNDS = 6  # of solving for bits, each from where the last one came to
REPAIRS = (
    8,
    4,
)  # changes that upset a comparison before that are mended; and, when mending upsets another, of those

Column = tuple[int, int, int]  # number, bit of it, what it changes in a difference
Place = tuple[int, int, bool]  # of a comparison, with its outcome


@dataclass(frozen=True)
class Attempt:
    """What an event with some arguments decided, in order, and which rows it took."""

    numbers: Numbers
    comparisons: tuple[Comparison, ...]
    rows: tuple[int, ...]

    def same_comparisons(self, other: "Attempt", count: int) -> bool:
        """Are the first comparisons those of the other, with the same outcomes?"""
        mine, theirs = self.comparisons[:count], other.comparisons[:count]
        return len(mine) == count and all(
            a[:3] == b[:3] for a, b in zip(mine, theirs, strict=True)
        )

    def flips(self, other: "Attempt", index: int) -> bool:
        """Is it the comparison at the index that comes out otherwise, and none before it?"""
        if len(self.comparisons) <= index or not self.same_comparisons(other, index):
            return False
        mine, theirs = self.comparisons[index], other.comparisons[index]
        return mine[:2] == theirs[:2] and mine[2] != theirs[2]

    def first_difference(self, other: "Attempt", count: int) -> Optional[int]:
        """The first of so many comparisons that comes out otherwise than in the other attempt."""
        for index in range(min(count, len(self.comparisons))):
            if self.comparisons[index][:2] != other.comparisons[index][:2]:
                return None
            if self.comparisons[index][2] != other.comparisons[index][2]:
                return index
        return None


Wanted = Callable[[Attempt], bool]


class OutOfBudget(Exception):
    pass


class Solver:
    """`run` lets the event happen with these numbers and takes it back: the comparisons and the rows taken."""

    def __init__(
        self,
        bounds: Sequence[tuple[int, int]],
        run: Callable[[Numbers], tuple[Sequence[Comparison], Sequence[int]]],
        budget: int,
    ) -> None:
        self.bounds = bounds
        self._run = run
        self.budget = budget

    def attempt(self, numbers: Numbers) -> Attempt:
        if self.budget == 0:
            raise OutOfBudget()
        self.budget -= 1
        comparisons, rows = self._run(numbers)
        return Attempt(numbers, tuple(comparisons), tuple(rows))

    def reach(self, numbers: Numbers, goal: int) -> Optional[Numbers]:
        """Arguments, from these, with which the row is taken."""
        try:
            return self._reach(self.attempt(numbers), goal)
        except OutOfBudget:
            return None

    def _reach(self, now: Attempt, goal: int) -> Optional[Numbers]:
        flipped: set[Place] = set()
        for _ in range(FLIPS):
            if goal in now.rows:
                return now.numbers
            following = self._next(now, goal, flipped)
            if following is None:
                return None
            now = following
        return now.numbers if goal in now.rows else None

    def _next(self, now: Attempt, goal: int, flipped: set[Place]) -> Optional[Attempt]:
        """With one comparison turned round that may stand in the way: of the goal's own guard the last one, else of the
        guard of the row taken instead, else whatever was decided before."""
        for index in _candidates(now, goal):
            place = now.comparisons[index][:3]
            if place in flipped:
                continue
            flipped.add(place)
            found = self._flip(now, index)
            if found is not None:
                return found
        return None

    # --- one comparison

    def _flip(
        self,
        now: Attempt,
        index: int,
        fixed: frozenset[int] = frozenset(),
        wanted: Optional[Wanted] = None,
        depth: int = 0,
    ) -> Optional[Attempt]:
        """`fixed`: numbers that must stay. `wanted`: of a comparison that is mended, what all this is for."""

        def done(there: Attempt) -> bool:
            return there.flips(now, index) and (wanted is None or wanted(there))

        _, _, _, left, right = now.comparisons[index]
        changed_earlier: list[tuple[int, int, Attempt, int]] = []
        moved = False  # by anything
        for rank, position, value in self._near(now, left, right, fixed):
            there = self.attempt(_with(now.numbers, position, value))
            if done(there):
                return there
            moved = (
                moved or there.comparisons[: index + 1] != now.comparisons[: index + 1]
            )
            before = there.first_difference(now, index)
            if before is not None:
                changed_earlier.append((rank, position, there, before))
        # Those that had the best reason first, of whatever number.
        changed_earlier.sort(key=lambda u: u[:2])
        for _, position, there, before in changed_earlier[
            : sum(REPAIRS[depth : depth + 1])
        ]:
            mended = self._flip(there, before, fixed | {position}, done, depth + 1)
            if mended is not None:
                return mended
        return self._solve(now, index, fixed, done) if left != right and moved else None

    def _near(
        self, now: Attempt, left: int, right: int, fixed: frozenset[int]
    ) -> Iterator[tuple[int, int, int]]:
        """How good a reason there is (0 is best), the number changed, and what it might be."""
        for position, (low, high) in enumerate(self.bounds):
            if position in fixed:
                continue
            known = now.numbers[position]
            values = dict.fromkeys(near_values(known, low, high, left, right))
            for rank, value in enumerate(values):
                if value != known and low <= value <= high:
                    yield rank, position, value

    def _solve(
        self, start: Attempt, index: int, fixed: frozenset[int], done: Wanted
    ) -> Optional[Attempt]:
        """Makes both sides of the comparison equal, bit by bit: by one number where one is enough."""
        now = start
        for _ in range(ROUNDS):
            difference = _difference(now, index)
            columns: list[Column] = []
            for position, (low, high) in enumerate(self.bounds):
                for bit in range(high.bit_length()):
                    value = now.numbers[position] ^ (1 << bit)
                    if position in fixed or not low <= value <= high:
                        continue
                    there = self.attempt(_with(now.numbers, position, value))
                    if done(there):
                        return there
                    if there.same_comparisons(start, index + 1):
                        changed = _difference(there, index) ^ difference
                        if changed:
                            columns.append((position, bit, changed))
            following: Optional[Attempt] = None
            for chosen in _by_number(columns):
                numbers = list(now.numbers)
                for position, bit in combination(chosen, difference):
                    numbers[position] ^= 1 << bit
                if tuple(numbers) != now.numbers and self._within(numbers):
                    there = self.attempt(tuple(numbers))
                    if done(there):
                        return there
                    if there.same_comparisons(start, index + 1):
                        following = there
            if following is None:
                return None
            now = following
        return None

    def _within(self, numbers: Sequence[int]) -> bool:
        return all(l <= n <= h for n, (l, h) in zip(numbers, self.bounds, strict=True))


def _candidates(now: Attempt, goal: int) -> list[int]:
    """Indices of comparisons, the likeliest first. A mark that a guard is evaluated (its sides are 0) decides nothing."""
    conditions = [i for i, c in enumerate(now.comparisons) if c[1] != 0]
    taken = now.rows[0] if now.rows else None
    own = [i for i in conditions if now.comparisons[i][0] == goal]
    instead = [i for i in conditions if now.comparisons[i][0] == taken]
    order = [*reversed(own), *reversed(instead), *reversed(conditions)]
    return list(dict.fromkeys(order))


def _difference(attempt: Attempt, index: int) -> int:
    _, _, _, left, right = attempt.comparisons[index]
    return (left ^ right) & WORD


def _with(numbers: Numbers, position: int, value: int) -> Numbers:
    return (*numbers[:position], value, *numbers[position + 1 :])


def _by_number(columns: Sequence[Column]) -> list[Sequence[Column]]:
    """Those of each number by itself, and then all."""
    numbers = dict.fromkeys(position for position, _, _ in columns)
    if len(numbers) < 2:
        return [columns] if columns else []
    return [*([c for c in columns if c[0] == n] for n in numbers), columns]


def combination(columns: Sequence[Column], wanted: int) -> list[tuple[int, int]]:
    """Which of the (number, bit) together change what is wanted, by elimination over bits; where that is impossible, all
    but the highest bits of it.

    >>> combination([(0, 0, 0b011), (0, 1, 0b110), (1, 0, 0b100)], 0b101)
    [(0, 0), (0, 1)]
    >>> combination([(0, 0, 0b001)], 0b101)
    [(0, 0)]
    """
    # By lowest bit: a word with that lowest bit, and the columns it is made of.
    basis: dict[int, tuple[int, int]] = {}
    for number, (_, _, word) in enumerate(columns):
        made_of = 1 << number
        while word:
            lowest = word & -word
            if lowest not in basis:
                basis[lowest] = (word, made_of)
                break
            other, others = basis[lowest]
            word, made_of = word ^ other, made_of ^ others
    chosen = 0
    while wanted:
        lowest = wanted & -wanted
        if lowest in basis:
            word, made_of = basis[lowest]
            wanted, chosen = wanted ^ word, chosen ^ made_of
        else:
            wanted ^= lowest
    return [
        (position, bit)
        for number, (position, bit, _) in enumerate(columns)
        if chosen >> number & 1
    ]
