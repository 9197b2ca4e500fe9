#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Refuses an image with a jump to a computed address, but for those ALLOWED names, each with its reason.

Events are dispatched once, by JOFF in the event loop; what it calls is known when the image is linked, so the path of
a frame has neither calls through pointers nor tables of a `switch`. JR to $ra is a return. All functions of the image
are held to it, whether the event loop reaches them or not.
"""

import sys
from typing import Iterator

from elftools.elf.elffile import ELFFile

RA = 31
# (function, instruction): how often, why
ALLOWED = {
    ("_start", "jr"): (1, "enters the event loop, once"),
    ("tigon2_event_loop", "joff"): (1, "dispatches one event"),
    ("tigon2_second_start", "jr"): (1, "enters the event loop of processor B, once"),
    ("tigon2_second_event_loop", "joff"): (1, "dispatches one event of processor B"),
}


def indirect(word: int) -> str | None:
    """The name of the instruction when `word` jumps to what a register holds, returns excepted.

    >>> indirect(0x03E00008), indirect(0x00400008), indirect(0x0040F809), indirect(0x0209000A)
    (None, 'jr', 'jalr', 'joff')
    """
    if word >> 26 != 0:
        return None
    name = {0x08: "jr", 0x09: "jalr", 0x0A: "joff"}.get(word & 0x3F)
    return None if name == "jr" and word >> 21 & 0x1F == RA else name


def jumps(elf: ELFFile) -> Iterator[tuple[str, str, int]]:
    """(function, instruction, address) of each."""
    functions = 0
    for symbol in elf.get_section_by_name(".symtab").iter_symbols():
        if symbol["st_info"]["type"] != "STT_FUNC" or symbol["st_size"] == 0:
            continue
        functions += 1
        section = elf.get_section(symbol["st_shndx"])
        # Addresses are offsets in an object, which has not been linked.
        base = section["sh_addr"] if elf["e_type"] == "ET_EXEC" else 0
        start = symbol["st_value"] - base
        code = section.data()[start : start + symbol["st_size"]]
        for offset in range(0, len(code) - 3, 4):
            name = indirect(int.from_bytes(code[offset : offset + 4], "big"))
            if name:
                yield symbol.name, name, symbol["st_value"] + offset
    if functions == 0:
        sys.exit("no functions found")


def main() -> int:
    path, *options = sys.argv[1:]
    left = {key: count for key, (count, _) in ALLOWED.items()}
    errors = 0
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        if elf.little_endian or elf["e_machine"] != "EM_MIPS":
            sys.exit(f"{path}: not big-endian MIPS")
        for function, name, address in jumps(elf):
            key = (function, name)
            if left.get(key, 0) > 0:
                left[key] -= 1
                if "--list" in options:
                    print(f"  {name} in {function}: {ALLOWED[key][1]}")
                continue
            errors += 1
            print(
                f"{path}: {function} (0x{address:08x}): {name} jumps to a computed address; call the function by name,"
                " or compile with -fno-jump-tables",
                file=sys.stderr,
            )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
