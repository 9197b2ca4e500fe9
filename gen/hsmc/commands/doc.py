# SPDX-License-Identifier: MIT
"""hsmc doc: a site about specs."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..failure import Failure
from ..progress import Progress
from .command_line import Subparsers, errors_among, fail
from ..files import read_text, write_all
from ..compilation.compiler import Compilation


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("doc", help="generate a site about specs")
    parser.add_argument("files", type=Path, nargs="+", metavar="file")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--manual",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a page in Markdown to take along; may be given again",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Everything is generated before anything is written."""
    from ..documents import diagnostic_pages
    from ..documents import backend_docs, statechart
    from ..diagnostics import TABLE

    progress = Progress()
    specs: list[backend_docs.Spec] = []
    for file in options.files:
        progress.step(f"reading {file}")
        compilation = Compilation(file)
        diagnostics = compilation.diagnostics()
        protocol = compilation.protocol(None)
        if protocol is None or errors_among(diagnostics):
            fail(diagnostics, False)
        assert protocol is not None
        if protocol.name in [spec.protocol.name for spec in specs]:
            raise Failure(f"protocol {protocol.name} is given twice")
        texts = compilation.texts()
        specs.append(backend_docs.Spec(protocol, texts))
    manuals = [backend_docs.Manual(m.name, read_text(m)) for m in options.manual]
    pages = [diagnostic_pages.page(c) for c in TABLE] if manuals else []
    progress.step("drawing")
    try:
        files = backend_docs.generate(specs, manuals, pages)
    except (OSError, statechart.NoGraphviz) as error:
        raise Failure(str(error)) from None
    progress.done()
    write_all({options.output / name: text for name, text in files.items()})
    return 0
