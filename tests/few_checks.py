# SPDX-License-Identifier: MIT
"""EMP's spec with its first check alone, for tests about other things: a compiler or a server that judges a text
resolves it anew in every check, which takes seconds."""

import re
import shutil
from pathlib import Path

EMP = Path(__file__).resolve().parents[1] / "spec/emp"
CHECK = re.compile(r"^check .*\n(?:  .*\n)*\n?", re.MULTILINE)


def with_first_check(text: str) -> str:
    """A top file without the checks behind its first one."""
    checks = list(CHECK.finditer(text))
    assert len(checks) > 10
    for check in reversed(checks[1:]):
        text = text[: check.start()] + text[check.end() :]
    return text


def copy_emp(directory: Path) -> Path:
    """A copy of the spec's directory there, with one check."""
    shutil.copytree(EMP, directory)
    top = directory / "emp.hsm"
    top.write_text(with_first_check(top.read_text()))
    return directory
