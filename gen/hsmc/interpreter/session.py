# SPDX-License-Identifier: MIT
"""`hsmc run`: a node stepped by hand, or from a file of commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence, TextIO

from .. import ir, naming
from ..files import read_text
from .interpreter import Change, EntryPoint, Node, Outcome, Program, Verdict
from .node_state import ContractViolation
from ..report import did_you_mean
from .scenario import Action, Mistake, Vocabulary, read_scenario, write_scenario

HELP = """\
list                     processes, their instances and states
events                   what may happen now: external events with their arguments, running timers
PROCESS.EVENT NAME=VALUE ...       deliver an external event: send.posted descriptor=0 peer=1
PROCESS[REFERENCE].EVENT ...       the same to one instance; references count from 1
expire TIMER[INSTANCE]   let a running timer run out
set PARAMETER=VALUE      change a parameter
show                     everything in the state that is not 0
show NAME                a process, a pool or table, a record of it, 'parameters' or 'counters'
undo                     take the last event back
reset                    begin anew
save FILE                write the events so far as a scenario
replay FILE              begin anew with the events of a scenario
help, quit

Values are numbers (10, 0x10), members of enumerations, true, false, none. What is left out is 0, or the lowest value
allowed. Names may be written as in the spec or in lower case with underscores.
"""


class Session:
    """One node, its history, and what is printed about it."""

    def __init__(
        self,
        program: Program,
        output: TextIO,
        parameters: Sequence[tuple[str, int]] = (),
        colours: bool = False,
    ) -> None:
        self.program = program
        self.protocol = program.protocol
        self.vocabulary = Vocabulary(program)
        self.output = output
        self.colours = colours
        self.parameters = tuple(parameters)
        self.node = Node(program, dict(parameters))
        self.history: list[tuple[Action, Outcome]] = []
        self.before: list[list[int]] = []  # snapshots, for undo
        self.mistakes = 0
        self.commands: dict[str, Callable[[list[str]], None]] = {
            "list": self.do_list,
            "events": self.do_events,
            "show": self.do_show,
            "undo": self.do_undo,
            "reset": self.do_reset,
            "save": self.do_save,
            "replay": self.do_replay,
            "help": self.do_help,
        }

    # --- output

    def print_line(self, text: str = "") -> None:
        self.output.write(text + "\n")

    def paint(self, text: str, code: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.colours else text

    def print_error(self, text: str) -> None:
        self.mistakes += 1
        self.print_line(self.paint(f"error: {text}", "31"))

    # --- commands

    def execute(self, line: str) -> bool:
        """One line; false when it ends the session."""
        words = line.split("#")[0].split()
        if not words:
            return True
        if words[0] in ("quit", "exit"):
            return False
        self.run_command(words[0], words[1:])
        return True

    def run_command(self, command: str, arguments: list[str]) -> None:
        """What cannot be done is reported, and counted in `mistakes`."""
        try:
            if command in self.commands:
                self.commands[command](arguments)
            else:
                known = [*self.commands, "expire", "set", "quit"]
                if "." not in command and command not in ("expire", "after", "set"):
                    hint = did_you_mean(command, known)
                    raise Mistake(
                        f"there is no command '{command}'{hint or '; try help'}"
                    )
                self.perform(self.vocabulary.action(" ".join([command, *arguments])))
        except Mistake as mistake:
            self.print_error(str(mistake))
        except (ValueError, OSError) as error:
            self.print_error(str(error))
        except ContractViolation as violation:
            self.print_error(f"{violation}; the state is as before")

    def perform(self, action: Action, quiet: bool = False) -> Outcome:
        before = self.node.snapshot()
        outcome = action.apply(self.node)
        self.before.append(before)
        self.history.append((action, outcome))
        if not quiet:
            self.print_outcome(action, outcome)
        return outcome

    def do_help(self, words: list[str]) -> None:
        self.output.write(HELP)

    def do_undo(self, words: list[str]) -> None:
        if not self.history:
            raise Mistake("there is nothing to undo")
        action, _ = self.history.pop()
        self.node.restore(self.before.pop())
        self.print_line(f"undone: {self.vocabulary.action_text(action)}")

    def do_reset(self, words: list[str]) -> None:
        self.node.reset(dict(self.parameters))
        self.history.clear()
        self.before.clear()
        self.print_beginning()

    def do_save(self, words: list[str]) -> None:
        if len(words) != 1:
            raise Mistake("save takes a file: save FILE")
        text = write_scenario(self.vocabulary, self.parameters, self.history)
        Path(words[0]).write_text(text, encoding="utf-8")
        self.print_line(f"{len(self.history)} events written to {words[0]}")

    def do_replay(self, words: list[str]) -> None:
        if len(words) != 1:
            raise Mistake("replay takes a file: replay FILE")
        path = Path(words[0])
        text = path.read_text(encoding="utf-8")
        scenario = read_scenario(text, self.vocabulary, path.name)
        self.parameters = scenario.parameters or self.parameters
        self.do_reset([])
        for step in scenario.steps:
            self.print_line(
                self.paint(f"> {self.vocabulary.action_text(step.action)}", "1")
            )
            try:
                outcome = self.perform(step.action)
            except (ValueError, ContractViolation) as error:
                raise Mistake(f"{path.name}:{step.line}: {error}") from None
            step.compare(outcome, path.name)
        beginning = Node(self.program, dict(self.parameters)).state
        scenario.compare_final(self.vocabulary, self.node, beginning, path.name)
        self.print_line(f"{len(scenario.steps)} events replayed from {path.name}")

    # --- what came of an event

    def print_beginning(self) -> None:
        outcome = self.node.initial_outcome
        settings = ", ".join(
            f"{p.name} = {self.node.value(p.name)}" for p in self.protocol.parameters
        )
        self.print_line(f"protocol {self.protocol.name}: {settings or 'no parameters'}")
        self.print_effects(outcome)

    def print_outcome(self, action: Action, outcome: Outcome) -> None:
        if outcome.verdict != Verdict.DONE:
            self.print_line(f"  {self.explain(action, outcome.verdict)}")
        elif not outcome.transitions and action.kind != "set":
            self.print_line("  ignored in this state")
        places = {row.id: row for row in self.program.rows}
        for name in outcome.transitions:
            row = places[name]
            self.print_line(f"  {self.paint(name, '1')}  {row.place}: {row.text}")
        self.print_effects(outcome)
        for change in outcome.changes:
            self.print_line(f"    {self.change(change)}")

    def print_effects(self, outcome: Outcome) -> None:
        for effect in outcome.effects:
            if effect.kind == "device":
                text = self.vocabulary.device_text(effect.name, effect.values)
            elif effect.kind == "count":
                text = f"count {effect.name}"
            else:
                instance = f"[{effect.values[0]}]" if effect.values[0] else ""
                text = f"{effect.kind} {effect.name}{instance}"
                if effect.kind == "arm":
                    text += f" for {effect.values[1]} us"
            self.print_line(f"  {self.paint('=>', '36')} {text}")

    def explain(self, action: Action, verdict: Verdict) -> str:
        entry = self.program.entry_by_name[action.name]
        if verdict == Verdict.NO_ROOM:
            if entry.event.room is not None and entry.event.keeps is not None:
                return f"no room: {entry.event.keeps} {entry.event.name} wait already"
            pool = self.protocol.pool(str(entry.process.pool))
            return f"no room: all {pool.count.value} records of {pool.name} are in use"
        if verdict == Verdict.IGNORED:
            return "ignored: there is no instance it is for"
        numbers: list[int] = []
        for value in action.values:
            numbers += value if isinstance(value, tuple) else (value,)
        for place, number in zip(self.vocabulary.places(entry), numbers, strict=True):
            if not isinstance(place.type, ir.ReferenceType) and not place.allows(
                number
            ):
                return f"refused: {place.path} is {place.wrong(number)}"
        pool_name = entry.process.pool
        if pool_name is not None and not 1 <= action.instance <= self._count(pool_name):
            if entry.event.select is None and entry.event.room is None:
                return f"refused: references to {pool_name} are 1 to {self._count(pool_name)}"
        return "refused: a reference is not one of the pool"

    def _count(self, pool: str) -> int:
        return self.protocol.pool(pool).count.value

    def change(self, change: Change) -> str:
        slot = self.node.layout.slots[change.slot]
        before, after = (
            self.slot_text(change.slot, n) for n in (change.before, change.after)
        )
        return f"{slot.name}: {before} -> {self.paint(after, '1;33')}"

    def slot_text(self, index: int, number: int) -> str:
        return self.vocabulary.slot_text(self.node, index, number)

    # --- looking

    def do_list(self, words: list[str]) -> None:
        for process in self.protocol.processes:
            instances = self.node.instances(process.name)
            if process.pool is None:
                state = self.node.state_of(process.name)
                self.print_line(f"{process.name}: {state}{self.waiting(process, 0)}")
                continue
            total = self.protocol.pool(process.pool).count.value
            self.print_line(f"{process.name}: {len(instances)} of {total} instances")
            for instance in instances:
                state = self.node.state_of(process.name, instance)
                waiting = self.waiting(process, instance)
                self.print_line(f"  {process.name}[{instance}]: {state}{waiting}")

    def waiting(self, process: ir.Process, instance: int) -> str:
        """How many of which deferred events wait."""
        counts = []
        for event in process.events:
            if isinstance(event.waiting, ir.VariableName):
                name = f"{process.name}.{event.waiting.name}"
            elif isinstance(event.waiting, ir.RecordField):
                name = f"{process.pool}[{instance}].{event.waiting.field}"
            else:
                continue
            if self.node.value(name):
                counts.append(f"{self.node.value(name)} {event.name}")
        return f"; waiting: {', '.join(counts)}" if counts else ""

    def do_events(self, words: list[str]) -> None:
        for entry in self.program.entries:
            for who, note in self.targets(entry):
                places = self.vocabulary.places(entry)
                arguments = " ".join(
                    f"{place.path.split('.')[-1]}={place.expected}" for place in places
                )
                text = f"{who}.{entry.event.name} {arguments}".rstrip()
                self.print_line(f"{text}{'  # ' + note if note else ''}")
        for timer, instance in self.node.armed():
            suffix = f"[{instance}]" if instance else ""
            self.print_line(f"expire {naming.snake(timer.name)}{suffix}")

    def targets(self, entry: EntryPoint) -> Iterator[tuple[str, str]]:
        """How an event may be addressed now, with a remark; nothing where it must never come."""
        process, event = entry.process, entry.event
        name = naming.snake(process.name)
        if event.creates:
            pool = self.protocol.pool(str(process.pool))
            full = len(self.node.instances(process.name)) == pool.count.value
            yield name, "no room" if full else "makes an instance"
            return
        answers = {}
        for instance in self.node.instances(process.name):
            path = self.node.state_of(process.name, instance)
            leaf = next((leaf for leaf in process.leaves if leaf.path == path), None)
            handlers = process.handlers_of(event.name)
            handler = next((h for h in handlers if leaf and h.leaf == leaf.name), None)
            if handler is not None and (handler.groups or handler.otherwise != "never"):
                answers[instance] = "" if handler.groups else f"ignored in {path}"
                if handler.defers:
                    answers[instance] = f"waits in {path}"
        if process.pool is None:
            for note in answers.values():
                yield name, note
        elif event.select is not None:
            if answers:
                yield name, "finds its instance"
        else:
            for instance, note in answers.items():
                yield f"{name}[{instance}]", note

    def do_show(self, words: list[str]) -> None:
        if len(words) > 1:
            raise Mistake("show takes one name")
        layout = self.node.layout
        if not words:
            chosen = [i for i, value in enumerate(self.node.state) if value]
        else:
            chosen = self.chosen(words[0])
        for index in chosen:
            text = self.slot_text(index, self.node.state[index])
            self.print_line(f"{layout.slots[index].name}: {text}")
        if not chosen:
            self.print_line("all 0")

    def chosen(self, name: str) -> list[int]:
        """Slots of a thing: all of a record or process, of a whole pool or table those that are not 0."""
        layout = self.node.layout
        key = naming.snake(name.split("[")[0].split(".")[0])
        if key in ("parameters", "counters"):
            kind = key[:-1]
            return [i for i, s in enumerate(layout.slots) if s.kind == kind]
        containers = {naming.snake(n): n for n in layout.containers}
        processes = {naming.snake(p.name): p for p in self.protocol.processes}
        rest = name[len(name.split("[")[0].split(".")[0]) :]
        if key in processes and key not in containers:
            process = processes[key]
            owner = process.pool if process.pool is not None else process.name
        elif key in containers:
            owner = containers[key]
        else:
            known = [*containers.values(), *(p.name for p in processes.values())]
            raise Mistake(Vocabulary.unknown("process, pool or table", name, known))
        prefix = owner + rest
        found = [
            i
            for i, slot in enumerate(layout.slots)
            if slot.name == prefix or slot.name.startswith((prefix + ".", prefix + "["))
        ]
        if not found:
            raise Mistake(f"there is no {prefix}")
        if owner in layout.containers and not rest:
            found = [i for i in found if self.node.state[i]]
        return found


def run_session(
    program: Program,
    parameters: Sequence[tuple[str, int]],
    replay: Optional[Path],
    save: Optional[Path],
    stdin: Optional[TextIO] = None,
    stdout: Optional[TextIO] = None,
) -> int:
    """The loop. Commands that come from a pipe are echoed, so that a transcript reads like a session."""
    stdin = stdin if stdin is not None else sys.stdin
    stdout = stdout if stdout is not None else sys.stdout
    people = stdin.isatty()
    session = Session(program, stdout, parameters, colours=stdout.isatty())
    if people:
        try:
            import readline  # noqa: F401  lines can then be edited
        except ImportError:
            pass
        session.print_line("help lists the commands")
    if replay is not None:
        session.run_command("replay", [str(replay)])
        if session.mistakes and not people:
            return 1
    else:
        session.print_beginning()
    while True:
        if people:
            try:
                line = input("> ")
            except (EOFError, KeyboardInterrupt):
                session.print_line()
                break
        else:
            line = stdin.readline()
            if not line:
                break
            line = line.rstrip("\n")
            if line.strip():
                session.print_line(f"> {line}")
        if not session.execute(line):
            break
    if save is not None:
        session.run_command("save", [str(save)])
    return 1 if session.mistakes and not people else 0


def command(protocol: ir.Protocol, options: argparse.Namespace) -> int:
    """hsmc run: the status is 1 when a command from a pipe or a scenario was in error."""
    if options.replay is not None:
        read_text(options.replay)  # what cannot be read is wrong usage
    program = Program(protocol)
    try:
        parameters = Vocabulary(program).settings(options.node_parameters)
    except Mistake as mistake:
        print(f"hsmc: {mistake}", file=sys.stderr)
        return 2
    try:
        return run_session(program, parameters, options.replay, options.save)
    except ContractViolation as violation:
        print(f"hsmc: initialising: {violation}", file=sys.stderr)
        return 1
