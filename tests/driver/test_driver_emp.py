# SPDX-License-Identifier: MIT
"""Programs over the driver's board in a virtual machine, and over a served board at the other end of the wire: all of the
command `emp`, and then what a program has of its board, which its children have not. One machine, as starting one
takes longest."""

import hashlib
import json
import os
import random
import re
import subprocess
from pathlib import Path

from scripts.guest import Guest
from tests.driver.test_module import BUILD, IMAGE, IN_GUEST, MODULE, complaints, module
from tests.kernel.machines import BRIDGE, TWO_BOARDS, serve, skip_without_kernel

skip_without_kernel()
__all__ = ["module"]  # the fixture

EMP = (BUILD / "bin/emp").resolve()
COURIER = (BUILD / "tests/driver/courier").resolve()
LEFT, RIGHT = "02:54:47:00:00:00", "02:54:47:00:00:01"
LOSS = 'faults = ( "left<->right: lose 1%" );\n'
LEFT_SIDE = f"""insmod /emp.ko
export EMP_BOARD=emp0
/emp load --node=0 --peer=1={RIGHT} --wait-link --timeout=20 || exit 1
/emp load --node=0 && exit 2
/emp load --node=0 --force /emp.bin && exit 3
/emp info --json || exit 4
/emp param silence_timeout=2000000 || exit 5
/emp ping 1 --count=3 --interval=0.001 || exit 6
/emp perf 1 --test=latency --bytes=4 || exit 7
/emp perf 1 --test=stream --bytes=4k || exit 8
/emp send 1 /there || exit 9
/emp recv /tmp && sha256sum /tmp/back || exit 10
/emp stat --count=2 --interval=0.01 || exit 11
/emp dump | grep processor && exit 12
for board in emp0 emp0.trusted; do
    /courier renew $board 0 1 {RIGHT} 6
    EMP_POLLS=1 /courier parent $board 0 1 {RIGHT} 1000
done
sleep 1.3
cat /sys/kernel/debug/emp/emp0/ports /sys/kernel/debug/emp/emp0/memory
pidof courier | wc -w
/courier ping emp0 0 1 {RIGHT} 1 || exit 13
killall courier; sleep 0.1
rmmod emp
"""
RIGHT_SIDE = """set -e
"$EMP" load "$IMAGE" --node=1 --peer=0=$LEFT --wait-link --timeout=100
"$EMP" ping --answer --count=3
"$EMP" perf --answer --count=2
"$EMP" recv arrived
"$EMP" send 0 back
touch sent
exec "$COURIER" echo "$EMP_BOARD" 1 0 $LEFT 4
"""


def check_what_children_have(output: str) -> None:
    """Nothing, though they live on."""
    assert output.count("renew: 6 memories at one address") == 2, output
    assert output.count("parent: its children were refused") == 2, output
    assert output.count(" 0 128 128 0 ") == 4, output
    assert "regions 0\npages 0\n4\nping: 1 messages" in output


def test_emp_and_what_belongs_to_a_program_over_the_driver(tmp_path: Path) -> None:
    numbers = random.Random(3)
    there, back = tmp_path / "there", tmp_path / "back"
    there.write_bytes(numbers.randbytes(300_001))
    back.write_bytes(numbers.randbytes(200_000))
    (tmp_path / "arrived").mkdir()
    with serve(TWO_BOARDS + LOSS) as server:
        environment = {
            "EMP_BOARD": f"sim:{server.path('right')}",
            "EMP": str(EMP),
            "COURIER": str(COURIER),
            "IMAGE": str(IMAGE),
            "LEFT": LEFT,
        }
        with Guest(
            server.path("left"),
            LEFT_SIDE,
            modules=[MODULE],
            programs=[EMP, COURIER],
            files={IN_GUEST: IMAGE, "emp.bin": IMAGE, "there": there},
            bridge=BRIDGE,
            options=["--shift=5"],
        ) as guest:
            with subprocess.Popen(
                ["sh", "-c", RIGHT_SIDE],
                env={**os.environ, **environment},
                cwd=tmp_path,
                stdout=subprocess.DEVNULL,
            ) as other:
                try:
                    result = guest.finish()
                finally:
                    other.kill()
        server.finish()
    assert result.status == 0, result.output
    assert (tmp_path / "sent").exists()
    assert complaints(result.log) == [], result.log
    information = json.loads(
        next(line for line in result.output.splitlines() if line.startswith("{"))
    )
    assert (information["state"], information["node"]) == ("running", 0)
    assert "runs as node 0; --force loads over it" in result.output
    assert "its driver loads the firmware itself; expected no image" in result.output
    assert re.search(r"answered +3\n", result.output)
    assert re.search(r"latency +4 bytes +[\d.]+ us one way", result.output)
    assert re.search(r"stream +4096 bytes +[\d.]+ Mb/s", result.output)
    assert (tmp_path / "arrived/there").read_bytes() == there.read_bytes()
    assert hashlib.sha256(back.read_bytes()).hexdigest() in result.output
    check_what_children_have(result.output)
