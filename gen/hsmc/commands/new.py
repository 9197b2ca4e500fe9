# SPDX-License-Identifier: MIT
"""hsmc new: a folder with a protocol that works, to be changed into one's own."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from pathlib import Path

from .. import naming
from ..failure import Failure
from .command_line import Subparsers
from ..files import write_all
from ..formatting.formatter import format_text

NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
# Template in templates/new -> file in the folder.
FILES = {
    "protocol.hsm.j2": "{name}.hsm",
    "unreached.toml.j2": "{name}_unreached.toml",
    "image.c.j2": "firmware/image.c",
    "glue.c.j2": "firmware/glue.c",
    "host.c.j2": "host.c",
    "boards.scenario.j2": "boards.scenario",
    "test.py.j2": "test_{name}.py",
}


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "new", help="begin a protocol: spec, firmware, host program and test"
    )
    parser.add_argument(
        "name", metavar="NAME", help="small letters, digits and '_', as C names begin"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..verification.subject import TOP

    name: str = options.name
    if not NAME.fullmatch(name):
        raise Failure(
            f"'{name}' cannot be the name of a protocol: expected a small letter, then small letters, digits and '_', "
            "31 at most"
        )
    folder = TOP / "spec" / name
    if folder.exists():
        raise Failure(f"{folder} is there already: nothing was changed")
    if not (TOP / "Makefile").is_file():
        raise Failure(
            f"a protocol needs the project's tree; there is no {TOP}/Makefile"
        )
    write_all(rendered(name, folder))
    lay_out_c(folder)
    shown = (
        folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    )
    print(f"{shown} is a protocol that works; 'make protocol NAME={name}' shows it")
    return 0


def rendered(name: str, folder: Path) -> dict[Path, str]:
    """The files of a new protocol."""
    from ..backends.backend_c import environment

    templates = environment()
    files: dict[Path, str] = {}
    for template, file in FILES.items():
        path = folder / file.format(name=name)
        text = templates.get_template(f"new/{template}").render(
            name=name,
            prefix=naming.compact(name),
            capitals=naming.compact(name).upper(),
        )
        files[path] = format_text(text, path) if path.suffix == ".hsm" else text
    return files


def lay_out_c(folder: Path) -> None:
    """Where clang-format is installed, as `make format` would: how long the name is decides where lines break."""
    if shutil.which("clang-format"):
        files = sorted(folder.rglob("*.c"))
        subprocess.run(["clang-format", "-i", *map(str, files)], check=False)
