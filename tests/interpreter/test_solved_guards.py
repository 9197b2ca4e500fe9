# SPDX-License-Identifier: MIT
"""Guards that have to be solved: a file transfer with handles, sequence numbers and check sums, to its end."""

from __future__ import annotations

import doctest
import json
import random
import zlib
from pathlib import Path
from typing import Callable, Sequence

import hsmc
import pytest
from hsmc.interpreter.code_writer import WORD
from hsmc.testing import generated_tests, solver
from hsmc.testing.probe import Comparison
from hsmc.testing.search import Search
from tests.in_process import run_hsmc as run
from tests.interpreter.test_generated_tests import check_on_both_sides

HERE = Path(__file__).resolve().parent
TRANSFER = HERE / "transfer.hsm"
SUCCESS = "Receiver.RECEIVING.close.0"
ENOUGH = 150_000
FEW = 6_000


def test_a_file_transfer_succeeds(tmp_path: Path) -> None:
    """Twelve blocks, each with the next number and a sum over all its words, and a closing that fits all of them."""
    tests = tmp_path / "tests"
    result = run("tests", TRANSFER, "--output", tests, "--attempts", ENOUGH)
    assert "transfer: 9 of 9 transitions taken" in result.stdout
    assert result.returncode == 0
    taken = check_on_both_sides(TRANSFER, tests, tmp_path)
    assert SUCCESS in taken and len(taken) == 9
    index = json.loads((tests / "index.json").read_text())
    (success,) = (t for t in index["tests"] if t["file"] == f"{SUCCESS}.scenario")
    assert success["events"] == 14  # as short as it can be


def test_not_by_luck() -> None:
    protocol = hsmc.compile_spec(TRANSFER)
    for seed in (2, 3):
        search = Search(protocol, seed, ENOUGH)
        search.run()
        assert search.missing == set()


def test_scenarios_of_the_user_are_gone_on_from(tmp_path: Path) -> None:
    """With a way that leads nearly to the end, a few attempts are enough; without it they are not."""
    known = tmp_path / "known"
    assert run("tests", TRANSFER, "--output", known).returncode == 0
    lines = (known / f"{SUCCESS}.scenario").read_text().splitlines()
    events = [line for line in lines if line.startswith("receiver.")]
    seed = tmp_path / "mine.scenario"
    seed.write_text("\n".join(events[:-1]) + "\n")  # without the closing

    options = ("--attempts", FEW, "--output", tmp_path / "tests")
    alone = run("tests", TRANSFER, *options)
    assert alone.returncode == 1 and SUCCESS in alone.stdout
    seeded = run("tests", TRANSFER, *options, "--from", seed)
    assert SUCCESS not in seeded.stdout, seeded.stdout


@pytest.mark.parametrize(
    "text, message",
    [
        ("receiver.shut\n", "mine.scenario:1: "),
        ("receiver[1].block number=1\n", "mine.scenario:1: "),
        ("receiver.open\n  -> Receiver.NEW.open.0\n", "mine.scenario:1: "),
    ],
)
def test_scenarios_that_do_not_fit(tmp_path: Path, text: str, message: str) -> None:
    seed = tmp_path / "mine.scenario"
    seed.write_text(text)
    result = run("tests", TRANSFER, "--output", tmp_path / "tests", "--from", seed)
    assert result.returncode == 1 and message in result.stderr
    assert not (tmp_path / "tests").exists()


# --- the solver by itself, on guards that are functions here

Guard = Callable[[Sequence[int]], Sequence[tuple[int, int]]]  # sides to be equal


def solved(guard: Guard, numbers: int, budget: int = 4000) -> bool:
    bounds = [(0, WORD)] * numbers
    goal = 7

    def attempt(values: Sequence[int]) -> tuple[list[Comparison], list[int]]:
        seen: list[Comparison] = []
        for place, (left, right) in enumerate(guard(values), start=1):
            seen.append((goal, place, left == right, left, right))
            if left != right:
                return seen, []
        return seen, [goal]

    found = solver.Solver(bounds, attempt, budget).reach((0,) * numbers, goal)
    return found is not None and all(l == r for l, r in guard(found))


def crc(values: Sequence[int]) -> int:
    return zlib.crc32(b"".join(v.to_bytes(4, "big") for v in values))


def sum_of_halves(values: Sequence[int]) -> int:
    """As the Internet has it, with the carries added."""
    total = sum((v >> 16) + (v & 0xFFFF) for v in values)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def two_sums(values: Sequence[int]) -> tuple[int, int]:
    first = second = 1
    for value in values:
        first = first + value & WORD
        second = second + first & WORD
    return first, second


CHAINS: dict[str, Guard] = {
    "number": lambda v: [(v[0], 0x12345678)],
    "crc": lambda v: [(crc(v), 0xDEADBEEF)],
    "crc of a numbered block": lambda v: [(crc(v), 0xDEADBEEF), (v[0], 41)],
    "sum with carries": lambda v: [(sum_of_halves(v), 0xFFFF), (v[1], 99)],
    "two sums": lambda v: [(two_sums(v)[0], 77), (two_sums(v)[1], 5)],
    "three conditions": lambda v: [
        (v[0] ^ v[1] << 3 & WORD, 0x0F0F0F0F),
        (v[1] - v[2] & WORD, 12),
        (v[2], 1000),
    ],
}


@pytest.mark.parametrize("name", CHAINS)
def test_solver(name: str) -> None:
    assert solved(CHAINS[name], 3)


def test_solver_gives_up() -> None:
    """What nothing can fulfil, and what no bit of the arguments has to do with."""
    assert not solved(lambda v: [(v[0] & 0xF0, 1)], 2)
    assert not solved(lambda v: [(3, 4)], 2)
    chaos = [random.Random(5).getrandbits(32) for _ in range(4096)]
    assert not solved(lambda v: [(chaos[(v[0] ^ v[0] >> 9 ^ v[0] >> 20) % 4096], 1)], 1)


def test_examples_in_the_code() -> None:
    result = doctest.testmod(solver)
    assert result.attempted > 0 and result.failed == 0
