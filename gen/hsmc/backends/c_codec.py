# SPDX-License-Identifier: MIT
"""C between frames and payloads: bodies of the functions of NAME_codec.h. What they do is said in frames.py.

Words are read and written as integers of the machine, with the accessors of NAME_layout.h: on a big-endian machine they
are those of the frame, elsewhere the functions on bytes turn them. Each word is written once.
"""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from .. import frames, ir, naming
from ..frames import Codec, Part, Slot, Test
from .c_expressions import ExpressionWriter


class CodecView:
    """One payload, for templates/c/codec.h.j2."""

    def __init__(self, codec: Codec, writer: ExpressionWriter) -> None:
        self.codec = codec
        self.writer = writer
        self.names = writer.names
        self.payload = codec.payload
        self.prefix = self.names.lower(self.payload.name)
        self.macro = self.names.upper(self.payload.name)
        self.struct = self.names.struct(self.payload.name)
        self.acceptance = self.names.upper("acceptance")

    # --- names and values

    def words(self, part: Part) -> str:
        return "words" if part.start == 0 else f"words + {part.start // 4}u"

    def get(self, part: Part, field: ir.LayoutField) -> str:
        name = self.names.lower(part.layout.name, "get", field.name)
        return f"{name}({self.words(part)})"

    def constant(self, size: ir.Size) -> str:
        return self.writer.expression(size.expression).as_unary_operand()

    def field_macro(self, part: Part, field: ir.LayoutField) -> str:
        return self.names.upper(part.layout.name, field.name)

    def member(self, field: ir.Field) -> str:
        return f"f->{naming.snake(field.name)}"

    def _slot_of(self, test: Test) -> Slot:
        slot = self.codec.slot(test.part, test.field)
        assert slot is not None
        return slot

    def presence_condition(self, tests: Sequence[Test], of_words: bool) -> str:
        """A condition, asked of the words or of the payload."""
        found = []
        for test in tests:
            value = (
                self.get(test.part, test.field)
                if of_words
                else self.member(self._slot_of(test).field)
            )
            conditions = [f"{value} == {self.constant(v)}" for v in test.values]
            found.append(
                f"({' || '.join(conditions)})"
                if len(conditions) > 1 and len(tests) > 1
                else " || ".join(conditions)
            )
        return " && ".join(found)

    # --- bodies, one line each, indented by tabs

    def accept(self) -> Iterator[str]:
        codec = self.codec
        if codec.known_bytes:
            yield f"if (bytes < {codec.known_bytes}u)"
            yield f"\treturn {self.acceptance}_FOREIGN;"
        foreign = self._identity(codec.root)
        yield from self._refused(foreign, "FOREIGN", 0)
        if codec.root.end > codec.known_bytes:
            yield f"if (bytes < {codec.root.end}u)"
            yield f"\treturn {self.acceptance}_MALFORMED;"
        if codec.data:
            yield f"header = {codec.root.end}u;"
        yield from self._refused(self._content(codec.root), "MALFORMED", 0)
        yield from self._areas(codec.root, 0)
        for part in codec.parts[1:]:
            depth = 1 if part.tests else 0
            tabs = "\t" * depth
            if part.tests:
                yield f"if ({self.presence_condition(part.tests, True)}) {{"
            yield f"{tabs}if (bytes < {part.end}u)"
            yield f"{tabs}\treturn {self.acceptance}_MALFORMED;"
            if codec.data:
                yield f"{tabs}header = {part.end}u;"
            content = self._identity(part) + self._content(part)
            yield from self._refused(content, "MALFORMED", depth)
            yield from self._areas(part, depth)
            if part.tests:
                yield "}"
        for data in codec.data:
            depth = 1 if data.tests else 0
            tabs = "\t" * depth
            length = self.get(data.part, data.length)
            if data.tests:
                yield f"if ({self.presence_condition(data.tests, True)}) {{"
            yield f"{tabs}if ({length} > bytes - header)"
            yield f"{tabs}\treturn {self.acceptance}_MALFORMED;"
            if data is not codec.data[-1]:
                yield f"{tabs}header += {length};"
            if data.tests:
                yield "}"
        yield f"return {self.acceptance}_OK;"

    @property
    def counts_header(self) -> bool:
        return bool(self.codec.data)

    @property
    def accept_reads(self) -> bool:
        return any("words" in line for line in self.accept())

    @property
    def accept_counts(self) -> bool:
        return any("bytes" in line for line in self.accept())

    def _refused(
        self, reasons: Sequence[str], verdict: str, depth: int
    ) -> Iterator[str]:
        for reason in reasons:
            yield "\t" * depth + f"if ({reason})"
            yield "\t" * depth + f"\treturn {self.acceptance}_{verdict};"

    def _identity(self, part: Part) -> list[str]:
        """What says that it is another frame: reasons. Fields beside each other that are fixed, and one behind them whose
        values have no gap, are one number: one comparison of a word tells what a frame is.
        """
        fixed = list(self.codec.fixed(part))
        members = list(self.codec.members(part))
        reasons = []
        while fixed or members:
            run = [fixed.pop(0)] if fixed else []
            while run and fixed and follows(run[-1][0], fixed[0][0]):
                run.append(fixed.pop(0))
            last = next((m for m in members if run and follows(run[-1][0], m[0])), None)
            if last is not None and len(last[1]) == last[1][-1] - last[1][0] + 1:
                members.remove(last)
                reasons.append(self._merged(part, run, last))
            elif len(run) > 1:
                reasons.append(self._merged(part, run, None))
            elif run:
                field, held = run[0]
                reasons.append(f"{self.get(part, field)} != {self.constant(held)}")
            else:
                field, values = members.pop(0)
                reasons.append(outside(self.get(part, field), values, field.mask))
        return [reason for reason in reasons if reason]

    def _merged(
        self,
        part: Part,
        run: list[tuple[ir.LayoutField, ir.Size]],
        last: Optional[tuple[ir.LayoutField, list[int]]],
    ) -> str:
        first, end = run[0][0], (last or run[-1])[0]
        place = f"words[{part.start // 4 + first.word}]"
        value = place + (f" >> {end.shift}u" if end.shift else "")
        bits = first.shift + first.bits - end.shift
        if first.shift + first.bits < frames.WORD_BITS:
            value = f"({value} & 0x{(1 << bits) - 1:x}u)"
        elif end.shift:
            value = f"({value})"
        shifted = [
            f"(uint32_t){self.constant(held)}"
            + (f" << {field.shift - end.shift}u" if field.shift > end.shift else "")
            for field, held in run
        ]
        if last is None:
            return f"{value} != ({' | '.join(shifted)})"
        low, high = last[1][0], last[1][-1]
        ends = [f"({' | '.join([*shifted, f'{v}u'])})" for v in (low, high)]
        if low == high:
            return f"{value} != {ends[0]}"
        return f"{value} < {ends[0]} || {value} > {ends[1]}"

    def _content(self, part: Part) -> list[str]:
        reasons = []
        for slot, limits in self.codec.limits(part):
            value = self.get(part, slot.bits)
            conditions = []
            if limits.low.value > 0:
                conditions.append(f"{value} < {self.constant(limits.low)}")
            if limits.high.value < slot.bits.mask:
                conditions.append(f"{value} > {self.constant(limits.high)}")
            if conditions:
                reasons.append(" || ".join(conditions))
        return reasons

    def _areas(self, part: Part, depth: int) -> Iterator[str]:
        tabs = "\t" * depth
        for first, end, word in self._runs(part):
            mask = fixed_mask(part.layout, word.index)
            if mask == 0:
                continue
            index = str(first) if end == first + 1 else "i"
            place = f"words[{index}]"
            masked = place if mask == 0xFFFFFFFF else f"({place} & 0x{mask:08x}u)"
            if index == "i":
                yield f"{tabs}for (uint32_t i = {first}u; i < {end}u; i++)"
            inner = tabs if index != "i" else tabs + "\t"
            yield f"{inner}if ({masked} != 0x{word.filled & mask:08x}u)"
            yield f"{inner}\treturn {self.acceptance}_MALFORMED;"

    def _runs(self, part: Part) -> Iterator[tuple[int, int, frames.Word]]:
        """Words that are packed, from the start of the frame; those of an area that hold the same are one run."""
        runs: list[tuple[int, int, frames.Word]] = []
        for word in self.codec.words(part):
            index = part.start // 4 + word.index
            if runs and runs[-1][1] == index and whole(part, word):
                first, _, before = runs[-1]
                if whole(part, before) and before.filled == word.filled:
                    runs[-1] = (first, index + 1, before)
                    continue
            runs.append((index, index + 1, word))
        yield from runs

    def unpack(self) -> Iterator[str]:
        for part in self.codec.parts:
            slots = [slot for slot in self.codec.slots if slot.part == part]
            if not part.tests or not slots:
                yield from (self._load(slot) for slot in slots)
                continue
            yield f"if ({self.presence_condition(part.tests, False)}) {{"
            yield from (f"\t{self._load(slot)}" for slot in slots)
            yield "} else {"
            for slot in slots:
                zero = "false" if isinstance(slot.field.type, ir.BoolType) else "0"
                yield f"\t{self.member(slot.field)} = {zero};"
            yield "}"

    def _load(self, slot: Slot) -> str:
        value = self.get(slot.part, slot.bits)
        kind = slot.field.type
        if isinstance(kind, ir.BoolType):
            value = f"{value} != 0"
        elif self.names.scalar(kind) != "uint32_t":
            value = f"({self.names.scalar(kind)}){value}"
        return f"{self.member(slot.field)} = {value};"

    def pack(self) -> Iterator[str]:
        for part in self.codec.parts:
            lines = [
                line
                for first, end, word in self._runs(part)
                for line in self._store(part, first, end, word)
            ]
            if not lines:
                continue
            if part.tests:
                yield f"if ({self.presence_condition(part.tests, False)}) {{"
                yield from (f"\t{line}" for line in lines)
                yield "}"
            else:
                yield from lines

    def _store(
        self, part: Part, first: int, end: int, word: frames.Word
    ) -> Iterator[str]:
        if end > first + 1:
            yield f"for (uint32_t i = {first}u; i < {end}u; i++)"
            yield f"\twords[i] = 0x{word.filled:08x}u;"
            return
        pieces: list[tuple[int, str]] = []
        place = f"words[{first}]"
        if word.unchanged:
            pieces.append((64, f"({place} & 0x{word.unchanged:08x}u)"))
        if word.filled:
            pieces.append((63, f"0x{word.filled:08x}u"))
        for field, held in word.fixed:
            if held.value:
                text = f"(uint32_t){self.constant(held)}"
                pieces.append((field.shift, self._shifted(part, field, text)))
        for slot in word.slots:
            text = f"(uint32_t){self.member(slot.field)}"
            if type_bits(slot.field.type) > slot.bits.bits:
                text = f"({text} & {self.field_macro(part, slot.bits)}_MASK)"
            elif slot.bits.bits == 32:
                text = self.member(slot.field)
            pieces.append((slot.bits.shift, self._shifted(part, slot.bits, text)))
        pieces.sort(key=lambda piece: -piece[0])
        lines = naming.filled([text for _, text in pieces] or ["0"], " |", 84)
        yield f"{place} = {lines[0]}" + (";" if len(lines) == 1 else "")
        for line in lines[1:]:
            yield f"\t{line}" + (";" if line is lines[-1] else "")

    def _shifted(self, part: Part, field: ir.LayoutField, text: str) -> str:
        if field.shift == 0:
            return text
        return f"{text} << {self.field_macro(part, field)}_SHIFT"

    def header_bytes(self) -> Iterator[str]:
        least = max(part.end for part in self.codec.parts if not part.tests)
        for part in sorted(self.codec.parts, key=lambda part: -part.end):
            if part.tests and part.end > least:
                yield f"if ({self.presence_condition(part.tests, False)})"
                yield f"\treturn {part.end}u;"
        yield f"return {least}u;"

    @property
    def header_varies(self) -> bool:
        return len(list(self.header_bytes())) > 1

    def bytes(self) -> Iterator[str]:
        yield f"uint32_t bytes = {self.prefix}_header_bytes(f);"
        for data in self.codec.data:
            slot = self.codec.slot(data.part, data.length)
            if slot is not None:
                line = f"bytes += {self.member(slot.field)};"
                if data.tests:
                    yield f"if ({self.presence_condition(data.tests, False)})"
                    yield f"\t{line}"
                else:
                    yield line
        yield "return bytes;"

    @property
    def fields(self) -> Iterator[str]:
        """Arguments of X(), see the template."""
        for slot in self.codec.slots:
            accessors = self.names.lower(slot.part.layout.name)
            macro = self.field_macro(slot.part, slot.bits)
            first = slot.part.start // 4
            yield f"{naming.snake(slot.field.name)}, {accessors}, {first}u, {macro}_MASK"


