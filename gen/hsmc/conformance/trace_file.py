# SPDX-License-Identifier: MIT
"""Traces of board runs: the file format of docs/conformance.md, read line by line.

A file is a sequence of runs, one for each start of the firmware. Whatever does not fit the format is a TraceError with
its line; a file that ends early is read as far as it goes and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, NamedTuple, Optional

FIRST_LINE = "hsmc-trace 1"


class TraceError(Exception):
    """What is wrong with a file, with its line."""

    def __init__(self, path: Path, line: int, text: str) -> None:
        super().__init__(f"{path}:{line}: {text}")


class Item(NamedTuple):
    """One line of a run. `kind` and what `numbers` then are:

    row        time, transition, argument
    gap        records lost
    event      arguments, payloads field by field; `name` is Process.event
    expiry     timer, instance
    device     arguments; `name` is the device's
    verdict    enum hsm_verdict
    return     nothing: start or expiry has come back
    parameter  value; `name` is the parameter's
    """

    kind: str
    line: int
    name: str
    numbers: tuple[int, ...]


# Whether a name follows, and how many numbers; None: any.
FORMS: dict[str, tuple[bool, Optional[int]]] = {
    "row": (False, 3),
    "gap": (False, 1),
    "event": (True, None),
    "expiry": (False, 2),
    "device": (True, None),
    "verdict": (False, 1),
    "return": (False, 0),
    "parameter": (True, 1),
}


@dataclass
class Run:
    """From one start of the firmware to the next, or to the end of the file."""

    line: int
    observed: bool  # events and devices are recorded too
    begins_midway: bool  # begins with a firmware that runs already
    protocol: str = ""
    hash: int = 0
    placement: str = ""  # "": one processor runs all
    parameters: dict[str, int] = field(default_factory=dict)  # at the start
    items: list[Item] = field(default_factory=list)
    idle: bool = (
        False  # the end lies between two events, and `state` is that of the end
    )
    state: dict[str, int] = field(default_factory=dict)  # what is not 0
    unknown: set[str] = field(default_factory=set)  # what the image does not keep


@dataclass
class Trace:
    path: Path
    runs: list[Run]
    complete: bool  # the recorder has closed it


def read_trace(path: Path) -> Trace:
    """Raises TraceError, or OSError where the file cannot be read."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        return parse_trace(path, stream)


def parse_trace(path: Path, lines: Iterable[str]) -> Trace:
    runs: list[Run] = []
    trace = Trace(path, runs, False)
    number = 0
    for number, line in enumerate(lines, start=1):
        if number == 1:
            if line.strip() != FIRST_LINE:
                raise TraceError(path, 1, f"a trace begins with '{FIRST_LINE}'")
            continue
        if trace.complete:
            raise TraceError(path, number, "there is something behind 'end'")
        if not line.endswith("\n"):
            break  # cut in the middle of a line
        words = line.split()
        if not words:
            continue
        try:
            _take(trace, words, number)
        except (ValueError, IndexError):
            text = line.strip()[:60]
            raise TraceError(path, number, f"'{text}' is no line of a trace") from None
    if number == 0:
        raise TraceError(path, 1, f"a trace begins with '{FIRST_LINE}'")
    return trace


def _take(trace: Trace, words: list[str], line: int) -> None:
    """ValueError or IndexError where the line makes no sense."""
    kind, runs = words[0], trace.runs
    if kind == "row" and runs:  # most lines are
        _, time, transition, argument = words
        numbers = (int(time), int(transition), int(argument))
        if min(numbers) < 0 or numbers[0] >> 32:
            raise ValueError
        runs[-1].items.append(Item("row", line, "", numbers))
    elif kind == "start":
        if words[1] not in ("events", "transitions"):
            raise ValueError
        begins_midway = words[2:] == ["amid"]
        if len(words) > 2 and not begins_midway:
            raise ValueError
        runs.append(Run(line, words[1] == "events", begins_midway))
    elif kind == "end":
        trace.complete = True
    elif kind == "board":
        int(words[1])
    else:
        _take_of_run(runs[-1], words, line)


def _take_of_run(run: Run, words: list[str], line: int) -> None:
    kind = words[0]
    if kind == "protocol":
        run.protocol, run.hash = words[1], int(words[2], 16)
    elif kind == "placement":
        run.placement = words[1]
    elif kind == "idle":
        run.idle = True
    elif kind == "state":
        _, name, text = words
        run.state[name] = int(text, 0)
    elif kind == "unknown":
        run.unknown.add(words[1])
    else:
        named, count = FORMS[kind] if kind in FORMS else _raise()
        name = words[1] if named else ""
        numbers = tuple(int(word) for word in words[2 if named else 1 :])
        if min(numbers, default=0) < 0 or (count is not None and len(numbers) != count):
            raise ValueError
        if kind == "parameter" and not run.items and name not in run.parameters:
            run.parameters[name] = numbers[0]
        else:
            run.items.append(Item(kind, line, name, numbers))


def _raise() -> tuple[bool, Optional[int]]:
    raise ValueError
