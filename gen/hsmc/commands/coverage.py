"""hsmc coverage: which transitions traces take."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..command_line import Subparsers, check_argument, compiled, spec_argument


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("coverage", help="which transitions traces take")
    spec_argument(parser)
    check_argument(parser)
    parser.add_argument("--traces", nargs="+", type=Path, required=True, metavar="FILE")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from .. import coverage

    _, protocol = compiled(options)
    return coverage.command(protocol, options.traces)
