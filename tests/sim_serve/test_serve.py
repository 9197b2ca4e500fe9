# SPDX-License-Identifier: MIT
"""Boards served over sockets: results as inside the simulator, and clients that misbehave."""

import json
import os
import random
import signal
import socket
import struct
import subprocess
from pathlib import Path

import pytest

from tests.sim_serve.serving import (
    ALLOCATE,
    ALLOCATE_PAGES,
    ATTACH,
    BOARD,
    CONFIGURATION_READ,
    CONFIGURATION_WRITE,
    FREE_PAGES,
    GIVE_BACK,
    HEADER,
    HELLO,
    IMAGE,
    LEFT,
    MAGIC,
    MINE,
    ONE_BOARD,
    POLL,
    POLL_MEMORY,
    RESET,
    PROGRAMS,
    READ_ROW,
    SANITIZED,
    SLEEP,
    SPEND,
    SYNCHRONISE,
    TIME_LIMIT_SECONDS,
    TWO_BOARDS,
    WAIT_INTERRUPT,
    WRITE_BLOCK,
    Client,
    Refused,
    Server,
    attach,
    environment,
    words,
)

CONTROL, LOCAL_CONTROL, WINDOW, CPU_A = 0x040, 0x044, 0x068, 0x140
FOREVER = 2**64 - 1
EXAMPLE = Path("sim/serve/examples/emp.scenario")
# Rubbish a test sends; more of it: SERVE_FUZZ=20000 scripts/test.py tests/sim_serve
FUZZ = int(os.environ.get("SERVE_FUZZ", "150"))


def start(client: Client) -> None:
    """As every driver begins: reset, plain numbers."""
    client.write(CONTROL, 0x08000008)
    client.write(CONTROL, 0x22000022)


def inside(count: int) -> dict[str, object]:
    """The results of sim/scenarios/emp-ping.scenario, whose programs run in the simulator."""
    text = (
        Path("sim/scenarios/emp-ping.scenario")
        .read_text()
        .replace("../../build/firmware/emp_a.elf", str(IMAGE))
        .replace("../../build/emp/host.so", str(PROGRAMS))
        .replace("--count=50", f"--count={count}")
    )
    path = Path("build/tests/serve_inside.scenario")
    path.write_text(text)
    result = subprocess.run(
        [SANITIZED, "run", path, "--json"],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_SECONDS,
        check=True,
        env=environment(),
    )
    answer = json.loads(result.stdout)
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("options", [[], ["--gdb=./gdb.sock", "--gdb-go"]])
def test_two_processes_get_the_results_of_the_inside(options: list[str]) -> None:
    """Each of two clients runs the program of tigonsim; not a tick is different, also where GDB may attach."""
    with Server(EXAMPLE.read_text(), *options) as server:
        server.wait_for("board right at")
        peers = [
            subprocess.Popen(
                [str(ATTACH), str(server.path(name)), str(PROGRAMS), program]
                + [f"--image={IMAGE}", f"--peer={peer}", "--count=20"],
                stdout=subprocess.PIPE,
                text=True,
                env=environment(),
            )
            for name, program, peer in (
                ("right", "pong", 0),
                ("left", "ping", 1),
            )
        ]
        printed = [peer.communicate(timeout=TIME_LIMIT_SECONDS)[0] for peer in peers]
        assert [peer.returncode for peer in peers] == [0, 0]
        served = server.finish()
    expected = inside(20)
    figures = dict(line.split() for line in printed[1].splitlines())
    boards = expected["boards"]
    assert isinstance(boards, list)
    found = {name: float(value) for name, value in figures.items()}
    assert found == pytest.approx(boards[0]["figures"])
    for outer, inner in zip(served["boards"], boards, strict=True):
        assert outer["statistics"] == inner["statistics"]
    assert served["wires"] == expected["wires"]
    assert served["serve"] == {"mode": "lock-step", "attached": 2, "expelled": 0}


