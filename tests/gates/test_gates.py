# SPDX-License-Identifier: MIT
"""`make gates` runs what has changed, believes only what passed, and goes on after a failure."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP)]

from scripts import gates  # noqa: E402
from scripts.gate_table import Evidence, Gate  # noqa: E402

# What each gate prints at its end when it holds.
SAMPLES = {
    "prove": "".join(f"s{n}: PROVED in 0.5 s, 186 paths, 3 x\n" for n in range(8)),
    "bench-published": "17 published figures and ratios: 7 as published, 10 explained, 0 unexplained\n",
    "quiet": "5000 worlds, 1000 of each bus kind; 0 not quiet\n",
    "sim-check": "93 passed, 0 failed\n[  PASSED  ] 9 test(s).\nour own firmware: 232 held, 0 did not hold; of the firmware's items 24 held, 0 did not\n",
    "kills": "1500 worlds, 0 ends unexplained\n900 worlds, 500 of them lossy; 0 not as they must be\n",
    "fuzz-glue": "stat::number_of_executed_units: 1000000\n",
    "attack": "1000002 hostile frames and writes in 40 worlds, 3 frames accepted by a MAC\n"
    "seed 1, 0.100 simulated seconds, 3.2 s; 0 worlds failed\n",
    "campaign-fast": "160 worlds, 1000000 messages, 99 frames, 0 worlds failed; 9 s\n",
    "conform": 4
    * "40 worlds, random faults, traced image: 4 traces, 8 runs: 7 transitions checked, "
    "6 events replayed, 5 end states compared, 0 records lost, 0 unexplained\n",
    "campaign": "160 worlds, 16000 messages, 0 worlds failed; 9 s\n"
    + 3 * "9 passed in 1.53s\n",
    "driver-check": "70 passed, 0 failed\n",
    "verify": "4 searches, 4 exhaustive without a violation; 2.0 s\n",
    "verify-placements": 11 * "4 searches, 4 exhaustive without a violation; 2.0 s\n",
    "mutants": "101 mutants of emp\n   17 survivors explained, of 17\n",
    "fresh": "make demo: 1 passed, 0 failed, 100 s with its set-up\n"
    "make test: 3000 passed, 0 failed, 900 s with its set-up\n3001 passed, 0 failed\n",
    "mutants-placements": "   87 killed by a named property\n    1 survivors explained, of 1\n",
}


def sample_of(gate: Gate) -> str:
    return SAMPLES.get(gate.name) or SAMPLES[gate.name.split("-", 1)[0]]


@pytest.mark.parametrize("gate", gates.every_gate(TOP), ids=lambda gate: gate.name)
def test_evidence(gate: Gate) -> None:
    sample = sample_of(gate)
    verdict, figures = gates.judge(gate, 0, f"before\n{sample}after\n")
    assert verdict == gates.PASSED and re.search(r"[1-9]", figures)
    assert gates.judge(gate, 1, sample)[0] == gates.FAILED
    assert gates.judge(gate, None, sample)[0] == gates.FAILED
    lines = sample.splitlines(keepends=True)
    for n, line in enumerate(lines):
        others = [*lines[:n], *lines[n + 1 :]]
        assert gates.judge(gate, 0, "".join(others))[0] == gates.FAILED
        # Nothing was run, or one of it failed.
        for wrong in (
            re.sub(r"^( *)\d+", r"\g<1>0", line),
            re.sub(r"\b0 (?=not|end|world|failed|did|unexpl)", "1 ", line),
        ):
            if wrong != line:
                bad = "".join([*lines[:n], wrong, *lines[n + 1 :]])
                assert gates.judge(gate, 0, bad)[0] == gates.FAILED
    if gate.never:
        word = gate.never.split("|", 1)[0]
        assert gates.judge(gate, 0, f"{word}\n{sample}")[0] == gates.FAILED


MAKEFILE = """
good:
	@cat value; echo "$(AGAIN)" >> ran; echo "3 checked$(SEED)"
bad:
	@echo "3 checked"; exit 1
silent:
	@true
slow:
	@echo $$$$ > pid; echo "3 checked"; sleep 600
edits:
	@echo x >> value; echo "3 checked"
