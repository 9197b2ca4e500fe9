# SPDX-License-Identifier: MIT
"""Several threads on several boards, and threads that share a board under a lock: no data race."""

import subprocess

from tests.sim_serve.serving import TIME_LIMIT_SECONDS
from tests.tools.installed import TOP, Boards, clean

THREADS = TOP / "build/tests/threads"
IMAGE = TOP / "build/firmware/emp_a.bin"


def test_threads() -> None:
    with Boards() as boards:
        # The sanitizer's own memory must lie where it expects it.
        command = ["setarch", "-R", str(THREADS), str(IMAGE)]
        result = subprocess.run(
            [*command, boards.name("left"), boards.name("right")],
            env=clean(TSAN_OPTIONS="halt_on_error=1"),
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
    assert result.returncode == 0, result.stderr
    assert "WARNING" not in result.stderr
