# SPDX-License-Identifier: MIT
"""The command line. Each command is a module of `commands`; what they share is in command_line.py."""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any, Optional, Sequence

from .. import __version__
from ..failure import Failure
from ..missing_packages import missing_package

COMMANDS = (
    "new",
    "check",
    "build",
    "explain",
    "fmt",
    "stats",
    "place",
    "diff",
    "export",
    "dump",
    "run",
    "tests",
    "coverage",
    "verify",
    "replay",
    "conform",
    "mutants",
    "doc",
    "graph",
    "dissector",
    "simulation",
    "editor",
    "language-server",
)


STATUS_INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
STATUS_INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it
# Trees and graphs are walked recursively: deep enough for what the parser lets through, with the stack for it.
RECURSION_LIMIT = 60_000
STACK_BYTES = 96 << 20


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Never ends with a traceback: see the statuses in docs/language.md."""
    _make_room()
    try:
        status = run(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader has seen enough
        _discard_output()
        return 1
    except Failure as failure:
        if str(failure):
            print(f"hsmc: {failure}", file=sys.stderr)
        return _finished(failure.status)
    except KeyboardInterrupt:
        _discard_output()
        print("hsmc: interrupted", file=sys.stderr)
        return STATUS_INTERRUPTED
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        print(f"hsmc: {what}{error.strerror or error}", file=sys.stderr)
        _discard_output()
        return 2
    except RecursionError:
        if TRACEBACK in os.environ:
            raise
        print(
            "hsmc: the spec is nested too deeply, or too many declarations stand for one another in a row",
            file=sys.stderr,
        )
        return _finished(1)
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        missing = (
            missing_package(error) if isinstance(error, ModuleNotFoundError) else None
        )
        if missing is not None:
            print(f"hsmc: {missing}", file=sys.stderr)
            return _finished(2)
        _report_internal_error(error)
        return _finished(STATUS_INTERNAL_ERROR)


TRACEBACK = "HSMC_TRACEBACK"


def _report_internal_error(error: Exception) -> None:
    place = traceback.extract_tb(error.__traceback__)[-1]
    print(
        f"hsmc: internal error: {type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {error}\n"
        "This is a mistake of hsmc, not of the spec. Please report it with the spec, the command line, the output of\n"
        f"'hsmc --version', and what the same command prints with {TRACEBACK}=1 in the environment.",
        file=sys.stderr,
    )


def _make_room() -> None:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


def _finished(status: int) -> int:
    """The status, after what is still in the buffer has been written if that can be."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    return status


def _discard_output() -> None:
    """What cannot be written must not be tried again, with a complaint, when Python ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        pass


def run(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="hsmc",
        description="Compiles hierarchical state-machine specs.",
        epilog="Exit status: 0 done, 1 the spec has errors or what was asked does not hold, 2 wrong usage or files, "
        "70 internal error, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"hsmc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in COMMANDS:
        importlib.import_module(f"hsmc.commands.{name.replace('-', '_')}").add(commands)
    options, rest = parser.parse_known_args(arguments)
    # argparse takes the files of a command only as far as the next option.
    files: list[Any] = getattr(options, "files", [])
    if rest and (not files or any(text.startswith("-") for text in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    for text in rest:
        files.append(type(files[0])(text))
    status: int = options.run(options)
    return status
