# SPDX-License-Identifier: MIT
"""Searches a spec for sequences of events that take every transition, guided by what is new.

An event that takes a transition, decides a comparison or leaves a value as none did before is kept, with the state it
leads to. From what is kept the search goes on: other events from there, and the same event with other arguments.
What promises most goes first. It counts attempts, not time, and draws from one seeded source: the same spec gives
the same result everywhere.

What may happen to the node is what the spec allows: any external event with any arguments in their ranges whose handler
is not `never` there, timers that run, live parameters in their ranges. An event in which the spec breaks its contract
(an index outside, a value outside its range) is not used; `violations` tells of them.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field
from typing import Callable, Iterator, Optional, Sequence

from .. import ir
from .arguments import Arguments, Numbers, Shape
from .goals import Goals
from .probe import NO_ROW, Comparison, Probe, Step
from ..recall import faulty_recalls
from .sequences import device_payloads
from .solver import Attempt, Solver

STEPS = 4_000_000  # attempts, unless all transitions are taken before
RECENT = 4  # payloads of a type remembered along a path
VARIATIONS = 250  # of an event that brought something new
AIMED = 80  # of an event that came near a transition not taken yet
NEARBY = 4_000  # attempts from each seed and the defaults, before PHASE from any
PHASE = 150_000  # attempts from one beginning
WALKS = 1000  # at random, when nothing new comes from a beginning
WALK = 8  # events of each
MOMENTUM = 3  # times an event without arguments is repeated though nothing is new
SIBLINGS = 32  # fields of a record examined when its state changes

SOLVING = 1000  # attempts to take one row by solving its guard
FAILURES = 4  # times that may fail for a row and one comparison in its way
NEAR = 64  # distances up to which each step nearer is new; beyond, half of it is

NO_OWNER = -1  # the slot belongs to no record with a process

Seed = tuple[tuple[int, ...], tuple[Step, ...]]  # parameters, what happens

# Priorities of what is kept.
SHOWN, NEW_ROW, NEAR_ROW, NEW_COMPARISON, NEW_VALUE, NEW_PAIR = range(6)


@dataclass(eq=False)
class Item:
    """An event that brought something new, and the state behind it.

    `failed`: the event may not happen, but how it failed is new: with other arguments it might.
    """

    parent: Optional["Item"]
    parameters: tuple[int, ...]
    step: Optional[Step]  # None: the beginning
    state: dict[int, int]  # what differs from the beginning
    recent: dict[str, list[Numbers]]
    comparisons: tuple[Comparison, ...] = ()
    failed: bool = False

    def path(self) -> list[Step]:
        steps = []
        item: Optional[Item] = self
        while item is not None and item.step is not None:
            steps.append(item.step)
            item = item.parent
        return steps[::-1]


@dataclass
class Search:
    protocol: ir.Protocol
    seed: int = 1
    limit: int = STEPS
    report_progress: Optional[Callable[[int, int], None]] = None
    seeds: Sequence[Seed] = ()  # known paths; the search continues from each
    steps: int = 0
    found: dict[int, Item] = field(default_factory=dict)  # by transition
    violations: dict[str, int] = field(default_factory=dict)

    solving_enabled: bool = False  # this time round
    solving: int = 0  # attempts that went into solving guards
    improved: int = 0  # how often a transition not taken yet came nearer

    def __post_init__(self) -> None:
        self.probe = Probe(self.protocol)
        self.node = self.probe.node
        self.program = self.probe.program
        self.random = random.Random(self.seed)
        self.arguments = Arguments(self.program, self.random)
        self.payloads = device_payloads(self.program)
        self.items: list[Item] = []
        self.complaints: dict[str, str] = {}  # the first one of a place stands for all
        self.queue: list[tuple[int, int, Item]] = []
        self.queued = 0
        self.known: set[object] = set()
        self.goals = Goals(self.protocol)
        self.helping: tuple[int, frozenset[int]] = (-1, frozenset())
        # Of the beginning that is being tried:
        self.nearest: dict[tuple[int, int, bool], int] = {}  # difference of two sides
        # By row and what stands in its way: how often it could not be taken.
        self.failures: dict[tuple[int, int], int] = {}
        self.followed: set[frozenset[tuple[int, int]]] = set()
        faults = {row.number for row in faulty_recalls(self.protocol)}
        self.missing = {row.number for row in self.program.rows} - faults
        self._prepare_slots()
        self._prepare_targets()

    # --- what is prepared once

    def _prepare_slots(self) -> None:
        """For each slot: whose kind it is (records of a container are alike), and where the state of its record lies."""
        layout = self.node.layout
        kinds: dict[str, int] = {}
        self.slot_kind = []
        self.moving = {
            i for i, s in enumerate(layout.slots) if s.kind in ("state", "used")
        }
        self.slot_owner = [NO_OWNER] * len(layout.slots)
        self.siblings: dict[int, list[int]] = {}  # of the state of a record: its fields
        for slot in layout.slots:
            name = "".join(part.split("]")[-1] for part in slot.name.split("["))
            number = kinds.setdefault(name, len(kinds))
            self.slot_kind.append(-1 if slot.kind == "counter" else number)
        for process in self.protocol.processes:
            if process.pool is None:
                for variable in process.variables:
                    first = layout.variables[process.name, variable.name]
                    self.slot_owner[first] = layout.states[process.name]
                self.slot_owner[layout.states[process.name]] = layout.states[
                    process.name
                ]
        tables = {table.name: table.pool for table in self.protocol.tables}
        for container in layout.containers.values():
            pool = layout.containers.get(tables.get(container.name) or container.name)
            if pool is None or pool.process is None:
                continue
            for key, base in container.bases.items():
                owner = pool.bases[key] + pool.offsets[""]
                record = range(base, base + container.stride)
                for slot_number in record:
                    self.slot_owner[slot_number] = owner
                self.siblings.setdefault(owner, []).extend(record[:SIBLINGS])
        self.base = list(layout.initial)  # of the beginning that is being tried

    def _prepare_targets(self) -> None:
        """For each entry point: the handlers its event may lead to through raises."""
        handlers = [(p, h) for p in self.protocol.processes for h in p.handlers]
        raised: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for process, handler in handlers:
            to = raised.setdefault((process.name, handler.event), set())
            to.update(target for row in handler.rows for target in row.raises)
        self.leads_to: list[set[tuple[str, str]]] = []
        for entry in self.program.entries:
            reached: set[tuple[str, str]] = set()
            waiting = [(entry.process.name, entry.event.name)]
            while waiting:
                event = waiting.pop()
                if event not in reached:
                    reached.add(event)
                    waiting += raised.get(event, ())
            self.leads_to.append(reached)
        self.rows_of: dict[tuple[str, str, int], list[int]] = {}
        self.handler_of: dict[int, tuple[str, str, int]] = {}
        for process, handler in handlers:
            key = (process.name, handler.event, process.leaf(handler.leaf).number)
            self.rows_of.setdefault(key, []).extend(r.number for r in handler.rows)
            for row in handler.rows:
                self.handler_of[row.number] = key
        # (process, event, leaf) -> does the handler only say never?
        self.forbidden = {
            (p.name, h.event, p.leaf(h.leaf).number)
            for p, h in handlers
            if not h.groups and h.otherwise == "never"
        }

    # --- the search

    def run(self) -> None:
        """From each beginning anew until nothing new comes, then from anywhere at random, while transitions are missing.

        Where there are seeds, a little is tried from each first: what only one of them is near to is not waited for.
        A beginning knows only by its own what is new: with collections of one frame the way to a state is another.
        What led somewhere is remembered throughout. What is cheap goes first: guards are solved only the second time
        round, and every other time from then on; where a seed shows a path, at once.
        """
        self.solving_enabled = bool(self.seeds)
        if self.seeds:
            for beginning, path in (*self.seeds, (self._beginnings()[0], ())):
                self._begin(beginning)
                self._follow_path(path)
                self._explore(min(self.steps - self.solving + NEARBY, self.limit))
        while self.missing and self.steps < self.limit:
            defaults: list[Seed] = [(start, ()) for start in self._beginnings()]
            for beginning, path in (*self.seeds, *defaults):
                if not self.missing or self.steps >= self.limit:
                    break
                self._begin(beginning)
                self._follow_path(path)
                end = min(self.steps - self.solving + PHASE, self.limit)
                self._explore(end)
                for _ in range(WALKS):
                    if self.missing and self.steps < self.limit:
                        self._walk()
                        self._explore(end)
            self.solving_enabled = not self.solving_enabled

    def _follow_path(self, path: Sequence[Step]) -> None:
        """Keeps every step of it, new or not, to be gone on from its end backwards. Ends at a step that is not possible: a
        scenario may be of another profile."""
        items = [self.items[0]]
        for step in path:
            self._restore(items[-1])
            if not self.probe.possible(step):
                break
            if not self._attempt(items[-1], step) or not self.probe.attempt(step):
                break
            items.append(self._child(items[-1], step))
            if step[0] == "E":
                shape = self.arguments.shapes[step[1]]
                self.arguments.remember(shape, shape.parts(step)[1])
        for item in items[:0:-1]:
            self._keep(item, SHOWN)

    def _explore(self, end: int) -> None:
        while self.missing and self.queue and self.steps < self.limit:
            if self.steps - self.solving >= end:
                break
            _, _, item = heapq.heappop(self.queue)
            if self.report_progress is not None:
                self.report_progress(len(self.missing), self.steps)
            self._vary_arguments(item)
            if not item.failed:
                self._expand(item)

    def _beginnings(self) -> list[tuple[int, ...]]:
        """The default parameters; all at their lowest; each at either end of its range."""
        defaults = [p.default.value for p in self.protocol.parameters]
        starts = [tuple(defaults)]
        starts.append(tuple(self._ends(p)[0] for p in self.protocol.parameters))
        for parameter in self.protocol.parameters:
            for value in self._ends(parameter):
                start = list(defaults)
                start[parameter.index] = value
                starts.append(tuple(start))
        return list(dict.fromkeys(starts))

    def _begin(self, parameters: tuple[int, ...]) -> None:
        self.known.clear()
        self.nearest.clear()
        self.failures.clear()
        self.followed.clear()
        self.queue.clear()
        self.items.clear()
        names = [p.name for p in self.protocol.parameters]
        self.node.reset(dict(zip(names, parameters)))
        self.base = self.node.snapshot()
        self._keep(Item(None, parameters, None, {}, {}), NEW_ROW)

    def _ends(self, parameter: ir.Parameter) -> tuple[int, ...]:
        low, high = 0, (1 << self.program.number_of_bits(parameter.type)) - 1
        if parameter.range is not None:
            low, high = parameter.range.low.value, parameter.range.high.value
        return (low, high)

    def _keep(self, item: Item, priority: int) -> None:
        self.items.append(item)
        self._queue(item, priority)

    def _queue(self, item: Item, priority: int) -> None:
        self.queued += 1
        heapq.heappush(self.queue, (priority, self.queued, item))

    def _restore(self, item: Item) -> None:
        state = self.node.state
        state[:] = self.base
        for slot, value in item.state.items():
            state[slot] = value

    # --- one attempt

    def _attempt(self, item: Item, step: Step) -> bool:
        """From the state of `item`, where the node is before and afterwards. True: it may happen."""
        self.steps += 1
        if not self.probe.attempt(step):
            violation = self.probe.violation
            if violation is not None and "cannot come" not in violation.complaint:
                text = self.complaints.setdefault(str(violation.place), str(violation))
                self.violations[text] = self.violations.get(text, 0) + 1
            priority = self._new_comparisons()
            if priority is not None:
                comparisons = tuple(dict.fromkeys(self.probe.comparisons))
                child = Item(
                    item, item.parameters, step, {}, {}, comparisons, failed=True
                )
                self._queue(child, priority)
            return False
        priority = self._novelty()
        if priority is not None:
            child = self._child(item, step)
            for row in self.probe.rows():
                if row in self.missing:
                    self.missing.discard(row)
                    self.found[row] = child
            self._keep(child, priority)
            if step[0] == "E":
                shape = self.arguments.shapes[step[1]]
                self.arguments.remember(shape, shape.parts(step)[1])
        self.probe.take_back()
        return True

    def _child(self, item: Item, step: Step) -> Item:
        recent = {key: list(values) for key, values in item.recent.items()}
        for entry in self.node.log:
            for payload, first, last in self.payloads.get(entry[0], ()):
                values = recent.setdefault(payload, [])
                if entry[first:last] not in values:
                    values.append(entry[first:last])
                    del values[:-RECENT]
        comparisons = tuple(dict.fromkeys(self.probe.comparisons))
        state = dict(item.state)
        for slot, _ in self.node.journal:
            state[slot] = self.node.state[slot]
        return Item(item, item.parameters, step, state, recent, comparisons)

    def _new_comparisons(self) -> Optional[int]:
        """The priority of the last attempt as far as comparisons tell: None when none was decided as never before."""
        best: Optional[int] = None
        known = self.known
        for row, place, outcome, left, right in self.probe.comparisons:
            if not self.solving_enabled:
                row = max(row, NO_ROW)  # of whatever event
            key = (row, place, outcome)
            near = row in self.missing
            if key not in known:
                known.add(key)
                best = _better(best, NEAR_ROW if near else NEW_COMPARISON)
            if near and self.solving_enabled and self._nearer(key, abs(left - right)):
                best = NEAR_ROW
        return best

    def _nearer(self, key: tuple[int, int, bool], distance: int) -> bool:
        """Did a comparison on the way to a transition not taken yet come nearer to being decided otherwise?"""
        before = self.nearest.get(key)
        if before is not None:
            limit = before - 1 if before <= NEAR else before // 2
            if distance > limit:
                return False
        self.nearest[key] = distance
        self.improved += 1
        return True

    def _novelty(self) -> Optional[int]:
        """How much the last attempt is worth keeping, None when nothing about it is new."""
        best = self._new_comparisons()
        rows = tuple(self.probe.rows())
        if not self.missing.isdisjoint(rows):
            best = NEW_ROW
        elif rows not in self.known:
            self.known.add(rows)
            best = _better(best, NEW_COMPARISON)
        state, slots = self.node.state, {slot for slot, _ in self.node.journal}
        moved = False
        for slot in list(slots):
            if self.slot_owner[slot] == slot:
                slots.update(self.siblings.get(slot, ()))
            moved = moved or slot in self.moving
        for slot in slots:
            kind = self.slot_kind[slot]
            if kind < 0:
                continue
            owner = self.slot_owner[slot]
            leaf = state[owner] if owner >= 0 else 0
            value = (kind, leaf, state[slot].bit_length(), min(state[slot], 3))
            if value not in self.known:
                self.known.add(value)
                best = _better(best, NEW_VALUE)
        if moved and self._new_pair():
            best = _better(best, NEW_PAIR)
        return best

    def _new_pair(self) -> bool:
        """Are two processes in states in which they were never seen together?"""
        leaves = sorted(set(self._leaves()))
        found = False
        for index, one in enumerate(leaves):
            for other in leaves[index + 1 :]:
                if (one, other) not in self.known:
                    self.known.add((one, other))
                    found = True
        return found

    def _leaves(self) -> list[tuple[str, int]]:
        """(process, leaf) of every process there is now."""
        node = self.node
        result = []
        for process in self.protocol.processes:
            if process.pool is None:
                slot = node.layout.states[process.name]
                result.append((process.name, node.state[slot]))
            else:
                container = node.layout.containers[process.pool]
                offset = container.offsets[""]
                for instance in node.instances(process.name):
                    leaf = node.state[container.bases[instance] + offset]
                    result.append((process.name, leaf))
        return result

    # --- what is tried

    def _vary_arguments(self, item: Item) -> None:
        """The event of an item with other arguments."""
        if item.parent is None or item.step is None or item.step[0] != "E":
            return
        self._restore(item.parent)
        shape = self.arguments.shapes[item.step[1]]
        self._variations(item.parent, shape, item.step, item.comparisons, VARIATIONS)

    def _variations(
        self,
        item: Item,
        shape: Shape,
        step: Step,
        comparisons: tuple[Comparison, ...],
        limit: int,
    ) -> None:
        reference, numbers = shape.parts(step)
        for changed in self.arguments.variations(shape, numbers, comparisons, limit):
            self._attempt(item, shape.step(reference, changed))

    def _expand(self, item: Item) -> None:
        """Everything that may happen next; where it might lead to a transition not taken yet, with many arguments."""
        self._restore(item)
        active = set(self._leaves())
        for timer, instance in self.node.armed():
            self._repeat_event(item, ("T", timer.index, instance))
        for parameter in self.protocol.parameters:
            if parameter.live:
                for value in (*self._ends(parameter), parameter.default.value):
                    self._attempt(item, ("P", parameter.index, value))
        for shape in self.arguments.shapes:
            if not shape.bounds:
                for reference in self._references(shape):
                    self._repeat_event(item, shape.step(reference, ()))
                continue
            missing_targets = self._missing_transitions(shape, active)
            goals = (
                self._goals(shape, active, missing_targets)
                if self.solving_enabled
                else []
            )
            for reference in self._references(shape):
                tried: list[Attempt] = []
                for numbers in self.arguments.seeds(shape, item.recent):
                    step = shape.step(reference, numbers)
                    happened = self._attempt(item, step)
                    comparisons = tuple(self.probe.comparisons)
                    if goals:
                        rows = self.probe.rows() if happened else []
                        tried.append(Attempt(numbers, comparisons, tuple(rows)))
                    if any(row in missing_targets for row, *_ in comparisons):
                        self._variations(item, shape, step, comparisons, AIMED)
                for goal in goals:
                    self._reach(item, shape, reference, tried, goal)

    def _reach(
        self,
        item: Item,
        shape: Shape,
        reference: int,
        tried: list[Attempt],
        goal: int,
    ) -> None:
        """Solves the guard of a row; one that only helps is taken where a transition not taken yet comes nearer by it."""
        missing = goal in self.missing
        best = max(tried, key=lambda attempt: self._closeness(attempt, goal))
        stands = [place for row, place, *_ in best.comparisons if row == goal]
        obstacle = (goal, stands[-1] if stands else 0)  # and what stands in it
        if self.failures.get(obstacle, 0) >= FAILURES or not (missing or self.missing):
            return
        if self.solving * 2 > self.steps + SOLVING and self.failures.get(obstacle) != 0:
            return  # what has led on before may go on
        begin = self.steps

        def run(numbers: Numbers) -> tuple[list[Comparison], list[int]]:
            happened = self._attempt(item, shape.step(reference, numbers))
            return self.probe.comparisons, self.probe.rows() if happened else []

        numbers = Solver(shape.bounds, run, SOLVING).reach(best.numbers, goal)
        led_on = numbers is not None
        if numbers is not None:
            self.arguments.remember(shape, numbers)
            if not missing:
                led_on = self._follow(item, shape.step(reference, numbers))
        self.failures[obstacle] = 0 if led_on else self.failures.get(obstacle, 0) + 1
        self.solving += self.steps - begin

    def _closeness(self, attempt: Attempt, goal: int) -> tuple[int, int, int]:
        handler = self.handler_of[goal]
        rows = [row for row, *_ in attempt.comparisons]
        beside = sum(self.handler_of.get(row) == handler for row in rows)
        return (goal in attempt.rows, rows.count(goal), beside)

    def _follow(self, item: Item, step: Step) -> bool:
        """Goes a step without anything new in it, and keeps it where something not taken yet is nearer then."""
        if not self.probe.attempt(step):
            return False
        child = self._child(item, step)
        key = frozenset(child.state.items())
        before = self.improved
        if key not in self.followed:
            self.followed.add(key)
            self._restore(child)
            active = set(self._leaves())
            for shape in self.arguments.shapes:
                if shape.bounds and self._missing_transitions(shape, active):
                    for reference in self._references(shape):
                        for numbers in self.arguments.seeds(shape, child.recent):
                            self._attempt(child, shape.step(reference, numbers))
        if self.improved > before:
            self._keep(child, NEAR_ROW)
        self._restore(item)
        return self.improved > before

    def _goals(
        self, shape: Shape, active: set[tuple[str, int]], missing_targets: set[int]
    ) -> list[int]:
        """Rows to solve the guards of: those not taken yet, and those that write what guards of such rows read."""
        if self.helping[0] != len(self.missing):
            self.helping = (len(self.missing), self.goals.helpers(self.missing))
        helping = self.helping[1] - missing_targets
        return sorted(missing_targets) + sorted(
            helping.intersection(self._rows(shape, active))
        )

    def _repeat_event(self, item: Item, step: Step) -> None:
        """What takes no arguments, some times over: work that goes on by itself comes to its end."""
        origin = item
        for _ in range(MOMENTUM):
            items = len(self.items)
            if not self._attempt(item, step) or len(self.items) > items:
                break
            self.probe.attempt(step)
            item = self._child(item, step)
        if item is not origin:
            self._restore(origin)

    def _missing_transitions(
        self, shape: Shape, active: set[tuple[str, int]]
    ) -> set[int]:
        """Transitions not taken yet that the event might lead to in these states."""
        return {row for row in self._rows(shape, active) if row in self.missing}

    def _rows(self, shape: Shape, active: set[tuple[str, int]]) -> Iterator[int]:
        for process, event in self.leads_to[shape.entry.number]:
            for owner, leaf in active:
                if owner == process:
                    yield from self.rows_of.get((process, event, leaf), ())

    def _references(self, shape: Shape) -> list[int]:
        """Instances the event may come to; of those in the same state the first and the last."""
        entry = shape.entry
        if not entry.takes_reference:
            return [0]
        container = self.node.layout.containers[str(entry.process.pool)]
        by_leaf: dict[int, list[int]] = {}
        for instance in self.node.instances(entry.process.name):
            slot = container.bases[instance] + container.offsets[""]
            by_leaf.setdefault(self.node.state[slot], []).append(instance)
        result = []
        for leaf, instances in by_leaf.items():
            if (entry.process.name, entry.event.name, leaf) not in self.forbidden:
                result += sorted({instances[0], instances[-1]})
        return result

    def _walk(self) -> None:
        """Some events at random from somewhere: what is new on the way is gone on from."""
        item = self.random.choice(self.items)
        self._restore(item)
        for _ in range(WALK):
            self.steps += 1  # a walk that can do nothing ends too
            step = self._any_step(item)
            if step is not None and self._attempt(item, step):
                self.probe.attempt(step)
                item = self._child(item, step)

    def _any_step(self, item: Item) -> Optional[Step]:
        armed = self.node.armed()
        if armed and self.random.random() < 0.2:
            timer, instance = self.random.choice(armed)
            return ("T", timer.index, instance)
        if not self.arguments.shapes:
            return None
        shape = self.random.choice(self.arguments.shapes)
        references = self._references(shape)
        if not references:
            return None
        numbers = self.random.choice(self.arguments.seeds(shape, item.recent))
        return shape.step(self.random.choice(references), numbers)


def _better(best: Optional[int], other: int) -> int:
    return other if best is None else min(best, other)
