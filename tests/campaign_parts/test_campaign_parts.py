# SPDX-License-Identifier: MIT
"""scripts/campaign.py shared among machines: parts run apart give the sums of the whole."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

PARTS = 4
WORLDS = ["--mode", "fast", "--messages", "60000", "--seed", "3", "--jobs", "1"]


def campaign(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["scripts/campaign.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


FEATURES = """
[[feature]]
name   = "restart"
of     = []
shown  = []
boards = ["restart"]

[[feature]]
name  = "sends"
of    = []
shown = ["Send.BOOKKEEPING.posted.*"]
"""


def run_part(part: int, into: Path, parts: int = PARTS, *more: str | Path) -> str:
    result = campaign(
        *WORLDS, "--parts", str(parts), "--part", str(part), "--into", into, *more
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def sums(file: Path) -> dict[str, Any]:
    """All but what depends on the speed of the machine."""
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {k: v for k, v in record.items() if not k.endswith(("seconds", "second"))}


def test_parts_add_up_to_the_whole(tmp_path: Path) -> None:
    for part in (3, 1, 4, 2):
        run_part(part, tmp_path / "parts")
    merge = campaign(
        "--merge", tmp_path / "parts", "--output", tmp_path / "merged.json"
    )
    assert merge.returncode == 0, merge.stderr
    whole = campaign(*WORLDS, "--output", tmp_path / "whole.json")
    assert whole.returncode == 0, whole.stderr
    assert sums(tmp_path / "merged.json") == sums(tmp_path / "whole.json")
    assert sums(tmp_path / "whole.json")["worlds"] == 6


def test_features_of_parts_add_up_to_those_of_the_whole(tmp_path: Path) -> None:
    listed, into = tmp_path / "emp_features.toml", tmp_path / "parts"
    listed.write_text(FEATURES)
    features: list[str | Path] = ["--features", listed]
    for part in range(1, PARTS + 1):
        run_part(part, into, PARTS, *features)
    merged, whole = tmp_path / "merged", tmp_path / "whole"
    merge = campaign(
        "--merge", into, "--output", tmp_path / "j", *features, "--page", merged
    )
    assert merge.returncode == 0, merge.stderr
    run = campaign(*WORLDS, "--output", tmp_path / "k", *features, "--page", whole)
    assert "pairs have met in 6 worlds" in merge.stdout and run.returncode == 0
    assert merged.read_text() == whole.read_text()
    assert sums(tmp_path / "j")["features"] == sums(tmp_path / "k")["features"]

    listed.write_text(FEATURES.replace("posted.*", "ack.*"))
    none: list[str | Path] = []
    for more in (none, features):
        merge = campaign("--merge", into, "--output", tmp_path / "j", *more)
        assert merge.returncode != 0
        assert "the parts have counted another list of features" in merge.stderr


def test_merge_names_missing_parts(tmp_path: Path) -> None:
    run_part(2, tmp_path)
    merge = campaign("--merge", tmp_path, "--output", tmp_path / "merged.json")
    assert merge.returncode == 1
    assert "3 of 4 parts are missing; run again --part 1,3,4" in merge.stderr
    assert not (tmp_path / "merged.json").exists()


def test_part_that_is_done_is_not_run_again(tmp_path: Path) -> None:
    run_part(1, tmp_path)
    before = (tmp_path / "part-00001.json").read_bytes()
    assert "has been run before" in run_part(1, tmp_path)
    assert (tmp_path / "part-00001.json").read_bytes() == before


def test_unfinished_file_is_no_part(tmp_path: Path) -> None:
    """A machine that stops while it writes leaves another name."""
    (tmp_path / ".part-00001.json.lost.17").write_text("{", encoding="utf-8")
    merge = campaign("--merge", tmp_path)
    assert merge.returncode == 1
    assert "expected files part-*.json, found none" in merge.stderr


def test_parts_of_two_campaigns_are_not_added_up(tmp_path: Path) -> None:
    run_part(1, tmp_path)
    run_part(2, tmp_path, parts=5)
    merge = campaign("--merge", tmp_path)
    assert merge.returncode == 1
    assert "only parts of the same work can be merged" in merge.stderr


def test_failures_of_all_parts_are_kept(tmp_path: Path) -> None:
    """A merge fails where a world of any part has failed."""
    for part in range(1, PARTS + 1):
        run_part(part, tmp_path)
    file = tmp_path / "part-00003.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    failure = {
        "seed": 1,
        "finding": "stopped",
        "text": "made up",
        "knobs": {},
        "worlds": 1,
        "messages": 1,
    }
    record |= {"failed": 1, "stopped": 1, "failures": [failure]}
    file.write_text(json.dumps(record), encoding="utf-8")
    merge = campaign("--merge", tmp_path, "--output", tmp_path / "merged.json")
    assert merge.returncode == 1
    assert "stopped: made up" in merge.stdout
    assert sums(tmp_path / "merged.json")["failures"] == [failure]


def test_part_outside_of_the_campaign_is_refused(tmp_path: Path) -> None:
    result = campaign(*WORLDS, "--parts", "4", "--part", "5", "--into", tmp_path)
    assert result.returncode == 2
    assert "expected --part from 1 to 4, found 5" in result.stderr
