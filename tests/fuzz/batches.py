# SPDX-License-Identifier: MIT
"""Specs in batches: one file, one compile unit, one model and one page for several small specs, which keeps ten thousand
of them affordable. What an engine does otherwise than the interpreter is told by the spec alone."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable, Optional, Sequence

from hsmc import ir
from hsmc.admission import Carried, largest
from hsmc.compilation.compiler import Compilation
from hsmc.interpreter.interpreter import EntryPoint, Program
from hsmc.interpreter.node_state import ContractViolation
from hsmc.testing.differential import Command, Reference, flatten
from hsmc.testing.engines import Divergence, Script
from hsmc.testing.sequences import Guide
from tests.fuzz.manual import Happening, Watch
from tests.fuzz.spec_writer import EDGES, Part, write_specs

EVENTS = 120  # for each small spec
SEQUENCES = 3  # each begins with a new node
DIGITS = "0123456789"
MACHINES = ("Root", "Branch", "Tree")


class EdgeGuide(Guide):
    """Events whose numbers are the ends of widths and ranges, those next to them, or the state's."""

    def number(self, name: str, item: Carried) -> int:
        if isinstance(item.type, ir.BoolType):
            return self.random.randrange(2)
        most, roll = largest(item.type), self.random.random()
        value = self.random.choice(EDGES)
        if isinstance(item.type, ir.EnumerationType) and roll < 0.9:
            value = self.random.choice(item.numbers)
        elif roll < 0.2:
            value = self.random.randint(0, most)
        elif roll < 0.35:
            value = self.node.state[self.random.choice(self.slots)]
        elif (item.lowest, item.highest) != (0, most) and roll < 0.8:
            low, high = item.lowest, item.highest
            value = self.random.choice((low, high, low - 1, high + 1))
            if roll < 0.7:
                value = self.random.randint(low, high)
        return value & most

    def __init__(self, reference: Reference) -> None:
        super().__init__(reference)
        layout = self.node.layout.slots
        self.slots = [i for i, slot in enumerate(layout) if slot.kind == "value"]


@dataclass
class Batch(Script):
    """Several small specs as one program, and what happens to them."""

    text: str = ""
    parts: list[Part] = field(default_factory=list)
    watches: dict[int, Watch] = field(default_factory=dict)  # by number

    def __post_init__(self) -> None:
        timers = self.program.protocol.timers
        names = [timer.name for timer in timers]
        computed = {timer.name for timer in timers if timer.computed}
        for part in self.parts:
            if part.machines is not None:
                self.watches[part.number] = Watch(part.machines, names, computed)

    def owner(self, command: Command) -> Optional[int]:
        """The number of the small spec an event is for; None: of all."""
        name = ""
        if command[0] == "E":
            name = self.program.entries[int(str(command[1]))].process.name
        elif command[0] == "T":
            name = self.program.protocol.timers[int(str(command[1]))].process
        elif command[0] == "P":
            name = self.program.protocol.parameters[int(str(command[1]))].name
        found = re.search(r"\d+$", name)
        return int(found[0]) if found else None


