# SPDX-License-Identifier: MIT
"""Peers that are away: each command ends with a message that says what to do, and the same board serves the next command
with a peer that is there. In the profile modern the board never stopped; paper takes no message back, so there it is loaded
again, with the same parameters."""

import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator

import pytest

from tests.sim_serve.serving import TIME_LIMIT_SECONDS

# The sides that wait have no --timeout: as long as they wait alone, their clock runs as fast as it can.
from tests.tools.installed import LEFT, RIGHT, Boards, ended, endless

PROFILES = ("modern", "paper")
# Options of the side that answers: in paper each receive names its source.
ANSWERS: dict[str, list[str]] = {"modern": [], "paper": ["0"]}


@pytest.fixture(name="boards", params=PROFILES)
def fixture_boards(request: pytest.FixtureRequest) -> Iterator[Boards]:
    """Running, with a parameter that is not the default one."""
    with Boards(profile=request.param) as boards:
        boards.load()
        boards.emp("left", "param", "collection_size=5")
        yield boards


def check_left(boards: Boards, text: str, in_vain: int) -> None:
    """The board runs, as it was loaded; `in_vain` commands have left a message with it, the last one said `text`."""
    shown = boards.json("left", "info")
    assert shown["state"] == "running" and shown["link"] == "up", text
    assert shown["descriptors_free"] == shown["descriptors"], text
    paper = boards.profile == "paper"
    assert shown["incarnation"] == (1 + in_vain if paper else 1), text
    assert ("loaded again from" in text) == (paper and in_vain > 0), text
    assert boards.json("left", "param", "collection_size")["collection_size"] == 5


def exchange_pings(boards: Boards) -> None:
    words = ("ping", "--answer", *ANSWERS[boards.profile], "--count=2")
    answers = boards.start_ready("right", "answering", *words)
    boards.emp("left", "ping", "1", "--count=2", "--interval=0.01")
    ended(answers)


def exchange_measurements(boards: Boards) -> None:
    words = ("perf", "--answer", *ANSWERS[boards.profile], "--count=1")
    answers = boards.start_ready("right", "answering", *words)
    boards.emp("left", "perf", "1", "--count=5", "--test=both", "--bytes=20k")
    ended(answers)


def exchange_file(boards: Boards, place: Path, *words: str) -> None:
    path = place / "file"
    path.write_text("content")
    out = place / "out"
    out.mkdir(exist_ok=True)
    receiver = boards.start_ready("right", "waiting", "recv", out, "--node=0", *words)
    boards.emp("left", "send", "1", path)
    ended(receiver)
    assert (out / "file").read_text() == "content"


def test_no_program_answers(boards: Boards, tmp_path: Path) -> None:
    text = boards.emp("left", "ping", "1", "-c3", "-t0.05", "-i0.01", status=3)
    assert "number 3: no answer in time" in text and "ping --answer" in text
    check_left(boards, text, 1)
    exchange_pings(boards)
    text = boards.emp("left", "perf", "1", "-t0.05", "--test=both", status=3)
    assert "no answer in time" in text and "does `emp perf --answer` run" in text
    check_left(boards, text, 2)
    exchange_measurements(boards)
    (tmp_path / "file").write_text("content")
    text = boards.emp("left", "send", "1", tmp_path / "file", "-t0.05", status=3)
    assert "file: no answer in time" in text and "does `emp recv` run" in text
    check_left(boards, text, 3)
    exchange_file(boards, tmp_path)


def test_nodes_that_cannot_be_reached_are_refused_at_once(
    boards: Boards, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("content")
    for words in (["ping", "2"], ["perf", "2"], ["send", "2", str(tmp_path / "file")]):
        text = boards.emp("left", *words, status=1)
        assert "does not know the Ethernet address of node 2 (known nodes: 1)" in text
    for words in (
        ["ping", "--answer", "2"],
        ["perf", "--answer", "2"],
        ["recv", "--node=2"],
    ):
        text = boards.emp("left", *words, status=1)
        assert "node 2" in text and "answering" not in text and "waiting" not in text
    assert "node 0 is this board itself" in boards.emp("left", "ping", "0", status=1)
    check_left(boards, "", 0)
    exchange_pings(boards)


def test_paper_receives_from_one_node() -> None:
    with Boards(profile="paper") as boards:
        boards.load()
        for words in (["ping", "--answer"], ["perf", "--answer"], ["recv"]):
            text = boards.emp("right", *words, status=2)
            assert "expected the node to receive from" in text


def test_a_board_that_was_never_loaded() -> None:
    """There is no link; nothing is posted, and the board waits for its partner."""
    with Boards() as boards:
        boards.emp("left", "load", "--node=0", f"--peer=1={RIGHT}")
        text = boards.emp("left", "ping", "1", "--timeout=0.1", status=3)
        assert "the link is down, so nothing was sent" in text
        boards.emp("right", "load", "--node=1", f"--peer=0={LEFT}")
        exchange_pings(boards)
        assert boards.json("left", "info")["incarnation"] == 1


def interrupt(process: "subprocess.Popen[bytes]", status: int = 1) -> str:
    """What it says."""
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIME_LIMIT_SECONDS)
    assert process.returncode == status, errors
    return errors.decode()


