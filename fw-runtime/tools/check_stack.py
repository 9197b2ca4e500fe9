#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the deepest call chain of an image with the stack reserved in the scratchpad.

Reads what -fcallgraph-info=su wrote beside the objects. Each processor has a stack of its own, so the unit of processor B,
second.ci, is checked by itself. The roots are the start-up code's main and
the event handlers, none of which is ever interrupted by another. Recursion and calls through
pointers are errors: neither occurs, and neither could be bounded here.

What the reserve does not hold goes on in SRAM (firmware.lds.in), where the chip takes it by itself. That is slow, so only
functions that lie in SRAM themselves may need it: they are those that seldom run.
"""

import re
import sys
from typing import NamedTuple

from elftools.elf.elffile import ELFFile

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
BYTES = re.compile(r"(\d+) bytes")


Frames = dict[str, int]
Calls = dict[str, set[str]]
Path = tuple[int, tuple[str, ...]]  # bytes, functions from caller to callee


class Room(NamedTuple):
    """For the stack, in bytes: in the scratchpad and behind it. `fast`: the functions in the scratchpad."""

    reserve: int
    spill: int
    fast: set[str]


def read(paths: list[str]) -> tuple[Frames, Calls]:
    frames: Frames = {}
    calls: Calls = {}
    for path in paths:
        try:
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
        except FileNotFoundError:
            continue  # assembler source
        for title, label in NODE.findall(text):
            found = BYTES.search(label)
            if found:
                frames[title] = int(found[1])
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    return frames, calls


def deepest(
    function: str, frames: Frames, calls: Calls, known: dict[str, Path], path: list[str]
) -> Path:
    if function in path:
        sys.exit("recursion: " + " -> ".join(path[path.index(function) :] + [function]))
    if function not in known:
        if function == "__indirect_call":
            sys.exit("call through a pointer in " + path[-1])
        best: Path = (0, ())
        for callee in sorted(calls.get(function, ())):
            best = max(best, deepest(callee, frames, calls, known, path + [function]))
        known[function] = (best[0] + frames.get(function, 0), (function,) + best[1])
    return known[function]


def main() -> int:
    image, *graphs = sys.argv[1:]
    with open(image, "rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        symbols = [(s.name, s["st_value"]) for s in table.iter_symbols()]
    values = dict(symbols)
    # A name that both processors have is fast if one of the functions is.
    fast = {name for name, value in symbols if value >= values["_fast_start"]}
    room = Room(values["_stack_top"] & 0xFFFF, values["_stack_spill"], fast)
    second = [path for path in graphs if path.endswith("/second.ci")]
    first = [path for path in graphs if path not in second]
    status = look(image, first, room)
    return look(image, second, room) or status if second else status


def look(image: str, graphs: list[str], room: Room) -> int:
    frames, calls = read(graphs)
    known: dict[str, Path] = {}
    roots = [
        name
        for name in frames
        if name in ("tigon2_start", "nic_on_second_start")
        or name.startswith(("tigon2_on_", "tigon2_second_"))
    ]
    if not roots:
        sys.exit("no event handlers in the call graph")
    need, chain = max(deepest(root, frames, calls, known, []) for root in sorted(roots))
    names = " > ".join(name.split(":")[-1] for name in chain)

    def is_fast(function: str) -> bool:
        return function.split(":")[-1] in room.fast

    fast_calls = {
        caller: set(filter(is_fast, callees)) for caller, callees in calls.items()
    }
    known = {}
    fast_roots = filter(is_fast, sorted(roots))
    fast_needs = [
        deepest(root, frames, fast_calls, known, [])[0] for root in fast_roots
    ]
    fast_need = max(fast_needs, default=0)
    print(
        f"  stack {need} bytes, of them in the scratchpad {fast_need} of {room.reserve}: {names}"
    )
    if fast_need > room.reserve:
        print(
            f"{image}: the deepest chain in the scratchpad needs {fast_need} bytes of stack, {room.reserve} are reserved",
            file=sys.stderr,
        )
    if need > room.reserve + room.spill:
        print(
            f"{image}: the deepest chain needs {need} bytes of stack, there are {room.reserve + room.spill}",
            file=sys.stderr,
        )
    return int(fast_need > room.reserve or need > room.reserve + room.spill)


if __name__ == "__main__":
    sys.exit(main())
