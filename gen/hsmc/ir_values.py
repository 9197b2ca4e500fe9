# SPDX-License-Identifier: MIT
"""Places, types and expressions of the intermediate form; what holds of them all stands in ir.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Optional, TypeAlias, Union, cast

if TYPE_CHECKING:
    from .ir_statements import Local


@dataclass(frozen=True)
class Place:
    """Where something stands in the spec. `file` is relative to the directory of the top spec file."""

    file: str
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


# From a condition down to one of its parts: attributes of Binary and Conditional.
PathDown = tuple[str, ...]


# --- types -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IntegerType:
    """u8, u16 or u32."""

    bits: int

    def __str__(self) -> str:
        return f"u{self.bits}"


@dataclass(frozen=True)
class HandleType(IntegerType):
    """A word that names a record of a pool for as long as it lives, see frontend/handles.py; 32 bits. Whatever stores,
    passes or compares numbers does it with these."""

    pool: str = ""

    def __str__(self) -> str:
        return f"handle[{self.pool}]"


@dataclass(frozen=True)
class BoolType:
    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class EnumerationType:
    name: str
    bits: int  # of the base type

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ReferenceType:
    """Names a record of a pool or nothing: index + 1, 0 for none. `bits` (8 or 16) is the width it is stored in."""

    pool: str
    bits: int

    def __str__(self) -> str:
        return self.pool


@dataclass(frozen=True)
class BitsType:
    """A set of `count.value` bits; may be longer than 32."""

    count: "Size"

    def __str__(self) -> str:
        return f"bits[{self.count}]"


@dataclass(frozen=True)
class ArrayType:
    element: "ScalarType"
    count: "Size"

    def __str__(self) -> str:
        return f"{self.element}[{self.count}]"


@dataclass(frozen=True)
class PayloadType:
    """A payload struct; as an argument it is passed in place, read-only."""

    name: str

    def __str__(self) -> str:
        return self.name


ScalarType = Union[IntegerType, HandleType, BoolType, EnumerationType, ReferenceType]
Type = Union[
    IntegerType,
    HandleType,
    BoolType,
    EnumerationType,
    ReferenceType,
    BitsType,
    ArrayType,
    PayloadType,
]


@dataclass(frozen=True)
class Size:
    """A constant number with the expression it was written as (made of literals, constants and operators)."""

    value: int
    expression: "Expression" = field(compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Range:
    """Inclusive at both ends."""

    low: Size
    high: Size

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


def moved(node: Expression, place: Place) -> Expression:
    """The same expression at another place. As dataclasses.replace, which takes ten times as long."""
    other = cast("Expression", object.__new__(type(node)))
    other.__dict__.update(node.__dict__, place=place)
    other.__dict__.pop("_below", None)  # walk.py
    return other


# --- expressions -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ExpressionBase:
    """What all expressions have. `value` is the number (bool: 0 or 1) when it is known at compile time."""

    type: Type
    place: Place = field(compare=False, repr=False)
    value: Optional[int] = None


@dataclass(frozen=True, kw_only=True)
class Number(ExpressionBase):
    """A number, true or false: `type` tells which, `value` is always set. `text` is as written (0x2000)."""

    text: str


@dataclass(frozen=True, kw_only=True)
class NoneReference(ExpressionBase):
    """`none`; type is the ReferenceType it is compared with or assigned to."""


@dataclass(frozen=True, kw_only=True)
class ConstantName(ExpressionBase):
    name: str


@dataclass(frozen=True, kw_only=True)
class ParameterName(ExpressionBase):
    name: str


@dataclass(frozen=True, kw_only=True)
class MemberName(ExpressionBase):
    """A member of an enumeration."""

    enumeration: str
    name: str


@dataclass(frozen=True, kw_only=True)
class VariableName(ExpressionBase):
    """A variable of a singleton process."""

    process: str
    name: str


@dataclass(frozen=True, kw_only=True)
class LocalName(ExpressionBase):
    local: "Local"


@dataclass(frozen=True, kw_only=True)
class ArgumentName(ExpressionBase):
    """An argument of the enclosing function or action; in a process an argument of the event, always under the
    name the event declaration gives it (rows bind positionally and may use other names).
    """

    name: str


@dataclass(frozen=True, kw_only=True)
class InstanceName(ExpressionBase):
    """The record an instance process runs for: `m` of `process Send(m: SendMessage)`. A reference, never none."""

    process: str
    name: str


@dataclass(frozen=True, kw_only=True)
class PayloadField(ExpressionBase):
    """`f.length`: base is an ArgumentName or LocalName of payload type."""

    base: Expression
    payload: str
    field: str


@dataclass(frozen=True, kw_only=True)
class RecordField(ExpressionBase):
    """A field of a record of a pool or table.

    index_kind "reference": `index` is a reference (record index + 1), used for pools and for tables parallel to a
    pool; `reference.field` and `Pool[reference].field` are the same. "number": a plain element index.
    """

    container: str
    container_kind: Literal["pool", "table"]
    index: Expression
    index_kind: Literal["reference", "number"]
    field: str


@dataclass(frozen=True, kw_only=True)
class Element(ExpressionBase):
    """An element of an array: base is a RecordField or VariableName of array type."""

    base: Expression
    index: Expression


@dataclass(frozen=True, kw_only=True)
class Unary(ExpressionBase):
    operator: Literal["-", "~", "not"]
    operand: Expression


BinaryOperator = Literal[
    "or",
    "and",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "|",
    "^",
    "&",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "%",
]


@dataclass(frozen=True, kw_only=True)
class Binary(ExpressionBase):
    """Of `/` and `%` both sides are constant, or the right one is a power of two; of `*` at least one side is constant."""

    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, kw_only=True)
class Conditional(ExpressionBase):
    """`then if condition else otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, kw_only=True)
class Call(ExpressionBase):
    """Of a function."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Has(ExpressionBase):
    """`has(bits, index)`: is the bit set? `bits` is a RecordField or VariableName of BitsType."""

    bits: Expression
    index: Expression


@dataclass(frozen=True, kw_only=True)
class HasAll(ExpressionBase):
    """`has_all(bits, first, count)`: are `count` bits from `first` on set? True when count is 0. count <= 31."""

    bits: Expression
    first: Expression
    count: Expression


@dataclass(frozen=True, kw_only=True)
class Available(ExpressionBase):
    """Is a record of the pool free?"""

    pool: str


@dataclass(frozen=True, kw_only=True)
class InUse(ExpressionBase):
    """Is the record in use? `reference` is not none."""

    pool: str
    reference: Expression


@dataclass(frozen=True, kw_only=True)
class NumberOf(ExpressionBase):
    """A reference as a number: 0 for none, else index + 1."""

    reference: Expression


@dataclass(frozen=True, kw_only=True)
class ReferenceOf(ExpressionBase):
    """A number, known to lie in 1 .. records of the pool, as a reference."""

    number: Expression


@dataclass(frozen=True, kw_only=True)
class Minimum(ExpressionBase):
    """`min(left, right)` or, with `largest`, `max`."""

    left: Expression
    right: Expression
    largest: bool = False


@dataclass(frozen=True, kw_only=True)
class Narrow(ExpressionBase):
    """Keeps the low bits of `operand` that fit `type`. Where the spec stores a wider value, `type` is an IntegerType
    narrower than the operand's. `meant`: written in the spec, as u8(operand); then of any width.
    """

    operand: Expression
    meant: bool = False


@dataclass(frozen=True, kw_only=True)
class BuildPayload(ExpressionBase):
    """`Frame(kind: ACK, ...)`. `fields` in order of the payload's declaration; those not named are absent and are 0.
    Occurs only as the value of a Let."""

    payload: str
    fields: tuple[tuple[str, Expression], ...]


# --- of worlds only


@dataclass(frozen=True, kw_only=True)
class WorldVariable(ExpressionBase):
    """A variable of the world."""

    name: str


@dataclass(frozen=True, kw_only=True)
class WorldView(ExpressionBase):
    """What a view shows at this moment."""

    name: str


@dataclass(frozen=True, kw_only=True)
class WorldFact(ExpressionBase):
    """node: the node that calls the device; of a frame that arrives, the one that sent it.
    quiet: nothing is on the wire and no host has anything to do.
    timers_stopped, records_released: at no node a timer runs; at no node a record is in use.
    divided: a placement divides the nodes, so an event that another process raises may come late.
    """

    name: Literal["node", "quiet", "timers_stopped", "records_released", "divided"]


# A new kind belongs into this list: mypy then reports each visitor that lacks a case for it.
Expression: TypeAlias = Union[
    Number,
    NoneReference,
    ConstantName,
    ParameterName,
    MemberName,
    VariableName,
    LocalName,
    ArgumentName,
    InstanceName,
    PayloadField,
    RecordField,
    Element,
    Unary,
    Binary,
    Conditional,
    Call,
    Has,
    HasAll,
    Available,
    InUse,
    NumberOf,
    ReferenceOf,
    Minimum,
    Narrow,
    BuildPayload,
    WorldVariable,
    WorldView,
    WorldFact,
]
