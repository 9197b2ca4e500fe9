# SPDX-License-Identifier: MIT
"""Statements of the intermediate form; what holds of them all stands in ir.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Optional

from .ir_values import Expression, Place, Size, Type


@dataclass(frozen=True, eq=False)
class Local:
    """A local name of a function, an action or a process (rows, entry and exit actions)."""

    name: str  # as written
    unique: str  # unique within the owner; equal to `name` wherever possible
    type: Type
    place: Place


@dataclass(frozen=True, kw_only=True)
class Statement:
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Let(Statement):
    local: Local
    value: Expression


@dataclass(frozen=True, kw_only=True)
class Create(Statement):
    """`let r: Pool = create Pool`: allocates the lowest free record (the spec guarantees there is one: a model
    asserts it), puts its process into `initial`."""

    local: Local
    pool: str
    process: str
    initial: str  # Leaf.name


@dataclass(frozen=True, kw_only=True)
class Assign(Statement):
    """target: LocalName, VariableName, RecordField or Element."""

    target: Expression
    value: Expression


@dataclass(frozen=True, kw_only=True)
class If(Statement):
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class Repeat(Statement):
    """At most `count` times, as long as `condition` (checked before each turn) holds."""

    count: Size
    condition: Optional[Expression]
    body: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class For(Statement):
    """`body` for each value of `local` from `low` to `high`, both included; nothing else sets the local. A local of
    reference type takes the references themselves: 1 to the number of records."""

    local: Local
    low: Size
    high: Size
    body: tuple[Statement, ...]

    @property
    def turns(self) -> int:
        return self.high.value - self.low.value + 1


@dataclass(frozen=True, kw_only=True)
class Return(Statement):
    """In a function with a value, in an action without. May occur anywhere."""

    result: Optional[Expression]


@dataclass(frozen=True, kw_only=True)
class ActionCall(Statement):
    action: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class DeviceCall(Statement):
    device: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Raise(Statement):
    """A tail call of another process' event. `instance` is the reference for an instance process, else None."""

    process: str
    event: str
    instance: Optional[Expression]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Release(Statement):
    """Gives the record back: zeroed (with the records of tables parallel to the pool left alone), state none."""

    pool: str
    reference: Expression


@dataclass(frozen=True, kw_only=True)
class Clear(Statement):
    """Zeroes one record of a table."""

    table: str
    index: Expression
    index_kind: Literal["reference", "number"]


@dataclass(frozen=True, kw_only=True)
class Count(Statement):
    counter: str


@dataclass(frozen=True, kw_only=True)
class SetBit(Statement):
    """`set(bits, index)`, or `unset` when `present` is false. Base as in Has."""

    bits: Expression
    index: Expression
    present: bool


LOOPS = (Repeat, For)
