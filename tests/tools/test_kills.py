# SPDX-License-Identifier: MIT
"""Programs killed at random moments while they send and receive: what is left after the next `emp load --force`, and that
programs on other boards notice nothing."""

import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.long_tests import long
from tests.sim_serve.serving import TIME_LIMIT_SECONDS, Server
from tests.tools.installed import PREFIX, Boards, clean, compiled, ended, install

NAMES = ("victim", "partner", "third", "fourth")
MESSAGES = 150  # of the two others, for each kill


class FourBoards(Boards):
    """On a switch."""

    def __init__(self) -> None:
        install()
        boards = ", ".join(
            f'{{ name = "{name}"; knobs = {{ host_memory_bytes = 536870912; }}; }}'
            for name in NAMES
        )
        wires = ", ".join(
            f'{{ between = [ "{name}", "switch:{port}" ]; }}'
            for port, name in enumerate(NAMES)
        )
        served = ", ".join(
            f'{{ board = "{name}"; socket = "{name}.sock"; leave = "stay"; wait = false; }}'
            for name in NAMES
        )
        text = f"""boards = ( {boards} );
switches = ( {{ name = "switch"; ports = 4; }} );
wires = ( {wires} );
serve = {{ boards = ( {served} ); }};
"""
        Server.__init__(self, text, program=PREFIX / "bin/tigonsim")
        self.wait_for("board fourth at")

    def load_one(self, node: int) -> None:
        others = [f"--peer={i}=02:54:47:00:00:{i:02x}" for i in range(4) if i != node]
        self.emp(NAMES[node], "load", "--force", f"--node={node}", *others)


@pytest.mark.parametrize("kills", [4, pytest.param(200, marks=long)])
def test_killed_programs(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)
    exchange = str(
        compiled(
            PREFIX / "share/doc/libemp/examples/exchange.c",
            tmp_path / "exchange",
            "-O2",
        )
    )
    with FourBoards() as boards:
        for node in range(4):
            boards.load_one(node)
        others = [
            subprocess.Popen(
                [
                    exchange,
                    boards.name(NAMES[own]),
                    str(own),
                    str(5 - own),
                    str(MESSAGES * min(kills, 10)),
                ],
                env=clean(LD_LIBRARY_PATH=f"{PREFIX}/lib"),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            for own in (2, 3)
        ]
        answers = boards.start_ready("partner", "answering", "ping", "--answer")
        met = 0
        for _ in range(kills):
            words = ("ping", "1", "--interval=0", "--bytes=20000")
            victim = boards.start("victim", *words, stdout=subprocess.PIPE)
            assert victim.stdout
            first = victim.stdout.readline()
            assert b"bytes from" in first, boards.said()
            time.sleep(chance.uniform(0, 0.02))
            victim.kill()
            victim.communicate(timeout=TIME_LIMIT_SECONDS)
            met += boards.json("victim", "info")["descriptors_free"] < 640
            boards.load_one(0)
            shown = boards.json("victim", "info")
            assert shown["descriptors_free"] == shown["descriptors"]
            assert answers.poll() is None, "the partner ended"
        assert met > 0, "no kill met a posted request"
        # The partner serves as before.
        boards.emp("victim", "ping", "1", "--count=3", "--interval=0")
        answers.terminate()
        ended(answers)
        for other in others:
            assert "all intact" in ended(other)
