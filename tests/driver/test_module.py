# SPDX-License-Identifier: MIT
"""The driver under Debian's own kernel."""

import os
import subprocess
from pathlib import Path

import pytest

from scripts.guest import Guest, Result, warnings
from tests.kernel.machines import BRIDGE, ONE_BOARD, serve, skip_without_kernel

skip_without_kernel()

MODULE = Path("build/driver/emp.ko").resolve()
BUILD = Path("build/modern/nodes-64/boards-16")  # host/driver/build.mk
IMAGE = (BUILD / "firmware/emp_a.bin").resolve()
IN_GUEST = "lib/firmware/emp/tigon2.bin"
# An out-of-tree module that is not signed says so.
EXPECTED = ("taints kernel", "tainting kernel")


@pytest.fixture(scope="module", autouse=True)
def module() -> None:
    subprocess.run(["make", "-s", "driver"], check=True)


def complaints(log: str) -> list[str]:
    return [
        line
        for line in warnings(log)
        if not any(expected in line for expected in EXPECTED)
    ]


def run(script: str, image: Path = IMAGE) -> Result:
    with serve(ONE_BOARD) as server:
        with Guest(
            server.path("left"),
            script,
            modules=[MODULE],
            files={IN_GUEST: image},
            bridge=BRIDGE,
        ) as guest:
            result = guest.finish()
        server.finish()
        return result


LIFE = """set -e
insmod /emp.ko nodes=3
cd /sys/class/emp/emp0
echo $(cat node state starts faults applications)
echo 1 > reset
echo $(cat state starts)
cd /sys/bus/pci/drivers/emp
echo 0000:00:04.0 > unbind
ls /sys/class/emp | wc -l
echo 0000:00:04.0 > bind
cat /sys/class/emp/emp0/state
test -c /dev/emp0
echo 1 > /sys/bus/pci/devices/0000:00:04.0/remove
ls /dev | grep -c emp || true
rmmod emp
"""


def test_a_card_is_started_reset_unbound_and_unplugged() -> None:
    result = run(LIFE)
    assert result.status == 0, result.output + result.log
    assert result.output.split("\n")[:6] == [
        "3 running 1 0 0",
        "running 2",
        "0",
        "running",
        "0",
        "",
    ]
    assert complaints(result.log) == []


def test_a_damaged_image_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "image"
    content = bytearray(IMAGE.read_bytes())
    content[len(content) // 2] ^= 4
    damaged.write_bytes(content)
    result = run(
        "insmod /emp.ko nodes=0; ls /sys/class/emp | wc -l; rmmod emp", damaged
    )
    assert result.status == 0, result.output + result.log
    assert result.output == "0\n"
    assert "the file is damaged: its CRC does not hold" in result.log
