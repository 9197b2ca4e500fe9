# SPDX-License-Identifier: MIT
"""Served boards for virtual machines, for the tests of this directory and of drivers."""

from pathlib import Path
from typing import Any

import pytest

from scripts.debian_kernel import Unavailable
from scripts.guest import require
from tests.sim_serve.serving import Server

SERVER = Path("build/tigonsim").resolve()
BRIDGE = Path("build/tests/tigon_qemu").resolve()  # with the sanitizers
MEMORY = "knobs = { host_memory_bytes = 268435456; host_memory_base = 0; };"
ONE_BOARD = (
    f'boards = ( {{ name = "left"; {MEMORY} }} );\nstop = {{ time = "1000 s"; }};\n'
)
TWO_BOARDS = f"""boards = ( {{ name = "left"; {MEMORY} }}, {{ name = "right"; {MEMORY} }} );
wires = ( {{ between = [ "left", "right" ]; }} );
stop = {{ time = "1000 s"; }};
"""


def skip_without_kernel() -> None:
    """Skips the module, with the reason in pytest's summary, where no virtual machine can run."""
    try:
        require()
    except Unavailable as error:
        pytest.skip(f"no virtual machine: {error}", allow_module_level=True)


def serve(text: str, *options: str) -> Server:
    """The boards of a scenario, whose sockets are there; ends with its last client."""
    server = Server(text, "--once", *options, program=SERVER)
    for _ in range(text.count("name = ")):
        server.wait_for(" at ")
    return server


def done(results: dict[str, Any]) -> list[dict[str, Any]]:
    """What boards and wires did. How long cores and time ran on while QEMU ended is left out: no script decides it."""
    boards = [
        {
            name: value
            for name, value in board["statistics"].items()
            if name not in ("core_a", "core_b")
        }
        for board in results["boards"]
    ]
    return [*boards, {"wires": results["wires"]}]
