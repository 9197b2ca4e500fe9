"""What the commands share: reading a spec, reporting, progress, exit status, writing files.

Exit status: 0 done; 1 the spec (or a trace, a scenario) has errors, or what was asked about does not hold; 2 wrong
usage, or a file that can be neither read nor written.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Optional, Sequence

from .. import ir
from .compiler import Compilation
from ..frontend.profiles import UnknownProfile
from ..report import Diagnostic, render, render_json
from ..source import decoded

Subparsers = argparse._SubParsersAction  # what main.py hands to each command

PROGRESS_AFTER_SECONDS = 1.0


class Failure(Exception):
    """Ends the command with a message (may be empty when all is said) and a status."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


class Progress:
    """Says on the terminal what is being done, once it has taken a second; silent where nobody watches."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = False
        self._watched = sys.stderr.isatty()

    def step(self, what: str) -> None:
        late = time.monotonic() - self._start > PROGRESS_AFTER_SECONDS
        if self._watched and late:
            print(f"\r\033[Khsmc: {what}", end="", file=sys.stderr, flush=True)
            self._shown = True

    def done(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._shown = False


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
    that option, and no other check looked at. Errors end the command; warnings are the business of `check` and `build`.
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


def read_text(path: Path) -> str:
    try:
        return decoded(path.read_bytes())
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Failure(f"{path} is not UTF-8 text") from None


def write_all(files: dict[Path, str]) -> None:
    for path, text in files.items():
        try:
            write_if_changed(path, text)
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror}") from None


def write_if_changed(path: Path, text: str) -> bool:
    """Never leaves half a file, and keeps the time stamp of a file that stays the same."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return False
    except (OSError, UnicodeDecodeError):
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def choose(
    what: str, name: str, names: Sequence[str], hint: Optional[str] = None
) -> None:
    """Ends the command when there is no such name."""
    from ..report import did_you_mean

    if name not in names:
        raise Failure(
            f"there is no {what} {name}{did_you_mean(name, names)}" + (hint or "")
        )
