"""Parse, print, parse: random text within the grammar has one tree, whatever its layout, and one layout.

HSMC_SYNTAX_CASES: how many texts hypothesis tries; 60 unless told.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lark.grammar import Rule
from tests.compiler.random_syntax import random_text, reachable, rules, text_with

from hsmc.formatting.formatter import format_text, same_tree
from hsmc.frontend.parser import parse_text
from hsmc.frontend.profiles import Selection
from hsmc.report import Report, render

CASES = int(os.environ.get("HSMC_SYNTAX_CASES", "60"))
PATH = Path("random.hsm")


def trees(text: str) -> list[object]:
    """In both profiles the random texts mention."""
    found: list[object] = []
    for profile in ("paper", "modern"):
        report = Report()
        found.append(parse_text(text, PATH, report, Selection(profile, None)))
        assert [render(d) for d in report.diagnostics] == [], text
    return found


def check(text: str) -> None:
    before = trees(text)
    formatted = format_text(text, PATH)
    assert same_tree(before, trees(formatted)), text
    assert format_text(formatted, PATH) == formatted
    # Comments and texts in quotes are all there.
    for sign in ("#", '"'):
        assert formatted.count(sign) == text.count(sign)


@settings(
    max_examples=CASES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.randoms(use_true_random=False))
def test_random_text(source: random.Random) -> None:
    check(random_text(source)[0])


def test_each_rule_of_the_grammar() -> None:
    assert set(reachable()) == {rule for own in rules().values() for rule in own}
    reached: set[Rule] = set()
    for rule in reachable():
        if rule not in reached:
            text, used = text_with(rule, 1)
            check(text)
            reached |= used
    assert reached == set(reachable())


@pytest.mark.parametrize("seed", range(4))
def test_long_files(seed: int) -> None:
    check(random_text(random.Random(seed), 40)[0])
