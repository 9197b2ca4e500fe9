# SPDX-License-Identifier: MIT
"""Renaming: all occurrences of a name, in all files of all specs it belongs to.

Whether the new name fits is not guessed: the specs are compiled with it, and every name must mean what it meant
before. So a name that is taken, that hides another, or that catches a target meant for another state is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from pathlib import Path
from typing import Iterable, Optional

from ..frontend.build_parts import RESERVED
from ..frontend.index import Definition, Index, Occurrence
from ..source import Span
from .vocabulary import pattern
from .workspace import Analysis, Workspace

Key = tuple[Path, int]
Edits = dict[Path, list[Span]]


class Refused(Exception):
    """The message says why."""


def key(span: Span) -> Key:
    return span.file.path.resolve(), span.start


def renameable(workspace: Workspace, path: Path, offset: int) -> Occurrence:
    """What would be renamed. Raises Refused."""
    undeclared: Optional[str] = None
    for analysis in workspace.analyses(path):
        if path not in analysis.files:
            raise Refused("the file cannot be read")
        found = analysis.name_at(path, offset)
        if found is not None and found.definition is not None:
            return found
        if found is not None:
            undeclared = found.span.text
    if undeclared is None:
        raise Refused("there is no name here; words of the language stay")
    if undeclared in RESERVED:
        raise Refused(f"'{undeclared}' is a word of the language")
    raise Refused(f"'{undeclared}' is not declared in the spec")


def rename(workspace: Workspace, path: Path, offset: int, name: str) -> Edits:
    """The places to be replaced. Raises Refused."""
    found = renameable(workspace, path, offset)
    assert found.definition is not None
    if not re.fullmatch(pattern("NAME"), name):
        raise Refused(f"'{name}' is not a name: letters, digits and '_' only")
    if name in RESERVED:
        raise Refused(f"'{name}' is a word of the language")
    analyses = _specs_with(workspace, found.definition, path)
    for analysis in analyses:
        errors = analysis.errors
        if errors or analysis.part:
            raise Refused(
                f"{analysis.top.name} has errors: mend them first, or uses of '{found.span.text}' might be missed"
                if errors
                else f"no spec includes {path.name}: where the name is used is not known"
            )
    places = _places(analyses, key(found.span))
    edits: Edits = {}
    for place, span in sorted(places.items()):
        edits.setdefault(place[0], []).append(span)
    if name != found.span.text:
        _verify(workspace, analyses, edits, name)
    return edits


def replaced(text: str, spans: Iterable[Span], name: str) -> str:
    pieces: list[str] = []
    position = 0
    for span in sorted(spans, key=lambda span: span.start):
        pieces += (text[position : span.start], name)
        position = span.end
    return "".join((*pieces, text[position:]))


def _specs_with(
    workspace: Workspace, definition: Definition, path: Path
) -> list[Analysis]:
    """All specs that take part in the rename: those of the file, and those of the file the name is declared in."""
    found = {(a.top, a.profile): a for a in workspace.analyses(path)}
    for analysis in workspace.analyses(definition.span.file.path.resolve()):
        found.setdefault((analysis.top, analysis.profile), analysis)
    return list(found.values())


def _places(analyses: list[Analysis], start: Key) -> dict[Key, Span]:
    """All names that have to be called the same as the one at `start`. A use may mean another declaration in another
    profile, whose uses then come along."""
    groups = [
        {key(span): span for span in analysis.index.occurrences(definition)}
        for analysis in analyses
        for definition in analysis.index.definitions.values()
    ]
    groups += [
        {key(span): span for span in pair}
        for analysis in analyses
        for pair in analysis.index.same_names()
    ]
    places: dict[Key, Span] = {}
    wanted = {start}
    while True:
        for group in groups:
            if not wanted.isdisjoint(group):
                places.update(group)
        if wanted == set(places):
            return places
        wanted = set(places)


def _verify(
    workspace: Workspace, analyses: list[Analysis], edits: Edits, name: str
) -> None:
    texts = dict(workspace.texts)
    for path, spans in edits.items():
        texts[path] = replaced(spans[0].file.text, spans, name)
    starts = {path: [s.start for s in spans] for path, spans in edits.items()}
    old = next(iter(edits.values()))[0].text
    longer = len(name) - len(old)

    def moved(place: Optional[Key]) -> Optional[Key]:
        if place is None:
            return None
        path, start = place
        return path, start + longer * bisect_left(starts.get(path, []), start)

    for analysis in analyses:
        profile = analysis.profile
        if profile == old and profile not in _profiles(workspace, analysis.top, texts):
            profile = name
        after = workspace.compile(analysis.top, False, profile, texts)
        for diagnostic in after.errors:
            raise Refused(f"with '{name}': {diagnostic.message}")
        meant = {
            moved(use): moved(what) for use, what in _meanings(analysis.index).items()
        }
        if meant != dict(_meanings(after.index)):
            raise Refused(f"with '{name}' some name would mean something else")


def _profiles(workspace: Workspace, top: Path, texts: dict[Path, str]) -> list[str]:
    spec = workspace.compile(top, False, None, texts).compilation.spec
    return [profile.name.text for profile in spec.profiles]


def _meanings(index: Index) -> dict[Key, Optional[Key]]:
    """Every name of the spec and the declaration behind it."""
    return {
        key(name.span): key(name.definition.span) if name.definition else None
        for file in index.sources
        for name in index.names(file)
    }
