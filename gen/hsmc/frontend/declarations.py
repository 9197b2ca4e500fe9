# SPDX-License-Identifier: MIT
"""Everything with a name but without behaviour: parameters, enumerations, payloads, pools, tables, variables, and the
signatures of what can be called. (Layouts: layouts.py.)"""

from __future__ import annotations

import dataclasses
from typing import Optional, Sequence, Union

from .. import ir
from ..admission import member_runs
from . import ast, handles, layouts, payload_sources
from .constants import Constants
from .context import Context, Signature

INTEGERS = {f"u{bits}": ir.IntegerType(bits) for bits in (8, 16, 32)}
# Of an argument whose type is wrong; reported where it is declared.
UNKNOWN = ir.PayloadType("?")
RECORDS_LIMIT = 65534  # a reference is index + 1 in 16 bits


def largest(type_: ir.Type) -> int:
    """The largest number of an integer or enumeration type; 1 for bool."""
    if isinstance(type_, (ir.IntegerType, ir.EnumerationType)):
        return int((1 << type_.bits) - 1)
    return 1


class Declarations:
    def __init__(self, context: Context, constants: Constants) -> None:
        self.context = context
        self.constants = constants
        # A process runs for a pool that is not known: then a pool without process is no mistake of its own.
        self.stray_process = False
        self.declared = False

    def declare_all(self) -> None:
        context = self.context
        # In order of dependence: whatever names a type needs it declared.
        for node in context.spec.declarations:
            if isinstance(node, ast.Enumeration) and context.is_first(node):
                self._enumeration(node)
        for node in context.spec.declarations:
            if isinstance(node, ast.Process) and node.instance is not None:
                self._instance(node)
        for node in context.spec.declarations:
            if isinstance(node, ast.Pool) and context.is_first(node):
                self._pool_without_fields(node)
        sources = payload_sources.PayloadSources(
            context, layouts.declare_all(context, self.constants)
        )
        for node in context.spec.declarations:
            if not context.is_first(node):
                continue
            if isinstance(node, ast.Parameter):
                self._parameter(node)
            elif isinstance(node, ast.Payload):
                fields = self._fields(node.name.text, node.fields, scalars_only=True)
                payload = ir.Payload(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    fields=fields,
                )
                resolved = sources.resolve(node, payload)
                if resolved is not None:
                    context.payloads[node.name.text] = resolved
            elif isinstance(node, ast.Table):
                self._table(node)
            elif isinstance(node, ast.Pool):
                self._pool_fields(node)
        for node in context.spec.declarations:
            if isinstance(node, ast.Process):
                self._process(node)
            elif isinstance(node, (ast.Function, ast.Action, ast.Device)):
                if context.is_first(node):
                    arguments = self.arguments(node.arguments)
                    result = (
                        self.scalar(node.result, "the value of a function")
                        if isinstance(node, ast.Function)
                        else None
                    )
                    context.signatures[node.name.text] = Signature(arguments, result)
        self.declared = True
        handles.declare(context)

    # --- types

    def type(self, use: ast.TypeUse) -> Optional[ir.Type]:
        if use.name.text == "handle" and "handle" not in self.context.symbols:
            return self._handle(use)
        base = self._named_type(use)
        if base is None and not (use.name.text == "bits" and use.count is not None):
            return None
        if use.count is None:
            return base
        count = self.constants.size(
            use.count, 1, RECORDS_LIMIT, "the number of elements"
        )
        if count is None:
            return None
        if use.name.text == "bits":
            return ir.BitsType(count)
        if base is None or isinstance(
            base, (ir.PayloadType, ir.BitsType, ir.ArrayType)
        ):
            self.context.error("HSM0206", use.span, "an array of payloads has no use")
            return None
        return ir.ArrayType(base, count)

    def _handle(self, use: ast.TypeUse) -> Optional[ir.Type]:
        if not isinstance(use.count, ast.NameUse):
            self.context.error(
                "HSM0206", use.span, "a handle is of a pool: handle[Pool]"
            )
            return None
        name = use.count.name
        symbol = self.context.symbols.get(name)
        if symbol is None or not isinstance(symbol.node, ast.Pool):
            self.context.report.unknown(
                "HSM0206",
                use.count.span,
                f"there is no pool '{name}'",
                name,
                self.context.names(ast.Pool),
            )
            return None
        self.context.refer(use.count.span, symbol.span)
        if name not in self.context.pools:
            return None
        if not self.declared:
            self.context.handles.add(name)
        return ir.HandleType(32, name)

    def _named_type(self, use: ast.TypeUse) -> Optional[ir.Type]:
        name = use.name.text
        if name in INTEGERS:
            return INTEGERS[name]
        if name == "bool":
            return ir.BoolType()
        if name == "bits":
            if use.count is None:
                self.context.error("HSM0206", use.span, "bits needs a number: bits[n]")
            return None
        symbol = self.context.symbols.get(name)
        if symbol is None:
            self.context.report.unknown(
                "HSM0206",
                use.name.span,
                f"there is no type '{name}'",
                name,
                [
                    *INTEGERS,
                    "bool",
                    *self.context.names(ast.Enumeration, ast.Pool, ast.Payload),
                ],
            )
            return None
        self.context.refer(use.name.span, symbol.span)
        if isinstance(symbol.node, ast.Enumeration):
            enumeration = self.context.enumerations.get(name)
            return ir.EnumerationType(name, enumeration.bits) if enumeration else None
        if isinstance(symbol.node, ast.Pool):
            pool = self.context.pools.get(name)
            return pool.reference if pool else None
        if isinstance(symbol.node, ast.Payload):
            return ir.PayloadType(name)
        self.context.error(
            "HSM0206",
            use.name.span,
            f"'{name}' is a {symbol.kind}, not a type",
            [("declared here", symbol.span)],
        )
        return None

    def scalar(self, use: ast.TypeUse, what: str) -> Optional[ir.ScalarType]:
        found = self.type(use)
        if isinstance(found, (ir.PayloadType, ir.BitsType, ir.ArrayType)):
            self.context.error(
                "HSM0206", use.span, f"{what} must be a number, a bool or a reference"
            )
            return None
        return found

    def arguments(self, nodes: Sequence[ast.Argument]) -> tuple[ir.Argument, ...]:
        result: list[ir.Argument] = []
        for node in nodes:
            found = self.type(node.type)
            type_: Union[ir.ScalarType, ir.PayloadType] = UNKNOWN
            if isinstance(found, (ir.BitsType, ir.ArrayType)):
                self.context.error(
                    "HSM0206", node.type.span, "arrays and bits cannot be arguments"
                )
            elif found is not None:
                type_ = found
            first = next((n for n in nodes if n.name.text == node.name.text), node)
            if first is not node:
                self.context.error(
                    "HSM0202",
                    node.name.span,
                    f"argument '{node.name.text}' occurs twice",
                    [("first here", first.name.span)],
                )
            limits = self.range(node.range, type_) if found is not None else None
            result.append(ir.Argument(name=node.name.text, type=type_, range=limits))
        return tuple(result)

    def range(self, node: Optional[ast.Range], type_: ir.Type) -> Optional[ir.Range]:
        if node is None:
            return None
        numeric = isinstance(type_, (ir.IntegerType, ir.EnumerationType))
        if not numeric or isinstance(type_, ir.HandleType):
            self.context.error(
                "HSM0312", node.span, f"a range needs a number, not {type_}"
            )
            return None
        low = self.constants.size(node.low, 0, largest(type_), "the lower end")
        high = self.constants.size(node.high, 0, largest(type_), "the upper end")
        if low is None or high is None:
            return None
        if low.value > high.value:
            self.context.error(
                "HSM0312", node.span, f"empty range {low.value}..{high.value}"
            )
            return None
        limits = ir.Range(low, high)
        if isinstance(type_, ir.EnumerationType):
            if not member_runs(self.context.enumerations[type_.name], limits):
                self.context.error(
                    "HSM0312", node.span, f"{type_} has no member in {limits}"
                )
        return limits

    # --- declarations

    def _parameter(self, node: ast.Parameter) -> None:
        type_ = self.scalar(node.type, "a parameter")
        if type_ is None:
            return
        if isinstance(type_, (ir.ReferenceType, ir.HandleType)):
            self.context.error(
                "HSM0206", node.type.span, "a parameter must be a number or a bool"
            )
            return
        limits = self.range(node.range, type_)
        low = limits.low.value if limits else 0
        high = limits.high.value if limits else largest(type_)
        name = node.name.text
        default = self._value(node.default, low, high, f"default of '{name}'")
        if default is None:
            return
        if name in self.context.overrides:
            value = self.context.overrides[name]
            place = node.default.span.place()
            default = ir.Size(
                value,
                ir.Number(
                    type=ir.IntegerType(32), place=place, value=value, text=str(value)
                ),
            )
            if not low <= value <= high:
                self.context.error(
                    "HSM0303",
                    node.name.span,
                    f"the check sets '{name}' to {value}, not in {low}..{high}",
                )
        if node.unit is not None and node.unit.text != "us":
            self.context.error(
                "HSM0201",
                node.unit.span,
                f"there is no unit '{node.unit.text}'; only us (microseconds)",
            )
        self.context.parameters[name] = ir.Parameter(
            name=name,
            doc=node.doc,
            place=node.name.span.place(),
            type=type_,
            default=default,
            range=limits,
            unit=node.unit.text if node.unit else "",
            live=node.live,
            index=len(self.context.parameters),
        )

    def _value(
        self, node: ast.Expression, low: int, high: int, what: str
    ) -> Optional[ir.Size]:
        """A constant, or true or false."""
        if isinstance(node, ast.Word) and node.text in ("true", "false"):
            value = int(node.text == "true")
            return ir.Size(
                value,
                ir.Number(
                    type=ir.BoolType(),
                    place=node.span.place(),
                    value=value,
                    text=node.text,
                ),
            )
        return self.constants.size(node, low, high, what)

    def _enumeration(self, node: ast.Enumeration) -> None:
        base = self.type(node.base)
        if not isinstance(base, ir.IntegerType) or isinstance(base, ir.HandleType):
            if base is not None:
                self.context.error(
                    "HSM0206",
                    node.base.span,
                    "an enumeration is based on u8, u16 or u32",
                )
            self.constants.failed.add(node.name.text)
            return
        members: list[ir.Member] = []
        by_value: dict[int, ast.EnumerationMember] = {}
        for member in node.members:
            size = self.constants.size(
                member.value, 0, largest(base), f"member '{member.name.text}'"
            )
            if size is None:
                continue
            first = by_value.setdefault(size.value, member)
            if first is not member:
                self.context.error(
                    "HSM0403",
                    member.value.span,
                    f"'{member.name.text}' has the value of '{first.name.text}'",
                    [("first here", first.name.span)],
                )
            members.append(
                ir.Member(
                    name=member.name.text,
                    doc=member.doc,
                    place=member.name.span.place(),
                    value=size.value,
                )
            )
        self.context.enumerations[node.name.text] = ir.Enumeration(
            name=node.name.text,
            doc=node.doc,
            place=node.name.span.place(),
            bits=base.bits,
            members=tuple(members),
        )

    def _fields(
        self, owner: str, nodes: Sequence[ast.Field], scalars_only: bool = False
    ) -> tuple[ir.Field, ...]:
        fields: list[ir.Field] = []
        for node in self.context.distinct(nodes, "record", owner):
            type_: Optional[ir.Type]
            if scalars_only:
                type_ = self.scalar(node.type, "a field of a payload")
            else:
                type_ = self.type(node.type)
                if isinstance(type_, ir.PayloadType):
                    self.context.error(
                        "HSM0206", node.type.span, "a payload cannot be kept in state"
                    )
                    type_ = None
            if type_ is None:
                self.context.report.damaged_names.add(node.name.text)
                continue
            limits = self.range(
                node.range,
                type_.element if isinstance(type_, ir.ArrayType) else type_,
            )
            initial = None
            if node.initial is not None:
                initial = self._initial(node, type_, limits)
            fields.append(
                ir.Field(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    type=type_,
                    range=limits,
                    initial=initial,
                    local=node.local,
                )
            )
        return tuple(fields)

    def _initial(
        self, node: ast.Field, type_: ir.Type, limits: Optional[ir.Range]
    ) -> Optional[ir.Size]:
        assert node.initial is not None
        if isinstance(
            type_, (ir.ReferenceType, ir.HandleType, ir.BitsType, ir.ArrayType)
        ):
            self.context.error(
                "HSM0301",
                node.initial.span,
                f"a {type_} starts empty; it takes no initial value",
            )
            return None
        low = limits.low.value if limits else 0
        high = limits.high.value if limits else largest(type_)
        return self._value(node.initial, low, high, f"'{node.name.text}'")

    def _instance(self, node: ast.Process) -> None:
        """Which pool a process runs for."""
        assert node.instance is not None
        name = node.instance.type.name
        symbol = self.context.symbols.get(name.text)
        if symbol is None or not isinstance(symbol.node, ast.Pool):
            self.stray_process = True
            self.context.report.unknown(
                "HSM0206",
                name.span,
                f"there is no pool '{name.text}'",
                name.text,
                self.context.names(ast.Pool),
            )
            return
        self.context.refer(name.span, symbol.span)
        first = self.context.process_of_pool.setdefault(name.text, node)
        if first is not node:
            self.context.error(
                "HSM0404",
                node.name.span,
                f"pool '{name.text}' has a process already",
                [("this one", first.name.span)],
            )

    def _pool_without_fields(self, node: ast.Pool) -> None:
        """References come first: the fields of one pool may refer to another."""
        name = node.name.text
        count = self.constants.size(
            node.count, 1, RECORDS_LIMIT, "the number of records"
        )
        if count is None:
            return
        writer = self.context.process(node.written_by)
        if node.created_by is not None:
            self.context.process(node.created_by)
        process = self.context.process_of_pool.get(name)
        if process is None and writer is not None and not self.stray_process:
            self.context.error(
                "HSM0404",
                node.name.span,
                f"no process runs for the records of pool '{name}'; a table needs none",
            )
        self.context.pools[name] = ir.Pool(
            name=name,
            doc=node.doc,
            place=node.name.span.place(),
            count=count,
            fields=(),
            reference=ir.ReferenceType(name, 8 if count.value < 256 else 16),
            written_by=node.written_by.text,
            created_by=(node.created_by or node.written_by).text,
            process=process.name.text if process else None,
            cold=node.cold,
        )

    def _pool_fields(self, node: ast.Pool) -> None:
        pool = self.context.pools.get(node.name.text)
        fields = self._fields(node.name.text, node.fields)
        if pool is not None:
            self.context.pools[pool.name] = dataclasses.replace(pool, fields=fields)

    def _table(self, node: ast.Table) -> None:
        self.context.process(node.written_by)
        parallel = None
        count: Optional[ir.Size] = None
        if isinstance(node.count, ast.NameUse):
            symbol = self.context.symbols.get(node.count.name)
            if symbol is not None and isinstance(symbol.node, ast.Pool):
                self.context.refer(node.count.span, symbol.span)
                pool = self.context.pools.get(symbol.name)
                if pool is None:
                    return
                parallel, count = pool.name, pool.count
        if count is None:
            count = self.constants.size(
                node.count, 1, RECORDS_LIMIT, "the number of records"
            )
        fields = self._fields(node.name.text, node.fields)
        if count is not None:
            self.context.tables[node.name.text] = ir.Table(
                name=node.name.text,
                doc=node.doc,
                place=node.name.span.place(),
                count=count,
                fields=fields,
                pool=parallel,
                written_by=node.written_by.text,
                cold=node.cold,
            )

    def _process(self, node: ast.Process) -> None:
        if node.instance is not None and node.variables:
            self.context.error(
                "HSM0521",
                node.variables[0].name.span,
                f"process '{node.name.text}' runs once per record: its variables are fields of the record",
            )
        for field in self._fields(node.name.text, node.variables):
            self.context.variables[field.name] = field
        events: dict[str, Signature] = {}
        for event in self.context.distinct(node.events, "process", node.name.text):
            events[event.name.text] = Signature(self.arguments(event.arguments))
        self.context.events.setdefault(node.name.text, events)
