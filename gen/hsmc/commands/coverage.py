# SPDX-License-Identifier: MIT
"""hsmc coverage: which transitions traces and tests take."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..failure import Failure
from .command_line import (
    Subparsers,
    check_argument,
    compiled,
    json_argument,
    print_json,
    spec_argument,
)


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("coverage", help="which transitions traces take")
    spec_argument(parser)
    check_argument(parser)
    parser.add_argument(
        "--traces",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="texts that name transitions",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="scenarios, which are replayed, or directories that 'hsmc tests' has made",
    )
    parser.add_argument(
        "--gate",
        action="store_true",
        help="only what is not taken; status 1 if there is any",
    )
    parser.add_argument(
        "--by-test", action="store_true", help="which file takes each transition"
    )
    json_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..testing import coverage

    if not options.traces and not options.tests:
        raise Failure("coverage of what? Give --traces FILE... or --tests FILE...")
    _, protocol = compiled(options)
    result, unused = coverage.measure(protocol, options.traces, options.tests)
    if options.json:
        print_json(result.record())
    elif options.gate:
        print(result.gate_report(), end="")
        print(result.by_test() if options.by_test else "", end="")
    else:
        print(result.by_test() if options.by_test else result.table(), end="")
    incomplete = options.gate and bool(result.missing)
    return 1 if unused or incomplete else 0
