# SPDX-License-Identifier: MIT
"""hsmc replay: a counterexample on the generated C and on the reference interpreter, or on the firmware."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_line import Subparsers, json_argument


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "replay",
        help="run a counterexample on the generated C and on the interpreter, or on the firmware",
        description="Runs the steps of a trail that 'hsmc verify' found, natively on the generated C with the devices of "
        "the model, and on the reference interpreter.",
        epilog="Exit status 1 when they do not do what the model did, or nothing is violated any more.",
    )
    parser.add_argument("trail", type=Path, metavar="TRAIL")
    parser.add_argument("--spec", type=Path, metavar="FILE", help="not the trail's own")
    parser.add_argument("--diagram", action="store_true", help="a sequence diagram too")
    parser.add_argument(
        "--boards",
        action="store_true",
        help="on the firmware: it is built from the spec, and runs on two simulated boards",
    )
    parser.add_argument(
        "--turns",
        type=int,
        default=100,
        metavar="N",
        help="how often the boards go through a cycle",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("build/verify"), metavar="DIR"
    )
    json_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from . import replay_report

    return replay_report.command(options)
