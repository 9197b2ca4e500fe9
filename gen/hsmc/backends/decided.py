# SPDX-License-Identifier: MIT
"""What the constants of a check decide: a protocol without the branches, rows and states that they rule out.

A model of a large configuration must fit into SPIN's steps, so that it leaves out what cannot happen in it. Only
conditions of constants are decided here. Declared ranges decide nothing: a model asserts them.
"""

from __future__ import annotations

import dataclasses
from typing import Optional, Sequence, TypeVar, cast

from .. import ir, walk

Part = TypeVar("Part")


def decided(protocol: ir.Protocol) -> ir.Protocol:
    """The protocol with what its constants rule out left out. Declarations, numbers of rows and all that a world may
    name stay: handlers are missing only of states that no remaining row enters."""
    return _Decisions(protocol).protocol()


class _Decisions:
    def __init__(self, protocol: ir.Protocol) -> None:
        self._protocol = protocol
        self._functions = {f.name: f for f in protocol.functions}
        self._results: dict[str, Optional[int]] = {}  # of functions: None where open

    def protocol(self) -> ir.Protocol:
        protocol = self._protocol
        return dataclasses.replace(
            protocol,
            functions=tuple(self._with_body(f) for f in protocol.functions),
            actions=tuple(self._with_body(a) for a in protocol.actions),
            processes=tuple(self._process(p) for p in protocol.processes),
        )

    def _with_body(self, owner: Part) -> Part:
        assert isinstance(owner, (ir.Function, ir.Action))
        return cast(Part, dataclasses.replace(owner, body=self._statements(owner.body)))

    # --- processes ---

    def _process(self, process: ir.Process) -> ir.Process:
        handlers = tuple(self._handler(handler) for handler in process.handlers)
        entered = _entered(process.initial, handlers)
        return dataclasses.replace(
            process,
            handlers=tuple(h for h in handlers if h.leaf in entered),
            initial_actions=self._statements(process.initial_actions),
        )

    def _handler(self, handler: ir.Handler) -> ir.Handler:
        groups: list[ir.Group] = []
        for group in handler.groups:
            rows = self._rows(group.rows)
            lets = cast(tuple[ir.Let, ...], self._statements(group.lets))
            if rows:
                groups.append(ir.Group(lets=lets, rows=rows))
            if rows and rows[-1].guard is None:
                return dataclasses.replace(
                    handler, groups=tuple(groups), otherwise="handled"
                )
        return dataclasses.replace(handler, groups=tuple(groups))

    def _rows(self, rows: Sequence[ir.Row]) -> tuple[ir.Row, ...]:
        """Those that may be taken, up to the first that always is."""
        result: list[ir.Row] = []
        for row in rows:
            guard = self._expression(row.guard) if row.guard is not None else None
            if guard is not None and guard.value == 0:
                continue
            if guard is not None and guard.value is not None:
                guard = None
            changed = dataclasses.replace(
                row,
                guard=guard,
                exit_actions=self._statements(row.exit_actions),
                actions=self._statements(row.actions),
                entry_actions=self._statements(row.entry_actions),
            )
            result.append(changed)
            if guard is None:
                break
        return tuple(result)

    # --- statements ---

    def _statements(
        self, statements: Sequence[ir.Statement]
    ) -> tuple[ir.Statement, ...]:
        result: list[ir.Statement] = []
        for statement in statements:
            result += self._statement(statement)
            if result and isinstance(result[-1], ir.Return):
                break
        return tuple(result)

    def _statement(self, statement: ir.Statement) -> tuple[ir.Statement, ...]:
        """What is left of it."""
        changes: dict[str, object] = {}
        for attribute in dataclasses.fields(statement):
            before = getattr(statement, attribute.name)
            after = self._part(before)
            if after is not before:
                changes[attribute.name] = after
        changed = dataclasses.replace(statement, **changes) if changes else statement
        if isinstance(changed, ir.If):
            if changed.condition.value is not None:
                return changed.then if changed.condition.value else changed.otherwise
            if not changed.then and not changed.otherwise:
                return ()
        if isinstance(changed, ir.LOOPS) and not changed.body:
            return ()
        if isinstance(changed, ir.Repeat) and changed.condition is not None:
            if changed.condition.value == 0:
                return ()
        return (changed,)

    def _part(self, part: object) -> object:
        if isinstance(part, ir.ExpressionBase):
            return self._expression(cast(ir.Expression, part))
        if isinstance(part, tuple) and part:
            if isinstance(part[0], ir.StatementBase):
                return self._statements(part)
            return tuple(self._part(each) for each in part)
        return part

    # --- expressions ---

    def _expression(self, node: ir.Expression) -> ir.Expression:
        return walk.rebuilt(node, self._replaced)

    def _replaced(self, node: ir.Expression) -> Optional[ir.Expression]:
        """None: its parts are replaced."""
        if isinstance(node.type, ir.BoolType) and node.value is not None:
            return _truth(node, node.value)
        if isinstance(node, ir.Binary) and node.operator in ("and", "or"):
            return self._joined(node)
        if isinstance(node, ir.Unary) and node.operator == "not":
            operand = self._expression(node.operand)
            if operand.value is not None:
                return _truth(node, 1 - operand.value)
            return dataclasses.replace(node, operand=operand)
        if isinstance(node, ir.Conditional):
            condition = self._expression(node.condition)
            if condition.value is not None:
                chosen = node.then if condition.value else node.otherwise
                return self._expression(chosen)
            return dataclasses.replace(
                node,
                condition=condition,
                then=self._expression(node.then),
                otherwise=self._expression(node.otherwise),
            )
        if isinstance(node, ir.Call) and isinstance(node.type, ir.BoolType):
            result = self._result(node.function)
            return _truth(node, result) if result is not None else None
        return None

    def _joined(self, node: ir.Binary) -> ir.Expression:
        """Expressions have no effects, so either side may decide."""
        left, right = self._expression(node.left), self._expression(node.right)
        decisive = int(node.operator == "or")
        if decisive in (left.value, right.value):
            return _truth(node, decisive)
        if left.value is not None:
            return right
        if right.value is not None:
            return left
        return dataclasses.replace(node, left=left, right=right)

    def _result(self, name: str) -> Optional[int]:
        """Of a function that gives the same truth whatever its arguments are."""
        if name not in self._results:
            body = self._statements(self._functions[name].body)
            first = body[0] if body else None
            self._results[name] = (
                first.result.value
                if isinstance(first, ir.Return) and first.result is not None
                else None
            )
        return self._results[name]


def _truth(node: ir.Expression, value: int) -> ir.Number:
    text = "true" if value else "false"
    return ir.Number(type=ir.BoolType(), place=node.place, value=value, text=text)


def _entered(initial: str, handlers: Sequence[ir.Handler]) -> set[str]:
    """The leaf states that the rows lead to from the first one."""
    leads: dict[str, set[str]] = {}
    for handler in handlers:
        targets = {row.target for row in handler.rows if row.target is not None}
        leads.setdefault(handler.leaf, set()).update(targets)
    found: set[str] = set()
    waiting = {initial}
    while waiting:
        leaf = waiting.pop()
        found.add(leaf)
        waiting |= leads.get(leaf, set()) - found
    return found
