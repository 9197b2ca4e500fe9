# SPDX-License-Identifier: MIT
"""The generated C, compiled unmodified with the sanitizers, against the interpreter: the same events, the same lines.

A line tells what an event did: log | verdict | changes. It is printed by the interpreter (`canonical_line`) and by the
harness (templates/differential/harness.c.j2) without either knowing the other's data structures.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Optional, Sequence, Union

from .. import ir, naming
from ..backends import backend_c
from ..interpreter.interpreter import EntryPoint, Node, Program, Value
from ..interpreter.node_state import Slot

# A command is what a script line says: ("R", *parameters), ("D",) with the defaults, ("E", entry, *values), ("T", timer, instance),
# ("P", parameter, value). Values of an event: the reference where it takes one, then the arguments.
Command = tuple[Union[str, Value], ...]

COMPILER = (
    "gcc",
    "-std=c11",
    "-g",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
)
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)
# What the generated C looks at, as the interpreter does (fw-runtime/hsm_checks.h). Events are drawn at random, and what a
# payload is built of may come from one whose arguments have no range.
CHECKED = "-DHSM_CHECKED=(HSM_CHECK_ALL & ~HSM_CHECK_SET(HSM_CHECK_FIELD))"


# --- the harness


class HarnessWriter:
    """What the templates ask about the C of a protocol."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.protocol = program.protocol
        self.writer = backend_c.CWriter(program.protocol)
        self.names = self.writer.names

    def flat(self, arguments: Sequence[ir.Argument]) -> list[str]:
        """C expressions of all numbers an argument list consists of."""
        result = []
        for argument in arguments:
            name = naming.snake(argument.name)
            if isinstance(argument.type, ir.PayloadType):
                fields = self.protocol.payload(argument.type.name).fields
                result += [f"{name}->{naming.snake(field.name)}" for field in fields]
            else:
                result.append(name)
        return result

    def reading(self, entry: EntryPoint) -> list[str]:
        """Statements that read the values of an event."""
        lines = []
        if entry.takes_reference:
            kind = self.names.scalar(
                self.protocol.pool(str(entry.process.pool)).reference
            )
            lines.append(f"const {kind} reference = ({kind})number();")
        for argument in entry.event.arguments:
            name = naming.snake(argument.name) + "_"
            if isinstance(argument.type, ir.PayloadType):
                lines.append(f"{self.names.struct(argument.type.name)} {name};")
                for field in self.protocol.payload(argument.type.name).fields:
                    kind = self.names.scalar(field.type)
                    place = f"{name}.{naming.snake(field.name)}"
                    lines.append(f"{place} = ({kind})number();")
            else:
                kind = self.names.scalar(argument.type)
                lines.append(f"const {kind} {name} = ({kind})number();")
        return lines

    def passing(self, entry: EntryPoint) -> str:
        values = ["reference"] if entry.takes_reference else []
        for argument in entry.event.arguments:
            payload = isinstance(argument.type, ir.PayloadType)
            values.append(("&" if payload else "") + naming.snake(argument.name) + "_")
        return ", ".join(values)

    def visits(self) -> list[str]:
        """Statements that compare the whole state, in the order of the interpreter's slots."""
        lines: list[str] = []
        for process in self.protocol.processes:
            if process.pool is None:
                place = self.pair(f"{naming.snake(process.name)}_state_")
                lines.append(f'NUMBER({place}, "{process.name}.state");')
            for variable in process.variables:
                member = naming.snake(variable.name)
                lines += self.field(member, variable, f"{process.name}.{variable.name}")
        for parameter in self.protocol.parameters:
            member = naming.snake(parameter.name)
            now = f"{self.names.prefix}_parameters.{member}"
            lines.append(
                f'NUMBER({now}, parameters_before.{member}, "{parameter.name}");'
            )
        for counter in self.protocol.counters:
            pair = f"counters[{counter.index}], counters_before[{counter.index}]"
            lines.append(f'NUMBER({pair}, "{counter.name}");')
        for timer in self.protocol.timers:
            lines += self.timer(timer)
        for pool in self.protocol.pools:
            lines += self.container(pool)
        for table in self.protocol.tables:
            lines += self.container(table)
        return ["\t" + line for line in lines]

    def pair(self, member: str) -> str:
        return f"{self.names.prefix}_state.{member}, before.{member}"

    def timer(self, timer: ir.Timer) -> list[str]:
        process = self.protocol.process(timer.process)
        if process.pool is None:
            pair = f"armed[{timer.index}][0], armed_before[{timer.index}][0]"
            return [f'NUMBER({pair}, "timer {timer.name}");']
        count = self.protocol.pool(process.pool).count.value
        pair = f"armed[{timer.index}][i], armed_before[{timer.index}][i]"
        return [
            f"for (uint32_t i = 1; i <= {count}u; i++)",
            f'\tNUMBER({pair}, "timer {timer.name}[%u]", i);',
        ]

    def container(self, declaration: Union[ir.Pool, ir.Table]) -> list[str]:
        name, member = declaration.name, naming.snake(declaration.name)
        count = declaration.count.value
        lines, shown = [], "i"
        if isinstance(declaration, ir.Pool):
            place = self.pair(f"{member}_used")
            lines.append(f'BITS({place}, {count}u, "{name}.used");')
        if isinstance(declaration, ir.Pool) or declaration.pool is not None:
            shown = "i + 1u"
        lines.append(f"for (uint32_t i = 0; i < {count}u; i++) {{")
        for field in declaration.fields:
            place = f"{member}[i].{naming.snake(field.name)}"
            lines += [
                "\t" + line
                for line in self.field(place, field, f"{name}[%u].{field.name}", shown)
            ]
        if isinstance(declaration, ir.Pool) and declaration.process is not None:
            place = self.pair(f"{member}[i].state_")
            lines.append(f'\tNUMBER({place}, "{name}[%u].state", {shown});')
        return [*lines, "}"]

    def field(
        self, member: str, field: ir.Field, name: str, index: str = ""
    ) -> list[str]:
        rest = f", {index}" if index else ""
        if isinstance(field.type, ir.BitsType):
            count = field.type.count.value
            return [f'BITS({self.pair(member)}, {count}u, "{name}"{rest});']
        if isinstance(field.type, ir.ArrayType):
            count = field.type.count.value
            return [
                f"for (uint32_t e = 0; e < {count}u; e++)",
                f'\tNUMBER({self.pair(member + "[e]")}, "{name}[%u]"{rest}, e);',
            ]
        return [f'NUMBER({self.pair(member)}, "{name}"{rest});']

    def generate(self) -> dict[str, str]:
        """The harness and its port: file name -> text."""
        environment = backend_c.environment(self.writer)
        environment.filters["percent"] = lambda _: "%u"
        counts = [pool.count.value for pool in self.protocol.pools]
        context: dict[str, object] = {
            "protocol": self.protocol,
            "prefix": self.names.prefix,
            "capitals": self.names.capitals,
            "instances": max(counts, default=0),
            "entries": self.program.entries,
            "flat": self.flat,
            "reading": self.reading,
            "passing": self.passing,
            "visits": self.visits(),
        }
        return {
            name: environment.get_template(f"differential/{name}.j2").render(context)
            for name in ("harness.c", "port.h")
        }


