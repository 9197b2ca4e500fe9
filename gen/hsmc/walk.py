"""Walks over the intermediate form that more than one back end needs."""

from __future__ import annotations

import dataclasses
from typing import Callable, Iterable, Iterator, Optional, Union

from . import ir


# Of each class of expression and statement, the attributes others may stand in, the last one first.
_parts: dict[type, tuple[str, ...]] = {}


def nodes(item: object) -> Iterator[object]:
    """The item and every expression and statement below it, outermost first."""
    waiting = [item]  # the next one last
    while waiting:
        node = waiting.pop()
        if isinstance(node, (tuple, list)):
            waiting.extend(reversed(node))
        elif isinstance(node, (ir.Expression, ir.Statement)):
            yield node
            names = _parts.get(type(node))
            if names is None:
                names = tuple(
                    attribute.name
                    for attribute in reversed(dataclasses.fields(node))
                    if attribute.name not in ("place", "type")
                )
                _parts[type(node)] = names
            for name in names:
                value = getattr(node, name)
                if isinstance(value, (tuple, ir.Expression, ir.Statement)):
                    waiting.append(value)


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
    if isinstance(part, ir.Expression):
        return rebuilt(part, replace)
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
