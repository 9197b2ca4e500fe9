#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Chooses the functions of an image that lie in the scratchpad, where not all that are on the data path find room.

Wants the image linked with none of them there, and a profile of it (tigonsim run --profile=FILE.folded). Of all choices
that fit it takes the one with the most cycles in it, and prints that as lines of a linker script. Of an image for two
processors the object says whose scratchpad it is: second.o is processor B's. Where there is no second.o, and B runs
image.o, too, the scratchpads of both have the same functions.
"""

import collections
import pathlib
import sys

from elftools.elf.elffile import ELFFile


# By object: the processor that runs it, and the symbol that has the free bytes of its scratchpad.
UNITS = {"image.o": ("A", "_fast_free"), "second.o": ("B", "_second_free")}


def busy_cycles(profile: pathlib.Path, processors: str) -> collections.Counter[str]:
    """Of each function, without those it calls. A line: board;processor;chain;of;functions cycles."""
    found: collections.Counter[str] = collections.Counter()
    for line in profile.read_text().splitlines():
        chain, cycles = line.rsplit(" ", 1)
        _, where, *functions = chain.split(";")
        if where in processors:
            found[functions[-1]] += int(cycles)
    return found


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(f"usage: {sys.argv[0]} PROFILE.folded IMAGE.elf image.o|second.o")
    unit = pathlib.Path(sys.argv[3]).name
    if unit not in UNITS:
        sys.exit(f"{sys.argv[3]}: expected one of {', '.join(UNITS)}")
    processor, free = UNITS[unit]
    with open(sys.argv[2], "rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".symtab")
        room = symbols.get_symbol_by_name(free)[0]["st_value"]
        divided = symbols.get_symbol_by_name(UNITS["second.o"][1]) is not None
    cycles = busy_cycles(pathlib.Path(sys.argv[1]), processor if divided else "AB")
    with open(sys.argv[3], "rb") as stream:
        sizes = {
            section.name: section["sh_size"]
            for section in ELFFile(stream).iter_sections()
            if section.name.startswith(".text.") and section["sh_size"]
        }

    # Bytes taken -> the most cycles that so many hold, and the sections that do.
    best: dict[int, tuple[int, tuple[str, ...]]] = {0: (0, ())}
    for section, size in sizes.items():
        gain = cycles[section.removeprefix(".text.")]
        for taken, (cycles_before, chosen) in list(best.items()):
            more = (cycles_before + gain, (*chosen, section))
            if gain and taken + size <= room:
                best[taken + size] = max(best.get(taken + size, more), more)
    for section in max(best.values())[1]:
        print(f"*/{unit}({section})")


if __name__ == "__main__":
    main()
