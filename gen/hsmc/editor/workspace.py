# SPDX-License-Identifier: MIT
"""The specs an editor works on: texts not saved yet, which spec a file belongs to, what the compiler says of it.

A file with a `protocol` line is a spec of its own. Any other is part of the specs that include it, which are looked
for in its directory and in the folders the editor has opened.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Iterator, Optional

from .. import ir
from ..compilation.compiler import Compilation
from ..frontend import includes
from ..frontend.index import Index, Occurrence
from ..report import Diagnostic
from ..source import SourceFile, decoded
from .positions import normalised

PROTOCOL = re.compile(r"^protocol\b", re.MULTILINE)
INCLUDE = re.compile(r'^include\s*"([^"\n]*)"', re.MULTILINE)
SUFFIX = ".hsm"
# Folders are searched no further: an editor may have been started in a home directory.
DIRECTORIES_LIMIT = 5000
SKIPPED = frozenset(("build", "node_modules", "__pycache__"))


@dataclass(eq=False)
class Analysis:
    """One spec, compiled in one profile. `part`: the file stands for itself because no spec includes it; then only its syntax is
    judged."""

    top: Path
    compilation: Compilation
    part: bool
    profile: Optional[str]
    # When the files were read: modification times, None for what is not there or is open in the editor.
    stamps: dict[Path, Optional[int]] = field(default_factory=dict)
    checked: bool = False

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Of the spec as it stands; of its checks too, once they have been compiled."""
        self.protocol
        found = self.compilation.report.diagnostics
        if self.part:
            found = [
                d for d in found if d.code.startswith("HSM01") and d.code != "HSM0107"
            ]
        return found

    def compile_checks(self) -> None:
        """What only sizes of a check make wrong; takes several times as long as the spec itself."""
        if not self.part and self.protocol is not None and not self.checked:
            self.compilation.diagnostics()
        self.checked = True

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity == "error"]

    @cached_property
    def index(self) -> Index:
        self.protocol
        assert self.compilation.context is not None
        return Index(self.compilation.context)

    @cached_property
    def protocol(self) -> Optional[ir.Protocol]:
        """None when the spec has errors."""
        return self.compilation.protocol(None)

    @cached_property
    def files(self) -> dict[Path, SourceFile]:
        return {s.path.resolve(): s for s in self.compilation.spec.sources}

    def name_at(self, path: Path, offset: int) -> Optional[Occurrence]:
        return self.index.name_at(self.files[path].name, offset)


class Workspace:
    def __init__(self) -> None:
        self.roots: list[Path] = []
        self.texts: dict[Path, str] = {}
        self._analyses: dict[tuple[Path, bool, Optional[str]], Analysis] = {}
        self._found: dict[Path, tuple[Path, ...]] = {}
        self._read: dict[Path, tuple[tuple[int, int], str]] = {}

    # --- texts

    def open(self, path: Path, text: str) -> None:
        self.texts[path] = normalised(text)
        self._forget(path)

    def close(self, path: Path) -> None:
        self.texts.pop(path, None)
        self._forget(path)

    def _forget(self, path: Path) -> None:
        for key, analysis in list(self._analyses.items()):
            if path in analysis.stamps:
                del self._analyses[key]

    def files_changed(self) -> None:
        """Files may have come or gone."""
        self._found.clear()
        self._analyses.clear()

    def text(self, path: Path) -> str:
        """What the editor shows, or the file; empty when it cannot be read."""
        if path in self.texts:
            return self.texts[path]
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._read.get(path)
            if known is None or known[0] != stamp:
                known = (stamp, decoded(path.read_bytes()))
                self._read[path] = known
            return known[1]
        except (OSError, UnicodeDecodeError):
            return ""

    # --- which specs

    def tops(self, path: Path) -> list[Path]:
        """The specs a file belongs to; empty when none includes it."""
        if PROTOCOL.search(self.text(path)):
            return [path]
        return [
            candidate
            for candidate in self._candidates(path.parent)
            if candidate != path
            and PROTOCOL.search(self.text(candidate))
            and path in self._included(candidate)
        ]

    def _candidates(self, directory: Path) -> list[Path]:
        found = dict.fromkeys(self._specs_in(directory, deep=False))
        for root in self.roots:
            found.update(dict.fromkeys(self._specs_in(root, deep=True)))
        found.update(dict.fromkeys(p for p in self.texts if p.suffix == SUFFIX))
        return sorted(found)

    def _specs_in(self, directory: Path, deep: bool) -> tuple[Path, ...]:
        key = directory / "**" if deep else directory
        if key not in self._found:
            self._found[key] = tuple(_spec_files(directory, deep))
        return self._found[key]

    def _included(self, path: Path) -> set[Path]:
        """All files a spec is made of."""
        found = {path}
        pending = [path]
        while pending:
            file = pending.pop()
            for name in INCLUDE.findall(self.text(file)):
                included = includes.find(file.parent, name, self.texts).resolve()
                if included not in found:
                    found.add(included)
                    pending.append(included)
        return found

    # --- what the compiler says

    def analyses(self, path: Path) -> list[Analysis]:
        """Of all specs the file belongs to, each in all its profiles, the default one first. Never empty for a file
        that can be read."""
        found = [a for top in self.tops(path) for a in self._profiles(top)]
        found = [a for a in found if path in a.files]
        return found or [self.analysis(path, True, None)]

    def _profiles(self, top: Path) -> Iterator[Analysis]:
        default = self.analysis(top, False, None)
        yield default
        spec = default.compilation.spec
        for name in dict.fromkeys(p.name.text for p in spec.profiles):
            if name != spec.profile:
                yield self.analysis(top, False, name)

    def analysis(self, top: Path, part: bool, profile: Optional[str]) -> Analysis:
        known = self._analyses.get((top, part, profile))
        if known is None or known.stamps != self._stamps(known.compilation):
            known = self.compile(top, part, profile, self.texts)
            self._analyses[top, part, profile] = known
        return known

    def compile(
        self, top: Path, part: bool, profile: Optional[str], texts: dict[Path, str]
    ) -> Analysis:
        compilation = Compilation(top, texts, profile=profile)
        stamps = self._stamps(compilation)
        return Analysis(top, compilation, part, profile, stamps)

    def _stamps(self, compilation: Compilation) -> dict[Path, Optional[int]]:
        spec = compilation.spec
        paths = [compilation.path, *(included for _, included in spec.includes)]
        return {path.resolve(): self._stamp(path.resolve()) for path in paths}

    def _stamp(self, path: Path) -> Optional[int]:
        if path in self.texts:
            return None
        try:
            return path.stat().st_mtime_ns
        except OSError:
            return None


def _spec_files(directory: Path, deep: bool) -> Iterator[Path]:
    count = 0
    for parent, directories, files in os.walk(directory):
        directories[:] = sorted(
            d for d in directories if deep and d[0] != "." and d not in SKIPPED
        )
        for name in sorted(files):
            if name.endswith(SUFFIX):
                yield Path(parent, name).resolve()
        count += 1
        if count >= DIRECTORIES_LIMIT:
            return
