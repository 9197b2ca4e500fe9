# SPDX-License-Identifier: MIT
"""The engines of a random spec beside those of hsmc.testing.engines: C by three compilers, and JavaScript."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Sequence

from hsmc.backends import backend_javascript
from hsmc.documents.docs_references import source_address
from hsmc.testing.differential import Command, script_line
from hsmc.testing.engines import Engine, Native, Promela, tool, write_files

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


class Gcc(Native):
    """With no optimisation, some, much, and with the sanitizers, by turns."""

    name = "gcc"
    compiler = ("gcc", *WARNINGS)
    option_sets = (
        ("-O0",),
        ("-O1",),
        ("-O2",),
        ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    )


class Clang(Native):
    name = "clang"
    compiler = ("clang", *WARNINGS, *CLANG)
    option_sets = (("-O1",), ("-O0",), ("-O2",))


class Cross(Native):
    """By the firmware's compiler, on the simulated core of the chip."""

    name = "cross"
    flags_file = TOP / "build" / "fuzz" / "cross_flags"
    runner = TOP / "build" / "tests" / "run_program"
    runtime = [TOP / "build" / "fuzz" / name for name in ("runtime.o", "memory.o")]
    code, script = 0x4000, 0x100000  # bare/image.lds, bare/runtime.c

    def compile(self, sources: Path, *options: str) -> None:
        flags = self.flags_file.read_text().split()
        port = f'-D{self.prefix.upper()}_PORT_HEADER="port.h"'
        bare = TOP / "tests" / "fuzz" / "bare"
        common = ["mips-linux-gnu-gcc", *flags, *options, *WARNINGS, port]
        common += [f"-I{bare}", f"-I{sources}", f"-I{TOP}"]
        common += ["-include", str(TOP / "fw-runtime/port/tigon2/bits.h")]
        harness = ["-O1", "-c", str(sources / "harness.c"), "-o", "cross_harness.o"]
        tool([*common, *harness], self.directory, self.name)
        objects = ["cross_harness.o", *map(str, self.runtime)]
        common += ["-nostdlib", "-static", "-Wl,--no-warn-rwx-segments"]
        common += ["-T", str(bare / "image.lds"), str(sources / f"{self.stem}.c")]
        tool([*common, *objects, "-o", "cross.elf"], self.directory, self.name)
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
        node = TOP / "gen/hsmc/templates/simulation/node.js"
        driver = TOP / "tests/simulation/driver.js"
        parts = (node.read_text(), driver.read_text())
        text = "\n".join(
            [backend_javascript.generate(self.program, source_address), *parts]
        )
        write_files(self.directory, {"page.js": text})

    def run(self, commands: Sequence[Command]) -> list[str]:
        return self.execute(["node", "page.js"], commands)


ENGINES: tuple[type[Engine], ...] = (Gcc, Clang, Cross, Promela, JavaScript)
