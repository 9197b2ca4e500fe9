# SPDX-License-Identifier: MIT
"""Raises that cross from one processor to the other, and data that both use: the units that `hsmc build --placement` writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hsmc.commands.main import main

TOP = Path(__file__).resolve().parents[2]
SOURCES = TOP / "tests/backend/messages"

SPEC = """
protocol post

payload Parcel
  number:  u16
  weight:  u32
  fragile: bool
  colour:  u8

device tell(number: u16, value: u32)
counter orders

pool Order[4] written by Clerk, created by Clerk
  number: u16

# What is packed lies here until Clerk has told of it.
table Shelf[Order] written by Packer
  weight: u32

action pack_for(o: Order, words: Parcel)
  Shelf[o].weight := words.weight + Order[o].number
  raise Clerk[o].packed(words.fragile)

process Clerk(o: Order)
  external event order(p: Parcel) creates
  event packed(verdict: bool)

  state EMPTY initial
    on order(p)         / o.number := u16(p.number + p.colour); raise Packer.pack(o, p)               -> WAITING
    never packed
  state WAITING
    on packed(verdict)  / tell(o.number, Shelf[o].weight + (1 if verdict else 0)); release o  -> DONE
    never order
  state DONE final

process Packer "It does not ask for the colour."
  event pack(o: Order, words: Parcel)
  event hurry(message: u8)

  state READY initial
    on pack(o, words)   / count orders; pack_for(o, words)
    on hurry(message)   / tell(0, message)

process Watch
  state QUIET initial
    after 100           / raise Packer.hurry(7)  -> QUIET

{placements}
"""
TWO = """placement TWO "Packing beside the rest."
  Clerk, Watch on A
  Packer on B
  locked Order.number, Shelf
"""


def build(tmp_path: Path, spec: str, name: str) -> int:
    file = tmp_path / "post.hsm"
    file.write_text(spec)
    return main(["build", str(file), "--output", str(tmp_path), "--placement", name])


def run(*command: object) -> str:
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def program(tmp_path: Path, limit: int, compiler: str = "gcc") -> Path:
    """Both units and the whole protocol in one program. What is not shared is a unit's own."""
    assert build(tmp_path, SPEC.replace("{placements}", TWO), "TWO") == 0
    options = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-g", "-Wall", "-Wextra"]
    options += ["-Wconversion", "-Werror", "-fsanitize=address,undefined"]
    options += [f"-DNIC_MESSAGE_LIMIT={limit}u", f"-I{TOP}", f"-I{tmp_path}"]
    units = {
        "unit_whole": ['-DPOST_SOURCE="post.c"'],
        "unit_a": ['-DPOST_SOURCE="post_a.c"', "-DPOST_UNIT=0"],
        "unit_b": ['-DPOST_SOURCE="post_b.c"', "-DPOST_UNIT=1"],
    }
    objects = []
    for name, own in units.items():
        objects.append(tmp_path / f"{name}.o")
        flags = [*options, *own, f"-DPOST_NAME={name}", "-c", "-o", objects[-1]]
        run(compiler, *flags, SOURCES / "unit.c")
        run("objcopy", f"--keep-global-symbol={name}", objects[-1])
    built = tmp_path / "program"
    run(compiler, *options, "-o", built, SOURCES / "program.c", *objects, "-pthread")
    return built


@pytest.mark.parametrize("limit", [1, 8])
def test_two_processors_do_what_one_does(tmp_path: Path, limit: int) -> None:
    """Also with queues of one message, which are full most of the time: neither processor waits for ever."""
    assert run(program(tmp_path, limit), 3000) == "3000 orders\n"


def test_units_compile_without_a_warning_of_clang(tmp_path: Path) -> None:
    program(tmp_path, 8, "clang")


