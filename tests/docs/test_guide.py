# SPDX-License-Identifier: MIT
"""docs/guide.md: its commands run in their order, and print what it shows but for numbers."""

import os
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGE = (TOP / "docs/guide.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME_LIMIT_SECONDS = 600


def masked(line: str) -> str:
    """Numbers of measurements, and the width of columns, differ from run to run."""
    return re.sub(r"\d+(\.\d+)?", "0", re.sub(r"\s+", " ", line.strip()))


def test_commands_of_the_guide(tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE)
    script = f"set -eu\ntrap 'kill %1 2>/dev/null || true' EXIT\ncd {TOP}\n"
    for place, (kind, text) in enumerate(blocks):
        if kind == "sh":
            script += f"echo '== block {place}'\n{text}"
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "EMP_"))
    }
    result = subprocess.run(
        ["bash", "-m", "-c", script],
        env={**environment, "HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_LIMIT_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    printed = re.split(r"^== block (\d+)\n", result.stdout, flags=re.MULTILINE)
    of_block = dict(zip(map(int, printed[1::2]), printed[2::2]))
    shown = 0
    for place, (kind, text) in enumerate(blocks):
        if kind != "text":
            continue
        found = [masked(line) for line in of_block[place - 1].splitlines()]
        for line in text.splitlines():
            assert masked(line) in found, f"{line!r} is not in\n{of_block[place - 1]}"
            shown += 1
    assert shown > 10


def test_first_program_is_the_example() -> None:
    """Each call of the ten lines is in the installed example."""
    ten = re.search(r"^```c\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert ten and len(ten[1].splitlines()) == 10
    example = (TOP / "host/examples/hello.c").read_text(encoding="utf-8")
    calls = re.findall(r"\blibemp_\w+\(", ten[1])
    assert len(calls) == 8 and [call for call in calls if call not in example] == []
