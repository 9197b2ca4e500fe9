# SPDX-License-Identifier: MIT
"""What becomes of mutants of a spec: the compiler refuses them, or a named property is violated, or they survive.

Each is searched as generated C in the configurations in which the spec itself holds, those with few states first. What
a search finds depends on the generated text and on what is compiled and called with it, and is cached under the hash of
all that: changes that do not reach it cost nothing. What became of each mutant may stand in a file, too (known_mutants.py).
"""

from __future__ import annotations

import ast
import concurrent.futures
import functools
import json
import multiprocessing
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Callable, Optional, Sequence

from .. import ir
from ..failure import Failure
from ..files import write_all
from ..compilation.compiler import Compilation
from ..testing.mutation import Mutant
from ..report import SpecError
from ..walk import nodes, row_parts
from .known_mutants import Known, KnownSpec, digest
from .search import Limits, Run, run_search
from .subject import KINDS, TOP, Search, Subject

# What one search may take; both are limits of states, not of time, so that a result does not depend on the machine.
LIMITS = Limits(depth=1_000_000, megabytes=700)
# The compiler says that such a text is no spec at all: not a mutant.
MALFORMED = re.compile(r"HSM0[123]0\d|HSM021\d|HSM031[0-4]")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# Where rows and checks stand in the spec, for people; and a hash of the spec's text.
PLACE = re.compile(r'"[\w./]+\.hsm:\d+"')
CHECK_PLACES = re.compile(r"\bcheck_places\[\] = \{.*?\};", re.DOTALL)
PROTOCOL_HASH = re.compile(r"(_PROTOCOL_HASH\s+)0x[0-9a-f]+u?")
# What the generated C itself makes sure of.
STATIC_ASSERTION = re.compile(r'static assertion failed: "(.*?)"')
STEPS = re.compile(r"\(at depth (\d+)\)")

KILLED = ("property", "compiler")


@dataclass
class Found:
    """What one search found."""

    search: str
    states: int = 0
    violated: str = ""
    steps: int = 0
    incomplete: str = ""


@dataclass
class Outcome:
    """`fate`: compiler, property, survived, same (the same C), unreached, malformed, or broken (a tool failed)."""

    name: str
    operator: str
    place: str
    fate: str
    by: str = ""  # number of a diagnostic, name of a property, message of a tool
    found: list[Found] = field(default_factory=list)
    same_states: bool = False
    difference: str = ""
    known: Optional[Known] = None  # what a later run may believe

    @property
    def killed(self) -> bool:
        return self.fate in KILLED

    @property
    def named(self) -> bool:
        """Is what was violated a property with a name?"""
        return re.fullmatch(r"\w+", self.by) is not None

    @property
    def search(self) -> str:
        return self.found[-1].search if self.found else ""


@dataclass
class Baseline:
    """The spec itself: what is searched, in order, with how many states; and what is never executed there."""

    plan: list[tuple[str, str]] = field(default_factory=list)  # check, kind
    states: list[int] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # of a check, hashed
    left_out: list[str] = field(default_factory=list)
    untaken: set[tuple[str, int]] = field(default_factory=set)  # file, line
    unused: set[str] = field(default_factory=set)  # processes
    codes: set[str] = field(default_factory=set)
    known: Optional[KnownSpec] = None  # what a later run may believe


class ResultCache:
    """Results of searches, by hash of all that they depend on. `again`: those of earlier runs are not believed."""

    def __init__(self, directory: Path, again: bool = False) -> None:
        self.directory = directory
        self.again = again

    def read(self, key: str) -> Optional[dict[str, object]]:
        if self.again:
            return None
        try:
            values = json.loads((self.directory / f"{key}.json").read_text())
        except (OSError, ValueError):
            return None
        return values if isinstance(values, dict) else None

    def write(self, key: str, values: dict[str, object]) -> None:
        write_all({self.directory / f"{key}.json": json.dumps(values) + "\n"})


