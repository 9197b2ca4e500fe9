# SPDX-License-Identifier: MIT
"""A language server on two streams: JSON-RPC by pylsp_jsonrpc, one request after the other.

A thread reads messages into a queue; this one takes them out. Requests are answered in order, at once. Diagnostics are
computed when nothing has come for a moment, those of the checks a little later, so that typing is not slowed down. A
request cancelled while it waits in the queue is skipped.
"""

from __future__ import annotations

import json
import logging
import queue
import sys
import threading
from typing import Any, BinaryIO, Callable, Optional

from pylsp_jsonrpc.dispatchers import MethodDispatcher
from pylsp_jsonrpc.endpoint import CANCEL_METHOD, Endpoint
from pylsp_jsonrpc.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
)
from pylsp_jsonrpc.streams import JsonRpcStreamReader, JsonRpcStreamWriter

from .features import Features
from .positions import Json

log = logging.getLogger(__name__)

QUIET_SECONDS = 0.1  # then the spec is compiled
LONG_QUIET_SECONDS = 0.7  # then its checks
MESSAGE_LIMIT_BYTES = 64 << 20
HEADER_LIMIT_BYTES = 4096
NOT_INITIALIZED = -32002
END = object()


class Reader(JsonRpcStreamReader):
    """As the library's, but it survives headers in any order, headers that are none, and bodies that are no JSON."""

    def listen(self, message_consumer: Callable[[Any], None]) -> None:
        while True:
            body = self._read_message()
            if body is None:
                return
            try:
                message = json.loads(body)
            except (ValueError, RecursionError):
                message_consumer(None)
            else:
                message_consumer(message)

    def _read_message(self) -> Optional[bytes]:
        """The next body; None at the end of the stream."""
        length = -1
        while True:
            line: bytes = self._rfile.readline(HEADER_LIMIT_BYTES)
            if not line:
                return None
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                try:
                    length = int(value)
                except ValueError:
                    length = -1
            elif not line.strip() and 0 <= length <= MESSAGE_LIMIT_BYTES:
                body: bytes = self._rfile.read(length)
                return body if len(body) == length else None


class Server(MethodDispatcher):
    """The life of a connection; what it can do stands in features.py."""

    def __init__(self, output: BinaryIO) -> None:
        self._writer = JsonRpcStreamWriter(output)
        self.endpoint = Endpoint(self, self._writer.write)
        self.features = Features(self.endpoint.notify)
        self.initialized = False
        self.stopped = False  # by `shutdown`
        self.exited = False

    # --- messages

    def serve(self, stream: BinaryIO) -> int:
        """Gives the exit status: 0 when the client said `shutdown` before it left."""
        messages: "queue.Queue[Any]" = queue.Queue()
        cancelled: set[Any] = set()

        def receive(message: Any) -> None:
            if isinstance(message, dict) and message.get("method") == CANCEL_METHOD:
                params = message.get("params")
                if isinstance(params, dict) and isinstance(
                    params.get("id"), (int, str)
                ):
                    cancelled.add(params["id"])
            else:
                messages.put(message)

        def listen() -> None:
            try:
                Reader(stream).listen(receive)
            except (OSError, ValueError):
                log.exception("the connection broke")
            messages.put(END)

        threading.Thread(target=listen, daemon=True).start()
        while not self.exited:
            try:
                message = messages.get(timeout=self._quiet())
            except queue.Empty:
                self.features.publish(checks=not self.features.waiting)
                continue
            if message is END:
                break
            self._handle(message, cancelled)
        return 0 if self.stopped else 1

    def _quiet(self) -> Optional[float]:
        """After how many seconds without a message there is something to do."""
        if self.features.waiting:
            return QUIET_SECONDS
        return LONG_QUIET_SECONDS if self.features.unchecked else None

    def _handle(self, message: Any, cancelled: set[Any]) -> None:
        if not isinstance(message, dict) or not _well_formed(message):
            error = JsonRpcParseError() if message is None else JsonRpcInvalidRequest()
            self._refuse(None, error)
            return
        number = message.get("id")
        is_request = "id" in message and "method" in message
        if is_request and number in cancelled:
            cancelled.discard(number)
            self._refuse(number, JsonRpcRequestCancelled())
            return
        if is_request and self.stopped:
            self._refuse(number, JsonRpcInvalidRequest("the server is shut down"))
            return
        if is_request and not self.initialized and message["method"] != "initialize":
            error = JsonRpcException("initialize comes first", NOT_INITIALIZED)
            self._refuse(number, error)
            return
        try:
            self.endpoint.consume(message)
        except Exception:  # a notification has no answer that could carry the error
            log.exception("message not understood")

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        self._writer.write({"jsonrpc": "2.0", "id": number, "error": error.to_dict()})

    def __getitem__(self, method: str) -> Callable[[Any], Any]:
        """The handler of a method, here or among the features. Raises KeyError."""
        try:
            found: Callable[[Any], Any] = super().__getitem__(method)
        except KeyError:
            return self.features.handler(method)
        return found

    # --- life

    def m_initialize(self, **params: Any) -> Json:
        self.initialized = True
        return self.features.initialize(params)

    def m_initialized(self, **_params: Any) -> None:
        pass

    def m_shutdown(self, **_params: Any) -> None:
        self.stopped = True

    def m_exit(self, **_params: Any) -> None:
        self.exited = True


def _well_formed(message: Json) -> bool:
    return message.get("jsonrpc") == "2.0" and (
        isinstance(message.get("method"), str)
        and isinstance(message.get("id"), (int, str, type(None)))
        or "method" not in message
        and "id" in message
    )


def serve(stream: BinaryIO, output: BinaryIO) -> int:
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    # Whatever prints must not come between the messages.
    sys.stdout = sys.stderr
    return Server(output).serve(stream)
