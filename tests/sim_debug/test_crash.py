# SPDX-License-Identifier: MIT
"""Firmware that goes wrong: the report, its JSON, and GDB at the scene."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.sim_debug.gdb_session import Sessions, values

GOLDEN = Path(__file__).parent / "golden"
SOURCE = "tests/sim_debug/crash.c"
COMPILER = [
    "mips-linux-gnu-gcc",
    "-EB",
    "-march=mips2",
    "-mtune=r3000",
    "-mabi=32",
    "-mno-abicalls",
    "-fno-pic",
]
COMPILER += [
    "-G0",
    "-msoft-float",
    "-mno-branch-likely",
    "-O2",
    "-g",
    "-ffreestanding",
    "-nostdlib",
    "-static",
]
COMPILER += [
    "-fno-asynchronous-unwind-tables",
    "-fno-optimize-sibling-calls",
    "-fno-delete-null-pointer-checks",
]
COMPILER += [
    "-Wl,-T,tests/sim_debug/crash.lds",
    "-Wl,--build-id=none",
    "-Wl,--no-warn-rwx-segments",
]
# What stands in the line of each frame.
CALLS = {
    "misaligned": "counter += *odd;",
    "invalid": "mult $a0",
    "nowhere": "0x10000000;",
}
OUTER_CALLS = ["return inner(value) + 1;", "counter += middle(i);"]
KINDS = {"misaligned": 1, "invalid": 2, "halt": 3, "nowhere": 4}


@pytest.fixture
def scenario(directory: Path, request: pytest.FixtureRequest) -> Path:
    """A board with an image that crashes as the parameter says."""
    kind = KINDS[request.param]
    subprocess.run(
        [*COMPILER, f"-DCRASH={kind}", "-o", str(directory / "crash.elf"), SOURCE],
        check=True,
    )
    path = directory / "crash.scenario"
    path.write_text(
        'boards = ( { name = "left"; image = "crash.elf"; load = "direct"; } );\n'
        'stop = { time = "1 ms"; };\n'
    )
    return path


@pytest.mark.parametrize(
    "scenario", ["misaligned", "invalid", "nowhere"], indirect=True
)
def test_report(scenario: Path, request: pytest.FixtureRequest) -> None:
    golden = GOLDEN / f"{request.node.callspec.params['scenario']}.txt"
    command = ["build/tigonsim", "run", str(scenario), f"--json={scenario}.json"]
    done = subprocess.run(
        [*command, f"--report={scenario}.txt", "-q"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    report = Path(f"{scenario}.txt").read_text()
    if os.environ.get("HSMC_REFRESH"):
        golden.write_text(report)
    assert report == golden.read_text()
    value = json.loads(Path(f"{scenario}.json").read_text())["crash_report"]
    frames = value["boards"][0]["cores"][0]["backtrace"]
    assert [frame["function"] for frame in frames] == [
        "inner",
        "middle",
        "outer",
        "_start",
    ]
    source = Path(SOURCE).read_text().splitlines()
    kind = request.node.callspec.params["scenario"]
    for frame, call in zip(frames, [CALLS[kind], *OUTER_CALLS]):
        assert call in source[frame["line"] - 1]
    assert "inner+" in report and "=> " in report


@pytest.mark.parametrize("scenario", ["misaligned"], indirect=True)
def test_report_comes_by_itself(scenario: Path) -> None:
    done = subprocess.run(
        ["build/tigonsim", "run", str(scenario)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "misaligned access" in done.stderr and "backtrace" in done.stderr


@pytest.mark.parametrize(
    "scenario", ["misaligned", "invalid", "nowhere", "halt"], indirect=True
)
@pytest.mark.parametrize("simulator", ["build/tigonsim", "build/tests/tigonsim"])
def test_gdb_at_the_scene(
    sessions: Sessions, scenario: Path, simulator: str, request: pytest.FixtureRequest
) -> None:
    """GDB stops where it happened, and goes back to how it came about."""
    session = sessions.start(
        simulator, "run", str(scenario), "--gdb=left:SOCKET", "--snapshot-every=2us"
    )
    back = ["reverse-continue", "print value", "print counter"]
    output = session.gdb(
        [
            "break middle if value == 3",
            "continue",
            "print counter",
            "delete",
            "continue",
            "print $pc",
            "bt",
        ]
        + [
            "reverse-stepi",
            "print $pc",
            "break middle",
            *back,
            *back,
            "stepi",
            "print $pc",
            "delete",
            "continue",
            "continue",
        ],
        image=f"{scenario.parent}/crash.elf",
    )
    kind = request.node.callspec.params["scenario"]
    signals = {
        "misaligned": "SIGBUS",
        "invalid": "SIGILL",
        "nowhere": "SIGSEGV",
        "halt": "SIGABRT",
    }
    assert f"received signal {signals[kind]}" in output, output
    assert re.search(r"#0 .*inner.*\n#1 .*middle.*\n#2 .*outer", output)
    shown = values(output)
    counters = [shown[0], shown[4], shown[6]]
    assert shown[3] == "3" and shown[5] == "2"
    assert counters[0] == counters[1] != counters[2]
    status, _, errors = session.end()
    assert status == (0 if kind == "halt" else 1), errors
    assert "Sanitizer" not in errors