def plain(text: str) -> str:
    """What a generated text says to a machine."""
    text = PROTOCOL_HASH.sub(r"\1", PLACE.sub('""', COMMENT.sub("", text)))
    text = CHECK_PLACES.sub("", text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def generated_text(subject: Subject, check: str) -> str:
    """All that is generated for a check, for both engines, as a hash."""
    texts = []
    worlds = []
    for kind in KINDS:
        own, world, common, *_ = subject.generated(check, kind)
        worlds.append(world)
    for directory in (common, own, *worlds):
        for path in sorted(directory.iterdir()):
            if path.is_file():
                texts.append(f"{path.name}\n{plain(path.read_text())}")
    return digest(*texts)


@functools.cache
def common_text() -> str:
    """What is not generated: what generated C includes, how it is compiled and searched, and by what."""
    paths = [
        *sorted((TOP / "models").glob("*.[ch]")),
        *sorted((TOP / "fw-runtime").glob("*.h")),
    ]
    texts = [f"{path.name}\n{plain(path.read_text())}" for path in paths]
    for name in ("search.py", "state_vector.py", "subject.py"):
        source = (Path(__file__).parent / name).read_text()
        texts.append(ast.dump(ast.parse(source)))
    for command in (["spin", "-V"], ["gcc", "-dumpfullversion"], ["tcc", "-v"]):
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        texts.append(said.stdout)
    return digest(*texts)


def key_of(search: Search, text: str, common: str, limits: Limits = LIMITS) -> str:
    """Of all that a search depends on; `text` is all that is generated for its check."""
    bounds = repr((search.engine, search.kind, sorted(search.bounds.items()), limits))
    return digest(text, common, bounds)


def searched(
    subject: Subject,
    search: Search,
    text: str,
    cache: ResultCache,
    common: str,
    limits: Limits = LIMITS,
) -> tuple[Found, list[int]]:
    """From the cache, or by searching; `text` is all that is generated for its check. With it the numbers of rows not
    taken."""
    key = key_of(search, text, common, limits)
    values = cache.read(key)
    if values is None:
        run = run_search(search, subject, limits, quick=True)
        values = {
            "states": run.states,
            "violated": run.violated if run.errors else "",
            "steps": steps_of(run),
            "incomplete": "; ".join(run.incomplete),
            "not_taken": run.not_taken,
        }
        cache.write(key, values)
        shutil.rmtree(search.directory, ignore_errors=True)
    not_taken = values.pop("not_taken")
    assert isinstance(not_taken, list)
    label = f"{search.check} {search.kind}"
    return Found(label, **values), not_taken  # type: ignore[arg-type]


def steps_of(run: Run) -> int:
    if not run.errors:
        return 0
    found = STEPS.search((run.search.directory / "pan.log").read_text())
    return int(found[1]) if found else 0


# --- the spec itself


def measure(
    subject: Subject,
    cache: ResultCache,
    checks: Sequence[str],
    jobs: int,
    step: Callable[[str], None],
    known: Optional[KnownSpec] = None,
) -> Baseline:
    """Searches the spec as it stands, `jobs` searches at a time. Where that takes more than the limits, mutants are not
    searched either. Nothing is searched if `known` is of this spec."""
    common = common_text()
    result = Baseline(
        codes={
            diagnostic.code
            for diagnostic in Compilation(
                subject.spec, profile=subject.profile
            ).diagnostics()
        }
    )
    rows = list(subject.protocol.rows())
    searches = list(subject.searches(checks, engines=["c"]))
    # Here, for compiling a spec is not for two threads at once.
    texts = {
        check: generated_text(subject, check) for check in {s.check for s in searches}
    }

    def one(search: Search) -> tuple[Found, list[int]]:
        step(f"the spec itself: {search.name}")
        return searched(subject, search, texts[search.check], cache, common)

    key = digest(*(key_of(search, texts[search.check], common) for search in searches))
    if known is None or known.key != key:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(one, searches))
        known = known_spec(subject, key, searches, results)
    for (check, kind), states in known.searched:
        result.plan.append((check, kind))
        result.states.append(states)
        result.texts[check] = texts[check]
    result.left_out = known.left_out
    result.known = known
    untaken = set(known.untaken)
    # A row that is written once stands for several transitions, one for each state it holds in.
    taken = {
        (rows[n].place.file, rows[n].place.line)
        for n in range(len(rows))
        if n not in untaken
    }
    result.untaken = {(rows[n].place.file, rows[n].place.line) for n in untaken} - taken
    result.unused = unused_processes(subject)
    return result


def known_spec(
    subject: Subject,
    key: str,
    searches: Sequence[Search],
    results: Sequence[tuple[Found, list[int]]],
) -> KnownSpec:
    """What was found, the searches with few states first."""
    sizes: list[tuple[int, str, str]] = []
    left_out = []
    untaken = set(range(len(list(subject.protocol.rows()))))
    for search, (found, not_taken) in zip(searches, results):
        if found.violated:
            raise Failure(
                f"{search.name}: the spec itself violates {found.violated}", 1
            )
        if found.incomplete:
            left_out.append(f"{search.check} {search.kind}")
            continue
        sizes.append((found.states, search.check, search.kind))
        untaken &= set(not_taken)
    if not sizes:
        raise Failure(f"no search of {subject.spec} fits into the limits", 1)
    order = list(KINDS)
    sizes.sort(key=lambda size: (size[0], order.index(size[2])))
    searched_ = [((check, kind), states) for states, check, kind in sizes]
    return KnownSpec(key, searched_, left_out, sorted(untaken))


def unused_processes(subject: Subject) -> set[str]:
    """Those no world of the protocol ever calls and no other process raises to."""
    called = {timer.process for timer in subject.protocol.timers}
    for world in subject.protocol.worlds:
        called |= {wire.event.process for wire in world.wires}
        called |= {e.process for offer in world.offers for e in offer.events}
    for row in subject.protocol.rows():
        called |= {
            node.process
            for part in row_parts(row)
            for node in nodes(part)
            if isinstance(node, ir.Raise)
        }
    for action in subject.protocol.actions:
        called |= {n.process for n in nodes(action.body) if isinstance(n, ir.Raise)}
    return {process.name for process in subject.protocol.processes} - called


# --- one mutant


