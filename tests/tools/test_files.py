# SPDX-License-Identifier: MIT
"""emp send, emp recv: what arrives, what stays when a transfer is cut off, and what is sent at all."""

import fcntl
import hashlib
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.tools.installed import Boards, ended, endless


def make_tree(top: Path) -> Path:
    """Files of many sizes, an empty one, an empty directory, and names with blanks."""
    chance = random.Random(1)
    for size in (0, 1, 1000, 65535, 65536, 65537, 131072, 300000):
        place = top / f"of {size}" / "deeper"
        place.mkdir(parents=True)
        (place / f"{size}.bin").write_bytes(chance.randbytes(size))
    (top / "empty").mkdir()
    (top / "of 0/deeper/0.bin").chmod(0o600)
    return top


def same(left: Path, right: Path) -> bool:
    return subprocess.run(["diff", "-r", left, right], check=False).returncode == 0


def part_of(path: Path) -> Path:
    """Where a file is until its sum agrees."""
    name = hashlib.sha256(path.name.encode()).hexdigest()[:32]
    return path.with_name(f".emp-{name}.part")


def test_a_directory_over_loss_arrives_equal(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree")
    (tmp_path / "out").mkdir()
    with Boards("left<->right: lose 5%") as boards:
        boards.load()
        receiver = boards.start_ready("right", "waiting", "recv", tmp_path / "out")
        boards.emp("left", "send", "1", tree)
        ended(receiver)
        lost = sum(
            boards.json(board, "stat")["collections_retransmitted"]
            for board in ("left", "right")
        )
    assert same(tree, tmp_path / "out/tree")
    assert lost > 0
    assert (tmp_path / "out/tree/of 0/deeper/0.bin").stat().st_mode & 0o777 == 0o600


def test_a_stream_through_pipes(tmp_path: Path) -> None:
    content = random.Random(2).randbytes(200000)
    with Boards() as boards:
        boards.load()
        with open(tmp_path / "output", "wb") as output:
            receiver = boards.start_ready(
                "right", "waiting", "recv", "-", stdout=output
            )
        boards.emp("left", "send", "1", "-", stdin=content)
        ended(receiver)
        assert (tmp_path / "output").read_bytes() == content
        receiver = boards.start_ready("right", "waiting", "recv", tmp_path)
        boards.emp("left", "send", "1", "-", "--name=log", stdin=content)
        ended(receiver)
    assert (tmp_path / "log").read_bytes() == content


def receive(boards: Boards, place: Path, *words: str) -> "subprocess.Popen[bytes]":
    return boards.start_ready("right", "waiting", "recv", place, *words)


def test_resume_sends_only_the_rest(tmp_path: Path) -> None:
    content = random.Random(3).randbytes(500000)
    whole = tmp_path / "whole.bin"
    out = tmp_path / "out"
    out.mkdir()
    whole.write_bytes(content)
    with Boards() as boards:
        boards.load()
        part = part_of(out / "whole.bin")
        part.write_bytes(content[:400000])
        receiver = receive(boards, out, "--resume")
        told = boards.emp("left", "send", "1", whole, "--progress")
        ended(receiver)
        assert "whole.bin: 100000 bytes" in told.splitlines()[-1]
        assert (out / "whole.bin").read_bytes() == content
        assert not part.exists()
        # A part of something else is noticed at the end, and is not there the next time.
        (out / "whole.bin").unlink()
        part.write_bytes(b"x" * 1000)
        receiver = receive(boards, out, "--resume")
        assert "could not keep" in boards.emp("left", "send", "1", whole, status=1)
        ended(receiver, 1)
        assert list(out.iterdir()) == []
        receiver = receive(boards, out, "--resume")
        boards.emp("left", "send", "1", whole)
        ended(receiver)
    assert (out / "whole.bin").read_bytes() == content


def test_a_receiver_that_dies_ends_the_sender(tmp_path: Path) -> None:
    endless(tmp_path / "big")
    (tmp_path / "out").mkdir()
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, tmp_path / "out")
        sender = boards.start(
            "left",
            "send",
            "1",
            tmp_path / "big",
            "--timeout=0.2",
            stderr=subprocess.PIPE,
        )
        part = part_of(tmp_path / "out/big")
        while not part.exists() or part.stat().st_size < 1_000_000:
            assert sender.poll() is None
        receiver.kill()
        receiver.communicate()
        ended(sender, 3)


