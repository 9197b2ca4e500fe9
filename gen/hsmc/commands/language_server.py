# SPDX-License-Identifier: MIT
"""hsmc language-server: for editors, on standard input and output."""

from __future__ import annotations

import argparse
import os
import sys

from .command_line import Subparsers


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "language-server",
        help="serve an editor by the language server protocol on standard input and output",
    )
    parser.add_argument(
        "--stdio", action="store_true", help="as always; some editors pass it"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..editor.server import serve

    # Streams of its own: Python ends by locking the standard ones, and a thread may still be reading.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        return serve(os.fdopen(os.dup(sys.stdin.fileno()), "rb"), output)
