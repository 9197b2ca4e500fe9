# SPDX-License-Identifier: MIT
"""Where each name of a spec is declared and used: what editors ask for.

Declarations and names come from the syntax tree, and what a name stands for from the resolution, which notes it where
it looks a name up (Context.refer). So the index holds for whatever could be resolved, in a spec with errors too.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Iterator, Optional, Union

from .. import ir
from . import ast
from .context import KINDS, Context
from ..source import SourceFile, Span
from .world_statements import FACTS

Definable = Union[
    ast.Declaration,
    ast.Argument,
    ast.Let,
    ast.For,
    ast.Find,
    ast.Rows,
    ast.Wire,
    ast.Observe,
]

# Parts of a declaration that have names inside it, by the kind of the declaration around them.
FIELD_KINDS = {
    ast.Payload: "payload field",
    ast.Pool: "record field",
    ast.Table: "record field",
    ast.Process: "variable",
}


@dataclass(frozen=True)
class Definition:
    """`node` is what declares the name: for a name in `on event(name)` the rows. `owners`: the declarations around it,
    outermost first: of a state its process and the states it lies in."""

    kind: str
    name: ast.Name
    node: Definable
    owners: tuple[ast.Declaration, ...]

    @property
    def text(self) -> str:
        return self.name.text

    @property
    def span(self) -> Span:
        return self.name.span

    @property
    def process(self) -> Optional[ast.Process]:
        return next((o for o in self.owners if isinstance(o, ast.Process)), None)


@dataclass(frozen=True)
class Occurrence:
    """A name in the text. definition None: a word the language or a check's world gives its meaning, or unknown."""

    span: Span
    definition: Optional[Definition]


