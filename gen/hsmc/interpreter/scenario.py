# SPDX-License-Identifier: MIT
"""Events as people write them, and files of them.

    parameters timeout=500
    sender.submit item=5
      -> Sender.READY.submit.0  abp.hsm:47
    expire sender_wait_ack
    set timeout=2000

Names may be written as in the spec or in lower case with underscores. What is left out is the lowest value
allowed. A line that begins with -> says which transition the event above takes: a replay compares. Lines that begin
with = say what is at the end other than at the beginning, and nothing else is:

    = Sender.state: WAIT_ACK
    = timer Sender_WAIT_ACK: running
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, Literal, Optional, Sequence

from .. import ir, naming
from ..admission import Carried, carried
from .interpreter import EntryPoint, Node, Outcome, Program, Value
from ..report import did_you_mean

EVENT = re.compile(r"([A-Za-z_]\w*)(?:\[(\w+)\])?\.([A-Za-z_]\w*)$")
TIMER = re.compile(r"([A-Za-z_]\w*)(?:\[(\w+)\])?$")


class Mistake(Exception):
    """Something typed that cannot be meant; the text says what was expected."""


@dataclass(frozen=True)
class Action:
    """One thing that may happen to a node."""

    kind: Literal["event", "expire", "set"]
    name: str  # Process.event, timer or parameter
    instance: int = 0
    values: tuple[Value, ...] = ()

    def apply(self, node: Node) -> Outcome:
        if self.kind == "event":
            process, event = self.name.split(".")
            return node.deliver(process, event, self.instance, self.values)
        if self.kind == "expire":
            return node.expire(self.name, self.instance)
        value = self.values[0]
        assert isinstance(value, int)
        return node.set_parameter(self.name, value)


class Vocabulary:
    """Reads and writes the names and values of one protocol."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.protocol = program.protocol
        self.members: dict[str, list[tuple[str, int]]] = {}
        for enumeration in self.protocol.enumerations:
            for member in enumeration.members:
                owners = self.members.setdefault(member.name, [])
                owners.append((enumeration.name, member.value))

    # --- reading

    def action(self, text: str) -> Action:
        """`send.posted peer=1`, `expire send_wait_ack[1]`, `set timeout=5`."""
        words = text.split()
        if words[0] in ("expire", "after"):
            return self.expiry(words[1:])
        if words[0] == "set":
            settings = self.settings(words[1:])
            if len(settings) != 1:
                raise Mistake("set takes one parameter: set NAME=VALUE")
            name, value = settings[0]
            return Action("set", name, 0, (value,))
        return self.event(words)

    def expiry(self, words: Sequence[str]) -> Action:
        match = TIMER.match(words[0]) if words else None
        if match is None or len(words) > 2:
            raise Mistake("expire takes a timer: expire NAME or expire NAME[INSTANCE]")
        timers = {naming.snake(t.name): t.name for t in self.protocol.timers}
        name = naming.snake(match.group(1))
        if name not in timers:
            raise Mistake(self.unknown("timer", match.group(1), timers))
        given = match.group(2) or (words[1] if len(words) > 1 else "0")
        return Action("expire", timers[name], self.plain_number(given))

    def settings(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """Parameters: NAME=VALUE ..."""
        result = []
        parameters = {p.name: p for p in self.protocol.parameters}
        for word in words:
            name, equals, text = word.partition("=")
            if not equals:
                raise Mistake(f"expected NAME=VALUE, not '{word}'")
            if name not in parameters:
                raise Mistake(self.unknown("parameter", name, parameters))
            value = self.value(text, parameters[name].type, name)
            bits = self.program.number_of_bits(parameters[name].type)
            bounds = parameters[name].range
            low, high = 0, (1 << bits) - 1
            if bounds is not None:
                low, high = bounds.low.value, bounds.high.value
            if not low <= value <= high:
                raise Mistake(f"{name} must be {low} to {high}, not {value}")
            result.append((name, value))
        return result

    def event(self, words: Sequence[str]) -> Action:
        match = EVENT.match(words[0])
        if match is None:
            raise Mistake(
                f"'{words[0]}' is neither a command nor process.event; try help"
            )
        entry = self.entry(match.group(1), match.group(3))
        instance = 0
        if entry.takes_reference:
            if match.group(2) is None:
                owner = naming.snake(entry.process.name)
                raise Mistake(
                    f"{owner} has instances: {owner}[REFERENCE].{entry.event.name} ..."
                )
            instance = self.plain_number(match.group(2))
            pool = self.protocol.pool(str(entry.process.pool))
            if instance >= 1 << pool.reference.bits:
                raise Mistake(f"a reference is 1 to {pool.count.value}")
        elif match.group(2) is not None:
            found = (
                "makes its own instance"
                if entry.event.creates
                else "finds its instance"
            )
            if entry.process.pool is None:
                found = "has no instances"
            raise Mistake(f"{entry.name} {found}: leave out [{match.group(2)}]")
        return Action("event", entry.name, instance, self.arguments(entry, words[1:]))

    def entry(self, process: str, event: str) -> EntryPoint:
        entries = self.program.entries
        names = {naming.snake(p.name): p.name for p in self.protocol.processes}
        if naming.snake(process) not in names:
            raise Mistake(self.unknown("process", process, names))
        owner = names[naming.snake(process)]
        events = {
            naming.snake(e.event.name): e for e in entries if e.process.name == owner
        }
        if naming.snake(event) not in events:
            known = {naming.snake(e.name) for e in self.protocol.process(owner).events}
            if naming.snake(event) in known:
                raise Mistake(
                    f"{owner}.{event} is not external: only other processes raise it"
                )
            raise Mistake(self.unknown(f"external event of {owner}", event, events))
        return events[naming.snake(event)]

    def places(self, entry: EntryPoint) -> list[Carried]:
        """All numbers an event carries, in order."""
        return list(carried(self.protocol, entry.event.arguments))

    def arguments(self, entry: EntryPoint, words: Sequence[str]) -> tuple[Value, ...]:
        places = self.places(entry)
        numbers = [place.lowest for place in places]
        named = False
        for position, word in enumerate(words):
            name, equals, text = word.partition("=")
            if equals:
                named = True
                index = self.find(places, name, entry)
            elif named:
                raise Mistake(f"expected NAME=VALUE, not '{word}'")
            elif position >= len(places):
                raise Mistake(f"{entry.name} takes {len(places)} values at most")
            else:
                index, text = position, word
            place = places[index]
            numbers[index] = self.value(text, place.type, place.path)
        values: list[Value] = []
        for argument in entry.event.arguments:
            width = self.program.writer.width(argument.type)
            part, numbers = numbers[:width], numbers[width:]
            payload = isinstance(argument.type, ir.PayloadType)
            values.append(tuple(part) if payload else part[0])
        return tuple(values)

    def find(self, places: Sequence[Carried], name: str, entry: EntryPoint) -> int:
        """By its whole path or by the name of a field, where that is unique."""
        found = [i for i, p in enumerate(places) if p.path == name]
        found = found or [
            i for i, p in enumerate(places) if p.path.split(".")[-1] == name
        ]
        if len(found) == 1:
            return found[0]
        if found:
            paths = " or ".join(places[i].path for i in found)
            raise Mistake(f"'{name}' may be {paths}")
        names = [place.path.split(".")[-1] for place in places]
        raise Mistake(self.unknown(f"argument of {entry.name}", name, names))

    def value(self, text: str, kind: ir.Type, what: str) -> int:
        if text in ("true", "false") and isinstance(kind, ir.BoolType):
            return int(text == "true")
        if text == "none" and isinstance(kind, ir.ReferenceType):
            return 0
        owners = self.members.get(text.split(".")[-1], [])
        if isinstance(kind, ir.EnumerationType):
            owners = [owner for owner in owners if owner[0] == kind.name]
        if "." in text:
            owners = [owner for owner in owners if owner[0] == text.split(".")[0]]
        if len({value for _, value in owners}) == 1:
            number = owners[0][1]
        elif owners:
            names = ", ".join(f"{name}.{text}" for name, _ in owners)
            raise Mistake(f"{text} has several values: write one of {names}")
        else:
            try:
                number = int(text, 0)
            except ValueError:
                raise Mistake(
                    f"{what} is {kind}; '{text}' is neither a number nor a member of an enumeration"
                ) from None
        bits = self.program.number_of_bits(kind)
        if not 0 <= number < 1 << bits:
            raise Mistake(f"{what} is {kind}, which cannot hold {number}")
        return number

    def plain_number(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            raise Mistake(f"expected a number, not '{text}'") from None

    @staticmethod
    def unknown(what: str, name: str, known: Iterable[str]) -> str:
        names = sorted(known)
        hint = did_you_mean(name, names)
        if not hint:
            hint = f"; there are: {', '.join(names) or 'none'}"
        return f"there is no {what} '{name}'{hint}"

    # --- writing

    def slot_text(self, node: Node, index: int, number: int) -> str:
        """The value of one number of the state, for people."""
        slot = node.layout.slots[index]
        if slot.kind == "state":
            return node.leaf_name(self.protocol.process(slot.process), number)
        if slot.kind == "timer":
            return "running" if number else "off"
        if slot.kind == "used":
            number <<= 1  # references count from 1
        return self.number_text(number, slot.type)

    def number_text(self, number: int, kind: Optional[ir.Type]) -> str:
        """A value as the spec would write it."""
        if isinstance(kind, ir.BoolType):
            return "true" if number else "false"
        if isinstance(kind, ir.ReferenceType):
            return str(number) if number else "none"
        if isinstance(kind, ir.EnumerationType):
            for enumeration in self.protocol.enumerations:
                for member in enumeration.members:
                    if enumeration.name == kind.name and member.value == number:
                        return member.name
        if isinstance(kind, ir.BitsType):
            bits = [str(i) for i in range(number.bit_length()) if number >> i & 1]
            return "{" + ", ".join(bits) + "}"
        return str(number)

    def action_text(self, action: Action) -> str:
        """As it may be typed again: fields that have their lowest value are left out."""
        instance = f"[{action.instance}]" if action.instance else ""
        if action.kind == "expire":
            return f"expire {naming.snake(action.name)}{instance}"
        if action.kind == "set":
            return f"set {action.name}={action.values[0]}"
        entry = self.program.entry_by_name[action.name]
        if entry.takes_reference:  # also 0, which the node refuses
            instance = f"[{action.instance}]"
        words = [f"{naming.snake(entry.process.name)}{instance}.{entry.event.name}"]
        numbers: list[int] = []
        for value in action.values:
            numbers += value if isinstance(value, tuple) else (value,)
        places = self.places(entry)
        last_names = [place.path.split(".")[-1] for place in places]
        for place, number in zip(places, numbers, strict=True):
            if number != place.lowest:
                short = place.path.split(".")[-1]
                name = short if last_names.count(short) == 1 else place.path
                words.append(f"{name}={self.number_text(number, place.type)}")
        return " ".join(words)

    def device_text(self, name: str, values: Sequence[int]) -> str:
        """A device call with the names of what it was given; fields of payloads that are 0 are left out."""
        device = next(d for d in self.protocol.devices if d.name == name)
        rest = list(values)
        parts = []
        for argument in device.arguments:
            if isinstance(argument.type, ir.PayloadType):
                fields = self.protocol.payload(argument.type.name).fields
                own, rest = rest[: len(fields)], rest[len(fields) :]
                shown = [
                    f"{field.name}: {self.number_text(number, field.type)}"
                    for field, number in zip(fields, own, strict=True)
                    if number
                ]
                parts.append(f"{argument.type.name}({', '.join(shown)})")
            else:
                parts.append(
                    f"{argument.name}: {self.number_text(rest.pop(0), argument.type)}"
                )
        return f"{name}({', '.join(parts)})"


# --- files


@dataclass(frozen=True)
class Step:
    action: Action
    transitions: Optional[tuple[str, ...]]  # None: the file does not say
    line: int

    def compare(self, outcome: Outcome, name: str) -> None:
        """Raises Mistake when other transitions were taken than the file called `name` says."""
        wanted = self.transitions
        if wanted is not None and list(wanted) != outcome.transitions:
            raise Mistake(
                f"{name}:{self.line}: the file says {', '.join(wanted) or 'no transition'}, "
                f"but taken: {', '.join(outcome.transitions) or 'none'}"
            )


@dataclass(frozen=True)
class Scenario:
    parameters: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    final: Optional[tuple[str, ...]] = None  # as final_state gives it; None: not said

    def compare_final(
        self, vocabulary: Vocabulary, node: Node, beginning: Sequence[int], name: str
    ) -> None:
        """Raises Mistake when the state at the end is not what the file called `name` says."""
        if self.final is None:
            return
        found = set(final_state(vocabulary, node, beginning))
        missing = [line for line in self.final if line not in found]
        more = sorted(found - set(self.final))
        if missing or more:
            said = "; ".join(missing) or "nothing more"
            raise Mistake(
                f"{name}: at the end the file says {said}, but there is: {'; '.join(more) or 'nothing such'}"
            )


def read_scenario(text: str, vocabulary: Vocabulary, name: str) -> Scenario:
    """Raises Mistake with the file and line."""
    parameters: tuple[tuple[str, int], ...] = ()
    steps: list[Step] = []
    final: Optional[tuple[str, ...]] = None
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.split("#")[0].strip()
        if not bare:
            continue
        try:
            if bare.startswith("->"):
                if not steps:
                    raise Mistake("no event stands above this transition")
                taken = steps[-1].transitions or ()
                words = bare[2:].split()
                if words:
                    taken = (*taken, words[0])
                steps[-1] = Step(steps[-1].action, taken, steps[-1].line)
            elif bare.startswith("="):
                final = (*(final or ()), *filter(None, [bare[1:].strip()]))
            elif final is not None:
                raise Mistake("the state at the end (=) stands before this event")
            elif bare.split()[0] == "parameters":
                if steps:
                    raise Mistake("parameters come before the first event; later: set")
                parameters = tuple(vocabulary.settings(bare.split()[1:]))
            else:
                steps.append(Step(vocabulary.action(bare), None, number))
        except Mistake as mistake:
            raise Mistake(f"{name}:{number}: {mistake}") from None
    return Scenario(parameters, tuple(steps), final)


def write_scenario(
    vocabulary: Vocabulary,
    parameters: Sequence[tuple[str, int]],
    history: Sequence[tuple[Action, Outcome]],
    title: str = "",
) -> str:
    protocol = vocabulary.protocol
    options = f" --check {protocol.check}" if protocol.check else ""
    options += f" --profile {protocol.profile}" if protocol.profile else ""
    lines = [
        f"# Scenario of protocol {protocol.name}; hsmc run SPEC{options} --replay FILE"
    ]
    if title:
        lines.append(f"# {title}")
    if parameters:
        settings = " ".join(f"{name}={value}" for name, value in parameters)
        lines.append(f"parameters {settings}")
    places = {row.id: row.place for row in vocabulary.program.rows}
    for action, outcome in history:
        lines.append(vocabulary.action_text(action))
        lines += [f"  -> {name}  {places[name]}" for name in outcome.transitions]
        if not outcome.transitions and action.kind != "set":
            lines.append("  ->")
    return "\n".join(lines) + "\n"


def final_state(
    vocabulary: Vocabulary, node: Node, beginning: Sequence[int]
) -> list[str]:
    """What differs from the beginning, line by line: NAME: VALUE."""
    return [
        f"{slot.name}: {vocabulary.slot_text(node, index, now)}"
        for index, (slot, before, now) in enumerate(
            zip(node.layout.slots, beginning, node.state)
        )
        if now != before
    ]
