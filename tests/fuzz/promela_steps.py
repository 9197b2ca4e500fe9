"""A world of Promela that takes its steps from a script, one event a step, and prints what each did.

The lines are those of the differential harness, but for what a model does not have: counters, the durations of timers,
and what cannot come (a model asserts that, and has no more to say).
"""

from __future__ import annotations

import re
from typing import Sequence, Union

from hsmc import ir, naming
from hsmc.backends import backend_promela
from hsmc.backends.backend_promela import PromelaWriter, handler_owner
from hsmc.backends.promela_expressions import field_name
from hsmc.interpreter.interpreter import EntryPoint, Program

WORLD = """/* Steps read from standard input. */
#define NODES 1
#define hsm_timer_arm(timer) hsm_tell("@ arm %d\\n", timer)
#define hsm_timer_cancel(timer) hsm_tell("@ cancel %d\\n", timer)
{parameters}
#include "{prefix}.pml"
hidden int steps_kind;	/* of what comes next, 0 for nothing */
hidden int steps_which;
int steps_done;
{devices}
c_code {{
\\#include "steps.h"
}}
inline begin()
{{
	c_code {{ steps_read(); }};
	{prefix}_node = 0;
	hsm_verdict = 0;
	never_event = 1;
	pool_exhausted = 1
}}
inline end()
{{
	c_code {{ steps_print(); steps_next(); }};
	steps_done = steps_done + 1
}}
active proctype Steps()
{{
	d_step {{ c_code {{ steps_next(); }}; steps_done = 0 }};
	do
	:: d_step {{ steps_kind == 1 -> begin(); {prefix}_initialise(); end() }}
	:: d_step {{ steps_kind == 4 -> begin(); end() }}
{choices}
	:: else -> break
	od
}}
"""

HEADER = """#include <stdint.h>
#include <string.h>
static struct {prefix}_node_state steps_before;
static uint32_t steps_number(void) {{
	unsigned int result = 0;
	if (scanf("%u", &result) != 1) exit(2);
	return result;
}}
static void steps_next(void) {{
	char command;
	steps_kind = 0;
	if (scanf(" %c", &command) != 1) return;
	steps_kind = command == 'R' || command == 'D' ? 1 : command == 'E' ? 2 : command == 'T' ? 3 : 4;
	steps_which = steps_kind == 1 ? command == 'D' : (int)steps_number();
}}
static void steps_read(void) {{
	if (steps_kind == 1) {{
		memset(&now.{prefix}_nodes[0], 0, sizeof(now.{prefix}_nodes[0]));
		memset(&steps_before, 0, sizeof(steps_before));
		if (steps_which) {{
{defaults}
		}} else {{
{parameters}
		}}
		return;
	}}
	switch (steps_kind << 16 | steps_which) {{
{events}
{timers}
{settings}
	default: exit(2);
	}}
}}
#define NUMBER(place, form, ...) \\
	if (now.{prefix}_nodes[0].place != steps_before.place) \\
		printf("; " form, __VA_ARGS__, (uint32_t)now.{prefix}_nodes[0].place)
static void steps_print(void) {{
	printf("@ changes ");
{changes}
	printf("\\n@ end %d\\n", hsm_verdict);
	memcpy(&steps_before, &now.{prefix}_nodes[0], sizeof(steps_before));
}}
"""


