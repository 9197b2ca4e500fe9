#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random specs on all engines, step by step: interpreter, C by gcc, clang and the firmware's compiler, Promela, JavaScript.

    python3 -m tests.fuzz.fuzz --specs 10000 --seed 1      # make fuzz SPECS=10000 SEED=1

Spec number i of a seed is always the same. Where an engine parts from the interpreter, the spec is made small and told with
the first step and the line at which they part; the status is 1. Everything lies in build/fuzz.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Optional, Sequence

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "gen")]

from hsmc.testing.engines import (  # noqa: E402
    Engine,
    EngineFailure,
    Native,
    Divergence,
    TooLarge,
    describe,
    difference,
    first_divergence,
)
from tests.fuzz import batches  # noqa: E402
from tests.fuzz.batches import Batch  # noqa: E402
from tests.fuzz.engines import ENGINES  # noqa: E402

AT_ONCE = 40  # specs of a batch
SPREAD = 1_000_003  # between the seeds of two runs
ATTEMPTS = 60  # to make a spec smaller


def processor_seconds() -> float:
    """Of this process and all it has waited for."""
    times = os.times()
    return sum(times[:4])


class Run:
    def __init__(
        self,
        directory: Path,
        engines: Sequence[type[Engine]],
        attempts: int = ATTEMPTS,
    ) -> None:
        self.attempts = attempts
        self.directory = directory
        self.engines = engines
        self.turn = 0
        self.specs = self.refused = self.events = self.differences = 0
        self.beyond: dict[str, int] = {}  # specs an engine has no room for
        self.seconds: dict[str, float] = {}

    def timed(self, what: str, begin: float) -> None:
        self.seconds[what] = self.seconds.get(what, 0.0) + processor_seconds() - begin

    def batch(self, seeds: Sequence[int]) -> list[str]:
        """What is told of the engines that part from the interpreter."""
        self.turn = seeds[0] // len(seeds)
        directory = self.directory / "batch"
        shutil.rmtree(directory, ignore_errors=True)
        begin = processor_seconds()
        batch, refused = batches.make_batch(seeds, directory / "fuzz.hsm")
        self.timed("interpreter", begin)
        self.specs += len(seeds) - refused
        self.refused += refused
        if batch is None:
            return []
        self.events += len(batch.commands)
        told = []
        for kind in self.engines:
            begin = processor_seconds()
            told += self.engine(kind, batch, seeds, directory)
            self.timed(kind.name, begin)
        self.differences += len(told)
        return told

    def engine(
        self, kind: type[Engine], batch: Batch, seeds: Sequence[int], directory: Path
    ) -> list[str]:
        """What is told of one engine. Where it has no room for some spec, each half has another try."""
        try:
            divergence = self.compare(kind, batch, directory)
        except TooLarge:
            if len(seeds) == 1:
                self.beyond[kind.name] = self.beyond.get(kind.name, 0) + 1
                return []
            told, middle = [], len(seeds) // 2
            for half in (seeds[:middle], seeds[middle:]):
                smaller = self.directory / "half"
                shutil.rmtree(smaller, ignore_errors=True)
                other, refused = batches.make_batch(half, smaller / "fuzz.hsm")
                if other is not None:
                    told += self.engine(kind, other, half, smaller)
            return told
        if isinstance(divergence, EngineFailure):
            return [self.unbuilt(kind, seeds, divergence)]
        return (
            [self.explain(kind, batch, divergence, seeds)]
            if divergence is not None
            else []
        )

    def compare(
        self, kind: type[Engine], batch: Batch, directory: Path
    ) -> Optional[Divergence | EngineFailure]:
        name = "native" if issubclass(kind, Native) else kind.name
        engine = kind(batch.program, directory / name, self.turn)
        try:
            engine.build()
            return first_divergence(engine, batch)
        except EngineFailure as failure:
            return failure

    def unbuilt(
        self, kind: type[Engine], seeds: Sequence[int], failure: EngineFailure
    ) -> str:
        """The first spec that alone cannot be built either."""
        directory = self.directory / "alone"
        for seed in seeds:
            shutil.rmtree(directory, ignore_errors=True)
            batch, _ = batches.make_batch([seed], directory / "fuzz.hsm")
            if batch is not None:
                found = self.compare(kind, batch, directory)
                if isinstance(found, EngineFailure):
                    kept = self.keep(batch.text, seed, kind)
                    return f"{kept}: {kind.name} cannot be built\n{found}"
        return f"specs {seeds[0]} to {seeds[-1]} together: {kind.name}\n{failure}"

    def explain(
        self,
        kind: type[Engine],
        batch: Batch,
        divergence: Divergence,
        seeds: Sequence[int],
    ) -> str:
        """By the spec it is about alone, made small."""
        number = batch.owner(batch.commands[divergence.index])
        if number is None:
            found = re.search(r"\d+", difference(divergence.expected, divergence.found))
            number = 0 if found is None else int(found[0])
        directory = self.directory / "alone"
        path = directory / "fuzz.hsm"

        def compare(candidate: Batch) -> Optional[Divergence]:
            shutil.rmtree(directory / "engine", ignore_errors=True)
            found = self.compare(kind, candidate, directory / "engine")
            return found if isinstance(found, Divergence) else None

        single = (
            batches.alone(batch, seeds, number, path) if number < len(seeds) else None
        )
        if single is None or compare(single) is None:
            return f"specs {seeds[0]} to {seeds[-1]}: {describe(batch, divergence)}"
        small = batches.shrunk(
            single, lambda b: compare(b) is not None, path, number, self.attempts
        )
        again = compare(small)
        if again is not None:
            single, divergence = small, again
        kept = self.keep(single.text, seeds[number], kind)
        return f"{kept}: {describe(single, divergence)}"

    def keep(self, text: str, seed: int, kind: type[Engine]) -> Path:
        path = self.directory / f"{kind.name}_{seed}.hsm"
        path.write_text(text)
        return path

    def report(self) -> str:
        times = ", ".join(
            f"{name} {seconds:.0f} s" for name, seconds in self.seconds.items()
        )
        names = " = ".join(["interpreter", *(kind.name for kind in self.engines)])
        beyond = "".join(
            f", {count} too large for {name}" for name, count in self.beyond.items()
        )
        return (
            f"{self.specs} specs ({self.refused} more refused{beyond}), {self.events} events, "
            f"{self.differences} differences: {names}\n"
            f"processor time: {times}"
        )


def seeds_of(seed: int, first: int, count: int) -> range:
    begin = seed * SPREAD + first
    return range(begin, begin + count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number to begin at")
    parser.add_argument("--seconds", type=float, help="end after so long")
    names = [kind.name for kind in ENGINES]
    parser.add_argument("--engines", nargs="+", choices=names, default=names)
    parser.add_argument("--directory", type=Path, default=TOP / "build" / "fuzz")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    run = Run(options.directory, [k for k in ENGINES if k.name in options.engines])
    begin = shown = time.monotonic()
    for first in range(options.first, options.first + options.specs, AT_ONCE):
        count = min(AT_ONCE, options.first + options.specs - first)
        for told in run.batch(seeds_of(options.seed, first, count)):
            print(told, flush=True)
        if time.monotonic() - shown > 60:
            shown = time.monotonic()
            print(run.report(), flush=True)
        if options.seconds and time.monotonic() - begin > options.seconds:
            break
    print(run.report())
    return 1 if run.differences else 0


if __name__ == "__main__":
    sys.exit(main())
