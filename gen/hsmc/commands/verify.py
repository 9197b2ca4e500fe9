# SPDX-License-Identifier: MIT
"""hsmc verify: model checking, with verdicts that say what was searched, and counterexamples people can read."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import parts
from .command_line import Subparsers


def add(commands: Subparsers) -> None:
    parser = commands.add_parser(
        "verify",
        help="model-check the configurations of specs",
        description="Model-checks specs in their worlds: every 'check' of a spec, as generated Promela "
        "and as generated C, for safety and liveness.",
        epilog="Exit status 1 when a property is violated, when a search was cut short, or when the engines differ.",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="SPEC|CONFIG",
        help="specs (*.hsm), and names of check configurations: only these",
    )
    parser.add_argument(
        "--level",
        choices=("quick", "default", "nightly"),
        default="default",
        help="the first configuration of each spec; all but the longest; all",
    )
    parser.add_argument(
        "--engine",
        choices=("promela", "c", "both"),
        default="both",
        help="the generated Promela, the generated C inside SPIN, or both",
    )
    parser.add_argument(
        "--kind", choices=("safety", "liveness", "both"), default="both"
    )
    parser.add_argument(
        "--property", metavar="NAME", help="search for violations of this one only"
    )
    parser.add_argument(
        "--profile", metavar="NAME", help="this variant of the spec (default: all)"
    )
    parser.add_argument(
        "--placement",
        metavar="NAME",
        help="with the nodes divided between two processors as this placement says",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("build/verify"), metavar="DIR"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="the verdicts as JSON"
    )
    parser.add_argument(
        "--features",
        type=Path,
        metavar="PAGE",
        help="which features have met in a search, as Markdown, of specs with a list of them (PROTOCOL_features.toml)",
    )
    parser.add_argument(
        "--json", action="store_true", help="the verdicts as JSON, on standard output"
    )
    parts.add_options(parser, "list of searches")
    limits = parser.add_argument_group("limits of one search")
    limits.add_argument("--depth", type=int, metavar="STEPS")
    limits.add_argument("--memory", type=int, metavar="MB")
    limits.add_argument(
        "--storage",
        choices=("exact", "hash-compact", "bitstate"),
        default="exact",
        help="what is kept of a state; only 'exact' proves anything",
    )
    limits.add_argument(
        "--swarm",
        type=int,
        default=0,
        metavar="COUNT",
        help="so many searches of each configuration, with bit states, each in another random order: for what does not "
        "fit into memory; finds violations, proves nothing",
    )
    limits.add_argument(
        "--minutes", type=int, default=0, help="of each search of a swarm"
    )
    limits.add_argument(
        "--accept-incomplete",
        action="store_true",
        help="a search cut short is no reason for status 1",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from . import verify_report

    return verify_report.command(options)
