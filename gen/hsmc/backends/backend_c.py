# SPDX-License-Identifier: MIT
"""The C back end: prints a protocol as plain C11 files.

`CWriter` turns machines into text, c_statements.py statements, c_expressions.py expressions, c_records.py records,
c_bodies.py how bodies begin, c_checks.py what is checked at run time; the templates under templates/c arrange that text into files.
"""

from __future__ import annotations

import functools
import pathlib
from typing import Optional, Sequence, Union

import jinja2

from .. import frames, ir, naming, walk
from .property_checks import PropertyChecks, property_checks
from .c_codec import CodecView
from .c_cold import all_cold, cold_handlers
from .c_lines import with_places, wrapped
from ..admission import carried, largest
from .c_rare import RareRows, split_rare
from .c_records import by_alignment, record_of, width, zero
from .exchange import Message
from .c_statements import StatementWriter
from .c_usage import Usage, declared_locals, repeated_locals
from ..dump import condition_text, expression_text, held_text
from ..late_timers import LateTimers
from ..recall import Recall, recall
from .state_layout import record_layout
from .template_cache import TemplateCache

# Of fw-runtime/hsm_support.h: what generated code expects of it. Both change when either does.
SUPPORT_VERSION = 2

# Bytes of a table that still lies in fast memory; in a larger one, code has more use for the room.
HOT_LIMIT = 1024

TEMPLATES = pathlib.Path(__file__).resolve().parents[1] / "templates"


