"""hsmc explain: what a diagnostic means and how to mend the spec."""

from __future__ import annotations

import argparse
import textwrap

from ..command_line import Failure, Subparsers, json_argument, print_json
from ..diagnostics import TABLE
from ..report import did_you_mean


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("explain", help="explain a diagnostic, HSM0123")
    parser.add_argument("number", nargs="?", help="without: list all")
    json_argument(parser, "the explanation")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.number is None:
        codes = list(TABLE)
    else:
        code = options.number.upper()
        if code.isdigit():
            code = f"HSM{int(code):04}"
        if code not in TABLE:
            raise Failure(
                f"there is no diagnostic {options.number}{did_you_mean(code, TABLE)}"
            )
        codes = [code]
    if options.json:
        print_json([{"code": code, **vars(TABLE[code])} for code in codes])
    elif options.number is None:
        for code in codes:
            print(f"{code} {TABLE[code].severity:7} {TABLE[code].title}")
    else:
        entry = TABLE[codes[0]]
        text = textwrap.fill(entry.text, 79)
        print(f"{codes[0]} {entry.severity}: {entry.title}\n\n{text}\n")
        print("\n".join(f"    {line}" for line in entry.example.split("\n")))
    return 0
