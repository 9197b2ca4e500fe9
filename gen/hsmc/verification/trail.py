# SPDX-License-Identifier: MIT
"""The file of a counterexample: readable, versioned JSON with all the world did, for `hsmc replay` and other tools.

The keys of a step are those of narration.Step; what is empty is left out. `values` and the world's variables have
their names. Versions rise when a key goes or changes its meaning.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

from .. import ir
from ..failure import Failure
from ..files import read_text
from ..interpreter.interpreter import Program
from ..interpreter.scenario import Vocabulary
from .narration import Step, Variable

FORMAT = "hsmc trail"
VERSION = 2


@dataclass
class Trail:
    protocol: str
    spec: str  # path as given to the command that found it
    hash: int
    profile: Optional[str]
    placement: Optional[str]  # that divides the nodes
    check: str
    engine: str
    kind: str
    violated: str
    documentation: str
    failure: str  # in SPIN's words
    shortest: bool  # found breadth first
    bounds: dict[str, int]
    wire: list[str]  # device operations that put frames on the wire
    variables: list[Variable]  # of the world
    parameters: list[dict[str, int]]  # by node
    steps: list[Step]
    loop: Optional[int]  # index of the first step of the cycle

    def as_json(self, program: Program) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "protocol": self.protocol,
            "spec": self.spec,
            "hash": f"{self.hash:08x}",
            "profile": self.profile,
            "placement": self.placement,
            "check": self.check,
            "engine": self.engine,
            "kind": self.kind,
            "property": self.violated,
            "documentation": self.documentation,
            "failure": self.failure,
            "shortest": self.shortest,
            "bounds": self.bounds,
            "wire": self.wire,
            "variables": [list(each) for each in self.variables],
            "nodes": self.parameters,
            "loop": self.loop,
            "steps": [self._step(step, program) for step in self.steps],
        }

    def _step(self, step: Step, program: Program) -> dict[str, Any]:
        record: dict[str, Any] = {"do": step.do}
        if step.node >= 0:
            record["node"] = step.node
        if step.do == "event":
            entry = program.entry_by_name[step.event]
            record["event"] = step.event
            if entry.takes_reference:
                record["reference"] = step.reference
            names = [place.path for place in Vocabulary(program).places(entry)]
            record["values"] = dict(zip(names, step.values, strict=True))
            if step.unchanged:
                record["unchanged"] = step.unchanged
        if step.do == "expire":
            record.update(timer=step.timer, reference=step.reference)
        if step.do == "restart":
            record["parameters"] = parameters_of(program.protocol, step.values)
        if step.do == "set":
            record.update(parameter=step.event, value=step.values[0])
        if step.frame:
            record["frame"] = step.frame
        if step.rows:
            record["rows"] = [list(row) for row in step.rows]
        if step.put:
            record["put"] = [list(each) for each in step.put]
        if step.do in ("event", "expire"):
            record["verdict"] = step.verdict
        if step.world:
            record["before"] = step.world
        if step.after:
            record["after"] = step.after
        return record

    def text(self, program: Program) -> str:
        """One line for each step and variable, so that it can be read and compared."""
        whole = self.as_json(program)
        parts = []
        for key, value in whole.items():
            if isinstance(value, list) and value:
                lines = ",\n".join(f"  {json.dumps(each)}" for each in value)
                parts.append(f" {json.dumps(key)}: [\n{lines}\n ]")
            else:
                parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
        return "{\n" + ",\n".join(parts) + "\n}\n"


KINDS = ("event", "expire", "restart", "set", "lose", "good")


def read_trail(path: Path) -> dict[str, Any]:
    """The file's content, as far as it can be judged without its spec."""
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise Failure(f"{path} is no trail: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise Failure(f'{path} is no trail: expected "format": "{FORMAT}"')
    if content.get("version") != VERSION:
        raise Failure(
            f"{path} is of version {content.get('version')}; this hsmc reads version {VERSION}"
        )
    return content


def from_json(content: dict[str, Any], program: Program, path: Path) -> Trail:
    """The trail in terms of a spec, which may have changed since: names that are gone end the command."""
    try:
        return Trail(
            protocol=content["protocol"],
            spec=content["spec"],
            hash=int(content["hash"], 16),
            profile=content["profile"],
            placement=content.get("placement"),
            check=content["check"],
            engine=content["engine"],
            kind=content["kind"],
            violated=content["property"],
            documentation=content["documentation"],
            failure=content["failure"],
            shortest=bool(content["shortest"]),
            bounds=dict(content["bounds"]),
            wire=[str(name) for name in content["wire"]],
            variables=[(str(n), int(c), str(k)) for n, c, k in content["variables"]],
            parameters=[_numbers(each) for each in content["nodes"]],
            steps=[_read_step(step, program) for step in content["steps"]],
            loop=None if content["loop"] is None else int(content["loop"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{path} is damaged: {type(error).__name__}: {error}") from None


def _numbers(record: dict[str, Any]) -> dict[str, int]:
    return {str(name): int(value) for name, value in record.items()}


def _read_step(record: dict[str, Any], program: Program) -> Step:
    step = Step(record["do"], int(record.get("node", -1)))
    if step.do not in KINDS:
        raise ValueError(f"no step is called '{step.do}'")
    step.reference = int(record.get("reference", 0))
    step.frame = str(record.get("frame", ""))
    if step.do == "event":
        step.event = record["event"]
        entry = program.entry_by_name.get(step.event)
        if entry is None:
            raise Failure(f"the spec has no external event {step.event} any more")
        names = [place.path for place in Vocabulary(program).places(entry)]
        values = _numbers(record["values"])
        if set(values) != set(names):
            raise Failure(
                f"the trail's {step.event} carries {', '.join(values) or 'nothing'}; "
                f"in the spec it carries {', '.join(names) or 'nothing'}"
            )
        step.values = [values[name] for name in names]
        step.unchanged = str(record.get("unchanged", ""))
    if step.do in ("restart", "set"):
        _read_parameters(step, record, program)
    if step.do == "expire":
        step.timer = record["timer"]
        if step.timer not in [timer.name for timer in program.protocol.timers]:
            raise Failure(f"the spec has no timer {step.timer} any more")
    step.rows = [
        (str(name), int(instance)) for name, instance in record.get("rows", ())
    ]
    step.put = [(str(how), str(frame)) for how, frame in record.get("put", ())]
    verdict = record.get("verdict")
    step.verdict = None if verdict is None else int(verdict)
    step.world = [int(value) for value in record.get("before", ())]
    step.after = [int(value) for value in record.get("after", ())]
    return step


def _read_parameters(step: Step, record: dict[str, Any], program: Program) -> None:
    """What a node restarts with, or the one that is set."""
    names = [parameter.name for parameter in program.protocol.parameters]
    if step.do == "restart":
        values = _numbers(record["parameters"])
    else:
        values = {str(record["parameter"]): int(record["value"])}
        step.event = str(record["parameter"])
    unknown = [name for name in values if name not in names]
    if unknown:
        raise Failure(f"the spec has no parameter {unknown[0]} any more")
    if step.do == "restart" and set(values) != set(names):
        raise Failure("the spec has parameters the trail does not know")
    step.values = [values[name] for name in names if name in values]


def parameters_of(protocol: ir.Protocol, values: Sequence[int]) -> dict[str, int]:
    names = [parameter.name for parameter in protocol.parameters]
    return dict(zip(names, values, strict=True))
