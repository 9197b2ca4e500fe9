# SPDX-License-Identifier: MIT
"""The ten steps of docs/tutorial.md, done as a reader would."""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from tests.tutorial import follow  # noqa: E402

MANUAL = TOP / "docs/tutorial.md"


def test_steps(tmp_path: Path) -> None:
    steps = MANUAL.read_text().split("\n## Ten steps", 1)[1].split("\n## ", 1)[0]
    assert len(re.findall(r"^### Step \d+: ", steps, re.MULTILINE)) == 10
    follow(MANUAL, "Ten steps", tmp_path / "abp.hsm")
