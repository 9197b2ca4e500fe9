# SPDX-License-Identifier: MIT
"""GDB sessions with simulated boards."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Sequence


GDB = ["gdb-multiarch", "-nx", "-batch"]
IMAGE = "build/firmware/emp_a.elf"
TIME_LIMIT_SECONDS = 300  # against programs that hang; the machine may be busy


class Session:
    """A program that waits for GDB on a socket of its own."""

    def __init__(self, command: Sequence[str], directory: Path) -> None:
        self.socket = directory / "gdb"
        arguments = [part.replace("SOCKET", str(self.socket)) for part in command]
        self.program = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        until = time.monotonic() + TIME_LIMIT_SECONDS
        while not self.socket.exists() and self.program.poll() is None:
            assert time.monotonic() < until, "the program does not listen"
            time.sleep(0.01)

    def gdb(self, commands: Sequence[str], image: str = IMAGE) -> str:
        """What GDB prints for the commands, after it has attached."""
        arguments = [*GDB, "-ex", "set pagination off", "-ex", "set width 0"]
        for line in (f"file {image}", f"target remote {self.socket}", *commands):
            arguments += ["-ex", line]
        result = subprocess.run(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return result.stdout

    def end(self) -> tuple[int, str, str]:
        """Status, output and errors of the program, which must end by itself."""
        output, errors = self.program.communicate(timeout=TIME_LIMIT_SECONDS)
        assert not self.processes(), "a snapshot has outlived the program"
        return self.program.returncode, output, errors

    def processes(self) -> list[str]:
        """Those that have our socket among their arguments and have not ended."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if str(self.socket).encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                pass
        return found

    def close(self) -> None:
        """Ends what is left of it, also when its processes do not end with the program as they should."""
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait(timeout=TIME_LIMIT_SECONDS)
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        self.program.communicate(timeout=TIME_LIMIT_SECONDS)


class Sessions:
    """Starts sessions and ends what is left of them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.open: list[Session] = []

    def start(self, *command: str) -> Session:
        place = self.directory / str(len(self.open))
        place.mkdir()
        session = Session(command, place)
        self.open.append(session)
        return session


def values(output: str) -> list[str]:
    """Of GDB's `print`, in order."""
    return re.findall(r"^\$\d+ = (.*)$", output, re.MULTILINE)
