#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Chooses the functions of an image that lie in the scratchpad, where not all that are on the data path find room.

Wants the image linked with none of them there, and a profile of it (tigonsim run --profile=FILE.folded). Of all choices
that fit it takes the one with the most cycles in it, and prints that as lines of a linker script.
"""

import collections
import pathlib
import sys

from elftools.elf.elffile import ELFFile


def busy_cycles(profile: pathlib.Path) -> collections.Counter[str]:
    """Of each function, without those it calls. A line: chain;of;functions cycles."""
    found: collections.Counter[str] = collections.Counter()
    for line in profile.read_text().splitlines():
        chain, cycles = line.rsplit(" ", 1)
        found[chain.rsplit(";", 1)[-1]] += int(cycles)
    return found


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(f"usage: {sys.argv[0]} PROFILE.folded IMAGE.elf IMAGE.o")
    cycles = busy_cycles(pathlib.Path(sys.argv[1]))
    with open(sys.argv[2], "rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".symtab")
        room = symbols.get_symbol_by_name("_fast_free")[0]["st_value"]
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
        print(f"*/image.o({section})")


if __name__ == "__main__":
    main()
