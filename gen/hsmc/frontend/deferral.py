# SPDX-License-Identifier: MIT
"""Deferred events, in terms of what there is already: state, rows, guards, assignments and raises.

Each event that some state defers gets a queue: a count, and an array for each number it carries. Where the innermost
answer to the event is `defer`, one synthesized row puts it at the end of its queue. A hidden event `recall` of the
process has, per leaf, one row for each event that does not wait there; it takes the first out of the queue and raises
the event anew. Rows that go from a leaf that defers something to one that does not mark the process (or its record), and
the entry points of the runtime recall what is marked until nothing is: see recall.py, which back ends ask.

Why this ends: an event leaves its queue only to be delivered where it is not deferred, so it does not come back by
itself; what its delivery raises in turn stands below it in the order of what may raise what, which has no circles
(HSM0516). Each recall therefore replaces an event by finitely many lower ones.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Iterable, Iterator, Optional

from .. import ir, walk
from . import ast
from .context import Context
from .added_state import BOOL, U32, AddedState, compare, number, size, smallest
from .machines import Machine, StateNode
from .transition_paths import transition_paths

# Longer queues are moved up by a loop.
UNROLLED = 4
LONGEST = 255


@dataclass(frozen=True)
class Part:
    """One number of an event: an argument, or a field of a payload argument."""

    argument: ir.Argument
    field: Optional[str]
    array: ir.Expression  # of ArrayType

    @property
    def type(self) -> ir.ScalarType:
        assert isinstance(self.array.type, ir.ArrayType)
        return self.array.type.element


@dataclass(frozen=True)
class Queue:
    event: ast.Event
    arguments: tuple[ir.Argument, ...]
    limit: ir.Size
    count: ir.Expression
    parts: tuple[Part, ...]
    locals: dict[str, ir.Local]  # by argument: what a recall passes on
    slot: Optional[ir.Local]  # counter of the loop that moves a long queue up

    @property
    def room(self) -> ir.Expression:
        return ir.Binary(
            type=BOOL,
            place=self.limit.expression.place,
            operator="<",
            left=self.count,
            right=self.limit.expression,
        )


class Deferral:
    """Of one process; `queues` is empty when it defers nothing."""

    def __init__(self, context: Context, machine: Machine) -> None:
        self.context = context
        self.machine = machine
        self.added = AddedState(context, machine)
        self.queues: dict[str, Queue] = {}
        self.deferred: dict[StateNode, list[str]] = {}
        for leaf in machine.leaves:
            self.deferred[leaf] = [
                e.name.text
                for e in machine.node.events
                if self._known(e) and self._defers(leaf, e.name.text)
            ]
        used = {name for names in self.deferred.values() for name in names}
        self.event = "recall"
        while any(e.name.text == self.event for e in machine.node.events):
            self.event += "_"
        self.pending: Optional[ir.Expression] = None
        self.after: dict[str, set[StateNode]] = {}
        if not used:
            return
        for event in machine.node.events:
            if event.name.text in used and event.name.text not in self.queues:
                self.queues[event.name.text] = self._queue(event)
        self.after = {name: self._after(name) for name in self.queues}
        place = machine.node.name.span.place()
        kind: ir.Type = BOOL
        if self.added.pool is not None:
            kind = ir.BitsType(context.pools[self.added.pool].count)
        self.pending = self.added.add(
            f"{machine.name}_{self.event}",
            kind,
            "may something that waits be delivered?",
            place,
            once=True,
        )

    def _known(self, event: ast.Event) -> bool:
        """Is all known that its queue needs? Otherwise that has been reported."""
        name = event.name.text
        signature = self.context.events.get(self.machine.name, {}).get(name)
        return (
            self.added.usable
            and name in self.machine.queue_sizes
            and signature is not None
            and len(signature.arguments) == len(event.arguments)
            and all(
                not isinstance(a.type, ir.PayloadType)
                or a.type.name in self.context.payloads
                for a in signature.arguments
            )
        )

    @staticmethod
    def _defers(leaf: StateNode, event: str) -> bool:
        """Is the innermost answer `defer`?"""
        if leaf.node.final:
            return False
        for state in leaf.chain():
            own = [rows for rows in state.rows if rows.event == event]
            if any(not choice.conditional for rows in own for choice in rows.choices):
                return False
            if event in state.verdicts:
                return state.verdicts[event].kind == "defer"
        return False

    def _queue(self, event: ast.Event) -> Queue:
        context, machine, name = self.context, self.machine, event.name.text
        place = event.name.span.place()
        limit = machine.queue_sizes[name]
        arguments = context.events[machine.name][name].arguments
        count = self.added.add(
            f"waiting_{name}",
            smallest(limit.value),
            f"how many '{name}' wait",
            place,
            largest=limit.value,
        )
        parts: list[Part] = []
        locals_: dict[str, ir.Local] = {}
        for argument, node in zip(arguments, event.arguments):
            local = self._local(f"waiting_{argument.name}", argument.type, node)
            locals_[argument.name] = local
            if not isinstance(argument.type, ir.PayloadType):
                parts.append(self._part(event, argument, None, argument.type, limit))
                continue
            for field in context.payloads[argument.type.name].fields:
                assert not isinstance(
                    field.type, (ir.ArrayType, ir.BitsType, ir.PayloadType)
                )
                parts.append(self._part(event, argument, field.name, field.type, limit))
        slot = None
        if parts and (limit.value > UNROLLED or _overridable(limit)):
            slot = self._local("slot", U32, event)
        return Queue(event, arguments, limit, count, tuple(parts), locals_, slot)

    def _part(
        self,
        event: ast.Event,
        argument: ir.Argument,
        field: Optional[str],
        type_: ir.ScalarType,
        limit: ir.Size,
    ) -> Part:
        what = argument.name if field is None else f"{argument.name}.{field}"
        array = self.added.add(
            f"waiting_{event.name.text}_{what.replace('.', '_')}",
            ir.ArrayType(type_, limit),
            f"{what} of those that wait, the first in 0",
            event.name.span.place(),
        )
        return Part(argument, field, array)

    def _local(self, name: str, type_: ir.Type, node: ast.Node) -> ir.Local:
        local = self.machine.body.new_local(name, type_, node.span)
        self.context.locals_used.add(id(local))
        return local

    # --- rows: (guard, what happens before anything may be raised, what is raised)

    def defer(
        self, event: str, verdict: ast.Verdict
    ) -> tuple[ir.Expression, tuple[ir.Statement, ...]]:
        """Puts the event at the end of its queue."""
        queue = self.queues[event]
        place = verdict.span.place()
        single = queue.limit.value == 1 and not _overridable(queue.limit)
        end = number(0, U32, place) if single else queue.count
        statements: list[ir.Statement] = []
        for part in queue.parts:
            argument: ir.Expression = ir.ArgumentName(
                type=part.argument.type, place=place, name=part.argument.name
            )
            if part.field is not None:
                assert isinstance(part.argument.type, ir.PayloadType)
                argument = ir.PayloadField(
                    type=part.type,
                    place=place,
                    base=argument,
                    payload=part.argument.type.name,
                    field=part.field,
                )
            target = _element(part, end, place)
            statements.append(ir.Assign(place=place, target=target, value=argument))
        statements.append(_add(queue.count, "+", place))
        return queue.room, tuple(statements)

    def recallable(self, leaf: StateNode) -> list[Queue]:
        """Those whose events are not deferred in the leaf but may wait there, in the order in which they are recalled."""
        if leaf.node.final:
            return []
        waits = self.deferred[leaf]
        return [
            queue
            for name, queue in self.queues.items()
            if name not in waits and leaf in self.after[name]
        ]

    def _after(self, event: str) -> set[StateNode]:
        """Leaves some rows lead to from one that defers the event."""
        found: set[StateNode] = set()
        pending = [leaf for leaf, names in self.deferred.items() if event in names]
        while pending:
            leaf = pending.pop()
            for source in leaf.chain():
                for rows in source.rows:
                    for choice in rows.choices:
                        if choice.target is None:
                            continue
                        for path in transition_paths(
                            self.machine, leaf, source, choice
                        ):
                            if path.entered[-1] not in found:
                                found.add(path.entered[-1])
                                pending.append(path.entered[-1])
        return found

    def recall(self, queue: Queue) -> tuple[ir.Expression, tuple[ir.Statement, ...]]:
        """Takes the first of the queue and raises it anew; there may be more to recall after it."""
        place = queue.event.name.span.place()
        guard = compare("!=", queue.count, 0, place)
        statements: list[ir.Statement] = [*self.mark(place)]
        for argument in queue.arguments:
            parts = [p for p in queue.parts if p.argument is argument]
            first = [_element(p, number(0, U32, place), place) for p in parts]
            value: ir.Expression
            if isinstance(argument.type, ir.PayloadType):
                value = ir.BuildPayload(
                    type=argument.type,
                    place=place,
                    payload=argument.type.name,
                    fields=tuple((str(p.field), e) for p, e in zip(parts, first)),
                )
            else:
                value = first[0]
            local = queue.locals[argument.name]
            statements.append(ir.Let(place=place, local=local, value=value))
        statements += self._move_up(queue, place)
        statements.append(_add(queue.count, "-", place))
        arguments = tuple(
            ir.LocalName(type=a.type, place=place, local=queue.locals[a.name])
            for a in queue.arguments
        )
        statements.append(
            ir.Raise(
                place=place,
                process=self.machine.name,
                event=queue.event.name.text,
                instance=self.added.instance(place),
                arguments=arguments,
            )
        )
        return guard, tuple(statements)

    @staticmethod
    def _move_up(queue: Queue, place: ir.Place) -> Iterator[ir.Statement]:
        """Places no longer in use become 0, so that equal queues are equal states."""
        limit = queue.limit.value
        last: ir.Expression = number(limit - 1, U32, place)
        turns = size(limit - 1, place)
        if _overridable(queue.limit):
            last = dataclasses.replace(
                _sum(queue.limit.expression, "-", place), value=limit - 1
            )
            turns = ir.Size(limit - 1, last)
        if queue.slot is not None:
            slot = ir.LocalName(type=U32, place=place, local=queue.slot)
            after = _sum(slot, "+", place)
            yield ir.Let(place=place, local=queue.slot, value=number(0, U32, place))
            moves: list[ir.Statement] = [
                ir.Assign(
                    place=place,
                    target=_element(part, slot, place),
                    value=_element(part, after, place),
                )
                for part in queue.parts
            ]
            moves.append(ir.Assign(place=place, target=slot, value=after))
            yield ir.Repeat(
                place=place,
                count=turns,
                condition=None,
                body=tuple(moves),
            )
        for part in queue.parts:
            if queue.slot is None:
                for index in range(limit - 1):
                    yield ir.Assign(
                        place=place,
                        target=_element(part, number(index, U32, place), place),
                        value=_element(part, number(index + 1, U32, place), place),
                    )
            yield ir.Assign(
                place=place,
                target=_element(part, last, place),
                value=_zero(part.type, place),
            )

    # --- what transitions do about it

    def leaving(self, leaf: StateNode, target: StateNode) -> tuple[ir.Statement, ...]:
        """What a row from one leaf to another does before all else: a final state drops what waits; where something
        may be delivered that had to wait, the process is marked."""
        place = self.machine.node.name.span.place()
        if target.node.final:
            return tuple(s for q in self.queues.values() for s in _drop(q, place))
        if set(self.deferred[leaf]) - set(self.deferred[target]):
            return tuple(self.mark(place))
        return ()

    def mark(self, place: ir.Place) -> Iterable[ir.Statement]:
        assert self.pending is not None
        instance = self.added.instance(place)
        if instance is None:
            true = ir.Number(type=BOOL, place=place, value=1, text="true")
            return [ir.Assign(place=place, target=self.pending, value=true)]
        index = _sum(instance, "-", place)
        return [ir.SetBit(place=place, bits=self.pending, index=index, present=True)]

    # --- what cannot be right

    def check(self) -> None:
        """Is there a way from each leaf that defers an event to one that does not?"""
        for event in self.machine.node.events:
            name = event.name.text
            if name not in self.queues:
                continue
            released = self._released(name)
            for leaf in self.machine.leaves:
                if name in self.deferred[leaf] and leaf not in released:
                    verdict = next(
                        s.verdicts[name] for s in leaf.chain() if name in s.verdicts
                    )
                    self.context.error(
                        "HSM0531",
                        verdict.span,
                        f"'{name}' waits for ever: no way leads from state {leaf.dotted} to one that does not defer it",
                        [("the event", event.name.span)],
                    )
                    break

    def _released(self, event: str) -> set[StateNode]:
        """Leaves from which one is reached that does not defer the event."""
        found = {s for s in self.machine.leaves if event not in self.deferred[s]}
        grown = True
        while grown:
            grown = False
            for leaf in self.machine.leaves:
                if leaf not in found and self.machine.successors[leaf] & found:
                    found.add(leaf)
                    grown = True
        return found


def _overridable(limit: ir.Size) -> bool:
    """Does it have the name of a constant? That may have another value where the C is compiled."""
    return any(
        isinstance(node, ir.ConstantName) for node in walk.nodes(limit.expression)
    )


def _element(part: Part, index: ir.Expression, place: ir.Place) -> ir.Expression:
    return ir.Element(type=part.type, place=place, base=part.array, index=index)


def _zero(type_: ir.ScalarType, place: ir.Place) -> ir.Expression:
    if isinstance(type_, ir.ReferenceType):
        return ir.NoneReference(type=type_, place=place, value=0)
    text = "false" if isinstance(type_, ir.BoolType) else "0"
    return ir.Number(type=type_, place=place, value=0, text=text)


def _sum(
    left: ir.Expression, operator: ir.BinaryOperator, place: ir.Place
) -> ir.Expression:
    """One more or one less."""
    return ir.Binary(
        type=U32, place=place, operator=operator, left=left, right=number(1, U32, place)
    )


def _add(
    count: ir.Expression, operator: ir.BinaryOperator, place: ir.Place
) -> ir.Statement:
    assert isinstance(count.type, ir.IntegerType)
    value = _sum(count, operator, place)
    if count.type.bits < 32:
        value = ir.Narrow(type=count.type, place=place, operand=value)
    return ir.Assign(place=place, target=count, value=value)


def _drop(queue: Queue, place: ir.Place) -> Iterator[ir.Statement]:
    """Empties a queue."""
    limit = queue.limit.value
    assert isinstance(queue.count.type, ir.IntegerType)
    yield ir.Assign(
        place=place, target=queue.count, value=number(0, queue.count.type, place)
    )
    if queue.slot is not None:
        slot = ir.LocalName(type=U32, place=place, local=queue.slot)
        yield ir.Let(place=place, local=queue.slot, value=number(0, U32, place))
        body: list[ir.Statement] = [
            ir.Assign(
                place=place,
                target=_element(part, slot, place),
                value=_zero(part.type, place),
            )
            for part in queue.parts
        ]
        body.append(ir.Assign(place=place, target=slot, value=_sum(slot, "+", place)))
        yield ir.Repeat(
            place=place, count=queue.limit, condition=None, body=tuple(body)
        )
        return
    for part in queue.parts:
        for index in range(limit):
            yield ir.Assign(
                place=place,
                target=_element(part, number(index, U32, place), place),
                value=_zero(part.type, place),
            )