class CWriter(StatementWriter):
    """Machines as C text."""

    def __init__(self, protocol: ir.Protocol, shared: Sequence[str] = ()) -> None:
        """`shared`: data that two processors use at any time, as a placement names them."""
        super().__init__(protocol)
        self.shared = shared
        self.usage = Usage(protocol)
        self.late_timers = LateTimers(protocol)

    # --- bodies ---

    def function_body(self, function: Union[ir.Function, ir.Action]) -> str:
        parts = (function.body,)
        is_function = isinstance(function, ir.Function)
        if isinstance(function, ir.Function):
            self.result = function.result
        head = self.enter(
            function.arguments,
            None,
            parts,
            function.locals,
            is_function,
            1,
            always=function.body,
            references_checked=True,
        )
        head = self.marks.mark(function.place, head)
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
        lines += self.state_actions("exit", row.exit_actions, depth)
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
        given = [timer for timer in row.armed if not timer.computed]
        computed = [timer for timer in row.armed if timer.computed]
        arming = [self.arm(timer, instance, depth) for timer in computed]
        entry = self.state_actions("entry", row.entry_actions, depth)
        lines += [self.arm(timer, instance, depth) for timer in given]
        lines += [self.statement(s, depth) for s in row.actions]
        lines += entry + arming if self.late_timers.in_row(row) else arming + entry
        return "\n".join(lines)

    def state_actions(
        self, what: str, actions: Sequence[ir.Statement], depth: int
    ) -> list[str]:
        """Exit or entry actions of states that a row runs, with a comment where the spec has them."""
        if not actions:
            return []
        comment = self.line(depth, f"/* {actions[0].place}: {what} */")
        return [comment, *(self.statement(s, depth) for s in actions)]

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
        cold = cold_handlers(process, handlers)
        rare = self.rare_rows(process, handlers, event)
        here = [
            split_rare(handler)[0] if handler.leaf in rare else handler
            for handler in handlers
            if handler not in cold
        ]
        single = process.pool is None and len(process.leaves) == 1
        always = walk.beginning(here[0]) if single else ()
        passed_on = bool(cold or rare)
        head = self.handler_head(process, here, event, passed_on, always)
        lines = [head] if head else []
        place = self.state_place(process)
        if single:
            # There is but one state to be in: nothing to look up.
            leaf = handlers[0].leaf
            body = self.leaf_body(process, here[0], 1, event, rare.get(leaf))
            lines.append(body.removesuffix("\n" + self.line(1, "return;")))
            return "\n".join(lines)
        lines.append(self.line(1, f"switch ({place}) {{"))
        for handler in handlers:
            if handler.otherwise == "never" and not handler.groups:
                continue
            lines.append(
                self.line(1, f"case {self.names.leaf(process.name, handler.leaf)}:")
            )
            if handler in cold:
                name = self.cold_function_name(process, handler)
                lines += self.call_apart(process, event, name, (), 2)
            else:
                own = next(h for h in here if h.leaf == handler.leaf)
                apart = rare.get(handler.leaf)
                lines.append(self.leaf_body(process, own, 2, event, apart))
        lines.append(self.line(1, "default:"))
        code = self.event_code(process, handlers[0])
        never = self.never(process, place, code, 2)
        origin = event.place if event is not None else process.place
        lines.append(self.marks.mark(origin, never))
        lines.append(self.line(2, "return;"))
        lines.append(self.line(1, "}"))
        return "\n".join(lines)

    def handler_head(
        self,
        process: ir.Process,
        handlers: Sequence[ir.Handler],
        event: Optional[ir.Event],
        passed_on: bool,
        always: Sequence[object] = (),
    ) -> str:
        parts = [part for handler in handlers for part in walk.handler_parts(handler)]
        instance = (
            (process.instance, process.pool)
            if process.instance and process.pool
            else None
        )
        arguments = event.arguments if event is not None else ()
        self.repeated = repeated_locals(handlers)
        return self.enter(
            arguments, instance, parts, process.locals, False, 1, passed_on, always
        )

    def rare_rows(
        self,
        process: ir.Process,
        handlers: Sequence[ir.Handler],
        event: Optional[ir.Event],
    ) -> dict[str, RareRows]:
        """By leaf. What is not in fast memory anyway stays in one piece."""
        slow = (self.names.upper("RARE"), self.names.upper("COLD"))
        if self.temperature(process, event, handlers) in slow:
            return {}
        cold = cold_handlers(process, handlers)
        found = {h.leaf: split_rare(h)[1] for h in handlers if h not in cold}
        return {leaf: rare for leaf, rare in found.items() if rare is not None}

    def call_apart(
        self,
        process: ir.Process,
        event: Optional[ir.Event],
        function: str,
        passed: Sequence[ir.Local],
        depth: int,
    ) -> list[str]:
        """Lines that leave the rest to a function."""
        names = [process.instance] if process.instance else []
        names += [a.name for a in (event.arguments if event is not None else ())]
        names += [local.unique for local in passed]
        values = [naming.snake(name) for name in names]
        return [
            self.line(depth, f"{self.call(function, values)};"),
            self.line(depth, "return;"),
        ]

    def rare_function_name(self, process: ir.Process, rare: RareRows) -> str:
        return f"{self.cold_function_name(process, rare.handler)}rare_"

    def rare_parameters(
        self, process: ir.Process, event: Optional[ir.Event], rare: RareRows
    ) -> str:
        arguments = event.arguments if event is not None else ()
        own = self.instance_parameter(process)
        parts = [own] if own else []
        parts += self.parameters(arguments)
        assigned = walk.assigned_locals(walk.handler_parts(rare.handler))
        for local in rare.passed:
            fixed = "" if local.unique in assigned else "const "
            parts.append(
                f"{fixed}{self.names.scalar(local.type)} {naming.snake(local.unique)}"
            )
        return ", ".join(parts) or "void"

    def cold_function_name(self, process: ir.Process, handler: ir.Handler) -> str:
        function = self.names.handler(process.name, self.event_name(handler))
        return f"{function}_{naming.snake(handler.leaf)}_"

    def apart_body(
        self, process: ir.Process, handler: ir.Handler, event: Optional[ir.Event]
    ) -> str:
        """The body of a function for an event in one state: a cold one, or for rare rows."""
        always = walk.beginning(handler)
        head = self.handler_head(process, [handler], event, False, always)
        body = self.leaf_body(process, handler, 1, event)
        body = body.removesuffix("\n" + self.line(1, "return;"))
        own = self.hoisted.get((process.pool or "", process.instance or ""))
        if own and f"{own}->" not in body:
            head += "\n" + self.line(1, f"(void){own};")
        return f"{head}\n{body}" if head else body

    def event_name(self, handler: ir.Handler) -> str:
        return (
            handler.event if handler.timer is None else self.timer_event(handler.timer)
        )

    def event_code(self, process: ir.Process, handler: ir.Handler) -> str:
        return self.names.event(process.name, self.event_name(handler))

    def never(self, process: ir.Process, place: str, code: str, depth: int) -> str:
        return self.line(
            depth,
            f"{self.names.upper('NEVER')}({self.names.upper('PROCESS', process.name)}, {place}, {code});",
        )

    def leaf_body(
        self,
        process: ir.Process,
        handler: ir.Handler,
        outermost: int,
        event: Optional[ir.Event],
        rare: Optional[RareRows] = None,
    ) -> str:
        """What an event does in one state; every way ends with a return. `rare`: what the rows here leave to a function."""
        lines: list[str] = []
        if not handler.groups and handler.otherwise != "never":
            lines.append(self.line(outermost, "return; /* ignored */"))
        for group in handler.groups:
            depth = outermost
            if group.lets:
                lines.append(self.line(outermost, "{"))
                depth += 1
                lines += [self.statement(let, depth) for let in group.lets]
            for row in group.rows:
                lines.append(
                    self.line(depth, f"/* {row.place}: {naming.comment(row.text)} */")
                )
                if row.guard is None and not (
                    self.repeated & declared_locals(row) and not group.lets
                ):
                    lines.append(self.row(process, handler, row, depth))
                    lines.append(self.line(depth, "return;"))
                elif row.guard is None:
                    lines.append(self.line(depth, "{"))
                    lines.append(self.row(process, handler, row, depth + 1))
                    lines.append(self.line(depth + 1, "return;"))
                    lines.append(self.line(depth, "}"))
                else:
                    guard = self.line(depth, f"if ({self.text(row.guard)}) {{")
                    lines.append(self.marks.mark(row.place, guard))
                    lines.append(self.row(process, handler, row, depth + 1))
                    lines.append(self.line(depth + 1, "return;"))
                    lines.append(self.line(depth, "}"))
            if rare is not None and group is handler.groups[-1]:
                name = self.rare_function_name(process, rare)
                lines += self.call_apart(process, event, name, rare.passed, depth)
            if group.lets:
                lines.append(self.line(outermost, "}"))
        if rare is not None:
            return "\n".join(lines)
        if handler.otherwise == "never":
            code = self.event_code(process, handler)
            never = self.never(process, self.state_place(process), code, outermost)
            place = handler.place or process.leaf(handler.leaf).place
            lines.append(self.marks.mark(place, never))
        if handler.groups and handler.otherwise != "handled":
            lines.append(self.line(outermost, "return;"))
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
        for item in carried(self.protocol, arguments):
            place = naming.snake(item.argument.name)
            if item.field is not None:
                place += f"->{naming.snake(item.field.name)}"
            if item.allowed:
                low, high = item.allowed[0][0], item.allowed[-1][1]
                most = largest(item.type)
                checks += self.outside(place, "<", low, low.value == 0)
                checks += self.outside(place, ">", high, high.value >= most)
            for low, high in item.gaps:
                above = self.outside(place, ">", low, False)
                below = self.outside(place, "<", high, False)
                checks.append(f"({' && '.join([*above, *below])})")
        return checks

    def above_record_count(self, reference: str, pool: ir.Pool) -> list[str]:
        """The condition under which a reference names no record."""
        most = (1 << pool.reference.bits) - 1
        return self.outside(reference, ">", pool.count, pool.count.value == most)

    def entry_body(self, process: ir.Process, event: ir.Event) -> str:
        lines: list[str] = []
        # Of a message, fields that nothing reads are not carried.
        checks = [] if event.message else self.range_checks(event.arguments)
        self.hoisted = {}
        if process.pool is not None and event.needs_reference:
            assert process.instance is not None
            name = naming.snake(process.instance)
            pool = self.protocol.pool(process.pool)
            checks = [f"{name} < 1u", *self.above_record_count(name, pool), *checks]
        if checks:
            lines.append(self.line(1, f"if ({' || '.join(checks)}) {{"))
            lines.append(self.line(2, "return HSM_REFUSED;"))
            lines.append(self.line(1, "}"))
        passed = [naming.snake(argument.name) for argument in event.arguments]
        if process.pool is not None:
            assert process.instance is not None
            name = naming.snake(process.instance)
            if event.needs_reference:
                record = f"{self.state(naming.snake(process.pool))}[{name} - 1u]"
                absent = [f"{record}.state_ == 0", *self.lateness(process, event)]
                lines.append(self.line(1, f"if ({' || '.join(absent)}) {{"))
                lines.append(self.line(2, "return HSM_IGNORED;"))
                lines.append(self.line(1, "}"))
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
                select = f"const {kind} {name} = {self.text(event.select)};"
                lines.append(self.marks.mark(event.place, self.line(1, select)))
                lines.append(self.line(1, f"if ({name} == 0u) {{"))
                lines.append(self.line(2, "return HSM_IGNORED;"))
                lines.append(self.line(1, "}"))
            passed.insert(0, name)
        if event.room is not None:
            lines.append(self.line(1, f"if (!({self.text(event.room)})) {{"))
            lines.append(self.line(2, "return HSM_NO_ROOM;"))
            lines.append(self.line(1, "}"))
        lines.append(
            self.line(
                1, f"{self.call(self.names.handler(process.name, event.name), passed)};"
            )
        )
        if (process.name, event.name) in self.recall.events:
            lines.append(self.line(1, f"{self.recall_name}();"))
        if (process.name, event.name) in self.property_checks.events:
            lines.append(self.line(1, f"{self.properties_name}();"))
        lines.append(self.line(1, "return HSM_DONE;"))
        return "\n".join(lines)

    # --- what surrounds an event where there are two processors (c_messages.py) ---

    incoming: Sequence[Message] = ()  # events that the other one raises
    outgoing: Sequence[Message] = ()  # events that are raised there
    waits = False  # some events begin only when there is room for messages
    takes = False  # it handles incoming messages while it waits
    released_before: Sequence[str] = ()  # pools (exchange.py)
    takes_late = False  # messages for their records, which may come too late

    def timer_events(self, process: ir.Process, timer: ir.Timer) -> list[str]:
        """What the end of a timer is called, as in ir.Row.id."""
        handlers = process.handlers_of_timer(timer)
        return list(dict.fromkeys(handler.event for handler in handlers))

    def lateness(self, process: ir.Process, event: ir.Event) -> list[str]:
        """Conditions under which a message comes too late for its record."""
        return []

    def event_begins(self, process: str, events: Sequence[str], depth: int) -> str:
        """Lines before one of the events."""
        return ""

    def event_ends(self, process: str, events: Sequence[str], depth: int) -> str:
        return ""

    # --- what waits ---

    @functools.cached_property
    def recall(self) -> Recall:
        return recall(self.protocol)

    @functools.cached_property
    def property_checks(self) -> PropertyChecks:
        return property_checks(self.protocol, self.recall)

    @property
    def recall_name(self) -> str:
        return f"{self.names.prefix}_recall_"

    def recall_body(self) -> str:
        """Delivers what waits and need not wait any longer, one after the other, each in full."""
        self.hoisted = {}
        lines = [self.line(1, "for (;;) {")]
        for process in self.recall.processes:
            assert process.recall is not None
            pending = self.text(process.recall.pending)
            handler = self.names.handler(process.name, process.recall.event)
            if process.pool is None:
                lines.append(self.line(2, f"if ({pending}) {{"))
                lines.append(self.line(3, f"{pending} = false;"))
                lines.append(self.line(3, f"{handler}();"))
                lines.append(self.line(3, "continue;"))
                lines.append(self.line(2, "}"))
                continue
            pool = self.protocol.pool(process.pool)
            name = f"{naming.snake(process.name)}_waiting"
            kind = self.names.scalar(pool.reference)
            count = self.size(pool.count)
            record = f"{self.state(naming.snake(pool.name))}[{name} - 1u]"
            lines += [
                self.line(
                    2, f"const {kind} {name} = ({kind})hsm_first({pending}, {count});"
                ),
                "",
                self.line(2, f"if ({name} != 0u) {{"),
                self.line(3, f"hsm_unset({pending}, {count}, {name} - 1u);"),
                self.line(3, f"if ({record}.state_ != 0) {{"),
                self.line(4, f"{handler}({name});"),
                self.line(3, "}"),
                self.line(3, "continue;"),
                self.line(2, "}"),
            ]
        return "\n".join([*lines, self.line(2, "return;"), self.line(1, "}")])

    def instance_parameter(self, process: ir.Process) -> str:
        if process.pool is None or process.instance is None:
            return ""
        kind = self.names.scalar(self.protocol.pool(process.pool).reference)
        return f"const {kind} {naming.snake(process.instance)}"

    def entry_names(self, process: ir.Process, event: ir.Event) -> str:
        """What the entry point of an event passes on."""
        names = [argument.name for argument in event.arguments]
        if process.instance is not None and event.needs_reference:
            names.insert(0, process.instance)
        return ", ".join(naming.snake(name) for name in names)

    def entry_parameters(self, process: ir.Process, event: ir.Event) -> str:
        instance = self.instance_parameter(process) if event.needs_reference else ""
        return self.parameter_list(event.arguments, instance)

    # --- what the templates ask ---

    def most_records(self, pool: ir.Pool) -> str:
        """That references of their width can tell apart, and none."""
        return f"0x{(1 << pool.reference.bits) - 1:x}u"

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

    def temperature(
        self,
        process: ir.Process,
        event: Optional[ir.Event],
        handlers: Sequence[ir.Handler] = (),
    ) -> str:
        """Of an event, or of the end of a timer."""
        if event is not None and event.code:
            return self.names.upper(event.code)
        return self.names.upper("COLD" if all_cold(process, handlers) else "HOT")

    def body_place(self, body: Union[ir.Function, ir.Action]) -> str:
        return self.names.upper(body.code) if body.code else "inline"

    def state_members(self) -> list[tuple[str, bool]]:
        """Members of the struct of the state, each with whether its data are cold, or too large for fast memory."""
        protocol = self.protocol
        containers: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
        return [
            *((f"{p.name}_state_", False) for p in protocol.processes if not p.pool),
            *((v.name, False) for p in protocol.processes for v in p.variables),
            *((f"{pool.name}_used", False) for pool in protocol.pools),
            *(
                (c.name, c.cold or record_layout(c).total > HOT_LIMIT)
                for c in containers
            ),
        ]

    def cold_handlers(
        self, process: ir.Process, handlers: Sequence[ir.Handler]
    ) -> tuple[ir.Handler, ...]:
        return cold_handlers(process, handlers)

    def payload_members(self, payload: ir.Payload) -> str:
        return aligned(
            [(self.member(field), field.doc) for field in by_alignment(payload.fields)]
        )

    def variables(self, process: ir.Process) -> str:
        return aligned([(self.member(field), field.doc) for field in process.variables])

    # --- records ---

    def member(self, field: ir.Field) -> str:
        """The declaration of a field of a record, or of a process variable."""
        name = naming.snake(field.name)
        if isinstance(field.type, ir.BitsType):
            return (
                f"uint32_t {name}[HSM_WORDS({self.text(field.type.count.expression)})];"
            )
        if isinstance(field.type, ir.ArrayType):
            return f"{self.names.scalar(field.type.element)} {name}[{self.text(field.type.count.expression)}];"
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
        bytecode_cache=TemplateCache(),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    result.globals.update(
        aligned=aligned,
        held_text=held_text,
        condition_text=condition_text,
        expression_text=expression_text,
    )
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


