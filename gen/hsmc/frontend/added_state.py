# SPDX-License-Identifier: MIT
"""State that the compiler adds to a process: variables of one that exists once, else fields of its records.

Such state is zeroed with everything else and takes part in whatever back ends do with variables and fields; no name of
the spec means it. The expressions built here are those a resolver would have built had it been declared.
"""

from __future__ import annotations

import dataclasses
from typing import Optional

from .. import ir, naming
from .constants import number_size as size
from .context import Context
from .machines import Machine

U32 = ir.IntegerType(32)
BOOL = ir.BoolType()


def number(value: int, type_: ir.ScalarType, place: ir.Place) -> ir.Number:
    return ir.Number(type=type_, place=place, value=value, text=str(value))


def smallest(largest: int) -> ir.IntegerType:
    """The narrowest type that holds the number."""
    return ir.IntegerType(8 if largest < 1 << 8 else 16 if largest < 1 << 16 else 32)


def compare(
    operator: ir.BinaryOperator, left: ir.Expression, value: int, place: ir.Place
) -> ir.Expression:
    assert not isinstance(left.type, (ir.BitsType, ir.ArrayType, ir.PayloadType))
    return ir.Binary(
        type=BOOL,
        place=place,
        operator=operator,
        left=left,
        right=number(value, left.type, place),
    )


def both(
    left: Optional[ir.Expression], right: Optional[ir.Expression]
) -> Optional[ir.Expression]:
    """The conjunction; None stands for what always holds."""
    if left is None or right is None:
        return left if right is None else right
    return ir.Binary(
        type=BOOL, place=left.place, operator="and", left=left, right=right
    )


class AddedState:
    """Adds to one process. Singletons share one struct in C, hence one set of names for all of them."""

    def __init__(self, context: Context, machine: Machine) -> None:
        self.context = context
        self.machine = machine
        instance = machine.node.instance
        self.pool = instance.type.name.text if instance is not None else None

    @property
    def usable(self) -> bool:
        """Is the process' pool known? Otherwise that has been reported."""
        return self.pool is None or self.pool in self.context.pools

    def instance(self, place: ir.Place) -> Optional[ir.InstanceName]:
        """The record the process runs for."""
        if self.pool is None:
            return None
        assert self.machine.node.instance is not None
        return ir.InstanceName(
            type=self.context.pools[self.pool].reference,
            place=place,
            process=self.machine.name,
            name=self.machine.node.instance.name.text,
        )

    def add(
        self,
        name: str,
        type_: ir.Type,
        doc: str,
        place: ir.Place,
        largest: Optional[int] = None,
        once: bool = False,
    ) -> ir.Expression:
        """Declares a place and gives the expression that means it. `largest` sets a range from 0; `once`: there is one
        for the whole process, even when that runs per record."""
        context = self.context
        range_ = None
        if largest is not None:
            range_ = ir.Range(size(0, place), size(largest, place))
        per_record = self.pool is not None and not once
        field = ir.Field(
            name=self._unique(name, per_record),
            doc=doc,
            place=place,
            type=type_,
            range=range_,
            hidden=True,
        )
        if not per_record:
            self.machine.added_fields.append(field)
            context.added_names.add(naming.snake(field.name))
            return ir.VariableName(
                type=type_, place=place, process=self.machine.name, name=field.name
            )
        assert self.pool is not None
        pool = context.pools[self.pool]
        context.pools[self.pool] = dataclasses.replace(
            pool, fields=(*pool.fields, field)
        )
        instance = self.instance(place)
        assert instance is not None
        return ir.RecordField(
            type=type_,
            place=place,
            container=self.pool,
            container_kind="pool",
            index=instance,
            index_kind="reference",
            field=field.name,
        )

    def _unique(self, wanted: str, per_record: bool) -> str:
        """A name whose generated spelling nothing beside it has."""
        context = self.context
        if per_record:
            assert self.pool is not None
            taken = {naming.snake(f.name) for f in context.pools[self.pool].fields}
        else:
            taken = {naming.snake(name) for name in context.symbols}
            taken |= context.added_names
        name = wanted
        if naming.snake(name) in taken and not per_record:
            name = f"{self.machine.name}_{wanted}"
        while naming.snake(name) in taken:
            name += "_"
        return name
