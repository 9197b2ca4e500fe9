# SPDX-License-Identifier: MIT
"""The schemes of paper 004 for both processors, charged the step costs of its Table 2."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path.cwd()))
from scripts import published, published_schemes  # noqa: E402
from scripts.published_schemes import LARGE, Results  # noqa: E402

MICROSECOND = 88  # cycles

# Table 2: microseconds by scheme, processor and step.
TABLE_2 = {
    "SO": {
        ("A", "send bookkeeping"): {5.25},
        ("B", "transmission"): {5.50},
        ("A", "receive acknowledgement"): {5.75},
        ("A", "receive bookkeeping"): {6.25},
        ("A", "receive frame"): {4.25},
        ("A", "receiving"): {2.75},
        ("B", "send acknowledgement"): {2.50},
    },
    "RO": {
        ("A", "send bookkeeping"): {5.25},
        ("A", "transmission"): {5.50},
        ("A", "receive acknowledgement"): {5.75},
        ("A", "send acknowledgement"): {2.50},
        ("A", "receive bookkeeping"): {6.25},
        ("B", "receive frame"): {4.25},
        ("B", "receiving"): {2.75},
    },
    "DSR": {
        ("A", "send bookkeeping"): {5.25},
        ("A", "transmission"): {5.50},
        ("A", "receive acknowledgement"): {2.50},
        ("B", "receive acknowledgement"): {3.25},
        ("A", "send acknowledgement"): {2.50},
        ("B", "receive bookkeeping"): {6.25},
        ("B", "receive frame"): {4.25},
        ("B", "receiving"): {2.75},
    },
    "SR": {
        ("A", "send bookkeeping"): {5.25},
        ("B", "transmission"): {5.50},
        ("A", "receive acknowledgement"): {5.75},
        ("B", "send acknowledgement"): {2.50},
        ("A", "receive bookkeeping"): {6.25},
        ("B", "receive frame"): {4.25},
        ("B", "receiving"): {2.75},
    },
}


@pytest.fixture(name="schemes", scope="module")
def fixture_schemes() -> dict[str, Results]:
    """A message of one frame, of ten, and of many: each figure of a size is of a world of its own."""
    return {
        scheme: published.sweep((10, 14336), scheme=scheme)
        | published.sweep((LARGE,), "--iterations=1", scheme=scheme)
        for scheme in published.SCHEMES
    }


@pytest.mark.parametrize("scheme", TABLE_2)
def test_each_step_is_charged_where_the_placement_puts_it(
    schemes: dict[str, Results], scheme: str
) -> None:
    found: dict[tuple[str, str], set[float]] = {}
    for line in schemes[scheme][LARGE]["charges"]:
        if line["cycles"] != 0 and line["charged"] != 0:
            key = line["processor"], line["step"]
            found.setdefault(key, set()).add(line["cycles"] / MICROSECOND)
    assert found == TABLE_2[scheme]


@pytest.mark.parametrize("scheme", TABLE_2)
def test_steps_are_those_of_base(schemes: dict[str, Results], scheme: str) -> None:
    """As often and as long, on both processors together: a placement changes where they run."""
    steps: dict[str, dict[str, float]] = {}
    for name in ("base", scheme):
        cycles: dict[str, float] = {}
        for line in schemes[name][LARGE]["charges"]:
            if line["cycles"] != 0:
                cycles[line["step"]] = (
                    cycles.get(line["step"], 0) + line["cycles_in_all"]
                )
        steps[name] = cycles
    assert steps["base"].keys() == steps[scheme].keys()
    for step, expected in steps["base"].items():
        assert steps[scheme][step] == pytest.approx(expected, rel=0.01), step


# In SR the boards take turns, and what bounds one way is A's wait for the lock.
@pytest.mark.parametrize(
    "scheme, figure",
    [
        ("SO", "bandwidth_mbps"),
        ("RO", "both_ways_mbps"),
        ("DSR", "both_ways_mbps"),
    ],
)
def test_messages_between_the_processors_cost_what_they_execute(
    schemes: dict[str, Results], scheme: str, figure: str, tmp_path: Path
) -> None:
    """Table 2 has no time for them: without these lines there is more bandwidth, one way or both."""
    lines = [
        line
        for line in schemes[scheme][LARGE]["charges"]
        if line["step"] == "messages between the processors"
    ]
    assert lines and all(line["cycles_in_all"] >= line["charged"] > 0 for line in lines)
    text = published.SCHEMES[scheme].charges.read_text(encoding="utf-8")
    without = tmp_path / "without.charges"
    without.write_text(text.replace("executed", "# executed"), encoding="utf-8")
    options = "--iterations=1"
    free = published.sweep((LARGE,), options, scheme=scheme, charges=without)[LARGE]
    assert free[figure] > 1.02 * schemes[scheme][LARGE][figure]


def test_claims(schemes: dict[str, Results]) -> None:
    """What of the paper's statements about schemes does not hold here; docs/board-accuracy.md says why."""
    comparisons = published_schemes.compare(schemes)
    assert {c.claim.scheme for c in comparisons} == set(schemes) - {"base"}
    odd = {(c.claim.scheme, c.claim.source) for c in comparisons if not c.consistent}
    assert odd == set(published_schemes.EXPLANATIONS)


