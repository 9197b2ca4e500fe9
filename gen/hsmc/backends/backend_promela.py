# SPDX-License-Identifier: MIT
"""The Promela back end: prints a protocol, under one check configuration, for a world to include.

Two files come of it. `<protocol>.pml` holds the state (an array over nodes), every handler as an inline that belongs
inside one d_step, and the entry points of external events; with ENGINE_C the entry points call the generated C
instead. `<protocol>_check.h` gives that C the constants of the configuration.

What makes Promela awkward, and what is done about it
* Values are signed. A bound on every expression is computed; where it may reach bit 31 a comparison or a right shift
  goes through a macro that is right for unsigned values.
* There are no functions. Those of one expression become macros. The others become inlines that leave their result
  in a variable; an expression that calls one is preceded by that inline. (Functions have no effects, so evaluating
  one earlier than C would, or in vain, changes nothing.)
* There are no local variables that are not state. Arguments and locals are hidden globals: they are written before
  they are read within one d_step, nothing is recursive, and so one of each suffices. Payloads are passed by name.
* Loops cannot stand in a d_step several times; they are unrolled, and the rest of a block that some branch leaves
  early goes into the branches that go on.
"""

from __future__ import annotations

import functools
from typing import Optional, Sequence, Union

from .. import ir, naming
from ..admission import Carried, carried, largest
from . import backend_c
from .decided import decided
from .property_checks import PropertyChecks, property_checks
from .promela_checks import properties_inline, properties_name
from .promela_expressions import TOP, choice, field_name, indent
from .promela_statements import StatementWriter, handler_owner
from ..late_timers import LateTimers
from ..recall import Recall, recall

LONGEST_SET = 31  # bits of a set, which is one signed integer
LARGEST_POOL = (
    32  # records: those in use are one integer, of which each bit is read alone
)


class Unsupported(Exception):
    """What a model has no room for, in the words of the spec."""


