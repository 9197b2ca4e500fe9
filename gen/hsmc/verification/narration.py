# SPDX-License-Identifier: MIT
"""What a verifier prints while it executes a trail (`pan -r`, compiled with HSM_TRACE).

Lines that begin with @; the generated Promela, the world and the devices print them (templates/promela, models/):

    @ initialise NODE PARAMETER ...          a node begins, with these parameters; or begins again, it has restarted
    @ set NODE NAME VALUE                    the host sets a live parameter
    @ unchanged PROPERTY                     the next event must change nothing but the wire
    @ event NODE ENTRY REFERENCE VALUE ...   an external event, by the number of its entry point
    @ expire NODE TIMER INSTANCE             a timer runs out
    @ row NUMBER INSTANCE                    a transition is taken
    @ put FRAME, @ full FRAME                a device puts a frame on the wire, or finds no room there
    @ take FRAME                             the frame that the next event brings
    @ lose FRAME                             the wire loses a frame
    @ good                                   from here on nothing is lost
    @ done VERDICT                           the end of an event
    @ world VALUE ...                        the world's variables; before and after each event

A FRAME is free text which is the same for the same frame: `DATA bit=0 item=10`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Optional, Sequence

from .. import ir
from ..interpreter.interpreter import Program, Value

STEP = re.compile(r"^\s*(\d+):\tproc\s+\d+ \((\w+)\) (\S+) ")
CYCLE = "<<<<<START OF CYCLE>>>>>"
FAILURE = re.compile(r"^pan(?::\d+)?: (.*?)(?: \(at depth \d+\))?$")
# A global of the world within pan.h's struct State.
GLOBAL = re.compile(
    r"^\t(unsigned|uchar|short|int|uint|ushort) (\w+)(?:\[(\d+)\])?(?: : (\d+))?;"
)
Variable = tuple[
    str, int, str
]  # name, elements or 0, type in C: "uchar", "unsigned : 1"


@dataclass
class Step:
    """One thing that happens. The fields that mean nothing for its kind stay empty."""

    do: str  # event, expire, restart, set, lose, good
    node: int = -1
    event: str = ""  # Process.event; the parameter that is set
    timer: str = ""
    reference: int = 0  # of the event's record; a timer's instance
    # Flat, as the arguments stand; the parameters of a node that restarts; what a parameter is set to.
    values: list[int] = field(default_factory=list)
    unchanged: str = ""  # the property that says that the event changes nothing
    frame: str = ""  # what an event brings, what is lost
    rows: list[tuple[str, int]] = field(default_factory=list)  # id, instance
    put: list[tuple[str, str]] = field(default_factory=list)  # put or full, frame
    verdict: Optional[int] = None  # None: the step did not come to its end
    world: list[int] = field(default_factory=list)  # before
    after: list[int] = field(default_factory=list)


@dataclass
class Narration:
    """A whole trail as told."""

    parameters: list[list[int]] = field(default_factory=list)  # by node
    steps: list[Step] = field(default_factory=list)
    loop: Optional[int] = None  # index of the step at which the cycle begins
    failure: str = ""
    moves: int = 0  # of the world, as SPIN counts them


def globals_of(pan_header: str) -> list[Variable]:
    """The world's variables in pan.h."""
    state = pan_header.split("typedef struct State {", 1)[1].split("} State;", 1)[0]
    result = []
    for line in state.splitlines():
        found = GLOBAL.match(line)
        if found and not found[2].startswith("_"):
            kind = f"{found[1]} : {found[4]}" if found[4] else found[1]
            result.append((found[2], int(found[3] or 0), kind))
    return result


def world_header(variables: Sequence[Variable]) -> str:
    """hsm_world.h: prints those variables when a trail is executed."""
    lines = [
        "extern int readtrail;",
        "static void hsm_tell_world(void) {",
        "\tif (!readtrail)",
        "\t\treturn;",
        '\tprintf("@ world");',
    ]
    for place in flat_names(variables):
        lines.append(f'\tprintf(" %d", (int)now.{place});')
    return "\n".join([*lines, '\tprintf("\\n");', "}"]) + "\n"


def flat_names(variables: Sequence[Variable]) -> list[str]:
    """
    >>> flat_names([("good", 0, "uchar"), ("armed", 2, "uchar")])
    ['good', 'armed[0]', 'armed[1]']
    """
    return [
        place
        for name, count, _ in variables
        for place in ([f"{name}[{i}]" for i in range(count)] if count else [name])
    ]


