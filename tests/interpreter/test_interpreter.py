# SPDX-License-Identifier: MIT
"""The interpreter on a small spec: what each event does, and that every breach of the contract is told by place."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import hsmc
import pytest
from hsmc.interpreter.interpreter import Node, Outcome, Program, Verdict
from hsmc.interpreter.node_state import ContractViolation

JOBS = Path(__file__).with_name("jobs.hsm")
ORDER = (3, 0, 1)  # size, urgent, desk


@pytest.fixture(scope="module")
def program() -> Program:
    return Program(hsmc.compile_spec(JOBS))


@pytest.fixture
def node(program: Program) -> Node:
    return Node(program)


def start(node: Node, desk: int = 1) -> Outcome:
    return node.deliver("Worker", "start", 0, [(3, 0, desk)])


def step(node: Node, size: int = 1, urgent: int = 0, desk: int = 1) -> Outcome:
    return node.deliver("Worker", "step", 0, [(size, urgent, desk)])


def devices(outcome: Outcome) -> list[tuple[object, ...]]:
    return [(e.name, *e.values) for e in outcome.effects if e.kind == "device"]


def changes(node: Node, outcome: Outcome) -> dict[str, tuple[int, int]]:
    slots = node.layout.slots
    return {slots[c.slot].name: (c.before, c.after) for c in outcome.changes}


def test_an_event_that_creates_takes_the_lowest_free_record(node: Node) -> None:
    outcome = start(node)
    assert outcome.verdict == Verdict.DONE
    assert outcome.transitions == ["Worker.NEW.start.0", "Clerk.READY.place.0"]
    assert node.instances("Worker") == [1]
    start(node, 2)
    step(node)
    node.deliver("Worker", "cancel", 1)
    assert node.instances("Worker") == [2]
    start(node, 3)
    assert node.instances("Worker") == [1, 2]


def test_no_room_refused_ignored_change_nothing(node: Node) -> None:
    for desk in (1, 2, 3):
        start(node, desk)
    step(node, desk=3)
    node.deliver("Worker", "cancel", 3)
    late = node.deliver("Worker", "cancel", 3)
    assert (late.verdict.name, late.log, late.changes) == ("IGNORED", (), ())
    start(node, 3)
    before = node.snapshot()
    outcomes = [
        start(node),
        node.deliver("Worker", "start", 0, [(0, 0, 1)]),
        node.deliver("Worker", "start", 0, [(101, 0, 1)]),
        node.deliver("Worker", "cancel", 0),
        node.deliver("Worker", "cancel", 4),
        node.deliver("Clerk", "free", 0, [4]),
        step(node, desk=0),
        step(node, desk=200),
    ]
    assert [o.verdict.name for o in outcomes] == ["NO_ROOM"] + ["REFUSED"] * 5 + [
        "IGNORED"
    ] * 2
    assert all(not o.log and not o.changes for o in outcomes)
    assert node.snapshot() == before


def test_order_of_exit_timers_state_actions_entry(node: Node) -> None:
    start(node)
    outcome = step(node)
    shown = [(e.kind, e.name, e.values) for e in outcome.effects]
    assert shown == [
        ("arm", "Worker_BUSY", (1, 500)),
        ("device", "log", (1,)),
        ("device", "log", (3,)),
    ]
    assert devices(step(node, urgent=1)) == [("log", 4), ("log", 5)]
    assert node.state_of("Worker", 1) == "BUSY.WORKING"
    outcome = node.deliver("Worker", "cancel", 1)
    assert [e.kind for e in outcome.effects] == ["device", "cancel", "device"]
    assert node.state_of("Worker", 1) == "none"
    assert node.armed() == []


def test_expiry_runs_the_row_and_disarms(node: Node) -> None:
    start(node)
    step(node)
    (timer, instance) = node.armed()[0]
    assert (timer.name, instance) == ("Worker_BUSY", 1)
    outcome = node.expire("Worker_BUSY", 1)
    assert outcome.transitions == ["Worker.PREPARING.after_BUSY.0"]
    assert ("finished", 1, 2, 3, 1, 0) in devices(outcome)
    assert node.value("jobs_lost") == 1
    with pytest.raises(ValueError, match="not running"):
        node.expire("Worker_BUSY", 1)


def test_arithmetic_wraps_and_narrow_keeps_the_low_bits(node: Node) -> None:
    assert changes(node, start(node))["Clerk.total"] == (0, 0xFFFFFFFF)
    outcome = node.deliver("Clerk", "give", 0, [1, 1])
    # 1 + 255 does not fit u8: nothing is left of it in visits and narrow, which therefore do not change.
    assert changes(node, outcome) == {"Clerk.total": (0xFFFFFFFF, 255)}


def test_bits_and_guards(node: Node) -> None:
    start(node)
    step(node)
    assert step(node, size=1).transitions == ["Worker.PREPARING.step.2"]
    assert node.value("Job[1].steps") == 2
    assert step(node, size=39).transitions == ["Worker.PREPARING.step.2"]
    # has_all(j.steps, 0, 2): 1 is set, 0 cannot be (sizes begin at 1).
    assert step(node, size=1).transitions == ["Worker.PREPARING.step.2"]


def test_parameters(program: Program) -> None:
    node = Node(program, {"patience": 7})
    start(node)
    assert step(node).effects[0].values == (1, 7)
    with pytest.raises(ValueError, match="1 to 1000"):
        node.set_parameter("patience", 0)
    with pytest.raises(ValueError, match="there are: patience"):
        Node(program, {"patienc": 7})


def test_snapshots_and_nodes_are_independent(program: Program) -> None:
    one, two = Node(program), Node(program)
    begin = one.snapshot()
    start(one)
    assert two.instances("Worker") == []
    one.restore(begin)
    assert one.snapshot() == two.snapshot()


def working(node: Node) -> None:
    start(node)
    step(node)


def dropped(node: Node) -> None:
    working(node)
    node.deliver("Worker", "drop", 1)
    start(node)


BREACHES: list[
    tuple[str, Callable[[Node], object], Callable[[Node], object], str, str]
] = [
    (
        "element",
        lambda n: None,
        lambda n: n.deliver("Clerk", "give", 0, [0, 2]),
        "jobs.hsm:79",
        "index 2 is outside Desk.visits, which has 2 elements",
    ),
    (
        "record",
        lambda n: None,
        lambda n: n.deliver("Clerk", "give", 0, [4, 0]),
        "jobs.hsm:79",
        "4 is outside Desk, which has 4 records",
    ),
    (
        "bit",
        working,
        lambda n: step(n, size=40),
        "jobs.hsm:55",
        "index 40 is outside Job.steps, which has 40 bits",
    ),
    (
        "range",
        lambda n: None,
        lambda n: n.deliver("Clerk", "give", 0, [0, 204]),
        "jobs.hsm:78",
        "4 is outside the range 0..3 of Clerk.level",
    ),
    (
        "never",
        lambda n: None,
        lambda n: n.deliver("Clerk", "hire"),
        "jobs.hsm:81",
        "Clerk gets hire in state READY, where the spec says it cannot come",
    ),
    (
        "double arm",
        dropped,
        step,
        "jobs.hsm:47",
        "timer Worker_BUSY[1] is armed, but runs already",
    ),
]


@pytest.mark.parametrize("breach", BREACHES, ids=lambda b: b[0])
def test_a_breach_is_told_by_place_and_undone(
    node: Node,
    breach: tuple[str, Callable[[Node], object], Callable[[Node], object], str, str],
) -> None:
    _, before, event, place, complaint = breach
    before(node)
    state = node.snapshot()
    with pytest.raises(ContractViolation) as caught:
        event(node)
    assert str(caught.value).startswith(f"{place}: {complaint}")
    assert node.snapshot() == state


def test_none_is_no_record(node: Node) -> None:
    """The compiler lets no reference that may be none be used: only a fault of memory makes one."""
    working(node)
    step(node, urgent=1)
    node.state[node.layout.by_name["Job[1].next"]] = 0
    with pytest.raises(ContractViolation, match="58: none is no record of Job"):
        step(node)


SNIPPET = """protocol snippet "One row."
pool Item[2] written by P
  size: u32
  seen: bits[40]
