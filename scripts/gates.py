#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the gates whose inputs have changed since they passed: what `make gates` runs.

    make gates                      all gates that have not passed with what they depend on as it is now
    make gates AGAIN="kills quiet"  these all the same
    scripts/gates.py --list         only says which would run, and why
    scripts/gates.py kills quiet    only these

The gates, what they depend on and what they print are in scripts/gate_table.py; how contents are compared, in
scripts/gate_inputs.py. docs/gates.json has what became of each: a clone believes it where it says "passed" and the hash is
that of the tree. It is written after each gate, so after an interrupted run the next one does what is left. Commit it with the change.

A gate has passed when its target ends with status 0, each line that it must print is there, and nothing that it
depends on changed meanwhile. Its output is in build/gates/NAME.log. Status 1 when a gate failed, 130 after an interrupt.
"""

from __future__ import annotations

import argparse
import difflib
import functools
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP)]

from scripts.gate_inputs import Contents, digest  # noqa: E402
from scripts.gate_table import Gate, gates  # noqa: E402

RESULTS = Path("docs/gates.json")
WORK = Path("build/gates")
# Nothing else of the caller's environment reaches a gate: SEED=2 or EMP_IMAGE= there would be another one.
ENVIRONMENT = re.compile(r"(PATH|HOME|USER|TERM|LANG|LC_\w+|TMPDIR|(http|https|no)_proxy|CCACHE_\w+)$")  # fmt: skip
PASSED, FAILED = "passed", "failed"

VERSIONS: dict[str, Sequence[str]] = {
    "cc": ("cc", "--version"),
    "clang": ("clang", "--version"),
    "mips gcc": ("mips-linux-gnu-gcc", "--version"),
    "mips ld": ("mips-linux-gnu-ld", "--version"),
    "ragel": ("ragel", "-v"),
    "spin": ("spin", "-V"),
    "tcc": ("tcc", "-v"),
    "qemu": ("qemu-system-x86_64", "--version"),
    "pytest": ("dpkg-query", "-W", "-f", "${Version}", "python3-pytest"),
    "z3": ("dpkg-query", "-W", "-f", "${Version}", "python3-z3"),
}


@functools.cache
def version(tool: str) -> str:
    """In one line; a tool that is missing has none, which differs from all others."""
    if tool == "python":
        return platform.python_version()
    if tool == "machine":
        return platform.machine()
    if tool == "kernel":  # that of the virtual machines, and the headers of the driver
        places = [*Path("/usr/src").glob("linux-headers-*"), *Path("/boot").glob("vmlinuz-*")]  # fmt: skip
        return " ".join(sorted(place.name for place in places))
    try:
        result = subprocess.run(
            VERSIONS[tool], capture_output=True, text=True, check=False
        )
    except OSError:
        return "missing"
    return (result.stdout or result.stderr).split("\n", 1)[0]


@dataclass(frozen=True)
class State:
    """What a gate depends on, as it is now: a hash of all, and one of each of its inputs."""

    hash: str
    inputs: dict[str, str]


def state_of(
    gate: Gate, contents: Contents, tell: Callable[[str], str] = version
) -> State:
    groups = contents.groups(gate.inputs, gate.targets)
    tools = digest(repr([(tool, tell(tool)) for tool in gate.tools]))
    told = digest(repr((gate.make, gate.evidence, gate.never)))
    groups |= {"tools": tools, "how it is run": told}
    inputs = {name: found[:8] for name, found in groups.items()}
    return State(digest(repr(sorted(groups.items()))), inputs)


@dataclass
class Result:
    verdict: str
    figures: str
    hash: str
    minutes: float
    commit: str
    inputs: dict[str, str]


def read(path: Path) -> dict[str, Result]:
    """What cannot be read is not believed."""
    try:
        records = json.loads(path.read_text())
        return {name: Result(**record) for name, record in records.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        print(
            f"gates.py: {path} is damaged, so all gates run: {error}", file=sys.stderr
        )
        return {}


def write(path: Path, results: dict[str, Result], order: Sequence[str]) -> None:
    """A line for each gate. Those that are no more are left out."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(asdict(results[name]))}"
        for name in order
        if name in results
    ]
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    temporary.replace(path)


def reason(
    gate: Gate, state: State, known: Optional[Result], again: Sequence[str]
) -> str:
    """Why it runs; empty when its result is believed."""
    if gate.name in again or gate.target in again:
        return "again"
    if known is None:
        return "has not run"
    if known.verdict != PASSED:
        return "failed before"
    if known.hash == state.hash:
        return ""
    names = [n for n, found in state.inputs.items() if known.inputs.get(n) != found]
    return f"changed: {', '.join(names) or 'its inputs'}"


def commit_of(top: Path) -> str:
    """The last commit, with a + where the tree differs from it."""
    git = ["git", "-C", str(top)]
    last = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )  # fmt: skip
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", ".", f":!{RESULTS}"], capture_output=True, text=True, check=False
    )  # fmt: skip
    if last.returncode != 0:
        return "unknown"
    return last.stdout.strip() + ("+" if changed.stdout.strip() else "")