class NarrationReader:
    """Makes steps of lines."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.narration = Narration()
        self.arrived_frame = ""
        self.unchanged = ""
        self.current: Optional[Step] = None

    def read(self, output: str) -> Narration:
        for line in output.splitlines():
            if line.startswith("@ "):
                words = line[2:].split()
                getattr(self, f"_{words[0]}", self._unknown)(words[1:])
            elif line.startswith(CYCLE):
                self.narration.loop = len(self.narration.steps)
            elif STEP.match(line):
                self.narration.moves += 1
                self.current, self.arrived_frame, self.unchanged = None, "", ""
            else:
                failure = FAILURE.match(line)
                if failure and not self.narration.failure:
                    self.narration.failure = failure[1]
        return self.narration

    def _add(self, step: Step) -> Step:
        self.narration.steps.append(step)
        self.current = step
        return step

    def _unknown(self, words: list[str]) -> None:
        pass

    def _initialise(self, words: list[str]) -> None:
        node, *values = map(int, words)
        kinds = [p.type for p in self.program.protocol.parameters]
        parameters = self._unsigned(values, kinds)
        if node < len(self.narration.parameters):
            self._add(Step("restart", node, values=parameters))
        else:
            self.narration.parameters.append(parameters)  # they begin in order

    def _set(self, words: list[str]) -> None:
        node, name, value = words
        kinds = [p.type for p in self.program.protocol.parameters if p.name == name]
        self._add(
            Step("set", int(node), name, values=self._unsigned([int(value)], kinds))
        )

    def _unsigned(self, values: Sequence[int], kinds: Sequence[ir.Type]) -> list[int]:
        """Promela's numbers are signed."""
        bits = [self.program.number_of_bits(kind) for kind in kinds]
        return [v & ((1 << n) - 1) for v, n in zip(values, bits, strict=True)]

    def _unchanged(self, words: list[str]) -> None:
        self.unchanged = words[0]

    def _event(self, words: list[str]) -> None:
        node, number, reference, *values = map(int, words)
        entry = self.program.entries[number]
        unsigned = self._unsigned(values, flat_types(self.program, entry.event))
        frame, self.arrived_frame = self.arrived_frame, ""
        step = Step("event", node, entry.name, "", reference, unsigned, frame=frame)
        step.unchanged, self.unchanged = self.unchanged, ""
        self._add(step)

    def _expire(self, words: list[str]) -> None:
        node, timer, instance = map(int, words)
        name = self.program.protocol.timers[timer].name
        self._add(Step("expire", node, timer=name, reference=instance))

    def _row(self, words: list[str]) -> None:
        if self.current is not None:
            row = self.program.rows[int(words[0])]
            self.current.rows.append((row.id, int(words[1])))

    def _put(self, words: list[str], how: str = "put") -> None:
        if self.current is not None:
            self.current.put.append((how, " ".join(words)))

    def _full(self, words: list[str]) -> None:
        self._put(words, "full")

    def _take(self, words: list[str]) -> None:
        self.arrived_frame = " ".join(words)

    def _lose(self, words: list[str]) -> None:
        self._add(Step("lose", frame=" ".join(words)))

    def _good(self, words: list[str]) -> None:
        self._add(Step("good"))

    def _done(self, words: list[str]) -> None:
        if self.current is not None:
            self.current.verdict = int(words[0])

    def _world(self, words: list[str]) -> None:
        if self.current is None:
            return
        numbers = list(map(int, words))
        if self.current.verdict is None:
            self.current.world = numbers
        else:
            self.current.after = numbers


def flat_types(program: Program, event: ir.Event) -> list[ir.Type]:
    """Of all numbers an event carries."""
    result: list[ir.Type] = []
    for argument in event.arguments:
        if isinstance(argument.type, ir.PayloadType):
            fields = program.protocol.payload(argument.type.name).fields
            result += [field.type for field in fields]
        else:
            result.append(argument.type)
    return result


def arguments(program: Program, event: ir.Event, flat: Sequence[int]) -> list[Value]:
    """As the interpreter takes them: a payload is a tuple."""
    rest = list(flat)
    result: list[Value] = []
    for argument in event.arguments:
        width = program.writer.width(argument.type)
        own, rest = rest[:width], rest[width:]
        payload = isinstance(argument.type, ir.PayloadType)
        result.append(tuple(own) if payload else own[0])
    return result
