# SPDX-License-Identifier: MIT
"""What a receiver of EMP answers to a sender whose contact it does not take, and what the sender makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hsmc.interpreter.interpreter import Node, Program
from tests.compiled import compiled

EMP = Path(__file__).resolve().parents[2] / "spec/emp/emp.hsm"
OTHER_CONTACT = 2
NOT_YET = 3


@pytest.fixture(scope="module", name="program")
def fixture_program() -> Program:
    return Program(compiled(EMP))


def frame(program: Program, **values: int) -> tuple[int, ...]:
    """A header of one frame, or what `values` make of it."""
    names = [f.name for f in program.protocol.payload("Frame").fields]
    whole = dict.fromkeys(names, 0) | {"kind": 1, "size": 1, "frames": 1} | values
    assert set(whole) == set(names)
    return tuple(whole[name] for name in names)


def answer(program: Program, node: Node, **values: int) -> tuple[int, int]:
    """Why node 1's header is refused, and what the refusal carries."""
    outcome = node.deliver("Match", "header", 0, [frame(program, sender=1, **values)])
    names = [f.name for f in program.protocol.payload("Frame").fields]
    (sent,) = (e for e in outcome.effects if e.name == "send_control")
    refused = dict(zip(names, sent.values[1:], strict=True))
    return refused["length"], refused["frame"]


def test_whoever_names_no_contact_is_offered_one(program: Program) -> None:
    node = Node(program, {"epoch": 0x0203})
    assert answer(program, node, message=1 << 16) == (OTHER_CONTACT, 0x0302)
    assert answer(program, node, message=1 << 16, contact=0x0101) == (
        OTHER_CONTACT,
        0x0302,
    )


def test_a_second_message_before_the_first_waits(program: Program) -> None:
    node = Node(program, {"epoch": 1})
    assert answer(program, node, message=65537, contact=256)[0] == NOT_YET


def test_an_offer_named_by_chance_is_refused_with_another(program: Program) -> None:
    """The receiver restarted while the sender was silent, until its numbers came round. Offering the same number again
    would look like nonsense to the sender, whose sends would never end."""
    node = Node(program, {"epoch": 1})
    later = 65536 + 64
    assert answer(program, node, message=later, contact=256) == (OTHER_CONTACT, 257)
    assert answer(program, node, message=65536, contact=257) == (OTHER_CONTACT, 256)
