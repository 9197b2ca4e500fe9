"""`hsmc mutants`: chooses mutants, has them examined, and says what became of each."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from pathlib import Path
from typing import Optional, Sequence

from ..testing import mutation
from ..workbench.command_line import (
    Failure,
    Progress,
    choose,
    fail,
    print_json,
    write_all,
)
from ..frontend.profiles import UnknownProfile
from ..report import SpecError
from . import survivors
from .mutants import Baseline, Kept, Outcome, Task, as_record, examine_all, measure
from .search import need_tools
from .subject import Subject, choose_checks
from .survivors import Survivor

FATES = {
    "property": "killed by a named property",
    "compiler": "killed by the compiler",
    "same": "equivalent: what is generated is the same",
    "unreached": "beyond the models: nothing that is different is ever executed there",
    "survived": "survived",
    "broken": "not examined: a tool failed",
}


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
    if options.list:
        print(*(f"{m.place}  {m.name}" for m in every), sep="\n")
        return 0
    if options.jobs < 1:
        raise Failure("--jobs takes a number from 1 on")
    known = survivors.read(options.survivors) if options.survivors else []
    need_tools()
    progress = Progress()
    directory = subject.directory.parent
    kept = Kept(directory / "kept")
    try:
        baseline = measure(subject, kept, options.checks, progress.step)
    except SpecError as error:
        fail(error.diagnostics, options.json)
    tasks = [
        Task(
            options.file,
            options.profile,
            directory,
            mutant,
            baseline,
        )
        for mutant in every
    ]
    outcomes = examine_all(
        tasks,
        options.jobs,
        lambda outcome, done: progress.step(f"{done} of {len(tasks)}: {outcome.name}"),
    )
    progress.done()
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


class Report:
    def __init__(
        self,
        subject: Subject,
        baseline: Baseline,
        outcomes: Sequence[Outcome],
        known: Sequence[Survivor],
    ) -> None:
        self.subject = subject
        self.baseline = baseline
        self.outcomes = outcomes
        self.known = known
        self.survived = [o for o in outcomes if o.fate == "survived"]

    def explanation(self, outcome: Outcome) -> Optional[Survivor]:
        if outcome.fate != "survived":
            return None
        return survivors.explanation(self.known, outcome.name)

    def problems(self) -> list[str]:
        result = [
            f"{o.place}: survives unexplained: {o.name}{self._states(o)}"
            for o in self.survived
            if self.explanation(o) is None
        ]
        result += [
            f"{o.place}: killed by no named property but by '{o.by}': {o.name}"
            for o in self.outcomes
            if o.fate == "property" and not o.named
        ]
        result += [
            f"{o.place}: {o.name}: {o.by}" for o in self.outcomes if o.fate == "broken"
        ]
        result += [
            f"no such mutant survives any more: {each.mutant}"
            for each in survivors.idle(
                self.known,
                [o.name for o in self.survived],
                [o.name for o in self.outcomes],
            )
        ]
        return result

    @staticmethod
    def _states(outcome: Outcome) -> str:
        if any(found.incomplete for found in outcome.found):
            return " (a search was cut short)"
        same = "the same number of" if outcome.same_states else "other numbers of"
        return f" ({same} states in all searches)"

    def told(self, outcome: Outcome) -> str:
        """What became of it."""
        if outcome.fate == "property":
            last = outcome.found[-1]
            return f"{outcome.by} ({last.search}, step {last.steps})"
        if outcome.fate == "compiler":
            return outcome.by
        known = self.explanation(outcome)
        if known is not None:
            return f"{known.kind}: {known.reason}"
        if outcome.fate == "broken":
            return f"{FATES['broken']}: {outcome.by.splitlines()[0]}"
        return FATES[outcome.fate]

    def counts(self) -> list[str]:
        fates = Counter(outcome.fate for outcome in self.outcomes)
        explained = sum(self.explanation(o) is not None for o in self.survived)
        lines = [f"{fates[fate]:5} {FATES[fate]}" for fate in FATES if fates[fate]]
        by = Counter(o.by for o in self.outcomes if o.fate == "property")
        lines += [f"      {number:5} {name}" for name, number in by.most_common()]
        lines.append(f"{explained:5} survivors explained, of {len(self.survived)}")
        return lines

    def text(self, difference: bool) -> str:
        lines = []
        for outcome in self.outcomes:
            lines.append(f"{outcome.place}  {outcome.name}")
            lines.append(f"    {self.told(outcome)}")
            if difference:
                lines += [f"    {line}" for line in outcome.difference.splitlines()]
        lines.append("")
        lines.append(f"{len(self.outcomes)} mutants of {self.subject.name}")
        lines += self.counts()
        lines.append(f"searched: {self.searched()}")
        if self.baseline.left_out:
            names = ", ".join(self.baseline.left_out)
            lines.append(f"too long for every mutant, not searched: {names}")
        return "\n".join(lines) + "\n"

    def searched(self) -> str:
        return ", ".join(
            f"{check} {kind} ({states} states)"
            for (check, kind), states in zip(self.baseline.plan, self.baseline.states)
        )

    def record(self) -> dict[str, object]:
        mutants = []
        for outcome in self.outcomes:
            known = self.explanation(outcome)
            record = as_record(outcome)
            record["explained"] = (
                {"kind": known.kind, "reason": known.reason} if known else None
            )
            mutants.append(record)
        return {
            "protocol": self.subject.name,
            "searches": dict(
                zip(map(" ".join, self.baseline.plan), self.baseline.states)
            ),
            "left_out": self.baseline.left_out,
            "mutants": mutants,
        }

    def page(self) -> str:
        """The table as Markdown."""
        name = self.subject.name
        lines = [
            f"# Mutants of {name}",
            "",
            f"Made by `hsmc mutants`. Each line is `{self.subject.spec.name}` with one thing changed, or a file it",
            "includes, and what shows it: a named property that is violated, in which search and after how many steps, or",
            "a diagnostic of the compiler. What nothing shows is explained.",
            "",
            f"Searched, the generated C: {self.searched()}.",
            "",
        ]
        if self.baseline.left_out:
            lines += [
                f"Too long for every mutant: {', '.join(self.baseline.left_out)}.",
                "",
            ]
        fates = Counter(outcome.fate for outcome in self.outcomes)
        lines += ["| mutants | |", "|---|---|"]
        lines += [f"| {fates[f]} | {FATES[f]} |" for f in FATES if fates[f]]
        by = Counter(o.by for o in self.outcomes if o.fate == "property")
        lines += ["", "| property | mutants it kills first |", "|---|---|"]
        for each in self.subject.protocol.properties:
            by.setdefault(each.name, 0)
        lines += [f"| {prop} | {by[prop]} |" for prop in sorted(by)]
        lines += ["", "| mutant | place | shown by |", "|---|---|---|"]
        lines += [self.page_row(outcome) for outcome in self.outcomes]
        return "\n".join(lines) + "\n"

    def page_row(self, outcome: Outcome) -> str:
        cells = (f"`{outcome.name}`", outcome.place, self.told(outcome))
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
