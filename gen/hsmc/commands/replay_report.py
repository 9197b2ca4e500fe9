# SPDX-License-Identifier: MIT
"""`hsmc replay`: a trail on the reference interpreter and on the generated C, side by side."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Optional

from ..failure import Failure, choose
from .command_line import fail, print_json
from ..interpreter.interpreter import Program
from ..frontend.profiles import UnknownProfile
from ..report import SpecError
from ..verification import diagram, native, trail_text
from ..verification.subject import Subject
from ..verification.trail import Trail, from_json, read_trail


def load(path: Path, options: argparse.Namespace) -> tuple[Subject, Program, Trail]:
    content = read_trail(path)
    spec: Path = options.spec or Path(str(content.get("spec")))
    if not spec.is_file():
        raise Failure(f"{path} is of {spec}, which is not there; --spec names the file")
    try:
        subject = Subject(
            spec, options.output, content.get("profile"), content.get("placement")
        )
    except UnknownProfile as error:
        raise Failure(str(error)) from None
    except SpecError as error:
        fail(error.diagnostics, options.json)
    if subject.name != content.get("protocol"):
        raise Failure(
            f"{path} is of protocol {content.get('protocol')}, {spec} of {subject.name}"
        )
    check = str(content.get("check"))
    choose("check configuration", check, [c.name for c in subject.protocol.checks])
    program = Program(subject.checked(check))
    return subject, program, from_json(content, program, path)


def outcome(
    trail: Trail, replayed: list[trail_text.ReplayedStep], done: native.Replay
) -> list[str]:
    """What the two executions came to; empty when both do as the model did."""
    problems = []
    different = [(each.number, each.difference) for each in replayed if each.difference]
    if different:
        problems.append(f"interpreter, step {different[0][0]}: {different[0][1]}")
    for number, text in enumerate(native.differences(trail, done), 1):
        if text:
            problems.append(f"generated C, step {number}: {text}")
            break
    if problems:
        return problems
    if done.ended and not done.violated:
        return [f"the generated C ended by itself:\n{done.ended}"]
    if trail.loop is None:
        return missing_violation(trail, done)
    if done.violated:
        return [f"the generated C violates something else: {done.violated}"]
    if trail.loop < len(trail.steps) and not done.closes:
        return ["the generated C is not in the state in which the cycle began"]
    return []


def missing_violation(trail: Trail, done: native.Replay) -> list[str]:
    if trail.violated in ("no_deadlock",):
        return []
    if trail.violated in done.violated or (
        done.violated and done.violated == trail.failure
    ):
        return []
    if done.violated:
        return [f"the generated C violates something else: {done.violated}"]
    return [
        f"all steps are as they were, but {trail.violated} is not violated any more"
    ]


def command(options: argparse.Namespace) -> int:
    if shutil.which("gcc") is None:
        raise Failure("gcc is not installed: scripts/setup.sh demo")
    if options.turns < 2:
        raise Failure(f"--turns {options.turns}: a cycle shows from its second turn on")
    subject, program, trail = load(options.trail, options)
    if options.boards:
        from . import boards_report

        return boards_report.command(options, subject, trail)
    replayed = trail_text.TrailReplay(program, trail).steps()
    done = native.run(program, subject, trail)
    problems = outcome(trail, replayed, done)
    changed = trail.hash != subject.protocol.hash
    reached = f"{len(replayed)} steps" if len(replayed) != 1 else "1 step"
    if options.json:
        print_json(
            {
                "trail": str(options.trail),
                "property": trail.violated,
                "spec_changed": changed,
                "steps": [record(each, i, done) for i, each in enumerate(replayed)],
                "violated": done.violated or None,
                "cycle": done.closes,
                "problems": problems,
            }
        )
        return int(bool(problems))
    if changed:
        print(f"{subject.spec} has changed since the trail was found")
    print(trail_text.text(trail, shown(replayed, problems)), end="")
    if options.diagram:
        print()
        print(diagram.text(trail, diagram.rows(trail, replayed)), end="")
    print()
    if problems:
        print(*(f"not as found: {problem}" for problem in problems), sep="\n")
        return 1
    taken = sum(len(each.transitions) for each in replayed)
    print(f"interpreter: {reached}, the same {taken} transitions")
    print(
        f"generated C: {reached}, the same {taken} transitions; {ending(trail, done)}"
    )
    return 0


def ending(trail: Trail, done: native.Replay) -> str:
    if trail.loop is None:
        return f"violates {trail.violated}" if done.violated else "ends as found"
    if done.closes:
        return f"after the last it is where it was before step {trail.loop + 1}"
    return "nothing more happens"


def shown(
    replayed: list[trail_text.ReplayedStep], problems: list[str]
) -> list[trail_text.ReplayedStep]:
    """Up to the first difference: what follows it means nothing."""
    end: Optional[int] = None
    for problem in problems:
        words = problem.partition("step ")[2].partition(":")[0]
        if words.isdigit():
            end = min(end or int(words), int(words))
    return replayed[:end] if end else replayed


def record(
    replayed: trail_text.ReplayedStep, index: int, done: native.Replay
) -> dict[str, object]:
    mine = done.steps[index] if index < len(done.steps) else None
    return {
        "step": replayed.number,
        "what": replayed.heading,
        "interpreter": replayed.transitions,
        "c": [name for name, _ in mine.rows] if mine is not None else None,
    }
