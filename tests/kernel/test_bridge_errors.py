# SPDX-License-Identifier: MIT
"""What the bridge says when something is not as it must be, and what it does with messages that are none."""

import os
import random
import struct
import subprocess
from pathlib import Path

import pytest

from tests.long_tests import long
from tests.kernel.machines import BRIDGE, ONE_BOARD, serve
from tests.sim_serve.serving import TIME_LIMIT_SECONDS

OURS = 125  # the status of the bridge itself
HEADER = struct.Struct("=iIQ")
FUZZ = int(os.environ.get("KERNEL_FUZZ", "20"))

# Instead of QEMU: passes for version 7 and sends on the board's channel what it finds in the file MESSAGES, with the
# descriptor of the guest's RAM.
FAKE = """#!/usr/bin/python3
import os, re, socket, sys
if "--version" in sys.argv:
    print("QEMU emulator version {version} (fake)")
    sys.exit(0)
arguments = " ".join(sys.argv)
channel = socket.socket(fileno=int(re.search(r"x-pci-proxy-dev,id=board,fd=(\\d+)", arguments)[1]))
memory = int(re.search(r"mem-path=/proc/self/fd/(\\d+)", arguments)[1])
try:
    content = open({messages!r}, "rb").read()
    channel.sendall(content[socket.send_fds(channel, [content], [memory]):])
    channel.shutdown(socket.SHUT_WR)
    answers = b""
    while part := channel.recv(4096):
        answers += part
    open({messages!r} + ".answers", "wb").write(answers)
except OSError:
    pass
"""


def fake(directory: Path, messages: bytes = b"", version: str = "7.2.22") -> Path:
    (directory / "messages").write_bytes(messages)
    path = directory / "qemu"
    path.write_text(FAKE.format(version=version, messages=str(directory / "messages")))
    path.chmod(0o755)
    return path


def bridge(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BRIDGE, *arguments],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_SECONDS,
        check=False,
    )


def message(command: int, body: bytes = b"", size: int | None = None) -> bytes:
    return HEADER.pack(command, 0, len(body) if size is None else size) + body


def access(address: int, value: int, width: int) -> bytes:
    return struct.pack("=QQIB3x", address, value, width, 1)


def converse(directory: Path, messages: bytes) -> tuple[int, str, list[int]]:
    """Status and errors of the bridge, and its answers."""
    (directory / "messages.answers").unlink(missing_ok=True)
    with serve(ONE_BOARD, "--free") as server:
        result = bridge("--qemu", fake(directory, messages), server.path("left"))
    path = directory / "messages.answers"
    answers = path.read_bytes() if path.exists() else b""
    assert "Sanitizer" not in result.stderr, result.stderr
    return (
        result.returncode,
        result.stderr,
        [value for _, _, _, value in struct.iter_unpack("=iIQQ", answers)],
    )


def test_no_board_at_the_socket(tmp_path: Path) -> None:
    result = bridge(tmp_path / "none.sock")
    assert result.returncode == OURS
    assert "none.sock: No such file or directory" in result.stderr


def test_no_socket() -> None:
    assert "expected the socket of a served board" in bridge().stderr


@pytest.mark.parametrize(
    "option", ["--shift=11", "--shift=x", "--quantum=10", "--core=-2"]
)
def test_a_number_out_of_range(option: str) -> None:
    name, _, value = option.partition("=")
    result = bridge(option, "some.sock")
    assert result.returncode != 0
    assert f"{name}: expected a number from" in result.stderr
    assert f"found {value}" in result.stderr


def test_a_quantum_shorter_than_an_instruction() -> None:
    """The guest would never go on, and the served board would wait for it."""
    result = bridge("--quantum=1000", "--shift=10", "some.sock")
    assert result.returncode != 0
    assert "--quantum: expected at least 1024 ns" in result.stderr
    assert "found 1000" in result.stderr
    assert "some.sock" in bridge("--quantum=1024", "--shift=10", "some.sock").stderr


def test_host_memory_that_cannot_be_ram() -> None:
    text = ONE_BOARD.replace("host_memory_base = 0", "host_memory_base = 4096")
    with serve(text) as server:
        result = bridge(server.path("left"))
    assert result.returncode == OURS
    assert "expected 32 MB to 2048 MB from address 0" in result.stderr
    assert "host_memory_bytes and host_memory_base" in result.stderr


@pytest.mark.parametrize(
    "version, found",
    [("10.0.2", '"QEMU emulator version 10.0.2'), ("unknown", "found QEMU emulator")],
)
def test_another_version_of_qemu(tmp_path: Path, version: str, found: str) -> None:
    with serve(ONE_BOARD) as server:
        result = bridge("--qemu", fake(tmp_path, b"", version), server.path("left"))
    assert result.returncode == OURS
    assert "expected QEMU 7" in result.stderr
    assert found in result.stderr


