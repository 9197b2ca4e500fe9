# SPDX-License-Identifier: MIT
"""The event loops of an image whose processors take the next event each: the instructions that ship, in every order.

What is searched is fw-runtime/port/tigon2/dynamic.S, assembled as for an image: both loops. A step is an access to memory
or registers of the chip, with the instructions of its processor alone after it. Lock and event word behave as the chip's
reference says (3.4, 4). What the loops dispatch to is written here, an access a step, as handlers of the port are made:

* A frame: takes the next of the ring, sees to it, asks for a notice of its write, which enables that event, and leaves
  work for later. Where no more notices can be asked for it disables its own event.
* A write that is done: gives the notices that are due, disables its event when there is none left, and enables that of
  frames.
* Work: withdraws the bit that software has set.

The world lets frames come, and ends writes, at any time. Properties, each named in the verdict that it does not hold:

* mutual_exclusion: one handler runs at a time.
* no_event_twice: a frame that a handler takes has come, and none has taken it.
* no_disabled_event: no handler runs of an event that the handler before has disabled.
* frames_in_order: frames are seen to in the order in which they came.
* no_lost_event: from every state that can come the end is in reach, where all frames have been seen to, all notices given
  and all work is done. So no event is lost, neither by an old look at the enabled bits nor by a bit that goes with another
  one, and nothing ends in a deadlock.
"""

from __future__ import annotations

import pathlib
import subprocess
from dataclasses import dataclass, replace
from typing import Iterator

from elftools.elf.elffile import ELFFile

from .c_code import ROOT
from .interleaving import Found, Violated

SOURCE = "fw-runtime/port/tigon2/dynamic.S"
FRAMES = 3
NOTICES = 2  # that can be asked for
SECTION = ".fast.text.event"
ENABLED = "tigon2_enabled_by_both"
SEMAPHORES = {0x048: 1, 0x04C: 2}
EVENT_WORD = 0x060
WORK, FRAME, WRITTEN = 3, 6, 14
ZERO, T0, T1, S0, S1, K0, K1, GP, RA = 0, 8, 9, 16, 17, 26, 27, 28, 31
LOOPS = (
    ("tigon2_event_loop", "tigon2_give_back"),
    ("tigon2_second_event_loop", "tigon2_second_give_back"),
)


@dataclass(frozen=True)
class Code:
    """`words` by offset in the section; `common`: offsets whose immediate is that of the enabled bits."""

    words: tuple[int, ...]
    symbols: dict[str, int]
    common: frozenset[int]


@dataclass(frozen=True)
class Core:
    """`at`: the instruction to be executed next; within a handler, how far that is in `step`, and what it has loaded."""

    at: int
    registers: tuple[int, int, int, int]  # $t0, $t1, $k0, $ra
    handler: int = -1  # its bit
    step: int = 0
    loaded: int = 0


@dataclass(frozen=True)
class State:
    cores: tuple[Core, Core]
    holder: int = 0
    enabled: int = 1 << WORK | 1 << FRAME  # the word in SRAM
    left: int = 1 << WORK | 1 << FRAME  # what handlers have made of it
    software: int = 0
    came: int = 0  # frames
    taken: int = 0
    seen_to: int = 0
    asked: int = 0  # notices
    done: int = 0  # writes
    reference: int = 0  # up to which their end has been looked at
    given: int = 0

    @property
    def events(self) -> int:
        return (
            self.software
            | (self.came != self.taken) << FRAME
            | (self.done != self.reference) << WRITTEN
        )

    @property
    def is_end(self) -> bool:
        return (
            self.seen_to == self.given == FRAMES
            and self.software == 0
            and self.holder == 0
        )


def assemble(directory: pathlib.Path, tree: list[pathlib.Path]) -> Code:
    directory.mkdir(parents=True, exist_ok=True)
    root = tree[0] if tree else ROOT
    output = directory / "event_loops.o"
    result = subprocess.run(
        ["mips-linux-gnu-gcc", "-EB", "-march=mips2", "-mabi=32", "-mno-abicalls"]
        + ["-fno-pic", "-G0", "-msoft-float", "-DNIC_DYNAMIC", f"-I{root}"]
        + [f"-Wa,{root / SOURCE.rpartition('/')[0]}/core.inc", "-c"]
        + ["-o", str(output), str(root / SOURCE)],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"{SOURCE} is not assembled\n{result.stderr}")
    with output.open("rb") as stream:
        elf = ELFFile(stream)
        index = elf.get_section_index(SECTION)
        data = elf.get_section(index).data()
        table = elf.get_section_by_name(".symtab")
        symbols = {
            symbol.name: symbol["st_value"]
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] == index and symbol.name
        }
        common = set()
        for relocation in elf.get_section_by_name(f".rel{SECTION}").iter_relocations():
            name = table.get_symbol(relocation["r_info_sym"]).name
            if name != ENABLED:
                raise RuntimeError(f"the loops use {name}, of which nothing is known")
            common.add(relocation["r_offset"])
    words = [int.from_bytes(data[i : i + 4], "big") for i in range(0, len(data), 4)]
    return Code(tuple(words), symbols, frozenset(common))


