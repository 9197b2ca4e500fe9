# SPDX-License-Identifier: MIT
"""Firmware that does what nobody wants, and what the results say of it; counts that must be exact."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.sim_scenarios.scenarios import run, tigonsim, write

T0, T1, GP = 8, 9, 28
HALT = 0x0000000D
NOP = 0
TRANSMIT_BUFFER, RECEIVE_BUFFER = 0x1B3000, 0x1D0000
TRANSMIT_RING = TRANSMIT_BUFFER - 0x2800


def lui(to: int, value: int) -> int:
    return 0x0F << 26 | to << 16 | value


def load_immediate(to: int, value: int) -> list[int]:
    return [lui(to, value >> 16), 0x0D << 26 | to << 21 | to << 16 | value & 0xFFFF]


def store(word: int, base: int, offset: int) -> int:
    return 0x2B << 26 | base << 21 | word << 16 | offset & 0xFFFF


def load(to: int, base: int, offset: int) -> int:
    return 0x23 << 26 | base << 21 | to << 16 | offset & 0xFFFF


def jump_register(register: int) -> int:
    return register << 21 | 0x08


def branch_always(words: int) -> int:
    return 0x04 << 26 | words & 0xFFFF


def put(register: int, value: int) -> list[int]:
    """Writes a chip register; $gp is their base."""
    return [*load_immediate(T0, value), store(T0, GP, register)]


def put_memory(address: int, value: int) -> list[int]:
    return [
        *load_immediate(T1, address),
        *load_immediate(T0, value),
        store(T0, T1, 0),
    ]


BUFFERS = [
    word
    for register, value in [
        (0xD0, TRANSMIT_BUFFER),
        (0xD4, TRANSMIT_BUFFER),
        (0xD8, TRANSMIT_BUFFER),
        (0xC0, RECEIVE_BUFFER),
        (0xC4, RECEIVE_BUFFER),
        (0xC8, RECEIVE_BUFFER),
        (0x238, 0x00C801FE),
        (0x200, 0xE2),
    ]
    for word in put(register, value)
]


def scenario(directory: Path, words: list[int], more: str = "") -> Path:
    """A board whose core A executes `words` from 0x4000 on."""
    program = [lui(GP, 0xC000), *words]
    (directory / "image.bin").write_bytes(struct.pack(f">{len(program)}I", *program))
    return write(
        directory,
        'boards = ( { name = "odd"; image = { file = "image.bin"; format = "raw"; '
        "load = 0x4000; }; } );\n" + (more or 'stop = { time = "1 ms"; };'),
    )


def core_a(result: dict[str, Any]) -> dict[str, int]:
    counts = result["boards"][0]["statistics"]["core_a"]
    assert isinstance(counts, dict)
    return counts


@pytest.mark.parametrize(
    "words, why",
    [
        (
            [*load_immediate(T0, 0x12345678), jump_register(T0), NOP],
            "jump to 0x12345678, where no code can be; $t0 has this value",
        ),
        (
            [*load_immediate(T0, 0x00C03FF8), jump_register(T0), NOP],
            "fetch at 0x00C04000, where no code can be; it ran on over the end of the memory before that",
        ),
        (
            [*load_immediate(T0, 0x4002), jump_register(T0), NOP],
            "jump to 0x00004002, which is no multiple of 4; $t0 has this value",
        ),
        (
            [*load_immediate(T0, 0x00900000), T0 << 21 | 31 << 11 | 0x09, NOP],
            "jump to 0x00900000, where no code can be; called at 0x0000400C through $t0",
        ),
    ],
)
def test_a_fault_says_when_and_why(tmp_path: Path, words: list[int], why: str) -> None:
    result = run(scenario(tmp_path, words), status=1)
    assert result["problems"] == [f"a core stopped on an error: odd, core A: {why}"]
    cycle = result["crash_report"]["boards"][0]["cores"][0]["cycle"]
    assert 0 < cycle < 100
    assert core_a(result)["cycles"] == cycle
    assert result["time_ns"] == result["crash_report"]["time_ns"] == cycle * 1000 // 88


def test_a_core_counts_no_cycles_after_halt(tmp_path: Path) -> None:
    """Whatever the other things are that the world had to do after it."""
    transfer = [
        *put(0x94, 0x1000),
        *put(0x9C, 64),
        *put(0xB4, 0x20000),
        *put(0xB0, 0x84),
    ]
    path = scenario(tmp_path, [*transfer, HALT])
    result = run(path, "--report=" + str(tmp_path / "report"))
    core = result["crash_report"]["boards"][0]["cores"][0]
    assert core["cycle"] < 200
    assert core_a(result)["cycles"] == core["cycle"]
    table = tigonsim("run", path).stdout
    assert f"HALT at {0x4000 + 4 * (1 + len(transfer)):08X}\n" in table


# An event word is polled from text that lies over two instruction lines: each turn fills both.
POLL_FROM_SRAM = [NOP] * 13 + [load(T0, GP, 0x60), NOP, NOP, branch_always(-4), NOP]


@pytest.mark.parametrize("end_us", [97, 501, 1000])
def test_counts_do_not_depend_on_who_looks(tmp_path: Path, end_us: int) -> None:
    path = scenario(tmp_path, POLL_FROM_SRAM)
    end = f"--until={end_us}us"
    plain = run(path, end)
    assert core_a(plain)["parked_cycles"] > 0
    observed = run(path, end, "--profile=/dev/null")
    simulated = run(path, end, "--set=idle_parking=0")
    assert core_a(simulated)["parked_cycles"] == 0
    for other in (observed, simulated):
        for name, value in core_a(plain).items():
            assert name == "parked_cycles" or core_a(other)[name] == value, name


@pytest.mark.parametrize("how", ["reset", "stop core A", "kill"])
def test_what_a_parked_core_did_counts_after_it_was_stopped(
    tmp_path: Path, how: str
) -> None:
    more = f'faults = ( "odd: {how} at 600us" );\nstop = {{ time = "1 ms"; }};'
    path = scenario(tmp_path, POLL_FROM_SRAM, more)
    log = tmp_path / "log"
    plain = run(path, f"--log={log}:signal")
    assert core_a(plain)["parked_cycles"] > 0
    assert core_a(plain)["cycles"] == 600 * 88
    falls = [line for line in log.read_text().splitlines() if "running_a 0" in line]
    assert [line.split()[0] for line in falls] == ["600.000"]
    simulated = run(path, "--set=idle_parking=0")
    assert core_a(simulated)["instructions"] == core_a(plain)["instructions"]


def by_hand(local: int, length: int) -> list[int]:
    return [
        *put(0x94, 0x1000),
        *put(0x9C, length),
        *put(0xB4, local),
        *put(0xB0, 0x84),
        load(T0, GP, 0xB0),
        NOP,
    ]


def frame(address: int, length: int) -> list[int]:
    return [
        *put_memory(TRANSMIT_RING, address),
        *put_memory(TRANSMIT_RING + 4, length),
        *put(0xD4, TRANSMIT_BUFFER + 0x100),
        *put(0xF0, TRANSMIT_RING + 8),
    ]


@pytest.mark.parametrize(
    "words, message",
    [
        (
            by_hand(0x00C00010, 64),
            "DMA read with local address 0x00C00010, where no SRAM is (DMA does not reach "
            "scratchpads); SRAM at 0x000010 is taken",
        ),
        (
            by_hand(0x20000, 0),
            "DMA read of 0 bytes: nothing is moved, all else happens",
        ),
        (
            BUFFERS + frame(TRANSMIT_BUFFER, 0),
            "transmit descriptor of 0 bytes, which is no Ethernet header: it is sent, padded with zeros",
        ),
        (
            BUFFERS
            + put(0xC0, TRANSMIT_BUFFER + 0x1000)
            + frame(TRANSMIT_BUFFER, 0x1000),
            "transmit descriptor of 4096 bytes, more than the transmit buffer can hold (4096 bytes "
            "less 8): it will never leave",
        ),
        (by_hand(0x20000, 64), None),
        (BUFFERS + frame(TRANSMIT_BUFFER, 60), None),
    ],
)
def test_what_firmware_hardly_means_is_mentioned(
    tmp_path: Path, words: list[int], message: str | None
) -> None:
    path = scenario(tmp_path, [*words, branch_always(-1), NOP])
    log = tmp_path / "log.jsonl"
    run(path, f"--log={log}:message")
    told = [json.loads(line)["text"] for line in log.read_text().splitlines()]
    assert told == ([message] if message else [])
    table = tigonsim("run", path).stdout
    assert ("about odd behaviour" in table) == bool(message)


def test_a_trace_that_is_none_says_so(tmp_path: Path) -> None:
    path = scenario(tmp_path, [branch_always(-1), NOP])
    path.write_text(
        path.read_text().replace('name = "odd";', 'name = "odd"; trace = "alteon";')
    )
    table = tigonsim("run", path).stdout
    assert (
        "odd: trace\n  no records: the words at 0x250 (newest), 0x254 (start) and 0x258 (length) are "
        "00000000, 00000000 and 00000000\n" in table
    )


def test_signals_that_do_not_exist_are_told(tmp_path: Path) -> None:
    path = scenario(tmp_path, [branch_always(-1), NOP])
    wave = tmp_path / "wave.vcd"
    result = tigonsim("run", path, f"--vcd={wave}:odd.dma_*,odd.nonsense,odd.link")
    assert result.returncode == 2
    assert "no signal of any board fits odd.nonsense;" in result.stderr
    assert tigonsim("run", path, f"--vcd={wave}:odd.hw_224,odd.link").returncode == 0
    assert "hw_224" in wave.read_text()


def test_a_server_needs_no_end(tmp_path: Path) -> None:
    path = write(tmp_path, 'boards = ( { name = "odd" } );')
    assert tigonsim("serve", "--check", path).returncode == 0
    assert tigonsim("run", "--check", path).returncode == 2


def test_help_about_a_command() -> None:
    assert tigonsim("help", "run").stdout == tigonsim("run", "--help").stdout
    assert "did you mean serve?" in tigonsim("help", "serv").stderr
    assert tigonsim("help").returncode == 0
