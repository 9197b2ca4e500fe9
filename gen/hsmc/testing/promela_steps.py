# SPDX-License-Identifier: MIT
"""A world of Promela that takes its steps from a script, one event a step, and prints what each did.

The lines are those of the differential harness, but for what a model does not have: counters, the durations of timers,
and what cannot come (a model asserts that, and has no more to say).
"""

from __future__ import annotations

import re
from typing import Sequence, Union

from .. import ir, naming
from ..backends import backend_c, backend_promela
from ..backends.backend_promela import PromelaWriter
from ..backends.promela_statements import handler_owner
from ..backends.promela_expressions import field_name
from ..interpreter.interpreter import EntryPoint, Program


class StepsWriter:
    """The world of one protocol, and how its lines are read."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.protocol = program.protocol
        self.writer = PromelaWriter(self.protocol)
        self.names = self.writer.names
        # In the order of the interpreter's slots; the writer's hidden variables are declared by its own file.
        protocol = self.protocol
        variables = [p.name for p in protocol.parameters] + [
            c.name for c in protocol.counters
        ]
        self.absent = {*variables}

    # --- the files

    def generate(self) -> dict[str, str]:
        files = backend_promela.generate(self.protocol)
        files["hsm_world.h"] = "static void hsm_tell_world(void) {}\n"
        names = [self.parameter(p) for p in self.protocol.parameters]
        defaults = [p.default.value for p in self.protocol.parameters]
        context: dict[str, object] = {
            "protocol": self.protocol,
            "prefix": self.names.prefix,
            "names": self.names,
            "declarations": self.parameters(),
            "devices": self.devices(),
            "choices": self.choices(),
            "defaults": [f"{n} = {v}u;" for n, v in zip(names, defaults)],
            "parameters": [f"{name} = steps_number();" for name in names],
            "cases": [*self.events(), *self.timers(), *self.settings(names)],
            "changes": self.changes(),
        }
        environment = backend_c.environment()
        for name in ("steps.pml", "steps.h"):
            template = environment.get_template(f"differential/{name}.j2")
            files[name] = template.render(context)
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
            output = f'hsm_tell("@ device {device.name}({form})\\n"{rest})'
            lines.append(
                f"inline {self.names.lower(owner)}({', '.join(payloads)}) {{ {output} }}"
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

    def settings(self, names: Sequence[str]) -> list[str]:
        return [
            f"case 4 << 16 | {index}: {name} = steps_number(); break;"
            for index, name in enumerate(names)
        ]

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
        by_reference = isinstance(declaration, ir.Pool) or declaration.pool is not None
        first = int(by_reference)
        lines = []
        if isinstance(declaration, ir.Pool):
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
        entries = []
        for entry in filter(None, log.split("; ")):
            word = entry.split(" ")[0]
            if word not in ("count", "never"):
                entries.append(
                    " ".join(entry.split(" ")[:2]) if word == "arm" else entry
                )
        found = [
            change
            for change in filter(None, changes.split("; "))
            if not change.startswith("timer ")
            and re.split(r"=", change)[0] not in self.absent
        ]
        return f"{'; '.join(entries)} | {verdict} | {'; '.join(found)}"
