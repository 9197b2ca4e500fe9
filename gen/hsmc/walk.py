# SPDX-License-Identifier: MIT
"""Walks over the intermediate form that more than one back end needs."""

from __future__ import annotations

import dataclasses
from typing import Callable, Iterable, Iterator, Optional, Sequence, Union, cast

from . import ir


Node = Union[ir.Expression, ir.Statement]

# Expressions that read no state themselves; their parts may.
STATELESS = (
    ir.Number,
    ir.NoneReference,
    ir.ConstantName,
    ir.ParameterName,
    ir.MemberName,
    ir.ArgumentName,
    ir.InstanceName,
    ir.PayloadField,
    ir.Element,
    ir.Unary,
    ir.Binary,
    ir.Conditional,
    ir.Has,
    ir.HasAll,
    ir.NumberOf,
    ir.ReferenceOf,
    ir.Minimum,
    ir.Narrow,
    ir.BuildPayload,
)

# Of each class of expression and statement, the attributes others may stand in, the last one first.
_parts: dict[type, tuple[str, ...]] = {}


def world_parts(world: ir.World) -> Iterator[Node]:
    """The expressions and statements of its lines."""
    for item in (
        world.ready,
        world.timers,
        *(parameter.value for parameter in world.parameters),
        *world.wires,
        *world.offers,
        *world.observers,
        world.end,
        *world.always,
        *world.eventually,
    ):
        yield from _world_parts(item)


def _world_parts(item: object) -> Iterator[Node]:
    """The expressions and statements of a line of the world."""
    if isinstance(item, (ir.ExpressionBase, ir.StatementBase)):
        yield cast(Node, item)
    elif isinstance(item, tuple):
        for part in item:
            yield from _world_parts(part)
    elif isinstance(
        item,
        (
            ir.Wire,
            ir.Offer,
            ir.Offered,
            ir.Sent,
            ir.Unchanged,
            ir.Observer,
            ir.End,
            ir.Eventually,
        ),
    ):
        for value in vars(item).values():
            yield from _world_parts(value)
    elif isinstance(item, ir.Block):
        yield from item.statements


def part_at(node: ir.Expression, path: ir.PathDown) -> Optional[ir.Expression]:
    """Of a condition; None where constants have left nothing of that part."""
    for name in path:
        if not isinstance(node, (ir.Binary, ir.Conditional)) or not hasattr(node, name):
            return None
        node = getattr(node, name)
    return node


def first_premise(protocol: ir.Protocol, property_: ir.Property) -> int:
    """The number of a property's first premise, among those of what nodes can see of properties."""
    before = protocol.properties[: protocol.properties.index(property_)]
    return sum(len(each.premises) for each in before)


def nodes(item: object) -> Iterator[Node]:
    """The item and every expression and statement below it, outermost first."""
    return iter(_nodes(item))


def _nodes(item: object) -> Sequence[Node]:
    """Kept with the item where it is one: it never changes, and check after check asks for the same rows."""
    if isinstance(item, (tuple, list)):
        result: list[Node] = []
        for part in item:
            if part:
                result += _nodes(part)
        return result
    if not isinstance(item, (ir.ExpressionBase, ir.StatementBase)):
        return ()
    found: Optional[list[Node]] = item.__dict__.get("_below")
    if found is None:
        found = item.__dict__["_below"] = _walked(item)
    return found


def _walked(item: object) -> list[Node]:
    result: list[Node] = []
    waiting = [item]  # the next one last
    while waiting:
        node = waiting.pop()
        if isinstance(node, (tuple, list)):
            waiting.extend(reversed(node))
        elif isinstance(node, (ir.ExpressionBase, ir.StatementBase)):
            result.append(cast(Node, node))
            waiting.extend(parts_of(node))
    return result


def parts_of(node: Union[ir.ExpressionBase, ir.StatementBase]) -> list[object]:
    """What stands directly in it, the last part first."""
    names = _parts.get(type(node))
    if names is None:
        names = tuple(
            attribute.name
            for attribute in reversed(dataclasses.fields(node))
            if attribute.name not in ("place", "type")
        )
        _parts[type(node)] = names
    values = (getattr(node, name) for name in names)
    kinds = (tuple, ir.ExpressionBase, ir.StatementBase)
    return [value for value in values if isinstance(value, kinds)]


def rebuilt(
    node: ir.Expression, replace: Callable[[ir.Expression], Optional[ir.Expression]]
) -> ir.Expression:
    """The expression with those parts replaced for which `replace` gives another, outermost first."""
    other = replace(node)
    if other is not None:
        return other
    changes: dict[str, object] = {}
    for attribute in dataclasses.fields(node):
        before = getattr(node, attribute.name)
        after = _rebuilt_part(before, replace)
        if after is not before:
            changes[attribute.name] = after
    return dataclasses.replace(node, **changes) if changes else node