def compiled(text: str, path: Path) -> tuple[Optional[ir.Protocol], set[int]]:
    """The protocol, or the lines with errors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    compilation = Compilation(path)
    protocol = compilation.protocol(None)
    errors = [d for d in compilation.report.diagnostics if d.severity == "error"]
    return protocol, {d.span.line for d in errors}


def make_batch(seeds: Sequence[int], path: Path) -> tuple[Optional[Batch], int]:
    """And how many specs the compiler refused, which are left out; None when it refused all."""
    kept = list(enumerate(seeds))
    while kept:
        text, parts = write_specs([s for _, s in kept], [n for n, _ in kept])
        protocol, lines = compiled(text, path)
        if protocol is not None:
            batch = Batch(Program(protocol), [], [], text, parts)
            fill(batch, seeds[0], EVENTS * len(kept))
            return batch, len(seeds) - len(kept)
        bad = {part.number for part in parts if any(part.holds(line) for line in lines)}
        assert bad, f"errors of no spec: {path}:{sorted(lines)}"
        kept = [(number, seed) for number, seed in kept if number not in bad]
    return None, len(seeds)


def fill(batch: Batch, seed: int, events: int) -> None:
    """Random events, and what the interpreter does with them."""
    reference = Reference(batch.program)
    guide = EdgeGuide(reference)
    for sequence in range(SEQUENCES):
        step(batch, reference, guide.begin(seed * SEQUENCES + sequence))
        for _ in range(events // SEQUENCES):
            step(batch, reference, guide.next())
            guide.observe(reference.node.log)


def step(batch: Batch, reference: Reference, command: Command) -> None:
    """What breaks the contract is left out: the node is as before."""
    try:
        line = reference.execute(command)
    except ContractViolation:
        return
    batch.commands.append(command)
    batch.lines.append(line)


def watched(batch: Batch) -> Optional[Divergence]:
    """Where the interpreter first parts from what the manual says of the machines."""
    for index, (command, line) in enumerate(zip(batch.commands, batch.lines)):
        if command[0] in ("R", "D"):
            steps = [(n, watch.step(None, line)) for n, watch in batch.watches.items()]
        else:
            number = batch.owner(command)
            watch = batch.watches.get(-1 if number is None else number)
            what = for_machines(batch, command)
            if watch is None or what is None:
                continue
            steps = [(number or 0, watch.step(what, line))]
        for number, different in steps:
            if different:
                found = f"of {number}: {different}"
                return Divergence("manual", index, line, found)
    return None


def for_machines(batch: Batch, command: Command) -> Optional[Happening]:
    """An event as the manual's oracle takes it; None where it is for none of its processes."""
    if command[0] == "E":
        entry = batch.program.entries[int(str(command[1]))]
        word = entry.process.name.rstrip(DIGITS)
        values = [int(value) for value in flatten(command[2:])]
        return (word, entry.event.name, values) if word in MACHINES else None
    if command[0] == "T":
        timer = batch.program.protocol.timers[int(str(command[1]))]
        word = timer.process.rstrip(DIGITS)
        owner = int(str(command[2]))
        return (word, timer.state, owner) if word in MACHINES else None
    return None


def replayed(batch: Batch, commands: Iterable[Command]) -> Batch:
    """The same program with other events."""
    other = Batch(batch.program, [], [], batch.text, batch.parts)
    reference = Reference(batch.program)
    for command in commands:
        step(other, reference, command)
    return other


# --- making it small


def alone(
    batch: Batch, seeds: Sequence[int], number: int, path: Path
) -> Optional[Batch]:
    """The one small spec as a file of its own, with the events that are for it."""
    text, parts = write_specs([seeds[number]], [number])
    protocol, _ = compiled(text, path)
    if protocol is None:
        return None
    single = Batch(Program(protocol), [], [], text, parts)
    return with_events(batch, single, number)


def with_events(batch: Batch, single: Batch, number: int) -> Batch:
    """The events of a batch that are for one spec, by the names it has for them."""
    program = single.program
    timers = {timer.name: timer.index for timer in program.protocol.timers}
    names = [p.name for p in batch.program.protocol.parameters]
    own = [p.name for p in program.protocol.parameters]
    commands: list[Command] = []
    for command in batch.commands:
        if command[0] == "R":
            given = dict(zip(names, command[1:], strict=True))
            commands.append(("R", *(given[name] for name in own)))
        elif command[0] == "D":
            commands.append(command)
        elif batch.owner(command) == number:
            index = int(str(command[1]))
            if command[0] == "E":
                entry = program.entry_by_name.get(batch.program.entries[index].name)
                new: Optional[int] = (
                    entry.number if isinstance(entry, EntryPoint) else None
                )
            elif command[0] == "T":
                new = timers.get(batch.program.protocol.timers[index].name)
            else:
                new = own.index(names[index]) if names[index] in own else None
            if new is not None:
                commands.append((command[0], new, *command[2:]))
    single.commands, single.lines = [], []
    return replayed(single, commands)


def shrunk(
    batch: Batch,
    differs: Callable[[Batch], bool],
    path: Path,
    number: int,
    attempts: int,
) -> Batch:
    """With lines of the spec and events left out as long as the engines still part. `batch` is one spec alone."""
    for size in (8, 4, 2, 1):
        first = 1
        while first < len(batch.text.split("\n")) and attempts > 0:
            lines = batch.text.split("\n")
            text = "\n".join(lines[:first] + lines[first + size :])
            smaller = attempt(batch, text, path, number)
            if smaller is not None:
                attempts -= 1
                if differs(smaller):
                    batch = smaller
                    continue
            first += size
    return batch


def attempt(batch: Batch, text: str, path: Path, number: int) -> Optional[Batch]:
    """The same events on a changed spec, if it compiles."""
    try:
        protocol, _ = compiled(text, path)
        if protocol is None or not protocol.processes:
            return None
        changed = with_events(batch, Batch(Program(protocol), [], [], text), number)
    except (RecursionError, ValueError, KeyError, TypeError):
        return None  # the events do not fit any more
    return changed if len(changed.commands) > 1 else None
