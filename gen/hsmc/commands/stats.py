"""hsmc stats: what a spec consists of."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import ir
from ..command_line import Subparsers, compiled, spec_argument


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("stats", help="count what a spec consists of")
    spec_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    _, protocol = compiled(options)
    sys.stdout.write(_statistics(protocol, options.file.parent))
    return 0


def _statistics(protocol: ir.Protocol, directory: Path) -> str:
    lines = sum(
        sum(
            1
            for line in (directory / name).read_text().split("\n")
            if line.strip() and not line.strip().startswith("#")
        )
        for name in protocol.files
    )
    rows = list(protocol.rows())
    written = {row.place for row in rows}
    result = [
        f"protocol {protocol.name}: {len(protocol.files)} files, {lines} lines, hash {protocol.hash:08x}",
        f"{len(protocol.processes)} processes, "
        f"{sum(len(p.states) for p in protocol.processes)} states "
        f"({sum(len(p.leaves) for p in protocol.processes)} leaves), "
        f"{sum(len(p.events) for p in protocol.processes)} events, "
        f"{len(protocol.timers)} timers",
        f"{len(written)} rows written, {len(rows)} transitions when flattened",
        f"{len(protocol.functions)} functions, {len(protocol.actions)} actions, "
        f"{len(protocol.devices)} device operations",
        f"{len(protocol.pools)} pools, {len(protocol.tables)} tables, "
        f"{len(protocol.constants)} constants, {len(protocol.parameters)} parameters, "
        f"{len(protocol.counters)} counters",
        f"{len(protocol.properties)} properties, {len(protocol.placements)} placements, "
        f"{len(protocol.checks)} checks",
    ]
    for process in protocol.processes:
        own = [row for h in process.handlers for row in h.rows]
        result.append(
            f"  {process.name}: {len(process.leaves)} leaves, {len(process.events)} events, "
            f"{len(process.timers)} timers, {len(own)} transitions"
        )
    return "\n".join(result) + "\n"
