# SPDX-License-Identifier: MIT
"""hsmc graph: a process, or how all talk, as a picture."""

from __future__ import annotations

import argparse
import sys

from ..failure import Failure, choose
from .command_line import Subparsers, compiled, spec_argument


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("graph", help="draw a process, or how all talk")
    spec_argument(parser)
    parser.add_argument("--process", metavar="P", help="its statechart")
    parser.add_argument("--format", choices=("dot", "svg"), default="dot")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..documents import statechart

    _, protocol = compiled(options)
    if options.process is None:
        picture = statechart.conversation(protocol)
    else:
        choose("process", options.process, [p.name for p in protocol.processes])
        picture = statechart.statechart(protocol.process(options.process))
    if options.format == "svg":
        try:
            picture = statechart.svg(picture)
        except statechart.NoGraphviz as error:
            raise Failure(str(error)) from None
    sys.stdout.write(picture)
    return 0
