# SPDX-License-Identifier: MIT
"""A headless Chromium, driven through a pipe by the DevTools protocol; it may fetch nothing but files.

    with Browser(profile_directory) as browser:
        browser.open(path, fragment="scenario=...")
        browser.evaluate("document.title")
        assert browser.complaints == []
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Optional
from urllib.parse import quote

CHROMIUM = "/usr/bin/chromium"
TIME_LIMIT_SECONDS = 300.0


class BrowserFailure(Exception):
    """The browser ended, did not answer, or a script in the page threw."""


class Browser:
    """`complaints`: errors on the console, exceptions, requests that failed or went to the network."""

    def __init__(self, profile: Path, width: int = 1200, height: int = 900) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        self.complaints: list[str] = []
        self._number = 0
        self._buffer = b""
        self._events: list[dict[str, Any]] = []

        def pipes() -> None:  # the browser reads file 3 and writes file 4
            os.dup2(to_browser, 103)
            os.dup2(from_browser, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self._process = subprocess.Popen(
            [
                CHROMIUM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--no-first-run",
                "--hide-scrollbars",
                f"--user-data-dir={profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=pipes,
        )
        os.close(to_browser)
        os.close(from_browser)
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self._call(
            "Target.attachToTarget", {"targetId": target, "flatten": True}
        )
        self._session: Optional[str] = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    # --- the protocol

    _session: Optional[str] = None

    def call(self, method: str, parameters: Optional[dict[str, Any]] = None) -> Any:
        """To the page."""
        return self._call(method, parameters or {})

    def _call(self, method: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        message: dict[str, Any] = {
            "id": self._number,
            "method": method,
            "params": parameters,
        }
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserFailure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._event(answer)

    def _message(self) -> dict[str, Any]:
        until = time.monotonic() + TIME_LIMIT_SECONDS
        while b"\0" not in self._buffer:
            rest = until - time.monotonic()
            ready, _, _ = select.select([self._read], [], [], max(rest, 0))
            if not ready:
                raise BrowserFailure("the browser does not answer")
            part = os.read(self._read, 1 << 16)
            if not part:
                raise BrowserFailure("the browser has ended")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        result: dict[str, Any] = json.loads(text)
        return result

    def _event(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method", ""), message.get("params", {})
        self._events.append(message)
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", details["text"])
            self.complaints.append(f"exception: {thrown}")
        elif method == "Runtime.consoleAPICalled":
            if parameters["type"] in ("error", "warning", "assert"):
                texts = [str(a.get("value", "")) for a in parameters["args"]]
                self.complaints.append(f"console: {' '.join(texts)}")
        elif method == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] in ("error", "warning"):
                self.complaints.append(f"{entry['source']}: {entry['text']}")
        elif method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith(("file:", "data:", "about:", "blob:")):
                self.complaints.append(f"asks the network for {address}")
        elif method == "Network.loadingFailed":
            self.complaints.append(f"request failed: {parameters['errorText']}")

    # --- pages

    def open(self, path: Path, fragment: str = "") -> None:
        """Returns when the page is loaded and its scripts have run."""
        mark = f"#{quote(fragment, safe='=')}" if fragment else ""
        # A page that differs in the fragment alone would not be loaded again.
        self.go("about:blank")
        self.go(f"file://{path.resolve()}{mark}")

    def go(self, address: str) -> None:
        self._events.clear()
        result = self.call("Page.navigate", {"url": address})
        if "errorText" in result:
            raise BrowserFailure(f"{address}: {result['errorText']}")
        until = time.monotonic() + TIME_LIMIT_SECONDS
        while not any(e.get("method") == "Page.loadEventFired" for e in self._events):
            if time.monotonic() > until:
                raise BrowserFailure(f"{address} is not loaded")
            self._event(self._message())

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, as JSON."""
        result = self.call(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True},
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", details["text"])
            raise BrowserFailure(f"{expression}: {thrown}")
        return result["result"].get("value")

    def press(self, key: str, code: int, control: bool = False) -> None:
        """A key, as a user would."""
        base = {
            "key": key,
            "windowsVirtualKeyCode": code,
            "modifiers": 2 if control else 0,
        }
        if key == "Enter":
            base["text"] = "\r"
        self.call("Input.dispatchKeyEvent", {**base, "type": "keyDown"})
        self.call("Input.dispatchKeyEvent", {**base, "type": "keyUp"})

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def prefer(self, scheme: str) -> None:
        """light or dark"""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", {"features": [feature]})

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """What is seen, or the whole page."""
        answer = self.call("Page.captureScreenshot", {"captureBeyondViewport": whole})
        path.write_bytes(base64.b64decode(answer["data"]))
