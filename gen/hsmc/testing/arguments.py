# SPDX-License-Identifier: MIT
"""What a search gives to external events: values worth trying, found from what the node compares and hands out.

Nothing here knows a protocol. An argument is at first all lowest values, then what a device was given or what led
somewhere before; and each number of it becomes what the node compared it with, or is moved by what was lacking.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Iterable, Iterator, Sequence

from .. import ir
from ..admission import carried
from ..interpreter.code_writer import WORD
from ..interpreter.interpreter import EntryPoint, Program, Value
from .probe import Comparison, Step

REMEMBERED = 12  # argument values kept per type
SMALL_RANGE = 8  # so many values are all tried

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """One argument: `key` says with which others it can change places; `bounds` of its numbers."""

    key: str
    payload: bool
    bounds: tuple[tuple[int, int], ...]

    @property
    def lowest(self) -> Numbers:
        return tuple(low for low, _ in self.bounds)


class Shape:
    """The numbers an entry point takes, flat."""

    def __init__(self, program: Program, entry: EntryPoint) -> None:
        self.entry = entry
        self.groups = tuple(_group(program, a) for a in entry.event.arguments)
        self.bounds = [bound for group in self.groups for bound in group.bounds]

    def step(self, reference: int, numbers: Sequence[int]) -> Step:
        values: list[Value] = [reference] if self.entry.takes_reference else []
        position = 0
        for group in self.groups:
            part = tuple(numbers[position : position + len(group.bounds)])
            values.append(part if group.payload else part[0])
            position += len(group.bounds)
        return ("E", self.entry.number, *values)

    def parts(self, step: Step) -> tuple[int, Numbers]:
        """The reference (0 where there is none) and the numbers of a step of this entry."""
        values = step[2:]
        reference = 0
        if self.entry.takes_reference:
            first = values[0]
            assert isinstance(first, int)
            reference, values = first, values[1:]
        numbers: list[int] = []
        for value in values:
            if isinstance(value, tuple):
                numbers += value
            else:
                assert isinstance(value, int)
                numbers.append(value)
        return reference, tuple(numbers)


def _group(program: Program, argument: ir.Argument) -> Group:
    items = list(carried(program.protocol, (argument,)))
    bounds = tuple((item.lowest, item.highest) for item in items)
    if isinstance(argument.type, ir.PayloadType):
        return Group(argument.type.name, True, bounds)
    return Group(f"{argument.name}: {argument.type}", False, bounds)


class Arguments:
    """Remembers what was worth trying, and proposes."""

    def __init__(self, program: Program, chance: random.Random) -> None:
        self.shapes = [Shape(program, entry) for entry in program.entries]
        self.random = chance
        self.memory: dict[str, list[Numbers]] = {}

    def remember(self, shape: Shape, numbers: Numbers) -> None:
        position = 0
        for group in shape.groups:
            width = len(group.bounds)
            self._keep(group.key, numbers[position : position + width])
            position += width

    def _keep(self, key: str, part: Numbers) -> None:
        known = self.memory.setdefault(key, [])
        if part in known:
            known.remove(part)
        known.append(part)
        del known[:-REMEMBERED]

    def seeds(self, shape: Shape, recent: dict[str, list[Numbers]]) -> list[Numbers]:
        """Whole argument lists: the lowest values, what devices were given on the way here, what led somewhere, and a
        mixture of two of these: one may have the right numbers of a frame and the other the right addressee.
        """
        lists = []
        for group in shape.groups:
            known = self.memory.get(group.key, [])
            choice = [group.lowest, *reversed(recent.get(group.key, []))]
            choice += reversed(known[-3:])
            some = self.random.sample(known, min(2, len(known)))
            choice += some
            if len(some) == 2:
                choice.append(tuple(map(self.random.choice, zip(*some))))
            lists.append(choice)
        found: dict[Numbers, None] = {}
        for index in range(max(map(len, lists), default=1)):
            parts = [choice[min(index, len(choice) - 1)] for choice in lists]
            found.setdefault(tuple(n for part in parts for n in part))
        return list(found)

    def variations(
        self,
        shape: Shape,
        numbers: Numbers,
        comparisons: Iterable[Comparison],
        limit: int,
    ) -> list[Numbers]:
        """One number changed: to what it was compared with and its neighbours, by what a comparison lacks, to the ends
        of its range; where it has few values, to any."""
        pairs = {(left, right) for _, _, _, left, right in comparisons if left != right}
        pairs |= {
            (left, right) for _, _, _, left, right in comparisons if left == right != 0
        }
        found: dict[Numbers, None] = {}
        for index, (low, high) in enumerate(shape.bounds):
            for value in _values(numbers[index], low, high, pairs):
                if value != numbers[index] and low <= value <= high:
                    changed = (*numbers[:index], value, *numbers[index + 1 :])
                    found.setdefault(changed)
        result = list(found)
        if len(result) > limit:
            result = self.random.sample(result, limit)
        return result


def _values(
    now: int, low: int, high: int, pairs: Iterable[tuple[int, int]]
) -> Iterator[int]:
    if high - low <= SMALL_RANGE:
        yield from range(low, high + 1)
        return
    yield from (low, high, now + 1, now - 1)
    for left, right in sorted(pairs):
        for side, other in ((left, right), (right, left)):
            if side == now:
                yield from (other, other + 1, other - 1)
            lacking = other - side
            for near in (lacking, lacking + 1, lacking - 1):
                yield now + near & WORD  # as the spec's arithmetic wraps
            yield now & ~other
            yield now | other


def near_values(now: int, low: int, high: int, left: int, right: int) -> Iterator[int]:
    """What a number might have to be, in turn, for a comparison of these two to come out otherwise: first what makes both
    equal if it counts once on either side, then what lies beside that, then the ends of its range.
    """
    if high - low <= SMALL_RANGE:
        yield from range(low, high + 1)
        return
    lacking = (right - left, left - right)
    yield from (now + each & WORD for each in lacking)
    yield from (left, right, now ^ left ^ right)
    yield from (now + each + more & WORD for each in lacking for more in (1, -1))
    yield from (low, high, now + 1, now - 1, now & ~right, now | right)