class PromelaWriter(StatementWriter):
    """Machines as Promela text."""

    def __init__(
        self, protocol: ir.Protocol, late: frozenset[int] = frozenset()
    ) -> None:
        """`late`: the rows that arm computed timers after all else, by number."""
        super().__init__(protocol)
        self.late = late

    # --- bodies ---

    def macro_text(self, function: ir.Function) -> str:
        assert function.expression is not None
        self.macro = True
        text = self.text(function.expression)
        self.macro = False
        arguments = ", ".join(f"{naming.snake(a.name)}_" for a in function.arguments)
        return f"#define {self.names.lower(function.name)}({arguments}) {text}"

    def payload_parameters(self, arguments: Sequence[ir.Argument]) -> str:
        return ", ".join(
            f"{naming.snake(a.name)}_"
            for a in arguments
            if isinstance(a.type, ir.PayloadType)
        )

    def inline(self, name: str, parameters: str, lines: list[str]) -> str:
        return f"inline {name}({parameters})\n{{\n{printed(lines or ['skip'])}\n}}"

    def function_inline(self, function: Union[ir.Function, ir.Action]) -> str:
        self.owner = function.name
        for argument in function.arguments:
            if not isinstance(argument.type, ir.PayloadType):
                self.hidden_variable(
                    self.variable(function.name, argument.name), argument.type
                )
        lines = self.block(function.body)
        return self.inline(
            self.names.lower(function.name),
            self.payload_parameters(function.arguments),
            lines,
        )

    def instance(self, process: ir.Process) -> Optional[str]:
        return (
            self.hidden_variable(
                self.variable(self.owner, process.instance), ir.IntegerType(32)
            )
            if process.instance
            else None
        )

    def state_place(self, process: ir.Process) -> str:
        if process.pool is None:
            return self.state(f"{naming.snake(process.name)}_state_")
        return self.state(
            f"{field_name(process.pool)}[{self.instance(process)} - 1].state_"
        )

    def timer_bit(self, timer: ir.Timer, instance: Optional[str]) -> str:
        number = f"{self.names.timer(timer)} * {self.names.upper('TIMER_STRIDE')}"
        return f"{number} + {instance} - 1" if instance else number

    def row(self, process: ir.Process, handler: ir.Handler, row: ir.Row) -> list[str]:
        instance = self.instance(process)
        lines = [f"hsm_trace({row.number}, {instance or 0})"]
        lines += self.block(row.exit_actions)
        lines += [
            f"hsm_timer_cancel({self.timer_bit(timer, instance)})"
            for timer in row.cancelled
        ]
        if row.target is not None and row.target != handler.leaf:
            lines.append(
                f"{self.state_place(process)} = {self.names.leaf(process.name, row.target)}"
            )
        lines += self.arming(instance, [t for t in row.armed if not t.computed])
        lines += self.block(row.actions)
        computed = self.arming(instance, [t for t in row.armed if t.computed])
        entry = self.block(row.entry_actions)
        late = row.number in self.late
        return lines + (entry + computed if late else computed + entry)

    def arming(self, instance: Optional[str], timers: Sequence[ir.Timer]) -> list[str]:
        return [f"hsm_timer_arm({self.timer_bit(timer, instance)})" for timer in timers]

    def groups(
        self, process: ir.Process, handler: ir.Handler, groups: Sequence[ir.Group]
    ) -> list[str]:
        if not groups:
            return ["assert(never_event)"] if handler.otherwise == "never" else ["skip"]
        lines = self.block(groups[0].lets)
        return lines + self.rows(process, handler, groups[0].rows, groups[1:])

    def rows(
        self,
        process: ir.Process,
        handler: ir.Handler,
        rows: Sequence[ir.Row],
        groups: Sequence[ir.Group],
    ) -> list[str]:
        if not rows:
            return self.groups(process, handler, groups)
        row = rows[0]
        heading = [f"/* {row.id}, {row.place}: {naming.comment(row.text)} */"]
        if row.guard is None:
            return heading + self.row(process, handler, row)
        before, guard = self.value(row.guard)
        return (
            heading
            + before
            + choice(
                guard,
                self.row(process, handler, row),
                self.rows(process, handler, rows[1:], groups),
            )
        )

    def handler_inline(
        self,
        process: ir.Process,
        event: str,
        handlers: Sequence[ir.Handler],
        parameters: str,
    ) -> str:
        self.owner = handler_owner(process.name, event)
        lines = ["if"]
        for handler in handlers:
            if handler.otherwise == "never" and not handler.groups:
                continue
            lines.append(
                f":: {self.state_place(process)} == {self.names.leaf(process.name, handler.leaf)} ->"
            )
            lines += indent(self.groups(process, handler, handler.groups))
        lines += [":: else ->", *indent(["assert(never_event)"]), "fi"]
        return self.inline(self.names.handler(process.name, event), parameters, lines)

    def initialise(self) -> list[str]:
        lines: list[str] = []
        for process in self.protocol.processes:
            if process.pool is not None:
                continue
            self.owner = f"initialise_{process.name}"
            for variable in process.variables:
                if variable.initial is not None and variable.initial.value != 0:
                    lines.append(
                        f"{self.state(field_name(variable.name))} = {self.number(variable.initial.value)}"
                    )
            lines += self.arming(None, process.initial_timers)
            lines += self.block(process.initial_actions)
        return lines

    # --- entry points ---

    def event_payload(self, name: str) -> str:
        """The variable in which the world leaves a payload argument of an external event."""
        return self.hidden_variable(
            f"{self.names.prefix}_event_{naming.snake(name)}", ir.PayloadType(name)
        )

    def outside(self, place: str, item: Carried) -> list[str]:
        """Conditions under which a number that comes from the world is none of those allowed."""
        small = largest(item.type) < TOP

        def compared(operator: str, limit: ir.Size) -> str:
            return self.compared(place, operator, self.number(limit.value), small)

        result: list[str] = []
        if item.below is not None:
            result.append(compared("<", item.below))
        if item.above is not None:
            result.append(compared(">", item.above))
        for low, high in item.gaps:
            result.append(f"({compared('>', low)} && {compared('<', high)})")
        return result

    def entry_promela(self, process: ir.Process, event: ir.Event) -> list[str]:
        owner = handler_owner(process.name, event.name)
        self.owner = owner
        refused: list[str] = []
        payloads: list[str] = []
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                payloads.append(self.event_payload(argument.type.name))
            else:
                self.hidden_variable(self.variable(owner, argument.name), argument.type)
        for item in () if event.message else carried(self.protocol, event.arguments):
            place = self.variable(owner, item.argument.name)
            if item.field is not None:
                assert isinstance(item.argument.type, ir.PayloadType)
                place = self.event_payload(item.argument.type.name)
                place += f".{field_name(item.field.name)}"
            refused += self.outside(place, item)
        call = [
            f"{self.names.handler(process.name, event.name)}({', '.join(payloads)})",
            "hsm_verdict = HSM_DONE",
        ]
        if (process.name, event.name) in self.recall.events:
            call.insert(1, f"{self.recall_name}()")
        if (process.name, event.name) in self.property_checks.events:
            call.append(f"{properties_name(self)}()")
        instance = self.instance(process)
        if event.room is not None:
            before, room = self.value(event.room)
            call = before + choice(room, call, ["hsm_verdict = HSM_NO_ROOM"])
        if instance is not None and process.pool is not None:
            pool = self.protocol.pool(process.pool)
            if event.creates:
                used = self.state(f"{naming.snake(pool.name)}_used")
                call = choice(
                    f"{used} == {self.number((1 << pool.count.value) - 1)}",
                    ["hsm_verdict = HSM_NO_ROOM"],
                    self.create(pool.name, instance) + call,
                )
            elif event.select is not None:
                select = event.select
                before, text = self.value_with(select, event)
                call = [
                    *before,
                    f"{instance} = {text}",
                    *choice(f"{instance} == 0", ["hsm_verdict = HSM_IGNORED"], call),
                ]
            else:
                call = choice(
                    f"{self.state_place(process)} == 0",
                    ["hsm_verdict = HSM_IGNORED"],
                    call,
                )
                refused = [
                    f"{instance} < 1",
                    f"{instance} > {pool.count.value}",
                    *refused,
                ]
        if refused:
            return choice(" || ".join(refused), ["hsm_verdict = HSM_REFUSED"], call)
        return call

    def trail_print(self, process: ir.Process, event: ir.Event, number: int) -> str:
        """Tells a reader of trails of the event: node, number of the entry point, reference, values."""
        owner = handler_owner(process.name, event.name)
        values = [f"{self.names.prefix}_node", str(number)]
        takes_reference = process.instance is not None and event.needs_reference
        instance = self.variable(owner, str(process.instance))
        values.append(instance if takes_reference else "0")
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                variable = self.event_payload(argument.type.name)
                fields = self.protocol.payload(argument.type.name).fields
                values += [f"{variable}.{field_name(field.name)}" for field in fields]
            else:
                values.append(self.variable(owner, argument.name))
        form = " ".join(["%d"] * len(values))
        return f'hsm_tell("@ event {form}\\n", {", ".join(values)})'

    # --- what waits ---

    @functools.cached_property
    def recall(self) -> Recall:
        return recall(self.protocol)

    @functools.cached_property
    def property_checks(self) -> PropertyChecks:
        return property_checks(self.protocol, self.recall)

    @property
    def recall_name(self) -> str:
        return f"{self.names.prefix}_recall"

    def recall_inline(self) -> str:
        """As the C: the first process that is marked, the lowest record, until none is."""
        otherwise = ["break"]
        for process in reversed(self.recall.processes):
            assert process.recall is not None
            self.owner = handler_owner(process.name, process.recall.event)
            pending = self.text(process.recall.pending)
            handler = f"{self.names.handler(process.name, process.recall.event)}()"
            if process.pool is None:
                lines = [f"{pending} = 0", handler]
                otherwise = choice(pending, lines, otherwise)
                continue
            instance = self.instance(process)
            lines = ["skip"]
            for position in reversed(
                range(self.protocol.pool(process.pool).count.value)
            ):
                lines = choice(
                    f"(({pending} >> {position}) & 1) == 1",
                    [f"{instance} = {position + 1}"],
                    lines,
                )
            lines.append(f"{pending} = {pending} & ~(1 << ({instance} - 1))")
            lines += choice(f"{self.state_place(process)} != 0", [handler], [])
            otherwise = choice(f"{pending} != 0", lines, otherwise)
        # SPIN wants something behind the last loop of a d_step.
        body = ["do", ":: true ->", *indent(otherwise), "od", "skip"]
        return self.inline(self.recall_name, "", body)

    def value_with(self, node: ir.Expression, event: ir.Event) -> tuple[list[str], str]:
        """An expression over an event's arguments where the payloads are the world's variables."""
        before, text = self.value(node)
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                placeholder = f"{naming.snake(argument.name)}_"
                actual = self.event_payload(argument.type.name)
                before = [replace_word(line, placeholder, actual) for line in before]
                text = replace_word(text, placeholder, actual)
        return before, text

    def entry_c(self, process: ir.Process, event: ir.Event) -> str:
        """The call of the generated C, its arguments taken from the same variables."""
        owner = handler_owner(process.name, event.name)
        arguments: list[str] = []
        if process.instance is not None and event.needs_reference:
            arguments.append(f"(uint8_t){self.variable(owner, process.instance)}")
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                variable = self.event_payload(argument.type.name)
                fields = ", ".join(
                    f".{naming.snake(f.name)} = ({self.names.scalar(f.type)}){variable}.{field_name(f.name)}"
                    for f in self.protocol.payload(argument.type.name).fields
                )
                arguments.append(
                    f"&({self.names.struct(argument.type.name)}){{ {fields} }}"
                )
            else:
                arguments.append(
                    f"({self.names.scalar(argument.type)}){self.variable(owner, argument.name)}"
                )
        return f"hsm_verdict = {self.names.lower(process.name, event.name)}({', '.join(arguments)});"

    # --- the state ---

    def storage(self, kind: ir.Type, name: str) -> str:
        """A declaration within a typedef. Widths as in C, so that what C would wrap wraps here."""
        if isinstance(kind, ir.ArrayType):
            if isinstance(kind.element, ir.IntegerType) and kind.element.bits == 16:
                return f"int {name}[{kind.count.value}]"  # Promela has no arrays of 16-bit values
            return f"{self.storage(kind.element, name)}[{kind.count.value}]"
        if isinstance(kind, ir.BitsType):
            if kind.count.value > LONGEST_SET:
                raise Unsupported(
                    f"'{name}' is a set of {kind.count.value} bits: a model has room for {LONGEST_SET}; "
                    "let the check set its size to less"
                )
            return f"{'byte' if kind.count.value <= 8 else 'int'} {name}"
        if isinstance(kind, ir.BoolType):
            return f"bool {name}"
        if isinstance(kind, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType)):
            return {8: f"byte {name}", 16: f"unsigned {name} : 16", 32: f"int {name}"}[
                kind.bits
            ]
        raise TypeError(f"{kind} cannot be stored")

    def members(self, fields: Sequence[ir.Field]) -> list[str]:
        return [self.storage(field.type, field_name(field.name)) for field in fields]

    def member(self, declaration: ir.Declaration) -> str:
        return field_name(declaration.name)

    def constant(self, constant: ir.Constant) -> str:
        return self.number(constant.value)

    def timer_stride(self) -> int:
        """Bits of the set of armed timers each timer takes: one per instance."""
        counts = [1]
        for timer in self.protocol.timers:
            pool = self.protocol.process(timer.process).pool
            counts.append(self.protocol.pool(pool).count.value if pool else 1)
        return max(counts)


