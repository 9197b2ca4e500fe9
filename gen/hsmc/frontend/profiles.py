# SPDX-License-Identifier: MIT
"""Profiles: variants of a protocol that share text.

A line that ends in `@NAME` exists in that profile only, with the block below it. Marks are taken away before the
grammar sees the lines, and so are the lines of other profiles: nothing behind the parser knows of them. What a profile
`set`s replaces the value in the declaration, as if it had been written there.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from . import ast
from ..report import Report, did_you_mean

# At the end of a logical line, whose comments are blank already.
MARKS = re.compile(r"(?:[ \x0b\r]*@[A-Za-z_][A-Za-z0-9_]*)+[ \x0b\r]*$")
MARK = re.compile(r"@([A-Za-z_][A-Za-z0-9_]*)")
STRING = re.compile(r'"[^"]*"')
# A declaration of a profile, recognised before the grammar is read.
DECLARES_PROFILE = re.compile(r"profile +[A-Za-z_]")


class UnknownProfile(ValueError):
    """Asked for by name, but the spec does not declare it."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        known = ", ".join(names) or "none"
        super().__init__(
            f"there is no profile '{name}'{did_you_mean(name, names)}; there are: {known}"
        )


@dataclass(frozen=True)
class Selection:
    """Which marked lines exist. `names` None: any name is a profile (a file formatted by itself)."""

    chosen: Optional[str]
    names: Optional[tuple[str, ...]]

    def excludes(self, marks: Sequence[str]) -> bool:
        return bool(marks) and self.chosen not in marks

    def unknown(self, name: str) -> Optional[str]:
        """What is wrong with a mark of this name."""
        if self.names is None or name in self.names:
            return None
        if not self.names:
            return f"'@{name}' marks a line of a profile, and the spec declares none"
        return f"there is no profile '{name}'{did_you_mean(name, self.names)}"


NOTHING_SELECTED = Selection(None, ())


@dataclass(frozen=True)
class Marked:
    """The marks of a logical line: each name with its offset, where the code before them ends, and the offset of an
    '@' that is out of place, or -1."""

    names: tuple[tuple[str, int], ...]
    code_end: int
    first_misplaced: int


def find_marks(code: str) -> Marked:
    """In a logical line without comments. Texts in quotes are no marks."""
    plain = STRING.sub(lambda match: '"' * len(match.group()), code)
    found = MARKS.search(plain)
    code_end = found.start() if found else len(code)
    names: tuple[tuple[str, int], ...] = ()
    if found:
        names = tuple(
            (match[1], match.start())
            for match in MARK.finditer(plain, found.start(), found.end())
        )
    first_misplaced = plain.find("@", 0, code_end)
    if first_misplaced < 0 and names and not plain[:code_end].strip():
        first_misplaced = names[0][1]
    return Marked(names, code_end, first_misplaced)


def choose(
    profiles: Sequence[ast.Profile], wanted: Optional[str], report: Report
) -> Selection:
    """The profile `wanted`, else the default one, else the first. Raises UnknownProfile."""
    names: dict[str, ast.Profile] = {}
    for profile in profiles:
        name = profile.name
        if name.text in names:
            report.add(
                "HSM0202",
                name.span,
                f"profile '{name.text}' is declared twice",
                [("first declared here", names[name.text].name.span)],
            )
        names.setdefault(name.text, profile)
    defaults = [profile for profile in profiles if profile.default]
    for again in defaults[1:]:
        report.add(
            "HSM0604",
            again.name.span,
            f"profile '{again.name.text}' is a second default",
            [("the first", defaults[0].name.span)],
        )
    if wanted is not None:
        if wanted not in names:
            raise UnknownProfile(wanted, list(names))
        return Selection(wanted, tuple(names))
    first = default_of(profiles)
    return Selection(first.name.text if first else None, tuple(names))


def default_of(profiles: Sequence[ast.Profile]) -> Optional[ast.Profile]:
    """What a spec is without further words."""
    declared = [profile for profile in profiles if profile.default]
    return next(iter([*declared, *profiles]), None)


def apply_settings(spec: ast.Spec, report: Report) -> None:
    """Puts what the chosen profile sets into the declarations. Names are looked up in the profile as it is."""
    profile = next((p for p in spec.profiles if p.name.text == spec.profile), None)
    if profile is None:
        return
    settings: dict[str, ast.Setting] = {}
    for setting in profile.settings:
        name = setting.name
        if name.text in settings:
            report.add(
                "HSM0603",
                name.span,
                f"profile {profile.name.text} sets '{name.text}' twice",
                [("first here", settings[name.text].span)],
            )
        settings.setdefault(name.text, setting)
    known: list[str] = []
    for index, node in enumerate(spec.declarations):
        if not isinstance(node, (ast.Constant, ast.Parameter)):
            continue
        known.append(node.name.text)
        if node.name.text in settings:
            setting = settings[node.name.text]
            if isinstance(node, ast.Constant) and node.fixed:
                report.add(
                    "HSM0327",
                    setting.name.span,
                    f"profile {profile.name.text} sets '{node.name.text}', which is fixed: the spec is right for "
                    "this number only",
                    [("declared here", node.name.span)],
                )
                continue
            value = setting.value
            spec.replaced.append(node)
            spec.declarations[index] = (
                dataclasses.replace(node, value=value)
                if isinstance(node, ast.Constant)
                else dataclasses.replace(node, default=value)
            )
    for text, setting in settings.items():
        if text not in known:
            report.unknown(
                "HSM0210",
                setting.name.span,
                f"a profile sets constants and parameters; '{text}' is neither",
                text,
                known,
            )


def setting_texts(profile: ast.Profile) -> Iterator[tuple[str, str]]:
    """What it sets, as written: names and expressions."""
    for setting in profile.settings:
        yield setting.name.text, setting.value.span.squeezed
