# SPDX-License-Identifier: MIT
"""Where a Python package is not installed, hsmc says which, and what installs it, instead of a traceback."""

import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
SPEC = TOP / "spec/abp/abp.hsm"
MANUAL = TOP / "docs/language.md"


@pytest.mark.parametrize(
    "package, debian, arguments",
    [
        ("lark", "python3-lark", ["check", SPEC]),
        ("jinja2", "python3-jinja2", ["build", SPEC, "--output", "out"]),
        (
            "markdown",
            "python3-markdown",
            ["doc", SPEC, "--output", "out", "--manual", MANUAL],
        ),
        ("pylsp_jsonrpc", "python3-pylsp-jsonrpc", ["language-server"]),
    ],
)
def test_message(
    package: str, debian: str, arguments: list[str | Path], tmp_path: Path
) -> None:
    """A package of the same name that cannot be found comes before the installed one."""
    (tmp_path / f"{package}.py").write_text(
        f"raise ModuleNotFoundError('No module named {package}', name={package!r})\n"
    )
    result = subprocess.run(
        [TOP / "gen/bin/hsmc", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert "Traceback" not in result.stderr and "internal error" not in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert f"the Python package '{package}' (Debian package {debian}) is missing" in (
        result.stderr
    )
    assert "'make setup'" in result.stderr


def test_a_module_of_our_own_is_a_mistake_of_ours() -> None:
    from hsmc.missing_packages import missing_package

    own = ModuleNotFoundError("No module named 'hsmc.nothing'", name="hsmc.nothing")
    assert missing_package(own) is None
