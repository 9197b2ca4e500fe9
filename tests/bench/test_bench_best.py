# SPDX-License-Identifier: MIT
"""Which placements no other one surpasses, and records of several benches in one file."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path.cwd()))
from scripts import bench_best, bench_records  # noqa: E402
from scripts.bench_records import Record  # noqa: E402


def record(
    profile: str, placement: str, metric: str, size: int, value: float
) -> Record:
    return Record(profile, placement, metric, size, 0.0, value, "", None, None)


def placement(name: str, *values: float) -> list[Record]:
    return [
        record("paper", name, aim.metric, aim.bytes, value)
        for aim, value in zip(bench_best.AIMS, values)
    ]


RECORDS = [
    *placement("base", 20.0, 960.0, 1200.0, 70000.0),
    *placement("DSR", 28.0, 940.0, 1400.0, 55000.0),
    *placement("SO", 40.0, 700.0, 850.0, 36000.0),
    *placement("RO", 19.0, 960.0, 1200.0, 70000.0),
]


def test_a_placement_is_surpassed_by_one_that_is_nowhere_worse() -> None:
    (placements,) = bench_best.figures(RECORDS).values()
    found = {name: bench_best.surpassed_by(placements, name) for name in placements}
    assert found == {"base": ["RO"], "DSR": [], "SO": ["base", "DSR", "RO"], "RO": []}


def test_equal_placements_do_not_surpass_each_other() -> None:
    twins = placement("a", 1.0, 2.0, 3.0, 4.0) + placement("b", 1.0, 2.0, 3.0, 4.0)
    (placements,) = bench_best.figures(twins).values()
    assert all(bench_best.surpassed_by(placements, name) == [] for name in "ab")


def test_a_placement_without_all_figures_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench_best.print_best(RECORDS[:-1])
    printed = capsys.readouterr().out
    assert "RO" not in printed
    assert "surpassed by base, DSR" in printed
    assert printed.count("may be best") == 2


def test_a_bench_replaces_its_own_records(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    bench_records.write([record("paper", "base", "latency", 4, 1.0)], path)
    bench_records.write([record("published", "base", "latency", 4, 2.0)], path)
    bench_records.write([record("paper", "base", "latency", 4, 3.0)], path)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert [(r["profile"], r["value"]) for r in found] == [
        ("paper", 3.0),
        ("published", 2.0),
    ]
