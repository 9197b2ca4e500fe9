# SPDX-License-Identifier: MIT
"""What `hsmc replay --boards` prints."""

from __future__ import annotations

import argparse
from typing import Any

from ..interpreter.interpreter import Program
from ..verification import trail_text
from ..verification.subject import Subject, shown
from ..verification.trail import Trail
from ..workbench.boards import IRREPRODUCIBLE, Outcome, replay
from ..workbench.boards_plan import BINDINGS, Irreproducible
from .command_line import print_json


def command(options: argparse.Namespace, subject: Subject, trail: Trail) -> int:
    trail_replay = trail_text.TrailReplay(Program(subject.checked(trail.check)), trail)
    try:
        program, outcome = replay(subject, trail, options.turns)
    except Irreproducible as error:
        if options.json:
            print_json({"trail": str(options.trail), "not_reproducible": str(error)})
        else:
            print(*trail_text.heading(trail), sep="\n")
            print(f"\nnot reproducible on the boards: {error}")
        return IRREPRODUCIBLE
    if options.json:
        print_json(record(options, program, trail, outcome))
        return outcome.status
    print("\n".join(text(program, trail, trail_replay, outcome)))
    print("\n".join(verdict(subject, trail, outcome)))
    return outcome.status


def text(
    program: Program,
    trail: Trail,
    trail_replay: trail_text.TrailReplay,
    outcome: Outcome,
) -> list[str]:
    """The commands given to the boards and the transitions they took; a cycle is shown once."""
    lines = [*trail_text.heading(trail), ""]
    width = len(str(len(trail.steps)))
    indent = " " * (width + 4)
    for planned, answer in zip(outcome.plan.steps, outcome.answers):
        if planned.turn:
            break
        if trail.loop is not None and planned.number == trail.loop + 1:
            lines.append(f"{'':{width}}    --- the loop begins here ---")
        mark = "| " if trail.loop is not None and planned.number > trail.loop else "  "
        heading = trail_replay.replay_step(planned.step, planned.number).heading
        if planned.number in outcome.plan.early:
            heading += ": came at once, see above"
        lines.append(f"{planned.number:{width}} {mark}{heading}")
        if answer is None:
            continue
        for side, rows in enumerate(answer.rows):
            names = [program.rows[n].id for n, _ in rows if n < len(program.rows)]
            if names:
                lines.append(f"{indent}board {side}: {', '.join(names)}")
        for observation in answer.observations:
            if observation.frame is not None:
                fields = observation.frame.fields
                lines.append(f"{indent}=> on the wire: {wire_name(program, fields)}")
            elif observation.kind == "done":
                how = (
                    "finished"
                    if observation.result == 0
                    else f"error {-observation.result}"
                )
                lines.append(
                    f"{indent}=> host {observation.side}: {observation.what} {observation.receive} {how}"
                )
    return lines


def steps_named(numbers: list[int]) -> str:
    """
    >>> steps_named([3]), steps_named([3, 5])
    ('step 3', 'steps 3 and 5')
    """
    names = [str(number) for number in numbers]
    if len(names) == 1:
        return f"step {names[0]}"
    return f"steps {', '.join(names[:-1])} and {names[-1]}"


def wire_name(program: Program, fields: dict[str, int]) -> str:
    binding = BINDINGS[program.protocol.name]
    kinds = next(e for e in program.protocol.enumerations if e.name == binding.kinds)
    names = {member.value: member.name for member in kinds.members}
    kind = names.get(fields["kind"], f"kind {fields['kind']}")
    return f"{kind} message={fields['message']} frame={fields['frame']} collection={fields['collection']}"


def verdict(subject: Subject, trail: Trail, outcome: Outcome) -> list[str]:
    lines = [""]
    if trail.hash != subject.protocol.hash:
        lines.append(f"{subject.spec} has changed since the trail was found")
    if outcome.problems:
        return lines + [f"not as found: boards, {p}" for p in outcome.problems]
    if outcome.plan.deviation:
        return lines + [
            "the boards do what the spec says",
            f"not as found: {outcome.plan.deviation}",
        ]
    steps = outcome.plan.steps
    count = sum(len(p.rows) for p in steps)
    lines.append(
        f"boards: {len(trail.steps)} steps, {count} transitions and {sum(len(p.frames) for p in steps)} frames, "
        f"the same as the interpreter's; {outcome.done.ended_ns / 1e6:.1f} ms of simulated time"
    )
    if outcome.plan.forged_steps:
        lines.append(
            f"no board has sent the frame of {steps_named(outcome.plan.forged_steps)}: the model's world makes it, and so does the wire"
        )
    if outcome.plan.early:
        other = [p.number for p in steps if p.turn == 0 and p.otherwise]
        lines.append(
            f"slots and reads: a board does them at once; {steps_named(outcome.plan.early)} came earlier"
        )
        if other:
            lines.append(
                f"so {steps_named(other)} met another state and took other transitions than in the trail"
            )
        lines.append(
            "the nodes come to the same states, as the interpreter has it of both orders"
        )
    if not outcome.shows:
        lines.append(
            f"not as found: nothing the hosts or the wire see violates {trail.violated}"
        )
        return lines
    lines += [f"{trail.violated} is violated, {outcome.where}:"]
    lines += [f"  {each}" for each in outcome.shows]
    lines.append(f"image    {shown(outcome.done.image)}")
    lines.append(f"commands {shown(outcome.done.script)}")
    lines.append("traces   " + " ".join(shown(path) for path in outcome.done.traces))
    return lines


def record(
    options: argparse.Namespace, program: Program, trail: Trail, outcome: Outcome
) -> dict[str, Any]:
    return {
        "trail": str(options.trail),
        "property": trail.violated,
        "steps": [
            {
                "step": planned.number,
                "turn": planned.turn,
                "command": planned.command,
                "boards": [
                    [program.rows[n].id for n, _ in rows if n < len(program.rows)]
                    for rows in (answer.rows if answer else [])
                ],
                "wire": [frame.fields for frame in (answer.frames if answer else [])],
            }
            for planned, answer in zip(outcome.plan.steps, outcome.answers)
        ],
        "early": outcome.plan.early,
        "forged": outcome.plan.forged_steps,
        "deviation": outcome.plan.deviation or None,
        "problems": outcome.problems,
        "shows": outcome.shows,
        "where": outcome.where if outcome.shows else None,
        "simulated_ns": outcome.done.ended_ns,
    }
