#!/usr/bin/python3
"""Model-checks the specs: every `check` of a spec, with both engines, for safety and liveness.

    models/verify.py                       everything, as `make verify`
    models/verify.py --quick               the smallest configurations only, as part of `make test`
    models/verify.py --nightly             the longest ones too, as `make verify-nightly`
    models/verify.py --only emp:one_message:c:safety

The engines are the generated Promela ("promela") and the generated C inside SPIN ("c"); they see the same world
(models/<protocol>_world.pml) and must store the same number of states. Verdicts with their bounds go to
build/verify.json. The exit status is not 0 when a property fails, a search is cut short, or counts differ.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "gen"))

import hsmc  # noqa: E402
from hsmc import backend_c, backend_promela, ir  # noqa: E402

MODELS = ROOT / "models"
SPECS = {"emp": "spec/emp/emp.hsm", "abp": "spec/abp/abp.hsm"}
ENGINES = ("promela", "c")
KINDS = ("safety", "liveness")
FAULTS = "unbounded loss and duplication"

# Longest trail the search keeps; deeper would be reported as an incomplete search.
DEPTH_LIMIT = 4_000_000
PARALLEL_RUNS = 2
MEMORY_LIMIT = 5000  # megabytes for one search


@dataclass
class Run:
    """One search."""

    protocol: str
    check: str
    engine: str
    kind: str
    directory: pathlib.Path
    bounds: dict[str, Any]
    optimise: str
    exhaustive: bool = False
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    compile_seconds: float = 0.0
    megabytes: float = 0.0
    errors: int = 0
    failure: str = ""
    violated: str = ""
    trail: str = ""
    not_taken: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.protocol}:{self.check}:{self.engine}:{self.kind}"


def write(directory: pathlib.Path, files: dict[str, str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (directory / name).write_text(text)


def world_bounds(protocol: ir.Protocol, check: ir.Check, kind: str) -> dict[str, Any]:
    """What a verdict is about. `in_flight_liveness`, where a check has it, bounds the liveness search instead."""
    world = dict(check.world)
    world.pop("nightly", None)
    liveness_bound = world.pop("in_flight_liveness", world["in_flight"])
    if kind == "liveness":
        world["in_flight"] = liveness_bound
    settings = dict(check.settings)
    bounds: dict[str, Any] = {**world}
    if "collection_window" in settings:
        bounds["window"] = settings["collection_window"]
    for parameter in protocol.parameters:
        if parameter.name == "collection_size":
            bounds["collection"] = parameter.default.value
    # A single frame in flight has nothing to change places with.
    reordered = protocol.name == "emp" and bounds["in_flight"] > 1
    bounds["faults"] = FAULTS + ", reordering" if reordered else FAULTS
    return bounds


def prepare(
    name: str, spec: pathlib.Path, build: pathlib.Path
) -> tuple[ir.Protocol, dict[str, ir.Protocol]]:
    """Generates everything; gives the protocol as it stands and under each check."""
    plain = hsmc.compile_spec(str(spec))
    write(build / "model" / name / "c", backend_c.generate(plain))
    checked = {}
    for check in plain.checks:
        protocol = hsmc.compile_spec(str(spec), check=check.name)
        write(build / "model" / name / check.name, backend_promela.generate(protocol))
        checked[check.name] = protocol
    return plain, checked


def command(arguments: list[str], directory: pathlib.Path, log: str) -> str:
    """Runs a tool; its output goes into a file and comes back."""
    result = subprocess.run(
        arguments,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    (directory / log).write_text(result.stdout)
    if result.returncode != 0 and log != "pan.log":
        raise RuntimeError(f"{' '.join(arguments)}\n{result.stdout[-4000:]}")
    return result.stdout


def property_of(message: str, protocol: ir.Protocol) -> str:
    """The property a message of pan's speaks of."""
    for candidate in protocol.properties:
        if re.search(rf"\b{candidate.name}\b", message):
            return candidate.name
    liveness = [p.name for p in protocol.properties if p.kind == "liveness"]
    if "acceptance cycle" in message or "invalid end state" in message:
        return liveness[0] if liveness else "no_deadlock"
    for internal in ("never_event", "pool_exhausted"):
        if internal in message:
            return internal
    return message


