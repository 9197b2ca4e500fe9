# SPDX-License-Identifier: MIT
"""Small random specs: machines of states in states (tests/fuzz/machines.py), or expressions, or both.

Expressions are made of every operator, in every place an expression may stand, and again and again of the numbers at which
something turns over: 0, 1, the ends of each width, both sides of the highest bit.

Several of them make one file: each has names of its own, which end in its number, and its own lines (`Part`). What the
contract of a spec forbids is kept out by masks and clamps (shifts, indices, what goes into a range), so that whatever the
engines disagree about is a mistake of one of them. Brackets stand where the grammar needs them, and sometimes elsewhere.
"""

from __future__ import annotations

import operator as operators
import random
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from tests.fuzz.machines import Machines

WORD = 0xFFFFFFFF
EDGES = (
    *(0, 1, 2, 3, 7, 8, 31, 32),
    *(0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x100, 0x101),
    *(0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF, 0x10000),
    *(0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF),
)
WIDTHS = (8, 16, 32)
EXPRESSIONS, MACHINES = 0.6, 0.45  # parts of all specs that have them; some have both

COMPUTE: dict[str, Callable[[int, int], int]] = {
    **{"|": operators.or_, "&": operators.and_, "^": operators.xor},
    **{"+": operators.add, "-": operators.sub, "*": operators.mul},
    **{"/": operators.floordiv, "%": operators.mod},
    **{"<<": operators.lshift, ">>": operators.rshift},
}

# How tightly the operators bind, as in docs/language.md.
LEVELS = {
    **{"or": 1, "and": 2},
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 4),
    **{"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9},
    **{"*": 10, "/": 10, "%": 10},
}
CONDITIONAL, NOT, COMPARISON, UNARY, ATOM = 0, 3, 4, 11, 12


@dataclass(frozen=True)
class Text:
    """An expression and how tightly it binds; its value where it is known here, and whether a compiler may know it."""

    text: str
    level: int = ATOM
    value: Optional[int] = None
    fixed: bool = False

    def at(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True)
class Part:
    """One small spec of a file: its number, its lines, counted from 1, and its machines, if it has some."""

    number: int
    first: int
    last: int
    machines: Optional[Machines] = None

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


def literal(value: int, chance: random.Random) -> Text:
    text = hex(value) if value > 9 and chance.random() < 0.6 else str(value)
    return Text(text, ATOM, value, True)


