# SPDX-License-Identifier: MIT
"""Specs made of random expressions and statements: what the two translations of them disagree about is a bug.

Everything is bracketed, so that the tree is what was drawn; indices and shifts are masked, so that no expression
breaks the contract of the intermediate form.
"""

from __future__ import annotations

import random

from tests.fuzz.machines import Machines

CONSTANTS = (
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "255",
    "256",
    "0x8000",
    "65535",
    "0x7FFFFFFF",
    "0xFFFFFFFF",
)
FACTORS = (
    "1",
    "3",
    "10",
    "36",
    "255",
    "1486",
    "65535",
    "65536",
    "131071",
    "1000003",
    "0xFFFFFFFF",
)

POWERS = ("1", "2", "8", "four", "0x80000000")

HEADER = """protocol random_{seed} "Random expressions"

constant five = 5
constant four = 4 fixed
parameter factor: u16 = 3 live
enumeration Colour: u8
  RED = 1
  BLUE = 200

payload Letter
  small: u8
  medium: u16
  large: u32
  flag: bool

pool Job[3] written by Worker
  number: u32
  half: u16
  next: Job
  alive: bool
  colours: u8[5]
  seen: bits[20]

table Desk[8] written by Clerk
  small: u8
  medium: u16
  large: u32
  flag: bool
  drawers: u16[4]
  open: bits[45]

device told(n: u32, m: u16, l: Letter, b: bool)
counter odd
"""


class SpecWriter:
    """One spec from one seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.functions: list[tuple[str, str]] = []  # (name, type)
        self.numbers: list[str] = []
        self.bools: list[str] = []
        self.locals = 0

    def spec(self) -> str:
        parts = [HEADER.format(seed=self.seed)]
        for index in range(5):
            kind = self.random.choice(("u8", "u16", "u32", "bool"))
            parts.append(self.function(f"function_{index}", kind))
            self.functions.append((f"function_{index}", kind))
        parts.append(self.clerk())
        parts.append(self.worker())
        machines = Machines(self.random, 1, "all")
        parts.append("\n".join(machines.text()) + "\n")
        processes = ", ".join(("Clerk", "Worker", *machines.processes))
        parts.append(f'placement base "One processor."\n  {processes} on A\n')
        return "\n".join(parts)

    # --- expressions

    def scope(self, numbers: list[str], bools: list[str], letter: str = "l") -> None:
        fields = [f"{letter}.small", f"{letter}.medium", f"{letter}.large"]
        self.numbers = [*numbers, *fields, "factor", "five"]
        self.bools = [*bools, f"{letter}.flag"]

    def number(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.1:
            if self.random.random() < 0.25:
                return self.random.choice(CONSTANTS)
            return self.random.choice(self.numbers)
        kind = self.random.randrange(11)
        left = self.number(depth - 1)
        if kind == 0:
            return f"({self.random.choice('-~')}{self.variable(depth - 1)})"
        if kind in (1, 2, 3):
            return f"({left} {self.random.choice('+-&|^')} {self.number(depth - 1)})"
        if kind == 4:
            shift = self.random.choice(("<<", ">>"))
            return f"({self.variable(depth - 1)} {shift} ({self.variable(depth - 1)} & 31))"
        if kind == 5:
            return f"({self.variable(depth - 1)} * {self.random.choice(FACTORS)})"
        if kind == 6:
            return f"{self.random.choice(('min', 'max'))}({left}, {self.number(depth - 1)})"
        if kind == 7:
            return f"({left} if {self.bool(depth - 1)} else {self.number(depth - 1)})"
        if kind == 8:
            field = self.random.choice(
                ("small", "medium", "large", f"drawers[{self.variable(depth - 1)} & 3]")
            )
            return f"Desk[{self.variable(depth - 1)} & 7].{field}"
        if kind == 9:
            operator, power = self.random.choice("/%"), self.random.choice(POWERS)
            return f"({self.variable(depth - 1)} {operator} {power})"
        calls = [name for name, result in self.functions if result != "bool"]
        return self.call(calls, depth) if calls else left

    def variable(self, depth: int) -> str:
        """Never a constant as a whole."""
        return f"({self.number(depth)} ^ {self.random.choice(self.numbers[:3])})"

    def bool(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice(self.bools)
        kind = self.random.randrange(6)
        if kind in (0, 1):
            comparison = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
            return f"({self.variable(depth - 1)} {comparison} {self.number(depth - 1)})"
        if kind == 2:
            joined = self.random.choice(("and", "or"))
            return f"({self.bool(depth - 1)} {joined} {self.bool(depth - 1)})"
        if kind == 3:
            return f"(not {self.bool(depth - 1)})"
        desk = f"Desk[{self.variable(depth - 1)} & 7].open"
        if kind == 4:
            return f"has({desk}, {self.variable(depth - 1)} & 31)"
        calls = [name for name, result in self.functions if result == "bool"]
        if calls and self.random.random() < 0.5:
            return self.call(calls, depth)
        first, count = self.variable(0), self.variable(0)
        return f"has_all({desk}, {first} & 15, {count} & {self.random.choice((3, 15, 30))})"

    def call(self, names: list[str], depth: int) -> str:
        arguments = [self.variable(depth - 2), self.variable(depth - 2), "l"]
        return f"{self.random.choice(names)}({', '.join(arguments)})"

    # --- declarations

    def function(self, name: str, kind: str) -> str:
        self.scope(["a", "b"], ["(a < b)"])
        head = f"function {name}(a: u8, b: u32, l: Letter): {kind}"
        value = self.bool(3) if kind == "bool" else self.variable(3)
        if self.random.random() < 0.5:
            return f"{head}\n  = {value}\n"
        lines = [head, f"  let x: u16 = {self.variable(2)}"]
        self.numbers.append("x")
        if self.random.random() < 0.5:
            lines.append(f"  repeat 5 while {self.bool(2)}")
        else:
            lines.append(f"  for k in {self.random.choice(('0', '2'))}..four")
            self.numbers.append("k")
        lines.append(f"    x := {self.variable(2)}")
        lines.append(f"    if {self.bool(2)}")
        result = self.bool(2) if kind == "bool" else self.variable(2)
        lines.append(f"      return {result}")
        if "k" in self.numbers:
            self.numbers.remove("k")
        value = f"({value} and x != 7)" if kind == "bool" else f"({value} + x)"
        lines.append(f"  return {value}\n")
        return "\n".join(lines)

    def statements(self, count: int, places: list[str]) -> str:
        result = []
        for _ in range(count):
            place = self.random.choice(places)
            kind = self.random.randrange(8)
            if kind == 0:
                large, medium = self.variable(3), self.variable(2)
                result.append(f"told({large}, {medium}, l, {self.bool(2)})")
            elif kind == 1:
                result.append("count odd")
            else:
                result.append(f"{place} := {self.variable(3)}")
        return "; ".join(result)

    def clerk(self) -> str:
        variables = ["v8", "v16", "v32"]
        numbers = [*variables, "n", "list[l.large & 3]"]
        self.scope(numbers, ["vb"])
        places = [*variables, f"list[{self.variable(1)} & 3]"]
        for field in ("small", "medium", "large", f"drawers[{self.variable(1)} & 3]"):
            places.append(f"Desk[{self.variable(1)} & 7].{field}")
        rows = []
        for _ in range(4):
            rows.append(
                f"      when {self.bool(3)} / {self.statements(3, places)}; vb := {self.bool(3)}"
            )
        # A value that rows read on both sides of the line `rare`, or on one.
        early = self.random.choice(("m == 7", self.bool(2)))
        rows.insert(0, f"      when {early} / v32 := {self.variable(1)}")
        if self.random.randrange(3):
            rows.insert(self.random.randrange(1, 6), "      rare")
        index = self.variable(2)
        cold = self.random.choice(("", " cold"))
        return f"""process Clerk
  external event came(l: Letter, n: u16)
  external event mark(l: Letter, n: u32)
  variable v8: u8
  variable v16: u16 = 500
  variable v32: u32
  variable vb: bool
  variable list: u8[4]

  state READY initial
    on came(l, n)
      let m = {self.variable(3)}
{chr(10).join(rows)}
      else / v32 := m; Desk[{index} & 7].flag := {self.bool(2)}
    on mark(l, n)
      when {self.bool(2)} / set(Desk[{index} & 7].open, {self.variable(2)} & 31)
      when {self.bool(2)} / unset(Desk[{index} & 7].open, {self.variable(2)} & 31)
      when {self.bool(2)} / clear Desk[{index} & 7]
      else / set(Desk[n & 7].open, 40); v16 := {self.variable(3)} -> OTHER
  state OTHER{cold}
    entry / v8 := v8 + 1
    on came(l, n) when {self.bool(2)} / {self.statements(2, places)} -> READY
    ignore came
    on mark(l, n) / change(l, n)