def search(run: Run, protocol: ir.Protocol, generated: pathlib.Path) -> Run:
    """Compiles and runs one verifier."""
    directory = run.directory
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    world = f"{run.protocol}_world.pml"
    shutil.copy(MODELS / world, directory / world)
    include = [
        f"-I{generated / run.check}",
        f"-I{MODELS}",
        f"-I{generated / 'c'}",
        f"-I{ROOT}",
    ]
    defines = [f"-DIN_FLIGHT={run.bounds['in_flight']}"]
    if run.engine == "c":
        defines.append("-DENGINE_C")
    if run.kind == "liveness":
        defines.append("-DLIVENESS")
    started = time.monotonic()
    preprocessor = " ".join(["gcc -std=gnu99 -E -x c", *include, *defines])
    command(["spin", f"-P{preprocessor}", "-a", world], directory, "spin.log")
    options = [
        run.optimise,
        "-w",
        "-fwrapv",
        "-DNOREDUCE",
        "-DVECTORSZ=4096",
        "-DNOFAIR",
        f"-DMEMLIM={MEMORY_LIMIT}",
    ]
    # Nearly all of a vector is state, so masking it only costs time; the search for cycles needs it all the same.
    options += ["-DSAFETY", "-DNOCOMP"] if run.kind == "safety" else ["-DNP_OFF"]
    command(
        ["gcc", *options, *include, *defines, "-o", "pan", "pan.c"], directory, "cc.log"
    )
    run.compile_seconds = round(time.monotonic() - started, 2)
    started = time.monotonic()
    arguments = ["./pan", f"-m{DEPTH_LIMIT}", "-w22"]
    if run.kind == "liveness":
        arguments.append("-a")
    output = command(arguments, directory, "pan.log")
    run.seconds = round(time.monotonic() - started, 2)
    interpret(run, output, protocol)
    trail = directory / f"{world}.trail"
    if trail.exists():
        run.trail = os.path.relpath(trail, ROOT)
    return run


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return int(float(found.group(1))) if found else 0


def interpret(run: Run, output: str, protocol: ir.Protocol) -> None:
    """Reads what pan printed. Anything it did not print counts against the run."""
    run.states = number(r"([0-9.e+]+) states, stored", output)
    run.transitions = number(r"([0-9.e+]+) transitions", output)
    run.depth = number(r"depth reached ([0-9]+)", output)
    run.megabytes = float(
        number(r"([0-9.]+)\s+(?:total actual memory usage|memory usage)", output)
    )
    errors = re.search(r"errors: ([0-9]+)", output)
    run.errors = int(errors.group(1)) if errors else 1
    complete = errors is not None and "Search not completed" not in output
    run.exhaustive = (
        complete and "max search depth too small" not in output and run.states > 0
    )
    if run.errors:
        found = re.search(
            r"pan(?::[0-9]+)?: (.*?)(?: \(at depth (\d+)\))?$", output, re.MULTILINE
        )
        run.failure = found.group(1) if found else "the verifier stopped: see pan.log"
        run.violated = property_of(run.failure, protocol)
    elif not run.exhaustive:
        run.failure = "search cut short"
    taken = re.search(r"transitions not taken:(.*)", output)
    if taken:
        run.not_taken = [int(text) for text in taken.group(1).split()]


def report(run: Run) -> str:
    verdict = (
        "ok"
        if run.exhaustive and not run.errors
        else f"FAILED {run.violated or run.failure}"
    )
    bounds = ", ".join(
        f"{key} {value}" for key, value in run.bounds.items() if key != "faults"
    )
    return (
        f"{run.protocol:4} {run.check:14} {run.engine:8} {run.kind:9} {run.states:>10} states  depth {run.depth:>7}  "
        f"{run.seconds:7.2f} s  {run.megabytes:6.0f} MB  {verdict}  ({bounds})"
    )


def explain(run: Run) -> str:
    directory = os.path.relpath(run.directory, ROOT)
    lines = [f"{run.name}: {run.violated or 'incomplete'}: {run.failure}"]
    if run.trail:
        lines.append(f"  trail   {run.trail}")
        lines.append(
            f"  replay  cd {directory} && ./pan -r {run.protocol}_world.pml.trail"
        )
    return "\n".join(lines)


def unequal(runs: list[Run]) -> list[str]:
    """Pairs of engines that did not store the same states."""
    problems = []
    for one in runs:
        for other in runs:
            same = (one.protocol, one.check, one.kind) == (
                other.protocol,
                other.check,
                other.kind,
            )
            if (
                same
                and one.engine < other.engine
                and not one.errors
                and not other.errors
                and one.states != other.states
            ):
                problems.append(
                    f"{one.name} stores {one.states} states, {other.name} {other.states}"
                )
    return problems


def never_taken(runs: list[Run], protocols: dict[str, ir.Protocol]) -> list[str]:
    """Transitions that no configuration of a protocol takes, by name."""
    lines = []
    for name, protocol in protocols.items():
        rows = list(protocol.rows())
        lists = [
            set(run.not_taken)
            for run in runs
            if run.protocol == name and run.engine == "c" and run.exhaustive
        ]
        if lists:
            lines += [
                f"  {rows[index].id}  ({rows[index].place})"
                for index in sorted(set.intersection(*lists))
            ]
    return lines


