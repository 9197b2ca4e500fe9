# SPDX-License-Identifier: MIT
"""Reads the part of LLVM's textual form that clang -O0 makes of plain C: integers, pointers, structures, arrays.

Whatever is not understood is an error: a proof must not skip anything. The form is that of clang 14 (Debian 12),
where pointers carry the type they point to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Optional, Sequence, Union


class Unreadable(Exception):
    """A construction this module does not know."""


@dataclass(frozen=True)
class Integer:
    bits: int


@dataclass(frozen=True)
class PointerTo:
    target: "Type"


@dataclass(frozen=True)
class Array:
    count: int
    element: "Type"


@dataclass(frozen=True)
class Structure:
    name: str


@dataclass(frozen=True)
class Void:
    pass


Type = Union[Integer, PointerTo, Array, Structure, Void]


@dataclass(frozen=True)
class Operand:
    """A register (`name`), a place in an object of the file (`object` and, from its beginning, `steps` through `stepped`), or
    a constant (`number`; None with no name and no object: undefined)."""

    type: Type
    name: str = ""
    number: Optional[int] = None
    object: str = ""
    stepped: Type = Void()
    steps: tuple[int, ...] = ()


@dataclass
class Instruction:
    """`operation` is LLVM's word for it. What else is set depends on it."""

    operation: str
    result: str
    line: int  # of the C file, 0 where unknown
    operands: list[Operand] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    cases: list[int] = field(default_factory=list)  # of a switch, for labels[1:]
    type: Type = Void()  # of the result; what an address computation steps over
    predicate: str = ""
    flags: frozenset[str] = frozenset()
    callee: str = ""


@dataclass
class Function:
    name: str
    parameters: list[tuple[Type, str]]
    result: Type
    entry: str = ""
    blocks: dict[str, list[Instruction]] = field(default_factory=dict)


