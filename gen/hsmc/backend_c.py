"""The C back end: prints a protocol as three plain C11 files.

`CWriter` turns expressions and statements into text; the templates under templates/c arrange that text into files. All
unsigned arithmetic of the spec is done in uint32_t, as the intermediate form prescribes; where C would promote two
narrow operands to int, the left one is cast.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Callable, Iterable, Optional, Sequence, Union

import jinja2

from . import ir, naming, walk

TEMPLATES = pathlib.Path(__file__).parent / "templates"

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

    def within(self, allowed: Iterable[str]) -> str:
        if self.binding in (ATOM, UNARY) or self.binding in allowed:
            return self.text
        return f"({self.text})"

    def tight(self) -> str:
        """As operand of a cast or a unary operator."""
        return self.within(())


class CNames:
    """Names in generated C. All begin with the protocol's name; generated helpers end in an underscore."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.prefix = naming.snake(protocol.name)
        self.capitals = naming.upper(protocol.name)

    def lower(self, *parts: str) -> str:
        return "_".join([self.prefix, *(naming.snake(part) for part in parts)])

    def upper(self, *parts: str) -> str:
        return "_".join([self.capitals, *(naming.upper(part) for part in parts)])

    def struct(self, name: str) -> str:
        return f"struct {self.lower(name)}"

    def handler(self, process: str, event: str) -> str:
        return self.lower("on", process, event)

    def leaf(self, process: str, leaf: str) -> str:
        return self.upper(process, "state", leaf)

    def event(self, process: str, event: str) -> str:
        return self.upper("event", process, event)

    def timer(self, timer: ir.Timer) -> str:
        return self.upper("timer", timer.name)

    def scalar(self, kind: ir.Type) -> str:
        """The C type a scalar is stored in."""
        if isinstance(kind, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType)):
            return f"uint{kind.bits}_t"
        if isinstance(kind, ir.BoolType):
            return "bool"
        raise TypeError(f"{kind} is not a scalar")


def width(kind: ir.Type) -> int:
    """Bytes of a scalar."""
    return 1 if isinstance(kind, ir.BoolType) else kind.bits // 8  # type: ignore[union-attr]


