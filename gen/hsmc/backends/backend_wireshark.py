# SPDX-License-Identifier: MIT
"""The Wireshark back end: one Lua file that dissects the frames of a protocol.

What is a frame, which layout is a part of which and what the fields hold is all in the layouts (ir.Layout). A payload
that comes from a layout adds the ranges and enumerations of its fields: what is outside, or no member, is refused.
Fields before the Ethertype's end are Ethernet's own and left to Wireshark. The same spec gives the same text.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Optional

import jinja2

from .. import dump, ir, naming
from .backend_c import TEMPLATES
from ..frontend.layouts import ETHERTYPE_BITS, ETHERTYPE_OFFSET_BITS

ETHERNET_HEADER_BYTES = (ETHERTYPE_OFFSET_BITS + ETHERTYPE_BITS) // 8
NAME = re.compile(r"[a-z][a-z0-9_]*")


LUA_KEYWORDS = frozenset(
    "and break do else elseif end false for function goto if in local nil not or repeat return then true until "
    "while".split()
)
from .template_cache import TemplateCache


class NotDissectable(Exception):
    """The spec has no layout that is a frame, or asks for what Wireshark has taken off it."""


@dataclass(frozen=True)
class FieldView:
    """A field as Wireshark reads it: whole bytes, and the bits among them."""

    field: ir.LayoutField
    byte: int  # from the layout's start
    bytes: int
    first_bit: int  # within the bytes, the most significant is 0
    mask: int  # over the bytes; 0 when the field fills them
    limits: Optional[ir.Range]

    @property
    def constructor(self) -> str:
        return f"uint{8 * self.bytes}"

    @property
    def base(self) -> str:
        return "base.DEC" if self.field.fixed is None else "base.HEX"


@dataclass(frozen=True)
class LayoutView:
    layout: ir.Layout
    fields: tuple[FieldView, ...]
    parts: tuple[ir.Layout, ...]

    @property
    def enumerations(self) -> list[str]:
        return [f.field.enumeration for f in self.fields if f.field.enumeration]

    @property
    def needed(self) -> list[str]:
        """Fields whose values decide what else there is."""
        conditions = [f.field.when for f in self.fields] + [p.when for p in self.parts]
        names = [condition.field for condition in conditions if condition]
        data = self.layout.data
        if data is not None:
            names += [data.length] + ([data.when.field] if data.when else [])
        return names


def field_view(field: ir.LayoutField, limits: Optional[ir.Range]) -> FieldView:
    """Fields lie within a word, so they span four bytes at most."""
    byte = field.offset // 8
    count = (field.offset + field.bits - 1) // 8 - byte + 1
    first_bit = field.offset % 8
    shift = 8 * count - first_bit - field.bits
    mask = field.mask << shift if field.bits != 8 * count else 0
    return FieldView(field, byte, count, first_bit, mask, limits)


def carried_in(protocol: ir.Protocol, layout: ir.Layout) -> dict[str, ir.Field]:
    """The fields of payloads that come from the layout, whatever else they are of, as all payloads agree on them."""
    carrying = [p for p in protocol.payloads if layout.name in p.sources]
    own = {field.name for field in layout.fields}
    found = {
        field.name: field
        for payload in carrying
        for field in payload.fields
        if field.name in own and not field.local
    }
    # What is a frame of one payload may be one of another.
    alone = len(carrying) == 1 and (
        carrying[0].when is None or carrying[0].sources[0] != layout.name
    )
    return found if alone else {}


def _holding(field: ir.LayoutField, carried: Optional[ir.Field]) -> ir.LayoutField:
    """With the enumeration of the payload's field, unless the layout names one."""
    if (
        field.enumeration is None
        and carried is not None
        and isinstance(carried.type, ir.EnumerationType)
    ):
        return dataclasses.replace(field, enumeration=carried.type.name)
    return field


def layout_view(protocol: ir.Protocol, layout: ir.Layout) -> LayoutView:
    carried = carried_in(protocol, layout)
    limits = {name: field.range for name, field in carried.items()}
    start = 8 * ETHERNET_HEADER_BYTES if layout.ethertype else 0
    view = LayoutView(
        layout=layout,
        fields=tuple(
            field_view(_holding(field, carried.get(field.name)), limits.get(field.name))
            for field in layout.fields
            if field.offset >= start
        ),
        parts=tuple(p for p in protocol.layouts if p.within == layout.name),
    )
    known = {item.field.name for item in view.fields}
    for needed in view.needed:
        if needed not in known:
            raise NotDissectable(
                f"layout {layout.name}: {needed} belongs to the Ethernet header, so nothing can depend on it"
            )
    return view


def views(protocol: ir.Protocol) -> list[LayoutView]:
    """Frames with their parts, a part before what it is a part of."""
    result: list[LayoutView] = []

    def visit(layout: ir.Layout) -> None:
        view = layout_view(protocol, layout)
        for part in view.parts:
            visit(part)
        result.append(view)

    for layout in protocol.layouts:
        if layout.ethertype:
            visit(layout)
    return result


def file_name(protocol: ir.Protocol) -> str:
    return f"{naming.snake(protocol.name)}.lua"


def has_frames(protocol: ir.Protocol) -> bool:
    return any(layout.ethertype for layout in protocol.layouts)


def is_dissectable(protocol: ir.Protocol) -> bool:
    try:
        return bool(views(protocol))
    except NotDissectable:
        return False


def lua(text: str) -> str:
    """A string of Lua: C's escapes mean the same there.

    >>> print(lua('say "so"'))
    "say \\"so\\""
    """
    return naming.quoted(text)


def key(name: str) -> str:
    """An element of a table by its name.

    >>> key("Frame"), key("end")
    ('.Frame', '["end"]')
    """
    return f'["{name}"]' if name in LUA_KEYWORDS else f".{name}"


def description(protocol: ir.Protocol, name: str) -> str:
    """Wireshark wants one no other protocol has, so the name is always in it."""
    return f"{protocol.doc} ({name.upper()})" if protocol.doc else name.upper()


def generate(protocol: ir.Protocol, name: Optional[str] = None) -> str:
    """`name`: what filters call the protocol, when its own name is taken in Wireshark. Raises NotDissectable."""
    if not has_frames(protocol):
        raise NotDissectable(
            f"protocol {protocol.name} has no layout that is a frame; say 'layout NAME ethernet'"
        )
    found = views(protocol)
    used = {e for view in found for e in view.enumerations}
    ethertypes: dict[int, list[ir.Layout]] = {}
    for view in found:
        if view.layout.ethertype:
            ethertypes.setdefault(view.layout.ethertype.value, []).append(view.layout)
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(TEMPLATES)),
        undefined=jinja2.StrictUndefined,
        bytecode_cache=TemplateCache(),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    env.filters.update(snake=naming.snake, lua=lua, key=key)
    filter_name = name or naming.snake(protocol.name)
    return env.get_template("wireshark/dissector.lua.j2").render(
        protocol=protocol,
        name=filter_name,
        description=description(protocol, filter_name),
        file_name=file_name(protocol),
        views=found,
        enumerations=[e for e in protocol.enumerations if e.name in used],
        ethertypes=ethertypes,
        ethernet_bytes=ETHERNET_HEADER_BYTES,
        condition_text=dump.condition_text,
    )
