# SPDX-License-Identifier: MIT
"""For each property of fetch a mutant of its spec that the property shows, in the world of the spec."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess

import pytest

from tests.long_tests import long

ROOT = pathlib.Path(__file__).resolve().parents[2]

# property: file, text, what takes its place, configuration, kind
MUTANTS = {
    "delivered_exactly": (
        "client.hsm",
        "b.number - f.next < window and f.early & 1 << b.number - f.next == 0",
        "b.number - f.next < window",
        "one_file",
        "safety",
    ),
    "one_result": (
        "client.hsm",
        "Slot[slot].peer == peer and Slot[slot].generation == generation",
        "Slot[slot].peer == peer and generation != 0",
        "again",
        "safety",
    ),
    "no_more_than_room": (
        "client.hsm",
        "when sound(f, b) and b.blocks > f.room",
        "when sound(f, b) and b.blocks > f.room + 1",
        "disturbed",
        "safety",
    ),
    "window_kept": (
        "server.hsm",
        "repeat window while under_way(s) < window and",
        "repeat window + 1 while under_way(s) <= window and",
        "one_file",
        "safety",
    ),
    "every_fetch_ends": (
        "client.hsm",
        # Arms the time limit of the whole fetch anew.
        "when f.attempts < retries             / f.attempts := f.attempts + 1                      -> RECEIVING",
        "when f.attempts < retries             / f.attempts := 0                              -> history ACTIVE",
        "tiny",
        "liveness",
    ),
    "nothing_stays": (
        "server.hsm",
        "count services_stalled; answer(s, STALLED)            -> CLOSED",
        "count services_stalled; answer(s, STALLED)            -> SENDING",
        "tiny",
        "liveness",
    ),
}

TINY = """
check tiny
  set fetches = 1, services = 1, retries = 1
  set window = 2  @windowed
  world orders = 1, blocks = 2, in_flight = 1
"""


@long
@pytest.mark.parametrize("name", MUTANTS)
def test_each_property_is_violated_by_a_mutant(
    name: str, tmp_path: pathlib.Path
) -> None:
    file, text, by, check, kind = MUTANTS[name]
    shutil.copytree(ROOT / "spec/fetch", tmp_path / "fetch")
    path = tmp_path / "fetch" / file
    original = path.read_text()
    assert original.count(text) == 1, "the spec has changed: mend the mutant"
    path.write_text(original.replace(text, by))
    with open(tmp_path / "fetch/fetch.hsm", "a") as top:
        top.write(TINY)
    found = subprocess.run(
        [str(ROOT / "gen/bin/hsmc"), "verify", "fetch/fetch.hsm", check]
        + ["--kind", kind, "--engine", "c", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert found.returncode == 1, found.stderr
    (record, *_) = [r for r in json.loads(found.stdout) if r["verdict"] == "violated"]
    assert record["property"] == name
    again = subprocess.run(
        [str(ROOT / "gen/bin/hsmc"), "replay", record["trail"]],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert again.returncode == 0, again.stdout + again.stderr
