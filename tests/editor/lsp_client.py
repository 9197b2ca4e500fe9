# SPDX-License-Identifier: MIT
"""A small client of the language server: starts it, sends messages, waits for answers. Every wait has a limit."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any, Optional

TOP = Path(__file__).resolve().parents[2]
HSMC = TOP / "gen/bin/hsmc"
LIMIT_SECONDS = 300


class ErrorAnswer(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]
        self.message = error["message"]


class Client:
    """`texts`: what is open, by path, as the client believes it to be."""

    def __init__(self, root: Optional[Path] = None, initialize: bool = True) -> None:
        self.process = subprocess.Popen(
            [str(HSMC), "language-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
        )
        self.messages: "queue.Queue[Any]" = queue.Queue()
        self.texts: dict[Path, str] = {}
        self.diagnostics: dict[str, list[Any]] = {}
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()
        if initialize:
            params: dict[str, Any] = {"processId": None, "capabilities": {}}
            params["rootUri"] = root.as_uri() if root else None
            self.capabilities = self.request("initialize", params)["capabilities"]
            self.notify("initialized", {})

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                break
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    # --- messages

    def raw(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        body = json.dumps(message, ensure_ascii=False).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self) -> Any:
        """The next message; None when the server has ended."""
        message = self.messages.get(timeout=LIMIT_SECONDS)
        if message and message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
        return message

    def ask(self, method: str, params: Any) -> int:
        self.number += 1
        self.send(
            {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        )
        return self.number

    def answer(self, number: Any) -> Any:
        while True:
            message = self.receive()
            assert message is not None, "the server has ended"
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise ErrorAnswer(message["error"])
                return message["result"]

    def request(self, method: str, params: Any) -> Any:
        return self.answer(self.ask(method, params))

    # --- documents

    def open(self, path: Path, text: Optional[str] = None) -> None:
        self.texts[path] = path.read_text() if text is None else text
        document = {"uri": path.as_uri(), "languageId": "hsm", "version": 1}
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {**document, "text": self.texts[path]}},
        )

    def change(self, path: Path, text: str) -> None:
        self.texts[path] = text
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": path.as_uri(), "version": 2},
                "contentChanges": [{"text": text}],
            },
        )

    def close(self, path: Path) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def published(self, path: Path) -> Any:
        """Waits for the next diagnostics of a file."""
        while True:
            message = self.receive()
            assert message is not None, "the server has ended"
            if message.get("method") == "textDocument/publishDiagnostics":
                if message["params"]["uri"] == path.as_uri():
                    return message["params"]["diagnostics"]

    def at(self, path: Path, before: str, behind: str = "") -> dict[str, Any]:
        """The parameters for the place between two texts that stand side by side in the file, once only."""
        text = self.texts[path]
        assert text.count(before + behind) == 1, (before, behind)
        return place(path, text, text.index(before + behind) + len(before))

    def stop(self) -> int:
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.wait()

    def wait(self) -> int:
        status = self.process.wait(timeout=LIMIT_SECONDS)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        return status


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def place(path: Path, text: str, offset: int) -> dict[str, Any]:
    """As the protocol counts, by another way than the server does."""
    lines = text[:offset].split("\n")
    position = {"line": len(lines) - 1, "character": units(lines[-1])}
    return {"textDocument": {"uri": path.as_uri()}, "position": position}


def cut(text: str, range_: dict[str, Any]) -> str:
    """The piece of a text a range covers."""
    return text[_offset(text, range_["start"]) : _offset(text, range_["end"])]


def _offset(text: str, position: dict[str, int]) -> int:
    lines = text.split("\n")
    line = lines[position["line"]].encode("utf-16-le")
    before = line[: 2 * position["character"]].decode("utf-16-le")
    return sum(len(each) + 1 for each in lines[: position["line"]]) + len(before)


def apply(text: str, edits: list[Any]) -> str:
    """The edits of one file, which must not overlap."""
    ends = [
        (_offset(text, e["range"]["start"]), _offset(text, e["range"]["end"]), e)
        for e in edits
    ]
    for start, end, edit in sorted(ends, key=lambda each: each[0], reverse=True):
        text = text[:start] + edit["newText"] + text[end:]
    return text
