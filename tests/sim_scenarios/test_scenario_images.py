# SPDX-License-Identifier: MIT
"""One firmware in every form people have it in, and damaged images."""

import random
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from tests.sim_scenarios.scenarios import DAMAGES, IMAGE, run, tigonsim, write

LOADS = ["direct", "host"]


def sections() -> tuple[int, list[tuple[int, bytes]]]:
    """Start address and what is to be loaded where, by another reader of ELF files than tigonsim's."""
    with IMAGE.open("rb") as file:
        elf = ELFFile(file)
        found = []
        for segment in elf.iter_segments("PT_LOAD"):
            for section in elf.iter_sections():
                if section["sh_type"] == "SHT_PROGBITS" and segment.section_in_segment(
                    section
                ):
                    address = (
                        section["sh_offset"] - segment["p_offset"] + segment["p_paddr"]
                    )
                    found.append((address, section.data()))
        return elf["e_entry"], found


def flat() -> tuple[int, int, bytes]:
    """Start, load address and the whole from there, gaps filled with zeros."""
    start, parts = sections()
    load = min(address for address, _ in parts)
    content = bytearray(max(address + len(data) for address, data in parts) - load)
    for address, data in parts:
        content[address - load : address - load + len(data)] = data
    return start, load, bytes(content)


def tg2() -> bytes:
    start, load, content = flat()
    return bytes([12, 4, 11, 0]) + struct.pack(">II", start, load) + content


def header(prefix: str = "tigon2Fw", macros: bool = False) -> str:
    """As the drivers have it: three sections with addresses and lengths, in variables or in macros."""
    start, load, content = flat()
    cut = len(content) // 8 * 4
    values = {
        "ReleaseMajor": 12,
        "ReleaseMinor": 4,
        "ReleaseFix": 11,
        "StartAddr": start,
        "TextAddr": load,
        "TextLen": cut,
        "RodataAddr": load + cut,
        "RodataLen": len(content) - cut,
        "DataAddr": 0x60000,
        "DataLen": 0,
        "BssAddr": 0x60000,
        "BssLen": 0x100,
    }
    lines = ["/*", " * Firmware = { 0x1 };", " */", "#ifdef FIRMWARE"]
    for name, value in values.items():
        text = (
            f"#define {prefix}{name} {value:#x}"
            if macros
            else f"static int {prefix}{name} = {value:#x};"
        )
        lines.append(text)
    for name, piece in [("Text", content[:cut]), ("Rodata", content[cut:])]:
        piece += bytes(-len(piece) % 4)
        words = struct.unpack(f">{len(piece) // 4}I", piece)
        attribute = " __initdata" if macros else ""
        lines.append(
            f"static const u_int32_t {prefix}{name}[(MAX_{name}/4) + 1]{attribute} = {{ // = {{ 2 }}"
        )
        for at in range(0, len(words), 4):
            lines.append(
                "\t" + ", ".join(f"0x{word:08x}" for word in words[at : at + 4]) + ","
            )
        lines.append("};")
    lines += [
        f"static u_int32_t {prefix}Data[1] = {{ 0x0 }};",
        "#endif",
        'char *text = "= 5; {";',
        "",
    ]
    return "\n".join(lines)


def outcome(directory: Path, image: str, load: str) -> object:
    """Control block, scratchpad, position and cycles of both cores after two milliseconds of the firmware."""
    scenario = write(
        directory,
        f'boards = ( {{ name = "a"; image = {image}; load = "{load}"; dump = (\n'
        " { memory = 0x200; length = 0x200; }, { memory = 0x2000; length = 0x10000; },\n"
        " { scratchpad_a = 0xC00000; length = 0x4000; }, { register = 0x140; length = 8; } ); } );\n"
        'stop = { time = "25 ms"; };',
    )
    result = run(scenario, f"--until={2 if load == 'direct' else 20}ms")
    board = result["boards"][0]
    return board["dumps"], board["statistics"]


@pytest.mark.parametrize("load", LOADS)
def test_all_formats_are_one(tmp_path: Path, load: str) -> None:
    start, address, content = flat()
    (tmp_path / "tg2.bin").write_bytes(tg2())
    (tmp_path / "raw.bin").write_bytes(content)
    (tmp_path / "variables.h").write_text(header())
    (tmp_path / "macros.h").write_text(header(macros=True))
    expected = outcome(tmp_path, '"@IMAGE@"', load)
    assert expected != outcome(
        tmp_path, f'{{ file = "@IMAGE@"; start = {address + 4}; }}', load
    )
    for image in (
        '{ file = "@IMAGE@"; format = "elf"; }',
        '"tg2.bin"',
        '{ file = "tg2.bin"; format = "tg2"; }',
        f'{{ file = "raw.bin"; format = "raw"; load = {address}; start = {start}; }}',
        '"variables.h"',
        '{ file = "macros.h"; format = "header"; prefix = "tigon2Fw"; }',
    ):
        found = outcome(tmp_path, image, load)
        # Clearing and loading in pieces takes the host other times; what the firmware then does is the same.
        if load == "direct":
            assert found == expected, image
        else:
            assert found[0][0] == expected[0][0], image  # type: ignore[index]


