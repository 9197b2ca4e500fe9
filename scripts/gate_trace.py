#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which files of this tree does a gate read that its line in scripts/gate_table.py does not name?

    scripts/gate_trace.py kills            a short run, in a clone below build/gates, watched by strace
    scripts/gate_trace.py --all kills      with its own arguments

A clone is made of the tree as it is, so that everything is built, and what building reads is seen. All gates are traced so
after a change of what they read; `make test-long` traces one. Status 1 when a file is read that is not named.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterable, Sequence

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP)]

from scripts.gate_inputs import files_of, group_of, is_make, matches  # noqa: E402
from scripts.gate_table import Gate  # noqa: E402
from scripts.gates import WORK, every_gate  # noqa: E402

OPENED = re.compile(r"^(\d+) .*\bopen(?:at)?(?:\(| resumed>).* = \d+<([^>]+)>$")
EXECUTED = re.compile(r'^(\d+) +execve\("([^"]+)"')
# Make reads all rules, whatever it makes; set-up is seen as versions of tools. What is known of mutants has hashes
# of its own, made by the scripts of gates. Documents are written, not read, but for those that a gate names.
ALLOWED = ("scripts/setup.sh", "scripts/packages.txt", "LICENSE", "pyproject.toml")


def paths_opened(log: Iterable[str]) -> set[Path]:
    """strace names the file behind each descriptor (-y). Scripts that are executed are opened by their interpreters. Make
    looks through all specs for names of protocols, profiles and placements, whatever it makes.
    """
    programs: dict[str, str] = {}
    found = set()
    for line in log:
        if executed := EXECUTED.match(line):
            programs[executed[1]] = Path(executed[2]).name
        elif opened := OPENED.match(line.rstrip()):
            path = Path(opened[2])
            if path.suffix != ".hsm" or programs.get(opened[1]) not in ("sed", "grep"):
                found.add(path)
    return found


def unnamed(gate: Gate, read: Iterable[str]) -> list[str]:
    """Of files of the tree, those that are no input."""
    return sorted(
        path
        for path in read
        if not is_make(path)
        and path not in ALLOWED
        and not matches(path, "tests/mutants/results_*.json")
        and not matches(path, "scripts/gate*.py")
        and group_of(path, gate.inputs) is None
        and (not path.endswith(".md") or any(matches(path, p) for p in gate.inputs))
    )


def clone(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    for name in files_of(TOP):
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TOP / name, directory / name)


def trace(
    gate: Gate, directory: Path, arguments: Sequence[str]
) -> tuple[int, list[str]]:
    """Status of the gate, and the files of the tree that it read."""
    log = directory.with_suffix(".strace")
    command = ["strace", "-f", "-y", "--seccomp-bpf", "-e", "trace=open,openat,execve", "-o", str(log)]  # fmt: skip
    # LeakSanitizer does not work under strace.
    command += ["make", *gate.make, *arguments, "ASAN_OPTIONS=detect_leaks=0"]
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    status = subprocess.run(
        command, cwd=directory, env=environment, check=False
    ).returncode
    files = set(files_of(TOP))
    with log.open(errors="replace") as lines:
        opened = paths_opened(lines)
    read = [
        name
        for path in opened
        if path.is_relative_to(directory)
        and (name := path.relative_to(directory).as_posix()) in files
    ]
    return status, read


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("name")
    parser.add_argument("arguments", nargs="*", help="for make, after the gate's own")
    parser.add_argument("--all", action="store_true", help="no short run")
    options = parser.parse_args()
    gates = {gate.name: gate for gate in every_gate(TOP)}
    if options.name not in gates:
        sys.exit(f"gate_trace.py: expected one of {', '.join(gates)}")
    gate = gates[options.name]
    directory = TOP / WORK / "trace" / gate.name
    clone(directory)
    arguments = [*(() if options.all else gate.small), *options.arguments]
    status, read = trace(gate, directory, arguments)
    found = unnamed(gate, read)
    shutil.rmtree(directory)
    for path in found:
        print(f"{gate.name} reads {path}, which its line does not name")
    print(f"{gate.name}: status {status}, {len(read)} files read, {len(found)} not named")  # fmt: skip
    return 1 if status or found or not read else 0


if __name__ == "__main__":
    sys.exit(main())
