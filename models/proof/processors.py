# SPDX-License-Identifier: MIT
"""Lock, signals and queues of two processors: the C that ships, run in every order of single loads and stores.

What is searched is fw-runtime/messages.h and fw-runtime/port/tigon2/processors.h and .c, compiled for each processor. The
event loop around them, in assembly on the chip, is a loop in C here (processors.c): it loads its event word, then serves
one event, the highest bit first. Semaphore and event words behave as the chip's reference says (3.4, 4).

Each processor sends numbered messages to the other, one for each time it finds its event "work" set, which it sets itself:
so both processors change both event words all the time. Who finds the queue full goes on when it is signalled that there
is room. The counters of each queue begin at the end of their range, in other searches with 0xffff: so every search has
them, or their lower half, wrap with the first message, and queues that are full and empty across it. Properties, each named in the verdict that it does not hold:

* mutual_exclusion: between nic_lock and nic_unlock there is one processor, also where the lock is nested.
* message_whole: a message is read as it was written, all its words.
* message_in_order: messages come in the order they were put, none twice, none left out.
* frame_kept: the receiver reads a frame that a message names as it was when the message was put; it gives the frame back
  by taking the message, and the sender then fills it anew.
* all_delivered, no_lost_wake_up: from every state that can come the end is in reach, and there all have been taken. So
  no signal is lost, neither by the other processor nor by bits that a processor sets in its own word, and nothing ends
  in a deadlock. A processor that waits for the lock waits as long as the other one has it; that the other one is given
  the bus meanwhile is the chip's affair.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
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
from .llvm_text import Module, Structure

REGISTERS = "registers"
SEMAPHORES = {0x048: 1, 0x04C: 2}
FRAMES = "frames"
QUEUE = Structure("struct.nic_messages")
PUT, TAKEN = 0, 1  # its members


@dataclass(frozen=True)
class Traffic:
    """So many messages to each processor, and so many that a queue holds. `ones`: of the numbers with which the counters of
    the queues begin."""

    to: tuple[int, int]
    limit: int
    ones: int = 32

    def __str__(self) -> str:
        to_a, to_b = self.to
        text = f"{to_b} messages to B and {to_a} to A, queues of {self.limit}"
        return text if self.ones == 32 else f"{text}, counters from {self.first:#x}"

    @property
    def first(self) -> int:
        return (1 << self.ones) - 1


class Chip:
    """Registers, shared memory and what is counted. `ghost`: per processor, sent and delivered; then how many are in a
    section under the lock."""

    def __init__(self, traffic: Traffic, module: Module) -> None:
        self.traffic = traffic
        self.memory: Memory = {}
        for processor in (0, 1):
            self.memory |= about_to_wrap(
                module,
                f"queue to {processor}",
                QUEUE,
                ((0, PUT), (0, TAKEN)),
                traffic.ones,
            )
        self.ghost: tuple[int, ...] = (0, 0, 0, 0, 0)

    def load(self, thread: int, memory: Memory, at: Pointer, volatile: bool) -> int:
        if at.object == REGISTERS and at.offset in SEMAPHORES:
            return int(memory.get((REGISTERS, 0), 0) == SEMAPHORES[at.offset])
        return memory.get((at.object, at.offset), 0)

    def store(
        self, thread: int, memory: Memory, at: Pointer, value: int, volatile: bool
    ) -> None:
        if at.object == REGISTERS and at.offset in SEMAPHORES:
            holder = memory.get((REGISTERS, 0), 0)
            face = SEMAPHORES[at.offset]
            if holder in (0, face):
                memory[REGISTERS, 0] = face - holder
            return
        memory[at.object, at.offset] = value

    def call(
        self,
        thread: int,
        name: str,
        arguments: list[Value],
        memory: Memory,
        ghost: list[int],
    ) -> Optional[Value]:
        numbers = [value for value in arguments if isinstance(value, int)]
        own = 2 * thread
        if name == "chip_register":
            return Pointer(REGISTERS, numbers[0])
        if name == "queue_to":
            return Pointer(f"queue to {numbers[0]}", 0)
        if name == "frame_of":
            frame = numbers[1] % self.traffic.limit
            return Pointer(f"{FRAMES} to {numbers[0]}", 4 * frame)
        if name == "next_to_send":
            if ghost[own] == self.traffic.to[1 - thread]:
                return 0
            ghost[own] += 1
            return ghost[own]
        if name == "finished":
            sent_all = ghost[own] == self.traffic.to[1 - thread]
            return int(sent_all and ghost[own + 1] == self.traffic.to[thread])
        if name == "delivered":
            self._delivered(thread, numbers, ghost)
        elif name == "section_begins":
            ghost[4] += 1
            if ghost[4] > 1:
                raise Violated("mutual_exclusion", "both processors hold the lock")
        elif name == "section_ends":
            ghost[4] -= 1
        else:
            raise Violated("no_other_call", f"{name} is called")
        return None

    def _delivered(self, thread: int, numbers: list[int], ghost: list[int]) -> None:
        number, check, content = numbers
        if check != number ^ 0xFFFFFFFF:
            raise Violated("message_whole", f"words {number:#x} and {check:#x}")
        expected = ghost[2 * thread + 1] + 1
        if number != expected:
            raise Violated("message_in_order", f"{number} comes instead of {expected}")
        if content != number:
            raise Violated("frame_kept", f"frame {number} holds {content}")
        ghost[2 * thread + 1] = number

    def ended(self, ghost: tuple[int, ...]) -> bool:
        return (ghost[1], ghost[3]) == self.traffic.to


# What the proof searches; each in both directions, or with more messages than a queue holds.
TRAFFICS = tuple(
    Traffic(to, limit, ones)
    for to, limit in (((0, 3), 1), ((0, 3), 2), ((1, 1), 1), ((1, 2), 2))
    for ones in (32, 16)
)


def prove(directory: pathlib.Path) -> tuple[list[str], int]:
    """What holds, in words, and the states in all. Raises Violated."""
    told, states = [], 0
    for traffic in TRAFFICS:
        found = search(traffic, directory, [])
        states += found.states
        told.append(
            f"{traffic.to[1]} messages to B and {traffic.to[0]} to A through queues of {traffic.limit}, "
            f"which count from {traffic.first:#x}: "
            f"{found.states} states, {found.steps} steps, depth {found.depth}, all orders of loads and stores"
        )
    return told, states


def search(
    traffic: Traffic, directory: pathlib.Path, tree: list[pathlib.Path]
) -> Found:
    """Every order of accesses. `tree`: where files are looked for before those of the repository. Raises Violated."""
    modules = [
        c_code.compile_text(
            f"#define NIC_PROCESSOR {processor}\n#define NIC_MESSAGE_LIMIT {traffic.limit}u\n"
            '#include "models/proof/processors.c"\n',
            directory,
            f"processor_{processor}",
            tree,
            optimised=True,
        )
        for processor in (0, 1)
    ]
    threads = [(module, "run") for module in modules]
    counters = ("nic_processor_counters",)
    return Interleaving(threads, Chip(traffic, modules[0]), counters).search()