def test_registers_and_configuration() -> None:
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        client = Client(server.path("left"))
        answer = client.hello()
        assert answer[:6] == [MAGIC, 1, 0, 0, 0, 1]
        assert struct.pack("<4Q", *answer[9:]).rstrip(b"\0") == b"left"
        start(client)
        assert client.call(BOARD, 0)[0] == 0x025447000000
        # Configuration space: identification, size of the BAR, command bits, what is not there.
        assert client.call(CONFIGURATION_READ, 0, 4) == [0x000112AE]
        assert client.call(CONFIGURATION_READ, 2, 2) == [0x0001]
        assert client.call(CONFIGURATION_READ, 11, 1) == [0x02]
        client.call(CONFIGURATION_WRITE, 0x10, 4, 0xFFFFFFFF)
        assert client.call(CONFIGURATION_READ, 0x10, 4) == [0xFFFFC000]
        client.call(CONFIGURATION_WRITE, 0x10, 4, 0xE0000000)
        client.call(CONFIGURATION_WRITE, 0x3C, 1, 0x0B)
        assert client.call(CONFIGURATION_READ, 0x3C, 2) == [0x010B]
        client.call(CONFIGURATION_WRITE, 4, 2, 0x0147)
        assert client.call(CONFIGURATION_READ, 4, 2) == [0x0146]  # no I/O space
        assert client.call(CONFIGURATION_READ, 0x80, 4) == [0]
        # Memory through the window, in every width, in the order of a little-endian bus.
        client.write(WINDOW, 0x4000)
        client.send(WRITE_BLOCK, words(0x800, 3) + struct.pack("<3I", 1, 2, 0x89ABCDEF))
        assert client.read(0x808) == 0x89ABCDEF
        assert [client.read(0x808 + i, 1) for i in range(4)] == [0xEF, 0xCD, 0xAB, 0x89]
        assert client.read(0x80A, 2) == 0x89AB
        assert client.read(0x800, 8) == 2 << 32 | 1
        # Rows of words, each of which costs what a read costs.
        assert client.call(READ_ROW, 0x800, 4, 3) == [1, 2, 0x89ABCDEF]
        assert client.call(READ_ROW, 0x800, 8, 2) == [1, 0x89ABCDEF]
        assert len(client.call(READ_ROW, 0x2004, 4, 2047)) == 2047
        before = client.now_ps
        client.read(0x800)
        of_one = client.now_ps - before
        client.call(READ_ROW, 0x800, 4, 3)
        assert client.now_ps - before == 4 * of_one > 0
        for row in (
            (2, 4, 1),
            (0, 2, 1),
            (0, 0, 1),
            (0, 4, 0),
            (0, 4, 2049),
            (0x4000, 4, 1),
            (0x3FFC, 4, 2),
            (0, 2**63, 3),
            (FOREVER - 3, 4, 1),
        ):
            with pytest.raises(Refused, match="whole words"):
                client.call(READ_ROW, *row)
        client.write(0x800, 0x1122334455667788, 8)
        assert client.read(0x804) == 0x11223344 and client.read(0x800) == 0x55667788
        client.write(0x806, 0xBEEF, 2)  # bytes nobody drives are zeros
        assert client.read(0x804) == 0xBEEF0000
        client.close()
        server.end()


def test_time() -> None:
    """Time passes by requests alone, as long as the knobs say."""
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        client = attach(server.path("left"))
        assert client.now_ps == 0
        client.call(SLEEP, 5000)
        assert client.now_ps == 5000_000
        client.call(SPEND, 3_000_123)
        assert client.now_ps == 3_005_123_000
        begin = client.now_ps
        client.read(CPU_A)
        one_read = client.now_ps - begin
        assert one_read > 0
        client.call(POLL, CPU_A, 0xFFFFFFFF, client.read(CPU_A), 1000, FOREVER, 2500)
        assert client.now_ps == begin + 2502 * one_read + 2500 * 1_000_000
        client.call(SLEEP, 7_000_001)
        before = client.now_ps
        assert client.call(WAIT_INTERRUPT, 3_500_000) == [0]
        assert client.now_ps - before == 3_500_000_000
        address = client.call(ALLOCATE, 4096)[0]
        before = client.now_ps
        assert client.call(POLL_MEMORY, address, 4, client.writes, 700, 2_100_000) == [
            0
        ]
        assert client.now_ps - before == 2_100_000_000
        client.close()
        server.end()


