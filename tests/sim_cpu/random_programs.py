#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write an assembly file of random MIPS II programs that dump what they computed.

Run by test_random_programs.py; by hand: random_programs.py SEED COUNT > programs.s

Each program sets all registers, runs a few hundred instructions (ALU, shifts, branches of every kind
with their delay slots, bounded loops, calls, loads and stores of every width), then appends 32 words to
the dump: registers 1 to 25 and 28 to 31 and a checksum of both data areas. The last thing done is
write(1, dump) and exit(0). Text lies in SRAM, the last programs in scratchpad; one data area in each.

Reserved: $26 dump pointer, $27 return address, $28 loop counter, $29 and $30 the data areas.
"""

import random
import sys

DATA_BYTES = 256
SCRATCHPAD_PROGRAMS = 6
FREE = [r for r in range(1, 26)] + [31]
SPECIAL = [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x8000, 0xFFFF8000, 0xFF]

THREE = ["addu", "subu", "and", "or", "xor", "nor", "slt", "sltu"]
SHIFT = ["sll", "srl", "sra"]
SHIFT_VARIABLE = ["sllv", "srlv", "srav"]
SIGNED = ["addiu", "slti", "sltiu"]
UNSIGNED = ["andi", "ori", "xori"]
LOADS = {"lw": 4, "lh": 2, "lhu": 2, "lb": 1, "lbu": 1}
STORES = {"sw": 4, "sh": 2, "sb": 1}
COMPARE_TWO = ["beq", "bne", "beql", "bnel"]
COMPARE_ZERO = [
    "blez",
    "bgtz",
    "bltz",
    "bgez",
    "blezl",
    "bgtzl",
    "bltzl",
    "bgezl",
    "bltzal",
    "bgezal",
    "bltzall",
    "bgezall",
]


class Program:
    """One random program, as assembly lines."""

    def __init__(self, number: int, rng: random.Random) -> None:
        self.number = number
        self.rng = rng
        self.labels = 0
        self.lines: list[str] = []

    def label(self) -> str:
        self.labels += 1
        return f"p{self.number}_{self.labels}"

    def put(self, line: str) -> None:
        self.lines.append("\t" + line)

    def source(self) -> int:
        return self.rng.choice(FREE + [0])

    def target(self, keep: tuple[int, ...] = ()) -> int:
        """A register to write; now and then $0."""
        return self.rng.choice([r for r in FREE + [0] if r not in keep])

    def plain(self, keep: tuple[int, ...] = ()) -> str:
        """One instruction that is no branch and writes no register of `keep`."""
        rng = self.rng
        to, a, b = self.target(keep), self.source(), self.source()
        kind = rng.randrange(12)
        if kind < 3:
            return f"{rng.choice(THREE)} ${to}, ${a}, ${b}"
        if kind == 3:
            return f"{rng.choice(SHIFT)} ${to}, ${a}, {rng.randrange(32)}"
        if kind == 4:
            return f"{rng.choice(SHIFT_VARIABLE)} ${to}, ${a}, ${b}"
        if kind == 5:
            return f"{rng.choice(SIGNED)} ${to}, ${a}, {rng.randrange(-32768, 32768)}"
        if kind == 6:
            return f"{rng.choice(UNSIGNED)} ${to}, ${a}, {rng.randrange(65536)}"
        if kind == 7:
            return f"lui ${to}, {rng.randrange(65536)}"
        table = LOADS if kind < 10 else STORES
        name = rng.choice(list(table))
        offset = rng.randrange(DATA_BYTES // table[name]) * table[name]
        return (
            f"{name} ${to if table is LOADS else a}, {offset}(${rng.choice([29, 30])})"
        )

    def plains(self, most: int, keep: tuple[int, ...] = ()) -> None:
        for _ in range(self.rng.randrange(1, most + 1)):
            self.put(self.plain(keep))

    def branch(self, to: str) -> None:
        """A conditional branch with a random slot."""
        name = self.rng.choice(COMPARE_TWO + COMPARE_ZERO)
        if name in COMPARE_TWO:
            a = self.source()
            b = a if self.rng.randrange(3) == 0 else self.source()
            self.put(f"{name} ${a}, ${b}, {to}")
        else:
            a = self.rng.choice([r for r in FREE if r != 31] + [0])
            self.put(f"{name} ${a}, {to}")
        self.put(self.plain())

    def forward(self) -> None:
        end = self.label()
        self.branch(end)
        self.plains(5)
        self.lines.append(f"{end}:")

    def loop(self) -> None:
        start = self.label()
        self.put(f"addiu $28, $0, {self.rng.randrange(1, 6)}")
        self.lines.append(f"{start}:")
        self.plains(6)
        if self.rng.randrange(2):
            self.forward()
        self.put("addiu $28, $28, -1")
        self.put(
            f"{self.rng.choice(['bne $28, $0,', 'bnel $28, $0,', 'bgtz $28,', 'bgtzl $28,'])} {start}"
        )
        self.put(self.plain())

    def call(self) -> None:
        function, after = self.label(), self.label()
        if self.rng.randrange(2):
            self.put(f"jal {function}")
        else:
            self.put(f"lui $25, %hi({function})")
            self.put(f"addiu $25, $25, %lo({function})")
            self.put("jalr $31, $25")
        self.put(self.plain(keep=(31,)))
        self.put(f"j {after}" if self.rng.randrange(2) else f"beq $0, $0, {after}")
        self.put(self.plain())
        self.lines.append(f"{function}:")
        self.plains(6, keep=(31,))
        self.put("jr $31")
        self.put(self.plain())
        self.lines.append(f"{after}:")

    def checked(self) -> None:
        """ADD, SUB and ADDI, which stop the core on overflow, of numbers that cannot overflow."""
        to, a, b = (self.rng.choice([r for r in FREE if r != 31]) for _ in range(3))
        self.put(f"sra ${a}, ${self.source()}, 1")
        self.put(f"sra ${b}, ${self.source()}, 1")
        name = self.rng.choice(["add", "sub", "addi"])
        last = f"{self.rng.randrange(-32768, 32768)}" if name == "addi" else f"${b}"
        self.put(f"{name} ${to}, ${a}, {last}")

    def jump_through(self) -> None:
        """JALR with a link register of its own, and JR back from a place that is jumped over."""
        link, to, back = self.label(), self.label(), self.label()
        register = self.rng.choice([r for r in FREE if r not in (25, 31)])
        self.put(f"lui $25, %hi({to})")
        self.put(f"addiu $25, $25, %lo({to})")
        self.put(f"jalr ${register}, $25")
        self.put(self.plain(keep=(register,)))
        self.lines.append(f"{link}:")
        self.put(f"j {back}")
        self.put(self.plain())
        self.lines.append(f"{to}:")
        self.plains(4, keep=(register,))
        self.put(f"jr ${register}")
        self.put(self.plain())
        self.lines.append(f"{back}:")

    def indexed(self) -> None:
        """An access at a computed address."""
        at = self.rng.choice([r for r in FREE if r != 31])
        self.put(f"andi ${at}, ${self.source()}, {DATA_BYTES - 4:#x}")
        self.put(f"addu ${at}, ${at}, ${self.rng.choice([29, 30])}")
        if self.rng.randrange(2):
            self.put(f"{self.rng.choice(list(LOADS))} ${self.target()}, 0(${at})")
        else:
            self.put(f"{self.rng.choice(list(STORES))} ${self.source()}, 0(${at})")

    def write(self) -> list[str]:
        rng = self.rng
        self.lines.append(f"program_{self.number}:")
        for register in FREE:
            value = (
                rng.choice(SPECIAL) if rng.randrange(3) == 0 else rng.getrandbits(32)
            )
            self.put(f"lui ${register}, {value >> 16:#x}")
            self.put(f"ori ${register}, ${register}, {value & 0xFFFF:#x}")
        length = rng.randrange(200, 400)
        while len(self.lines) < length:
            kind = rng.randrange(12)
            if kind == 10:
                self.checked()
            elif kind == 11:
                self.jump_through()
            elif kind < 4:
                self.plains(8)
            elif kind < 6:
                self.forward()
            elif kind == 6:
                self.loop()
            elif kind == 7:
                self.call()
            else:
                self.indexed()
        self.put("lui $26, %hi(dump_next)")
        self.put("lw $26, %lo(dump_next)($26)")
        for slot, register in enumerate(list(range(1, 26)) + [28, 29, 30, 31]):
            self.put(f"sw ${register}, {4 * slot}($26)")
        self.put("lui $25, %hi(finish)")
        self.put("addiu $25, $25, %lo(finish)")
        self.put("jr $25")
        self.put("nop")
        return self.lines


# After a program: checksum of both data areas into the dump, and back to the caller.
FINISH = f"""
finish:
	addiu $2, $0, 0
	addu $4, $0, $29
	addiu $7, $0, 2
