# SPDX-License-Identifier: MIT
"""Notes whether this process starts something that runs beside it: a thread, a process, a socket, boards.

Python imports a module of this name at its start, so Python programs that a test starts are watched, too, when this
directory is in PYTHONPATH. Programs in C are judged by the functions that they import. What this rule cannot see: a
program of the system that is not a shell, such as a compiler or make, counts as one that does one thing at a time.
"""

import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

# The file into which every watched process writes what it has started.
VARIABLE = "STRESS_STARTED"
SYSTEM = tuple(map(Path, ("/usr", "/bin", "/sbin")))
EVENTS = (
    "_thread.start_new_thread",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.system",
    "socket.__new__",
)
# In the string tables of a program: what it imports, and the main loop of simulated boards.
FUNCTIONS = re.compile(
    rb"\0(fork|vfork|posix_spawnp?|pthread_create|socket|socketpair|tigon_world_run)\0"
)
SHELL = re.compile(rb"#! */(usr/)?bin/(env )?(ba|da)?sh\b")


def waited_for() -> bool:
    """Whether the process that is about to start is one that subprocess.run or .call waits for."""
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        if frame.f_code.co_name in ("run", "call"):
            if frame.f_globals.get("__name__") == "subprocess":
                return True
    return False


@cache
def starts_something(program: Path, _changed: int) -> bool:
    if any(program.is_relative_to(place) for place in SYSTEM):
        return program.name in ("sh", "bash", "dash")
    contents = program.read_bytes()
    if contents.startswith(b"\x7fELF"):
        return FUNCTIONS.search(contents) is not None
    return SHELL.match(contents) is not None


def found(executable: Any, directory: Any, environment: Any) -> Path | None:
    path = (environment or os.environ).get("PATH")
    name = shutil.which(os.path.join(directory or "", os.fspath(executable)), path=path)
    name = name or shutil.which(os.fspath(executable), path=path)
    return Path(name).resolve() if name else None


def counts(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "subprocess.Popen":
        return event in EVENTS
    if not waited_for():
        return True
    executable, _, directory, environment = arguments
    program = found(executable, directory, environment)
    return program is not None and starts_something(program, program.stat().st_mtime_ns)


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "subprocess.Popen" and event not in EVENTS:
        return
    if (log := os.environ.get(VARIABLE)) and counts(event, arguments):
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{event}\n")


if VARIABLE in os.environ:
    sys.addaudithook(watch)
