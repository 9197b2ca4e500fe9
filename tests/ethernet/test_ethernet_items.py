# SPDX-License-Identifier: MIT
"""The program that runs the items, on images that a user supplies: how they are named, and what it says of bad ones."""

import subprocess
from pathlib import Path

import pytest

from tests.long_tests import long

OWN = "build/ethernet/ethernet.elf"
SECOND = "build/ethernet/second/ethernet.elf"
# The start address of a C header's arrays; branches to itself for ever.
HEADER = """
int {prefix}StartAddr = 0x4000; int {prefix}TextAddr = 0x4000; int {prefix}TextLen = 0x8;
static u32 {prefix}Text[] = {{ 0x1000FFFF, 0 }};
"""


def items(*arguments: str) -> tuple[int, list[str]]:
    result = subprocess.run(
        ["build/tests/ethernet_items", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return result.returncode, (result.stdout + result.stderr).splitlines()


@pytest.mark.parametrize(
    "item, held, of_firmware",
    [
        ("link", 8, ""),  # over copper later than over fibre
        ("commands", 1, ""),
        ("checksums", 6, ""),
        ("statistics", 0, "; of the firmware's items 0 held, 2 did not"),
        ("host at work", 0, "; of the firmware's items 0 held, 1 did not"),
        ("coalesced alarms", 0, "; of the firmware's items 0 held, 1 did not"),
        pytest.param("", 66, "; of the firmware's items 0 held, 4 did not", marks=long),
    ],
)
def test_other_firmware_holds_the_items_of_the_board(
    item: str, held: int, of_firmware: str
) -> None:
    """The second image differs as firmware of other origin does; what only the first one promises sets no status."""
    status, lines = items("--own=", f"--image={SECOND}", *([item] if item else []))
    assert lines[-1] == f"{SECOND}: {held} held, 0 did not hold{of_firmware}"
    assert status == 0
    heading = (
        "Items that test this project's firmware, which other firmware may not hold:"
    )
    apart = lines.index(heading) if of_firmware else len(lines)
    failed = [i for i, line in enumerate(lines) if line.startswith("DID NOT HOLD")]
    assert all(place > apart for place in failed)


def test_our_firmware_must_hold_its_own_items_too() -> None:
    status, lines = items(f"--own={SECOND}", "host at work")
    assert lines[-1].endswith("of the firmware's items 0 held, 1 did not")
    assert status == 1


def test_the_same_items_run_on_a_supplied_image() -> None:
    status, lines = items(f"--image={OWN}", "booted")
    assert status == 0
    assert lines[-2:] == [
        "our own firmware: 8 held, 0 did not hold",
        f"{OWN}: 8 held, 0 did not hold",
    ]


@pytest.mark.parametrize("arguments", [["--prefix=tigon2Fw"], []])
def test_an_image_that_does_nothing_fails_each_item_and_says_so_last(
    tmp_path: Path, arguments: list[str]
) -> None:
    """One of two images of a driver's header, by its prefix."""
    path = tmp_path / "firmware.h"
    path.write_text(HEADER.format(prefix="tigonFw") + HEADER.format(prefix="tigon2Fw"))
    name = str(path) if arguments else f"{path}:tigon2Fw"
    status, lines = items("--own=", f"--image={name}", *arguments, "booted")
    assert status == 1
    failed = [line for line in lines if line.startswith("DID NOT HOLD  booted, ")]
    assert len(failed) == 8
    assert all("no event 1 within 3000 ms" in line for line in failed)
    assert lines[-1] == f"{name}: 0 held, 8 did not hold"


def test_odd_behaviour_of_a_supplied_image_is_listed_and_no_failure(
    tmp_path: Path,
) -> None:
    """It reads a register that no device has, before it does nothing."""
    path = tmp_path / "odd.h"
    text = HEADER.format(prefix="odd").replace("0x8;", "0x10;")
    # lui $2, 0xC000; lw $3, 0x3FC($2); b .; nop
    path.write_text(
        text.replace("0x1000FFFF, 0", "0x3C02C000, 0x8C4303FC, 0x1000FFFF, 0")
    )
    status, lines = items("--own=", f"--image={path}", "booted")
    assert status == 1
    heading = next(i for i, line in enumerate(lines) if "odd behaviour" in line)
    assert lines[heading].startswith("The simulator found 1 kinds of odd behaviour")
    assert "3FC" in lines[heading + 1]
    assert len(lines) == heading + 3


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--own=", "--image=none.bin"], "none.bin: cannot be read"),
        (["--own=", f"--image={OWN}", "nothing"], "no item has 'nothing' in its name"),
        (["--what"], "usage: "),
    ],
)
def test_what_cannot_be_run(arguments: list[str], message: str) -> None:
    status, lines = items(*arguments)
    assert status == 2
    assert any(line.startswith(message) for line in lines)
