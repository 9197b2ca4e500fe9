# SPDX-License-Identifier: MIT
"""A trail on the generated C without SPIN: the same C, the same devices, the world's variables as the trail has them.

The devices evaluate the properties themselves; what the world asserts outside them is evaluated by the same text.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from ..backends import backend_c, backend_world
from ..failure import Failure
from ..testing.differential import HarnessWriter
from ..interpreter.interpreter import Program
from .narration import Step, flat_names
from .search import CHECKED, Limits, defines, tool
from .subject import INTERNAL, Subject
from .trail import Trail

NUMBERS = re.compile(r"\b(0x)?\d+u?\b")
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
ASSERTED = re.compile(r"assertion violated \((.*)\)$")


@dataclass
class Done:
    """What the C did at one step."""

    rows: list[tuple[str, int]] = field(default_factory=list)
    put: list[tuple[str, str]] = field(default_factory=list)
    verdict: Optional[int] = None
    after: list[int] = field(default_factory=list)
    violated: str = ""
    same: Optional[bool] = None


@dataclass
class Replay:
    steps: list[Done]  # as many as the trail has, or up to the violation
    violated: str  # message, or ""
    closes: Optional[
        bool
    ]  # is the state at the end of the cycle that of its beginning?
    ended: str = ""  # what the program said when it ended by itself


def assertion(trail: Trail, properties: list[str]) -> str:
    """What was asserted of the last event's answer when the trail ended, as C; "" where devices asserted something."""
    found = ASSERTED.search(trail.failure)
    if found is None:
        return ""
    names = set(NAME.findall(NUMBERS.sub("", found[1])))
    return found[1] if names <= {*properties, "hsm_verdict", "hsm_answer"} else ""


def declaration(name: str, count: int, kind: str) -> str:
    """
    >>> declaration("armed", 2, "uchar"), declaration("good", 0, "unsigned : 1")
    ('uchar armed[2]', 'unsigned good : 1')
    """
    base, colon, bits = kind.partition(" : ")
    size = f"[{count}]" if count else ""
    return f"{base} {name}{size}{colon}{bits}"


def harness_text(program: Program, trail: Trail) -> str:
    writer = HarnessWriter(program)
    protocol = program.protocol
    environment = backend_c.environment(writer.writer)
    properties = [p.name for p in protocol.properties if p.kind == "safety"]
    properties += [name for name in INTERNAL if name != "no_deadlock"]
    places = flat_names(trail.variables)
    context: dict[str, Any] = {
        "protocol": protocol,
        "prefix": writer.names.prefix,
        "properties": properties,
        "nodes": max(len(trail.parameters), 1),
        "variables": trail.variables,
        "places": [(place, "") for place in places],
        "declaration": declaration,
        "entries": program.entries,
        "reading": writer.reading,
        "passing": writer.passing,
        "assertion": assertion(trail, properties),
        "message": trail.failure,
        "compares": backend_world.WorldBackend(protocol, False).compares,
    }
    return environment.get_template("verification/replay.c.j2").render(context)


def build(program: Program, subject: Subject, trail: Trail) -> Path:
    """Compiles the program that replays; the sanitizers watch."""
    directory = subject.directory / trail.check / "replay"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "replay.c").write_text(harness_text(program, trail))
    include = [f"-I{path}" for path in subject.generated(trail.check, trail.kind)]
    search = subject.search(trail.check, "c", trail.kind)
    options = [o for o in defines(search, subject, Limits()) if o != "-DENGINE_C"]
    flags = ["-std=gnu11", "-w", "-g", "-O1", "-fwrapv", "-fsanitize=address,undefined"]
    command = ["gcc", *flags, *CHECKED, *include, *options, "-o", "replay", "replay.c"]
    tool(command, directory, "cc.log", f"{directory / 'replay.c'}")
    return directory / "replay"


