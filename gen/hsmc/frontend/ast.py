# SPDX-License-Identifier: MIT
"""The syntax tree: what the parser found, with places, before any name has a meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Optional, Union

from ..source import SourceFile, Span


@dataclass(frozen=True)
class Node:
    span: Span


@dataclass(frozen=True)
class Name(Node):
    text: str


# --- expressions


@dataclass(frozen=True)
class NameUse(Node):
    name: str


@dataclass(frozen=True)
class Number(Node):
    text: str
    value: int


@dataclass(frozen=True)
class Word(Node):
    """none, true or false."""

    text: str


@dataclass(frozen=True)
class Unary(Node):
    operator: str
    operand: "Expression"


@dataclass(frozen=True)
class Binary(Node):
    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Conditional(Node):
    then: "Expression"
    condition: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True)
class Member(Node):
    base: "Expression"
    name: Name


@dataclass(frozen=True)
class Index(Node):
    base: "Expression"
    index: "Expression"


@dataclass(frozen=True)
class Passed(Node):
    name: Optional[Name]
    value: "Expression"


@dataclass(frozen=True)
class Call(Node):
    callee: "Expression"
    arguments: tuple[Passed, ...]


@dataclass(frozen=True)
class Find(Node):
    """`find name in pool where condition`."""

    name: Name
    pool: Name
    condition: "Expression"


Expression = Union[
    NameUse, Number, Word, Unary, Binary, Conditional, Member, Index, Call, Find
]


# --- statements


@dataclass(frozen=True)
class Create(Node):
    pool: Name


@dataclass(frozen=True)
class TypeUse(Node):
    name: Name
    count: Optional[Expression]


@dataclass(frozen=True)
class Let(Node):
    name: Name
    type: Optional[TypeUse]
    value: Union[Expression, Create]


@dataclass(frozen=True)
class Assign(Node):
    target: Expression
    value: Expression


@dataclass(frozen=True)
class CallStatement(Node):
    call: Expression


@dataclass(frozen=True)
class Raise(Node):
    call: Expression


@dataclass(frozen=True)
class Release(Node):
    reference: Expression


@dataclass(frozen=True)
class Clear(Node):
    record: Expression


@dataclass(frozen=True)
class Count(Node):
    counter: Name


@dataclass(frozen=True)
class Return(Node):
    value: Optional[Expression]


@dataclass(frozen=True)
class If(Node):
    condition: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]


@dataclass(frozen=True)
class Repeat(Node):
    count: Expression
    condition: Optional[Expression]
    body: tuple["Statement", ...]


@dataclass(frozen=True)
class For(Node):
    """`for name in first..last`; without `last` over the array or the pool that `first` names."""

    name: Name
    first: Expression
    last: Optional[Expression]
    body: tuple["Statement", ...]


@dataclass(frozen=True)
class Assert(Node):
    property: Name
    condition: Expression


Statement = Union[
    Let,
    Assign,
    CallStatement,
    Raise,
    Release,
    Clear,
    Count,
    Return,
    If,
    Repeat,
    For,
    Assert,
]


# --- declarations


@dataclass(frozen=True)
class Declaration(Node):
    name: Name
    doc: str


@dataclass(frozen=True)
class Protocol(Declaration):
    pass


@dataclass(frozen=True)
class Include(Node):
    path: str


@dataclass(frozen=True)
class Range(Node):
    low: Expression
    high: Expression


@dataclass(frozen=True)
class Constant(Declaration):
    external: bool
    value: Expression
    fixed: bool  # no check, profile or command line may set it


@dataclass(frozen=True)
class Parameter(Declaration):
    type: TypeUse
    default: Expression
    range: Optional[Range]
    unit: Optional[Name]
    live: bool


@dataclass(frozen=True)
class EnumerationMember(Declaration):
    value: Expression


@dataclass(frozen=True)
class Enumeration(Declaration):
    base: TypeUse
    members: tuple[EnumerationMember, ...]


@dataclass(frozen=True)
class LayoutField(Declaration):
    bits: Expression
    enumeration: Optional[Name]
    when: Optional[Expression]  # the enumeration's members are what it holds
    shown: bool
    fixed: Optional[Expression]


@dataclass(frozen=True)
class LayoutData(Declaration):
    """Bytes behind the fields, when `length` is the field that counts them; else a constant number among the fields."""

    length: Expression
    when: Optional[Expression]
    fixed: Optional[Expression]


@dataclass(frozen=True)
class Layout(Declaration):
    at: Optional[Expression]
    within: Optional[Name]  # another layout
    when: Optional[Expression]  # with `within`
    ethernet: bool
    fields: tuple[LayoutField, ...]
    data: tuple[LayoutData, ...]


@dataclass(frozen=True)
class Field(Declaration):
    """Also a variable of a process; only those have an initial value."""

    type: TypeUse
    range: Optional[Range]
    initial: Optional[Expression] = None
    local: bool = False  # of a payload that comes from layouts, and not on the wire


@dataclass(frozen=True)
class Payload(Declaration):
    fields: tuple[Field, ...]
    sources: tuple[Name, ...] = ()  # layouts
    when: Optional[Expression] = None


# Where the C of something lies; what the words mean stands in ir.py.
Code = Literal["", "once", "rare", "cold"]


@dataclass(frozen=True)
class Pool(Declaration):
    count: Expression
    written_by: Name
    created_by: Optional[Name]
    cold: bool
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Table(Declaration):
    count: Expression
    written_by: Name
    cold: bool
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Argument(Node):
    name: Name
    type: TypeUse
    range: Optional[Range]


@dataclass(frozen=True)
class Device(Declaration):
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Counter(Declaration):
    pass


@dataclass(frozen=True)
class Property(Declaration):
    """`condition`: what one node can see of it; of each record in use that `instance` names, if it names any."""

    kind: str
    instance: Optional[Argument]
    condition: Optional[Expression]


@dataclass(frozen=True)
class Function(Declaration):
    arguments: tuple[Argument, ...]
    result: TypeUse
    code: Code
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Action(Declaration):
    arguments: tuple[Argument, ...]
    code: Code
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Placed(Node):
    processes: tuple[Name, ...]
    processor: Name
    other: Optional[Name]  # "on A or B": either of them


@dataclass(frozen=True)
class Data(Node):
    """A pool or table as a whole, or one of its fields."""

    container: Name
    field: Optional[Name]


@dataclass(frozen=True)
class Locked(Node):
    data: tuple[Data, ...]


@dataclass(frozen=True)
class Shared(Node):
    data: Data
    meaning: str


@dataclass(frozen=True)
class Placement(Declaration):
    lines: tuple[Placed, ...]
    locked: tuple[Data, ...]
    shared: tuple[Shared, ...]


@dataclass(frozen=True)
class Setting(Node):
    kind: str  # "set" or "world"
    name: Name
    value: Expression


@dataclass(frozen=True)
class Check(Declaration):
    world: Optional[Name]  # in which it says it is
    settings: tuple[Setting, ...]


# --- the world in which a protocol is checked


@dataclass(frozen=True)
class Bound(Declaration):
    value: Expression


@dataclass(frozen=True)
class Fault(Node):
    """`limit`: so often in all; None: as often as it likes."""

    limit: Optional[Expression]


@dataclass(frozen=True)
class Link(Node):
    loses: Optional[Fault]
    repeats: Optional[Fault]
    reorders: bool


@dataclass(frozen=True)
class WorldVariable(Declaration):
    type: TypeUse
    transient: bool


@dataclass(frozen=True)
class WorldParameter(Node):
    """What a parameter of the spec is at each node."""

    parameter: Name
    value: Expression


@dataclass(frozen=True)
class View(Declaration):
    """A field of a node's state."""

    value: Expression
    at: Expression


