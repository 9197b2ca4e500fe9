# SPDX-License-Identifier: MIT
"""What `make bench-maps` does with the maps of a spec: an image of each, or the reason why there is none."""

import re
import subprocess
from pathlib import Path

import pytest
from scripts import bench_maps


@pytest.fixture(name="found", scope="module")
def fixture_found() -> dict[str, bench_maps.Found]:
    return {each.name: each for each in bench_maps.maps("paper")}


def test_maps_are_called_as_in_the_spec_or_by_what_is_on_b(
    found: dict[str, bench_maps.Found]
) -> None:
    assert len(found) == 32
    assert {name for name, each in found.items() if each.named} == {
        "base",
        "SO",
        "RO",
        "DSR",
        "SR",
    }
    assert found["on_b_match_receive"].title == "Match, Receive"
    assert found["RO"].title == "Receive (RO)"


def test_the_copy_of_the_spec_has_all_maps(
    found: dict[str, bench_maps.Found], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_maps, "BUILD", tmp_path)
    spec = bench_maps.write_spec("paper", list(found.values()))
    listed = subprocess.run(
        ["gen/bin/hsmc", "place", str(spec), "--profile", "paper"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert set(re.findall(r"^placement (\w+)", listed.stdout, re.MULTILINE)) == {
        *found,
        "dynamic",
    }


@pytest.mark.parametrize(
    "name, why",
    [
        ("on_b_link", r"has Link on B: expected it on A, which has the wire$"),
        ("on_b_transmit_receive", r"may wait for room in full queues for ever"),
        ("on_b_acknowledge", r"^the glue is for placements where A sends and B"),
    ],
)
def test_a_map_without_an_image_says_why(
    found: dict[str, bench_maps.Found],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    why: str,
) -> None:
    monkeypatch.setattr(bench_maps, "BUILD", tmp_path)
    each = found[name]
    bench_maps.build(each, bench_maps.write_spec("paper", [each]))
    assert re.search(why, each.refused), each.refused
