# SPDX-License-Identifier: MIT
"""Firmware made of the spec of a trail, on two simulated boards: building it, telling the boards what to do, reading what
they did. What is said to them and what they answer is described in host/replay/board_replay.c.
"""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from ..failure import Failure
from .boards_plan import Fields, Row
from ..verification.search import execute
from ..verification.subject import TOP, shown

SECONDS = 300.0  # for the boards, who need one or two
# A make that runs this one must not tell it anything.
MAKE = ["env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "MFLAGS", "make", "-s"]


@dataclass
class Frame:
    """One that a board offered to the wire."""

    side: int
    fields: Fields
    digest: str  # of all its bytes

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.side, *self.fields.values())


@dataclass
class Observation:
    """A line of what happened, in order; which fields mean something depends on `kind`."""

    kind: str  # put, memory, torn, done
    side: int
    frame: Optional[Frame] = None
    receive: int = 0  # number of the posted receive; of done: of the request
    send: int = 0
    frames: int = 0  # bits
    what: str = ""  # of done: send or receive
    result: int = 0
    length: int = 0


@dataclass
class Answer:
    command: str
    rows: list[list[Row]] = field(default_factory=lambda: [[], []])  # by side
    observations: list[Observation] = field(default_factory=list)
    failed: str = ""

    @property
    def frames(self) -> list[Frame]:
        return [each.frame for each in self.observations if each.frame is not None]


@dataclass
class Done:
    answers: list[Answer]
    ended_ns: int
    error: str  # what the simulator said, "" when all went well
    image: Path
    script: Path
    traces: list[Path]


def build(
    directory: Path, spec: Path, profile: Optional[str], settings: dict[str, int]
) -> tuple[Path, Path]:
    """Image and program, below `directory`/build; everything else is the tree's."""
    if not (TOP / "Makefile").is_file():
        raise Failure(f"boards need the project's tree; there is no {TOP}/Makefile")
    directory.mkdir(parents=True, exist_ok=True)
    output = directory / "build"
    image, program = output / "firmware/emp_a.elf", output / "host/emp_replay"
    simulator = ["build/obj/sim/libtigon.a", "build/tigonsim"]
    options = [f"--set {name}={value}" for name, value in settings.items()]
    options += [f"--profile {shlex.quote(profile)}"] if profile else []
    variables = {
        "BUILD": str(output),
        "SPEC_emp": str(spec.resolve()),
        "OPTIONS_emp": " ".join(options),
        "PYTHONPYCACHEPREFIX": str(TOP / "build/pycache"),
        "VARIANT_CFLAGS": "-O1 -fno-lto",  # nothing is linked as one
        # A spec under work may well leave a function without use.
        "FW_EXTRA": "-Wno-error",
    }
    own = [f"{name}={value}" for name, value in variables.items()]
    for arguments in (simulator, [*own, str(image), str(program)]):
        if (status := make(arguments, directory)) != 0:
            raise Failure(
                f"the firmware of {spec} cannot be built (make ended with {status}), see {shown(directory / 'make.log')}:\n"
                + "\n".join((directory / "make.log").read_text().splitlines()[-8:])
                + "\nscripts/setup.sh demo installs what is needed",
                1,
            )
    return image, program


def make(arguments: list[str], directory: Path) -> int:
    status, _ = execute([*MAKE, "-C", str(TOP), *arguments], directory, "make.log")
    return status


def run(image: Path, program: Path, script: list[str], directory: Path) -> Done:
    """The commands, kept in boards.commands, so that they can be given by hand too."""
    commands = directory / "boards.commands"
    commands.write_text("\n".join(script) + "\n")
    prefix = directory / "boards"
    with commands.open() as stream:
        result = subprocess.run(
            [str(program), str(image), f"--trace={prefix}"],
            stdin=stream,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SECONDS,
        )
    (directory / "boards.log").write_text(result.stdout + result.stderr)
    answers, ended = parse(result.stdout)
    error = ""
    if result.returncode != 0 or ended < 0:
        error = result.stderr.strip() or f"{program} ended with {result.returncode}"
    traces = [Path(f"{prefix}.{side}.trace") for side in (0, 1)]
    return Done(answers, max(ended, 0), error, image, commands, traces)


def parse(output: str) -> tuple[list[Answer], int]:
    """
    >>> answers, end = parse("= post 0 send 7 1\\nput 0 kind=1 digest=0x2\\nrow 0 1 1\\ndone 0 send 0 0 1\\nend 5\\n")
    >>> answers[0].command, answers[0].rows, answers[0].frames[0].fields, answers[0].observations[1].what, end
    ('post 0 send 7 1', [[(1, 1)], []], {'kind': 1}, 'send', 5)
    """
    answers: list[Answer] = []
    end = -1
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word == "=":
            answers.append(Answer(rest))
        elif word == "end":
            end = int(rest)
        elif answers:
            _take(answers[-1], word, rest)
    return answers, end


def _take(answer: Answer, word: str, rest: str) -> None:
    if word == "failed":
        answer.failed = answer.failed or rest
        return
    words = rest.split()
    side = int(words[0])
    if word == "row":
        answer.rows[side].append((int(words[1]), int(words[2])))
    elif word == "put":
        pairs = dict(each.split("=") for each in words[1:])
        digest = pairs.pop("digest")
        frame = Frame(side, {n: int(v, 0) for n, v in pairs.items()}, digest)
        answer.observations.append(Observation("put", side, frame))
    elif word == "memory":
        receive, send, bits = (int(each, 0) for each in words[1:])
        answer.observations.append(
            Observation("memory", side, receive=receive, send=send, frames=bits)
        )
    elif word == "torn":
        receive, bits = (int(each, 0) for each in words[1:])
        answer.observations.append(
            Observation("torn", side, receive=receive, frames=bits)
        )
    elif word == "done":
        number, result, length = map(int, words[2:])
        answer.observations.append(
            Observation(
                "done",
                side,
                receive=number,
                what=words[1],
                result=result,
                length=length,
            )
        )
