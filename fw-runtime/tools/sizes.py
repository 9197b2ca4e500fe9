#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints where an image lies and how much memory it leaves."""

import sys

from elftools.elf.elffile import ELFFile


def main() -> None:
    with open(sys.argv[1], "rb") as stream:
        elf = ELFFile(stream)
        symbols = {
            s.name: s["st_value"] & 0xFFFFFFFF
            for s in elf.get_section_by_name(".symtab").iter_symbols()
        }
        for section in elf.iter_sections():
            if section["sh_flags"] & 2 and section["sh_size"]:
                address = section["sh_addr"] & 0xFFFFFFFF
                print(f"  {section.name:<10} 0x{address:08x} {section['sh_size']:7}")
    code = symbols["_fast_code_end"] - symbols["_fast_start"]
    data = symbols["_fast_end"] - symbols["_fast_code_end"]
    print(f"  scratchpad: {code} code, {data} data, {symbols['_fast_free']} free")
    if "_second_free" in symbols:
        code = symbols["_second_code_end"] - symbols["_fast_start"]
        data = symbols["_second_end"] - symbols["_second_code_end"]
        print(
            f"  scratchpad of processor B: {code} code, {data} data, {symbols['_second_free']} free"
        )
    free = symbols["_image_limit"] - symbols["_image_end"]
    board = symbols["_least_memory"] // 1024
    print(f"  SRAM: {free} bytes free on a {board} kB board")


if __name__ == "__main__":
    main()
