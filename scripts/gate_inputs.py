# SPDX-License-Identifier: MIT
"""What a gate depends on, by content: files without what changes no verdict, and versions of tools.

Comments, blank lines and docstrings are left out, so a change of them has nothing run again. Lines move with them:
`__LINE__`, places in messages and line numbers of debugging information are no part of a verdict. A comment can end a
build (`/* fallthrough */`), which `make test` shows. Of pages only commands and tables count, and only of those pages
that tests of a gate read. A file of a kind that is not known here counts as it is, byte by byte.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Callable, Iterable, Optional, Sequence

# A string or character of C ends in its line; one that does not is no string, and what follows is kept as it is.
C_TOKEN = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|/\*.*?\*/|//(?:\\\n|[^\n])*""",
    re.DOTALL,
)
HELP = re.compile(r"^([a-z-]+):.*?(\s*##\s.*)$")
TEMPLATE_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
SPEC_COMMENT = re.compile(r'^((?:[^"#]|"[^"]*")*)#.*$')


def lines_of(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip())


def c_code(text: str) -> str:
    """
    >>> c_code('int a; // b' + chr(10) + chr(10) + '/* c */ char *d = "/* e */";')
    'int a;\\n  char *d = "/* e */";'
    """
    return lines_of(C_TOKEN.sub(lambda found: found["kept"] or " ", text))


def python_code(text: str) -> str:
    """The syntax tree. Damaged text counts as it is."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            assert isinstance(body, list)
            del body[0]
    return ast.dump(tree)


def spec_code(text: str) -> str:
    """As gen/hsmc/frontend/parser.py blanks comments: from a number sign outside a text to the end of the line.

    >>> spec_code('a "# b" # c' + chr(10) + '# d')
    'a "# b"'
    """
    return lines_of(
        "\n".join(SPEC_COMMENT.sub(r"\1", line) for line in text.split("\n"))
    )


def template_code(text: str) -> str:
    return TEMPLATE_COMMENT.sub("", text)


def make_code(text: str, targets: Iterable[str] = ()) -> str:
    """Without comments, help texts, and the rules of targets that `make help` lists, but for those named.

    >>> make_code("# a" + chr(10) + "b: ## c" + chr(10) + chr(9) + "d" + chr(10) + "e: ## f" + chr(10) + chr(9) + "g", ["e"])
    'e:\\n\\tg'
    """
    kept: list[str] = []
    dropping = continued = False
    for line in text.split("\n"):
        rule = HELP.match(line)
        if rule and not continued:
            dropping = rule[1] not in targets
            line = line[: rule.start(2)]
        elif not line.startswith("\t") and not continued:
            dropping = False
        comment = line.startswith("#") and not continued and not line.endswith("\\")
        continued = line.endswith("\\")
        if not dropping and not comment:
            kept.append(line)
    return lines_of("\n".join(kept))


def page_code(text: str) -> str:
    """Commands and tables."""
    kept = []
    fenced = False
    for line in text.split("\n"):
        fence = line.startswith("```")
        fenced ^= fence
        if fence or fenced or line.startswith(("    ", "|")):
            kept.append(line.rstrip())
    return "\n".join(kept)


KINDS: dict[str, Callable[[str], str]] = {
    ".c": c_code,
    ".h": c_code,
    ".S": c_code,
    ".py": python_code,
    ".hsm": spec_code,
    ".j2": template_code,
    ".md": page_code,
}


def is_make(path: str) -> bool:
    return path == "Makefile" or path.endswith(".mk")


def code_of(path: str, content: bytes, targets: Sequence[str] = ()) -> bytes:
    """What of a file can change a verdict."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    if is_make(path):
        return make_code(text, targets).encode()
    suffix = ".py" if text.startswith("#!/usr/bin/python3") else Path(path).suffix
    kind = KINDS.get(suffix)
    return kind(text).encode() if kind else content


def matches(path: str, pattern: str) -> bool:
    """`directory/` is all below it; else each part of the path matches a part of the pattern, in which * may stand."""
    if pattern.endswith("/"):
        return path.startswith(pattern)
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def group_of(path: str, patterns: Sequence[str]) -> Optional[str]:
    """The last pattern that names the file; None if there is none, or if it begins with `!`: then it is no input."""
    for pattern in reversed(patterns):
        if matches(path, pattern.removeprefix("!")):
            return None if pattern.startswith("!") else pattern
    return None


def files_of(top: Path) -> list[str]:
    """All files of the tree, but for what is made, hidden, or left by an editor."""
    found = []
    for directory, names, files in os.walk(top):
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".")
            and name != "__pycache__"
            and not (Path(directory) == top and name == "build")
        )
        where = Path(directory).relative_to(top)
        found += [
            (where / name).as_posix()
            for name in sorted(files)
            if not name.startswith(".") and not name.endswith(("~", ".pyc"))
        ]
    return found


class Contents:
    """Hashes of files without what changes no verdict. To take a Python file apart takes longer than to read it, so they
    are kept, by the hash of the whole file, in `memory`, which may be lost or damaged.
    """

    def __init__(self, top: Path, memory: Optional[Path] = None) -> None:
        self.top = top
        self.memory = memory
        self.files = files_of(top)
        self.members: dict[tuple[str, ...], dict[str, list[str]]] = {}
        self.kept: dict[str, str] = {}
        self.read: dict[str, bytes] = {}
        self.used: dict[str, str] = {}
        # What the functions above leave out is part of the key.
        self.version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
        if memory is not None:
            try:
                kept = json.loads(memory.read_text())
                self.kept = kept["hashes"] if kept["version"] == self.version else {}
            except (OSError, ValueError, KeyError, TypeError):
                pass

    def digest(self, path: str, targets: tuple[str, ...]) -> str:
        if path not in self.read:
            self.read[path] = (self.top / path).read_bytes()
        content = self.read[path]
        named = repr((path, targets if is_make(path) else ()))
        key = hashlib.sha256(named.encode() + content).hexdigest()[:32]
        if key not in self.used:
            found = self.kept.get(key)
            if found is None:
                code = code_of(path, content, targets)
                found = hashlib.sha256(code).hexdigest()[:32]
            self.used[key] = found
        return self.used[key]

    def named(self, patterns: tuple[str, ...]) -> dict[str, list[str]]:
        """The files that each pattern decides about. One that names no file at all has an empty list."""
        if patterns not in self.members:
            found: dict[str, list[str]] = {}
            for path in self.files:
                group = group_of(path, patterns)
                if group is not None:
                    found.setdefault(group, []).append(path)
            for pattern in patterns:
                wanted = pattern.removeprefix("!")
                if not any(matches(path, wanted) for path in self.files):
                    found[pattern] = []
            self.members[patterns] = found
        return self.members[patterns]

    def groups(
        self, patterns: tuple[str, ...], targets: tuple[str, ...]
    ) -> dict[str, str]:
        """A hash for each pattern. It is empty where it names no file, which is a mistake, of the table or in the tree."""
        return {
            pattern: digest(
                "\n".join(f"{path} {self.digest(path, targets)}" for path in paths)
            )
            if paths
            else ""
            for pattern, paths in self.named(patterns).items()
        }

    def save(self) -> None:
        if self.memory is not None:
            self.memory.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"version": self.version, "hashes": self.used})
            temporary = self.memory.with_name(f"{self.memory.name}.{os.getpid()}")
            temporary.write_text(text)
            temporary.replace(self.memory)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