def type_bits(kind: ir.Type) -> int:
    """Of the largest value a place of this type can hold."""
    if isinstance(kind, (ir.IntegerType, ir.EnumerationType)):
        return kind.bits
    return 1


def follows(field: ir.LayoutField, other: ir.LayoutField) -> bool:
    """Does the other begin where the field ends, in the same word?"""
    return field.word == other.word and field.offset + field.bits == other.offset


def whole(part: Part, word: frames.Word) -> bool:
    """Is all of it in areas that are fixed?"""
    return fixed_mask(part.layout, word.index) == 0xFFFFFFFF


def fixed_mask(layout: ir.Layout, index: int) -> int:
    """The bits of a word that areas fix."""
    mask = 0
    for area in layout.areas:
        for byte in range(area.offset, area.offset + area.count.value):
            if area.fixed and byte // 4 == index:
                mask |= 0xFF << 24 - byte % 4 * 8
    return mask


def outside(value: str, members: Sequence[int], largest: int) -> str:
    """Is it none of the members? They are sorted; "" where that cannot be.

    >>> outside("x", [1, 2, 3], 255), outside("x", [0, 1, 5], 7)
    ('x < 1u || x > 3u', 'x > 1u && x != 5u')
    >>> outside("x", [0, 1, 2, 3], 3)
    ''
    """
    runs: list[list[int]] = []
    for member in members:
        if runs and member == runs[-1][1] + 1:
            runs[-1][1] = member
        else:
            runs.append([member, member])
    reasons = []
    for low, high in runs:
        if low == high and 0 < low < largest:
            reasons.append(f"{value} != {low}u")
            continue
        conditions = [f"{value} < {low}u"] if low > 0 else []
        conditions += [f"{value} > {high}u"] if high < largest else []
        text = " || ".join(conditions)
        if not text:
            return ""
        reasons.append(f"({text})" if len(conditions) > 1 and len(runs) > 1 else text)
    return " && ".join(reasons)
