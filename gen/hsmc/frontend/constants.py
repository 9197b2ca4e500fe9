# SPDX-License-Identifier: MIT
"""Constant expressions: sizes, ranges, values of constants. Evaluated over all integers, so that an intermediate
result below 0 does not wrap unseen; what is declared must fit 32 bits without sign."""

from __future__ import annotations

from typing import Callable, Optional

from .. import ir
from . import ast
from .context import Context, Symbol
from ..walk import nodes

U32 = ir.IntegerType(32)
LARGEST = 0xFFFFFFFF

OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}


def fixed_text(name: str, value: int) -> str:
    return f"constant '{name}' is fixed: the spec is right for {value} only, and nothing may set it"


def number_size(value: int, place: ir.Place) -> ir.Size:
    return ir.Size(
        value, ir.Number(type=U32, place=place, value=value, text=str(value))
    )


class Constants:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.open: list[str] = []
        self.failed: set[str] = set()

    def declare_all(self) -> None:
        for node in self.context.declarations(ast.Constant):
            assert isinstance(node, ast.Constant)
            if self.context.is_first(node):
                self._declare(node)

    def _declare(self, node: ast.Constant) -> Optional[ir.Constant]:
        name = node.name.text
        if name in self.context.constants or name in self.failed:
            return self.context.constants.get(name)
        if name in self.open:
            self.context.error(
                "HSM0314", node.name.span, f"constant '{name}' depends on itself"
            )
            self.failed.add(name)
            return None
        self.open.append(name)
        size = self.size(node.value)
        self.open.pop()
        if size is None:
            self.failed.add(name)
            return None
        if name in self.failed:
            return None
        if node.fixed:
            self._check_fixed(node, size)
        overridden = name in self.context.overrides
        if overridden and node.fixed:
            self.context.error("HSM0327", node.name.span, fixed_text(name, size.value))
        elif overridden:
            value = self.context.overrides[name]
            size = number_size(value, node.value.span.place())
        constant = ir.Constant(
            name=name,
            doc="",
            place=node.name.span.place(),
            value=size.value,
            expression=size.expression,
            external=node.external,
            overridden=overridden,
            fixed=node.fixed,
        )
        self.context.constants[name] = constant
        return constant

    def _check_fixed(self, node: ast.Constant, size: ir.Size) -> None:
        """What it is made of must stay, too."""
        for part in nodes(size.expression):
            if not isinstance(part, ir.ConstantName):
                continue
            other = self.context.constants[part.name]
            if not other.fixed:
                self.context.error(
                    "HSM0328",
                    node.value.span,
                    f"constant '{node.name.text}' is fixed, but depends on '{other.name}', which is not",
                    [("declared here", self.context.symbols[other.name].span)],
                )
                return

    def size(
        self, node: ast.Expression, low: int = 0, high: int = LARGEST, what: str = ""
    ) -> Optional[ir.Size]:
        """The value, which must lie in low..high."""
        expression = self.evaluate(node)
        if expression is None or expression.value is None:
            return None
        value = expression.value
        if not low <= value <= high:
            self.context.error(
                "HSM0303",
                node.span,
                f"{what or 'value'} is {value}, not in {low}..{high}",
            )
            return None
        return ir.Size(value, expression)

    def evaluate(self, node: ast.Expression) -> Optional[ir.Expression]:
        """`value` of the result is always set and may be any integer."""
        place = node.span.place()
        if isinstance(node, ast.Number):
            return ir.Number(type=U32, place=place, value=node.value, text=node.text)
        if isinstance(node, ast.NameUse):
            return self._name(node)
        if isinstance(node, ast.Unary) and node.operator in ("-", "~"):
            operand = self.evaluate(node.operand)
            if operand is None or operand.value is None:
                return None
            value = -operand.value if node.operator == "-" else LARGEST ^ operand.value
            return ir.Unary(
                type=U32,
                place=place,
                value=value,
                operator="-" if node.operator == "-" else "~",
                operand=operand,
            )
        if isinstance(node, ast.Binary) and node.operator in (*OPERATORS, "/", "%"):
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            if left is None or right is None:
                return None
            assert left.value is not None and right.value is not None
            result = self._calculate(node, left.value, right.value)
            if result is None:
                return None
            return ir.Binary(
                type=U32,
                place=place,
                value=result,
                operator=node.operator,  # type: ignore[arg-type]
                left=left,
                right=right,
            )
        self.context.error(
            "HSM0306",
            node.span,
            "not a constant expression: only numbers, constants and + - * / % & | ^ ~ << >> may stand here",
        )
        return None

    def _calculate(self, node: ast.Binary, left: int, right: int) -> Optional[int]:
        """Refuses what 32-bit arithmetic in C would give another value: the C repeats the expression."""
        if node.operator not in ("+", "-", "*"):
            for operand, value in ((node.left, left), (node.right, right)):
                if value < 0:
                    self.context.error(
                        "HSM0303",
                        operand.span,
                        f"{value} is below 0, which '{node.operator}' cannot take",
                    )
                    return None
        if node.operator in ("/", "%"):
            if right == 0:
                self.context.error("HSM0308", node.right.span, "division by zero")
                return None
            return left // right if node.operator == "/" else left % right
        if node.operator in ("<<", ">>") and not 0 <= right <= 31:
            self.context.error(
                "HSM0303", node.right.span, f"shift by {right}, not in 0..31"
            )
            return None
        result = OPERATORS[node.operator](left, right)
        if abs(result) > LARGEST:
            self.context.error("HSM0303", node.span, f"{result} does not fit 32 bits")
            return None
        return result

    def _name(self, node: ast.NameUse) -> Optional[ir.Expression]:
        symbol: Optional[Symbol] = self.context.symbols.get(node.name)
        if symbol is None:
            self.context.report.unknown(
                "HSM0201",
                node.span,
                f"there is no constant '{node.name}'",
                node.name,
                self.context.names(ast.Constant, ast.EnumerationMember),
            )
            return None
        self.context.refer(node.span, symbol.span)
        place = node.span.place()
        if isinstance(symbol.node, ast.Constant):
            self.context.use("constant", node.name)
            constant = self._declare(symbol.node)
            if constant is None:
                return None
            return ir.ConstantName(
                type=U32, place=place, value=constant.value, name=node.name
            )
        if isinstance(symbol.node, ast.EnumerationMember):
            enumeration = self.context.enumerations.get(symbol.owner)
            member = next(
                (
                    m
                    for m in (enumeration.members if enumeration else ())
                    if m.name == node.name
                ),
                None,
            )
            if enumeration is None or member is None:
                # Enumerations are declared before all else that may name their members.
                if enumeration is None and symbol.owner not in self.failed:
                    self.context.error(
                        "HSM0306",
                        node.span,
                        f"enumeration member '{node.name}' may not stand in a constant's own value",
                    )
                return None
            return ir.MemberName(
                type=ir.EnumerationType(enumeration.name, enumeration.bits),
                place=place,
                value=member.value,
                enumeration=enumeration.name,
                name=member.name,
            )
        self.context.error(
            "HSM0306",
            node.span,
            f"'{node.name}' is a {symbol.kind}, not a constant",
            [("declared here", symbol.span)],
        )
        return None
