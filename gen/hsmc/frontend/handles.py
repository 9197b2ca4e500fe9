# SPDX-License-Identifier: MIT
"""Handles, in terms of what there is already: a table of generations, an assignment before each release, two functions.

A handle is a word: the reference in its lower half, in the upper half the generation of the record, which is how often it
has been released, modulo 65536; in the configuration of a check modulo 4, so that models stay finite. 0 is no record's.
Only pools of which handles are kept somewhere, in an argument, a variable or a field, have generations.
"""

from __future__ import annotations

import dataclasses
from typing import Optional

from .. import ir, naming
from .constants import U32
from .context import Context

BOOL = ir.BoolType()
U16 = ir.IntegerType(16)
INDEX = 0xFFFF  # of a handle: the reference
SHIFT = 16  # to the generation
LARGEST = {False: 0xFFFF, True: 3}  # generation; in a check?
FIELD = "released"


def declare(context: Context) -> None:
    """Adds the table of each pool that has handles, once all declarations are known."""
    for name in context.pools:
        if name not in context.handles:
            continue
        pool = context.pools[name]
        taken = {naming.snake(symbol) for symbol in context.symbols}
        table = f"{name}_generation"
        while naming.snake(table) in taken:
            table += "_"
        if not context.generations:
            _declare_limit(context, pool.place)
        context.generations[name] = table
        context.tables[table] = ir.Table(
            name=table,
            doc=f"how often each record of {name} has been released: what a handle remembers",
            place=pool.place,
            count=pool.count,
            fields=(
                ir.Field(
                    name=FIELD,
                    doc="",
                    place=pool.place,
                    type=U16,
                    range=None,
                    hidden=True,
                ),
            ),
            pool=name,
            written_by=pool.written_by,
            cold=pool.cold,
        )


def _limit_name(context: Context) -> str:
    name = "handle_generation_limit"
    while name in context.symbols:
        name += "_"
    return name


def _declare_limit(context: Context, place: ir.Place) -> None:
    """A constant, because the C is the same for all checks."""
    name = _limit_name(context)
    value = LARGEST[context.in_check]
    context.constants[name] = ir.Constant(
        name=name,
        doc="the largest generation of a record, which handles remember",
        place=place,
        value=value,
        expression=_number(value, place),
        external=False,
        overridden=context.in_check,
    )


def before_release(context: Context, release: ir.Release) -> Optional[ir.Statement]:
    """The record's next generation."""
    table = context.generations.get(release.pool)
    if table is None:
        return None
    place = release.place
    generation = _generation(table, release.reference, place)
    following = _binary("+", generation, 1, place)
    limit = context.constants[_limit_name(context)]
    following = ir.Binary(
        type=U32,
        place=place,
        operator="&",
        left=following,
        right=ir.ConstantName(
            type=U32, place=place, name=limit.name, value=limit.value
        ),
    )
    return ir.Assign(
        place=place,
        target=generation,
        value=ir.Narrow(type=U16, place=place, operand=following),
    )


def call(
    context: Context, which: str, pool: str, value: ir.Expression, place: ir.Place
) -> ir.Call:
    """`handle(reference)` or `record(handle)`."""
    made = context.handle_functions.get((which, pool))
    if made is None:
        make = _to_handle if which == "handle" else _to_record
        made = make(context, context.pools[pool], context.generations[pool])
        context.handle_functions[which, pool] = made
    return ir.Call(
        type=made.result, place=place, function=made.name, arguments=(value,)
    )


def _to_handle(context: Context, pool: ir.Pool, table: str) -> ir.Function:
    place = pool.place
    type_ = ir.HandleType(32, pool.name)
    r = ir.ArgumentName(type=pool.reference, place=place, name="r")
    none = ir.NoneReference(type=pool.reference, place=place, value=0)
    is_reference = ir.Binary(type=BOOL, place=place, operator="!=", left=r, right=none)
    generation = _binary("<<", _generation(table, r, place), SHIFT, place)
    index = ir.NumberOf(type=U32, place=place, reference=r)
    return _function(
        context,
        f"{pool.name}_handle",
        ir.Argument(name="r", type=pool.reference),
        ir.Conditional(
            type=type_,
            place=place,
            condition=is_reference,
            then=ir.Binary(
                type=U32, place=place, operator="|", left=generation, right=index
            ),
            otherwise=_number(0, place),
        ),
        "the handle of a record",
    )


def _to_record(context: Context, pool: ir.Pool, table: str) -> ir.Function:
    place = pool.place
    type_ = ir.HandleType(32, pool.name)
    h = ir.ArgumentName(type=type_, place=place, name="h")
    index = _binary("&", h, INDEX, place)
    r = ir.ReferenceOf(type=pool.reference, place=place, number=index)
    inside = ir.Binary(
        type=BOOL,
        place=place,
        operator="<",
        left=ir.Narrow(
            type=U32,
            place=place,
            operand=_binary("-", index, 1, place),
            meant=True,  # 0 - 1 is beyond all records
        ),
        right=pool.count.expression,
    )
    used = ir.InUse(type=BOOL, place=place, pool=pool.name, reference=r)
    same = ir.Binary(
        type=BOOL,
        place=place,
        operator="==",
        left=_generation(table, r, place),
        right=_binary(">>", h, SHIFT, place),
    )
    both = ir.Binary(type=BOOL, place=place, operator="and", left=inside, right=used)
    return _function(
        context,
        f"{pool.name}_record",
        ir.Argument(name="h", type=type_),
        ir.Conditional(
            type=pool.reference,
            place=place,
            condition=ir.Binary(
                type=BOOL, place=place, operator="and", left=both, right=same
            ),
            then=r,
            otherwise=ir.NoneReference(type=pool.reference, place=place, value=0),
        ),
        "the record a handle is of, if it has not been released since",
    )


def _function(
    context: Context,
    wanted: str,
    argument: ir.Argument,
    value: ir.Conditional,
    doc: str,
) -> ir.Function:
    taken = {naming.snake(symbol) for symbol in context.symbols}
    name = wanted
    while naming.snake(name) in taken:
        name += "_"
    assert not isinstance(value.type, (ir.BitsType, ir.ArrayType, ir.PayloadType))
    return ir.Function(
        name=name,
        doc=doc,
        place=value.place,
        arguments=(argument,),
        result=value.type,
        body=(ir.Return(place=value.place, result=value),),
        locals=(),
        reads_state=True,
        text=(),
        code="",
    )


def _generation(
    table: str, reference: ir.Expression, place: ir.Place
) -> ir.RecordField:
    return ir.RecordField(
        type=U16,
        place=place,
        container=table,
        container_kind="table",
        index=dataclasses.replace(reference, place=place),
        index_kind="reference",
        field=FIELD,
    )


def _binary(
    operator: ir.BinaryOperator, left: ir.Expression, right: int, place: ir.Place
) -> ir.Binary:
    return ir.Binary(
        type=U32,
        place=place,
        operator=operator,
        left=left,
        right=_number(right, place),
    )


def _number(value: int, place: ir.Place) -> ir.Number:
    return ir.Number(type=U32, place=place, value=value, text=str(value))
