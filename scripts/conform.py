#!/usr/bin/python3
"""Traces of many simulated worlds under random faults against the spec: what `make conform` runs.

Each world is run twice, with the image as shipped, whose trace tells transitions, and with the one that shows its
calls, whose trace is replayed through the interpreter. Traces of worlds with unexplained steps stay in
build/conform/unexplained/.
"""

import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Optional

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "gen"))

import hsmc  # pylint: disable=wrong-import-position
from hsmc.conformance.conform import (
    Conformance,
    Totals,
)  # pylint: disable=wrong-import-position

SPEC = Path("spec/emp/emp.hsm")
CAMPAIGN = Path("build/tests/campaign")
IMAGES = {
    "shipped": Path("build/firmware/emp_a.elf"),
    "observed": Path("build/firmware/emp_a_observed.elf"),
}
WORK = Path("build/conform")
WORLDS_AT_ONCE = 10

Part = tuple[str, int, int]  # image, first seed, worlds
Outcome = tuple[str, Totals, list[str]]  # image, counts, complaints

conformance: Optional[Conformance] = None  # of each process, made once


def check(part: Part) -> Outcome:
    """Runs some worlds and checks their traces."""
    global conformance
    if conformance is None:
        conformance = Conformance(hsmc.compile_spec(SPEC))
    image, first, count = part
    directory = WORK / f"{image}-{first}"
    directory.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "EMP_IMAGE": str(IMAGES[image]),
        "EMP_TRACES": str(directory),
    }
    command = [str(CAMPAIGN), str(count), str(first)]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    totals, complaints = Totals(), []
    if result.returncode != 0:
        complaints.append(f"{' '.join(command)}, image {image}:\n{result.stdout}")
    for path in sorted(directory.glob("*.trace")):
        checked = conformance.check_file(path)
        totals.add(checked)
        findings = list(checked.findings)
        if findings or not checked.complete:
            kept = WORK / "unexplained" / f"{image}-{first}-{path.name}"
            kept.parent.mkdir(exist_ok=True)
            shutil.copy(path, kept)
            complaints += [conformance.describe(kept, *f) for f in findings[:3]]
            if not checked.complete:
                complaints.append(f"{kept}: the trace has no end")
    shutil.rmtree(directory)
    return image, totals, complaints


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--worlds", type=int, default=100, metavar="COUNT")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=2, metavar="COUNT")
    options = parser.parse_args()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    end = options.first + options.worlds
    parts = [
        (image, first, min(WORLDS_AT_ONCE, end - first))
        for first in range(options.first, end, WORLDS_AT_ONCE)
        for image in IMAGES
    ]
    sums = {image: Totals() for image in IMAGES}
    failed = False
    begun = time.monotonic()
    with multiprocessing.Pool(options.jobs) as pool:
        for done, (image, totals, complaints) in enumerate(
            pool.imap_unordered(check, parts), start=1
        ):
            for name, value in vars(totals).items():
                setattr(sums[image], name, getattr(sums[image], name) + value)
            for complaint in complaints:
                failed = True
                print(complaint)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(parts)} parts", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for image, totals in sums.items():
        print(f"{options.worlds} worlds, {image} image: {totals}")
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if failed or any(t.unexplained for t in sums.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
