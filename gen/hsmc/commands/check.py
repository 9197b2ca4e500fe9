# SPDX-License-Identifier: MIT
"""hsmc check: what is wrong with a spec."""

from __future__ import annotations

import argparse

from ..failure import Failure
from ..progress import Progress
from .command_line import (
    Subparsers,
    errors_among,
    json_argument,
    print_diagnostics,
    spec_argument,
)
from ..compilation.compiler import Compilation, diagnose
from ..frontend.profiles import UnknownProfile


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("check", help="report what is wrong with a spec")
    spec_argument(parser)
    json_argument(parser, "diagnostics")
    parser.add_argument("--warnings-are-errors", action="store_true")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Without a profile named, all of them."""
    progress = Progress()
    if options.profile is None:
        diagnostics = diagnose(options.file, progress.step)
    else:
        try:
            compilation = Compilation(options.file, profile=options.profile)
        except UnknownProfile as error:
            raise Failure(str(error)) from None
        diagnostics = compilation.diagnostics(progress.step)
    progress.done()
    print_diagnostics(diagnostics, options.json)
    if errors_among(diagnostics) or (diagnostics and options.warnings_are_errors):
        return 1
    return 0
