# SPDX-License-Identifier: MIT
"""Programs that wait in poll(2) for messages of served boards; test_driver_traffic.py has the driver's boards."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.kernel.machines import TWO_BOARDS, serve

BUILD = Path("build/modern/nodes-64/boards-16")  # host/driver/build.mk
IMAGE = (BUILD / "firmware/emp_a.bin").resolve()
COURIER = (BUILD / "tests/driver/courier").resolve()
LEFT, RIGHT = "02:54:47:00:00:00", "02:54:47:00:00:01"
IMAGED = {**os.environ, "EMP_IMAGE": str(IMAGE)}


def test_children_of_a_program_have_nothing_of_its_board() -> None:
    """The server gives the board to another program when the first one has ended, though a child has its socket."""
    with serve(TWO_BOARDS) as server:
        left, right = (f"sim:{server.path(name)}" for name in ("left", "right"))
        echo: list[str | Path] = [COURIER, "echo", right, "1", "0", LEFT, "4"]
        with subprocess.Popen(echo, env=IMAGED, stderr=subprocess.DEVNULL) as other:
            try:
                for _ in range(2):
                    parent = subprocess.run(
                        [COURIER, "parent", left, "0", "1", RIGHT, "3"],
                        env=IMAGED,
                        stdout=subprocess.PIPE,
                        text=True,
                        check=False,
                        timeout=60,
                    )
                    assert parent.returncode == -signal.SIGKILL
                    assert parent.stdout == "parent: its children were refused\n"
            finally:
                other.kill()


@pytest.mark.parametrize("options", [[], ["--free"]], ids=["lock_step", "free"])
def test_messages_come_while_the_program_is_in_poll(options: list[str]) -> None:
    with serve(TWO_BOARDS, *options) as server:
        left, right = (f"sim:{server.path(name)}" for name in ("left", "right"))
        echo: list[str | Path] = [COURIER, "echo", right, "1", "0", LEFT, "4"]
        ping: list[str | Path] = [COURIER, "ping", left, "0", "1", RIGHT, "20"]
        with subprocess.Popen(echo, env=IMAGED, stderr=subprocess.DEVNULL) as other:
            try:
                result = subprocess.run(
                    ping,
                    env={**IMAGED, "EMP_POLLS": "1"},
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=60,
                )
            finally:
                other.kill()
    assert result.returncode == 0, result.stderr
    assert "20 messages of 128639 bytes intact" in result.stdout
