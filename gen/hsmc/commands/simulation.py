# SPDX-License-Identifier: MIT
"""hsmc simulation: a page in which the protocol can be stepped by hand."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..failure import Failure
from .command_line import Subparsers, check_argument, compiled, spec_argument
from ..files import write_all


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "simulation", help="a web page to step the protocol by hand, in one file"
    )
    spec_argument(parser)
    check_argument(parser)
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="instead of standard output"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..documents import simulation_page, statechart

    compilation, protocol = compiled(options)
    texts = compilation.texts()
    try:
        page = simulation_page.single_page(protocol, texts)
    except (OSError, statechart.NoGraphviz) as error:
        raise Failure(str(error)) from None
    if options.output is None:
        sys.stdout.write(page)
    else:
        write_all({options.output: page})
    return 0
