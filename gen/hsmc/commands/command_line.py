# SPDX-License-Identifier: MIT
"""What the commands share: arguments, reading a spec, reporting, progress, exit status.

Exit status: 0 done; 1 the spec (or a trace, a scenario) has errors, or a property does not hold; 2 wrong
usage, or a file that can be neither read nor written.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Optional, Sequence

from .. import ir
from ..compilation.compiler import Compilation
from ..frontend.profiles import UnknownProfile
from ..report import Diagnostic, render, render_json
from ..failure import Failure

Subparsers = argparse._SubParsersAction  # what main.py hands to each command


def spec_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--profile", metavar="NAME", help="this variant of the spec, not the default"
    )


def json_argument(parser: argparse.ArgumentParser, what: str = "the report") -> None:
    parser.add_argument(
        "--json", action="store_true", help=f"{what} as JSON on standard output"
    )


def check_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check", metavar="NAME", help="with this check configuration applied"
    )


def compiled(options: argparse.Namespace) -> tuple[Compilation, ir.Protocol]:
    """The spec `options.file` names in the profile `options.profile`, with `options.check` applied where the command has
    that option, and no other check compiled. Errors end the command; warnings are the business of `check` and `build`.
    """
    try:
        compilation = Compilation(options.file, profile=options.profile)
    except UnknownProfile as error:
        raise Failure(str(error)) from None
    return compilation, applied(compilation, getattr(options, "check", None), options)


def applied(
    compilation: Compilation, check: Optional[str], options: argparse.Namespace
) -> ir.Protocol:
    """The spec with a check configuration applied, or None: as it stands. Errors end the command."""
    try:
        protocol = compilation.protocol(check)
    except ValueError as error:
        raise Failure(str(error)) from None
    if protocol is None:
        fail(compilation.report.diagnostics, getattr(options, "json", False))
    assert protocol is not None
    return protocol


def fail(diagnostics: Sequence[Diagnostic], as_json: bool) -> None:
    print_diagnostics(diagnostics, as_json)
    raise Failure("", 1)


def errors_among(diagnostics: Sequence[Diagnostic]) -> int:
    return sum(d.severity == "error" for d in diagnostics)


def print_diagnostics(diagnostics: Sequence[Diagnostic], as_json: bool) -> None:
    if as_json:
        print(render_json(diagnostics))
        return
    for diagnostic in diagnostics:
        print(render(diagnostic), file=sys.stderr)
    errors = errors_among(diagnostics)
    warnings = len(diagnostics) - errors
    if diagnostics:
        print(
            f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}; "
            "'hsmc explain NUMBER' tells more",
            file=sys.stderr,
        )


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))
