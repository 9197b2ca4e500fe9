# SPDX-License-Identifier: MIT
"""The order in which things happen: local transitions, history, deferred events, on the specs of the language's features."""

from __future__ import annotations

from pathlib import Path

import hsmc
import pytest
from hsmc.interpreter.interpreter import Node, Outcome, Program, Verdict
from hsmc.interpreter.node_state import ContractViolation

FEATURES = Path(__file__).resolve().parents[1] / "compiler" / "features"


def node_of(name: str) -> Node:
    return Node(Program(hsmc.compile_spec(FEATURES / f"{name}.hsm")))


def calls(outcome: Outcome) -> list[tuple[object, ...]]:
    """Device operations and timers, in order."""
    return [
        (e.name if e.kind == "device" else f"{e.kind} {e.name}", *e.values)
        for e in outcome.effects
        if e.kind in ("device", "arm", "cancel")
    ]


# --- local


def test_a_local_row_does_not_leave_its_state() -> None:
    node = node_of("local")
    assert calls(node.deliver("Machine", "near")) == [
        ("leave", 11),
        ("arm Machine_B", 0, 100),
        ("act", 1),
        ("enter", 12),
    ]


def test_the_same_row_without_local_leaves_it_and_starts_its_timer_anew() -> None:
    node = node_of("local")
    assert calls(node.deliver("Machine", "near_outside")) == [
        ("leave", 11),
        ("leave", 1),
        ("cancel Machine_OUTER", 0),
        ("arm Machine_OUTER", 0, 500),
        ("arm Machine_B", 0, 100),
        ("act", 2),
        ("enter", 1),
        ("enter", 12),
    ]


def test_a_local_row_leaves_what_is_active_inside_even_around_its_target() -> None:
    node = node_of("local")
    node.deliver("Machine", "deep")
    assert node.state_of("Machine") == "OUTER.C.CC"
    assert calls(node.deliver("Machine", "deep")) == [
        ("leave", 132),
        ("leave", 13),
        ("cancel Machine_C", 0),
        ("arm Machine_C", 0, 200),
        ("enter", 13),
        ("enter", 132),
    ]


def test_the_expiry_of_an_outer_timer_goes_inside_and_the_timer_is_not_armed_again() -> (
    None
):
    node = node_of("local")
    node.deliver("Machine", "near")
    outcome = node.expire("Machine_OUTER")
    assert ("enter", 11) in calls(outcome) and ("leave", 1) not in calls(outcome)
    assert node.armed() == []


# --- history


def test_history_goes_back_to_the_child_and_from_there_to_its_initial_state() -> None:
    node = node_of("history")
    for event in ("next", "next", "next"):
        node.deliver("Machine", event)
    assert node.state_of("Machine") == "RUN.DEEP.RIGHT"
    node.deliver("Machine", "pause")
    outcome = node.deliver("Machine", "resume", 0, [0])
    assert node.state_of("Machine") == "RUN.DEEP.LEFT"  # shallow
    assert outcome.transitions == ["Machine.PAUSED.resume.1"]
    assert calls(outcome)[1:] == [("enter", 1), ("enter", 13), ("enter", 131)]


def test_each_state_has_its_own_history() -> None:
    node = node_of("history")
    for event in ("next", "next", "next", "pause"):
        node.deliver("Machine", event)
    outcome = node.deliver("Machine", "resume", 0, [11])
    assert node.state_of("Machine") == "RUN.DEEP.RIGHT"
    assert node.value("Machine.resumed") == 11
    assert outcome.transitions == ["Machine.PAUSED.resume.3"]


def test_without_a_history_it_is_the_initial_state() -> None:
    node = node_of("history")
    node.deliver("Machine", "pause")
    outcome = node.deliver("Machine", "resume", 0, [11])
    assert node.state_of("Machine") == "RUN.DEEP.LEFT"
    assert outcome.transitions == ["Machine.PAUSED.resume.5"]


def test_from_inside_the_child_that_is_active_is_entered_again() -> None:
    node = node_of("history")
    node.deliver("Machine", "next")
    outcome = node.deliver("Machine", "again")
    assert node.state_of("Machine") == "RUN.TWO"
    assert calls(outcome) == [("leave", 12), ("leave", 1), ("enter", 1), ("enter", 12)]


def test_history_of_a_record_is_its_own_and_goes_with_it() -> None:
    node = node_of("history")
    for _ in range(2):
        node.deliver("Worker", "begin")
    node.deliver("Worker", "step", 1)
    for instance in (1, 2):
        node.deliver("Worker", "stop", instance)
        node.deliver("Worker", "go", instance)
    assert node.state_of("Worker", 1) == "WORK.B"
    assert node.state_of("Worker", 2) == "WORK.A"
    node.deliver("Worker", "stop", 1)
    assert node.value("Job[1].WORK_history") == 1
    node.deliver("Worker", "go", 1)
    node.deliver("Worker", "step", 1)
    node.deliver("Worker", "step", 1)  # released
    assert node.value("Job[1].WORK_history") == 0


# --- deferred events


def parcel(node: Node, weight: int, street: int = 0) -> Outcome:
    return node.deliver("Office", "parcel", 0, [(0, weight, 7, 1), street])


