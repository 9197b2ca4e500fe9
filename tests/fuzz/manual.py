# SPDX-License-Identifier: MIT
"""What the manual says of hierarchical machines, executed on the trees of tests/fuzz/machines.py: a second oracle, beside
the interpreter, that shares no code with the compiler.

Each function follows one paragraph of docs/language.md, "Processes". Nothing is flattened: a row is looked for from state
to state, states are left and entered one at a time, waiting events are lists.

An event's `Told` is what devices and timers were called with. Of a timer with a computed duration the manual leaves open
whether it is armed before what the row raises, so these are kept apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional, Union

from tests.fuzz.machines import (
    NOTE_LIMIT,
    RECORDS,
    POKED,
    Event,
    Guard,
    Machine,
    Machines,
    Row,
    State,
)

DONE, IGNORED, NO_ROOM, REFUSED = range(4)
Arguments = dict[str, int]
# What happens to a process: an event with its values, or the expiry of a state's timer, with the record.
Happening = Union[tuple[str, str, list[int]], tuple[str, str, int]]


@dataclass
class Instance:
    """One process that runs: the active states, innermost last, and what it keeps."""

    machine: Machine
    owner: int  # its record, 0 for none
    active: list[State] = field(default_factory=list)
    total: int = 0
    last_active: dict[str, State] = field(default_factory=dict)
    waiting: dict[str, list[Arguments]] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)  # states whose timers run


@dataclass
class Told:
    """`never`: events for which the spec says this, or raised ones without room. The NIC counts and ignores them."""

    calls: list[str] = field(default_factory=list)
    computed: list[str] = field(default_factory=list)
    never: int = 0


class Manual:
    """The three processes of one small spec."""

    def __init__(self, machines: Machines) -> None:
        self.machines = machines
        self.told = Told()
        self.records: list[Optional[Instance]] = []
        self.tree: Optional[Instance] = None
        self.queue: list[int] = []  # of Root: records, which may be released meanwhile

    # --- what the runtime calls

    def reset(self) -> None:
        self.told = Told()
        self.records = [None] * RECORDS
        self.queue = []
        if self.machines.tree is not None:
            self.tree = Instance(self.machines.tree, 0)
            self.enter(self.tree, self.path_down(self.machines.tree.initial), None)
            self.deliver_waiting()

    def external(self, process: str, name: str, values: list[int]) -> int:
        """The verdict. `values`: the reference where the event takes one, then all numbers."""
        self.told = Told()
        verdict = self.called(process, name, list(values))
        if verdict == DONE:
            self.deliver_waiting()
        return verdict

    def expiry(self, process: str, state: str, owner: int) -> None:
        self.told = Told()
        instance = self.tree if process == "Tree" else self.records[owner - 1]
        if instance is None or state not in instance.running:
            self.told.never += 1  # it does not run
            return
        instance.running.remove(state)
        source = next(s for s in instance.active if s.name == state)
        assert source.timer is not None
        row = self.first(instance, source.timer.rows, {})
        assert row is not None  # the last one always holds
        self.take(instance, source, row, None, {})
        self.deliver_waiting()

    def called(self, process: str, name: str, values: list[int]) -> int:
        if process == "Root":
            return self.root(name, values)
        if process == "Branch" and name == "grow":
            arguments = {"n": values[0]}
            return DONE if self.create(arguments) else NO_ROOM
        instance = self.tree
        if process == "Branch":
            owner = values.pop(0)
            if not 1 <= owner <= RECORDS or not self.admitted(name, values):
                return REFUSED
            instance = self.records[owner - 1]
            if instance is None:
                return IGNORED
        assert instance is not None
        if not self.admitted(name, values):
            return REFUSED
        event = next(e for e in instance.machine.events if e.name == name)
        arguments = bound(event, values)
        if self.defers(instance, event):
            # If the queue is full, the call of an external event reports that there is no room: nothing happens.
            if len(instance.waiting.get(name, ())) == event.keeps:
                return NO_ROOM
        self.handle(instance, event, arguments)
        return DONE

    @staticmethod
    def admitted(name: str, values: list[int]) -> bool:
        """A number outside its range is refused."""
        return name != "letter" or values[1] <= NOTE_LIMIT

    def root(self, name: str, values: list[int]) -> int:
        n = values[-1]
        tell = f"root_did{self.machines.n}"
        if name == "one":
            if values[0] > RECORDS:
                return REFUSED
            chosen = self.records[values[0] - 1] if values[0] else None
            if chosen is not None:
                self.told.calls.append(f"{tell}(2 {n})")
                self.handle(chosen, POKED, {"n": n})
        elif name == "queue":
            if n > RECORDS:
                return REFUSED
            if n != 0 and n not in self.queue:
                self.queue.append(n)
        elif name == "next":
            if self.queue:
                self.told.calls.append(f"{tell}(4 {n})")
                chosen = self.records[self.queue.pop(0) - 1]
                if chosen is not None:
                    self.handle(chosen, POKED, {"n": n})
        elif name == "everyone":
            self.told.calls.append(f"{tell}(1 {n})")
            # Each condition is read when its turn comes.
            for owner in range(1, RECORDS + 1):
                instance = self.records[owner - 1]
                if instance is not None and instance.total & 1 == n & 1:
                    self.handle(instance, POKED, {"n": n})
        elif not self.create({"n": n}):
            self.told.calls.append(f"{tell}(3 {n})")
        return DONE

    def create(self, arguments: Arguments) -> bool:
        """Allocates the lowest free record and puts its process into the initial state."""
        if None not in self.records:
            return False
        branch = self.machines.branch
        assert branch is not None
        index = self.records.index(None)
        instance = Instance(branch, index + 1, [branch.initial])
        self.records[index] = instance
        self.handle(instance, branch.creating()[0], arguments)
        return True

    # --- "Choosing a row"

    def handle(self, instance: Instance, event: Event, arguments: Arguments) -> None:
        for state in instance.active:  # from the outermost active state inwards
            row = self.first(instance, state.before.get(event.name, []), arguments)
            if row is not None:
                self.take(instance, state, row, event, arguments)
                return
        for state in reversed(instance.active):  # from the current state outwards
            answer = state.answers.get(event.name)
            if answer == "ignore":
                return
            if answer == "never":
                break
            if answer == "defer":
                queue = instance.waiting.setdefault(event.name, [])
                if len(queue) == event.keeps:
                    break
                queue.append(arguments)
                return
            if isinstance(answer, list):
                row = self.first(instance, answer, arguments)
                if row is not None:
                    self.take(instance, state, row, event, arguments)
                    return
        self.told.never += 1

    def first(
        self, instance: Instance, rows: list[Row], arguments: Arguments
    ) -> Optional[Row]:
        return next((r for r in rows if self.holds(instance, r.guard, arguments)), None)

    @staticmethod
    def holds(instance: Instance, guard: Optional[Guard], arguments: Arguments) -> bool:
        if guard is None:
            return True
        what = instance.total if guard.what == "sum" else arguments[guard.what]
        return what & guard.mask == guard.value

    # --- "Taking a row"

    def take(
        self,
        instance: Instance,
        source: State,
        row: Row,
        event: Optional[Event],
        arguments: Arguments,
    ) -> None:
        if row.target is None:
            self.act(instance, row, event, arguments)
        else:
            stays = self.staying(source, row)
            self.leave(instance, stays)
            inside = [s for s in reversed(list(row.target.around()))]
            entered = [s for s in inside if s not in stays][:-1]
            last = None
            if row.history:
                last = instance.last_active.get(row.target.name)
            entered += self.path_down(row.target, last)
            instance.active = stays + entered
            self.enter(instance, entered, (row, event, arguments))
        if row.raises:
            assert self.tree is not None
            n = arguments.get("n", 0) + row.number & 0xFFFF
            self.handle(self.tree, POKED, {"n": n})

    @staticmethod
    def staying(source: State, row: Row) -> list[State]:
        """The states that a row does not leave, outermost first."""
        assert row.target is not None
        if row.local:  # the row's own state stays active
            return list(reversed(list(source.around())))
        around = list(row.target.around())[1:]
        common = [s for s in list(source.around())[1:] if s in around]
        return list(reversed(common))

    @staticmethod
    def path_down(state: State, last: Optional[State] = None) -> list[State]:
        """The state with its initial substates, or at first the one that was active last."""
        path = [state]
        if last is not None:
            path.append(last)
        while path[-1].children:
            path.append(path[-1].children[0])
        return path

    def leave(self, instance: Instance, stays: list[State]) -> None:
        left = [s for s in reversed(instance.active) if s not in stays]
        for state in left:
            if state.children:
                inside = instance.active[instance.active.index(state) + 1]
                instance.last_active[state.name] = inside
            if state.tells_exit:
                self.call(instance, "out", state.number)
            instance.total = instance.total + state.exit_adds & 0xFFFF
        for state in left:
            if state.timer is not None:
                instance.running.discard(state.name)
                self.told.calls.append(f"cancel {self.timer(instance, state)}")

    def enter(
        self,
        instance: Instance,
        entered: list[State],
        taken: Optional[tuple[Row, Optional[Event], Arguments]],
    ) -> None:
        instance.active = [s for s in instance.active if s not in entered] + entered
        timers = [(s, s.timer) for s in entered if s.timer is not None]
        for state, timer in timers:
            if not timer.computed:
                self.arm(instance, state, timer.constant, self.told.calls)
        if taken is not None:
            self.act(instance, *taken)
        for state, timer in timers:
            if timer.computed:
                duration = timer.constant + (instance.total & 63)
                self.arm(instance, state, duration, self.told.computed)
        for state in entered:
            if state.tells_entry:
                self.call(instance, "in", state.number)
            instance.total = instance.total + state.entry_adds & 0xFFFF
            if state.releases:
                self.release(instance)

    def act(
        self,
        instance: Instance,
        row: Row,
        event: Optional[Event],
        arguments: Arguments,
    ) -> None:
        n, b = arguments.get("n", 0), arguments.get("b", 0)
        self.call(instance, "did", row.number, n, b)
        if "l.a" in arguments:
            read = instance.machine.device("read")
            self.told.calls.append(f"{read}({arguments['l.a']} {arguments['l.b']})")
        if row.adds is not None:
            instance.total = instance.total + n + row.adds & 0xFFFF
        if row.releases:
            self.release(instance)

    def release(self, instance: Instance) -> None:
        """Zeroes the record and ends its process, with all that waits in it."""
        self.records[instance.owner - 1] = None

    # --- "Deferred events"

    def defers(self, instance: Instance, event: Event) -> bool:
        for state in reversed(instance.active):
            if event.name in state.answers:
                return state.answers[event.name] == "defer"
        return False

    def deliver_waiting(self) -> None:
        """After each delivery the search starts again."""
        while True:
            found = next(self.deliverable(), None)
            if found is None:
                return
            instance, event = found
            self.handle(instance, event, instance.waiting[event.name].pop(0))

    def deliverable(self) -> Iterator[tuple[Instance, Event]]:
        """Processes in order of declaration, then the lowest record first, then events in order of declaration."""
        for instance in (*self.records, self.tree):
            if instance is None:
                continue
            for event in instance.machine.events:
                if instance.waiting.get(event.name) and not self.defers(
                    instance, event
                ):
                    yield instance, event

    # --- what is told

    def call(self, instance: Instance, what: str, *values: int) -> None:
        owner = (instance.owner,) if instance.owner else ()
        text = " ".join(map(str, (*values, *owner)))
        self.told.calls.append(f"{instance.machine.device(what)}({text})")

    def timer(self, instance: Instance, state: State) -> str:
        return f"{instance.machine.name}_{state.name}/{instance.owner}"

    def arm(
        self, instance: Instance, state: State, duration: int, into: list[str]
    ) -> None:
        instance.running.add(state.name)
        into.append(f"arm {self.timer(instance, state)} {duration}")

    def totals(self) -> dict[str, int]:
        """By the names that changes have."""
        n = self.machines.n
        result = {}
        if self.tree is not None:
            result[f"Tree{n}.sum{n}"] = self.tree.total
        for index, instance in enumerate(self.records):
            total = instance.total if instance is not None else 0
            result[f"Limb{n}[{index + 1}].sum"] = total
        return result


def bound(event: Event, values: list[int]) -> Arguments:
    names = [n for b in event.binds for n in (("l.a", "l.b") if b == "l" else (b,))]
    return dict(zip(names, values, strict=True))


# --- against the lines of the interpreter


def compared(entries: list[str]) -> list[str]:
    """What lies between two calls of devices is in no particular order: states left at once stop their timers at once."""
    result: list[str] = []
    timers: list[str] = []
    for entry in entries:
        if entry.startswith(("arm ", "cancel ")):
            timers.append(entry)
            continue
        result += sorted(timers)
        timers = []
        result.append(entry)
    return result + sorted(timers)


class Watch:
    """Compares what one small spec's machines do with what the manual says."""

    def __init__(
        self, machines: Machines, timers: list[str], computed: set[str]
    ) -> None:
        """`timers`: names by number; `computed`: those whose duration is."""
        self.manual = Manual(machines)
        n = machines.n
        words = [
            f"{m}_{what}{n}"
            for m in ("branch", "tree")
            for what in ("did", "in", "out", "read")
        ]
        self.devices = {*words, f"root_did{n}"}
        self.timers, self.computed = timers, computed
        self.own = {f"Branch{n}_", f"Tree{n}_"}
        self.totals: dict[str, int] = {}

    def found(self, log: str) -> Told:
        """Of a line's log what concerns these machines, timers by name."""
        told = Told()
        for entry in filter(None, log.split("; ")):
            word = entry.split("(")[0].split(" ")[0]
            if word in self.devices:
                told.calls.append(entry)
            elif word in ("arm", "cancel"):
                _, place, *rest = entry.split(" ")
                number, _, owner = place.partition("/")
                name = self.timers[int(number)]
                if not name.startswith(tuple(self.own)):
                    continue
                late = word == "arm" and name in self.computed
                into = told.computed if late else told.calls
                into.append(" ".join([word, f"{name}/{owner}", *rest]))
        return told

    def step(self, what: Optional[Happening], line: str) -> str:
        """What differs, or "". `what`: None for a reset."""
        log, verdict, changes = line.split(" | ")
        expected = DONE
        if what is None:
            self.manual.reset()
            self.totals = dict.fromkeys(self.manual.totals(), 0)
        elif isinstance(what[2], int):
            self.manual.expiry(what[0], what[1], what[2])
        else:
            expected = self.manual.external(what[0], what[1], what[2])
        if int(verdict) != expected:
            return f"verdict {verdict}, by the manual {expected}"
        found, told = self.found(log), self.manual.told
        for mine, theirs in (
            (compared(told.calls), compared(found.calls)),
            (sorted(told.computed), sorted(found.computed)),
        ):
            if mine != theirs:
                return f"{'; '.join(theirs)}\nby the manual {'; '.join(mine)}"
        nevers = sum(entry.startswith("never ") for entry in log.split("; "))
        if nevers != told.never:
            return f"{nevers} events cannot come, by the manual {told.never}"
        for change in filter(None, changes.split("; ")):
            name, _, value = change.partition("=")
            if name in self.totals:
                self.totals[name] = int(value)
        if self.totals != self.manual.totals():
            return f"sums {self.totals}\nby the manual {self.manual.totals()}"
        return ""
