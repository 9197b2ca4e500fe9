# SPDX-License-Identifier: MIT
"""What a transition may do that others see of it: which events it raises in which order, which records it creates or
releases. Ways through its statements are followed without looking at conditions, so every real way is among them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Mapping, Optional, Sequence

from .. import ir
from ..walk import turns

PATH_LIMIT = 256  # beyond: a row may do anything of what it may do


@dataclass(frozen=True)
class Raised:
    """An event a row raises; `own`: to the record it runs for."""

    process: str
    event: str
    own: bool


@dataclass(frozen=True)
class Path:
    raises: tuple[Raised, ...] = ()
    releases_own: bool = False  # the record the row runs for
    releases: frozenset[str] = frozenset()  # pools, of which some record
    creates: tuple[str, ...] = ()  # pools
    ended: bool = False  # by `return`, of the action walked


@dataclass(frozen=True)
class RowPaths:
    """`paths` None: too many to tell; then `any_order` is what all of them raise, release and create, in any order."""

    paths: Optional[tuple[Path, ...]]
    any_order: Path

    @property
    def raises(self) -> tuple[tuple[Raised, ...], ...]:
        return tuple(dict.fromkeys(path.raises for path in self.paths or ()))


class TooMany(Exception):
    pass


Bindings = Mapping[str, bool]  # of an action's arguments: is it the row's own record?


class PathFinder:
    def __init__(self, protocol: ir.Protocol) -> None:
        self.actions = {action.name: action for action in protocol.actions}

    def row(self, row: ir.Row) -> RowPaths:
        return self.statements((*row.exit_actions, *row.actions, *row.entry_actions))

    def statements(self, statements: Sequence[ir.Statement]) -> RowPaths:
        try:
            paths = tuple(dict.fromkeys(self._walk(statements, {}, [Path()])))
            return RowPaths(paths, _union(paths))
        except TooMany:
            return RowPaths(None, _union(self._all(statements, {})))

    def _walk(
        self,
        statements: Sequence[ir.Statement],
        bindings: Bindings,
        paths: list[Path],
    ) -> list[Path]:
        for statement in statements:
            going = [path for path in paths if not path.ended]
            paths = [path for path in paths if path.ended]
            paths += self._statement(statement, bindings, going)
            paths = list(dict.fromkeys(paths))
            if len(paths) > PATH_LIMIT:
                raise TooMany
        return paths

    def _statement(
        self, node: ir.Statement, bindings: Bindings, paths: list[Path]
    ) -> list[Path]:
        if isinstance(node, ir.If):
            then = self._walk(node.then, bindings, paths)
            return then + self._walk(node.otherwise, bindings, paths)
        if isinstance(node, ir.LOOPS):
            result = list(paths)
            for _ in range(turns(node)):
                paths = self._walk(node.body, bindings, paths)
                fresh = [path for path in paths if path not in result]
                if not fresh:
                    break
                result += fresh
            return result
        if isinstance(node, ir.ActionCall):
            inner = self._bind(node, bindings)
            body = self.actions[node.action].body
            return [replace(p, ended=False) for p in self._walk(body, inner, paths)]
        return [self._effect(node, bindings, path) for path in paths]

    def _effect(self, node: ir.Statement, bindings: Bindings, path: Path) -> Path:
        if isinstance(node, ir.Raise):
            own = node.instance is not None and _is_own(node.instance, bindings)
            raised = Raised(node.process, node.event, own)
            return replace(path, raises=(*path.raises, raised))
        if isinstance(node, ir.Release):
            if _is_own(node.reference, bindings):
                return replace(path, releases_own=True)
            return replace(path, releases=path.releases | {node.pool})
        if isinstance(node, ir.Create):
            return replace(path, creates=(*path.creates, node.pool))
        if isinstance(node, ir.Return):
            return replace(path, ended=True)
        return path

    def _bind(self, call: ir.ActionCall, bindings: Bindings) -> Bindings:
        names = (argument.name for argument in self.actions[call.action].arguments)
        values = (_is_own(value, bindings) for value in call.arguments)
        return dict(zip(names, values))

    def _all(
        self, statements: Sequence[ir.Statement], bindings: Bindings
    ) -> list[Path]:
        """The effect of every statement, each on a path of its own."""
        result: list[Path] = []
        for node in statements:
            if isinstance(node, ir.If):
                result += self._all((*node.then, *node.otherwise), bindings)
            elif isinstance(node, ir.LOOPS):
                result += self._all(node.body, bindings)
            elif isinstance(node, ir.ActionCall):
                body = self.actions[node.action].body
                result += self._all(body, self._bind(node, bindings))
            else:
                result.append(self._effect(node, bindings, Path()))
        return result


def _is_own(node: ir.Expression, bindings: Bindings) -> bool:
    if isinstance(node, ir.InstanceName):
        return True
    return isinstance(node, ir.ArgumentName) and bindings.get(node.name, False)


def _union(paths: Sequence[Path]) -> Path:
    raises = dict.fromkeys(raised for path in paths for raised in path.raises)
    creates = dict.fromkeys(pool for path in paths for pool in path.creates)
    return Path(
        raises=tuple(raises),
        releases_own=any(path.releases_own for path in paths),
        releases=frozenset().union(*(path.releases for path in paths)),
        creates=tuple(creates),
    )