"""


def gate_of(name: str, *arguments: str, minutes: int = 1) -> Gate:
    return Gate(
        name, (*arguments, name), ("value", "Makefile"), (),
        (Evidence(r"^([1-9]\d*) checked$", "{} checked"),), minutes=minutes,
    )  # fmt: skip


@pytest.fixture(name="tree")
def fixture_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "value").write_text("1\n")
    monkeypatch.setattr(gates, "TOP", tmp_path)
    use(monkeypatch, "bad", "good")
    return tmp_path


def use(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(gates, "every_gate", lambda _: [gate_of(n) for n in names])


def recorded(tree: Path) -> dict[str, str]:
    records = json.loads((tree / "docs/gates.json").read_text())
    return {name: record["verdict"] for name, record in records.items()}


def test_what_passed_is_believed_and_what_failed_is_not(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for runs in (1, 1):
        assert gates.main([]) == 1
        assert recorded(tree) == {"bad": "failed", "good": "passed"}
        assert (tree / "ran").read_text() == runs * "\n"
    said = capfd.readouterr().out
    assert "bad: failed before; runs" in said and "good  passed" in said
    assert "believed  3 checked" in said
    assert said.endswith("1 gates passed, 1 failed\n")
    # A clone knows no more than the file.
    (tree / "ran").unlink()
    for path in (tree / "build/gates").iterdir():
        path.unlink()
    assert gates.main(["good"]) == 0 and not (tree / "ran").exists()
    assert gates.main(["good", "--again", "good"]) == 0
    assert (tree / "ran").read_text() == "good\n"


def test_a_change_runs_it_again_and_a_comment_does_not(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert gates.main(["good"]) == 0
    (tree / "value").write_text("2\n")
    assert gates.main(["good"]) == 0
    (tree / "Makefile").write_text(MAKEFILE + "# comment\n")
    assert gates.main(["good"]) == 0
    assert (tree / "ran").read_text() == "\n\n"
    assert "good: changed: value; runs" in capfd.readouterr().out
    (tree / "value").unlink()
    assert gates.main(["good"]) == 1
    assert "failed     0.0 min  unknown     ran       no file is value" in (
        capfd.readouterr().out
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"good": {"verdict": "passed"}}', '{"good": 1}']
)
def test_a_damaged_file_is_not_believed(
    tree: Path, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tree / "docs/gates.json").write_text(text)
    assert gates.main(["good"]) == 0
    assert (tree / "ran").exists()
    assert "good: has not run" in capfd.readouterr().out


def test_status_0_without_the_closing_line_is_a_failure(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, "silent")
    assert gates.main([]) == 1
    assert "status 0, but it does not say" in capfd.readouterr().out


def test_inputs_that_change_meanwhile_are_a_failure(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, "edits")
    assert gates.main([]) == 1
    assert recorded(tree) == {"edits": "failed"}


def test_the_callers_variables_do_not_reach_a_gate(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEED", "2")
    monkeypatch.setenv("MAKEFLAGS", "-- SEED=2")
    assert gates.main(["good"]) == 0


def test_one_that_hangs_is_ended(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = [gate_of("slow", minutes=0), gate_of("good")]
    monkeypatch.setattr(gates, "every_gate", lambda _: every)
    assert gates.main([]) == 1
    assert recorded(tree) == {"slow": "failed", "good": "passed"}


def test_an_interrupt_ends_the_gate_and_keeps_what_is_known(tree: Path) -> None:
    code = (
        "import signal, sys; sys.path[:0] = [sys.argv[1], sys.argv[2]]\n"
        "from pathlib import Path\n"
        "from scripts import gates\n"
        "from tests.gates.test_gates import gate_of\n"
        # Who starts the tests in the background of a shell has them ignore interrupts.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "gates.TOP = Path(sys.argv[2])\n"
        "gates.every_gate = lambda _: [gate_of('good'), gate_of('slow'), gate_of('bad')]\n"
        "sys.exit(gates.main([]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(TOP), str(tree)],
        stdout=subprocess.PIPE,
        text=True,
    )
    pid = tree / "pid"
    for _ in range(1200):
        if pid.exists() and pid.read_text().strip():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in said and said.endswith(
        "1 gates passed, 0 failed, 2 not run\n"
    )
    assert recorded(tree) == {"good": "passed"}
    shell = int(pid.read_text())
    for _ in range(1200):
        if not Path(f"/proc/{shell}").exists():
            break
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(shell, 0)


def test_a_name_that_is_none(tree: Path) -> None:
    with pytest.raises(SystemExit, match="no gate goof. did you mean good?"):
        gates.main(["--again", "goof"])


def test_the_recorded_gates_are_those_of_the_table() -> None:
    names = [gate.name for gate in gates.every_gate(TOP)]
    records = gates.read(TOP / gates.RESULTS)
    assert list(records) == [name for name in names if name in records]
    assert {"verify-abp", "mutants-emp", "driver-check"} <= {*names}
