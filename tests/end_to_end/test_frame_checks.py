# SPDX-License-Identifier: MIT
"""EMP's check of frames from end to end: what is damaged outside the wire's own check sum arrives as it was sent."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.programs import TOP, make_variant, succeeds
from tests.long_tests import long

PLAIN = Path("build/modern")
CHECKED = Path("build/checks_frames")
OPTIONS = "--set checks_frames=1"


@pytest.fixture(scope="module")
def checked() -> Path:
    """Image and programs whose frames carry checks."""
    names = ["host/emp_demo", "firmware/emp_a.elf", "tests/campaign"]
    make_variant(CHECKED, OPTIONS, *names)
    return CHECKED


@pytest.fixture(scope="module")
def checked_programs(checked: Path) -> Path:
    """Besides, what takes long to compile."""
    names = ["tests/campaign_fast", "tests/test_messages"]
    make_variant(checked, OPTIONS, *names, "tests/end_to_end/test_tagged")
    return checked


def transfer(build: Path, work: Path, message_bytes: int) -> dict[str, Any]:
    """A file over a wire that damages one frame of 20, and the frame's own check sum agrees with the damage."""
    (work / "sent").write_bytes(bytes(range(251)) * 8000)
    (work / "faults").write_text("left<->right: corrupt silently 5%\n")
    command = [build / "host/emp_demo", "transfer", "--quiet", "--json=-", "--loss=0"]
    command += [f"--file={work / 'sent'}", f"--output={work / 'received'}"]
    command += [
        f"--image={build / 'firmware/emp_a.elf'}",
        f"--faults={work / 'faults'}",
    ]
    command += [f"--message-bytes={message_bytes}"]
    result = subprocess.run(
        [*map(str, command)], cwd=TOP, check=False, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(result.stdout)
    assert (result.returncode == 0) == found["sha256_equal"]
    return found


@pytest.mark.parametrize("message_bytes", [1400, 65536])
def test_a_file_arrives_as_it_was_sent(
    checked: Path, message_bytes: int, tmp_path: Path
) -> None:
    found = transfer(checked, tmp_path, message_bytes)
    assert found["sha256_equal"]
    assert found["collections_retransmitted"] > 20


def test_without_checks_the_damage_comes_through(tmp_path: Path) -> None:
    assert not transfer(PLAIN, tmp_path, 65536)["sha256_equal"]


def test_random_faults(checked: Path) -> None:
    """Frames are damaged besides; messages have pieces of odd lengths, and some are longer than their receives."""
    assert "1600 messages, 0 worlds failed" in succeeds(checked, "campaign", "20")


@long
def test_many_nodes(checked_programs: Path) -> None:
    """One frame of 20 is damaged, on the native port, which sums data as the chip does."""
    succeeds(checked_programs, "campaign_fast", "100", "12", "2000", "damage=50000")


@long
@pytest.mark.parametrize("program", ["test_messages", "end_to_end/test_tagged"])
def test_programs(checked_programs: Path, program: str) -> None:
    succeeds(checked_programs, program)


def test_bytes_in_descriptors_have_no_checks(tmp_path: Path) -> None:
    """An image with both does not compile; the compiler says what to change."""
    options = f"--profile modern {OPTIONS} --set inline_limit=12"
    image = tmp_path / "firmware/emp_a.elf"
    command = ["make", "-s", "--no-print-directory", "PROFILE=modern"]
    command += [f"BUILD={tmp_path}", f"OPTIONS_emp={options}", str(image)]
    result = subprocess.run(
        command, cwd=TOP, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0 and not image.exists()
    assert "set inline_limit to 0 where checks_frames is 1" in result.stderr
