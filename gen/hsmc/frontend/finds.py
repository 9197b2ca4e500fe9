# SPDX-License-Identifier: MIT
"""`find r in Pool where condition`: the first record in use for which the condition holds, or none.

No back end knows of it: each becomes a generated function, which examines one record after the other. What its
condition names of the body around it, the function gets as arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Union

from .. import ir, naming
from ..walk import rebuilt
from .constants import number_size
from .context import Body, Context
from ..source import Span

Around = Union[ir.LocalName, ir.ArgumentName, ir.InstanceName]


@dataclass
class _Captured:
    """Names of the body around, as the function gets them."""

    own: ir.Local
    taken: set[str]
    arguments: list[ir.Argument] = field(default_factory=list)
    values: list[ir.Expression] = field(default_factory=list)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def replace(self, node: ir.Expression) -> Optional[ir.Expression]:
        if not isinstance(node, (ir.LocalName, ir.ArgumentName, ir.InstanceName)):
            return None
        if isinstance(node, ir.LocalName) and node.local is self.own:
            return None
        name = self._argument(node)
        return ir.ArgumentName(type=node.type, place=node.place, name=name)

    def _argument(self, node: Around) -> str:
        written = node.local.unique if isinstance(node, ir.LocalName) else node.name
        key = (type(node).__name__, written)
        if key not in self.names:
            name, number = written, 2
            while name in self.taken:
                name, number = f"{written}_{number}", number + 1
            self.taken.add(name)
            self.names[key] = name
            assert not isinstance(node.type, (ir.ArrayType, ir.BitsType))
            self.arguments.append(ir.Argument(name=name, type=node.type))
            self.values.append(node)
        return self.names[key]


def unused_name(context: Context, pool: str) -> str:
    taken = {naming.snake(name) for name in (*context.symbols, *context.finds)}
    number = 1
    while naming.snake(f"find_{pool}_{number}") in taken:
        number += 1
    return f"find_{pool}_{number}"


def function_of(
    context: Context,
    body: Body,
    pool: ir.Pool,
    local: ir.Local,
    condition: ir.Expression,
    place: ir.Place,
    whole: Span,
) -> ir.Call:
    """Declares the function and calls it. `body` is the function's own; `place` that of `r in Pool` in the `whole`."""
    captured = _Captured(local, {local.unique})
    inner = rebuilt(condition, captured.replace)
    record = ir.LocalName(type=pool.reference, place=place, local=local)
    bool_ = ir.BoolType()
    used = ir.InUse(type=bool_, place=place, pool=pool.name, reference=record)
    wanted = ir.Binary(type=bool_, place=place, operator="and", left=used, right=inner)
    found = ir.Return(place=place, result=record)
    none = ir.NoneReference(type=pool.reference, place=place, value=0)
    loop = ir.For(
        place=place,
        local=local,
        low=number_size(1, place),
        high=pool.count,
        body=(ir.If(place=place, condition=wanted, then=(found,), otherwise=()),),
    )
    context.bodies[body.name] = body
    context.finds[body.name] = ir.Function(
        name=body.name,
        doc=f"the first record of {pool.name} for which the condition of a 'find' holds",
        place=place,
        arguments=tuple(captured.arguments),
        result=pool.reference,
        body=(loop, ir.Return(place=place, result=none)),
        locals=(local,),
        reads_state=True,
        code="",
        text=(whole.squeezed,),
        hidden=True,
    )
    return ir.Call(
        type=pool.reference,
        place=whole.place(),
        function=body.name,
        arguments=tuple(captured.values),
    )
