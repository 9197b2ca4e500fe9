# SPDX-License-Identifier: MIT
"""emp ping, perf, stat, param, trace, dump on served boards."""

import csv
import io
import json
import signal
import subprocess
from pathlib import Path

from tests.tools.installed import BUILD, LEFT, PREFIX, Boards, ended

TRACED = BUILD / "firmware/emp_a_traced.bin"


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


def test_parameters() -> None:
    with Boards() as boards:
        boards.load()
        assert boards.json("left", "param", "collection_size")["collection_size"] == 3
        assert boards.json("left", "param", "collection_size=5") == {
            "collection_size": 5
        }
        assert "collection_size" in boards.emp("left", "param")
        assert "0 to 15" in boards.emp("left", "param", "node")
        words = {
            "collection_size=16": "1 to 15",
            "node=1": "not live",
            "speed=1": "no parameter speed",
            "collection_size=x": "expected a number",
            "silence_timeout=-1": "expected a number",
        }
        for word, told in words.items():
            assert told in boards.emp("left", "param", word, status=2)
        # Of a list with errors nothing is set, and each error is named.
        text = boards.emp("left", "param", "collection_size=6", *words, status=2)
        assert all(told in text for told in words.values()), text
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
