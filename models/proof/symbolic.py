# SPDX-License-Identifier: MIT
"""Executes C functions, read from clang's intermediate code, for all inputs at once.

Values are bit vectors of Z3, memory is a set of objects of known size. Where a branch can go both ways both are
followed, so that when execution ends every path has been taken to its end: a function for which `call` returns always
returns, whatever it is given. On the way every access must lie inside its object, within what may be read, and read
something written; no shift may reach the width of its operand, no signed arithmetic overflow, no division be by zero,
no count of trailing zeros be of zero. What can happen otherwise raises Refuted, with an input that makes it happen.

Objects of the file hold nothing at the beginning of a call, but for what its caller has written: what a function finds
there its caller must have chosen.

Pointers are an object and an offset. They may be stored, moved within their object and one behind its end; comparing
them or making numbers of them is not understood, and said.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional, Union

import z3

from . import llvm_text
from .llvm_text import Function, Instruction, Integer, Module, PointerTo, Structure

STEP_LIMIT = (
    200_000  # instructions on one path; beyond it a loop is taken to have no end
)


class Refuted(Exception):
    """What was to be proved does not hold. `input` makes it fail: values by name."""

    def __init__(self, what: str, where: str, input: dict[str, int]) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.input = input

    def __str__(self) -> str:
        values = ", ".join(
            f"{name} = {value:#x}" for name, value in sorted(self.input.items())
        )
        return f"{self.where}: {self.what}" + (
            f"\n    for example with {values}" if values else ""
        )


class Undecided(Exception):
    """Z3 gave no answer, or the code does something the executor has no meaning for."""


@dataclass(frozen=True)
class Pointer:
    object: int
    offset: Any  # 32 bits


@dataclass
class Object:
    """`cells`: what lies at an offset, with its size in bytes; cells never overlap. What is in no cell has not been
    written. `readable`: so many bytes may be read, where that is less than its size."""

    name: str
    size: int
    writable: bool = True
    readable: Any = None
    cells: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def copy(self) -> "Object":
        return Object(
            self.name, self.size, self.writable, self.readable, dict(self.cells)
        )


Value = Union[Any, Pointer]


@dataclass
class State:
    """One path so far: what has been assumed of the input, and memory."""

    assumed: tuple[Any, ...] = ()
    objects: dict[int, Object] = field(default_factory=dict)
    steps: int = 0

    def copy(self) -> "State":
        copied = {number: item.copy() for number, item in self.objects.items()}
        return State(self.assumed, copied, self.steps)

    def assuming(self, condition: Any) -> "State":
        other = self.copy()
        other.assumed = (*self.assumed, condition)
        return other

    def add(
        self, name: str, size: int, writable: bool = True, readable: Any = None
    ) -> Pointer:
        """A new object nothing has been written to."""
        number = len(self.objects)
        self.objects[number] = Object(name, size, writable, readable)
        return Pointer(number, z3.BitVecVal(0, 32))

    def of_file(self, name: str, size: int) -> Pointer:
        """An object of the file, made with its first use."""
        known = f"@{name}"
        for number, item in self.objects.items():
            if item.name == known:
                return Pointer(number, z3.BitVecVal(0, 32))
        return self.add(known, size)

    def words(
        self, name: str, values: list[Any], writable: bool = True, readable: Any = None
    ) -> Pointer:
        """A new object of these 32-bit words."""
        pointer = self.add(name, 4 * len(values), writable, readable)
        for index, value in enumerate(values):
            self.objects[pointer.object].cells[4 * index] = (4, value)
        return pointer

    def word(self, pointer: Pointer, index: int) -> Any:
        """A word of an object, as it is now; None when it was not written as one."""
        size, value = self.objects[pointer.object].cells.get(4 * index, (0, None))
        return value if size == 4 else None


@dataclass
class Tally:
    """What a proof took."""

    paths: int = 0
    instructions: int = 0
    questions: int = 0

    def add(self, other: "Tally") -> None:
        self.paths += other.paths
        self.instructions += other.instructions
        self.questions += other.questions


class Executor:
    """Calls functions of a module. One solver for all questions, so that a time limit holds for each. `asserts`: a function
    without a body, whose argument must be true wherever it is called; `asserted` counts its calls by their line.
    """

    def __init__(self, module: Module, seconds: int = 60, asserts: str = "") -> None:
        self.module = module
        self.asserts = asserts
        self.asserted: Counter[int] = Counter()
        self.tally = Tally()
        self.solver = z3.SolverFor("QF_BV")
        self.solver.set("timeout", seconds * 1000)
        self._supposed: tuple[Any, ...] = ()

    # --- questions

    def counterexample(
        self, assumed: tuple[Any, ...], claim: Any
    ) -> Optional[dict[str, int]]:
        """An input for which the claim does not hold under what is assumed; None when there is none."""
        denied = z3.simplify(z3.Not(claim))
        if z3.is_false(denied):
            return None
        self.tally.questions += 1
        self._suppose(assumed)
        self.solver.push()
        self.solver.add(denied)
        answer = self.solver.check()
        model = self.solver.model() if answer == z3.sat else None
        self.solver.pop()
        if answer == z3.unknown:
            raise Undecided("the solver found no answer in its time")
        if model is None:
            return None
        return {
            str(name): model[name].as_long()
            for name in model.decls()
            if z3.is_bv_value(model[name])
        }

    def _suppose(self, assumed: tuple[Any, ...]) -> None:
        """Makes the solver assume just this. What the question before assumed, too, it need not learn again."""
        common = 0
        for old, new in zip(self._supposed, assumed):
            if old is not new:
                break
            common += 1
        self.solver.pop(len(self._supposed) - common)
        for condition in assumed[common:]:
            self.solver.push()
            self.solver.add(condition)
        self._supposed = assumed

    def possible(self, assumed: tuple[Any, ...], condition: Any) -> bool:
        return self.counterexample(assumed, z3.Not(condition)) is not None

    def require(self, state: State, claim: Any, what: str, where: str) -> None:
        example = self.counterexample(state.assumed, claim)
        if example is not None:
            raise Refuted(what, where, example)

    # --- execution

    def call(
        self, name: str, arguments: list[Value], state: State
    ) -> list[tuple[State, Value]]:
        """Every way the function can end: the state then, and what it returns. `state` is not changed."""
        ends = list(self._run(self.function(name), arguments, state.copy()))
        self.tally.paths += len(ends)
        return ends

    def function(self, name: str) -> Function:
        if name in self.module.unreadable:
            raise Undecided(f"{name}: {self.module.unreadable[name]}")
        if name not in self.module.functions:
            raise Undecided(f"{name} has no body here")
        return self.module.functions[name]

    def _run(
        self, function: Function, arguments: list[Value], state: State
    ) -> Iterator[tuple[State, Value]]:
        registers = {
            name: value
            for (_, name), value in zip(function.parameters, arguments, strict=True)
        }
        waiting: list[tuple[State, dict[str, Value], str, str, int]] = [
            (state, registers, function.entry, "", 0)
        ]
        while waiting:
            state, registers, block, before, position = waiting.pop()
            run = Run(self, function, state, registers, block, before, position)
            ended, onward = run.until_it_parts()
            yield from ended
            waiting += onward


@dataclass
class Run:
    """One path through one function, until it ends or parts."""

    executor: Executor
    function: Function
    state: State
    registers: dict[str, Value]
    block: str
    before: str
    position: int

    def until_it_parts(self) -> tuple[list[tuple[State, Value]], list[Any]]:
        while True:
            step = self.function.blocks[self.block][self.position]
            self.executor.tally.instructions += 1
            self.state.steps += 1
            if self.state.steps > STEP_LIMIT:
                raise Refuted(
                    f"no end after {STEP_LIMIT} instructions",
                    self.where(step),
                    self.example(),
                )
            if step.operation == "ret":
                return [
                    (
                        self.state,
                        self.value(step.operands[0]) if step.operands else None,
                    )
                ], []
            if step.operation == "unreachable":
                raise Refuted(
                    "the function does not return a value",
                    self.where(step),
                    self.example(),
                )
            if step.operation in ("br", "switch"):
                ways = list(self.ways(step))
                if len(ways) != 1:
                    return [], [
                        (
                            self.state.assuming(condition),
                            dict(self.registers),
                            label,
                            self.block,
                            0,
                        )
                        for label, condition in ways
                    ]
                self.before, self.block, self.position = self.block, ways[0][0], 0
                continue
            onward = self.perform(step)
            self.position += 1
            if onward is not None:
                return [], [
                    (
                        state,
                        {**self.registers, step.result: value},
                        self.block,
                        self.before,
                        self.position,
                    )
                    for state, value in onward
                ]

    def where(self, step: Instruction) -> str:
        return f"{self.function.name}, line {step.line}"

    def example(self) -> dict[str, int]:
        return self.executor.counterexample(self.state.assumed, z3.BoolVal(False)) or {}

    def require(self, claim: Any, what: str, step: Instruction) -> None:
        self.executor.require(self.state, claim, what, self.where(step))

    def value(self, operand: llvm_text.Operand) -> Value:
        if operand.name:
            return self.registers[operand.name]
        if operand.object:
            return self.place(operand)
        if operand.number is None or not isinstance(operand.type, Integer):
            raise Undecided(
                f"{self.function.name}: an undefined value or a null pointer is used"
            )
        return z3.BitVecVal(operand.number, operand.type.bits)

    def place(self, operand: llvm_text.Operand) -> Pointer:
        """In an object of the file."""
        module = self.executor.module
        if operand.object not in module.objects:
            raise llvm_text.Unreadable(f"{self.function.name} uses @{operand.object}")
        size = module.size(module.objects[operand.object])
        pointer = self.state.of_file(operand.object, size)
        offset = module.offset(operand.stepped, operand.steps) if operand.steps else 0
        return Pointer(pointer.object, z3.BitVecVal(offset, 32))

    def number(self, operand: llvm_text.Operand) -> Any:
        found = self.value(operand)
        if isinstance(found, Pointer):
            raise Undecided(f"{self.function.name}: a pointer is used as a number")
        return found

    def pointer(self, operand: llvm_text.Operand) -> Pointer:
        found = self.value(operand)
        if not isinstance(found, Pointer):
            raise Undecided(f"{self.function.name}: a number is used as a pointer")
        return found

    def ways(self, step: Instruction) -> Iterator[tuple[str, Any]]:
        """The labels a branch can lead to, each with the condition for it."""
        if not step.operands:
            yield step.labels[0], z3.BoolVal(True)
            return
        chosen = self.number(step.operands[0])
        if step.operation == "br":
            conditions = [(step.labels[0], chosen == 1), (step.labels[1], chosen == 0)]
        else:
            conditions = [
                (label, chosen == case)
                for case, label in zip(step.cases, step.labels[1:], strict=True)
            ]
            conditions.append(
                (step.labels[0], z3.And([chosen != case for case in step.cases]))
            )
        yield from self.possible(conditions)

    def possible(self, ways: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Of these, of which one is always taken, each with the condition for it."""
        found = False
        for number, (way, condition) in enumerate(ways, start=1):
            condition = z3.simplify(condition)
            if z3.is_true(condition) or (number == len(ways) and not found):
                yield way, condition
                return
            if not z3.is_false(condition) and self.executor.possible(
                self.state.assumed, condition
            ):
                found = True
                yield way, condition

    def perform(self, step: Instruction) -> Optional[list[tuple[State, Value]]]:
        """An instruction that is no branch. After a call, or a choice: the states and results it leads to."""
        operation = step.operation
        if operation == "alloca":
            size = self.executor.module.size(step.type)
            self.registers[step.result] = self.state.add(
                f"a local of {self.function.name}", size
            )
        elif operation in ("load", "store"):
            self.access(step)
        elif operation == "getelementptr":
            self.registers[step.result] = self.address(step)
        elif operation == "phi":
            self.registers[step.result] = self.value(
                step.operands[step.labels.index(self.before)]
            )
        elif operation == "call":
            return self.called(step)
        elif operation == "select":
            return self.selected(step)
        elif operation == "bitcast":
            self.registers[step.result] = self.pointer(step.operands[0])
        else:
            self.registers[step.result] = z3.simplify(self.computed(step))
        return None

    def called(self, step: Instruction) -> Optional[list[tuple[State, Value]]]:
        """Every way a call can end; None for what is no function but an instruction by another name."""
        arguments = [self.value(operand) for operand in step.operands]
        if step.callee == "llvm.cttz.i32":
            self.require(arguments[0] != 0, "the trailing zeros of 0 are counted", step)
            count: Any = z3.BitVecVal(31, 32)
            for bit in reversed(range(31)):
                count = z3.If(
                    z3.Extract(bit, bit, arguments[0]) == 1,
                    z3.BitVecVal(bit, 32),
                    count,
                )
            self.registers[step.result] = count
            return None
        if step.callee and step.callee == self.executor.asserts:
            self.executor.asserted[step.line] += 1
            self.require(arguments[0] == 1, "does not hold", step)
            return None
        callee = self.executor.function(step.callee)
        return list(self.executor._run(callee, arguments, self.state))

    def selected(self, step: Instruction) -> Optional[list[tuple[State, Value]]]:
        """A choice between values parts a path as a branch does: what hangs on it stays simple."""
        chosen, one, other = map(self.value, step.operands)
        ways = list(self.possible([(one, chosen == 1), (other, chosen == 0)]))
        if len(ways) == 1:
            self.registers[step.result] = ways[0][0]
            return None
        return [(self.state.assuming(condition), value) for value, condition in ways]

    def computed(self, step: Instruction) -> Any:
        """Arithmetic, comparisons, conversions."""
        operation = step.operation
        left = self.number(step.operands[0])
        if operation in ("zext", "sext", "trunc"):
            assert isinstance(step.type, Integer)
            wider = step.type.bits - left.size()
            if operation == "trunc":
                return z3.Extract(step.type.bits - 1, 0, left)
            return (
                z3.ZeroExt(wider, left)
                if operation == "zext"
                else z3.SignExt(wider, left)
            )
        right = self.number(step.operands[1])
        if operation == "icmp":
            return z3.If(
                COMPARISONS[step.predicate](left, right),
                z3.BitVecVal(1, 1),
                z3.BitVecVal(0, 1),
            )
        if operation in ("shl", "lshr", "ashr"):
            self.require(
                z3.ULT(right, left.size()),
                "a shift by the width of its operand or more",
                step,
            )
        if operation in ("udiv", "urem", "sdiv", "srem"):
            self.require(right != 0, "a division by zero", step)
        if operation in ("sdiv", "srem"):
            self.require(
                z3.BVSDivNoOverflow(left, right), "a signed division overflows", step
            )
        for flag, signed in (("nsw", True), ("nuw", False)):
            if flag in step.flags:
                self.require(
                    no_overflow(operation, left, right, signed),
                    "arithmetic overflows",
                    step,
                )
        return ARITHMETIC[operation](left, right)

    def address(self, step: Instruction) -> Pointer:
        """An address within an object: LLVM's getelementptr."""
        module = self.executor.module
        base = self.pointer(step.operands[0])
        inner = step.type
        offset = base.offset
        for position, operand in enumerate(step.operands[1:]):
            index = self.number(operand)
            if index.size() < 32:
                index = z3.SignExt(32 - index.size(), index)
            elif index.size() > 32:
                raise Undecided(f"{self.function.name}: an index wider than an address")
            if position > 0 and isinstance(inner, Structure):
                member = z3.simplify(index).as_long()
                offset = offset + module.member_offset(inner, member)
                inner = module.structures[inner.name][member]
                continue
            if position > 0:
                if not isinstance(inner, llvm_text.Array):
                    raise Undecided(
                        f"{self.function.name}: an index into what is no array"
                    )
                inner = inner.element
            size = module.size(inner)
            self.require(
                z3.And(
                    z3.BVMulNoOverflow(index, z3.BitVecVal(size, 32), True),
                    z3.BVMulNoUnderflow(index, size),
                ),
                "an index overflows the address",
                step,
            )
            offset = offset + index * size
        offset = z3.simplify(offset)
        target = self.state.objects[base.object]
        self.require(
            z3.ULE(offset, target.size), f"a pointer leaves {target.name}", step
        )
        return Pointer(base.object, offset)

    # --- memory

    def access(self, step: Instruction) -> None:
        """A load or a store."""
        pointer = self.pointer(step.operands[-1])
        target = self.state.objects[pointer.object]
        type = step.type if step.operation == "load" else step.operands[0].type
        size = self.executor.module.size(type)
        verb = "read" if step.operation == "load" else "write"
        self.require(
            z3.And(
                z3.ULE(pointer.offset, target.size),
                z3.ULE(size, target.size - pointer.offset),
            ),
            f"a {verb} beyond the end of {target.name} ({target.size} bytes)",
            step,
        )
        self.require(
            z3.URem(pointer.offset, z3.BitVecVal(size, 32)) == 0,
            f"a {verb} that is not aligned",
            step,
        )
        if step.operation == "store" and not target.writable:
            raise Refuted(
                f"{target.name} is written to", self.where(step), self.example()
            )
        if step.operation == "load" and target.readable is not None:
            self.require(
                z3.ULE(pointer.offset + size, target.readable),
                f"a read of {target.name} beyond what is there",
                step,
            )
        if z3.is_bv_value(pointer.offset):
            result = self.at(step, target, pointer.offset.as_long(), type)
        else:
            result = self.somewhere(step, target, pointer.offset, size)
        if step.operation == "load":
            self.registers[step.result] = result

    def somewhere(
        self, step: Instruction, target: Object, offset: Any, size: int
    ) -> Value:
        """Loads from or stores to a place that is not one number: an element of an array, all of it written before."""
        places = range(0, target.size - size + 1, size)
        cells = [target.cells.get(place, (0, None)) for place in places]
        if any(width != size or isinstance(value, Pointer) for width, value in cells):
            raise Undecided(
                f"{self.function.name}: {target.name} is used as an array and is not one"
            )
        if step.operation == "store":
            stored = self.number(step.operands[0])
            for place, (_, old) in zip(places, cells, strict=True):
                target.cells[place] = (size, z3.If(offset == place, stored, old))
            return None
        found = cells[-1][1]
        for place, (_, value) in zip(places, cells, strict=True):
            found = z3.If(offset == place, value, found)
        return found

    def at(
        self, step: Instruction, target: Object, place: int, type: llvm_text.Type
    ) -> Value:
        """Loads from or stores to a known place; what a load finds."""
        size = self.executor.module.size(type)
        if step.operation == "store":
            value = self.value(step.operands[0])
            # A truth value takes a byte.
            if not isinstance(value, Pointer) and value.size() < 8 * size:
                value = z3.ZeroExt(8 * size - value.size(), value)
            for old in [
                o
                for o, (width, _) in target.cells.items()
                if o < place + size and place < o + width
            ]:
                split(target, old)
            for byte in range(place, place + size):
                target.cells.pop(byte, None)
            target.cells[place] = (size, value)
            return None
        width, found = target.cells.get(place, (0, None))
        if width != size:
            bytes = [
                self.byte(target, byte, step) for byte in range(place, place + size)
            ]
            found = z3.simplify(z3.Concat(bytes)) if len(bytes) > 1 else bytes[0]
        if isinstance(type, PointerTo) != isinstance(found, Pointer):
            raise Undecided(
                f"{self.function.name}: a pointer is read as a number or a number as a pointer"
            )
        if isinstance(type, Integer) and type.bits < 8 * size:
            found = z3.Extract(type.bits - 1, 0, found)
        return found

    def byte(self, target: Object, place: int, step: Instruction) -> Any:
        for offset, (width, value) in target.cells.items():
            if offset <= place < offset + width and not isinstance(value, Pointer):
                low = 8 * (offset + width - 1 - place)
                return z3.Extract(low + 7, low, value)
        raise Refuted(
            f"{target.name} is read where nothing was written",
            self.where(step),
            self.example(),
        )