def test_no_qemu() -> None:
    with serve(ONE_BOARD) as server:
        result = bridge("--qemu=/none/qemu", server.path("left"))
    assert result.returncode == OURS
    assert "/none/qemu: expected QEMU 7" in result.stderr
    assert "no such program" in result.stderr


def test_each_access_has_one_answer(tmp_path: Path) -> None:
    base = 0xFEBF8000
    status, errors, answers = converse(
        tmp_path,
        message(7)  # reset
        + message(3, struct.pack("=IIi", 0, 0, 4))
        + message(3, struct.pack("=IIi", 4, 0, 2))
        + message(2, struct.pack("=IIi", 0x10, 0xFFFFFFFF, 4))
        + message(3, struct.pack("=IIi", 0x10, 0, 4))
        + message(5, access(base, 0, 4))
        + message(5, access(base + 2, 0, 2))
        + message(4, access(base + 0x54, 5, 4))
        + message(5, access(base + 1, 0, 4))  # not aligned
        + message(4, access(base + 1, 0, 4))
        + message(3, struct.pack("=IIi", 0x1000, 0, 4)),  # beyond what a PCI device has
    )
    assert (status, errors) == (0, "")
    everything = 2**64 - 1
    assert answers == [
        *(0, 0x000112AE, 0, 0, 0xFFFFC000, 0x000112AE, 0x0001, 0),
        *(everything, 0, 0xFFFFFFFF),
    ]


WRONG = {
    "unknown command": message(8),
    "negative command": message(-1),
    "a reply": message(1, bytes(8)),
    "huge body": message(3, bytes(12), size=2**63),
    "short body": message(3, bytes(11)),
    "configuration, 3 bytes": message(3, struct.pack("=IIi", 0, 0, 3)),
    "configuration, 8 bytes": message(3, struct.pack("=IIi", 0, 0, 8)),
    "configuration, -1 bytes": message(3, struct.pack("=IIi", 0, 0, -1)),
    "register, no bytes": message(5, access(0, 0, 0)),
    "register, 16 bytes": message(5, access(0, 0, 16)),
    "memory without its end": message(0, bytes(191)),
    "all ones": b"\xff" * 64,
}


@pytest.mark.parametrize("address, status", [(0x1000, 0), (0x2000, OURS)])
def test_ram_must_be_where_host_memory_is(
    tmp_path: Path, address: int, status: int
) -> None:
    """A region of the file at 0x1000 belongs at this address of the guest."""
    body = struct.pack("=24Q", address, *[0] * 7, 0x1000, *[0] * 7, 0x1000, *[0] * 7)
    found, errors, _ = converse(tmp_path, message(0, body))
    assert found == status
    assert ("must leave machine and RAM as they are" in errors) == (status == OURS)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_message_that_is_none_ends_the_machine(tmp_path: Path, wrong: str) -> None:
    status, errors, answers = converse(tmp_path, message(7) + WRONG[wrong])
    assert status == OURS
    assert "expected a message of QEMU 7's x-pci-proxy-dev" in errors
    assert answers in ([], [0])  # the answer to the first may come or be cut off


@long
def test_a_machine_that_takes_no_interrupt_is_served_on(tmp_path: Path) -> None:
    """As one that is powering off: the line rises by HW[044] bit 2, the fake never answers the command for it."""
    base = 0xFEBF8000
    status, errors, answers = converse(
        tmp_path,
        message(4, access(base + 0x40, 0x22000022, 4))
        + message(4, access(base + 0x44, 0x204, 4))
        + message(5, access(base, 0, 4))
        + message(5, access(base + 0x40, 0, 4))
        + message(5, access(base, 0, 4)),
    )
    assert (status, errors) == (0, "")
    assert answers == [0, 0, 0x000112AE, 0x60000021, 0x000112AE]


def test_the_end_amid_a_message_is_an_end(tmp_path: Path) -> None:
    status, errors, _ = converse(tmp_path, message(7) + message(3, bytes(12))[:20])
    assert (status, errors) == (0, "")


def test_random_bytes(tmp_path: Path) -> None:
    """Messages of right and wrong shape in any order: an end, or an error that says so, and no sanitizer's report."""
    for seed in range(FUZZ):
        generator = random.Random(seed)
        messages = b""
        for _ in range(generator.randrange(1, 30)):
            command = generator.choice([2, 3, 4, 5, 6, 7, generator.randrange(-2, 12)])
            size = {2: 12, 3: 12, 4: 24, 5: 24}.get(command, 0)
            body = bytearray(generator.randbytes(size))
            if size and generator.random() < 0.9:
                at = 8 if size == 12 else 16
                body[at : at + 4] = struct.pack("=I", generator.choice([1, 2, 4]))
            messages += message(command, bytes(body))
        status, errors, _ = converse(tmp_path, messages)
        assert status in (0, OURS), (seed, errors)
