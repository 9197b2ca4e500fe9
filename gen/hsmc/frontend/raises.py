# SPDX-License-Identifier: MIT
"""Raises in the middle of what a row or an action does.

The intermediate form has raises last: a raise is a call, and the row has finished before the next begins. Where nothing
that follows can tell whether it runs before or after the raise, the raise may be written anywhere, and is moved here.

What can tell: whatever reads or writes a place of the state that the row of the raised event, or one it leads to,
writes, or writes one that it reads; and a device operation where it calls one, too. Places are distinguished by field and
variable, not by record: what is equal then is taken for the same place.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Iterable, Iterator, Mapping, Optional, Sequence, assert_never

from .. import ir, walk
from .context import Context
from .machines import Machine
from .machines import walk as statement_walk

DEVICES = "the outside"
# What a row may do before or after a raise, and what stands in worlds only.
NO_EFFECT = walk.STATELESS + ir.WORLD_ONLY + (ir.If, ir.Repeat, ir.Return, ir.Count)
Event = tuple[str, str]


@dataclass
class Effects:
    """Places of the state and locals (with a blank in front), by name."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    raises: set[Event] = field(default_factory=set)

    def add(self, other: "Effects") -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.raises |= other.raises

    def without_locals(self) -> "Effects":
        return Effects(
            {name for name in self.reads if name[0] != " "},
            {name for name in self.writes if name[0] != " "},
            self.raises,
        )


class Raises:
    """Of a whole spec, whose calls are free of cycles."""

    def __init__(
        self,
        context: Context,
        machines: Sequence[Machine],
        functions: Mapping[str, ir.Function],
        actions: Mapping[str, ir.Action],
    ) -> None:
        self.context = context
        self.machines = {machine.name: machine for machine in machines}
        self.functions = functions
        self.actions = actions
        self._bodies: dict[str, Effects] = {}
        self._events: dict[Event, Effects] = {}

    # --- moving

    def last(self, statements: Sequence[ir.Statement]) -> tuple[ir.Statement, ...]:
        """The statements with raises moved behind what cannot tell the difference; as they are from the first that can."""
        result: list[ir.Statement] = []
        waiting: list[ir.Statement] = []
        for position, statement in enumerate(statements):
            if isinstance(statement, ir.If):
                statement = dataclasses.replace(
                    statement,
                    then=self.last(statement.then),
                    otherwise=self.last(statement.otherwise),
                )
            if self.only_raises(statement):
                waiting.append(statement)
            elif waiting and self.obstacle(waiting, statement):
                return (*result, *waiting, statement, *statements[position + 1 :])
            else:
                result.append(statement)
        return (*result, *waiting)

    def row(
        self, actions: tuple[ir.Statement, ...], entry: tuple[ir.Statement, ...]
    ) -> tuple[tuple[ir.Statement, ...], tuple[ir.Statement, ...]]:
        """What a row does, and the entry actions behind it: the raises of both at the very end."""
        moved = self.last((*actions, *entry))
        if not entry:
            return moved, ()
        own = {statement.place for statement in actions}
        count = 0
        while count < len(moved) and moved[count].place in own:
            count += 1
        return moved[:count], moved[count:]

    def only_raises(self, statement: ir.Statement) -> bool:
        return only_raises(statement, self.actions)

    def obstacle(self, raising: Sequence[ir.Statement], statement: ir.Statement) -> str:
        """Why the statement may not run before them; "" when it may."""
        mine = self.effects(statement)
        if mine.raises:
            return "it raises, too, and what is raised comes in the order of the text"
        if any(isinstance(node, ir.Return) for node in walk.nodes(statement)):
            return "it may return, and the raise would not come"
        for before in raising:
            direct = self.effects(before)
            for name in sorted(mine.writes & direct.reads):
                return f"it changes {shown(name)}, which the raise reads"
            if any(isinstance(node, ir.Return) for node in walk.nodes(before)):
                return "whether it runs depends on a return beside the raise"
            for event in sorted(direct.raises):
                theirs = self.of_event(event)
                what = ".".join(event)
                for name in sorted(mine.reads & theirs.writes):
                    return f"it reads {shown(name)}, which {what} changes"
                for name in sorted(mine.writes & theirs.writes):
                    if name == DEVICES:
                        return f"it calls a device, and so does {what}"
                    return f"it changes {shown(name)}, and so does {what}"
                for name in sorted(mine.writes & theirs.reads):
                    return f"it changes {shown(name)}, which {what} reads"
        return ""

    # --- effects

    def effects(self, *items: object) -> Effects:
        """Of statements and expressions, through functions and actions but not through raises."""
        found = Effects()
        targets: set[int] = set()
        for node in walk.nodes(items):
            if isinstance(node, ir.Assign):
                self._write(node.target, found, targets)
            elif isinstance(node, ir.SetBit):
                self._write(node.bits, found, targets)
            elif isinstance(node, (ir.Let, ir.For)):
                found.writes.add(f" {node.local.unique}")
            elif isinstance(node, ir.Create):
                found.writes |= {f" {node.local.unique}", f"pool {node.pool}"}
            elif isinstance(node, ir.Release):
                found.writes.add(f"pool {node.pool}")
                found.writes.update(self._fields(node.pool))
            elif isinstance(node, ir.Clear):
                found.writes.update(self._fields(node.table))
            elif isinstance(node, ir.DeviceCall):
                found.writes.add(DEVICES)
            elif isinstance(node, ir.Raise):
                found.raises.add((node.process, node.event))
                for passed in (node.instance, *node.arguments):
                    # The receiver of a reference counts on the record.
                    if passed is not None and isinstance(passed.type, ir.ReferenceType):
                        found.reads.add(f"pool {passed.type.pool}")
            elif isinstance(node, (ir.Available, ir.InUse)):
                found.reads.add(f"pool {node.pool}")
            elif isinstance(node, ir.Call):
                found.add(self._body(node.function, self.functions))
            elif isinstance(node, ir.ActionCall):
                found.add(self._body(node.action, self.actions))
            elif isinstance(node, (ir.VariableName, ir.RecordField, ir.LocalName)):
                if id(node) not in targets:
                    found.reads.add(_place(node))
            elif not isinstance(node, NO_EFFECT):
                assert_never(node)
        return found

    @staticmethod
    def _write(target: ir.Expression, found: Effects, targets: set[int]) -> None:
        place = target.base if isinstance(target, ir.Element) else target
        found.writes.add(_place(place))
        targets.add(id(place))

    def _fields(self, container: str) -> Iterator[str]:
        holder = self.context.pools.get(container) or self.context.tables.get(container)
        for each in holder.fields if holder else ():
            yield f"{container}.{each.name}"

    def _body(
        self, name: str, bodies: "Mapping[str, ir.Function] | Mapping[str, ir.Action]"
    ) -> Effects:
        if name not in self._bodies:
            body = bodies.get(name)
            effects = self.effects(body.body) if body is not None else Effects()
            self._bodies[name] = effects.without_locals()
        return self._bodies[name]

    def of_event(self, event: Event) -> Effects:
        """Of all rows of the event in whatever state, and of what they raise."""
        found = Effects()
        pending, seen = [event], {event}
        while pending:
            effects = self._direct(pending.pop())
            found.add(effects)
            fresh = effects.raises - seen
            pending += fresh
            seen |= fresh
        return found

    def _direct(self, event: Event) -> Effects:
        if event not in self._events:
            machine = self.machines.get(event[0])
            parts = list(_executed(machine, event[1])) if machine else []
            self._events[event] = self.effects(*parts).without_locals()
        return self._events[event]


