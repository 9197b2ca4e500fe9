# SPDX-License-Identifier: MIT
"""hsmc diff: each kind of change is told as what it is, and what means the same is no change."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hsmc.comparison import compare_report
from hsmc.frontend import ast
from hsmc.comparison.compare import Change, compare, version
from hsmc.compilation.compiler import Compilation
from hsmc.comparison.written import body_lines, written_processes
from tests.in_process import Result, run_hsmc
from tests.long_tests import one_in

TOP = Path(__file__).resolve().parents[2]
HSMC = TOP / "gen/bin/hsmc"
ABP = TOP / "spec/abp/abp.hsm"
EMP = TOP / "spec/emp/emp.hsm"
FEATURES = sorted((TOP / "tests/compiler/features").glob("*.hsm"))

BASE = """protocol lamp "A lamp"

constant limit = 4
constant twice = limit * 2

parameter patience: u32 = 1000 range 1..60000000 unit us live "how long"

enumeration Colour: u8
  RED  = 1
  BLUE = 2

layout Word "one word"
  colour:  8 bits
  level:  24 bits

payload Press
  level: u8 range 0..3

pool Job[limit] written by Worker
  level: u8

table Seen[twice] written by Lamp
  level: u8

device shine(level: u32, colour: Colour)
device dark()
counter presses
property bright safety "it shines"

function bound(n: u32): u32 = min(n, twice - 1)

action show(p: Press)
  if p.level > 1
    shine(p.level, RED)
    count presses
  else
    shine(0, BLUE)
  Seen[bound(p.level)].level := p.level

process Worker(j: Job)
  external event begin(n: u8) creates
  event stop()
  state NEW initial
    on begin(n) / j.level := n -> BUSY
    never stop
  state BUSY
    on stop -> DONE
    never begin
    after patience -> DONE
  state DONE final
    entry / release j

process Lamp
  external event press(p: Press)
  external event cut()
  variable last: u8
  state OFF initial
    on press(p)
      let high = p.level > 2
      when high and last == 0 / show(p) -> ON
      when p.level == 2 / last := 2
      else / last := p.level
    ignore cut
  state ON
    entry / count presses
    exit / dark()
    on cut -> OFF
    state DIM initial
      on press(p) when p.level > 1 / show(p) -> FULL
      on press(p) else / last := 0
    state FULL
      on press(p) / show(p) -> DIM
      after 5000 -> DIM

placement base
  Worker, Lamp on A

check small "few"
  set limit = 2
  world presses = 3
