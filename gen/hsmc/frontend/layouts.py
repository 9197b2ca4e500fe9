# SPDX-License-Identifier: MIT
"""Layouts: where fields lie, what they hold, which layout is a part of which, and which are frames."""

from __future__ import annotations

import dataclasses
from typing import Iterator, Optional

from .. import ir
from . import ast
from .constants import Constants
from .context import Context

# An Ethernet header: two addresses, then the Ethertype.
ETHERTYPE_OFFSET_BITS = 96
ETHERTYPE_BITS = 16
ETHERTYPE_LEAST = 0x600  # below it is a length
AREA_LIMIT = 9000  # bytes of the longest frame


def declare_all(context: Context, constants: Constants) -> Layouts:
    """Needs constants and enumerations."""
    layouts = Layouts(context, constants)
    nodes = [
        node
        for node in context.spec.declarations
        if isinstance(node, ast.Layout) and context.is_first(node)
    ]
    for node in nodes:
        layouts.declare(node)
    for node in nodes:
        layouts.place(node, nodes)
    return layouts


class Layouts:
    def __init__(self, context: Context, constants: Constants) -> None:
        self.context = context
        self.constants = constants

    # --- a layout by itself

    def declare(self, node: ast.Layout) -> None:
        fields, areas, bits = self._fields(node)
        at = self.constants.size(node.at, 0, 65535, "offset") if node.at else None
        if at is not None and at.value % 4 != 0:
            self.context.error(
                "HSM0402",
                node.at.span if node.at else node.name.span,
                f"offset {at.value} is not a multiple of 4 bytes",
            )
        layout = ir.Layout(
            name=node.name.text,
            doc=node.doc,
            place=node.name.span.place(),
            at=at,
            within=None,
            when=None,
            ethertype=None,
            bytes=bits // 8,
            fields=fields,
            areas=areas,
            data=None,
        )
        self.context.layouts[node.name.text] = dataclasses.replace(
            layout,
            ethertype=self._ethertype(node, layout) if node.ethernet else None,
            fields=self._with_conditions(node, layout),
            data=self._data(node, layout),
        )

    def _fields(
        self, node: ast.Layout
    ) -> tuple[tuple[ir.LayoutField, ...], tuple[ir.LayoutArea, ...], int]:
        """Fields and areas in the order in which they stand, and the bits of all."""
        fields: list[ir.LayoutField] = []
        areas: list[ir.LayoutArea] = []
        offset = 0
        whole = True
        lines: list[ast.LayoutField | ast.LayoutData] = [
            *node.fields,
            *(line for line in node.data if not self._is_counted(line, node)),
        ]
        lines.sort(key=lambda line: line.name.span.start)
        for field in self.context.distinct(lines, "layout", node.name.text):
            if isinstance(field, ast.LayoutData):
                area = self._area(field, offset)
                whole = whole and area is not None
                if area is not None:
                    areas.append(area)
                    offset += 8 * area.count.value
                continue
            bits = self.constants.size(field.bits, 0, 32, "the width of a field")
            if bits is None:
                whole = False
                continue
            if bits.value == 0:  # a constant leaves it out
                continue
            if whole and offset // 32 != (offset + bits.value - 1) // 32:
                self.context.error(
                    "HSM0401",
                    field.name.span,
                    f"field '{field.name.text}' crosses a 32-bit word: bits {offset % 32} to "
                    f"{offset % 32 + bits.value - 1} of word {offset // 32}",
                )
                whole = False
            mask = (1 << bits.value) - 1
            fixed = (
                self.constants.size(field.fixed, 0, mask, f"'{field.name.text}'")
                if field.fixed is not None
                else None
            )
            fields.append(
                ir.LayoutField(
                    name=field.name.text,
                    doc=field.doc,
                    place=field.name.span.place(),
                    bits=bits.value,
                    offset=offset,
                    word=offset // 32,
                    shift=max(0, 32 - offset % 32 - bits.value),
                    mask=mask,
                    fixed=fixed,
                    enumeration=self._enumeration(field, mask),
                    when=None,
                    shown=field.shown,
                )
            )
            offset += bits.value
        if whole and offset % 32 != 0:
            self.context.error(
                "HSM0402",
                node.name.span,
                f"layout '{node.name.text}' has {offset} bits; {32 - offset % 32} more fill its last 32-bit word",
            )
        if whole and not fields and not areas:
            self.context.error(
                "HSM0402",
                node.name.span,
                f"layout '{node.name.text}' has no field of bits",
            )
        return tuple(fields), tuple(areas), offset

    def _is_counted(self, data: ast.LayoutData, node: ast.Layout) -> bool:
        """Bytes behind the layout, as many as a field of it says."""
        length = data.length
        if not isinstance(length, ast.NameUse):
            return False
        symbol = self.context.symbols.get(length.name)
        return any(field.name.text == length.name for field in node.fields) or (
            symbol is None
            or not isinstance(symbol.node, (ast.Constant, ast.EnumerationMember))
        )

    def _area(self, node: ast.LayoutData, offset: int) -> Optional[ir.LayoutArea]:
        count = self.constants.size(node.length, 1, AREA_LIMIT, "the number of bytes")
        fixed = None
        if node.fixed is not None:
            fixed = self.constants.size(node.fixed, 0, 0xFF, f"'{node.name.text}'")
        if node.when is not None:
            self.context.error(
                "HSM0211",
                node.when.span,
                f"a constant number of bytes is always there: make '{node.name.text}' a layout of its own",
            )
        if count is None:
            return None
        if offset % 8 != 0:
            self.context.error(
                "HSM0401",
                node.name.span,
                f"'{node.name.text}' begins with bit {offset % 8} of a byte; bytes begin with the first",
            )
            return None
        return ir.LayoutArea(
            name=node.name.text,
            doc=node.doc,
            place=node.name.span.place(),
            offset=offset // 8,
            count=count,
            fixed=fixed,
        )

    def _enumeration(self, field: ast.LayoutField, mask: int) -> Optional[str]:
        """All its members must fit the field."""
        use = field.enumeration
        if use is None:
            return None
        symbol = self.context.symbols.get(use.text)
        if symbol is None or not isinstance(symbol.node, ast.Enumeration):
            self.context.report.unknown(
                "HSM0206",
                use.span,
                f"there is no enumeration '{use.text}'",
                use.text,
                self.context.names(ast.Enumeration),
            )
            return None
        self.context.refer(use.span, symbol.span)
        enumeration = self.context.enumerations.get(use.text)
        if enumeration is None:
            return None
        for member in enumeration.members:
            if member.value > mask:
                self.context.error(
                    "HSM0303",
                    use.span,
                    f"{member.name} of '{use.text}' is {member.value}, not in 0..{mask}, the values of "
                    f"'{field.name.text}'",
                )
                return None
        return use.text

    def _ethertype(self, node: ast.Layout, layout: ir.Layout) -> Optional[ir.Size]:
        field = next(
            (
                f
                for f in layout.fields
                if (f.offset, f.bits) == (ETHERTYPE_OFFSET_BITS, ETHERTYPE_BITS)
            ),
            None,
        )
        fixed = field.fixed if field is not None else None
        if fixed is not None and fixed.value >= ETHERTYPE_LEAST:
            return fixed
        self.context.error(
            "HSM0211",
            node.name.span,
            f"layout '{node.name.text}' is no Ethernet frame: after two addresses of 48 bits it needs a field "
            f"of 16 bits that always holds the Ethertype, {ETHERTYPE_LEAST:#x} or more",
        )
        return None

    # --- what depends on fields

    def _with_conditions(
        self, node: ast.Layout, layout: ir.Layout
    ) -> tuple[ir.LayoutField, ...]:
        conditions = {
            field.name.text: self.condition(field.when, layout)
            for field in node.fields
            if field.when is not None
        }
        return tuple(
            dataclasses.replace(f, when=conditions.get(f.name)) for f in layout.fields
        )

    def _data(self, node: ast.Layout, layout: ir.Layout) -> Optional[ir.LayoutData]:
        names = {field.name.text: field.name.span for field in node.fields}
        result: Optional[ir.LayoutData] = None
        first, whole = node.name, True
        for data in node.data:
            length = data.length
            if not isinstance(length, ast.NameUse) or not self._is_counted(data, node):
                continue
            if data.fixed is not None:
                self.context.error(
                    "HSM0211",
                    data.fixed.span,
                    "only a constant number of bytes can always hold something",
                )
            if data.name.text in names or result is not None:
                what = "a field of that name" if result is None else "bytes behind it"
                self.context.error(
                    "HSM0202",
                    data.name.span,
                    f"layout '{node.name.text}' has {what} already",
                    [
                        (
                            "declared here",
                            names.get(data.name.text, first.span),
                        )
                    ],
                )
                continue
            first = data.name
            counted = self._field(ast.Name(length.span, length.name), layout)
            whole = whole and counted is not None
            result = ir.LayoutData(
                name=data.name.text,
                doc=data.doc,
                place=data.name.span.place(),
                length=length.name,
                when=self.condition(data.when, layout) if data.when else None,
            )
        return result if whole else None

    def place(self, node: ast.Layout, nodes: list[ast.Layout]) -> None:
        """Once all are known: which one it is a part of."""
        if node.within is None:
            return
        own = self.context.layouts[node.name.text]
        outer = self.context.layouts.get(node.within.text)
        if outer is None:
            self.context.report.unknown(
                "HSM0201",
                node.within.span,
                f"there is no layout '{node.within.text}'",
                node.within.text,
                self.context.separate_names(ast.Layout),
            )
            return
        self.context.refer(node.within.span, outer.place)
        by_name = {other.name.text: other for other in nodes}
        step: Optional[ast.Layout] = node
        for _ in nodes:
            step = by_name.get(step.within.text) if step and step.within else None
            if step is node:
                self.context.error(
                    "HSM0211",
                    node.within.span,
                    f"layout '{own.name}' would be a part of itself",
                )
                return
        if node.ethernet:
            self.context.error(
                "HSM0211",
                node.within.span,
                f"layout '{own.name}' is an Ethernet frame, so it cannot be a part of '{outer.name}'",
            )
            return
        self.context.layouts[own.name] = dataclasses.replace(
            own,
            within=outer.name,
            when=self.condition(node.when, outer) if node.when else None,
        )

    def _field(self, name: ast.Name, layout: ir.Layout) -> Optional[ir.LayoutField]:
        field = next((f for f in layout.fields if f.name == name.text), None)
        if field is None:
            self.context.report.unknown(
                "HSM0205",
                name.span,
                f"layout '{layout.name}' has no field '{name.text}'",
                name.text,
                [f.name for f in layout.fields],
            )
        else:
            self.context.refer(name.span, field.place)
        return field

    def condition(
        self, node: ast.Expression, layout: ir.Layout
    ) -> Optional[ir.LayoutCondition]:
        """FIELD == CONSTANT, or several of the same field joined by `or`."""
        name = ""
        values: list[ir.Size] = []
        for part in _alternatives(node):
            left = part.left if isinstance(part, ast.Binary) else None
            if (
                not isinstance(part, ast.Binary)
                or part.operator != "=="
                or not isinstance(left, ast.NameUse)
                or name not in ("", left.name)
            ):
                self.context.error(
                    "HSM0211",
                    part.span,
                    "only FIELD == CONSTANT can be said here, and several of the same field joined by 'or'",
                )
                return None
            name = left.name
            field = self._field(ast.Name(left.span, left.name), layout)
            if field is None:
                return None
            value = self.constants.size(part.right, 0, field.mask, f"'{name}'")
            if value is None:
                return None
            values.append(value)
        return ir.LayoutCondition(name, tuple(values))


def _alternatives(node: ast.Expression) -> Iterator[ast.Expression]:
    if isinstance(node, ast.Binary) and node.operator == "or":
        yield from _alternatives(node.left)
        yield from _alternatives(node.right)
    else:
        yield node
