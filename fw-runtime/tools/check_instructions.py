#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Refuses an image that holds an instruction the Tigon2 core does not have.

Decodes the fields of every word of every function against the list of tigon2.md 1.2, plus PRI and
JOFF; it trusts neither the assembler nor a disassembler's names. A literal word inside a function
other than the HALT of a panic is an error too.
"""

import sys

from elftools.elf.elffile import ELFFile

ALLOWED_OPCODES = {
    0x02: "j",
    0x03: "jal",
    0x04: "beq",
    0x05: "bne",
    0x06: "blez",
    0x07: "bgtz",
    0x08: None,
    0x09: "addiu",
    0x0A: "slti",
    0x0B: "sltiu",
    0x0C: "andi",
    0x0D: "ori",
    0x0E: "xori",
    0x0F: "lui",
    0x14: "beql",
    0x15: "bnel",
    0x16: "blezl",
    0x17: "bgtzl",
    0x20: "lb",
    0x21: "lh",
    0x23: "lw",
    0x24: "lbu",
    0x25: "lhu",
    0x28: "sb",
    0x29: "sh",
    0x2B: "sw",
}
ALLOWED_OPCODES = {code: name for code, name in ALLOWED_OPCODES.items() if name}
ALLOWED_SPECIAL = {
    0x00: "sll",
    0x02: "srl",
    0x03: "sra",
    0x04: "sllv",
    0x06: "srlv",
    0x07: "srav",
    0x08: "jr",
    0x09: "jalr",
    0x0A: "joff",
    0x0B: "pri",
    0x0D: "break",
    0x21: "addu",
    0x23: "subu",
    0x24: "and",
    0x25: "or",
    0x26: "xor",
    0x27: "nor",
    0x2A: "slt",
    0x2B: "sltu",
}
ALLOWED_REGIMM = {0x00: "bltz", 0x01: "bgez", 0x10: "bltzal", 0x11: "bgezal"}
SHIFTS = (0x00, 0x02, 0x03)


def fault(word: int) -> str | None:
    """Why the core cannot execute `word`, or None."""
    opcode, function, shift = word >> 26, word & 0x3F, word >> 6 & 0x1F
    rs, rt, rd = word >> 21 & 0x1F, word >> 16 & 0x1F, word >> 11 & 0x1F
    if opcode == 0:
        if function not in ALLOWED_SPECIAL:
            return f"SPECIAL function 0x{function:02x}"
        if function in SHIFTS:
            return "shift with rs set (rotate)" if rs else None
        if function == 0x0D:
            return None if word == 0x0000000D else "BREAK with a code"
        if shift:
            return "shift amount set"
        if function == 0x0A and rd:
            return "JOFF with rd set"
        if function == 0x08 and (rt or rd):
            return "JR with extra fields"
        return None
    if opcode == 1:
        return None if rt in ALLOWED_REGIMM else f"REGIMM 0x{rt:02x}"
    return None if opcode in ALLOWED_OPCODES else f"opcode 0x{opcode:02x}"


def main() -> int:
    path = sys.argv[1]
    errors = 0
    checked = 0
    with open(path, "rb") as stream:
        elf = ELFFile(stream)
        if elf.little_endian or elf["e_machine"] != "EM_MIPS":
            sys.exit(f"{path}: not big-endian MIPS")
        for symbol in elf.get_section_by_name(".symtab").iter_symbols():
            if symbol["st_info"]["type"] != "STT_FUNC" or symbol["st_size"] == 0:
                continue
            section = elf.get_section(symbol["st_shndx"])
            start = symbol["st_value"] - section["sh_addr"]
            code = section.data()[start : start + symbol["st_size"]]
            for offset in range(0, len(code), 4):
                word = int.from_bytes(code[offset : offset + 4], "big")
                checked += 1
                why = fault(word)
                if why:
                    errors += 1
                    address = symbol["st_value"] + offset
                    print(
                        f"{path}: {symbol.name}+0x{offset:x} (0x{address:08x}): word 0x{word:08x}:"
                        f" {why} is not in the core",
                        file=sys.stderr,
                    )
    if checked == 0:
        sys.exit(f"{path}: no functions found")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
