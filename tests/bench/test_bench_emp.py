# SPDX-License-Identifier: MIT
"""What `make bench-emp` measures and draws: programs of the demo, records, curves."""

import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tests.long_tests import one_in

sys.path[:0] = [str(Path.cwd()), str(Path.cwd() / "gen")]

from hsmc.backends import backend_c  # noqa: E402
from hsmc.compilation.compiler import Compilation  # noqa: E402
from scripts import bench_emp, bench_switches  # noqa: E402
from scripts.bench_plots import CURVES, draw  # noqa: E402

KEYS = ["profile", "placement", "metric", "bytes", "loss", "value", "unit", "limit"]
KEYS += ["paper", "detail"]


@pytest.fixture(name="bench")
def fixture_bench() -> bench_emp.Bench:
    return bench_emp.Bench("paper", Path("build"))


def test_records_have_what_other_programs_read(bench: bench_emp.Bench) -> None:
    (latency,) = bench.latency(4)
    assert list(asdict(latency)) == KEYS
    assert latency.metric == "latency" and latency.paper == 23 and latency.unit == "us"
    assert latency.profile == "paper" and latency.placement == "base"
    bandwidth, rate = bench.bandwidth(4)
    assert rate.value == pytest.approx(bandwidth.value * 1e6 / 32, rel=0.01)
    assert bandwidth.limit == pytest.approx(47.619)


def test_more_posted_sends_have_rows_of_their_own(bench: bench_emp.Bench) -> None:
    """`modern` is slower with more sends than its window holds, which a stream of two does not show."""
    modern = bench_emp.Bench("modern", Path("build/modern"))
    jobs = [job for job in bench.jobs() if job.func.__name__ == "more_posted"]  # type: ignore[attr-defined]
    assert {job.args for job in jobs} >= {(4, 4), (4, 16)}  # type: ignore[attr-defined]
    _, two = modern.bandwidth(4)
    (four,) = modern.more_posted(4, 4)
    assert two.detail == "2 posted" and four.detail == "4 posted"
    assert four.metric == "message_rate_4_posted"
    assert four.metric in bench_emp.TITLES
    assert four.value != two.value


def test_both_ways_is_the_worst_phase(bench: bench_emp.Bench) -> None:
    (record,) = bench.both_ways(4096)
    best = float(record.detail.split()[-1])
    assert 961.5 < record.value < best < 1923


def test_calls_cost_the_host_what_its_costs_say(bench: bench_emp.Bench) -> None:
    """A post is one call, a descriptor and a few writes over the bus; waiting for what has come is a look."""

    def calls(*options: str) -> Any:
        (found,) = bench_emp.demo(
            bench.build, "calls", "--size=10240", "--iterations=5", *options
        )
        return found

    usual = calls("--work=2000000")
    dearer = calls("--work=2000000", "--cost=call_ns=1250")
    assert dearer["send_ns"] == pytest.approx(usual["send_ns"] + 1000, abs=5)
    assert dearer["receive_ns"] == pytest.approx(usual["receive_ns"] + 1000, abs=5)
    assert usual["iteration_ns"] > 2000000
    # The wire works while the host does: only without work a wait is long.
    assert calls()["wait_ns"] > 10 * usual["wait_ns"]


def test_incast_measures_each_sender() -> None:
    """Two senders of small messages share a receiver that has room for both; the switch drops nothing."""
    options = ("--size=4", "--senders=2")
    (found,) = bench_emp.demo(Path("build"), "incast", *options)
    assert found["senders"] == 2 and found["frames_dropped"] == 0
    assert 0.9 < found["least_share"] <= 1
    assert 0 < found["goodput_mbps"] < found["limit_mbps"]


def test_messages_without_bytes_are_measured(bench: bench_emp.Bench) -> None:
    """And as many sends outstanding as the option allows."""
    (latency,) = bench.latency(0)
    (calls,) = bench_emp.demo(bench.build, "calls", "--size=0", "--iterations=2")
    options = ("--size=0", "--senders=2", "--outstanding=64")
    (incast,) = bench_emp.demo(bench.build, "incast", *options)
    assert latency.value > 0 and calls["send_ns"] > 0
    assert incast["least_share"] > 0.9


@pytest.fixture(name="modern", scope="module")
def fixture_modern() -> Compilation:
    return Compilation(Path("spec/emp/emp.hsm"), profile="modern")


def compiled(modern: Compilation, settings: dict[str, int]) -> dict[str, str]:
    """The C, but for the number of the spec."""
    protocol = modern.resolve(settings, None)
    assert protocol is not None
    made = backend_c.generate(protocol)
    number = re.compile(r"0x[0-9a-f]{8}u")
    return {name: number.sub("", text) for name, text in made.items()}


@pytest.mark.parametrize("switch", one_in(5, bench_switches.SWITCHES))
def test_a_switch_changes_the_profile_modern(
    switch: bench_switches.Switch, modern: Compilation
) -> None:
    """And the spec without the mechanism compiles."""
    name, value = switch.setting.split("=")
    assert compiled(modern, {name: int(value, 0)}) != compiled(modern, {})


def test_incast_refuses_what_cannot_be() -> None:
    command = ["build/host/emp_demo", "incast", "--size=4", "--senders=64"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "64 is no number from 1 to 63" in found.stderr


def records_of(metric: str) -> list[dict[str, Any]]:
    return [
        {
            "profile": profile,
            "placement": "base",
            "metric": metric,
            "bytes": size,
            "loss": loss,
            "value": 10.0 * size,
            "unit": "Mb/s",
            "limit": 100.0 * size,
            "paper": 20.0 if size == 4 else None,
            "detail": f"{size} us of work, {loss} of the host's time",
        }
        for profile in ("paper", "modern")
        for size in (4, 4096)
        for loss in (0.0, 0.1)
    ]


def test_curves_are_the_same_every_time(tmp_path: Path) -> None:
    records = [record for curve in CURVES for record in records_of(curve.metric)]
    first = draw(records, tmp_path / "first")
    assert len(first) == 2 * len(CURVES)
    second = draw(records_of(CURVES[0].metric), tmp_path / "second")
    assert [p.name for p in first[:2]] == [p.name for p in second]
    for one, other in zip(first, second):
        assert one.read_bytes() == other.read_bytes()
    text = (tmp_path / "first/latency.svg").read_text(encoding="utf-8")
    assert "<svg" in text and "<dc:date>" not in text


def test_curves_without_records_are_left_out(tmp_path: Path) -> None:
    names = [path.name for path in draw(records_of("goodput"), tmp_path)]
    assert names == ["goodput.svg", "goodput.png"]