def as_record(run: Run) -> dict[str, Any]:
    record: dict[str, Any] = {
        "config": f"{run.protocol}/{run.check}",
        "engine": run.engine,
        "kind": run.kind,
        "exhaustive": run.exhaustive,
        "states": run.states,
        "depth": run.depth,
        "seconds": run.seconds,
        "errors": run.errors,
        "bounds": run.bounds,
    }
    if run.failure:
        record.update(failure=run.failure, property=run.violated, trail=run.trail)
    return record


def select(pattern: str, name: str) -> bool:
    """Does `emp:one_message` or `::c:safety` mean the run of this name?

    >>> select("emp::c", "emp:one_message:c:safety"), select("abp", "emp:one_message:c:safety")
    (True, False)
    """
    return all(
        not want or want == have
        for want, have in zip(pattern.split(":"), name.split(":"))
    )


def is_nightly(check: ir.Check) -> bool:
    """Is the check too long for every day? It says so itself: `world nightly = 1`."""
    return bool(dict(check.world).get("nightly", 0))


def verify(
    specs: dict[str, pathlib.Path],
    build: pathlib.Path,
    only: str = "",
    effort: str = "default",
) -> tuple[list[Run], dict[str, ir.Protocol]]:
    """Runs the searches asked for; both engines of one configuration next to each other."""
    runs: list[tuple[Run, ir.Protocol]] = []
    protocols: dict[str, ir.Protocol] = {}
    for name, spec in specs.items():
        plain, checked = prepare(name, spec, build)
        protocols[name] = plain
        for position, check in enumerate(plain.checks):
            for kind in KINDS:
                for engine in ENGINES:
                    bounds = world_bounds(checked[check.name], check, kind)
                    directory = build / "model" / name / check.name / f"{engine}_{kind}"
                    # The Promela expands to so much C that -O2 takes longer than it saves.
                    optimise = "-O2" if engine == "c" else "-O1"
                    if effort == "quick":
                        optimise = "-O0"
                    run = Run(
                        name, check.name, engine, kind, directory, bounds, optimise
                    )
                    wanted = (
                        position == 0
                        if effort == "quick"
                        else effort == "nightly" or only or not is_nightly(check)
                    )
                    if wanted and select(only, run.name):
                        runs.append((run, checked[check.name]))
    with concurrent.futures.ThreadPoolExecutor(PARALLEL_RUNS) as pool:
        done = [
            pool.submit(search, run, protocol, build / "model" / run.protocol)
            for run, protocol in runs
        ]
        finished = []
        for future in done:
            run = future.result()
            print(report(run), flush=True)
            finished.append(run)
    return finished, protocols


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        dest="effort",
        action="store_const",
        const="quick",
        default="default",
        help="the first configuration of each spec only",
    )
    parser.add_argument(
        "--nightly",
        dest="effort",
        action="store_const",
        const="nightly",
        help="also the configurations that are too long for every day",
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="PROTOCOL:CHECK:ENGINE:KIND",
        help="parts may be empty",
    )
    parser.add_argument(
        "--spec",
        metavar="PROTOCOL=FILE",
        help="check this spec in the protocol's world instead",
    )
    parser.add_argument(
        "--build", default="build", help="where everything goes (default: build)"
    )
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    specs = {name: ROOT / path for name, path in SPECS.items()}
    if options.spec:
        name, path = options.spec.split("=", 1)
        specs = {name: pathlib.Path(path).resolve()}
    elif options.only.split(":")[0]:
        specs = {
            name: path
            for name, path in specs.items()
            if name == options.only.split(":")[0]
        }
    started = time.monotonic()
    try:
        runs, protocols = verify(specs, build, options.only, options.effort)
    except hsmc.SpecError as error:
        print(error, file=sys.stderr)
        return 1
    problems = [explain(run) for run in runs if run.errors or not run.exhaustive]
    problems += unequal(runs)
    if options.effort != "quick" and not options.only:
        rows = never_taken(runs, protocols)
        if rows:
            print("transitions no configuration takes:", *rows, sep="\n")
    build.mkdir(parents=True, exist_ok=True)
    name = "verify_quick.json" if options.effort == "quick" else "verify.json"
    (build / name).write_text(
        json.dumps([as_record(run) for run in runs], indent=1) + "\n"
    )
    print(f"{len(runs)} searches, {time.monotonic() - started:.1f} s")
    left_out = [
        f"{protocol.name}/{check.name}"
        for protocol in protocols.values()
        for check in protocol.checks
        if is_nightly(check)
    ]
    if options.effort == "default" and not options.only and left_out:
        print("not run, see `make verify-nightly`:", ", ".join(left_out))
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
    return 1 if problems or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
