# SPDX-License-Identifier: MIT
"""EMP charged the published step costs: the simulated figures, and that the charges make them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path.cwd()))
from scripts import published  # noqa: E402

MEGABYTE = 1 << 20
CHARGES = published.CHARGES.read_text(encoding="utf-8")


@pytest.fixture(name="results", scope="module")
def fixture_results() -> dict[int, dict[str, Any]]:
    """A round trip of a megabyte takes as long as 700 of a frame, and differs little from the next one."""
    small = tuple(size for size in published.SIZES if size < MEGABYTE)
    large = published.sweep((MEGABYTE,), "--iterations=10")
    return published.sweep(small) | large


def test_issue_figures(results: dict[int, dict[str, Any]]) -> None:
    """Published: 23 us for 4 bytes, 840 Mb/s one way."""
    assert (
        21 <= results[4]["latency_us"] <= 25.2
    )  # 13 cycles beyond 25: docs/board-accuracy.md
    assert 800 <= results[MEGABYTE]["bandwidth_mbps"] <= 900
    assert 800 <= results[65536]["bandwidth_mbps"] <= 900


def test_limits(results: dict[int, dict[str, Any]]) -> None:
    """All that may be compared is inside its limits, but for 4 kB, where the published costs themselves are not, and 4
    bytes, by 13 cycles. The slope and the ratio, which lack what posting takes beyond its charge at 4 bytes, are just
    outside.
    """
    outside = [row.name for row in published.rows(results) if "OUTSIDE" in row.verdict]
    assert outside == [
        "latency 4 B",
        "1478 B / 4 B",
        "slope in a frame",
        "one way 4 kB",
    ]
    assert results[4]["latency_us"] < 25.2
    slope = results[published.ONE_FRAME]["latency_us"] - results[4]["latency_us"]
    assert 1000 * slope / (published.ONE_FRAME - 4) == pytest.approx(7.88, abs=0.02)
    assert results[4096]["bandwidth_mbps"] == pytest.approx(775, rel=0.005)


@pytest.mark.parametrize(
    "size, figure, value",
    [
        (4, "latency_us", 25.15),
        (10, "latency_us", 25.15),
        (published.ONE_FRAME, "latency_us", 36.76),
        (1500, "latency_us", 51.46),
        (4096, "bandwidth_mbps", 775.2),
        (65536, "bandwidth_mbps", 826.6),
        (MEGABYTE, "bandwidth_mbps", 842.3),
        (MEGABYTE, "both_ways_mbps", 840.7),
    ],
)
def test_pinned(
    results: dict[int, dict[str, Any]], size: int, figure: str, value: float
) -> None:
    """As docs/board-accuracy.md says. A change of the firmware or of the simulator that moves one is to be understood."""
    assert results[size][figure] == pytest.approx(value, rel=0.01)


def test_charges_cover_what_is_executed(results: dict[int, dict[str, Any]]) -> None:
    """Else our instructions would be in the figures. Posting hundreds of receives at once is beyond any charge."""
    for entry in results.values():
        charges = entry["charges"]
        assert sum(line["late"] for line in charges) < 0.01 * sum(
            line["charged"] for line in charges
        )
    frames = 706
    counts: dict[str, int] = {}
    for line in results[MEGABYTE]["charges"]:
        counts[line["step"]] = counts.get(line["step"], 0) + line["charged"]
    # 36 messages of the ping-pong, 8 of the stream, 16 both ways, and 3 single frames that begin and end these.
    messages = 36 + 8 + 16
    sent = frames * messages
    for step in (
        "send bookkeeping",
        "transmission",
        "receive bookkeeping",
        "receive frame",
        "receiving",
    ):
        assert sent < counts[step] < sent + 25, step
    collections = (frames + 2) // 3 * messages
    for step in ("receive acknowledgement", "send acknowledgement"):
        assert collections < counts[step] < collections + 25, step


def with_charges(directory: Path, text: str) -> Path:
    path = directory / "changed.charges"
    path.write_text(text, encoding="utf-8")
    return path


def test_bandwidth_follows_the_slowest_step(tmp_path: Path) -> None:
    """The receiver is the bottleneck: its cycles for a frame give the bandwidth, whatever the others cost."""
    dear = CHARGES.replace("374", "1298")
    cheap = CHARGES.replace("484", "121").replace("462", "242")
    assert CHARGES not in (dear, cheap)
    for text, cycles in ((dear, 1848 + 242 + 220 / 3), (cheap, 924 + 242 + 220 / 3)):
        changed = with_charges(tmp_path, text)
        result = published.sweep((MEGABYTE,), "--iterations=1", charges=changed)
        expected = 88e6 / cycles * MEGABYTE / 706 * 8e-6
        assert result[MEGABYTE]["bandwidth_mbps"] == pytest.approx(expected, rel=0.01)


def test_parking_changes_nothing(results: dict[int, dict[str, Any]]) -> None:
    (result,) = published.sweep((4,), "--knob=idle_parking=0").values()
    assert result["latency_us"] == pytest.approx(results[4]["latency_us"], abs=0.1)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", ":0: expected at least one charge"),
        ("charge 10 before emp_send_ack", ":1: expected a colon and the step"),
        ("\ncharge many before emp_send_ack : x", ":2: expected a number of cycles"),
        ("charge 10 near emp_send_ack : x", ":1: expected before or after, found near"),
        ("charge 10 after emp_send_back : x", "has no symbol emp_send_back"),
        ("charge 10 after : x", "expected the name of a function, found the end"),
        (
            "charge 10 after emp_send_ack if it rains : x",
            "expected argument and its number, found it",
        ),
        (
            "charge 10 after emp_send_ack if argument 1 : x",
            "expected is, found the end",
        ),
        ("charge 10 after emp_send_ack twice : x", "expected the end of the line"),
        ("others dear", "expected free or cost, found dear"),
        ("idle", "expected the name of a function"),
        (
            "sleep emp_send_ack",
            "expected charge, executed, idle or others, found sleep",
        ),
        ("charge 1 after emp_send_ack : x\n" * 65, ":65: more than 64 charges"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, expected: str) -> None:
    command = [str(published.DEMO), "sweep", "--size=4", f"--image={published.IMAGE}"]
    command.append(f"--charge={with_charges(tmp_path, text)}")
    result = published.subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert expected in result.stderr


def test_missing_files(tmp_path: Path) -> None:
    command = [str(published.DEMO), "sweep", "--size=4", "--charge=/no/such/file"]
    result = published.subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1 and "/no/such/file: No such file" in result.stderr
    # The shipped image has dissolved the functions.
    command[-1] = f"--charge={published.CHARGES}"
    result = published.subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1 and "build the image with it out of line" in (
        result.stderr
    )


def test_charges_of_a_command_without_processor_time() -> None:
    """Only sweep charges: a file that no command reads must not look as if it had been charged."""
    for option in ("--charge=/no/such/file", "--effects=after"):
        command = ["build/host/emp_demo", "start", option]
        result = published.subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 2 and "are for sweep" in result.stderr


def test_scenario(tmp_path: Path) -> None:
    """tigonsim charges as emp_demo does, by option or by setting; without, the same run is another."""
    image = published.IMAGE.resolve()
    host = Path("build/emp/host.so").resolve()
    boards = ", ".join(f'{{ name = "{n}"; image = "{image}"; }}' for n in "ab")
    programs = ", ".join(
        f'{{ board = "{n}"; run = "{host}"; arguments = [ "{what}", "--image=$image", "--peer={peer}", "--count=20" ]; }}'
        for n, what, peer in (("a", "ping", 1), ("b", "pong", 0))
    )
    text = f'boards = ( {boards} );\nwires = ( {{ between = [ "a", "b" ]; }} );\nprograms = ( {programs} );\n'
    plain, charged = tmp_path / "plain.scenario", tmp_path / "charged.scenario"
    plain.write_text(text, encoding="utf-8")
    charged.write_text(
        text + f'charge = "{published.CHARGES.resolve()}";\n', encoding="utf-8"
    )

    def run(*arguments: str) -> dict[str, Any]:
        command = ["build/tigonsim", "run", "--quiet", "--json", *arguments]
        result = published.subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    by_setting = run(str(charged))
    assert run(str(plain), f"--charge={published.CHARGES}") == {
        **by_setting,
        "title": str(plain),
    }
    assert "charges" not in run(str(plain))
    counts = {(c["board"], c["step"]): c["charged"] for c in by_setting["charges"]}
    assert counts[("a", "transmission")] >= 20
    assert counts[("b", "send acknowledgement")] >= 20
    result = published.subprocess.run(
        ["build/tigonsim", "run", str(plain), "--charge=/no/such/file"],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2 and "/no/such/file" in result.stderr


def test_a_figure_that_nothing_explains_fails(
    results: dict[int, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert published.unexplained({"base": results}) == 0
    said = capsys.readouterr().out
    assert said == "\n6 published figures and ratios: 2 as published, 4 explained, 0 unexplained\n"  # fmt: skip
    slow = {**results, 65536: {**results[65536], "bandwidth_mbps": 799.0}}
    assert published.unexplained({"base": slow}) == 1
    assert "1 unexplained" in capsys.readouterr().out
