# SPDX-License-Identifier: MIT
"""What tests/processor_time.py says of a file of tests, with and without workers."""

import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
BURN = """import subprocess, sys
def test_child():
    code = "import time\\nwhile time.process_time() < 1.5: sum(range(100000))"
    subprocess.run([sys.executable, "-c", code], check=True)
def test_sleeper():
    subprocess.run(["sleep", "1"], check=True)
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_tests_start_counts(tmp_path: Path, workers: str) -> None:
    (tmp_path / "test_burns.py").write_text(BURN)
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-n", workers, "-p", "tests.processor_time", f"--rootdir={tmp_path}"]
    told = subprocess.run(
        [*command, str(tmp_path)], cwd=TOP, check=True, capture_output=True, text=True
    ).stdout
    by_file = re.search(r"^ +([0-9.]+) +([0-9.]+)  test_burns\.py$", told, re.MULTILINE)
    together = re.search(r"^ +([0-9.]+) +([0-9.]+)  together$", told, re.MULTILINE)
    assert by_file and together, told
    assert 1.4 < float(by_file[1]) <= float(together[1]) < 4, told
    # The child burns its time outside of the kernel.
    assert float(by_file[2]) <= float(together[2]) < 1, told
