# SPDX-License-Identifier: MIT
"""hsmc build: C and models."""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
from pathlib import Path
from typing import Optional, Sequence

from .. import ir
from ..failure import Failure, choose
from ..progress import Progress
from .command_line import (
    Subparsers,
    applied,
    compiled,
    fail,
    json_argument,
    print_diagnostics,
    spec_argument,
)
from ..files import write_all
from ..compilation.compiler import Compilation
from ..frontend.includes import LIBRARY


def add(commands: Subparsers) -> None:
    parser = commands.add_parser("build", help="generate C and models")
    spec_argument(parser)
    json_argument(parser, "diagnostics")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="for the C"
    )
    parser.add_argument(
        "--check-model-dir",
        type=Path,
        metavar="DIR",
        help="for the models: DIR/CHECK/ per check",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="also the headers by which runs are recorded (hsmc conform)",
    )
    parser.add_argument(
        "--nic",
        action="store_true",
        help="also what an image for the NIC needs (docs/new-protocol.md)",
    )
    parser.add_argument(
        "--placement",
        metavar="NAME",
        help="also the machines of each processor, as this placement divides them",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another constant or parameter default, as a check sets them; repeatable",
    )
    parser.add_argument(
        "--depfile", type=Path, help="make rule naming all files read (as gcc -MMD -MP)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Everything is generated before anything is written."""
    from ..backends import backend_c, backend_nic, backend_promela, c_units
    from ..conformance import watch
    from ..placement import PlacementAnalysis

    progress = Progress()
    compilation, protocol = compiled(options)
    names = [check.name for check in protocol.checks if options.check_model_dir]
    models = {name: applied(compilation, name, options) for name in names}
    print_diagnostics(compilation.report.diagnostics, options.json)
    if options.set:
        protocol = _with_settings(compilation, protocol, options)
    placement = _placement(protocol, options.placement)
    progress.step("generating C")
    shared = [name for name, _ in placement.shared] if placement else []
    written = backend_c.generate(protocol, shared)
    try:
        if placement is not None:
            written.update(c_units.generate(PlacementAnalysis(protocol), placement))
        if options.watch:
            written.update(watch.generate(protocol, placement))
        if options.nic:
            written.update(backend_nic.generate(protocol, placement))
    except (backend_nic.Unsupported, c_units.Unsupported) as problem:
        raise Failure(str(problem), 1) from None
    files = {options.output / file: text for file, text in written.items()}
    for number, (name, configured) in enumerate(models.items(), start=1):
        progress.step(f"generating the model of {name} ({number} of {len(models)})")
        try:
            model = backend_promela.generate(configured)
        except backend_promela.Unsupported as problem:
            raise Failure(f"check {name}: {problem}", 1) from None
        for file, text in model.items():
            files[options.check_model_dir / name / file] = text
    progress.done()
    if options.depfile is not None:
        sources = [source.path for source in compilation.spec.sources]
        files[options.depfile] = _depfile(list(files), sources)
    write_all(files)
    return 0


def _placement(protocol: ir.Protocol, name: Optional[str]) -> Optional[ir.Placement]:
    if name is None:
        return None
    choose("placement", name, [declared.name for declared in protocol.placements])
    return next(p for p in protocol.placements if p.name == name)


def _with_settings(
    compilation: Compilation, protocol: ir.Protocol, options: argparse.Namespace
) -> ir.Protocol:
    known = [c.name for c in protocol.constants]
    known += [parameter.name for parameter in protocol.parameters]
    settings: dict[str, int] = {}
    for text in options.set:
        name, _, value = text.partition("=")
        choose("constant or parameter", name, known)
        try:
            settings[name] = int(value, 0)
        except ValueError:
            raise Failure(f"--set {text}: expected {name}=NUMBER") from None
    changed = compilation.resolve(settings, None)
    if changed is None:
        fail(compilation.report.diagnostics, options.json)
    assert changed is not None
    # Host and image made with different settings must not take each other for their like.
    text = f"{changed.hash:08x} {sorted(settings.items())}"
    digest = hashlib.sha256(text.encode()).digest()
    return dataclasses.replace(changed, hash=int.from_bytes(digest[:4], "big"))


def _depfile(targets: Sequence[Path], sources: Sequence[Path]) -> str:
    package = Path(__file__).parent.parent
    compiler = sorted(
        path
        for path in package.rglob("*")
        if path.suffix in (".py", ".j2", ".lark") and "__pycache__" not in path.parts
    )
    read = [
        os.path.relpath(path) if path.is_relative_to(LIBRARY) else str(path)
        for path in sources
    ]
    read += [os.path.relpath(path) for path in compiler]
    rule = f"{' '.join(map(str, targets))}: \\\n  " + " \\\n  ".join(read) + "\n"
    return rule + "".join(f"\n{path}:\n" for path in read)
