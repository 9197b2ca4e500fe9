# SPDX-License-Identifier: MIT
"""One line of a world: its statements, and the world's functions, which stand where they are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

from .. import ir
from . import ast
from .context import Signature
from .executions import premises_of
from .expressions import is_number
from ..source import Span
from .statements import Statements

STATE_OF_NODE = (ir.VariableName, ir.RecordField, ir.Available, ir.Call)
FACTS = ("node", "quiet", "timers_stopped", "records_released", "divided")


@dataclass(frozen=True)
class WorldFunction:
    """One expression over what every line of the world knows, and its arguments."""

    node: ast.Function
    signature: Signature
    value: ast.Expression


class WorldStatements(Statements):
    """One line of a world: it writes the world's variables only. `asserts`: properties too, where something is observed."""

    asserts = False
    views = False  # is this line a view, which may read a node's state?
    functions_of_spec: Mapping[str, ir.Function] = {}
    functions: Mapping[str, WorldFunction] = {}
    calling: tuple[str, ...] = ()  # functions of the world, the outermost first
    # Values of calls whose arguments are constant; all lines of a world share them, for many make the same calls.
    known: dict[tuple[str, tuple[Optional[int], ...]], ir.Expression]

    def expression(self, node: ast.Expression) -> Optional[ir.Expression]:
        value = super().expression(node)
        return value if value is None or self._visible(value, node.span) else None

    def target(self, node: ast.Expression) -> Optional[ir.Expression]:
        place = super().target(node)
        return place if place is None or self._visible(place, node.span) else None

    def _visible(self, value: ir.Expression, span: Span) -> bool:
        """Reports state of a node in a line of the world."""
        if self.views or not isinstance(value, STATE_OF_NODE):
            return True
        if isinstance(value, ir.Call):
            called = self.functions_of_spec.get(value.function)
            if called is None or not called.reads_state:
                return True
        self.error(
            "HSM0606",
            span,
            "a world sees of a node's state what a view shows: view NAME = Table[i].field at NODE",
        )
        return False

    def _computable(
        self, node: ast.Binary, left: ir.Expression, right: ir.Expression
    ) -> bool:
        """A world runs on no chip, so it may multiply."""
        return node.operator == "*" or super()._computable(node, left, right)

    def _within(
        self, value: ir.Expression, limits: ir.Range, span: Span, what: str
    ) -> Optional[ir.Expression]:
        """A world may offer what no range allows: the node must refuse it."""
        return value

    def fit(
        self,
        value: ir.Expression,
        type_: ir.Type,
        span: Span,
        what: str,
        limits: Optional[ir.Range] = None,
    ) -> Optional[ir.Expression]:
        """Nor need it be a member of an enumeration."""
        if isinstance(type_, ir.EnumerationType) and is_number(value.type):
            type_ = ir.IntegerType(type_.bits)
        return super().fit(value, type_, span, what, limits)

    def statement(self, node: ast.Statement) -> Optional[ir.Statement]:
        if isinstance(node, ast.Assert) and self.asserts:
            return self._assert(node)
        if isinstance(node, ast.Clear):
            return self._clear_variable(node)
        change = isinstance(node, ast.CallStatement) and (
            not isinstance(node.call, ast.Call)
            or isinstance(node.call.callee, ast.NameUse)
            and node.call.callee.name in ("set", "unset")
        )
        create = isinstance(node, ast.Let) and isinstance(node.value, ast.Create)
        plain = isinstance(node, (ast.Let, ast.Assign, ast.If, ast.Repeat, ast.For))
        if create or not (plain or change):
            self.error(
                "HSM0606",
                node.span,
                "not here: a world assigns to its own variables, and asserts in 'observe' and 'end'",
            )
            return None
        return super().statement(node)

    def _assert(self, node: ast.Assert) -> Optional[ir.Statement]:
        condition = self.condition(node.condition)
        if not self.names_property(node.property, "safety") or condition is None:
            return None
        return ir.Assert(
            place=node.span.place(),
            property=node.property.text,
            condition=condition,
            text=node.condition.span.squeezed,
            premises=premises_of(node.condition),
        )

    def refer(self, span: Span, name: str) -> None:
        """Words with a meaning in every world are declared nowhere."""
        if name not in FACTS:
            super().refer(span, name)

    def names_property(self, name: ast.Name, kind: str) -> bool:
        symbol = self.context.separate.get(ast.Property, {}).get(name.text)
        if symbol is None:
            self.context.report.unknown(
                "HSM0201",
                name.span,
                f"there is no property '{name.text}'",
                name.text,
                self.context.separate_names(ast.Property),
            )
            return False
        self.context.refer(name.span, symbol.span)
        assert isinstance(symbol.node, ast.Property)
        if symbol.node.kind != kind:
            word = "assert" if symbol.node.kind == "safety" else "eventually"
            self.error(
                "HSM0211",
                name.span,
                f"'{name.text}' is a property of {symbol.node.kind}: '{word}' says what it means",
                [("declared here", symbol.span)],
            )
            return False
        return True

    def reference(self, node: ast.Expression, pool: str) -> Optional[ir.Expression]:
        """For a world a record is a number from 1."""
        record = self.number(node)
        count = self.context.pools[pool].count.value
        if record is None or record.value is None or 1 <= record.value <= count:
            return record
        self.error(
            "HSM0303",
            node.span,
            f"record {record.value} of {pool}, not in 1..{count}",
        )
        return None

    def _clear_variable(self, node: ast.Clear) -> Optional[ir.Statement]:
        variable = self.expression(node.record)
        if variable is None:
            return None
        if not isinstance(variable, ir.WorldVariable):
            self.error(
                "HSM0606", node.span, "not here: a world clears its own variables"
            )
            return None
        return ir.ClearVariable(place=node.span.place(), variable=variable)

    def _call(self, node: ast.Call) -> Optional[ir.Expression]:
        callee = node.callee
        if not isinstance(callee, ast.NameUse) or callee.name not in self.functions:
            return super()._call(node)
        function = self.functions[callee.name]
        declared = function.node.name.span
        self.context.refer(callee.span, declared)
        what = f"function {callee.name}"
        values = self.arguments(node, function.signature, what, declared)
        if values is None:
            return None
        return self.inlined(function, values, node.span)

    def inlined(
        self, function: WorldFunction, values: Sequence[ir.Expression], span: Span
    ) -> Optional[ir.Expression]:
        """The function's expression, which knows its arguments and no other name of this line."""
        name = function.node.name
        if name.text in self.calling:
            self.error(
                "HSM0517",
                name.span,
                f"function '{name.text}' calls itself: {' -> '.join((*self.calling, name.text))}",
            )
            return None
        key = (name.text, tuple(value.value for value in values))
        if key in self.known:
            return self.known[key]
        arguments = zip(function.node.arguments, values, strict=True)
        scopes, calling = self.scopes, self.calling
        self.scopes = [scopes[0], {a.name.text: (v, a.name.span) for a, v in arguments}]
        self.calling = (*calling, name.text)
        value = self.single(function.value)
        self.scopes, self.calling = scopes, calling
        result = function.signature.result
        if value is None or result is None:
            return None
        fitted = self.fit(value, result, span, f"the value of function {name.text}")
        if fitted is not None and None not in key[1]:
            self.known[key] = fitted
        return fitted
