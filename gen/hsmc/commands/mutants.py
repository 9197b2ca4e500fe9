# SPDX-License-Identifier: MIT
"""hsmc mutants: breaks a spec in many ways, and names the property that shows each."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_line import Subparsers, json_argument, spec_argument


def add(commands: Subparsers) -> None:
    from ..testing.mutation import OPERATORS

    width = max(map(len, OPERATORS))
    parser = commands.add_parser(
        "mutants",
        help="break a spec in many ways: which property shows each?",
        description="Makes mutants of a spec, texts with one thing changed, and model-checks each until the compiler or\n"
        "a named property kills it.",
        epilog="Exit status 1 when a mutant survives that the file of survivors does not explain, or when that file\n"
        "explains one that does not survive.\n\noperators:\n"
        + "\n".join(f"  {name:{width}}  {text}" for name, text in OPERATORS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    spec_argument(parser)
    which = parser.add_argument_group("which mutants")
    which.add_argument(
        "--operators", nargs="+", default=[], metavar="NAME", help="only of these"
    )
    which.add_argument(
        "--process",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only of the states of these, and of actions and functions",
    )
    which.add_argument(
        "--name", metavar="NAME", help="only of this name; * stands for anything"
    )
    which.add_argument(
        "--sample", type=int, metavar="N", help="N of them, as many of each operator"
    )
    which.add_argument(
        "--list",
        action="store_true",
        help="only name them, those included that do not compile",
    )
    parser.add_argument(
        "--checks",
        nargs="+",
        default=[],
        metavar="NAME",
        help="search only these configurations",
    )
    parser.add_argument(
        "--survivors", type=Path, metavar="FILE", help="explains what survives (TOML)"
    )
    parser.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="searches at a time (2)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("build/mutants"),
        metavar="DIR",
        help="also keeps what was found, for the next time",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="believe what this file says of mutants that are the same, and write it anew",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="believe nothing of earlier runs",
    )
    parser.add_argument("--diff", action="store_true", help="show each mutant's text")
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="the table as Markdown"
    )
    json_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from . import mutants_report

    return mutants_report.command(options)
