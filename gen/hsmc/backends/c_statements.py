# SPDX-License-Identifier: MIT
"""Statements as C text. What the engines for model checking print besides is theirs (`world_statement`)."""

from __future__ import annotations

from typing import Sequence, Union, assert_never

from .. import ir, naming
from .c_checks import CheckWriter, written_field


class StatementWriter(CheckWriter):
    """What functions, actions and rows do."""

    def block(self, statements: Sequence[ir.Statement], depth: int) -> str:
        return "\n".join(self.statement(s, depth) for s in statements)

    def statement(self, node: ir.Statement, depth: int) -> str:
        return self.marks.mark(node.place, self._statement(node, depth))

    def _statement(self, node: ir.Statement, depth: int) -> str:
        match node:
            case ir.Let():
                return "\n".join(
                    [self._let(node, depth), *self.unread(node.local, depth)]
                )
            case ir.Create():
                return self._create(node, depth)
            case ir.Assign():
                return self._assign(node, depth)
            case ir.If():
                return self._if(node, depth)
            case ir.Repeat():
                return self._repeat(node, depth)
            case ir.For():
                return self._for(node, depth)
            case ir.Return():
                return self._return(node, depth)
            case ir.ActionCall():
                return self._action_call(node, depth)
            case ir.DeviceCall():
                return self._device_call(node, depth)
            case ir.Raise():
                return self._raise(node, depth)
            case ir.Release():
                return self._release(node, depth)
            case ir.Clear():
                return self._clear(node, depth)
            case ir.Count():
                return self._count(node, depth)
            case ir.SetBit():
                return self._set_bit(node, depth)
            case ir.ClearVariable() | ir.Assert():
                return self.world_statement(node, depth)
            case _:
                assert_never(node)

    def world_statement(
        self, node: Union[ir.ClearVariable, ir.Assert], depth: int
    ) -> str:
        raise AssertionError("stands in a world only")

    def _let(self, node: ir.Let, depth: int) -> str:
        name = naming.snake(node.local.unique)
        if isinstance(node.value, ir.BuildPayload):
            payload = self.protocol.payload(node.value.payload)
            kinds = {f.name: f.type for f in payload.fields}
            lines = [
                self.line(depth, f"const {self.names.struct(payload.name)} {name} = {{")
            ]
            for field, value in node.value.fields:
                text = self.stored(value, kinds[field])
                lines.append(self.line(depth + 1, f".{naming.snake(field)} = {text},"))
            lines.append(self.line(depth, "};"))
            for field, value in node.value.fields:
                place = f"{name}.{naming.snake(field)}"
                declared = next(f for f in payload.fields if f.name == field)
                lines += self.range_check(place, declared, value, depth, "HSM_FIELD")
            return "\n".join(lines)
        qualifier = "const " if node.local.unique in self.fixed_locals else ""
        kind = self.names.scalar(node.local.type)
        return self.line(
            depth,
            f"{qualifier}{kind} {name} = {self.stored(node.value, node.local.type)};",
        )

    def _create(self, node: ir.Create, depth: int) -> str:
        name = naming.snake(node.local.unique)
        kind = self.names.scalar(node.local.type)
        line = f"const {kind} {name} = {self.names.lower(node.pool, 'create')}_();"
        lines = [self.line(depth, text) for text in (self.room(node.pool), line)]
        return "\n".join([*lines, *self.unread(node.local, depth)])

    def _assign(self, node: ir.Assign, depth: int) -> str:
        target = self.written(node.target)
        value = self.stored(node.value, node.target.type)
        if value == self.text(node.target):  # of which clang warns
            return self.line(depth, f"(void){value};")
        field = written_field(self.protocol, node.target)
        checks = self.range_check(target, field, node.value, depth)
        return "\n".join([self.line(depth, f"{target} = {value};"), *checks])

    def _if(self, node: ir.If, depth: int) -> str:
        lines = [
            self.line(depth, f"if ({self.text(node.condition)}) {{"),
            self.block(node.then, depth + 1),
        ]
        if node.otherwise:
            lines += [
                self.line(depth, "} else {"),
                self.block(node.otherwise, depth + 1),
            ]
        return "\n".join([*lines, self.line(depth, "}")])

    def _repeat(self, node: ir.Repeat, depth: int) -> str:
        turn = f"turn_{depth}"
        # A count that a check makes 0: compilers warn of "< 0".
        below = "!=" if isinstance(node.count.expression, ir.Binary) else "<"
        bound = f"{turn} {below} {self.size(node.count)}"
        if node.condition is not None:
            bound += f" && {self.expression(node.condition).parenthesised_unless({'relational', 'and'})}"
        head = f"for (uint32_t {turn} = 0; {bound}; {turn}++) {{"
        return "\n".join(
            [
                self.line(depth, head),
                self.block(node.body, depth + 1),
                self.line(depth, "}"),
            ]
        )

    def _for(self, node: ir.For, depth: int) -> str:
        """What a reference is stored in may be too narrow for the number after the last."""
        name = naming.snake(node.local.unique)
        reference = isinstance(node.local.type, ir.ReferenceType)
        turn = f"turn_{depth}" if reference else name
        last = self.expression(node.high.expression).parenthesised_unless({"additive"})
        bounds = f"{turn} = {self.size(node.low)}; {turn} <= {last}"
        lines = [self.line(depth, f"for (uint32_t {bounds}; {turn}++) {{")]
        if reference:
            kind = self.names.scalar(node.local.type)
            cast = f"const {kind} {name} = ({kind}){turn};"
            lines += [self.line(depth + 1, cast), *self.unread(node.local, depth + 1)]
        lines += [self.block(node.body, depth + 1), self.line(depth, "}")]
        return "\n".join(lines)

    def _return(self, node: ir.Return, depth: int) -> str:
        if node.result is None:
            return self.line(depth, "return;")
        return self.line(depth, f"return {self.stored(node.result, self.result)};")

    result: ir.Type = ir.IntegerType(32)
    repeated: set[str] = set()  # of the handler being printed

    def _action_call(self, node: ir.ActionCall, depth: int) -> str:
        action = next(a for a in self.protocol.actions if a.name == node.action)
        call = self.call(
            self.names.lower(node.action),
            self.arguments_of(action, node.arguments),
        )
        return self.line(depth, f"{call};")

    def _device_call(self, node: ir.DeviceCall, depth: int) -> str:
        device = next(d for d in self.protocol.devices if d.name == node.device)
        name = self.names.lower("device", node.device)
        return self.line(
            depth,
            f"{self.call(name, self.arguments(device.arguments, node.arguments))};",
        )

    def any_process(self, name: str) -> ir.Process:
        """It may be on another processor (c_messages.py)."""
        return self.protocol.process(name)

    def raising_function(self, process: str, event: str) -> str:
        return self.names.handler(process, event)

    def _raise(self, node: ir.Raise, depth: int) -> str:
        process = self.any_process(node.process)
        event = next(e for e in process.events if e.name == node.event)
        arguments = self.arguments(event.arguments, node.arguments)
        if node.instance is not None:
            arguments.insert(0, self.raised_for(process, node.instance))
        return self.line(
            depth,
            f"{self.call(self.raising_function(node.process, node.event), arguments)};",
        )

    def _release(self, node: ir.Release, depth: int) -> str:
        name = f"{self.names.lower(node.pool, 'release')}_"
        used = self.in_use(node.pool, self.text(node.reference))
        return self.line(depth, f"{self.call(name, [used])};")

    def _clear(self, node: ir.Clear, depth: int) -> str:
        name = f"{self.names.lower(node.table, 'clear')}_"
        count = self.containers[node.table].count
        if node.index_kind == "number":
            index = self.index(node.index, count)
        else:
            index = f"{self.reference(node.index, count)} - 1u"
        return self.line(depth, f"{self.call(name, [index])};")

    def _count(self, node: ir.Count, depth: int) -> str:
        return self.line(
            depth,
            f"{self.names.upper('COUNT')}({self.names.upper('COUNTER', node.counter)});",
        )

    def _set_bit(self, node: ir.SetBit, depth: int) -> str:
        helper = "hsm_set" if node.present else "hsm_unset"
        call = self.bits_call(helper, node.bits, node.index, written=True)
        return self.line(depth, f"{call};")
