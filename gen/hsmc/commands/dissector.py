# SPDX-License-Identifier: MIT
"""hsmc dissector: the frames of a protocol in Wireshark."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..failure import Failure
from .command_line import Subparsers, compiled, spec_argument
from ..files import write_all


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "dissector", help="generate a Wireshark dissector of the frames, in Lua"
    )
    spec_argument(parser)
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="instead of standard output"
    )
    parser.add_argument(
        "--name",
        help="what filters call the protocol, when Wireshark knows another one of its name",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..backends import backend_wireshark

    name = options.name
    if name is not None and not backend_wireshark.NAME.fullmatch(name):
        raise Failure(
            f"--name {name}: a letter, then letters, digits and underscores, all in lower case"
        )
    _, protocol = compiled(options)
    try:
        text = backend_wireshark.generate(protocol, name)
    except backend_wireshark.NotDissectable as error:
        raise Failure(f"{options.file}: {error}", 1) from None
    if options.output is None:
        sys.stdout.write(text)
    else:
        write_all({options.output: text})
    return 0
