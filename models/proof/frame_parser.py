"""The frame parser against the layouts: what Ragel made of frame.rl does what the spec says, for every frame.

The reference is made here from the intermediate form alone: positions of fields as bits counted from the first of the
frame, fixed fields, enumerations, ranges of the payload's fields, parts, data. Nothing of it comes from the generated
macros the parser uses, nor from frame_ranges.c.

Both sides are formulas over the words of the frame, its length and the own address, all of them free: 32 bits for the
length and every bit of every word. Proved is that on every path
* no word is read that does not lie wholly inside the frame, or beyond the longest header; nothing is written but *frame;
* the parser ends with a verdict, the one the spec gives;
* where that is OK every field of the payload is what the layouts say, fields of parts that are absent are 0, and fields
  that are not on the wire are as they were.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any, Optional

import z3

from hsmc import ir, naming

from . import c_code
from .symbolic import Executor, Refuted, State

# What the parser asks of its caller: so many bytes of Ethernet header and beginning are there.
LEAST_BYTES = 16
VERDICTS = ("OK", "FOREIGN", "MALFORMED")


@dataclass(frozen=True)
class Found:
    """A part of the frame, and where it begins."""

    layout: ir.Layout
    start: int  # bits


class Reference:
    """The frames of a protocol as formulas over their words."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self.protocol = protocol
        frames = [layout for layout in protocol.layouts if layout.ethertype is not None]
        if len(frames) != 1:
            raise ValueError(
                f"{protocol.name} has {len(frames)} layouts of Ethernet frames; the proof is about one"
            )
        self.frame = frames[0]
        self.parts = [
            Found(layout, 8 * layout.at.value)
            for layout in protocol.layouts
            if layout.within == self.frame.name and layout.at is not None
        ]
        self.payload = next(
            payload for payload in protocol.payloads if payload.name == self.frame.name
        )
        self.header_bytes = max(
            [
                self.frame.bytes,
                *(part.start // 8 + part.layout.bytes for part in self.parts),
            ]
        )
        self.words = [
            z3.BitVec(f"word_{index}", 32)
            for index in range(-(-self.header_bytes // 4))
        ]
        self.bytes = z3.BitVec("bytes", 32)
        self.own = z3.BitVec("own", 32)
        # The whole header as one number, its first bit the most significant.
        self.bits = z3.Concat(self.words)

    def field(self, found: ir.LayoutField, start: int = 0) -> Any:
        """A field as a 32-bit number."""
        high = self.bits.size() - 1 - start - found.offset
        value = z3.Extract(high, high - found.bits + 1, self.bits)
        return z3.ZeroExt(32 - found.bits, value) if found.bits < 32 else value

    def named(self, name: str) -> Any:
        return self.field(
            next(field for field in self.frame.fields if field.name == name)
        )

    def holds(self, condition: Optional[ir.LayoutCondition]) -> Any:
        if condition is None:
            return z3.BoolVal(True)
        return z3.Or(
            [self.named(condition.field) == value.value for value in condition.values]
        )

    def foreign(self) -> Any:
        """Not for us alone, of another type, or of a kind that is none."""
        ways = [self.words[0] != self.own]
        for field in self.frame.fields:
            if field.fixed is not None:
                ways.append(self.field(field) != field.fixed.value)
            elif field.enumeration is not None and field.when is None:
                members = next(
                    e for e in self.protocol.enumerations if e.name == field.enumeration
                ).members
                ways.append(
                    z3.And([self.field(field) != member.value for member in members])
                )
        return z3.Or(ways)

    def malformed(self) -> Any:
        """Meant for us, but short, or a field lies outside the range the payload gives it."""
        ways = [z3.ULT(self.bytes, self.frame.bytes)]
        length: Any = z3.BitVecVal(self.frame.bytes, 32)
        for part in self.parts:
            there = self.holds(part.layout.when)
            ways.append(
                z3.And(there, z3.ULT(self.bytes, part.start // 8 + part.layout.bytes))
            )
            length = z3.If(there, length + part.layout.bytes, length)
        for field in self.payload.fields:
            value = self.value(field)
            if field.range is not None and value is not None:
                ways += [
                    z3.ULT(value, field.range.low.value),
                    z3.UGT(value, field.range.high.value),
                ]
        if self.frame.data is not None:
            # More data than there are bytes behind what precedes it. That much is there: asked above.
            beyond = z3.UGT(self.named(self.frame.data.length), self.bytes - length)
            ways.append(z3.And(self.holds(self.frame.data.when), beyond))
        return z3.Or(ways)

    def verdict(self) -> dict[str, Any]:
        """When which: exactly one of them, by the way they are put together."""
        foreign, malformed = self.foreign(), self.malformed()
        return {
            "FOREIGN": foreign,
            "MALFORMED": z3.And(z3.Not(foreign), malformed),
            "OK": z3.And(z3.Not(foreign), z3.Not(malformed)),
        }

    def value(self, field: ir.Field) -> Any:
        """What a field of the payload is to hold; None when it is not on the wire."""
        for own in self.frame.fields:
            if own.name == field.name:
                return self.field(own)
        for part in self.parts:
            for inner in part.layout.fields:
                if inner.name == field.name:
                    return z3.If(
                        self.holds(part.layout.when),
                        self.field(inner, part.start),
                        z3.BitVecVal(0, 32),
                    )
        return None


def shim(protocol: ir.Protocol, payload: ir.Payload, parser: pathlib.Path) -> str:
    """The parser, with functions that read its result: where C puts a field is C's business."""
    name = naming.snake(protocol.name)
    structure = f"struct {name}_{naming.snake(payload.name)}"
    lines = [f'#include "{parser}"', "#include <stddef.h>"]
    lines += [
        f"uint32_t proof_size(void); uint32_t proof_size(void) {{ return (uint32_t)sizeof({structure}); }}"
    ]
    for field in payload.fields:
        head = f"uint32_t proof_get_{field.name}(const {structure} *frame)"
        lines += [f"{head};", f"{head} {{ return frame->{field.name}; }}"]
        head = f"uint32_t proof_offset_{field.name}(void)"
        lines += [
            f"{head};",
            f"{head} {{ return (uint32_t)offsetof({structure}, {field.name}); }}",
        ]
    for verdict in VERDICTS:
        head = f"uint32_t proof_{verdict}(void)"
        lines += [f"{head};", f"{head} {{ return {name.upper()}_PARSE_{verdict}; }}"]
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
        self.reference = Reference(protocol)
        text = shim(protocol, self.reference.payload, parser.resolve())
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
        expected = reference.verdict()
        state = State(assumed=(z3.UGE(reference.bytes, LEAST_BYTES),))
        words = state.words(
            "the frame", reference.words, writable=False, readable=reference.bytes
        )
        frame = state.add("*frame", self.constant("proof_size"))
        before = {
            field.name: z3.BitVec(f"before_{field.name}", self.c_bits(field))
            for field in reference.payload.fields
            if reference.value(field) is None
        }
        for name, value in before.items():
            place = self.constant(f"proof_offset_{name}")
            state.objects[frame.object].cells[place] = (value.size() // 8, value)

        met = dict.fromkeys(VERDICTS, 0)
        ends = executor.call(
            self.entry, [words, reference.bytes, reference.own, frame], state
        )
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
            accepted = end.assuming(expected["OK"])
            if executor.possible(end.assumed, expected["OK"]):
                self.check_fields(accepted, frame, before)
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
            f"{len(reference.payload.fields) - len(before)} fields equal to the layouts; left alone: "
            f"{', '.join(before) or 'none'}",
            f"reads only whole words inside the frame, at most {longest} bytes of it; writes only *frame",
        ]

    def c_bits(self, field: ir.Field) -> int:
        if isinstance(
            field.type, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType)
        ):
            return field.type.bits
        return 8

    def check_fields(self, state: State, frame: Any, before: dict[str, Any]) -> None:
        for field in self.reference.payload.fields:
            wanted = self.reference.value(field)
            if wanted is None:
                value = before[field.name]
                wanted = (
                    z3.ZeroExt(32 - value.size(), value) if value.size() < 32 else value
                )
            for end, found in self.executor.call(
                f"proof_get_{field.name}", [frame], state
            ):
                self.executor.require(
                    end,
                    found == wanted,
                    f"{field.name} is not what the layouts say",
                    self.entry,
                )
