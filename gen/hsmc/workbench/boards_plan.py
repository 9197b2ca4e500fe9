# SPDX-License-Identifier: MIT
"""The commands that make two simulated boards follow a trail, and the answers expected then.

A trail speaks of events in an order of its own. Most of them can be brought about on a board exactly when the trail wants
it: what hosts post, which frame arrives, when a confirmed placement is done, which timer runs out. A board decides itself
only when it serves a slot on the wire it has asked for, and when it tells that memory has been read: at once. So both come
earlier here than in many trails. Frames wait on the wire until the trail takes them, so this changes something only where
another event of the same node came between; whether it does is computed with the reference interpreter, which executes both
orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Iterator, Optional, Sequence

from .. import ir
from ..interpreter.interpreter import Node, Outcome, Program
from ..interpreter.node_state import ContractViolation
from ..verification.narration import Step, arguments
from ..verification.trail import Trail, parameters_of

Row = tuple[int, int]  # transition, record or 0
Fields = dict[str, int]


@dataclass(frozen=True)
class Binding:
    """How the events of a protocol come about on a board."""

    posts: dict[str, str]  # event -> what the host posts
    cancel: str  # the host wants the receive in a descriptor back
    completion: str  # device operation that gives a descriptor back
    arrivals: frozenset[str]  # events that bring a frame
    # What a board does by itself: device operations that ask for an event, once each.
    given: dict[str, str]
    placed: str  # confirms what was written to the host's memory
    duration: str  # parameter that all timers of trails are armed with
    incarnation: str  # parameter that tells the lives of a node apart
    elsewhere: frozenset[str]  # processes that are busy with other things
    # Settings of a check that the boards' own memory forbids.
    fixed_settings: frozenset[str]
    kinds: str  # enumeration of kinds of frame
    first_only: frozenset[str]  # fields only the first frame of a message has


BINDINGS = {
    "emp": Binding(
        posts={"Send.posted": "send", "Match.posted": "receive"},
        cancel="Match.cancel",
        completion="complete",
        arrivals=frozenset({"Match.header", "Match.data", "Send.ack", "Send.nack"}),
        given={
            "request_slot": "Transmit.slot",
            "notify_read": "Send.memory_read",
        },
        placed="Receive.placed",
        duration="retransmit_timeout",
        incarnation="epoch",
        elsewhere=frozenset({"Link"}),
        # libemp spreads a message over several descriptors, which the model knows as one.
        fixed_settings=frozenset({"descriptor_limit"}),
        kinds="FrameKind",
        first_only=frozenset({"total_length", "frames", "tag"}),
    )
}

FIRST_INCARNATION = 1  # of a board that has not restarted
BUFFER = "buffer"  # a device's own name for a frame

# Times as host/replay/board_replay.c has them, in us.
WINDOW = 4000
PARAMETER = 200
TIME_RESERVED = {
    "restart": 400_000,
    "set": PARAMETER,
}  # kinds of step that do not take a window
FIRST = WINDOW // 2  # a timer runs out in the middle of its window


HAPPENINGS = ("event", "expire", "restart", "set")  # steps that a board takes part in


class Irreproducible(Exception):
    """Why no board can be brought to do this."""


@dataclass
class Planned:
    """One step of the trail, as the boards should do it."""

    step: Step
    number: int  # of the step, from 1
    turn: int  # how often the cycle has gone round before
    command: str = ""  # "": nothing happens on the boards
    rows: list[Row] = field(default_factory=list)
    otherwise: bool = (
        False  # the event itself takes other transitions than in the trail
    )
    frames: list[Fields] = field(default_factory=list)  # offered to the wire
    armed: list[tuple[str, int]] = field(default_factory=list)  # timer, instance
    cancelled: list[tuple[str, int]] = field(default_factory=list)
    completed: list[int] = field(default_factory=list)  # descriptors
    duration: Optional[int] = None  # of timers armed here, us
    start: int = 0  # us
    time_reserved: int = WINDOW


@dataclass
class Plan:
    steps: list[Planned]
    held: list[int]  # nodes whose placements wait for the trail
    early: list[int]  # steps that a board does by itself, early
    incarnations: list[int]  # the nodes' first
    # Live parameters that begin with another value than the spec gives them: node, name, value.
    parameters: list[tuple[int, str, int]] = field(default_factory=list)
    forged_steps: list[int] = field(
        default_factory=list
    )  # steps whose frame no node sent
    deviation: str = ""  # where the spec does something else than the trail; ends there
    cycle_closes: bool = (
        True  # is each node after a turn of the cycle as it was before?
    )
    idle: int = 0  # us in which nothing more should happen

    def script(self, duration: str) -> list[str]:
        lines = [
            f"restart {node} {number}"
            for node, number in enumerate(self.incarnations)
            if number != FIRST_INCARNATION
        ]
        lines += [f"parameter {n} {name} {value}" for n, name, value in self.parameters]
        lines += [f"hold {node}" for node in self.held]
        for planned in self.steps:
            if planned.duration is not None:
                node = planned.step.node
                lines.append(f"parameter {node} {duration} {planned.duration}")
            if planned.command:
                lines.append(planned.command)
        if self.idle:
            lines.append(f"idle {1000 * self.idle}")
        lines += [f"free {node}" for node in self.held]
        return lines


class Executor:
    """Nodes, executed by the reference interpreter."""

    def __init__(self, program: Program, trail: Trail, binding: Binding) -> None:
        self.program = program
        self.binding = binding
        self.nodes = [
            Node(program, parameters, strict=False) for parameters in trail.parameters
        ]
        # What was asked for and comes by itself, with the record it is for.
        self.wanted: list[list[tuple[str, int]]] = [[] for _ in self.nodes]
        self.pooled = [
            process.pool is not None
            for process in program.protocol.processes
            for handler in process.handlers
            for _ in handler.rows
        ]
        self.wire = trail.wire

    def perform(self, step: Step, planned: Planned) -> list[str]:
        """Delivers the event of a step; adds what came of it. The transitions, by id."""
        if step.do == "restart":
            self._restart(step)
            return []
        node = self.nodes[step.node]
        try:
            if step.do == "set":
                outcome = node.set_parameter(step.event, step.values[0])
            elif step.do == "expire":
                outcome = node.expire(step.timer, step.reference)
            else:
                entry = self.program.entry_by_name[step.event]
                values = arguments(self.program, entry.event, step.values)
                process, event = entry.process.name, entry.event.name
                outcome = node.deliver(process, event, step.reference, values)
        except (ContractViolation, ValueError) as error:
            raise Refused(str(error)) from None
        self._note(outcome, step.node, planned)
        return outcome.transitions

    def _restart(self, step: Step) -> None:
        parameters = parameters_of(self.program.protocol, step.values)
        self.nodes[step.node] = Node(self.program, parameters, strict=False)
        self.wanted[step.node] = []

    def give(self, node: int, planned: Planned) -> list[str]:
        """Brings what has been wanted for longest."""
        event, record = self.wanted[node].pop(0)
        return self.perform(Step("event", node, event, reference=record), planned)

    def _note(self, outcome: Outcome, node: int, planned: Planned) -> None:
        for entry in outcome.log:
            if entry[0] == 0:
                planned.rows.append(
                    (entry[1], entry[2] if self.pooled[entry[1]] else 0)
                )
        for effect in outcome.effects:
            if effect.kind == "device" and effect.name in self.binding.given:
                event = self.binding.given[effect.name]
                self.wanted[node].append((event, sum(effect.values)))
            elif effect.kind == "device" and effect.name in self.wire:
                planned.frames.append(self.fields(effect.name, effect.values))
            elif effect.kind == "device" and effect.name == self.binding.completion:
                planned.completed.append(effect.values[0])
            elif effect.kind == "arm":
                planned.armed.append((effect.name, effect.values[0]))
            elif effect.kind == "cancel":
                planned.cancelled.append((effect.name, effect.values[0]))

    def fields(self, device: str, values: Sequence[int]) -> Fields:
        """The frame among a device's arguments."""
        protocol = self.program.protocol
        rest = list(values)
        declared = next(d for d in protocol.devices if d.name == device)
        for argument in declared.arguments:
            width = self.program.writer.width(argument.type)
            own, rest = rest[:width], rest[width:]
            if isinstance(argument.type, ir.PayloadType):
                payload = protocol.payload(argument.type.name)
                names = [each.name for each in payload.fields]
                return dict(zip(names, own, strict=True))
        return {}

    def settled_states(self) -> list[list[int]]:
        """The states once all that is wanted has come, but for counters; nothing changes by asking."""
        result = []
        counters = set(self.program.layout.counters.values())
        for number, node in enumerate(self.nodes):
            before, wanted = node.snapshot(), list(self.wanted[number])
            while self.wanted[number]:
                self.give(number, Planned(Step("event"), 0, 0))
            state = [v for i, v in enumerate(node.state) if i not in counters]
            result.append(state)
            node.restore(before)
            self.wanted[number] = wanted
        return result


