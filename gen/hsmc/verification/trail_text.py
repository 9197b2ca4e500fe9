# SPDX-License-Identifier: MIT
"""A trail replayed by the reference interpreter, as text: each step with its transitions, effects and changes.

The transitions that the verifier reported are compared with these; a difference is a bug of a back end, or the spec
has changed.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from typing import Optional

from ..interpreter.interpreter import Effect, Outcome, Program
from ..interpreter.node_state import ContractViolation
from ..interpreter.scenario import Action
from ..interpreter.session import Session
from .narration import Step, arguments
from .trail import Trail, parameters_of


QUEUE = "queue"  # between the two processors of a node


@dataclass
class ReplayedStep:
    """One step, replayed."""

    step: Step
    number: int  # from 1
    heading: str
    lines: list[str] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)  # calls as text, in order
    wire: list[str] = field(
        default_factory=list
    )  # device operations that put frames on the wire
    sent: list[tuple[str, bool]] = field(
        default_factory=list
    )  # frames, was there room?
    transitions: list[str] = field(default_factory=list)
    received_before: bool = False  # the frame had come before
    only_copy: bool = False  # the lost frame is only the copy of one that has come
    difference: str = ""


class Wire:
    """Which frames are on their way, and which of them have come already."""

    def __init__(self) -> None:
        self.not_yet_received: dict[str, bool] = {}

    def put(self, how: str, frame: str) -> bool:
        """Is the frame on the wire now?"""
        if how == "put" or frame in self.not_yet_received:
            self.not_yet_received[frame] = True
            return True
        return False

    def take(self, frame: str) -> bool:
        """Has the same frame come before?"""
        received_before = not self.not_yet_received.get(frame, True)
        self.not_yet_received[frame] = False
        return received_before

    def drop(self, frame: str) -> bool:
        """Is it only the copy of one that has come?"""
        return not self.not_yet_received.pop(frame, True)


class TrailReplay:
    """Two nodes, or as many as the trail has, and the wire between them."""

    def __init__(self, program: Program, trail: Trail) -> None:
        self.program = program
        self.trail = trail
        self.wire = Wire()
        self.sessions: list[Session] = []
        self.initial: list[str] = []
        for parameters in trail.parameters:
            session = self.begin(parameters)
            self.initial.append(session.output.getvalue())  # type: ignore[attr-defined]
            self.sessions.append(session)

    def begin(self, parameters: dict[str, int]) -> Session:
        session = Session(self.program, io.StringIO(), tuple(parameters.items()))
        session.node.strict = False
        session.print_beginning()
        return session

    def steps(self) -> list[ReplayedStep]:
        return [
            self.replay_step(step, i + 1) for i, step in enumerate(self.trail.steps)
        ]

    def replay_step(self, step: Step, number: int) -> ReplayedStep:
        if step.do == "lose":
            replayed = ReplayedStep(step, number, f"the wire loses {step.frame}")
            replayed.only_copy = self.wire.drop(step.frame)
            if replayed.only_copy:
                replayed.heading = f"no more copies of {step.frame}"
            return replayed
        if step.do == "good":
            return ReplayedStep(
                step, number, "from here on the link is good: nothing is lost"
            )
        if step.do == "restart":
            parameters = parameters_of(self.program.protocol, step.values)
            self.sessions[step.node] = self.begin(parameters)
            settings = ", ".join(
                f"{name} = {value}" for name, value in parameters.items()
            )
            text = f"node {step.node} restarts and has forgotten everything: {settings}"
            return ReplayedStep(step, number, text)
        action = self.action(step)
        session = self.sessions[step.node]
        text = session.vocabulary.action_text(action)
        if step.frame:
            received_before = self.wire.take(step.frame)
            copy = ", which has come before" if received_before else ""
            heading = f"wire -> node {step.node}: {step.frame}{copy}: {text}"
        elif step.do in ("expire", "set"):
            received_before, heading = False, f"node {step.node}: {text}"
        elif self.program.entry_by_name[step.event].event.message:
            received_before, heading = False, f"{QUEUE} -> node {step.node}: {text}"
        else:
            received_before, heading = False, f"host -> node {step.node}: {text}"
        replayed = ReplayedStep(step, number, heading, received_before=received_before)
        self.perform(session, action, replayed)
        return replayed

    def action(self, step: Step) -> Action:
        if step.do == "expire":
            return Action("expire", step.timer, step.reference)
        if step.do == "set":
            return Action("set", step.event, 0, tuple(step.values))
        entry = self.program.entry_by_name[step.event]
        values = arguments(self.program, entry.event, step.values)
        return Action("event", step.event, step.reference, tuple(values))

    def perform(self, session: Session, action: Action, replayed: ReplayedStep) -> None:
        output = session.output
        assert isinstance(output, io.StringIO)
        output.seek(0)
        output.truncate()
        outcome: Optional[Outcome] = None
        try:
            outcome = session.perform(action)
        except (ContractViolation, ValueError) as error:
            replayed.difference = f"the interpreter refuses: {error}"
        replayed.lines = [line[2:] for line in output.getvalue().splitlines()]
        step = replayed.step
        if outcome is not None:
            replayed.transitions = outcome.transitions
            replayed.effects = outcome.effects
            for effect in outcome.effects:
                if effect.kind == "never":
                    owner = self.program.protocol.processes[effect.values[0]]
                    leaf = session.node.leaf_name(owner, effect.values[1])
                    replayed.lines = [f"{effect.name} comes in state {leaf}"]
            replayed.wire = self.trail.wire
            replayed.devices = [
                session.vocabulary.device_text(effect.name, effect.values)
                for effect in outcome.effects
                if effect.kind == "device"
            ]
            taken = [name for name, _ in step.rows]
            whole = step.verdict is not None
            expected = (
                outcome.transitions if whole else outcome.transitions[: len(taken)]
            )
            if taken != expected:
                replayed.difference = (
                    f"the model took {', '.join(taken) or 'no transition'}; "
                    f"the interpreter takes {', '.join(outcome.transitions) or 'none'}"
                )
            elif whole and step.do == "event" and step.verdict != outcome.verdict:
                replayed.difference = f"the model's verdict is {step.verdict}, the interpreter's {int(outcome.verdict)}"
        for how, frame in step.put:
            room = self.wire.put(how, frame)
            replayed.sent.append((frame, room))
            replayed.lines.append(
                f"=> on the wire: {frame}"
                if room
                else f"=> lost, the wire has no room: {frame}"
            )


def heading(trail: Trail) -> list[str]:
    """The lines above the steps: what is violated, where, within which bounds."""
    bounds = ", ".join(f"{key} {value}" for key, value in trail.bounds.items() if value)
    count = len(trail.steps)
    length = f"{count} step{'s' * (count != 1)}"
    if trail.shortest:
        length += ", none shorter"
    return [
        f"{trail.violated}: {trail.documentation}".rstrip(": "),
        f"violated in {trail.protocol}/{trail.check} ({bounds or 'no bounds'}), {trail.kind}, engine {trail.engine}, {length}",
    ]


def ending(trail: Trail) -> str:
    if trail.loop is not None:
        if trail.loop >= len(trail.steps):
            return f"from here on nothing happens any more: {trail.violated} is never fulfilled"
        return f"from step {trail.loop + 1} on the same again, for ever: {trail.violated} is never fulfilled"
    return f"violated: {trail.violated}: {reason(trail)}"


def reason(trail: Trail) -> str:
    """SPIN's words without what only makes a failure name its property."""
    pattern = rf"assertion violated \(?{re.escape(trail.violated)}\|\|\((.*)\)\)$"
    found = re.match(pattern, trail.failure)
    if found:
        return f"not true: {found[1]}"
    if trail.violated == "never_event":
        return "the spec says that this event cannot come in this state"
    if trail.violated == "pool_exhausted":
        return "a record is created, and none is free"
    return trail.failure


def text(trail: Trail, replayed: list[ReplayedStep]) -> str:
    """All steps, for the terminal."""
    lines = [*heading(trail), ""]
    width = len(str(len(replayed)))
    indent = " " * (width + 3)
    for each in replayed:
        if trail.loop is not None and each.number == trail.loop + 1:
            lines.append(f"{'':{width}}    --- the loop begins here ---")
        mark = "| " if trail.loop is not None and each.number > trail.loop else "  "
        lines.append(f"{each.number:{width}} {mark}{each.heading}")
        lines += [f"{indent}  {line}".rstrip() for line in each.lines]
        if each.difference:
            lines.append(f"{indent}  DIFFERENCE: {each.difference}")
    return "\n".join([*lines, "", ending(trail)]) + "\n"
