# SPDX-License-Identifier: MIT
"""What generated C checks while it runs, where it is built to: the macros of fw-runtime/hsm_checks.h.

Each says what must hold where it stands. Of constants the compiler has seen to it, so there they are left out.
"""

from __future__ import annotations

from typing import Callable, Optional, Sequence, Union

from .. import ir, naming, walk
from .c_bodies import BodyWriter
from .c_expressions import ATOM, BOOL, Text
from .c_lines import Marks


def written_field(protocol: ir.Protocol, target: ir.Expression) -> Optional[ir.Field]:
    """Of a record or a process, where it is one that is assigned to."""
    place = target.base if isinstance(target, ir.Element) else target
    if isinstance(place, ir.RecordField):
        name, holder = place.field, place.container
        containers: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
        fields = next(c.fields for c in containers if c.name == holder)
    elif isinstance(place, ir.VariableName):
        name, fields = place.name, protocol.process(place.process).variables
    else:
        return None
    return next(field for field in fields if field.name == name)


class CheckWriter(BodyWriter):
    """Checks that belong to statements; those inside expressions are in c_expressions.py."""

    def __init__(self, protocol: ir.Protocol) -> None:
        super().__init__(protocol)
        self.marks = Marks()
        # Parts of conditions whose execution a model counts, with the macro that does.
        self.premises: dict[int, str] = {}

    def expression(self, node: ir.Expression) -> Text:
        text = super().expression(node)
        counted = self.premises.get(id(node))
        if counted is None:
            return text
        return Text(f"{counted}, {text.text})", ATOM, BOOL)

    def with_premises(
        self,
        condition: ir.Expression,
        premises: Sequence[ir.PathDown],
        counted: Callable[[int], str],
    ) -> str:
        """The condition as text, where each of its premises that holds is counted: the beginning of a call."""
        for position, path in enumerate(premises):
            part = walk.part_at(condition, path)
            if part is not None:
                self.premises[id(part)] = counted(position)
        text = self.text(condition)
        self.premises.clear()
        return text

    def range_check(
        self,
        place: str,
        field: Optional[ir.Field],
        value: ir.Expression,
        depth: int,
        macro: str = "HSM_RANGE",
    ) -> list[str]:
        """What has been stored lies in the range of its place."""
        if field is None or field.range is None or value.value is not None:
            return []
        bounds = [self.size(field.range.low), self.size(field.range.high)]
        return [self.line(depth, f"{self.call(macro, [place, *bounds])};")]

    def room(self, pool_name: str) -> str:
        """A record is free."""
        pool = self.protocol.pool(pool_name)
        used = f"&{self.state(f'{naming.snake(pool_name)}_used[0]')}"
        return f"{self.call('HSM_ROOM', [used, self.size(pool.count)])};"

    def in_use(self, pool_name: str, reference: str) -> str:
        """A reference to a record that is in use."""
        used = self.state(f"{naming.snake(pool_name)}_used")
        count = self.size(self.protocol.pool(pool_name).count)
        return self.call("HSM_USED", [reference, count, used])

    def passed(
        self,
        callee: Union[ir.Function, ir.Action],
        argument: ir.Argument,
        node: ir.Expression,
    ) -> str:
        """An argument of a function or an action. A reference that is followed there, whatever happens, is looked at
        here, where it comes from; not once more in each of those that hand it on.
        """
        text = self.argument(argument.type, node)
        if not isinstance(argument.type, ir.ReferenceType):
            return text
        follows = walk.follows_argument(callee.body, argument.name)
        if not follows or walk.compares_argument([callee.body], argument.name):
            return text
        pool = argument.type.pool
        written = walk.writes_argument(callee.body, pool, argument.name)
        if isinstance(node, ir.InstanceName):
            return text
        if isinstance(node, ir.ArgumentName) and node.name in self.checked_references:
            if self.checked_references[node.name] or not written:
                return text
        if written:
            return self.in_use(pool, text)
        return self.reference(node, self.protocol.pool(pool).count)

    def arguments_of(
        self,
        callee: Union[ir.Function, ir.Action],
        given: Sequence[ir.Expression],
    ) -> list[str]:
        pairs = zip(callee.arguments, given, strict=True)
        return [self.passed(callee, argument, node) for argument, node in pairs]

    def raised_for(self, process: ir.Process, instance: ir.Expression) -> str:
        """A reference on its way to the process of its record. Of one that is free the process itself says `never`."""
        if isinstance(instance, ir.InstanceName):
            return self.text(instance)
        return self.reference(instance, self.protocol.pool(str(process.pool)).count)

    # --- properties

    @property
    def properties_name(self) -> str:
        return self.names.lower("properties") + "_"

    def holds(self, property_: ir.Property) -> str:
        """What one node can see of a property; of every record in use, where it is about one."""
        assert property_.condition is not None
        instance, depth = property_.instance, 1
        comment = f"/* {property_.place}: {naming.comment(property_.doc)} */"
        lines = [self.line(1, comment)]
        if instance is not None:
            assert isinstance(instance.type, ir.ReferenceType)
            pool, name = self.protocol.pool(instance.type.pool), instance.name
            used = f"&{self.state(f'{naming.snake(pool.name)}_used[0]')}"
            count, kind = self.size(pool.count), self.names.scalar(instance.type)
            first = f"uint32_t turn_1 = hsm_first({used}, {count})"
            after = f"turn_1 = hsm_next({used}, {count}, turn_1)"
            record = f"const {kind} {naming.snake(name)} = ({kind})turn_1;"
            depth = 2
            lines += [
                self.line(1, f"for ({first}; turn_1 != 0; {after}) {{"),
                self.line(2, record),
            ]
        parts = (property_.condition,)
        arguments = () if instance is None else (instance,)
        head = self.enter(
            arguments,
            None,
            parts,
            (),
            True,
            depth,
            always=parts,
            references_checked=True,
        )
        lines.append(head)
        first_premise = walk.first_premise(self.protocol, property_)
        condition = self.with_premises(
            property_.condition,
            property_.premises,
            lambda position: f"HSM_PREMISE({first_premise + position}u",
        )
        call = self.call("HSM_HOLDS", [property_.name, condition])
        lines.append(self.marks.mark(property_.place, self.line(depth, f"{call};")))
        if instance is not None:
            lines.append(self.line(1, "}"))
        return "\n".join(line for line in lines if line)

    # --- what the runtime calls

    def expired(self, process: ir.Process, timer: ir.Timer) -> str:
        """Hands an expiry to its process."""
        instance = ""
        if process.pool is not None:
            pool = self.protocol.pool(process.pool)
            kind = self.names.scalar(pool.reference)
            instance = f"HSM_REFERENCE(({kind})instance, {self.size(pool.count)})"
        handler = self.names.handler(process.name, f"after_{timer.state}")
        return self.marks.mark(timer.place, self.line(2, f"{handler}({instance});"))