class Refused(Exception):
    """The interpreter cannot do what the trail wants."""


class Planner:
    def __init__(self, program: Program, trail: Trail, rounds: int) -> None:
        protocol = program.protocol
        binding = BINDINGS.get(protocol.name)
        if binding is None:
            known = ", ".join(BINDINGS)
            raise Irreproducible(
                f"there is no firmware of {protocol.name}; there is of {known}"
            )
        if len(trail.parameters) != 2:
            raise Irreproducible("it takes two nodes, one for each board")
        self.binding = binding
        self.program = program
        self.trail = trail
        kinds = next(e for e in protocol.enumerations if e.name == binding.kinds)
        self.kinds = {member.name: member.value for member in kinds.members}
        self.offered: list[list[Fields]] = [[], []]  # by node
        self.receives = [0, 0]  # posted, by node
        # Those that have not ended, by node and descriptor: which one of its host's.
        self.open: list[dict[int, int]] = [{}, {}]
        self.cycle = trail.loop is not None and trail.loop < len(trail.steps)
        self.rounds = rounds if self.cycle else 0
        senders = {s.node for s in trail.steps if binding.posts.get(s.event) == "send"}
        # What holds back writes to a host's memory would hold back what a board fetches from there, too.
        self.held = sorted(set(range(len(trail.parameters))) - senders)

    # --- both orders

    def plan(self) -> Plan:
        deviation, end, before = self._run_in_trail_order()
        plan = self._run_in_board_order(end)
        plan.deviation = deviation
        if not deviation:
            self._compare_states(before, plan)
        self._durations(plan)
        return plan

    def _run_in_trail_order(self) -> tuple[str, int, list[list[list[int]]]]:
        """The trail in its own order: where the spec deviates, how many steps there are until then, and the states at
        the beginning of the cycle and at the end."""
        executor = Executor(self.program, self.trail, self.binding)
        states = []
        for index, step in enumerate(self.trail.steps):
            if index == self.trail.loop:
                states.append(executor.settled_states())
            if step.do not in HAPPENINGS:
                continue
            try:
                rows = executor.perform(step, Planned(step, index + 1, 0))
            except Refused as error:
                return f"step {index + 1}: {error}", index, []
            if step.event in self.binding.given.values():
                executor.wanted[step.node].remove((step.event, step.reference))
            taken = [name for name, _ in step.rows]
            expected = rows if step.verdict is not None else rows[: len(taken)]
            if taken != expected:
                text = f"the trail has {', '.join(taken) or 'no transition'}; the spec takes {', '.join(rows) or 'none'}"
                return f"step {index + 1}: {text}", index + 1, []
        states.append(executor.settled_states())
        return "", len(self.trail.steps), states

    def _run_in_board_order(self, end: int) -> Plan:
        boards = Executor(self.program, self.trail, self.binding)
        begun = [node[self.binding.incarnation] for node in self.trail.parameters]
        plan = Plan([], self.held, [], begun, list(self._initial_parameters()))
        self.states: list[list[list[int]]] = []
        steps = list(enumerate(self.trail.steps[:end]))
        turns = [(0, steps)]
        loop = self.trail.loop
        if self.cycle and end == len(self.trail.steps):
            turns += [(turn, steps[loop:]) for turn in range(1, self.rounds)]
        for turn, part in turns:
            if turn:
                self.states.append(boards.settled_states())
            for index, step in part:
                if turn == 0 and index == loop:
                    self.states.append(boards.settled_states())
                planned = Planned(step, index + 1, turn)
                plan.steps.append(planned)
                self._one(boards, planned, plan)
        self.states.append(boards.settled_states())
        return plan

    def _initial_parameters(self) -> Iterator[tuple[int, str, int]]:
        """The parameters that are set on the boards before anything happens."""
        for node, values in enumerate(self.trail.parameters):
            for parameter in self.program.protocol.parameters:
                value = values[parameter.name]
                if parameter.live and value != parameter.default.value:
                    if parameter.name != self.binding.duration:
                        yield node, parameter.name, value

    def _one(self, boards: Executor, planned: Planned, plan: Plan) -> None:
        step = planned.step
        if step.do in ("lose", "good", "pools"):
            return
        if step.do not in HAPPENINGS:
            raise Irreproducible(f"step {planned.number}: boards know no '{step.do}'")
        if step.event in self.binding.given.values():
            if planned.turn == 0:
                plan.early.append(planned.number)
            return
        planned.command = self._command(step, planned.number)
        if planned.command.startswith("forge"):
            plan.forged_steps += [planned.number] if planned.turn == 0 else []
        elif step.event in self.binding.arrivals:
            step = self._with_wire_fields(step, planned.number)
        if step.event == self.binding.placed and not planned.command:
            raise Irreproducible(
                f"step {planned.number}: board {step.node} sends too, and then nothing can hold back what it writes"
            )
        try:
            rows = boards.perform(step, planned)
            taken = [name for name, _ in step.rows]
            planned.otherwise = rows[: len(taken)] != taken
            while boards.wanted[step.node]:
                boards.give(step.node, planned)
            self.offered[step.node] += planned.frames
            self._note_receives(step, planned)
        except Refused as error:
            raise Irreproducible(
                f"step {planned.number}: with what a board does at once, {error}"
            ) from None

    def _note_receives(self, step: Step, planned: Planned) -> None:
        waiting = self.open[step.node]
        if step.do == "restart":
            waiting.clear()
        if self.binding.posts.get(step.event) == "receive":
            waiting[self.values(step)["descriptor"]] = self.receives[step.node]
            self.receives[step.node] += 1
        for descriptor in planned.completed:
            waiting.pop(descriptor, None)

    def _with_wire_fields(self, step: Step, number: int) -> Step:
        """With what the frame on the wire carries: a model tells frames apart by less than their whole header."""
        wanted = self.identity(step.frame, number)
        for frame in reversed(self.offered[1 - step.node]):
            if all(frame.get(name) == value for name, value in wanted.items()):
                break
        else:
            raise Irreproducible(
                f"step {number}: no board has offered {step.frame} until then"
            )
        entry = self.program.entry_by_name[step.event]
        (payload,) = (
            self.program.protocol.payload(a.type.name)
            for a in entry.event.arguments
            if isinstance(a.type, ir.PayloadType)
        )
        header = self.as_header(frame)
        values = [
            header.get(f.name, value)
            for f, value in zip(payload.fields, step.values, strict=True)
        ]
        return replace(step, values=values)

    def as_header(self, frame: Fields) -> Fields:
        """As it can be read on the wire, where not every kind has every field."""
        short = frame["kind"] != self.kinds["HEADER"]
        return {
            name: 0 if short and name in self.binding.first_only else value
            for name, value in frame.items()
            if name != BUFFER
        }

    def _compare_states(
        self, expected_states: list[list[list[int]]], plan: Plan
    ) -> None:
        """Does what comes early leave the nodes as the trail does?"""
        if self.states[: len(expected_states)] != expected_states:
            raise Irreproducible(self._reordered_event())
        if self.cycle:
            plan.cycle_closes = all(state == self.states[0] for state in self.states)

    def _reordered_event(self) -> str:
        """The first event of the trail that a board gives by itself, and before which another of its node comes."""
        last: dict[int, int] = {}
        why = "a board grants it at once, and the end is another then"
        for number, step in enumerate(self.trail.steps, 1):
            if step.do == "restart":
                last.pop(step.node, None)
            if step.do not in ("event", "expire"):
                continue
            before = last.get(step.node, 0)
            other = self.trail.steps[before - 1]
            given = self.binding.given.values()
            requests = other.do == "expire" or other.event in given
            if step.event in given and before and not requests:
                return f"step {number}: {step.event} comes after {other.event} of step {before}; {why}"
            last[step.node] = number
        return why

    # --- commands for a board

    def _command(self, step: Step, number: int) -> str:
        if step.do == "expire":
            return f"expire {step.node}"
        if step.do == "restart":
            parameters = parameters_of(self.program.protocol, step.values)
            return f"restart {step.node} {parameters[self.binding.incarnation]}"
        if step.do == "set":
            if step.event == self.binding.duration:
                raise Irreproducible(
                    f"step {number}: {step.event} is what makes timers run out when the trail says"
                )
            return f"parameter {step.node} {step.event} {step.values[0]}"
        posted = self.binding.posts.get(step.event)
        if posted is not None:
            values = self.values(step)
            return f"post {step.node} {posted} {values['tag']} {values['length']}"
        if step.event == self.binding.cancel:
            descriptor = self.values(step)["descriptor"]
            if descriptor not in self.open[step.node]:
                raise Irreproducible(
                    f"step {number}: the host cancels what has ended, or was never posted; libemp refuses that"
                )
            return f"cancel {step.node} {self.open[step.node][descriptor]}"
        if step.event in self.binding.arrivals:
            if not any(step.frame == frame for _, frame in self._put(number)):
                fields = self.as_header(self.values(step))
                forged_fields = " ".join(
                    f"{name}={value}" for name, value in fields.items()
                )
                return f"forge {1 - step.node} {forged_fields}"
            wanted = " ".join(
                f"{name}={value}"
                for name, value in self.identity(step.frame, number).items()
            )
            return f"deliver {1 - step.node} {wanted}"
        if step.event == self.binding.placed:
            return f"place {step.node}" if step.node in self.held else ""
        raise Irreproducible(
            f"step {number}: nothing outside a board can bring about {step.event}"
        )

    def _put(self, number: int) -> list[tuple[str, str]]:
        """What nodes have put on the wire before a step of the trail; any step does in a cycle."""
        loop = self.trail.loop
        before = self.trail.steps[: number - 1]
        if loop is not None and number > loop:
            before = self.trail.steps
        return [put for step in before for put in step.put]

    def values(self, step: Step) -> Fields:
        """What an event carries, fields by their own names."""
        entry = self.program.entry_by_name[step.event]
        result: Fields = {}
        rest = list(step.values)
        for argument in entry.event.arguments:
            width = self.program.writer.width(argument.type)
            own, rest = rest[:width], rest[width:]
            if isinstance(argument.type, ir.PayloadType):
                payload = self.program.protocol.payload(argument.type.name)
                result.update(zip([f.name for f in payload.fields], own, strict=True))
            else:
                result[argument.name] = own[0]
        return result

    def identity(self, frame: str, number: int) -> Fields:
        """By which fields of its header the wire knows a frame: `DATA message=0 frame=1`."""
        kind, *words = frame.split()
        if kind not in self.kinds:
            raise Irreproducible(f"step {number}: no frame is called '{frame}'")
        result = {"kind": self.kinds[kind]}
        payload = {f.name for p in self.program.protocol.payloads for f in p.fields}
        for word in words:
            name, _, value = word.partition("=")
            if name not in payload or not value.isdigit():
                raise Irreproducible(
                    f"step {number}: '{word}' of '{frame}' is no field of a frame"
                )
            result[name] = int(value)
        return result

    # --- time

    def _durations(self, plan: Plan) -> None:
        """Chooses what timers are armed with, so that they run out when the trail says, and not at all when it does not."""
        now = 0
        for planned in plan.steps:
            if planned.armed:
                now += PARAMETER
            planned.start = now
            planned.time_reserved = TIME_RESERVED.get(planned.step.do, WINDOW)
            if planned.command:
                now += planned.time_reserved
        parameter = next(
            p
            for p in self.program.protocol.parameters
            if p.name == self.binding.duration
        )
        assert parameter.range is not None
        longest = parameter.range.high.value
        if (
            not plan.deviation
            and not self.cycle
            and (self.trail.loop is not None or self.trail.violated == "no_deadlock")
        ):
            plan.idle = 2 * longest
        for index, planned in enumerate(plan.steps):
            if not planned.armed:
                continue
            begun = planned.start + (FIRST if planned.step.do == "expire" else 0)
            due: list[int] = []
            quiet = 0
            for timer in dict.fromkeys(planned.armed):
                end, runs_out = self._ends(plan, index, timer)
                if runs_out:
                    due.append(end - begun)
                else:
                    quiet = max(quiet, end - begun)
            planned.duration = min(due, default=longest)
            if quiet >= planned.duration or len(set(due)) > 1:
                raise Irreproducible(
                    f"step {planned.number}: the timers armed here run for equally long on a board, but not in the trail"
                )
            if planned.duration > longest:
                raise Irreproducible(
                    f"step {planned.number}: no timer can be set as long as the trail needs, {planned.duration} us"
                )

    def _ends(self, plan: Plan, index: int, timer: tuple[str, int]) -> tuple[int, bool]:
        """When a timer armed by a step stops, and whether it runs out then."""
        node = plan.steps[index].step.node
        last = plan.steps[index].start
        for later in plan.steps[index + 1 :]:
            last = later.start + later.time_reserved
            step = later.step
            if step.node != node:
                continue
            if step.do == "restart":
                return later.start, False
            if step.do == "expire" and (step.timer, step.reference) == timer:
                return later.start + FIRST, True
            if timer in later.cancelled or timer in later.armed:
                return later.start, False
        return last, False
