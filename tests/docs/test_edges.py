# SPDX-License-Identifier: MIT
"""`scripts/edges.py` in a small repository: a back edge, a circle of rules and a row that is not true are errors."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))
from scripts import edges  # noqa: E402

PAGE = """| directory | what it is | may use |
| --- | --- | --- |
| `low` | below | - |
| `high` | above | `low` |
| `gen/hsmc` | base | - |
| `gen/hsmc/front` | text | `gen/hsmc` |
"""
FILES = {
    "docs/architecture.md": PAGE,
    "low/low.h": "",
    "high/high.h": '#include "low/low.h"\n',
    "high/part.h": '#include "high.h"\n',
    "gen/hsmc/__init__.py": "from .front.parse import parse\n",
    "gen/hsmc/ir.py": "",
    "gen/hsmc/front/__init__.py": "",
    "gen/hsmc/front/parse.py": "from .. import ir\nparse = ir\n",
    "tests/test_low.c": '#include "low/low.h"\n',
}


@pytest.fixture(name="repository")
def fixture_repository(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def findings(repository: Path, name: str = "", text: str = "") -> list[str]:
    if name:
        (repository / name).write_text(text)
    subprocess.run(["git", "-C", repository, "add", "-A"], check=True)
    page = (repository / edges.PAGE).read_text()
    found = list(edges.Repository(repository).edges())
    return list(edges.problems(found, edges.rules(page)))


def test_edges_that_are_allowed(repository: Path) -> None:
    assert findings(repository) == []


def test_a_back_edge_of_c(repository: Path) -> None:
    (told,) = findings(repository, "low/low.h", '\n#include "high/high.h"\n')
    assert told.startswith("low/low.h:2: low may not use high")


def test_a_back_edge_of_python(repository: Path) -> None:
    text = "from .front import parse\n"
    (told,) = findings(repository, "gen/hsmc/ir.py", text)
    assert told.startswith("gen/hsmc/ir.py:1: gen/hsmc may not use gen/hsmc/front")


def test_a_circle_of_rules(repository: Path) -> None:
    (repository / "low/low.h").write_text('#include "high/high.h"\n')
    page = PAGE.replace("| below | - |", "| below | `high` |")
    (told,) = findings(repository, "docs/architecture.md", page)
    assert told.endswith("the rules go in a circle: low -> high -> low")


def test_an_edge_to_generated_code(repository: Path) -> None:
    (told,) = findings(repository, "low/low.h", '#include "abp/abp_layout.h"\n')
    assert told.startswith("low/low.h:1: low may not use build/gen")


def test_a_directory_without_a_row(repository: Path) -> None:
    (repository / "other").mkdir()
    (told,) = findings(repository, "other/o.c", '#include "low/low.h"\n')
    assert told.startswith("other/o.c:1: other has no row")


def test_a_rule_that_nothing_needs(repository: Path) -> None:
    (told,) = findings(repository, "high/high.h")
    assert told.endswith("high does not use low (any more)")


def test_doctests() -> None:
    assert doctest.testmod(edges).failed == 0
