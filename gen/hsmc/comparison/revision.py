# SPDX-License-Identifier: MIT
"""A spec as it was at a revision of Git: `git:REVISION`, or `git:REVISION:PATH`, fetched with all it includes."""

from __future__ import annotations

import posixpath
import re
import subprocess
from pathlib import Path

PREFIX = "git:"
INCLUDE = re.compile(r'^include\s+"([^"\n]+)"', re.MULTILINE)


class NoRevision(Exception):
    """Git is missing, or does not have what was asked for."""


def is_revision(name: str) -> bool:
    return name.startswith(PREFIX)


def fetch(name: str, other: str, directory: Path) -> Path:
    """Writes the spec below `directory` and gives its path there. A path in the name is relative to the top of the
    repository the process works in; without one, the revision is of the file `other` names (it need not exist any
    more)."""
    revision, colon, path = name[len(PREFIX) :].partition(":")
    if not revision or revision.startswith("-"):
        raise NoRevision(f"{name}: expected git:REVISION, such as git:HEAD")
    if not colon and is_revision(other):
        path = other[len(PREFIX) :].partition(":")[2]
        if not path:
            raise NoRevision(
                "one of the two must name a file: git:REVISION FILE, or git:REVISION git:REVISION:FILE"
            )
    folder = Path.cwd()
    if not path:
        folder = Path(other).resolve().parent
    if not folder.is_dir():
        raise NoRevision(f"{folder} is not a directory")
    top = _git(folder, "rev-parse", "--show-toplevel").strip()
    if not path:
        path = Path(other).resolve().relative_to(Path(top).resolve()).as_posix()
    wanted, seen = [posixpath.normpath(path)], set[str]()
    while wanted:
        file = wanted.pop()
        if file in seen or file.startswith(".."):
            continue
        seen.add(file)
        try:
            text = _git(Path(top), "show", f"{revision}:{file}")
        except NoRevision:
            if len(seen) == 1:
                raise
            continue  # the compiler says where it is included
        target = directory / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        around = posixpath.dirname(file)
        for included in INCLUDE.findall(text):
            wanted.append(posixpath.normpath(posixpath.join(around, included)))
    return directory / posixpath.normpath(path)


def _git(directory: Path, *arguments: str) -> str:
    try:
        result = subprocess.run(
            ["git", "-C", str(directory), *arguments], capture_output=True, check=False
        )
    except OSError as error:
        raise NoRevision(f"git cannot be started: {error.strerror}") from None
    if result.returncode != 0:
        said = result.stderr.decode(errors="replace").strip().split("\n")[0]
        raise NoRevision(f"git: {said}")
    try:
        return result.stdout.decode()
    except UnicodeDecodeError:
        raise NoRevision(f"git {' '.join(arguments)}: not UTF-8 text") from None