action change(l: Letter, n: u32)
  if {self.bool(3)}
    v32 := {self.variable(3)}
    return
  else if {self.bool(2)}
    list[{self.variable(1)} & 3] := {self.variable(2)}
  repeat 3 while {self.bool(2)}
    v16 := {self.variable(2)}
  for d in list
    v32 := v32 + d
    if v32 % 8 == 5
      return
  for j in Job
    told(j.number, j.half, l, j.next == none)
    for c in j.colours
      v16 := v16 + c
"""

    def worker(self) -> str:
        self.scope(
            ["j.number", "j.half", "j.colours[2]", "l.large"], ["has(j.seen, 3)"]
        )
        places = ["j.number", "j.half", f"j.colours[{self.variable(1)} & 3]"]
        cold = self.random.choice(("", " cold"))
        rare = self.random.choice(("", "      rare\n"))
        return f"""function other(j: Job, l: Letter): bool = j == none or {self.bool(2)}
function like(j: Job, l: Letter): Job
  = find k in Job where k != j and k.half % 4 == j.half % 4 and {self.bool(1)}

process Worker(j: Job)
  external event begin(l: Letter) creates
  external event work(l: Letter, k: Job)
  state NEW initial
    on begin(l) / j.alive := true; {self.statements(3, places)} -> BUSY
    never work
  state BUSY{cold}
    entry / j.half := j.half + 1
    exit / j.number := j.number + 7
    on work(l, k)
      when k != none and k.alive and other(k, l) / j.next := k; k.number := {self.variable(3)}
      when {self.bool(3)} / {self.statements(2, places)} -> BUSY
      when j.next != none and j.next.alive and j.next != j / j.next.half := {self.variable(2)}; set(j.seen, {self.variable(2)} & 15)
{rare}      when like(j, l) != none and {self.bool(2)} / j.next := like(j, l)
      when {self.bool(2)} / unset(j.seen, 3); release j -> GONE
      else / {self.statements(3, places)}; raise_number(j, l)
    after {self.random.choice(('1000', 'five * 100', '(j.half & 7) * 100 + 1'))} / release j -> GONE
    never begin
  state GONE final

action raise_number(j: Job, l: Letter)
  j.number := {self.variable(3)}
  j.half := {self.variable(2)}
"""


def random_spec(seed: int) -> str:
    return SpecWriter(seed).spec()
