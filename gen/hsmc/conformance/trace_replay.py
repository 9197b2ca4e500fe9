# SPDX-License-Identifier: MIT
"""Replays an observed run through the reference interpreter.

The trace tells each event with its arguments. The interpreter is given the same ones and must take the same
transitions, call the same devices with the same arguments in the same order, answer with the same verdict, and end in
the same state. Nothing is left open, so the first difference ends the replay: what follows is another history.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Sequence

from .. import ir
from ..backends.exchange import Exchange, Message
from ..interpreter.interpreter import EntryPoint, Node, Program, Value, Verdict
from ..interpreter.node_state import ContractViolation
from .trace_control import Finding
from .trace_file import Item, Run

Numbers = tuple[int, ...]
Step = tuple[str, Numbers]  # ("row", (number, instance)) or (device, arguments)


@dataclass
class Put:
    """A message on its way."""

    message: Message
    numbers: Numbers
    late: bool = False  # its record has been released since it was put


@dataclass
class Call:
    """An event or expiry with what followed until it came back."""

    item: Item
    steps: list[Step]
    lines: list[int]
    verdict: Optional[int] = None
    back: bool = False
    parameters: tuple[Item, ...] = ()  # the host changed meanwhile
    late: bool = False  # a message that came too late for its record


class Replay:
    def __init__(
        self, program: Program, run: Run, exchange: Optional[Exchange] = None
    ) -> None:
        self.program = program
        self.exchange = exchange
        messages = exchange.messages if exchange else ()
        self.messages = {f"{m.process}.{m.event}": m for m in messages}
        self.puts = {m.device: m for m in messages}
        # Messages put and not taken, by the processor that takes them, the oldest first.
        self.queues: dict[str, list[Put]] = {m.receiver: [] for m in messages}
        self.run = run
        self.findings: list[Finding] = []
        self.events = 0
        self.node: Optional[Node] = None
        self.state_compared = False
        kinds = program.log_kinds
        self.device_names = {
            n: name for n, (kind, name) in enumerate(kinds) if kind == "device"
        }
        self.transition = next(
            n for n, (kind, _) in enumerate(kinds) if kind == "transition"
        )
        self.rows_of_pools = [
            process.pool is not None
            for process in program.protocol.processes
            for handler in process.handlers
            for _ in handler.rows
        ]

    def check(self) -> None:
        run = self.run
        if run.begins_midway or any(item.kind == "gap" for item in run.items):
            return  # the state is unknown; the control check says what was lost
        self._start()
        index = self._begun()
        while index < len(run.items) and not self.findings:
            item = run.items[index]
            if item.kind == "parameter":
                self._set(item)
                index += 1
            elif item.kind in ("event", "expiry"):
                call, index = self._call(index)
                if self._taken(call):
                    if call.late:
                        self._compare(call, [], Verdict.IGNORED)
                        self.events += not self.findings
                    else:
                        self._replay(call)
            else:
                self._find(item, f"{self._step_text(item)} outside any event", [])
        if not self.findings and run.idle:
            self._compare_state()

    # --- the board's side

    def _collect(self, index: int, call: Call) -> int:
        """What belongs to a call; the index behind it."""
        items = self.run.items
        while index < len(items):
            item = items[index]
            if item.kind in ("event", "expiry"):
                return index  # came back unseen
            index += 1
            if item.kind == "row":
                _, number, argument = item.numbers
                known = number < len(self.rows_of_pools)
                pooled = known and self.rows_of_pools[number]
                call.steps.append(("row", (number, argument if pooled else 0)))
                call.lines.append(item.line)
            elif item.kind == "device":
                call.steps.append((item.name, item.numbers))
                call.lines.append(item.line)
            elif item.kind == "parameter":
                call.parameters += (item,)
            else:
                call.back = True
                if item.kind == "verdict":
                    call.verdict = item.numbers[0]
                return index
        return index

    def _call(self, index: int) -> tuple[Call, int]:
        call = Call(self.run.items[index], [], [])
        return call, self._collect(index + 1, call)

    def _begun(self) -> int:
        """The start itself: the entry actions of initial states."""
        items = self.run.items
        first = items[0] if items else Item("return", self.run.line, "", ())
        call = Call(Item("start", first.line, "", ()), [], [])
        index = self._collect(0, call)
        assert self.node is not None
        if call.back:
            self._compare(call, self._steps(self.node), Verdict.DONE)
        return index

    # --- the interpreter's side

    def _start(self) -> None:
        try:
            self.node = Node(self.program, self.run.parameters, strict=False)
        except ValueError as error:
            self.findings.append(Finding(self.run.line, f"parameters: {error}", ()))
            self.node = Node(self.program, strict=False)

    def _set(self, item: Item) -> None:
        assert self.node is not None
        try:
            self.node.set_parameter(item.name, item.numbers[0])
        except (ValueError, KeyError) as error:
            self._find(item, str(error), [])

    def _steps(self, node: Node) -> list[Step]:
        result: list[Step] = []
        for entry in node.log:
            if entry[0] == self.transition:
                result.append(("row", (entry[1], entry[2])))
            elif entry[0] in self.device_names:
                values = tuple(int(value) for value in entry[1:])
                result.append((self.device_names[entry[0]], values))
        return result

    def _replay(self, call: Call) -> None:
        """With the parameters as they were, then as they became meanwhile, if they did."""
        assert self.node is not None
        before = self.node.snapshot()
        for attempt in range(len(call.parameters) + 1):
            self.node.restore(before)
            for item in call.parameters[:attempt]:
                self._set(item)
            self.findings.clear()
            if self._execute(call) and self._compare(
                call, self._steps(self.node), self.node.verdict
            ):
                break
        for item in call.parameters[attempt:]:
            self._set(item)
        self.events += not self.findings
        self._note_releases()
        for name, numbers in call.steps:
            message = self.puts.get(name)
            if message is not None:
                self.queues[message.receiver].append(Put(message, numbers))

    # --- messages for records

    def _record_state(self, put: Put) -> Optional[tuple[ir.Process, int]]:
        """The process and the number of its state, 0 if the record is free; None where the message cannot be late."""
        process = self.program.protocol.process(put.message.process)
        if self.exchange is None or not self.exchange.may_be_late(process):
            return None
        assert self.node is not None
        pool = self.node.layout.containers[str(process.pool)]
        return process, self.node.state[pool.bases[put.numbers[0]] + pool.offsets[""]]

    def _note_releases(self) -> None:
        for queue in self.queues.values():
            for put in queue:
                found = self._record_state(put)
                if found is not None and found[1] == 0:
                    put.late = True

    def _is_late(self, put: Put) -> bool:
        """Its record is free, or in use again, or has had its end."""
        found = self._record_state(put)
        if found is None:
            return False
        process, state = found
        ends = [leaf.number for leaf in process.leaves if leaf.final]
        return put.late or state in ends

    def _taken(self, call: Call) -> bool:
        """Does a message come that is the oldest in its queue? It is replayed with all values of the raise: those that it
        does not carry must make no difference."""
        message = self.messages.get(call.item.name)
        if call.item.kind != "event" or message is None:
            return True
        queue = self.queues[message.receiver]
        came = self._carried(message, call.item.numbers)
        if queue and (message, came) == (
            queue[0].message,
            self._carried(queue[0].message, queue[0].numbers),
        ):
            put = queue.pop(0)
            call.item = call.item._replace(numbers=put.numbers)
            call.late = self._is_late(put)
            return True
        oldest = [
            f"{put.message.device}{self._carried(put.message, put.numbers)}"
            for put in queue[:1]
        ]
        self._find(call.item, f"the message {message.device}{came} comes", oldest)
        return False

    def _carried(self, message: Message, numbers: Numbers) -> Numbers:
        """Of the numbers of a raise, those that its message carries."""
        protocol = self.program.protocol
        process = protocol.process(message.process)
        event = next(e for e in process.events if e.name == message.event)
        names = [str(process.instance)] if process.pool is not None else []
        for argument in event.arguments:
            if isinstance(argument.type, ir.PayloadType):
                fields = protocol.payload(argument.type.name).fields
                names += [f"{argument.name}.{member.name}" for member in fields]
            else:
                names.append(argument.name)
        carried = {value.name for value in message.carries}
        return tuple(n for name, n in zip(names, numbers) if name in carried)

    def _execute(self, call: Call) -> bool:
        assert self.node is not None
        node, item = self.node, call.item
        try:
            if item.kind == "expiry":
                timer, instance = item.numbers
                timers = self.program.protocol.timers
                if timer >= len(timers):
                    raise ValueError(f"there is no timer {timer}")
                node.expire(timers[timer].name, instance)
            else:
                entry = self.program.entry_by_name.get(item.name)
                if entry is None:
                    raise ValueError(f"there is no external event {item.name}")
                reference, values = arguments_of(
                    self.program.protocol, entry, item.numbers
                )
                node.deliver(entry.process.name, entry.event.name, reference, values)
        except ContractViolation as violation:
            self._find(item, f"{self._call_text(item)}: {violation}", [])
            return False
        except ValueError as error:
            self._find(item, f"{self._call_text(item)}: {error}", [])
            return False
        never = [e for e in node.log if self.program.log_kinds[e[0]][0] == "never"]
        if never:
            event = self.program.effect(never[0]).name
            self._find(
                item,
                f"{self._call_text(item)}: the spec says {event} can never come here",
                [],
            )
            return False
        return True

    # --- both

    def _compare(self, call: Call, wanted: Sequence[Step], verdict: int) -> bool:
        found = call.steps
        for index, step in enumerate(wanted):
            if index >= len(found) and not call.back:
                return True  # the trace ends amid the event
            if index >= len(found) or found[index] != step:
                line = call.lines[index] if index < len(call.lines) else call.item.line
                taken = self._text(found[index]) if index < len(found) else "nothing"
                what = f"{self._call_text(call.item)}: {taken}"
                self._find(call.item, what, [self._text(step)], line)
                return False
        if len(found) > len(wanted):
            what = f"{self._call_text(call.item)}: {self._text(found[len(wanted)])}"
            self._find(call.item, what, ["nothing more"], call.lines[len(wanted)])
            return False
        if call.verdict is not None and call.verdict != verdict:
            shown = call.verdict
            known = [v.name for v in Verdict if v == shown]
            what = f"{self._call_text(call.item)}: the answer is {known[0] if known else shown}"
            self._find(call.item, what, [Verdict(verdict).name])
            return False
        return True

    def _compare_state(self) -> None:
        node, run = self.node, self.run
        assert node is not None
        line = run.items[-1].line if run.items else run.line
        self.state_compared = True
        for index, slot in enumerate(node.layout.slots):
            if (
                slot.kind in ("parameter", "timer")
                or member_of(slot.name) in run.unknown
            ):
                continue
            found = run.state.get(slot.name, 0)
            if found != node.state[index]:
                what = f"the run ends with {slot.name} = {found}"
                self.findings.append(Finding(line, what, (str(node.state[index]),)))

    # --- words

    def _find(
        self, item: Item, what: str, expected: Sequence[str], line: int = 0
    ) -> None:
        self.findings.append(Finding(line or item.line, what, tuple(expected)))

    def _text(self, step: Step) -> str:
        name, values = step
        if name == "row":
            number, instance = values
            if number >= len(self.program.rows):
                return f"transition {number}"
            shown = f" of record {instance}" if instance else ""
            return f"{self.program.rows[number].id}{shown}"
        return f"{name}({', '.join(map(str, values))})"

    def _step_text(self, item: Item) -> str:
        if item.kind == "row":
            return self._text(("row", item.numbers[1:]))
        if item.kind == "device":
            return self._text((item.name, item.numbers))
        return item.kind

    def _call_text(self, item: Item) -> str:
        if item.kind == "expiry" and item.numbers[0] < len(
            self.program.protocol.timers
        ):
            instance = f"[{item.numbers[1]}]" if item.numbers[1] else ""
            name = self.program.protocol.timers[item.numbers[0]].name
            return f"expiry of {name}{instance}"
        if item.kind == "event":
            return f"{item.name}({', '.join(map(str, item.numbers))})"
        return item.kind


def member_of(slot: str) -> str:
    """What a trace calls unknown: without the numbers of record and element.

    >>> member_of("SendPeer[3].active[1]"), member_of("Match.last_posted")
    ('SendPeer[].active', 'Match.last_posted')
    """
    return re.sub(r"(?<!^)\[\d+\]$", "", re.sub(r"^(\w+)\[\d+\]\.", r"\1[].", slot))


def arguments_of(
    protocol: ir.Protocol, entry: EntryPoint, numbers: Sequence[int]
) -> tuple[int, list[Value]]:
    """Numbers of a trace as arguments of an event: the reference, payloads as tuples."""
    rest = list(numbers)
    reference = rest.pop(0) if entry.takes_reference and rest else 0
    values: list[Value] = []
    for argument in entry.event.arguments:
        if isinstance(argument.type, ir.PayloadType):
            count = len(protocol.payload(argument.type.name).fields)
            values.append(tuple(rest[:count]))
            del rest[:count]
        elif rest:
            values.append(rest.pop(0))
    if rest:
        raise ValueError(f"{len(rest)} arguments too many")
    return reference, values