def context_of(writer: CWriter) -> dict[str, object]:
    """What the templates under templates/c know of a protocol."""
    protocol = writer.protocol
    containers: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
    return {
        "protocol": protocol,
        "prefix": writer.names.prefix,
        "capitals": writer.names.capitals,
        "support_version": SUPPORT_VERSION,
        "constant_names": {naming.upper(each.name) for each in protocol.constants},
        "records": [record_of(writer, d) for d in containers],
        "handlers": [
            (process, event, process.handlers_of(event.name))
            for process in protocol.processes
            for event in writer.usage.handled(process)
        ],
        "expiries": [
            (timer, protocol.process(timer.process)) for timer in protocol.timers
        ],
    }


def source(writer: CWriter) -> str:
    """Functions, actions and machines."""
    writer.marks.wanted = True
    template = environment(writer).get_template("c/source.c.j2")
    text = wrapped(template.render(context_of(writer)))
    return with_places(text, writer.marks, writer.protocol.files)


def generate(protocol: ir.Protocol, shared: Sequence[str] = ()) -> dict[str, str]:
    """File name -> text. `shared` as of a CWriter."""
    writer = CWriter(protocol, shared)
    env = environment(writer)
    stem = writer.names.stem
    context = context_of(writer)
    files = {
        f"{stem}_layout.h": "c/layout.h.j2",
        f"{stem}.h": "c/header.h.j2",
    }
    found = frames.codecs(protocol)
    if found:
        files[f"{stem}_codec.h"] = "c/codec.h.j2"
        context["codecs"] = [CodecView(codec, writer) for codec in found]
    texts = {
        name: wrapped(env.get_template(template).render(context))
        for name, template in files.items()
    }
    return {**texts, f"{stem}.c": source(CWriter(protocol))}
