# SPDX-License-Identifier: MIT
"""What external events may carry. A number outside is refused before any row sees it: back ends print that test, and
whatever makes up events chooses from what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Optional

from . import ir

Run = tuple[ir.Size, ir.Size]  # from the first to the last, both allowed


@dataclass(frozen=True)
class Carried:
    """A number that comes with an event: an argument, or a field of the payload it is. `allowed`: runs in ascending
    order with numbers between them that are not; none where every number of the type is.
    """

    argument: ir.Argument
    field: Optional[ir.Field]
    type: ir.ScalarType
    allowed: tuple[Run, ...]

    @property
    def path(self) -> str:
        return self.argument.name + (f".{self.field.name}" if self.field else "")

    @property
    def range(self) -> Optional[ir.Range]:
        return self.field.range if self.field else self.argument.range

    @property
    def below(self) -> Optional[ir.Size]:
        """What is less is refused; None where nothing is."""
        low = self.allowed[0][0] if self.allowed else None
        return low if low is not None and low.value > 0 else None

    @property
    def above(self) -> Optional[ir.Size]:
        """What is more is refused; None where nothing is."""
        high = self.allowed[-1][1] if self.allowed else None
        return high if high is not None and high.value < largest(self.type) else None

    @property
    def gaps(self) -> Iterator[Run]:
        """What is more than the first and less than the second is refused."""
        for (_, before), (after, _) in zip(self.allowed, self.allowed[1:]):
            yield before, after

    @property
    def numbers(self) -> list[int]:
        """Of few: all that are allowed."""
        return [
            number
            for low, high in self.allowed
            for number in range(low.value, high.value + 1)
        ]

    @property
    def lowest(self) -> int:
        return self.allowed[0][0].value if self.allowed else 0

    @property
    def highest(self) -> int:
        return self.allowed[-1][1].value if self.allowed else largest(self.type)

    @property
    def expected(self) -> str:
        return str(self.range or self.type)

    def wrong(self, number: int) -> str:
        """Of a number that is not allowed: what it is and why."""
        if (
            self.range is None
            or self.range.low.value <= number <= self.range.high.value
        ):
            return f"{number}, no member of {self.type}"
        return f"{number}, its range is {self.range}"

    def allows(self, number: int) -> bool:
        return not self.allowed or any(
            low.value <= number <= high.value for low, high in self.allowed
        )


def largest(kind: ir.ScalarType) -> int:
    """That its place in memory can hold."""
    return 1 if isinstance(kind, ir.BoolType) else int((1 << kind.bits) - 1)


def carried(
    protocol: ir.Protocol, arguments: Iterable[ir.Argument]
) -> Iterator[Carried]:
    """All numbers of these arguments, in order."""
    for argument in arguments:
        if isinstance(argument.type, ir.PayloadType):
            for field in protocol.payload(argument.type.name).fields:
                assert not isinstance(
                    field.type, (ir.BitsType, ir.ArrayType, ir.PayloadType)
                )
                allowed = runs(protocol, field.type, field.range)
                yield Carried(argument, field, field.type, allowed)
        else:
            allowed = runs(protocol, argument.type, argument.range)
            yield Carried(argument, None, argument.type, allowed)


def runs(
    protocol: ir.Protocol, kind: ir.ScalarType, limits: Optional[ir.Range]
) -> tuple[Run, ...]:
    """By declared range, members of an enumeration, records of a pool."""
    if isinstance(kind, ir.ReferenceType):
        pool = protocol.pool(kind.pool)
        none = ir.Number(type=kind, place=pool.place, value=0, text="0")
        return ((ir.Size(0, none), pool.count),)
    if isinstance(kind, ir.EnumerationType):
        return member_runs(protocol.enumeration(kind.name), limits)
    return ((limits.low, limits.high),) if limits is not None else ()


def member_runs(
    enumeration: ir.Enumeration, limits: Optional[ir.Range] = None
) -> tuple[Run, ...]:
    """Members whose values follow each other, within a range."""
    kind = ir.EnumerationType(enumeration.name, enumeration.bits)
    found: list[Run] = []
    for member in sorted(enumeration.members, key=lambda each: each.value):
        if limits and not limits.low.value <= member.value <= limits.high.value:
            continue
        name = ir.MemberName(
            type=kind,
            place=member.place,
            value=member.value,
            enumeration=enumeration.name,
            name=member.name,
        )
        size = ir.Size(member.value, name)
        if found and found[-1][1].value + 1 == member.value:
            found[-1] = (found[-1][0], size)
        else:
            found.append((size, size))
    return tuple(found)
