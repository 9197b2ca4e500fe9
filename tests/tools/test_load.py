# SPDX-License-Identifier: MIT
"""emp load, image, install, info: broken images leave a board as it is, a running one is not overwritten."""

import struct
import subprocess
import zlib
from pathlib import Path
from typing import Iterator

import pytest

from tests.tools.installed import (
    BUILD,
    EMP,
    IMAGE,
    PAPER_IMAGE,
    Boards,
    clean,
    ended,
    install,
)
from tests.long_tests import one_in

ELF = BUILD / "firmware/emp_a.elf"


def emp(*words: str | Path, status: int = 0) -> str:
    install()
    result = subprocess.run(
        [EMP, *words],
        env=clean(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stdout
    return result.stdout


def signed(content: bytes) -> bytes:
    """With a CRC that holds."""
    return content[:-4] + struct.pack(">I", zlib.crc32(content[:-4]))


def broken(kind: str) -> bytes:
    whole = IMAGE.read_bytes()
    if kind == "truncated":
        return whole[: len(whole) // 2]
    if kind == "bit flipped":
        at = len(whole) // 3
        return whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]
    if kind == "another machine":
        return Path("/bin/true").read_bytes()
    if kind == "too large":  # the tail's word of memory that is used
        return signed(whole[:-16] + struct.pack(">I", 0x80004) + whole[-12:])
    if kind == "another spec":
        number = struct.unpack(">I", whole[-12:-8])[0]
        other = whole.replace(b"hash 0x%08x" % number, b"hash 0x%08x" % (number ^ 1))
        return signed(other[:-12] + struct.pack(">I", number ^ 1) + other[-8:])
    return whole[:12] + whole[12:-32]  # a driver's, without our trailer


@pytest.fixture(name="running", scope="module")
def fixture_running() -> Iterator[Boards]:
    install()
    with Boards() as boards:
        boards.load()
        yield boards


@pytest.mark.parametrize(
    "kind, told",
    one_in(
        3,
        [
            ("bit flipped", "CRC"),
            ("truncated", "trailer is missing"),
            ("another machine", "found machine 62"),
            ("another spec", "this library is of specification"),
            ("too large", "too large"),
            ("a driver's", "trailer is missing"),
        ],
    ),
)
def test_broken_images_leave_a_running_board_alone(
    running: Boards, tmp_path: Path, kind: str, told: str
) -> None:
    image = tmp_path / "broken.bin"
    image.write_bytes(broken(kind))
    before = running.emp("left", "dump", "--memory", tmp_path / "before")
    assert told in running.emp("left", "load", "--force", image, status=1)
    assert running.emp("left", "dump", "--memory", tmp_path / "after") == before
    same = (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    assert same
    answers = running.start_ready("right", "answering", "ping", "--answer", "--count=1")
    running.emp("left", "ping", "1", "--count=1")
    ended(answers)


def test_a_running_board_is_not_overwritten() -> None:
    with Boards() as boards:
        boards.load()
        assert "--force" in boards.emp("left", "load", status=1)
        assert boards.json("left", "info")["incarnation"] == 1
        shown = boards.json("left", "load", "--force", "--node=3")
        assert shown["incarnation"] == 2 and shown["node"] == 3
        assert shown["version"] == "0.1.0"
        assert int(shown["specification"], 16) > 0


def test_flash_is_load() -> None:
    with Boards() as boards:
        boards.emp("left", "flash", ELF)
        assert boards.json("left", "info")["state"] == "running"
        assert boards.json("right", "info")["state"] == "not loaded"


def test_image_makes_the_same_as_the_build(tmp_path: Path) -> None:
    install()
    for source in (ELF, IMAGE):
        emp("image", source, tmp_path / "made.bin")
        assert (tmp_path / "made.bin").read_bytes() == IMAGE.read_bytes()
    beside = tmp_path / "made.bin.new"
    beside.write_text("of somebody else")
    emp("image", ELF, tmp_path / "made.bin", "--version-number=1.2.3")
    assert beside.read_text() == "of somebody else"
    emp("image", ELF, tmp_path / ("n" * 255))
    assert len(list(tmp_path.iterdir())) == 3
    assert (tmp_path / "made.bin").read_bytes()[:4] == b"\1\2\3\0"
    assert "1.2.3" in emp("image", tmp_path / "made.bin")


def test_install_checks_what_it_installs(tmp_path: Path) -> None:
    install()
    place = tmp_path / "lib/firmware/emp"
    emp("install", "--directory", place, IMAGE)
    assert (place / "emp.bin").read_bytes() == IMAGE.read_bytes()
    (tmp_path / "broken").write_bytes(broken("bit flipped"))
    assert "CRC" in emp("install", "-d", place, tmp_path / "broken", status=1)
    assert "flashable" in emp("install", "-d", place, ELF, status=1)
    text = emp("install", "-d", place, PAPER_IMAGE, status=1)
    assert "an image of emp paper" in text and "expected one of specification" in text
    assert "expected one" in emp("install", "-d", tmp_path / "x", PAPER_IMAGE, status=1)
    assert not (tmp_path / "x").exists()
    assert (place / "emp.bin").read_bytes() == IMAGE.read_bytes()
    assert [path.name for path in place.iterdir()] == ["emp.bin"]


@pytest.mark.parametrize(
    "words, told",
    [
        ([], "Usage"),
        (["fly"], "expected a command"),
        (["load", "--node=999"], "expected a number"),
        (["load", "--peer=1"], "NODE=MAC"),
        (["load", "--peer=1=02:54:47:00:00"], "NODE=MAC"),
        (["load", "--mac=02:54:47:00:00:0g"], "--mac"),
        (["load", "a", "b"], "expected one image"),
        (["image"], "expected an image"),
        (["image", "x", "y", "z"], "unexpected argument"),
        (["image", "x", "--version-number=1.2.300"], "three numbers"),
        (["load", "--mac=03:54:47:00:00:01"], "address of one station"),
        (["load", "--mac=00:00:00:00:00:00"], "address of one station"),
        (["load", "--peer=1=ff:ff:ff:ff:ff:ff"], "address of one station"),
        (["load", "--peer=0=02:54:47:00:00:01"], "the board's own number"),
        (["load", "--epoch=256"], "whose low byte is not 0"),
        (
            ["load", "--peer=1=02:54:47:00:00:01", "--peer=1=02:54:47:00:00:02"],
            "node 1 is there twice",
        ),
        (
            ["load", "--peer=1=02:54:47:00:00:01", "--peer=2=02:54:47:00:00:01"],
            "nodes 1 and 2 have one address",
        ),
        (
            ["load", "--peer=1=02:54:47:00:00:01", "--mac=02:54:47:00:00:01"],
            "node 1 has the board's own address",
        ),
        (["install"], "expected one image"),
        (["ping"], "expected the node"),
        (["ping", "1", "--bytes=7"], "expected a number"),
        (["ping", "1", "--interval=-1"], "expected seconds"),
        (["perf"], "expected the node"),
        (["perf", "1", "--test=speed"], "expected --test"),
        (["perf", "1", "--bytes=2M"], "expected a number"),
        (["send"], "expected the node"),
        (["send", "1"], "expected what to send"),
        (["recv", "a", "b"], "unexpected argument"),
        (["info", "--timeout=soon"], "expected seconds"),
    ],
)
def test_wrong_usage(words: list[str], told: str) -> None:
    assert told in emp(*words, status=2)


def test_every_command_has_help() -> None:
    commands = [
        line.split()[0] for line in emp("--help").splitlines() if line.startswith("  ")
    ]
    assert len(commands) == 13
    for command in commands:
        text = emp(command, "--help")
        assert text.startswith(f"Usage: emp {command}") and "Exit" not in text
    assert "0.1.0" in emp("--version")


def test_boards_that_are_not_there() -> None:
    assert "expected --board" in emp("info", status=2)
    assert "no such board" in emp("info", "--board=sim:/no/such.sock", status=1)
    assert "no such board" in emp("info", "--board=tape:0", status=1)
    assert "expected a board's name" in emp("info", "--board=left", status=1)
    with Boards() as boards:
        assert "no firmware runs" in boards.emp("left", "stat", status=1)
        assert "no firmware" in boards.emp("left", "dump", status=1)
