# SPDX-License-Identifier: MIT
"""Payloads that come from layouts: which fields they have, and whether the layouts can carry them."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Iterator, Optional

from .. import frames, ir
from . import ast
from .context import Context
from .layouts import Layouts
from ..source import Span


class PayloadSources:
    """Needs layouts and enumerations."""

    def __init__(self, context: Context, layouts: Layouts) -> None:
        self.context = context
        self.layouts = layouts

    def resolve(self, node: ast.Payload, payload: ir.Payload) -> Optional[ir.Payload]:
        """The payload with its sources and the fields they give. Where they do not fit: as it was, or None if its fields
        would have come from them, so that nothing is said of those."""
        if not node.sources:
            return payload
        return self._resolved(node, payload) or (payload if node.fields else None)

    def _resolved(self, node: ast.Payload, payload: ir.Payload) -> Optional[ir.Payload]:
        errors = self.context.report.errors
        found = self._sources(node)
        if not found:
            return None
        root = found[0]
        when = self.layouts.condition(node.when, root) if node.when else None
        if node.when is not None and when is not None and len(when.values) != 1:
            self.context.error(
                "HSM0408",
                node.when.span,
                f"a payload is of one kind: '{when.field}' can hold one value here",
            )
        if self.context.report.errors > errors:
            return None
        result = dataclasses.replace(
            payload, sources=tuple(layout.name for layout in found), when=when
        )
        for layout in found[1:]:
            if not self._possible(result, layout):
                self.context.error(
                    "HSM0407",
                    self._source(node, layout.name),
                    f"layout '{layout.name}' is never a part of such a frame",
                )
        if self.context.report.errors > errors:
            return None
        if not node.fields:
            result = dataclasses.replace(result, fields=self._derived(node, result))
        self._check_fields(node, result)
        if self.context.report.errors == errors:
            self._check_parts(node, result)
        return result if self.context.report.errors == errors else None

    def _codec(self, payload: ir.Payload) -> frames.Codec:
        context = self.context
        return frames.Codec(context.layouts, context.enumerations, payload)

    # --- layouts

    def _sources(self, node: ast.Payload) -> list[ir.Layout]:
        """None where one of them is unknown."""
        found: list[ir.Layout] = []
        for name in node.sources:
            layout = self.context.layouts.get(name.text)
            if layout is None:
                self.context.report.unknown(
                    "HSM0201",
                    name.span,
                    f"there is no layout '{name.text}'",
                    name.text,
                    self.context.separate_names(ast.Layout),
                )
                return []
            self.context.refer(name.span, layout.place)
            if layout in found:
                self.context.error(
                    "HSM0407", name.span, f"layout '{name.text}' is named twice"
                )
            elif found and layout.within not in [outer.name for outer in found]:
                self.context.error(
                    "HSM0407",
                    name.span,
                    f"layout '{name.text}' is a part of no layout named before it",
                    [("the first", node.sources[0].span)],
                )
            found.append(layout)
        return found

    def _possible(self, payload: ir.Payload, layout: ir.Layout) -> bool:
        """Can the part be there, whatever the frame holds?"""
        outer = next(
            (n for n in payload.sources if n == layout.within and n != layout.name),
            None,
        )
        if outer is None:
            return True
        only = dataclasses.replace(payload, sources=(outer,), fields=())
        codec = self._codec(
            only
            if outer == payload.sources[0]
            else dataclasses.replace(only, when=None)
        )
        return codec.tests(codec.root, layout.when) is not None

    def _check_parts(self, node: ast.Payload, payload: ir.Payload) -> None:
        """What may follow is named, parts do not overlap, and every condition on the frame can be evaluated."""
        codec = self._codec(payload)
        for layout in self.context.layouts.values():
            if layout.within not in payload.sources or layout.name in payload.sources:
                continue
            if self._possible(payload, layout):
                self.context.error(
                    "HSM0407",
                    node.name.span,
                    f"layout '{layout.name}' may be a part of such a frame: name it, or say which frames are meant",
                    [("the layout", self._place(layout.name))],
                )
        for one, other in itertools.combinations(codec.parts, 2):
            disjoint = one.end <= other.start or other.end <= one.start
            if not disjoint and not _exclude(one, other):
                self.context.error(
                    "HSM0407",
                    self._source(node, other.layout.name),
                    f"layouts '{one.layout.name}' and '{other.layout.name}' lie at the same bytes",
                )
        missing_fields = {
            field
            for part in codec.parts
            for field in self._check_absent(node, codec, part)
        }
        tests = [test for part in codec.parts for test in part.tests]
        tests += [test for data in codec.data for test in data.tests]
        for test in dict.fromkeys(tests):
            if (
                test.field not in missing_fields
                and codec.slot(test.part, test.field) is None
            ):
                self.context.error(
                    "HSM0408",
                    node.name.span,
                    f"what a frame has depends on '{test.field.name}', which payload '{payload.name}' does not carry",
                    [("the field", self._place(test.part.layout.name))],
                )
                return

    def _check_absent(
        self, node: ast.Payload, codec: frames.Codec, part: frames.Part
    ) -> Iterator[ir.LayoutField]:
        """What is not carried, or not there, is 0: that must be possible. Fields that must be carried."""
        for field, members in codec.members(part):
            if codec.slot(part, field) is None and 0 not in members:
                yield field
                self.context.error(
                    "HSM0408",
                    node.name.span,
                    f"payload '{codec.payload.name}' does not carry '{field.name}', which cannot be 0: carry it, or say "
                    "which frames are meant",
                    [("the layout", self._place(part.layout.name))],
                )
        spans = {field.name.text: field.name.span for field in node.fields}
        for slot, limits in codec.limits(part):
            if part.tests and limits.low.value > 0:
                self.context.error(
                    "HSM0405",
                    spans[slot.field.name],
                    f"field '{slot.field.name}' is 0 in a frame without '{part.layout.name}', which its range excludes",
                    [("the layout", self._place(part.layout.name))],
                )

    # --- fields

    def _fields_of(self, payload: ir.Payload) -> list[tuple[str, ir.LayoutField]]:
        """Fields a payload may carry, each with its layout: not what is always the same."""
        codec = self._codec(dataclasses.replace(payload, fields=()))
        return [
            (part.layout.name, field)
            for part in codec.parts
            for field in part.layout.fields
            if codec.always(part, field.name) is None
        ]

    def _derived(self, node: ast.Payload, payload: ir.Payload) -> tuple[ir.Field, ...]:
        root = self.context.layouts[payload.sources[0]]
        fields: dict[str, ir.Field] = {}
        owners: dict[str, str] = {}
        for owner, field in self._fields_of(payload):
            if (
                owner == root.name
                and root.ethertype
                and field.offset < frames.ADDRESS_BITS
            ):
                continue
            if field.name in fields:
                self._in_two(node.name.span, field.name, owners[field.name], owner)
                continue
            owners[field.name] = owner
            fields[field.name] = self._derived_field(field)
        return tuple(fields.values())

    def _derived_field(self, field: ir.LayoutField) -> ir.Field:
        bits = 8 if field.bits <= 8 else 16 if field.bits <= 16 else 32
        type_: ir.ScalarType = ir.IntegerType(bits)
        limits: Optional[ir.Range] = None
        if field.enumeration is not None and field.when is None:
            enumeration = self.context.enumerations[field.enumeration]
            type_ = ir.EnumerationType(enumeration.name, enumeration.bits)
        elif field.bits < bits:
            limits = ir.Range(_size(0, field.place), _size(field.mask, field.place))
        return ir.Field(
            name=field.name,
            doc=field.doc,
            place=field.place,
            type=type_,
            range=limits,
        )

    def _check_fields(self, node: ast.Payload, payload: ir.Payload) -> None:
        carried = self._fields_of(payload)
        spans = {field.name.text: field.name.span for field in node.fields}
        for field in payload.fields:
            span = spans.get(field.name, node.name.span)
            found = [(o, f) for o, f in carried if f.name == field.name]
            if field.local:
                if found:
                    self.context.error(
                        "HSM0406",
                        span,
                        f"field '{field.name}' is on the wire in layout '{found[0][0]}', so it is not local",
                    )
            elif not found:
                self._not_carried(span, field, payload)
            elif len(found) > 1:
                self._in_two(span, field.name, found[0][0], found[1][0])
            else:
                self.context.carried[field.place] = found[0][1].place
                self._check_width(span, field, found[0][1])

    def _not_carried(self, span: Span, field: ir.Field, payload: ir.Payload) -> None:
        held = any(
            bits.name == field.name
            for name in payload.sources
            for bits in self.context.layouts[name].fields
        )
        if held:
            message = f"field '{field.name}' holds the same in all these frames, so the payload does not carry it"
            self.context.error("HSM0406", span, message)
            return
        names = ", ".join(f"'{name}'" for name in payload.sources)
        self.context.report.unknown(
            "HSM0406",
            span,
            f"there is no field '{field.name}' in {names}; what is not on the wire is local",
            field.name,
            [bits.name for _, bits in self._fields_of(payload)],
        )

    def _in_two(self, span: Span, name: str, one: str, other: str) -> None:
        self.context.error(
            "HSM0409",
            span,
            f"field '{name}' is in layout '{one}' and in '{other}'",
            [("the one", self._place(one)), ("the other", self._place(other))],
        )

    def _check_width(self, span: Span, field: ir.Field, bits: ir.LayoutField) -> None:
        """What the payload can hold must come through the wire."""
        if isinstance(field.type, ir.ReferenceType):
            self.context.error(
                "HSM0405",
                span,
                f"field '{field.name}' names a record, which means nothing to another node",
            )
            return
        if isinstance(field.type, ir.BoolType):
            if bits.bits != 1:
                self.context.error(
                    "HSM0405",
                    span,
                    f"field '{field.name}' is true or false and has {bits.bits} bits on the wire",
                )
            return
        if field.range is not None:
            largest = field.range.high.value
        elif isinstance(field.type, ir.EnumerationType):
            members = self.context.enumerations[field.type.name].members
            largest = max(member.value for member in members)
        else:
            assert isinstance(field.type, ir.IntegerType)
            largest = (1 << field.type.bits) - 1
        if largest > bits.mask:
            self.context.error(
                "HSM0405",
                span,
                f"field '{field.name}' can be {largest} and has {bits.bits} bits on the wire, "
                f"up to {bits.mask}: give it a range",
            )
            return
        if field.range is None and largest < bits.mask:
            if isinstance(field.type, ir.IntegerType):
                self.context.error(
                    "HSM0405",
                    span,
                    f"field '{field.name}' has {bits.bits} bits on the wire and {field.type.bits} in the payload: "
                    "give it a wider type or a range",
                )

    def _source(self, node: ast.Payload, name: str) -> Span:
        return next(source.span for source in node.sources if source.text == name)

    def _place(self, layout: str) -> Span:
        return next(
            node.name.span
            for node in self.context.spec.declarations
            if isinstance(node, ast.Layout) and node.name.text == layout
        )


def _exclude(one: frames.Part, other: frames.Part) -> bool:
    """Are they never in the same frame? Tests of the same field that no value fulfils both."""
    for left in one.tests:
        for right in other.tests:
            values = {size.value for size in left.values}
            if left.part == right.part and left.field == right.field:
                if values.isdisjoint(size.value for size in right.values):
                    return True
    return False


def _size(value: int, place: ir.Place) -> ir.Size:
    number = ir.Number(
        type=ir.IntegerType(32), place=place, value=value, text=str(value)
    )
    return ir.Size(value, number)
