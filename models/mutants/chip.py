# SPDX-License-Identifier: MIT
"""Mutants of lock, signals and queue: of the C that ships, and of how models/proof/processors.c uses it."""

from __future__ import annotations

from ..proof.processors import Traffic
from .mutant import Accesses, Mutant

LOCK = "fw-runtime/port/tigon2/processors.h"
EVENT = "fw-runtime/port/tigon2/processors.c"
QUEUE = "fw-runtime/messages.h"
USER = "models/proof/processors.c"

ONE_WAY = Accesses(Traffic((0, 2), 1))
BOTH_WAYS = Accesses(Traffic((1, 1), 1))
TWO_SLOTS = Accesses(Traffic((0, 2), 2))
TWO_SLOTS_HALF = Accesses(Traffic((0, 2), 2, ones=16))
THREE_IN_ONE = Accesses(Traffic((0, 3), 1))
THREE_IN_TWO = Accesses(Traffic((0, 3), 2))

MUTANTS = [
    Mutant(
        "the lock is left out",
        LOCK,
        "    TIGON2_REGISTER(OWN_SEMAPHORE) = 1;\n" "    while (",
        "    while (0 && ",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    Mutant(
        "a waiter does not look whether it has the lock",
        LOCK,
        "    while (__builtin_expect(TIGON2_REGISTER(OWN_SEMAPHORE) == 0, 0)) {",
        "    if (TIGON2_REGISTER(OWN_SEMAPHORE) == 0) {",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    Mutant(
        "a waiter writes once",
        LOCK,
        "        tigon2_count_wait();\n"
        "        TIGON2_REGISTER(OWN_SEMAPHORE) = 1;\n",
        "        tigon2_count_wait();\n",
        BOTH_WAYS,
        "no_lost_wake_up",
    ),
    Mutant(
        "the lock is not given back",
        LOCK,
        "    if (--tigon2_lock_depth == 0)\n"
        "        TIGON2_REGISTER(OWN_SEMAPHORE) = 1;",
        "    --tigon2_lock_depth;",
        BOTH_WAYS,
        "no_lost_wake_up",
    ),
    Mutant(
        "the inner unlock gives the lock back",
        LOCK,
        "    if (--tigon2_lock_depth == 0)",
        "    if (--tigon2_lock_depth <= 1)",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    Mutant(
        "the signal is set without the lock",
        LOCK,
        "    nic_lock();\n"
        "    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;\n"
        "    nic_unlock();",
        "    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "a bit of the own word is set without the lock",
        LOCK,
        "    nic_lock();\n"
        "    TIGON2_REGISTER(OWN_EVENT) |= 1u << event;\n"
        "    nic_unlock();",
        "    TIGON2_REGISTER(OWN_EVENT) |= 1u << event;",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "the own bit goes last",
        EVENT,
        "    tigon2_withdraw(TIGON2_EVENT_SIGNAL);\n"
        "    nic_processor_counters.wake_ups++;\n"
        "    nic_on_signal();",
        "    nic_on_signal();\n" "    tigon2_withdraw(TIGON2_EVENT_SIGNAL);",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "a full queue takes one more",
        QUEUE,
        "put - queue->taken == NIC_MESSAGE_LIMIT ? NULL",
        "put - queue->taken > NIC_MESSAGE_LIMIT ? NULL",
        ONE_WAY,
        "frame_kept",
    ),
    Mutant(
        "a message is taken twice",
        QUEUE,
        "    queue->taken = queue->taken + 1u;",
        "    (void)queue;",
        ONE_WAY,
        "message_in_order",
    ),
    Mutant(
        "an empty queue is looked into",
        QUEUE,
        "    return queue->put == taken ? NULL",
        "    return queue->put + 1u == taken ? NULL",
        TWO_SLOTS,
        "message_whole",
    ),
    Mutant(
        "the message is put before it is written",
        USER,
        "    words[0] = number;\n"
        "    words[1] = ~number;\n"
        "    nic_message_put(queue_to(OTHER));",
        "    nic_message_put(queue_to(OTHER));\n"
        "    words[0] = number;\n"
        "    words[1] = ~number;",
        TWO_SLOTS,
        "message_whole",
    ),
    Mutant(
        "the signal comes before the message",
        USER,
        "    nic_message_put(queue_to(OTHER));\n" "    nic_signal();",
        "    nic_signal();\n" "    nic_message_put(queue_to(OTHER));",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "the frame is filled when its message is out",
        USER,
        "    *frame_of(OTHER, number) = number;\n"
        "    words[0] = number;\n"
        "    words[1] = ~number;\n"
        "    nic_message_put(queue_to(OTHER));",
        "    words[0] = number;\n"
        "    words[1] = ~number;\n"
        "    nic_message_put(queue_to(OTHER));\n"
        "    *frame_of(OTHER, number) = number;",
        ONE_WAY,
        "frame_kept",
    ),
    Mutant(
        "the frame is given back before it is read",
        USER,
        "        delivered(number, check, *frame_of(NIC_PROCESSOR, number));\n"
        "        nic_message_taken(queue);",
        "        nic_message_taken(queue);\n"
        "        delivered(number, check, *frame_of(NIC_PROCESSOR, number));",
        ONE_WAY,
        "frame_kept",
    ),
    Mutant(
        "the room is not told",
        USER,
        "        nic_message_taken(queue);\n" "        nic_signal();",
        "        nic_message_taken(queue);",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "one message for each signal",
        USER,
        "    while ((words = nic_message_first(queue)) != NULL) {",
        "    if ((words = nic_message_first(queue)) != NULL) {",
        TWO_SLOTS,
        "no_lost_wake_up",
    ),
    Mutant(
        "both processors write the semaphore of A",
        LOCK,
        "#define TIGON2_OWN_SEMAPHORE   TIGON2_SEMAPHORE_B",
        "#define TIGON2_OWN_SEMAPHORE   TIGON2_SEMAPHORE_A",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    Mutant(
        "an inner lock writes the semaphore again",
        LOCK,
        "    if (tigon2_lock_depth++ != 0)\n" "        return;\n",
        "    tigon2_lock_depth++;\n",
        BOTH_WAYS,
        "mutual_exclusion",
    ),
    Mutant(
        "the lock is given back before the signal is stored",
        LOCK,
        "    nic_lock();\n"
        "    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;\n"
        "    nic_unlock();",
        "    nic_lock();\n"
        "    uint32_t events = TIGON2_REGISTER(OTHER_EVENT);\n"
        "    nic_unlock();\n"
        "    TIGON2_REGISTER(OTHER_EVENT) = events | 1u << TIGON2_EVENT_SIGNAL;",
        BOTH_WAYS,
        "no_lost_wake_up",
    ),
    Mutant(
        "the lock is taken after the event word is read",
        LOCK,
        "    nic_lock();\n"
        "    TIGON2_REGISTER(OWN_EVENT) &= ~(1u << event);\n"
        "    nic_unlock();",
        "    uint32_t events = TIGON2_REGISTER(OWN_EVENT);\n"
        "    nic_lock();\n"
        "    TIGON2_REGISTER(OWN_EVENT) = events & ~(1u << event);\n"
        "    nic_unlock();",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "all bits of the own word are withdrawn",
        LOCK,
        "&= ~(1u << event);",
        "= 0u * event;",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "the signal goes to the own processor",
        LOCK,
        "TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;",
        "TIGON2_REGISTER(OWN_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "the own bit is withdrawn behind the messages, if it is still set",
        EVENT,
        "    tigon2_withdraw(TIGON2_EVENT_SIGNAL);\n"
        "    nic_processor_counters.wake_ups++;\n"
        "    nic_on_signal();",
        "    nic_on_signal();\n"
        "    nic_processor_counters.wake_ups++;\n"
        "    if (tigon2_raised(TIGON2_EVENT_SIGNAL))\n"
        "        tigon2_withdraw(TIGON2_EVENT_SIGNAL);",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "the mask of slots to be written has one bit too few",
        QUEUE,
        "queue->slots[put & (NIC_MESSAGE_LIMIT - 1u)]",
        "queue->slots[put & (NIC_MESSAGE_LIMIT - 2u)]",
        TWO_SLOTS,
        "message_whole",
    ),
    Mutant(
        "the mask of slots to be read has one bit too many",
        QUEUE,
        "queue->slots[taken & (NIC_MESSAGE_LIMIT - 1u)]",
        "queue->slots[taken & (2u * NIC_MESSAGE_LIMIT - 1u)]",
        THREE_IN_TWO,
        "message_whole",
    ),
    Mutant(
        "the newest message is taken first",
        QUEUE,
        "queue->slots[taken & (NIC_MESSAGE_LIMIT - 1u)]",
        "queue->slots[(queue->put - 1u) & (NIC_MESSAGE_LIMIT - 1u)]",
        TWO_SLOTS,
        "message_in_order",
    ),
    Mutant(
        "a message is put as two",
        QUEUE,
        "    queue->put = queue->put + 1u;",
        "    queue->put = queue->put + 2u;",
        TWO_SLOTS,
        "message_whole",
    ),
    Mutant(
        "all that have been put count as taken with one",
        QUEUE,
        "    queue->taken = queue->taken + 1u;",
        "    queue->taken = queue->put;",
        THREE_IN_TWO,
        "message_in_order",
    ),
    Mutant(
        "a message for a full queue is dropped",
        USER,
        "    if (words == NULL)\n" "        return;\n" "    number = next_to_send();",
        "    number = next_to_send();\n" "    if (words == NULL)\n" "        return;",
        THREE_IN_ONE,
        "message_in_order",
    ),
    Mutant(
        "the message is given back before its second word is read",
        USER,
        "        uint32_t check = words[1];\n"
        "        delivered(number, check, *frame_of(NIC_PROCESSOR, number));\n"
        "        nic_message_taken(queue);",
        "        uint32_t frame = *frame_of(NIC_PROCESSOR, number);\n"
        "        nic_message_taken(queue);\n"
        "        delivered(number, words[1], frame);",
        ONE_WAY,
        "message_whole",
    ),
    Mutant(
        "a sender that finds its queue full withdraws its own signal",
        USER,
        "    tigon2_withdraw(WORK);\n" "    if (words == NULL)",
        "    if (words == NULL)\n"
        "        tigon2_withdraw(TIGON2_EVENT_SIGNAL);\n"
        "    tigon2_withdraw(WORK);\n"
        "    if (words == NULL)",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "a queue is full by its counters' lower 16 bits",
        QUEUE,
        "    return put - queue->taken == NIC_MESSAGE_LIMIT ? NULL",
        "    return (put & 0xFFFFu) - (queue->taken & 0xFFFFu) == NIC_MESSAGE_LIMIT ? NULL",
        ONE_WAY,
        "frame_kept",
    ),
    Mutant(
        "a queue is empty until more has been put than taken",
        QUEUE,
        "    return queue->put == taken ? NULL",
        "    return queue->put <= taken ? NULL",
        ONE_WAY,
        "no_lost_wake_up",
    ),
    Mutant(
        "a queue counts what is put in 16 bits",
        QUEUE,
        "    queue->put = queue->put + 1u;",
        "    queue->put = (queue->put + 1u) & 0xFFFFu;",
        TWO_SLOTS_HALF,
        "message_whole",
    ),
]
