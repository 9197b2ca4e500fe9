# SPDX-License-Identifier: MIT
"""Scenarios the terminal writes, played by the JavaScript, which writes the same text again; and the mistakes it tells."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable, Optional

import hsmc
import pytest
from hsmc.backends import backend_javascript
from hsmc.documents.docs_references import source_address
from hsmc.documents import simulation_page
from hsmc.testing.differential import Command, Reference
from hsmc.interpreter.interpreter import Node, Outcome, Program
from hsmc.interpreter.node_state import ContractViolation
from hsmc.interpreter.scenario import Action, Vocabulary, write_scenario
from hsmc.testing.sequences import Guide
from tests.compiled import compiled
from tests.interpreter.emp_guide import EmpGuide

TOP = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("scenario_driver.js")
SPECS: list[tuple[Path, Callable[[Reference], Guide]]] = [
    (TOP / "spec/emp/emp.hsm", EmpGuide),
    (TOP / "spec/abp/abp.hsm", Guide),
    (TOP / "tests/interpreter/jobs.hsm", Guide),
    *(
        (path, Guide)
        for path in sorted((TOP / "tests/compiler/features").glob("*.hsm"))
    ),
]
EVENTS = 60


def action_of(program: Program, command: Command) -> Optional[Action]:
    """What a command of a differential run is in a scenario."""
    kind = command[0]
    if kind == "E":
        entry = program.entries[int(str(command[1]))]
        values = command[2:]
        instance = 0
        if entry.takes_reference:
            assert isinstance(values[0], int)
            instance, values = values[0], values[1:]
        return Action("event", entry.name, instance, values)  # type: ignore[arg-type]
    if kind == "T":
        timer = program.protocol.timers[int(str(command[1]))]
        return Action("expire", timer.name, int(str(command[2])))
    parameter = program.protocol.parameters[int(str(command[1]))]
    return Action("set", parameter.name, 0, (int(str(command[2])),))


def random_scenario(
    program: Program, make_guide: Callable[[Reference], Guide], seed: int
) -> str:
    """Events at random, as `hsmc run --save` writes them; what breaks the contract is left out."""
    reference = Reference(program)
    guide = make_guide(reference)
    start = guide.begin(seed)
    names = [p.name for p in program.protocol.parameters]
    parameters = list(zip(names, map(int, map(str, start[1:]))))
    parameters = [
        (p.name, value)
        for p, (_, value) in zip(program.protocol.parameters, parameters)
        if value != p.default.value
    ]
    node = reference.node = guide.node = Node(program, dict(parameters))
    history: list[tuple[Action, Outcome]] = []
    for _ in range(EVENTS):
        action = action_of(program, guide.next())
        assert action is not None
        try:
            outcome = action.apply(node)
        except ContractViolation:
            continue
        guide.observe(list(outcome.log))
        history.append((action, outcome))
    return write_scenario(Vocabulary(program), parameters, history)


def played(
    program: Program, text: str, tmp_path: Path
) -> subprocess.CompletedProcess[str]:
    shared = simulation_page.shared_script().partition("class SimulationPage")[0]
    script = [
        backend_javascript.generate(program, source_address),
        shared,
        DRIVER.read_text(),
    ]
    path = tmp_path / "driver.js"
    path.write_text("\n".join(script))
    return subprocess.run(
        ["/usr/bin/node", str(path)],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.parametrize("spec, guide", SPECS, ids=lambda s: getattr(s, "stem", ""))
def test_played_and_written_again(
    spec: Path, guide: Callable[[Reference], Guide], tmp_path: Path
) -> None:
    program = Program(compiled(spec))
    # Some machines may end soon: the longest of a few.
    text = max((random_scenario(program, guide, n) for n in range(6)), key=len)
    assert text.count("  -> ") >= 2
    result = played(program, text, tmp_path)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout == text


@pytest.mark.parametrize(
    "text, complaint",
    [
        (
            "sender.submti 5\n",
            "scenario:1: there is no external event of Sender 'submti'",
        ),
        ("\n# x\nsender.submit itme=5\n", "scenario:3: there is no argument of submit"),
        (
            "sender.submit 5\nsender.submit 6\n",
            "scenario:2: abp.hsm:55: Sender gets submit",
        ),
        ("sender.ack bit=256\n", "scenario:1: f.bit is u8, which cannot hold 256"),
        ("sender.ack x\n", "scenario:1: f.kind is u8; 'x' is neither a number"),
        ("sender.ack kind=1 2\n", "scenario:1: expected NAME=VALUE, not '2'"),
        ("sender.submit 1 2\n", "scenario:1: submit takes 1 values at most"),
        ("sender[1].submit\n", "scenario:1: Sender.submit names no instance"),
        (
            "expire sender_wait_ack\n",
            "scenario:1: timer Sender_WAIT_ACK is not running",
        ),
        ("expire sender\n", "scenario:1: there is no timer 'sender'"),
        ("set timeout=0\n", "scenario:1: timeout must be 1 to 60000000, not 0"),
        ("set tmeout=5\n", "scenario:1: there is no parameter 'tmeout'"),
        ("-> Sender.READY.submit.0\n", "scenario:1: no event stands above"),
        ("sender.submit\nparameters timeout=5\n", "scenario:2: parameters come before"),
        (
            "sender.submit 5\n  -> Sender.READY.submit.1\n",
            "scenario:1: the text says Sender.READY.submit.1, but taken: Sender.READY.submit.0",
        ),
        ("nonsense\n", "scenario:1: 'nonsense' is not process.event"),
    ],
)
def test_mistakes(text: str, complaint: str, tmp_path: Path) -> None:
    program = Program(hsmc.compile_spec(TOP / "spec/abp/abp.hsm"))
    result = played(program, text, tmp_path)
    assert result.returncode == 1
    assert complaint in result.stderr


def test_names_and_numbers_as_people_write_them(tmp_path: Path) -> None:
    program = Program(hsmc.compile_spec(TOP / "spec/abp/abp.hsm"))
    text = "Sender.submit 0x2A\nreceiver.data DATA 0 item=42 # comes\nafter Sender_WAIT_ACK 0\n"
    result = played(program, text, tmp_path)
    assert result.returncode == 0, result.stderr
    events = [line for line in result.stdout.split("\n") if line[:1].isalpha()]
    assert events == [
        "sender.submit item=42",
        "receiver.data kind=1 item=42",
        "expire sender_wait_ack",
    ]
