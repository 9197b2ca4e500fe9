# SPDX-License-Identifier: MIT
"""hsmc diff: what changed between two versions of a spec."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..failure import Failure
from ..progress import Progress
from .command_line import (
    Subparsers,
    errors_among,
    json_argument,
    print_diagnostics,
    print_json,
)
from ..compilation.compiler import Compilation
from ..frontend.profiles import UnknownProfile
from ..report import Diagnostic

if TYPE_CHECKING:
    from ..comparison.compare import Version


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "diff", help="what changed between two versions of a spec"
    )
    parser.add_argument(
        "old", metavar="OLD", help="a spec, or git:REVISION for NEW at that revision"
    )
    parser.add_argument("new", metavar="NEW", help="a spec, or git:REVISION")
    parser.add_argument(
        "--exit-code", action="store_true", help="status 1 when something changed"
    )
    parser.add_argument("--profile", metavar="NAME", help="this variant of both")
    parser.add_argument(
        "--old-profile", metavar="NAME", help="this variant of OLD instead"
    )
    json_argument(parser, "the changes")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..comparison import compare, compare_report, revision

    progress = Progress()
    versions: list[compare.Version] = []
    with tempfile.TemporaryDirectory(prefix="hsmc") as temporary:
        names = (options.old, options.new)
        for number, name in enumerate(names):
            progress.step(f"reading {name}")
            if revision.is_revision(name):
                directory = Path(temporary, str(number))
                try:
                    path = revision.fetch(name, names[1 - number], directory)
                except (revision.NoRevision, OSError, ValueError) as error:
                    raise Failure(str(error)) from None
            else:
                path = Path(name)
            profile = options.profile
            if number == 0 and options.old_profile is not None:
                profile = options.old_profile
            versions.append(_version(name, path, profile))
    changes = compare.compare(*versions)
    progress.done()
    if options.json:
        print_json(
            {
                "old": options.old,
                "new": options.new,
                "changes": compare_report.as_json(changes),
            }
        )
    else:
        sys.stdout.write(compare_report.text(changes))
    return 1 if changes and options.exit_code else 0


def _version(name: str, path: Path, profile: Optional[str]) -> "Version":
    from ..comparison import compare

    try:
        compilation = Compilation(path, profile=profile)
    except UnknownProfile as error:
        raise Failure(f"{name}: {error}") from None
    protocol = compilation.protocol(None)
    diagnostics: list[Diagnostic] = compilation.report.diagnostics
    if protocol is None or errors_among(diagnostics):
        # Not status 1, which --exit-code gives for a difference.
        print_diagnostics([d for d in diagnostics if d.severity == "error"], False)
        raise Failure(f"{name} has errors: only specs without can be compared")
    return compare.version(compilation, protocol)