@dataclass(frozen=True)
class Task:
    spec: Path
    profile: Optional[str]
    directory: Path  # below which all is made
    mutant: Mutant
    baseline: Baseline
    known: Optional[Known] = None  # what became of it in an earlier run
    again: bool = False  # nothing of earlier runs is believed


def examine(task: Task) -> Outcome:
    mutant, baseline = task.mutant, task.baseline
    outcome = Outcome(mutant.name, mutant.operator, mutant.place, "survived")
    outcome.difference = mutant.difference()
    overlay = {mutant.file.path.resolve(): mutant.text}
    compilation = Compilation(task.spec, overlay, profile=task.profile)
    codes = {diagnostic.code for diagnostic in compilation.diagnostics()}
    new = sorted(codes - baseline.codes)
    if new:
        malformed = any(MALFORMED.fullmatch(code) for code in new)
        outcome.fate = "malformed" if malformed else "compiler"
        outcome.by = new[0]
        return outcome
    if never_executed(mutant, baseline):
        outcome.fate = "unreached"
        return outcome
    directory = task.directory / "work" / digest(mutant.name)
    try:
        search_mutant(task, directory, outcome)
    except (Failure, SpecError) as error:
        failed_assertion = STATIC_ASSERTION.search(str(error))
        outcome.fate = "compiler" if failed_assertion else "broken"
        outcome.by = (
            f"static_assert: {failed_assertion[1]}" if failed_assertion else str(error)
        )
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return outcome


def never_executed(mutant: Mutant, baseline: Baseline) -> bool:
    """Does it differ only in what no search of the spec itself ever comes to? Then the searches are the same."""
    places = {(mutant.file.name, line) for line in mutant.rows}
    rows = bool(places) and places <= baseline.untaken
    return rows or mutant.process in baseline.unused


def search_mutant(task: Task, directory: Path, outcome: Outcome) -> None:
    spec = write_spec(task, directory / "spec")
    subject = Subject(spec, directory / "build", task.profile)
    cache = ResultCache(task.directory / "cache", task.again)
    common = common_text()
    texts: dict[str, str] = {}
    plan = task.baseline.plan

    def key(check: str, kind: str) -> str:
        if check not in texts:
            texts[check] = generated_text(subject, check)
        return key_of(subject.search(check, "c", kind), texts[check], common)

    known = task.known
    if known is not None and not task.again and known.searches <= len(plan):
        if digest(*(key(*each) for each in plan[: known.searches])) == known.key:
            outcome.fate, outcome.by = known.fate, known.by
            outcome.same_states = known.same_states
            if known.search:
                outcome.found = [Found(known.search, steps=known.steps)]
            outcome.known = known
            return
    keys: list[str] = []
    for (check, kind), states in zip(plan, task.baseline.states):
        keys.append(key(check, kind))
        if texts[check] == task.baseline.texts[check]:
            # What is generated is that of the spec, which holds.
            outcome.found.append(Found(f"{check} {kind}", states))
            continue
        search = subject.search(check, "c", kind)
        found, _ = searched(subject, search, texts[check], cache, common)
        if not found.violated and "status" in found.incomplete:
            # The C has left an array and crashed: the Promela says where.
            search = subject.search(check, "promela", kind)
            found, _ = searched(subject, search, texts[check], cache, common)
        outcome.found.append(found)
        if found.violated:
            outcome.fate, outcome.by = "property", found.violated
            break
    if texts == task.baseline.texts:
        outcome.fate, outcome.found = "same", []
    elif outcome.fate == "survived":
        numbers = [found.states for found in outcome.found]
        outcome.same_states = numbers == task.baseline.states
    # A verifier that was ended, perhaps for want of memory, says nothing.
    if not any("status" in found.incomplete for found in outcome.found):
        outcome.known = Known(
            digest(*keys),
            len(keys),
            outcome.fate,
            outcome.by,
            outcome.search,
            outcome.found[-1].steps if outcome.found else 0,
            outcome.same_states,
        )


def write_spec(task: Task, directory: Path) -> Path:
    """All files of the spec, one of them changed."""
    sources = Compilation(task.spec, profile=task.profile).spec.sources
    for source in sources:
        changed = source.name == task.mutant.file.name
        path = directory / source.name
        if directory.resolve() not in path.resolve().parents:
            raise Failure(f"{source.name} lies outside the directory of {task.spec}")
        write_all({path: task.mutant.text if changed else source.text})
    return directory / task.spec.name


# --- all


def examine_all(
    tasks: Sequence[Task], jobs: int, report: Callable[[Outcome, int], None]
) -> list[Outcome]:
    """In order. `report` is called with each outcome and the number of those that are done."""
    context = multiprocessing.get_context("fork")
    results: list[Optional[Outcome]] = [None] * len(tasks)
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = {pool.submit(examine, task): n for n, task in enumerate(tasks)}
        try:
            for done, future in enumerate(
                concurrent.futures.as_completed(futures), start=1
            ):
                outcome = future.result()
                results[futures[future]] = outcome
                report(outcome, done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [outcome for outcome in results if outcome is not None]


def as_record(outcome: Outcome) -> dict[str, object]:
    record = asdict(outcome)
    del record["known"]
    return record
