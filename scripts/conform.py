#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Traces of many simulated worlds under random faults against the spec: what `make conform` runs.

In one of six a board is loaded anew in the middle. Each world is run twice, with the image as shipped, whose trace tells
transitions, and with the one that shows its calls, whose trace is replayed through the interpreter. Traces of worlds
with unexplained steps stay in build/conform/unexplained/.
"""

import argparse
import functools
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
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
# What runs worlds of these seeds: with the arguments COUNT FIRST_SEED.
PROGRAMS = {
    "random faults": ["tests/campaign"],
    "a board loaded anew": ["tests/restarts", "0"],
}
IMAGES = {
    "traced": "firmware/emp_a_traced.elf",
    "observed": "firmware/emp_a_observed.elf",
}
WORLDS_AT_ONCE = 10
LOADED_ANEW = 5  # one such world for so many others

Kind = tuple[str, str]  # of PROGRAMS, of IMAGES
Part = tuple[Kind, int, int]  # first seed, worlds
Outcome = tuple[Kind, int, Totals, list[str]]  # worlds, counts, complaints


@dataclass(frozen=True)
class Tree:
    """Where programs and images of a profile were built."""

    build: Path
    profile: Optional[str]

    @property
    def work(self) -> Path:
        return self.build / "conform"


@functools.cache
def conformance_of(profile: Optional[str]) -> Conformance:
    """Each process makes it once."""
    return Conformance(hsmc.compile_spec(SPEC, profile=profile))


def check(tree: Tree, part: Part) -> Outcome:
    """Runs some worlds and checks their traces."""
    conformance = conformance_of(tree.profile)
    (program, image), first, count = part
    directory = tree.work / f"{program.replace(' ', '-')}-{image}-{first}"
    directory.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "EMP_IMAGE": str(tree.build / IMAGES[image]),
        "EMP_TRACES": str(directory),
    }
    name, *arguments = PROGRAMS[program]
    command = [str(tree.build / name), *arguments, str(count), str(first)]
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
            copied_trace = tree.work / "unexplained" / f"{directory.name}-{path.name}"
            copied_trace.parent.mkdir(exist_ok=True)
            shutil.copy(path, copied_trace)
            complaints += [conformance.describe(copied_trace, *f) for f in findings[:3]]
            if not checked.complete:
                complaints.append(f"{copied_trace}: the trace has no end")
    if image == "observed" and totals.events == 0:
        complaints.append(
            f"{' '.join(command)}: no event was replayed; the image shows no calls"
        )
    if image == "traced" and totals.transitions == 0:
        complaints.append(
            f"{' '.join(command)}: no transition was checked; the image has no trace"
        )
    shutil.rmtree(directory)
    return part[0], count, totals, complaints


def parts_of(worlds: int, first: int) -> list[Part]:
    return [
        ((program, image), seed, min(WORLDS_AT_ONCE, first + count - seed))
        for program, count in zip(PROGRAMS, (worlds, worlds // LOADED_ANEW))
        for seed in range(first, first + count, WORLDS_AT_ONCE)
        for image in IMAGES
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--worlds", type=int, default=100, metavar="COUNT")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=2, metavar="COUNT")
    parser.add_argument("--build", type=Path, default=Path("build"), metavar="DIR")
    parser.add_argument("--profile", metavar="NAME", help="what was built there")
    options = parser.parse_args()
    tree = Tree(options.build, options.profile)
    shutil.rmtree(tree.work, ignore_errors=True)
    tree.work.mkdir(parents=True)
    parts = parts_of(options.worlds, options.first)
    sums = {kind: Totals() for kind, _, _ in parts}
    worlds = dict.fromkeys(sums, 0)
    failed = False
    begun = time.monotonic()
    with multiprocessing.Pool(options.jobs) as pool:
        for done, (kind, count, totals, complaints) in enumerate(
            pool.imap_unordered(functools.partial(check, tree), parts), start=1
        ):
            worlds[kind] += count
            for name, value in vars(totals).items():
                setattr(sums[kind], name, getattr(sums[kind], name) + value)
            for complaint in complaints:
                failed = True
                print(complaint)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(parts)} parts", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for (program, image), totals in sums.items():
        print(f"{worlds[program, image]} worlds, {program}, {image} image: {totals}")
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if failed or any(t.unexplained for t in sums.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
