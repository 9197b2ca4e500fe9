# SPDX-License-Identifier: MIT
"""The index of names: complete over all specs; and renaming any declared name keeps the spec what it is."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest
from hsmc.compilation.compiler import Compilation, diagnose
from hsmc.dump import dump
from hsmc.editor.rename import Refused, rename, replaced
from hsmc.editor.vocabulary import BUILTINS, TYPES
from hsmc.editor.workspace import Workspace
from hsmc.frontend.index import Definition, Index
from tests.long_tests import one_in

TOP = Path(__file__).resolve().parents[2]
SPECS = sorted(
    (
        *TOP.glob("spec/*/*.hsm"),
        *TOP.glob("tests/compiler/features/*.hsm"),
        TOP / "tests/interpreter/jobs.hsm",
    )
)
TOPS = [p for p in SPECS if re.search(r"^protocol\b", p.read_text(), re.MULTILINE)]
RENAMES_PER_SPEC = 3
tops = pytest.mark.parametrize("top", TOPS, ids=lambda path: path.stem)


@tops
def test_every_name_has_a_declaration(top: Path) -> None:
    """Or is a word of the language, or of a check's world."""
    count = 0
    for analysis in Workspace().analyses(top):
        index = analysis.index
        for file in index.sources:
            for name in index.names(file):
                count += 1
                where = f"{file}:{name.span.line}: {name.span.text}"
                if name.definition is None:
                    known = (*TYPES, *BUILTINS)
                    assert (
                        name.span in index.undeclared or name.span.text in known
                    ), where
                else:
                    assert name.definition.text == name.span.text, where
                    assert name.span in index.occurrences(name.definition), where
    assert count > 10


def test_index_of_a_spec_with_errors(tmp_path: Path) -> None:
    path = tmp_path / "wrong.hsm"
    text = TOP.joinpath("spec/abp/abp.hsm").read_text()
    path.write_text(text.replace("-> READY", "-> RAEDY").replace("u8 = 1", "u8 = = 1"))
    compilation = Compilation(path)
    assert compilation.protocol(None) is None and compilation.context is not None
    index = Index(compilation.context)
    uses = {d.text: len(index.occurrences(d)) for d in index.definitions.values()}
    assert uses["WAIT_ACK"] == 3 and uses["submit"] >= 3


def declared(workspace: Workspace, top: Path) -> list[Definition]:
    """Names whose declaration stands in the default profile."""
    return list(workspace.analyses(top)[0].index.definitions.values())


@pytest.mark.parametrize("top", one_in(len(TOPS), TOPS), ids=lambda path: path.stem)
def test_rename_anything(top: Path, tmp_path: Path) -> None:
    """A sample of all names, one of each kind at least where there is time; the same sample each run."""
    directory = tmp_path / "spec"
    shutil.copytree(top.parent, directory)
    copy = directory / top.name
    before = dump_of(copy)
    definitions = declared(Workspace(), copy)
    chosen = random.Random(top.name).sample(
        definitions, min(RENAMES_PER_SPEC, len(definitions))
    )
    for definition in chosen:
        workspace = Workspace()
        path = definition.span.file.path.resolve()
        name = "fresh_name" if definition.text.islower() else "FreshName"
        edits = rename(workspace, path, definition.span.start, name)
        originals = {changed: changed.read_text() for changed in edits}
        for changed, spans in edits.items():
            changed.write_text(replaced(originals[changed], spans, name))
        where = f"{definition.kind} {definition.text}"
        after = dump_if_right(copy, where)
        if not re.search(
            rf"\b{definition.text}_\d|_{definition.text}\b|\b{definition.text}_", before
        ):
            words = re.sub(rf"\b{name}\b", definition.text, after).split()
            assert sorted(words) == sorted(before.split()), where
        for changed, text in originals.items():
            changed.write_text(text)


def dump_of(top: Path) -> str:
    protocol = Compilation(top).protocol(None)
    assert protocol is not None
    return dump(protocol)


def dump_if_right(top: Path, where: str) -> str:
    """The dump of a spec without errors, in any profile and check."""
    compilation = Compilation(top)
    several = bool(compilation.spec.profiles)
    found = diagnose(top) if several else compilation.diagnostics()
    assert not [d for d in found if d.severity == "error"], where
    protocol = compilation.protocol(None)
    assert protocol is not None
    return dump(protocol)


def test_refuses_what_it_cannot_know(tmp_path: Path) -> None:
    path = tmp_path / "x.hsm"
    path.write_text("constant alone = 1\n")
    with pytest.raises(Refused, match="no spec includes"):
        rename(Workspace(), path, 10, "other")
    with pytest.raises(Refused):
        rename(Workspace(), tmp_path / "missing.hsm", 0, "other")
