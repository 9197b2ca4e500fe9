# SPDX-License-Identifier: MIT
"""Which names may stand at a place: asked of the compiler itself.

An undeclared name is put where the cursor is, and the spec is compiled: the resolution, which then misses that
name, says which ones it knows there. So what is offered is what would be accepted: states of this process behind an
arrow, fields of this record behind a dot. What stands left of the cursor is rarely a whole line, so a few ways to end
it are tried.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterable, Optional

from ..compilation.compiler import Compilation
from ..frontend.index import Definition, Index
from ..report import Report
from .positions import Json
from .workspace import Workspace

WANTED = "name_wanted_by_the_editor"
# What may follow the name, the rest of the line dropped or kept.
ENDINGS = ("", "()", " := 0")
# The protocol's numbers for what is offered.
COMPLETION_KINDS = {
    "function": 3,
    "action": 2,
    "device": 2,
    "payload field": 5,
    "record field": 5,
    "variable": 6,
    "argument": 6,
    "local name": 6,
    "record": 6,
    "process": 7,
    "pool": 9,
    "table": 9,
    "parameter": 10,
    "enumeration": 13,
    "payload": 22,
    "enumeration member": 20,
    "constant": 21,
    "event": 23,
    "state": 19,
}
TEXT = 1


class _Listener(Report):
    """Remembers what the resolution would have accepted in place of the wanted name."""

    def __init__(self) -> None:
        super().__init__()
        self.accepted: dict[str, None] = {}

    def unknown(
        self, code: str, span: object, what: str, name: str, candidates: Iterable[str]
    ) -> None:
        known = list(candidates)
        if name.split(".")[-1] == WANTED:
            self.accepted.update(dict.fromkeys(known))
        super().unknown(code, span, what, name, known)  # type: ignore[arg-type]


def complete(workspace: Workspace, path: Path, offset: int) -> list[Json]:
    text = workspace.texts.get(path, "")
    start, end = _word(text, offset)
    if _in_comment_or_string(text, start):
        return []
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    tops = workspace.tops(path) or [path]
    for rest in dict.fromkeys((text[end:line_end], "")):
        for ending in ENDINGS:
            texts = dict(workspace.texts)
            texts[path] = text[:start] + WANTED + ending + rest + text[line_end:]
            listener = _Listener()
            compilation = Compilation(tops[0], texts, listener)
            compilation.protocol(None)
            if listener.accepted:
                return _items(compilation, listener.accepted)
    return []


def _items(compilation: Compilation, names: Iterable[str]) -> list[Json]:
    definitions: dict[str, list[Definition]] = {}
    if compilation.context is not None:
        for definition in Index(compilation.context).definitions.values():
            definitions.setdefault(definition.text, []).append(definition)
    items: list[Json] = []
    for name in sorted(set(names) - {WANTED}):
        kinds = {d.kind for d in definitions.get(name.split(".")[-1], ())}
        kind: Optional[str] = kinds.pop() if len(kinds) == 1 else None
        item: Json = {
            "label": name,
            "kind": COMPLETION_KINDS.get(kind or "", TEXT),
        }
        if kind is not None:
            item["detail"] = kind
        items.append(item)
    return items


def _word(text: str, offset: int) -> tuple[int, int]:
    """The word the cursor stands in or behind."""
    start = offset - len(re.search(r"\w*$", text[:offset])[0])  # type: ignore[index]
    end = offset + len(re.match(r"\w*", text[offset:])[0])  # type: ignore[index]
    return start, end


def _in_comment_or_string(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    code = re.sub(r'"[^"]*"', "", line)
    return "#" in code or '"' in code
