#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make bench` runs: how fast the tools are on this machine, and what the firmware costs on the simulated board.

Wall-clock figures depend on the machine: each is the best of three runs, because other work only ever makes a run
slower. Simulated figures do not depend on it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.compiler.large_spec import large_spec  # noqa: E402

RUNS = 3
ROWS = 10_000
SPEC = "spec/emp/emp.hsm"
DEMO = "build/host/emp_demo"


def seconds(
    command: list[str], runs: int = RUNS, settings: dict[str, str] = {}
) -> float:
    """Wall-clock time of the fastest of `runs` runs."""
    best = float("inf")
    environment = {**os.environ, **settings}
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
        best = min(best, time.perf_counter() - start)
    return best


def processor_seconds(command: list[str], runs: int = RUNS) -> float:
    """Of the program itself, of the run that took least: other work on the machine counts less than on the wall clock."""
    best = float("inf")
    for _ in range(runs):
        before = os.times().children_user
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        best = min(best, os.times().children_user - before)
    return best


def bench_compiler() -> None:
    print("Compiler: EMP, wall-clock")
    directory = tempfile.mkdtemp()
    try:
        build = ["gen/bin/hsmc", "build", SPEC, "--output", f"{directory}/emp"]
        models = [*build, "--check-model-dir", f"{directory}/models"]
        # Neither bytecode nor what hsmc keeps beside it.
        first = {"PYTHONPYCACHEPREFIX": f"{directory}/cache"}
        print(f"  C, very first start    {seconds(build, 1, first):6.2f} s")
        print(f"  C                      {seconds(build):6.2f} s   target 2.00")
        print(f"  C and all models       {seconds(models):6.2f} s")
        large = Path(directory) / "large.hsm"
        large.write_text(large_spec(ROWS))
        taken = processor_seconds(["gen/bin/hsmc", "check", str(large)])
        print(f"  check of {ROWS} rows   {taken:6.2f} s   target 2.00, processor time")
        again = seconds(["make", "-s", "generate"])
        print(f"  make, nothing changed  {again:6.2f} s   target 0.30")
    finally:
        shutil.rmtree(directory)


def bench_simulator() -> None:
    print("\nSimulator: cores alone, instructions a second of one host thread")
    subprocess.run(["build/tests/measure_cpu_speed"], check=True)
    print(
        "\nSimulator: two boards and hosts, EMP on one core each, program start included"
    )
    for size, turns in ((4, 5000), (65536, 200), (1048576, 20)):
        command = [DEMO, "sweep", "--quiet", f"--size={size}"]
        command += [f"--iterations={turns}", "--messages=1", "--json=-"]
        taken = seconds(command)
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        latency = float(result.stdout.split('"latency_us":')[1].split(",")[0])
        simulated = 2 * turns * latency * 1e-6
        print(
            f"  ping-pong of {size:7} bytes: {simulated / taken:6.2f} simulated s / s"
        )


def bench_firmware() -> None:
    print("\nFirmware on the simulated board, simulated time")
    subprocess.run(["build/tests/measure_firmware"], check=True)


def bench_generated_code() -> None:
    print("\nGenerated code and code by hand on the simulated core, alternating bit")
    subprocess.run(["tests/overhead/overhead_table.py"], check=True)


def main() -> None:
    if not Path(DEMO).exists():
        raise SystemExit("run this through `make bench`, which builds what it measures")
    bench_compiler()
    bench_simulator()
    bench_firmware()
    bench_generated_code()


if __name__ == "__main__":
    main()
