# SPDX-License-Identifier: MIT
"""From a violation to a trail people can read: the search once more for the shortest way there, which is then executed.

Safety is searched breadth first, so no shorter way exists. Cycles cannot be: there the depth-first search shortens what
it finds, in several orders, and the shortest is taken. Either gives way to the first trail found when it takes too long.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Optional

from ..failure import Failure
from ..files import write_all
from ..interpreter.interpreter import Program
from . import diagram, diagram_svg, swarm, trail_text
from .narration import NarrationReader, Narration, globals_of, world_header
from .search import (
    CHILDREN,
    Limits,
    Run,
    compile_verifier,
    defines,
    execute,
    verifier_arguments,
    verifier_options,
    write_model,
)
from .subject import Subject
from .trail import Trail, parameters_of

SECONDS = 60.0  # for each attempt to shorten
ORDERS = 40  # in which cycles are looked for


def find(run: Run, subject: Subject, limits: Limits) -> tuple[Program, Trail]:
    """The shortest trail to what a search found."""
    search = run.search
    directory = search.directory / "trail"
    if "acceptance cycle" in run.failure:
        limits = replace(limits, only=run.violated)
    extra = [*defines(search, subject, limits), "-DHSM_TRACE"]
    options = write_model(search, subject, directory, extra)
    header = directory / "pan.h"
    text = header.read_text()
    variables = globals_of(text)
    (directory / "hsm_world.h").write_text(world_header(variables))
    # SPIN refuses breadth-first search where variables are hidden, for they are not restored. Those of the generated
    # model are written before they are read, within one step.
    header.write_text(
        re.sub(r"^\s*#error cannot use BFS.*hidden.*\n", "", text, flags=re.M)
    )
    trail = directory / f"{subject.world_file}.trail"
    exact = replace(limits, storage="exact")
    base = [f for f in verifier_options(search, exact) if f != "-DNOCOMP"]
    program = Program(subject.checked(search.check))
    reported: Optional[Narration] = None
    shortest = False
    if search.kind == "safety":
        build(directory, [*base, "-DBFS"], options)
        execute(["./pan", "-m1000000", "-w22"], directory, "pan.log", seconds=SECONDS)
        reported = listen(directory, trail, program)
        shortest = reported is not None
    else:
        reported = shortest_cycle(directory, base, options, trail, program, run.depth)
    if reported is None:  # what the search itself found
        if not limits.swarm:
            limits = exact
        else:
            base = verifier_options(search, limits) + swarm.compiler_flags(limits)
        build(directory, base, options)
        command = verifier_arguments(search, limits, run.member)
        execute(command, directory, "pan.log")
        reported = listen(directory, trail, program)
    if reported is None:
        raise Failure(f"{run.name}: the violation was not found again: see {directory}")
    failure = reported.failure or run.failure
    violated = run.violated if limits.only else subject.property_of(failure)
    spec = str(subject.spec)
    world = subject.world(search.check)
    return program, Trail(
        protocol=subject.name,
        spec=spec,
        hash=subject.protocol.hash,
        profile=subject.profile,
        placement=subject.placement.name if subject.placement else None,
        check=search.check,
        engine=search.engine,
        kind=search.kind,
        violated=violated,
        documentation=subject.documentation(violated),
        failure=failure,
        shortest=shortest,
        bounds=search.bounds,
        wire=list(dict.fromkeys(wire.device for wire in world.wires)),
        variables=variables,
        parameters=[
            parameters_of(program.protocol, values) for values in reported.parameters
        ],
        steps=reported.steps,
        loop=reported.loop,
    )


def build(directory: Path, flags: list[str], options: list[str]) -> None:
    what = f"the verifier in {directory}"
    compile_verifier(directory, [*flags, *options], what, ("gcc", "-O1"))


def listen(directory: Path, trail: Path, program: Program) -> Optional[Narration]:
    """Executes the trail a search left."""
    if not trail.exists():
        return None
    _, output = execute(["./pan", "-r"], directory, "replay.log", seconds=SECONDS)
    reported = NarrationReader(program).read(output)
    return reported if reported.steps or reported.failure else None


def shortest_cycle(
    directory: Path,
    base: list[str],
    options: list[str],
    trail: Path,
    program: Program,
    depth: int,
) -> Optional[Narration]:
    """The shortest cycle that searches in several orders find, each hardly deeper than the last one found: as deep, so that
    of equally long ones the plainest is taken, and pan counts its limit from where a claim begins.

    pan's own way, -DREACH with -i, takes paths for cycles that do not close.
    """
    best: Optional[Narration] = None
    build(directory, [*base, "-DT_RAND"], options)
    limit = max(depth, 1000)
    left = SECONDS
    for order in range(1, ORDERS + 1):
        trail.unlink(missing_ok=True)
        arguments = ["./pan", f"-m{limit}", "-w20", "-a", f"-RS{order}"]
        execute(arguments, directory, "pan.log", seconds=left / ORDERS)
        reported = listen(directory, trail, program)
        if reported is not None and reported.loop is not None:
            limit = min(limit, last_depth(trail.read_text()) + 2)
            if best is None or length(reported) < length(best):
                best = reported
                shutil.copy(trail, trail.with_suffix(".best"))
    return best


def length(replayed: Narration) -> tuple[int, int]:
    """What makes one counterexample easier to read than another: fewer steps, then fewer transitions."""
    return len(replayed.steps), sum(len(step.rows) for step in replayed.steps)


def last_depth(trail: str) -> int:
    """Of a trail file of SPIN's: the depth of its last line.

    >>> last_depth("-4:-4:-4\\n1:0:12\\n2:0:14\\n")
    2
    """
    return int(trail.strip().rpartition("\n")[2].partition(":")[0])


def write(
    program: Program, trail: Trail, directory: Path
) -> tuple[list[trail_text.ReplayedStep], dict[str, Path]]:
    """counterexample.txt, .svg and .trail; the text and where they are."""
    replayed = trail_text.TrailReplay(program, trail).steps()
    rows = diagram.rows(trail, replayed)
    paths = {
        kind: directory / f"counterexample.{kind}" for kind in ("txt", "svg", "trail")
    }
    text = trail_text.text(trail, replayed) + "\n" + diagram.text(trail, rows)
    write_all(
        {
            paths["txt"]: text,
            paths["svg"]: diagram_svg.svg(trail, rows),
            paths["trail"]: trail.text(program),
        }
    )
    return replayed, paths


def explain(
    runs: list[Run], subject: Subject, limits: Limits
) -> list[tuple[Trail, list[trail_text.ReplayedStep], dict[str, Path]]]:
    """A counterexample for each property violated, from the smallest search that violates it."""
    chosen: dict[tuple[str, str], Run] = {}
    order = lambda run: (  # noqa: E731
        run.search.kind == "liveness",
        run.engine != "c",
    )
    for run in sorted((r for r in runs if r.errors), key=order):
        chosen.setdefault((run.search.check, run.violated), run)
    result = []
    for (check, violated), run in chosen.items():
        if CHILDREN.stopped:
            break
        program, trail = find(run, subject, limits)
        replayed, paths = write(program, trail, subject.directory / check / violated)
        result.append((trail, replayed, paths))
    return result
