# SPDX-License-Identifier: MIT
"""The frame parser against the layouts: what Ragel made of frame.rl accepts what the spec says, for every frame.

Both sides are formulas over the words of the frame, its length and the own address, all of them free: 32 bits for the
length and every bit of every word. Proved is that on every path
* no word is read that does not lie wholly inside the frame, or beyond the longest header; nothing is written;
* the parser ends with a verdict, the one of the layouts (reference.py), FOREIGN where the frame is for another.
codec.py proves the same of the generated function, and that what is accepted is unpacked as the layouts say.
"""

from __future__ import annotations

import pathlib

import z3

from hsmc import ir, naming

from . import c_code, codec
from .reference import VERDICTS, Reference
from .symbolic import Executor, Refuted, State

# What the parser asks of its caller: so many bytes of Ethernet header and beginning are there.
LEAST_BYTES = 16


def shim(protocol: ir.Protocol, parser: pathlib.Path) -> str:
    """The parser, with functions that tell what its verdicts are."""
    lines = [f'#include "{parser}"', *codec.verdict_shim(protocol)]
    return "\n".join(lines) + "\n"


class ParserProof:
    """Compiles a parser and proves it. `parser` is what Ragel made; `include` is where the generated headers are."""

    def __init__(
        self,
        protocol: ir.Protocol,
        parser: pathlib.Path,
        include: list[pathlib.Path],
        directory: pathlib.Path,
    ) -> None:
        [payload] = [p for p in protocol.payloads if p.sources]
        self.reference = Reference(protocol, payload)
        text = shim(protocol, parser.resolve())
        self.executor = Executor(
            c_code.compile_text(text, directory, "frame_parser", include)
        )
        self.entry = f"{naming.snake(protocol.name)}_frame_parse"

    def constant(self, name: str) -> int:
        [(_, value)] = self.executor.call(name, [], State())
        return int(z3.simplify(value).as_long())

    def prove(self) -> list[str]:
        """What was proved, in words. Raises Refuted where it does not hold."""
        reference, executor = self.reference, self.executor
        codes = {verdict: self.constant(f"proof_{verdict}") for verdict in VERDICTS}
        if len(set(codes.values())) != len(VERDICTS):
            raise Refuted("two verdicts are the same number", self.entry, {})
        own = z3.BitVec("own", 32)
        expected = reference.verdict(addressed=reference.words[0] == own)
        state = State(assumed=(z3.UGE(reference.bytes, LEAST_BYTES),))
        words = state.words(
            "the frame", reference.words, writable=False, readable=reference.bytes
        )
        met = dict.fromkeys(VERDICTS, 0)
        ends = executor.call(self.entry, [words, reference.bytes, own], state)
        for end, code in ends:
            for verdict in VERDICTS:
                met[verdict] += executor.possible(end.assumed, code == codes[verdict])
                claim = (code == codes[verdict]) == expected[verdict]
                executor.require(
                    end, claim, f"the parser and the spec part on {verdict}", self.entry
                )
            executor.require(
                end,
                z3.Or([code == known for known in codes.values()]),
                "the result is no verdict",
                self.entry,
            )
        for verdict, count in met.items():
            if count == 0:
                raise Refuted(
                    f"no frame is ever {verdict}: the proof would say nothing",
                    self.entry,
                    {},
                )
        longest = 4 * len(reference.words)
        return [
            f"every frame of {LEAST_BYTES} to 4294967295 bytes, every bit of the {longest} bytes of its headers and of the "
            "own address free",
            f"{len(ends)} paths, each to its end: one verdict, the one of the layouts "
            f"({', '.join(f'{count} can end {verdict}' for verdict, count in met.items())})",
            f"reads only whole words inside the frame, at most {longest} bytes of it; writes nothing",
        ]
