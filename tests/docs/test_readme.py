# SPDX-License-Identifier: MIT
"""What the README tells a newcomer to type exists, and prints what the README shows."""

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "gen")]
from hsmc.commands.main import COMMANDS  # noqa: E402
from tests.long_tests import long  # noqa: E402

README = (TOP / "README.md").read_text()
SHOWN = re.compile(r"^```text\n\$ make demo\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_target_exists() -> None:
    told = subprocess.run(
        ["make", "-s", "help"], cwd=TOP, capture_output=True, text=True, check=True
    ).stdout
    targets = set(re.findall(r"^  make ([\w-]+) ", told, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z][\w-]*)", "".join(code())))
    assert named and named <= targets


def test_every_command_of_hsmc_exists() -> None:
    named = set(re.findall(r"\bhsmc ([a-z][\w-]*)", "".join(code())))
    assert named and named <= set(COMMANDS)


def code() -> list[str]:
    """What stands in backquotes or is indented."""
    quoted = re.findall(r"`[^`\n]+`", README)
    return [*quoted, *re.findall(r"^ {4}.*\n", README, re.MULTILINE)]


@long
def test_demo_prints_what_is_shown() -> None:
    """Every line of the block, in order; `...` stands for lines left out."""
    shown = SHOWN.search(README)
    assert shown
    printed = iter(
        subprocess.run(
            ["make", "-s", "demo"], cwd=TOP, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    )
    for line in shown[1].splitlines():
        if line.strip() not in ("", "..."):
            assert line in printed, f"README shows {line!r}"
