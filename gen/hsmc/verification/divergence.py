# SPDX-License-Identifier: MIT
"""Where two back ends differ first, when their searches do not agree: the generated Promela and the C that ships, with the constants
of the configuration, both led by the same random events and compared with the interpreter step by step.

The events are not those of the world: what the world cannot do is tried too.
"""

from __future__ import annotations

import shutil
from typing import Optional

from ..backends.backend_promela import Unsupported
from ..interpreter.interpreter import Program
from ..interpreter.node_state import ContractViolation
from ..testing.differential import Command, Reference
from ..testing.engines import (
    Engine,
    EngineFailure,
    Promela,
    Script,
    Shipped,
    TooLarge,
    describe,
    first_divergence,
)
from ..testing.sequences import Guide
from .subject import Subject

SEQUENCES = 200
LENGTH = 40  # events of each


def events(program: Program) -> Script:
    """Random ones; what breaks the contract of the spec is left out."""
    reference = Reference(program)
    guide = Guide(reference)
    script = Script(program, [], [])
    for seed in range(1, SEQUENCES + 1):
        for position in range(LENGTH + 1):
            command: Command = guide.next() if position else guide.begin(seed)
            try:
                line = reference.execute(command)
            except ContractViolation:
                continue
            script.commands.append(command)
            script.lines.append(line)
            guide.observe(reference.node.log)
    return script


def find_divergence(subject: Subject, check: str) -> str:
    """The first step at which one of them leaves the interpreter, and the line of the spec; for people."""
    program = Program(subject.checked(check))
    script = events(program)
    directory = subject.directory / check / "divergence"
    shutil.rmtree(directory, ignore_errors=True)
    engines: list[Engine] = [
        Promela(program, directory / "promela"),
        Shipped(program, directory / "c", subject.protocol),
    ]
    differences: list[str] = []
    for engine in engines:
        text = _description(engine, script)
        if text is not None:
            differences.append(text)
    if differences:
        return "\n".join(differences)
    return (
        f"{len(script.commands)} random events show no difference of {subject.name}/{check}: look at what a step of the "
        "world does in each engine"
    )


def _description(engine: Engine, script: Script) -> Optional[str]:
    try:
        engine.build()
        divergence = first_divergence(engine, script)
    except (EngineFailure, Unsupported, TooLarge) as failure:
        return f"{engine.name}: {failure}"
    return describe(script, divergence) if divergence is not None else None