@dataclass
class Module:
    """What a file of intermediate code defines. 32-bit pointers and big-endian: the chip's. `unreadable`: functions that use
    what is not understood, each with what that is. `objects`: of the file, by their type, where that is understood.
    `sections`: of the objects for which the C names one."""

    structures: dict[str, tuple[Type, ...]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    objects: dict[str, Type] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)

    def size(self, type: Type) -> int:
        if isinstance(type, Integer):
            return (type.bits + 7) // 8
        if isinstance(type, PointerTo):
            return 4
        if isinstance(type, Array):
            return type.count * self.size(type.element)
        if isinstance(type, Structure):
            end = self.member_offset(type, len(self.structures[type.name]))
            return -(-end // self.alignment(type)) * self.alignment(type)
        raise Unreadable("the size of nothing")

    def alignment(self, type: Type) -> int:
        if isinstance(type, Array):
            return self.alignment(type.element)
        if isinstance(type, Structure):
            return max(map(self.alignment, self.structures[type.name]), default=1)
        return self.size(type)

    def offset(self, type: Type, steps: Sequence[int]) -> int:
        """Of what a computation of an address reaches by constant steps through a type; the first is over whole ones."""
        return self.place(type, steps)[0]

    def place(self, type: Type, steps: Sequence[int]) -> tuple[int, Type]:
        """The same, and the type of the part at this offset."""
        first, *rest = steps
        offset = first * self.size(type)
        for step in rest:
            if isinstance(type, Structure):
                offset += self.member_offset(type, step)
                type = self.structures[type.name][step]
            elif isinstance(type, Array):
                type = type.element
                offset += step * self.size(type)
            else:
                raise Unreadable("a step into what has no parts")
        return offset, type

    def member_offset(self, type: Structure, index: int) -> int:
        """Of the member number `index`; one behind the last gives where the last ends."""
        offset = 0
        members = self.structures[type.name]
        for number, member in enumerate(members):
            offset = -(-offset // self.alignment(member)) * self.alignment(member)
            if number == index:
                return offset
            offset += self.size(member)
        return offset


ATTRIBUTES = r"(?:(?:noundef|signext|zeroext|nonnull|dso_local|tail|notail|musttail)\s+|align \d+\s+)*"
NAME = r"[\w.$-]+"
ARITHMETIC = {
    *("add", "sub", "mul", "udiv", "urem", "sdiv", "srem"),
    *("shl", "lshr", "ashr", "and", "or", "xor"),
}
CONVERSIONS = {"zext", "sext", "trunc", "bitcast"}
FLAGS = {"nsw", "nuw", "exact", "inbounds", "volatile"}


class Cursor:
    """A line being read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.line = text

    def take(self, pattern: str) -> Optional[str]:
        """The first group of `pattern`, or all it matched; None and nothing read when it does not match here."""
        match = re.match(pattern, self.text)
        if match is None:
            return None
        self.text = self.text[match.end() :].lstrip()
        return match.group(1) if match.groups() else match.group(0)

    def need(self, pattern: str) -> str:
        found = self.take(pattern)
        if found is None:
            raise Unreadable(f"expected {pattern} at {self.text!r} in: {self.line}")
        return found

    def type(self) -> Type:
        found: Type
        if self.take(r"\["):
            count = int(self.need(r"\d+"))
            self.need("x")
            found = Array(count, self.type())
            self.need(r"\]")
        elif self.take(r"void\b"):
            found = Void()
        elif (name := self.take(rf"%({NAME})")) is not None:
            found = Structure(name)
        else:
            found = Integer(int(self.need(r"i(\d+)\b")))
        while self.take(r"\*"):
            found = PointerTo(found)
        return found

    def value(self, type: Type) -> Operand:
        self.take(ATTRIBUTES)
        name = self.take(rf"%({NAME})")
        if name is not None:
            return Operand(type, name=name)
        object = self.take(rf"@({NAME})")
        if object is not None:
            return Operand(type, object=object)
        if (address := self.take(r"inttoptr \(i32 (-?\d+) to [^)]*\)")) is not None:
            return Operand(type, number=int(address))
        if self.take(r"getelementptr inbounds \("):
            stepped = self.type()
            self.need(",")
            base = self.operand()
            steps: list[int] = []
            while self.take(","):
                steps.append(int(self.need(r"i32 (\d+)")))
            self.need(r"\)")
            return Operand(
                type, object=base.object, stepped=stepped, steps=tuple(steps)
            )
        word = self.need(r"-?\d+|true|false|undef|poison|null")
        if word in ("undef", "poison"):
            return Operand(type)
        return Operand(
            type, number={"true": 1, "false": 0, "null": 0}.get(word) or _number(word)
        )

    def operand(self) -> Operand:
        type = self.type()
        return self.value(type)


def _number(word: str) -> int:
    return int(word) if word.lstrip("-").isdigit() else 0


def read(text: str, partly: bool = False) -> Module:
    """The module of a file of intermediate code. `partly`: a function that is not understood is an error only where it is
    called; for files of which a proof needs a few functions."""
    if not re.search(r'target datalayout = "E-[^"]*p:32:32', text):
        raise Unreadable("the code is not for a big-endian chip with 32-bit addresses")
    module = Module()
    lines = {
        number: int(line)
        for number, line in re.findall(
            r"^!(\d+) = .*!DILocation\(line: (\d+)", text, re.M
        )
    }
    for name, body in re.findall(rf"^%({NAME}) = type {{(.*)}}$", text, re.M):
        module.structures[name] = _members(body)
    for name, rest in re.findall(
        rf"^@({NAME}) = [\w ]*\b(?:global|constant) (.*)$", text, re.M
    ):
        try:
            module.objects[name] = Cursor(rest).type()
        except Unreadable:
            pass  # a use of it says so
    module.sections = dict(
        re.findall(
            rf'^@({NAME}) = .*(?:global|constant) .*section "([^"]*)"', text, re.M
        )
    )
    for head, body in re.findall(r"^(define [^\n]*) {\n(.*?)^}", text, re.M | re.S):
        try:
            function = _function(head)
            _blocks(function, body, lines)
            module.functions[function.name] = function
        except Unreadable as problem:
            named = re.search(rf"@({NAME})\(", head)
            if not partly or named is None:
                raise
            module.unreadable[named[1]] = str(problem)
    return module


def _members(body: str) -> tuple[Type, ...]:
    cursor = Cursor(body)
    members = [cursor.type()]
    while cursor.take(","):
        members.append(cursor.type())
    return tuple(members)


def _function(head: str) -> Function:
    cursor = Cursor(head)
    cursor.need(r"define\b")
    while cursor.take(r"(?:dso_local|internal|fastcc|zeroext|signext|noundef)\b"):
        pass
    result = cursor.type()
    name = cursor.need(rf"@({NAME})")
    cursor.need(r"\(")
    parameters: list[tuple[Type, str]] = []
    while not cursor.take(r"\)"):
        type = cursor.type()
        cursor.take(ATTRIBUTES)
        parameters.append((type, cursor.need(rf"%({NAME})")))
        cursor.take(",")
    return Function(name, parameters, result)


def _blocks(function: Function, body: str, lines: dict[str, int]) -> None:
    # A switch is written over several lines.
    body = re.sub(
        r"\[\s*\n(.*?)\n\s*\]",
        lambda m: "[" + m[1].replace("\n", " ") + "]",
        body,
        flags=re.S,
    )
    current: list[Instruction] = []
    for line in body.splitlines():
        line = re.sub(r"\s*;.*", "", line)
        if not line.strip():
            continue
        label = re.match(rf"({NAME}):", line)
        if label:
            current = function.blocks.setdefault(label[1], [])
            function.entry = function.entry or label[1]
            continue
        where = re.search(r", !dbg !(\d+)", line)
        line = re.sub(r"(, ![\w.]+ !\d+)+$", "", line)
        current.append(_instruction(line, lines.get(where[1], 0) if where else 0))


def _instruction(line: str, number: int) -> Instruction:
    cursor = Cursor(line)
    result = cursor.take(rf"%({NAME}) =") or ""
    cursor.take(r"(?:tail|notail|musttail)\b")
    found = Instruction(cursor.need(r"[a-z]+"), result, number)
    operation = found.operation
    flags: set[str] = set()
    while (flag := cursor.take(rf"(?:{'|'.join(sorted(FLAGS))})\b")) is not None:
        flags.add(flag)
    found.flags = frozenset(flags)
    if operation in ARITHMETIC or operation == "icmp":
        if operation == "icmp":
            found.predicate = cursor.need(r"[a-z]+")
        left = cursor.operand()
        cursor.need(",")
        found.operands = [left, cursor.value(left.type)]
        found.type = Integer(1) if operation == "icmp" else left.type
    elif operation in CONVERSIONS:
        found.operands = [cursor.operand()]
        cursor.need(r"to\b")
        found.type = cursor.type()
    elif operation == "alloca":
        found.type = cursor.type()
        cursor.take(r", align \d+")
    elif operation == "load":
        found.type = cursor.type()
        cursor.need(",")
        found.operands = [cursor.operand()]
        cursor.take(r", align \d+")
    elif operation == "store":
        value = cursor.operand()
        cursor.need(",")
        found.operands = [value, cursor.operand()]
        cursor.take(r", align \d+")
    elif operation == "getelementptr":
        found.type = cursor.type()
        while cursor.take(","):
            found.operands.append(cursor.operand())
    elif operation == "select":
        found.operands = [cursor.operand()]
        while cursor.take(","):
            found.operands.append(cursor.operand())
        found.type = found.operands[1].type
    elif operation == "phi":
        found.type = cursor.type()
        while cursor.take(r"\["):
            found.operands.append(cursor.value(found.type))
            cursor.need(",")
            found.labels.append(cursor.need(rf"%({NAME})"))
            cursor.need(r"\]")
            cursor.take(",")
    elif operation == "br":
        if not cursor.take(r"label\b"):
            found.operands = [cursor.operand()]
            cursor.need(r", label")
        found.labels.append(cursor.need(rf"%({NAME})"))
        if cursor.take(r", label"):
            found.labels.append(cursor.need(rf"%({NAME})"))
    elif operation == "switch":
        found.operands = [cursor.operand()]
        cursor.need(r", label")
        found.labels.append(cursor.need(rf"%({NAME})"))
        cursor.need(r"\[")
        while not cursor.take(r"\]"):
            cursor.type()
            found.cases.append(int(cursor.need(r"-?\d+")))
            cursor.need(r", label")
            found.labels.append(cursor.need(rf"%({NAME})"))
    elif operation == "call":
        cursor.take(r"fastcc\b")
        cursor.take(ATTRIBUTES)
        found.type = cursor.type()
        if cursor.take(r'asm sideeffect "", "~{memory}[^"]*"\(\)'):
            found.operation = "barrier"  # of the compiler; for the chip it is nothing
            cursor.take(r"#\d+")
            return found
        found.callee = cursor.need(rf"@({NAME})")
        cursor.need(r"\(")
        while not cursor.take(r"\)"):
            found.operands.append(cursor.operand())
            cursor.take(",")
        cursor.take(r"#\d+")
    elif operation == "ret":
        if not cursor.take(r"void\b"):
            found.operands = [cursor.operand()]
    elif operation != "unreachable":
        raise Unreadable(f"unknown instruction: {line.strip()}")
    if cursor.text:
        raise Unreadable(f"left over: {cursor.text!r} in: {line.strip()}")
    return found
