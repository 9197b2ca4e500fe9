#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The interpreter against qemu-mips: the same random programs, the same registers and memory.

Both run the same image at the same addresses (text and data in what is SRAM on the board, some of each
in what is scratchpad), so that even links and jump targets compare equal. Each image is run in one go and
in pieces of a few cycles. PRI, JOFF and HALT, which qemu does not have, are tested in test_instructions.c.

CPU_SEEDS=n in the environment makes n images of a hundred programs instead of 4.
"""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

GENERATOR = Path(__file__).with_name("random_programs.py")
TOP = Path(__file__).resolve().parents[2]
RUNNER = TOP / "build" / "tests" / "run_program"
PROGRAMS = 100
WORDS = 32
NAMES = [f"${n}" for n in range(1, 26)] + [
    "$28",
    "$29",
    "$30",
    "$31",
    "checksum",
    "-",
    "-",
]

# Where things lie on the board: 2 MB of SRAM from 0, scratchpad A at 0x00C00000.
LAYOUT = """
ENTRY(_start)
SECTIONS
{
    .text 0x00100000 : { *(.text) }
    .data 0x001C0000 : { *(.data) }
    .scratch 0x00C00000 : { *(.scratch) }
    .scratch_data 0x00C03F00 : { *(.scratch_data) }
    ASSERT(SIZEOF(.text) < 0xC0000, "text runs into data")
    ASSERT(SIZEOF(.scratch) < 0x3F00, "scratchpad text runs into data")
    /DISCARD/ : { *(.reginfo) *(.MIPS.abiflags) *(.gnu.attributes) *(.pdr) }
}
"""
SECTIONS = {
    ".text": 0x00100000,
    ".data": 0x001C0000,
    ".scratch": 0x00C00000,
    ".scratch_data": 0x00C03F00,
}


def run(*command: object) -> bytes:
    return subprocess.run(
        [str(c) for c in command], check=True, stdout=subprocess.PIPE
    ).stdout


@pytest.fixture(scope="module")
def runner() -> Path:
    for tool in (
        "qemu-mips",
        "mips-linux-gnu-as",
        "mips-linux-gnu-ld",
        "mips-linux-gnu-objcopy",
    ):
        assert shutil.which(tool), f"{tool} is needed (make setup)"
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))
    }
    subprocess.run(
        ["make", "-s", str(RUNNER.relative_to(TOP))],
        cwd=TOP,
        env=environment,
        check=True,
    )
    return RUNNER


def build(directory: Path, seed: int) -> tuple[Path, list[str]]:
    """The ELF for qemu and the images of its sections for the runner."""
    source, layout = directory / "programs.s", directory / "layout.ld"
    source.write_bytes(run(GENERATOR, seed, PROGRAMS))
    layout.write_text(LAYOUT)
    obj, elf = directory / "programs.o", directory / "programs.elf"
    run(
        "mips-linux-gnu-as",
        "-EB",
        "-march=mips2",
        "-32",
        "--fatal-warnings",
        "-o",
        obj,
        source,
    )
    run(
        "mips-linux-gnu-ld", "-EB", "-static", "-nostdlib", "-T", layout, "-o", elf, obj
    )
    images = []
    for section, address in SECTIONS.items():
        image = directory / (section[1:] + ".bin")
        run("mips-linux-gnu-objcopy", "-O", "binary", "-j", section, elf, image)
        images.append(f"{address:#x}:{image}")
    return elf, images


@pytest.mark.parametrize("seed", range(1, 1 + int(os.environ.get("CPU_SEEDS", "4"))))
def test_same_results_as_qemu(seed: int, runner: Path, tmp_path: Path) -> None:
    elf, images = build(tmp_path, seed)
    theirs = run("qemu-mips", elf)
    ours = run(runner, f"{SECTIONS['.text']:#x}", *images)
    pieces = ("--pieces", 1 + seed % 13)
    for ways in (pieces, ("--native",), ("--native", *pieces)):
        assert run(runner, *ways, f"{SECTIONS['.text']:#x}", *images) == ours
    assert len(theirs) == len(ours) == 4 * WORDS * PROGRAMS
    assert any(theirs)
    wanted = struct.iter_unpack(f">{WORDS}I", theirs)
    got = struct.iter_unpack(f">{WORDS}I", ours)
    for number, (want, have) in enumerate(zip(wanted, got, strict=True)):
        differences = [
            f"{name}: qemu {w:08x}, here {h:08x}"
            for name, w, h in zip(NAMES, want, have, strict=True)
            if w != h
        ]
        assert (
            not differences
        ), f"seed {seed}, program_{number} of {elf}: {'; '.join(differences)}"