class StepsWriter:
    """The world of one protocol, and how its lines are read."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.protocol = program.protocol
        self.writer = PromelaWriter(self.protocol)
        self.names = self.writer.names
        # In the order of the interpreter's slots; the writer's hidden variables are declared by its own file.
        protocol = self.protocol
        kept = [p.name for p in protocol.parameters] + [
            c.name for c in protocol.counters
        ]
        self.absent = {*kept}

    # --- the files

    def generate(self) -> dict[str, str]:
        prefix = self.names.prefix
        files = backend_promela.generate(self.protocol)
        files["hsm_world.h"] = "static void hsm_tell_world(void) {}\n"
        files["steps.pml"] = WORLD.format(
            prefix=prefix,
            parameters="\n".join(self.parameters()),
            devices="\n".join(self.devices()),
            choices="\n".join(self.choices()),
        )
        names = [self.parameter(p) for p in self.protocol.parameters]
        defaults = [p.default.value for p in self.protocol.parameters]
        files["steps.h"] = HEADER.format(
            prefix=prefix,
            defaults="\n".join(f"{n} = {v}u;" for n, v in zip(names, defaults)),
            parameters="\n".join(f"{name} = steps_number();" for name in names),
            events="\n".join(self.events()),
            timers="\n".join(self.timers()),
            settings="\n".join(
                f"case 4 << 16 | {i}: {name} = steps_number(); break;"
                for i, name in enumerate(names)
            ),
            changes="\n".join(self.changes()),
        )
        return files

    def parameter(self, parameter: ir.Parameter) -> str:
        return f"steps_parameter_{naming.snake(parameter.name)}"

    def parameters(self) -> list[str]:
        lines = []
        for parameter in self.protocol.parameters:
            lines.append(f"hidden int {self.parameter(parameter)};")
            value = self.names.upper("value", parameter.name)
            lines.append(f"#define {value} {self.parameter(parameter)}")
        return lines

    def devices(self) -> list[str]:
        lines = []
        for device in self.protocol.devices:
            owner = f"device_{device.name}"
            payloads, values = [], []
            for argument in device.arguments:
                name = f"{naming.snake(argument.name)}_"
                if isinstance(argument.type, ir.PayloadType):
                    payloads.append(name)
                    fields = self.protocol.payload(argument.type.name).fields
                    values += [f"{name}.{field_name(field.name)}" for field in fields]
                else:
                    values.append(self.writer.variable(owner, argument.name))
            form = " ".join(["%u"] * len(values))
            rest = "".join(f", {value}" for value in values)
            told = f'hsm_tell("@ device {device.name}({form})\\n"{rest})'
            lines.append(
                f"inline {self.names.lower(owner)}({', '.join(payloads)}) {{ {told} }}"
            )
        return lines

    def choices(self) -> list[str]:
        calls = [
            (2, entry.number, self.names.lower(entry.process.name, entry.event.name))
            for entry in self.program.entries
        ]
        calls += [
            (3, timer.index, f"{self.names.prefix}_expire_{naming.snake(timer.name)}")
            for timer in self.protocol.timers
        ]
        return [
            f"\t:: d_step {{ steps_kind == {kind} && steps_which == {which} -> begin(); {call}(); end() }}"
            for kind, which, call in calls
        ]

    def events(self) -> list[str]:
        return [
            f"case 2 << 16 | {entry.number}: {' '.join(self.reading(entry))} break;"
            for entry in self.program.entries
        ]

    def reading(self, entry: EntryPoint) -> list[str]:
        owner = handler_owner(entry.process.name, entry.event.name)
        places = []
        if entry.takes_reference:
            places.append(self.writer.variable(owner, str(entry.process.instance)))
        for argument in entry.event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                name = self.writer.event_payload(argument.type.name)
                fields = self.protocol.payload(argument.type.name).fields
                places += [f"{name}.{field_name(field.name)}" for field in fields]
            else:
                places.append(self.writer.variable(owner, argument.name))
        return [f"{place} = steps_number();" for place in places]

    def timers(self) -> list[str]:
        lines = []
        for timer in self.protocol.timers:
            process = self.protocol.process(timer.process)
            reads = "(void)steps_number();"
            if process.instance is not None:
                owner = handler_owner(process.name, f"after_{timer.state}")
                name = self.writer.variable(owner, process.instance)
                reads = f"{name} = steps_number();"
            lines.append(f"case 3 << 16 | {timer.index}: {reads} break;")
        return lines

    # --- the state

    def changes(self) -> list[str]:
        lines: list[str] = []
        for process in self.protocol.processes:
            if process.pool is None:
                place = f"{naming.snake(process.name)}_state_"
                lines.append(f'NUMBER({place}, "%s=%u", "{process.name}.state");')
            for variable in process.variables:
                lines += self.field("", variable, f"{process.name}.", "", "")
        for pool in self.protocol.pools:
            lines += self.container(pool)
        for table in self.protocol.tables:
            lines += self.container(table)
        return lines

    def container(self, declaration: Union[ir.Pool, ir.Table]) -> list[str]:
        name, count = declaration.name, declaration.count.value
        own = isinstance(declaration, ir.Pool)
        first = 1 if own or declaration.pool is not None else 0
        lines = []
        if own:
            used = f"{naming.snake(name)}_used"
            lines.append(f'NUMBER({used}, "%s=%08x", "{name}.used");')
        lines.append(f"for (int i = 0; i < {count}; i++) {{")
        place, shown = f"{field_name(name)}[i].", f"{name}[%d]."
        for field in declaration.fields:
            lines += self.field(place, field, shown, f", i + {first}", "\t")
        if isinstance(declaration, ir.Pool) and declaration.process is not None:
            lines.append(
                f'\tNUMBER({place}state_, "{shown}%s=%u", i + {first}, "state");'
            )
        return [*lines, "}"]

    def field(
        self, place: str, field: ir.Field, shown: str, index: str, pad: str
    ) -> list[str]:
        member, name = f"{place}{field_name(field.name)}", f"{shown}{field.name}"
        index = index or ', ""'
        name = name if "%" in name else f"%s{name}"
        if isinstance(field.type, ir.BitsType):
            return [f'{pad}NUMBER({member}, "{name}=%08x"{index});']
        if isinstance(field.type, ir.ArrayType):
            head = f"{pad}for (int e = 0; e < {field.type.count.value}; e++)"
            return [head, f'{pad}\tNUMBER({member}[e], "{name}[%d]=%u"{index}, e);']
        return [f'{pad}NUMBER({member}, "{name}=%u"{index});']

    # --- the lines

    def read(self, output: Sequence[str]) -> list[str]:
        lines: list[str] = []
        log: list[str] = []
        changes = ""
        expiring = False
        for line in output:
            if not line.startswith("@ "):
                continue
            word, _, rest = line[2:].partition(" ")
            if word == "row":
                log.append("row " + rest.replace(" ", "/"))
            elif word == "expire":
                expiring = True
            elif word == "cancel" and expiring:
                expiring = False  # the model's way to say that the timer runs no longer
            elif word in ("arm", "cancel"):
                log.append(f"{word} {self.timer(int(rest))}")
            elif word == "device":
                log.append(rest)
            elif word == "changes":
                changes = rest.removeprefix("; ")
            elif word == "end":
                lines.append(f"{'; '.join(log)} | {rest} | {changes}")
                log = []
        return lines

    def timer(self, bit: int) -> str:
        index, record = divmod(bit, self.writer.timer_stride())
        process = self.protocol.process(self.protocol.timers[index].process)
        return f"{index}/{record + 1 if process.pool else 0}"

    def shown(self, line: str) -> str:
        """What of a line of the interpreter a model tells."""
        log, verdict, changes = line.split(" | ")
        kept = []
        for entry in filter(None, log.split("; ")):
            word = entry.split(" ")[0]
            if word not in ("count", "never"):
                kept.append(" ".join(entry.split(" ")[:2]) if word == "arm" else entry)
        found = [
            change
            for change in filter(None, changes.split("; "))
            if not change.startswith("timer ")
            and re.split(r"=", change)[0] not in self.absent
        ]
        return f"{'; '.join(kept)} | {verdict} | {'; '.join(found)}"
