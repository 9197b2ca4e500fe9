# SPDX-License-Identifier: MIT
"""How the state of a protocol lies in memory: the size and offset of everything in the generated state struct.

Computed from the intermediate form by the rules of C for members of fixed width, which are the same on the NIC and on
any host: a member is aligned to its width, a struct to its widest member. c_records.py orders the members of records;
the order of the struct is the one templates/c/header.h.j2 prints. Tests compare each number with what compilers say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional, Union

from .. import ir, naming
from .c_records import (
    alignment,
    by_alignment,
    record_bytes,
    record_padding,
    state_position,
    storage,
)

# What a member is for: the process' state, one of its variables, the set of a pool's records in use, the records.
Kind = Literal["state", "variable", "used", "pool", "table"]


@dataclass(frozen=True)
class Slot:
    """One member of a struct."""

    name: str  # in the generated C
    offset: int
    bytes: int
    alignment: int


@dataclass(frozen=True)
class Member:
    """One member of the state struct. `owner` is the process, pool or table it belongs to."""

    kind: Kind
    owner: str
    slot: Slot


@dataclass(frozen=True)
class RecordLayout:
    """A record of a pool or table. `padding` bytes at the end make an index an address without multiplying; they
    count in `bytes`."""

    declaration: Union[ir.Pool, ir.Table]
    fields: tuple[Slot, ...]
    bytes: int
    padding: int

    @property
    def count(self) -> int:
        return self.declaration.count.value

    @property
    def total(self) -> int:
        return self.count * self.bytes


@dataclass(frozen=True)
class StateLayout:
    """The whole struct; `holes` are bytes between members and after the last."""

    bytes: int
    holes: int
    members: tuple[Member, ...]
    records: tuple[RecordLayout, ...]

    def owned(self, owner: str, *kinds: Kind) -> int:
        """Bytes of the members of a process, pool or table."""
        return sum(
            m.slot.bytes for m in self.members if m.owner == owner and m.kind in kinds
        )


class _Struct:
    """Members put one after the other."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []
        self.end = 0
        self.alignment = 1

    def add(self, name: str, align: int, size: int) -> Slot:
        slot = Slot(name, -(-self.end // align) * align, size, align)
        self.slots.append(slot)
        self.end = slot.offset + size
        self.alignment = max(self.alignment, align)
        return slot

    @property
    def bytes(self) -> int:
        return -(-self.end // self.alignment) * self.alignment


def record_layout(declaration: Union[ir.Pool, ir.Table]) -> RecordLayout:
    fields = by_alignment(declaration.fields)
    struct = _Struct()
    state: Optional[int] = None
    if isinstance(declaration, ir.Pool) and declaration.process is not None:
        state = state_position(fields)
    for position in range(len(fields) + 1):
        if position == state:
            struct.add("state_", 1, 1)
        if position < len(fields):
            field = fields[position]
            struct.add(
                naming.snake(field.name), alignment(field.type), storage(field.type)
            )
    padding = record_padding(fields, state is not None)
    size = record_bytes(fields, state is not None) + padding
    return RecordLayout(declaration, tuple(struct.slots), size, padding)


def state_layout(protocol: ir.Protocol) -> StateLayout:
    """In the order of the struct: states of processes, variables, used records, records."""
    struct = _Struct()
    members: list[Member] = []

    def add(kind: Kind, owner: str, name: str, align: int, size: int) -> None:
        members.append(Member(kind, owner, struct.add(name, align, size)))

    for process in protocol.processes:
        if process.pool is None:
            add("state", process.name, f"{naming.snake(process.name)}_state_", 1, 1)
    for process in protocol.processes:
        for field in process.variables:
            align, size = alignment(field.type), storage(field.type)
            add("variable", process.name, naming.snake(field.name), align, size)
    for pool in protocol.pools:
        words = -(-pool.count.value // 32)
        add("used", pool.name, f"{naming.snake(pool.name)}_used", 4, 4 * words)
    declarations: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
    records = [record_layout(declaration) for declaration in declarations]
    for record in records:
        align = max([slot.alignment for slot in record.fields] + [1])
        kind: Kind = "pool" if isinstance(record.declaration, ir.Pool) else "table"
        name = record.declaration.name
        add(kind, name, naming.snake(name), align, record.total)
    holes = struct.bytes - sum(member.slot.bytes for member in members)
    return StateLayout(struct.bytes, holes, tuple(members), tuple(records))