def test_a_sender_that_dies_ends_the_receiver(tmp_path: Path) -> None:
    endless(tmp_path / "big")
    (tmp_path / "out").mkdir()
    with Boards() as boards:
        boards.load()
        receiver = boards.start(
            "right", "recv", tmp_path / "out", stderr=subprocess.PIPE
        )
        sender = boards.start(
            "left", "send", "1", tmp_path / "big", stderr=subprocess.PIPE
        )
        part = part_of(tmp_path / "out/big")
        while not part.exists() or part.stat().st_size < 1_000_000:
            assert receiver.poll() is None
        sender.kill()
        sender.communicate()
        ended(receiver, 3)


@pytest.mark.parametrize("kind", ["link", "special"])
def test_links_are_left_out(tmp_path: Path, kind: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_text("content")
    if kind == "link":
        (tree / "other").symlink_to("/etc/passwd")
    else:
        os.mkfifo(tree / "other")
    (tmp_path / "out").mkdir()
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, tmp_path / "out")
        assert "left out" in boards.emp("left", "send", "1", tree, status=1)
        ended(receiver)
    assert [path.name for path in (tmp_path / "out/tree").iterdir()] == ["file"]


def test_nothing_is_stored_outside_the_directory(tmp_path: Path) -> None:
    """A link in the way is not followed."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_text("content")
    (tmp_path / "elsewhere").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    (out / "tree").symlink_to(tmp_path / "elsewhere")
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, out)
        boards.emp("left", "send", "1", tree, status=1)
        ended(receiver, 1)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_never_takes_the_place_of_a_part(tmp_path: Path) -> None:
    """A file called NAME.part is a file like others: before, and in the same transfer."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "y.part").write_text("there before")
    for name in ("x.part", "x", "y"):
        (tmp_path / name).write_text(f"content of {name}")
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, out)
        paths = [tmp_path / name for name in ("x.part", "x", "y")]
        boards.emp("left", "send", "1", *paths)
        ended(receiver)
    expected = {name: f"content of {name}" for name in ("x.part", "x", "y")}
    expected["y.part"] = "there before"
    assert {path.name: path.read_text() for path in out.iterdir()} == expected


@pytest.mark.parametrize("bytes_of_name", [250, 251, 255])
def test_long_names(tmp_path: Path, bytes_of_name: int) -> None:
    out = tmp_path / "out"
    out.mkdir()
    path = tmp_path / ("n" * bytes_of_name)
    path.write_text("content")
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, out)
        boards.emp("left", "send", "1", path)
        ended(receiver)
    assert (out / path.name).read_text() == "content"


def test_names_that_cannot_be_stored_are_refused(tmp_path: Path) -> None:
    """A directory in the way, and a name that unfinished files have; the others arrive."""
    tree = tmp_path / "tree"
    tree.mkdir()
    own = part_of(tree / "file").name
    for name in ("taken", own, "file"):
        (tree / name).write_text(name)
    (tmp_path / "out/tree/taken").mkdir(parents=True)
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, tmp_path / "out", "--resume")
        text = boards.emp("left", "send", "1", tree, status=1)
        _, errors = receiver.communicate()
    assert receiver.returncode == 1
    assert b"taken: a directory has this name" in errors
    assert own.encode() + b": `emp recv` gives such names" in errors
    assert f"{own}: the other side cannot store it" in text
    found = tmp_path / "out/tree"
    assert sorted(path.name for path in found.iterdir()) == ["file", "taken"]


