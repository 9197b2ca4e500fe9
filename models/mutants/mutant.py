# SPDX-License-Identifier: MIT
"""One mutant of concurrency, the search that must find it, and what becomes of it.

A mutant is a file of this repository with one text replaced. It is examined by a search whose subject holds as it stands:

* `Accesses`: lock, signals and queue, or generated units, in every order of single loads and stores (models/proof).
* `EventLoops`: the event loops of a dynamic placement, in every order of accesses (models/proof).
* `Steps`: nodes divided between two processors, in every order of events (`hsmc verify --placement`).
* `Compiler`: the compiler refuses the spec with a numbered diagnostic (`hsmc check`).

Compiler, models and runtime are copied, so a mutant of the compiler or of its templates is run as one is run.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from hsmc.verification.known_mutants import Known, digest
from hsmc.verification.mutants import MALFORMED, STEPS, Found, Outcome
from scripts.gate_inputs import Contents
from scripts.gate_table import COMPILER
from scripts.gates import version

from ..proof import c_code, event_loops, processors, units
from ..proof.interleaving import Violated
from ..proof.llvm_text import Unreadable

ROOT = c_code.ROOT
# What the searches read.
COPIED = ("gen", "models", "fw-runtime", "spec", "tests/verification/divided")


@dataclass(frozen=True)
class Accesses:
    """Of lock, signals and queue with this traffic, or of the units with queues of so many messages."""

    subject: Union[processors.Traffic, int]

    def __str__(self) -> str:
        if isinstance(self.subject, int):
            return f"accesses of units, queues of {self.subject}"
        return f"accesses, {self.subject}"


@dataclass(frozen=True)
class EventLoops:
    def __str__(self) -> str:
        return "accesses of both event loops"


@dataclass(frozen=True)
class Steps:
    spec: str
    placement: str
    check: str
    kind: str = "safety"
    profile: str = ""  # where a spec has several

    def __str__(self) -> str:
        name = Path(self.spec).stem
        return f"steps of {name}@{self.placement}, {self.check} {self.kind}"


@dataclass(frozen=True)
class Compiler:
    spec: str
    profile: str = ""  # where a spec has several

    def __str__(self) -> str:
        profile = f", profile {self.profile}" if self.profile else ""
        return f"hsmc check {Path(self.spec).name}{profile}"


# What all searches read, and with which tools they work; those of steps and the compiler read a spec, too.
READ = (
    *COMPILER,
    "models/",
    "!models/mutants/*",
    "models/mutants/mutant.py",
    "fw-runtime/",
)
TOOLS = ("clang", "cc", "spin", "tcc", "python")

Search = Union[Accesses, EventLoops, Steps, Compiler]


@dataclass(frozen=True)
class Mutant:
    """`old`, which stands once in the file, becomes `new`. `violates`: a property, or the number of a diagnostic. Where no
    search shows it, it is "", and `survives` says of which kind the mutant is (hsmc.verification.survivors) and why.
    """

    name: str
    file: str
    old: str
    new: str
    search: Search
    violates: str
    survives: tuple[str, str] = ("", "")


class Tree:
    """A copy of what the searches read, in which one mutant at a time is made. `known`: what searches found in earlier runs,
    which counts as long as nothing that they read has changed."""

    def __init__(
        self, directory: Path, known: Optional[dict[str, Known]] = None
    ) -> None:
        self.known = known or {}
        self.found: dict[str, Known] = {}
        self.memory = directory.resolve() / "contents.json"
        self.root = directory.resolve() / "tree"
        self.output = directory.resolve() / "output"
        shutil.rmtree(self.root, ignore_errors=True)
        for name in COPIED:
            shutil.copytree(
                ROOT / name,
                self.root / name,
                ignore=shutil.ignore_patterns("__pycache__"),
            )

    def examine(self, mutant: Mutant) -> Outcome:
        path = self.root / mutant.file
        original = (ROOT / mutant.file).read_text()
        times = original.count(mutant.old)
        line = original[: original.find(mutant.old)].count("\n") + 1
        label = str(mutant.search)
        outcome = Outcome(
            mutant.name, label, f"{mutant.file}:{line}", "broken", found=[Found(label)]
        )
        if times != 1:
            outcome.by = f"expected the text once, found it {times} times"
            return outcome
        text = original.replace(mutant.old, mutant.new)
        outcome.difference = _difference(mutant.file, original, text)
        path.write_text(text)
        try:
            self._search_once(mutant.name, mutant.search, outcome)
        except (Unreadable, RuntimeError, subprocess.CalledProcessError) as problem:
            outcome.by = str(problem)
        finally:
            # With its time: Python tells by it whether a module has changed.
            shutil.copy2(ROOT / mutant.file, path)
        return outcome

    def holds(self, search: Search) -> Outcome:
        """What the search says of the files as they stand."""
        outcome = Outcome("nothing is changed", str(search), "", "broken")
        outcome.found.append(Found(str(search)))
        self._search_once(f"nothing is changed: {search}", search, outcome)
        return outcome

    def _search_once(self, name: str, search: Search, outcome: Outcome) -> None:
        """Unless it is known what it finds."""
        key = self._key(search)
        known = self.known.get(name)
        if known is not None and known.key == key:
            outcome.fate, outcome.by = known.fate, known.by
            outcome.found[-1].steps = known.steps
        else:
            self._search(search, outcome)
        if outcome.fate in ("property", "survived"):
            steps = outcome.found[-1].steps
            self.found[name] = Known(
                key, 1, outcome.fate, outcome.by, str(search), steps, False
            )

    def _key(self, search: Search) -> str:
        """Of all that the search reads."""
        read: tuple[str, ...] = READ
        if isinstance(search, (Steps, Compiler)):
            read += (f"{Path(search.spec).parent.as_posix()}/*.hsm",)
        contents = Contents(self.root, self.memory)
        groups = contents.groups(read, ())
        contents.save()
        return digest(repr(search), repr(groups), *map(version, TOOLS))

    def _search(self, search: Search, outcome: Outcome) -> None:
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir(parents=True)
        if isinstance(search, (Accesses, EventLoops)):
            self._search_orders(search, outcome)
        elif isinstance(search, Steps):
            self._search_steps(search, outcome)
        else:
            self._check(search, outcome)

    def _search_orders(
        self, search: Union[Accesses, EventLoops], outcome: Outcome
    ) -> None:
        try:
            if isinstance(search, EventLoops):
                found = event_loops.search(self.output, [self.root])
            elif isinstance(search.subject, int):
                found = units.search(search.subject, self.output, [self.root])
            else:
                found = processors.search(search.subject, self.output, [self.root])
        except Violated as violated:
            outcome.fate, outcome.by = "property", violated.property
            outcome.found[-1].steps = violated.step
            return
        outcome.fate, outcome.found[-1].states = "survived", found.states

    def _search_steps(self, search: Steps, outcome: Outcome) -> None:
        report = self.output / "report.json"
        status, said = self._hsmc(
            *("verify", self.root / search.spec, search.check, *_profile(search)),
            *("--placement", search.placement, "--kind", search.kind),
            *("--engine", "c", "--output", self.output, "--report", report),
        )
        if not report.exists():
            outcome.by = said
            return
        (run,) = json.loads(report.read_text())
        outcome.found[-1].states = run["states"]
        if run["verdict"] == "violated":
            outcome.fate, outcome.by = "property", run["property"]
            log = next(self.output.glob("**/pan.log"))
            steps = STEPS.search(log.read_text())
            outcome.found[-1].steps = int(steps[1]) if steps else 0
        elif status == 0:
            outcome.fate = "survived"
        else:
            outcome.by = said

    def _check(self, search: Compiler, outcome: Outcome) -> None:
        status, said = self._hsmc(
            "check", self.root / search.spec, *_profile(search), "--json"
        )
        if status == 0:
            outcome.fate = "survived"
            return
        try:
            codes = [d["code"] for d in json.loads(said) if d["severity"] == "error"]
        except ValueError:
            outcome.by = said
            return
        refused = not any(map(MALFORMED.fullmatch, codes))
        outcome.fate, outcome.by = "compiler" if refused else "broken", codes[0]

    def _hsmc(self, *arguments: object) -> tuple[int, str]:
        command = [sys.executable, self.root / "gen/bin/hsmc", *arguments]
        result = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            cwd=self.output,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            check=False,
        )
        return result.returncode, result.stdout + result.stderr


def _profile(search: Union[Compiler, Steps]) -> tuple[str, ...]:
    return ("--profile", search.profile) if search.profile else ()


def _difference(file: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), file, file, lineterm="", n=1
    )
    return "\n".join(list(lines)[2:])
