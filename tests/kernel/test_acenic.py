# SPDX-License-Identifier: MIT
"""Debian's own driver for the card, acenic.ko, unmodified, on simulated boards with the small Ethernet firmware of
tests/ethernet: from probe to removal, and traffic between two virtual machines."""

import random
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from scripts.guest import Guest, Result, warnings
from tests.kernel.machines import (
    BRIDGE,
    ONE_BOARD,
    TWO_BOARDS,
    done,
    serve,
    skip_without_kernel,
)
from tests.long_tests import long

skip_without_kernel()

FIRMWARE = {"lib/firmware/acenic/tg2.bin": Path("build/ethernet/ethernet.tg2")}
DEVICE = "/sys/bus/pci/devices/0000:00:04.0"
UP = "eth0: Optical link UP (Full Duplex, Flow Control: TX RX)"
DOWN = "eth0: Optical link DOWN"
# What the driver says of each card, on the level of warnings for want of a better one.
SAYS = re.compile(
    r"acenic.c: v|  +http:|Gigabit Ethernet at|irq \d|MAC: |correcting to 64"
)
PROBE = """insmod /acenic.ko || exit 1
until [ -d /sys/class/net/eth0 ]; do sleep 0.1; done
"""
# Each waits for the other where their scripts have to meet. The cable is pulled in between.
FAULT = "left<->right: unplug at 300 ms for 100 ms"
LINKS = "until [ $(dmesg | grep -c 'link UP') = 2 ]; do sleep 0.05; done\n"
LEFT = (
    PROBE
    + """ip addr add 10.0.0.1/24 dev eth0
ip link set eth0 up
"""
    + LINKS
    + """until ping -c 1 -W 1 10.0.0.2 >/dev/null; do :; done
ping -c 20 -i 0.01 -W 1 10.0.0.2 | grep transmitted
until nc 10.0.0.2 7 < /file; do sleep 0.1; done
nc -l -p 8 > /got
cmp /got /file && echo equal
"""
)
RIGHT = (
    PROBE
    + """ip addr add 10.0.0.2/24 dev eth0
ip link set eth0 up
"""
    + LINKS
    + """nc -l -p 7 > /got
cmp /got /file && echo equal
until nc 10.0.0.1 8 < /file; do sleep 0.1; done
"""
)
REMOVE = """ip link set eth0 down
rmmod acenic
[ ! -e /sys/class/net/eth0 ] && echo removed
"""


def acenic(socket: Path, script: str, **files: Path) -> Guest:
    return Guest(
        socket, script, modules=["acenic"], files={**FIRMWARE, **files}, bridge=BRIDGE
    )


def messages(log: str) -> list[str]:
    """What the kernel warns of, beside the driver's usual words."""
    texts = [re.sub(r"<\d+>\[[^]]*\] ", "", line) for line in warnings(log)]
    return [text for text in texts if not SAYS.match(text)]


def alone(script: str, text: str = ONE_BOARD, *options: str) -> Result:
    with serve(text, *options) as server:
        with acenic(server.path("left"), script) as guest:
            result = guest.finish()
        server.finish()
    return result


def test_probe_and_removal() -> None:
    result = alone(
        PROBE
        + """cat /sys/class/net/eth0/address
ip link set eth0 up
grep -c acenic /proc/interrupts
"""
        + REMOVE
    )
    assert result.status == 0, result
    assert result.output == "02:54:47:00:00:00\n1\nremoved\n"
    assert messages(result.log) == []
    assert "PCI bus width: 64 bits, speed: 66MHz" in result.log
    assert "Firmware up and running" in result.log


def two_machines(file: Path) -> tuple[Result, Result, dict[str, Any]]:
    with ExitStack() as stack:
        text = TWO_BOARDS + f'faults = ( "{FAULT}" );\n'
        server = stack.enter_context(serve(text, "--set", "wire_loss=0.02"))
        guests = [
            stack.enter_context(acenic(server.path(name), script + REMOVE, file=file))
            for name, script in (("left", LEFT), ("right", RIGHT))
        ]
        left, right = (guest.finish() for guest in guests)
        results = server.finish()
    return left, right, results


@long
def test_two_machines_with_a_lossy_wire_between(tmp_path: Path) -> None:
    """Negotiation, the cable out and in, echoes, files both ways over TCP, and removal, while 2 % of the frames are
    lost. In lock step all of it repeats exactly."""
    file = tmp_path / "file"
    file.write_bytes(random.Random(1).randbytes(100_000))
    left, right, results = two_machines(file)
    for result in (left, right):
        assert result.status == 0, result
        assert result.output.endswith("equal\nremoved\n"), result.output
        assert messages(result.log) == [UP, DOWN, UP]
    echoes = re.search(r"20 packets transmitted, (\d+) packets received", left.output)
    assert echoes and int(echoes[1]) > 10
    for direction in results["wires"][0]:
        assert direction["frames"] > 100
        assert direction["lost"] > 0
    again_left, again_right, again = two_machines(file)
    assert (again_left, again_right) == (left, right)
    assert done(again) == done(results)


@long
def test_the_driver_comes_and_goes() -> None:
    """Unloaded and loaded again; the device removed and found again while the driver uses it. Time runs freely."""
    script = (
        PROBE
        + "ip link set eth0 up\n"
        + REMOVE
        + PROBE
        + f"""ip link set eth0 up
echo 1 > {DEVICE}/remove
[ ! -e /sys/class/net/eth0 ] && [ ! -e {DEVICE} ] && echo gone
echo 1 > /sys/bus/pci/rescan
ip link set eth0 up
"""
        + REMOVE
    )
    result = alone(script, ONE_BOARD, "--free")
    assert result.status == 0, result
    assert result.output == "removed\ngone\nremoved\n"
    assert messages(result.log) == []
    assert result.log.count("Firmware up and running") == 3


@long
def test_a_card_that_was_reset_is_loaded_again() -> None:
    """The board is reset while the interface is up: its processor has halted. The driver, loaded again, starts it."""
    script = (
        PROBE
        + f"""ip link set eth0 up
read base end flags < {DEVICE}/resource
until [ $(($(devmem $((base + 0x140)) 32) & 0x10000)) -ne 0 ]; do sleep 0.05; done
echo halted
"""
        + REMOVE
        + PROBE
        + "ip link set eth0 up\n"
        + REMOVE
    )
    result = alone(script, ONE_BOARD + 'faults = ( "left: reset at 500 ms" );\n')
    assert result.status == 0, result
    assert result.output == "halted\nremoved\nremoved\n"
    assert messages(result.log) == []
    assert result.log.count("Firmware up and running") == 2


@long
def test_a_card_pulled_out() -> None:
    """The board dies: all reads give ones. The driver is removed with the device, while its interface is down: with
    the interface up it takes what it reads for an index, as it was not written for this.
    """
    script = (
        PROBE
        + f"""device={DEVICE}
while [ "$(head -c 2 $device/config | od -An -tx1)" = " ae 12" ]; do sleep 0.05; done
echo dead
echo 1 > $device/remove
[ ! -e /sys/class/net/eth0 ] && echo removed
echo 1 > /sys/bus/pci/rescan
[ ! -e $device ] && echo empty
"""
    )
    result = alone(script, ONE_BOARD + 'faults = ( "left: kill at 500 ms" );\n')
    assert result.status == 0, result
    assert result.output == "dead\nremoved\nempty\n"
    assert messages(result.log) == []