device told(n: u32)
function again(n: u32): Item = Found[n & 1].item
table Found[2] written by P
  item: Item
process P(i: Item)
  external event begin(n: u32) creates
  external event go(n: u32 range 0..0xFFFFFFFF)
  state A initial
    on begin(n) / i.size := n; Found[1].item := i
    on go(n)
{row}
  state B
    ignore begin, go
placement base "A."
  P on A
action let_go(other: Item)
  if other != none
    release other
"""


@pytest.mark.parametrize(
    "row, value, complaint",
    [
        ("      told(1 << n)", 32, "shift by 32: more than 31"),
        ("      told(n >> n)", 99, "shift by 99: more than 31"),
        (
            "      told(1 if has_all(i.seen, 0, n) else 0)",
            32,
            "32 bits are asked for: at most 31 at once",
        ),
        (
            "      told(1 if has_all(i.seen, 30, n) else 0)",
            11,
            "bits 30 to 40 are asked for of a set of 40",
        ),
        (
            "      release i; let_go(again(n))",
            1,
            "Item 1 is released, but is not in use",
        ),
    ],
)
def test_more_breaches(tmp_path: Path, row: str, value: int, complaint: str) -> None:
    spec = tmp_path / "snippet.hsm"
    row = row.replace("      ", "      else / ", 1)
    spec.write_text(SNIPPET.format(row=row))
    node = Node(Program(hsmc.compile_spec(spec)))
    node.deliver("P", "begin", 0, [1])
    with pytest.raises(ContractViolation) as caught:
        node.deliver("P", "go", 1, [value])
    line = 22 if "let_go" in row else 15
    assert str(caught.value) == f"snippet.hsm:{line}: {complaint}"


def test_never_is_logged_where_asked(program: Program) -> None:
    node = Node(program, strict=False)
    outcome = node.deliver("Clerk", "hire")
    assert outcome.verdict == Verdict.DONE
    assert [(e.kind, e.name) for e in outcome.effects] == [("never", "Clerk.hire")]


def test_what_c_could_not_even_be_given_is_the_callers_mistake(node: Node) -> None:
    with pytest.raises(ValueError, match="u16, which cannot hold 65536"):
        node.deliver("Worker", "start", 0, [(65536, 0, 1)])
    with pytest.raises(ValueError, match="takes 1 arguments"):
        node.deliver("Worker", "start", 0, [])
    with pytest.raises(ValueError, match="no external event Clerk.place"):
        node.deliver("Clerk", "place", 0, [1, ORDER])
