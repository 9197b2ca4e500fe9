# SPDX-License-Identifier: MIT
"""What executes a protocol, each as one engine: events in, one line an event out; and where one parts from the interpreter.

The interpreter's line (differential.py) is what all are compared with; `shown` leaves of it what an engine can tell. An
engine is built once in a directory of its own and then run on scripts.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Optional, Sequence

from .. import ir, walk
from ..backends import backend_c, backend_promela
from ..backends.model_size import (
    DEPTH,
    SPIN_LIMITS,
    STATEMENTS,
    Sizes,
    steps,
    without_c,
)
from ..interpreter.interpreter import Program
from .differential import Command, HarnessWriter, describe_command, script_line
from .promela_steps import StepsWriter

TOP = Path(__file__).resolve().parents[3]  # holds gen/ and fw-runtime/
SECONDS = 600


class EngineFailure(Exception):
    """An engine could not be built, or ended by itself after so many lines."""

    def __init__(self, what: str, text: str, lines: Optional[int] = None) -> None:
        super().__init__(f"{what}\n{text[:3000]}")
        self.lines = lines


class TooLarge(Exception):
    """An engine has no room for the spec; the others have."""


def tool(arguments: Sequence[str], directory: Path, what: str) -> str:
    result = subprocess.run(
        list(arguments),
        cwd=directory,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=SECONDS,
    )
    if result.returncode != 0:
        raise EngineFailure(what, result.stderr or result.stdout)
    return result.stdout


def write_files(directory: Path, files: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")


class Engine(ABC):
    name: ClassVar[str]

    def __init__(self, program: Program, directory: Path, turn: int = 0) -> None:
        """`turn`: which of several sets of compiler options builds it."""
        self.turn = turn
        self.program = program
        self.directory = directory
        names = HarnessWriter(program).names
        self.prefix, self.stem = names.prefix, names.stem

    @abstractmethod
    def build(self) -> None:
        ...

    @abstractmethod
    def run(self, commands: Sequence[Command]) -> list[str]:
        ...

    def shown(self, line: str) -> str:
        """What of a line of the interpreter this engine tells."""
        return line

    def execute(
        self,
        arguments: Sequence[str],
        commands: Sequence[Command],
        stdin: bool = True,
    ) -> list[str]:
        script = "".join(f"{script_line(command)}\n" for command in commands)
        result = subprocess.run(
            list(arguments),
            input=script if stdin else "",
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SECONDS,
            cwd=self.directory,
        )
        lines = result.stdout.split("\n")[:-1]
        if result.returncode != 0:
            raise EngineFailure(
                f"{self.name} ended with status {result.returncode}",
                result.stderr + "\n".join(lines[-2:]),
                len(lines),
            )
        return lines


class Native(Engine):
    """The generated C in the harness of the differential tests."""

    compiler: ClassVar[tuple[str, ...]]
    option_sets: ClassVar[tuple[tuple[str, ...], ...]] = ((),)

    def build(self) -> None:
        files = {
            **backend_c.generate(self.program.protocol),
            **HarnessWriter(self.program).generate(),
        }
        write_files(self.directory, files)
        self.compile(self.directory)

    def compile(self, sources: Path, *options: str) -> None:
        port = f'-D{self.prefix.upper()}_PORT_HEADER="port.h"'
        include = [f"-I{sources}", f"-I{TOP}"]
        chosen_options = self.option_sets[self.turn % len(self.option_sets)]
        # The harness is not what is compared: it is compiled as fast as can be.
        common = [*self.compiler, *options, "-std=c11", port, *include]
        harness = f"{self.name}_harness.o"
        source = str(sources / "harness.c")
        compile_harness = [*common, *chosen_options, "-O0", "-c", source, "-o", harness]
        tool(compile_harness, self.directory, self.name)
        command = [*common, *chosen_options, str(sources / f"{self.stem}.c"), harness]
        tool([*command, "-o", f"harness_{self.name}"], self.directory, self.name)

    def run(self, commands: Sequence[Command]) -> list[str]:
        return self.execute([f"./harness_{self.name}"], commands)


class Shipped(Native):
    """The C as it ships, with the constants of a check put before it, as inside SPIN."""

    name = "shipped"
    compiler = ("gcc", "-O1", "-w")

    def __init__(self, program: Program, directory: Path, shipped: ir.Protocol) -> None:
        """`program`: with the check applied; `shipped`: without."""
        super().__init__(program, directory)
        self.shipped = shipped

    def build(self) -> None:
        check = f"{self.stem}_check.h"
        files = {
            **backend_c.generate(self.shipped),
            **HarnessWriter(self.program).generate(),
            check: backend_promela.generate(self.program.protocol)[check],
        }
        write_files(self.directory, files)
        self.compile(self.directory, "-include", str(self.directory / check))


class Promela(Engine):
    """The generated Promela in SPIN's verifier, led step by step."""

    name = "promela"
    options = (
        *("-w", "-DSAFETY", "-DNOREDUCE", "-DNOCOMP", "-DNOFAIR"),
        *("-DVECTORSZ=65536", "-DPRINTF", "-DHSM_TRACE", "-DMEMLIM=4000"),
    )

    def build(self) -> None:
        self.steps = StepsWriter(self.program)
        files = self.steps.generate()
        self.measure(files)
        write_files(self.directory, files)
        preprocessor = "gcc -std=gnu99 -E -x c -DHSM_TRACE"
        spin = ["spin", f"-P{preprocessor}", "-a", "steps.pml"]
        try:
            output = tool(spin, self.directory, "spin")
        except EngineFailure as failure:
            if any(limit in str(failure) for limit in SPIN_LIMITS):
                raise TooLarge(str(failure)) from None
            raise
        if not (self.directory / "pan.c").exists() or "rror" in output:
            raise EngineFailure("spin", output)
        command = ["tcc", *self.options, "-o", "pan", "pan.c"]
        tool(command, self.directory, "the verifier")

    def measure(self, files: dict[str, str]) -> None:
        """What SPIN has no room for is known before it looks for minutes."""
        model = (text for name, text in files.items() if name.endswith(".pml"))
        sizes = Sizes(without_c("".join(model)))
        for text in steps(without_c(files["steps.pml"])):
            size = sizes.of_text(text)
            if size.statements > STATEMENTS or size.depth > DEPTH:
                raise TooLarge(f"{size.statements} statements, {size.depth} deep")

    def run(self, commands: Sequence[Command]) -> list[str]:
        depth = f"-m{2 * len(commands) + 100}"
        return self.steps.read(self.execute(["./pan", depth, "-w10"], commands))

    def shown(self, line: str) -> str:
        return self.steps.shown(line)


