# SPDX-License-Identifier: MIT
"""The fast campaign: right firmware passes; bugs in the spec are found, and their worlds shrunk."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.long_tests import long, one_in

TOP = Path(__file__).resolve().parents[2]

# A file of the spec, what stands there, what instead, how often; what the oracle may find.
BUGS = {
    "repeated frames are not acknowledged again": (
        "receive.hsm",
        ("; raise Acknowledge.acknowledge(f)", "", 4),
        {"stuck"},
    ),
    "data are acknowledged before they are in memory": (
        "receive.hsm",
        (
            "accept(r, f, f.size == 1)\n",
            "accept(r, f, f.size == 1)\n  if f.size == 1\n    raise Acknowledge.acknowledge(f)\n",
            1,
        ),
        {"corrupted", "lost"},
    ),
}


def campaign(build: Path, messages: int, work: Path) -> tuple[int, str, dict[str, int]]:
    output = work / "campaign.json"
    command = ["scripts/campaign.py", "--mode=fast", f"--messages={messages}"]
    result = subprocess.run(
        [
            *command,
            f"--build={build}",
            f"--output={output}",
            "--no-progress",
            "--shrink-seconds=3",
        ],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert output.exists(), result.stdout + result.stderr
    return result.returncode, result.stdout, json.loads(output.read_text())


def test_nothing_is_found(tmp_path: Path) -> None:
    status, said, record = campaign(Path("build"), 500_000, tmp_path)
    assert status == 0, said
    assert record["messages"] >= 500_000 and record["frames"] > record["messages"]


@long
def test_nothing_is_found_among_64_nodes(tmp_path: Path) -> None:
    subprocess.run(
        "make -s PROFILE=modern NODES=64 build/modern/nodes-64/tests/campaign_fast".split(),
        cwd=TOP,
        check=True,
    )
    status, said, record = campaign(Path("build/modern/nodes-64"), 100_000, tmp_path)
    assert status == 0, said
    assert record["messages"] >= 100_000


@pytest.mark.parametrize("bug", one_in(2, BUGS))
def test_a_bug_in_the_spec_is_found(bug: str, tmp_path: Path) -> None:
    file, (old, new, times), findings = BUGS[bug]
    shutil.copytree(TOP / "spec/emp", tmp_path / "emp")
    changed = tmp_path / "emp" / file
    assert changed.read_text().count(old) == times, "the spec has changed: mend the bug"
    changed.write_text(changed.read_text().replace(old, new))
    build = tmp_path / "build"
    spec = f"SPEC_emp={tmp_path / 'emp/emp.hsm'}"
    command = ["make", "-s", f"BUILD={build}", spec, str(build / "tests/campaign_fast")]
    subprocess.run(command, cwd=TOP, check=True, capture_output=True)
    status, said, record = campaign(build, 30_000, tmp_path)
    assert status == 1
    assert sum(record[name] for name in findings) > 0, record
    small = next(line for line in said.split("\n") if "and small: " in line)
    again = subprocess.run(
        small.split("and small: ")[1].split(),
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 1
    assert json.loads(again.stdout.split("\n")[0])["finding"] in findings