class Loops:
    """Both processors and the world around them."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.back = tuple(code.symbols[give_back] for _, give_back in LOOPS)

    def start(self) -> State:
        enabled = State.enabled
        first, second = (
            Core(self.code.symbols[loop], (0, 0, enabled, 0)) for loop, _ in LOOPS
        )
        return State((first, second))

    def next(self, state: State) -> Iterator[State]:
        """After one step of a processor or of the world."""
        if state.came < FRAMES:
            yield replace(state, came=state.came + 1)
        if state.done < state.asked:
            yield replace(state, done=state.done + 1)
        for number, core in enumerate(state.cores):
            if core.handler >= 0:
                yield self._handle(state, number, core)
            else:
                state_after = self._execute(state, number, core)
                while self._is_alone(state_after.cores[number]):
                    core = state_after.cores[number]
                    state_after = self._execute(state_after, number, core)
                yield state_after

    def _is_alone(self, core: Core) -> bool:
        """Is the next instruction, with that in its delay slot, its processor's alone?"""
        if core.handler >= 0:
            return False
        word = self.code.words[core.at // 4]
        if word >> 26 == 0x04:
            word = self.code.words[core.at // 4 + 1]
        return word >> 26 not in (0x23, 0x2B)

    # --- instructions

    def _execute(self, state: State, number: int, core: Core) -> State:
        """A branch goes with the instruction in its delay slot: of the two, one at most is an access."""
        word = self.code.words[core.at // 4]
        opcode, low = word >> 26, word & 0x3F
        target = core.at + 4
        if opcode == 0x04:  # beq
            if self._register(core, word >> 21) == self._register(core, word >> 16):
                target = core.at + 4 + 4 * _signed(word)
            else:
                target = core.at + 8
            return self._plain(state, number, replace(core, at=core.at + 4), target)
        if opcode == 0 and low == 0x0A:  # joff
            bit = self._register(core, word >> 16) - 1
            state = self._plain(state, number, replace(core, at=core.at + 4), -1)
            return self._dispatch(state, number, bit)
        return self._plain(state, number, core, target)

    def _plain(self, state: State, number: int, core: Core, target: int) -> State:
        word = self.code.words[core.at // 4]
        opcode, rs, rt = word >> 26, word >> 21 & 31, word >> 16 & 31
        if opcode in (0x23, 0x2B) and core.at in self.code.common and rs == GP:
            if opcode == 0x23:
                core = _with(core, rt, state.enabled)
            else:
                state = replace(state, enabled=self._register(core, rt))
        elif opcode == 0x23 and rs == K1:
            core = _with(core, rt, self._load(state, word & 0xFFFF))
        elif opcode == 0x2B and rs == K1 and word & 0xFFFF in SEMAPHORES:
            face = SEMAPHORES[word & 0xFFFF]
            if state.holder in (0, face):
                state = replace(state, holder=face - state.holder)
        elif opcode == 0 and word & 0x3F in (0x21, 0x24, 0x25, 0x0B):
            one, other = self._register(core, rs), self._register(core, rt)
            value = {
                0x21: one + other,
                0x24: one & other,
                0x25: one | other,
                0x0B: (one & other).bit_length(),
            }[word & 0x3F]
            core = _with(core, word >> 11 & 31, value)
        elif word != 0:
            raise RuntimeError(f"what {word:08x} at {core.at:x} does is not known")
        return _replaced(state, number, replace(core, at=target))

    def _load(self, state: State, register: int) -> int:
        if register in SEMAPHORES:
            return int(state.holder == SEMAPHORES[register])
        if register != EVENT_WORD:
            raise RuntimeError(
                f"register {register:x} is read, of which nothing is known"
            )
        return state.events

    def _register(self, core: Core, number: int) -> int:
        number &= 31
        if number == ZERO:
            return 0
        if number == S1:  # by the name of the processor that has it
            return next(
                back
                for back, (loop, _) in zip(self.back, LOOPS)
                if self._is_in(core.at, loop)
            )
        return core.registers[(T0, T1, K0, RA).index(number)]

    def _is_in(self, at: int, loop: str) -> bool:
        return (at >= self.code.symbols[LOOPS[1][0]]) == (loop == LOOPS[1][0])

    # --- handlers

    def _dispatch(self, state: State, number: int, bit: int) -> State:
        core = state.cores[number]
        back = core.registers[3]
        if bit < 0:  # nothing
            return _replaced(state, number, replace(core, at=back))
        if any(other.handler >= 0 for other in state.cores):
            raise Violated("mutual_exclusion", "both processors handle an event")
        if not state.left >> bit & 1:
            raise Violated("no_disabled_event", f"event {bit} is handled")
        return _replaced(state, number, replace(core, at=back, handler=bit))

    def _handle(self, state: State, number: int, core: Core) -> State:
        handler = {WORK: self._work, FRAME: self._frame, WRITTEN: self._written}
        state, core, over = handler[core.handler](state, core)
        core = replace(core, step=core.step + 1)
        state = replace(state, left=core.registers[2])
        if over:
            core = replace(core, handler=-1, step=0, loaded=0)
        return _replaced(state, number, core)

    @staticmethod
    def _frame(state: State, core: Core) -> tuple[State, Core, bool]:
        if core.step == 0:
            if state.taken == state.came:
                raise Violated("no_event_twice", "a frame is taken that is not there")
            return state, replace(core, loaded=state.taken), False
        if core.step == 1:
            return replace(state, taken=core.loaded + 1), core, False
        if core.step == 2:
            if state.seen_to != core.loaded:
                raise Violated(
                    "frames_in_order", f"{core.loaded} after {state.seen_to}"
                )
            return replace(state, seen_to=core.loaded + 1), core, False
        if core.step == 3:
            enabled = core.registers[2] | 1 << WRITTEN
            if state.asked + 1 - state.given == NOTICES:
                enabled &= ~(1 << FRAME)
            state = replace(state, asked=state.asked + 1)
            return state, _with(core, K0, enabled), False
        return replace(state, software=state.software | 1 << WORK), core, True

    @staticmethod
    def _written(state: State, core: Core) -> tuple[State, Core, bool]:
        if core.step == 0:
            return state, replace(core, loaded=state.done), False
        if core.step == 1:
            return replace(state, reference=core.loaded), core, False
        enabled = core.registers[2] | 1 << FRAME
        if core.loaded == state.asked:
            enabled &= ~(1 << WRITTEN)
        core = _with(core, K0, enabled)
        return replace(state, given=core.loaded), core, True

    @staticmethod
    def _work(state: State, core: Core) -> tuple[State, Core, bool]:
        return replace(state, software=state.software & ~(1 << WORK)), core, True


def _signed(word: int) -> int:
    return (word & 0x7FFF) - (word & 0x8000)


def _with(core: Core, register: int, value: int) -> Core:
    if register == ZERO:
        return core
    place = (T0, T1, K0, RA).index(register)
    registers = [*core.registers]
    registers[place] = value
    return replace(core, registers=tuple(registers))


def _replaced(state: State, number: int, core: Core) -> State:
    cores = [*state.cores]
    cores[number] = core
    return replace(state, cores=tuple(cores))


def search(directory: pathlib.Path, tree: list[pathlib.Path]) -> Found:
    """Every order. `tree`: where the source is, if not in the repository. Raises Violated."""
    loops = Loops(assemble(directory, tree))
    found = Found()
    start = loops.start()
    before: dict[State, list[State]] = {start: []}
    layer = [start]
    while layer:
        found.depth += 1
        following = []
        for state in layer:
            try:
                for after in loops.next(state):
                    found.steps += 1
                    if after not in before:
                        before[after] = []
                        following.append(after)
                    before[after].append(state)
            except Violated as violated:
                violated.step = found.depth
                raise
        layer = following
    found.states = len(before)
    reaching = {state for state in before if state.is_end}
    waiting = list(reaching)
    while waiting:
        for state in before[waiting.pop()]:
            if state not in reaching:
                reaching.add(state)
                waiting.append(state)
    if len(reaching) != len(before):
        raise Violated(
            "no_lost_event",
            f"from {len(before) - len(reaching)} states the end is not in reach",
        )
    return found


def prove(directory: pathlib.Path) -> tuple[list[str], int]:
    """What holds, in words, and the states in all. Raises Violated."""
    found = search(directory, [])
    told = (
        f"{FRAMES} frames, their notices and the work they leave, taken by either of two processors: {found.states} states, "
        f"{found.steps} steps, depth {found.depth}, all orders of accesses"
    )
    return [told], found.states
