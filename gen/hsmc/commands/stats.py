# SPDX-License-Identifier: MIT
"""hsmc stats: what a spec consists of, what becomes of it, and the memory its state takes."""

from __future__ import annotations

import argparse
import sys

from ..progress import Progress
from .command_line import (
    Subparsers,
    applied,
    check_argument,
    compiled,
    json_argument,
    print_json,
    spec_argument,
)


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "stats", help="count what a spec consists of, and the bytes of its state"
    )
    spec_argument(parser)
    check_argument(parser)
    json_argument(parser, "the figures")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from . import statistics

    progress = Progress()
    compilation, protocol = compiled(options)
    model = protocol if protocol.check else None
    if model is None and protocol.checks:
        model = applied(compilation, protocol.checks[0].name, options)
    progress.step("generating")
    texts = list(compilation.texts().values())
    figures = statistics.statistics(protocol, texts, model)
    progress.done()
    if options.json:
        print_json(figures)
    else:
        sys.stdout.write(statistics.table(figures))
    return 0
