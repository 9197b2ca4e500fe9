# SPDX-License-Identifier: MIT
"""The disassembler against objdump, which does not know what the chip lacks and has its own names for PRI and JOFF."""

import random
import re
import subprocess
from pathlib import Path

WORDS = 6000
RENAMED = {"break": "halt", "movn": "pri", "movz": "joff"}


def objdump(words: list[int], directory: Path) -> list[str]:
    binary = directory / "words"
    binary.write_bytes(b"".join(word.to_bytes(4, "big") for word in words))
    command = ["mips-linux-gnu-objdump", "-D", "-z", "-b", "binary", "-EB"]
    command += [
        "-m",
        "mips:isa32",
        "-M",
        "no-aliases",
        "--adjust-vma=0x4000",
        str(binary),
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^ *[0-9a-f]+:\t[0-9a-f]{8} \t(.*)$", output, re.MULTILINE)
    assert len(lines) == len(words)
    return lines


def plain(line: str) -> tuple[str, list[str]]:
    """Name and operands in one notation."""
    name, _, rest = (
        line.replace("$", "").strip().partition(" " if " " in line else "\t")
    )
    name, _, tail = name.partition("\t")
    operands = (tail or rest).strip()
    numbers = [part for part in re.split(r"[,()]", operands) if part]
    return name, [
        str(int(part, 0) & 0xFFFFFFFF)
        if re.match(r"-?(0x)?[0-9a-f]+$", part) and part[0] in "-0123456789"
        else part
        for part in numbers
    ]


def test_random_words_agree(directory: Path) -> None:
    choice = random.Random(3)
    words = [choice.getrandbits(32) for _ in range(WORDS // 3)]
    for _ in range(WORDS // 3):  # the crowded part of the map
        words.append(choice.getrandbits(26) & ~0x7C0)
    for _ in range(WORDS // 3):
        words.append(1 << 26 | choice.getrandbits(26))
    ours = subprocess.run(
        ["build/tests/disassemble"],
        input="\n".join(f"{word:x}" for word in words),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    compared = 0
    names = set()
    for word, mine, theirs in zip(words, ours, objdump(words, directory), strict=True):
        name, operands = plain(mine)
        other, other_operands = plain(theirs)
        if (
            name == ".word" or other == ".word"
        ):  # the chip does not look at all reserved fields
            continue
        names.add(name)
        compared += 1
        other = RENAMED.get(other, other)
        if name == "joff":  # objdump shows a destination, which is 0
            other_operands = (
                other_operands[1:] if other_operands[0] == "zero" else other_operands
            )
        if name in ("halt", "nop"):
            operands = other_operands = []
            other = name if word == 0 else other
        assert (name, operands) == (
            other,
            other_operands,
        ), f"{word:08x}: {mine} / {theirs}"
    assert compared > WORDS // 5
    assert len(names) >= 45, sorted(names)


def test_absent_instructions_are_named() -> None:
    words = ["00850018", "70851002", "8be20003", "40026000", "011a480b", "0209000a"]
    lines = subprocess.run(
        ["build/tests/disassemble"],
        input="\n".join(words),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert lines[0] == ".word   0x00850018  # mult: not on this chip"
    assert lines[1] == ".word   0x70851002"
    assert "lwl" not in lines[1] and "# " in lines[3]
    assert lines[4:] == ["pri     $t1,$t0,$k0", "joff    $s0,$t1"]
