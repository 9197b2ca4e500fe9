# SPDX-License-Identifier: MIT
"""Statements of the spec as Promela text: lists of lines, each a statement without its separator."""

from __future__ import annotations

from typing import Callable, Sequence, assert_never

from .. import ir, naming, walk
from .c_checks import written_field
from .promela_checks import range_assertion
from .promela_expressions import ExpressionWriter, choice, field_name

# What no assignment to a record changes.
UNCHANGED = (ir.ArgumentName, ir.InstanceName, ir.LocalName, ir.PayloadField)


class StatementWriter(ExpressionWriter):
    """Statements as Promela text, unrolled where Promela has no means."""

    def block(
        self, statements: Sequence[ir.Statement], then: Callable[[], list[str]] = list
    ) -> list[str]:
        """The statements, and after them whatever `then` gives, unless a return comes first."""
        if not statements:
            return then()
        head, rest = statements[0], statements[1:]
        if isinstance(head, ir.Return):
            done = [f"{self.returned} = 1"] if self.returned else []
            if head.result is None:
                return done or ["skip"]
            before, text = self.value(head.result)
            result = self.hidden_variable(
                self.variable(self.owner, "result"), ir.IntegerType(32)
            )
            return [*before, f"{result} = {text}", *done]
        if isinstance(head, ir.If):
            before, condition = self.value(head.condition)
            if not returns(head):
                lines = choice(
                    condition, self.block(head.then), self.block(head.otherwise)
                )
                return before + lines + self.block(rest, then)
            go_on = lambda: self.block(rest, then)  # noqa: E731
            return before + choice(
                condition,
                self.block(head.then, go_on),
                self.block(head.otherwise, go_on),
            )
        if isinstance(head, ir.For):
            return self.each(head) + self.after_loop(head, rest, then)
        if isinstance(head, ir.Repeat):
            return self.repeat(head, head.count.value, rest, then)
        match head:
            case ir.Let():
                lines = self._let(head)
            case ir.Create():
                lines = self._create(head)
            case ir.Assign():
                lines = self._assign(head)
            case ir.ActionCall():
                lines = self._action_call(head)
            case ir.DeviceCall():
                lines = self._device_call(head)
            case ir.Raise():
                lines = self._raise(head)
            case ir.Release():
                lines = self._release(head)
            case ir.Clear():
                lines = self._clear(head)
            case ir.Count():
                lines = []
            case ir.SetBit():
                lines = self._set_bit(head)
            case ir.ClearVariable() | ir.Assert():
                raise AssertionError("stands in a world only")
            case _:
                assert_never(head)
        return lines + self.block(rest, then)

    # Says that the body being printed has returned from within a loop; "" outside of loops that return.
    returned = ""

    def each(self, loop: ir.For) -> list[str]:
        """All turns; once one has returned the others do nothing."""
        outer = self.returned
        early = returns(loop)
        lines: list[str] = []
        if early:
            name = self.variable(self.owner, "returned")
            self.returned = self.hidden_variable(name, ir.BoolType())
            lines.append(f"{self.returned} = 0")
        local = self.hidden_variable(
            self.variable(self.owner, loop.local.unique), loop.local.type
        )
        for value in range(loop.low.value, loop.high.value + 1):
            turn = [f"{local} = {self.number(value)}", *self.block(loop.body)]
            lines += self.unless_returned(turn) if early else turn
        self.returned = outer
        return lines

    def after_loop(
        self,
        loop: ir.For,
        rest: Sequence[ir.Statement],
        then: Callable[[], list[str]],
    ) -> list[str]:
        lines = self.block(rest, then)
        if not returns(loop) or not lines:
            return lines
        name = self.variable(self.owner, "returned")
        return choice(f"{name} == 0", lines, [])

    def unless_returned(self, lines: list[str]) -> list[str]:
        return choice(f"{self.returned} == 0", lines, [])

    def repeat(
        self,
        loop: ir.Repeat,
        turns: int,
        rest: Sequence[ir.Statement],
        then: Callable[[], list[str]],
    ) -> list[str]:
        if turns == 0:
            return self.block(rest, then)
        before, condition = (
            self.value(loop.condition) if loop.condition is not None else ([], "true")
        )
        if not any(returns(statement) for statement in loop.body):
            # A condition once false stays so: nothing happens between the turns.
            turn = before + (
                choice(condition, self.block(loop.body), [])
                if loop.condition
                else self.block(loop.body)
            )
            return turn * turns + self.block(rest, then)
        return before + choice(
            condition,
            self.block(loop.body, lambda: self.repeat(loop, turns - 1, rest, then)),
            self.block(rest, then),
        )

    def _let(self, node: ir.Let) -> list[str]:
        target = self.hidden_variable(
            self.variable(self.owner, node.local.unique), node.local.type
        )
        if isinstance(node.value, ir.BuildPayload):
            given = dict(node.value.fields)
            lines: list[str] = []
            for field in self.protocol.payload(node.value.payload).fields:
                before, text = (
                    self.value(given[field.name]) if field.name in given else ([], "0")
                )
                place = f"{target}.{field_name(field.name)}"
                lines += [*before, f"{place} = {text}"]
                if field.name in given:
                    lines += range_assertion(place, field, given[field.name])
            return lines
        before, text = self.value(node.value)
        return [*before, f"{target} = {text}"]

    def _create(self, node: ir.Create) -> list[str]:
        target = self.hidden_variable(
            self.variable(self.owner, node.local.unique), node.local.type
        )
        return self.create(node.pool, target)

    def create(self, pool_name: str, target: str) -> list[str]:
        """The lowest free record, as the C takes it."""
        pool = self.protocol.pool(pool_name)
        process = self.protocol.process(str(pool.process))
        used = self.state(f"{naming.snake(pool_name)}_used")
        lines = ["assert(pool_exhausted)"]
        for position in reversed(range(pool.count.value)):
            lines = choice(
                f"(({used} >> {position}) & 1) == 0",
                [f"{target} = {position + 1}"],
                lines,
            )
        return [
            *lines,
            f"{used} = {used} | (1 << ({target} - 1))",
            f"{self.state(f'{field_name(pool_name)}[{target} - 1].state_')} = "
            f"{self.names.leaf(process.name, process.initial)}",
        ]

    def _assign(self, node: ir.Assign) -> list[str]:
        before, text = self.value(node.value)
        first, target = self.value(node.target)
        assertions = range_assertion(
            target, written_field(self.protocol, node.target), node.value
        )
        return [*before, *first, f"{target} = {text}", *assertions]

    def _action_call(self, node: ir.ActionCall) -> list[str]:
        action = self.actions[node.action]
        return self.call(
            self.names.lower(node.action), node.action, action.arguments, node.arguments
        )

    def _device_call(self, node: ir.DeviceCall) -> list[str]:
        device = next(d for d in self.protocol.devices if d.name == node.device)
        owner = f"device_{node.device}"
        return self.call(
            self.names.lower(owner), owner, device.arguments, node.arguments
        )

    def _raise(self, node: ir.Raise) -> list[str]:
        process = self.protocol.process(node.process)
        event = next(e for e in process.events if e.name == node.event)
        owner = handler_owner(node.process, node.event)
        extra: list[tuple[str, ir.Expression]] = []
        if node.instance is not None:
            assert process.instance is not None
            extra.append((process.instance, node.instance))
        inline = self.names.handler(node.process, node.event)
        return self.call(inline, owner, event.arguments, node.arguments, extra)

    def zeroes(
        self, container: str, index: str, fields: Sequence[ir.Field]
    ) -> list[str]:
        lines: list[str] = []
        for field in fields:
            place = f"{field_name(container)}[{index}].{field_name(field.name)}"
            if isinstance(field.type, ir.ArrayType):
                lines += [
                    f"{self.state(f'{place}[{i}]')} = 0"
                    for i in range(field.type.count.value)
                ]
            else:
                lines.append(f"{self.state(place)} = 0")
        return lines

    def _release(self, node: ir.Release) -> list[str]:
        pool = self.protocol.pool(node.pool)
        before, text = self.value(node.reference)
        temporary = self.hidden_variable(
            f"{self.names.lower('released', node.pool)}", pool.reference
        )
        used = self.state(f"{naming.snake(node.pool)}_used")
        return [
            *before,
            f"{temporary} = {text}",
            *self.zeroes(node.pool, f"{temporary} - 1", pool.fields),
            f"{self.state(f'{field_name(node.pool)}[{temporary} - 1].state_')} = 0",
            f"{used} = {used} & ~(1 << ({temporary} - 1))",
        ]

    def _clear(self, node: ir.Clear) -> list[str]:
        table = next(t for t in self.protocol.tables if t.name == node.table)
        before, index = self.value(node.index)
        if node.index.value is None and not isinstance(node.index, UNCHANGED):
            # It may be read from the record that is cleared field by field.
            name = self.hidden_variable(
                self.names.lower("cleared", node.table), node.index.type
            )
            before.append(f"{name} = {index}")
            index = name
        if node.index_kind == "reference":
            index = f"{index} - 1"
        return [*before, *self.zeroes(node.table, index, table.fields)]

    def _set_bit(self, node: ir.SetBit) -> list[str]:
        before, index = self.value(node.index)
        first, bits = self.value(node.bits)
        change = (
            f"{bits} | (1 << {index})" if node.present else f"{bits} & ~(1 << {index})"
        )
        return [*before, *first, f"{bits} = {change}"]


def handler_owner(process: str, event: str) -> str:
    return f"{naming.snake(process)}_{naming.snake(event)}"


def returns(statement: ir.Statement) -> bool:
    return any(isinstance(node, ir.Return) for node in walk.nodes(statement))
