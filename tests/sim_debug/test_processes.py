# SPDX-License-Identifier: MIT
"""The debugger's processes end with the one that the user started, whatever they were about."""

import os
import re
import signal as signals
import socket
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest

from tests.sim_debug.gdb_session import Session, Sessions

DEBUGGED = ["build/tests/debugged", "-g", "SOCKET", "-s", "1000", "-n", "8"]
SOON_SECONDS = 5.0  # they end in milliseconds; the machine may be busy
STEPS = 400  # at a cycle or more each: several snapshots of 1 us


class Line:
    """A debugger that says only what it is told to, and sees when nobody is left at the other end."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(SOON_SECONDS)
        until = time.monotonic() + SOON_SECONDS
        while self.socket.connect_ex(str(path)) != 0:  # there, but not listening yet
            assert time.monotonic() < until, "nobody listens"
            time.sleep(0.01)
        self.bytes = b""
        self.ask("QStartNoAckMode")
        self.socket.sendall(b"+")

    def send(self, text: str) -> None:
        self.socket.sendall(f"${text}#{sum(text.encode()) & 0xFF:02x}".encode())

    def ask(self, text: str) -> str:
        self.send(text)
        while not (reply := re.search(rb"\$([^#]*)#..", self.bytes)):
            more = self.socket.recv(4096)
            assert more, f"nobody is left to answer {text}"
            self.bytes += more
        self.bytes = self.bytes[reply.end() :]
        return reply[1].decode()

    def closes(self) -> bool:
        """Whether the other end closes soon; what it says before that does not matter."""
        self.socket.settimeout(SOON_SECONDS)
        try:
            while self.socket.recv(4096):
                pass
        except TimeoutError:
            return False
        except ConnectionResetError:
            pass
        return True


@pytest.fixture
def session(sessions: Sessions) -> Session:
    return sessions.start(*DEBUGGED)


@pytest.fixture
def line(session: Session) -> Iterator[Line]:
    """At a place with snapshots behind it, which was reached from one of them."""
    line = Line(session.socket)
    for _ in range(STEPS):
        assert line.ask("vCont;s:1").startswith("T05")
    assert line.ask("bs").startswith("T05")
    # The one that the user started, the live one, and snapshots.
    assert len(session.processes()) >= 6
    yield line
    line.socket.close()


def status(process: int) -> list[str]:
    """State, parent and so on, as in proc(5)."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def parent(process: int) -> int:
    """0 of one that has ended since it was listed."""
    try:
        return int(status(process)[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def children(process: int, session: Session) -> list[int]:
    family = map(int, session.processes())
    return [child for child in family if parent(child) == process]


def soon(condition: Callable[[], bool]) -> bool:
    until = time.monotonic() + SOON_SECONDS
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


def all_end(session: Session) -> bool:
    """Zombies have ended: whether somebody waits for them is not up to them."""
    return soon(lambda: not session.processes())


def send(signal: signals.Signals, processes: list[int]) -> None:
    """And waits until it has had its effect."""
    wanted = "Z" if signal == signals.SIGKILL else "T"

    def reached(process: int) -> bool:
        try:
            return status(process)[0] == wanted
        except (FileNotFoundError, ProcessLookupError):
            return True  # it has ended, and its parent has waited for it

    assert processes
    for process in processes:
        os.kill(process, signal)
    assert all(soon(lambda: reached(each)) for each in processes)


@pytest.mark.parametrize("doing", ["", "vCont;c", "bs"])
def test_killed_and_not_waited_for(session: Session, line: Line, doing: str) -> None:
    """A zombie can still be sent signals: that it can says nothing about whether it lives."""
    if doing:
        line.send(doing)
    session.program.send_signal(signals.SIGKILL)
    closed, ended = line.closes(), all_end(session)
    assert status(session.program.pid)[0] == "Z", "somebody waits for it"
    assert closed and ended, session.processes()


def live_one(session: Session, line: Line) -> int:
    """Who runs the world, once it has made snapshots of its own: the others have no children, or are about to end."""
    for _ in range(STEPS):
        line.ask("vCont;s:1")

    def with_children() -> list[int]:
        older = children(session.program.pid, session)
        return [child for child in older if children(child, session)]

    assert soon(lambda: len(with_children()) == 1)
    return with_children()[0]


def test_snapshots_killed(session: Session, line: Line) -> None:
    """Children of the live process are zombies from then on; those of the supervisor are forgotten."""
    live = live_one(session, line)
    send(signals.SIGKILL, children(live, session))
    assert line.ask("bs").startswith("T05")  # from an older one
    live = live_one(session, line)
    older = children(session.program.pid, session)
    send(
        signals.SIGKILL,
        [*children(live, session), *(each for each in older if each != live)],
    )
    assert "replaylog:begin" in line.ask("bs")
    assert line.ask("vCont;s:1").startswith("T05")


def test_snapshots_killed_and_not_waited_for(session: Session, line: Line) -> None:
    """Those of the supervisor are zombies, and it has not noticed: a busy machine lets it run late."""
    live = live_one(session, line)
    older = children(session.program.pid, session)
    send(signals.SIGSTOP, [session.program.pid])
    send(
        signals.SIGKILL,
        [*children(live, session), *(each for each in older if each != live)],
    )
    assert "replaylog:begin" in line.ask("bs")
    session.program.send_signal(signals.SIGCONT)
    assert line.ask("vCont;s:1").startswith("T05")


def test_snapshot_killed_on_its_way(session: Session, line: Line) -> None:
    """Who told it to go on has ended: nobody is left, and the user gets to know."""
    live = live_one(session, line)
    newest = children(live, session)  # one of them is told; older ones sleep on
    send(signals.SIGSTOP, newest)
    line.send("bs")
    assert soon(lambda: not Path(f"/proc/{live}").exists())
    send(signals.SIGKILL, newest)
    closed, ended = line.closes(), all_end(session)
    assert closed and ended, session.processes()
    assert session.program.wait(SOON_SECONDS) != 0
