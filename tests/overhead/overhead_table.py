#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The alternating-bit protocol, generated and by hand, on the simulated core: cycles, bytes, lines as a table.

Wants what `make overhead` builds. tests/overhead/test_cycles.py holds the limits.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
sys.path.insert(0, str(ROOT / "gen"))

from hsmc.commands.statistics import c_lines, spec_lines

# What each message costs when nothing is lost.
PING_PONG = ("submit", "data", "ack")

GENERATED_FILES = ("abp_layout.h", "abp.h", "abp.c")
GLUE_FILES = ("abp_port.h", "node_generated.c")
HAND_FILES = ("node_hand.c",)


@dataclass(frozen=True)
class Cost:
    """Of one event, from the first instruction of its function to the return."""

    cycles: int
    instructions: int


@dataclass(frozen=True)
class Measurement:
    events: dict[str, Cost]
    trail: str  # sum of all the node has sent and told: equal for equal behaviour

    @property
    def ping_pong(self) -> int:
        return sum(self.events[name].cycles for name in PING_PONG)


@dataclass(frozen=True)
class Sizes:
    """Bytes of an image, runtime included."""

    code: int
    data: int
    zeroed: int


def measure(image: str) -> Measurement:
    """`image`: generated, hand or generated_trace."""
    output = subprocess.run(
        [BUILD / "tests/measure_cycles", BUILD / f"overhead/{image}.elf"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    events = {}
    trail = ""
    for line in output.splitlines():
        name, *rest = line.split()
        if name == "trail":
            trail = rest[0]
        else:
            events[name] = Cost(int(rest[0]), int(rest[1]))
    return Measurement(events, trail)


def sizes(image: str) -> Sizes:
    code = data = zeroed = 0
    with open(BUILD / f"overhead/{image}.elf", "rb") as stream:
        for section in ELFFile(stream).iter_sections():
            flags, size = section["sh_flags"], section["sh_size"]
            if not flags & 2:  # SHF_ALLOC
                continue
            if section["sh_type"] == "SHT_NOBITS":
                zeroed += size
            elif flags & 4:  # SHF_EXECINSTR
                code += size
            else:
                data += size
    return Sizes(code, data, zeroed)


def lines() -> dict[str, int]:
    """Lines of text without blank ones and comments."""
    here = ROOT / "tests/overhead"
    generated = [BUILD / "gen/abp" / name for name in GENERATED_FILES]
    return {
        "spec": spec_lines((ROOT / "spec/abp/abp.hsm").read_text()),
        "generated": sum(c_lines(path.read_text()) for path in generated),
        "glue": sum(c_lines((here / name).read_text()) for name in GLUE_FILES),
        "hand": sum(c_lines((here / name).read_text()) for name in HAND_FILES),
    }


def percent(value: int, base: int) -> str:
    return f"{100 * (value - base) / base:+.1f} %"


def table() -> str:
    generated, hand, traced = map(measure, ("generated", "hand", "generated_trace"))
    rows = [f"  {'cycles':24}{'generated':>10}{'by hand':>10}{'':>10}{'traced':>10}"]

    def row(name: str, ours: int, theirs: int, with_trace: int) -> str:
        more = percent(ours, theirs)
        return f"  {name:24}{ours:10}{theirs:10}{more:>10}{with_trace:10}"

    for name, cost in generated.events.items():
        rows.append(
            row(
                name.replace("_", " "),
                cost.cycles,
                hand.events[name].cycles,
                traced.events[name].cycles,
            )
        )
    rows.append(
        row("+".join(PING_PONG), generated.ping_pong, hand.ping_pong, traced.ping_pong)
    )
    records = traced.ping_pong - generated.ping_pong
    rows.append(f"  one trace record: {records / len(PING_PONG):.1f} cycles")
    ours, theirs = sizes("generated"), sizes("hand")
    rows.append("")
    rows.append(f"  {'bytes, runtime included':24}{'generated':>10}{'by hand':>10}")
    for name in ("code", "data", "zeroed"):
        rows.append(f"  {name:24}{getattr(ours, name):10}{getattr(theirs, name):10}")
    count = lines()
    rows.append("")
    rows.append(
        f"  lines: spec {count['spec']}, generated {count['generated']}, glue {count['glue']}; by hand {count['hand']}"
    )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
