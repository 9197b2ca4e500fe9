# SPDX-License-Identifier: MIT
"""Names and types of expressions.

Every method reports a mistake and returns None for it; a caller that gets None reports nothing, so that one mistake
gives one message.
"""

from __future__ import annotations

import dataclasses
from typing import Callable, Iterable, Optional, Union

from .. import ir
from . import ast
from .build_parts import RESERVED
from .constants import LARGEST, U32
from .context import Body, Context, Effect
from .declarations import UNKNOWN, Declarations, largest
from ..source import Span

BOOL = ir.BoolType()
NONE = ir.ReferenceType("", 8)  # the type of `none` until it meets another reference

Binding = Union[ir.Local, ir.Expression]
Numeric = (ir.IntegerType, ir.EnumerationType)

FOLD: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def is_number(type_: ir.Type) -> bool:
    return isinstance(type_, Numeric) and not isinstance(type_, ir.HandleType)


def describe(type_: ir.Type) -> str:
    """A type in a message."""
    if isinstance(type_, ir.HandleType):
        return f"a handle of {type_.pool}"
    if isinstance(type_, ir.ReferenceType):
        return f"a reference to {type_.pool}" if type_.pool else "none"
    if isinstance(type_, ir.PayloadType):
        return f"a payload {type_.name}"
    return f"a {type_}" if isinstance(type_, ir.BoolType) else str(type_)


