# SPDX-License-Identifier: MIT
"""`scripts/licence.py` finds a source file without its SPDX line, adds it, and leaves test data alone."""

import doctest
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))
from scripts import licence  # noqa: E402

FILES = {
    "run": "#!/bin/sh\ntrue\n",
    "a.c": "int a;\n",
    "b.hsm": "protocol b\n",
    "tests/golden/c.c": "int c;\n",
    "d.md": "# D\n",
}


def run(top: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        "/usr/bin/python3",
        f"{TOP}/scripts/licence.py",
        "--top",
        str(top),
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_missing_lines_are_reported_and_added(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "-A"], check=True)
    told = run(tmp_path)
    assert told.returncode == 1
    assert [line.split(":")[0] for line in told.stderr.splitlines()] == [
        "a.c",
        "b.hsm",
        "run",
    ]
    assert run(tmp_path, "--write").returncode == 0
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "run").read_text().startswith("#!/bin/sh\n# SPDX")
    assert (
        (tmp_path / "b.hsm").read_text().endswith("\n# SPDX-License-Identifier: MIT\n")
    )
    assert (tmp_path / "tests/golden/c.c").read_text() == "int c;\n"


def test_doctests() -> None:
    assert doctest.testmod(licence).failed == 0