def test_interrupt() -> None:
    """The line by event, by eventfd and by waiting, and how it drops."""
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        client = attach(server.path("left"), features=1)
        start(client)
        client.write(LOCAL_CONTROL, 0x4)  # raises it
        assert client.call(WAIT_INTERRUPT, FOREVER) == [1]
        assert [level for level, _ in client.events] == [1]
        assert struct.unpack("<Q", os.read(client.interrupt, 8)) == (1,)
        client.write(0x504, 1)  # mailbox 0 drops it
        client.call(SLEEP, 10_000)
        assert [level for level, _ in client.events] == [1, 0]
        assert 0 < client.events[0][1] < client.events[1][1] < client.now_ps
        assert client.call(WAIT_INTERRUPT, 10_000) == [0]
        client.close()
        server.end()


def write_dma(client: Client, address: int, length: int) -> None:
    """Board memory 0x4000 to the host, by hand."""
    client.write(0x080, address >> 32)
    client.write(0x084, address & 0xFFFFFFFF)
    client.write(0x0A4, 0x4000)
    client.write(0x0AC, length)
    client.write(0x0A0, 0x4)


def test_dma_reaches_the_mapping() -> None:
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        client = Client(server.path("left"))
        base = client.hello()[7]
        start(client)
        client.write(WINDOW, 0x4000)
        client.write(0x800, 0x01020304)
        address = client.call(ALLOCATE, 8192)[0]
        seen = client.writes
        write_dma(client, address + 4096, 4)
        assert client.call(POLL_MEMORY, address + 4096, 4, seen, 100, 1_000_000) == [1]
        assert client.memory is not None
        at = address - base
        assert client.memory[at + 4096 : at + 4100] == b"\1\2\3\4"
        assert client.memory[at : at + 4096] == bytes(4096)
        assert client.writes == seen + 1
        client.close()
        server.end()


def test_host_memory_has_limits() -> None:
    with Server(ONE_BOARD, "--set", "host_memory_bytes=65536") as server:
        server.wait_for("board left at")
        client = Client(server.path("left"))
        assert client.hello()[6] == 65536
        for size in (65537, 2**40, FOREVER):
            with pytest.raises(Refused, match="host memory is used up"):
                client.call(ALLOCATE, size)
        with pytest.raises(Refused, match="at least 1 byte"):
            client.call(ALLOCATE, 0)
        with pytest.raises(Refused):
            client.call(ALLOCATE_PAGES, FOREVER)
        taken = 0
        with pytest.raises(Refused) as refusal:
            while taken < 100:
                client.call(ALLOCATE, 4096)
                taken += 1
        assert taken in (7, 15) and refusal.value.status == -12
        # Nobody can take the memory away under the board.
        for size in (0, 4096, 1 << 20):
            with pytest.raises(OSError):
                os.ftruncate(client.memory_descriptor, size)
        with pytest.raises(Refused):
            client.call(POLL_MEMORY, 0, 2**63, 0, 1, 1)
        client.close()
        server.end()


def allocate_all(client: Client) -> int:
    """How many pages are free. They are taken now."""
    count = 0
    with pytest.raises(Refused, match="host memory is used up"):
        while True:
            client.call(ALLOCATE, 4096)
            count += 1
    return count


