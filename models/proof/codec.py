# SPDX-License-Identifier: MIT
"""What hsmc makes to go between frames and payloads (NAME_codec.h), against the layouts: for every frame and every payload.

Of each payload that comes from layouts is proved, with every bit of the longest header, the length and all values free:
* accept gives the verdict of the layouts, and reads only words that lie wholly inside the frame;
* unpack of an accepted frame gives each field its bits, 0 where its part is not there, and leaves local ones alone;
* unpack after pack gives the values back; pack writes 0 where no field is, and leaves the sender's own bits alone;
* pack after unpack gives the frame back;
* what is packed of values in their ranges is accepted.
"""

from __future__ import annotations

import pathlib
from typing import Any, Optional

import z3

from hsmc import ir, naming

from . import c_code
from .reference import VERDICTS, Reference, c_bits, wide
from .symbolic import Executor, Pointer, State, Undecided


def payload_shim(protocol: ir.Protocol, payload: ir.Payload) -> list[str]:
    """Functions that tell of a payload: where C puts a field is C's business."""
    name, own = naming.compact(protocol.name), naming.snake(payload.name)
    structure = f"struct {name}_{own}"
    head = f"uint32_t proof_size_{own}(void)"
    lines = [f"{head};", f"{head} {{ return (uint32_t)sizeof({structure}); }}"]
    for field in payload.fields:
        member = naming.snake(field.name)
        head = f"uint32_t proof_get_{own}__{member}(const {structure} *f)"
        lines += [f"{head};", f"{head} {{ return f->{member}; }}"]
        head = f"uint32_t proof_offset_{own}__{member}(void)"
        text = f"(uint32_t)offsetof({structure}, {member})"
        lines += [f"{head};", f"{head} {{ return {text}; }}"]
    return lines


def verdict_shim(protocol: ir.Protocol) -> list[str]:
    lines = []
    for verdict in VERDICTS:
        head = f"uint32_t proof_{verdict}(void)"
        value = f"{naming.compact(protocol.name).upper()}_ACCEPTANCE_{verdict}"
        lines += [f"{head};", f"{head} {{ return {value}; }}"]
    return lines


def shim(protocol: ir.Protocol) -> str:
    """Functions that can be called, around the inline ones."""
    name = naming.compact(protocol.name)
    lines = [f'#include "{naming.plain(protocol.name)}_codec.h"', "#include <stddef.h>"]
    lines += verdict_shim(protocol)
    for payload in protocol.payloads:
        if not payload.sources:
            continue
        lines += payload_shim(protocol, payload)
        own = naming.snake(payload.name)
        function, structure = f"{name}_{own}", f"struct {name}_{own}"
        for head, call in (
            (f"uint32_t proof_accept_{own}(const uint32_t *w, uint32_t n)", "(w, n)"),
            (f"void proof_unpack_{own}(const uint32_t *w, {structure} *f)", "(w, f)"),
            (f"uint32_t proof_pack_{own}(uint32_t *w, const {structure} *f)", "(w, f)"),
            (f"uint32_t proof_bytes_{own}(const {structure} *f)", "(f)"),
        ):
            verb = head.split("proof_")[1].split("_")[0]
            give = "" if head.startswith("void") else "return (uint32_t)"
            lines += [f"{head};", f"{head} {{ {give}{function}_{verb}{call}; }}"]
    return "\n".join(lines) + "\n"