@pytest.mark.parametrize(
    "scheme, size, figure, value",
    [
        ("SO", 10, "latency_us", 28.63),
        ("SO", LARGE, "bandwidth_mbps", 875.8),
        ("SO", LARGE, "both_ways_mbps", 1073.5),
        ("RO", 10, "latency_us", 33.73),
        ("RO", 14336, "latency_us", 173.4),
        ("RO", LARGE, "bandwidth_mbps", 929.5),
        ("RO", LARGE, "both_ways_mbps", 1071.2),
        ("DSR", 10, "latency_us", 28.48),
        ("DSR", 10, "message_us", 24.94),
        ("DSR", 14336, "latency_us", 173.7),
        ("DSR", LARGE, "bandwidth_mbps", 856.3),
        ("DSR", LARGE, "both_ways_mbps", 1561.8),
        ("SR", 10, "latency_us", 36.76),
        ("SR", LARGE, "bandwidth_mbps", 902.6),
        ("SR", LARGE, "both_ways_mbps", 916.7),
    ],
)
def test_pinned(
    schemes: dict[str, Results], scheme: str, size: int, figure: str, value: float
) -> None:
    """As docs/board-accuracy.md says. A change of firmware or simulator that moves one is to be understood."""
    assert schemes[scheme][size][figure] == pytest.approx(value, rel=0.02)


def test_records(schemes: dict[str, Results]) -> None:
    """One for each scheme, metric and size; published figures are beside those that have one."""
    records = published.records(schemes)
    keys = {(r.placement, r.metric, r.bytes) for r in records}
    assert len(keys) == len(records) == len(schemes) * 4 * 3
    assert {r.profile for r in records} == {"published cost"}
    papers = {(r.placement, r.metric): r.paper for r in records if r.paper}
    assert papers["base", "latency"] == 24.31
    limited = [r for r in records if r.unit == "Mb/s"]
    assert limited and all(r.limit and r.value < r.limit for r in limited)


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "charge 1 after emp_send_ack on C : x",
            ":1: expected processor A or B, found C",
        ),
        ("charge 1 after emp_send_ack on : x", "A or B, found the end of the line"),
        ("charge 1 after between_send_answer on A : x", "that processor A can reach"),
        ("executed between_send_answer on A : x", "that processor A can reach"),
        ("executed between_send_answer on B", "expected a colon and the step"),
        ("executed between_send_answer on B now : x", "expected the end of the line"),
        (
            "charge 1 after emp_send_ack times argument 1 : x",
            "only a charge before its function is for so many units",
        ),
        (
            "charge 1 before emp_send_ack times 3 : x",
            "expected argument and its number, found 3",
        ),
        (
            "charge 1 before emp_send_ack times argument 2 less 0 : x",
            "expected a number of units from 1",
        ),
        (
            "charge 1 before emp_send_ack if argument 2 is not : x",
            "expected a value from 0 to 4294967295, found the end of the line",
        ),
        ("idle tigon2_event_table now", "expected the end of the line, found now"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "changed.charges"
    path.write_text(text, encoding="utf-8")
    command = [str(published.DEMO), "sweep", "--size=4", f"--charge={path}"]
    command.append(f"--image={published.SCHEMES['DSR'].image}")
    result = published.subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert expected in result.stderr