def build_harness(
    program: Program, directory: Path, top: Path, options: Sequence[str] = ()
) -> Path:
    """Generates the C and the harness into a directory and compiles them. `top` holds fw-runtime/."""
    writer = HarnessWriter(program)
    files = {**backend_c.generate(program.protocol), **writer.generate()}
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    result = directory / "harness"
    port = f'-D{writer.names.capitals}_PORT_HEADER="port.h"'
    subprocess.run(
        [
            *COMPILER,
            *SANITIZERS,
            CHECKED,
            *options,
            port,
            f"-I{directory}",
            f"-I{top}",
            "-o",
            str(result),
            str(directory / f"{writer.names.stem}.c"),
            str(directory / "harness.c"),
        ],
        check=True,
    )
    return result


# --- the two sides


def flatten(command: Command) -> list[Union[str, int]]:
    values: list[Union[str, int]] = []
    for part in command:
        if isinstance(part, tuple):
            values += part
        else:
            values.append(part)
    return values


def script_line(command: Command) -> str:
    """Truth is 1 or 0: payloads a node has built may hold Python's bools."""
    values = (int(v) if isinstance(v, bool) else v for v in flatten(command))
    return " ".join(map(str, values))


class Reference:
    """The interpreter as one side of the comparison: executes commands, prints canonical lines."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.node = Node(program, strict=False)
        self.formats = [change_format(slot) for slot in self.node.layout.slots]

    def execute(self, command: Command) -> str:
        node = self.node
        kind = command[0]
        if kind == "E":
            node.run(node.entries[command[1]], command[2:])  # type: ignore[index]
        elif kind == "T":
            timer, instance = command[1], command[2]
            assert isinstance(timer, int) and isinstance(instance, int)
            node.run_expiry(timer, instance)
        elif kind in ("R", "D"):
            names = [p.name for p in self.program.protocol.parameters]
            names = names if kind == "R" else []
            node.reset(dict(zip(names, command[1:], strict=True)))  # type: ignore[arg-type]
            return self.line([slot for slot, value in enumerate(node.state) if value])
        else:
            index, value = command[1], command[2]
            assert isinstance(index, int) and isinstance(value, int)
            outcome = node.set_parameter(
                self.program.protocol.parameters[index].name, value
            )
            return self.line([change.slot for change in outcome.changes])
        return self.line(node.changed_slots())

    def line(self, changed: Iterable[int]) -> str:
        node, formats, entry_formats = self.node, self.formats, self.program.formats
        state = node.state
        log = "; ".join([entry_formats[e[0]] % e[1:] for e in node.log])
        changes = "; ".join([formats[slot] % state[slot] for slot in changed])
        return f"{log} | {node.verdict} | {changes}"


def change_format(slot: Slot) -> str:
    digits = slot.hexadecimal_digits
    return f"{slot.name}=%0{digits}x" if digits else f"{slot.name}=%d"


def run_native(harness: Path, commands: Sequence[Command]) -> list[str]:
    """The lines the generated C prints. A crash shows as a missing line and NativeFailure."""
    script = "\n".join(map(script_line, commands)) + "\n"
    result = subprocess.run(
        [str(harness)], input=script, capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        return result.stdout.split("\n")[:-1]
    again = subprocess.run(
        [str(harness), "flush"],
        input=script,
        capture_output=True,
        text=True,
        check=False,
    )
    raise NativeFailure(again.stdout.count("\n"), again.stderr)


class NativeFailure(Exception):
    """The harness ended by itself: after so many lines, with this text of a sanitizer."""

    def __init__(self, lines: int, text: str) -> None:
        super().__init__(f"the generated C ended after {lines} lines\n{text}")
        self.lines = lines
        self.text = text


@dataclass(frozen=True)
class Difference:
    """The first event two sides disagree about, with all events of its sequence up to it."""

    prefix: tuple[Command, ...]
    interpreter: str
    native: str

    def describe(self, program: Program) -> str:
        lines = [describe_command(program, command) for command in self.prefix]
        return "\n".join(
            [
                "interpreter and generated C differ after",
                *(f"  {line}" for line in lines[:-1]),
                f"at the event\n  {lines[-1]}",
                f"interpreter: {self.interpreter}",
                f"native C:    {self.native}",
            ]
        )


def describe_command(program: Program, command: Command) -> str:
    kind = command[0]
    text = script_line(command)
    if kind == "E":
        entry = program.entries[int(str(command[1]))]
        return f"{text:40} # {entry.name}"
    if kind == "T":
        return (
            f"{text:40} # {program.protocol.timers[int(str(command[1]))].name} expires"
        )
    return text


def compare(
    harness: Path, commands: Sequence[Command], expected: Sequence[str]
) -> Optional[Difference]:
    """Runs the script natively and compares with the interpreter's lines."""
    try:
        lines = run_native(harness, commands)
    except NativeFailure as failure:
        return _difference(commands, expected, failure.lines, failure.text[:3000])
    if lines == list(expected):
        return None
    for index, wanted in enumerate(expected):
        found = lines[index] if index < len(lines) else "(nothing)"
        if found != wanted:
            return _difference(commands, expected, index, found)
    return _difference(commands, expected, len(expected) - 1, "(more lines)")


def _difference(
    commands: Sequence[Command], expected: Sequence[str], index: int, found: str
) -> Difference:
    index = min(index, len(commands) - 1)
    first = max(i for i in range(index + 1) if commands[i][0] in ("R", "D"))
    return Difference(tuple(commands[first : index + 1]), expected[index], found)
