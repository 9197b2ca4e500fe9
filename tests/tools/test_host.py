# SPDX-License-Identifier: MIT
"""The host of a served board: its memory does not run out, whatever programs leave behind, and a board that cannot reach it
is refused."""

import signal
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.sim_serve.serving import TIME_LIMIT_SECONDS, Client
from tests.tools.installed import LEFT, Boards, compiled, ended

MEMORY_BYTES = 4 << 20  # of each host: some thirty programs need more
ROUNDS = 60
SMALL = f"host_memory_bytes = {MEMORY_BYTES};"

PCI_COMMAND, PCI_STATE, DMA_ASSIST = 0x004, 0x05C, 0x11C
MASTER, NARROW, PAUSE = 1 << 2, 1 << 20, 1 << 1

ALLOCATES = """
#include <libemp.h>
#include <stdio.h>

enum { ROUNDS = 1000, BYTES = 1 << 20 };

int main(int argc, char **argv) {
    struct libemp_options options;
    struct libemp_board *board;
    libemp_options_defaults(&options);
    if (argc != 2 || libemp_open(&board, argv[1], &options) || libemp_attach(board))
        return 2;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned char *memory = libemp_allocate(board, BYTES);
        if (!memory) {
            (void)printf("none left after %u\\n", i);
            return 1;
        }
        for (unsigned k = 0; k < BYTES; k++)
            if (memory[k])
                return 3;
        memory[i] = memory[BYTES - 1] = 1;
        libemp_free(board, memory, BYTES);
    }
    return libemp_close(board) ? 4 : 0;
}
"""


def test_freed_memory_is_allocated_again_and_zeroed(tmp_path: Path) -> None:
    source = tmp_path / "allocates.c"
    source.write_text(ALLOCATES)
    program = compiled(source, tmp_path / "allocates")
    with Boards() as boards:
        boards.load()
        _, environment = boards.command([])
        result = subprocess.run(
            [program, boards.name("left")],
            env=environment,
            stdout=subprocess.PIPE,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
        assert result.returncode == 0, result


@pytest.fixture(name="boards", params=["modern", "paper"])
def fixture_boards(request: pytest.FixtureRequest) -> Iterator[Boards]:
    with Boards(profile=request.param, knobs=SMALL) as boards:
        boards.load()
        yield boards


def answering(boards: Boards) -> "subprocess.Popen[bytes]":
    peer = [] if boards.profile == "modern" else ["0"]
    return boards.start_ready("right", "answering", "ping", "--answer", *peer)


def interrupt(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIME_LIMIT_SECONDS)


def test_programs_leave_nothing_behind(boards: Boards) -> None:
    answers = answering(boards)
    for _ in range(ROUNDS):
        boards.emp("left", "ping", "1", "--count=1")
    interrupt(answers)


def test_answering_programs_leave_nothing_behind(boards: Boards) -> None:
    peer = [] if boards.profile == "modern" else ["0"]
    for _ in range(ROUNDS):
        answers = boards.start_ready(
            "right", "answering", "ping", "--answer", *peer, "--count=1"
        )
        boards.emp("left", "ping", "1", "--count=1")
        ended(answers)


def test_ends_in_memory_leave_nothing_behind() -> None:
    with Boards(knobs=SMALL) as boards:
        boards.load()
        answers = answering(boards)
        for _ in range(ROUNDS):
            boards.emp("left", "ping", "1", "--count=1", "--ends-in-memory")
        interrupt(answers)


def test_loads_leave_nothing_behind() -> None:
    """Each gives the firmware a page; 31 fit."""
    with Boards(knobs="host_memory_bytes = 131072;") as boards:
        for _ in range(40):
            boards.emp("left", "load", "--force", "--node=0")


def test_killed_programs(boards: Boards) -> None:
    """What they have left is given back when the board has none of their requests any more."""
    answers = answering(boards)
    for _ in range(ROUNDS):
        process = boards.start(
            "left", "ping", "1", "--interval=0.001", stdout=subprocess.PIPE
        )
        assert process.stdout and process.stdout.readline()
        process.kill()
        process.communicate(timeout=TIME_LIMIT_SECONDS)
    boards.emp("left", "ping", "1", "--count=1")
    interrupt(answers)


def test_a_receive_that_never_ends_keeps_memory_until_a_load(boards: Boards) -> None:
    """The board would write to it. Programs that end in order leave nothing behind meanwhile."""
    peer = [] if boards.profile == "modern" else ["0"]

    def kill() -> None:
        process = boards.start_ready("right", "answering", "ping", "--answer", *peer)
        process.kill()
        process.communicate(timeout=TIME_LIMIT_SECONDS)

    kill()
    for _ in range(2 * ROUNDS):
        boards.emp("right", "info")
    for _ in range(ROUNDS // 3):
        kill()
    boards.emp("right", "load", "--force", "--node=1", f"--peer=0={LEFT}")
    for _ in range(ROUNDS // 3):
        kill()


def change(boards: Boards, offset: int, clear: int, put: int) -> int:
    """What a BIOS or another driver might do: the value before."""
    client = Client(boards.path("left"))
    client.hello()
    before = client.read(offset)
    client.write(offset, before & ~clear | put)
    client.read(offset)
    client.close()
    return before


@pytest.mark.parametrize(
    "offset, clear, put, text",
    [
        (PCI_COMMAND, MASTER, 0, "bus mastering is off"),
        (DMA_ASSIST, 0, PAUSE, "transfers are paused"),
        (PCI_STATE, 1 << 28, 0, "has other bus commands"),
    ],
)
def test_a_board_that_reaches_no_host_memory(
    offset: int, clear: int, put: int, text: str
) -> None:
    with Boards() as boards:
        boards.load()
        before = change(boards, offset, clear, put)
        for words in (["ping", "1", "--count=1"], ["recv"], ["perf", "1"]):
            assert text in boards.emp("left", *words, status=1)
        if offset == PCI_COMMAND:  # the others a start sets itself
            again = ["load", "--force", "--node=0"]
            assert text in boards.emp("left", *again, status=1)
            change(boards, offset, 0, before & clear)
        boards.load("--force")
        answers = answering(boards)
        boards.emp("left", "ping", "1", "--count=1")
        interrupt(answers)


def test_a_narrow_slot_that_is_taken_for_a_wide_one() -> None:
    """As FreeBSD's driver found it: a first word is written into the second, too, until the board is set to 32 bits."""
    with Boards(knobs="quirk_64_bit_slot = true;") as boards:
        assert not change(boards, PCI_STATE, 0, 0) & NARROW
        boards.load()
        assert change(boards, PCI_STATE, 0, 0) & NARROW
        answers = answering(boards)
        boards.emp("left", "ping", "1", "--count=1")
        interrupt(answers)