# --- where engines part


@dataclass
class Script:
    """Events for a program, and what the interpreter does with them."""

    program: Program
    commands: list[Command]
    lines: list[str]


@dataclass(frozen=True)
class Divergence:
    """Where an engine parts from the interpreter: its line, or what ended it."""

    engine: str
    index: int  # of the command
    expected: str
    found: str


def first_divergence(engine: Engine, script: Script) -> Optional[Divergence]:
    """Runs the engine; None when it does what the interpreter does."""
    try:
        found = engine.run(script.commands)
        ended = ""
    except EngineFailure as failure:
        if failure.lines is None:
            raise
        found, ended = [], str(failure)
        index = min(failure.lines, len(script.lines) - 1)
        return Divergence(engine.name, index, engine.shown(script.lines[index]), ended)
    for index, line in enumerate(script.lines):
        expected = engine.shown(line)
        actual = found[index] if index < len(found) else "(nothing)"
        if actual != expected:
            return Divergence(engine.name, index, expected, actual)
    return None


def place(program: Program, divergence: Divergence) -> str:
    """The line of the spec at which the two sides part: that of the last transition both begin, or either."""
    rows: list[int] = []
    for mine, theirs in zip(split(divergence.expected), split(divergence.found)):
        rows += [int(m) for m in re.findall(r"^row (\d+)/", mine)]
        if mine != theirs:
            rows += [int(m) for m in re.findall(r"^row (\d+)/", theirs)][:1]
            break
    if not rows:
        return "before any transition"
    row = program.rows[rows[-1]]
    return f"{row.place}: {row.text}"


def written_at(program: Program, name: str) -> str:
    """The lines that assign to a variable or a field, by the name of its slot: P1.v8, Row1[3].x, Row1[3].list[2]."""
    found = re.match(r"(\w+)(?:\[\d+\])?\.(\w+)", name)
    if found is None:
        return ""
    protocol = program.protocol
    bodies: list[object] = [action.body for action in protocol.actions]
    for process in protocol.processes:
        bodies += [walk.handler_parts(handler) for handler in process.handlers]
    lines = set()
    for node in walk.nodes(bodies):
        if isinstance(node, (ir.Assign, ir.SetBit)):
            target = node.target if isinstance(node, ir.Assign) else node.bits
            target = target.base if isinstance(target, ir.Element) else target
            if isinstance(target, ir.VariableName):
                written = (target.process, target.name)
            elif isinstance(target, ir.RecordField):
                written = (target.container, target.field)
            else:
                continue
            if written == found.groups():
                lines.add((node.place.line, str(node.place)))
    places = ", ".join(place for _, place in sorted(lines))
    return f"written at {places}" if places else ""


def split(line: str) -> list[str]:
    log, _, rest = line.partition(" | ")
    return [*log.split("; "), *rest.split(" | ")]


def difference(expected: str, found: str) -> str:
    """The first thing in which two lines differ."""
    left, right = (re.split("; | \\| ", line) for line in (expected, found))
    for mine, theirs in itertools.zip_longest(left, right, fillvalue=""):
        if mine == theirs:
            continue
        if re.split(r"[=( ]", mine)[0] == re.split(r"[=( ]", theirs)[0]:
            return f"{mine} becomes {theirs}"
        if mine and mine not in right:
            return f"{mine} is missing"
        if theirs and theirs not in left:
            return f"{theirs} is too much"
    return "the same in another order"


def about(program: Program, divergence: Divergence) -> list[str]:
    """What becomes what, and where it is written."""
    text = difference(divergence.expected, divergence.found)
    names = re.findall(r"[A-Za-z]\w*(?:\[\d+\])?\.\w+", text)
    lines = [text, *(written_at(program, name) for name in dict.fromkeys(names))]
    return [line for line in lines if line]


def describe(script: Script, divergence: Divergence) -> str:
    begin = max(
        i for i in range(divergence.index + 1) if script.commands[i][0] in ("R", "D")
    )
    events = [
        describe_command(script.program, c)
        for c in script.commands[begin : divergence.index + 1]
    ]
    return "\n".join(
        [
            f"{divergence.engine} and the interpreter part at step {len(events) - 1},",
            f"  {place(script.program, divergence)}",
            *(f"  {line}" for line in about(script.program, divergence)),
            "after",
            *(f"  {event}" for event in events),
            f"interpreter: {divergence.expected}",
            f"{divergence.engine}: {divergence.found}",
        ]
    )