def test_what_was_there_stays_until_a_transfer_completes(tmp_path: Path) -> None:
    """Cut off, and of other content in spite of --resume; then the same transfers complete."""
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "big").write_bytes(bytes(2_000_000))
    (tmp_path / "equal").write_text("good")
    (tmp_path / "other").write_text("new content")
    (out / "big").write_text("old big")
    (out / "equal").write_text("good")
    (out / "other").write_text("old content")
    inode = (out / "equal").stat().st_ino
    with Boards() as boards:
        boards.load()
        receiver = receive(boards, out)
        words = ("send", "1", "-", "--name=big")
        sender = boards.start("left", *words, stdin=subprocess.PIPE)
        assert sender.stdin
        sender.stdin.write(bytes(1_500_000))  # and then no end of the file
        sender.stdin.flush()
        part = part_of(out / "big")
        while not part.exists() or part.stat().st_size < 1_000_000:
            assert sender.poll() is None
        sender.kill()
        sender.communicate()
        ended(receiver, 3)
        assert (out / "big").read_text() == "old big"
        assert part.stat().st_size >= 1_000_000
        boards.load("--force")
        # `other` has the size of what comes, so it may be what an earlier try has stored; it is not.
        paths = [tmp_path / name for name in ("big", "equal", "other")]
        receiver = receive(boards, out, "--resume")
        text = boards.emp("left", "send", "1", *paths, status=1)
        ended(receiver, 1)
        assert "other: the other side could not keep it" in text
        assert (out / "other").read_text() == "old content"
        assert (out / "big").read_bytes() == bytes(2_000_000)
        assert (out / "equal").stat().st_ino == inode
        receiver = receive(boards, out, "--resume")
        boards.emp("left", "send", "1", tmp_path / "other")
        ended(receiver)
    assert (out / "other").read_text() == "new content"
    assert sorted(path.name for path in out.iterdir()) == ["big", "equal", "other"]


def test_two_receivers_of_one_name_do_not_mix(tmp_path: Path) -> None:
    """The second one is refused: the part is locked by the first."""
    out = tmp_path / "out"
    out.mkdir()
    path = tmp_path / "file"
    path.write_text("content")
    part = part_of(out / "file")
    with open(part, "wb") as other, Boards() as boards:
        fcntl.flock(other, fcntl.LOCK_EX)
        boards.load()
        receiver = receive(boards, out)
        assert "cannot store it" in boards.emp("left", "send", "1", path, status=1)
        _, errors = receiver.communicate()
        assert b"another `emp recv` is receiving it here" in errors
        other.close()
        receiver = receive(boards, out)
        boards.emp("left", "send", "1", path)
        ended(receiver)
    assert (out / "file").read_text() == "content"


def test_arguments_are_checked_before_anything_is_sent(tmp_path: Path) -> None:
    """No receiver runs: what was posted would time out. Nothing is."""
    (tmp_path / "file").write_text("content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("another")
    os.mkfifo(tmp_path / "pipe")
    refused: list[tuple[list[str | Path], str, int]] = [
        (["nofile"], "nofile: No such file", 1),
        (["file", "nofile"], "nothing was sent", 1),
        (["link"], "links are not sent", 1),
        (["pipe"], "expected a file, a directory or -", 1),
        (["/"], "has no name", 1),
        (["file", "other/file"], "both would be file", 1),
        (["-", "-"], "both would be stdin", 1),
        (["-", "--name=../file"], "expected a name", 2),
        (["-", "--name="], "expected a name", 2),
    ]
    with Boards() as boards:
        boards.load()
        for words, told, status in refused:
            text = boards.emp(
                "left", "send", "1", *words, status=status, stdin=b"", cwd=tmp_path
            )
            assert told in text and "no answer" not in text, text
        # The receiver is told nothing of a link, and waits for the next sender.
        receiver = receive(boards, tmp_path / "other")
        boards.emp("left", "send", "1", "link", status=1, cwd=tmp_path)
        boards.emp("left", "send", "1", "file", cwd=tmp_path)
        ended(receiver)
    assert (tmp_path / "other/file").read_text() == "content"
