# SPDX-License-Identifier: MIT
"""Building and running one verifier, and reading what it printed."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Optional, Sequence

from ..backends.model_size import SPIN_LIMITS, TooLarge
from ..failure import Failure
from . import features, state_vector, swarm
from .subject import Search, Subject, shown

# What the generated C checks while it runs (fw-runtime/hsm_checks.h), and the function that it calls: models/spin_support.h.
CHECKED = (
    "-DHSM_CHECKED",
    "-DHSM_CHECK_ABORT=model_check_failed",
    "-DHSM_HOLDS=HOLDS",
    "-DHSM_PREMISE=MODEL_PREMISE",
)

# What the search of a configuration may take before it counts as incomplete.
DEPTH_LIMIT = 4_000_000
MEMORY_LIMIT = 5000  # megabytes
# From so many states on, optimising a verifier takes less time than it saves.
MANY_STATES = {"c": 500_000, "promela": 1_200_000}
# Where the number of states is not known, a verifier that was not optimised runs so long at most. Then it begins again,
# optimised: from this time on, optimising takes less time than it saves.
TRIAL_SECONDS = {"c": 4.0, "promela": 12.0}
NOT_OPTIMISED = ("tcc",)
OPTIMISED = ("gcc", "-Og")

STORAGE = {
    "exact": (),
    "hash-compact": ("-DHC4",),
    "bitstate": ("-DBITSTATE",),
}
PERIODIC = re.compile(
    r"Depth=\s*(\d+) States=\s*([\d.e+]+) Transitions=\s*([\d.e+]+).*?Memory=\s*([\d.]+)\s*t=\s*([\d.]+)"
)


@dataclass(frozen=True)
class Limits:
    depth: int = DEPTH_LIMIT
    megabytes: int = MEMORY_LIMIT
    storage: str = "exact"
    only: Optional[str] = None  # the one property that is asserted
    swarm: int = 0  # so many searches with bit states, each in an order of its own
    minutes: int = 0  # of each of them; 0: as long as it takes


@dataclass
class Sample:
    """What a verifier at work says of itself."""

    states: float
    depth: int
    megabytes: float
    seconds: float

    def __str__(self) -> str:
        rate = self.states / self.seconds if self.seconds else 0.0
        return (
            f"{self.states:.3g} states, {rate:.2g}/s, {self.megabytes:.0f} MB, depth {self.depth}, "
            f"{self.seconds:.0f} s"
        )


@dataclass
class Run:
    """What came of a search."""

    search: Search
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    compile_seconds: float = 0.0
    megabytes: float = 0.0
    errors: int = 0
    failure: str = ""  # in pan's words
    violated: str = ""  # the property
    only: Optional[str] = None  # the one property that was asserted
    incomplete: list[str] = field(default_factory=list)  # why it proves nothing
    not_taken: list[int] = field(default_factory=list)  # numbers of rows
    not_executed: list[str] = field(default_factory=list)  # names, of all else
    together: list[tuple[str, str]] = field(default_factory=list)  # features that met
    cut_short: bool = False  # by time, depth or memory
    member: int = 0  # of a swarm, which found the violation

    @property
    def exhaustive(self) -> bool:
        return not self.incomplete

    @property
    def holds(self) -> bool:
        return not self.errors and self.exhaustive

    @property
    def name(self) -> str:
        return self.search.name

    @property
    def engine(self) -> str:
        return self.search.engine


class Children:
    """Processes at work, so that none outlives an interrupted command."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def add(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.add(child)

    def remove(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.discard(child)

    def stop(self) -> None:
        self.stopped = True
        with self._lock:
            for child in self._running:
                child.terminate()


CHILDREN = Children()


def need_tools() -> None:
    for tool in ("spin", "gcc", "tcc"):
        if shutil.which(tool) is None:
            raise Failure(f"{tool} is not installed: scripts/setup.sh verify")


def execute(
    arguments: Sequence[str],
    directory: Path,
    log: str,
    line: Callable[[str], None] = lambda text: None,
    seconds: Optional[float] = None,
) -> tuple[int, str]:
    """Runs a tool, tells each line of its output, and keeps it in a file. After `seconds`, if given, it is killed."""
    if CHILDREN.stopped:
        raise KeyboardInterrupt
    child = subprocess.Popen(
        list(arguments),
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    CHILDREN.add(child)
    timer = threading.Timer(seconds, child.kill) if seconds is not None else None
    if timer is not None:
        timer.start()
    lines = []
    assert child.stdout is not None
    try:
        for text in child.stdout:
            lines.append(text)
            line(text)
        status = child.wait()
    finally:
        if timer is not None:
            timer.cancel()
        CHILDREN.remove(child)
    output = "".join(lines)
    (directory / log).write_text(output)
    return status, output


def tool(arguments: Sequence[str], directory: Path, log: str, what: str) -> None:
    """A tool that must succeed."""
    status, output = execute(arguments, directory, log)
    if status != 0:
        errors = [
            line for line in output.splitlines() if "rror" in line or "rning" in line
        ]
        excerpt = "\n".join((errors or output.splitlines())[:8])
        raise Failure(
            f"{what} does not compile, see {shown(directory / log)}:\n{excerpt}"
        )


def defines(search: Search, subject: Subject, limits: Limits) -> list[str]:
    result = []
    if search.engine == "c":
        result.append("-DENGINE_C")
    if search.kind == "liveness":
        result.append("-DLIVENESS")
    if limits.only is not None:
        for other in (*subject.protocol.properties,):
            if other.name != limits.only:
                result.append(f"-Dhsm_off_{other.name}=1")
    return result


def write_model(
    search: Search, subject: Subject, directory: Path, extra: Sequence[str]
) -> list[str]:
    """Makes pan.c in an empty directory; the options to compile it with."""
    paths = subject.generated(search.check, search.kind)
    include = [f"-I{path.absolute()}" for path in paths]
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    world = paths[1] / subject.world_file
    shutil.copy(world, directory / world.name)
    # In files, for spin takes a command of limited length, and paths may be long.
    definitions = [
        option.removeprefix("-D").partition("=")
        for option in extra
        if option.startswith("-D")
    ]
    text = "".join(f"#define {name} {value or 1}\n" for name, _, value in definitions)
    (directory / "options.h").write_text(text)
    options = [*include, "-include", "options.h"]
    (directory / "options").write_text("\n".join(map(quoted_option, options)) + "\n")
    preprocessor = "gcc -std=gnu99 -E -x c @options"
    command = ["spin", f"-P{preprocessor}", "-a", world.name]
    if search.engine == "promela":
        subject.need_room(search.check, search.kind)
    try:
        tool(command, directory, "spin.log", f"world {world.name} with {search.name}")
    except Failure as failure:
        said = [limit for limit in SPIN_LIMITS if limit in str(failure)]
        if not said or search.engine != "promela":
            raise
        message = f"SPIN says '{said[0]}', see {shown(directory / 'spin.log')}"
        place = subject.protocol.place
        subject.no_room(search.check, TooLarge(place, message))
    if not (directory / "pan.c").exists():
        raise Failure(
            f"spin made no verifier of {world}: see {shown(directory / 'spin.log')}"
        )
    state_vector.quicken(directory)
    return [*include, *extra]


def compile_verifier(
    directory: Path, flags: Sequence[str], what: str, compiler: Sequence[str]
) -> None:
    """Makes pan of pan.c, which write_model wrote."""
    command = [*compiler, *flags, "-o", "pan", "pan.c", *state_vector.LINKED]
    tool(command, directory, "cc.log", what)


def compiler_of(search: Search, states: int) -> tuple[str, ...]:
    """What compiles a verifier soonest done, which will store about so many states.

    tcc takes less than 0.1 s. gcc -Og takes 2.3 s for the C engine, which then runs 2.3 times as fast; for the Promela, which
    expands to much more C, up to 7 s, and that runs twice as fast. -O1 takes half as long again, and gains at most a tenth.
    """
    return OPTIMISED if states >= MANY_STATES[search.engine] else NOT_OPTIMISED


def quoted_option(option: str) -> str:
    """As gcc reads it from a file named with @."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def verifier_options(search: Search, limits: Limits) -> list[str]:
    result = [
        "-w",
        "-fwrapv",
        "-DNOREDUCE",
        "-DVECTORSZ=4096",
        "-DNOFAIR",
        f"-DMEMLIM={limits.megabytes}",
        *STORAGE[limits.storage],
        *(CHECKED if search.engine == "c" else ()),
    ]
    # Nearly all of a vector is state, so masking it only costs time; the search for cycles needs it all the same, and so
    # does what keeps less than the vector.
    if search.kind == "liveness":
        return [*result, "-DNP_OFF"]
    return [*result, "-DSAFETY", *(["-DNOCOMP"] if limits.storage == "exact" else [])]


def verifier_arguments(search: Search, limits: Limits, member: int) -> list[str]:
    """The command of a verifier; `member`: of a swarm, if there is one."""
    table = "-w30" if limits.storage == "bitstate" else "-w22"
    result = ["./pan", f"-m{limits.depth}", table, *swarm.arguments(limits, member)]
    return result + (["-a"] if search.kind == "liveness" else [])


def run_search(
    search: Search,
    subject: Subject,
    limits: Limits = Limits(),
    quick: bool = False,
    sample: Callable[[Sample], None] = lambda sample: None,
    states: Optional[int] = None,
) -> Run:
    """Compiles and runs one verifier, which will store so many `states`, if that is known. `quick`: without optimising."""
    run = Run(search, only=limits.only)
    directory = search.directory
    started = time.monotonic()
    extra = defines(search, subject, limits)
    known = features.known(subject)
    if known is not None:
        extra += [f"-DMODEL_FEATURES={len(known.all)}", "-I."]
    options = write_model(search, subject, directory, extra)
    if known is not None:
        (directory / "model_features.h").write_text(known.header(search, subject))
    flags = [*verifier_options(search, limits), *swarm.compiler_flags(limits), *options]
    what = f"the verifier of {search.name}"
    compiler = OPTIMISED if limits.swarm else compiler_of(search, states or 0)
    compile_verifier(directory, flags, what, compiler)
    run.compile_seconds = time.monotonic() - started
    trial = states is None and not quick and not limits.swarm
    limit = TRIAL_SECONDS[search.engine] if trial else None
    started = time.monotonic()

    def line(text: str) -> None:
        found = PERIODIC.match(text)
        if found:
            states, depth = float(found[2]), int(found[1])
            sample(Sample(states, depth, float(found[4]), float(found[5])))

    members: list[Run] = []
    for member in range(1, max(limits.swarm, 1) + 1):
        one = run if not limits.swarm else Run(search, only=limits.only)
        arguments = verifier_arguments(search, limits, member)
        status, output = execute(arguments, directory, "pan.log", line, limit)
        if limit is not None and status == -signal.SIGKILL:
            compile_verifier(directory, flags, what, OPTIMISED)
            run.compile_seconds += time.monotonic() - started
            started = time.monotonic()
            status, output = execute(arguments, directory, "pan.log", line)
        interpret(one, output, status, subject, limits)
        members.append(one)
        if one.errors:
            break
    run.seconds = round(time.monotonic() - started, 2)
    run.compile_seconds = round(run.compile_seconds, 2)
    if limits.swarm:
        swarm.merge(run, members)
    if "acceptance cycle" in run.failure:
        name_cycle(run, subject, limits, quick)
    return run


def name_cycle(run: Run, subject: Subject, limits: Limits, quick: bool) -> None:
    """SPIN does not say which liveness property a cycle violates: the first that alone is violated, too."""
    names = [p.name for p in subject.protocol.properties if p.kind == "liveness"]
    if limits.only is not None:
        run.violated = limits.only
    for name in names if limits.only is None and len(names) > 1 else ():
        alone = run_search(run.search, subject, replace(limits, only=name), quick)
        if alone.errors:
            run.violated = name
            return


# What pan prints at its end, in any case.
FIGURES = {
    "states": r"([0-9.e+]+) states, stored",
    "transitions": r"([0-9.e+]+) transitions",
    "depth": r"depth reached ([0-9]+)",
    "megabytes": r"([0-9.]+)\s+(?:total actual memory usage|memory usage)",
    "errors": r"errors: ([0-9]+)",
}
MESSAGE = re.compile(r"pan(?::[0-9]+)?: (.*?)(?: \(at depth (\d+)\))?$", re.MULTILINE)


def interpret(
    run: Run, output: str, status: int, subject: Subject, limits: Limits
) -> None:
    """Reads what pan printed. Anything it did not print counts against the run."""
    figures = {
        name: int(float(found[1]))
        for name, pattern in FIGURES.items()
        if (found := re.search(pattern, output))
    }
    missing = [name for name in FIGURES if name not in figures]
    run.states = figures.get("states", 0)
    run.transitions = figures.get("transitions", 0)
    run.depth = figures.get("depth", 0)
    run.megabytes = float(figures.get("megabytes", 0))
    run.errors = figures.get("errors", 0)
    message = MESSAGE.search(output)
    failure = message.group(1) if message else ""
    if "max search depth too small" in output:
        run.incomplete.append(f"the depth limit of {limits.depth} steps was reached")
    if "MEMLIM" in output or "out of memory" in output:
        run.incomplete.append(
            f"the memory limit of {limits.megabytes} MB was reached after {run.states} states"
        )
    if limits.storage == "hash-compact":
        run.incomplete.append("hash compaction: states may have been taken for others")
    if limits.storage == "bitstate":
        run.incomplete.append("bitstate hashing: states may have been missed")
    ended = not missing and status == 0
    run.cut_short = not ended or "Search not completed" in output
    run.cut_short |= "max search depth too small" in output
    if not ended and not run.incomplete:
        unsaid = f" and did not say its {', '.join(missing)}" if missing else ""
        run.incomplete.append(
            f"the verifier ended with status {status}{unsaid}: see pan.log"
        )
    if not run.errors and not run.incomplete:
        if "Search not completed" in output:
            run.incomplete.append("the search was not completed")
        elif run.states == 0:
            run.incomplete.append("no states were stored")
    if run.errors:
        run.failure = failure or "the verifier stopped: see pan.log"
        run.violated = subject.property_of(run.failure)
    elif run.incomplete:
        run.failure = "; ".join(run.incomplete)
    # A list that is missing is not an empty one.
    not_taken = re.search(r"^transitions not taken:(.*)", output, re.MULTILINE)
    not_executed = re.search(r"^not executed:(.*)", output, re.MULTILINE)
    if not_taken and not_executed:
        run.not_taken = [int(text) for text in not_taken.group(1).split()]
        executions = subject.executions(run.search.check)
        numbers = [int(text) for text in not_executed.group(1).split()]
        run.not_executed = [executions[number].name for number in numbers]
        known = features.known(subject)
        together = re.search(r"^together:(.*)", output, re.MULTILINE)
        if known is not None and together:
            words = [int(text, 16) for text in together.group(1).split()]
            run.together = known.together(words)
    elif run.holds:
        run.incomplete.append(
            "the verifier did not say what it has not executed: see pan.log"
        )
        run.failure = run.incomplete[0]
