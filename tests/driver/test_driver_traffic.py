# SPDX-License-Identifier: MIT
"""Programs over the driver in a virtual machine; the board at the other end of the wire has a program of its own."""

import hashlib
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from scripts.guest import TIME_LIMIT_SECONDS, Guest, Result
from tests.driver.test_module import BUILD, IMAGE, IN_GUEST, MODULE, complaints, module
from tests.kernel.machines import BRIDGE, TWO_BOARDS, serve, skip_without_kernel
from tests.long_tests import long

skip_without_kernel()
__all__ = ["module"]  # the fixture

COURIER = (BUILD / "tests/driver/courier").resolve()
HOSTILE = (BUILD / "tests/driver/hostile").resolve()
LEFT, RIGHT = "02:54:47:00:00:00", "02:54:47:00:00:01"
LOSS = 'faults = ( "left<->right: lose 1%" );\n'
PING = f"/courier ping emp0 0 1 {RIGHT}"
PORTS = "cat /sys/kernel/debug/emp/emp0/ports /sys/kernel/debug/emp/emp0/memory"
INTERRUPTS = "awk '/emp0/ { print $2 \" interrupts\" }' /proc/interrupts"
IDLE = ["0 0 128 128 0", "1 0 128 128 0", "2 0 128 128 0", "3 0 128 128 0"]


def run(
    script: str,
    other: list[str],
    scenario: str = TWO_BOARDS,
    files: dict[str, Path] | None = None,
    limit_seconds: float = TIME_LIMIT_SECONDS,
) -> Result:
    """The script in the machine of the left board; a courier at the right one, which ends with it or before."""
    with serve(scenario) as server:
        with Guest(
            server.path("left"),
            script,
            modules=[MODULE],
            programs=[COURIER, HOSTILE],
            files={IN_GUEST: IMAGE, **(files or {})},
            bridge=BRIDGE,
        ) as guest:
            verb, *rest = other
            with subprocess.Popen(
                [COURIER, verb, f"sim:{server.path('right')}", "1", "0", LEFT, *rest],
                env={**os.environ, "EMP_IMAGE": str(IMAGE)},
            ) as process:
                try:
                    result = guest.finish(limit_seconds)
                finally:
                    if verb == "echo":
                        process.kill()
            if verb != "echo":
                assert process.returncode == 0
        server.finish()
    assert complaints(result.log) == [], result.log
    return result


def shares(output: str) -> list[str]:
    """Of the ports: number, open, descriptors, free ones, sends."""
    return [
        " ".join(line.split()[:5])
        for line in output.splitlines()
        if re.fullmatch(r"[0-3]( \d+){8}", line)
    ]


def microseconds(output: str) -> list[int]:
    return [int(text) for text in re.findall(r"intact, \d+ again, (\d+) us", output)]


@long  # test_driver_emp.py sends files both ways, too
def test_files_go_both_ways_over_a_wire_that_loses(tmp_path: Path) -> None:
    numbers = random.Random(3)
    there, back = tmp_path / "there", tmp_path / "back"
    there.write_bytes(numbers.randbytes(700_001))
    back.write_bytes(numbers.randbytes(300_000))
    result = run(
        f"insmod /emp.ko; /courier file emp0 0 1 {RIGHT} /there /tmp/back && sha256sum /tmp/back; rmmod emp",
        ["file", str(back), str(tmp_path / "arrived")],
        TWO_BOARDS + LOSS,
        {"there": there},
    )
    assert result.status == 0, result.output
    assert hashlib.sha256(back.read_bytes()).hexdigest() in result.output
    assert (tmp_path / "arrived").read_bytes() == there.read_bytes()


def kills(count: int, seed: int) -> str:
    """Programs on port 1 that are killed amid their messages."""
    moments = random.Random(seed)
    return "\n".join(
        f"/courier ping emp0.1 0 1 {RIGHT} 100000 & VICTIM=$!; sleep {moments.uniform(0.0, 0.06):.4f}; kill -9 $VICTIM"
        for _ in range(count)
    )


@long
@pytest.mark.parametrize("count", [8, 200])
def test_programs_may_be_killed(count: int) -> None:
    result = run(
        f"""insmod /emp.ko
{PING} 5
{PING} {20 * count} > /tmp/neighbour & NEIGHBOUR=$!
{kills(count, 1)}
wait $NEIGHBOUR && cat /tmp/neighbour
sleep 1.3
{PORTS}
rmmod emp
""",
        ["echo", "4"],
    )
    assert result.status == 0, result.output
    assert shares(result.output) == IDLE, result.output
    assert "regions 0\npages 0\n" in result.output
    assert re.search(
        rf"{20 * count} messages of \d+ bytes intact, 0 again", result.output
    )


@long  # test_hostile.c does so in user space
@pytest.mark.parametrize("calls", [20_000, 1_000_000])
def test_a_hostile_program_harms_nothing(calls: int) -> None:
    """Its neighbour does at least 90 % of what it does beside a program that only uses the processor. That takes real time,
    so it is compared where this test runs alone; test_share compares it in simulated time.
    """
    beside = [
        "while :; do :; done",
        "exec /hostile /dev/emp0 1 greedy",
        "exec /hostile /dev/emp0 1 1000000000 1",
    ]
    alone = calls == 1_000_000
    neighbours = "".join(
        f"({other}) & OTHER=$!\n{PING} 60\nkill -9 $OTHER\nsleep 1.3\n"
        for other in (beside if alone else [])
    )
    result = run(
        f"""insmod /emp.ko
{PING} 5
{neighbours}/hostile /dev/emp0 2 {calls} 11
{PING} 60
sleep 1.3
{PORTS}
rmmod emp
""",
        ["echo", "1"],
        limit_seconds=TIME_LIMIT_SECONDS * (1 + calls // 100_000),
    )
    assert result.status == 0, result.output
    assert f"hostile: {calls} calls" in result.output
    assert "memory around untouched" in result.output
    assert "became writable" not in result.output
    assert shares(result.output) == IDLE, result.output
    if alone:
        _, busy, greedy, random_calls, _ = microseconds(result.output)
        assert greedy * 0.9 <= busy, result.output
        assert random_calls * 0.9 <= busy, result.output


@long
def test_a_reset_a_trusted_program_and_programs_in_poll() -> None:
    result = run(
        f"""insmod /emp.ko
{PING} 5
/courier calls emp0 0 1 {RIGHT} 10
(sleep 0.05; echo 1 > /sys/class/emp/emp0/reset) &
{PING} 100
cat /sys/class/emp/emp0/starts
/courier ping emp0.trusted 0 1 {RIGHT} 20
{PING} 20
{INTERRUPTS}
EMP_POLLS=1 {PING} 20
{INTERRUPTS}
EMP_POLLS=1 /courier ping emp0 0 1 {RIGHT} 100000 & PROGRAM=$!
sleep 0.05
echo 1 > /sys/bus/pci/devices/0000:00:04.0/remove
wait $PROGRAM || echo the program noticed
rmmod emp
""",
        ["echo", "4"],
    )
    assert result.status == 0, result.output
    alone, among = re.findall(r"(\d+) ns a(?:lone|mong)", result.output)
    assert int(among) * 1.2 < int(alone), "a system call for many costs less"
    assert "100 messages" in result.output
    assert result.output.count("20 messages of") == 3, result.output
    looking, waiting = re.findall(r"(\d+) interrupts", result.output)
    assert int(looking) == 0 < int(waiting)
    assert "the program noticed" in result.output
