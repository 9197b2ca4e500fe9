# SPDX-License-Identifier: MIT
"""What became of mutants, each by itself and counted: for people, for programs, and as a page. `Report` is that of
`hsmc mutants`."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Optional, Sequence

from . import survivors
from .mutants import Baseline, Outcome, as_record
from .subject import Subject
from .survivors import Survivor

FATES = {
    "property": "killed by a named property",
    "compiler": "killed by the compiler",
    "same": "equivalent: what is generated is the same",
    "unreached": "beyond the models: nothing that is different is ever executed there",
    "survived": "survived",
    "broken": "not examined: a tool failed",
}


class Fates:
    """Of mutants, wherever they come from. `known`: explanations of those that survive."""

    def __init__(self, outcomes: Sequence[Outcome], known: Sequence[Survivor]) -> None:
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

    def outcome_text(self, outcome: Outcome) -> str:
        """What became of it."""
        if outcome.fate == "property":
            last = outcome.found[-1]
            step = f", step {last.steps}" if last.steps else ""
            return f"{outcome.by} ({last.search}{step})"
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
        explained_count = sum(self.explanation(o) is not None for o in self.survived)
        lines = [f"{fates[fate]:5} {FATES[fate]}" for fate in FATES if fates[fate]]
        by = Counter(o.by for o in self.outcomes if o.fate == "property")
        lines += [f"      {number:5} {name}" for name, number in by.most_common()]
        lines.append(
            f"{explained_count:5} survivors explained, of {len(self.survived)}"
        )
        return lines

    def each(self, difference: bool) -> list[str]:
        lines = []
        for outcome in self.outcomes:
            lines.append(f"{outcome.place}  {outcome.name}")
            lines.append(f"    {self.outcome_text(outcome)}")
            if difference:
                lines += [f"    {line}" for line in outcome.difference.splitlines()]
        return lines

    def records(self) -> list[dict[str, object]]:
        mutants = []
        for outcome in self.outcomes:
            known = self.explanation(outcome)
            record = as_record(outcome)
            record["explained"] = (
                {"kind": known.kind, "reason": known.reason} if known else None
            )
            mutants.append(record)
        return mutants

    def tables(self, properties: Iterable[str]) -> list[str]:
        """As Markdown: how many met which fate, how many each property kills, and the mutants."""
        fates = Counter(outcome.fate for outcome in self.outcomes)
        lines = ["| mutants | |", "|---|---|"]
        lines += [f"| {fates[f]} | {FATES[f]} |" for f in FATES if fates[f]]
        by = Counter(o.by for o in self.outcomes if o.fate == "property")
        lines += ["", "| property | mutants it kills first |", "|---|---|"]
        for name in properties:
            by.setdefault(name, 0)
        lines += [f"| {prop} | {by[prop]} |" for prop in sorted(by)]
        lines += ["", "| mutant | place | shown by |", "|---|---|---|"]
        return lines + [self.page_row(outcome) for outcome in self.outcomes]

    def page_row(self, outcome: Outcome) -> str:
        cells = (f"`{outcome.name}`", outcome.place, self.outcome_text(outcome))
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


class Report(Fates):
    def __init__(
        self,
        subject: Subject,
        baseline: Baseline,
        outcomes: Sequence[Outcome],
        known: Sequence[Survivor],
    ) -> None:
        super().__init__(outcomes, known)
        self.subject = subject
        self.baseline = baseline

    def text(self, difference: bool) -> str:
        lines = self.each(difference)
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
        return {
            "protocol": self.subject.name,
            "searches": dict(
                zip(map(" ".join, self.baseline.plan), self.baseline.states)
            ),
            "left_out": self.baseline.left_out,
            "mutants": self.records(),
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
        lines += self.tables(each.name for each in self.subject.protocol.properties)
        return "\n".join(lines) + "\n"
