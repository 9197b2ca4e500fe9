# SPDX-License-Identifier: MIT
"""Mutants of concurrency (`make mutants-placements`): each is shown by the property that it names."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

from hsmc.verification.mutants import Outcome  # noqa: E402
from models.mutants.mutant import Mutant, Steps, Tree  # noqa: E402
from models.placement_mutants import MUTANTS, Report  # noqa: E402
from tests.long_tests import one_in  # noqa: E402

SEARCHES = {str(mutant.search): mutant for mutant in MUTANTS}


@pytest.fixture(scope="module", name="tree")
def _tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("mutants"))


@pytest.mark.parametrize(
    "mutant", one_in(30, MUTANTS), ids=lambda mutant: mutant.name.replace(" ", "_")
)
def test_mutant_is_shown_by_its_property(mutant: Mutant, tree: Tree) -> None:
    outcome = tree.examine(mutant)
    assert outcome.fate in ("property", "compiler", "survived"), outcome.by
    assert outcome.by == mutant.violates


@pytest.mark.parametrize("name", one_in(20, SEARCHES))
def test_what_is_searched_holds_unbroken(name: str, tree: Tree) -> None:
    outcome = tree.holds(SEARCHES[name].search)
    assert (outcome.fate, outcome.by) == ("survived", "")


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "_")
)
def test_the_text_stands_once_in_its_file(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1
    assert mutant.new != mutant.old


def test_names_tell_mutants_apart() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def outcome_of(mutant: Mutant, fate: str, by: str) -> Outcome:
    return Outcome(mutant.name, str(mutant.search), mutant.file, fate, by)


def test_a_report_objects_to_survivors_and_other_properties() -> None:
    mutant = MUTANTS[0]
    shown = Report([mutant], [outcome_of(mutant, "property", mutant.violates)])
    assert shown.problems() == []
    survived = Report([mutant], [outcome_of(mutant, "survived", "")])
    assert "survives unexplained" in survived.problems()[0]
    other = Report([mutant], [outcome_of(mutant, "property", "other")])
    assert f"expected {mutant.violates} to show it" in other.problems()[0]
    broken = Report([mutant], [outcome_of(mutant, "broken", "clang fails")])
    assert "clang fails" in broken.problems()[0]


def test_a_mutant_that_does_not_compile_is_none(tree: Tree) -> None:
    first = MUTANTS[0]
    mutant = Mutant("no C", first.file, first.old, "no C;", first.search, "")
    assert tree.examine(mutant).fate == "broken"


def test_what_is_known_is_not_searched_again(tmp_path: Path) -> None:
    lock = next(m for m in MUTANTS if m.name == "the lock is left out")
    steps = next(m for m in MUTANTS if isinstance(m.search, Steps))
    assert isinstance(steps.search, Steps)
    first = Tree(tmp_path)
    assert first.examine(lock).by == lock.violates
    known = first.found
    second = Tree(tmp_path, {n: replace(k, by="believed") for n, k in known.items()})
    assert second.examine(lock).by == "believed"
    # Its spec matters to the one, a file of the runtime to both.
    keys = [second._key(each.search) for each in (lock, steps)]
    spec = second.root / steps.search.spec
    spec.write_text(spec.read_text() + "# comment\n")
    assert [second._key(each.search) for each in (lock, steps)] == keys
    spec.write_text(spec.read_text() + "constant touched = 1\n")
    assert second._key(lock.search) == keys[0]
    assert second._key(steps.search) != keys[1]
    runtime = second.root / "fw-runtime/messages.h"
    runtime.write_text(runtime.read_text() + "int touched;\n")
    assert second._key(lock.search) != keys[0]
    assert second.examine(lock).by == lock.violates