def _rebuilt_part(
    part: object, replace: Callable[[ir.Expression], Optional[ir.Expression]]
) -> object:
    if isinstance(part, ir.ExpressionBase):
        return rebuilt(cast(ir.Expression, part), replace)
    if isinstance(part, tuple):
        parts = tuple(_rebuilt_part(each, replace) for each in part)
        return parts if any(a is not b for a, b in zip(parts, part)) else part
    return part


def row_parts(row: ir.Row) -> tuple[object, ...]:
    """Everything a row evaluates or executes."""
    return (row.guard, row.exit_actions, row.actions, row.entry_actions)


def handler_parts(handler: ir.Handler) -> list[object]:
    parts: list[object] = []
    for group in handler.groups:
        parts.append(group.lets)
        for row in group.rows:
            parts.extend(row_parts(row))
    return parts


def uses_argument(parts: Iterable[object], name: str) -> bool:
    return any(
        isinstance(node, ir.ArgumentName) and node.name == name
        for part in parts
        for node in nodes(part)
    )


def compares_argument(parts: Iterable[object], name: str) -> bool:
    """Is the argument compared with something, as a reference that may be none is?"""
    return any(
        isinstance(node, ir.Binary)
        and node.operator in ("==", "!=")
        and any(
            isinstance(side, ir.ArgumentName) and side.name == name
            for side in (node.left, node.right)
        )
        for part in parts
        for node in nodes(part)
    )


def beginning(handler: ir.Handler) -> tuple[object, ...]:
    """What runs first wherever the handler runs at all."""
    if not handler.groups:
        return ()
    group = handler.groups[0]
    row = group.rows[0]
    if row.guard is not None:
        return (*group.lets, row.guard)
    return (*group.lets, *row.exit_actions, *row.actions, *row.entry_actions)


def follows_argument(statements: Iterable[object], name: str) -> bool:
    """Is a record that this argument names read or written, whatever the conditions on the way say?"""

    def seen(item: object) -> bool:
        if isinstance(item, (tuple, list)):
            return any(seen(part) for part in item)
        if isinstance(item, ir.Binary) and item.operator in ("and", "or"):
            return seen(item.left)
        if isinstance(item, (ir.Conditional, ir.If, ir.Repeat)):
            return seen(item.condition)
        if isinstance(item, ir.RecordField) and item.index_kind == "reference":
            if isinstance(item.index, ir.ArgumentName) and item.index.name == name:
                return True
        if isinstance(item, (ir.ExpressionBase, ir.StatementBase)):
            return any(seen(part) for part in parts_of(item))
        return False

    for statement in statements:
        if seen(statement):
            return True
        if any(isinstance(node, ir.Return) for node in nodes(statement)):
            return False
    return False


def writes_argument(statements: Iterable[object], container: str, name: str) -> bool:
    """Is a field of the record that this argument names written, whatever the conditions on the way say?"""
    for statement in statements:
        target: object = None
        if isinstance(statement, ir.Assign):
            target = statement.target
        elif isinstance(statement, ir.SetBit):
            target = statement.bits
        if isinstance(target, ir.Element):
            target = target.base
        if isinstance(target, ir.RecordField) and target.container == container:
            if isinstance(target.index, ir.ArgumentName) and target.index.name == name:
                return True
        if any(isinstance(node, ir.Return) for node in nodes(statement)):
            return False
    return False


def uses_instance(parts: Iterable[object]) -> bool:
    return any(
        isinstance(node, ir.InstanceName) for part in parts for node in nodes(part)
    )


def uses_local(parts: Iterable[object], local: ir.Local) -> bool:
    return any(
        isinstance(node, ir.LocalName) and node.local is local
        for part in parts
        for node in nodes(part)
    )


def assigned_locals(parts: Iterable[object]) -> set[str]:
    """Locals that are given a second value."""
    return {
        node.target.local.unique
        for part in parts
        for node in nodes(part)
        if isinstance(node, ir.Assign) and isinstance(node.target, ir.LocalName)
    }


def turns(loop: Union[ir.Repeat, ir.For]) -> int:
    """At most."""
    return loop.count.value if isinstance(loop, ir.Repeat) else loop.turns


def read_locals(parts: Iterable[object]) -> set[str]:
    """Locals whose value is read, not only set."""
    found: set[str] = set()
    targets: set[int] = set()
    for node in nodes(list(parts)):
        if isinstance(node, ir.Assign):
            targets.add(id(node.target))
        elif isinstance(node, ir.LocalName) and id(node) not in targets:
            found.add(node.local.unique)
    return found
