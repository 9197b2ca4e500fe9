# SPDX-License-Identifier: MIT
"""Expressions of the spec as Promela text, with the bounds that say where signed values will not do."""

from __future__ import annotations

import re
from typing import Sequence, assert_never

from .. import ir, naming, walk
from ..c_names import CNames
from ..interpreter.code_writer import COMPARISONS

ASSIGNMENT = re.compile(r"(\w+) = (.*)")  # to a hidden variable
WORD = (1 << 32) - 1
TOP = 1 << 31


def field_name(name: str) -> str:
    """A member, kept clear of Promela's words.

    >>> field_name("active"), field_name("next")
    ('active_', 'next')
    """
    name = naming.snake(name)
    return f"{name}_" if name in naming.PROMELA_WORDS else name


class ExpressionWriter:
    """Expressions as Promela text. What has to happen before one is collected in `before`."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.names = CNames(protocol)
        self.functions = {f.name: f for f in protocol.functions}
        self.actions = {a.name: a for a in protocol.actions}
        self.owner = ""
        self.macro = False
        self.before: list[str] = []
        # Parts of conditions whose execution is counted, by number.
        self.premises: dict[int, int] = {}
        self.variables: dict[str, str] = {}  # hidden variable -> type
        self.temporaries = 0
        self.blocks = self._block_functions()

    def _block_functions(self) -> set[str]:
        """Functions that cannot be macros: several statements, or they call one of these."""
        blocks: set[str] = set()
        for function in self.protocol.functions:
            calls = {
                node.function
                for node in walk.nodes(function.body)
                if isinstance(node, ir.Call)
            }
            if function.expression is None or calls & blocks:
                blocks.add(function.name)
        return blocks

    # --- bounds ---

    def bound(self, node: ir.Expression) -> int:
        """A number the unsigned value of the expression never exceeds."""
        if node.value is not None:
            return node.value
        kind = node.type
        if isinstance(kind, ir.BoolType):
            return 1
        most = WORD
        if isinstance(kind, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType)):
            most = (1 << kind.bits) - 1
        if isinstance(node, ir.Narrow):
            return (
                min(most, max(self.bound(node.operand), 0))
                if self.bound(node.operand) <= most
                else most
            )
        if isinstance(node, ir.Conditional):
            return min(most, max(self.bound(node.then), self.bound(node.otherwise)))
        if isinstance(node, ir.Minimum):
            left, right = self.bound(node.left), self.bound(node.right)
            return min(most, max(left, right) if node.largest else min(left, right))
        if isinstance(node, ir.Binary):
            left, right = self.bound(node.left), self.bound(node.right)
            operator = node.operator
            result = WORD
            if operator == "+":
                result = left + right
            elif operator == "*":
                result = left * right
            elif operator == "&":
                result = min(left, right)
            elif operator in ("|", "^"):
                result = (1 << max(left.bit_length(), right.bit_length())) - 1
            elif operator == ">>":
                result = (
                    left >> node.right.value if node.right.value is not None else left
                )
            elif operator == "/" and node.right.value is not None:
                result = left // node.right.value
            elif operator == "%" and node.right.value is not None:
                result = min(left, node.right.value - 1)
            elif operator == "<<" and right < 32:
                result = left << right
            return result if result <= most else most
        return most

    def small(self, node: ir.Expression) -> bool:
        return self.bound(node) < TOP

    # --- expressions ---

    def number(self, value: int) -> str:
        """SPIN prints -5 as -(5) into its verifier's C, where -(2147483648) would be a positive number of 64 bits."""
        if value == TOP:
            return f"(-{TOP - 1} - 1)"
        return str(value) if value < TOP else f"({value - (1 << 32)})"

    def compared(self, left: str, operator: str, right: str, small: bool) -> str:
        """`small`: neither side reaches the sign."""
        if small or operator in ("==", "!="):
            return f"{left} {operator} {right}"
        return {
            "<": f"hsm_below({left}, {right})",
            ">": f"hsm_below({right}, {left})",
            "<=": f"!hsm_below({right}, {left})",
            ">=": f"!hsm_below({left}, {right})",
        }[operator]

    def text(self, node: ir.Expression) -> str:
        premise = self.premises.get(id(node))
        text = self._text(node)
        if premise is None:
            return text
        return f"(c_expr {{ (spin_premise({premise})) }} && ({text}))"

    def _text(self, node: ir.Expression) -> str:
        match node:
            case ir.Number():
                return self._number(node)
            case ir.NoneReference():
                return "0"
            case ir.ConstantName():
                return self.names.upper(node.name)
            case ir.ParameterName():
                return self.names.upper("value", node.name)
            case ir.MemberName():
                return self.names.upper(node.enumeration, node.name)
            case ir.VariableName():
                return self.state(field_name(node.name))
            case ir.LocalName():
                return self.hidden_variable(
                    self.variable(self.owner, node.local.unique), node.local.type
                )
            case ir.ArgumentName():
                return self._argument_name(node)
            case ir.InstanceName():
                return self.hidden_variable(
                    self.variable(self.owner, node.name), node.type
                )
            case ir.PayloadField():
                return f"{self.text(node.base)}.{field_name(node.field)}"
            case ir.RecordField():
                return self._record_field(node)
            case ir.Element():
                return self._element(node)
            case ir.Unary():
                return f"({'!' if node.operator == 'not' else node.operator}{self.text(node.operand)})"
            case ir.Binary():
                return self._binary(node)
            case ir.Conditional():
                return self._conditional(node)
            case ir.Call():
                return self._call(node)
            case ir.Has():
                return f"(({self.text(node.bits)} >> {self.text(node.index)}) & 1)"
            case ir.HasAll():
                return f"hsm_has_all({self.text(node.bits)}, {self.text(node.first)}, {self.text(node.count)})"
            case ir.Available():
                return self._available(node)
            case ir.InUse():
                return self._in_use(node)
            case ir.NumberOf():
                return self.text(node.reference)
            case ir.ReferenceOf():
                return self.text(node.number)
            case ir.Minimum():
                return self._minimum(node)
            case ir.Narrow():
                return self._narrow(node)
            case ir.WorldVariable() | ir.WorldView() | ir.WorldFact():
                raise AssertionError("stands in a world only")
            case ir.BuildPayload():
                raise AssertionError("stands in a `let` only")
            case _:
                assert_never(node)

    def variable(self, owner: str, name: str) -> str:
        return f"{self.names.lower(owner)}_{naming.snake(name)}"

    def hidden_variable(self, name: str, kind: ir.Type) -> str:
        """Declares a variable that is not part of the state."""
        declared = (
            self.payload_type(kind.name) if isinstance(kind, ir.PayloadType) else "int"
        )
        self.variables.setdefault(name, declared)
        return name

    def temporary(self, kind: ir.Type) -> str:
        self.temporaries += 1
        return self.hidden_variable(
            f"{self.names.prefix}_value_{self.temporaries}", kind
        )

    def payload_type(self, name: str) -> str:
        return f"{self.names.lower(name)}_payload"

    def _number(self, node: ir.Number) -> str:
        assert node.value is not None
        return self.number(node.value)

    def state(self, member: str) -> str:
        return f"{self.names.upper('STATE')}({member})"

    def _argument_name(self, node: ir.ArgumentName) -> str:
        if self.macro or isinstance(node.type, ir.PayloadType):
            return f"{naming.snake(node.name)}_"
        return self.hidden_variable(self.variable(self.owner, node.name), node.type)

    def index(self, index: ir.Expression, kind: str) -> str:
        return self.text(index) if kind == "number" else f"{self.text(index)} - 1"

    def _record_field(self, node: ir.RecordField) -> str:
        record = (
            f"{field_name(node.container)}[{self.index(node.index, node.index_kind)}]"
        )
        return self.state(f"{record}.{field_name(node.field)}")

    def _element(self, node: ir.Element) -> str:
        base = self.text(node.base)
        assert base.endswith(")")
        return f"{base[:-1]}[{self.text(node.index)}])"

    def _binary(self, node: ir.Binary) -> str:
        if node.value is not None and not isinstance(node.type, ir.BoolType):
            return self.number(node.value)
        if node.operator in ("and", "or"):
            return self.joined(node)
        left, right = self.text(node.left), self.text(node.right)
        small = self.small(node.left) and self.small(node.right)
        if node.operator in COMPARISONS:
            return f"({self.compared(left, node.operator, right, small)})"
        if node.operator == ">>" and not self.small(node.left):
            return f"hsm_shift_right({left}, {right})"
        if node.operator in ("/", "%") and node.value is None:
            # By a power of two: signed division would round towards zero.
            assert node.right.value is not None
            if node.operator == "%":
                return f"({left} & {self.number(node.right.value - 1)})"
            if not self.small(node.left):
                shift = node.right.value.bit_length() - 1
                return f"hsm_shift_right({left}, {shift})"
        return f"({left} {node.operator} {right})"

    def joined(self, node: ir.Binary) -> str:
        """What must run before the right side runs only where the left side does not decide."""
        left = self.text(node.left)
        before, right = self.value(node.right)
        if not before:
            return f"({left} {'||' if node.operator == 'or' else '&&'} {right})"
        result = self.temporary(node.type)
        self.before.append(f"{result} = {left}")
        lines = [*before, f"{result} = {right}"]
        either = node.operator == "or"
        self.before += choice(result, [] if either else lines, lines if either else [])
        return result

    def _conditional(self, node: ir.Conditional) -> str:
        condition = self.text(node.condition)
        before_then, then = self.value(node.then)
        before_otherwise, otherwise = self.value(node.otherwise)
        if not before_then and not before_otherwise:
            return f"({condition} -> {then} : {otherwise})"
        result = self.temporary(node.type)
        self.before += choice(
            condition,
            [*before_then, f"{result} = {then}"],
            [*before_otherwise, f"{result} = {otherwise}"],
        )
        return result

    def _call(self, node: ir.Call) -> str:
        function = self.functions[node.function]
        name = self.names.lower(node.function)
        if node.function not in self.blocks:
            return f"{name}({', '.join(self.text(argument) for argument in node.arguments)})"
        assert not self.macro
        self.before += self.call(
            name, node.function, function.arguments, node.arguments
        )
        result = self.temporary(function.result)
        self.before.append(
            f"{result} = {self.hidden_variable(self.variable(node.function, 'result'), function.result)}"
        )
        return result

    def _available(self, node: ir.Available) -> str:
        count = self.protocol.pool(node.pool).count.value
        return f"({self.state(naming.snake(node.pool) + '_used')} != {self.number((1 << count) - 1)})"

    def _in_use(self, node: ir.InUse) -> str:
        used = self.state(naming.snake(node.pool) + "_used")
        return f"(({used} >> ({self.text(node.reference)} - 1)) & 1)"

    def _minimum(self, node: ir.Minimum) -> str:
        left, right = self.text(node.left), self.text(node.right)
        small = self.small(node.left) and self.small(node.right)
        below = self.compared(left, "<", right, small)
        first, second = (right, left) if node.largest else (left, right)
        return f"({below} -> {first} : {second})"

    def _narrow(self, node: ir.Narrow) -> str:
        assert isinstance(node.type, (ir.IntegerType, ir.EnumerationType))
        most = (1 << node.type.bits) - 1
        if most == WORD:
            return self.text(node.operand)
        if self.bound(node.operand) <= most:
            return self.text(node.operand)
        return f"({self.text(node.operand)} & {most})"

    # --- calls ---

    def value(self, node: ir.Expression) -> tuple[list[str], str]:
        """(what must run first, the expression)."""
        saved, self.before = self.before, []
        text = self.text(node)
        before, self.before = self.before, saved
        return before, text

    def call(
        self,
        inline: str,
        owner: str,
        declared: Sequence[ir.Argument],
        given: Sequence[ir.Expression],
        extra: Sequence[tuple[str, ir.Expression]] = (),
    ) -> list[str]:
        """Sets the arguments, then names the inline. All that computes them runs first: it may call the same function."""
        computing: list[str] = []
        setting: list[str] = []
        payloads: list[str] = []
        pairs = [(name, expression) for name, expression in extra]
        for argument, expression in zip(declared, given, strict=True):
            if isinstance(argument.type, ir.PayloadType):
                payloads.append(self.text(expression))
            else:
                pairs.append((argument.name, expression))
        for name, expression in pairs:
            before, text = self.value(expression)
            target = self.hidden_variable(
                self.variable(owner, name), ir.IntegerType(32)
            )
            computing += before
            setting.append(f"{target} = {text}")
        return [*computing, *setting, f"{inline}({', '.join(payloads)})"]


def choice(condition: str, then: list[str], otherwise: list[str]) -> list[str]:
    """A branch; where it only chooses the value of a hidden variable, none, for SPIN has room for 2048 in a step.

    >>> choice("c", ["x = 1"], [])
    ['x = ((c) -> 1 : x)']
    """
    value = ASSIGNMENT.fullmatch(then[0]) if len(then) == 1 else None
    if value is not None and not otherwise:
        return [f"{value[1]} = (({condition}) -> {value[2]} : {value[1]})"]
    return [
        "if",
        f":: {condition} ->",
        *indent(then or ["skip"]),
        ":: else" + (" ->" if otherwise else ""),
        *indent(otherwise),
        "fi",
    ]


def indent(lines: Sequence[str]) -> list[str]:
    return ["\t" + line for line in lines]
