# SPDX-License-Identifier: MIT
"""Two virtual machines, each with the driver and a board of its own, on one wire."""

import hashlib
import random
from contextlib import ExitStack
from pathlib import Path

from scripts.guest import Guest
from tests.driver.test_module import BUILD, IMAGE, IN_GUEST, MODULE, complaints, module
from tests.kernel.machines import BRIDGE, TWO_BOARDS, serve, skip_without_kernel
from tests.long_tests import long

skip_without_kernel()
__all__ = ["module"]  # the fixture

COURIER = (BUILD / "tests/driver/courier").resolve()
ADDRESSES = ("02:54:47:00:00:00", "02:54:47:00:00:01")
LOSS = 'faults = ( "left<->right: lose 2%" );\n'


@long
def test_two_machines_exchange_files_over_a_wire_that_loses(tmp_path: Path) -> None:
    files = [tmp_path / "left", tmp_path / "right"]
    for number, file in enumerate(files):
        file.write_bytes(random.Random(number).randbytes(400_001 - 100_000 * number))
    with serve(TWO_BOARDS + LOSS) as server, ExitStack() as stack:
        guests = [
            stack.enter_context(
                Guest(
                    server.path(name),
                    "insmod /emp.ko\n"
                    f"/courier file emp0 {own} {1 - own} {ADDRESSES[1 - own]} /file /tmp/got\n"
                    "sha256sum /tmp/got && sleep 0.5; rmmod emp\n",
                    modules=[MODULE],
                    programs=[COURIER],
                    files={IN_GUEST: IMAGE, "file": files[own]},
                    bridge=BRIDGE,
                )
            )
            for own, name in enumerate(("left", "right"))
        ]
        results = [guest.finish() for guest in guests]
        wires = server.finish()["wires"]
    for own, result in enumerate(results):
        assert result.status == 0, result.output
        sent = files[1 - own].read_bytes()
        assert hashlib.sha256(sent).hexdigest() in result.output
        assert complaints(result.log) == [], result.log
    assert all(direction["lost"] > 0 for direction in wires[0])