def test_interrupted_without_a_receiver(boards: Boards, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(1_000_000))
    words = ("send", "1", tmp_path / "big", "--timeout=1000000")
    sender = boards.start("left", *words, stderr=subprocess.PIPE)
    refused = 0
    while refused == 0:  # it has begun
        time.sleep(0.02)
        refused = boards.json("right", "stat", "--all")["receiver_not_ready"]
    text = interrupt(sender)
    assert "big: interrupted" in text
    check_left(boards, text, 1)
    exchange_file(boards, tmp_path)


@pytest.mark.parametrize("words", [["ping", "1"], ["recv", "-", "--node=1"]])
def test_output_that_is_closed_ends_the_command(
    boards: Boards, tmp_path: Path, words: list[str]
) -> None:
    """As of `emp recv - | head`: nothing stays with the board."""
    endless(tmp_path / "big")
    out = subprocess.PIPE
    if words[0] == "ping":
        command = ["ping", "--answer", *ANSWERS[boards.profile]]
        other = boards.start_ready("right", "answering", *command)
        words = [*words, "--interval=0.01"]
        process = boards.start("left", *words, stdout=out, stderr=subprocess.PIPE)
    else:
        process = boards.start_ready("left", "waiting", *words, stdout=out)
        command = ["send", "0", str(tmp_path / "big")]
        other = boards.start("right", *command, stderr=subprocess.PIPE)
    assert process.stdout and process.stdout.read(1)
    process.stdout.close()
    process.wait(timeout=TIME_LIMIT_SECONDS)
    assert process.stderr
    text = process.stderr.read().decode()
    if words[0] == "ping":
        interrupt(other, 0)
    else:
        other.communicate(timeout=TIME_LIMIT_SECONDS)
    check_left(boards, text, "loaded again" in text)
    exchange_pings(boards)


def wait_for_part(out: Path, sender: "subprocess.Popen[bytes]") -> None:
    while not any(path.stat().st_size > 1_000_000 for path in out.glob(".emp-*.part")):
        assert sender.poll() is None


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_interrupted_amid_a_transfer(boards: Boards, tmp_path: Path, side: str) -> None:
    """Both sides say how far it came, and both boards work afterwards."""
    endless(tmp_path / "big")
    out = tmp_path / "out"
    out.mkdir()
    receiver = boards.start_ready("right", "waiting", "recv", out, "--node=0")
    words = ("send", "1", tmp_path / "big")
    sender = boards.start("left", *words, stderr=subprocess.PIPE)
    wait_for_part(out, sender)
    stopped, other = (sender, receiver) if side == "sender" else (receiver, sender)
    text = interrupt(stopped)
    assert "big, after " in text and " of 1099511.6 MB: interrupted" in text
    _, errors = other.communicate(timeout=TIME_LIMIT_SECONDS)
    assert other.returncode == 3, errors
    assert b" of 1099511.6 MB: no answer in time" in errors
    for board in ("left", "right"):
        shown = boards.json(board, "info")
        assert shown["state"] == "running", text + errors.decode()
        assert shown["descriptors_free"] == shown["descriptors"]
    exchange_file(boards, tmp_path)


def test_an_answering_side_serves_on(boards: Boards) -> None:
    """A node that asks and is gone amid a measurement leaves nothing at the side that answers."""
    words = ["perf", "--answer", *ANSWERS[boards.profile]]
    answers = boards.start_ready("right", "answering", *words)
    words = ["perf", "1", "--test=latency", "--count=4000000000", "--bytes=4"]
    asks = boards.start("left", *words, stderr=subprocess.PIPE)
    time.sleep(0.5)
    assert "interrupted" in interrupt(asks)
    words = ["perf", "1", "--count=5", "--test=both", "--bytes=20k", "--timeout=100"]
    assert "Mb/s" in boards.emp("left", *words)
    interrupt(answers, 0)


def test_a_board_that_stops_ends_the_program_that_waits() -> None:
    with Boards("right: stop core A at 1s") as boards:
        boards.load()
        answers = boards.start_ready("right", "answering", "ping", "--answer")
        _, errors = answers.communicate(timeout=TIME_LIMIT_SECONDS)
        assert answers.returncode == 1
        assert b"processor A stopped at" in errors