class Expressions:
    """Draws expressions over the names in scope."""

    def __init__(self, chance: random.Random) -> None:
        self.random = chance
        self.constants: list[Text] = []
        self.numbers: list[str] = []
        self.bools: list[str] = []
        self.members: list[str] = []
        self.kinds: list[str] = []  # what holds a member
        self.sets: list[tuple[str, int]] = []  # with their bits
        self.arrays: list[str] = []  # of four numbers
        self.functions: list[tuple[str, str]] = []  # name, what it gives
        self.widths: dict[str, list[int]] = {}  # of what a function takes
        self.letter = ""

    def bracketed(self, text: Text) -> Text:
        if self.random.random() < 0.1:
            return Text(f"({text.text})", fixed=text.fixed)
        return text

    def edge(self) -> Text:
        if self.constants and self.random.random() < 0.3:
            return self.random.choice(self.constants)
        return literal(self.random.choice(EDGES), self.random)

    def leaf(self) -> Text:
        roll = self.random.random()
        if roll < 0.3:
            return self.edge()
        if roll < 0.35 and self.kinds:
            return Text(self.random.choice(self.kinds))
        return Text(self.random.choice(self.numbers))

    def binary(self, operator: str, left: Text, right: Text) -> Text:
        level = LEVELS[operator]
        outer = level + (level == COMPARISON)
        text = f"{left.at(outer)} {operator} {right.at(level + 1)}"
        fixed = left.fixed and right.fixed
        if operator in ("and", "or"):
            fixed = left.fixed or right.fixed
        if operator == "/":  # which would begin the actions of a row
            return Text(f"({text})", fixed=fixed)
        return Text(text, level, fixed=fixed)

    def under(self, count: int, depth: int) -> Text:
        """A number below a power of two."""
        if self.random.random() < 0.2:
            value = self.random.choice((0, 1, count // 2, count - 1))
            return Text(str(value), fixed=True)
        mask = Text(str(count - 1), fixed=True)
        return self.binary("&", self.number(depth - 1), mask)

    def below(self, count: int, depth: int) -> str:
        return self.under(count, depth).text

    def number(self, depth: int) -> Text:
        if depth <= 0 or self.random.random() < 0.08:
            return self.leaf()
        return self.bracketed(self._number(depth))

    def _number(self, depth: int) -> Text:
        roll = self.random.randrange(17)
        if roll < 6:
            operator = self.random.choice("++--&|^")
            return self.binary(operator, self.number(depth - 1), self.number(depth - 1))
        if roll == 6:
            # `--` and `- -` are two signs, too.
            operand = self.number(depth - 1)
            sign = self.random.choice("-~")
            return Text(sign + operand.at(UNARY), UNARY, fixed=operand.fixed)
        if roll == 7:
            operator = self.random.choice(("<<", ">>"))
            shift = self.under(32, depth - 1)
            return self.binary(operator, self.number(depth - 1), shift)
        if roll == 8:
            factor = self.edge()
            sides = [self.number(depth - 1), factor]
            self.random.shuffle(sides)
            return self.binary("*", *sides)
        if roll == 9:
            operator = self.random.choice("/%")
            if self.random.random() < 0.5:
                power = literal(
                    1 << self.random.choice((0, 1, 7, 8, 16, 31)), self.random
                )
                return self.binary(operator, self.number(depth - 1), power)
            divisor = literal(self.random.choice(EDGES[1:]), self.random)
            return self.binary(operator, self.edge(), divisor)
        if roll in (10, 11):
            name = self.random.choice(("min", "max"))
            left, right = self.number(depth - 1), self.number(depth - 1)
            fixed = left.fixed and right.fixed
            return Text(f"{name}({left.text}, {right.text})", fixed=fixed)
        if roll in (12, 13):
            return self.conditional(self.number, depth)
        if roll == 14 and self.arrays:
            return Text(f"{self.random.choice(self.arrays)}[{self.below(4, depth)}]")
        numbers = [name for name, result in self.functions if result == "number"]
        if roll in (15, 16) and numbers:
            return self.call(numbers, depth - 1)
        return self.leaf()

    def call(self, names: Sequence[str], depth: int) -> Text:
        name = self.random.choice(names)
        values = [self.into(bits, depth) for bits in self.widths[name]]
        return Text(f"{name}({', '.join([*values, self.letter])})")

    def conditional(self, draw: Callable[[int], Text], depth: int) -> Text:
        then, otherwise = draw(depth - 1), draw(depth - 1)
        condition = self.bool(depth - 1)
        text = f"{then.at(1)} if {condition.at(1)} else {otherwise.at(0)}"
        fixed = condition.fixed and (then.fixed or otherwise.fixed)
        return Text(text, CONDITIONAL, fixed=fixed)

    def into(self, bits: int, depth: int) -> str:
        """A number for a place of so many bits: a constant must fit, and others may not be known to be too large."""
        drawn = self.number(depth)
        if not drawn.fixed:
            return drawn.text if bits == 32 else self.narrowed(drawn, bits)
        fitting = [text for text in self.constants if (text.value or 0) >> bits == 0]
        if fitting and self.random.random() < 0.5:
            return self.random.choice(fitting).text
        edges = [edge for edge in EDGES if edge >> bits == 0]
        return literal(self.random.choice(edges), self.random).text

    def narrowed(self, drawn: Text, bits: int) -> str:
        """What keeps the low bits on purpose, and what a place of few bits loses the rest of."""
        roll = self.random.randrange(6)
        mask = literal((1 << bits) - 1, self.random)
        if roll == 0:
            return f"min({drawn.text}, {mask.text})"
        if roll == 1:
            return self.binary("&", drawn, mask).text
        if roll == 2:
            return self.binary(">>", drawn, Text(str(32 - bits))).text
        if roll == 3:
            return self.binary("^", drawn, Text(self.random.choice(self.numbers))).text
        return self.random.choice("-~") + drawn.at(UNARY)

    def bool(self, depth: int) -> Text:
        if depth <= 0:
            if self.bools and self.random.random() < 0.6:
                return Text(self.random.choice(self.bools))
            return self.comparison(0)
        return self.bracketed(self._bool(depth))

    def comparison(self, depth: int) -> Text:
        operator = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
        left, right = self.number(depth), self.number(depth)
        if self.random.random() < 0.4:
            right = self.edge()
        sides = [left, right]
        self.random.shuffle(sides)
        return self.binary(operator, *sides)

    def _bool(self, depth: int) -> Text:
        roll = self.random.randrange(13)
        if roll < 5:
            return self.comparison(depth - 1)
        if roll < 8:
            operator = self.random.choice(("and", "or"))
            return self.binary(operator, self.bool(depth - 1), self.bool(depth - 1))
        if roll == 8:
            operand = self.bool(depth - 1)
            return Text(f"not {operand.at(NOT)}", NOT, fixed=operand.fixed)
        if roll == 9:
            return self.conditional(self.bool, depth)
        if roll == 10 and self.sets:
            name, bits = self.random.choice(self.sets)
            if self.random.random() < 0.5:
                return Text(f"has({name}, {self.below(16, depth)})")
            first, count = self.below(8, depth), self.below(8, depth)
            if self.random.random() < 0.2:
                first, count = "0", str(self.random.choice((bits, bits - 1)))
            return Text(f"has_all({name}, {first}, {count})")
        if roll == 11 and self.kinds:
            operator = self.random.choice(("==", "!=", "<", ">="))
            return self.binary(operator, self.kind(1), self.kind(1))
        bools = [name for name, result in self.functions if result == "bool"]
        if roll == 12 and bools:
            return self.call(bools, depth - 1)
        return self.comparison(depth - 1)

    def kind(self, depth: int) -> Text:
        if depth > 0 and self.random.random() < 0.3:
            return self.conditional(self.kind, depth)
        name = self.random.choice([*self.kinds, *self.members])
        return Text(name, fixed=name in self.members)


class Constants:
    """Constant expressions with their values: over all integers, the result and what is in between within 32 bits."""

    def __init__(self, chance: random.Random, known: Sequence[Text] = ()) -> None:
        self.random = chance
        self.known = list(known)

    def within(self, low: int, high: int, depth: int = 2) -> Text:
        """One whose value lies there."""
        for _ in range(30):
            drawn = self.draw(depth)
            if drawn.value is not None and low <= drawn.value <= high:
                return drawn
        edges = [edge for edge in EDGES if low <= edge <= high]
        return literal(self.random.choice([*edges, low, high]), self.random)

    def draw(self, depth: int) -> Text:
        if depth <= 0 or self.random.random() < 0.3:
            if self.known and self.random.random() < 0.4:
                return self.random.choice(self.known)
            return literal(self.random.choice(EDGES), self.random)
        operator = (
            self.random.choice("|&^+-*/%~") if self.random.random() < 0.8 else "<<"
        )
        left = self.draw(depth - 1)
        if operator == "~":
            value = None if left.value is None else WORD ^ left.value
            return Text(f"~{left.at(UNARY)}", UNARY, value, True)
        right = self.draw(depth - 1)
        if operator == "<<":
            operator = self.random.choice(("<<", ">>"))
            right = literal(self.random.choice((0, 1, 4, 16, 31)), self.random)
        value = self.result(operator, left.value, right.value)
        level = LEVELS[operator]
        text = f"{left.at(level)} {operator} {right.at(level + 1)}"
        if operator == "/":
            return Text(f"({text})", ATOM, value, True)
        return Text(text, level, value, True)

    @staticmethod
    def result(
        operator: str, left: Optional[int], right: Optional[int]
    ) -> Optional[int]:
        if left is None or right is None or (operator in "/%" and right == 0):
            return None
        value = COMPUTE[operator](left, right)
        return value if 0 <= value <= WORD else None


class SmallSpec:
    """One small spec from one seed. `number` ends all its names."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = random.Random(seed)
        self.n = number
        self.draw = Expressions(self.random)
        self.ranges: dict[str, tuple[Text, Text]] = {}
        self.known: list[Text] = []
        self.lines: list[str] = []

    def text(self) -> list[str]:
        self.declarations()
        self.state()
        self.functions()
        self.processes()
        return self.lines

    def add(self, *lines: str) -> None:
        self.lines += lines

    # --- declarations

    def bounds(self, bits: int) -> tuple[Text, Text]:
        constants = Constants(self.random, self.known)
        largest = (1 << bits) - 1
        low = constants.within(0, largest)
        if self.random.random() < 0.3:
            low = Text("0", ATOM, 0, True)
        assert low.value is not None
        high = constants.within(low.value, largest)
        if self.random.random() < 0.2:
            high = literal(largest, self.random)
        return low, high

    def declarations(self) -> None:
        n, chance = self.n, self.random
        for name in ("first", "second", "third"):
            value = Constants(chance, self.known).within(0, WORD, 3)
            self.add(f"constant {name}{n} = {value.text}")
            self.known.append(Text(f"{name}{n}", ATOM, value.value, True))
        bits = chance.choice(WIDTHS)
        low, high = self.bounds(bits)
        assert low.value is not None and high.value is not None
        default = Constants(chance, self.known).within(low.value, high.value)
        live = chance.choice(("", " live"))
        limits = f" range {low.text}..{high.text}"
        self.add(f"parameter given{n}: u{bits} = {default.text}{limits}{live}")
        self.bits = chance.choice(WIDTHS)
        members = chance.sample([e for e in EDGES if e < 1 << self.bits], 3)
        self.add(f"enumeration Kind{n}: u{self.bits}")
        for name, member in zip(("RED", "BLUE", "GREEN"), members):
            self.add(f"  {name}{n} = {literal(member, chance).text}")
            self.draw.members.append(f"{name}{n}")
        self.add(f"payload Load{n}")
        self.fields = {"a": 8, "b": 16, "c": 32, "e": 32}
        for name, width in self.fields.items():
            limits = ""
            if chance.random() < 0.5:
                low, high = self.bounds(width)
                limits = f" range {low.text}..{high.text}"
                self.ranges[name] = (low, high)
            self.add(f"  {name}: u{width}{limits}")
        self.add("  d: bool", f"  k: Kind{n}")
        self.add(
            f"device out{n}(n: u32, m: u16, s: u8, b: bool, l: Load{n}, k: Kind{n})"
        )
        self.add(f"counter hits{n}")

    def state(self) -> None:
        n, chance = self.n, self.random
        self.set_bits = chance.choice((16, 20, 30, 31))
        self.list_bits = chance.choice(WIDTHS)
        self.add(
            f"table Row{n}[4] written by P{n}",
            "  x: u8",
            "  y: u16",
            "  z: u32",
            "  on: bool",
            f"  kind: Kind{n}",
            f"  list: u{self.list_bits}[4]",
            f"  set: bits[{self.set_bits}]",
        )
        self.own: dict[str, int] = {}
        variables = []
        for name, bits in (("v8", 8), ("v16", 16), ("v32", 32), ("ranged", 32)):
            limits, initial = "", ""
            if name == "ranged":
                bits = chance.choice(WIDTHS)
                low, high = self.bounds(bits)
                limits = f" range {low.text}..{high.text}"
                self.ranges[f"ranged{n}"] = (low, high)
                assert low.value is not None and high.value is not None
                between = Constants(chance, self.known).within(low.value, high.value)
                initial = f" = {between.text}"
            elif chance.random() < 0.4:
                value = Constants(chance, self.known).within(0, (1 << bits) - 1)
                initial = f" = {value.text}"
            variables.append(f"  variable {name}{n}: u{bits}{limits}{initial}")
            self.own[f"{name}{n}"] = bits
        variables.append(f"  variable flag{n}: bool")
        variables.append(f"  variable tint{n}: Kind{n}")
        self.variables = variables

    # --- scopes

    def row(self) -> str:
        return f"Row{self.n}[{self.draw.below(4, 1)}]"

    def scope(self, numbers: Sequence[str], bools: Sequence[str], letter: str) -> None:
        """Names in an owner that has a payload called `letter`."""
        n, draw = self.n, self.draw
        draw.constants = self.known
        draw.numbers = [*numbers, f"given{n}"]
        draw.numbers += [f"{letter}.{field}" for field in "abce"]
        draw.bools = [*bools, f"{letter}.d"]
        draw.kinds = [f"{letter}.k"]
        draw.arrays, draw.sets = [], []
        rows = [self.row(), self.row()]
        draw.numbers += [f"{rows[0]}.{field}" for field in "xyz"]
        draw.arrays = [f"{row}.list" for row in rows]
        draw.sets = [(f"{row}.set", self.set_bits) for row in rows]
        draw.bools.append(f"{rows[1]}.on")
        draw.kinds.append(f"{rows[1]}.kind")
        draw.letter = letter

    # --- functions and actions

    def functions(self) -> None:
        n, chance = self.n, self.random
        for index in range(chance.randint(1, 2)):
            kind = chance.choice(("u8", "u16", "u32", "bool"))
            name = f"f{index}_{n}"
            widths = [chance.choice(WIDTHS) for _ in range(2)]
            self.scope(["p", "q"], ["p < q"], "l")
            self.draw.bools.remove("p < q")
            head = (
                f"function {name}(p: u{widths[0]}, q: u{widths[1]}, l: Load{n}): {kind}"
            )
            bits = int(kind[1:]) if kind != "bool" else 0
            draw = lambda depth: (  # noqa: E731
                self.draw.into(bits, depth) if bits else self.draw.bool(depth).text
            )
            if chance.random() < 0.6:
                self.add(head, f"  = {draw(2)}")
            else:
                wide = chance.choice(WIDTHS)
                self.add(head, f"  let w: u{wide} = {self.draw.into(wide, 2)}")
                self.draw.numbers.append("w")
                if chance.random() < 0.5:
                    self.add(f"  repeat 3 while {self.draw.bool(1).text}")
                    self.add(f"    w := {self.draw.into(wide, 2)}")
                self.add(f"  if {self.draw.bool(1).text}", f"    return {draw(1)}")
                self.add(f"  return {draw(2)}")
            self.draw.widths[name] = widths
            self.draw.functions.append((name, "bool" if kind == "bool" else "number"))
        self.scope(["p", *self.own], [f"flag{n}"], "l")
        self.act_bits = chance.choice(WIDTHS)
        self.add(f"action act{n}(p: u{self.act_bits}, l: Load{n})")
        self.add(f"  if {self.draw.bool(2).text}")
        self.add(f"    {self.statement()}")
        if chance.random() < 0.3:
            self.add("    return", f"  else if {self.draw.bool(2).text}")
            self.add(f"    {self.statement()}")
        if chance.random() < 0.3:
            self.add(
                f"  for i in {chance.choice(('0..2', '254..257', '65535..65536'))}"
            )
            self.draw.numbers += ["i", "i"]
            self.add(f"    {self.statement()}")
            del self.draw.numbers[-2:]
        elif chance.random() < 0.3:
            self.add(f"  for x in {self.row()}.list")
            self.draw.numbers += ["x", "x"]
            self.add(f"    {self.statement()}")
            del self.draw.numbers[-2:]
        self.add(f"  {self.statement()}")

    # --- statements

    def value(self, name: str, bits: int, depth: int) -> str:
        """For a variable or a field: within its range, if it has one."""
        if name not in self.ranges:
            return self.draw.into(bits, depth)
        low, high = self.ranges[name]
        assert low.value is not None and high.value is not None
        drawn = self.draw.number(depth)
        if drawn.fixed:
            return Constants(self.random, self.known).within(low.value, high.value).text
        return f"min(max({drawn.text}, {low.text}), {high.text})"

    def numbers(self, *widths: int) -> str:
        return ", ".join(self.draw.into(bits, 2) for bits in widths)

    def statement(self) -> str:
        n, chance, draw = self.n, self.random, self.draw
        roll = chance.randrange(14)
        if roll < 3:
            name = chance.choice(list(self.own))
            return f"{name} := {self.value(name, self.own[name], 3)}"
        if roll < 5:
            field, bits = chance.choice((("x", 8), ("y", 16), ("z", 32)))
            return f"{self.row()}.{field} := {draw.into(bits, 3)}"
        if roll == 5:
            value = draw.into(self.list_bits, 2)
            return f"{self.row()}.list[{draw.below(4, 2)}] := {value}"
        if roll == 6:
            place = chance.choice((f"flag{n}", f"{self.row()}.on"))
            return f"{place} := {draw.bool(2).text}"
        if roll == 7:
            place = chance.choice((f"tint{n}", f"{self.row()}.kind"))
            return f"{place} := {draw.kind(2).text}"
        if roll == 8:
            return f"{chance.choice(('set', 'unset'))}({self.row()}.set, {draw.below(16, 2)})"
        if roll == 9:
            return f"clear Row{n}[{draw.below(4, 2)}]"
        if roll == 10:
            return f"count hits{n}"
        numbers = self.numbers(32, 16, 8)
        return f"out{n}({numbers}, {draw.bool(2).text}, l, {draw.kind(1).text})"

    def built(self) -> str:
        """A payload of its own making, for the other process."""
        n, draw = self.n, self.draw
        fields = ", ".join(
            f"{f}: {self.value(f, b, 2)}" for f, b in self.fields.items()
        )
        return f"let r: Load{n} = Load{n}({fields}, d: {draw.bool(1).text}, k: {draw.kind(1).text})"

    # --- processes

    def processes(self) -> None:
        n, chance, draw = self.n, self.random, self.draw
        self.add(
            f"process P{n}",
            f"  external event go(l: Load{n}, n: u32, m: u8)",
            f"  external event tick(n: u16, b: bool, l: Load{n}, k: Kind{n})",
            *self.variables,
        )
        own = self.own
        go = lambda: self.scope(["n", "m", *own], [f"flag{n}"], "l")  # noqa: E731
        go()
        self.add("  state ONE initial", "    on go(l, n, m)")
        self.add(f"      let t = {draw.number(3).text}")
        draw.numbers += ["t", "t"]
        self.add(f"      when {draw.bool(3).text} / {self.statement()} -> TWO")
        self.add(f"      else / act{n}({draw.into(self.act_bits, 2)}, l)")
        self.scope(["n", *own], ["b", f"flag{n}"], "l")
        draw.kinds.append("k")
        built = self.built()
        numbers = self.numbers(8, 16, 32)
        self.add(
            f"    on tick(n, b, l, k) when {draw.bool(3).text} / {self.statement()}",
            f"    on tick(n, b, l, k) / {built}; raise Q{n}.told({numbers}, {draw.bool(2).text}, r)",
            "  state TWO",
        )
        go()
        self.add(f"    on go(l, n, m) when {draw.bool(2).text} / {self.statement()}")
        self.add(f"    on go(l, n, m) / {self.statement()} -> ONE")
        self.add(f"    on tick(n, b, l, k) / tint{n} := k -> ONE")
        if chance.random() < 0.5:
            duration = Constants(chance, self.known).within(1, WORD >> 1)
            self.add(f"    after {duration.text} -> ONE")
        self.add(
            f"process Q{n}",
            f"  event told(s: u8, h: u16, w: u32, b: bool, l: Load{n})",
            f"  variable heard{n}: u32",
            "  state WAITING initial",
        )
        self.scope(["s", "h", "w", f"heard{n}"], ["b"], "l")
        self.add(
            f"    on told(s, h, w, b, l) when {draw.bool(2).text} / heard{n} := {draw.into(32, 2)}",
            f"    on told(s, h, w, b, l) / out{n}(w, h, s, b, l, l.k)",
        )


def shape_of(seed: int) -> float:
    return random.Random(f"shape {seed}").random()


def has_machines(seed: int) -> bool:
    return shape_of(seed) > 1 - MACHINES


def write_specs(seeds: Sequence[int], numbers: Sequence[int]) -> tuple[str, list[Part]]:
    """One file of several small specs, and which lines are whose."""
    lines = ['protocol fuzz "Random expressions and machines"']
    parts: list[Part] = []
    processes: list[str] = []
    for seed, number in zip(seeds, numbers, strict=True):
        first = len(lines) + 1
        shape, machines = shape_of(seed), None
        if shape < EXPRESSIONS:
            lines += SmallSpec(seed, number).text()
            processes += (f"P{number}", f"Q{number}")
        if shape > 1 - MACHINES:
            machines = Machines(random.Random(seed), number)
            lines += machines.text()
            processes += machines.processes
        parts.append(Part(number, first, len(lines), machines))
    lines.append('placement base "One processor."')
    lines.append(f"  {', '.join(processes)} on A")
    return "\n".join(lines) + "\n", parts
