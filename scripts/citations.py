#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Finds citations and links that lead nowhere, in every file under version control.

Three kinds are checked: a section of a reference document, in a comment or a page ("tigon2.md 7, 16.1 and 6.4",
"tigon2.md 14 rows 19, 20"); a claim of the papers by its id; a link between Markdown pages, with its anchor.
"""

import argparse
import posixpath
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Iterator, NamedTuple, Optional
from urllib.parse import unquote

REFERENCE = "docs/reference"
CLAIMS = f"{REFERENCE}/papers.md"

# A citation may go on in the next line of a comment.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|#|//|;|%)?[ \t]*)"
SECTION = re.compile(r"\d+(?:\.\d+)*[a-z]?(?!\w)")
DOCUMENT = re.compile(
    rf"(?<![\w-])([\w-]+\.md)`?{GAP}(?:sections?{GAP}|row{GAP})?(?=\d)"
)
MORE = re.compile(rf"(?:,?{GAP}(?:and|to|or){GAP}|[,;]{GAP})(?=\d)")
# Rows and items are places of a section; of bits and words it is the section alone that can be looked up.
PART = re.compile(rf",?{GAP}(row|item|step|bit|word)(s?){GAP}(?=\d)")
PART_NUMBER = re.compile(rf"\d+(?!\w|\.\d|{PART.pattern})")
MORE_PARTS = re.compile(rf"(?:,?{GAP}(?:and|to|or){GAP}|,{GAP}|-)(?=\d)")

HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$")
HEADING_NUMBER = re.compile(r"(\d+(?:\.\d+)*[a-z]?)[.:)]?(?:\s|$)")
ITEM = re.compile(r" {0,3}(\d+)[.)] ")
ROW = re.compile(r" {0,3}\|\s*([^|]*?)\s*\|")
NUMBERED_COLUMN = ("#", "row", "item", "step", "no.", "number")
CLAIM_ROW = re.compile(r"\| *([A-Z]{1,2})(\d{1,3}) *\|")

FENCE = re.compile(r" *(```|~~~)")
LINK = re.compile(
    r"\[(?:[^][]|\[[^][]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)"
)
LINK_BELOW = re.compile(r"^ {0,3}\[[^]]+\]:\s*(\S+)", re.MULTILINE)
ANCHOR = re.compile(r"<\w+[^>]*\b(?:id|name)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")


class Citation(NamedTuple):
    """A place of a reference document: "14.20" is row or item 20 of section 14, unless there is such a section."""

    document: str
    place: str
    offset: int


def _parts(text: str, position: int, several: bool) -> tuple[list[str], int]:
    """One number after "row", after "rows" as many as ascend: in "15 items 8 and 9, 6" the 6 is a section again."""
    parts: list[str] = []
    following: Optional[int] = position
    while following is not None:
        number = PART_NUMBER.match(text, following)
        if not number or (parts and int(number.group()) <= int(parts[-1])):
            break
        parts.append(number.group())
        position = number.end()
        more = MORE_PARTS.match(text, position) if several else None
        following = more.end() if more else None
    return parts, position


def citations(text: str) -> Iterator[Citation]:
    """
    >>> [c.place for c in citations("tigon2.md 7, 16.1 and 6.4: the link; 14 rows 19, 20")]
    ['7', '16.1', '6.4']
    >>> [c.place for c in citations("tigon2.md 15 items 8 and 9, 6, 5.2 bits 9-11, 14 row 27).")]
    ['15.8', '15.9', '6', '5.2', '14.27']
    """
    for document in DOCUMENT.finditer(text):
        position = document.end()
        while number := SECTION.match(text, position):
            section, position = number.group(), number.end()
            places = [section]
            if part := PART.match(text, position):
                parts, position = _parts(text, part.end(), part.group(2) == "s")
                if parts and part.group(1) in ("row", "item", "step"):
                    places = [f"{section}.{each}" for each in parts]
            for place in places:
                yield Citation(document.group(1).lower(), place, number.start())
            more = MORE.match(text, position)
            if not more:
                break
            position = more.end()


def without_code(text: str) -> str:
    """Markdown in which code is blank; every other character stays where it was."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence or mark:
            lines.append(" " * len(line))
            if mark and mark.group(1) == fence:
                fence = ""
            elif mark and not fence:
                fence = mark.group(1)
        else:
            lines.append(line)
    return re.sub(
        r"(`+)(?!`)(?:[^`\n]|\n(?!\n))*?\1(?!`)",
        lambda code: re.sub(r"[^\n]", " ", code.group()),
        "\n".join(lines),
    )


