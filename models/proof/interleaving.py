# SPDX-License-Identifier: MIT
"""Runs C of several threads in every order of their accesses to what they share, and looks at each state once.

Each thread is a function of a module of its own (llvm_text.py): C compiled for one processor. Objects of a module are its
thread's, but for those that the C puts into the section of common memory. What else is shared the C reaches through
pointers that functions without a body give it; what they give, and what else they do, the surroundings say
(`Surroundings`). A step is one load or store of shared memory with all that its thread
does alone after it. Memory is sequentially consistent: each access takes effect at once, in the order of the program. So
it is on a chip whose processors have one instruction under way each, and neither caches nor a buffer that a load
overtakes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Protocol, Sequence, Union

from .llvm_text import (
    Function,
    Instruction,
    Integer,
    Module,
    Operand,
    Type,
    Unreadable,
)

WORD = 0xFFFFFFFF
COMMON = ".bss.common"  # the section of NIC_COMMON
LOCAL_LIMIT = 10_000  # instructions of a thread between two shared accesses


@dataclass(frozen=True)
class Pointer:
    object: str
    offset: int


Value = Union[int, Pointer]
Memory = dict[tuple[str, int], int]
Registers = tuple[tuple[str, Value], ...]


@dataclass(frozen=True)
class Frame:
    """A call under way: the instruction to be executed next, and the registers that are read from there on."""

    function: str
    block: str
    index: int
    registers: Registers


@dataclass(frozen=True)
class State:
    """`own`: objects of each thread, by (object, offset). `ghost`: what the surroundings remember."""

    threads: tuple[tuple[Frame, ...], ...]  # the innermost call last; none: ended
    own: tuple[tuple[tuple[tuple[str, int], Value], ...], ...]
    shared: tuple[tuple[tuple[str, int], int], ...]
    ghost: tuple[int, ...]


class Violated(Exception):
    """A property does not hold. `step`: how many accesses it takes at least; 0 where no single order shows it."""

    def __init__(self, property: str, why: str) -> None:
        super().__init__(f"{property}: {why}")
        self.property = property
        self.step = 0


class Surroundings(Protocol):
    """What is around the threads. All states of a search are told apart by memory and `ghost` alone."""

    ghost: tuple[int, ...]  # at the beginning
    memory: Memory  # the same, where it is not 0

    def load(self, thread: int, memory: Memory, at: Pointer, volatile: bool) -> int:
        """A word of shared memory; may change `memory`. `volatile`: so the C says. Raises Violated."""

    def store(
        self, thread: int, memory: Memory, at: Pointer, value: int, volatile: bool
    ) -> None:
        """Changes `memory`. Raises Violated."""

    def call(
        self,
        thread: int,
        name: str,
        arguments: list[Value],
        memory: Memory,
        ghost: list[int],
    ) -> Optional[Value]:
        """A function without a body; may change `ghost`, and look at `memory` although no step shows it. Raises Violated."""

    def ended(self, ghost: tuple[int, ...]) -> bool:
        """Has all happened that must, when the threads have ended?"""


def about_to_wrap(
    module: Module,
    name: str,
    type: Type,
    counters: Sequence[Sequence[int]],
    ones: int = 32,
) -> Memory:
    """Memory in which each of these counters of an object has so many ones, or all that it has bits for: then its next
    value is 0, and a search has its wrap. With fewer ones it has the wrap of what has so few bits, and counts on itself.
    A counter is where steps through the type lead."""
    memory: Memory = {}
    for steps in counters:
        offset, found = module.place(type, steps)
        if not isinstance(found, Integer):
            raise Unreadable(f"{name} has no counter at {list(steps)}")
        memory[name, offset] = (1 << min(found.bits, ones)) - 1
    return memory


@dataclass
class Found:
    """What a search came to."""

    states: int = 0
    steps: int = 0
    depth: int = 0


@dataclass
class _Running:
    """A thread between two of its steps, in a form that changes."""

    number: int
    frames: list[Frame]
    own: dict[tuple[str, int], Value]
    shared: dict[tuple[str, int], int]
    ghost: list[int]
    registers: dict[str, Value] = field(default_factory=dict)


class Interleaving:
    """`threads`: the module of each thread and the function it begins with. `counters`: objects of a thread that only count;
    they stay 0, for nothing hangs on them, and each turn of a waiting loop would be a state of its own.
    """

    def __init__(
        self,
        threads: list[tuple[Module, str]],
        surroundings: Surroundings,
        counters: tuple[str, ...] = (),
        limit: int = 2_000_000,
    ) -> None:
        self.threads = threads
        self.around = surroundings
        self.counters = {f"@{name}" for name in counters}
        self.limit = limit
        # How an object is cut into words: one that is read as it was not written would not be found.
        self._cuts: dict[str, dict[int, int]] = {}
        self._live: dict[tuple[int, str], dict[tuple[str, int], frozenset[str]]] = {}

    # --- the search

    def search(self) -> Found:
        """All states, the nearest first. Raises Violated, also where the end cannot be reached any more."""
        found = Found()
        first = self._begin()
        before: dict[State, list[State]] = {first: []}
        level, ends = [first], []
        while level:
            following: list[State] = []
            for state in level:
                if not any(state.threads):
                    if not self.around.ended(state.ghost):
                        raise Violated("all_delivered", "the threads have ended before")
                    ends.append(state)
                for number, frames in enumerate(state.threads):
                    if not frames:
                        continue
                    try:
                        after = self._step(state, number)
                    except Violated as violated:
                        violated.step = found.depth + 1
                        raise
                    found.steps += 1
                    known = before.get(after)
                    if known is None:
                        before[after] = [state]
                        following.append(after)
                        if len(before) > self.limit:
                            raise Unreadable(f"more than {self.limit} states")
                    else:
                        known.append(state)
            level = following
            found.depth += bool(level)
        found.states = len(before)
        self._check_ends(before, ends)
        return found

    def _check_ends(self, before: dict[State, list[State]], ends: list[State]) -> None:
        """From every state the end must be in reach: no deadlock, and no wake-up lost."""
        reaching, waiting = set(ends), list(ends)
        while waiting:
            for state in before[waiting.pop()]:
                if state not in reaching:
                    reaching.add(state)
                    waiting.append(state)
        stuck = len(before) - len(reaching)
        if stuck:
            raise Violated(
                "no_lost_wake_up",
                f"from {stuck} of {len(before)} states the end is not in reach: both wait for each other, or one for a signal",
            )

    # --- steps

    def _begin(self) -> State:
        count = len(self.threads)
        shared = tuple(sorted(self.around.memory.items()))
        state = State(((),) * count, ((),) * count, shared, self.around.ghost)
        for number, (module, name) in enumerate(self.threads):
            function = module.functions[name]
            running = self._running(state, number)
            running.frames.append(Frame(name, function.entry, 0, ()))
            state = self._alone(state, running)
        return state

    def _running(self, state: State, number: int) -> _Running:
        return _Running(
            number,
            list(state.threads[number]),
            dict(state.own[number]),
            dict(state.shared),
            list(state.ghost),
        )

    def _step(self, state: State, number: int) -> State:
        """The shared access that the thread stands at, and all that it does alone after it."""
        running = self._running(state, number)
        frame = running.frames.pop()
        running.registers = dict(frame.registers)
        instruction = self._function(number, frame).blocks[frame.block][frame.index]
        volatile = "volatile" in instruction.flags
        if instruction.operation == "load":
            at = self._pointer(running, instruction.operands[0])
            self._check_cut(number, at, instruction.type)
            running.registers[instruction.result] = self.around.load(
                number, running.shared, at, volatile
            )
        else:
            at = self._pointer(running, instruction.operands[1])
            self._check_cut(number, at, instruction.operands[0].type)
            value = self._value(running, instruction.operands[0])
            if not isinstance(value, int):
                raise Unreadable("a pointer is stored in shared memory")
            self.around.store(number, running.shared, at, value, volatile)
        running.frames.append(self._kept(running, frame, frame.index + 1))
        return self._alone(state, running)

    def _alone(self, state: State, running: _Running) -> State:
        """Runs a thread up to its next shared access, or to its end."""
        for _ in range(LOCAL_LIMIT):
            if not running.frames:
                break
            frame = running.frames[-1]
            running.registers = dict(frame.registers)
            block = self._function(running.number, frame).blocks[frame.block]
            if self._is_shared(running, block[frame.index]):
                break
            running.frames.pop()
            self._execute(running, frame, block[frame.index])
        else:
            raise Unreadable("a thread runs on without a shared access")
        number = running.number

        def put(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
            return (*items[:number], item, *items[number + 1 :])

        return State(
            put(state.threads, tuple(running.frames)),
            put(state.own, tuple(sorted(running.own.items()))),
            tuple(sorted(running.shared.items())),
            tuple(running.ghost),
        )

    def _function(self, number: int, frame: Frame) -> Function:
        return self.threads[number][0].functions[frame.function]

    def _is_shared(self, running: _Running, instruction: Instruction) -> bool:
        if instruction.operation not in ("load", "store"):
            return False
        operand = instruction.operands[instruction.operation == "store"]
        return not self._is_own(running.number, self._pointer(running, operand))

    def _is_own(self, number: int, at: Pointer) -> bool:
        module = self.threads[number][0]
        return (
            at.object.startswith("@") and module.sections.get(at.object[1:]) != COMMON
        )

    def _check_cut(self, number: int, at: Pointer, type: Type) -> None:
        size = self.threads[number][0].size(type)
        cuts = self._cuts.setdefault(at.object, {})
        if cuts.setdefault(at.offset, size) != size or any(
            other != at.offset and other < at.offset + size and at.offset < other + cut
            for other, cut in cuts.items()
        ):
            raise Unreadable(f"{at.object} is cut in two ways at {at.offset}")

    def _execute(
        self, running: _Running, frame: Frame, instruction: Instruction
    ) -> None:
        operation, result = instruction.operation, instruction.result
        registers = running.registers
        values = [self._value(running, o) for o in instruction.operands]
        index = frame.index + 1
        if operation == "br":
            taken = 0 if len(instruction.labels) == 1 or values[0] else 1
            self._enter(running, frame, instruction.labels[taken])
            return
        if operation == "switch":
            chosen = instruction.labels[0]
            for case, label in zip(instruction.cases, instruction.labels[1:]):
                chosen = label if values[0] == case & WORD else chosen
            self._enter(running, frame, chosen)
            return
        if operation == "ret":
            if running.frames:
                caller = running.frames.pop()
                running.registers = dict(caller.registers)
                call = self._function(running.number, caller).blocks[caller.block]
                if call[caller.index].result:
                    running.registers[call[caller.index].result] = values[0]
                running.frames.append(self._kept(running, caller, caller.index + 1))
            return
        if operation == "call":
            module = self.threads[running.number][0]
            callee = module.functions.get(instruction.callee)
            if callee is not None:
                running.frames.append(frame)
                given = zip((name for _, name in callee.parameters), values)
                running.frames.append(
                    Frame(callee.name, callee.entry, 0, tuple(sorted(given)))
                )
                return
            answer = self.around.call(
                running.number,
                instruction.callee,
                values,
                running.shared,
                running.ghost,
            )
            if result:
                assert answer is not None
                registers[result] = answer
        elif operation == "load":
            at = self._pointer(running, instruction.operands[0])
            registers[result] = running.own.get((at.object, at.offset), 0)
        elif operation == "store":
            at = self._pointer(running, instruction.operands[1])
            if at.object not in self.counters:
                running.own[at.object, at.offset] = values[0]
        elif operation == "getelementptr":
            registers[result] = self._address(running, instruction, values)
        elif operation == "icmp":
            compared = instruction.operands[0].type
            bits = compared.bits if isinstance(compared, Integer) else 32
            registers[result] = _compared(
                instruction.predicate, values[0], values[1], bits
            )
        elif operation == "select":
            registers[result] = values[1] if values[0] else values[2]
        elif operation == "barrier":
            pass
        elif operation in ("zext", "bitcast"):
            registers[result] = values[0]
        elif operation == "trunc" and isinstance(instruction.type, Integer):
            assert isinstance(values[0], int)
            registers[result] = values[0] & ((1 << instruction.type.bits) - 1)
        else:
            assert isinstance(instruction.type, Integer)
            registers[result] = _computed(operation, values, instruction.type.bits)
        running.frames.append(self._kept(running, frame, index))

    def _enter(self, running: _Running, frame: Frame, label: str) -> None:
        """Goes to a block; its first instructions take values by where the thread comes from, all at once. A value that is not
        defined there is none: only its use is an error."""
        block = self._function(running.number, frame).blocks[label]
        new: dict[str, Value] = {}
        results: list[str] = []
        index = 0
        while block[index].operation == "phi":
            operand = block[index].operands[block[index].labels.index(frame.block)]
            results.append(block[index].result)
            if self._is_defined(running, operand):
                new[block[index].result] = self._value(running, operand)
            index += 1
        for result in results:
            running.registers.pop(result, None)
        running.registers.update(new)
        moved = Frame(frame.function, label, index, ())
        running.frames.append(self._kept(running, moved, index))

    def _address(
        self, running: _Running, instruction: Instruction, values: list[Value]
    ) -> Pointer:
        base = values[0]
        if not isinstance(base, Pointer):
            raise Violated("no_wild_pointer", "an address is computed from NULL")
        steps = []
        for value in values[1:]:
            assert isinstance(value, int)
            steps.append(value - (1 << 32) if value >> 31 else value)
        module = self.threads[running.number][0]
        return Pointer(
            base.object, base.offset + module.offset(instruction.type, steps)
        )

    # --- values

    @staticmethod
    def _is_defined(running: _Running, operand: Operand) -> bool:
        if operand.name:
            return operand.name in running.registers
        return bool(operand.object) or operand.number is not None

    def _value(self, running: _Running, operand: Operand) -> Value:
        if not self._is_defined(running, operand):
            raise Unreadable("an undefined value is used")
        if operand.name:
            return running.registers[operand.name]
        if operand.object:
            module = self.threads[running.number][0]
            offset = (
                module.offset(operand.stepped, operand.steps) if operand.steps else 0
            )
            return Pointer(f"@{operand.object}", offset)
        assert operand.number is not None
        return operand.number & WORD

    def _pointer(self, running: _Running, operand: Operand) -> Pointer:
        value = self._value(running, operand)
        if not isinstance(value, Pointer):
            raise Violated("no_wild_pointer", "memory is reached through NULL")
        return value

    # --- what is still read

    def _kept(self, running: _Running, frame: Frame, index: int) -> Frame:
        """Registers that are never read again would only tell apart states that are alike."""
        live = self._liveness(running.number, frame.function)[frame.block, index]
        registers = tuple(
            (name, value)
            for name, value in sorted(running.registers.items())
            if name in live
        )
        return Frame(frame.function, frame.block, index, registers)

    def _liveness(
        self, number: int, name: str
    ) -> dict[tuple[str, int], frozenset[str]]:
        key = (number, name)
        if key not in self._live:
            function = self.threads[number][0].functions[name]
            self._live[key] = _liveness(function)
        return self._live[key]


def _liveness(function: Function) -> dict[tuple[str, int], frozenset[str]]:
    """Registers read from an instruction on, before they are set."""
    live: dict[tuple[str, int], frozenset[str]] = {}
    entry: dict[str, frozenset[str]] = {label: frozenset() for label in function.blocks}
    changed = True
    while changed:
        changed = False
        for label, block in function.blocks.items():
            after: frozenset[str] = frozenset()
            for following in block[-1].labels:
                after |= entry[following]
                for phi in function.blocks[following]:
                    if phi.operation == "phi":
                        operand = phi.operands[phi.labels.index(label)]
                        after |= {operand.name} - {""}
            for index in range(len(block) - 1, -1, -1):
                instruction = block[index]
                after -= {instruction.result}
                if instruction.operation != "phi":
                    after |= {o.name for o in instruction.operands} - {""}
                live[label, index] = after
            if after != entry[label]:
                entry[label] = after
                changed = True
    return live


def _compared(predicate: str, left: Value, right: Value, bits: int) -> int:
    if predicate in ("eq", "ne"):
        return int((left == right) == (predicate == "eq"))
    assert isinstance(left, int) and isinstance(right, int)
    if predicate.startswith("s"):
        left, right = (v - (1 << bits) if v >> (bits - 1) else v for v in (left, right))
    return int(
        {
            "gt": left > right,
            "ge": left >= right,
            "lt": left < right,
            "le": left <= right,
        }[predicate[1:]]
    )


def _computed(operation: str, values: list[Value], bits: int) -> int:
    left, right = values
    assert isinstance(left, int) and isinstance(right, int)
    all_bits = (1 << bits) - 1
    if operation == "add":
        return (left + right) & all_bits
    if operation == "sub":
        return (left - right) & all_bits
    if operation == "and":
        return left & right
    if operation == "or":
        return left | right
    if operation == "xor":
        return left ^ right
    if operation == "shl":
        return (left << right) & all_bits
    if operation == "lshr":
        return left >> right
    raise Unreadable(f"{operation} of two words")
