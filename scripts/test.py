#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every test under pytest and ends with the plain line `N passed, N failed`.

Arguments are handed to pytest. The counts come from pytest's own JUnit report, so the closing line cannot
disagree with it; a run that executed nothing counts as a failure.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

REPORT = Path("build/tests/report.xml")


def environment() -> dict[str, str]:
    """As the Makefile has it: a start of hsmc takes twice as long without what it keeps beside Python's bytecode."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    kept.setdefault("PYTHONPYCACHEPREFIX", str(Path("build/pycache").resolve()))
    return kept


def main() -> int:
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.unlink(missing_ok=True)
    command = [
        "/usr/bin/python3",
        "-m",
        "pytest",
        "-q",
        "-rfEs",
        "-p",
        "no:cacheprovider",
        f"--junitxml={REPORT}",
        *sys.argv[1:],
    ]
    status = subprocess.run(command, check=False, env=environment()).returncode
    passed = failed = skipped = 0
    if REPORT.exists():
        for suite in ElementTree.parse(REPORT).getroot().iter("testsuite"):
            bad = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
            failed += bad
            skipped += int(suite.get("skipped", "0"))
            passed += (
                int(suite.get("tests", "0")) - bad - int(suite.get("skipped", "0"))
            )
    if status != 0 and failed == 0:
        failed = 1
    if passed == 0:
        failed = max(failed, 1)
    print(
        f"{passed} passed, {failed} failed"
        + (f", {skipped} skipped" if skipped else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
