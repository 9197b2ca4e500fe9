# SPDX-License-Identifier: MIT
"""hsmc conform: traces of board runs against the spec."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_line import (
    Subparsers,
    check_argument,
    compiled,
    json_argument,
    print_json,
    spec_argument,
)


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "conform", help="check traces of board runs step by step"
    )
    spec_argument(parser)
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    check_argument(parser)
    parser.add_argument(
        "--any-hash",
        action="store_true",
        help="also traces of another version of the spec",
    )
    json_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..conformance import conform

    _, protocol = compiled(options)
    status, report = conform.command(
        protocol, options.traces, options.json, options.any_hash
    )
    if report is not None:
        print_json(report)
    return status
