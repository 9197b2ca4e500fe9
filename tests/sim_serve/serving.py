# SPDX-License-Identifier: MIT
"""Starts tigonsim serve and talks to it in its own protocol, for the tests of this directory."""

import array
import json
import mmap
import os
import queue
import socket
import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

SANITIZED = Path("build/tests/tigonsim").resolve()
ATTACH = Path("build/tests/tigon_attach").resolve()
IMAGE = Path("build/firmware/emp_a.elf").resolve()
PROGRAMS = Path("build/emp/host.so").resolve()
TIME_LIMIT_SECONDS = 120  # against what hangs; the machine may be busy

MAGIC = int.from_bytes(b"TIGBARD2", "little")
HEADER = struct.Struct("<IHHIiQQ")
HELLO, BOARD, CONFIGURATION_READ, CONFIGURATION_WRITE, READ, WRITE = range(1, 7)
WRITE_BLOCK, POLL, SYNCHRONISE, SPEND, SLEEP, WAIT_INTERRUPT = range(7, 13)
POLL_MEMORY, ALLOCATE, ALLOCATE_PAGES, RESET, FREE_PAGES, GIVE_BACK = range(13, 19)
READ_ROW = 19
MINE, LEFT = 1, 2
INTERRUPT = 256

ONE_BOARD = 'boards = ( { name = "left"; } );\nstop = { time = "2 s"; };\n'
TWO_BOARDS = """boards = ( { name = "left"; }, { name = "right"; } );
wires = ( { between = [ "left", "right" ]; } );
stop = { time = "1 s"; };
"""


def environment() -> dict[str, str]:
    return dict(os.environ, ASAN_OPTIONS="detect_leaks=0")


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}Q", *values)


class Server:
    """A served scenario, its sockets in a directory with a short name."""

    def __init__(self, text: str, *options: str, program: Path = SANITIZED) -> None:
        self.holder = tempfile.TemporaryDirectory(prefix="tigon")
        self.directory = Path(self.holder.name)
        (self.directory / "test.scenario").write_text(text)
        self.process = subprocess.Popen(
            [program, "serve", "test.scenario", "--json=result", *options],
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        self.lines: list[str] = []
        # Read all the time: a full pipe would stop the server.
        self.queue: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.queue.put(line)
        self.queue.put(None)

    def rest(self) -> str:
        """Everything it said, once it has ended."""
        self.process.wait(timeout=TIME_LIMIT_SECONDS)
        self.reader.join()
        while (line := self.queue.get()) is not None:
            self.lines.append(line)
        return "".join(self.lines)

    def wait_for(self, text: str) -> str:
        """Reads what it says up to a line with this text."""
        while (line := self.queue.get(timeout=TIME_LIMIT_SECONDS)) is not None:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"no line with {text!r} in {''.join(self.lines)}")

    def path(self, name: str) -> Path:
        return self.directory / f"{name}.sock"

    def end(self, status: int = 0) -> dict[str, Any]:
        """Stops it unless it ends by itself, and gives its results."""
        self.process.terminate()
        return self.finish(status)

    def finish(self, status: int = 0) -> dict[str, Any]:
        everything = self.rest()
        assert "Sanitizer" not in everything, everything
        assert "runtime error" not in everything, everything
        assert self.process.returncode == status, everything
        result = json.loads((self.directory / "result").read_text())
        assert isinstance(result, dict)
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.holder.cleanup()


class Refused(Exception):
    """A reply with a status other than 0."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status
        self.text = text


class Client:
    """A client in the protocol's own terms."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(TIME_LIMIT_SECONDS)
        self.socket.connect(str(path))
        self.sequence = 0
        self.now_ps = 0
        self.writes = 0
        self.events: list[tuple[int, int]] = []
        self.memory: mmap.mmap | None = None
        self.memory_descriptor = -1
        self.interrupt = -1

    def send(self, kind: int, payload: bytes = b"") -> None:
        self.sequence += 1
        self.socket.sendall(
            HEADER.pack(HEADER.size + len(payload), kind, 0, self.sequence, 0, 0, 0)
            + payload
        )

    def receive_bytes(self, count: int) -> bytes:
        result = b""
        while len(result) < count:
            part = self.socket.recv(count - len(result))
            if not part:
                raise ConnectionResetError
            result += part
        return result

    def reply(self) -> bytes:
        """The payload of the next reply; events before it are kept."""
        while True:
            length, kind, _, sequence, status, now_ps, writes = HEADER.unpack(
                self.receive_bytes(HEADER.size)
            )
            payload = self.receive_bytes(length - HEADER.size)
            if kind == INTERRUPT:
                self.events.append((struct.unpack("<Q", payload)[0], now_ps))
                continue
            self.now_ps, self.writes = now_ps, writes
            if status:
                raise Refused(status, payload.decode())
            assert sequence == self.sequence
            return payload

    def call(self, kind: int, *arguments: int) -> list[int]:
        self.send(kind, words(*arguments))
        payload = self.reply()
        return list(struct.unpack(f"<{len(payload) // 8}Q", payload))

    def write(self, offset: int, value: int, width: int = 4) -> None:
        self.send(WRITE, words(offset, width, value))

    def read(self, offset: int, width: int = 4) -> int:
        return self.call(READ, offset, width)[0]

    def hello(
        self, oldest: int = 1, newest: int = 1, magic: int = MAGIC, features: int = 0
    ) -> list[int]:
        """Attaches: the words of the answer, with host memory mapped."""
        self.send(HELLO, words(magic, oldest, newest, features))
        descriptors = array.array("i")
        space = socket.CMSG_SPACE(2 * descriptors.itemsize)
        header, control, _, _ = self.socket.recvmsg(HEADER.size, space)
        for level, kind, data in control:
            assert (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS)
            descriptors.frombytes(data)
        length, _, _, _, status, self.now_ps, self.writes = HEADER.unpack(header)
        payload = self.receive_bytes(length - HEADER.size)
        if status:
            raise Refused(status, payload.decode())
        self.memory_descriptor, self.interrupt = descriptors
        answer = list(struct.unpack("<13Q", payload))
        self.memory = mmap.mmap(self.memory_descriptor, answer[6])
        return answer

    def gone(self) -> bool:
        """Whether the server has closed the connection."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        if self.memory is not None:
            self.memory.close()
            os.close(self.memory_descriptor)
            os.close(self.interrupt)
        self.memory = None
        self.socket.close()


def attach(path: Path, **arguments: int) -> Client:
    client = Client(path)
    client.hello(**arguments)
    return client
