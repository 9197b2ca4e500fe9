# SPDX-License-Identifier: MIT
"""hsmc place: where processes run, and what crosses between processors."""

from __future__ import annotations

import argparse
import sys

from .command_line import (
    Subparsers,
    check_argument,
    compiled,
    json_argument,
    print_json,
    spec_argument,
)
from ..failure import Failure, choose


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "place", help="tell where processes run, and what crosses between processors"
    )
    spec_argument(parser)
    parser.add_argument(
        "--placement", metavar="NAME", help="only this one; without it all of them"
    )
    parser.add_argument(
        "--maps",
        action="store_true",
        help="all ways of dividing the processes between two processors, and how much crosses in each",
    )
    check_argument(parser)
    json_argument(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from .. import placement, placement_maps, placement_report

    _, protocol = compiled(options)
    if options.maps:
        try:
            maps = placement_maps.all_maps(protocol)
        except ValueError as error:
            raise Failure(str(error)) from None
        if options.json:
            print_json(placement_maps.as_json(maps))
        else:
            sys.stdout.write(placement_maps.text(maps))
        return 0
    if options.placement is not None:
        names = [declared.name for declared in protocol.placements]
        choose("placement", options.placement, names)
    analysis = placement.PlacementAnalysis(protocol)
    found = [
        analysis.crossings(declared)
        for declared in protocol.placements
        if options.placement in (None, declared.name)
    ]
    if options.json:
        print_json([placement_report.as_json(crossings) for crossings in found])
    else:
        sys.stdout.write("\n".join(map(placement_report.text, found)))
    return 0
