# SPDX-License-Identifier: MIT
"""hsmc explain: what a diagnostic means and how to mend the spec."""

from __future__ import annotations

import argparse
import re

from ..failure import Failure
from .command_line import Subparsers, json_argument, print_json
from ..documents.diagnostic_pages import page
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
        print_json([{"code": c, **vars(TABLE[c]), "page": page(c).text} for c in codes])
    elif options.number is None:
        for code in codes:
            print(f"{code} {TABLE[code].severity:7} {TABLE[code].title}")
    else:
        print(_plain(page(codes[0]).with_messages(), TABLE[codes[0]].severity), end="")
    return 0


def _plain(markdown: str, severity: str) -> str:
    """For a terminal: examples indented, no fences."""
    lines: list[str] = []
    inside = False
    for line in markdown.rstrip("\n").split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif inside:
            lines.append(f"    {line}".rstrip())
        else:
            lines.append(re.sub(r"^#+ ", "", line))
    lines[0] = lines[0].replace(":", f" {severity}:", 1)
    return "\n".join(lines) + "\n"
