# SPDX-License-Identifier: MIT
"""Whatever hsmc check accepts, warnings allowed, compiles without warnings: specs with what nobody needs, with
comparisons decided beforehand, with as little as possible, and random ones."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "gen"))
sys.path.insert(0, str(ROOT))

from hsmc.backends import backend_c  # noqa: E402
from hsmc.compilation.compiler import Compilation
from tests.interpreter.random_specs import random_spec  # noqa: E402
from tests.long_tests import one_in  # noqa: E402

STRICT = "-std=c11 -Wall -Wextra -Wconversion -Werror -S -o /dev/null".split()
COMPILERS = {
    "gcc": ["gcc", "-O2", *STRICT],
    "clang": ["clang", "-O1", *STRICT],
}

LEAST = """protocol t
process P
  external event go()
  state A initial
    ignore go
"""

UNUSED = """protocol t
constant size = 4
parameter patience: u32 = 5 unit us
enumeration Colour: u8
  RED = 0
enumeration Empty: u32
  LAST = 0xFFFFFFFF
layout Word
  all: 32 bits
counter nothing
payload Letter
  size: u8
  colour: Colour
device send(l: Letter, n: u8)
pool Job[size] written by Worker
  size: u8
table Desk[3] written by P
  a: u8
  list: bits[3]
function twice(n: u8, m: u32): u16 = n + n
function thrice(n: u8): u16 = twice(n, n) + n
function same(n: u8): u8
  let x = n
  let y: u32 = 3
  return n
action tidy(n: u8, l: Letter)
  let x = n
  release_it(none)
action release_it(j: Job)
  release j
action nothing_(n: u8)
  if n == 0
    return
  else if n == 3
    return
  repeat 3
    if n > 200
      return
process Worker(j: Job)
  event start(n: u8)
  external event stop()
  state NEW initial
    on start(n) / j.size := n
    ignore stop
process P
  external event go(l: Letter, n: u8, j: Job)
  event other(l: Letter)
  variable never_: u8
  variable flag: bool
  variable set_: bits[1]
  state A initial
    on go(l, n, j)
      let unused = n + 1
      let also: bool = n > 3
      when n == 1 / let x = n; let y: u32 = 2; let l: Job = j
      when n == 2 / nothing_(n); let p: Letter = Letter(size: n)
      when n == 3 / let s: u8 = same(n)
      else
    ignore other
""".replace(
    "let l: Job = j", "let k: Job = j"
)

POOLS = """protocol t
pool Made[4] written by Maker
  size: u8
pool Lost[300] written by Loser, created by Boss
  size: u8
  next: Lost
pool Never[1] written by Nobody, created by Boss
  size: u16
pool First[2] written by Early, created by Boss
  size: u16
table Extra[First] written by Boss
  size: u16
  marks: bits[70]
process Maker(m: Made)
  external event start(n: u8) creates
  external event drop()
  state NEW initial
    on start(n) / m.size := n
    on drop / release m
process Loser(l: Lost)
  external event tell(n: u8)
  state NEW initial
    on tell(n) when n == l.size / l.next := l
    ignore tell
process Nobody(n: Never)
  external event tell()
  state NEW initial
    ignore tell
process Early(f: First)
  event begin(n: u16)
  state NEW initial
    on begin(n) / f.size := n
process Boss
  external event go(n: u8, l: Lost)
  external event look(l: Lost, f: First)
  variable count_: u32
  variable earliest: First
  state A initial
    entry / let f: First = create First; earliest := f; clear Extra[f]; Extra[f].size := 2
    on go(n, l)
      when not available(Never) / count_ := 1
      when n == 3 / make(n)
      when n == 4 and l != none / release l
      else
    on look(l, f)
      when l == l / count_ := 2
      when l != l or f != none and f == earliest / set(Extra[f].marks, 69)
      else
action make(n: u8)
  if available(Lost)
    let l: Lost = create Lost
  if n == 7 and available(Lost)
    let m: Lost = create Lost
"""

DECIDED = """protocol t
constant limit = 300
constant zero = 0
constant top = 0xFFFFFFFF
parameter size: u8 = 3 range 1..15
parameter loud: bool = true
enumeration Kind: u8
  ONLY = 7
payload Order
  desk: u8 range 2..15
  kind: Kind
  wide: u16
  large: u32
  flag: bool
device tell(n: u32, b: bool)
function narrow(n: u8): u16 = n
function low(n: u32): u32 = n
function clear_(n: u8): bool = n < 256
function local_(n: u8): bool
  let x: u8 = n
  let y: u16 = narrow(x)
  if x <= 255
    return y > 0xFFFF
  return x >= zero
