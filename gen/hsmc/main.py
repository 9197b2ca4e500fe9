"""The command line. Each command is a module of `commands`; what they share is in command_line.py."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import Optional, Sequence

from . import __version__
from .command_line import Failure

COMMANDS = (
    "check",
    "build",
    "explain",
    "fmt",
    "stats",
    "diff",
    "export",
    "dump",
    "run",
    "tests",
    "coverage",
    "doc",
    "graph",
    "dissector",
    "editor",
    "language-server",
)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    try:
        return run(arguments)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Failure as failure:
        if str(failure):
            print(f"hsmc: {failure}", file=sys.stderr)
        return failure.status


def run(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="hsmc",
        description="Compiles hierarchical state-machine specs.",
        epilog="Exit status: 0 done, 1 the spec has errors or what was asked does not hold, 2 wrong usage or files.",
    )
    parser.add_argument("--version", action="version", version=f"hsmc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in COMMANDS:
        importlib.import_module(f"hsmc.commands.{name.replace('-', '_')}").add(commands)
    options = parser.parse_args(arguments)
    status: int = options.run(options)
    return status
