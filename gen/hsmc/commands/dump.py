# SPDX-License-Identifier: MIT
"""hsmc dump: the intermediate form as text, or as JSON."""

from __future__ import annotations

import argparse
import json
import sys

from .command_line import (
    Subparsers,
    check_argument,
    compiled,
    json_argument,
    spec_argument,
)


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("dump", help="print the intermediate form")
    spec_argument(parser)
    check_argument(parser)
    json_argument(parser, "the intermediate form")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..dump import dump
    from ..backends.export_json import as_json

    _, protocol = compiled(options)
    if options.json:
        text = json.dumps(as_json(protocol), indent=1) + "\n"
    else:
        text = dump(protocol)
    sys.stdout.write(text)
    return 0