@dataclass(frozen=True)
class Gate(Node):
    """`kind`: ready, timers or good."""

    kind: str
    when: Expression


@dataclass(frozen=True)
class Unchanged(Node):
    """The step may change nothing but the wire, where the condition holds."""

    property: Name
    when: Optional[Expression]


@dataclass(frozen=True)
class Offered(Node):
    """An event of a process, or a device operation; `each`: for every record in use."""

    event: Expression
    each: bool


@dataclass(frozen=True)
class Wire(Node):
    """`span` covers the head only, as that of the other lines of a world."""

    device: Name
    bindings: tuple[Name, ...]
    when: Optional[Expression]
    event: Expression
    at: Optional[Expression]
    arrives: Optional[Expression]
    told: tuple[Name, ...]
    unchanged: Optional[Unchanged]
    actions: tuple[Statement, ...]


@dataclass(frozen=True)
class Offer(Node):
    kind: str  # "host" or "fault"
    events: tuple[Offered, ...]
    alone: str  # what there is instead of events: "restart", "nothing", or ""
    at: Expression
    choices: tuple[For, ...]  # without bodies
    unchanged: Optional[Unchanged]
    when: Optional[Expression]
    waits: bool  # `when`, not `whenever`
    actions: tuple[Statement, ...]
    doc: str