def test_what_waits_comes_back_in_order_events_as_declared_each_in_full() -> None:
    node = node_of("defer")
    node.deliver("Office", "enquiry", 0, [5, 0, 0])
    for weight in (10, 20):
        outcome = parcel(node, weight)
        assert outcome.verdict == Verdict.DONE
        assert outcome.transitions == ["Office.DARK.parcel.0"]
    assert node.value("Office.waiting_parcel") == 2
    outcome = node.deliver("Office", "open")
    assert outcome.transitions == [
        "Office.DARK.open.0",
        "Office.IDLE.recall.0",
        "Office.IDLE.parcel.2",
        "Office.IDLE.recall.0",
        "Office.IDLE.parcel.2",
        "Office.IDLE.recall.1",
        "Office.IDLE.enquiry.0",
    ]
    assert calls(outcome)[1:] == [
        ("packed", 0, 10, 7, 1),
        ("packed", 0, 20, 7, 1),
        ("noted", 5, 0),
    ]
    waiting = [i for i, s in enumerate(node.layout.slots) if "waiting" in s.name]
    assert not any(node.state[i] for i in waiting)
    assert node.value("Office.Office_recall") == 0


def test_a_full_queue_refuses_and_nothing_happens() -> None:
    node = node_of("defer")
    for weight in range(3):
        assert parcel(node, weight).verdict == Verdict.DONE
    before = node.snapshot()
    outcome = parcel(node, 3)
    assert outcome.verdict == Verdict.NO_ROOM
    assert outcome.transitions == [] and node.snapshot() == before
    node.deliver("Office", "open")
    assert parcel(node, 3).verdict == Verdict.DONE


def test_what_is_recalled_may_lead_to_a_state_that_defers_the_rest() -> None:
    node = node_of("defer")
    node.deliver("Office", "enquiry", 0, [1, 0, 1])
    node.deliver("Office", "enquiry", 0, [2, 0, 0])
    node.deliver("Office", "parcel", 0, [(1, 10, 7, 1), 0])  # urgent: busy afterwards
    outcome = node.deliver("Office", "open")
    assert node.state_of("Office") == "OPEN.BUSY"
    assert node.value("Office.waiting_enquiry") == 2
    assert "noted" not in [call[0] for call in calls(outcome)]
    outcome = node.expire("Office_BUSY")
    assert calls(outcome)[1:] == [
        ("noted", 2, 0),
        ("noted", 2, 0),
    ]  # 1 + urgent, then 2


def test_an_expiry_recalls_too_and_a_row_inside_may_go_on() -> None:
    node = node_of("defer")
    for number in (1, 2, 3):
        node.deliver("Office", "enquiry", 0, [number, 0, 1])
    outcome = node.expire("Office_DARK")
    assert outcome.transitions == [
        "Office.DARK.after.0",
        "Office.LIT.recall.0",
        "Office.LIT.enquiry.0",
        "Office.IDLE.recall.1",
        "Office.IDLE.enquiry.0",
        "Office.IDLE.recall.1",
        "Office.IDLE.enquiry.0",
    ]


def test_a_final_state_drops_what_waits() -> None:
    node = node_of("defer")
    parcel(node, 10)
    node.deliver("Office", "enquiry", 0, [5, 0, 1])
    outcome = node.deliver("Office", "shut_down")
    assert outcome.transitions == ["Office.DARK.shut_down.0"]
    waiting = [i for i, s in enumerate(node.layout.slots) if "waiting" in s.name]
    assert not any(node.state[i] for i in waiting)


def test_records_have_queues_of_their_own_and_release_forgets_them() -> None:
    node = node_of("defer")
    for street in (0, 1):
        node.deliver("Drive", "leave", 0, [street])
    for stop in (1, 2):
        node.deliver("Drive", "stop_at", 0, [0, stop])
    node.deliver("Drive", "stop_at", 0, [1, 9])
    assert node.value("Van[1].waiting_stop_at") == 2
    assert node.value("Van[2].waiting_stop_at") == 1
    node.deliver("Drive", "wreck", 1)
    assert node.value("Van[1].waiting_stop_at_stop[1]") == 0
    outcome = node.expire("Drive_LOADING", 2)
    assert ("drove", 2, 9) in calls(outcome)
    assert node.value("Van[2].waiting_stop_at") == 0


def test_what_an_event_raises_is_handled_before_anything_is_recalled() -> None:
    node = node_of("defer")
    node.deliver("Office", "open")
    node.deliver("Drive", "leave", 0, [0])
    node.deliver("Drive", "arrived", 1, [4])
    outcome = node.expire("Drive_LOADING", 1)
    assert outcome.transitions == [
        "Drive.LOADING.after.0",
        "Drive.STRAIGHT.recall.0",
        "Drive.STRAIGHT.arrived.0",
        "Office.IDLE.report.0",
    ]


def test_a_raised_event_without_room_is_a_fault() -> None:
    node = node_of("defer")
    for street in (0, 1, 2):
        node.deliver("Drive", "leave", 0, [street])
    for instance in (1, 2, 3):
        node.expire("Drive_LOADING", instance)
    node.deliver("Drive", "arrived", 1, [1])
    node.deliver("Drive", "arrived", 2, [1])
    assert node.value("Office.waiting_report") == 2
    with pytest.raises(ContractViolation) as caught:
        node.deliver("Drive", "arrived", 3, [1])
    assert "where as many wait as the event keeps" in caught.value.complaint
    assert caught.value.place is not None
    line = (
        FEATURES.joinpath("defer.hsm")
        .read_text()
        .split("\n")[caught.value.place.line - 1]
    )
    assert line.strip() == "defer parcel, report"
