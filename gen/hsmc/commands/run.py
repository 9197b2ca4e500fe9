# SPDX-License-Identifier: MIT
"""hsmc run: stepping a node through events by hand."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_line import Subparsers, check_argument, compiled, spec_argument


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("run", help="step a node through events by hand")
    spec_argument(parser)
    check_argument(parser)
    parser.add_argument(
        "--node-parameters", nargs="+", default=[], metavar="NAME=VALUE"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="a scenario, first")
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="the events, at the end"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..interpreter import session

    _, protocol = compiled(options)
    return session.command(protocol, options)
