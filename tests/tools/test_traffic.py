# SPDX-License-Identifier: MIT
"""emp ping, perf, send, recv, stat, param, trace, dump on served boards; loss, restarts, and peers that die."""

import csv
import io
import json
import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.tools.installed import BUILD, LEFT, PREFIX, Boards, ended

TRACED = BUILD / "firmware/emp_a_traced.bin"


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


def test_ping_goes_on_over_a_restart() -> None:
    """The other board is loaded anew, with the program that answers on it, amid the pings."""
    with Boards() as boards:
        boards.load()
        answers = boards.start_ready("right", "answering", "ping", "--answer")
        pings = boards.start(
            "left",
            *("ping", "1", "--count=60", "--interval=0.01", "--timeout=0.1"),
            stdout=subprocess.PIPE,
        )
        assert pings.stdout
        for _ in range(5):
            assert b"bytes from node 1" in pings.stdout.readline()
        answers.kill()
        answers.wait()
        boards.emp("right", "load", "--force", "--node=1", f"--peer=0={LEFT}")
        answers = boards.start_ready("right", "answering", "ping", "--answer")
        lines = [line.decode() for line in pings.stdout]
        pings.wait()
        answers.send_signal(signal.SIGINT)
        ended(answers)
        assert boards.json("right", "info")["incarnation"] == 2
    assert pings.returncode == 0
    good = ["bytes from node" in line for line in lines[:-7]]
    assert good[-1], "no ping was answered after it"
    summary = dict(line.split(None, 1) for line in lines[-7:])
    assert int(summary["sent"]) == 60
    assert int(summary["answered"]) == 5 + sum(good)


def test_ping_of_a_node_that_does_not_answer_ends() -> None:
    with Boards() as boards:
        boards.load()
        text = boards.emp("left", "ping", "1", "-c2", "-t0.05", "-i0.01", status=3)
        assert "number 2: no answer in time" in text
        # Nothing else ends a message that was begun.
        assert "stopped, because it still has a message" in text
        assert boards.json("left", "info")["state"] == "stopped"
        boards.emp("left", "load")


def test_perf_in_each_form(tmp_path: Path) -> None:
    with Boards() as boards:
        boards.load()
        answers = boards.start_ready("right", "answering", "perf", "--answer")
        ask = ("perf", "1", "--count=5")
        rows = list(csv.DictReader(io.StringIO(boards.emp("left", *ask, "--csv"))))
        text = boards.emp("left", *ask, "--test=stream", "--bytes=4k")
        line = boards.emp("left", *ask, "--test=latency", "--bytes=4", "--json")
        answers.send_signal(signal.SIGTERM)
        ended(answers)
    assert [row["test"] for row in rows] == ["latency"] * 6 + ["stream"] * 6 + [
        "both"
    ] * 6 + ["rate"]
    latency = {
        int(row["bytes"]): float(row["latency_us"])
        for row in rows
        if row["test"] == "latency"
    }
    stream = {
        int(row["bytes"]): float(row["mbit_per_s"])
        for row in rows
        if row["test"] == "stream"
    }
    assert 10 < latency[4] < 40 and latency[4] < latency[1024] < latency[65536]
    assert 800 < stream[65536] < 1000
    assert " 4096 bytes " in text and "Mb/s" in text
    found = json.loads(line)
    assert found["test"] == "latency" and 10 < found["latency_us"] < 40
    (tmp_path / "perf.csv").write_text(
        "\n".join(
            ",".join(row) for row in [rows[0].keys(), *(r.values() for r in rows)]
        )
    )
    plot: list[str | Path] = [
        PREFIX / "share/libemp/plot_perf.py",
        "perf.csv",
        "perf.png",
    ]
    subprocess.run(plot, cwd=tmp_path, check=True)
    assert (tmp_path / "perf.png").read_bytes().startswith(b"\x89PNG")


