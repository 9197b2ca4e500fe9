# SPDX-License-Identifier: MIT
"""How records lie in generated C: order of members, sizes, padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Sequence, Union

from .. import ir, naming
from ..c_names import CNames
from ..placement import is_named


def width(kind: ir.Type) -> int:
    """Bytes of a scalar."""
    return 1 if isinstance(kind, ir.BoolType) else kind.bits // 8  # type: ignore[union-attr]


def zero(kind: ir.Type) -> str:
    return "false" if isinstance(kind, ir.BoolType) else "0"


def alignment(kind: ir.Type) -> int:
    if isinstance(kind, ir.BitsType):
        return 4
    return width(kind.element if isinstance(kind, ir.ArrayType) else kind)


def storage(kind: ir.Type) -> int:
    """Bytes of a field."""
    if isinstance(kind, ir.BitsType):
        return (kind.count.value + 31) // 32 * 4
    if isinstance(kind, ir.ArrayType):
        return width(kind.element) * kind.count.value
    return width(kind)


def by_alignment(fields: Sequence[ir.Field]) -> list[ir.Field]:
    """The widest first, so that no hole is left; bit sets and arrays last, so that small offsets reach the rest."""
    return sorted(
        fields,
        key=lambda f: (
            isinstance(f.type, (ir.BitsType, ir.ArrayType)) and storage(f.type) > 8,
            -alignment(f.type),
        ),
    )


def record_bytes(fields: Sequence[ir.Field], with_state: bool) -> int:
    """The size a C compiler gives the record."""
    offset = 0
    largest = 1
    members = [(alignment(f.type), storage(f.type)) for f in fields]
    if with_state:
        members.insert(state_position(fields), (1, 1))
    for align, size in members:
        offset = -(-offset // align) * align + size
        largest = max(largest, align)
    return -(-offset // largest) * largest


def record_padding(fields: Sequence[ir.Field], with_state: bool) -> int:
    """Bytes added to a record so that its size takes two shifted terms at most."""
    size = record_bytes(fields, with_state)
    step = max([alignment(f.type) for f in fields] + [1])
    padded = size
    while naming.sum_terms(padded) > 2:
        padded += step
    return padded - size


def state_position(fields: Sequence[ir.Field]) -> int:
    """Where the state of the process stands among the sorted fields: with the other bytes, before the big arrays."""
    for position, field in enumerate(fields):
        if (
            isinstance(field.type, (ir.BitsType, ir.ArrayType))
            and storage(field.type) > 8
        ):
            return position
    return len(fields)


@dataclass(frozen=True)
class Record:
    """A record type as the templates print it."""

    declaration: Union[ir.Pool, ir.Table]
    members: tuple[tuple[str, str], ...]  # (declaration, documentation)
    fields: tuple[ir.Field, ...]
    padding: int  # bytes added so that an index becomes an address by adding two shifted terms


class MemberWriter(Protocol):
    """What a record needs of the writer."""

    names: CNames
    shared: Sequence[str]  # Container.field, or a whole container

    def member(self, field: ir.Field) -> str:
        ...


def record_of(writer: MemberWriter, declaration: Union[ir.Pool, ir.Table]) -> Record:
    fields = by_alignment(declaration.fields)
    with_state = isinstance(declaration, ir.Pool) and declaration.process is not None
    members = []
    for field in fields:
        # Each use is one access, and no value is kept in a register from one event to the next.
        word = is_named(f"{declaration.name}.{field.name}", writer.shared)
        text = writer.member(field)
        members.append((f"volatile {text}" if word else text, field.doc))
    if with_state:
        process = writer.names.lower(str(declaration.process), "state")  # type: ignore[union-attr]
        members.insert(state_position(fields), ("uint8_t state_;", f"enum {process}"))
    padding = record_padding(fields, with_state)
    return Record(declaration, tuple(members), tuple(fields), padding)
