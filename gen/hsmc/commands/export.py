# SPDX-License-Identifier: MIT
"""hsmc export: the intermediate form as JSON, the machines as SCXML."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..failure import Failure, choose
from .command_line import Subparsers, check_argument, compiled, spec_argument
from ..files import write_all


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "export", help="give a spec to other tools, as JSON or SCXML"
    )
    spec_argument(parser)
    check_argument(parser)
    parser.add_argument(
        "--format",
        choices=("json", "scxml"),
        required=True,
        help="json: the whole intermediate form, as docs/ir.schema.json says; scxml: machines",
    )
    parser.add_argument("--process", metavar="P", help="scxml: this one")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PATH",
        help="file to write; without --process the directory for all SCXML files",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..backends import backend_scxml, export_json
    from ..comparison.written import written_processes

    if options.format == "json" and options.process is not None:
        raise Failure("--process is for --format scxml; JSON is of the whole spec")
    compilation, protocol = compiled(options)
    if options.format == "json":
        text = json.dumps(export_json.as_json(protocol), indent=1) + "\n"
        return _give(text, options)
    names = [process.name for process in protocol.processes]
    if options.process is not None:
        choose("process", options.process, names)
    elif options.output is None:
        raise Failure(
            f"name one process with --process ({', '.join(names)}), or a directory with --output for all"
        )
    files: dict[str, str] = {}
    for written in written_processes(compilation.spec):
        if options.process in (None, written.name):
            process = protocol.process(written.name)
            name = backend_scxml.file_name(protocol, process)
            files[name] = backend_scxml.generate(protocol, process, written)
    if options.process is not None:
        return _give(next(iter(files.values())), options)
    write_all({options.output / name: text for name, text in files.items()})
    return 0


def _give(text: str, options: argparse.Namespace) -> int:
    if options.output is None:
        sys.stdout.write(text)
    else:
        write_all({options.output: text})
    return 0