def replace_word(text: str, word: str, by: str) -> str:
    """
    >>> replace_word("active(f_, xf_)", "f_", "e")
    'active(e, xf_)'
    """
    import re

    return re.sub(rf"\b{re.escape(word)}\b", by, text)


def printed(lines: Sequence[str]) -> str:
    """Statements with their separators, one level deep.

    >>> print(printed(["do", ":: c ->", "\\tbreak", "od", "skip"]).expandtabs(1))
     do
     :: c ->
      break
     od;
     skip
    >>> print(printed(["a = 1", "if", ":: c ->", "\\tskip", ":: else", "fi", "b = 2"]).expandtabs(1))
     a = 1;
     if
     :: c ->
      skip
     :: else
     fi;
     b = 2
    """
    result: list[str] = []
    for position, line in enumerate(lines):
        bare = line.strip()
        depth = len(line) - len(line.lstrip("\t"))
        following = next(
            (
                rest
                for rest in lines[position + 1 :]
                if not rest.strip().startswith("/*")
            ),
            "",
        )
        next_depth = len(following) - len(following.lstrip("\t"))
        opens = bare in ("if", "do") or bare.startswith("::") or bare.startswith("/*")
        closes = following.strip() in ("fi", "od") or following.strip().startswith("::")
        last = not following or next_depth < depth or (closes and next_depth <= depth)
        result.append("\t" + line + ("" if opens or last else ";"))
    return "\n".join(result)


