# SPDX-License-Identifier: MIT
"""How bodies of generated functions begin: their arguments, and pointers to the records that these name."""

from __future__ import annotations

from typing import Optional, Sequence

from .. import ir, naming, walk
from .c_expressions import ExpressionWriter
from ..walk import read_locals


def followed(parts: Sequence[object], name: str) -> list[str]:
    """The pools and tables whose records are read or written by way of an argument."""
    found: dict[str, None] = {}
    for part in parts:
        for node in walk.nodes(part):
            if (
                isinstance(node, ir.RecordField)
                and node.index_kind == "reference"
                and isinstance(node.index, (ir.ArgumentName, ir.InstanceName))
                and node.index.name == name
            ):
                found[node.container] = None
    return list(found)


class BodyWriter(ExpressionWriter):
    """What stands in front of the statements."""

    def __init__(self, protocol: ir.Protocol) -> None:
        super().__init__(protocol)
        self.read_locals: set[str] = set()
        # Arguments of the body being printed that name a record; is it known to be in use?
        self.checked_references: dict[str, bool] = {}

    def line(self, depth: int, text: str) -> str:
        return "\t" * depth + text

    def enter(
        self,
        arguments: Sequence[ir.Argument],
        instance: Optional[tuple[str, str]],
        parts: Sequence[object],
        locals_: Sequence[ir.Local],
        constant: bool,
        depth: int,
        passed_on: bool = False,
        always: Sequence[object] = (),
        references_checked: bool = False,
    ) -> str:
        """Begins a body: pointers to the records its references name, and casts for arguments it does not use.

        `instance` is (name, pool) of the record a handler runs for. `passed_on`: all arguments are used in a call.
        `always`: what runs first, whatever happens. There is a pointer to a record only where that looks at it.
        `references_checked`: the caller has checked that such a reference names a record (c_checks.py).
        """
        self.fixed_locals = {local.unique for local in locals_} - walk.assigned_locals(
            parts
        )
        self.read_locals = read_locals(parts)
        self.hoisted = {}
        self.checked_references = {}
        lines: list[str] = []

        def point(container: str, name: str, record: str) -> None:
            own = isinstance(self.containers[container], ir.Pool)
            pointer = (
                f"{naming.snake(name)}_{'record' if own else naming.snake(container)}"
            )
            self.hoisted[(container, name)] = pointer
            kind = f"{'const ' if constant else ''}{self.names.struct(container)}"
            lines.append(self.line(depth, f"{kind} *const {pointer} = &{record};"))

        def unchecked(container: str, name: str) -> str:
            return f"{self.state(naming.snake(container))}[{naming.snake(name)} - 1u]"

        # A process runs for a record that is there: its entry points, and the rows that raise, check that.
        if instance is not None and not walk.compares_argument(parts, instance[0]):
            name, pool = instance
            containers = followed(parts, name)
            if pool not in containers:
                containers.insert(0, pool)
            for container in containers:
                point(container, name, unchecked(container, name))
        for argument in arguments:
            name = argument.name
            if not isinstance(argument.type, ir.ReferenceType):
                continue
            if walk.compares_argument(parts, name):
                continue  # it may be none, and a pointer in front of an array must not even be formed
            if not walk.follows_argument(always, name):
                continue
            for container in followed(parts, name):
                written = walk.writes_argument(always, container, name)
                self.checked_references[name] = (
                    self.checked_references.get(name, False) or written
                )
                record = unchecked(container, name)
                if not references_checked:
                    record = self.referred(container, naming.snake(name), written)
                point(container, name, record)
        for argument in arguments:
            if not passed_on and not walk.uses_argument(parts, argument.name):
                lines.append(self.line(depth, f"(void){naming.snake(argument.name)};"))
        return "\n".join(lines)

    def parameters(self, arguments: Sequence[ir.Argument]) -> list[str]:
        """Parameter declarations."""
        result = []
        for argument in arguments:
            name = naming.snake(argument.name)
            if isinstance(argument.type, ir.PayloadType):
                result.append(
                    f"const {self.names.struct(argument.type.name)} *const {name}"
                )
            else:
                result.append(f"const {self.names.scalar(argument.type)} {name}")
        return result

    def parameter_list(
        self, arguments: Sequence[ir.Argument], instance: str = ""
    ) -> str:
        return (
            ", ".join(([instance] if instance else []) + self.parameters(arguments))
            or "void"
        )

    def unread(self, local: ir.Local, depth: int) -> list[str]:
        """A line that satisfies compilers, for a local that nothing reads."""
        if local.unique in self.read_locals:
            return []
        return [self.line(depth, f"(void){naming.snake(local.unique)};")]