def test_host_memory_is_given_back() -> None:
    """Pages that a client frees, or that a later one says are reached no more; nothing else."""
    with Server(
        ONE_BOARD.replace(
            "stop =",
            'serve = { boards = ( { board = "left"; socket = "left.sock"; '
            'leave = "stay"; wait = false; } ); };\nstop =',
        ),
        "--set",
        "host_memory_bytes=65536",
        "--set",
        "host_scatter=0",
    ) as server:
        server.wait_for("board left at")
        first = Client(server.path("left"))
        words_of_hello = first.hello(features=3)
        assert words_of_hello[2] == 3
        base = words_of_hello[7]
        pages = [first.call(ALLOCATE, 4096)[0] for _ in range(3)]
        assert first.memory
        first.memory[pages[1] - base] = 1
        for address, size in (
            (pages[1], 0),
            (pages[1] + 1, 4096),
            (pages[1], 3 * 4096),
            (base, 4096),
            (0, 4096),
            (pages[1], FOREVER),
            (base + 65536, 4096),
        ):
            with pytest.raises(Refused, match="not pages that this client") as refusal:
                first.call(FREE_PAGES, address, size)
            assert refusal.value.status == -22
        first.call(FREE_PAGES, pages[1], 4096)
        with pytest.raises(Refused):
            first.call(FREE_PAGES, pages[1], 4096)
        assert first.call(ALLOCATE, 4096) == [pages[1]]
        assert first.memory[pages[1] - base] == 0
        assert allocate_all(first) == 12
        first.close()
        second = Client(server.path("left"))
        second.hello()
        with pytest.raises(Refused, match="not pages that this client"):
            second.call(FREE_PAGES, pages[0], 4096)
        assert allocate_all(second) == 0
        second.call(GIVE_BACK, MINE, 0, 0)
        assert allocate_all(second) == 0
        second.call(GIVE_BACK, LEFT, pages[0], pages[2] + 4095)
        assert allocate_all(second) == 13
        second.call(GIVE_BACK, LEFT, 0, 0)
        assert allocate_all(second) == 2
        second.call(GIVE_BACK, MINE, pages[0], FOREVER)
        assert allocate_all(second) == 14
        second.close()
        server.end()


def test_version_and_second_client_are_refused() -> None:
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        with pytest.raises(Refused, match="version 1 .* client 2 to 7") as refusal:
            Client(server.path("left")).hello(oldest=2, newest=7)
        assert refusal.value.status == -93  # EPROTONOSUPPORT
        with pytest.raises(Refused, match="expected the word"):
            Client(server.path("left")).hello(magic=1)
        first = attach(server.path("left"))
        with pytest.raises(Refused, match="has a client already"):
            Client(server.path("left")).hello()
        assert first.call(SYNCHRONISE) == []
        first.close()
        second = attach(server.path("left"))  # the place is free again
        assert second.call(SYNCHRONISE) == []
        second.close()
        assert server.end()["serve"]["expelled"] == 3


def test_client_that_dies_amid_a_transfer() -> None:
    """The other client goes on; the board is reset and its memory given back, zeroed."""
    text = TWO_BOARDS + (
        'serve = { boards = ( { board = "left"; socket = "left.sock"; leave = "reset"; },'
        ' { board = "right"; socket = "right.sock"; } ); };\n'
    )
    with Server(text) as server:
        server.wait_for("board right at")
        child = os.fork()
        if child == 0:
            client = Client(server.path("left"))
            base = client.hello()[7]
            start(client)
            client.write(WINDOW, 0x4000)
            client.write(0x800, 0xFFFFFFFF)
            address = client.call(ALLOCATE, 65536)[0]
            assert client.memory is not None
            client.memory[address - base] = 0x55
            write_dma(client, address, 60000)
            os.kill(os.getpid(), signal.SIGKILL)
        other = attach(server.path("right"))
        other.send(SLEEP, words(3_000_000))  # lock step: both let time pass
        os.waitpid(child, 0)
        other.reply()
        server.wait_for("board left: the client has gone")
        assert other.read(0) == 0x000112AE
        again = Client(server.path("left"))
        base = again.hello()[7]
        # Both must let time pass: one waits for the other in lock step.
        other.send(SLEEP, words(5_000_000))
        assert again.read(0x0AC) == 0  # DMA length, as after a reset
        address = again.call(ALLOCATE, 65536)[0]
        assert again.memory is not None
        assert again.memory[address - base : address - base + 65536] == bytes(65536)
        again.close()
        other.reply()
        other.close()
        server.end()


def test_client_that_dies_while_it_waits() -> None:
    """What nobody waits for any more is given up, without a limit of its own."""
    with Server(ONE_BOARD.replace("2 s", "10000 s")) as server:
        server.wait_for("board left at")
        for kind, arguments in (
            (WAIT_INTERRUPT, (FOREVER,)),
            (SLEEP, (FOREVER,)),
            (POLL, (CPU_A, 0, 0, 0, FOREVER, FOREVER)),
            (POLL_MEMORY, (4096, 4, 0, 10, FOREVER)),
        ):
            client = attach(server.path("left"))
            client.call(SYNCHRONISE)
            client.send(kind, words(*arguments))
            client.close()
            server.wait_for("the client has gone")
        good = attach(server.path("left"))
        assert good.read(0) == 0x000112AE
        good.close()
        server.end()


