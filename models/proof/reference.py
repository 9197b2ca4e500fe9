# SPDX-License-Identifier: MIT
"""Frames of a payload as formulas over their words, made from the intermediate form alone: positions of fields as bits
counted from the first of the frame, fixed fields and areas, enumerations, ranges, parts, data.

Nothing comes from hsmc/frames.py, from generated macros or from frame_ranges.c: what is made of those is to be proved.
"""

from __future__ import annotations

from typing import Any, Iterator, Optional

import z3

from hsmc import ir

VERDICTS = ("OK", "FOREIGN", "MALFORMED")
ADDRESS_BITS = 96  # of an Ethernet frame, which belong to its sender


class Reference:
    """What the words of a frame must be, and what they mean."""

    def __init__(self, protocol: ir.Protocol, payload: ir.Payload) -> None:
        self.protocol = protocol
        self.payload = payload
        self.layouts = {layout.name: layout for layout in protocol.layouts}
        self.parts = [self.layouts[name] for name in payload.sources]
        self.frame = self.parts[0]
        self.header_bytes = max(self.start(p) // 8 + p.bytes for p in self.parts)
        self.words = [
            z3.BitVec(f"word_{index}", 32) for index in range(self.header_bytes // 4)
        ]
        self.bytes = z3.BitVec("bytes", 32)
        # The whole header as one number, its first bit the most significant.
        self.bits = z3.Concat(self.words) if len(self.words) > 1 else self.words[0]

    # --- places

    def start(self, part: ir.Layout) -> int:
        """Its first bit."""
        if part is self.frame or part.within is None:
            return 0
        outer = self.layouts[part.within]
        return self.start(outer) + 8 * (part.at.value if part.at else outer.bytes)

    def field(self, part: ir.Layout, found: ir.LayoutField) -> Any:
        """A field as a 32-bit number."""
        high = self.bits.size() - 1 - self.start(part) - found.offset
        value = z3.Extract(high, high - found.bits + 1, self.bits)
        return z3.ZeroExt(32 - found.bits, value) if found.bits < 32 else value

    def named(self, part: ir.Layout, name: str) -> Any:
        return self.field(part, next(f for f in part.fields if f.name == name))

    def holds(self, part: ir.Layout, condition: Optional[ir.LayoutCondition]) -> Any:
        if condition is None:
            return z3.BoolVal(True)
        value = self.named(part, condition.field)
        return z3.Or([value == size.value for size in condition.values])

    def present(self, part: ir.Layout) -> Any:
        if part is self.frame or part.within is None:
            return z3.BoolVal(True)
        outer = self.layouts[part.within]
        return z3.And(self.present(outer), self.holds(outer, part.when))

    def end(self, part: ir.Layout) -> int:
        """Bytes to the end of the part."""
        return self.start(part) // 8 + part.bytes

    # --- what must hold

    def identities(self, part: ir.Layout) -> Iterator[tuple[ir.LayoutField, Any]]:
        """Fields that tell which frame it is, each with the formula that it holds what it must."""
        carried = {field.name: field for field in self.payload.fields}
        when = self.payload.when
        for field in part.fields:
            value = self.field(part, field)
            if field.fixed is not None:
                yield field, value == field.fixed.value
            if part is self.frame and when is not None and when.field == field.name:
                yield field, value == when.values[0].value
                continue
            names = [field.enumeration] if field.when is None else []
            own = carried.get(field.name)
            if own is not None and isinstance(own.type, ir.EnumerationType):
                names.append(own.type.name)
            for enumeration in self.protocol.enumerations:
                if enumeration.name in names:
                    members = [value == m.value for m in enumeration.members]
                    yield field, z3.Or(members)

    def foreign(self) -> Any:
        """Of another type, of a kind that is none or another's; or too short to tell."""
        found = list(self.identities(self.frame))
        known = max((4 * (field.word + 1) for field, _ in found), default=0)
        holding = [formula for _, formula in found]
        return z3.Or(z3.ULT(self.bytes, known), z3.Not(z3.And(holding)))

    def malformed(self) -> Any:
        """Short, or a value cannot be."""
        alternatives = []
        header = z3.BitVecVal(self.frame.bytes, 40)
        for part in self.parts:
            is_present = self.present(part)
            alternatives.append(z3.And(is_present, z3.ULT(self.bytes, self.end(part))))
            if part is not self.frame:
                holding = [formula for _, formula in self.identities(part)]
                alternatives.append(z3.And(is_present, z3.Not(z3.And(holding))))
                end = z3.BitVecVal(self.end(part), 40)
                header = z3.If(z3.And(is_present, z3.UGT(end, header)), end, header)
            for area in part.areas:
                if area.fixed is not None:
                    held = area.fixed.value
                    found_bytes = self.area(part, area)
                    alternatives += [
                        z3.And(is_present, value != held) for value in found_bytes
                    ]
        for field in self.payload.fields:
            found = self.carried(field)
            if field.range is not None and found is not None:
                part, value = found
                low, high = field.range.low.value, field.range.high.value
                beyond = z3.Or(z3.ULT(value, low), z3.UGT(value, high))
                alternatives.append(z3.And(self.present(part), beyond))
        for part in self.parts:
            if part.data is not None:
                is_present = z3.And(
                    self.present(part), self.holds(part, part.data.when)
                )
                length = z3.ZeroExt(8, self.named(part, part.data.length))
                header = z3.If(is_present, header + length, header)
        alternatives.append(z3.UGT(header, z3.ZeroExt(8, self.bytes)))
        return z3.Or(alternatives)

    def area(self, part: ir.Layout, area: ir.LayoutArea) -> list[Any]:
        """Its bytes."""
        first = self.bits.size() - self.start(part) - 8 * area.offset
        return [
            z3.Extract(first - 8 * i - 1, first - 8 * i - 8, self.bits)
            for i in range(area.count.value)
        ]

    def verdict(self, addressed: Any = None) -> dict[str, Any]:
        """When which: exactly one of them, by the way they are put together. `addressed`: it is for this node."""
        foreign, malformed = self.foreign(), self.malformed()
        if addressed is not None:
            foreign = z3.Or(foreign, z3.Not(addressed))
        return {
            "FOREIGN": foreign,
            "MALFORMED": z3.And(z3.Not(foreign), malformed),
            "OK": z3.And(z3.Not(foreign), z3.Not(malformed)),
        }

    # --- what it means

    def carried(self, field: ir.Field) -> Optional[tuple[ir.Layout, Any]]:
        """Where a field of the payload lies, and its bits; None when it is not on the wire."""
        for part in self.parts:
            for own in part.fields:
                if own.name == field.name and not field.local:
                    return part, self.field(part, own)
        return None

    def value(self, field: ir.Field) -> Any:
        """What a field of the payload is to hold."""
        found = self.carried(field)
        if found is None:
            return None
        part, value = found
        return z3.If(self.present(part), value, z3.BitVecVal(0, 32))

    def masks(self, part: ir.Layout) -> tuple[int, int]:
        """Bits of a part's words: those the payload or the layout decides, and those that are the sender's own. The
        others are 0 in a frame that is packed."""
        decided = own = 0
        size = 8 * part.bytes
        names = {field.name for field in self.payload.fields if not field.local}
        if self.payload.when is not None and part is self.frame:
            names.add(self.payload.when.field)
        for field in part.fields:
            bits = field.mask << size - field.offset - field.bits
            if field.name in names or field.fixed is not None:
                decided |= bits
            elif part.ethertype is not None and field.offset < ADDRESS_BITS:
                own |= bits
        for area in part.areas:
            count = 8 * area.count.value
            bits = ((1 << count) - 1) << size - 8 * area.offset - count
            decided, own = (
                (decided | bits, own) if area.fixed else (decided, own | bits)
            )
        return decided, own


def c_bits(field: ir.Field) -> int:
    """Of the place a field has in C."""
    if isinstance(field.type, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType)):
        return field.type.bits
    return 8


def wide(value: Any) -> Any:
    return z3.ZeroExt(32 - value.size(), value) if value.size() < 32 else value