def split(target: Object, offset: int) -> None:
    """Makes bytes of a cell, most significant first."""
    width, value = target.cells.pop(offset)
    if isinstance(value, Pointer):
        return  # what is left of it must not be read
    for byte in range(width):
        low = 8 * (width - 1 - byte)
        target.cells[offset + byte] = (1, z3.simplify(z3.Extract(low + 7, low, value)))


def no_overflow(operation: str, left: Any, right: Any, signed: bool) -> Any:
    """Does the exact result fit? Asked of Z3 in twice the width, where every operation is exact."""
    width = left.size()
    extend: Callable[[int, Any], Any] = z3.SignExt if signed else z3.ZeroExt
    if operation == "shl":
        exact = extend(width, left) << z3.ZeroExt(width, right)
    else:
        exact = ARITHMETIC[operation](extend(width, left), extend(width, right))
    return exact == extend(width, ARITHMETIC[operation](left, right))


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": z3.ULT,
    "ule": z3.ULE,
    "ugt": z3.UGT,
    "uge": z3.UGE,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "udiv": z3.UDiv,
    "urem": z3.URem,
    "sdiv": lambda a, b: a / b,
    "srem": z3.SRem,
    "shl": lambda a, b: a << b,
    "lshr": z3.LShR,
    "ashr": lambda a, b: a >> b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
