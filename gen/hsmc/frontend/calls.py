# SPDX-License-Identifier: MIT
"""Calls in expressions: functions, builtins, the building of payloads; and the places things are written to."""

from __future__ import annotations

from typing import Iterable, Optional

from .. import ir
from . import ast, handles
from .build_parts import RESERVED
from .context import Body, Signature
from .expressions import BOOL, NONE, Expressions, describe, with_article
from .finds import function_of, unused_name
from ..source import Span


class Calls(Expressions):
    """Builtins are the methods `_builtin_NAME`."""

    # --- calls

    def _call(self, node: ast.Call) -> Optional[ir.Expression]:
        if not isinstance(node.callee, ast.NameUse):
            self.error("HSM0211", node.callee.span, "this cannot be called")
            return None
        name = node.callee.name
        builtin = getattr(self, f"_builtin_{name}", None)
        own = name not in RESERVED and name in self.context.symbols
        if builtin is not None and self.lookup(name) is None and not own:
            result: Optional[ir.Expression] = builtin(node)
            return result
        self.refer(node.callee.span, name)
        symbol = self.context.symbols.get(name)
        if symbol is None:
            if self.lookup(name) is not None:
                self.error("HSM0211", node.callee.span, f"'{name}' cannot be called")
            else:
                self.context.report.unknown(
                    "HSM0201",
                    node.callee.span,
                    f"there is no function '{name}'",
                    name,
                    self.context.names(ast.Function, ast.Payload),
                )
            return None
        if isinstance(symbol.node, ast.Payload):
            self.error(
                "HSM0311",
                node.span,
                f"a payload is built by a let of its own: let x: {name} = {name}(...)",
            )
            return None
        if not isinstance(symbol.node, ast.Function):
            self.error(
                "HSM0211",
                node.callee.span,
                f"'{name}' is {with_article(symbol.kind)}; it has no value",
                [("declared here", symbol.span)],
            )
            return None
        self.context.use("function", name)
        self.effect("function", name, node.span)
        signature = self.context.signatures.get(name)
        if signature is None:
            return None
        arguments = self.arguments(node, signature, f"function {name}", symbol.span)
        if arguments is None or signature.result is None:
            return None
        return ir.Call(
            type=signature.result,
            place=node.span.place(),
            function=name,
            arguments=arguments,
        )

    def arguments(
        self,
        node: ast.Call,
        signature: Signature,
        what: str,
        declared: Optional[Span],
    ) -> Optional[tuple[ir.Expression, ...]]:
        """Arguments of a call, made to fit what the callee declares."""
        notes = [("declared here", declared)] if declared else []
        if not self.count_arguments(
            node, len(signature.arguments), what, node.arguments, notes
        ):
            return None
        result: list[ir.Expression] = []
        complete = True
        for passed, argument in zip(node.arguments, signature.arguments):
            value = self.expression(passed.value)
            if isinstance(argument.type, ir.PayloadType) and value is not None:
                self.context.payloads_passed_on.add(f"{argument.type.name}>{what}")
            if value is not None:
                value = self.fit(
                    value,
                    argument.type,
                    passed.value.span,
                    f"argument '{argument.name}' of {what}",
                    argument.range,
                )
            if value is None:
                complete = False
            else:
                result.append(value)
        return tuple(result) if complete else None

    def count_arguments(
        self,
        node: ast.Call,
        wanted: int,
        what: str,
        given: tuple[ast.Passed, ...],
        notes: Iterable[tuple[str, Span]] = (),
    ) -> bool:
        for passed in given:
            if passed.name is not None:
                self.error(
                    "HSM0310",
                    passed.name.span,
                    "only fields of a payload are passed by name",
                )
                return False
        if len(given) != wanted:
            self.error(
                "HSM0302",
                node.span,
                f"{what} takes {wanted} argument{'s' * (wanted != 1)}, not {len(given)}",
                notes,
            )
            for passed in given:
                self.expression(passed.value)
            return False
        return True

    def build_payload(self, node: ast.Call) -> Optional[ir.BuildPayload]:
        assert isinstance(node.callee, ast.NameUse)
        self.refer(node.callee.span, node.callee.name)
        payload = self.context.payloads.get(node.callee.name)
        if payload is None:
            return None
        values: dict[str, ir.Expression] = {}
        named: dict[str, Span] = {}
        for passed in node.arguments:
            value = self.single(passed.value)
            if passed.name is None:
                self.error(
                    "HSM0310",
                    passed.span,
                    "fields of a payload are named: field: value",
                )
                continue
            name = passed.name.text
            if name in named:
                self.error(
                    "HSM0310",
                    passed.name.span,
                    f"field '{name}' is given twice",
                    [("first here", named[name])],
                )
                continue
            named[name] = passed.name.span
            field = self._field(payload.fields, passed.name, f"payload {payload.name}")
            if field is not None and value is not None:
                self.context.fields_written.add((payload.name, name))
                fitted = self.fit(
                    value,
                    field.type,
                    passed.value.span,
                    f"field '{name}'",
                    field.range,
                )
                if fitted is not None:
                    values[name] = fitted
        for field in payload.fields:
            problem = self._not_zero(field) if field.name not in named else ""
            if problem:
                self.error(
                    "HSM0320",
                    node.callee.span,
                    f"field '{field.name}' is left out, and so 0, {problem}",
                    [("the field", self._declared_field(payload.name, field.name))],
                )
        return ir.BuildPayload(
            type=ir.PayloadType(payload.name),
            place=node.span.place(),
            payload=payload.name,
            fields=tuple(
                (f.name, values[f.name]) for f in payload.fields if f.name in values
            ),
        )

    def _not_zero(self, field: ir.Field) -> str:
        """Why a field must be given a value."""
        if field.range and field.range.low.value > 0:
            return f"but its range is {field.range}"
        if isinstance(field.type, ir.EnumerationType):
            members = self.context.enumerations[field.type.name].members
            if all(member.value != 0 for member in members):
                return f"no member of {field.type}"
        return ""

    def _declared_field(self, payload: str, name: str) -> Span:
        return next(
            field.name.span
            for node in self.context.spec.declarations
            if isinstance(node, ast.Payload) and node.name.text == payload
            for field in node.fields
            if field.name.text == name
        )

    def _find(self, node: ast.Find) -> Optional[ir.Expression]:
        """See finds.py."""
        pool = self._pool_named(ast.NameUse(node.pool.span, node.pool.text))
        if pool is None:
            self.context.report.unknown(
                "HSM0201",
                node.pool.span,
                f"there is no pool '{node.pool.text}': find goes through the records of a pool",
                node.pool.text,
                self.context.pools,
            )
            self.context.report.damaged_names.add(node.name.text)
            return None
        name = unused_name(self.context, pool.name)
        body = Body("function", name)
        local = body.new_local(node.name.text, pool.reference, node.name.span)
        before = len(self.body.effects)
        self.scopes.append({})
        self.bind(node.name, local, "local name")
        condition = self.condition(node.condition)
        self.scopes.pop()
        self.body.reads_state = True
        if condition is None:
            return None
        body.effects += self.body.effects[before:]
        self.effect("function", name, node.span)
        place = node.name.span.to(node.pool.span).place()
        return function_of(self.context, body, pool, local, condition, place, node.span)

    # --- builtins

    def _pool_named(self, node: ast.Expression) -> Optional[ir.Pool]:
        """The pool whose name this is."""
        if not isinstance(node, ast.NameUse) or self.lookup(node.name) is not None:
            return None
        pool = self.context.pools.get(node.name)
        if pool is not None:
            self.refer(node.span, node.name)
        return pool

    def bits(
        self, node: ast.Expression, target: bool = False
    ) -> Optional[ir.Expression]:
        """A set of bits, to be read or changed."""
        result = self.target(node) if target else self.expression(node)
        if result is None or isinstance(result.type, ir.BitsType):
            return result
        self.error(
            "HSM0301", node.span, f"bits are needed here, not {describe(result.type)}"
        )
        return None

    def target(self, node: ast.Expression) -> Optional[ir.Expression]:
        """The place something is written to."""
        if isinstance(node, ast.Member):
            return self._member(node, True)
        if isinstance(node, ast.Index) and not self._names_record(node):
            base = self.target(node.base)
            index = self.number(node.index)
            if base is None or index is None:
                return None
            return self._element(node, base, index)
        if isinstance(node, ast.NameUse):
            self.refer(node.span, node.name)
        if isinstance(node, ast.NameUse) and self.lookup(node.name) is None:
            symbol = self.context.symbols.get(node.name)
            if symbol is not None and isinstance(symbol.node, ast.Field):
                return self.variable(symbol.owner, node, False)
        if isinstance(node, ast.NameUse):
            binding = self.lookup(node.name)
            if isinstance(binding, ir.Local):
                # What is assigned, but never read: data_flow.py.
                self.context.locals_used.add(id(binding))
                return ir.LocalName(
                    type=binding.type, place=node.span.place(), local=binding
                )
        return self.expression(node)

    def _builtin_has(self, node: ast.Call) -> Optional[ir.Expression]:
        if not self.count_arguments(node, 2, "has", node.arguments):
            return None
        bits = self.bits(node.arguments[0].value)
        index = self.number(node.arguments[1].value)
        if bits is None or index is None:
            return None
        assert isinstance(bits.type, ir.BitsType)
        if not self.bounded(index, bits.type.count.value, node.arguments[1].value.span):
            return None
        return ir.Has(type=BOOL, place=node.span.place(), bits=bits, index=index)

    def _builtin_has_all(self, node: ast.Call) -> Optional[ir.Expression]:
        if not self.count_arguments(node, 3, "has_all", node.arguments):
            return None
        bits = self.bits(node.arguments[0].value)
        first = self.number(node.arguments[1].value)
        count = self.number(node.arguments[2].value)
        if bits is None or first is None or count is None:
            return None
        return ir.HasAll(
            type=BOOL, place=node.span.place(), bits=bits, first=first, count=count
        )

    def _builtin_available(self, node: ast.Call) -> Optional[ir.Expression]:
        if not self.count_arguments(node, 1, "available", node.arguments):
            return None
        argument = node.arguments[0].value
        if isinstance(argument, ast.NameUse):
            if argument.name in self.context.pools:
                self.refer(argument.span, argument.name)
                self.body.reads_state = True
                return ir.Available(
                    type=BOOL, place=node.span.place(), pool=argument.name
                )
            self.context.report.unknown(
                "HSM0201",
                argument.span,
                f"there is no pool '{argument.name}'",
                argument.name,
                self.context.pools,
            )
        else:
            self.error("HSM0301", argument.span, "available() takes the name of a pool")
        return None

    def _builtin_u8(self, node: ast.Call) -> Optional[ir.Expression]:
        return self._convert(node, 8)

    def _builtin_u16(self, node: ast.Call) -> Optional[ir.Expression]:
        return self._convert(node, 16)

    def _builtin_u32(self, node: ast.Call) -> Optional[ir.Expression]:
        return self._convert(node, 32)

    def _convert(self, node: ast.Call, bits: int) -> Optional[ir.Expression]:
        """The low bits, which is meant."""
        if not self.count_arguments(node, 1, f"u{bits}", node.arguments):
            return None
        operand = self.number(node.arguments[0].value)
        if operand is None:
            return None
        value = operand.value
        return ir.Narrow(
            type=ir.IntegerType(bits),
            place=node.span.place(),
            value=value & (1 << bits) - 1 if value is not None else None,
            operand=operand,
            meant=True,
        )

    def _builtin_handle(self, node: ast.Call) -> Optional[ir.Expression]:
        if not self.count_arguments(node, 1, "handle", node.arguments):
            return None
        argument = node.arguments[0].value
        value = self.single(argument)
        if value is None:
            return None
        if not isinstance(value.type, ir.ReferenceType) or value.type == NONE:
            self.error(
                "HSM0301",
                argument.span,
                f"handle() takes a reference, not {describe(value.type)}",
            )
            return None
        pool = value.type.pool
        if pool not in self.context.generations:
            self.error(
                "HSM0301",
                node.span,
                f"no argument, field or variable is a handle[{pool}]: this one cannot be stored",
            )
            return None
        return self._handles("handle", pool, value, node)

    def _builtin_record(self, node: ast.Call) -> Optional[ir.Expression]:
        if not self.count_arguments(node, 1, "record", node.arguments):
            return None
        argument = node.arguments[0].value
        value = self.single(argument)
        if value is None:
            return None
        if not isinstance(value.type, ir.HandleType):
            self.error(
                "HSM0301",
                argument.span,
                f"record() takes a handle, not {describe(value.type)}",
            )
            return None
        if value.type.pool not in self.context.generations:
            return None
        return self._handles("record", value.type.pool, value, node)

    def _handles(
        self, which: str, pool: str, value: ir.Expression, node: ast.Call
    ) -> ir.Expression:
        self.body.reads_state = True
        return handles.call(self.context, which, pool, value, node.span.place())

    def _builtin_min(self, node: ast.Call) -> Optional[ir.Expression]:
        return self._extreme(node, False)

    def _builtin_max(self, node: ast.Call) -> Optional[ir.Expression]:
        return self._extreme(node, True)

    def _extreme(self, node: ast.Call, greatest: bool) -> Optional[ir.Expression]:
        name = "max" if greatest else "min"
        if not self.count_arguments(node, 2, name, node.arguments):
            return None
        left = self.number(node.arguments[0].value)
        right = self.number(node.arguments[1].value)
        if left is None or right is None:
            return None
        type_ = self._unify(node, left, right)
        if type_ is None:
            return None
        value = None
        if left.value is not None and right.value is not None:
            value = (max if greatest else min)(left.value, right.value)
        return ir.Minimum(
            type=type_,
            place=node.span.place(),
            value=value,
            left=left,
            right=right,
            largest=greatest,
        )