def only_raises(
    statement: ir.Statement, actions: Mapping[str, ir.Action], in_loop: bool = False
) -> bool:
    """Does it nothing but decide whether to raise, and raise? A turn of a loop that raises may name values."""
    if isinstance(statement, (ir.Raise, ir.Return)):
        return True
    if isinstance(statement, ir.If):
        parts = statement.then + statement.otherwise
        return all(only_raises(part, actions, in_loop) for part in parts)
    if isinstance(statement, ir.LOOPS):
        return first_raise(statement.body, actions) is not None and all(
            only_raises(part, actions, True) for part in statement.body
        )
    if isinstance(statement, ir.ActionCall):
        action = actions.get(statement.action)
        return action is not None and all(
            only_raises(part, actions) for part in action.body
        )
    return in_loop and isinstance(statement, ir.Let)


def first_raise(
    statements: Iterable[ir.Statement], actions: Mapping[str, ir.Action]
) -> Optional[ir.Place]:
    """Where the first raise among them stands, or the call of the first action that raises."""
    for statement in statement_walk(statements):
        if isinstance(statement, ir.Raise):
            return statement.place
        if isinstance(statement, ir.ActionCall):
            action = actions.get(statement.action)
            if action is not None and first_raise(action.body, actions) is not None:
                return statement.place
    return None


def _executed(machine: Machine, event: str) -> Iterator[object]:
    """By the rows of an event. Which states they leave and enter is not considered: all of them count."""
    leaving = False
    for state in machine.states:
        for rows in state.rows:
            if rows.event == event:
                yield rows.lets
                for choice in rows.choices:
                    yield (choice.guard, choice.actions)
                    leaving = leaving or choice.target is not None
    if leaving:
        for state in machine.states:
            yield (state.entry, state.exit)
            if state.timer is not None:
                yield state.timer.duration


def _place(node: ir.Expression) -> str:
    """The name of what is read or written, "" for what cannot change."""
    if isinstance(node, ir.VariableName):
        return f"{node.process}.{node.name}"
    if isinstance(node, ir.RecordField):
        return f"{node.container}.{node.field}"
    if isinstance(node, ir.LocalName):
        return f" {node.local.unique}"
    return ""


def shown(name: str) -> str:
    if name.startswith("pool "):
        return f"which records of {name[5:]} are in use"
    return f"'{name.strip()}'"


def first_obstacle(
    raises: Optional[Raises], before: Iterable[ir.Statement], statement: ir.Statement
) -> str:
    """In words, for a diagnostic: why a statement may not stand behind a raise."""
    if raises is None:
        return ""
    raising = [each for each in before if raises.effects(each).raises]
    for each in raising:
        if not raises.only_raises(each):
            return "the raise stands between other statements of an action, an 'if' or a loop, and is not moved out of it"
    why = raises.obstacle(raising, statement)
    return why or "what exit actions raise is not moved"
