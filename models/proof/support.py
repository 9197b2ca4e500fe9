# SPDX-License-Identifier: MIT
"""Sets of bits and pools of fw-runtime/hsm_support.h, against what they mean: a set is one number, bit i for member i.

The length of a set is a constant wherever the generated code uses one, so each length is a proof of its own, over all
contents and all members. Objects are exactly as large as the set, so that no word beside it is read or written.
"""

from __future__ import annotations

import pathlib
from typing import Any, Iterable

import z3

from hsmc import ir

from . import c_code
from .symbolic import Executor, Pointer, State, Value

# Around the borders of words, and around those of the twelve words cleared in one turn.
LENGTHS = (1, 5, 31, 32, 33, 64, 65, 100, 416)
# A search follows every word a set has: beyond this only what takes a member is proved.
SEARCHED = 128

SHIM = """
#include <assert.h>
#include "fw-runtime/hsm_support.h"
#define WRAP(result, name, parameters, arguments) \\
    result proof_##name parameters; \\
    result proof_##name parameters { return hsm_##name arguments; }
#define PERFORM(name, parameters, arguments) \\
    void proof_##name parameters; \\
    void proof_##name parameters { hsm_##name arguments; }
WRAP(bool, has, (const uint32_t *set, uint32_t count, uint32_t index), (set, count, index))
WRAP(bool, has_all, (const uint32_t *set, uint32_t count, uint32_t first, uint32_t length), (set, count, first, length))
PERFORM(set, (uint32_t *set, uint32_t count, uint32_t index), (set, count, index))
PERFORM(unset, (uint32_t *set, uint32_t count, uint32_t index), (set, count, index))
PERFORM(clear, (uint32_t *set, uint32_t count), (set, count))
WRAP(uint32_t, first, (const uint32_t *set, uint32_t count), (set, count))
WRAP(bool, pool_available, (const uint32_t *set, uint32_t count), (set, count))
WRAP(uint32_t, pool_take, (uint32_t *set, uint32_t count), (set, count))
PERFORM(pool_give, (uint32_t *set, uint32_t reference), (set, reference))
WRAP(uint32_t, minimum, (uint32_t left, uint32_t right), (left, right))
WRAP(uint32_t, maximum, (uint32_t left, uint32_t right), (left, right))
WRAP(uint32_t, complement, (uint32_t word), (word))
WRAP(uint32_t, times, (uint32_t value, uint32_t factor), (value, factor))
"""

# Factors by which the multiplication without a multiplier is proved: small ones, runs of ones, both halves of the word.
# Products by numbers with many digits, such as the payload of a frame, take Z3 too long.
FACTORS = (
    *range(1, 21),
    0x7FFF,
    0x8000,
    0xFFFF,
    0x10000,
    0x10001,
    0xFFFFFFFF,
    0x80000000,
)


def lengths(protocols: Iterable[ir.Protocol]) -> list[int]:
    """Of every set and pool of the specs."""
    found: set[int] = set()
    for protocol in protocols:
        found |= {pool.count.value for pool in protocol.pools}
        places: list[ir.Field] = [
            field for pool in protocol.pools for field in pool.fields
        ]
        places += [field for table in protocol.tables for field in table.fields]
        places += [
            field for process in protocol.processes for field in process.variables
        ]
        found |= {
            field.type.count.value
            for field in places
            if isinstance(field.type, ir.BitsType)
        }
    return sorted(found)


