# SPDX-License-Identifier: MIT
"""Compiles C for the chip's kind of machine, big-endian with 32-bit addresses, and reads the intermediate code.

Without optimisation, unless a proof says otherwise, so that what C leaves undefined is still there to be found.
"""

from __future__ import annotations

import pathlib
import subprocess

from . import llvm_text

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FLAGS = [
    *(
        "--target=mips-linux-gnu",
        "-std=c11",
        "-ffreestanding",
        "-nostdinc",
        "-gline-tables-only",
    ),
    *("-fno-discard-value-names", "-S", "-emit-llvm"),
    # Labels and fall-through are Ragel's; the rest of the warnings are those of everything else.
    *(
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Werror",
        "-Wno-unused-label",
        "-Wno-implicit-fallthrough",
    ),
]


def resources() -> str:
    command = ["clang", "-print-resource-dir"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.strip()


def compile_text(
    text: str,
    directory: pathlib.Path,
    name: str,
    include: list[pathlib.Path],
    optimised: bool = False,
    partly: bool = False,
) -> llvm_text.Module:
    """Compiles a C text, which includes what it is about, in `directory` as name.c. `optimised`: for a search of all orders,
    where each instruction costs, and volatile accesses are all that counts. `partly` as of llvm_text.read.
    """
    directory.mkdir(parents=True, exist_ok=True)
    source, code = directory / f"{name}.c", directory / f"{name}.ll"
    source.write_text(text)
    found = [ROOT / "fw-runtime/port/tigon2/freestanding", *include, ROOT]
    command = [
        "clang",
        *FLAGS,
        "-O1" if optimised else "-O0",
        "-isystem",
        f"{resources()}/include",
        *(f"-I{path}" for path in found),
    ]
    result = subprocess.run(
        [*command, "-o", str(code), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"clang does not compile {source}\n{result.stderr}")
    return llvm_text.read(code.read_text(), partly)
