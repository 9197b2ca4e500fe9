# SPDX-License-Identifier: MIT
"""Generated units of two processors: the C that the back end writes, run in every order of single loads and stores.

What is searched are both units of orders.hsm (units.c), with the macros and functions of its orders_nic.h by which an image
puts and takes messages and locks. Clerk, on A, gives orders, hints and questions at any time, and looks which order has been
packed; Packer, on B, packs an order at any time. The counters of both queues, and of how often the record has been
released, begin at the end of their range: all of them wrap in each search. Where the C may keep data in registers, only the compiler's barriers prevent it. Properties, each named in the
verdict that it does not hold:

* common_data_under_lock: data that both processors use are read and written by the processor that has the lock, but for
  words that are shared.
* shared_word_volatile: a word that is shared is read and written by volatile accesses, so the compiler makes one access of
  each use, and keeps no old value in a register.
* seen_as_packed: a look at the shared word shows no order before it is packed.
* lock_given_back_by_its_holder: no processor gives back a lock that it has not.
* hint_for_its_order: a hint or question is taken for the order it was given for, or not at all.
* told_as_packed: of each order Clerk tells once, in their order, with number and weight as Packer wrote them.
* never_event: no event comes where the spec says `never`.
* no_wild_pointer: a message is written where there is room for it, and read where there is one.
* all_delivered, no_lost_wake_up: from every state that can come the end is in reach, and there all orders have been told,
  all answers to questions have been heard, the last order has been seen, and no message is left. So no processor waits for ever for room, for the
  lock, or for a message that is there.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Optional

from . import c_code
from .interleaving import (
    Found,
    Interleaving,
    Memory,
    Pointer,
    Value,
    Violated,
    about_to_wrap,
)
from .llvm_text import Module

SPEC = "models/proof/orders.hsm"
LOCK, WAKE_UP = "lock", "wake-up"
STATE, QUEUES = "@orders_state_", "@orders_raises"
SHARED = "@orders_state_bench"
RELEASES = "@orders_order_releases"
PUT, TAKEN = 0, 1  # members of a queue
# What Clerk does: order 1, and so on; after each these, unless it has heard before that the order is packed.
ORDERS = (("question", "question", "hint"), ("hint",))
ORDERED, SAID, TOLD, PACKING, ASKED, HEARD, PACKED, SEEN = range(8)  # places in `ghost`


class Shop:
    """What is around the units. `ghost`: orders given, what has been said of the last one, orders told; the order that Packer
    packs, or 0; hints and questions taken, and questions heard; orders packed, and the last one seen.
    """

    def __init__(self, modules: list[Module]) -> None:
        self.ghost: tuple[int, ...] = (0,) * 8
        module = modules[0]
        queues = module.objects[QUEUES[1:]]
        # Of each queue: where it counts what is put, and what is taken.
        self.queues = [
            [module.offset(queues, (0, queue, member)) for member in (PUT, TAKEN)]
            for queue in (0, 1)
        ]
        places = [(0, queue, member) for queue in (0, 1) for member in (PUT, TAKEN)]
        self.memory = about_to_wrap(module, QUEUES, queues, places)
        # A fault may leave all uses of it out.
        for module in modules:
            if RELEASES[1:] in module.objects:
                releases = module.objects[RELEASES[1:]]
                self.memory |= about_to_wrap(module, RELEASES, releases, [(0, 0)])

    def load(self, thread: int, memory: Memory, at: Pointer, volatile: bool) -> int:
        if at.object == LOCK:
            if memory.get((LOCK, 0), 0) == 0:
                memory[LOCK, 0] = 1 + thread
                return 1
            return 0
        self._check_access(thread, memory, at, volatile)
        return memory.get((at.object, at.offset), 0)

    def store(
        self, thread: int, memory: Memory, at: Pointer, value: int, volatile: bool
    ) -> None:
        if at.object == LOCK and memory.get((LOCK, 0), 0) != 1 + thread:
            raise Violated("lock_given_back_by_its_holder", f"processor {thread}")
        self._check_access(thread, memory, at, volatile)
        memory[at.object, at.offset] = value

    @staticmethod
    def _check_access(thread: int, memory: Memory, at: Pointer, volatile: bool) -> None:
        if at.object == SHARED:
            if not volatile:
                raise Violated("shared_word_volatile", f"processor {thread}")
            return
        if at.object.startswith(STATE) and memory.get((LOCK, 0), 0) != 1 + thread:
            name = at.object.removeprefix(STATE)
            raise Violated("common_data_under_lock", f"processor {thread} uses {name}")

    def call(
        self,
        thread: int,
        name: str,
        arguments: list[Value],
        memory: Memory,
        ghost: list[int],
    ) -> Optional[Value]:
        numbers = [value for value in arguments if isinstance(value, int)]
        if name == "lock_word":
            return Pointer(LOCK, 0)
        if name == "wake_up_of":
            return Pointer(WAKE_UP, 4 * numbers[0])
        if name == "lowest_bit":
            return (numbers[0] & -numbers[0]).bit_length() - 1
        if name == "number_of_order":
            return ghost[ORDERED]
        if name == "next_order":
            if ghost[TOLD] < ghost[ORDERED] or ghost[ORDERED] == len(ORDERS):
                return 0
            ghost[ORDERED], ghost[SAID] = ghost[ORDERED] + 1, 0
            return 1
        if name in ("next_hint", "next_question"):
            rest = ORDERS[ghost[ORDERED] - 1][ghost[SAID] :]
            if ghost[TOLD] == ghost[ORDERED] or rest[:1] != (
                name.removeprefix("next_"),
            ):
                return 0
            ghost[SAID] += 1
            return 1
        if name == "next_wrapped":
            if ghost[PACKING] == 0:
                return 0
            ghost[PACKED], ghost[PACKING] = ghost[PACKING], 0
            return 1
        if name == "next_look":
            return int(ghost[SEEN] < ghost[ORDERED])
        if name == "finished":
            return int(self.ended(tuple(ghost)) and not self._left(memory))
        self._told(name, numbers, ghost)
        return None

    def _told(self, name: str, numbers: list[int], ghost: list[int]) -> None:
        """What the machines do with devices."""
        if name == "orders_device_packs":
            ghost[PACKING] = numbers[0]
        elif name in ("orders_device_hinted", "orders_device_asked_for"):
            if numbers[0] != ghost[ORDERED] or ghost[PACKING] != numbers[0]:
                raise Violated("hint_for_its_order", f"a hint for {numbers[0]}")
            ghost[ASKED] += name == "orders_device_asked_for"
        elif name == "orders_device_heard":
            ghost[HEARD] += 1
        elif name == "orders_device_seen":
            if numbers[0] > ghost[PACKED]:
                raise Violated("seen_as_packed", f"order {numbers[0]}")
            ghost[SEEN] = numbers[0]
        elif name == "orders_device_told":
            expected = ghost[TOLD] + 1
            if numbers != [expected, expected + 1000]:
                raise Violated("told_as_packed", f"order {expected}: {numbers}")
            ghost[TOLD] = expected
        elif name == "nic_on_never":
            raise Violated("never_event", "an event comes where the spec says never")
        else:
            raise Violated("no_other_call", f"{name} is called")

    def _left(self, memory: Memory) -> bool:
        """Is a message in a queue?"""
        return any(
            memory[QUEUES, put] != memory[QUEUES, taken] for put, taken in self.queues
        )

    def ended(self, ghost: tuple[int, ...]) -> bool:
        told = ghost[TOLD] == ghost[SEEN] == len(ORDERS)
        return told and ghost[HEARD] == ghost[ASKED]


# Messages that a queue holds, in the searches of the proof.
LIMITS = (1, 2)


def prove(directory: pathlib.Path) -> tuple[list[str], int]:
    """What holds, in words, and the states in all. Raises Violated."""
    told, states = [], 0
    for limit in LIMITS:
        found = search(limit, directory, [])
        states += found.states
        told.append(
            f"{len(ORDERS)} orders, with hints and questions, through queues of {limit}: {found.states} states, "
            f"{found.steps} steps, depth {found.depth}, all orders of loads and stores"
        )
    return told, states


def search(limit: int, directory: pathlib.Path, tree: list[pathlib.Path]) -> Found:
    """Every order of accesses. `tree`: where compiler, spec and C are looked for before those of the repository. Raises
    Violated."""
    compiler = next(
        path for path in (*tree, c_code.ROOT) if (path / "gen/bin/hsmc").exists()
    )
    spec = next(path / SPEC for path in (*tree, c_code.ROOT) if (path / SPEC).exists())
    subprocess.run(
        [
            *(sys.executable, compiler / "gen/bin/hsmc", "build", spec, "--nic"),
            *("--placement", "TWO", "--output", directory),
        ],
        check=True,
    )
    modules = [
        c_code.compile_text(
            f"#define NIC_PROCESSOR {number}\n#define NIC_MESSAGE_LIMIT {limit}u\n"
            f'#define UNIT "orders_{name}.c"\n#include "models/proof/units.c"\n',
            directory,
            f"unit_{name}",
            [directory, *tree],
            optimised=True,
        )
        for number, name in enumerate("ab")
    ]
    threads = [(module, "run") for module in modules]
    return Interleaving(threads, Shop(modules)).search()