class Index:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.sources: dict[str, SourceFile] = {s.name: s for s in context.spec.sources}
        self.definitions: dict[ir.Place, Definition] = {}
        self.states: list[Definition] = []
        self._names: dict[str, dict[int, Span]] = {name: {} for name in self.sources}
        # Names no declaration of the spec stands behind: processors, units, settings of the world.
        self.undeclared: set[Span] = set()
        # Of marks, and in what profiles set: the resolution does not see them.
        self._marks: dict[Span, ir.Place] = {}
        for declaration in (*context.spec.declarations, *context.spec.profiles):
            self._enter(declaration, ())
        self._read_profiles()

    # --- reading the tree

    def _enter(self, item: object, owners: tuple[ast.Declaration, ...]) -> None:
        if isinstance(item, tuple):
            for part in item:
                self._enter(part, owners)
            return
        if not isinstance(item, ast.Node):
            return
        if isinstance(item, ast.NameUse) and item.name in FACTS:
            if owners and isinstance(owners[0], ast.World):
                self.undeclared.add(item.span)
        if isinstance(item, ast.Name) or isinstance(item, ast.NameUse):
            self._names[item.span.file.name].setdefault(item.span.start, item.span)
            return
        self._define(item, owners)
        if isinstance(item, ast.Declaration):
            owners = (*owners, item)
        for attribute in dataclasses.fields(item):
            self._enter(getattr(item, attribute.name), owners)

    def _read_profiles(self) -> None:
        """Each profile, chosen or not, and the values the chosen one has put aside. All their names are global."""
        spec = self.context.spec
        profiles = {profile.name.text: profile for profile in spec.profiles}
        for mark in spec.marks:
            self._enter(mark, ())
            if mark.text in profiles:
                self._marks[mark.span] = profiles[mark.text].name.span.place()
        for profile in spec.profiles:
            for setting in profile.settings:
                self._global(setting.name.span, setting.name.text)
                self._values(setting.value)
        for node in spec.replaced:
            if isinstance(node, ast.Constant):
                self._values(node.value)
            elif isinstance(node, ast.Parameter):
                self._values(node.default)

    def _values(self, item: object) -> None:
        if isinstance(item, ast.NameUse):
            self._names[item.span.file.name].setdefault(item.span.start, item.span)
            self._global(item.span, item.name)
        elif isinstance(item, ast.Node):
            for attribute in dataclasses.fields(item):
                self._values(getattr(item, attribute.name))

    def _global(self, span: Span, name: str) -> None:
        symbol = self.context.symbols.get(name)
        if symbol is not None:
            self._marks[span] = symbol.span.place()

    def _define(self, node: ast.Node, owners: tuple[ast.Declaration, ...]) -> None:
        if isinstance(node, ast.Field):
            self._new(FIELD_KINDS[type(owners[-1])], node.name, node, owners)
        elif isinstance(node, (ast.LayoutField, ast.LayoutData)):
            self._new("layout field", node.name, node, owners)
        elif isinstance(node, ast.Declaration):
            self._new(KINDS[type(node)], node.name, node, owners)
            for name in node.nodes[0] if isinstance(node, ast.World) else ():
                self._new("node", name, node, (*owners, node))
        elif isinstance(node, ast.Argument):
            around = owners[-1]
            record = isinstance(around, ast.Process) and node is around.instance
            self._new("record" if record else "argument", node.name, node, owners)
        elif isinstance(node, (ast.Let, ast.For, ast.Find)):
            self._new("local name", node.name, node, owners)
        elif isinstance(node, ast.Rows):
            for name in node.bindings:
                self._new("argument", name, node, owners)
        elif isinstance(node, (ast.Wire, ast.Observe)):
            for name in node.bindings:
                self._new("argument", name, node, owners)
            if isinstance(node, ast.Wire):
                self.undeclared |= {name.span for name in node.told}
        elif isinstance(node, ast.Placed):
            self.undeclared.add(node.processor.span)
            if node.other is not None:
                self.undeclared.add(node.other.span)
        elif isinstance(node, ast.Setting) and node.kind == "world":
            self.undeclared.add(node.name.span)
        if isinstance(node, ast.Parameter) and node.unit is not None:
            self.undeclared.add(node.unit.span)

    def _new(
        self,
        kind: str,
        name: ast.Name,
        node: Definable,
        owners: tuple[ast.Declaration, ...],
    ) -> None:
        definition = Definition(kind, name, node, owners)
        self.definitions[name.span.place()] = definition
        if isinstance(node, ast.State):
            self.states.append(definition)

    # --- questions

    def definition_of(self, span: Span) -> Optional[Definition]:
        """Of the name at exactly this span."""
        place = self.context.references.get(span) or self._marks.get(span)
        place = place or span.place()
        return self.definitions.get(place)

    def names(self, file: str) -> Iterator[Occurrence]:
        """All names of a file in order."""
        for _, span in sorted(self._names[file].items()):
            yield Occurrence(span, self.definition_of(span))

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        return {file: sorted(names) for file, names in self._names.items()}

    def name_at(self, file: str, offset: int) -> Optional[Occurrence]:
        """The name that stands at an offset, or ends there."""
        starts = self._starts.get(file, [])
        index = bisect_right(starts, offset) - 1
        if index < 0:
            return None
        span = self._names[file][starts[index]]
        if offset > span.end:
            return None
        return Occurrence(span, self.definition_of(span))

    @cached_property
    def _occurrences(self) -> dict[ir.Place, list[Span]]:
        found: dict[ir.Place, list[Span]] = {}
        for file in self.sources:
            for occurrence in self.names(file):
                if occurrence.definition is not None:
                    place = occurrence.definition.span.place()
                    found.setdefault(place, []).append(occurrence.span)
        return found

    def same_names(self) -> Iterator[tuple[Span, Span]]:
        """Declarations that must be called the same: of a payload's field and of the layout's field it carries."""
        for place, other in self.context.carried.items():
            if place != other:
                yield self.definitions[place].span, self.definitions[other].span

    def occurrences(self, definition: Definition) -> list[Span]:
        """The declaration and all uses, in the order of the files."""
        return list(self._occurrences.get(definition.span.place(), ()))

    def path(self, definition: Definition) -> str:
        """How the name is called from outside: Send.ACTIVE.PHY, Frame.kind, or its own name."""
        names = [owner.name.text for owner in definition.owners]
        return ".".join((*names, definition.text))
