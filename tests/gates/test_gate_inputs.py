# SPDX-License-Identifier: MIT
"""What each gate depends on: every input counts, comments and pages do not, and rules of make are not overlooked."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Optional

import pytest
from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP)]

from scripts import gate_inputs, gate_trace, gates  # noqa: E402
from scripts.gate_inputs import Contents, code_of, is_make  # noqa: E402
from scripts.gate_table import Gate  # noqa: E402

GATES = gates.every_gate(TOP)
NAMES = {gate.name for gate in GATES}


class Tree(Contents):
    """The tree, with other contents of some files."""

    def change(self, path: str, content: bytes) -> None:
        self.read[path] = content

    def restore(self, path: str) -> None:
        del self.read[path]


@pytest.fixture(scope="module", name="tree")
def fixture_tree() -> Tree:
    tree = Tree(TOP, TOP / gates.WORK / "contents.json")
    for gate in GATES:
        hash_of(gate, tree)
    tree.save()
    return tree


def hash_of(gate: Gate, tree: Tree) -> str:
    return gates.state_of(gate, tree, lambda tool: "1").hash


def changed_gates(tree: Tree, path: str, content: bytes) -> set[str]:
    before = {gate.name: hash_of(gate, tree) for gate in GATES}
    tree.change(path, content)
    try:
        return {g.name for g in GATES if hash_of(g, tree) != before[g.name]}
    finally:
        tree.restore(path)


def touched(path: str, content: bytes) -> bytes:
    """Something is added that may change a verdict."""
    added = {
        ".py": "\ntouched = 1\n",
        ".hsm": "\nconstant touched = 1\n",
        ".j2": "\ntouched\n",
        ".md": "\n    touched\n",
        ".mk": "\nTOUCHED := 1\n",
    }
    return content + added.get(Path(path).suffix, "\nint touched;\n").encode()


def commented(path: str, content: bytes) -> Optional[bytes]:
    """A comment is added; None where none is left out."""
    suffix = Path(path).suffix
    if suffix in (".c", ".h"):
        return content + b'/* no "matter\n */ // either\n\n'
    if suffix in (".py", ".hsm", ".mk") or path == "Makefile":
        return content + b"\n# no 'matter\n"
    if suffix == ".md":
        return content + b"\nMore words.\n"
    return content + b"{# none #}" if suffix == ".j2" else None


# To take all Python files apart three times takes 6 s: one in ten of them, and all in make test-long.
@pytest.mark.parametrize("stride", [10, pytest.param(1, marks=long)])
def test_every_input_counts_and_no_comment_does(tree: Tree, stride: int) -> None:
    inputs = {
        path
        for gate in GATES
        for paths in tree.named(gate.inputs).values()
        for path in paths
    }
    scripts = sorted(path for path in inputs if path.endswith(".py"))
    for path in inputs - {*scripts} | {*scripts[::stride]}:
        content = (TOP / path).read_bytes()
        plain = code_of(path, content)
        assert code_of(path, touched(path, content)) != plain, path
        if not content.endswith(b"\\\n"):
            with_comment = commented(path, content)
            assert with_comment is None or code_of(path, with_comment) == plain, path


# One file of each group of each gate.
def test_a_touched_input_changes_the_hash(tree: Tree) -> None:
    for gate in GATES:
        before = hash_of(gate, tree)
        for paths in tree.named(gate.inputs).values():
            assert paths
            for path in {paths[0], paths[-1]}:
                tree.change(path, touched(path, (TOP / path).read_bytes()))
                assert hash_of(gate, tree) != before, (gate.name, path)
                tree.restore(path)
        assert hash_of(gate, tree) == before


def test_a_new_or_removed_file_changes_the_hash(tree: Tree, tmp_path: Path) -> None:
    for name, content in (("models/a.h", ""), ("models/build.mk", "")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    patterns = ("models/*.[ch]", "models/build.mk")
    before = Contents(tmp_path).groups(patterns, ())
    (tmp_path / "models/b.h").write_text("")
    assert Contents(tmp_path).groups(patterns, ()) != before
    (tmp_path / "models/b.h").unlink()
    assert Contents(tmp_path).groups(patterns, ()) == before
    (tmp_path / "models/a.h").unlink()
    assert Contents(tmp_path).groups(patterns, ())["models/*.[ch]"] == ""


# `make fresh` runs all tests, so every file that a test reads counts for it.
EACH_FILE = {"fresh"}


def test_a_guard_of_emp_has_nothing_of_abp_run_again(tree: Tree) -> None:
    spec = TOP / "spec/emp/send.hsm"
    text = spec.read_text()
    guard = " < message_window"
    assert guard in text
    changed = changed_gates(
        tree, "spec/emp/send.hsm", text.replace(guard, " <= message_window", 1).encode()
    )
    assert changed == NAMES - {"verify-abp", "verify-fetch", "mutants-abp"}


@pytest.mark.parametrize(
    "path", ["spec/emp/send.hsm", "gen/hsmc/ir.py", "sim/world/world.c", "Makefile"]
)
def test_a_comment_has_nothing_run_again(tree: Tree, path: str) -> None:
    content = commented(path, (TOP / path).read_bytes())
    assert content is not None
    assert changed_gates(tree, path, content) == set()


@pytest.mark.parametrize("path", ["README.md", "docs/guide.md"])
def test_words_of_a_page_have_nothing_run_again(tree: Tree, path: str) -> None:
    content = commented(path, (TOP / path).read_bytes())
    assert content is not None
    assert changed_gates(tree, path, content) == set()


@pytest.mark.parametrize(
    "path",
    ["README.md", "docs/guide.md", "tests/docs/test_docs.py", "scripts/citations.py", "gen/hsmc/editor/hover.py"],
)  # fmt: skip
def test_what_only_tests_read_has_only_the_tests_run_again(
    tree: Tree, path: str
) -> None:
    content = touched(path, (TOP / path).read_bytes())
    assert changed_gates(tree, path, content) == EACH_FILE


def test_versions_of_tools_count(tree: Tree) -> None:
    for gate in GATES:
        before = hash_of(gate, tree)
        for tool in gate.tools:
            other = gates.state_of(gate, tree, lambda name: "2" if name == tool else "1")  # fmt: skip
            assert other.hash != before
            assert gates.version(tool)


def test_patterns() -> None:
    patterns = ("gen/", "!gen/editor/*", "models/*.[ch]", "gen/editor/kept.py")
    group = gate_inputs.group_of
    assert group("gen/a/b.py", patterns) == "gen/"
    assert group("gen/editor/a.py", patterns) is None
    assert group("gen/editor/kept.py", patterns) == "gen/editor/kept.py"
    assert group("models/a.h", patterns) == "models/*.[ch]"
    assert group("models/proof/a.h", patterns) is None


@pytest.mark.parametrize(
    "path, one, other, same",
    [
        ("a.c", 'f("/* a */");', 'f("/* b */");', False),
        ("a.c", "a /* x */ = 1;", "a  = 1; // 'y", False),
        ("a.c", "a = 1; /* x\n\n */", "a = 1; // 'y \\\n z", True),
        ("a.c", "a; // b\\\nc;\nd;", "a;\nc;\nd;", False),
        ("a.c", "#error it's /* a */\nb;", "#error it's /* a */\nc;", False),
        ("a.py", 'def f():\n    "a"\n    return 1', "def f(): return 1  # b", True),
        ("a.py", 'x = "a"', 'x = "b"', False),
        ("a.py", "assert x", "", False),
        ("a", "#!/usr/bin/python3\n# a\nx = 1", "#!/usr/bin/python3\nx = 1", True),
        ("a.hsm", 'a "x # y" # z', 'a "x # y"', True),
        ("a.hsm", 'a "x # y"', 'a "x # z"', False),
        ("a.hsm", "a\n  b", "a\nb", False),
        ("a.mk", "a \\\n# b\nc", "a \\\nc", False),
        ("a.mk", "a:\n\tb # c", "a:\n\tb", False),
        ("a.mk", "a: ## b\n\tc\nd = 1", "d = 1", True),
        ("a.mk", "a: ## b\n\tc\nd = 1", "d = 2", False),
        ("a.sh", "# a", "", False),
    ],
)  # fmt: skip
def test_only_what_changes_no_verdict_is_left_out(
    path: str, one: str, other: str, same: bool
) -> None:
    codes = [code_of(path, text.encode()) for text in (one, other)]
    assert (codes[0] == codes[1]) is same


# --- rules of make


def rules_of(gate: Gate, tree: Tree, without: str = "") -> tuple[str, list[str]]:
    """The rules that count for a gate, as one text, and the files of all others."""
    counted, others = [], []
    for path in filter(is_make, tree.files):
        if gate_inputs.group_of(path, gate.inputs) is None:
            others.append(path)
        elif path != without:
            text = (TOP / path).read_text()
            counted.append(gate_inputs.make_code(text, gate.targets))
    return "\n".join(counted), others


def test_no_gate_calls_a_target_whose_rule_does_not_count(tree: Tree) -> None:
    listed = {
        rule[1]
        for path in filter(is_make, tree.files)
        for line in (TOP / path).read_text().splitlines()
        if (rule := gate_inputs.HELP.match(line))
    }
    assert "verify" in listed
    for gate in GATES:
        text, _ = rules_of(gate, tree)
        called = set(re.findall(r"\$\(MAKE\)[^\n]*", text))
        words = {word for line in called for word in re.findall(r"[\w-]+(?![\w/.(]|-)", line)}  # fmt: skip
        kept = {"test-programs", *gate.targets}
        assert not (words & listed) - kept - {"BUILD", "V"}, gate.name
        assert re.search(rf"^{gate.target}:", text, re.MULTILINE), gate.name


def test_flags_of_a_gate_stand_in_files_that_count(tree: Tree) -> None:
    for gate in GATES:
        # The Makefile uses variables of all parts, for lint and for the list of tests.
        text, others = rules_of(gate, tree, without="Makefile")
        # What ends in SANITIZED is a file, which a gate may name and not make.
        used = set(re.findall(r"(\w*(?:FLAGS|CHECK|TRACE|PORT|SANITIZE(?!D))\w*)", text))  # fmt: skip
        for path in others:
            there = (TOP / path).read_text()
            set_there = set(re.findall(r"^(\w+) *[:+?]?=", there, re.MULTILINE))
            assert not used & set_there, (gate.name, path)


@long  # builds what it traces
def test_a_traced_gate_reads_only_its_inputs() -> None:
    for name in ("verify-abp", "prove", "campaign-fast"):
        gate = next(gate for gate in GATES if gate.name == name)
        directory = TOP / gates.WORK / "trace" / name
        gate_trace.clone(directory)
        status, read = gate_trace.trace(gate, directory, gate.small)
        assert status == 0 and len(read) > 100
        assert gate_trace.unnamed(gate, read) == []


def test_a_file_that_is_read_and_not_named_is_found() -> None:
    log = [
        '7  execve("/usr/bin/sed", ["sed"], 0x1) = 0\n',
        '7  openat(AT_FDCWD</t>, "spec/a.hsm", O_RDONLY) = 3</t/spec/a.hsm>\n',
        '8  openat(AT_FDCWD</t>, "sim/a.c", O_RDONLY) = 3</t/sim/a.c>\n',
        '9  openat(AT_FDCWD</t>, "sim/b.c", O_RDONLY) = -1 ENOENT (No such file)\n',
    ]
    assert gate_trace.paths_opened(log) == {Path("/t/sim/a.c")}
    verify = next(gate for gate in GATES if gate.name == "verify-abp")
    read = ["sim/a.c", "spec/abp/abp.hsm", "sim/build.mk", "docs/guide.md"]
    assert gate_trace.unnamed(verify, read) == ["sim/a.c"]
