# SPDX-License-Identifier: MIT
"""hsmc fmt: specs in their canonical layout."""

from __future__ import annotations

import argparse
import difflib
import os
import stat
import sys
from pathlib import Path

from ..failure import Failure
from .command_line import Subparsers, print_diagnostics
from ..files import write_all
from ..report import Diagnostic, SpecError

STANDARD_INPUT = "-"


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("fmt", help="lay out specs canonically")
    parser.add_argument(
        "files",
        nargs="+",
        metavar="file",
        help="each by itself, not what it includes; '-': standard input to standard output",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing, name the files that would change, status 1 if any",
    )
    parser.add_argument(
        "--diff", action="store_true", help="change nothing, show what would change"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """All files are laid out before any is written; one that does not parse stays as it is, the others do not wait."""
    from ..formatting.formatter import InternalError, format_text

    results: dict[Path, str] = {}
    diagnostics: list[Diagnostic] = []
    changed = failed = False
    for name in options.files:
        path = Path("<standard input>" if name == STANDARD_INPUT else name)
        text = _read(name)
        try:
            result = format_text(text.removeprefix("\ufeff"), path)
        except SpecError as error:
            diagnostics += error.diagnostics
            continue
        except InternalError as error:
            print(
                f"hsmc: {path} stays as it is: internal error, {error}", file=sys.stderr
            )
            failed = True
            continue
        changed |= result != text
        if options.diff and result != text:
            sys.stdout.writelines(_difference(text, result, str(path)))
        if options.check and result != text:
            print(f"hsmc: {path} would change", file=sys.stderr)
        if options.check or options.diff:
            continue
        if name == STANDARD_INPUT:
            sys.stdout.write(result)
        elif result != text:
            results[path] = result
    _write(results)
    print_diagnostics(diagnostics, False)
    return 1 if diagnostics or failed or (options.check and changed) else 0


def _read(name: str) -> str:
    """Line ends as they are: a file with others than '\\n' is one to change."""
    if name == STANDARD_INPUT:
        data = sys.stdin.buffer.read()
    else:
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise Failure(f"{name}: {error.strerror}") from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Failure(f"{name} is not UTF-8 text") from None


def _write(results: dict[Path, str]) -> None:
    """A link stays one, and the file keeps who may do what with it."""
    for path, text in results.items():
        real = path.resolve()
        try:
            mode = stat.S_IMODE(real.stat().st_mode)
            write_all({real: text})
            os.chmod(real, mode)
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror}") from None


def _difference(before: str, after: str, name: str) -> list[str]:
    lines = difflib.unified_diff(
        before.splitlines(True), after.splitlines(True), name, f"{name} (formatted)"
    )
    return [
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in lines
    ]