class SupportProof:
    def __init__(
        self, protocols: list[ir.Protocol], directory: pathlib.Path, shim: str = SHIM
    ) -> None:
        self.executor = Executor(c_code.compile_text(shim, directory, "support", []))
        self.lengths = sorted({*LENGTHS, *lengths(protocols)})
        self.factors = list(FACTORS)

    def prove(self) -> list[str]:
        """What was proved, in words. Raises Refuted where it does not hold."""
        for count in self.lengths:
            self.members(count)
            if count <= SEARCHED:
                self.searches(count)
        self.numbers()
        searched = [count for count in self.lengths if count <= SEARCHED]
        return [
            f"has, has_all, set, unset, clear, pool_give for sets of {', '.join(map(str, self.lengths))} bits, all contents, "
            "all members; has_all for all runs of 0 to 31 inside the set",
            f"first, pool_available, pool_take for {', '.join(map(str, searched))} bits, all contents: the lowest, one only",
            f"minimum, maximum, complement for all words; times for all words by {len(self.factors)} factors",
            "no word beside the set is read or written, no shift by 32 or more",
        ]

    # --- calls

    def set_of(self, count: int) -> tuple[State, Pointer, list[Any]]:
        """A set of any contents: the state, where it is, its words."""
        state = State()
        words = [z3.BitVec(f"set_{index}", 32) for index in range(-(-count // 32))]
        return state, state.words("the set", words), words

    def check(
        self, name: str, arguments: list[Value], state: State, wanted: Any, what: str
    ) -> None:
        """Calls and compares what is returned."""
        for end, got in self.executor.call(f"proof_{name}", arguments, state):
            self.executor.require(end, got == wanted, what, f"hsm_{name}")

    def check_set(
        self,
        name: str,
        arguments: list[Value],
        state: State,
        target: Pointer,
        wanted: list[Any],
    ) -> None:
        """Calls and compares the set afterwards."""
        for end, _ in self.executor.call(f"proof_{name}", arguments, state):
            same = [
                end.word(target, index) == word for index, word in enumerate(wanted)
            ]
            self.executor.require(
                end, z3.And(same), "the set is not what it should be", f"hsm_{name}"
            )

    # --- what they mean

    def members(self, count: int) -> None:
        """What is done with one member, or a run of them."""
        state, target, words = self.set_of(count)
        length_of_set = z3.BitVecVal(count, 32)
        index, length = z3.BitVec("index", 32), z3.BitVec("length", 32)
        inside = state.assuming(z3.ULT(index, count))
        # Bit i is bit i modulo 32 of word i / 32.
        member = [
            z3.If(
                z3.LShR(index, 5) == number,
                z3.BitVecVal(1, 32) << (index & 31),
                z3.BitVecVal(0, 32),
            )
            for number in range(len(words))
        ]
        with_it = [word | bit for word, bit in zip(words, member, strict=True)]
        without = [word & ~bit for word, bit in zip(words, member, strict=True)]
        truth = as_bit(z3.LShR(word_at(words, z3.LShR(index, 5)), index & 31) & 1 == 1)
        self.check(
            "has",
            [target, length_of_set, index],
            inside,
            truth,
            "does not tell whether the bit is set",
        )
        self.check_set("set", [target, length_of_set, index], inside, target, with_it)
        self.check_set("unset", [target, length_of_set, index], inside, target, without)
        self.check_set("pool_give", [target, index + 1], inside, target, without)
        self.check_set(
            "clear",
            [target, length_of_set],
            state,
            target,
            [z3.BitVecVal(0, 32)] * len(words),
        )

        # A run of up to 31 bits lies in two words.
        run = state.assuming(
            z3.And(
                z3.ULE(length, 31), z3.ULE(index, count), z3.ULE(length, count - index)
            )
        )
        first = z3.LShR(index, 5)
        both = z3.Concat(word_at(words, first + 1), word_at(words, first))
        ones = (z3.BitVecVal(1, 64) << z3.ZeroExt(32, length)) - 1
        all_there = as_bit(z3.LShR(both, z3.ZeroExt(32, index & 31)) & ones == ones)
        arguments: list[Value] = [target, length_of_set, index, length]
        self.check(
            "has_all",
            arguments,
            run,
            all_there,
            "does not tell whether all bits of the run are set",
        )

    def searches(self, count: int) -> None:
        """The lowest member, the lowest free record."""
        state, target, words = self.set_of(count)
        bits, width = together(words), 32 * len(words)
        length_of_set = z3.BitVecVal(count, 32)
        what = "is not the lowest"
        # What lies beyond the length is always clear: nothing above sets it.
        clean = state
        if count < width:
            clean = state.assuming(z3.Extract(width - 1, count, bits) == 0)
        self.check("first", [target, length_of_set], clean, lowest(bits, count), what)
        free = z3.Not(z3.Extract(count - 1, 0, bits) == (1 << count) - 1)
        self.check(
            "pool_available",
            [target, length_of_set],
            clean,
            as_bit(free),
            "does not tell whether one is free",
        )
        wanted = lowest(~bits, count)
        some = clean.assuming(free)
        self.check("pool_take", [target, length_of_set], some, wanted, what)
        taken = bits | z3.BitVecVal(1, width) << wide(wanted - 1, width)
        parts = [
            z3.Extract(32 * index + 31, 32 * index, taken)
            for index in range(len(words))
        ]
        self.check_set("pool_take", [target, length_of_set], some, target, parts)

    def numbers(self) -> None:
        left, right = z3.BitVec("left", 32), z3.BitVec("right", 32)
        smaller, larger = z3.If(z3.ULE(left, right), left, right), z3.If(
            z3.ULE(left, right), right, left
        )
        self.check("minimum", [left, right], State(), smaller, "is not the smaller")
        self.check("maximum", [left, right], State(), larger, "is not the larger")
        self.check(
            "complement", [left], State(), 0xFFFFFFFF - left, "is not the complement"
        )
        for factor in self.factors:
            number = z3.BitVecVal(factor, 32)
            self.check(
                "times",
                [left, number],
                State(),
                left * number,
                f"is not {factor} times",
            )


def together(words: list[Any]) -> Any:
    """A set as one number: the first word has the lowest bits."""
    return z3.Concat(list(reversed(words))) if len(words) > 1 else words[0]


def word_at(words: list[Any], index: Any) -> Any:
    """The word of that number, 0 beyond the set."""
    found: Any = z3.BitVecVal(0, 32)
    for number, word in enumerate(words):
        found = z3.If(index == number, word, found)
    return found


def as_bit(claim: Any) -> Any:
    """A truth value as C returns it."""
    return z3.If(claim, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def wide(number: Any, width: int) -> Any:
    return z3.ZeroExt(width - 32, number) if width > 32 else number


def lowest(bits: Any, count: int) -> Any:
    """A reference to the lowest bit set among the first `count`, 0 when there is none."""
    found: Any = z3.BitVecVal(0, 32)
    for index in reversed(range(count)):
        found = z3.If(
            z3.Extract(index, index, bits) == 1, z3.BitVecVal(index + 1, 32), found
        )
    return found