@dataclass(frozen=True)
class Observe(Node):
    """A device operation; a timer that runs out, by process and state; with neither: the end of each step."""

    device: Optional[Name]
    bindings: tuple[Name, ...]
    timer: tuple[Name, ...]
    actions: tuple[Statement, ...]


@dataclass(frozen=True)
class End(Node):
    when: Expression
    actions: tuple[Statement, ...]


@dataclass(frozen=True)
class Always(Node):
    property: Name
    condition: Expression


@dataclass(frozen=True)
class Eventually(Node):
    property: Name
    condition: Expression


@dataclass(frozen=True)
class World(Declaration):
    nodes: tuple[tuple[Name, ...], ...]  # one per line
    bounds: tuple[Bound, ...]
    links: tuple[Link, ...]
    gates: tuple[Gate, ...]
    variables: tuple[WorldVariable, ...]
    parameters: tuple[WorldParameter, ...]
    functions: tuple["Function", ...]
    views: tuple[View, ...]
    wires: tuple[Wire, ...]
    offers: tuple[Offer, ...]
    observers: tuple[Observe, ...]
    ends: tuple[End, ...]
    always: tuple[Always, ...]
    eventually: tuple[Eventually, ...]


@dataclass(frozen=True)
class Profile(Declaration):
    default: bool
    settings: tuple[Setting, ...]


# --- processes


@dataclass(frozen=True)
class Event(Declaration):
    external: bool
    arguments: tuple[Argument, ...]
    creates: bool
    select: Optional[Expression]
    keeps: Optional[Expression]  # how many may wait where it is deferred
    code: Code


# Words that say how a target is entered; a state of that name could not be named as one.
BEFORE_TARGETS = frozenset({"local", "history"})


@dataclass(frozen=True)
class Choice(Node):
    """One row. guard None with is_else False: unguarded."""

    guard: Optional[Expression]
    is_else: bool
    actions: tuple[Statement, ...]
    target: tuple[Name, ...]  # empty: internal
    local: bool = False  # `-> local TARGET`
    history: bool = False  # `-> history TARGET`


@dataclass(frozen=True)
class RareLine(Node):
    """The rows below it are seldom taken."""

    above: int  # so many rows of the block stand above it


@dataclass(frozen=True)
class Rows(Node):
    """`on event(bindings)` or `after duration` with its rows; a single row is a block of one without lets.
    `span` covers the head only."""

    event: Optional[Name]
    duration: Optional[Expression]
    bindings: tuple[Name, ...]
    lets: tuple[Let, ...]
    choices: tuple[Choice, ...]
    is_block: bool
    before: bool = False  # `before on`: tried ahead of the rows of the states inside
    rare_lines: tuple[RareLine, ...] = ()


@dataclass(frozen=True)
class Verdict(Node):
    """ignore, never or defer."""

    kind: str
    events: tuple[Name, ...]


@dataclass(frozen=True)
class State(Declaration):
    initial: bool
    final: bool
    cold: bool
    entry: tuple[Statement, ...]
    exit: tuple[Statement, ...]
    rows: tuple[Rows, ...]
    verdicts: tuple[Verdict, ...]
    states: tuple["State", ...]


@dataclass(frozen=True)
class Process(Declaration):
    instance: Optional[Argument]
    cold: bool
    events: tuple[Event, ...]
    variables: tuple[Field, ...]
    states: tuple[State, ...]


AnyDeclaration = Union[
    Protocol,
    Constant,
    Parameter,
    Enumeration,
    Layout,
    Payload,
    Pool,
    Table,
    Device,
    Counter,
    Property,
    Function,
    Action,
    Process,
    Placement,
    Check,
    World,
]


@dataclass
class Spec:
    """All files of a protocol, included ones in place."""

    declarations: list[AnyDeclaration] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    sources: list[SourceFile] = field(default_factory=list)
    # The text after each `include`, and the file it names.
    includes: list[tuple[Span, Path]] = field(default_factory=list)
    hash: int = 0
    # Declared, and the one whose lines are here; None in a spec without.
    profiles: list[Profile] = field(default_factory=list)
    profile: Optional[str] = None
    # The names in marks, and the declarations whose values the profile sets.
    marks: list[Name] = field(default_factory=list)
    replaced: list[AnyDeclaration] = field(default_factory=list)
    # Processes with a piece that did not parse: questions about completeness make no sense for them.
    damaged: bool = False
