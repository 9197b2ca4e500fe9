# SPDX-License-Identifier: MIT
"""The names that generated C gives to what a protocol declares."""

from __future__ import annotations

from . import ir, naming


class CNames:
    """Names in generated C. All begin with the protocol's name, `prefix`; generated helpers end in an underscore. It ends at
    the first underscore, so two protocols in one program never meet: `net` with a process `Link`, and `net_link`. `stem`
    is what names of files begin with.
    """

    def __init__(self, protocol: ir.Protocol) -> None:
        self.stem = naming.plain(protocol.name)
        self.prefix = naming.compact(protocol.name)
        self.capitals = self.prefix.upper()

    def lower(self, *parts: str) -> str:
        return "_".join([self.prefix, *(naming.plain(part) for part in parts)])

    def upper(self, *parts: str) -> str:
        return "_".join([self.capitals, *(naming.upper(part) for part in parts)])

    def struct(self, name: str) -> str:
        return f"struct {self.lower(name)}"

    def handler(self, process: str, event: str) -> str:
        return self.lower("on", process, event)

    def leaf(self, process: str, leaf: str) -> str:
        return self.upper(process, "state", leaf)

    def event(self, process: str, event: str) -> str:
        return self.upper("event", process, event)

    def put(self, process: str, event: str) -> str:
        """The function that raises an event of another processor."""
        return self.lower("put", process, event)

    def releases(self, pool: str) -> str:
        """How often each record of a pool has been released, where messages tell that."""
        return self.lower(pool, "releases")

    def message(self, process: str, event: str) -> str:
        """Of an event that another processor raises."""
        return self.upper("message", process, event)

    def timer(self, timer: ir.Timer) -> str:
        return self.upper("timer", timer.name)

    def scalar(self, kind: ir.Type) -> str:
        """The C type a scalar is stored in."""
        if isinstance(kind, (ir.IntegerType, ir.EnumerationType, ir.ReferenceType)):
            return f"uint{kind.bits}_t"
        if isinstance(kind, ir.BoolType):
            return "bool"
        raise TypeError(f"{kind} is not a scalar")