1:	addiu $5, $4, {DATA_BYTES}
2:	lw $3, 0($4)
	sll $6, $2, 5
	srl $2, $2, 27
	or $2, $2, $6
	xor $2, $2, $3
	addiu $4, $4, 4
	bne $4, $5, 2b
	nop
	addu $4, $0, $30
	addiu $7, $7, -1
	bne $7, $0, 1b
	nop
	sw $2, 116($26)
	addiu $26, $26, 128
	lui $4, %hi(dump_next)
	sw $26, %lo(dump_next)($4)
	jr $27
	nop
"""

HEAD = """	.set noreorder
	.set noat
	.set nomacro
"""


def call_lines(number: int) -> list[str]:
    return [
        f"\tlui $25, %hi(program_{number})",
        f"\taddiu $25, $25, %lo(program_{number})",
        "\tlui $29, %hi(data_sram)",
        "\taddiu $29, $29, %lo(data_sram)",
        "\tlui $30, %hi(data_scratchpad)",
        "\taddiu $30, $30, %lo(data_scratchpad)",
        "\tjalr $27, $25",
        "\taddiu $28, $0, 0",
    ]


def assembly(seed: int, count: int) -> str:
    """The whole file: `count` programs from `seed`."""
    rng = random.Random(seed)
    lines = [HEAD, "\t.text", "\t.globl _start", "_start:"]
    for number in range(count):
        lines += call_lines(number)
    lines += [
        "\taddiu $2, $0, 4004",
        "\taddiu $4, $0, 1",
        "\tlui $5, %hi(dump)",
        "\taddiu $5, $5, %lo(dump)",
        f"\tlui $6, {(128 * count) >> 16}",
        f"\tori $6, $6, {(128 * count) & 0xFFFF}",
        "\tsyscall",
        "\taddiu $2, $0, 4001",
        "\taddiu $4, $0, 0",
        "\tsyscall",
        FINISH,
    ]
    for number in range(count):
        if number == count - SCRATCHPAD_PROGRAMS:
            lines.append('\t.section .scratch, "ax"')
        lines += Program(number, rng).write()
    words = "\n".join(
        f"\t.word {rng.getrandbits(32):#x}" for _ in range(DATA_BYTES // 4)
    )
    lines += ['\t.section .scratch_data, "aw"', "data_scratchpad:", words]
    lines += [
        "\t.data",
        "\t.balign 16",
        "data_sram:",
        words,
        "dump_next:",
        "\t.word dump",
    ]
    lines += ["dump:", f"\t.space {128 * count}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(assembly(int(sys.argv[1]), int(sys.argv[2])))
