# SPDX-License-Identifier: MIT
"""Files for Vim and Neovim: highlighting, recognition of the file type, indentation, comments."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2

from .vocabulary import (
    BUILTINS,
    TYPES,
    Group,
    Keyword,
    Vocabulary,
    vocabulary,
    words_of,
)

TEMPLATES = Path(__file__).resolve().parents[1] / "templates/editor"


def environment() -> jinja2.Environment:
    result = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(TEMPLATES)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    result.filters.update(choice=choice)
    return result


def generate() -> dict[str, str]:
    """By the path below the directory to be put on Vim's runtimepath."""
    words = vocabulary()
    env = environment()
    context = {
        "groups": [(starting(group), group.role) for group in words.by_place()],
        "of_events": words_of(words.of_events()),
        "of_targets": words.of_targets(),
        "inner": [
            inside(words, k)
            for k in words.keywords
            if not k.reserved and not k.only_begins
        ],
        "reserved": words_of(k for k in words.keywords if k.reserved),
        "constants": words.constants,
        "types": [t for t in TYPES if t != "bits"],
        "builtins": BUILTINS,
        "operators": [escaped(o) for o in words.operators()],
        "openers": words.openers(),
    }
    return {
        f"{name}/hsm.vim": env.get_template(f"{name}.vim.j2").render(context)
        for name in ("syntax", "ftdetect", "ftplugin", "indent")
    }


def choice(words: list[str] | tuple[str, ...]) -> str:
    r"""
    >>> print(choice(["on", "never"]))
    \%(on\|never\)
    """
    return r"\%(" + r"\|".join(words) + r"\)"


def escaped(text: str) -> str:
    r"""A literal in a pattern between slashes.

    >>> print(escaped("/"), escaped("<<"), escaped(".."))
    \/ << \.\.
    """
    return re.sub(r"([/.*~^$\\\[\]])", r"\\\1", text)


def starting(group: Group) -> str:
    """A pattern for words that begin a line."""
    before = "^" if group.top else r"^\s*"
    if group.prefixes:
        before += rf"\%({choice(group.prefixes)}\s\+\)\="
    after = escaped_class(group.following)
    return rf"\%({before}\)\@<={choice(group.words)}\>\ze\s*[{after}]"


def inside(words: Vocabulary, keyword: Keyword) -> str:
    """A pattern for a word that is a keyword in its place only: by what may stand after it, and
    before it where that is another word. A name with a bracket right behind it is called.
    """
    characters, ends = words.following(keyword)
    after = rf"[{escaped_class(characters)}]"
    if ends:
        after = rf"\%({after}\|$\)"
    preceding = words.preceding(keyword)
    before = rf"\%(\<{choice(preceding)}\s\+\)\@<=" if preceding else r"\s\@1<="
    return rf"{before}\<{keyword.word}\>(\@!\ze\s*{after}"


def escaped_class(characters: str) -> str:
    r"""Inside square brackets in a pattern between slashes.

    >>> print(escaped_class("A-Z(-/~"), escaped_class('"#='))
    A-Z(\-\/~ "#=
    """
    return re.sub(r"(?<=[^A-Za-z0-9])-|/", lambda m: "\\" + m[0], characters)