class PayloadMemory:
    """A payload as an object of the executor."""

    def __init__(self, executor: Executor, payload: ir.Payload) -> None:
        self.executor = executor
        self.payload = payload
        self.own = naming.snake(payload.name)

    def constant(self, name: str) -> int:
        [(_, value)] = self.executor.call(name, [], State())
        return int(z3.simplify(value).as_long())

    def add(self, state: State, values: dict[str, Any]) -> Pointer:
        """An object in which these fields are written."""
        pointer = state.add("*f", self.constant(f"proof_size_{self.own}"))
        for name, value in values.items():
            place = self.constant(f"proof_offset_{self.own}__{naming.snake(name)}")
            state.objects[pointer.object].cells[place] = (value.size() // 8, value)
        return pointer

    def get(self, state: State, pointer: Pointer, name: str) -> list[tuple[State, Any]]:
        function = f"proof_get_{self.own}__{naming.snake(name)}"
        return self.executor.call(function, [pointer], state)


class CodecProof:
    """Of one payload."""

    def __init__(
        self, executor: Executor, protocol: ir.Protocol, payload: ir.Payload
    ) -> None:
        self.executor = executor
        self.reference = Reference(protocol, payload)
        self.memory = PayloadMemory(executor, payload)
        self.protocol = protocol
        self.payload = payload
        self.name = f"{naming.compact(protocol.name)}_{self.memory.own}"
        self.codes = {v: self.memory.constant(f"proof_{v}") for v in VERDICTS}

    def call(
        self, verb: str, arguments: list[Any], state: State
    ) -> list[tuple[State, Any]]:
        return self.executor.call(f"proof_{verb}_{self.memory.own}", arguments, state)

    def require(self, state: State, claim: Any, what: str, verb: str) -> None:
        self.executor.require(state, claim, what, f"{self.name}_{verb}")

    def prove(self) -> None:
        self.accept()
        self.frame_to_frame()
        self.payload_to_payload()

    def fields_of(self, payload_values: bool) -> dict[str, Any]:
        """A free value for each field; only those that are local unless `payload_values`."""
        return {
            field.name: z3.BitVec(f"value_{field.name}", c_bits(field))
            for field in self.payload.fields
            if payload_values or field.local
        }

    # --- accept

    def accept(self) -> None:
        reference = self.reference
        expected = reference.verdict()
        state = State()
        words = state.words("the frame", reference.words, False, reference.bytes)
        met = set()
        for end, code in self.call("accept", [words, reference.bytes], state):
            for verdict, number in self.codes.items():
                if self.executor.possible(end.assumed, code == number):
                    met.add(verdict)
                self.require(
                    end,
                    (code == number) == expected[verdict],
                    f"accept and the layouts part on {verdict}",
                    "accept",
                )
        for verdict in VERDICTS:
            if verdict not in met and self.executor.possible((), expected[verdict]):
                raise Undecided(f"no frame of {self.payload.name} is ever {verdict}")

    # --- unpack, and pack of what it gave

    def frame_to_frame(self) -> None:
        reference = self.reference
        state = State(assumed=(reference.verdict()["OK"],))
        words = state.words("the frame", reference.words, False, reference.bytes)
        before = self.fields_of(False)
        unpacked = self.memory.add(state, before)
        other = [z3.BitVec(f"other_{i}", 32) for i in range(len(reference.words))]
        target = state.words("another frame", other)
        for end, _ in self.call("unpack", [words, unpacked], state):
            for field in self.payload.fields:
                wanted = reference.value(field)
                wanted = wide(before[field.name]) if wanted is None else wanted
                for after, found in self.memory.get(end, unpacked, field.name):
                    what = f"{field.name} is not what the layouts say"
                    self.require(after, found == wanted, what, "unpack")
            for after, _ in self.call("pack", [target, unpacked], end):
                self._packed(after, target, other, reference.words, None)

    def _packed(
        self,
        state: State,
        target: Pointer,
        before: list[Any],
        frame: list[Any],
        substitution: Optional[list[tuple[Any, Any]]],
    ) -> None:
        """Are the words written those of `frame`, but for bits that are not the codec's?"""
        for part in self.reference.parts:
            there = self.reference.present(part)
            if substitution is not None:
                there = z3.substitute(there, *substitution)
            decided, own = self.reference.masks(part)
            for index in range(part.bytes // 4):
                at = self.reference.start(part) // 32 + index
                low = 8 * part.bytes - 32 * (index + 1)
                kept, made = own >> low & 0xFFFFFFFF, decided >> low & 0xFFFFFFFF
                wanted = frame[at] & made | before[at] & kept
                found = state.word(target, at)
                self.require(
                    state,
                    z3.Implies(there, found == wanted),
                    f"word {at} is not that of the frame",
                    "pack",
                )

    # --- pack, and unpack of what it gave

    def payload_to_payload(self) -> None:
        reference = self.reference
        values = self.fields_of(True)
        fits = [
            z3.ULE(wide(values[f.name]), self.largest(f)) for f in self.payload.fields
        ]
        state = State(assumed=tuple(fits))
        packed = self.memory.add(state, values)
        before = [z3.BitVec(f"other_{i}", 32) for i in range(len(reference.words))]
        target = state.words("the frame", before)
        unpacked = self.memory.add(state, self.fields_of(False))
        for end, length in self.call("pack", [target, packed], state):
            after = [end.word(target, index) for index in range(len(before))]
            instead = list(zip(reference.words, after))
            self._packed(end, target, before, after, instead)
            header = z3.BitVecVal(reference.frame.bytes, 32)
            for part in reference.parts:
                there = z3.substitute(reference.present(part), *instead)
                bound = z3.BitVecVal(reference.end(part), 32)
                header = z3.If(z3.And(there, z3.UGT(bound, header)), bound, header)
            self.require(end, length == header, "the length is another", "pack")
            for back, _ in self.call("unpack", [target, unpacked], end):
                self._values_back(back, unpacked, values, instead)
            self._accepted(end, packed, values, instead)

    def largest(self, field: ir.Field) -> int:
        found = next(
            (
                own.mask
                for part in self.reference.parts
                for own in part.fields
                if own.name == field.name and not field.local
            ),
            0xFFFFFFFF,
        )
        return 1 if isinstance(field.type, ir.BoolType) else found

    def _values_back(
        self,
        state: State,
        unpacked: Pointer,
        values: dict[str, Any],
        instead: list[tuple[Any, Any]],
    ) -> None:
        for field in self.payload.fields:
            found = self.reference.carried(field)
            wanted = wide(values[field.name])
            if found is not None:
                there = z3.substitute(self.reference.present(found[0]), *instead)
                wanted = z3.If(there, wanted, z3.BitVecVal(0, 32))
            for end, value in self.memory.get(state, unpacked, field.name):
                what = f"{field.name} does not come back"
                self.require(end, value == wanted, what, "pack")

    def _accepted(
        self,
        state: State,
        packed: Pointer,
        values: dict[str, Any],
        instead: list[tuple[Any, Any]],
    ) -> None:
        for field in self.payload.fields:
            value = wide(values[field.name])
            if field.range is not None:
                low, high = field.range.low.value, field.range.high.value
                state = state.assuming(z3.And(z3.ULE(low, value), z3.ULE(value, high)))
        holding = [
            z3.Implies(self.reference.present(part), formula)
            for part in self.reference.parts
            for field, formula in self.reference.identities(part)
            if field.fixed is None
        ]
        members = z3.substitute(z3.And(holding), *instead) if holding else True
        state = state.assuming(members)
        for end, count in self.call("bytes", [packed], state):
            ok = self.reference.verdict()["OK"]
            claim = z3.substitute(ok, *instead, (self.reference.bytes, count))
            # What is counted in 32 bits may not wrap.
            lengths = [
                z3.substitute(self.reference.named(part, part.data.length), *instead)
                for part in self.reference.parts
                if part.data is not None
            ]
            short = z3.And([z3.ULT(length, 1 << 24) for length in lengths])
            self.require(
                end, z3.Implies(short, claim), "what is packed is not accepted", "pack"
            )


def prove(
    protocol: ir.Protocol, include: list[pathlib.Path], directory: pathlib.Path
) -> tuple[list[str], Executor]:
    """What was proved, in words. Raises Refuted where it does not hold."""
    name = f"{naming.snake(protocol.name)}_codec"
    module = c_code.compile_text(shim(protocol), directory, name, include)
    executor = Executor(module)
    told = []
    for payload in protocol.payloads:
        if payload.sources:
            proof = CodecProof(executor, protocol, payload)
            proof.prove()
            told.append(
                f"payload {payload.name}: every frame of 0 to 4294967295 bytes, every bit of the "
                f"{proof.reference.header_bytes} bytes of its headers, and every value of its {len(payload.fields)} fields: "
                "accepted is what the layouts accept, unpacked what they say; pack and unpack undo each other"
            )
    return told, executor
