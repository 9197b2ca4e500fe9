# SPDX-License-Identifier: MIT
"""docs/language.md: its examples compile, its tables are complete."""

import re
from pathlib import Path

import pytest

from hsmc.frontend.build_parts import RESERVED
from hsmc.compilation.compiler import Compilation
from hsmc.diagnostics import TABLE
from hsmc.report import render

TOP = Path(__file__).resolve().parents[2]
MANUAL = (TOP / "docs/language.md").read_text()
EXAMPLES = re.findall(r"^```hsm compile\n(.*?)^```", MANUAL, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_compiles(number: int, tmp_path: Path) -> None:
    path = tmp_path / "example.hsm"
    path.write_text(EXAMPLES[number])
    assert [render(d) for d in Compilation(path).diagnostics()] == []


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2


def test_diagnostics_are_listed() -> None:
    listed = dict(
        re.findall(
            r"^\| \[(HSM\d{4})\]\(diagnostics/\1\.md\) \| (\w+) \|",
            MANUAL,
            re.MULTILINE,
        )
    )
    assert listed == {code: entry.severity for code, entry in TABLE.items()}


def test_reserved_words_are_listed() -> None:
    section = MANUAL.split("### Words", 1)[1].split("##", 1)[0]
    assert RESERVED <= set(re.findall(r"`(\w+)`", section))


def test_every_declaration_is_described() -> None:
    grammar = (TOP / "gen/hsmc/frontend/grammar.lark").read_text()
    start = grammar.split("start:", 1)[1].split("\n\n", 1)[0]
    for rule in re.findall(r"[a-z]+", start):
        assert re.search(rf"`[^`|]*\b{rule} ", MANUAL), rule


def test_every_word_of_the_language_stands_in_an_example_that_compiles() -> None:
    grammar = (TOP / "gen/hsmc/frontend/grammar.lark").read_text()
    words = set(re.findall(r'"([a-z_]+)"', grammar))
    reference = MANUAL.split("\n## Text\n")[1].split("\n## The compiler\n")[0]
    shown = "\n".join(example for example in EXAMPLES if example in reference)
    assert {word for word in words if not re.search(rf"\b{word}\b", shown)} == set()
