# SPDX-License-Identifier: MIT
"""`hsmc replay --boards`: a trail on the firmware, on two simulated boards with the wire between them doing what it says.

What the boards do is compared, transition by transition and frame by frame, with what the reference interpreter does on the
same steps; then the violation has to show: in what hosts and wire see, or, where a property speaks of the inside of a
board, in its transitions.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import Any, Optional

from ..failure import Failure
from ..conformance.trace_file import TraceError, read_trace
from ..interpreter.interpreter import Program
from ..report import SpecError
from . import boards_run
from .boards_judge import Judge
from .boards_plan import BINDINGS, Irreproducible, Plan, Planned, Planner, Row
from .boards_run import Answer, Done
from ..verification.subject import Subject
from ..verification.trail import Trail

IRREPRODUCIBLE = 3  # exit status


@dataclass
class Outcome:
    plan: Plan
    done: Done
    answers: list[Optional[Answer]]  # by step of the plan
    problems: list[str] = field(default_factory=list)  # what is not as planned
    shows: list[str] = field(default_factory=list)  # the violation, in plain words
    where: str = "seen by hosts and on the wire"

    @property
    def status(self) -> int:
        return int(bool(self.problems or self.plan.deviation or not self.shows))


def settings_of(subject: Subject, trail: Trail) -> dict[str, int]:
    """What the check changes, as far as boards can follow."""
    settings = dict(subject.check(trail.check).settings)
    fixed = (
        BINDINGS[subject.name].fixed_settings
        if subject.name in BINDINGS
        else frozenset()
    )
    return {name: value for name, value in settings.items() if name not in fixed}


def replay(subject: Subject, trail: Trail, rounds: int) -> tuple[Program, Outcome]:
    """Raises Irreproducible; Failure where there is no firmware to be had."""
    if shutil.which("mips-linux-gnu-gcc") is None:
        raise Failure("mips-linux-gnu-gcc is not installed: scripts/setup.sh demo")
    settings = settings_of(subject, trail)
    protocol = subject.compilation.resolve(settings, None)
    if protocol is None:
        raise SpecError(subject.compilation.report.diagnostics)
    program = Program(protocol)
    planner = Planner(program, trail, rounds)
    plan = planner.plan()
    directory = (
        subject.directory / "boards" / f"{subject.protocol.hash:08x}-{trail.check}"
    )
    image, executable = boards_run.build(
        directory, subject.spec, subject.profile, settings
    )
    script = plan.script(planner.binding.duration)
    done = boards_run.run(image, executable, script, directory)
    outcome = Outcome(plan, done, [])
    compare(program, planner, outcome)
    judge(program, subject, trail, outcome)
    return program, outcome


# --- is it what was planned?


def compare(program: Program, planner: Planner, outcome: Outcome) -> None:
    """Fills `answers` and `problems`; the first difference is the last that means anything."""
    answers = iter(outcome.done.answers)
    for planned in outcome.plan.steps:
        answer = None
        if planned.command:
            for answer in answers:
                if answer.failed:
                    text = f"step {planned.number}: '{answer.command}': {answer.failed}"
                    outcome.problems.append(text)
                if answer.command == planned.command:
                    break
            else:
                answer = None
        outcome.answers.append(answer)
        if planned.command and answer is None and not outcome.problems:
            text = outcome.done.error or "no further command went to the boards"
            outcome.problems.append(f"step {planned.number}: {text}")
        if outcome.problems:
            break
        if answer is not None:
            problem = difference(program, planner, planned, answer)
            if problem:
                outcome.problems.append(
                    f"step {planned.number}{turn(planned)}: {problem}"
                )
                break
    if not outcome.problems:
        for answer in answers:
            if answer.command.startswith("free"):
                break
            if answer.failed or any(answer.rows) or answer.frames:
                outcome.problems.append("something more happens when nothing should")
        if outcome.done.error:
            outcome.problems.append(outcome.done.error)


def turn(planned: Planned) -> str:
    return f", turn {planned.turn + 1} of the cycle" if planned.turn else ""


def difference(
    program: Program, planner: Planner, planned: Planned, answer: Answer
) -> str:
    node = planned.step.node
    taken = [own_rows(program, planner, rows) for rows in answer.rows]
    if taken[node] != planned.rows:
        return (
            f"board {node} takes {listed(program, taken[node])}; "
            f"the interpreter takes {listed(program, planned.rows)}"
        )
    if taken[1 - node]:
        return f"board {1 - node}, to which nothing happened, takes {listed(program, taken[1 - node])}"
    frames = [frame.fields for frame in answer.frames]
    wanted = [planner.as_header(frame) for frame in planned.frames]
    if frames != wanted:
        return f"board {node} puts {frame_list(planner, frames)} on the wire; the interpreter {frame_list(planner, wanted)}"
    return ""


def own_rows(program: Program, planner: Planner, rows: list[Row]) -> list[Row]:
    """Without processes the trail does not speak of; records where there are some."""
    result = []
    for number, record in rows:
        if number >= len(program.rows):
            result.append((number, record))
            continue
        process = owner_of(program, number)
        if process.name not in planner.binding.elsewhere:
            result.append((number, record if process.pool is not None else 0))
    return result


def owner_of(program: Program, number: int) -> Any:
    left = number
    for process in program.protocol.processes:
        count = sum(len(handler.rows) for handler in process.handlers)
        if left < count:
            return process
        left -= count
    raise AssertionError(number)


def listed(program: Program, rows: list[Row]) -> str:
    names = [
        program.rows[n].id if n < len(program.rows) else f"transition {n}"
        for n, _ in rows
    ]
    return ", ".join(names) or "no transition"


def frame_text(planner: Planner, fields: dict[str, int]) -> str:
    names = {value: name for name, value in planner.kinds.items()}
    kind = names.get(fields.get("kind", 0), str(fields.get("kind")))
    shown_fields = ("message", "frame", "collection", "length")
    rest = " ".join(f"{n}={fields[n]}" for n in shown_fields if n in fields)
    return f"{kind} {rest}"


def frame_list(planner: Planner, frames: list[dict[str, int]]) -> str:
    return ", ".join(frame_text(planner, each) for each in frames) or "nothing"


# --- does the violation show?


def judge(program: Program, subject: Subject, trail: Trail, outcome: Outcome) -> None:
    if outcome.problems or outcome.plan.deviation:
        return
    judged = listened(program, outcome, after=False)
    if trail.loop is not None or trail.violated == "no_deadlock":
        show_endless(trail, outcome, judged)
        return
    outcome.shows = [text for name, text in judged.found if name == trail.violated]
    if outcome.shows:
        return
    judged = listened(program, outcome, after=True)
    outcome.shows = [text for name, text in judged.found if name == trail.violated]
    if outcome.shows:
        outcome.where = "seen by hosts once all is written to their memory"
        return
    if trail.violated == "nothing_leaked":
        outcome.shows = leaks(outcome.done)
        outcome.where = "in the memory of a board"
        return
    kinds = [p.name for p in subject.protocol.properties if p.kind == "safety"]
    seen_outside = {
        "no_early_acknowledgement",
        "no_early_completion",
        "delivered_once",
        "in_order",
        "intact_placement",
    }
    if trail.violated in kinds and trail.violated in seen_outside:
        return
    last = outcome.plan.steps[-1]
    outcome.where = "inside a board: its transitions are all that shows"
    outcome.shows = [
        f"board {last.step.node} takes {listed(program, last.rows)} at step {last.number}, as the model does, and there "
        f"the property is violated"
    ]


def listened(program: Program, outcome: Outcome, after: bool) -> Judge:
    """What was seen in the trail's steps; with `after` also once nothing was held back any more."""
    constants = {c.name: c.value for c in program.protocol.constants}
    kinds = {m.name: m.value for e in program.protocol.enumerations for m in e.members}
    result = Judge(
        constants["frame_payload"],
        constants["first_frame_payload"],
        kinds["ACK"],
        epochs=list(outcome.plan.incarnations),
    )
    for answer in outcome.done.answers:
        if after or not answer.command.startswith("free"):
            result.listen(answer)
    return result


