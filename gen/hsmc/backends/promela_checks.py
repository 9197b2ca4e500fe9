# SPDX-License-Identifier: MIT
"""What the Promela asserts besides `never` and `create`: values in their ranges, and what one node can see of properties.

Indices of arrays SPIN looks at itself. Bits, shifts and references to free records only the generated C looks at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from .. import ir, naming, walk
from .promela_expressions import TOP, choice

if TYPE_CHECKING:
    from .backend_promela import PromelaWriter


def properties_name(writer: PromelaWriter) -> str:
    return f"{writer.names.prefix}_properties"


def properties_inline(writer: PromelaWriter) -> str:
    """Asserts them; of every record in use, where they are about one."""
    lines: list[str] = []
    for each in writer.property_checks.properties:
        assert each.condition is not None
        writer.owner = f"property_{each.name}"
        first = walk.first_premise(writer.protocol, each)
        for position, path in enumerate(each.premises):
            part = walk.part_at(each.condition, path)
            if part is not None:
                writer.premises[id(part)] = first + position
        if each.instance is None:
            before, text = writer.value(each.condition)
            lines += [*before, f"assert({each.name} || {text})"]
            continue
        assert isinstance(each.instance.type, ir.ReferenceType)
        pool = writer.protocol.pool(each.instance.type.pool)
        instance = writer.hidden_variable(
            writer.variable(writer.owner, each.instance.name), pool.reference
        )
        used = writer.state(f"{naming.snake(pool.name)}_used")
        before, text = writer.value(each.condition)
        for position in range(pool.count.value):
            holds = [
                f"{instance} = {position + 1}",
                *before,
                f"assert({each.name} || {text})",
            ]
            lines += choice(f"(({used} >> {position}) & 1) == 1", holds, [])
    return writer.inline(properties_name(writer), "", lines)


def range_assertion(
    target: str, field: Optional[ir.Field], value: ir.Expression
) -> list[str]:
    """What has just been stored lies in the range of its place. Of constants the compiler has seen to it."""
    if field is None or field.range is None or value.value is not None:
        return []
    low, high = field.range.low.value, field.range.high.value
    if high >= TOP:
        return []  # signed here
    return [f"assert(value_in_range || ({target} >= {low} && {target} <= {high}))"]
