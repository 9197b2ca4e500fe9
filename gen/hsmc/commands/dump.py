"""hsmc dump: the intermediate form as text."""

from __future__ import annotations

import argparse
import sys

from ..command_line import Subparsers, check_argument, compiled, spec_argument


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("dump", help="print the intermediate form")
    spec_argument(parser)
    check_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..dump import dump

    _, protocol = compiled(options)
    sys.stdout.write(dump(protocol))
    return 0