"""


def changes_of(old: str, new: str, directory: Path) -> list[Change]:
    versions = []
    for name, text in (("old", old), ("new", new)):
        path = directory / f"{name}.hsm"
        path.write_text(text)
        compilation = Compilation(path)
        protocol = compilation.protocol(None)
        assert protocol is not None, [str(d) for d in compilation.report.diagnostics]
        versions.append(version(compilation, protocol))
    return compare(versions[0], versions[1])


def edited(*edits: tuple[str, str]) -> str:
    text = BASE
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def short(changes: list[Change]) -> list[str]:
    """`kind item name: aspect old|new, ...`"""
    return [
        f"{c.change} {c.item} {c.name}"
        + "".join(f"; {d.what}: {d.old}|{d.new}" for d in c.details)
        for c in changes
    ]


CASES: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    "constant and what follows from it": (
        [("limit = 4", "limit = 5")],
        [
            "changed constant limit; value: 4|5",
            "changed constant twice; value: limit * 2 (= 8)|limit * 2 (= 10)",
            "changed pool Job; count: limit (= 4)|limit (= 5)",
            "changed table Seen; count: twice (= 8)|twice (= 10)",
        ],
    ),
    "parameter": (
        [("= 1000 range 1..60000000 unit us live", "= 2000 range 5..60000000 unit us")],
        [
            "changed parameter patience; default: 1000|2000; "
            "range: 1..60000000|5..60000000; live: live|"
        ],
    ),
    "member": (
        [("  BLUE = 2\n", "  BLUE = 3\n  PINK = 4\n")],
        [
            "changed member Colour.BLUE; value: 2|3",
            "added member Colour.PINK; value: |4",
        ],
    ),
    "layout": (
        [("colour:  8 bits\n  level:  24 bits", "colour: 16 bits\n  level:  16 bits")],
        [
            "changed layout field Word.colour; bits: 8|16",
            "changed layout field Word.level; bits: 24|16; first bit: 8|16",
        ],
    ),
    "payload field": (
        [("level: u8 range 0..3", "level: u8 range 0..7")],
        ["changed payload field Press.level; range: 0..3|0..7"],
    ),
    "body": (
        [("    count presses\n  else", "    count presses\n    dark()\n  else")],
        [
            "changed action show; body: "
            "if p.level > 1\n  shine(p.level, RED)\n  count presses\nelse\n  shine(0, BLUE)\n"
            "Seen[bound(p.level)].level := p.level|"
            "if p.level > 1\n  shine(p.level, RED)\n  count presses\n  dark()\nelse\n  shine(0, BLUE)\n"
            "Seen[bound(p.level)].level := p.level"
        ],
    ),
    "indentation of a body": (
        [("    shine(0, BLUE)\n  Seen[b", "    shine(0, BLUE)\n    Seen[b")],
        [
            "changed action show; body: "
            "if p.level > 1\n  shine(p.level, RED)\n  count presses\nelse\n  shine(0, BLUE)\n"
            "Seen[bound(p.level)].level := p.level|"
            "if p.level > 1\n  shine(p.level, RED)\n  count presses\nelse\n  shine(0, BLUE)\n"
            "  Seen[bound(p.level)].level := p.level"
        ],
    ),
    "guard": (
        [("when p.level == 2 / last := 2", "when p.level == 1 / last := 2")],
        [
            "changed row on press(p) when p.level == 1 / last := 2; guard: p.level == 2|p.level == 1"
        ],
    ),
    "target": (
        [("/ show(p) -> DIM", "/ show(p) -> OFF")],
        ["changed row on press(p) / show(p) -> OFF; target: DIM|OFF"],
    ),
    "row added": (
        [("      else / last := p.level", "      when p.level == 1 -> ON\n      else")],
        [
            "changed row on press(p) else; actions: last := p.level|",
            "added row on press(p) when p.level == 1 -> ON",
        ],
    ),
    "order of rows": (
        [
            (
                "      when high and last == 0 / show(p) -> ON\n      when p.level == 2 / last := 2\n",
                "      when p.level == 2 / last := 2\n      when high and last == 0 / show(p) -> ON\n",
            )
        ],
        [
            "moved row on press(p) when high and last == 0 / show(p) -> ON; order: row 1 of 3|row 2 of 3"
        ],
    ),
    "row moved to the state around": (
        [
            ("    on cut -> OFF\n", ""),
            (
                "    state DIM initial\n",
                "    ignore cut\n    state DIM initial\n      on cut -> OFF\n",
            ),
        ],
        [
            "changed state ON; answer to cut: |ignore",
            "moved row on cut -> OFF",
        ],
    ),
    "lets": (
        [("let high = p.level > 2", "let high = p.level > 1")],
        [
            "changed state OFF; lets of press: let high = p.level > 2|let high = p.level > 1"
        ],
    ),
    "timer": (
        [("after 5000", "after 6000")],
        ["changed state ON.FULL; timer: 5000|6000"],
    ),
    "entry and answer": (
        [("entry / count presses", "entry / dark()"), ("ignore cut", "never cut")],
        [
            "changed state OFF; answer to cut: ignore|never",
            "changed state ON; entry: count presses|dark()",
        ],
    ),
    "state renamed": (
        [("    state FULL\n", "    state HIGH\n"), ("-> FULL", "-> HIGH")],
        ["renamed state ON.HIGH"],
    ),
    "two states renamed, one around the other": (
        [
            ("  state ON\n", "  state LIT\n"),
            ("/ show(p) -> ON", "/ show(p) -> LIT"),
            ("    state FULL\n", "    state HIGH\n"),
            ("-> FULL", "-> HIGH"),
        ],
        ["renamed state LIT", "renamed state LIT.HIGH"],
    ),
    "state renamed and edited": (
        [("  state BUSY\n", "  state RUNNING\n"), ("-> BUSY", "-> RUNNING")]
        + [("    after patience -> DONE", "    after 7000 -> DONE")],
        [
            "renamed state RUNNING; timer: patience|7000",
        ],
    ),
    "event": (
        [("  event stop()\n", "  external event stop()\n")],
        [
            "changed event Worker.stop; declaration: event stop()|external event stop()",
        ],
    ),
    "placement and check": (
        [("  Worker, Lamp on A", "  Worker on A\n  Lamp on B")]
        + [
            ("set limit = 2", "set limit = 3"),
            ("presses = 3", "presses = 3, jobs = 1"),
        ],
        [
            "changed placement base; Lamp: on A|on B",
            "changed check small; set limit: 2|3; world jobs: |1",
        ],
    ),
    "property and documentation": (
        [
            ("bright safety", "bright liveness"),
            ('protocol lamp "A lamp"', "protocol lamp"),
        ],
        [
            "changed protocol lamp; documentation: A lamp|",
            "changed property bright; kind: safety|liveness",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_change(case: str, tmp_path: Path) -> None:
    edits, expected = CASES[case]
    assert short(changes_of(BASE, edited(*edits), tmp_path)) == expected


@pytest.mark.parametrize("case", one_in(8, CASES))
def test_the_other_way_round(case: str, tmp_path: Path) -> None:
    """What is added one way is removed the other, with old and new swapped; the number of changes is the same."""
    new = edited(*CASES[case][0])
    there, back = changes_of(BASE, new, tmp_path), changes_of(new, BASE, tmp_path)
    swapped = {"added": "removed", "removed": "added"}
    assert sorted(swapped.get(c.change, c.change) for c in there) == sorted(
        c.change for c in back
    )
    if (
        "order" not in case
    ):  # either of two rows that changed places may be said to have moved
        lines = [
            (c.new.line if c.new else 0, c.old.line if c.old else 0) for c in there
        ]
        swapped_lines = [
            (c.old.line if c.old else 0, c.new.line if c.new else 0) for c in back
        ]
        assert sorted(lines) == sorted(swapped_lines)


@pytest.mark.parametrize("spec", [ABP, EMP, *FEATURES], ids=lambda path: path.stem)
def test_nothing_changed(spec: Path, tmp_path: Path) -> None:
    """Comments, blanks between words, empty lines."""
    for path in spec.parent.iterdir():
        if path.suffix in (".hsm", ".inc"):
            lines = []
            for line in path.read_text().split("\n"):
                lines.append(line + ("   # a remark" if "#" not in line else "!"))
                if line.startswith(("constant", "counter", "action", "process")):
                    lines[-1:-1] = ["", "# another remark"]
            (tmp_path / path.name).write_text("\n".join(lines))
    command: list[str | Path] = [HSMC, "diff", spec, tmp_path / spec.name]
    result = subprocess.run(
        [*command, "--exit-code"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (0, "no change\n"), result.stderr


def test_order_of_declarations(tmp_path: Path) -> None:
    chunks = re.split(r"(?m)^(?=\S)", BASE)
    head, rest = chunks[:2], [c for c in chunks[2:] if c.strip()]
    text = "".join([*head, *(c.rstrip() + "\n\n" for c in reversed(rest))])
    assert changes_of(BASE, text, tmp_path) == []


def test_processes_come_and_go(tmp_path: Path) -> None:
    without = re.sub(r"(?s)process Worker.*?(?=process Lamp)", "", BASE)
    without = re.sub(r"(?s)pool Job.*?(?=table)", "", without)
    without = without.replace("  Worker, Lamp on A", "  Lamp on A")
    without = re.sub(r"parameter.*\n", "", without)
    changes = changes_of(BASE, without, tmp_path)
    removed = {f"{c.item} {c.name}" for c in changes if c.change == "removed"}
    assert {
        "process Worker",
        "event Worker.begin",
        "state NEW",
        "state BUSY",
    } <= removed
    assert {"parameter patience", "pool Job", "pool field Job.level"} <= removed
    assert "row on stop -> DONE" in removed
    back = changes_of(without, BASE, tmp_path)
    assert {f"{c.item} {c.name}" for c in back if c.change == "added"} == removed


def run(*arguments: object, directory: Path = TOP) -> Result:
    return run_hsmc("diff", *arguments, directory=directory)


@pytest.fixture(name="pair")
def pair_of_files(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.hsm", tmp_path / "new.hsm"
    old.write_text(BASE)
    new.write_text(
        edited(
            ("limit = 4", "limit = 5"),
            ("    state FULL\n", "    state HIGH\n"),
            ("-> FULL", "-> HIGH"),
            ("    count presses\n  else", "    dark()\n  else"),
        )
    )
    return old, new


def test_text(pair: tuple[Path, Path]) -> None:
    result = run(*pair)
    assert result.returncode == 0
    assert result.stdout == (
        "declarations\n"
        "  ~ constant limit    [old.hsm:3 -> new.hsm:3]\n"
        "      value: 4 -> 5\n"
        "  ~ constant twice    [old.hsm:4 -> new.hsm:4]\n"
        "      value: limit * 2 (= 8) -> limit * 2 (= 10)\n"
        "  ~ pool Job    [old.hsm:19 -> new.hsm:19]\n"
        "      count: limit (= 4) -> limit (= 5)\n"
        "  ~ table Seen    [old.hsm:22 -> new.hsm:22]\n"
        "      count: twice (= 8) -> twice (= 10)\n"
        "  ~ action show    [old.hsm:32 -> new.hsm:32]\n"
        "      body\n"
        "        ...\n"
        "           shine(p.level, RED)\n"
        "        -  count presses\n"
        "        +  dark()\n"
        "         else\n"
        "\n"
        "process Lamp\n"
        "  = state ON.FULL renamed to ON.HIGH    [old.hsm:71 -> new.hsm:71]\n"
        "\n"
        "5 changed, 1 renamed\n"
    )


def test_json(pair: tuple[Path, Path]) -> None:
    value: Any = json.loads(run(*pair, "--json").stdout)
    assert set(value) == {"old", "new", "changes"}
    keys = "change item name process state former old new details".split()
    assert all(list(change) == keys for change in value["changes"])
    first, last = value["changes"][0], value["changes"][-1]
    assert first["details"] == [{"what": "value", "old": "4", "new": "5"}]
    assert last["change"] == "renamed" and last["former"] == "ON.FULL"
    assert last["old"] == {"file": "old.hsm", "line": 71, "column": 11}


def test_status(pair: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = pair
    assert run(old, new, "--exit-code").returncode == 1
    assert run(old, old, "--exit-code").returncode == 0
    broken = tmp_path / "broken.hsm"
    broken.write_text("protocol p\nconstant a = b\n")
    for arguments in ((old, broken), (broken, old), (old, tmp_path / "none.hsm")):
        result = run(*arguments)
        assert result.returncode == 2 and "HSM0" in result.stderr


def test_revisions(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """Of the file with what it includes, from a directory inside the repository or elsewhere."""
    old, new = pair
    repository = tmp_path / "repository"
    (repository / "deep").mkdir(parents=True)
    spec = repository / "deep/lamp.hsm"
    part = repository / "part.hsm"
    first, second = BASE.split("process Worker", 1)
    spec.write_text(first + 'include "../part.hsm"\n')
    part.write_text("process Worker" + second)

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        command = ["git", "-C", str(repository), *identity, *arguments]
        subprocess.run(command, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    part.write_text(part.read_text().replace("after 5000", "after 9000"))
    for directory, name in ((repository, "deep/lamp.hsm"), (tmp_path, str(spec))):
        result = run("git:HEAD", name, directory=directory)
        assert "timer: 5000 -> 9000" in result.stdout, result.stderr
        assert "1 changed" in result.stdout
    git("commit", "-qam", "two")
    result = run("git:HEAD~1", "git:HEAD:deep/lamp.hsm", directory=repository)
    assert "timer: 5000 -> 9000" in result.stdout, result.stderr
    for mistake in ("git:none", "git:", "git:--help", "git:HEAD:nowhere.hsm"):
        result = run(mistake, spec, directory=repository)
        assert result.returncode == 2 and result.stderr.startswith("hsmc: "), mistake
        assert "Traceback" not in result.stderr
    assert run("git:HEAD", "git:HEAD", directory=repository).returncode == 2
    assert run("git:HEAD", old).returncode == 2  # not in a repository


@pytest.mark.parametrize("spec", [ABP, EMP, *FEATURES], ids=lambda path: path.stem)
def test_written_is_what_is_flattened(spec: Path) -> None:
    """Every written row stands at the place of transitions, says what they say, and the other way round."""
    compilation = Compilation(spec)
    protocol = compilation.protocol(None)
    assert protocol is not None
    flattened = {
        row.place: row.text for row in protocol.rows() if row.kind == "written"
    }
    rows = {
        row.place: row.text
        for process in written_processes(compilation.spec)
        for state in process.walk()
        for row in state.rows
    }
    assert rows == {place: flattened[place] for place in rows}
    assert set(flattened) <= set(rows)


def test_bodies_keep_their_words() -> None:
    for node in Compilation(EMP).spec.declarations:
        if isinstance(node, (ast.Function, ast.Action)):
            body = " ".join(" ".join(body_lines(node)).split())
            assert body and node.span.squeezed.endswith(body)


def test_signs_are_distinct() -> None:
    assert len(set(compare_report.SIGNS.values())) == len(compare_report.SIGNS)
