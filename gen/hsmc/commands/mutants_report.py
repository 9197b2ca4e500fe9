# SPDX-License-Identifier: MIT
"""Which mutants `hsmc mutants` examines, and what it prints."""

from __future__ import annotations

import argparse
import hashlib
import sys
from typing import Sequence

from ..failure import Failure, choose
from ..files import write_all
from ..frontend.profiles import UnknownProfile
from ..progress import Progress
from ..report import SpecError
from ..testing import mutation
from ..verification import known_mutants, survivors
from ..verification.mutant_report import Report
from ..verification.mutants import ResultCache, Task, examine_all, measure
from ..verification.search import need_tools
from ..verification.subject import Subject, choose_checks
from ..verification.survivors import Survivor
from .command_line import fail, print_json


def chosen(subject: Subject, options: argparse.Namespace) -> list[mutation.Mutant]:
    """Those asked for; `--sample N` takes N, spread over all operators."""
    for name in options.operators:
        choose("operator", name, list(mutation.OPERATORS))
    processes = [process.name for process in subject.protocol.processes]
    for name in options.process:
        choose("process", name, processes)
    every = mutation.mutants(subject.compilation.spec, options.operators)
    if options.process:
        every = [m for m in every if not m.process or m.process in options.process]
    if options.name is not None:
        wanted = Survivor(options.name, "", "")
        every = [mutant for mutant in every if wanted.means(mutant.name)]
        if not every:
            raise Failure(f"there is no mutant {options.name}; --list names them")
    if options.sample is not None:
        every = spread(every, options.sample)
    return every


def spread(every: Sequence[mutation.Mutant], count: int) -> list[mutation.Mutant]:
    """As many of each operator as there are, up to an equal share. Which ones depends on their own names alone, so that
    a change of the spec elsewhere hardly changes the choice.
    """
    if count < 1:
        raise Failure("--sample takes a number from 1 on")
    ranks: dict[str, list[str]] = {}
    for mutant in every:
        ranks.setdefault(mutant.operator, []).append(mutant.name)
    order = {
        name: (rank, operator)
        for operator, names in ranks.items()
        for rank, name in enumerate(
            sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())
        )
    }
    taken = set(sorted(order, key=lambda name: order[name])[:count])
    return [mutant for mutant in every if mutant.name in taken]


def command(options: argparse.Namespace) -> int:
    try:
        subject = Subject(options.file, options.output, options.profile)
    except UnknownProfile as error:
        raise Failure(str(error)) from None
    except SpecError as error:
        fail(error.diagnostics, options.json)
    choose_checks([subject], options.checks)
    every = chosen(subject, options)
    if not every:
        raise Failure(
            f"there is no such mutant of {options.file}: nothing to examine", 1
        )
    if options.list:
        print(*(f"{m.place}  {m.name}" for m in every), sep="\n")
        return 0
    if options.jobs < 1:
        raise Failure("--jobs takes a number from 1 on")
    known = survivors.read(options.survivors) if options.survivors else []
    earlier = known_mutants.KnownMutants()
    if options.results is not None and not options.again:
        earlier = known_mutants.read(options.results)
    need_tools()
    progress = Progress()
    directory = subject.directory.parent
    cache = ResultCache(directory / "cache", options.again)
    try:
        baseline = measure(
            subject, cache, options.checks, options.jobs, progress.step, earlier.spec
        )
    except SpecError as error:
        fail(error.diagnostics, options.json)
    tasks = [
        Task(
            options.file,
            options.profile,
            directory,
            mutant,
            baseline,
            earlier.mutants.get(mutant.name),
            options.again,
        )
        for mutant in every
    ]
    outcomes = examine_all(
        tasks,
        options.jobs,
        lambda outcome, done: progress.step(f"{done} of {len(tasks)}: {outcome.name}"),
    )
    progress.done()
    if options.results is not None:
        assert baseline.known is not None
        found = {each.name: each.known for each in outcomes if each.known is not None}
        known_mutants.write(options.results, baseline.known, found)
    outcomes = [outcome for outcome in outcomes if outcome.fate != "malformed"]
    report = Report(subject, baseline, outcomes, known)
    if options.page is not None:
        write_all({options.page: report.page()})
    if options.json:
        print_json(report.record())
    else:
        print(report.text(options.diff), end="")
    for problem in report.problems():
        print(problem, file=sys.stderr)
    return int(bool(report.problems()))
