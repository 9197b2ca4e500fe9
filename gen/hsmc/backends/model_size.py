# SPDX-License-Identifier: MIT
"""Does SPIN take a generated model? How long and how deep its steps become is known before SPIN runs, from the text.

SPIN writes an inline out wherever it is called. A process that raises another's event in each of four rows has four copies
of that handler, each of which has four of the next one: a chain of seven has 16 384. SPIN takes 2048 statements in a step and
inlines 16 deep; it looks for minutes before it says so, and of what it has written itself. The generated C has no such
limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Mapping, Optional, Sequence

from .. import ir
from ..c_names import CNames
from ..report import Diagnostic
from ..source import SourceFile, Span

STATEMENTS = (
    2048  # dstep.c of SPIN 6.5: labels in one d_step, of which each statement has one
)
DEPTH = 16  # spinlex.c: inlines within inlines

# What spin says of a model it has no room for.
SPIN_LIMITS = (
    "d_step sequence too long",
    "inline text too long",
    "inlines nested too deeply",
)

INLINE = re.compile(r"^inline (\w+)\([^)]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
C_TEXT = re.compile(r"\bc_(?:code|expr)\s*\{")
STEP = re.compile(r"\bd_step \{")
PLAIN = ("/*", "#", "fi", "od", "}")


@dataclass(frozen=True)
class Size:
    statements: int
    depth: int


@dataclass(frozen=True)
class TooLarge:
    place: ir.Place
    message: str


def without_c(text: str) -> str:
    """C within Promela is one statement, and calls no inline.

    >>> without_c("c_code { f(&(struct s){ 1 }); }; x = 1")
    'skip; x = 1'
    """
    parts: list[str] = []
    while found := C_TEXT.search(text):
        end = closing(text, found.end())
        parts += [text[: found.start()], "skip"]
        text = text[end:]
    return "".join([*parts, text])


def closing(text: str, start: int) -> int:
    """The position behind the brace that closes the one before `start`."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)


class Sizes:
    """Of what inlines become. `text`: of model and world together."""

    def __init__(self, text: str) -> None:
        # The last one stands: the generated C has entry points of the same names, which SPIN does not expand.
        self.bodies: dict[str, str] = {}
        for name, body in INLINE.findall(text):
            self.bodies.setdefault(name, body)
        self.calls = re.compile(
            rf"\b({'|'.join(map(re.escape, self.bodies)) or '(?!)'})\("
        )
        self.known: dict[str, Size] = {}

    def of(self, name: str) -> Size:
        """The generator makes no inline that calls itself."""
        if name not in self.known:
            self.known[name] = self.of_text(self.bodies[name], 1)
        return self.known[name]

    def of_text(self, text: str, depth: int = 0) -> Size:
        """`depth`: of the text itself."""
        statements, deepest = 0, depth
        for line in text.splitlines():
            bare = line.strip()
            if not bare or bare.startswith(PLAIN):
                continue
            if bare in ("if", "do"):
                statements += 2  # its end is another
                continue
            if bare.startswith("::"):
                statements += 1  # the guard
                bare = bare.partition("->")[2]
            for part in filter(None, (each.strip() for each in bare.split(";"))):
                statements += 1
                for name in self.calls.findall(part):
                    inner = self.of(name)
                    statements += inner.statements
                    deepest = max(deepest, depth + inner.depth)
        return Size(statements, deepest)


def steps(world: str) -> Iterator[str]:
    for found in STEP.finditer(world):
        yield world[found.end() : closing(world, found.end()) - 1]


def too_large(protocol: ir.Protocol, texts: Mapping[str, str]) -> Optional[TooLarge]:
    """The largest step for which SPIN has no room, if there is one. `texts`: NAME.pml and NAME_world.pml, with others."""
    world = next(text for name, text in texts.items() if name.endswith("_world.pml"))
    model = (text for name, text in texts.items() if name.endswith(".pml"))
    sizes = Sizes(without_c("".join(model)))
    worst, words = Size(0, 0), ""
    for text in steps(without_c(world)):
        size = sizes.of_text(text)
        large = size.statements > STATEMENTS or size.depth > DEPTH
        if large and (size.statements, size.depth) > (worst.statements, worst.depth):
            worst, words = size, text
    if not words:
        return None
    place, what = event_of(protocol, words)
    limits = []
    if worst.statements > STATEMENTS:
        limits.append(
            f"{worst.statements} statements, more than the {STATEMENTS} that SPIN takes in a step"
        )
    if worst.depth > DEPTH:
        limits.append(f"nested {worst.depth} deep, more than the {DEPTH} of SPIN")
    return TooLarge(
        place, f"with all that it raises, {what} is {', and '.join(limits)}"
    )


def event_of(protocol: ir.Protocol, step: str) -> tuple[ir.Place, str]:
    """That a step of the world brings."""
    names = CNames(protocol)
    for process in protocol.processes:
        for event in process.events:
            if f"{names.lower(process.name, event.name)}()" in step:
                return event.place, f"'{process.name}.{event.name}'"
        for timer in process.timers:
            if f"{names.prefix}_expire_{timer.name.lower()}" in step.lower():
                return timer.place, f"the timer of '{process.name}.{timer.state}'"
    return protocol.place, "the beginning"


def diagnostic(
    sources: Sequence[SourceFile], check: str, found: TooLarge
) -> Diagnostic:
    file = next(file for file in sources if file.name == found.place.file)
    start = file.line_starts[found.place.line - 1] + found.place.column - 1
    message = (
        f"in check '{check}' the Promela is too large for SPIN: {found.message}; '--engine c' searches the generated C, which "
        "has no such limit"
    )
    return Diagnostic("HSM0616", message, Span(file, start, start + found.place.length))