def show_endless(trail: Trail, outcome: Outcome, judged: Judge) -> None:
    waiting = judged.unfinished()
    if not waiting:
        outcome.problems.append("everything the hosts posted is finished")
        return
    still = f"{' and '.join(waiting)} never finish{'es' * (len(waiting) == 1)}"
    plan = outcome.plan
    if plan.idle:
        seconds = plan.idle / 1_000_000
        outcome.shows = [f"nothing happens for {seconds:.0f} s more; {still}"]
        return
    turns: dict[int, list[tuple[int, str]]] = {}
    for planned, answer in zip(plan.steps, outcome.answers):
        assert trail.loop is not None
        if planned.number > trail.loop and answer is not None:
            frames = [(frame.side, frame.digest) for frame in answer.frames]
            turns.setdefault(planned.turn, []).extend(frames)
    # The first turn may still have slots of what came before.
    later = [frames for number, frames in sorted(turns.items()) if number > 0]
    if not plan.cycle_closes or any(frames != later[0] for frames in later):
        outcome.problems.append("the cycle does not close on the boards")
        return
    sent = "frame" if len(later[0]) == 1 else f"{len(later[0])} frames"
    what = (
        f"the boards send the same {sent}, byte for byte"
        if later[0]
        else "the boards send nothing"
    )
    expired = sum(p.step.do == "expire" and p.turn > 0 for p in plan.steps)
    outcome.shows = [
        f"in each of {len(later)} more turns of the cycle {what}; {expired} time-outs in all; {still}"
    ]


def leaks(done: Done) -> list[str]:
    """Records still in use at the end, from the boards' memory."""
    result = []
    for side, path in enumerate(done.traces):
        try:
            state = read_trace(path).runs[-1].state
        except (OSError, TraceError, IndexError):
            continue
        used = [
            name for name, value in state.items() if name.endswith(".used") and value
        ]
        if used:
            result.append(f"board {side} keeps records: {', '.join(used)}")
    return result
