# SPDX-License-Identifier: MIT
"""What the resolving modules share: the symbol table, what is resolved so far, and who uses what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Collection, Iterable, Iterator, Optional, TypeVar, Union

from .. import ir
from . import ast
from ..report import Report
from ..source import Span

Distinct = TypeVar("Distinct", bound=ast.Declaration)

# How a symbol is called in messages.
KINDS = {
    ast.Protocol: "protocol",
    ast.Constant: "constant",
    ast.Parameter: "parameter",
    ast.Enumeration: "enumeration",
    ast.EnumerationMember: "enumeration member",
    ast.Layout: "layout",
    ast.Payload: "payload",
    ast.Pool: "pool",
    ast.Table: "table",
    ast.Device: "device",
    ast.Counter: "counter",
    ast.Property: "property",
    ast.Function: "function",
    ast.Action: "action",
    ast.Process: "process",
    ast.Placement: "placement",
    ast.Check: "check",
    ast.World: "world",
    ast.Bound: "bound of the world",
    ast.WorldVariable: "variable of the world",
    ast.View: "view of the world",
    ast.Profile: "profile",
    ast.Field: "variable",
    ast.Event: "event",
    ast.State: "state",
    ast.Argument: "argument",
}

# Things never mixed up with values have name spaces of their own.
SEPARATE = (
    ast.Protocol,
    ast.Layout,
    ast.Counter,
    ast.Property,
    ast.Placement,
    ast.Check,
    ast.World,
)

Named = Union[ast.AnyDeclaration, ast.EnumerationMember, ast.Field]


@dataclass(frozen=True)
class Symbol:
    """A global name. `owner`: the enumeration of a member, the process of a variable."""

    name: str
    node: Named
    owner: str = ""

    @property
    def kind(self) -> str:
        return KINDS[type(self.node)]

    @property
    def span(self) -> Span:
        return self.node.name.span


@dataclass(frozen=True)
class Signature:
    """What can be called. result None: an action, device or event."""

    arguments: tuple[ir.Argument, ...]
    result: Optional[ir.ScalarType] = None


@dataclass(frozen=True)
class Effect:
    """What a body does directly. kind: read, write (variable; name is PROCESS.name), record (write to a record),
    create, release (pool), function, action, device (calls), raise (PROCESS.event)."""

    kind: str
    name: str
    span: Span


@dataclass
class Body:
    """Statements under resolution and what was learnt of them: one per function, action and process."""

    kind: str  # function, action, process
    name: str
    effects: list[Effect] = field(default_factory=list)
    locals: list[ir.Local] = field(default_factory=list)
    local_spans: list[tuple[ir.Local, Span]] = field(default_factory=list)
    unique: set[str] = field(default_factory=set)
    loop_locals: set[int] = field(default_factory=set)  # ids: only the loop sets them
    reads_state: bool = False

    def new_local(
        self,
        name: str,
        type_: ir.Type,
        span: Span,
        taken: Collection[str] = (),
    ) -> ir.Local:
        unique, number = name, 2
        while unique in self.unique or unique in taken:
            unique, number = f"{name}_{number}", number + 1
        self.unique.add(unique)
        local = ir.Local(name, unique, type_, span.place())
        self.locals.append(local)
        self.local_spans.append((local, span))
        return local


@dataclass
class Context:
    report: Report
    spec: ast.Spec
    # Of a check configuration: constants and parameter defaults by name.
    overrides: dict[str, int]
    # Of its world; a bound left out keeps its default.
    bounds: dict[str, int] = field(default_factory=dict)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    separate: dict[type, dict[str, Symbol]] = field(default_factory=dict)

    constants: dict[str, ir.Constant] = field(default_factory=dict)
    parameters: dict[str, ir.Parameter] = field(default_factory=dict)
    enumerations: dict[str, ir.Enumeration] = field(default_factory=dict)
    layouts: dict[str, ir.Layout] = field(default_factory=dict)
    payloads: dict[str, ir.Payload] = field(default_factory=dict)
    pools: dict[str, ir.Pool] = field(default_factory=dict)
    tables: dict[str, ir.Table] = field(default_factory=dict)
    in_check: bool = False  # is this the configuration of a check?
    # Pools of which handles are kept, the table of generations of each, and what turns one into the other.
    handles: set[str] = field(default_factory=set)
    generations: dict[str, str] = field(default_factory=dict)
    handle_functions: dict[tuple[str, str], ir.Function] = field(default_factory=dict)
    variables: dict[str, ir.Field] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    # By process, then by event name.
    events: dict[str, dict[str, Signature]] = field(default_factory=dict)
    # The process of each pool, and the pool of each instance process.
    process_of_pool: dict[str, ast.Process] = field(default_factory=dict)

    # Spelling in generated code of variables the compiler adds.
    added_names: set[str] = field(default_factory=set)
    # Leaf a record's process starts in, by process.
    initial_leaf: dict[str, str] = field(default_factory=dict)
    timers: list[ir.Timer] = field(default_factory=list)

    bodies: dict[str, Body] = field(default_factory=dict)
    # Functions that stand for a `find`, by name.
    finds: dict[str, ir.Function] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set)
    fields_read: set[tuple[str, str]] = field(default_factory=set)
    fields_written: set[tuple[str, str]] = field(default_factory=set)
    payloads_passed_on: set[str] = field(default_factory=set)
    locals_used: set[int] = field(default_factory=set)
    # Where a name is used -> where what it means is declared; the type of a local name by its place. See index.py.
    references: dict[Span, ir.Place] = field(default_factory=dict)
    local_types: dict[ir.Place, ir.Type] = field(default_factory=dict)
    # Fields of payloads and the fields of layouts they carry, which have the same name.
    carried: dict[ir.Place, ir.Place] = field(default_factory=dict)

    def declarations(self, kind: type[ast.Node]) -> Iterable[ast.Node]:
        return (d for d in self.spec.declarations if isinstance(d, kind))

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        notes: Iterable[tuple[str, Span]] = (),
    ) -> None:
        self.report.add(code, span, message, notes)

    def refer(self, use: Span, declared: Union[Span, ir.Place]) -> None:
        """Records the declaration that a name resolves to. Each resolver calls this, even where the use is wrong. In a check a
        name means what it means without it, and is not recorded again."""
        if self.in_check:
            return
        place = declared.place() if isinstance(declared, Span) else declared
        self.references[use] = place

    def use(self, kind: str, name: str) -> None:
        self.used.add((kind, name))

    def collect(self) -> None:
        """Enters all global names."""
        for declaration in self.spec.declarations:
            self._enter(Symbol(declaration.name.text, declaration))
            if isinstance(declaration, ast.Enumeration):
                for member in declaration.members:
                    self._enter(Symbol(member.name.text, member, declaration.name.text))
            elif isinstance(declaration, ast.Process):
                for variable in declaration.variables:
                    self._enter(
                        Symbol(variable.name.text, variable, declaration.name.text)
                    )

    def _enter(self, symbol: Symbol) -> None:
        table = self.symbols
        if isinstance(symbol.node, SEPARATE):
            table = self.separate.setdefault(type(symbol.node), {})
        first = table.setdefault(symbol.name, symbol)
        if first is not symbol:
            self.error(
                "HSM0202",
                symbol.span,
                f"{symbol.kind} '{symbol.name}': the name is taken by a {first.kind}",
                [("first declared here", first.span)],
            )

    def is_first(self, node: Named) -> bool:
        """Is the node the one its name stands for (not a repeated declaration)?"""
        table = self.symbols
        if isinstance(node, SEPARATE):
            table = self.separate.get(type(node), {})
        symbol = table.get(node.name.text)
        return symbol is not None and symbol.node is node

    def distinct(
        self, nodes: Iterable[Distinct], what: str, owner: str
    ) -> Iterator[Distinct]:
        """Those with a name not seen before among the nodes."""
        seen: dict[str, ast.Declaration] = {}
        for node in nodes:
            first = seen.setdefault(node.name.text, node)
            if first is node:
                yield node
                continue
            self.error(
                "HSM0202",
                node.name.span,
                f"{what} '{owner}' has two of the name '{node.name.text}'",
                [("first declared here", first.name.span)],
            )

    def names(self, *kinds: type) -> list[str]:
        """Global names of these kinds, for suggestions."""
        return [s.name for s in self.symbols.values() if isinstance(s.node, kinds)]

    def separate_names(self, kind: type) -> list[str]:
        return list(self.separate.get(kind, {}))

    def process(self, name: ast.Name) -> Optional[ast.Process]:
        symbol = self.symbols.get(name.text)
        if symbol is not None and isinstance(symbol.node, ast.Process):
            self.refer(name.span, symbol.span)
            return symbol.node
        self.report.unknown(
            "HSM0207",
            name.span,
            f"there is no process '{name.text}'",
            name.text,
            self.names(ast.Process),
        )
        return None
