# SPDX-License-Identifier: MIT
"""Statements: bodies of functions and actions, and what rows, entries and exits do."""

from __future__ import annotations

from typing import Optional, Sequence

from .. import ir
from . import ast
from .context import Signature
from .constants import LARGEST, number_size
from .declarations import RECORDS_LIMIT
from .calls import Calls
from .expressions import NONE, describe
from .handles import before_release
from ..source import Span


class Statements(Calls):
    """`result` is the type a return must give: None outside functions."""

    result: Optional[ir.ScalarType] = None

    def block(self, nodes: Sequence[ast.Statement]) -> tuple[ir.Statement, ...]:
        """Statements in a scope of their own. Those that are wrong are left out."""
        self.scopes.append({})
        result = self.statements(nodes)
        self.scopes.pop()
        return result

    def statements(self, nodes: Sequence[ast.Statement]) -> tuple[ir.Statement, ...]:
        found: list[ir.Statement] = []
        for node in nodes:
            statement = self.statement(node)
            if isinstance(statement, ir.Release):
                before = before_release(self.context, statement)
                if before is not None:
                    found.append(before)
            if statement is not None:
                found.append(statement)
        return tuple(found)

    def statement(self, node: ast.Statement) -> Optional[ir.Statement]:
        pure = (ast.Let, ast.Assign, ast.If, ast.Repeat, ast.For, ast.Return)
        if self.body.kind == "function" and not isinstance(node, pure):
            self.error(
                "HSM0313",
                node.span,
                f"function '{self.body.name}' may not act: make it an action",
            )
            return None
        place = node.span.place()
        if isinstance(node, ast.Assert):
            self.error("HSM0606", node.span, "only a world asserts: see 'world'")
            return None
        if isinstance(node, ast.Let):
            return self.let(node)
        if isinstance(node, ast.Assign):
            return self._assign(node)
        if isinstance(node, ast.CallStatement):
            return self._call_statement(node)
        if isinstance(node, ast.Raise):
            return self._raise(node)
        if isinstance(node, ast.Release):
            return self._release(node)
        if isinstance(node, ast.Clear):
            return self._clear(node)
        if isinstance(node, ast.Count):
            name = node.counter.text
            if name not in self.context.separate_names(ast.Counter):
                self.context.report.unknown(
                    "HSM0208",
                    node.counter.span,
                    f"there is no counter '{name}'",
                    name,
                    self.context.separate_names(ast.Counter),
                )
                return None
            self.context.refer(
                node.counter.span, self.context.separate[ast.Counter][name].span
            )
            self.context.use("counter", name)
            return ir.Count(place=place, counter=name)
        if isinstance(node, ast.Return):
            return self._return(node)
        if isinstance(node, ast.If):
            condition = self.condition(node.condition)
            then = self.block(node.then)
            otherwise = self.block(node.otherwise)
            if condition is None:
                return None
            return ir.If(
                place=place, condition=condition, then=then, otherwise=otherwise
            )
        if isinstance(node, ast.For):
            return self._for(node)
        return self._repeat(node)

    def _repeat(self, node: ast.Repeat) -> Optional[ir.Statement]:
        count = self.number(node.count)
        condition = (
            self.condition(node.condition) if node.condition is not None else None
        )
        body = self.block(node.body)
        if count is None or (node.condition is not None and condition is None):
            return None
        if count.value is None:
            self.error(
                "HSM0518",
                node.count.span,
                "the number of turns must be constant; stop earlier with 'while'",
            )
            return None
        if not 1 <= count.value <= RECORDS_LIMIT:
            self.error(
                "HSM0303",
                node.count.span,
                f"{count.value} turns, not in 1..{RECORDS_LIMIT}",
            )
            return None
        return ir.Repeat(
            place=node.span.place(),
            count=ir.Size(count.value, count),
            condition=condition,
            body=body,
        )

    # --- loops over numbers, arrays and records

    def _for(self, node: ast.For) -> Optional[ir.Statement]:
        if node.last is not None:
            return self._for_numbers(node)
        pool = self._pool_named(node.first)
        if pool is not None:
            return self._for_records(node, pool)
        return self._for_elements(node)

    def _for_numbers(self, node: ast.For) -> Optional[ir.Statement]:
        ends = self.ends_of_loop(node)
        if ends is None:
            self._check_damaged_loop(node)
            return None
        local, body = self._loop_body(node, ir.IntegerType(32))
        return ir.For(
            place=node.span.place(), local=local, low=ends[0], high=ends[1], body=body
        )

    def ends_of_loop(self, node: ast.For) -> Optional[tuple[ir.Size, ir.Size]]:
        """Of one over numbers: both constant, and something between them."""
        low = self._end(node.first)
        high = self._end(node.last) if node.last is not None else None
        if low is None or high is None:
            return None
        if low.value > high.value:
            self.error(
                "HSM0312", node.span, f"empty range {low.value}..{high.value}: no turn"
            )
            return None
        if high.value - low.value >= RECORDS_LIMIT or high.value == LARGEST:
            self.error(
                "HSM0303",
                node.span,
                f"{low.value}..{high.value}: more than {RECORDS_LIMIT} turns, or up to the largest number",
            )
            return None
        return low, high

    def _end(self, node: ast.Expression) -> Optional[ir.Size]:
        """Of the numbers a loop runs through."""
        value = self.number(node)
        if value is None:
            return None
        if value.value is None:
            self.error(
                "HSM0518",
                node.span,
                "the ends of a loop must be constant; leave what is too much with an 'if'",
            )
            return None
        return ir.Size(value.value, value)

    def _for_records(self, node: ast.For, pool: ir.Pool) -> Optional[ir.Statement]:
        """Those in use when their turn comes."""
        self.body.reads_state = True
        place = node.span.place()
        local, body = self._loop_body(node, pool.reference)
        reference = ir.LocalName(type=pool.reference, place=place, local=local)
        used = ir.InUse(
            type=ir.BoolType(), place=place, pool=pool.name, reference=reference
        )
        return ir.For(
            place=place,
            local=local,
            low=number_size(1, place),
            high=pool.count,
            body=(ir.If(place=place, condition=used, then=body, otherwise=()),),
        )

    def _for_elements(self, node: ast.For) -> Optional[ir.Statement]:
        array = self.expression(node.first)
        if array is None:
            self._check_damaged_loop(node)
            return None
        if not isinstance(array.type, ir.ArrayType):
            self.error(
                "HSM0301",
                node.first.span,
                f"{describe(array.type)} has no elements: a loop runs through numbers (first..last), an array, or the "
                "records of a pool that are in use",
            )
            self._check_damaged_loop(node)
            return None
        place = node.span.place()
        u32 = ir.IntegerType(32)
        taken = (*self.declared_arguments, *self.local_names())
        index = self.body.new_local(
            f"{node.name.text}_index", u32, node.name.span, taken
        )
        self.context.locals_used.add(id(index))
        local, body = self._loop_body(node, array.type.element)
        value = ir.Element(
            type=array.type.element,
            place=node.first.span.place(),
            base=array,
            index=ir.LocalName(type=u32, place=place, local=index),
        )
        last = array.type.count.value - 1
        return ir.For(
            place=place,
            local=index,
            low=number_size(0, place),
            high=ir.Size(last, self._one_less(array.type.count, place)),
            body=(ir.Let(place=place, local=local, value=value), *body),
        )

    @staticmethod
    def _one_less(count: ir.Size, place: ir.Place) -> ir.Expression:
        if isinstance(count.expression, ir.Number):
            return number_size(count.value - 1, place).expression
        return ir.Binary(
            type=ir.IntegerType(32),
            place=place,
            value=count.value - 1,
            operator="-",
            left=count.expression,
            right=number_size(1, place).expression,
        )

    def _loop_body(
        self, node: ast.For, type_: ir.Type
    ) -> tuple[ir.Local, tuple[ir.Statement, ...]]:
        self.scopes.append({})
        local = self.body.new_local(
            node.name.text, type_, node.name.span, self.declared_arguments
        )
        self.body.loop_locals.add(id(local))
        self.bind(node.name, local, "local name")
        body = self.statements(node.body)
        self.scopes.pop()
        return local, body

    def _check_damaged_loop(self, node: ast.For) -> None:
        """Checks the body of a loop that is wrong. Uses of its name are not reported as mistakes of their own."""
        self.context.report.damaged_names.add(node.name.text)
        self.block(node.body)

    # --- let and assignment

    def let(self, node: ast.Let) -> Optional[ir.Statement]:
        statement = self._let(node)
        if statement is None and self.lookup(node.name.text) is None:
            # A name whose value is wrong: its uses are no mistakes of their own.
            self.context.report.damaged_names.add(node.name.text)
        return statement

    def _let(self, node: ast.Let) -> Optional[ir.Statement]:
        place = node.span.place()
        type_ = None
        if node.type is not None:
            type_ = self.types.type(node.type)
            if type_ is None:
                return None
            if isinstance(type_, (ir.ArrayType, ir.BitsType)):
                self.error(
                    "HSM0206",
                    node.type.span,
                    "a local holds a single value or a payload",
                )
                return None
        if isinstance(node.value, ast.Create):
            return self._create(node, node.value, type_)
        value: Optional[ir.Expression]
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.callee, ast.NameUse)
            and call.callee.name in self.context.payloads
        ):
            value = self.build_payload(call)
            if self.body.kind == "function":
                self.error("HSM0313", call.span, "a function may not build a payload")
                value = None
        else:
            value = self.expression(node.value)
            if value is not None and isinstance(value.type, ir.PayloadType):
                self.error(
                    "HSM0311",
                    node.value.span,
                    "a payload is never copied; use it under the name it has",
                )
                value = None
        if value is not None and type_ is None:
            type_ = value.type
            if isinstance(type_, (ir.ArrayType, ir.BitsType)):
                self.error("HSM0301", node.value.span, f"{type_} is not a single value")
                return None
            if type_ == NONE:
                self.error(
                    "HSM0301",
                    node.value.span,
                    f"none of what? let {node.name.text}: Pool = none",
                )
                return None
        if value is not None and type_ is not None:
            value = self.fit(value, type_, node.value.span, f"'{node.name.text}'")
        if value is None or type_ is None:
            return None
        return ir.Let(place=place, local=self._new_local(node, type_), value=value)

    def _new_local(self, node: ast.Let, type_: ir.Type) -> ir.Local:
        local = self.body.new_local(
            node.name.text, type_, node.name.span, self.declared_arguments
        )
        self.bind(node.name, local, "local name")
        return local

    def _create(
        self, node: ast.Let, create: ast.Create, type_: Optional[ir.Type]
    ) -> Optional[ir.Statement]:
        name = create.pool.text
        self.refer(create.pool.span, name)
        pool = self.context.pools.get(name)
        if self.body.kind == "function":
            self.error("HSM0313", create.span, "a function may not create a record")
            return None
        if pool is None or pool.process is None:
            self.context.report.unknown(
                "HSM0201",
                create.pool.span,
                f"there is no pool '{name}'",
                name,
                self.context.pools,
            )
            return None
        if type_ is not None and type_ != pool.reference:
            self.error(
                "HSM0301",
                create.span,
                f"'{node.name.text}' must be {describe(type_)}, not {describe(pool.reference)}",
            )
            return None
        self.effect("create", name, create.span)
        return ir.Create(
            place=node.span.place(),
            local=self._new_local(node, pool.reference),
            pool=name,
            process=pool.process,
            initial=self.context.initial_leaf.get(pool.process, ""),
        )

    def _assign(self, node: ast.Assign) -> Optional[ir.Statement]:
        target = self.target(node.target)
        if target is None:
            self.expression(node.value)
            return None
        value = self.expression(node.value)
        limits = self._limits(target)
        if not isinstance(
            target,
            (
                ir.LocalName,
                ir.VariableName,
                ir.WorldVariable,
                ir.RecordField,
                ir.Element,
            ),
        ) or isinstance(target.type, ir.PayloadType):
            self.error(
                "HSM0305", node.target.span, f"{_what(target)} cannot be assigned to"
            )
            return None
        if (
            isinstance(target, ir.LocalName)
            and id(target.local) in self.body.loop_locals
        ):
            self.error(
                "HSM0305",
                node.target.span,
                f"'{target.local.name}' is what the loop runs through and cannot be assigned to",
            )
            return None
        if self.body.kind == "function" and not isinstance(target, ir.LocalName):
            self.error(
                "HSM0313",
                node.span,
                f"function '{self.body.name}' may not change state: make it an action",
            )
            return None
        if isinstance(target.type, (ir.ArrayType, ir.BitsType)):
            self.error(
                "HSM0301",
                node.target.span,
                f"{target.type} is not assigned as a whole",
            )
            return None
        if value is None:
            return None
        value = self.fit(
            value,
            target.type,
            node.value.span,
            f"value of '{node.target.span.squeezed}'",
            limits,
        )
        if value is None:
            return None
        return ir.Assign(place=node.span.place(), target=target, value=value)

    def _limits(self, target: ir.Expression) -> Optional[ir.Range]:
        if isinstance(target, ir.Element):
            target = target.base
        if isinstance(target, ir.VariableName):
            field = self.context.variables.get(target.name)
            return field.range if field else None
        if isinstance(target, ir.RecordField):
            holder = self.context.pools.get(
                target.container
            ) or self.context.tables.get(target.container)
            for field in holder.fields if holder else ():
                if field.name == target.field:
                    return field.range
        return None

    # --- calls and events

    def _call_statement(self, node: ast.CallStatement) -> Optional[ir.Statement]:
        call = node.call
        if not isinstance(call, ast.Call) or not isinstance(call.callee, ast.NameUse):
            hint = ""
            if isinstance(call, ast.Call) and isinstance(call.callee, ast.Member):
                hint = "; an event is raised: raise Process.event(...)"
            self.error("HSM0211", call.span, "this is not a statement" + hint)
            return None
        name = call.callee.name
        if name in ("set", "unset"):
            return self._change_bit(call, name == "set")
        self.refer(call.callee.span, name)
        symbol = self.context.symbols.get(name)
        if symbol is None:
            self.context.report.unknown(
                "HSM0201",
                call.callee.span,
                f"there is no action or device operation '{name}'",
                name,
                [*self.context.names(ast.Action, ast.Device), "set", "unset"],
            )
            return None
        if not isinstance(symbol.node, (ast.Action, ast.Device)):
            self.error(
                "HSM0211",
                call.callee.span,
                f"'{name}' is a {symbol.kind}, not an action or device operation",
                [("declared here", symbol.span)],
            )
            return None
        self.context.use(symbol.kind, name)
        self.effect(symbol.kind, name, call.span)
        signature = self.context.signatures.get(name)
        if signature is None:
            return None
        arguments = self.arguments(
            call, signature, f"{symbol.kind} {name}", symbol.span
        )
        if arguments is None:
            return None
        place = node.span.place()
        if isinstance(symbol.node, ast.Action):
            return ir.ActionCall(place=place, action=name, arguments=arguments)
        return ir.DeviceCall(place=place, device=name, arguments=arguments)

    def _change_bit(self, call: ast.Call, present: bool) -> Optional[ir.Statement]:
        name = "set" if present else "unset"
        if not self.count_arguments(call, 2, name, call.arguments):
            return None
        bits = self.bits(call.arguments[0].value, target=True)
        index = self.number(call.arguments[1].value)
        if bits is None or index is None:
            return None
        assert isinstance(bits.type, ir.BitsType)
        if not self.bounded(index, bits.type.count.value, call.arguments[1].value.span):
            return None
        return ir.SetBit(
            place=call.span.place(), bits=bits, index=index, present=present
        )

    def _raise(self, node: ast.Raise) -> Optional[ir.Statement]:
        call = node.call
        if not isinstance(call, ast.Call) or not isinstance(call.callee, ast.Member):
            self.error(
                "HSM0211",
                call.span,
                "raise needs an event: Process.event(...) or Process[reference].event(...)",
            )
            return None
        base = call.callee.base
        index: Optional[ast.Expression] = None
        if isinstance(base, ast.Index):
            index = base.index
            base = base.base
        if not isinstance(base, ast.NameUse):
            self.error("HSM0211", base.span, "the name of a process is needed here")
            return None
        process = self.context.process(ast.Name(base.span, base.name))
        if process is None:
            for passed in call.arguments:
                self.expression(passed.value)
            return None
        errors = self.context.report.errors
        instance = self._instance(process, index, call.callee.base.span)
        event, signature = self.event(process, call.callee.name)
        if event is None or signature is None:
            for passed in call.arguments:
                self.expression(passed.value)
            return None
        if event.creates and self.context.report.errors == errors:
            self.error(
                "HSM0522",
                call.span,
                f"event '{event.name.text}' creates its record: only the runtime can offer it again",
                [("declared here", event.name.span)],
            )
            return None
        name = f"{process.name.text}.{event.name.text}"
        self.context.use("event", name)
        self.effect("raise", name, node.span)
        arguments = self.arguments(call, signature, f"event {name}", event.name.span)
        if arguments is None or (process.instance is not None and instance is None):
            return None
        return ir.Raise(
            place=node.span.place(),
            process=process.name.text,
            event=event.name.text,
            instance=instance,
            arguments=arguments,
        )

    def _instance(
        self, process: ast.Process, index: Optional[ast.Expression], span: Span
    ) -> Optional[ir.Expression]:
        name = process.name.text
        if process.instance is None:
            if index is not None:
                self.error(
                    "HSM0522", span, f"there is only one process '{name}': no index"
                )
            return None
        if index is None:
            self.error(
                "HSM0522",
                span,
                f"process '{name}' runs once per record: {name}[reference]",
                [("declared here", process.name.span)],
            )
            return None
        pool = process.instance.type.name.text
        if pool not in self.context.pools:
            self.expression(index)
            return None
        return self.reference(index, pool)

    def event(
        self, process: ast.Process, name: ast.Name
    ) -> tuple[Optional[ast.Event], Optional[Signature]]:
        events = self.context.events.get(process.name.text, {})
        for event in process.events:
            if event.name.text == name.text:
                self.context.refer(name.span, event.name.span)
                return event, events.get(name.text)
        self.context.report.unknown(
            "HSM0204",
            name.span,
            f"process {process.name.text} has no event '{name.text}'",
            name.text,
            events,
        )
        return None, None

    # --- records

    def _release(self, node: ast.Release) -> Optional[ir.Statement]:
        reference = self.single(node.reference)
        if reference is None:
            return None
        if not isinstance(reference.type, ir.ReferenceType) or reference.type == NONE:
            self.error(
                "HSM0301",
                node.reference.span,
                f"release needs a reference, not {describe(reference.type)}",
            )
            return None
        pool = reference.type.pool
        self.effect("release", pool, node.span)
        return ir.Release(place=node.span.place(), pool=pool, reference=reference)

    def _clear(self, node: ast.Clear) -> Optional[ir.Statement]:
        record = self._record(node.record)
        if record is None:
            if not self._names_record(node.record):
                self.error(
                    "HSM0301", node.record.span, "clear needs a record: clear Table[i]"
                )
            return None
        container, index, index_kind = record
        if container in self.context.pools:
            self.error(
                "HSM0301",
                node.record.span,
                f"'{container}' is a pool: its records are released",
            )
            return None
        self.effect("record", container, node.span)
        self.body.reads_state = True
        if index is None:
            return None
        return ir.Clear(
            place=node.span.place(),
            table=container,
            index=index,
            index_kind="reference" if index_kind == "reference" else "number",
        )

    def _return(self, node: ast.Return) -> Optional[ir.Statement]:
        place = node.span.place()
        if self.body.kind == "function":
            if node.value is None:
                self.error("HSM0309", node.span, "a function returns a value")
                return None
            value = self.expression(node.value)
            if value is None or self.result is None:
                return None
            value = self.fit(
                value, self.result, node.value.span, f"value of '{self.body.name}'"
            )
            if value is None:
                return None
            return ir.Return(place=place, result=value)
        if self.body.kind == "process" or node.value is not None:
            self.error(
                "HSM0309",
                node.span,
                "a row has nothing to return from"
                if self.body.kind == "process"
                else "an action returns no value",
            )
            return None
        return ir.Return(place=place, result=None)


def _what(target: ir.Expression) -> str:
    kinds = {
        ir.ArgumentName: "an argument",
        ir.InstanceName: "the process' own record",
        ir.ConstantName: "a constant",
        ir.ParameterName: "a parameter",
        ir.MemberName: "a member of an enumeration",
        ir.PayloadField: "a payload (read-only, passed in place)",
        ir.LocalName: "a payload (read-only, passed in place)",
    }
    return kinds.get(type(target), "this")