def test_what_a_message_carries(tmp_path: Path) -> None:
    """Fields of a payload that the receiver does not read stay behind."""
    assert build(tmp_path, SPEC.replace("{placements}", TWO), "TWO") == 0
    a, b = ((tmp_path / f"post_{unit}.c").read_text() for unit in "ab")
    assert "message_[0] = POST_MESSAGE_PACKER_PACK;" in a
    assert (
        "case POST_MESSAGE_PACKER_PACK:" in b
        and "case POST_MESSAGE_PACKER_PACK:" not in a
    )
    assert "case POST_MESSAGE_CLERK_PACKED:" in a
    header = (tmp_path / "post_messages.h").read_text()
    assert "words.number" not in header
    assert "/* A to B: o, words.weight, words.fragile */" in header
    assert "/* B to A: o, verdict */" in header
    common = header.partition("COMMON_MEMBERS(member)")[2].partition("\n\n")[0]
    assert [m in common for m in ("order)", "order_used)", "shelf)")] == [True] * 3


ANSWERS = """
protocol ring

device tell(number: u8)

process Left
  event go(number: u8)
  external event begin(number: u8)
  state READY initial
    on go(number)     / raise Right.heard(number)
    on begin(number)  / raise Middle.go(number)

process Middle
  event go(number: u8)
  external event begin(number: u8)
  state READY initial
    on go(number)     / raise Last.heard(number)
    on begin(number)  / raise Left.go(number)

process Right
  event heard(number: u8)
  state READY initial
    on heard(number)  / tell(number)

process Last
  event heard(number: u8)
  state READY initial
    on heard(number)  / tell(number)

placement CROSSED "What either processor takes makes it put a message."
  Left, Last on A
  Middle, Right on B

placement HALF "Only what A takes does."
  Left on A
  Middle, Right, Last on B
"""


def test_queues_that_could_wait_for_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path, ANSWERS, "CROSSED") == 1
    assert (
        "in placement CROSSED messages make either processor send messages"
        in capsys.readouterr().err
    )
    assert build(tmp_path, ANSWERS, "HALF") == 0
    waits = "while (RING_MESSAGE_ROOM() < messages)\n        "
    assert f"{waits};" in (tmp_path / "ring_a.c").read_text()
    assert f"{waits}RING_MESSAGE_TAKE();" in (tmp_path / "ring_b.c").read_text()


BOARD = """
protocol early

table Board[1] written by Second
  number: u8
  other:  u8

process First
{first}
process Second
  event hear(number: u8)
  state READY initial
    on hear(number)  / Board[0].number := number

placement TWO "Each on one."
  First on A
  Second on B
"""


def test_a_raise_at_the_start_has_no_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = "  state READY initial\n    entry  / raise Second.hear(1)\n    after 5  -> READY\n"
    assert build(tmp_path, BOARD.replace("{first}", first), "TWO") == 1
    assert (
        "process First raises an event on another processor when it starts"
        in capsys.readouterr().err
    )


def test_a_shared_word_is_volatile_and_used_without_the_lock(tmp_path: Path) -> None:
    """Each use in the spec is then one access. In a placement without it the field is as any other."""
    first = (
        "  variable seen: u8\n  state READY initial\n"
        "    after 5  / seen := Board[0].number; raise Second.hear(seen)  -> READY\n"
    )
    shared = '  shared Board.number "the last one, or the one before"\n'
    alone = 'placement ONE "Both on one."\n  First, Second on A\n'
    spec = BOARD.replace("{first}", first) + shared + alone
    assert build(tmp_path, spec, "TWO") == 0
    header = (tmp_path / "early.h").read_text()
    assert "    volatile uint8_t number;\n    uint8_t other;\n" in header
    units = [(tmp_path / f"early_{unit}.c").read_text() for unit in "ab"]
    assert not any("EARLY_LOCK" in unit for unit in units)
    common = (tmp_path / "early_messages.h").read_text()
    assert "member(board)" in common.partition("COMMON_MEMBERS(member)")[2]
    assert main(["build", str(tmp_path / "post.hsm"), "--output", str(tmp_path)]) == 0
    assert "volatile" not in (tmp_path / "early.h").read_text()
