#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What worlds of 2, 16, 64 and 256 boards cost (tests/sim_speed/measure_crowd.c): a row for each.

Processor time is the best of some runs, because other work only ever makes a run slower. The numbers of events and of
host instructions hardly depend on the machine: valgrind counts the latter, on the processor's path without translation.
"""

import os
import re
import subprocess
import tempfile

PROGRAM = "build/tests/measure_crowd"
RUNS = 3
STRETCHES = {2: 50, 16: 20, 64: 10, 256: 5}  # boards: simulated milliseconds
COUNTED = 2  # simulated milliseconds, under valgrind


def output_of(command: list[str]) -> str:
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout


def instructions(boards: int) -> int:
    with tempfile.TemporaryDirectory() as directory:
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
        command += [f"--callgrind-out-file={directory}/out", PROGRAM]
        text = output_of([*command, str(boards), str(COUNTED)])
    found = re.search(r"Collected : (\d+)", text)
    if not found:
        raise SystemExit(f"expected valgrind's count of instructions, found:\n{text}")
    return int(found.group(1))


def row(boards: int) -> str:
    stretch = STRETCHES[boards]
    speed = max(
        float(output_of([PROGRAM, str(boards), str(stretch)])) for _ in range(RUNS)
    )
    events = int(output_of([PROGRAM, str(boards), str(stretch), "count"]))
    counted = int(output_of([PROGRAM, str(boards), str(COUNTED), "count"]))
    rate = speed * events / stretch / 1000
    return (
        f"{boards:6} {speed:20.4f} {rate:20.2f} {instructions(boards) / counted:20.0f}"
    )


def main() -> None:
    print(
        "\nBoards on one switch, EMP on core A of each; each pair exchanges one message of 4 bytes to and fro"
    )
    print(
        f"{'boards':>6} {'simulated s per s':>20} {'million events per s':>20} {'instructions/event':>20}"
    )
    for boards in STRETCHES:
        print(row(boards), flush=True)


if __name__ == "__main__":
    os.environ.pop("EMP_TRACES", None)  # recording would be measured too
    main()
