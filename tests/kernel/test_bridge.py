# SPDX-License-Identifier: MIT
"""A served board as a PCI device of a virtual machine with Debian's kernel."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from scripts.guest import Guest, Result, warnings
from tests.kernel.machines import (
    BRIDGE,
    ONE_BOARD,
    done,
    serve,
    skip_without_kernel,
)
from tests.long_tests import long
from tests.sim_serve.serving import TIME_LIMIT_SECONDS

skip_without_kernel()

# Word 0 of BAR0 is the identification, 0x40 the host control register of a chip of revision 6.
LOOK = """device=/sys/bus/pci/devices/0000:00:04.0
cat $device/vendor $device/device $device/class
read base end flags < $device/resource
echo size $((end - base + 1))
echo identification $(devmem $base 32)
devmem $((base + 0x40)) 32 0x08000008
devmem $((base + 0x40)) 32 0x22000022
echo control $(devmem $((base + 0x40)) 32)
devmem $((base + 0x68)) 32 0x4000
devmem $((base + 0x800)) 32 0x12345678
echo window $(devmem $((base + 0x800)) 32) $(devmem $((base + 0x802)) 16) $(devmem $((base + 0x803)) 8)
"""


SEEN = """0x12ae
0x0001
0x020000
size 16384
identification 0x000112AE
control 0x60000020
window 0x12345678 0x1234 0x12
"""


def run(script: str, *server_options: str) -> tuple[Result, list[dict[str, Any]]]:
    """What became of the guest, and what the board did."""
    with serve(ONE_BOARD, *server_options) as server:
        with Guest(server.path("left"), script, bridge=BRIDGE) as guest:
            result = guest.finish()
        return result, done(server.finish())


@long
def test_in_lock_step_the_kernel_sees_the_card_and_a_run_repeats_exactly() -> None:
    """All that the guest prints, its kernel's time stamps, and what the board did."""
    script = LOOK + "sleep 1\ncat /proc/uptime\n"
    first = run(script)
    result, _ = first
    assert result.status == 0, result
    assert result.output.startswith(SEEN)
    assert warnings(result.log) == []
    assert run(script) == first


@pytest.mark.parametrize(
    "mode",
    [("--free",), pytest.param((), marks=long)],
    ids=["free", "lock-step"],
)
def test_a_board_whose_server_ends_reads_as_pulled_out(mode: tuple[str, ...]) -> None:
    script = (
        LOOK
        + """echo there
read answer
echo gone $(devmem $base 32) $(head -c 4 $device/config | od -An -tx1)
devmem $base 32 0
exit 7
"""
    )
    with serve(ONE_BOARD, *mode) as server:
        with Guest(server.path("left"), script, bridge=BRIDGE) as guest:
            guest.wait_for("there")
            server.process.kill()
            server.process.wait()
            guest.say("killed")
            result = guest.finish()
    assert result.output == f"{SEEN}there\ngone 0xFFFFFFFF ff ff ff ff\n"
    assert result.status == 7
    assert "the connection to the simulator is lost" in result.console
    assert warnings(result.log) == []


@long
def test_a_guest_that_panics_has_no_status_but_a_console() -> None:
    with serve(ONE_BOARD) as server:
        with Guest(
            server.path("left"), "exit 7\n", bridge=BRIDGE, append="rdinit=/none"
        ) as guest:
            result = guest.finish()
        assert guest.process.returncode == 0
        assert result.status == -1
        assert "Kernel panic" in result.console
        server.finish()


def manual() -> str:
    """The commands of docs/kernel.md."""
    lines = Path("docs/kernel.md").read_text().splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("    "))


@long
def test_the_commands_of_the_manual() -> None:
    result = subprocess.run(
        ["bash", "-e", "-m", "-c", manual()],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_SECONDS,
        check=False,
    )
    assert "Firmware up and running" in result.stdout, result
    assert "eth0: <BROADCAST,MULTICAST,UP,LOWER_UP>" in result.stdout
    assert "link/ether 02:54:47:00:00:00" in result.stdout
    assert result.returncode == 0


@long
def test_the_command_line(tmp_path: Path) -> None:
    """scripts/guest.py: files and programs, with libraries, are there; output and status come through."""
    file = tmp_path / "file"
    file.write_text("content\n")
    log = tmp_path / "log"
    with serve(ONE_BOARD) as server:
        result = subprocess.run(
            [
                *("scripts/guest.py", server.path("left"), "--module", "acenic"),
                *("--program", "build/tigon_registers"),
                *("--file", f"{file}:some/file", "--log", log),
                *("--run", "cat /some/file /none; /tigon_registers; exit 7"),
            ],
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
    assert result.returncode == 7
    assert result.stdout.startswith(
        "content\ncat: can't open '/none': No such file or directory\n"
    )
    assert "tigon_registers" in result.stdout  # its usage: it runs
    assert "Linux version" in log.read_text()
