#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random specs on all engines, step by step: interpreter, C by gcc, clang and the firmware's compiler, Promela, JavaScript;
and what the interpreter does with hierarchical machines by the manual alone.

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
from collections import Counter
from pathlib import Path
from typing import Optional, Sequence

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "gen")]

from hsmc.testing.engines import (  # noqa: E402
    Engine,
    EngineFailure,
    Native,
    Divergence,
    Promela,
    TooLarge,
    describe,
    difference,
    first_divergence,
)
from tests.fuzz import batches  # noqa: E402
from tests.fuzz.batches import Batch  # noqa: E402
from tests.fuzz.spec_writer import has_machines  # noqa: E402
from tests.fuzz.engines import ENGINES  # noqa: E402
from tests.fuzz.features import FEATURES, LEAST, Features  # noqa: E402

AT_ONCE = 40  # specs of a batch
SPREAD = 1_000_003  # between the seeds of two runs
ATTEMPTS = 60  # to make a spec smaller
MOST_LEFT_OUT = 0.05  # of the specs: refused, or too large for an engine
ENOUGH = 200  # specs, of which each feature is to be expected


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
        self.having: Counter[str] = Counter()  # specs with each feature
        # How often an engine executed each; where it parts from the interpreter, nothing of the batch counts.
        self.executed: dict[str, Counter[str]] = {k.name: Counter() for k in engines}
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
        features = Features(batch.program.protocol, batch.text)
        for own in features.of_spec.values():
            self.having.update(own)
        begin = processor_seconds()
        told = self.by_the_manual(batch, seeds)
        self.timed("manual", begin)
        for kind in self.engines:
            begin = processor_seconds()
            if issubclass(kind, Promela):
                told += self.apart(kind, seeds)
            else:
                told += self.engine(kind, batch, seeds, directory)
            self.timed(kind.name, begin)
        self.differences += len(told)
        return told

    def by_the_manual(self, batch: Batch, seeds: Sequence[int]) -> list[str]:
        """What is told where the interpreter parts from the second oracle."""
        divergence = batches.watched(batch)
        if divergence is None:
            return []
        number = batch.owner(batch.commands[divergence.index])
        path = self.directory / "alone" / "fuzz.hsm"
        single = (
            batches.alone(batch, seeds, number, path) if number is not None else None
        )
        again = batches.watched(single) if single is not None else None
        if single is None or again is None or number is None:
            kept = self.keep(batch.text, seeds[0], "manual")
            return [f"{kept}: {describe(batch, divergence)}"]
        kept = self.keep(single.text, seeds[number], "manual")
        return [f"{kept}: {describe(single, again)}"]

    def apart(self, kind: type[Engine], seeds: Sequence[int]) -> list[str]:
        """Each spec with machines alone: after every step a model delivers what waits anywhere, so that with several in
        one model each step has the rows of all. The others in one model."""
        groups = [[seed] for seed in seeds if has_machines(seed)]
        groups.append([seed for seed in seeds if not has_machines(seed)])
        told = []
        for group in filter(None, groups):
            directory = self.directory / "apart"
            shutil.rmtree(directory, ignore_errors=True)
            batch, _ = batches.make_batch(group, directory / "fuzz.hsm")
            if batch is not None:
                told += self.engine(kind, batch, group, directory)
        return told

    def engine(
        self, kind: type[Engine], batch: Batch, seeds: Sequence[int], directory: Path
    ) -> list[str]:
        """What is told of one engine. Where it has no room for some spec, each half has another try."""
        try:
            divergence = self.compare(kind, batch, directory, counted=True)
        except TooLarge:
            if len(seeds) == 1:
                self.beyond[kind.name] = self.beyond.get(kind.name, 0) + 1
                return []
            told, middle = [], len(seeds) // 2
            for half in (seeds[:middle], seeds[middle:]):
                smaller = self.directory / "half"
                shutil.rmtree(smaller, ignore_errors=True)
                other, _ = batches.make_batch(half, smaller / "fuzz.hsm")
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
        self,
        kind: type[Engine],
        batch: Batch,
        directory: Path,
        counted: bool = False,
    ) -> Optional[Divergence | EngineFailure]:
        name = "native" if issubclass(kind, Native) else kind.name
        engine = kind(batch.program, directory / name, self.turn)
        try:
            engine.build()
            divergence = first_divergence(engine, batch)
        except EngineFailure as failure:
            return failure
        if divergence is None and counted:
            features = Features(batch.program.protocol, batch.text)
            self.executed[kind.name] += features.executed(batch.lines)
        return divergence

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
                    kept = self.keep(batch.text, seed, kind.name)
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
        kept = self.keep(single.text, seeds[number], kind.name)
        return f"{kept}: {describe(single, divergence)}"

    def keep(self, text: str, seed: int, name: str) -> Path:
        path = self.directory / f"{name}_{seed}.hsm"
        path.write_text(text)
        return path

    def table(self) -> str:
        """Of each feature the specs that have it, and how often each engine executed it."""
        names = [kind.name for kind in self.engines]
        rows = [["feature", "specs", *names]]
        for feature in FEATURES:
            counts = [self.executed[name][feature] for name in names]
            rows.append([feature, *map(str, (self.having[feature], *counts))])
        return "\n".join(
            f"{row[0]:26}" + "".join(f"{cell:>11}" for cell in row[1:]) for row in rows
        )

    def shortcomings(self) -> list[str]:
        """What makes a run no proof, whatever the engines did."""
        total = self.specs + self.refused
        found = [
            f"only {self.having[feature]} of {self.specs} specs have: {feature}"
            for feature in FEATURES
            if self.having[feature] < LEAST * self.specs
        ]
        found += [
            f"{name} has never executed: {feature}"
            for name, counts in self.executed.items()
            for feature in FEATURES
            if not counts[feature]
        ]
        left_out = {"the compiler": self.refused, **self.beyond}
        return found + [
            f"{count} of {total} specs are refused by, or too large for {name}"
            for name, count in left_out.items()
            if count > MOST_LEFT_OUT * total
        ]

    def report(self) -> str:
        times = ", ".join(
            f"{name} {seconds:.0f} s" for name, seconds in self.seconds.items()
        )
        names = " = ".join(["interpreter", *(kind.name for kind in self.engines)])
        beyond = "".join(
            f", {count} too large for {name}" for name, count in self.beyond.items()
        )
        return (
            f"{self.table()}\n{self.specs} specs ({self.refused} more refused{beyond}), {self.events} events, "
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
    options.directory = options.directory.resolve()
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
    # Of a few specs chance decides what they have.
    shortcomings = run.shortcomings() if run.specs + run.refused >= ENOUGH else []
    for each in shortcomings:
        print(each, file=sys.stderr)
    return 1 if run.differences or shortcomings else 0


if __name__ == "__main__":
    sys.exit(main())
