# SPDX-License-Identifier: MIT
"""Statements of the intermediate form; what holds of them all stands in ir.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Optional, TypeAlias, Union

from .ir_values import Expression, PathDown, Place, Size, Type
from .ir_values import WorldFact, WorldVariable, WorldView


@dataclass(frozen=True, eq=False)
class Local:
    """A local name of a function, an action or a process (rows, entry and exit actions)."""

    name: str  # as written
    unique: str  # unique within the owner; equal to `name` wherever possible
    type: Type
    place: Place


@dataclass(frozen=True, kw_only=True)
class StatementBase:
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Let(StatementBase):
    local: Local
    value: Expression


@dataclass(frozen=True, kw_only=True)
class Create(StatementBase):
    """`let r: Pool = create Pool`: allocates the lowest free record (the spec guarantees there is one: a model
    asserts it), puts its process into `initial`."""

    local: Local
    pool: str
    process: str
    initial: str  # Leaf.name


@dataclass(frozen=True, kw_only=True)
class Assign(StatementBase):
    """target: LocalName, VariableName, RecordField or Element."""

    target: Expression
    value: Expression


@dataclass(frozen=True, kw_only=True)
class If(StatementBase):
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class Repeat(StatementBase):
    """At most `count` times, as long as `condition` (checked before each turn) holds."""

    count: Size
    condition: Optional[Expression]
    body: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class For(StatementBase):
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
class Return(StatementBase):
    """In a function with a value, in an action without. May occur anywhere."""

    result: Optional[Expression]


@dataclass(frozen=True, kw_only=True)
class ActionCall(StatementBase):
    action: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class DeviceCall(StatementBase):
    device: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Raise(StatementBase):
    """A tail call of another process' event. `instance` is the reference for an instance process, else None."""

    process: str
    event: str
    instance: Optional[Expression]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Release(StatementBase):
    """Gives the record back: zeroed (with the records of tables parallel to the pool left alone), state none."""

    pool: str
    reference: Expression


@dataclass(frozen=True, kw_only=True)
class Clear(StatementBase):
    """Zeroes one record of a table."""

    table: str
    index: Expression
    index_kind: Literal["reference", "number"]


@dataclass(frozen=True, kw_only=True)
class Count(StatementBase):
    counter: str


@dataclass(frozen=True, kw_only=True)
class SetBit(StatementBase):
    """`set(bits, index)`, or `unset` when `present` is false. Base as in Has."""

    bits: Expression
    index: Expression
    present: bool


@dataclass(frozen=True, kw_only=True)
class ClearVariable(StatementBase):
    """A variable of the world is 0 again, every element of it."""

    variable: WorldVariable


@dataclass(frozen=True, kw_only=True)
class Assert(StatementBase):
    """In worlds only. `text` is the condition as written; `premises` lead to what it says where its premises hold."""

    property: str
    condition: Expression
    text: str
    premises: tuple[PathDown, ...]


# A new kind belongs into this list: mypy then reports each visitor that lacks a case for it.
Statement: TypeAlias = Union[
    Let,
    Create,
    Assign,
    If,
    Repeat,
    For,
    Return,
    ActionCall,
    DeviceCall,
    Raise,
    Release,
    Clear,
    Count,
    SetBit,
    ClearVariable,
    Assert,
]

LOOPS = (Repeat, For)
WORLD_ONLY = (WorldVariable, WorldView, WorldFact, ClearVariable, Assert)
