# SPDX-License-Identifier: MIT
"""The proof of lock, signals and queues (`make prove`, subject processors) holds, and each fault violates the property named:
faults of the C that ships, and faults of how its users use it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

from models.proof import processors  # noqa: E402
from models.proof.interleaving import Violated  # noqa: E402
from models.proof.processors import HARNESS, Traffic  # noqa: E402
from tests.long_tests import one_in  # noqa: E402

LOCK = "fw-runtime/port/tigon2/processors.h"
EVENT = "fw-runtime/port/tigon2/processors.c"
QUEUE = "fw-runtime/messages.h"
USER = ""  # the harness

ONE_WAY = Traffic((0, 2), 1)
BOTH_WAYS = Traffic((1, 1), 1)
TWO_SLOTS = Traffic((0, 2), 2)

# File, what stands there, what the fault makes of it, the traffic that shows it, and the property that it violates.
FAULTS: dict[str, tuple[str, str, str, Traffic, str]] = {
    "the lock is left out": (
        LOCK,
        "    TIGON2_REGISTER(OWN_SEMAPHORE) = 1;\n    while (",
        "    while (0 && ",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    "a waiter does not look whether it has the lock": (
        LOCK,
        "    while (__builtin_expect(TIGON2_REGISTER(OWN_SEMAPHORE) == 0, 0)) {",
        "    if (TIGON2_REGISTER(OWN_SEMAPHORE) == 0) {",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    "a waiter writes once": (
        LOCK,
        "        tigon2_count_wait();\n        TIGON2_REGISTER(OWN_SEMAPHORE) = 1;\n",
        "        tigon2_count_wait();\n",
        BOTH_WAYS,
        "no_lost_wake_up",
    ),
    "the lock is not given back": (
        LOCK,
        "    if (--tigon2_lock_depth == 0)\n        TIGON2_REGISTER(OWN_SEMAPHORE) = 1;",
        "    --tigon2_lock_depth;",
        BOTH_WAYS,
        "no_lost_wake_up",
    ),
    "the inner unlock gives the lock back": (
        LOCK,
        "    if (--tigon2_lock_depth == 0)",
        "    if (--tigon2_lock_depth <= 1)",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    "the signal is set without the lock": (
        LOCK,
        "    nic_lock();\n    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;\n    nic_unlock();",
        "    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    "a bit of the own word is set without the lock": (
        LOCK,
        "    nic_lock();\n    TIGON2_REGISTER(OWN_EVENT) |= 1u << event;\n    nic_unlock();",
        "    TIGON2_REGISTER(OWN_EVENT) |= 1u << event;",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    "the own bit goes last": (
        EVENT,
        "    tigon2_withdraw(TIGON2_EVENT_SIGNAL);\n    nic_processor_counters.wake_ups++;\n    nic_on_signal();",
        "    nic_on_signal();\n    tigon2_withdraw(TIGON2_EVENT_SIGNAL);",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    "a full queue takes one more": (
        QUEUE,
        "put - queue->taken == NIC_MESSAGE_LIMIT ? NULL",
        "put - queue->taken > NIC_MESSAGE_LIMIT ? NULL",
        ONE_WAY,
        "frame_kept",
    ),
    "a message is taken twice": (
        QUEUE,
        "    queue->taken = queue->taken + 1u;",
        "    (void)queue;",
        ONE_WAY,
        "message_in_order",
    ),
    "an empty queue is looked into": (
        QUEUE,
        "    return queue->put == taken ? NULL",
        "    return queue->put + 1u == taken ? NULL",
        TWO_SLOTS,
        "message_whole",
    ),
    "the message is put before it is written": (
        USER,
        "    words[0] = number;\n    words[1] = ~number;\n    nic_message_put(queue_to(OTHER));",
        "    nic_message_put(queue_to(OTHER));\n    words[0] = number;\n    words[1] = ~number;",
        TWO_SLOTS,
        "message_whole",
    ),
    "the signal comes before the message": (
        USER,
        "    nic_message_put(queue_to(OTHER));\n    nic_signal();",
        "    nic_signal();\n    nic_message_put(queue_to(OTHER));",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    "the frame is filled when its message is out": (
        USER,
        "    *frame_of(OTHER, number) = number;\n    words[0] = number;\n    words[1] = ~number;\n"
        "    nic_message_put(queue_to(OTHER));",
        "    words[0] = number;\n    words[1] = ~number;\n    nic_message_put(queue_to(OTHER));\n"
        "    *frame_of(OTHER, number) = number;",
        ONE_WAY,
        "frame_kept",
    ),
    "the frame is given back before it is read": (
        USER,
        "        delivered(number, check, *frame_of(NIC_PROCESSOR, number));\n        nic_message_taken(queue);",
        "        nic_message_taken(queue);\n        delivered(number, check, *frame_of(NIC_PROCESSOR, number));",
        ONE_WAY,
        "frame_kept",
    ),
    "the room is not told": (
        USER,
        "        nic_message_taken(queue);\n        nic_signal();",
        "        nic_message_taken(queue);",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    "one message for each signal": (
        USER,
        "    while ((words = nic_message_first(queue)) != NULL) {",
        "    if ((words = nic_message_first(queue)) != NULL) {",
        TWO_SLOTS,
        "no_lost_wake_up",
    ),
}


def test_lock_signals_and_queues_are_proved(tmp_path: Path) -> None:
    for traffic in (ONE_WAY, BOTH_WAYS):
        found = processors.search(traffic, tmp_path, [])
        assert found.states > 1000


@pytest.mark.parametrize("name", one_in(4, FAULTS))
def test_a_fault_violates_its_property(name: str, tmp_path: Path) -> None:
    file, text, fault, traffic, property = FAULTS[name]
    harness = HARNESS
    if file == USER:
        assert harness.count(text) == 1
        harness = harness.replace(text, fault)
    else:
        faulty = tmp_path / file
        faulty.parent.mkdir(parents=True)
        original = (ROOT / file).read_text()
        assert original.count(text) == 1
        faulty.write_text(original.replace(text, fault))
    with pytest.raises(Violated) as violated:
        processors.search(traffic, tmp_path, [tmp_path], harness)
    assert violated.value.property == property
