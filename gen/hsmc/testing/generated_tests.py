# SPDX-License-Identifier: MIT
"""Tests from a spec: what the search found, made short, as scenarios with all they must bring about.

A directory of tests holds NAME.scenario for each and index.json, which says what each takes and what none takes. The
name of a test is the transition it was made for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from .. import ir
from .arguments import Shape
from .differential import Command
from ..interpreter.interpreter import Node, Outcome, Program, Value
from .probe import Probe, Step
from ..recall import faulty_recalls
from ..interpreter.scenario import (
    Action,
    Mistake,
    Scenario,
    Vocabulary,
    final_state,
    write_scenario,
)
from .search import STEPS, Search, Seed

INDEX = "index.json"
SHOWN = 5  # breaches of the contract told of


@dataclass(frozen=True)
class EventSequence:
    """Parameters in order of declaration, then what happens."""

    parameters: tuple[int, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Test:
    goal: ir.Row  # the transition it was made for
    sequence: EventSequence
    rows: frozenset[int]  # all transitions it takes

    @property
    def file(self) -> str:
        return f"{self.goal.id}.scenario"


class Shortener:
    """Takes away what a sequence does not need to take a transition."""

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self.protocol = probe.program.protocol
        self.shapes = [Shape(probe.program, entry) for entry in probe.program.entries]

    def rows(self, sequence: EventSequence) -> Optional[list[set[int]]]:
        """The transitions each step takes; None where one may not happen."""
        names = [p.name for p in self.protocol.parameters]
        self.probe.node.reset(dict(zip(names, sequence.parameters)))
        taken = []
        for step in sequence.steps:
            if not self.probe.possible(step) or not self.probe.attempt(step):
                return None
            taken.append(set(self.probe.rows()))
        return taken

    def shorten(self, sequence: EventSequence, goal: int) -> EventSequence:
        taken = self.rows(sequence)
        assert taken is not None
        end = next(i for i, rows in enumerate(taken) if goal in rows)
        sequence = EventSequence(sequence.parameters, sequence.steps[: end + 1])
        width = max(1, len(sequence.steps) // 2)
        while True:
            shorter = self._without(sequence, goal, width)
            if width == 1 and shorter == sequence:
                break
            sequence = shorter
            width = max(1, width // 2)
        return self._plain(sequence, goal)

    def _takes(self, sequence: EventSequence, goal: int) -> bool:
        taken = self.rows(sequence)
        return taken is not None and any(goal in rows for rows in taken)

    def _without(self, sequence: EventSequence, goal: int, width: int) -> EventSequence:
        """Takes away `width` steps in a row wherever that is possible, the last ones first."""
        first = len(sequence.steps) - width
        while first >= 0:
            steps = sequence.steps[:first] + sequence.steps[first + width :]
            shorter = EventSequence(sequence.parameters, steps)
            if self._takes(shorter, goal):
                sequence = shorter
            first -= width
        return sequence

    def _plain(self, sequence: EventSequence, goal: int) -> EventSequence:
        """Defaults for parameters and the lowest values for arguments, where others are not needed."""
        for parameter in self.protocol.parameters:
            values = list(sequence.parameters)
            values[parameter.index] = parameter.default.value
            plainer = EventSequence(tuple(values), sequence.steps)
            if plainer != sequence and self._takes(plainer, goal):
                sequence = plainer
        for position, step in enumerate(sequence.steps):
            if step[0] != "E":
                continue
            shape = self.shapes[step[1]]
            for index, (low, _) in enumerate(shape.bounds):
                reference, numbers = shape.parts(sequence.steps[position])
                if numbers[index] == low:
                    continue
                changed = (*numbers[:index], low, *numbers[index + 1 :])
                steps = list(sequence.steps)
                steps[position] = shape.step(reference, changed)
                plainer = EventSequence(sequence.parameters, tuple(steps))
                if self._takes(plainer, goal):
                    sequence = plainer
        return sequence


def choose_tests(search: Search) -> list[Test]:
    """One test for each transition that no other test takes, in order of the transitions. The farthest come first: on
    their way they take many."""
    shortener = Shortener(search.probe)
    rows = search.program.rows
    far = sorted(search.found.items(), key=lambda f: (-len(f[1].path()), f[0]))
    chosen: list[Test] = []
    covered: set[int] = set()
    for number, item in far:
        if number not in covered:
            long = EventSequence(item.parameters, tuple(item.path()))
            short = shortener.shorten(long, number)
            taken = shortener.rows(short)
            assert taken is not None
            test = Test(rows[number], short, frozenset().union(*taken))
            chosen.append(test)
            covered |= test.rows
    for test in list(chosen):
        others = frozenset().union(*(t.rows for t in chosen if t is not test))
        if test.rows <= others:
            chosen.remove(test)
    return sorted(chosen, key=lambda test: test.goal.number)


# --- writing


def action_of(program: Program, step: Step) -> Action:
    if step[0] == "T":
        timer = program.protocol.timers[step[1]]
        return Action("expire", timer.name, step[2])
    if step[0] == "P":
        parameter = program.protocol.parameters[step[1]]
        return Action("set", parameter.name, 0, (step[2],))
    entry = program.entries[step[1]]
    values: tuple[Value, ...] = step[2:]
    instance = 0
    if entry.takes_reference:
        assert isinstance(values[0], int)
        instance, values = values[0], values[1:]
    return Action("event", entry.name, instance, values)


def scenario_text(program: Program, test: Test) -> str:
    """Played once more, on the interpreter without a probe, for what it brings about."""
    protocol = program.protocol
    parameters = [
        (parameter.name, value)
        for parameter, value in zip(protocol.parameters, test.sequence.parameters)
        if value != parameter.default.value
    ]
    node = Node(program, dict(parameters))
    beginning = node.snapshot()
    history: list[tuple[Action, Outcome]] = []
    for step in test.sequence.steps:
        action = action_of(program, step)
        history.append((action, action.apply(node)))
    vocabulary = Vocabulary(program)
    title = f"takes {test.goal.id}, {test.goal.place}: {test.goal.text}"
    text = write_scenario(vocabulary, parameters, history, title)
    final = final_state(vocabulary, node, beginning)
    return text + "".join(f"= {line}\n" for line in final or [""])


def index_of(search: Search, tests: Sequence[Test]) -> dict[str, Any]:
    protocol = search.protocol
    by_row: dict[int, list[str]] = {row.number: [] for row in search.program.rows}
    for test in tests:
        for number in test.rows:
            by_row[number].append(test.file)
    faults = [row.number for row in faulty_recalls(protocol)]
    return {
        "protocol": protocol.name,
        "check": protocol.check,
        "hash": f"{protocol.hash:08x}",
        "seed": search.seed,
        "attempts": search.steps,
        "tests": [
            {
                "file": test.file,
                "events": len(test.sequence.steps),
                "transitions": [search.program.rows[n].id for n in sorted(test.rows)],
            }
            for test in tests
        ],
        "not_taken": [
            {"id": row.id, "place": str(row.place), "text": row.text}
            for row in search.program.rows
            if not by_row[row.number] and row.number not in faults
        ],
        "breaks_contract": dict(sorted(search.violations.items())),
    }


def generate(
    protocol: ir.Protocol,
    seed: int = 1,
    limit: int = STEPS,
    report_progress: Optional[Callable[[int, int], None]] = None,
    seeds: Sequence[Scenario] = (),
) -> dict[str, str]:
    """Texts by file name: the tests and their index. `report_progress` is called now and then: transitions missing, attempts made.
    `seeds`: scenarios whose events are known to lead somewhere."""
    search = Search(protocol, seed, limit, report_progress)
    search.seeds = [seed_of(scenario, search.program) for scenario in seeds]
    search.run()
    tests = choose_tests(search)
    program = Program(protocol)
    files = {test.file: scenario_text(program, test) for test in tests}
    files[INDEX] = json.dumps(index_of(search, tests), indent=1) + "\n"
    return files


def seed_of(scenario: Scenario, program: Program) -> Seed:
    beginning, *steps = commands(scenario, program)
    parameters = tuple(value for value in beginning[1:] if isinstance(value, int))
    return parameters, tuple(steps)


def summary(protocol: ir.Protocol, index: dict[str, Any]) -> str:
    """What an index says, for people: how much is taken, what is not, and which events the spec itself objects to."""
    lines = [
        f"{row['place']}: {row['id']} is not taken: {row['text']}"
        for row in index["not_taken"]
    ]
    broken = index["breaks_contract"]
    for complaint, count in sorted(broken.items(), key=lambda b: -b[1])[:SHOWN]:
        lines.append(f"note: {count} events tried are not used: {complaint}")
    if len(broken) > SHOWN:
        lines.append(f"note: {len(broken) - SHOWN} more such reasons in {INDEX}")
    total = sum(1 for _ in protocol.rows()) - len(faulty_recalls(protocol))
    lines.append(
        f"{protocol.name}: {total - len(index['not_taken'])} of {total} transitions taken by "
        f"{len(index['tests'])} tests; {index['attempts']} events tried"
    )
    return "\n".join(lines)


def files_of_index(directory: Path) -> list[Path]:
    """The tests the index of a directory names; none where there is no index."""
    try:
        index = json.loads((directory / INDEX).read_text(encoding="utf-8"))
        return [directory / test["file"] for test in index["tests"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


# --- running


def replay(scenario: Scenario, program: Program, name: str) -> list[str]:
    """The transitions taken, in order. Raises Mistake when the interpreter does not do what the file says, and
    ContractViolation when it breaks the spec's contract."""
    node = Node(program, dict(scenario.parameters))
    beginning = node.snapshot()
    taken: list[str] = []
    for step in scenario.steps:
        try:
            outcome = step.action.apply(node)
        except ValueError as error:
            raise Mistake(f"{name}:{step.line}: {error}") from None
        step.compare(outcome, name)
        taken += outcome.transitions
    scenario.compare_final(Vocabulary(program), node, beginning, name)
    return taken


def commands(scenario: Scenario, program: Program) -> list[Command]:
    """As a script for the two sides of a differential run."""
    protocol = program.protocol
    given = dict(scenario.parameters)
    result: list[Command] = [
        ("R", *(given.get(p.name, p.default.value) for p in protocol.parameters))
    ]
    for step in scenario.steps:
        action = step.action
        if action.kind == "set":
            index = next(p.index for p in protocol.parameters if p.name == action.name)
            result.append(("P", index, *action.values))
        elif action.kind == "expire":
            index = next(t.index for t in protocol.timers if t.name == action.name)
            result.append(("T", index, action.instance))
        else:
            entry = program.entry_by_name[action.name]
            reference = (action.instance,) if entry.takes_reference else ()
            result.append(("E", entry.number, *reference, *action.values))
    return result
