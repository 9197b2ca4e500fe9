# SPDX-License-Identifier: MIT
"""Breaks the EMP spec on purpose: every mutant must be killed by the property named for it.

A property that no mutant violates might be switched off without anybody noticing. The spec as it stands must pass the
same searches.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "gen"))

from hsmc import compile_spec  # noqa: E402
from hsmc.frontend.includes import LIBRARY  # noqa: E402
from hsmc.verification.campaign import run_all  # noqa: E402
from hsmc.verification.search import Limits, Run  # noqa: E402
from hsmc.verification.subject import CONTRACTS, INTERNAL, Subject  # noqa: E402
from tests.long_tests import one_in  # noqa: E402
from tests.mutants.emp_mutants import MUTANTS, Mutant  # noqa: E402
from tests.mutants.emp_mutants_combined import COMBINED_MUTANTS  # noqa: E402
from tests.mutants.emp_mutants_modern import MODERN_MUTANTS  # noqa: E402

ALL_MUTANTS = [*MUTANTS, *MODERN_MUTANTS, *COMBINED_MUTANTS]


def run(spec: pathlib.Path, build: pathlib.Path, mutant: Mutant) -> Run:
    check, engine, kind = mutant.search.split(":")
    subject = Subject(spec, build, mutant.profile)
    limits = Limits(only=mutant.violates if mutant.alone else None)
    searches = [(subject.search(check, engine, kind), subject)]
    # Ends at the first violation: to optimise the verifier would take longer than it runs.
    (result,) = run_all(searches, limits, quick=True)
    return result


@pytest.mark.parametrize(
    "mutant", one_in(40, ALL_MUTANTS), ids=lambda mutant: mutant.name.replace(" ", "_")
)
def test_mutant_is_killed(mutant: Mutant, tmp_path: pathlib.Path) -> None:
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    path = tmp_path / "spec" / "emp" / mutant.file
    if mutant.file.startswith("nic/"):
        shutil.copytree(LIBRARY / "nic", path.parent)
    pattern = r"\s+".join(re.escape(word) for word in mutant.old.split())
    text, times = re.subn(pattern, lambda _: mutant.new, path.read_text())
    assert times == mutant.times, "the spec has changed: mend the mutant"
    path.write_text(text)
    spec = tmp_path / "spec" / "emp" / "emp.hsm"
    result = run(spec, tmp_path / "build", mutant)
    assert result.errors > 0, "survived"
    assert result.violated == mutant.violates, result.failure


@pytest.mark.parametrize("check", one_in(2, ["one_record", "two_collections"]))
def test_spec_survives(check: str, tmp_path: pathlib.Path) -> None:
    subject = Subject(ROOT / "spec/emp/emp.hsm", tmp_path)
    searches = list(subject.searches([check], engines=["c"]))
    assert [search.kind for search in searches] == ["safety", "liveness"]
    runs = run_all([(search, subject) for search in searches], quick=True)
    assert [(run.name, run.failure) for run in runs if not run.holds] == []


@pytest.mark.parametrize("profile", ["paper", "modern"])
def test_every_property_has_a_mutant(profile: str) -> None:
    protocol = compile_spec(str(ROOT / "spec" / "emp" / "emp.hsm"), profile=profile)
    violated = {
        mutant.violates
        for mutant in ALL_MUTANTS
        if profile == "modern" or mutant.profile is None
    }
    built_in = {*INTERNAL, *(name for name, _ in CONTRACTS.values())}
    assert {p.name for p in protocol.properties} == violated - built_in