def test_version_is_told(tmp_path: Path) -> None:
    (tmp_path / "tg2.bin").write_bytes(tg2())
    scenario = write(
        tmp_path,
        'boards = ( { name = "a"; image = "tg2.bin"; } );\nstop = { time = "1 us"; };',
    )
    assert run(scenario)["boards"][0]["image_version"] == "12.4.11"


def complaint(directory: Path, image: str) -> str:
    scenario = write(
        directory,
        f'boards = (\n {{ name = "a"; image = {image}; }} );\nstop = {{ time = "1 us"; }};',
    )
    answer = tigonsim("run", "--check", scenario)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"{scenario}:2: image: "), answer.stderr
    return answer.stderr


def test_wrong_images_are_told(tmp_path: Path) -> None:
    elf = bytearray(IMAGE.read_bytes())
    little = bytearray(elf)
    little[5] = 1
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "cut").write_bytes(elf[: len(elf) // 4])
    (tmp_path / "little").write_bytes(little)
    (tmp_path / "rubbish").write_bytes(bytes(range(256)))
    (tmp_path / "far.bin").write_bytes(
        bytes([1, 2, 3, 0]) + struct.pack(">II", 0x4000, 0x90000) + bytes(16)
    )
    (tmp_path / "word.bin").write_bytes(bytes(4))
    (tmp_path / "both.h").write_text(header("tigonFw") + header("tigon2Fw"))
    (tmp_path / "short.h").write_text(header().replace("TextLen = 0x", "TextLen = 0xf"))
    (tmp_path / "none.h").write_text("int main(void) { return 0; }\n")
    (tmp_path / "letter.h").write_text(
        "int xStartAddr = 4;\nint xText[] = { 1, two };\n"
    )
    for image, piece in {
        '"missing"': "cannot be read: No such file or directory",
        '"empty"': "is empty",
        '"cut"': "passes the end of the file",
        '"little"': "ELF file",
        '"rubbish"': "is neither ELF, tg2 nor C arrays",
        '{ file = "far.bin"; format = "tg2"; }': "expected 0x4000 to 0x7FFFF",
        '{ file = "word.bin"; format = "raw"; load = 0x1FFFFE; }': "expected SRAM",
        '{ file = "word.bin"; format = "raw"; load = 0x300000; }': "expected SRAM",
        '{ file = "word.bin"; format = "raw"; load = 0x4000; start = 0x4004; }': "is not a word of what",
        '"both.h"': "has several images; say which with prefix: tigonFw tigon2Fw",
        '{ file = "both.h"; prefix = "tigon3Fw"; }': "has no name tigon3FwStartAddr; it has tigonFw tigon2Fw",
        '"short.h"': "announces",
        '"none.h"': "a name that ends with StartAddr",
        '"letter.h"': "line 2: expected a 32-bit number or } in xText",
    }.items():
        assert piece in complaint(tmp_path, image), image
    scenario = write(
        tmp_path,
        'boards = ( { name = "a"; image = { file = "both.h"; prefix = "tigon2Fw"; }; } );\nstop = { time = "1 us"; };',
    )
    assert tigonsim("run", scenario).returncode == 0


@pytest.mark.parametrize("kind", ["elf", "tg2", "header"])
def test_damaged_images_never_crash(tmp_path: Path, kind: str) -> None:
    """Loaded or refused; never more. Mostly the first bytes are damaged: there is the structure."""
    good = {"elf": IMAGE.read_bytes(), "tg2": tg2(), "header": header().encode()}[kind]
    refused = 0
    for seed in range(DAMAGES):
        chance = random.Random(seed)
        damaged = bytearray(good)
        end = (
            {"elf": 0x100, "tg2": 12, "header": 0x400}[kind]
            if seed % 2
            else len(damaged)
        )
        start = len(damaged) - 2000 if kind == "elf" and seed % 4 == 3 else 0
        for _ in range(chance.randint(1, 6)):
            damaged[(start + chance.randrange(end)) % len(damaged)] = chance.randrange(
                256
            )
        if chance.random() < 0.3:
            del damaged[chance.randrange(len(damaged)) :]
        (tmp_path / "image").write_bytes(damaged)
        symbol = (
            'symbols = ( { board = "a"; symbol = "tigon2_on_receive"; } );'
            if kind == "elf"
            else ""
        )
        scenario = write(
            tmp_path,
            f'boards = ( {{ name = "a"; image = {{ file = "image"; format = "{kind}"; }}; }} );\n'
            f'stop = {{ time = "1 us"; {symbol} }};',
        )
        refused += tigonsim("run", scenario).returncode == 2
    assert 0 < refused < DAMAGES