process P
  external event go(o: Order, n: u8, m: u32)
  variable bit: u8 range 0..1
  variable kind: Kind
  variable flag: bool
  state A initial
    on go(o, n, m)
      let k = n + 1
      let narrow_: u8 = n & 3
      when n < limit and n >= zero and n != 256     / tell(1, n > 255)
      when m >= zero or m < 0 or m <= top or m > top / tell(2, zero <= m)
      when zero > m or top < m or top >= m           / tell(3, o.wide > 65535)
      when 300 == o.desk or limit != o.desk          / tell(4, o.wide < 0x10000)
      when n & 15 == 16 or n & 16 != 5 or n | 1 == 2 / tell(5, n & 1 < 2)
      when size > 0 or size < 256 or size >= 0       / tell(6, m >> 31 > 1)
      when n != n or m == m or n < n or bit >= bit   / tell(7, o.large == o.large)
      when kind < 256 or o.kind >= 0 or kind == ONLY / tell(8, kind == kind)
      when bit < 2 or bit <= 1 or k < 0              / bit := 1 - bit
      when narrow(n) > 65535 or low(m) >= 0          / tell(9, narrow(n) < 65536)
      when narrow_ > 255 or narrow_ <= 255           / tell(10, min(n, 9) > 9)
      when (n if loud else bit) > 255                / tell(11, (n if loud else o.wide) < 65536)
      when ~n == 5 or ~n == ~bit or -n == 5          / tell(12, ~m == n)
      when ~(n ^ bit) != bit or (n | bit) > 300      / tell(13, n + bit > 510)
      when flag == flag or flag != true or o.flag    / flag := not flag
      when n < 5 and n > 10 or n < 10 or n >= 5      / tell(14, n > 3 or n < 200)
      when m == 3 and m == 4 or m != 3 or m != 4     / tell(15, not flag and flag or flag or not flag)
      when (3 if loud else 5) < 2                    / tell(16, (1 if loud else 0) == n)
      when (300 if loud else 5) == n                 / tell(17, (ONLY if loud else kind) == n)
      when n == 40 and local_(n) or clear_(n)        / tell(18, (n << 3) < 0 or n * 3 < 0 or n - 1 < 0)
      when true if loud else n < 256                 / tell(19, max(n, 300) < 300)
      else                                           / kind := ONLY; tell(20, loud == loud)
"""

STATES = """protocol t
device tell(n: u8)
process One
  external event go(n: u8)
  variable state_kept: u8 = 255
  variable truth: bool = true
  state ONLY initial
    entry / tell(state_kept)
    exit  / tell(2)
    on go(n)
      when n > state_kept
      when n == 3 / state_kept := n -> ONLY
      when truth -> history OUTER
      else -> OUTER
  state OUTER
    on go -> OUTER
    after 3
      when truth / truth := false
      else
    state A initial
    state B
      after 5 -> A
action unused_raise()
  raise Two.go(3)
process Two cold
  event go(n: u8)
  external event stop()
  state A initial
    on stop -> END
    on go(n) when n > 3 / tell(n)
    ignore go
  state END final
process Three
  event go()
  state A initial
    never go
"""

SPECS = {
    "least": LEAST,
    "unused": UNUSED,
    "pools": POOLS,
    "decided": DECIDED,
    "states": STATES,
}


def compiles(text: str, compiler: str, directory: pathlib.Path) -> None:
    path = directory / "spec.hsm"
    path.write_text(text)
    compilation = Compilation(path)
    protocol = compilation.protocol(None)
    errors = [d for d in compilation.report.diagnostics if d.severity == "error"]
    assert protocol is not None, errors
    source = directory
    for name, generated in backend_c.generate(protocol).items():
        (directory / name).write_text(generated)
        if name.endswith(".c"):
            source = directory / name
    choices: list[list[str]] = [[], [f"-D{source.stem.upper()}_NAMES"]]
    for defines in choices:
        command = [*COMPILERS[compiler], *defines, f"-I{ROOT}", f"-I{directory}"]
        result = subprocess.run(
            [*command, str(source)], capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", SPECS)
def test_corner_case(name: str, compiler: str, tmp_path: pathlib.Path) -> None:
    compiles(SPECS[name], compiler, tmp_path)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("seed", one_in(5, range(101, 106)))
def test_random_spec(seed: int, compiler: str, tmp_path: pathlib.Path) -> None:
    compiles(random_spec(seed), compiler, tmp_path)
