# SPDX-License-Identifier: MIT
"""The image with run-time checks: it does what the shipped one does, and a promise that is broken stops the board.

Bits of the lists of posted receives, which lie in SRAM, are turned amid an exchange: their links lead out of the table.
"""

import re
import subprocess
from pathlib import Path

from scripts.demo import GENERATED

SCENARIO = Path("sim/scenarios/emp-ping.scenario")
TIGONSIM = Path("build/tigonsim").resolve()
CHECKED = Path("build/firmware/emp_a_checked.elf").resolve()
SPEC = Path("spec/emp/receive.hsm")


def constant(name: str) -> int:
    layout = (GENERATED / "emp_layout.h").read_text()
    found = re.search(rf"#define EMP_{name} (\d+)u", layout)
    assert found is not None
    return int(found[1])


def address_of(symbol: str) -> int:
    names = subprocess.run(
        ["mips-linux-gnu-nm", CHECKED], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(rf"^([0-9a-f]+) \w {symbol}$", names, re.MULTILINE)
    assert found is not None
    return int(found[1], 16)


def spoilt_links() -> str:
    """The highest bit of `next` in each head of a list. A record of Posted: two words, next, last."""
    posted = address_of("emp_state_posted")
    heads = 1 << constant("DESCRIPTOR_LIMIT") // 80
    first = constant("DESCRIPTOR_LIMIT")
    faults = (
        f'"right: flip bit 7 of 0x{posted + 12 * (first + head) + 8:x} at 29500us"'
        for head in range(heads)
    )
    return "\nfaults = (\n" + ",\n".join(faults) + "\n);\n"


def run(
    directory: Path, image: Path, faults: str = ""
) -> tuple[subprocess.CompletedProcess[str], str]:
    text = SCENARIO.read_text().replace("../../build/firmware/emp_a.elf", str(image))
    text = text.replace("../../build", str(TIGONSIM.parent))
    scenario, report = directory / "ping.scenario", directory / "report.txt"
    scenario.write_text(text + faults)
    command = [str(TIGONSIM), "run", str(scenario), f"--report={report}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result, report.read_text()


def test_nothing_is_found_where_nothing_is_wrong(tmp_path: Path) -> None:
    result, report = run(tmp_path, CHECKED)
    assert result.returncode == 0, result.stderr
    assert "stopped itself" not in report


def test_a_broken_promise_stops_the_board(tmp_path: Path) -> None:
    result, report = run(tmp_path, CHECKED, spoilt_links())
    assert result.returncode == 1
    told = re.search(
        r"fault 0x81[0-9A-F]{6}: it was built to check, and met an index outside .* at receive\.hsm:(\d+)",
        result.stderr,
    )
    assert told is not None, result.stderr
    assert "Posted[" in SPEC.read_text().split("\n")[int(told[1]) - 1]
    assert re.search(
        rf"stopped itself: fault 0x81\w{{6}}, an index .* at receive\.hsm:{told[1]}\n",
        report,
    )
    assert "right" in report[: report.index("stopped itself")].split("\n\n")[-1]