class Expressions:
    """Resolves expressions inside one body. `scope` maps the names that are not global."""

    def __init__(self, context: Context, types: Declarations, body: Body) -> None:
        self.context = context
        self.types = types
        self.body = body
        self.scopes: list[dict[str, tuple[Binding, Span]]] = [{}]
        # What the arguments of the event are called where they are declared: no local may be called so in generated
        # code, though the row may have bound them by other names.
        self.declared_arguments: frozenset[str] = frozenset()

    # --- scopes

    def bind(self, name: ast.Name, binding: Binding, what: str) -> None:
        """No name may hide another: the reader need not know which one wins."""
        if name.text in RESERVED:
            self.context.error(
                "HSM0106", name.span, f"'{name.text}' is a word of the language"
            )
        for scope in self.scopes:
            if name.text in scope:
                self.context.error(
                    "HSM0209",
                    name.span,
                    f"{what} '{name.text}' hides another name",
                    [("this one", scope[name.text][1])],
                )
                break
        else:
            symbol = self.context.symbols.get(name.text)
            if symbol is not None:
                self.context.error(
                    "HSM0209",
                    name.span,
                    f"{what} '{name.text}' hides a {symbol.kind}",
                    [("this one", symbol.span)],
                )
        self.scopes[-1][name.text] = (binding, name.span)
        self.context.local_types[name.span.place()] = binding.type

    def lookup(self, name: str) -> Optional[Binding]:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name][0]
        return None

    def refer(self, span: Span, name: str) -> None:
        """Notes what a local or global name stands for."""
        if self.context.in_check:  # the same as without it
            return
        for scope in reversed(self.scopes):
            if name in scope:
                self.context.refer(span, scope[name][1])
                return
        symbol = self.context.symbols.get(name)
        if symbol is not None:
            self.context.refer(span, symbol.span)

    def local_names(self) -> list[str]:
        return [name for scope in self.scopes for name in scope]

    def effect(self, kind: str, name: str, span: Span) -> None:
        self.body.effects.append(Effect(kind, name, span))

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        notes: Iterable[tuple[str, Span]] = (),
    ) -> None:
        self.context.error(code, span, message, notes)

    # --- expressions by kind

    def expression(self, node: ast.Expression) -> Optional[ir.Expression]:
        """Any expression, arrays and payloads included."""
        # Half of all expressions are names.
        if isinstance(node, ast.NameUse):
            return self._name(node)
        if isinstance(node, ast.Binary):
            return self._binary(node)
        if isinstance(node, ast.Member):
            return self._member(node, False)
        place = node.span.place()
        if isinstance(node, ast.Number):
            if node.value > LARGEST:
                self.error("HSM0303", node.span, f"{node.text} does not fit 32 bits")
                return None
            return ir.Number(type=U32, place=place, value=node.value, text=node.text)
        if isinstance(node, ast.Word):
            if node.text == "none":
                return ir.NoneReference(type=NONE, place=place, value=0)
            return ir.Number(
                type=BOOL, place=place, value=int(node.text == "true"), text=node.text
            )
        if isinstance(node, ast.Unary):
            return self._unary(node)
        if isinstance(node, ast.Conditional):
            return self._conditional(node)
        if isinstance(node, ast.Index):
            return self._index(node)
        if isinstance(node, ast.Find):
            return self._find(node)
        return self._call(node)

    def single(self, node: ast.Expression) -> Optional[ir.Expression]:
        """A value that fits a register: no array, set of bits or payload."""
        result = self.expression(node)
        if result is None:
            return None
        if isinstance(result.type, (ir.ArrayType, ir.BitsType)):
            self.error(
                "HSM0301",
                node.span,
                f"{result.type} is not a value; "
                + (
                    "use has()"
                    if isinstance(result.type, ir.BitsType)
                    else "take an element of it"
                ),
            )
            return None
        if isinstance(result.type, ir.PayloadType):
            self.error(
                "HSM0301", node.span, f"{describe(result.type)} is not a single value"
            )
            return None
        return result

    def number(self, node: ast.Expression) -> Optional[ir.Expression]:
        result = self.single(node)
        if result is None or is_number(result.type):
            return result
        named = isinstance(result.type, (ir.ReferenceType, ir.HandleType))
        code = "HSM0304" if named else "HSM0301"
        self.error(
            code, node.span, f"a number is needed here, not {describe(result.type)}"
        )
        return None

    def condition(self, node: ast.Expression) -> Optional[ir.Expression]:
        result = self.single(node)
        if result is None or isinstance(result.type, ir.BoolType):
            return result
        self.error(
            "HSM0301",
            node.span,
            f"a condition is needed here, not {describe(result.type)}",
        )
        return None

    def reference(self, node: ast.Expression, pool: str) -> Optional[ir.Expression]:
        result = self.single(node)
        if result is None:
            return None
        return self.fit(result, self.context.pools[pool].reference, node.span, "value")

    def fit(
        self,
        value: ir.Expression,
        type_: ir.Type,
        span: Span,
        what: str,
        limits: Optional[ir.Range] = None,
    ) -> Optional[ir.Expression]:
        """Makes a value ready to be stored in a place of this type."""
        if type_ == UNKNOWN:
            return None
        if isinstance(type_, ir.HandleType):
            if value.type == NONE:
                return self._retype_none(value, type_)
        elif isinstance(type_, ir.IntegerType) and is_number(value.type):
            return self._fit_number(value, type_, span, what, limits)
        if isinstance(type_, ir.ReferenceType) and isinstance(
            value.type, ir.ReferenceType
        ):
            if value.type.pool == type_.pool:
                return value
            if value.type == NONE:
                return self._retype_none(value, type_)
        elif value.type == type_ and not isinstance(type_, (ir.ArrayType, ir.BitsType)):
            if limits is not None:
                return self._within(value, limits, span, what)
            return value
        code = (
            "HSM0304"
            if isinstance(value.type, (ir.ReferenceType, ir.HandleType))
            and is_number(type_)
            else "HSM0301"
        )
        self.error(
            code,
            span,
            f"{what} must be {describe(type_)}, not {describe(value.type)}",
        )
        return None

    def _fit_number(
        self,
        value: ir.Expression,
        type_: ir.IntegerType,
        span: Span,
        what: str,
        limits: Optional[ir.Range],
    ) -> Optional[ir.Expression]:
        if value.value is not None:
            if value.value > largest(type_):
                self.error(
                    "HSM0303",
                    span,
                    f"{what} is {value.value}, which does not fit {type_}",
                )
                return None
            if limits is not None:
                return self._within(value, limits, span, what)
            return value
        assert isinstance(value.type, Numeric)
        if value.type.bits > type_.bits:
            return ir.Narrow(type=type_, place=span.place(), operand=value)
        return value

    def _within(
        self, value: ir.Expression, limits: ir.Range, span: Span, what: str
    ) -> Optional[ir.Expression]:
        if (
            value.value is not None
            and not limits.low.value <= value.value <= limits.high.value
        ):
            self.error("HSM0303", span, f"{what} is {value.value}, not in {limits}")
            return None
        return value

    def _retype_none(
        self, value: ir.Expression, type_: Union[ir.ReferenceType, ir.HandleType]
    ) -> ir.Expression:
        if isinstance(value, ir.Conditional):
            return dataclasses.replace(
                value,
                type=type_,
                then=self._retype_none(value.then, type_),
                otherwise=self._retype_none(value.otherwise, type_),
            )
        return dataclasses.replace(value, type=type_)

    # --- names

    def _name(self, node: ast.NameUse) -> Optional[ir.Expression]:
        place = node.span.place()
        self.refer(node.span, node.name)
        binding = self.lookup(node.name)
        if isinstance(binding, ir.Local):
            self.context.locals_used.add(id(binding))
            return ir.LocalName(type=binding.type, place=place, local=binding)
        if binding is not None:
            self.context.use(f"argument of {self.body.name}", node.name)
            if binding.type == UNKNOWN:
                return None
            return ir.moved(binding, place)
        symbol = self.context.symbols.get(node.name)
        if symbol is None:
            self.unknown_name(node.span, node.name)
            return None
        if isinstance(symbol.node, ast.Constant):
            self.context.use("constant", node.name)
            constant = self.context.constants.get(node.name)
            if constant is None:
                return None
            return ir.ConstantName(
                type=U32, place=place, value=constant.value, name=node.name
            )
        if isinstance(symbol.node, ast.Parameter):
            self.context.use("parameter", node.name)
            self.body.reads_state = True
            parameter = self.context.parameters.get(node.name)
            if parameter is None:
                return None
            return ir.ParameterName(type=parameter.type, place=place, name=node.name)
        if isinstance(symbol.node, ast.EnumerationMember):
            enumeration = self.context.enumerations.get(symbol.owner)
            for member in enumeration.members if enumeration else ():
                if enumeration is not None and member.name == node.name:
                    return ir.MemberName(
                        type=ir.EnumerationType(enumeration.name, enumeration.bits),
                        place=place,
                        value=member.value,
                        enumeration=enumeration.name,
                        name=node.name,
                    )
            return None
        if isinstance(symbol.node, ast.Field):
            return self.variable(symbol.owner, node, True)
        self.error(
            "HSM0211",
            node.span,
            f"'{node.name}' is {with_article(symbol.kind)}, not a value"
            + ("; name a field of it" if symbol.kind in ("pool", "table") else ""),
            [("declared here", symbol.span)],
        )
        return None

    def variable(
        self, process: str, node: ast.NameUse, read: bool
    ) -> Optional[ir.Expression]:
        self.body.reads_state = True
        self.effect("read" if read else "write", f"{process}.{node.name}", node.span)
        fields = self.context.fields_read if read else self.context.fields_written
        fields.add((process, node.name))
        field = self.context.variables.get(node.name)
        if field is None:
            return None
        return ir.VariableName(
            type=field.type, place=node.span.place(), process=process, name=node.name
        )

    def unknown_name(self, span: Span, name: str) -> None:
        self.context.report.unknown(
            "HSM0201",
            span,
            f"there is no name '{name}'",
            name,
            [*self.context.symbols, *self.local_names()],
        )

    # --- fields and elements

    def _member(self, node: ast.Member, target: bool) -> Optional[ir.Expression]:
        """`target`: the field is being written, not read."""
        place = node.span.place()
        record = self._record(node.base)
        if record is not None:
            container, index, index_kind = record
            if index is None:
                return None
            return self._record_field(node, container, index, index_kind, target)
        if self._names_record(node.base):
            return None
        base = self.expression(node.base)
        if base is None:
            return None
        if isinstance(base.type, ir.PayloadType):
            payload = self.context.payloads.get(base.type.name)
            if payload is None:
                return None
            self.context.fields_read.add((payload.name, node.name.text))
            field = self._field(payload.fields, node.name, f"payload {payload.name}")
            if field is None:
                return None
            return ir.PayloadField(
                type=field.type,
                place=place,
                base=base,
                payload=payload.name,
                field=field.name,
            )
        if isinstance(base.type, ir.ReferenceType) and base.type != NONE:
            return self._record_field(node, base.type.pool, base, "reference", target)
        self.error("HSM0205", node.name.span, f"{describe(base.type)} has no fields")
        return None

    def _field(
        self, fields: tuple[ir.Field, ...], name: ast.Name, owner: str
    ) -> Optional[ir.Field]:
        for field in fields:
            if field.name == name.text:
                self.context.refer(name.span, field.place)
                return field
        self.context.report.unknown(
            "HSM0205",
            name.span,
            f"{owner} has no field '{name.text}'",
            name.text,
            [field.name for field in fields],
        )
        return None

    def _record_field(
        self,
        node: ast.Member,
        container: str,
        index: ir.Expression,
        index_kind: str,
        target: bool,
    ) -> Optional[ir.Expression]:
        self.body.reads_state = True
        holder = self.context.pools.get(container) or self.context.tables.get(container)
        if holder is None:
            return None
        kind = "pool" if isinstance(holder, ir.Pool) else "table"
        if target:
            self.effect("record", container, node.span)
            self.context.fields_written.add((container, node.name.text))
        else:
            self.context.fields_read.add((container, node.name.text))
        field = self._field(holder.fields, node.name, f"{kind} {container}")
        if field is None:
            return None
        return ir.RecordField(
            type=field.type,
            place=node.span.place(),
            container=container,
            container_kind="pool" if kind == "pool" else "table",
            index=index,
            index_kind="reference" if index_kind == "reference" else "number",
            field=field.name,
        )

    def _names_record(self, node: ast.Expression) -> bool:
        if not isinstance(node, ast.Index) or not isinstance(node.base, ast.NameUse):
            return False
        symbol = self.context.symbols.get(node.base.name)
        return (
            self.lookup(node.base.name) is None
            and symbol is not None
            and isinstance(symbol.node, (ast.Pool, ast.Table))
        )

    def _record(
        self, node: ast.Expression
    ) -> Optional[tuple[str, Optional[ir.Expression], str]]:
        """`Pool[reference]` or `Table[index]`: container, index, kind of index."""
        if not self._names_record(node):
            return None
        assert isinstance(node, ast.Index) and isinstance(node.base, ast.NameUse)
        name = node.base.name
        self.refer(node.base.span, name)
        table = self.context.tables.get(name)
        pool = name if name in self.context.pools else table.pool if table else None
        if pool is not None and pool in self.context.pools:
            return name, self.reference(node.index, pool), "reference"
        index = self.number(node.index)
        if table is None:
            return None
        return name, self.bounded(index, table.count.value, node.index.span), "number"

    def bounded(
        self, index: Optional[ir.Expression], count: int, span: Span
    ) -> Optional[ir.Expression]:
        """A constant index must lie inside."""
        if index is not None and index.value is not None and index.value >= count:
            self.error("HSM0303", span, f"index {index.value} is not in 0..{count - 1}")
            return None
        return index

    def _index(self, node: ast.Index) -> Optional[ir.Expression]:
        if self._names_record(node):
            self._record(node)
            self.error(
                "HSM0211",
                node.span,
                "a whole record is not a value; name a field of it",
            )
            return None
        base = self.expression(node.base)
        index = self.number(node.index)
        if base is None or index is None:
            return None
        return self._element(node, base, index)

    def _element(
        self, node: ast.Index, base: ir.Expression, index: ir.Expression
    ) -> Optional[ir.Expression]:
        if isinstance(base.type, ir.ArrayType):
            bounded = self.bounded(index, base.type.count.value, node.index.span)
            if bounded is None:
                return None
            return ir.Element(
                type=base.type.element,
                place=node.span.place(),
                base=base,
                index=bounded,
            )
        hint = "; use has()" if isinstance(base.type, ir.BitsType) else ""
        self.error("HSM0301", node.span, f"{describe(base.type)} has no elements{hint}")
        return None

    # --- operators

    def _unary(self, node: ast.Unary) -> Optional[ir.Expression]:
        place = node.span.place()
        if node.operator == "not":
            operand = self.condition(node.operand)
            if operand is None:
                return None
            value = None if operand.value is None else 1 - operand.value
            return ir.Unary(
                type=BOOL, place=place, value=value, operator="not", operand=operand
            )
        operand = self.number(node.operand)
        if operand is None:
            return None
        value = operand.value
        if value is not None:
            value = (-value if node.operator == "-" else ~value) & LARGEST
        return ir.Unary(
            type=U32,
            place=place,
            value=value,
            operator="-" if node.operator == "-" else "~",
            operand=operand,
        )

    def _binary(self, node: ast.Binary) -> Optional[ir.Expression]:
        operator = node.operator
        left: Optional[ir.Expression]
        right: Optional[ir.Expression]
        if operator in ("and", "or"):
            left, right = self.condition(node.left), self.condition(node.right)
        elif operator in ("==", "!="):
            left, right = self._alike(node)
        else:
            left, right = self.number(node.left), self.number(node.right)
        if left is None or right is None:
            return None
        if not self._computable(node, left, right):
            return None
        logical = operator in ("and", "or", "==", "!=", "<", "<=", ">", ">=")
        return ir.Binary(
            type=BOOL if logical else U32,
            place=node.span.place(),
            value=_fold(operator, left.value, right.value),
            operator=operator,  # type: ignore[arg-type]
            left=left,
            right=right,
        )

    def _computable(
        self, node: ast.Binary, left: ir.Expression, right: ir.Expression
    ) -> bool:
        """The chip neither multiplies nor divides."""
        operator = node.operator
        if operator == "*" and left.value is None and right.value is None:
            self.error(
                "HSM0307",
                node.span,
                "one side of '*' must be constant: the chip has no multiplier",
            )
            return False
        if operator in ("/", "%"):
            if right.value == 0:
                self.error("HSM0308", node.right.span, "division by zero")
                return False
            power = right.value is not None and right.value & (right.value - 1) == 0
            if not power and (left.value is None or right.value is None):
                self.error(
                    "HSM0308",
                    node.span,
                    f"both sides of '{operator}' must be constant, or the right one a constant power of two: the chip "
                    "has no divider"
                    + (f"; {right.value} is none" if right.value is not None else ""),
                )
                return False
        if operator in ("<<", ">>") and right.value is not None and right.value > 31:
            self.error(
                "HSM0303", node.right.span, f"shift by {right.value}, not in 0..31"
            )
            return False
        return True

    def _alike(
        self, node: ast.Binary
    ) -> tuple[Optional[ir.Expression], Optional[ir.Expression]]:
        """Both sides of == or !=."""
        left, right = self.single(node.left), self.single(node.right)
        if left is None or right is None:
            return None, None
        a, b = left.type, right.type
        if isinstance(a, ir.EnumerationType) and isinstance(b, ir.EnumerationType):
            if a == b:
                return left, right
        elif isinstance(a, ir.HandleType) or isinstance(b, ir.HandleType):
            if a == b:
                return left, right
            if a == NONE and isinstance(b, ir.HandleType):
                return self._retype_none(left, b), right
            if b == NONE and isinstance(a, ir.HandleType):
                return left, self._retype_none(right, a)
        elif isinstance(a, Numeric) and isinstance(b, Numeric):
            return left, right
        elif isinstance(a, ir.BoolType) and isinstance(b, ir.BoolType):
            return left, right
        elif isinstance(a, ir.ReferenceType) and isinstance(b, ir.ReferenceType):
            if a.pool == b.pool:
                return left, right
            if a == NONE:
                return self._retype_none(left, b), right
            if b == NONE:
                return left, self._retype_none(right, a)
        mixed = {type(a), type(b)} & {ir.ReferenceType} and {type(a), type(b)} & {
            ir.IntegerType,
            ir.EnumerationType,
        }
        self.error(
            "HSM0304" if mixed else "HSM0301",
            node.span,
            f"{describe(a)} cannot be compared with {describe(b)}",
        )
        return None, None

    def _unify(
        self, node: ast.Node, left: ir.Expression, right: ir.Expression
    ) -> Optional[ir.Type]:
        """The type of a value that is one of two."""
        a, b = left.type, right.type
        if a == b:
            return a
        if isinstance(a, ir.ReferenceType) and isinstance(b, ir.ReferenceType):
            if NONE in (a, b):
                return b if a == NONE else a
        elif isinstance(a, ir.HandleType) or isinstance(b, ir.HandleType):
            if NONE in (a, b):
                return b if a == NONE else a
        elif isinstance(a, Numeric) and isinstance(b, Numeric):
            if left.value is not None and left.value <= largest(b):
                return ir.IntegerType(b.bits)
            if right.value is not None and right.value <= largest(a):
                return ir.IntegerType(a.bits)
            return ir.IntegerType(max(a.bits, b.bits))
        self.error(
            "HSM0301", node.span, f"{describe(a)} and {describe(b)} do not go together"
        )
        return None

    def _conditional(self, node: ast.Conditional) -> Optional[ir.Expression]:
        condition = self.condition(node.condition)
        then, otherwise = self.single(node.then), self.single(node.otherwise)
        if condition is None or then is None or otherwise is None:
            return None
        type_ = self._unify(node, then, otherwise)
        if type_ is None:
            return None
        if isinstance(type_, (ir.ReferenceType, ir.HandleType)):
            then = self._retype_none(then, type_) if then.type == NONE else then
            if otherwise.type == NONE:
                otherwise = self._retype_none(otherwise, type_)
        value = None
        if condition.value is not None:
            value = then.value if condition.value else otherwise.value
        return ir.Conditional(
            type=type_,
            place=node.span.place(),
            value=value,
            condition=condition,
            then=then,
            otherwise=otherwise,
        )

    def _call(self, node: ast.Call) -> Optional[ir.Expression]:
        """See calls.py."""
        raise NotImplementedError

    def _find(self, node: ast.Find) -> Optional[ir.Expression]:
        """See calls.py."""
        raise NotImplementedError


def _fold(operator: str, left: Optional[int], right: Optional[int]) -> Optional[int]:
    if operator == "and":
        if left == 0 or right == 0:
            return 0
        return 1 if left is not None and right is not None else None
    if operator == "or":
        if left or right:
            return 1
        return 0 if left is not None and right is not None else None
    if left is None or right is None:
        return None
    return int(FOLD[operator](left, right)) & LARGEST


def with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
