# SPDX-License-Identifier: MIT
"""Frames of a payload that comes from layouts: where its fields lie on the wire, which bytes are a frame of it, and both
ways between bytes and values.

`Codec` is computed from the intermediate form and used by whatever packs and unpacks: the C back end prints it
(backends/c_codec.py), the functions here are the same in Python.

Accepted is what holds every fixed field and area, members of enumerations that are not conditional, values in the ranges
of the payload, and all bytes the layouts ask for; more may follow. Packing writes the bits of the fields, what is fixed,
and 0 where the payload names no field; it leaves alone the addresses of an Ethernet frame and areas that are not fixed,
which belong to the sender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Mapping, Optional, Sequence

from . import ir

ADDRESS_BITS = 96  # of the two addresses an Ethernet frame begins with
WORD_BITS = 32

OK, FOREIGN, MALFORMED = "ok", "foreign", "malformed"


@dataclass(frozen=True)
class Test:
    """A condition that depends on the frame: a field of a part holds one of the values."""

    part: "Part"
    field: ir.LayoutField
    values: tuple[ir.Size, ...]


@dataclass(frozen=True)
class Part:
    """A layout at its place; `start` in bytes. It is there when all tests hold."""

    layout: ir.Layout
    start: int
    tests: tuple[Test, ...]

    @property
    def end(self) -> int:
        return self.start + self.layout.bytes

    def field(self, name: str) -> ir.LayoutField:
        return next(field for field in self.layout.fields if field.name == name)


@dataclass(frozen=True)
class Slot:
    """A field of the payload and its bits."""

    field: ir.Field
    part: Part
    bits: ir.LayoutField


@dataclass(frozen=True)
class Data:
    """Bytes behind the header, counted by `length`."""

    part: Part
    length: ir.LayoutField
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Word:
    """What one word of a part is packed from. `unchanged`: bits that stay as they are."""

    index: int  # from the start of the part
    slots: tuple[Slot, ...]
    fixed: tuple[tuple[ir.LayoutField, ir.Size], ...]
    filled: int  # the bits of areas that are fixed, as they are to be
    unchanged: int


class Codec:
    """Of one payload. The specification has been checked: frontend/payload_sources.py."""

    def __init__(
        self,
        layouts: Mapping[str, ir.Layout],
        enumerations: Mapping[str, ir.Enumeration],
        payload: ir.Payload,
    ) -> None:
        self.payload = payload
        self.enumerations = enumerations
        self.parts: list[Part] = []
        for name in payload.sources:
            self._place(layouts[name])
        self.root = self.parts[0]
        self.parts.sort(key=lambda part: part.start)
        self.slots = [slot for slot in map(self._slot, payload.fields) if slot]
        self.data = list(self._data())

    def _place(self, layout: ir.Layout) -> None:
        outer = next((p for p in self.parts if p.layout.name == layout.within), None)
        if outer is None:
            self.parts.append(Part(layout, 0, ()))
            return
        start = outer.start + (layout.at.value if layout.at else outer.layout.bytes)
        tests = self.tests(outer, layout.when)
        assert tests is not None, "a part that is never there"
        self.parts.append(Part(layout, start, (*outer.tests, *tests)))

    def tests(
        self, part: Part, condition: Optional[ir.LayoutCondition]
    ) -> Optional[tuple[Test, ...]]:
        """What is left of a condition when it is known what the frame always holds; None: it never holds."""
        if condition is None:
            return ()
        held = self.always(part, condition.field)
        if held is None:
            return (Test(part, part.field(condition.field), condition.values),)
        return () if held.value in [size.value for size in condition.values] else None

    def always(self, part: Part, name: str) -> Optional[ir.Size]:
        """What a field holds in every frame of this payload, where that is one value."""
        when = self.payload.when
        if part.start == 0 and when is not None and when.field == name:
            return when.values[0]
        return part.field(name).fixed

    def _slot(self, field: ir.Field) -> Optional[Slot]:
        for part in self.parts:
            for bits in part.layout.fields:
                if bits.name == field.name and not field.local:
                    return Slot(field, part, bits)
        return None

    def _data(self) -> Iterator[Data]:
        for part in self.parts:
            data = part.layout.data
            tests = self.tests(part, data.when) if data else None
            if data is not None and tests is not None:
                length = part.field(data.length)
                yield Data(part, length, (*part.tests, *tests))

    # --- what the frames are like

    @property
    def header_limit(self) -> int:
        """Bytes of the longest header."""
        return max(part.end for part in self.parts)

    def slot(self, part: Part, bits: ir.LayoutField) -> Optional[Slot]:
        return next((s for s in self.slots if s.part == part and s.bits == bits), None)

    def fixed(self, part: Part) -> Iterator[tuple[ir.LayoutField, ir.Size]]:
        """Fields that hold the same in every frame that has the part."""
        for field in part.layout.fields:
            held = self.always(part, field.name)
            if held is not None:
                yield field, held

    def members(self, part: Part) -> Iterator[tuple[ir.LayoutField, list[int]]]:
        """Fields that must hold a member of an enumeration whenever the part is there."""
        for field in part.layout.fields:
            slot = self.slot(part, field)
            names = {field.enumeration} if field.when is None else set()
            if slot is not None and isinstance(slot.field.type, ir.EnumerationType):
                names.add(slot.field.type.name)
            for name in sorted(name for name in names if name is not None):
                if self.always(part, field.name) is None:
                    found = self.enumerations[name].members
                    yield field, sorted(member.value for member in found)

    def limits(self, part: Part) -> Iterator[tuple[Slot, ir.Range]]:
        """Fields that have a range in the payload."""
        for slot in self.slots:
            if slot.part == part and slot.field.range is not None:
                yield slot, slot.field.range

    def words(self, part: Part) -> Iterator[Word]:
        """Those that packing writes."""
        for index in range(part.layout.bytes * 8 // WORD_BITS):
            unchanged = filled = 0
            for area in part.layout.areas:
                for byte in range(area.offset, area.offset + area.count.value):
                    shift = 24 - byte % 4 * 8
                    if byte // 4 == index and area.fixed:
                        filled |= area.fixed.value << shift
                    elif byte // 4 == index:
                        unchanged |= 0xFF << shift
            slots: list[Slot] = []
            fixed: list[tuple[ir.LayoutField, ir.Size]] = []
            for field in part.layout.fields:
                slot, held = self.slot(part, field), self.always(part, field.name)
                if field.word != index:
                    continue
                if slot is not None:
                    slots.append(slot)
                elif held is not None:
                    fixed.append((field, held))
                elif part.layout.ethertype and field.offset < ADDRESS_BITS:
                    unchanged |= field.mask << field.shift
            if unchanged != 0xFFFFFFFF:
                yield Word(index, tuple(slots), tuple(fixed), filled, unchanged)

    @property
    def known_bytes(self) -> int:
        """So many of them tell whether a frame is of this payload."""
        test_fields = [field for field, _ in self.fixed(self.root)]
        test_fields += [field for field, _ in self.members(self.root)]
        return max((4 * (field.word + 1) for field in test_fields), default=0)

    # --- the same on bytes

    def accept(self, frame: bytes) -> str:
        """ok; foreign: what it always holds is something else; malformed: short, or beyond a range."""
        root = self.root
        if len(frame) < self.known_bytes:
            return FOREIGN
        for field, held in self.fixed(root):
            if number(frame, root, field) != held.value:
                return FOREIGN
        for field, members in self.members(root):
            if number(frame, root, field) not in members:
                return FOREIGN
        header = 0
        for part in self.parts:
            if holds(frame, part.tests):
                header = max(header, part.end)
                if len(frame) < part.end or not self._fits(frame, part):
                    return MALFORMED
        for data in self.data:
            if holds(frame, data.tests):
                header += number(frame, data.part, data.length)
        return OK if header <= len(frame) else MALFORMED

    def _fits(self, frame: bytes, part: Part) -> bool:
        for field, held in self.fixed(part):
            if number(frame, part, field) != held.value:
                return False
        for field, members in self.members(part):
            if number(frame, part, field) not in members:
                return False
        for slot, limits in self.limits(part):
            found = number(frame, part, slot.bits)
            if not limits.low.value <= found <= limits.high.value:
                return False
        for area in part.layout.areas:
            start = part.start + area.offset
            found_bytes = frame[start : start + area.count.value]
            if area.fixed and set(found_bytes) != {area.fixed.value}:
                return False
        return True

    def unpack(self, frame: bytes) -> dict[str, int]:
        """Of a frame that is accepted: the fields, 0 where their part is not there; without those that are local."""
        return {
            slot.field.name: (
                number(frame, slot.part, slot.bits)
                if holds(frame, slot.part.tests)
                else 0
            )
            for slot in self.slots
        }

    def pack(self, values: Mapping[str, int], before: bytes = b"") -> bytes:
        """The header; `before`: what was there. A value too large for its bits loses the upper ones."""
        frame = bytearray(before.ljust(self.header_limit, b"\0"))
        end = 0
        for part in self.parts:
            if not holds(frame, part.tests):
                continue
            end = max(end, part.end)
            for word in self.words(part):
                at = part.start + 4 * word.index
                bits = int.from_bytes(frame[at : at + 4], "big") & word.unchanged
                bits |= word.filled
                for field, held in word.fixed:
                    bits |= (held.value & field.mask) << field.shift
                for slot in word.slots:
                    value = values.get(slot.field.name, 0) & slot.bits.mask
                    bits |= value << slot.bits.shift
                frame[at : at + 4] = bits.to_bytes(4, "big")
        return bytes(frame[:end])

    def bytes(self, values: Mapping[str, int]) -> int:
        """Of the whole frame, with the data."""
        frame = self.pack(values)
        return len(frame) + sum(
            number(frame, data.part, data.length)
            for data in self.data
            if holds(frame, data.tests)
        )


def number(frame: bytes | bytearray, part: Part, field: ir.LayoutField) -> int:
    at = part.start + 4 * field.word
    return int.from_bytes(frame[at : at + 4], "big") >> field.shift & field.mask


def holds(frame: bytes | bytearray, tests: Sequence[Test]) -> bool:
    return all(
        number(frame, test.part, test.field) in [size.value for size in test.values]
        for test in tests
    )


def codec(protocol: ir.Protocol, payload: ir.Payload) -> Codec:
    return Codec(
        {layout.name: layout for layout in protocol.layouts},
        {enumeration.name: enumeration for enumeration in protocol.enumerations},
        payload,
    )


def codecs(protocol: ir.Protocol) -> list[Codec]:
    """Of all payloads that come from layouts."""
    return [codec(protocol, p) for p in protocol.payloads if p.sources]
