# SPDX-License-Identifier: MIT
"""Machines of random states in states, with all that flattening does to them: entry and exit, history, local rows, rows
tried before those inside, timers, deferred events, records that come and go.

Three processes, each raising in the next: Root creates records and tells them; Branch is one machine per record; Tree
exists once. `Machines` draws them as trees of states, prints them as a spec, and hands the trees to the oracle
(tests/fuzz/manual.py). Everything drawn is a spec without errors: in each leaf each event has an answer, guarded rows
never come to a `defer` around them, and `home` leads from everywhere to a state that defers nothing.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Iterator, Optional, Sequence, Union

RECORDS = 2
NOTE_LIMIT = 1000  # of Note.b
CUT = "0xFFFF"


@dataclass(frozen=True)
class Event:
    """`binds`: the names of its arguments; `keeps`: how many may wait, 0: it is never deferred."""

    name: str
    arguments: str
    binds: tuple[str, ...]
    keeps: int = 0
    external: bool = True

    @property
    def bound(self) -> str:
        return f"{self.name}({', '.join(self.binds)})" if self.binds else self.name


SHAKE = Event("shake", "n: u16", ("n",))
TURN = Event("turn", "n: u16, b: bool", ("n", "b"), 1)
POKED = Event("poked", "n: u16", ("n",), 2, False)
HOME = Event("home", "", ())
FALL = Event("fall", "n: u16", ("n",))


@dataclass(frozen=True)
class Guard:
    """`what & mask == value`; `what`: the argument n, or the sum that the process keeps."""

    what: str
    mask: int
    value: int

    def text(self, total: str) -> str:
        what = total if self.what == "sum" else self.what
        return f"{what} & {self.mask} == {self.value}"


@dataclass
class Row:
    """What it tells is its number and n. `adds`: n and so much to the sum, None: nothing. Without a target it stays."""

    number: int
    guard: Optional[Guard] = None
    adds: Optional[int] = None
    raises: bool = False
    target: Optional["State"] = None
    local: bool = False
    history: bool = False
    releases: bool = False


@dataclass
class Timer:
    """After `constant`, and if computed, 63 at most more: the low bits of the sum."""

    constant: int
    computed: bool
    rows: list[Row]


Answer = Union[str, list[Row]]  # "ignore", "never", "defer", or rows


@dataclass
class State:
    name: str
    number: int
    parent: Optional["State"]
    children: list["State"] = field(default_factory=list)
    tells_entry: bool = True
    tells_exit: bool = True
    entry_adds: int = 0
    exit_adds: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    before: dict[str, list[Row]] = field(default_factory=dict)
    timer: Optional[Timer] = None
    final: bool = False
    releases: bool = False  # at its entry

    @property
    def path(self) -> str:
        return f"{self.parent.path}.{self.name}" if self.parent else self.name

    def below(self) -> list["State"]:
        return [s for child in self.children for s in (child, *child.below())]

    def around(self) -> Iterator["State"]:
        """Itself, and outwards."""
        state: Optional[State] = self
        while state is not None:
            yield state
            state = state.parent


class Machine:
    """One process, drawn. `raises`: the process whose `poked` its rows may raise, "" for none."""

    def __init__(
        self,
        chance: random.Random,
        name: str,
        n: int,
        raises: str = "",
        per_record: bool = False,
        poked: bool = True,
    ) -> None:
        self.random = chance
        self.word, self.n = name, n
        self.name = f"{name}{n}"
        self.raises = raises
        self.per_record = per_record
        self.total = "k.sum" if per_record else f"sum{n}"
        self.rows = 0
        self.raising = (
            2  # rows, each of which has the next machine written out in a model
        )
        self.guards: set[Guard] = set()
        # What a row raises comes after all entries, and no device may be called after a raise where the raised rows
        # call some: rows with a target raise where no entry calls any.
        self.silent = bool(raises) and chance.random() < 0.5
        self.states: list[State] = []
        self.odds = (0.4, 0.2) if per_record else (0.6, 0.3)
        self.roots = [self._state(None, 0) for _ in range(2)]
        self.composite = [s for s in self.states if s.children]
        self.letter = Event("letter", f"l: Note{n}, n: u16", ("l", "n"), 2)
        # Not all at once, or a model of it outgrows what SPIN takes in a step.
        chosen = chance.sample(
            [SHAKE, self.letter, TURN], 1 if raises else chance.choice((1, 2))
        )
        self.events = [e for e in (SHAKE, self.letter, TURN) if e in chosen]
        self.events += [POKED, HOME] if poked else [HOME]
        if per_record:
            self.events += [FALL]
        self.initial = self.roots[0]
        self.final = State("FALLEN", 98, None, final=True)
        self._answers()
        self._before()
        if per_record:
            self._records()

    def _state(self, parent: Optional[State], depth: int) -> State:
        chance = self.random
        state = State(f"{self.word[0]}{len(self.states)}", len(self.states), parent)
        self.states.append(state)
        state.tells_entry = not self.silent and chance.random() < 0.8
        state.tells_exit = chance.random() < 0.8
        state.entry_adds = chance.choice((0, 0, 1, 3))
        state.exit_adds = chance.choice((0, 0, 1, 5))
        if depth < 2 and chance.random() < self.odds[depth]:
            state.children = [self._state(state, depth + 1) for _ in range(2)]
        return state

    # --- answers

    def _answers(self) -> None:
        for root in self.roots:
            root.answers["home"] = [Row(self._number(), target=self.roots[0])]
        for event in self.events:
            if event not in (HOME, FALL):
                for root in self.roots:
                    self._answer(root, event)
        for state in self.states:
            if self.random.random() < 0.35:
                self._timer(state)

    def _number(self) -> int:
        self.rows += 1
        return 100 + self.rows

    def _row(
        self,
        state: State,
        guarded: bool = False,
        what: Sequence[str] = ("n", "n", "sum"),
    ) -> Row:
        chance = self.random
        row = Row(self._number())
        if guarded:
            row.guard = self._guard(what)
        if chance.random() < 0.5:
            row.adds = chance.randrange(4)
        if self.raises and self.raising and chance.random() < 0.3:
            row.raises = True
            self.raising -= 1
        if chance.random() < 0.6 and (self.silent or not row.raises):
            self._aim(row, state)
        return row

    def _guard(self, what: Sequence[str]) -> Guard:
        """Each once: a guard of a row before, in a state inside, is an error."""
        while True:
            mask = self.random.choice((1, 3, 3, 7, 31))
            guard = Guard(self.random.choice(what), mask, self.random.randint(0, mask))
            if guard not in self.guards:
                self.guards.add(guard)
                return guard

    def _aim(self, row: Row, state: State) -> None:
        chance = self.random
        inside = state.below()
        if inside and chance.random() < 0.5:
            row.local = True
            composite = [s for s in inside if s.children]
            if composite and chance.random() < 0.4:
                row.history, row.target = True, chance.choice(composite)
            else:
                row.target = chance.choice(inside)
        elif self.composite and chance.random() < 0.4:
            row.history, row.target = True, chance.choice(self.composite)
        else:
            row.target = chance.choice(self.states)

    def _whole(self, state: State, event: Event) -> str:
        """An answer that leaves nothing open; gives its kind."""
        kind = self.random.choice(("row", "row", "guarded", "ignore", "defer", "defer"))
        if kind == "defer" and (self.roots[0] in state.around() or not event.keeps):
            kind = "row"
        if kind in ("row", "guarded"):
            rows = [self._row(state)]
            if kind == "guarded":
                rows.insert(0, self._row(state, True))
            state.answers[event.name] = rows
        else:
            state.answers[event.name] = kind
        return kind

    def _answer(self, state: State, event: Event) -> None:
        """Every leaf inside gets an answer, from itself or from a state around it."""
        if state.children and self.random.random() < 0.5:
            for child in state.children:
                self._answer(child, event)
            return
        kind = self._whole(state, event)
        # The first child leaves all to this state, or its rows would never be tried.
        for child in state.children[1:]:
            roll = self.random.random()
            if roll < 0.3:
                self._answer(child, event)
            elif roll < 0.6 and kind != "defer":
                child.answers[event.name] = [self._row(child, True)]

    def _timer(self, state: State) -> None:
        rows = [self._row(state)]
        if rows[0].target is None and not rows[0].raises:
            self._aim(rows[0], state)
        if self.random.random() < 0.4:
            rows.insert(0, self._row(state, True, ("sum",)))
        constant = 100 + state.number
        state.timer = Timer(constant, self.random.random() < 0.5, rows)

    def _before(self) -> None:
        """Where nothing around or inside defers the event, which then has no rows."""
        for state in self.composite:
            for event in self.events[: self.events.index(HOME)]:
                near = (*state.around(), *state.below())
                deferred = any(s.answers.get(event.name) == "defer" for s in near)
                if not deferred and self.random.random() < 0.25:
                    state.before[event.name] = [self._row(state, True)]

    def _records(self) -> None:
        chance = self.random
        self.final.releases = chance.random() < 0.5
        self.final.tells_entry = self.final.releases and not self.silent
        self.final.tells_exit = False
        for root in self.roots:
            row = Row(self._number(), target=self.final)
            row.releases = not self.final.releases
            row.raises = self.silent and chance.random() < 0.5
            root.answers["fall"] = [row]
            root.answers["grow"] = "never"
        start = State("NEW", 97, None, tells_entry=False, tells_exit=False)
        start.answers = {e.name: "never" for e in self.events}
        row = Row(self._number(), adds=1, target=chance.choice(self.roots))
        start.answers["grow"] = [row]
        self.initial = start

    # --- text

    def device(self, what: str) -> str:
        return f"{self.word.lower()}_{what}{self.n}"

    @property
    def declared(self) -> str:
        """The last argument of its devices: the record, where there is one."""
        return f", k: Limb{self.n}" if self.per_record else ""

    @property
    def owner(self) -> str:
        return ", k" if self.per_record else ""

    def _add(self, amount: str) -> str:
        return f"{self.total} := ({self.total} + {amount}) & {CUT}"

    def _actions(self, row: Row, event: Optional[Event]) -> str:
        binds = event.binds if event is not None else ()
        n = "n" if "n" in binds else "0"
        b = "b" if "b" in binds else "false"
        parts = [f"{self.device('did')}({row.number}, {n}, {b}{self.owner})"]
        if "l" in binds:
            parts.append(f"{self.device('read')}(l)")
        if row.adds is not None:
            parts.append(self._add(f"{n} + {row.adds}"))
        if event is not None and event.name == "grow":
            parts.append("k.alive := true")
        if row.releases:
            parts.append("release k")
        if row.raises:
            passed = f"({n} + {row.number}) & {CUT}"
            parts.append(f"raise {self.raises}.poked({passed})")
        return f" / {'; '.join(parts)}"

    def _arrow(self, row: Row) -> str:
        if row.target is None:
            return ""
        words = " local" * row.local + " history" * row.history
        return f" ->{words} {row.target.path}"

    def _rows(self, event: Event, rows: Sequence[Row], head: str) -> Iterator[str]:
        for row in rows:
            guard = f" when {row.guard.text(self.total)}" if row.guard else ""
            if not guard and len(rows) > 1:
                guard = " else"
            yield f"{head} {event.bound}{guard}{self._actions(row, event)}{self._arrow(row)}"

    def _lines(self, state: State) -> Iterator[str]:
        entry, leave = [], []
        if state.tells_entry:
            entry.append(f"{self.device('in')}({state.number}{self.owner})")
        if state.entry_adds:
            entry.append(self._add(str(state.entry_adds)))
        if state.releases:
            entry.append("release k")
        if state.tells_exit:
            leave.append(f"{self.device('out')}({state.number}{self.owner})")
        if state.exit_adds:
            leave.append(self._add(str(state.exit_adds)))
        if entry:
            yield f"entry / {'; '.join(entry)}"
        if leave:
            yield f"exit / {'; '.join(leave)}"
        for event in (*self.events, *self.creating()):
            yield from self._rows(event, state.before.get(event.name, ()), "before on")
            answer = state.answers.get(event.name, ())
            if isinstance(answer, str):
                yield f"{answer} {event.name}"
            else:
                yield from self._rows(event, answer, "on")
        if state.timer is not None:
            duration = str(state.timer.constant)
            if state.timer.computed:
                duration = f"({self.total} & 63) + {duration}"
            yield f"after {duration}"
            for row in state.timer.rows:
                guard = f"when {row.guard.text(self.total)}" if row.guard else "else"
                yield f"  {guard}{self._actions(row, None)}{self._arrow(row)}"

    def _text(self, state: State, initial: bool, depth: int) -> list[str]:
        pad = "  " * depth
        words = " initial" * initial + " final" * state.final
        lines = [f"{pad}state {state.name}{words}"]
        lines += [f"{pad}  {line}" for line in self._lines(state)]
        for number, child in enumerate(state.children):
            lines += self._text(child, number == 0, depth + 1)
        return lines

    def creating(self) -> tuple[Event, ...]:
        return (Event("grow", "n: u16", ("n",)),) if self.per_record else ()

    def deferred(self, event: Event) -> bool:
        return any(state.answers.get(event.name) == "defer" for state in self.states)

    def text(self, creates: bool) -> list[str]:
        """`creates`: its external event `grow` creates the record; else Root does, and raises it."""
        n = self.n
        lines = [f"process {self.name}({f'k: Limb{n}' if self.per_record else ''})"]
        lines[0] = lines[0].replace("()", "")
        for event in self.events:
            external = "external " * event.external
            kept = f" keeps {event.keeps}" if self.deferred(event) else ""
            lines.append(f"  {external}event {event.name}({event.arguments}){kept}")
        if self.per_record:
            lines.append(
                "  external event grow(n: u16) creates"
                if creates
                else "  event grow(n: u16)"
            )
            lines += self._text(self.initial, True, 1)
        else:
            lines.append(f"  variable {self.total}: u16")
        for number, root in enumerate(self.roots):
            lines += self._text(root, number == 0 and not self.per_record, 1)
        if self.per_record:
            lines += self._text(self.final, False, 1)
        return lines


class Machines:
    """The processes of one small spec, whose names end in `n`: Tree, or Root and Branch, or all three."""

    def __init__(self, chance: random.Random, n: int, which: str = "any") -> None:
        self.n = n
        shape = 0.5 if which == "all" else chance.random()
        self.creates = chance.random() < 0.5  # Root, not Branch itself
        self.tree: Optional[Machine] = None
        self.branch: Optional[Machine] = None
        if shape < 0.6:
            self.tree = Machine(chance, "Tree", n, poked=shape > 0.3)
        if shape > 0.3:
            raises = f"Tree{n}" if self.tree is not None else ""
            self.branch = Machine(chance, "Branch", n, raises, True)

    @property
    def machines(self) -> tuple[Machine, ...]:
        return tuple(m for m in (self.branch, self.tree) if m is not None)

    @property
    def processes(self) -> tuple[str, ...]:
        words = [machine.name for machine in self.machines]
        return (f"Root{self.n}", *words) if self.branch is not None else tuple(words)

    def text(self) -> list[str]:
        n = self.n
        lines = [
            f"payload Note{n}",
            "  a: u8",
            f"  b: u16 range 0..{NOTE_LIMIT}",
        ]
        for machine in self.machines:
            told, k = machine.device, machine.declared
            lines += [
                f"device {told('did')}(number: u16, n: u16, b: bool{k})",
                f"device {told('in')}(number: u16{k})",
                f"device {told('out')}(number: u16{k})",
                f"device {told('read')}(l: Note{n})",
            ]
        if self.branch is not None:
            lines += self._root()
        for machine in self.machines:
            lines += machine.text(not self.creates)
        return lines

    def _root(self) -> list[str]:
        n = self.n
        created = f", created by Root{n}" if self.creates else ""
        lines = [
            f"device root_did{n}(number: u16, n: u16)",
            f"pool Limb{n}[{RECORDS}] written by Branch{n}{created}",
            "  sum: u16",
            "  alive: bool",
            f"table Line{n}[Limb{n}] written by Root{n}",
            f"  behind: Limb{n}",
            "  queued: bool",
            f"process Root{n}",
            "  external event everyone(n: u16)",
            f"  external event one(k: Limb{n}, n: u16)",
            f"  external event queue(k: Limb{n})",
            "  external event next(n: u16)",
            f"  variable head{n}: Limb{n}",
            f"  variable tail{n}: Limb{n}",
        ]
        if self.creates:
            lines.append("  external event plant(n: u16)")
        lines += [
            "  state READY initial",
            f"    on everyone(n) / root_did{n}(1, n); tell_all{n}(n)",
            f"    on one(k, n) when k != none and k.alive / root_did{n}(2, n); raise Branch{n}[k].poked(n)",
            "    ignore one",
            f"    on queue(k) when k != none and not Line{n}[k].queued / queue{n}(k)",
            "    ignore queue",
            f"    on next(n) / next{n}(n)",
        ]
        if self.creates:
            lines += [
                f"    on plant(n) when available(Limb{n}) / plant{n}(n)",
                f"    on plant(n) else / root_did{n}(3, n)",
                f"action plant{n}(n: u16)",
                f"  let k = create Limb{n}",
                f"  raise Branch{n}[k].grow(n)",
            ]
        lines += [
            f"action queue{n}(k: Limb{n})",
            f"  Line{n}[k].queued := true",
            f"  if tail{n} == none",
            f"    head{n} := k",
            "  else",
            f"    Line{n}[tail{n}].behind := k",
            f"  tail{n} := k",
            f"action next{n}(n: u16)",
            f"  let k = head{n}",
            "  if k != none",
            f"    root_did{n}(4, n)",
            f"    head{n} := Line{n}[k].behind",
            f"    clear Line{n}[k]",
            f"    if head{n} == none",
            f"      tail{n} := none",
            "    if k.alive",
            f"      raise Branch{n}[k].poked(n)",
        ]
        return [
            *lines,
            f"action tell_all{n}(n: u16)",
            f"  for k in Limb{n}",
            f"    if Limb{n}[k].sum & 1 == n & 1",
            f"      raise Branch{n}[k].poked(n)",
        ]
