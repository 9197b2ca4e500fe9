# SPDX-License-Identifier: MIT
"""EF38: EMP beside TCP on the same board and GM on Myrinet, as published."""

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from scripts import bench_emp
from scripts.bench_others import (
    HOST_TIMES,
    NETWORK,
    SYSTEMS,
    Comparison,
    draw_others,
    mark_bandwidth,
    print_others,
)
from scripts.bench_records import Record

CLAIMS = Path("docs/reference/papers.md")


def claim(number: str) -> str:
    """The line of a claim in the reference."""
    (line,) = [
        line
        for line in CLAIMS.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| {number} |")
    ]
    return line


@pytest.fixture(name="measured", scope="module")
def fixture_measured() -> list[Record]:
    """What the comparison reads, of both profiles."""
    records = []
    for profile, build in bench_emp.BUILDS.items():
        bench = bench_emp.Bench(profile, build)
        records += bench.latency(4) + bench.bandwidth(65536)
        records += bench.calls(bench_emp.WORKS_NS[-1])
    return records


@pytest.mark.parametrize("comparison", HOST_TIMES, ids=lambda c: c.title)
def test_host_times_are_those_of_the_reference(comparison: Comparison) -> None:
    for system in SYSTEMS:
        (figure,) = re.findall(rf"{system} (\d+)[, ]", claim(comparison.source))
        assert comparison.published[system].value == float(figure)


def test_bounds_are_those_of_the_reference() -> None:
    bandwidth, latency = NETWORK
    assert "600 Mb/s" in claim("EQ27") and bandwidth.published["TCP"].value == 600
    assert "1200 Mb/s" in claim("EQ26") and bandwidth.published["GM"].value == 1200
    assert "10 us less" in claim("EQ25")
    assert latency.published["GM"].value == latency.published["EMP"].value - 10, "EQ25"
    assert "TCP" not in latency.published, "the paper has no figure"


def test_measured_figures_stand_beside_the_published(
    measured: list[Record], capsys: pytest.CaptureFixture[str]
) -> None:
    """The order that the paper claims holds for the measured EMP, too."""
    print_others(measured)
    lines = capsys.readouterr().out.splitlines()
    (total,) = [line for line in lines if "all three" in line]
    paper, modern, emp, gm, tcp = map(float, total.split(", us")[1].split()[:5])
    assert 0 < paper < emp < gm < tcp and 0 < modern < emp
    (best,) = [line for line in lines if "one way" in line]
    found = re.findall(r"[\d.]+", best.split("Mb/s")[1].split("EQ")[0])
    paper, modern, emp, gm, tcp = map(float, found)
    assert tcp < paper < gm and tcp < modern < gm and tcp < emp < gm


def test_figures_have_all_systems(measured: list[Record], tmp_path: Path) -> None:
    paths = draw_others(measured, tmp_path)
    assert [path.name for path in paths] == ["host_time.svg", "host_time.png"]
    again = draw_others(measured, tmp_path / "again")
    assert [p.read_bytes() for p in paths] == [p.read_bytes() for p in again]
    axes = Figure().subplots()
    mark_bandwidth(axes)
    assert axes.get_legend_handles_labels()[1] == [
        "GM, published: near 1200",
        "TCP, published: at most 600",
    ]


def test_without_host_times_there_is_no_figure(tmp_path: Path) -> None:
    """bench-emp of one metric, or a profile that was not measured."""
    records = bench_emp.Bench("paper", Path("build")).bandwidth(4)
    assert not draw_others(records, tmp_path)
    print_others(records)
