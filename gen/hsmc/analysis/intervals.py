# SPDX-License-Identifier: MIT
"""Intervals of unsigned 32-bit numbers, each end with a mark: is it known to be reachable, or only what the type allows?

A u8 without a declared range lies in 0..255, but 255 is no number of the spec. A declared range, a constant, a
mask or a guard says something.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, Optional

from ..frontend.constants import LARGEST


class Below(IntEnum):
    """Of a difference: MODULAR, of two values of one type narrower than 32 bits, where a comparison with a bound it must
    not reach is right all the same. That of two values of 32 bits is NO, being meant modulo 2^32.
    """

    NO = 0
    MODULAR = 1
    YES = 2


class Interval(NamedTuple):
    """Inclusive at both ends. `low_known`, `high_known`: the end follows from what the spec says. `outside`: it came
    with an event, and nothing in the spec has bounded it. `below`: a difference in it may be below zero, and so near
    2^32.
    """

    low: int
    high: int
    low_known: bool = True
    high_known: bool = True
    outside: bool = False
    below: Below = Below.NO

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"

    def join(self, other: "Interval") -> "Interval":
        """Of values that lie in one or the other."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Interval(
            low,
            high,
            self.low == low and self.low_known or other.low == low and other.low_known,
            self.high == high
            and self.high_known
            or other.high == high
            and other.high_known,
            self.outside or other.outside,
            max(self.below, other.below),
        )

    def inside(self, low: int, high: int) -> bool:
        return low <= self.low and self.high <= high

    def meet(self, other: "Interval") -> Optional["Interval"]:
        """Of values that lie in both; None where there are none."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            return None
        return Interval(
            low,
            high,
            self.low == low and self.low_known or other.low == low and other.low_known,
            self.high == high
            and self.high_known
            or other.high == high
            and other.high_known,
            self.outside and other.outside,
            min(self.below, other.below),
        )


ANY = Interval(0, LARGEST, False, False)
BOOL = Interval(0, 1, False, False)


def exactly(value: int) -> Interval:
    return Interval(value, value)


def of_bits(bits: int) -> Interval:
    """A number of which only the width is known."""
    return Interval(0, (1 << bits) - 1, False, False)


def _in_words(low: int, high: int, low_known: bool, high_known: bool) -> Interval:
    """Modulo 2^32: nothing is known of what may wrap."""
    if low > LARGEST or high < 0:
        turn = LARGEST + 1
        low, high = low % turn, high % turn
        return Interval(low, high, low_known, high_known) if low <= high else ANY
    if low < 0 or high > LARGEST:
        return ANY
    return Interval(low, high, low_known, high_known)


def add(a: Interval, b: Interval) -> Interval:
    return _in_words(
        a.low + b.low,
        a.high + b.high,
        a.low_known and b.low_known,
        a.high_known and b.high_known,
    )


def subtract(a: Interval, b: Interval) -> Interval:
    return _in_words(
        a.low - b.high,
        a.high - b.low,
        a.low_known and b.high_known,
        a.high_known and b.low_known,
    )


def multiply(a: Interval, b: Interval) -> Interval:
    if a.high * b.high > LARGEST:
        return ANY
    return Interval(
        a.low * b.low,
        a.high * b.high,
        a.low_known and b.low_known,
        a.high_known and b.high_known,
    )


def bit_and(a: Interval, b: Interval) -> Interval:
    if a.low == a.high and b.low == b.high:
        return exactly(a.low & b.low)
    narrow = a if a.high <= b.high else b
    return Interval(0, narrow.high, True, narrow.high_known)


def bit_or(a: Interval, b: Interval) -> Interval:
    """Of | and, with 0 as its lower end, of ^."""
    bits = max(a.high.bit_length(), b.high.bit_length())
    return Interval(
        max(a.low, b.low), (1 << bits) - 1, False, a.high_known and b.high_known
    )


def bit_xor(a: Interval, b: Interval) -> Interval:
    wide = bit_or(a, b)
    return Interval(0, wide.high, False, wide.high_known)


def shift_left(a: Interval, b: Interval) -> Interval:
    if b.high > 31 or a.high << b.high > LARGEST:
        return ANY
    return Interval(
        a.low << b.low,
        a.high << b.high,
        a.low_known and b.low_known,
        a.high_known and b.high_known,
    )


def shift_right(a: Interval, b: Interval) -> Interval:
    return Interval(
        a.low >> min(b.high, 32),
        a.high >> min(b.low, 32),
        a.low_known and b.high_known,
        a.high_known and b.low_known,
    )


def divide(a: Interval, b: Interval) -> Interval:
    """By a constant."""
    return Interval(a.low // b.low, a.high // b.low, a.low_known, a.high_known)


def remainder(a: Interval, b: Interval) -> Interval:
    """By a constant."""
    if a.high < b.low:
        return a
    return Interval(0, b.low - 1)


def smaller(a: Interval, b: Interval) -> Interval:
    low, high = min(a.low, b.low), min(a.high, b.high)
    return Interval(
        low,
        high,
        any(i.low == low and i.low_known for i in (a, b)),
        any(i.high == high and i.high_known for i in (a, b)),
    )


def larger(a: Interval, b: Interval) -> Interval:
    low, high = max(a.low, b.low), max(a.high, b.high)
    return Interval(
        low,
        high,
        any(i.low == low and i.low_known for i in (a, b)),
        any(i.high == high and i.high_known for i in (a, b)),
    )


def compare(operator: str, a: Interval, b: Interval) -> Optional[bool]:
    """The outcome where it is the same for all values."""
    if operator in (">", ">="):
        return compare("<" if operator == ">" else "<=", b, a)
    if operator == "<":
        return True if a.high < b.low else False if a.low >= b.high else None
    if operator == "<=":
        return True if a.high <= b.low else False if a.low > b.high else None
    if a.high < b.low or b.high < a.low:
        return operator == "!="
    if a.low == a.high == b.low == b.high:
        return operator == "=="
    return None


def bounded_by(operator: str, value: Interval, other: Interval) -> Optional[Interval]:
    """`value` where `value operator other` holds; None where it cannot."""
    if operator == "==":
        return value.meet(other)
    if operator == "!=":
        if other.low != other.high:
            return value
        low = value.low + (value.low == other.low)
        high = value.high - (value.high == other.low)
        if low > high:
            return None
        return value._replace(low=low, high=high)
    if operator in ("<", "<="):
        limit = other.high - (operator == "<")
        if limit < value.low:
            return None
        if limit >= value.high:
            return value
        outside = value.outside and other.outside
        return Interval(value.low, limit, value.low_known, other.high_known, outside)
    limit = other.low + (operator == ">")
    if limit > value.high:
        return None
    if limit <= value.low:
        return value
    return value._replace(low=limit, low_known=other.low_known)
