# SPDX-License-Identifier: MIT
"""hsmc tests: sequences of events that take every transition, searched from the spec alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..failure import Failure
from ..progress import Progress
from .command_line import Subparsers, check_argument, compiled, spec_argument
from ..files import read_text, write_all


def add(commands: Subparsers) -> None:
    from ..testing.search import STEPS

    parser = commands.add_parser(
        "tests", help="search for tests that take every transition"
    )
    spec_argument(parser)
    check_argument(parser)
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--attempts",
        type=int,
        default=STEPS,
        metavar="N",
        help="events tried at most (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument(
        "--from",
        nargs="+",
        type=Path,
        default=[],
        dest="scenarios",
        metavar="FILE",
        help="scenarios, of 'hsmc run --save' or by hand, to go on from",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..interpreter.interpreter import Program
    from ..interpreter.node_state import ContractViolation
    from ..interpreter.scenario import Mistake, Vocabulary, read_scenario
    from ..testing import generated_tests

    if options.attempts < 1:
        raise Failure("--attempts takes a number above 0")
    _, protocol = compiled(options)
    progress = Progress()
    stale = generated_tests.files_of_index(options.output)

    def report_progress(missing: int, attempts: int) -> None:
        progress.step(f"{missing} transitions to go, {attempts} events tried")

    program = Program(protocol)
    scenarios = []
    for path in options.scenarios:
        try:
            scenario = read_scenario(read_text(path), Vocabulary(program), str(path))
            generated_tests.replay(scenario, program, str(path))
        except (Mistake, ContractViolation) as error:
            raise Failure(str(error), 1) from None
        scenarios.append(scenario)
    files = generated_tests.generate(
        protocol, options.seed, options.attempts, report_progress, scenarios
    )
    progress.done()
    write_all({options.output / name: text for name, text in files.items()})
    for path in stale:
        if path.name not in files:
            path.unlink(missing_ok=True)
    index = json.loads(files[generated_tests.INDEX])
    print(generated_tests.summary(protocol, index))
    return 1 if index["not_taken"] else 0