def test_patience_ends() -> None:
    """Who attaches and says nothing holds up the others no longer than agreed."""
    with Server(TWO_BOARDS, "--patience", "50ms") as server:
        server.wait_for("board right at")
        mute = attach(server.path("left"))
        other = attach(server.path("right"))
        other.call(SLEEP, 1_000_000)
        with pytest.raises(Refused, match="for too long"):
            mute.reply()
        assert mute.gone()
        other.close()
        server.end()


@pytest.mark.parametrize(
    "what",
    [
        HEADER.pack(HEADER.size, 999, 0, 1, 0, 0, 0),  # unknown type
        HEADER.pack(HEADER.size, 17, 0, 1, 0, 0, 0),
        HEADER.pack(HEADER.size, 0, 0, 1, 0, 0, 0),
        HEADER.pack(HEADER.size + 32, HELLO, 0, 1, 0, 0, 0) + bytes(32),  # again
        HEADER.pack(3, 9, 0, 1, 0, 0, 0),  # shorter than a header
        HEADER.pack(2**31, 9, 0, 1, 0, 0, 0),
        HEADER.pack(HEADER.size, 5, 0, 1, 0, 0, 0),  # READ without arguments
        HEADER.pack(HEADER.size + 8, 9, 0, 1, 0, 0, 0) + bytes(8),  # too many
        HEADER.pack(HEADER.size + 24, 6, 0, 1, 0, 0, 0) + words(0x4000, 4, 0),
        HEADER.pack(HEADER.size + 24, 6, 0, 1, 0, 0, 0) + words(2, 4, 0),
        HEADER.pack(HEADER.size + 24, 6, 0, 1, 0, 0, 0) + words(0, 3, 0),
        HEADER.pack(HEADER.size + 24, 6, 0, 1, 0, 0, 0) + words(0, 2**63, 0),
        HEADER.pack(HEADER.size + 16, 7, 0, 1, 0, 0, 0) + words(0, 2**62),
        HEADER.pack(HEADER.size + 20, 7, 0, 1, 0, 0, 0) + words(0x3FFC, 2) + bytes(4),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
    ],
)
def test_rubbish_is_sent_away(what: bytes) -> None:
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        client = attach(server.path("left"))
        client.socket.sendall(what)
        with pytest.raises(Refused):
            client.reply()
        assert client.gone()
        good = attach(server.path("left"))
        assert good.read(0) == 0x000112AE
        good.close()
        assert server.end()["serve"]["expelled"] == 1


def random_message(chance: random.Random) -> bytes:
    """Often almost right, so that the inner checks are reached, too."""
    kind = chance.choice([*range(0, 20), chance.randrange(65536)])
    interesting = [0, 1, 2, 4, 8, 0x140, 0x800, 0x3FFC, 0x4000, 4096, 2**31, 2**32]
    interesting += [2**63, FOREVER, chance.getrandbits(64), chance.randrange(0x4000)]
    arguments = [0, 1, 2, 3, 2, 3, 2, 6, 0, 1, 1, 1, 5, 1, 1, 0, 2, 3, 3]
    count = arguments[kind - 1] if 1 <= kind <= 19 else chance.randrange(8)
    payload = words(*(chance.choice(interesting) for _ in range(count)))
    # A wait without end is no fault of the server: only short ones here.
    if kind in (SLEEP, WAIT_INTERRUPT):
        payload = words(chance.randrange(3_000_000))
    if kind in (POLL, POLL_MEMORY):
        payload = payload[:-8] + words(chance.randrange(1, 2000))
    if kind == WRITE_BLOCK and chance.random() < 0.7:
        size = chance.randrange(1, 64)
        payload = words(0x800, size) + chance.randbytes(4 * size)
    if chance.random() < 0.1:
        payload += chance.randbytes(chance.randrange(64))
    length = HEADER.size + len(payload)
    if chance.random() < 0.05:
        length = chance.choice([0, 31, length + 7, 2**32 - 1])
    return HEADER.pack(length, kind, 0, chance.getrandbits(32), 0, 0, 0) + payload


