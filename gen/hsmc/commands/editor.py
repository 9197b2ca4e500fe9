# SPDX-License-Identifier: MIT
"""hsmc editor: files for text editors, generated from the grammar."""

from __future__ import annotations

import argparse
from pathlib import Path

from .command_line import Subparsers
from ..files import write_all


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "editor", help="generate highlighting for Vim and Visual Studio Code"
    )
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..editor import vim, vscode

    files = {options.output / "vim" / name: t for name, t in vim.generate().items()}
    for name, text in vscode.generate().items():
        files[options.output / "vscode" / name] = text
    write_all(files)
    return 0