def judge(gate: Gate, status: Optional[int], output: str) -> tuple[str, str]:
    """Verdict and figures. Status 0 alone is not believed; None says that it did not end."""
    if status is None:
        return FAILED, f"has not ended after {gate.minutes} minutes"
    if status != 0:
        return FAILED, f"make {' '.join(gate.make)}: status {status}"
    if gate.never and (said := re.search(gate.never, output)):
        return FAILED, f"it says '{said[0].strip()}'"
    found = [each.found(output) for each in gate.evidence]
    missing = [each for each, words in zip(gate.evidence, found) if words is None]
    if missing:
        times = f"{missing[0].times} times " if missing[0].times > 1 else ""
        return (
            FAILED,
            f"status 0, but it does not say {times}what matches '{missing[0].line}'",
        )
    return PASSED, "; ".join(words for words in found if words)


def run(gate: Gate, again: bool, log: Path) -> Optional[int]:
    """Its status; None if it hangs. What it started ends with it, also when this ends before."""
    environment = {n: v for n, v in os.environ.items() if ENVIRONMENT.match(n)}
    command = ["make", "--no-print-directory", *gate.make]
    if again:
        command.append(f"AGAIN={gate.target}")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=TOP,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(60 * gate.minutes)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def examine(gate: Gate, state: State, again: bool, work: Path) -> Result:
    log = work / f"{gate.name}.log"
    commit = commit_of(TOP)
    if empty := [name for name, found in state.inputs.items() if not found]:
        words = f"no file is {', '.join(empty)} (scripts/gate_table.py)"
        return Result(FAILED, words, state.hash, 0.0, commit, state.inputs)
    begun = time.monotonic()
    status = run(gate, again, log)
    minutes = round((time.monotonic() - begun) / 60, 1)
    verdict, figures = judge(gate, status, log.read_text(errors="replace"))
    if (
        verdict == PASSED
        and state_of(gate, Contents(TOP, work / "contents.json")).hash != state.hash
    ):
        verdict, figures = FAILED, "what it depends on changed while it ran"
    return Result(verdict, figures, state.hash, minutes, commit, state.inputs)


def table(rows: Sequence[tuple[str, Result, str]]) -> str:
    width = max(len(name) for name, _, _ in rows)
    return "".join(
        f"{name:{width}}  {result.verdict:6}  {result.minutes:6.1f} min  {result.commit:10}  {how:8}  {result.figures}\n"
        for name, result, how in rows
    )


def choose(names: Sequence[str], every: Sequence[Gate]) -> list[str]:
    """Names of gates, or of targets that stand for several."""
    known = [*(gate.name for gate in every), *(gate.target for gate in every)]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            sys.exit(
                f"gates.py: there is no gate {name}. {hint}There are: {', '.join(g.name for g in every)}"
            )
    return list(names)


def every_gate(top: Path) -> list[Gate]:
    return gates(sorted(path.parent.name for path in top.glob("spec/*/*.hsm") if path.stem == path.parent.name))  # fmt: skip


def stop(*_: Any) -> None:
    raise KeyboardInterrupt


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these gates")
    parser.add_argument("--again", default="", metavar="NAMES", help="run these though they have passed")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="run none")
    options = parser.parse_args(arguments)
    every = every_gate(TOP)
    again = choose(options.again.split(), every)
    names = choose(options.names, every)
    chosen = [g for g in every if not names or g.name in names or g.target in names]
    order = [gate.name for gate in every]
    work, path = TOP / WORK, TOP / RESULTS
    signal.signal(signal.SIGTERM, stop)
    rows: list[tuple[str, Result, str]] = []
    interrupted = False
    try:
        for gate in chosen:
            contents = Contents(TOP, work / "contents.json")
            state = state_of(gate, contents)
            contents.save()
            results = read(path)
            known = results.get(gate.name)
            why = reason(gate, state, known, again)
            if not why:
                assert known is not None
                rows.append((gate.name, known, "believed"))
                continue
            print(f"{gate.name}: {why}", end="\n" if options.list else "; ", flush=True)
            if options.list:
                continue
            print(f"runs; {(WORK / gate.name).with_suffix('.log')}", flush=True)
            result = examine(gate, state, gate.name in again or gate.target in again, work)  # fmt: skip
            write(path, {**read(path), gate.name: result}, order)
            rows.append((gate.name, result, "ran"))
            print(f"{gate.name}: {result.verdict}: {result.figures}", flush=True)
    except KeyboardInterrupt:
        interrupted = True
        print("\ninterrupted; the next call goes on here")
    if rows:
        print(f"\n{table(rows)}", end="")
    counts = Counter(result.verdict for _, result, _ in rows)
    left = len(chosen) - len(rows)
    print(
        f"{counts[PASSED]} gates passed, {counts[FAILED]} failed"
        + (f", {left} not run" if left else "")
    )
    if interrupted:
        return 130
    return 1 if counts[FAILED] else 0


if __name__ == "__main__":
    sys.exit(main())
