# SPDX-License-Identifier: MIT
"""Parse, print, parse: random text within the grammar has one tree, whatever its layout, and one layout.

HSMC_SYNTAX_CASES: how many texts hypothesis tries; 60 unless told.
"""

from __future__ import annotations

import contextlib
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
import lark
from lark.exceptions import LarkError
from lark.grammar import Rule
from tests.compiler.random_syntax import random_text, reachable, rules, text_with
from tests.long_tests import one_in

from hsmc.formatting.formatter import format_text, same_tree
from hsmc.frontend import lalr
from hsmc.frontend.build_ast import AstBuilder
from hsmc.frontend.parser import FileParser, _chunks, _too_deep, lark_parser, parse_text
from hsmc.frontend.profiles import Selection
from hsmc.source import SourceFile
from hsmc.report import Report, render

CASES = int(os.environ.get("HSMC_SYNTAX_CASES", "60"))
PATH = Path("random.hsm")
TOP = Path(__file__).resolve().parents[2]
SPECS = sorted([*(TOP / "spec").glob("*/*.hsm"), *TOP.glob("tests/compiler/*/*.hsm")])

# Texts of declarations that were read by both parsers, and whether they have a tree.
DECLARATIONS: dict[str, bool] = {}


def trees(text: str) -> list[object]:
    """In both profiles the random texts mention."""
    found: list[object] = []
    for profile in ("paper", "modern"):
        report = Report()
        found.append(parse_text(text, PATH, report, Selection(profile, None)))
        assert [render(d) for d in report.diagnostics] == [], text
    return found


def by_lark(text: str, builder: AstBuilder) -> object:
    """What lalr.py makes of a declaration, by Lark's own tree."""

    def built(node: object) -> object:
        if isinstance(node, lark.Tree):
            meta = node.meta
            extent = (0, 0) if meta.empty else (meta.start_pos, meta.end_pos)
            return getattr(builder, node.data)(
                extent, [built(c) for c in node.children]
            )
        if isinstance(node, lark.Token) and node.type == "NAME":
            return builder.NAME(node)
        return node

    return built(lark_parser().parse(text))


def check_against_lark(text: str, selection: Selection) -> int:
    """The same tree, with the same places, or none from both. Gives the number of declarations that have a tree. Lark is
    slow: a declaration is read once, however many texts it stands in."""
    file = SourceFile(PATH, PATH.name, text)
    parser = FileParser(file, Report())
    parser.profiles()
    count = 0
    for chunk in _chunks(parser._selected(selection)):
        own, theirs = (AstBuilder(file, chunk[0].start, Report()) for _ in range(2))
        declaration = parser._text(chunk)
        if declaration in DECLARATIONS:
            count += DECLARATIONS[declaration]
            continue
        DECLARATIONS[declaration] = False
        try:
            found = lalr.parse(lark_parser(), declaration, own)
        except lalr.NotParsed:
            with contextlib.suppress(LarkError):
                _too_deep(lark_parser().parse(declaration))
            continue
        assert found == by_lark(declaration, theirs), declaration
        assert own.report.diagnostics == theirs.report.diagnostics
        DECLARATIONS[declaration] = True
        count += 1
    return count


def check(text: str) -> None:
    for profile in ("paper", "modern"):
        check_against_lark(text, Selection(profile, None))
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


@pytest.mark.parametrize("one_of", one_in(2, [4, 1]))
def test_each_rule_of_the_grammar(one_of: int) -> None:
    """`make test` begins with one rule of four; a text has others besides."""
    assert set(reachable()) == {rule for own in rules().values() for rule in own}
    reached: set[Rule] = set()
    for rule in list(reachable())[::one_of]:
        if rule not in reached:
            text, used = text_with(rule, 1)
            check(text)
            reached |= used
    assert len(reached) >= len(reachable()) // one_of
    assert one_of > 1 or reached == set(reachable())


@pytest.mark.parametrize("seed", range(4))
def test_long_files(seed: int) -> None:
    check(random_text(random.Random(seed), 40)[0])


@pytest.mark.parametrize("path", one_in(3, SPECS), ids=lambda p: p.name)
def test_specs_and_their_mistakes_as_lark_reads_them(path: Path) -> None:
    text = path.read_text()
    whole = Selection("modern", None)  # repair.hsm has little else
    assert check_against_lark(text, whole) > 0
    # A character of a line left out, doubled or put in where it does not belong.
    chance = random.Random(str(path))
    for _ in range(20):
        at = chance.randrange(len(text))
        other = chance.choice(["", text[at] * 2, *"=<.:-/;()[]&!{} 0a"])
        check_against_lark(text[:at] + other + text[at + 1 :], whole)
