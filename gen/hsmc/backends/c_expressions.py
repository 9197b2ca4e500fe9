# SPDX-License-Identifier: MIT
"""Expressions of the spec as C text, and the names of generated C.

All unsigned arithmetic of the spec is done in uint32_t, as the intermediate form prescribes; where C would promote two
narrow operands to int, the left one is cast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional, Sequence, Union, assert_never

from .. import ir, naming, walk
from ..c_names import CNames
from .c_constant_comparisons import (
    interval_by_type,
    constant_result,
    depends_on_setting,
    fixed_result,
)
from ..frontend.constants import LARGEST

# How tightly an expression binds, for the parentheses of a reader rather than of the grammar: whatever a compiler
# would warn of is not left to precedence.
ATOM = "atom"
UNARY = "unary"
CONDITIONAL = "conditional"
CLASS_OF_OPERATOR = {
    "or": "or",
    "and": "and",
    "==": "relational",
    "!=": "relational",
    "<": "relational",
    "<=": "relational",
    ">": "relational",
    ">=": "relational",
    "|": "|",
    "^": "^",
    "&": "&",
    "<<": "shift",
    ">>": "shift",
    "+": "additive",
    "-": "additive",
    "*": "multiplicative",
    "/": "multiplicative",
    "%": "multiplicative",
}
UNPARENTHESISED_LEFT: dict[str, set[str]] = {
    "or": {"relational", "or"},
    "and": {"relational", "and"},
    "relational": {"additive", "multiplicative"},
    "|": {"|"},
    "^": {"^"},
    "&": {"&"},
    "shift": set(),
    "additive": {"additive", "multiplicative"},
    "multiplicative": {"multiplicative"},
}
UNPARENTHESISED_RIGHT: dict[str, set[str]] = {
    **UNPARENTHESISED_LEFT,
    "additive": {"multiplicative"},
    "multiplicative": set(),
}
SYMBOLS = {"or": "||", "and": "&&"}

# The C type an expression has after promotion.
BOOL = "bool"
INT = "int"  # a narrow unsigned value, hence never negative
WORD = "uint32_t"


@dataclass(frozen=True)
class Text:
    """An expression as C text."""

    text: str
    binding: str
    promoted: str

    def parenthesised_unless(self, allowed: Iterable[str]) -> str:
        if self.binding in (ATOM, UNARY) or self.binding in allowed:
            return self.text
        return f"({self.text})"

    def as_unary_operand(self) -> str:
        """As operand of a cast or a unary operator."""
        return self.parenthesised_unless(())


class ExpressionWriter:
    """Expressions as C text."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.names = CNames(protocol)
        self.payload_pointers: set[str] = set()
        self.hoisted: dict[tuple[str, str], str] = {}
        self.fixed_locals: set[str] = set()
        self.opaque = False  # whatever is compared must not be known to the compiler
        self.containers: dict[str, Union[ir.Pool, ir.Table]] = {}
        self.containers.update((pool.name, pool) for pool in protocol.pools)
        self.containers.update((table.name, table) for table in protocol.tables)

    # --- expressions ---

    def expression(self, node: ir.Expression) -> Text:
        match node:
            case ir.Number():
                return self._number(node)
            case ir.NoneReference():
                return Text("0u", ATOM, WORD)
            case ir.ConstantName():
                return Text(self.names.upper(node.name), ATOM, WORD)
            case ir.ParameterName():
                return self._parameter_name(node)
            case ir.MemberName():
                return Text(self.names.upper(node.enumeration, node.name), ATOM, INT)
            case ir.VariableName():
                return self.place(self.state(naming.snake(node.name)), node.type)
            case ir.LocalName():
                return self.place(naming.snake(node.local.unique), node.type)
            case ir.ArgumentName():
                return self.place(naming.snake(node.name), node.type)
            case ir.InstanceName():
                return self.place(naming.snake(node.name), node.type)
            case ir.PayloadField():
                return self._payload_field(node)
            case ir.RecordField():
                return self._record_field(node)
            case ir.Element():
                return self._element(node)
            case ir.Unary():
                return self._unary(node)
            case ir.Binary():
                return self._binary(node)
            case ir.Conditional():
                return self._conditional(node)
            case ir.Call():
                return self._call(node)
            case ir.Has():
                return Text(
                    self.bits_call("hsm_has", node.bits, node.index), ATOM, BOOL
                )
            case ir.HasAll():
                return Text(
                    self.bits_call("hsm_has_all", node.bits, node.first, node.count),
                    ATOM,
                    BOOL,
                )
            case ir.Available():
                return Text(
                    f"{self.names.lower(node.pool, 'available')}_()", ATOM, BOOL
                )
            case ir.InUse():
                return self._in_use(node)
            case ir.NumberOf():
                return Text(
                    f"(uint32_t){self.expression(node.reference).as_unary_operand()}",
                    UNARY,
                    WORD,
                )
            case ir.ReferenceOf():
                return self._reference_of(node)
            case ir.Minimum():
                return self._minimum(node)
            case ir.Narrow():
                return self._narrow(node)
            case ir.WorldVariable() | ir.WorldView() | ir.WorldFact():
                return self.world_expression(node)
            case ir.BuildPayload():
                raise AssertionError("stands in a `let` only")
            case _:
                assert_never(node)

    def world_expression(
        self, node: Union[ir.WorldVariable, ir.WorldView, ir.WorldFact]
    ) -> Text:
        raise AssertionError("stands in a world only")

    def text(self, node: ir.Expression) -> str:
        """Where nothing binds: between brackets or commas, behind `=` or `return`. Elsewhere Text.within."""
        return self.expression(node).text

    def stored(self, node: ir.Expression, kind: ir.Type) -> str:
        """A value on its way into a place of this type."""
        part = self.expression(node)
        # What compilers settle themselves is a number to them; they do not see through a conditional in it.
        settles = node.value is not None and not any(
            isinstance(inner, ir.Conditional) for inner in walk.nodes(node)
        )
        if (
            not settles
            and part.promoted == WORD
            and isinstance(kind, (ir.IntegerType, ir.EnumerationType))
        ):
            if kind.bits < 32:
                return f"({self.names.scalar(kind)}){part.as_unary_operand()}"
        return part.text

    def shift(self, node: ir.Binary, places: str) -> str:
        """By how many places, where that is no constant."""
        return self.call("HSM_SHIFT", [places])

    def place(self, text: str, kind: ir.Type) -> Text:
        """Something read from memory."""
        if isinstance(kind, ir.BoolType):
            return Text(text, ATOM, BOOL)
        if (
            isinstance(kind, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType))
            and kind.bits < 32
        ):
            return Text(text, ATOM, INT)
        return Text(text, ATOM, WORD)

    def _number(self, node: ir.Number) -> Text:
        if isinstance(node.type, ir.BoolType):
            return Text("true" if node.value else "false", ATOM, BOOL)
        return Text(naming.unsigned(node.text), ATOM, WORD)

    def _parameter_name(self, node: ir.ParameterName) -> Text:
        """One read, whatever the host writes meanwhile; outside the range of a live one it gives the default."""
        text = f"{self.names.upper('PARAMETER')}({naming.snake(node.name)})"
        parameter = next(p for p in self.protocol.parameters if p.name == node.name)
        if parameter.live and (
            parameter.bounds != (0, LARGEST) or depends_on_setting(parameter.range)
        ):
            limits = f"{self.lowest(parameter)}, {self.highest(parameter)}"
            text = f"hsm_bounded({text}, {limits}, {self.size(parameter.default)})"
        return Text(text, ATOM, WORD)

    def state(self, member: str) -> str:
        return f"{self.names.upper('STATE')}({member})"

    def _payload_field(self, node: ir.PayloadField) -> Text:
        arrow = "->" if isinstance(node.base, ir.ArgumentName) else "."
        return self.place(
            f"{self.text(node.base)}{arrow}{naming.snake(node.field)}", node.type
        )

    def record(self, container: str, index: ir.Expression, index_kind: str) -> str:
        """The record as an lvalue, without the member."""
        if index_kind == "reference":
            return self.referred(container, self.text(index))
        part = [naming.snake(container), self.text(index)]
        return self.call(self.names.upper("ENTRY"), part)

    def referred(self, container: str, reference: str, written: bool = False) -> str:
        """The record a reference names: of a pool, or of a table parallel to one. One that is free is all zero, and
        nothing but its creation may change that."""
        own = isinstance(self.containers[container], ir.Pool)
        name = "ENTRY_OF" if not own else "IN_USE" if written else "RECORD"
        return self.call(self.names.upper(name), [naming.snake(container), reference])

    def written(self, node: ir.Expression) -> str:
        """A place that is assigned to."""
        if isinstance(node, ir.Element):
            assert isinstance(node.base.type, ir.ArrayType)
            index = self.index(node.index, node.base.type.count)
            return f"{self.written(node.base)}[{index}]"
        if isinstance(node, ir.RecordField) and node.index_kind == "reference":
            if self.pointer(node) is None:
                record = self.referred(node.container, self.text(node.index), True)
                return f"{record}.{naming.snake(node.field)}"
        return self.text(node)

    def pointer(self, node: ir.RecordField) -> Optional[str]:
        """To the record, where the body begins with one."""
        if isinstance(node.index, (ir.ArgumentName, ir.InstanceName)):
            return self.hoisted.get((node.container, node.index.name))
        return None

    def index(self, index: ir.Expression, count: ir.Size) -> str:
        """Into an array. Of a constant one the compiler knows that it is inside."""
        if index.value is not None:
            return self.text(index)
        return self.call("HSM_INDEX", [self.text(index), self.size(count)])

    def reference(self, reference: ir.Expression, count: ir.Size) -> str:
        return self.call("HSM_REFERENCE", [self.text(reference), self.size(count)])

    def _record_field(self, node: ir.RecordField) -> Text:
        member = naming.snake(node.field)
        pointer = self.pointer(node)
        if pointer is not None:
            return self.place(f"{pointer}->{member}", node.type)
        return self.place(
            f"{self.record(node.container, node.index, node.index_kind)}.{member}",
            node.type,
        )

    def _element(self, node: ir.Element) -> Text:
        kind = node.base.type
        assert isinstance(kind, ir.ArrayType)
        index = self.index(node.index, kind.count)
        return self.place(f"{self.text(node.base)}[{index}]", node.type)

    def word(self, node: ir.Expression) -> Text:
        """An operand that C must take for a uint32_t."""
        part = self.expression(node)
        return (
            part
            if part.promoted == WORD
            else Text(f"(uint32_t){part.as_unary_operand()}", UNARY, WORD)
        )

    def _unary(self, node: ir.Unary) -> Text:
        if node.operator == "not":
            return Text(
                f"!{self.expression(node.operand).as_unary_operand()}", UNARY, BOOL
            )
        if node.operator == "-":
            return Text(
                f"0u - {self.expression(node.operand).parenthesised_unless({'multiplicative'})}",
                "additive",
                WORD,
            )
        if node.value is None:
            # gcc warns of comparisons with the complement of what was narrow before its promotion.
            return self.complement(node.operand)
        return Text(f"~{self.word(node.operand).as_unary_operand()}", UNARY, WORD)

    def _binary(self, node: ir.Binary) -> Text:
        if node.operator == "*" and node.value is None:
            factor, constant = (
                (node.left, node.right)
                if node.right.value is not None
                else (node.right, node.left)
            )
            return Text(
                self.call("hsm_times", [self.text(factor), self.text(constant)]),
                ATOM,
                WORD,
            )
        if node.value is None and node.operator in ("^", "-"):
            complement = self.complemented(node)
            if complement is not None:
                return complement
        binding = CLASS_OF_OPERATOR[node.operator]
        logical = binding in ("or", "and", "relational")
        outcome = (
            (node.value == 1 if node.value is not None else constant_result(node))
            if logical
            else None
        )
        if outcome is not None and not depends_on_setting(node):
            return self.constant_condition(outcome, node.left, node.right)
        before = self.opaque
        self.opaque = opaque = before or outcome is not None
        left = self.expression(node.left)
        right = self.expression(node.right)
        self.opaque = before
        if binding == "relational" and left.text == right.text:
            # What is left of two conditionals may be the same on both sides.
            same = node.operator in ("==", "<=", ">=")
            return self.constant_condition(same, node.left)
        if opaque and binding == "relational":
            left, right = self.unknown_sides(node, left, right)
        if binding == "shift" and node.right.value is None:
            right = Text(self.shift(node, right.text), ATOM, right.promoted)
        if node.operator == "^" and isinstance(node.left, ir.Number):
            # clang takes 2 ^ 8 for a power, unless it is written like a mask.
            left = Text(f"{node.left.value:#x}u", ATOM, WORD)
        elif node.operator == "^" and node.left.value in (2, 10):
            left = Text(f"{left.as_unary_operand()} | 0u", "|", WORD)
        if (
            not logical
            and left.promoted != WORD
            and (right.promoted != WORD or binding == "shift")
        ):
            left = self.word(node.left)
        symbol = SYMBOLS.get(node.operator, node.operator)
        text = f"{left.parenthesised_unless(UNPARENTHESISED_LEFT[binding])} {symbol} {right.parenthesised_unless(UNPARENTHESISED_RIGHT[binding])}"
        return Text(text, binding, BOOL if logical else WORD)

    def complemented(self, node: ir.Binary) -> Optional[Text]:
        """Differences from all ones and exclusive ors with them: gcc sees through these spellings of a complement, and
        warns of comparisons with what was narrow."""
        sides = [(node.left, node.right)]
        if node.operator == "^":
            sides.append((node.right, node.left))
        for ones, other in sides:
            width = bits(other.type) if node.operator == "^" else 32
            if ones.value not in (LARGEST, (1 << width) - 1):
                continue
            text = self.expression(ones)
            binding = CLASS_OF_OPERATOR[node.operator]
            if depends_on_setting(ones):
                left, right = self.expression(node.left), self.expression(node.right)
                if ones is node.left:
                    left = self.unknown(left)
                else:
                    right = self.unknown(right)
                right_text = right.parenthesised_unless(UNPARENTHESISED_RIGHT[binding])
                left_text = left.parenthesised_unless(UNPARENTHESISED_LEFT[binding])
                return Text(f"{left_text} {node.operator} {right_text}", binding, WORD)
            if ones.value == LARGEST:
                return self.complement(other)
            mask = text.parenthesised_unless(UNPARENTHESISED_RIGHT["&"])
            return Text(f"{self.complement(other).text} & {mask}", "&", WORD)
        return None

    def complement(self, node: ir.Expression) -> Text:
        return Text(self.call("hsm_complement", [self.text(node)]), ATOM, WORD)

    def unknown(self, operand: Text) -> Text:
        """A word of which a compiler that looks for comparisons decided beforehand knows nothing."""
        return Text(self.call("hsm_word", [operand.text]), ATOM, WORD)

    def unknown_sides(
        self, node: ir.Binary, left: Text, right: Text
    ) -> tuple[Text, Text]:
        """What is one number or hangs on constants among two operands, else the first."""
        sides = ((node.left, left), (node.right, right))
        hiding = [
            interval_by_type(n).low == interval_by_type(n).high or depends_on_setting(n)
            for n, _ in sides
        ]
        if not any(hiding):
            hiding[0] = True
        one, other = (
            self.unknown(text) if hide else text
            for (_, text), hide in zip(sides, hiding)
        )
        return one, other

    def constant_condition(self, outcome: bool, *operands: ir.Expression) -> Text:
        """A condition compilers would warn of; its operands still count as used."""
        used = self.used(o for o in operands if o.value is None or names(o))
        truth = str(outcome).lower()
        text = f"({', '.join([*used, truth])})" if used else truth
        return Text(text, ATOM, BOOL)

    def used(self, operands: Iterable[ir.Expression]) -> list[str]:
        return [
            f"(void){self.expression(operand).as_unary_operand()}"
            for operand in operands
        ]

    def outside(
        self, place: str, operator: str, limit: ir.Size, constant_outcome: bool
    ) -> list[str]:
        """The test that a number from outside lies on the wrong side of a limit; none where its type says beforehand
        that it never does, whatever a check sets."""
        if constant_outcome and not depends_on_setting(limit):
            return []
        bound = self.expression(limit.expression)
        if constant_outcome:
            bound = self.unknown(bound)
        return [
            f"{place} {operator} {bound.parenthesised_unless(UNPARENTHESISED_RIGHT['relational'])}"
        ]

    def _conditional(self, node: ir.Conditional) -> Text:
        outcome = fixed_result(node.condition)
        if outcome is not None:
            return self.chosen(node, outcome)
        loose = {"relational", "additive", "multiplicative"}
        condition = self.expression(node.condition)
        then = self.expression(node.then)
        otherwise = self.expression(node.otherwise)
        wide = bits(node.type) == 32 and WORD not in (then.promoted, otherwise.promoted)
        then = self.branch(node.then, then, wide)
        otherwise = self.branch(node.otherwise, otherwise, wide)
        kinds = {then.promoted, otherwise.promoted}
        text = f"{condition.parenthesised_unless({'relational'})} ? {then.parenthesised_unless(loose)} : {otherwise.parenthesised_unless(loose)}"
        promoted = BOOL if kinds == {BOOL} else WORD if WORD in kinds else INT
        return Text(text, CONDITIONAL, promoted)

    def branch(self, node: ir.Expression, text: Text, wide: bool) -> Text:
        """gcc does not see through conditionals in conditionals that they are not below zero, nor are members of an
        enumeration of 32 bits (`wide`) words in C."""
        if text.promoted == INT and (wide or text.binding == CONDITIONAL):
            return self.word(node)
        return text

    def chosen(self, node: ir.Conditional, outcome: bool) -> Text:
        """What a condition decided beforehand leaves; gcc takes the other side into account when it warns of
        conversions. What is not evaluated still counts as used."""
        one, other = node.then, node.otherwise
        if not outcome:
            one, other = other, one
        result = self.expression(one)
        used = self.used(e for e in (node.condition, other) if names(e))
        if not used:
            return result
        if result.promoted == INT:
            result = self.word(one)  # gcc does not see how narrow it is behind a comma
        return Text(f"({', '.join([*used, result.text])})", ATOM, result.promoted)

    def call(self, name: str, arguments: Sequence[str]) -> str:
        return f"{name}({', '.join(arguments)})"

    def arguments(
        self, declared: Sequence[ir.Argument], given: Sequence[ir.Expression]
    ) -> list[str]:
        return [self.argument(a.type, e) for a, e in zip(declared, given, strict=True)]

    def arguments_of(
        self,
        callee: Union[ir.Function, ir.Action],
        given: Sequence[ir.Expression],
    ) -> list[str]:
        return self.arguments(callee.arguments, given)

    def argument(self, kind: ir.Type, node: ir.Expression) -> str:
        if isinstance(kind, ir.PayloadType):
            return (
                self.text(node)
                if isinstance(node, ir.ArgumentName)
                else f"&{self.text(node)}"
            )
        return self.stored(node, kind)

    def _call(self, node: ir.Call) -> Text:
        function = next(f for f in self.protocol.functions if f.name == node.function)
        text = self.call(
            self.names.lower(node.function),
            self.arguments_of(function, node.arguments),
        )
        return self.place(text, function.result)

    def bits_call(
        self,
        helper: str,
        bits: ir.Expression,
        *rest: ir.Expression,
        written: bool = False,
    ) -> str:
        assert isinstance(bits.type, ir.BitsType)
        return self.call(
            helper,
            [
                self.written(bits) if written else self.text(bits),
                self.size(bits.type.count),
                *(self.text(e) for e in rest),
            ],
        )

    def _in_use(self, node: ir.InUse) -> Text:
        pool = self.protocol.pool(node.pool)
        used = self.state(f"{naming.snake(node.pool)}_used")
        index = (
            f"{self.expression(node.reference).parenthesised_unless({'additive'})} - 1u"
        )
        return Text(
            self.call("hsm_has", [used, self.size(pool.count), index]), ATOM, BOOL
        )

    def _reference_of(self, node: ir.ReferenceOf) -> Text:
        kind = self.names.scalar(node.type)
        return Text(
            f"({kind}){self.expression(node.number).as_unary_operand()}", UNARY, INT
        )

    def _minimum(self, node: ir.Minimum) -> Text:
        name = "hsm_maximum" if node.largest else "hsm_minimum"
        return Text(
            self.call(name, [self.text(node.left), self.text(node.right)]), ATOM, WORD
        )

    def _narrow(self, node: ir.Narrow) -> Text:
        operand = self.expression(node.operand)
        assert isinstance(node.type, ir.IntegerType)
        promoted = INT if node.type.bits < 32 else WORD
        return Text(
            f"({self.names.scalar(node.type)}){operand.as_unary_operand()}",
            UNARY,
            promoted,
        )

    def lowest(self, parameter: ir.Parameter) -> str:
        return self.size(parameter.range.low) if parameter.range else "0u"

    def highest(self, parameter: ir.Parameter) -> str:
        return (
            self.size(parameter.range.high)
            if parameter.range
            else f"0x{parameter.bounds[1]:x}u"
        )

    def size(self, size: ir.Size) -> str:
        """A constant count, by name where the spec has one; may stand next to any operator."""
        return self.expression(size.expression).as_unary_operand()


def names(item: ir.Expression) -> bool:
    """Does it name an argument or a local, which a compiler wants used?"""
    kinds = (ir.ArgumentName, ir.LocalName)
    return any(isinstance(node, kinds) for node in walk.nodes(item))


def bits(kind: ir.Type) -> int:
    """Of a number, a member or a reference."""
    return getattr(kind, "bits", 32)
