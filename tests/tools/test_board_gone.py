# SPDX-License-Identifier: MIT
"""The server of the boards dies. Programs that wait for a message report it and end."""

from subprocess import DEVNULL

import pytest
from tests.sim_serve.serving import TIME_LIMIT_SECONDS
from tests.tools.installed import Boards


@pytest.mark.parametrize("options", [[], ["--ends-in-memory"]])
def test_programs_end_when_their_board_is_gone(options: list[str]) -> None:
    with Boards() as boards:
        boards.load()
        programs = [
            boards.start_ready(
                "left", "waiting", "recv", "-", *options, stdout=DEVNULL
            ),
            boards.start_ready(
                "right", "answering", "ping", "--answer", *options, stdout=DEVNULL
            ),
        ]
        boards.process.kill()
        for program in programs:
            try:
                _, errors = program.communicate(timeout=TIME_LIMIT_SECONDS)
            finally:
                program.kill()
            assert program.returncode == 1
            assert b"the board does not answer any more" in errors
