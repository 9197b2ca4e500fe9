# SPDX-License-Identifier: MIT
"""What `hsmc verify` searches, and what it prints of that."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Sequence

from ..failure import Failure, choose
from ..files import write_all
from ..frontend.profiles import UnknownProfile
from ..report import SpecError
from .. import parts
from ..verification import (
    counterexample,
    divergence,
    features,
    shared,
    trail_text,
    unreached,
    verdicts,
)
from ..verification.campaign import run_all
from ..verification.search import DEPTH_LIMIT, MEMORY_LIMIT, Limits, Run
from ..verification.subject import ENGINES, KINDS, Subject, choose_checks, shown
from .command_line import fail, print_json


# Before the matrices. `hsmc verify --features` writes it.
FEATURES = """# Features that meet

Made by `hsmc verify --features` from the searches of {specs}; do not edit. A number says in how many checks one path of
one exhaustive search has both features, a letter why none can ([how a pair counts](verification.md#features-that-meet)).
"""


def subjects_of(options: argparse.Namespace) -> tuple[list[Subject], list[str]]:
    """The specs named, each in the profile named or in all of its profiles, and the configurations."""
    specs = [Path(name) for name in options.files if name.endswith(".hsm")]
    names = [name for name in options.files if not name.endswith(".hsm")]
    if not specs:
        raise Failure("name a spec: hsmc verify SPEC.hsm [CONFIG ...]")
    subjects = []
    for spec in specs:
        try:
            first = Subject(spec, options.output, options.profile, options.placement)
            subjects.append(first)
            if options.profile is None:
                subjects += [
                    Subject(spec, options.output, profile.name, options.placement)
                    for profile in first.protocol.profiles
                    if profile.name != first.protocol.profile
                ]
        except UnknownProfile as error:
            raise Failure(str(error)) from None
        except SpecError as error:
            fail(error.diagnostics, options.json)
    if len({subject.name for subject in subjects}) != len(subjects):
        raise Failure("two of the specs are of the same protocol")
    choose_checks(subjects, names)
    for subject in subjects:
        if not subject.protocol.checks:
            raise Failure(
                f"{subject.spec} has no check configuration to search", status=1
            )
    return subjects, names


def no_search(subject: Subject, level: str) -> str:
    """Nothing was shown, so it is an error; what to do."""
    if subject.placement is not None:
        return (
            f"{subject.name}: nothing to search, for no check has bounds for nodes that a placement divides: write "
            "'in_flight_divided = 2', say, in the 'world' line of a check, or name the checks to search (docs/placements.md)"
        )
    return (
        f"{subject.name}: nothing to search at level {level}, for all checks are nightly: name a check, or choose "
        "--level nightly"
    )


def kinds_of(options: argparse.Namespace, subjects: Sequence[Subject]) -> Sequence[str]:
    """A property is searched for by the searches of its kind."""
    if options.property is None:
        return KINDS if options.kind == "both" else (options.kind,)
    properties = {p.name: p.kind for s in subjects for p in s.protocol.properties}
    choose("property", options.property, list(properties))
    return (properties[options.property],)


def command(options: argparse.Namespace) -> int:
    parts.check_options(options)
    subjects, names = subjects_of(options)
    engines = ENGINES if options.engine == "both" else (options.engine,)
    kinds = kinds_of(options, subjects)
    depth = options.depth if options.depth is not None else DEPTH_LIMIT
    memory = options.memory if options.memory is not None else MEMORY_LIMIT
    if depth < 1 or memory < 1:
        raise Failure("--depth and --memory take numbers from 1 on")
    storage = "bitstate" if options.swarm else options.storage
    if (
        options.swarm < 0
        or options.minutes < 0
        or (options.minutes and not options.swarm)
    ):
        raise Failure(
            "--swarm takes a number of searches, and --minutes the time of each of them"
        )
    limits = Limits(
        depth, memory, storage, options.property, options.swarm, options.minutes
    )
    searches = [
        (search, subject)
        for subject in subjects
        for search in subject.searches(names, options.level, engines, kinds)
    ]
    by_name = {subject.name: subject for subject in subjects}
    for subject in subjects if not names else ():
        if not any(each is subject for _, each in searches):
            raise Failure(no_search(subject, options.level), status=1)
    whole = options.level != "quick" and not names and options.property is None
    for subject in subjects if whole else ():
        # These fail where a list is wrong: before the searches.
        unreached.known(subject)
        features.known(subject)
    started = time.monotonic()
    try:
        quick = options.level == "quick"
        if options.into is not None:
            return shared.run_part(options, searches, limits, quick)
        if options.merge is not None:
            runs = shared.merged(options.merge, searches, limits)
        else:
            runs = run_all(searches, limits, quick)
        counterexamples = [
            (subject, each)
            for subject in subjects
            for each in counterexample.explain(
                [run for run in runs if run.search.protocol == subject.name],
                subject,
                limits,
            )
        ]
    except SpecError as error:
        fail(error.diagnostics, options.json)
    except KeyboardInterrupt:
        raise Failure("interrupted", 1) from None
    seconds = time.monotonic() - started
    if options.merge is not None:  # of all workers together
        seconds += sum(run.compile_seconds + run.seconds for run in runs)
    problems = [
        f"{problem}\n{divergence.find_divergence(by_name[search.protocol], search.check)}"
        for problem, search in verdicts.unequal(runs)
    ]
    judged = [unreached.judge(runs, subject) for subject in subjects if whole]
    if all(run.holds for run in runs):  # what was cut short says nothing of the rest
        problems += [problem for each in judged for problem in each.problems]
        for subject in subjects if whole else ():
            problems += features.judge(runs, subject)
    records = [verdicts.as_record(run) for run in runs]
    either = subjects[0].same_as_one
    for record in records:
        if either is not None:
            record["also_of"] = either.name
        for _, (trail, replayed, paths) in counterexamples:
            mine = record["config"] == f"{trail.protocol}/{trail.check}"
            if mine and record.get("property") == trail.violated:
                record["trail"] = shown(paths["trail"])
                record["steps"] = len(replayed)
    if options.report is not None:
        write_all({options.report: json.dumps(records, indent=1) + "\n"})
    if options.features is not None:
        write_features(options.features, subjects, runs)
    if options.json:
        print_json(records)
    else:
        print(verdicts.table(runs), end="")
        for each in judged:
            print("".join(f"{line}\n" for line in each.lines), end="")
        for subject in subjects if not whole and options.property is None else ():
            for line in unreached.left_out(runs, subject):
                print(line)
        print_summary(options, subjects, names, runs, seconds)
        for _, (trail, replayed, paths) in counterexamples:
            print()
            print(trail_text.text(trail, replayed), end="")
            print("\n".join(f"{kind:6} {shown(path)}" for kind, path in paths.items()))
            print(f"replay hsmc replay {shown(paths['trail'])}")
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
    cut_short = any(run.incomplete for run in runs) and not options.accept_incomplete
    return int(bool(problems or cut_short or any(run.errors for run in runs)))


def write_features(
    page: Path, subjects: Sequence[Subject], runs: Sequence[Run]
) -> None:
    found = [features.page(runs, subject) for subject in subjects]
    lines = [line for each in found for line in each]
    if not lines:
        raise Failure(
            "none of the specs has a list of features: write PROTOCOL_features.toml beside it (docs/verification.md)"
        )
    specs = ", ".join(dict.fromkeys(subject.spec.name for subject in subjects))
    text = "\n".join([*FEATURES.format(specs=specs).split("\n"), *lines])
    write_all({page: text.rstrip("\n") + "\n"})


def print_summary(
    options: argparse.Namespace,
    subjects: Sequence[Subject],
    names: Sequence[str],
    runs: Sequence[Run],
    seconds: float,
) -> None:
    left_out = [
        f"{subject.name}/{name}"
        for subject in subjects
        for name in subject.left_out(options.level)
    ]
    if left_out and not names:
        print(f"not searched at this level: {', '.join(left_out)}")
    either = subjects[0].same_as_one
    if either is not None:
        print(
            f"placement {either.name}: either processor takes the next event, and has the lock from its first guard to its "
            "last action. So events come one after the other, as on one processor, and the searches of one processor are "
            "its own: nothing else is to be searched (docs/placements.md)"
        )
    holding = sum(run.holds for run in runs)
    print(
        f"{len(runs)} search{'es' * (len(runs) != 1)}, {holding} exhaustive without a violation; {seconds:.1f} s"
    )
