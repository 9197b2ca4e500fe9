#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the deepest call chain of an image with the stack reserved in the scratchpad.

Reads what -fcallgraph-info=su wrote beside the objects. Each processor has a stack of its own, so the unit of processor B,
second.ci, is looked at by itself. The roots are the start-up code's main and
the event handlers, none of which is ever interrupted by another. Recursion and calls through
pointers are errors: neither occurs, and neither could be bounded here.
"""

import re
import sys

from elftools.elf.elffile import ELFFile

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
BYTES = re.compile(r"(\d+) bytes")


Frames = dict[str, int]
Calls = dict[str, set[str]]
Path = tuple[int, tuple[str, ...]]  # bytes, functions from caller to callee


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
        elf = ELFFile(stream)
        symbols = {s.name: s for s in elf.get_section_by_name(".symtab").iter_symbols()}
    reserve = symbols["_stack_top"]["st_value"] & 0xFFFF
    second = [path for path in graphs if path.endswith("/second.ci")]
    first = [path for path in graphs if path not in second]
    status = look(image, first, reserve)
    return look(image, second, reserve) or status if second else status


def look(image: str, graphs: list[str], reserve: int) -> int:
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
    print(f"  stack {need} of {reserve} bytes: {names}")
    if need > reserve:
        print(
            f"{image}: the deepest chain needs {need} bytes of stack, {reserve} are reserved",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