def generate(protocol: ir.Protocol) -> dict[str, str]:
    """File name -> text. The protocol must have a check configuration applied. Raises Unsupported."""
    for pool in protocol.pools:
        if pool.count.value > LARGEST_POOL:
            raise Unsupported(
                f"pool '{pool.name}' has {pool.count.value} records: a model has room for {LARGEST_POOL}; "
                "let the check set its size to less"
            )
    # Of the whole protocol, as in C: among what is left out may be what tells the difference.
    late = LateTimers(protocol).rows
    protocol = decided(protocol)
    writer = PromelaWriter(protocol, late)
    env = backend_c.environment()
    env.globals.update(p=writer, names=writer.names)
    bodies: list[str] = []
    macros: list[str] = []
    for function in protocol.functions:
        if function.name in writer.blocks:
            bodies.append(writer.function_inline(function))
        else:
            macros.append(writer.macro_text(function))
    bodies += [writer.function_inline(action) for action in protocol.actions]
    for process in protocol.processes:
        for event in process.events:
            parameters = writer.payload_parameters(event.arguments)
            bodies.append(
                writer.handler_inline(
                    process, event.name, process.handlers_of(event.name), parameters
                )
            )
        for timer in process.timers:
            event_name = f"after_{timer.state}"
            bodies.append(
                writer.handler_inline(
                    process, event_name, process.handlers_of_timer(timer), ""
                )
            )
    if writer.recall.processes:
        bodies.append(writer.recall_inline())
    if writer.property_checks.properties:
        bodies.append(properties_inline(writer))
    beginning = writer.initialise()
    if writer.recall.initialise:
        beginning.append(f"{writer.recall_name}()")
    initialise = printed(beginning or ["skip"])
    entries: list[tuple[ir.Event, str, str, str, str]] = []
    for process in protocol.processes:
        for event in process.events:
            if event.external:
                name = writer.names.lower(process.name, event.name)
                entries.append(
                    (
                        event,
                        name,
                        writer.trail_print(process, event, len(entries)),
                        printed(writer.entry_promela(process, event)),
                        writer.entry_c(process, event),
                    )
                )
    expiries = []
    for timer in protocol.timers:
        process = protocol.process(timer.process)
        writer.owner = handler_owner(process.name, f"after_{timer.state}")
        expiries.append(
            (
                timer,
                writer.names.handler(process.name, f"after_{timer.state}"),
                writer.instance(process),
            )
        )
    for (
        device
    ) in (
        protocol.devices
    ):  # the world reads the arguments even of operations never called
        for argument in device.arguments:
            if not isinstance(argument.type, ir.PayloadType):
                writer.hidden_variable(
                    writer.variable(f"device_{device.name}", argument.name),
                    argument.type,
                )
    context: dict[str, object] = {
        "protocol": protocol,
        "prefix": writer.names.prefix,
        "capitals": writer.names.capitals,
        "properties": properties_name(writer),
        "macros": macros,
        "bodies": bodies,
        "initialise": initialise,
        "entries": entries,
        "expiries": expiries,
        "variables": sorted(writer.variables.items()),
    }
    stem = writer.names.stem
    return {
        f"{stem}.pml": env.get_template("promela/protocol.pml.j2").render(context),
        f"{stem}_check.h": env.get_template("promela/check.h.j2").render(context),
    }
