# SPDX-License-Identifier: MIT
"""hsmc verify on many machines: parts run apart are judged as one list of searches."""

from __future__ import annotations

import doctest
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hsmc import parts
from tests.verification.test_verification import ABP, FORGETFUL, hsmc, seeded
from tests.long_tests import long

PARTS = 3


def run_part(directory: Path, part: int, *arguments: str) -> str:
    shares = f"--parts {PARTS} --part {part} --into parts".split()
    result = hsmc(directory, "verify", "abp.hsm", *shares, *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def verdicts(text: str) -> list[dict[str, Any]]:
    """All but what depends on the machine."""
    return [
        {k: v for k, v in record.items() if k not in ("seconds", "compile_seconds")}
        for record in json.loads(text)
    ]


@pytest.fixture(name="done", scope="module")
def all_parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("done")
    (directory / "abp.hsm").write_text(ABP)
    for part in (3, 1, 2):
        run_part(directory, part)
    return directory


@pytest.fixture(name="copy")
def copy_of_all_parts(done: Path, tmp_path: Path) -> Path:
    return shutil.copytree(done, tmp_path / "copy")


def test_parts_say_what_one_machine_says(done: Path) -> None:
    merged = hsmc(done, *"verify abp.hsm --json --merge parts".split())
    whole = hsmc(done, *"verify abp.hsm --json".split())
    assert (merged.returncode, whole.returncode) == (0, 0), merged.stderr
    assert len(verdicts(whole.stdout)) == 4
    assert verdicts(merged.stdout) == verdicts(whole.stdout)


def test_a_lost_part_is_run_again(copy: Path) -> None:
    before = (copy / "parts" / "part-00001.json").read_bytes()
    (copy / "parts" / "part-00002.json").unlink()
    lost = hsmc(copy, *"verify abp.hsm --merge parts".split())
    assert lost.returncode == 1
    assert "1 of 3 parts are missing; run again --part 2" in lost.stderr
    run_part(copy, 2)
    assert "has been run before" in run_part(copy, 1)
    assert (copy / "parts" / "part-00001.json").read_bytes() == before
    again = hsmc(copy, *"verify abp.hsm --merge parts".split())
    assert again.returncode == 0, again.stderr


@long
def test_a_violation_in_one_part_is_told_by_all(tmp_path: Path) -> None:
    """With its counterexample, which is made where the parts are merged."""
    seeded(tmp_path, FORGETFUL)
    for part in range(1, PARTS + 1):
        run_part(tmp_path, part, "--output", f"machine{part}")
    merged = hsmc(tmp_path, *"verify abp.hsm --merge parts".split())
    assert merged.returncode == 1
    assert merged.stdout.count("VIOLATED: every_item_arrives") == 2
    trail = "build/verify/abp/two_items/every_item_arrives/counterexample.trail"
    assert (tmp_path / trail).exists()


def test_engines_that_differ_are_found_in_different_parts(copy: Path) -> None:
    file = copy / "parts" / "part-00001.json"
    record = json.loads(file.read_text())
    record["runs"][0]["states"] += 1
    file.write_text(json.dumps(record))
    merged = hsmc(copy, *"verify abp.hsm --merge parts".split())
    assert merged.returncode == 1
    assert "the two back ends differ" in merged.stderr


@pytest.mark.parametrize("more", ["--merge parts", "--parts 3 --into parts"])
@pytest.mark.parametrize(
    "change, differs", [("--memory 4000", "limits"), ("--engine c", "searches")]
)
def test_parts_of_other_work_are_refused(
    done: Path, change: str, differs: str, more: str
) -> None:
    result = hsmc(done, *f"verify abp.hsm {change} {more}".split())
    assert result.returncode == 1
    assert f"of other work: {differs};" in result.stderr


def test_parts_of_another_spec_are_refused(copy: Path) -> None:
    seeded(copy, FORGETFUL)
    result = hsmc(copy, *"verify abp.hsm --merge parts".split())
    assert "of other work: specs;" in result.stderr


def test_examples_in_the_code() -> None:
    result = doctest.testmod(parts)
    assert result.attempted > 0 and result.failed == 0