def test_fuzz() -> None:
    """Nothing a client sends stops the server, and the next client finds it whole."""
    chance = random.Random(9)
    with Server(ONE_BOARD.replace("2 s", "10000 s")) as server:
        server.wait_for("board left at")
        for _ in range(FUZZ):
            client = Client(server.path("left"))
            if chance.random() < 0.9:
                client.hello(features=chance.getrandbits(2))
            data = b"".join(random_message(chance) for _ in range(chance.randrange(8)))
            if chance.random() < 0.3:
                data = data[: chance.randrange(len(data) + 1)]
            try:
                client.socket.sendall(data)
                if chance.random() < 0.5:
                    client.socket.shutdown(socket.SHUT_WR)
                    while client.socket.recv(4096):
                        pass
            except (BrokenPipeError, ConnectionResetError):
                pass
            client.close()
        good = attach(server.path("left"))
        good.call(RESET)
        assert good.call(CONFIGURATION_READ, 0, 4) == [0x000112AE]
        good.close()
        server.end()


def test_connections_without_hello_hold_up_nobody() -> None:
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        idle = [Client(server.path("left")) for _ in range(40)]
        server.wait_for("do not say hello")
        for each in idle:
            each.close()
        good = attach(server.path("left"))
        assert good.read(0) == 0x000112AE
        good.close()
        server.end()


def test_free_running() -> None:
    """Time goes on without the client, no faster than the clock allows."""
    with Server(ONE_BOARD.replace("2 s", "200 ms"), "--free=0.5") as server:
        server.wait_for("board left at")
        client = Client(server.path("left"))
        assert client.hello()[3] == 1
        start(client)
        assert client.read(0) == 0x000112AE
        assert client.gone()  # at the end of the scenario
        result = server.finish()
        assert result["serve"]["mode"] == "free"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--socket", "left"], "expected BOARD=PATH"),
        (["--socket", "up=x.sock"], "no board is called up"),
        (["--socket", "left=/nowhere/x.sock"], "cannot be made here"),
        (["--socket", f"left={'x' * 200}"], "expected the path of a socket"),
        (["--free=0"], "expected a number above 0"),
        (["--gdb=:0", "--snapshots=4"], "cannot go back in time"),
        (["--patience", "0"], "expected a time"),
    ],
)
def test_mistakes_are_told(arguments: list[str], message: str) -> None:
    with Server(ONE_BOARD, *arguments) as server:
        text = server.rest()
        assert server.process.returncode == 2
        assert message in text


def test_file_that_is_no_socket_is_kept() -> None:
    with Server(ONE_BOARD, "--socket", "left=test.scenario") as server:
        text = server.rest()
        assert server.process.returncode == 2 and "cannot be made here" in text
        assert (server.directory / "test.scenario").read_text() == ONE_BOARD


def test_example_programs(tmp_path: Path) -> None:
    """The dump of registers, and a program of one's own that knows nothing of sockets."""
    shared = tmp_path / "hello.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-I.", "-o", shared, "sim/scenarios/hello.c"],
        check=True,
    )
    with Server(ONE_BOARD) as server:
        server.wait_for("board left at")
        dump = subprocess.run(
            ["build/tigon_registers", server.path("left")],
            stdout=subprocess.PIPE,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=True,
        ).stdout
        assert dump.startswith("board left, 12AE:0001, MAC address 02:54:47:00:00:00\n")
        assert "\n140  00050000\n" in dump  # processor A stands at a HALT
        hello = subprocess.run(
            [str(ATTACH), str(server.path("left")), str(shared), "3"],
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
            env=environment(),
        )
        assert hello.returncode == 0, hello.stderr
        server.end()


def test_program_library() -> None:
    """tests/sim_serve/test_client.c, with libemp's back end and the client library."""
    with Server(TWO_BOARDS, "--once") as server:
        server.wait_for("board right at")
        result = subprocess.run(
            ["build/tests/serve_client", server.path("left"), server.path("right")],
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
            env=dict(environment(), EMP_IMAGE=str(IMAGE)),
        )
        assert result.returncode == 0, result.stderr + result.stdout
        server.finish()