def script(program: Program, trail: Trail) -> list[str]:
    lines = [f"I {node}" for node in range(len(trail.parameters))]
    timers = {timer.name: timer.index for timer in program.protocol.timers}
    for number, step in enumerate(trail.steps):
        if number == trail.loop:
            lines.append("M")
        if step.world:
            lines.append("W " + " ".join(map(str, step.world)))
        if step.do == "event":
            entry = program.entry_by_name[step.event]
            values = [step.node, entry.number]
            values += [step.reference] if entry.takes_reference else []
            lines += ["U"] if step.unchanged else []
            lines.append("E " + " ".join(map(str, [*values, *step.values])))
            lines += ["C"] if step.unchanged else []
        elif step.do == "restart":
            lines.append(f"R {step.node}")
        elif step.do == "expire":
            lines.append(f"T {step.node} {timers[step.timer]} {step.reference}")
    lines.append("L" if trail.loop is not None else "A")
    return lines


def run(program: Program, subject: Subject, trail: Trail) -> Replay:
    executable = build(program, subject, trail)
    result = subprocess.run(
        [str(executable.resolve())],
        input="\n".join(script(program, trail)) + "\n",
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=60,
    )
    answers = parse(result.stdout, program)
    if len(answers) < len(trail.parameters):
        raise Failure(f"{executable} did not begin:\n{result.stderr[:2000]}", 1)
    initial = len(trail.parameters)
    rest = answers[initial:]
    violated = next((done.violated for _, done in answers if done.violated), "")
    steps: list[Done] = []
    closes = None
    for step in trail.steps:
        if not moves(step):
            steps.append(Done())
            continue
        while rest and rest[0][0] in ("M", "U", "C"):
            rest.pop(0)
        if not rest:
            break
        steps.append(rest.pop(0)[1])
    for kind, done in rest:
        closes = done.same if kind == "L" else closes
    return Replay(steps, violated, closes, result.stderr[:2000])


def moves(step: Step) -> bool:
    """Does the C see it?"""
    return step.do in ("event", "expire", "restart")


def parse(output: str, program: Program) -> list[tuple[str, Done]]:
    """Each command, and what it answered."""
    answers: list[tuple[str, Done]] = []
    for line in output.splitlines():
        if line.startswith("= "):
            answers.append((line[2:], Done()))
        elif line.startswith("@ ") and answers:
            done = answers[-1][1]
            word, _, rest = line[2:].partition(" ")
            if word == "row":
                number, instance = map(int, rest.split())
                done.rows.append((program.rows[number].id, instance))
            elif word in ("put", "full"):
                done.put.append((word, rest))
            elif word == "done":
                done.verdict = int(rest)
            elif word == "world":
                done.after = list(map(int, rest.split()))
            elif word == "violated":
                done.violated = rest
            elif word == "same":
                done.same = rest == "1"
    return answers


def listed(put: list[tuple[str, str]]) -> str:
    """
    >>> listed([]), listed([("put", "ACK bit=0"), ("full", "ACK bit=1")])
    ('nothing', 'ACK bit=0, ACK bit=1 (no room)')
    """
    texts = [frame + " (no room)" * (how == "full") for how, frame in put]
    return ", ".join(texts) or "nothing"


def differences(trail: Trail, replay: Replay) -> list[str]:
    """By step, "" where the C did as the model."""
    result = []
    for step, done in zip(trail.steps, replay.steps):
        text = ""
        whole = step.verdict is not None and not done.violated
        rows = done.rows if whole else done.rows[: len(step.rows)]
        if moves(step) and step.rows != rows:
            taken = ", ".join(name for name, _ in done.rows) or "no transition"
            text = f"the C takes {taken}; the model took {', '.join(n for n, _ in step.rows) or 'none'}"
        elif moves(step) and whole and step.put != done.put:
            text = f"the C puts {listed(done.put)} on the wire; the model put {listed(step.put)}"
        elif step.do == "event" and whole and step.verdict != done.verdict:
            text = f"the C's verdict is {done.verdict}, the model's {step.verdict}"
        elif whole and step.after and done.after and step.after != done.after:
            names = flat_names(trail.variables)
            text = "; ".join(
                f"the C leaves {name} {mine}, the model {theirs}"
                for name, mine, theirs in zip(names, done.after, step.after)
                if mine != theirs
            )
        result.append(text)
    return result
