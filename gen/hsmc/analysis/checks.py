# SPDX-License-Identifier: MIT
"""Who calls whom, without recursion, and who may write, create and release what, through calls too."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from ..frontend.context import Body, Context, Effect
from ..frontend.machines import Machine
from ..source import Span


class CallGraph:
    """Functions and actions: `order` has callees before callers."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.order: list[str] = []
        self.recursive = False
        self._state: dict[str, str] = {}
        for name in context.bodies:
            self._visit(name, [])

    def _visit(self, name: str, path: list[tuple[str, Span]]) -> None:
        body = self.context.bodies.get(name)
        if body is None or self._state.get(name) == "done":
            return
        self._state[name] = "open"
        for effect in body.effects:
            if effect.kind not in ("function", "action"):
                continue
            callee = effect.name
            if self._state.get(callee) == "open":
                self.recursive = True
                names = [n for n, _ in path] + [name]
                cycle = names[names.index(callee) :] + [callee]
                self.context.error(
                    "HSM0517",
                    effect.span,
                    f"'{callee}' calls itself: {' -> '.join(cycle)}",
                )
            elif callee not in self._state:
                self._visit(callee, [*path, (name, effect.span)])
        self._state[name] = "done"
        self.order.append(name)

    def effects(self, body: Body) -> Iterator[tuple[Effect, Effect]]:
        """All effects, through calls too, each with the direct effect of `body` that leads there."""
        for effect in body.effects:
            seen: set[str] = set()
            for inner in self._effects(effect, seen):
                yield inner, effect

    def _effects(self, effect: Effect, seen: set[str]) -> Iterator[Effect]:
        yield effect
        if effect.kind in ("function", "action") and effect.name not in seen:
            seen.add(effect.name)
            body = self.context.bodies.get(effect.name)
            for inner in body.effects if body else ():
                yield from self._effects(inner, seen)


def check_ownership(
    context: Context, graph: CallGraph, machines: Sequence[Machine]
) -> None:
    """Each record and variable has one process that writes it; placements rely on it."""
    known = {machine.name for machine in machines}
    for machine in machines:
        name = machine.name
        for effect, origin in graph.effects(machine.body):
            problem: Optional[str] = None
            code = "HSM0519"
            if effect.kind == "record":
                holder = context.pools.get(effect.name) or context.tables[effect.name]
                if holder.written_by != name and holder.written_by in known:
                    problem = f"'{effect.name}' is written by {holder.written_by} alone"
            elif effect.kind == "create":
                pool = context.pools[effect.name]
                if pool.created_by != name and pool.created_by in known:
                    code = "HSM0520"
                    problem = (
                        f"records of '{effect.name}' are created by {pool.created_by}"
                    )
            elif effect.kind == "release":
                pool = context.pools[effect.name]
                owners = {pool.created_by, pool.written_by}
                if name not in owners and owners <= known:
                    code = "HSM0520"
                    problem = f"records of '{effect.name}' are released by the processes that create or write them"
            elif effect.kind in ("read", "write"):
                owner, variable = effect.name.split(".")
                if owner != name:
                    code = "HSM0521"
                    problem = f"'{variable}' is a variable of process {owner}"
            if problem is None:
                continue
            notes = []
            if origin is not effect:
                notes.append((f"process {name} comes here from", origin.span))
            if code == "HSM0521":
                declared = context.symbols[effect.name.split(".")[1]].node.name.span
                notes.append(("declared here", declared))
            context.error(
                code, effect.span, f"{problem}, but process {name} does this", notes
            )
        for event in machine.node.events:
            pool_name = (
                machine.node.instance.type.name.text if machine.node.instance else ""
            )
            if event.creates and pool_name in context.pools:
                creator = context.pools[pool_name].created_by
                if creator != name and creator in known:
                    context.error(
                        "HSM0520",
                        event.name.span,
                        f"records of '{pool_name}' are created by {creator}, but process {name} does this",
                    )
