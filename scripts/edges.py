#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks which directory uses which, against the rules of docs/architecture.md.

An edge is an `#include "..."` of a C file or an import of a Python module in another directory. The page has tables
whose first column is a directory and whose last column names those it may use; everything else is an error, and so is
a circle in the tables themselves. Tests may use everything, and nothing uses tests.

    edges.py           check; status 1 where something is wrong
    edges.py --list    print the edges there are
"""

import argparse
import ast
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Optional, Sequence

PAGE = "docs/architecture.md"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROW = re.compile(r"^\| *`([^`]+)` *\|.*\|([^|]*)\| *$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
PACKAGE = "gen/hsmc"
# The interface of the package stands above it: what it offers is spread over the directories.
INTERFACE = f"{PACKAGE}/__init__.py"
# Made from a spec, in a directory per protocol; the compiler gets the path by an option.
GENERATED = "build/gen"
GENERATED_HEADER = re.compile(r"(\w+)/\1(_\w+)?\.h")  # emp/emp_layout.h


class Edge(NamedTuple):
    source: str
    target: str
    place: str  # file:line


def rules(page: str) -> dict[str, set[str]]:
    """
    >>> rules("| directory | what | may use |\\n|---|---|---|\\n| `a` | x | - |\\n| `b` | y | `a`, `c` |\\n")["b"] == {"a", "c"}
    True
    """
    return {row[1]: set(CODE.findall(row[2])) for row in ROW.finditer(page)}


def circle(allowed: dict[str, set[str]]) -> Optional[list[str]]:
    """One way round, if there is any.

    >>> circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    ['a', 'b', 'c', 'a']
    >>> circle({"a": {"b"}, "b": set()})
    """
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> Optional[list[str]]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        for target in sorted(allowed.get(node, ())):
            if found := visit(target, [*path, node]):
                return found
        done.add(node)
        return None

    for start in allowed:
        if found := visit(start, []):
            return found
    return None


class Repository:
    def __init__(self, top: Path) -> None:
        self.top = top
        listed = subprocess.run(
            ["git", "-C", str(top), "ls-files", "-z"], check=True, capture_output=True
        ).stdout.decode()
        self.files = [f for f in listed.split("\0") if f and (top / f).is_file()]
        self.known = set(self.files)

    def edges(self) -> Iterator[Edge]:
        for file in self.files:
            if file.startswith("tests/") or "/templates/" in file:
                continue
            if file.endswith((".c", ".h")):
                yield from self._includes(file)
            elif file.startswith(f"{PACKAGE}/") and file.endswith(".py"):
                yield from self._imports(file)

    def _includes(self, file: str) -> Iterator[Edge]:
        directory = posixpath.dirname(file)
        text = (self.top / file).read_text()
        for include in INCLUDE.finditer(text):
            target = posixpath.dirname(include[1])
            if not target or posixpath.join(directory, include[1]) in self.known:
                continue  # beside it, or generated for the image that includes it
            if include[1] not in self.known and GENERATED_HEADER.fullmatch(include[1]):
                target = GENERATED
            if target != directory:
                line = text.count("\n", 0, include.start(1)) + 1
                yield Edge(directory, target, f"{file}:{line}")

    def _imports(self, file: str) -> Iterator[Edge]:
        if file == INTERFACE:
            return
        directory = posixpath.dirname(file)
        for node in ast.walk(ast.parse((self.top / file).read_text())):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            base = directory.split("/")
            base = base[: len(base) - node.level + 1]
            base += node.module.split(".") if node.module else []
            source = "/".join(base)
            for name in node.names:
                module = f"{source}/{name.name}"
                if f"{module}/__init__.py" in self.known:
                    target = module
                elif f"{source}/__init__.py" in self.known:
                    target = source
                else:
                    target = posixpath.dirname(source)
                if target != directory:
                    yield Edge(directory, target, f"{file}:{node.lineno}")


def problems(edges: Sequence[Edge], allowed: dict[str, set[str]]) -> Iterator[str]:
    if found := circle(allowed):
        yield f"{PAGE}: the rules go in a circle: {' -> '.join(found)}"
    for directory, targets in allowed.items():
        for unknown in sorted(targets - set(allowed)):
            yield f"{PAGE}: {directory} may use {unknown}, which has no row"
    for edge in edges:
        if edge.source not in allowed:
            yield f"{edge.place}: {edge.source} has no row in {PAGE}"
        elif edge.target not in allowed[edge.source]:
            yield (
                f"{edge.place}: {edge.source} may not use {edge.target}: "
                f"see the rules of {PAGE}"
            )
    used = {(edge.source, edge.target) for edge in edges}
    for directory, targets in allowed.items():
        for target in sorted(targets):
            if (directory, target) not in used:
                yield f"{PAGE}: {directory} does not use {target} (any more)"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print the edges")
    parser.add_argument("--top", type=Path, default=Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    edges = list(Repository(options.top).edges())
    if options.list:
        for source, target in sorted({(edge.source, edge.target) for edge in edges}):
            print(f"{source} -> {target}")
        return 0
    found = list(problems(edges, rules((options.top / PAGE).read_text())))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