def places(text: str) -> set[str]:
    """What can be cited of a document: its numbered headings, rows of tables that number them, numbered items."""
    found: set[str] = set()
    section, numbered, in_table = "", False, False
    for line in without_code(text).split("\n"):
        row = ROW.match(line)
        if heading := HEADING.match(line):
            if number := HEADING_NUMBER.match(heading.group(1)):
                section = number.group(1)
                found.add(section)
        elif row and not in_table:
            numbered = row.group(1).strip("*` ").lower() in NUMBERED_COLUMN
        elif row:
            first = row.group(1).strip("*` ")
            if first.startswith(f"{section}.") and SECTION.fullmatch(first):
                found.add(first)
            elif numbered and first.isdecimal():
                found.add(f"{section}.{first}")
        elif item := ITEM.match(line):
            found.add(f"{section}.{item.group(1)}")
        in_table = bool(row)
    return found


def anchors(text: str) -> set[str]:
    """What can stand behind the # of a link, as the usual pages for repositories make it of headings."""
    found: set[str] = set()
    for shown, line in zip(without_code(text).split("\n"), text.split("\n")):
        if HEADING.match(shown) and (heading := HEADING.match(line)):
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.group(1))
            name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            count = 0
            while (unique := f"{name}-{count}" if count else name) in found:
                count += 1
            found.add(unique)
        found.update(ANCHOR.findall(shown))
    return found


class Repository:
    """The files under version control, and what of them can be cited."""

    def __init__(self, directory: Path) -> None:
        command = ["git", "-C", str(directory), "ls-files", "-z"]
        listed = subprocess.run(command, check=True, capture_output=True).stdout
        self.directory = directory
        self.paths = sorted(filter(None, listed.decode().split("\0")))
        self.pages = {posixpath.basename(path).lower() for path in self.paths}
        self.known = {str(above) for path in self.paths for above in Path(path).parents}
        self.known.update(self.paths)
        self.claims = set(CLAIM_ROW.findall(self.text(CLAIMS) or ""))
        families = "|".join(sorted({family for family, _ in self.claims})) or "(?!)"
        self.claim = re.compile(rf"(?<![\w$#%-])({families})(\d{{1,3}})\b")

    @cache
    def text(self, path: str) -> Optional[str]:
        """None of what is no text, or not there."""
        file = self.directory / path
        if file.is_symlink() or not file.is_file():
            return None
        try:
            return file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return None

    @cache
    def places(self, document: str) -> Optional[set[str]]:
        text = self.text(f"{REFERENCE}/{document}")
        return None if text is None else places(text)

    @cache
    def anchors(self, path: str) -> set[str]:
        return anchors(self.text(path) or "")

    def _wrong(self, path: str, text: str) -> Iterator[tuple[int, str]]:
        for document, place, offset in citations(text):
            file, found = f"{REFERENCE}/{document}", self.places(document)
            if found is None and document not in self.pages:
                yield offset, f"cites {document} {place}: there is no {file}"
            elif found is not None and place not in found:
                yield offset, f"cites {document} {place}: {file} has no section {place}"
        for claim in self.claim.finditer(text):
            if claim.groups() not in self.claims:
                yield claim.start(), f"cites {claim.group()}: {CLAIMS} has no such claim"
        if path.endswith(".md"):
            shown = without_code(text)
            for pattern in (LINK, LINK_BELOW):
                for link in pattern.finditer(shown):
                    if wrong := self._broken(path, link.group(1)):
                        yield link.start(1), f"links to {link.group(1)}: {wrong}"

    def _broken(self, path: str, link: str) -> str:
        if ELSEWHERE.match(link):
            return ""
        file, _, anchor = unquote(link).partition("#")
        above = posixpath.dirname(path)
        target = posixpath.normpath(posixpath.join(above, file)) if file else path
        if target not in self.known:
            return f"{target} is not under version control"
        if anchor and target.endswith(".md") and anchor not in self.anchors(target):
            return f"no heading of {target} makes the anchor {anchor}"
        return ""

    def findings(self) -> Iterator[str]:
        """By file and line. That there are no claims is one, because then no id was looked up."""
        if not self.claims:
            yield f"{CLAIMS}:1: there is no table of claims"
        for path in self.paths:
            text = self.text(path) or ""
            for offset, message in sorted(self._wrong(path, text)):
                line = text.count("\n", 0, offset) + 1
                yield f"{path}:{line}: {message}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path(__file__).resolve().parents[1],
        help="of the repository (default: this one)",
    )
    try:
        found = list(Repository(parser.parse_args().directory).findings())
    except subprocess.CalledProcessError as failed:
        parser.error(f"cannot list the files: {failed.stderr.decode().strip()}")
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
