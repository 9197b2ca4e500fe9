"""What executes a protocol, each as one engine: events in, one line an event out.

The interpreter's line (hsmc.testing.differential) is what all are compared with; `shown` leaves of it what an engine can
tell. An engine is built once in a directory of its own and then run on scripts.
"""

from __future__ import annotations

import re
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Optional, Sequence

from hsmc import ir
from hsmc.backends import backend_c, backend_promela
from hsmc.interpreter.interpreter import Program
from hsmc.testing.differential import Command, HarnessWriter, script_line
from tests.fuzz.promela_steps import StepsWriter

TOP = Path(__file__).resolve().parents[2]
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wtype-limits", "-Werror")
# What clang has beyond these of comparisons it knows the outcome of. Not -Wtautological-value-range-compare, which
# takes the bits of 0u - x for those of x.
CLANG = (
    "-Wtautological-compare",
    "-Wtautological-type-limit-compare",
    "-Wtautological-unsigned-zero-compare",
    "-Wtautological-unsigned-enum-zero-compare",
)
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
        """`turn`: which of several ways to build it."""
        self.turn = turn
        self.program = program
        self.directory = directory
        self.prefix = HarnessWriter(program).names.prefix

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
    ways: ClassVar[tuple[tuple[str, ...], ...]] = ((),)

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
        names = [str(sources / name) for name in (f"{self.prefix}.c", "harness.c")]
        way = self.ways[self.turn % len(self.ways)]
        command = [*self.compiler, *way, *options, "-std=c11", port, *include, *names]
        tool([*command, "-o", f"harness_{self.name}"], self.directory, self.name)

    def run(self, commands: Sequence[Command]) -> list[str]:
        return self.execute([f"./harness_{self.name}"], commands)


class Gcc(Native):
    """With no optimisation, some, much, and with the sanitizers, by turns."""

    name = "gcc"
    compiler = ("gcc", *WARNINGS)
    ways = (
        ("-O0",),
        ("-O1",),
        ("-O2",),
        ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    )


class Clang(Native):
    name = "clang"
    compiler = ("clang", *WARNINGS, *CLANG)
    ways = (("-O1",), ("-O0",), ("-O2",))


class Shipped(Native):
    """The C as it ships, with the constants of a check put before it, as inside SPIN."""

    name = "shipped"
    compiler = ("gcc", "-O1", "-w")

    def __init__(self, program: Program, directory: Path, shipped: ir.Protocol) -> None:
        """`program`: with the check applied; `shipped`: without."""
        super().__init__(program, directory)
        self.shipped = shipped

    def build(self) -> None:
        check = f"{self.prefix}_check.h"
        files = {
            **backend_c.generate(self.shipped),
            **HarnessWriter(self.program).generate(),
            check: backend_promela.generate(self.program.protocol)[check],
        }
        write_files(self.directory, files)
        self.compile(self.directory, "-include", str(self.directory / check))


class Cross(Native):
    """By the firmware's compiler, on the simulated core of the chip."""

    name = "cross"
    flags_file = TOP / "build" / "fuzz" / "cross_flags"
    runner = TOP / "build" / "tests" / "run_program"
    code, script = 0x4000, 0x100000

    def compile(self, sources: Path, *options: str) -> None:
        flags = self.flags_file.read_text().split()
        port = f'-D{self.prefix.upper()}_PORT_HEADER="port.h"'
        bare = TOP / "tests" / "fuzz" / "bare"
        names = [sources / f"{self.prefix}.c", sources / "harness.c"]
        names += [bare / "runtime.c", TOP / "fw-runtime/port/tigon2/memory.c"]
        command = [
            "mips-linux-gnu-gcc",
            *flags,
            *WARNINGS,
            port,
            f"-DSCRIPT={self.script}u",
        ]
        command += [f"-I{bare}", f"-I{sources}", f"-I{TOP}", "-nostdlib", "-static"]
        command += ["-Wl,--no-warn-rwx-segments", "-T", str(bare / "image.lds")]
        tool([*command, *map(str, names), "-o", "cross.elf"], self.directory, self.name)
        copy = ["mips-linux-gnu-objcopy", "-O", "binary"]
        copy += [
            "--set-section-flags",
            ".bss=alloc,load,contents",
            "cross.elf",
            "cross.bin",
        ]
        tool(copy, self.directory, "objcopy")

    def run(self, commands: Sequence[Command]) -> list[str]:
        script = "".join(f"{script_line(command)}\n" for command in commands)
        (self.directory / "script").write_bytes(script.encode() + b"\0")
        parts = [f"{self.code}:cross.bin", f"{self.script}:script"]
        arguments = [str(self.runner), "--native", str(self.code), *parts]
        lines = self.execute(arguments, commands, stdin=False)
        # The core cannot divide: its numbers are hexadecimal.
        return [
            re.sub(r"0x([0-9a-f]+)", lambda m: str(int(m[1], 16)), x) for x in lines
        ]


class JavaScript(Engine):
    """The script of a simulation page, in node."""

    name = "javascript"

    def build(self) -> None:
        from hsmc.backends import backend_javascript

        node = TOP / "gen/hsmc/templates/simulation/node.js"
        driver = TOP / "tests/simulation/driver.js"
        parts = (node.read_text(), driver.read_text())
        text = "\n".join([backend_javascript.generate(self.program), *parts])
        write_files(self.directory, {"page.js": text})

    def run(self, commands: Sequence[Command]) -> list[str]:
        return self.execute(["node", "page.js"], commands)


class Promela(Engine):
    """The generated Promela in SPIN's verifier, led step by step."""

    name = "promela"
    options = (
        *("-w", "-O0", "-fwrapv", "-DSAFETY", "-DNOREDUCE", "-DNOCOMP", "-DNOFAIR"),
        *("-DVECTORSZ=65536", "-DPRINTF", "-DHSM_TRACE", "-DMEMLIM=4000"),
    )

    def build(self) -> None:
        self.steps = StepsWriter(self.program)
        write_files(self.directory, self.steps.generate())
        preprocessor = "gcc -std=gnu99 -E -x c -DHSM_TRACE"
        spin = ["spin", f"-P{preprocessor}", "-a", "steps.pml"]
        try:
            told = tool(spin, self.directory, "spin")
        except EngineFailure as failure:
            if "d_step sequence too long" in str(failure):
                raise TooLarge(str(failure)) from None
            raise
        if not (self.directory / "pan.c").exists() or "rror" in told:
            raise EngineFailure("spin", told)
        command = ["gcc", *self.options, "-o", "pan", "pan.c"]
        tool(command, self.directory, "the verifier")

    def run(self, commands: Sequence[Command]) -> list[str]:
        depth = f"-m{2 * len(commands) + 100}"
        return self.steps.read(self.execute(["./pan", depth, "-w10"], commands))

    def shown(self, line: str) -> str:
        return self.steps.shown(line)


ENGINES: tuple[type[Engine], ...] = (Gcc, Clang, Cross, Promela, JavaScript)
