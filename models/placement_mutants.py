#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Breaks what is proved of two processors, one thing at a time: `make mutants-placements`.

    models/placement_mutants.py                       all mutants of models/mutants
    models/placement_mutants.py --name "*the lock*"   those of this name; * stands for anything
    models/placement_mutants.py --list                only names them

Each is run by the search that must find it, and must violate the property, or meet the diagnostic, that it names. Before,
each search is run with nothing broken. The table goes to docs/mutants-placements.md, and with all that was found to
build/mutants/placements.json; what is found again is not searched again (--results). The exit status is 1 when a mutant survives unexplained, when another property shows it, or
when a tool fails: a mutant that does not compile is none.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import Sequence

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

from hsmc.files import write_all  # noqa: E402
from hsmc.verification import known_mutants  # noqa: E402
from hsmc.verification.mutant_report import Fates  # noqa: E402
from hsmc.verification.mutants import Outcome  # noqa: E402
from hsmc.verification.survivors import Survivor  # noqa: E402
from models.mutants import chip, divided, dynamic, units  # noqa: E402
from models.mutants.mutant import Mutant, Search, Tree  # noqa: E402

MUTANTS = [*chip.MUTANTS, *units.MUTANTS, *dynamic.MUTANTS, *divided.MUTANTS]
INTRODUCTION = """\
# Mutants of concurrency

Made by `make mutants-placements`. Each line is a file of the repository with one text replaced (`models/mutants/`): of the
C that ships for two processors, of the compiler that makes their units, of the rules that divide nodes in models, of
placements, or of specs. It says which property is violated in which search after how many steps, or which diagnostic of the
compiler refuses it. All searches hold with nothing replaced. A search of accesses tries all orders of single loads and
stores (`make prove`), one of steps all orders of events (`make verify-placements`); see [placements](placements.md).
"""


class Report(Fates):
    def __init__(self, mutants: Sequence[Mutant], outcomes: Sequence[Outcome]) -> None:
        known = [Survivor(m.name, *m.survives) for m in mutants if not m.violates]
        super().__init__(outcomes, known)
        self.expected = {mutant.name: mutant.violates for mutant in mutants}

    def problems(self) -> list[str]:
        return super().problems() + [
            f"{o.place}: expected {self.expected[o.name]} to show it, but {o.by} did: {o.name}"
            for o in self.outcomes
            if o.killed and o.by != self.expected[o.name]
        ]

    def page(self) -> str:
        return "\n".join([INTRODUCTION, *self.tables(())]) + "\n"


def chosen(name: str) -> list[Mutant]:
    wanted = Survivor(name, "", "")
    return [mutant for mutant in MUTANTS if wanted.means(mutant.name)]


def unbroken(tree: Tree, mutants: Sequence[Mutant]) -> list[str]:
    """What the searches of these mutants find where nothing is."""
    searches: dict[str, Search] = {str(each.search): each.search for each in mutants}
    problems = []
    for name, search in searches.items():
        print(f"nothing broken: {name}", flush=True)
        outcome = tree.holds(search)
        if outcome.fate != "survived":
            problems.append(f"{name}: {outcome.fate} {outcome.by} with nothing broken")
    return problems


def main() -> int:
    arguments = argparse.ArgumentParser(
        description="Breaks what is proved of two processors, one thing at a time."
    )
    arguments.add_argument("--name", default="*", help="only of this name")
    arguments.add_argument("--list", action="store_true", help="only name them")
    arguments.add_argument("--diff", action="store_true", help="show what is changed")
    arguments.add_argument(
        "--build", type=pathlib.Path, default=ROOT / "build", help="where to work"
    )
    arguments.add_argument(
        "--page", type=pathlib.Path, metavar="FILE", help="the table as Markdown"
    )
    arguments.add_argument(
        "--results",
        type=pathlib.Path,
        metavar="FILE",
        help="believe what this file says of searches that are the same, and write it anew",
    )
    arguments.add_argument(
        "--again", action="store_true", help="believe nothing of earlier runs"
    )
    options = arguments.parse_args()
    mutants = chosen(options.name)
    if not mutants:
        print(f"there is no mutant {options.name}; --list names them", file=sys.stderr)
        return 2
    if options.list:
        print(*(f"{m.file}  {m.name}" for m in mutants), sep="\n")
        return 0
    earlier = known_mutants.KnownMutants()
    if options.results and not options.again:
        earlier = known_mutants.read(options.results)
    tree = Tree(options.build / "mutants/placements", earlier.mutants)
    problems = unbroken(tree, mutants)
    outcomes = []
    for number, mutant in enumerate(mutants, start=1):
        outcomes.append(tree.examine(mutant))
        print(f"{number} of {len(mutants)}:", end=" ")
        print(*Report([mutant], outcomes[-1:]).each(options.diff), sep="\n", flush=True)
    if options.results:
        known_mutants.write(options.results, None, tree.found)
    report = Report(mutants, outcomes)
    if options.page:
        write_all({options.page: report.page()})
    record = json.dumps(report.records(), indent=1) + "\n"
    write_all({options.build / "mutants/placements.json": record})
    print("", *report.counts(), sep="\n")
    problems += report.problems()
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
