# SPDX-License-Identifier: MIT
"""`scripts/citations.py` in a small repository: what leads nowhere is told with its line, what is right is not.

Names of documents and ids are put together here, so that this file cites nothing itself.
"""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))
from scripts import citations  # noqa: E402

CHIP = "chip.md"
CHIP_TEXT = """# The chip

## 1. Memory
### 1.1 SRAM (the *outer* one)

1. Clear it.
2. Start.

## 14 Choices
| # | unknown |
| --- | --- |
| 5 | the timer |
| 20 | offsets |

| # | correction |
| --- | --- |
| 14.21 | mailboxes |

| bits | meaning |
| --- | --- |
| 7 | no row of section 14 |

```
## 15 is code
```
"""
PAPERS_TEXT = f"# Papers\n\n| id | claim |\n|---|---|\n| E{'F1'} | fast |\n| E{'F2'} | reliable |\n"


@pytest.fixture(name="repository")
def fixture_repository(tmp_path: Path) -> Path:
    reference = tmp_path / "docs/reference"
    reference.mkdir(parents=True)
    (reference / CHIP).write_text(CHIP_TEXT, encoding="utf-8")
    (reference / "papers.md").write_text(PAPERS_TEXT, encoding="utf-8")
    (tmp_path / "image.bin").write_bytes(b"\xff\xfe\x00")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def findings(repository: Path, name: str, text: str) -> list[str]:
    path = repository / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "-C", repository, "add", "-A"], check=True)
    return list(citations.Repository(repository).findings())


@pytest.mark.parametrize(
    "citation",
    [
        "1.1",
        "1.1, 14.",
        "1 and 14",
        "14 row 20: read 0",
        "14 rows 5, 20, 1.1",
        "14 row\n * 20",
        "1.1 item 2, 14 row 5",
        "1.1, step 2",
        "1.1.2, 14.5; 14.21",
        "1.1 bits 3-9, 14 row 20",
        "1.1 word 40",
        "section 14",
        "does not say what 99 is",
    ],
)
def test_right_sections(repository: Path, citation: str) -> None:
    assert findings(repository, "a.c", f"/* See {CHIP} {citation}. */\n") == []


@pytest.mark.parametrize(
    "citation, place",
    [
        ("2", "2"),
        ("1.2", "1.2"),
        ("1.1, 14 and 1.3", "1.3"),
        ("14 row 6", "14.6"),
        ("14 row 7", "14.7"),
        ("14 rows 5, 19, 20", "14.19"),
        ("1.1 items 1 and 3", "1.1.3"),
        ("1.1,\n * 15", "15"),
        ("1.1 bit 5, 3", "3"),
    ],
)
def test_wrong_section(repository: Path, citation: str, place: str) -> None:
    line = 2 + citation.count("\n")
    assert findings(repository, "a.c", f"int a;\n/* {CHIP} {citation}. */\n") == [
        f"a.c:{line}: cites {CHIP} {place}: docs/reference/{CHIP} has no section {place}"
    ]


def test_no_such_document(repository: Path) -> None:
    board = "board.md"
    text = f"# {board} 3.1\n"
    assert findings(repository, "a.py", text) == [
        f"a.py:1: cites {board} 3.1: there is no docs/reference/{board}"
    ]
    (repository / "docs" / board).write_text("# A page, not a reference\n")
    assert findings(repository, "a.py", text) == []


def test_ids(repository: Path) -> None:
    right = [f"E{'F'}{number}" for number in (1, 2)]
    wrong = f"E{'F'}30"
    # Of other families, in other words, in options of commands: no ids of claims.
    others = f"XY30 0x{wrong} -{wrong} {wrong}A {wrong}_A"
    assert findings(repository, "a.hsm", f"# ({', '.join(right)}) {others}\n") == []
    assert findings(repository, "a.hsm", f"# {right[0]}\n# {wrong}, {right[1]}\n") == [
        f"a.hsm:2: cites {wrong}: docs/reference/papers.md has no such claim"
    ]


def test_claims_must_be_there(repository: Path) -> None:
    (repository / "docs/reference/papers.md").unlink()
    assert findings(repository, "a.c", "int a;\n") == [
        "docs/reference/papers.md:1: there is no table of claims"
    ]


PAGE = """# A page

## Twice
## Twice
## `hsmc run`: a *test*

<a id="mark"></a>
"""


@pytest.mark.parametrize(
    "link",
    [
        "b.md",
        "b.md#twice",
        "b.md#twice-1",
        "b.md#hsmc-run-a-test",
        "b.md#mark",
        "#a-title",
        "../docs/",
        "reference/chip.md#11-sram-the-outer-one",
        "../image.bin",
        "https://example.org/x.md#y",
    ],
)
def test_right_links(repository: Path, link: str) -> None:
    (repository / "docs/b.md").write_text(PAGE, encoding="utf-8")
    text = f'# A title\n\n[the\nlink]({link} "it"), ![picture]({link})\n\n[x]: {link}\n'
    assert findings(repository, "docs/a.md", text) == []


@pytest.mark.parametrize(
    "link, wrong",
    [
        ("c.md", "docs/c.md is not under version control"),
        ("../b.md", "b.md is not under version control"),
        ("b.md#thrice", "no heading of docs/b.md makes the anchor thrice"),
        ("b.md#twice-2", "no heading of docs/b.md makes the anchor twice-2"),
        ("#title", "no heading of docs/a.md makes the anchor title"),
    ],
)
def test_broken_link(repository: Path, link: str, wrong: str) -> None:
    (repository / "docs/b.md").write_text(PAGE, encoding="utf-8")
    code = f"`[code]({link})`\n\n```\n[code]({link})\n```\n"
    for text in (
        f"# A title\n[link]({link})\n{code}",
        f"# A title\n[x]: {link}\n{code}",
    ):
        assert findings(repository, "docs/a.md", text) == [
            f"docs/a.md:2: links to {link}: {wrong}"
        ]


def test_status_and_messages(repository: Path) -> None:
    def run() -> tuple[int, str]:
        command = [TOP / "scripts/citations.py", repository]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stderr

    findings(repository, "a.c", "int a;\n")
    assert run() == (0, "")
    found = findings(repository, "a.c", f"/* {CHIP} 3 */ /* {CHIP} 4 */\n")
    assert len(found) == 2
    assert run() == (1, "".join(f"{finding}\n" for finding in found))


def test_no_repository(tmp_path: Path) -> None:
    command = [TOP / "scripts/citations.py", tmp_path]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "cannot list the files: fatal: not a git repository" in done.stderr


def test_examples_in_the_code() -> None:
    failed, tried = doctest.testmod(citations)
    assert tried and not failed
