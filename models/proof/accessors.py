# SPDX-License-Identifier: MIT
"""The generated accessors of layouts: reading gives the field's bits, writing changes those and no others.

What a field's bits are is counted from the first of the layout; the accessors count words, shifts and masks.
"""

from __future__ import annotations

import pathlib

import z3

from hsmc import ir, naming

from . import c_code
from .symbolic import Executor, State


def shim(protocol: ir.Protocol) -> str:
    """Functions that can be called, around the inline ones."""
    name = naming.compact(protocol.name)
    lines = [f'#include "{naming.plain(protocol.name)}_layout.h"']
    for accessor in accessors(protocol):
        get = f"uint32_t proof_get_{accessor}(const uint32_t *words)"
        put = f"void proof_set_{accessor}(uint32_t *words, uint32_t value)"
        layout, field = accessor.split("__")
        lines += [f"{get};", f"{get} {{ return {name}_{layout}_get_{field}(words); }}"]
        lines += [f"{put};", f"{put} {{ {name}_{layout}_set_{field}(words, value); }}"]
    return "\n".join(lines) + "\n"


def accessors(protocol: ir.Protocol) -> dict[str, tuple[ir.Layout, ir.LayoutField]]:
    return {
        f"{naming.snake(layout.name)}__{naming.snake(field.name)}": (layout, field)
        for layout in protocol.layouts
        for field in layout.fields
    }


def prove(
    protocol: ir.Protocol, include: list[pathlib.Path], directory: pathlib.Path
) -> tuple[list[str], Executor]:
    """What was proved, in words. Raises Refuted where it does not hold."""
    module = c_code.compile_text(
        shim(protocol), directory, f"{naming.snake(protocol.name)}_accessors", include
    )
    executor = Executor(module)
    found = accessors(protocol)
    for accessor, (layout, field) in found.items():
        words = [
            z3.BitVec(f"word_{index}", 32) for index in range(-(-layout.bytes // 4))
        ]
        bits = z3.Concat(words) if len(words) > 1 else words[0]
        low = bits.size() - field.offset - field.bits
        value = z3.BitVec("value", 32)

        state = State()
        before = state.words(layout.name, words, writable=False)
        for end, got in executor.call(f"proof_get_{accessor}", [before], state):
            wanted = z3.LShR(bits, low) & ((1 << field.bits) - 1)
            extended = z3.ZeroExt(bits.size() - 32, got) if bits.size() > 32 else got
            where = f"{naming.compact(protocol.name)}_{accessor.replace('__', '_get_')}"
            executor.require(
                end, extended == wanted, "does not read the bits of its field", where
            )

        state = State()
        target = state.words(layout.name, words)
        for end, _ in executor.call(f"proof_set_{accessor}", [target, value], state):
            after = [end.word(target, index) for index in range(len(words))]
            together = z3.Concat(after) if len(after) > 1 else after[0]
            mask = ((1 << field.bits) - 1) << low
            extended = (
                z3.ZeroExt(bits.size() - 32, value) if bits.size() > 32 else value
            )
            where = f"{naming.compact(protocol.name)}_{accessor.replace('__', '_set_')}"
            wanted = bits & ~z3.BitVecVal(mask, bits.size()) | (extended << low) & mask
            executor.require(
                end, together == wanted, "does not write its field alone", where
            )
    return [
        f"{len(found)} fields of {len(protocol.layouts)} layouts: read as the spec places them, written without touching "
        "any other bit, for all contents and values"
    ], executor