class CWriter:
    """Expressions and statements as C text."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        self.names = CNames(protocol)
        self.payload_pointers: set[str] = set()
        self.hoisted: dict[tuple[str, str], str] = {}
        self.fixed_locals: set[str] = set()

    # --- expressions ---

    def expression(self, node: ir.Expression) -> Text:
        method: Callable[[ir.Expression], Text] = getattr(
            self, "_" + type(node).__name__
        )
        return method(node)

    def text(self, node: ir.Expression) -> str:
        return self.expression(node).text

    def stored(self, node: ir.Expression, kind: ir.Type) -> str:
        """A value on its way into a place of this type."""
        part = self.expression(node)
        if (
            node.value is None
            and part.promoted == WORD
            and isinstance(kind, (ir.IntegerType, ir.EnumerationType))
        ):
            if kind.bits < 32:
                return f"({self.names.scalar(kind)}){part.tight()}"
        return part.text

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

    def _Number(self, node: ir.Number) -> Text:
        if isinstance(node.type, ir.BoolType):
            return Text("true" if node.value else "false", ATOM, BOOL)
        return Text(naming.unsigned(node.text), ATOM, WORD)

    def _NoneReference(self, node: ir.NoneReference) -> Text:
        return Text("0u", ATOM, WORD)

    def _ConstantName(self, node: ir.ConstantName) -> Text:
        return Text(self.names.upper(node.name), ATOM, WORD)

    def _ParameterName(self, node: ir.ParameterName) -> Text:
        return Text(
            f"{self.names.upper('PARAMETER')}({naming.snake(node.name)})", ATOM, WORD
        )

    def _MemberName(self, node: ir.MemberName) -> Text:
        return Text(self.names.upper(node.enumeration, node.name), ATOM, INT)

    def state(self, member: str) -> str:
        return f"{self.names.upper('STATE')}({member})"

    def _VariableName(self, node: ir.VariableName) -> Text:
        return self.place(self.state(naming.snake(node.name)), node.type)

    def _LocalName(self, node: ir.LocalName) -> Text:
        return self.place(naming.snake(node.local.unique), node.type)

    def _ArgumentName(self, node: ir.ArgumentName) -> Text:
        return self.place(naming.snake(node.name), node.type)

    def _InstanceName(self, node: ir.InstanceName) -> Text:
        return self.place(naming.snake(node.name), node.type)

    def _PayloadField(self, node: ir.PayloadField) -> Text:
        arrow = "->" if isinstance(node.base, ir.ArgumentName) else "."
        return self.place(
            f"{self.text(node.base)}{arrow}{naming.snake(node.field)}", node.type
        )

    def record(self, container: str, index: ir.Expression, index_kind: str) -> str:
        """The record as an lvalue, without the member."""
        array = self.state(naming.snake(container))
        if index_kind == "number":
            return f"{array}[{self.text(index)}]"
        return f"{array}[{self.expression(index).within({'additive'})} - 1u]"

    def _RecordField(self, node: ir.RecordField) -> Text:
        member = naming.snake(node.field)
        if isinstance(node.index, (ir.ArgumentName, ir.InstanceName)):
            pointer = self.hoisted.get((node.container, node.index.name))
            if pointer is not None:
                return self.place(f"{pointer}->{member}", node.type)
        return self.place(
            f"{self.record(node.container, node.index, node.index_kind)}.{member}",
            node.type,
        )

    def _Element(self, node: ir.Element) -> Text:
        return self.place(f"{self.text(node.base)}[{self.text(node.index)}]", node.type)

    def word(self, node: ir.Expression) -> Text:
        """An operand that C must take for a uint32_t."""
        part = self.expression(node)
        return (
            part
            if part.promoted == WORD
            else Text(f"(uint32_t){part.tight()}", UNARY, WORD)
        )

    def _Unary(self, node: ir.Unary) -> Text:
        if node.operator == "not":
            return Text(f"!{self.expression(node.operand).tight()}", UNARY, BOOL)
        if node.operator == "-":
            return Text(
                f"0u - {self.expression(node.operand).within({'multiplicative'})}",
                "additive",
                WORD,
            )
        return Text(f"~{self.word(node.operand).tight()}", UNARY, WORD)

    def _Binary(self, node: ir.Binary) -> Text:
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
        binding = CLASS_OF_OPERATOR[node.operator]
        left = self.expression(node.left)
        right = self.expression(node.right)
        logical = binding in ("or", "and", "relational")
        if (
            not logical
            and left.promoted != WORD
            and (right.promoted != WORD or binding == "shift")
        ):
            left = self.word(node.left)
        symbol = SYMBOLS.get(node.operator, node.operator)
        text = f"{left.within(UNPARENTHESISED_LEFT[binding])} {symbol} {right.within(UNPARENTHESISED_RIGHT[binding])}"
        return Text(text, binding, BOOL if logical else WORD)

    def _Conditional(self, node: ir.Conditional) -> Text:
        loose = {"relational", "additive", "multiplicative"}
        condition = self.expression(node.condition)
        then = self.expression(node.then)
        otherwise = self.expression(node.otherwise)
        text = f"{condition.within({'relational'})} ? {then.within(loose)} : {otherwise.within(loose)}"
        kinds = {then.promoted, otherwise.promoted}
        promoted = BOOL if kinds == {BOOL} else WORD if WORD in kinds else INT
        return Text(text, CONDITIONAL, promoted)

    def call(self, name: str, arguments: Sequence[str]) -> str:
        return f"{name}({', '.join(arguments)})"

    def arguments(
        self, declared: Sequence[ir.Argument], given: Sequence[ir.Expression]
    ) -> list[str]:
        return [self.argument(a.type, e) for a, e in zip(declared, given, strict=True)]

    def argument(self, kind: ir.Type, node: ir.Expression) -> str:
        if isinstance(kind, ir.PayloadType):
            return (
                self.text(node)
                if isinstance(node, ir.ArgumentName)
                else f"&{self.text(node)}"
            )
        return self.stored(node, kind)

    def _Call(self, node: ir.Call) -> Text:
        function = next(f for f in self.protocol.functions if f.name == node.function)
        text = self.call(
            self.names.lower(node.function),
            self.arguments(function.arguments, node.arguments),
        )
        return self.place(text, function.result)

    def bits_call(self, helper: str, bits: ir.Expression, *rest: ir.Expression) -> str:
        assert isinstance(bits.type, ir.BitsType)
        return self.call(
            helper,
            [
                self.text(bits),
                self.size(bits.type.count),
                *(self.text(e) for e in rest),
            ],
        )

    def _Has(self, node: ir.Has) -> Text:
        return Text(self.bits_call("hsm_has", node.bits, node.index), ATOM, BOOL)

    def _HasAll(self, node: ir.HasAll) -> Text:
        return Text(
            self.bits_call("hsm_has_all", node.bits, node.first, node.count), ATOM, BOOL
        )

    def _Available(self, node: ir.Available) -> Text:
        return Text(f"{self.names.lower(node.pool, 'available')}_()", ATOM, BOOL)

    def _Minimum(self, node: ir.Minimum) -> Text:
        name = "hsm_maximum" if node.largest else "hsm_minimum"
        return Text(
            self.call(name, [self.text(node.left), self.text(node.right)]), ATOM, WORD
        )

    def _Narrow(self, node: ir.Narrow) -> Text:
        operand = self.expression(node.operand)
        return Text(f"({self.names.scalar(node.type)}){operand.tight()}", UNARY, INT)

    def size(self, size: ir.Size) -> str:
        """A constant count, by name where the spec has one."""
        return self.text(size.expression)

    # --- statements ---

    def block(self, statements: Sequence[ir.Statement], depth: int) -> str:
        return "\n".join(self.statement(s, depth) for s in statements)

    def statement(self, node: ir.Statement, depth: int) -> str:
        method: Callable[[ir.Statement, int], str] = getattr(
            self, "_" + type(node).__name__
        )
        return method(node, depth)

    def line(self, depth: int, text: str) -> str:
        return "\t" * depth + text

    def _Let(self, node: ir.Let, depth: int) -> str:
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
            return "\n".join(lines)
        qualifier = "const " if node.local.unique in self.fixed_locals else ""
        kind = self.names.scalar(node.local.type)
        return self.line(
            depth,
            f"{qualifier}{kind} {name} = {self.stored(node.value, node.local.type)};",
        )

    def _Create(self, node: ir.Create, depth: int) -> str:
        name = naming.snake(node.local.unique)
        kind = self.names.scalar(node.local.type)
        return self.line(
            depth, f"const {kind} {name} = {self.names.lower(node.pool, 'create')}_();"
        )

    def _Assign(self, node: ir.Assign, depth: int) -> str:
        target = self.text(node.target)
        return self.line(
            depth, f"{target} = {self.stored(node.value, node.target.type)};"
        )

    def _If(self, node: ir.If, depth: int) -> str:
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

    def _Repeat(self, node: ir.Repeat, depth: int) -> str:
        turn = f"turn_{depth}"
        bound = f"{turn} < {self.size(node.count)}"
        if node.condition is not None:
            bound += (
                f" && {self.expression(node.condition).within({'relational', 'and'})}"
            )
        head = f"for (uint32_t {turn} = 0; {bound}; {turn}++) {{"
        return "\n".join(
            [
                self.line(depth, head),
                self.block(node.body, depth + 1),
                self.line(depth, "}"),
            ]
        )

    def _Return(self, node: ir.Return, depth: int) -> str:
        if node.result is None:
            return self.line(depth, "return;")
        return self.line(depth, f"return {self.stored(node.result, self.result)};")

    result: ir.Type = ir.IntegerType(32)

    def _ActionCall(self, node: ir.ActionCall, depth: int) -> str:
        action = next(a for a in self.protocol.actions if a.name == node.action)
        call = self.call(
            self.names.lower(node.action),
            self.arguments(action.arguments, node.arguments),
        )
        return self.line(depth, f"{call};")

    def _DeviceCall(self, node: ir.DeviceCall, depth: int) -> str:
        device = next(d for d in self.protocol.devices if d.name == node.device)
        name = self.names.lower("device", node.device)
        return self.line(
            depth,
            f"{self.call(name, self.arguments(device.arguments, node.arguments))};",
        )

    def _Raise(self, node: ir.Raise, depth: int) -> str:
        process = self.protocol.process(node.process)
        event = next(e for e in process.events if e.name == node.event)
        arguments = self.arguments(event.arguments, node.arguments)
        if node.instance is not None:
            arguments.insert(0, self.text(node.instance))
        return self.line(
            depth,
            f"{self.call(self.names.handler(node.process, node.event), arguments)};",
        )

    def _Release(self, node: ir.Release, depth: int) -> str:
        name = f"{self.names.lower(node.pool, 'release')}_"
        return self.line(depth, f"{self.call(name, [self.text(node.reference)])};")

    def _Clear(self, node: ir.Clear, depth: int) -> str:
        name = f"{self.names.lower(node.table, 'clear')}_"
        index = self.expression(node.index)
        text = (
            index.text
            if node.index_kind == "number"
            else f"{index.within({'additive'})} - 1u"
        )
        return self.line(depth, f"{self.call(name, [text])};")

    def _Count(self, node: ir.Count, depth: int) -> str:
        return self.line(
            depth,
            f"{self.names.upper('COUNT')}({self.names.upper('COUNTER', node.counter)});",
        )

    def _SetBit(self, node: ir.SetBit, depth: int) -> str:
        helper = "hsm_set" if node.present else "hsm_unset"
        return self.line(depth, f"{self.bits_call(helper, node.bits, node.index)};")

    # --- bodies ---

    def enter(
        self,
        arguments: Sequence[ir.Argument],
        instance: Optional[tuple[str, str]],
        parts: Sequence[object],
        locals_: Sequence[ir.Local],
        constant: bool,
        depth: int,
    ) -> str:
        """Begins a body: pointers to the records its references name, and casts for arguments it does not use.

        `instance` is (name, pool) of the record a handler runs for.
        """
        self.fixed_locals = {local.unique for local in locals_} - walk.assigned_locals(
            parts
        )
        self.hoisted = {}
        lines: list[str] = []
        references = [a.name for a in arguments if isinstance(a.type, ir.ReferenceType)]
        if instance is not None:
            references.insert(0, instance[0])
        for name in references:
            containers: list[str] = []
            if walk.compares_argument(parts, name):
                continue  # it may be none, and a pointer in front of an array must not even be formed
            for part in parts:
                for node in walk.nodes(part):
                    if (
                        isinstance(node, ir.RecordField)
                        and node.index_kind == "reference"
                        and isinstance(node.index, (ir.ArgumentName, ir.InstanceName))
                        and node.index.name == name
                        and node.container not in containers
                    ):
                        containers.append(node.container)
            if (
                instance is not None
                and name == instance[0]
                and instance[1] not in containers
            ):
                containers.insert(0, instance[1])
            for container in containers:
                own = any(pool.name == container for pool in self.protocol.pools)
                pointer = f"{naming.snake(name)}_{'record' if own else naming.snake(container)}"
                self.hoisted[(container, name)] = pointer
                qualifier = "const " if constant else ""
                record = (
                    f"&{self.state(naming.snake(container))}[{naming.snake(name)} - 1u]"
                )
                lines.append(
                    self.line(
                        depth,
                        f"{qualifier}{self.names.struct(container)} *const {pointer} = {record};",
                    )
                )
        for argument in arguments:
            if not walk.uses_argument(parts, argument.name):
                lines.append(self.line(depth, f"(void){naming.snake(argument.name)};"))
        return "\n".join(lines)

    def parameters(self, arguments: Sequence[ir.Argument]) -> list[str]:
        """Parameter declarations."""
        result = []
        for argument in arguments:
            name = naming.snake(argument.name)
            if isinstance(argument.type, ir.PayloadType):
                result.append(
                    f"const {self.names.struct(argument.type.name)} *const {name}"
                )
            else:
                result.append(f"const {self.names.scalar(argument.type)} {name}")
        return result

    def parameter_list(
        self, arguments: Sequence[ir.Argument], instance: str = ""
    ) -> str:
        return (
            ", ".join(([instance] if instance else []) + self.parameters(arguments))
            or "void"
        )

    def function_body(self, function: Union[ir.Function, ir.Action]) -> str:
        parts = (function.body,)
        is_function = isinstance(function, ir.Function)
        if isinstance(function, ir.Function):
            self.result = function.result
        head = self.enter(
            function.arguments, None, parts, function.locals, is_function, 1
        )
        body = self.block(function.body, 1)
        return "\n".join(text for text in (head, body) if text)

    def row(
        self, process: ir.Process, handler: ir.Handler, row: ir.Row, depth: int
    ) -> str:
        """What a row does once its guard holds."""
        instance = naming.snake(process.instance) if process.instance else "0u"
        lines = [
            self.line(depth, f"{self.names.upper('TRACE')}({row.number}u, {instance});")
        ]
        lines += [self.statement(s, depth) for s in row.exit_actions]
        for timer in row.cancelled:
            lines.append(
                self.line(
                    depth,
                    f"{self.names.upper('TIMER_CANCEL')}({self.names.timer(timer)}, {instance});",
                )
            )
        if row.target is not None and row.target != handler.leaf:
            lines.append(
                self.line(
                    depth,
                    f"{self.state_place(process)} = {self.names.leaf(process.name, row.target)};",
                )
            )
        lines += [self.arm(timer, instance, depth) for timer in row.armed]
        lines += [self.statement(s, depth) for s in (*row.actions, *row.entry_actions)]
        return "\n".join(lines)

    def arm(self, timer: ir.Timer, instance: str, depth: int) -> str:
        macro = self.names.upper("TIMER_ARM")
        return self.line(
            depth,
            f"{macro}({self.names.timer(timer)}, {instance}, {self.text(timer.duration)});",
        )

    def state_place(self, process: ir.Process) -> str:
        if process.pool is None:
            return self.state(f"{naming.snake(process.name)}_state_")
        assert process.instance is not None
        return f"{self.hoisted[(process.pool, process.instance)]}->state_"

    def handler_body(
        self,
        process: ir.Process,
        handlers: Sequence[ir.Handler],
        event: Optional[ir.Event],
    ) -> str:
        """The body of the function for one event of a process: a switch on the state."""
        parts = [part for handler in handlers for part in walk.handler_parts(handler)]
        instance = (
            (process.instance, process.pool)
            if process.instance and process.pool
            else None
        )
        arguments = event.arguments if event is not None else ()
        head = self.enter(arguments, instance, parts, process.locals, False, 1)
        code = self.event_code(process, handlers[0])
        lines = [head] if head else []
        place = self.state_place(process)
        lines.append(self.line(1, f"switch ({place}) {{"))
        for handler in handlers:
            if handler.otherwise == "never" and not handler.groups:
                continue
            lines.append(
                self.line(1, f"case {self.names.leaf(process.name, handler.leaf)}:")
            )
            lines.append(self.leaf_body(process, handler))
        lines.append(self.line(1, "default:"))
        lines.append(self.never(process, place, code, 2))
        lines.append(self.line(2, "return;"))
        lines.append(self.line(1, "}"))
        return "\n".join(lines)

    def event_code(self, process: ir.Process, handler: ir.Handler) -> str:
        event = (
            handler.event if handler.timer is None else self.timer_event(handler.timer)
        )
        return self.names.event(process.name, event)

    def never(self, process: ir.Process, place: str, code: str, depth: int) -> str:
        return self.line(
            depth,
            f"{self.names.upper('NEVER')}({self.names.upper('PROCESS', process.name)}, {place}, {code});",
        )

    def leaf_body(self, process: ir.Process, handler: ir.Handler) -> str:
        lines: list[str] = []
        if not handler.groups:
            lines.append(self.line(2, "return; /* ignored */"))
        for group in handler.groups:
            depth = 2
            if group.lets:
                lines.append(self.line(2, "{"))
                depth = 3
                lines += [self.statement(let, depth) for let in group.lets]
            for row in group.rows:
                lines.append(
                    self.line(depth, f"/* {row.place}: {naming.comment(row.text)} */")
                )
                if row.guard is None:
                    lines.append(self.row(process, handler, row, depth))
                    lines.append(self.line(depth, "return;"))
                else:
                    lines.append(self.line(depth, f"if ({self.text(row.guard)}) {{"))
                    lines.append(self.row(process, handler, row, depth + 1))
                    lines.append(self.line(depth + 1, "return;"))
                    lines.append(self.line(depth, "}"))
            if group.lets:
                lines.append(self.line(2, "}"))
        if handler.groups and handler.otherwise != "handled":
            if handler.otherwise == "never":
                code = self.event_code(process, handler)
                lines.append(self.never(process, self.state_place(process), code, 2))
            lines.append(self.line(2, "return;"))
        return "\n".join(lines)

    def initial_body(self, process: ir.Process) -> str:
        """What emp_initialise does for one singleton."""
        self.enter((), None, (process.initial_actions,), process.locals, False, 1)
        lines = []
        for variable in process.variables:
            if variable.initial is not None and variable.initial.value != 0:
                place = self.state(naming.snake(variable.name))
                lines.append(self.line(1, f"{place} = {self.size(variable.initial)};"))
        lines += [self.arm(timer, "0u", 1) for timer in process.initial_timers]
        lines += [self.statement(s, 1) for s in process.initial_actions]
        return "\n".join(lines)

    # --- external entry points ---

    def range_checks(self, arguments: Sequence[ir.Argument]) -> list[str]:
        """Conditions under which the arguments of an external event are refused."""
        checks: list[str] = []
        for argument in arguments:
            if isinstance(argument.type, ir.PayloadType):
                for field in self.protocol.payload(argument.type.name).fields:
                    checks += self.range_check(
                        f"{naming.snake(argument.name)}->{naming.snake(field.name)}",
                        field.type,
                        field.range,
                    )
            elif isinstance(argument.type, ir.ReferenceType):
                pool = self.protocol.pool(argument.type.pool)
                checks.append(
                    f"{naming.snake(argument.name)} > {self.size(pool.count)}"
                )
        return checks

    def range_check(
        self, place: str, kind: ir.Type, bounds: Optional[ir.Range]
    ) -> list[str]:
        if bounds is None:
            return []
        checks = []
        if bounds.low.value > 0:
            checks.append(f"{place} < {self.size(bounds.low)}")
        if bounds.high.value < (1 << 8 * width(kind)) - 1:
            checks.append(f"{place} > {self.size(bounds.high)}")
        return checks

    def entry_body(self, process: ir.Process, event: ir.Event) -> str:
        lines: list[str] = []
        checks = self.range_checks(event.arguments)
        self.hoisted = {}
        if process.pool is not None and event.needs_reference:
            assert process.instance is not None
            name = naming.snake(process.instance)
            pool = self.protocol.pool(process.pool)
            checks = [f"{name} < 1u", f"{name} > {self.size(pool.count)}", *checks]
        if checks:
            lines.append(self.line(1, f"if ({' || '.join(checks)}) {{"))
            lines.append(self.line(2, "return HSM_REFUSED;"))
            lines.append(self.line(1, "}"))
        passed = [naming.snake(argument.name) for argument in event.arguments]
        if process.pool is not None:
            assert process.instance is not None
            name = naming.snake(process.instance)
            kind = self.names.scalar(self.protocol.pool(process.pool).reference)
            if event.creates:
                lines.append(
                    self.line(
                        1, f"if (!{self.names.lower(process.pool, 'available')}_()) {{"
                    )
                )
                lines.append(self.line(2, "return HSM_NO_ROOM;"))
                lines.append(self.line(1, "}"))
                lines.append(
                    self.line(
                        1,
                        f"const {kind} {name} = {self.names.lower(process.pool, 'create')}_();",
                    )
                )
            elif event.select is not None:
                lines.append(
                    self.line(1, f"const {kind} {name} = {self.text(event.select)};")
                )
                lines.append(self.line(1, f"if ({name} == 0u) {{"))
                lines.append(self.line(2, "return HSM_IGNORED;"))
                lines.append(self.line(1, "}"))
            passed.insert(0, name)
        lines.append(
            self.line(
                1, f"{self.call(self.names.handler(process.name, event.name), passed)};"
            )
        )
        lines.append(self.line(1, "return HSM_DONE;"))
        return "\n".join(lines)

    def instance_parameter(self, process: ir.Process) -> str:
        if process.pool is None or process.instance is None:
            return ""
        kind = self.names.scalar(self.protocol.pool(process.pool).reference)
        return f"const {kind} {naming.snake(process.instance)}"

    def entry_parameters(self, process: ir.Process, event: ir.Event) -> str:
        instance = self.instance_parameter(process) if event.needs_reference else ""
        return self.parameter_list(event.arguments, instance)

    # --- what the templates ask ---

    def lowest(self, parameter: ir.Parameter) -> str:
        return self.size(parameter.range.low) if parameter.range else "0u"

    def highest(self, parameter: ir.Parameter) -> str:
        return (
            self.size(parameter.range.high)
            if parameter.range
            else f"0x{(1 << 8 * width(parameter.type)) - 1:x}u"
        )

    def parameter_defaults(self) -> str:
        return ", ".join(
            self.size(parameter.default) for parameter in self.protocol.parameters
        )

    def all_events(self) -> list[tuple[str, str]]:
        """(process, event) with the timers of a process after its events."""
        result = []
        for process in self.protocol.processes:
            result += [(process.name, event.name) for event in process.events]
            result += [
                (process.name, self.timer_event(timer)) for timer in process.timers
            ]
        return result

    def timer_event(self, timer: ir.Timer) -> str:
        return f"after_{timer.state}"

    def temperature(self, process: ir.Process) -> str:
        return self.names.upper("COLD" if process.cold else "HOT")

    def payload_members(self, payload: ir.Payload) -> str:
        return aligned(
            [(self.member(field), field.doc) for field in by_alignment(payload.fields)]
        )

    def variables(self, process: ir.Process) -> str:
        return aligned([(self.member(field), field.doc) for field in process.variables])

    @property
    def created(self) -> set[str]:
        """Pools of which records are allocated."""
        events = {
            str(p.pool) for p in self.protocol.processes for e in p.events if e.creates
        }
        return events | {
            node.pool for node in self.all_nodes() if isinstance(node, ir.Create)
        }

    @property
    def released(self) -> set[str]:
        return {node.pool for node in self.all_nodes() if isinstance(node, ir.Release)}

    @property
    def cleared(self) -> set[str]:
        return {node.table for node in self.all_nodes() if isinstance(node, ir.Clear)}

    def all_nodes(self) -> Iterable[object]:
        bodies = [f.body for f in self.protocol.functions]
        bodies += [a.body for a in self.protocol.actions]
        yield from walk.nodes(bodies)
        for process in self.protocol.processes:
            for handler in process.handlers:
                yield from walk.nodes(walk.handler_parts(handler))

    # --- records ---

    def member(self, field: ir.Field) -> str:
        """The declaration of a field of a record, or of a process variable."""
        name = naming.snake(field.name)
        if isinstance(field.type, ir.BitsType):
            return f"uint32_t {name}[HSM_WORDS({self.size(field.type.count)})];"
        if isinstance(field.type, ir.ArrayType):
            return f"{self.names.scalar(field.type.element)} {name}[{self.size(field.type.count)}];"
        return f"{self.names.scalar(field.type)} {name};"

    def clear_record(self, fields: Sequence[ir.Field], depth: int) -> str:
        lines = []
        for field in fields:
            place = f"record->{naming.snake(field.name)}"
            if isinstance(field.type, ir.BitsType):
                lines.append(
                    self.line(
                        depth, f"hsm_clear({place}, {self.size(field.type.count)});"
                    )
                )
            elif isinstance(field.type, ir.ArrayType):
                head = f"for (uint32_t element = 0; element < {self.size(field.type.count)}; element++) {{"
                lines.append(self.line(depth, head))
                lines.append(
                    self.line(
                        depth + 1, f"{place}[element] = {zero(field.type.element)};"
                    )
                )
                lines.append(self.line(depth, "}"))
            else:
                lines.append(self.line(depth, f"{place} = {zero(field.type)};"))
        return "\n".join(lines)


def wrapped(text: str, columns: int = 100) -> str:
    """Indented by four blanks, long lines broken after a logical operator or a comma. Comments and directives are left
    as long as they are.

    >>> print(wrapped("\\treturn first_condition(a) && second_one;", 40))
        return first_condition(a) &&
            second_one;
    """
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.lstrip("\t")
        pad = "    " * (len(line) - len(bare))
        while len(pad) + len(bare) > columns:
            if bare.startswith(("/*", "*", " *", "#", '"', "X(")):
                break
            room = columns - len(pad)
            found = (0, 0)
            for marks in ((" && ", " || "), (", ",), (" : ", " ? ", " == ", " = ")):
                if found[0] <= 0:
                    found = max((bare.rfind(m, 0, room), len(m)) for m in marks)
            if found[0] <= 0:
                break
            lines.append(pad + bare[: sum(found)].rstrip())
            bare = bare[sum(found) :]
            pad = "    " * (len(line) - len(line.lstrip("\t")) + 1)
        lines.append(pad + bare)
    return "\n".join(lines)


def zero(kind: ir.Type) -> str:
    return "false" if isinstance(kind, ir.BoolType) else "0"


def alignment(kind: ir.Type) -> int:
    if isinstance(kind, ir.BitsType):
        return 4
    return width(kind.element if isinstance(kind, ir.ArrayType) else kind)


def storage(kind: ir.Type) -> int:
    """Bytes of a field."""
    if isinstance(kind, ir.BitsType):
        return (kind.count.value + 31) // 32 * 4
    if isinstance(kind, ir.ArrayType):
        return width(kind.element) * kind.count.value
    return width(kind)


def by_alignment(fields: Sequence[ir.Field]) -> list[ir.Field]:
    """The widest first, so that no hole is left; bit sets and arrays last, so that small offsets reach the rest."""
    return sorted(
        fields,
        key=lambda f: (
            isinstance(f.type, (ir.BitsType, ir.ArrayType)) and storage(f.type) > 8,
            -alignment(f.type),
        ),
    )


def record_bytes(fields: Sequence[ir.Field], with_state: bool) -> int:
    """The size a C compiler gives the record."""
    offset = 0
    largest = 1
    members = [(alignment(f.type), storage(f.type)) for f in fields]
    if with_state:
        members.insert(state_position(fields), (1, 1))
    for align, size in members:
        offset = -(-offset // align) * align + size
        largest = max(largest, align)
    return -(-offset // largest) * largest


def state_position(fields: Sequence[ir.Field]) -> int:
    """Where the state of the process stands among the sorted fields: with the other bytes, before the big arrays."""
    for position, field in enumerate(fields):
        if (
            isinstance(field.type, (ir.BitsType, ir.ArrayType))
            and storage(field.type) > 8
        ):
            return position
    return len(fields)


@dataclass(frozen=True)
class Record:
    """A record type as the templates print it."""

    declaration: Union[ir.Pool, ir.Table]
    members: tuple[tuple[str, str], ...]  # (declaration, documentation)
    fields: tuple[ir.Field, ...]
    padding: int  # bytes added so that an index becomes an address by adding two shifted terms


def record_of(writer: CWriter, declaration: Union[ir.Pool, ir.Table]) -> Record:
    fields = by_alignment(declaration.fields)
    with_state = isinstance(declaration, ir.Pool) and declaration.process is not None
    members = [(writer.member(field), field.doc) for field in fields]
    if with_state:
        process = writer.names.lower(str(declaration.process), "state")  # type: ignore[union-attr]
        members.insert(state_position(fields), ("uint8_t state_;", f"enum {process}"))
    size = record_bytes(fields, with_state)
    step = max([alignment(f.type) for f in fields] + [1])
    padded = size
    while naming.sum_terms(padded) > 2:
        padded += step
    return Record(declaration, tuple(members), tuple(fields), padded - size)


def aligned(rows: Sequence[tuple[str, str]]) -> str:
    """Declarations with their comments in one column."""
    column = max((len(text) for text, doc in rows if doc), default=0)
    return "\n".join(
        f"{text:<{column}}  /* {naming.comment(doc)} */" if doc else text
        for text, doc in rows
    )


def environment(writer: Optional[CWriter] = None) -> jinja2.Environment:
    """Templates with the filters they use."""
    result = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(TEMPLATES)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    result.globals.update(aligned=aligned)
    result.filters.update(
        snake=naming.snake,
        upper=naming.upper,
        comment=naming.comment,
        quoted=naming.quoted,
        unsigned=naming.unsigned,
        hexadecimal=naming.hexadecimal,
        indented=naming.indented,
        aligned=aligned,
    )
    if writer is not None:
        result.globals.update(c=writer, names=writer.names)
    return result


def generate(protocol: ir.Protocol) -> dict[str, str]:
    """File name -> text."""
    writer = CWriter(protocol)
    env = environment(writer)
    prefix = writer.names.prefix
    constants = {naming.upper(constant.name) for constant in protocol.constants}
    containers: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
    context: dict[str, object] = {
        "protocol": protocol,
        "prefix": prefix,
        "capitals": writer.names.capitals,
        "constant_names": constants,
        "records": [record_of(writer, d) for d in containers],
        "handlers": [
            (process, event, process.handlers_of(event.name))
            for process in protocol.processes
            for event in process.events
        ],
        "expiries": [
            (timer, protocol.process(timer.process)) for timer in protocol.timers
        ],
    }
    files = {
        f"{prefix}_layout.h": "c/layout.h.j2",
        f"{prefix}.h": "c/header.h.j2",
        f"{prefix}.c": "c/source.c.j2",
    }
    return {
        name: wrapped(env.get_template(template).render(context))
        for name, template in files.items()
    }
