# SPDX-License-Identifier: MIT
"""Specs with random damage: the compiler reports, it never crashes, and it does not report without end.

HSMC_DAMAGES: how often each file is damaged; 4 unless told, half as often where the whole of EMP is compiled.
"""

import os
import random
import re
from pathlib import Path

import pytest

from hsmc.compilation.compiler import Compilation
from hsmc.report import render
from tests.long_tests import one_in
from tests.few_checks import with_first_check

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SPECS = [TOP / "spec/abp/abp.hsm", TOP / "spec/emp/emp.hsm"]
TOKEN = re.compile(r"[A-Za-z_]\w*|0x[0-9A-Fa-f]+|\d+|:=|->|\.\.|[^\s\w]|\n *")
SOURCES = [
    *SPECS[:1],
    *sorted((HERE / "features").glob("*.hsm")),
    *sorted(SPECS[1].parent.glob("*.hsm")),
]
ROUNDS = int(os.environ.get("HSMC_DAMAGES", "4"))


def mutate(text: str, random_: random.Random) -> str:
    """Deletes, repeats, swaps or replaces a few tokens."""
    tokens = list(TOKEN.finditer(text))
    pieces = []
    end = 0
    for token in tokens:
        pieces += [text[end : token.start()], token.group()]
        end = token.end()
    pieces.append(text[end:])
    for _ in range(random_.choice((1, 1, 2, 5))):
        at = 2 * random_.randrange(len(tokens)) + 1
        other = 2 * random_.randrange(len(tokens)) + 1
        kind = random_.randrange(4)
        if kind == 0:
            pieces[at] = ""
        elif kind == 1:
            pieces[at] += " " + pieces[at]
        elif kind == 2:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        else:
            pieces[at] = pieces[other]
    return "".join(pieces)


@pytest.mark.parametrize("source", one_in(2, SOURCES), ids=lambda path: path.stem)
def test_damage_is_reported(source: Path, tmp_path: Path) -> None:
    for path in source.parent.iterdir():
        if path.suffix in (".hsm", ".inc"):
            (tmp_path / path.name).write_text(path.read_text())
    top = tmp_path / ("emp.hsm" if source.parent == SPECS[1].parent else source.name)
    if top.name == "emp.hsm":
        top.write_text(with_first_check(top.read_text()))
    text = (tmp_path / source.name).read_text()
    for seed in range(ROUNDS if top == tmp_path / source.name else ROUNDS // 2):
        random_ = random.Random(f"{source.stem} {seed}")
        (tmp_path / source.name).write_text(mutate(text, random_))
        compilation = Compilation(top)
        diagnostics = compilation.diagnostics()
        for diagnostic in diagnostics:
            assert render(diagnostic)
        assert len(diagnostics) < 100