def test_perf_without_another_side_ends() -> None:
    with Boards() as boards:
        boards.load()
        text = boards.emp("left", "perf", "1", "--timeout=0.1", status=3)
        assert "--answer" in text and "no answer in time" in text


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
        (out / "whole.bin.part").write_bytes(content[:400000])
        receiver = receive(boards, out, "--resume")
        told = boards.emp("left", "send", "1", whole, "--progress")
        ended(receiver)
        assert "whole.bin: 100000 bytes" in told.splitlines()[-1]
        assert (out / "whole.bin").read_bytes() == content
        assert not (out / "whole.bin.part").exists()
        # A part of something else is noticed at the end, and is not there the next time.
        (out / "whole.bin").unlink()
        (out / "whole.bin.part").write_bytes(b"x" * 1000)
        receiver = receive(boards, out, "--resume")
        assert "could not keep" in boards.emp("left", "send", "1", whole, status=1)
        ended(receiver, 1)
        assert list(out.iterdir()) == []
        receiver = receive(boards, out, "--resume")
        boards.emp("left", "send", "1", whole)
        ended(receiver)
    assert (out / "whole.bin").read_bytes() == content


def test_a_receiver_that_dies_ends_the_sender(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(20_000_000))
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
        part = tmp_path / "out/big.part"
        while not part.exists() or part.stat().st_size < 1_000_000:
            assert sender.poll() is None
        receiver.kill()
        receiver.communicate()
        ended(sender, 3)


def test_a_sender_that_dies_ends_the_receiver(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(20_000_000))
    (tmp_path / "out").mkdir()
    with Boards() as boards:
        boards.load()
        receiver = boards.start(
            "right", "recv", tmp_path / "out", "-t0.5", stderr=subprocess.PIPE
        )
        sender = boards.start(
            "left", "send", "1", tmp_path / "big", stderr=subprocess.PIPE
        )
        part = tmp_path / "out/big.part"
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


def test_parameters() -> None:
    with Boards() as boards:
        boards.load()
        assert boards.json("left", "param", "collection_size")["collection_size"] == 3
        assert boards.json("left", "param", "collection_size=5") == {
            "collection_size": 5
        }
        assert "collection_size" in boards.emp("left", "param")
        assert "0 to 15" in boards.emp("left", "param", "node")
        for word, told in (
            ("collection_size=16", "1 to 15"),
            ("node=1", "not live"),
            ("speed=1", "no parameter speed"),
            ("collection_size=x", "expected a number"),
        ):
            assert told in boards.emp("left", "param", word, status=1)
        assert boards.json("left", "param", "collection_size")["collection_size"] == 5


def test_trace_and_dump_name_what_happened(tmp_path: Path) -> None:
    with Boards() as boards:
        boards.load(TRACED)
        answers = boards.start_ready("right", "answering", "ping", "--answer", "-c1")
        boards.emp("left", "ping", "1", "-c1", "-q")
        ended(answers)
        lines = boards.emp("left", "trace", "--timeout=0.05", f"--image={TRACED}")
        posted = json.loads(
            boards.emp("left", "trace", "-c1", "--only=Send.BOOKKEEPING.posted", "-j")
        )
        dump = boards.json(
            "right", "dump", f"--image={TRACED}", f"--memory={tmp_path / 'm'}"
        )
        assert "no trace ring" not in lines
        boards.emp("left", "load", "--force")
        assert "no trace ring" in boards.emp("left", "trace", status=1)
    assert "Link.DOWN.synchronised.0" in lines and "Send.WAIT_ACK" in lines
    assert posted["name"].startswith("Send.BOOKKEEPING.posted")
    assert dump["state"] == "running" and len(dump["transitions"]) > 10
    assert dump["processor_a"].startswith("at 0x")
    assert dump["sram"] == (tmp_path / "m").stat().st_size
    memory = (tmp_path / "m").read_bytes()
    image = TRACED.read_bytes()
    assert memory[0x4000:0x5000] == image[12 : 12 + 0x1000]


def test_dump_of_a_board_that_stopped() -> None:
    with Boards("right: stop core A at 1s") as boards:
        boards.load()
        boards.emp("right", "stat", "--count=2", "--interval=2", "--all")
        shown = boards.json("right", "dump")
        assert shown["state"] == "stopped"
        assert "stopped" in shown["processor_a"] and "reason" in shown
        assert boards.json("right", "info")["state"] == "stopped"
        boards.emp("right", "load")  # no --force: it does not run
