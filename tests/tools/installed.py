# SPDX-License-Identifier: MIT
"""What `make install` installs, in a directory of its own, and boards that other processes serve it."""

import fcntl
import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from tests.sim_serve.serving import TIME_LIMIT_SECONDS, Server

TOP = Path(__file__).resolve().parents[2]
ROOT = TOP / "build/tests/installed"
PREFIX = ROOT / "usr"
EMP = PREFIX / "bin/emp"
IMAGE = PREFIX / "lib/firmware/emp/emp.bin"
BUILD = TOP / "build/modern"  # the profile of what is installed
PAPER_EMP = TOP / "build/bin/emp"  # of the other profile; not installed
PAPER_IMAGE = TOP / "build/firmware/emp_a.bin"
LEFT, RIGHT = "02:54:47:00:00:00", "02:54:47:00:00:01"

KNOBS = "host_memory_bytes = 268435456;"
WORLD = """boards = ( { name = "left"; knobs = { KNOBS }; },
           { name = "right"; knobs = { KNOBS }; } );
wires = ( { between = [ "left", "right" ]; } );
serve = { boards = ( { board = "left"; socket = "left.sock"; leave = "stay"; wait = false; },
                     { board = "right"; socket = "right.sock"; leave = "stay"; wait = false; } ); };
"""


@cache
def install() -> None:
    """Once for all workers of a run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    ROOT.mkdir(parents=True, exist_ok=True)
    with open(ROOT / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = ROOT / "run"
        if stamp.exists() and stamp.read_text() == run:
            return
        command = ["make", "-s", "install", "PREFIX=/usr", f"DESTDIR={ROOT}"]
        subprocess.run(command, cwd=TOP, env=clean(), check=True)
        stamp.write_text(run)


def clean(**more: str) -> dict[str, str]:
    """An environment without what the make above may have set."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "EMP_"))
    }
    return {**kept, **more}


def compiled(source: Path, target: Path, *options: str, static: bool = False) -> Path:
    """A program outside the tree, built with what pkg-config says of what is installed, and nothing else of ours."""
    install()
    ask = ["pkg-config", "--cflags", "--libs", *(["--static"] if static else [])]
    flags = subprocess.run(
        [*ask, "libemp"],
        env=clean(
            PKG_CONFIG_SYSROOT_DIR=str(ROOT),
            PKG_CONFIG_LIBDIR=f"{PREFIX}/lib/pkgconfig:/usr/lib/x86_64-linux-gnu/pkgconfig",
        ),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    if static:  # pkg-config names the libraries; these two are taken from the archives
        flags = [
            f"{PREFIX}/lib/libemp.a" if flag == "-lemp" else flag for flag in flags
        ]
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
    result = subprocess.run(
        ["gcc", "-std=c11", *warnings, *options, "-o", target, source, *flags],
        cwd=target.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return target


class Boards(Server):
    """Two boards on a wire, served. `profile` is the profile of `emp` and of what it loads."""

    profile = "modern"

    def __init__(
        self,
        *faults: str,
        options: tuple[str, ...] = (),
        profile: str = "modern",
        knobs: str = KNOBS,
    ) -> None:
        install()
        self.profile = profile
        listed = ", ".join(f'"{fault}"' for fault in faults)
        text = WORLD.replace("KNOBS", knobs) + (
            f"faults = ( {listed} );\n" if faults else ""
        )
        super().__init__(text, *options, program=PREFIX / "bin/tigonsim")
        self.wait_for("board right at")

    def name(self, board: str) -> str:
        return f"sim:{self.path(board)}"

    def command(
        self, words: list[str], board: str = "left", **more: str
    ) -> tuple[list[str], dict[str, str]]:
        environment = clean(
            EMP_BOARD=self.name(board), LD_LIBRARY_PATH=f"{PREFIX}/lib", **more
        )
        if self.profile == "modern":
            return [str(EMP), *words], environment
        environment["EMP_IMAGE"] = str(PAPER_IMAGE)
        return [str(PAPER_EMP), *words], environment

    def emp(
        self,
        board: str,
        *words: str | Path,
        status: int = 0,
        stdin: bytes | None = None,
        cwd: Path | None = None,
    ) -> str:
        """Runs `emp WORDS` on a board: what it prints on both streams."""
        command, environment = self.command([str(word) for word in words], board)
        result = subprocess.run(
            command,
            env=environment,
            cwd=cwd,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
        text = result.stdout.decode()
        assert result.returncode == status, f"emp {words}: {result.returncode}\n{text}"
        return text

    def json(self, board: str, *words: str | Path) -> dict[str, Any]:
        found = json.loads(self.emp(board, *words, "--json"))
        assert isinstance(found, dict)
        return found

    def start(
        self, board: str, *words: str | Path, **pipes: Any
    ) -> "subprocess.Popen[bytes]":
        """`emp WORDS` in the background; the caller waits for it."""
        command, environment = self.command([str(word) for word in words], board)
        return subprocess.Popen(command, env=environment, **pipes)

    def start_ready(
        self, board: str, text: str, *words: str | Path, **pipes: Any
    ) -> "subprocess.Popen[bytes]":
        """The same, once it has said `text` on standard error."""
        process = self.start(board, *words, stderr=subprocess.PIPE, **pipes)
        assert process.stderr
        line = process.stderr.readline().decode()
        assert text in line, line
        return process

    def said(self) -> str:
        """What the server has said since it was last read."""
        while not self.queue.empty():
            self.lines.append(self.queue.get() or "")
        return "".join(self.lines)

    def load(self, *words: str | Path) -> None:
        """Both boards run, the link is up."""
        self.emp("left", "load", *words, "--node=0", f"--peer=1={RIGHT}")
        self.emp("right", "load", *words, "--node=1", f"--peer=0={LEFT}", "--wait-link")


def ended(process: "subprocess.Popen[bytes]", status: int = 0) -> str:
    """What a program in the background printed, once it has ended with that status."""
    output, errors = process.communicate(timeout=TIME_LIMIT_SECONDS)
    text = (output or b"").decode(errors="replace") + (errors or b"").decode()
    assert process.returncode == status, text
    return (output or b"").decode(errors="replace")


def endless(path: Path) -> Path:
    """A file that no transfer of these tests completes, however busy the machine is. It takes no space."""
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    return path
