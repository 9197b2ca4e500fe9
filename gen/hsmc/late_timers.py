# SPDX-License-Identifier: MIT
"""Which rows arm their timers after all else, and so do first what they raise.

To compute a duration takes time. Nothing can tell whether it is computed before or after what a row raises, if that
neither changes what the duration is computed from nor starts or stops a timer, and if no world looks at timers when a
device is called there. Fields are distinguished, records are not.
"""

from __future__ import annotations

from typing import Iterator

from . import ir, walk


class LateTimers:
    """Of a whole protocol."""

    def __init__(self, protocol: ir.Protocol) -> None:
        self._bodies = {f"function {f.name}": f.body for f in protocol.functions}
        self._bodies.update((f"action {a.name}", a.body) for a in protocol.actions)
        self._seen = {d.name for d in protocol.devices if d.timers_seen}
        self._protocol = protocol
        self._rows: dict[tuple[str, str], list[ir.Row]] = {}
        self._parts: dict[tuple[str, str], list[object]] = {}
        for process in protocol.processes:
            for handler in process.handlers:
                event = (process.name, handler.event)
                self._rows.setdefault(event, []).extend(handler.rows)
                self._parts.setdefault(event, []).extend(walk.handler_parts(handler))

    @property
    def rows(self) -> frozenset[int]:
        """The numbers of those rows."""
        return frozenset(r.number for r in self._protocol.rows() if self.in_row(r))

    def in_row(self, row: ir.Row) -> bool:
        """Of the timers that the row arms with a computed duration."""
        computed = [timer.duration for timer in row.armed if timer.computed]
        if not computed or not row.raises:
            return False
        read = {name for node in self._reached(computed) for name in _holders(node)}
        for node in self._reached(row.entry_actions):
            if isinstance(
                node, (ir.Assign, ir.SetBit, ir.Clear, ir.Release, ir.Create)
            ):
                if any(
                    name == changed or name.startswith(f"{changed}.")
                    for changed in _changed(node)
                    for name in read
                ):
                    return False
            elif isinstance(node, ir.DeviceCall):
                if node.device in self._seen:
                    return False
            elif isinstance(node, ir.Raise):
                rows = self._rows.get((node.process, node.event), [])
                if any(each.armed or each.cancelled for each in rows):
                    return False
        return True

    def _reached(self, item: object) -> Iterator[object]:
        """The nodes of statements and expressions, of what they call and of what they raise."""
        pending, seen = [item], set()
        while pending:
            for node in walk.nodes(pending.pop()):
                yield node
                if isinstance(node, ir.Raise):
                    target = f"{node.process}.{node.event}"
                    body: object = self._parts.get((node.process, node.event), [])
                elif isinstance(node, ir.Call):
                    target = f"function {node.function}"
                    body = self._bodies[target]
                elif isinstance(node, ir.ActionCall):
                    target = f"action {node.action}"
                    body = self._bodies[target]
                else:
                    continue
                if target not in seen:
                    seen.add(target)
                    pending.append(body)


def _holders(node: object) -> Iterator[str]:
    """The field or variable that an expression reads."""
    if isinstance(node, ir.RecordField):
        yield f"{node.container}.{node.field}"
    elif isinstance(node, ir.VariableName):
        yield f"{node.process}.{node.name}"


def _changed(node: object) -> Iterator[str]:
    """What a statement changes: a field, a variable, or all of a pool or table."""
    if isinstance(node, ir.Assign):
        target = node.target
        yield from _holders(target.base if isinstance(target, ir.Element) else target)
    elif isinstance(node, ir.SetBit):
        yield from _holders(node.bits)
    elif isinstance(node, ir.Clear):
        yield node.table
    elif isinstance(node, (ir.Release, ir.Create)):
        yield node.pool
