# SPDX-License-Identifier: MIT
"""The intermediate form: what every back end prints.

Typed, resolved and flattened. Nothing here needs a symbol table: a name has become a node that says what it is, a
state machine has become one ordered list of rows per (leaf state, event), and all lists stand in declaration order,
which is the order in which back ends print them.

Contracts
* All arithmetic is unsigned modulo 2^32: arithmetic and bit operators have type u32 whatever their operands are
  (constants that fit a narrower place are left alone). Where a wider value goes to a narrower place (assignment,
  argument, return, payload field) there is an explicit `Narrow`, so back ends never truncate on their own account.
* Comparisons are unsigned. `and`, `or` and conditional expressions evaluate lazily, left to right.
* Every expression whose operands are constants carries its `value`. Constants keep their names nevertheless, so that
  the C can leave them overridable; `Size` pairs the number with the expression it came from.
* A reference is index + 1, 0 is none.
* Locals have a name that is unique within their owner (function, action or process): `Local.unique`.
* Functions are free of effects. Actions and devices return nothing.
* In the statements a row executes, nothing but raises follows a raise on any path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Literal, Optional, Union

from .ir_statements import *
from .ir_values import *
from .ir_world import *


# Where the C of a function, an action or an event lies. "": wherever the compiler likes, also in each caller.
# "once": its callers share one copy. "rare": on the data path, but not for each frame. "cold": off the data path.
Code = Literal["", "once", "rare", "cold"]


# --- declarations ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Declaration:
    name: str
    doc: str  # "" when the spec gives none
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Constant(Declaration):
    """`value` after the check's overrides; `expression` as written, with the names of other constants in it
    (a Number when a check overrides it). `external`: meant for host or runtime, unused in the spec itself. `fixed`:
    nothing may override it, as the spec relies on the number by hand.
    """

    value: int
    expression: Expression
    external: bool
    overridden: bool
    fixed: bool = False


@dataclass(frozen=True, kw_only=True)
class Parameter(Declaration):
    type: ScalarType
    default: Size
    range: Optional[Range]
    unit: str  # "us" or ""
    live: bool  # may change while running
    index: int

    @property
    def bounds(self) -> tuple[int, int]:
        """Of its range, or of its type where it has none."""
        if self.range is not None:
            return self.range.low.value, self.range.high.value
        return 0, 1 if isinstance(self.type, BoolType) else (1 << self.type.bits) - 1

    def counts_as(self, value: int) -> int:
        """What reading it gives while its word holds this: the host may write anything into that of a live one."""
        low, high = self.bounds
        return value if not self.live or low <= value <= high else self.default.value


@dataclass(frozen=True, kw_only=True)
class Member(Declaration):
    value: int


@dataclass(frozen=True, kw_only=True)
class Enumeration(Declaration):
    bits: int
    members: tuple[Member, ...]


@dataclass(frozen=True)
class LayoutCondition:
    """The field holds one of the values."""

    field: str
    values: tuple[Size, ...]


@dataclass(frozen=True, kw_only=True)
class LayoutField(Declaration):
    """Big-endian. The field lies within the 32-bit word `word` of the layout, `shift` bits above its least
    significant bit; `offset` is its first bit counted from the layout's start."""

    bits: int
    offset: int
    word: int
    shift: int
    mask: int  # unshifted: (1 << bits) - 1
    fixed: Optional[Size]  # `= expr`: what the field always holds
    enumeration: Optional[str]  # whose members it holds ...
    when: Optional[LayoutCondition]  # ... None: always
    shown: bool  # in a summary of one line


@dataclass(frozen=True, kw_only=True)
class LayoutData(Declaration):
    """What follows the layout and those within it: as many bytes as its field `length` says."""

    length: str
    when: Optional[LayoutCondition]  # None: always


@dataclass(frozen=True, kw_only=True)
class LayoutArea(Declaration):
    """A constant number of bytes among the fields of a layout; `offset` counts from its start."""

    offset: int
    count: Size
    fixed: Optional[Size]  # `= expr`: what each of them always holds


@dataclass(frozen=True, kw_only=True)
class Layout(Declaration):
    """Layouts have a name space of their own: a payload may have the same name."""

    at: Optional[Size]  # byte offset within what it follows
    within: Optional[str]  # the layout it is a part of ...
    when: Optional[LayoutCondition]  # ... by the fields of that one; None: always
    ethertype: Optional[Size]  # a frame of Ethernet, from the destination address on
    bytes: int
    fields: tuple[LayoutField, ...]
    areas: tuple[LayoutArea, ...]
    data: Optional[LayoutData]


@dataclass(frozen=True, kw_only=True)
class Field(Declaration):
    """Of a payload, a record or a process (its variables); scalars only in payloads."""

    type: Type
    range: Optional[Range]
    initial: Optional[Size] = None  # variables only
    hidden: bool = False  # added by the compiler: history, events that wait
    local: bool = False  # of a payload that comes from layouts, and not on the wire


@dataclass(frozen=True, kw_only=True)
class Payload(Declaration):
    """`sources`: layouts it comes from, each a part of one before it; then frames.Codec says where its fields lie."""

    fields: tuple[Field, ...]
    sources: tuple[str, ...] = ()
    when: Optional[LayoutCondition] = None  # of the first source; None: always


@dataclass(frozen=True, kw_only=True)
class Pool(Declaration):
    count: Size
    fields: tuple[Field, ...]
    reference: ReferenceType
    written_by: str
    created_by: str  # equal to written_by unless stated
    process: Optional[str]  # the process instantiated per record
    cold: bool  # its data are large or off the data path


@dataclass(frozen=True, kw_only=True)
class Table(Declaration):
    count: Size
    fields: tuple[Field, ...]
    pool: Optional[str]  # when parallel to a pool: indexed by its references
    written_by: str
    cold: bool  # its data are large or off the data path


@dataclass(frozen=True, kw_only=True)
class Argument:
    """`range`: of an external event, outside it the event is refused; elsewhere the caller keeps to it."""

    name: str
    type: Union[ScalarType, PayloadType]
    range: Optional[Range] = None


@dataclass(frozen=True, kw_only=True)
class Device(Declaration):
    """`timers_seen`: at a call of it some world sees whether timers run."""

    arguments: tuple[Argument, ...]
    timers_seen: bool = False


@dataclass(frozen=True, kw_only=True)
class Counter(Declaration):
    index: int


@dataclass(frozen=True, kw_only=True)
class Property(Declaration):
    """`condition`: what one node can see of a safety property, which holds after each external event and each expiry;
    with an `instance` of each record of its pool in use. A pure expression, which may read the variables of all
    processes; the instance is an ArgumentName in it."""

    kind: Literal["safety", "liveness"]
    instance: Optional[Argument] = None
    condition: Optional[Expression] = None
    premises: tuple[PathDown, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Function(Declaration):
    """Pure. Single-expression functions have a body of one Return: see `expression`. Every path returns."""

    arguments: tuple[Argument, ...]
    result: ScalarType
    body: tuple[Statement, ...]
    locals: tuple[Local, ...]
    reads_state: bool  # any variable, pool, table or parameter, directly or in what it calls
    code: Code
    text: tuple[str, ...]  # source lines, indentation kept
    hidden: bool = False  # made by the compiler, of a `find`

    @property
    def expression(self) -> Optional[Expression]:
        if len(self.body) == 1 and isinstance(self.body[0], Return):
            return self.body[0].result
        return None


@dataclass(frozen=True, kw_only=True)
class Action(Declaration):
    arguments: tuple[Argument, ...]
    body: tuple[Statement, ...]
    locals: tuple[Local, ...]
    raises: tuple[
        tuple[str, str], ...
    ]  # (process, event) it may raise, directly or in what it calls
    processes: tuple[
        str, ...
    ]  # those whose rows use it, directly or through other actions
    code: Code
    text: tuple[str, ...]


# --- processes ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Event(Declaration):
    process: str
    index: int  # within the process
    arguments: tuple[Argument, ...]
    external: bool  # called by the runtime or the world
    message: bool = False  # external: raised on the other processor, within its ranges
    creates: bool  # allocates the record first; reports that there was no room when it cannot
    select: Optional[Expression]  # gives the instance from the arguments; none: ignored
    keeps: Optional[Size] = None  # how many may wait where states defer it
    # External and deferred somewhere: when this does not hold, nothing happens and the caller gets HSM_NO_ROOM.
    room: Optional[Expression] = None
    waiting: Optional[Expression] = None  # how many wait: a variable or a field
    code: Code = ""

    @property
    def needs_reference(self) -> bool:
        """Must a caller name the instance? Meaningful for instance processes only. An external event for a record that
        is not in use is ignored."""
        return not self.creates and self.select is None


@dataclass(frozen=True, kw_only=True)
class Timer:
    """`after` of a state. Armed when the state is entered, cancelled when it is left."""

    name: str  # PROCESS_STATE in the spec's spelling: Send_WAIT_ACK
    process: str
    state: str  # State.name
    index: int  # over the whole protocol, in declaration order
    duration: Expression  # microseconds; of what is not constant, no arguments and locals
    place: Place

    @property
    def computed(self) -> bool:
        """Is the duration neither a constant nor a parameter? It is evaluated each time the timer is armed."""
        return self.duration.value is None and not isinstance(
            self.duration, ParameterName
        )


@dataclass(frozen=True, kw_only=True)
class State(Declaration):
    """One state of the tree as declared. Back ends need it for documentation; code follows from leaves and rows."""

    path: str  # dotted from the outermost: ACTIVE.WAIT_ACK
    parent: Optional[str]  # name
    children: tuple[str, ...]
    initial: bool
    final: bool
    cold: bool  # said to be off the data path; so are the states inside
    entry: tuple[Statement, ...]
    exit: tuple[Statement, ...]
    timer: Optional[Timer]


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """A state without children: what the state variable holds.

    name   unique within the process; the state's name, or its path with _ for . where that is ambiguous
    number value of the state variable. Instance processes: 0 is "none", leaves count from 1 in declaration order.
           Singletons: the initial leaf is 0, the others follow in declaration order (so all-zero is initial).
    """

    name: str
    path: str
    number: int
    final: bool
    cold: bool  # off the data path: this state, one it lies in, or its process
    place: Place


@dataclass(frozen=True, kw_only=True)
class Row:
    """One flattened transition. Executed in this order: `exit_actions`; timers `cancelled`; state := `target`; timers
    `armed` but for those whose duration is computed; `actions`; those (late_timers.py says of which rows: last of all);
    `entry_actions`. target None: internal, only `actions` are there. `actions` of a row that arms a timer with a computed
    duration do not raise.

    id       `Process.LEAF.event.N`: N counts the rows of the (leaf, event) from 0. Timer expiry: event is `after`,
             or `after_STATE` when an enclosing state owns the timer.
    number   over the whole protocol
    state    name of the state the row is written in (the leaf or an ancestor)
    guard    None: always (unguarded or else)
    text     the row as written, blanks squeezed, the event's line in front for rows of a block
    kind     "defer" and "recall" are synthesized: the event is put into its queue, or taken out and raised anew
    rare     below a line `rare`: the code of such rows lies apart from that of the rows above
    """

    id: str
    number: int
    state: str
    guard: Optional[Expression]
    exit_actions: tuple[Statement, ...]
    cancelled: tuple[Timer, ...]
    target: Optional[str]  # Leaf.name
    armed: tuple[Timer, ...]
    actions: tuple[Statement, ...]
    entry_actions: tuple[Statement, ...]
    raises: tuple[tuple[str, str], ...]  # (process, event), through actions too
    text: str
    place: Place
    kind: Literal["written", "defer", "recall"] = "written"
    rare: bool = False


@dataclass(frozen=True, kw_only=True)
class Group:
    """Rows that share lets. The lets are evaluated once when the group is reached, before its first guard; when no
    guard holds the next group is tried."""

    lets: tuple[Let, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Handler:
    """What one leaf state does with one event (or timer).

    otherwise says what happens when no guard of any group holds: "handled" cannot happen, the last row has no guard;
    "ignore" nothing; "never" a fault: asserted in models and tests, counted and ignored on the NIC. With no groups
    the event is simply ignored or a fault. Final states and timers of states not active are "never". Where the event is
    deferred there is one row, which puts it into its queue if there is room, and otherwise "never". `place` is the line
    of the verdict that decided, None where rows did or there was nothing to decide.
    """

    leaf: str
    event: str  # Event.name; for a timer as in Row.id
    timer: Optional[Timer]
    groups: tuple[Group, ...]
    otherwise: Literal["handled", "ignore", "never"]
    place: Optional[Place] = field(default=None, compare=False, repr=False)

    @property
    def defers(self) -> bool:
        return any(row.kind == "defer" for row in self.rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for group in self.groups for row in group.rows)


@dataclass(frozen=True, kw_only=True)
class Recall:
    """How what a process deferred comes back. `event` is a hidden internal event of the process: it delivers one event
    that waits and need not, if there is one, and is ignored otherwise. `pending` is a bool, of an instance process a
    set of bits, one per record: set by rows after which there may be something to deliver. After an entry point has
    done its work, and what it raised, for as long as something is pending: of the first process in order of
    declaration, the lowest record, pending is cleared and the event raised; of a record no longer in use it is only
    cleared. recall.py tells which entry points may set it at all. Between entry points nothing is pending.
    """

    event: str
    pending: VariableName


@dataclass(frozen=True, kw_only=True)
class Process(Declaration):
    """A state machine: one (pool None, "singleton") or one per record of `pool`, which its rows call `instance`."""

    index: int
    cold: bool  # off the data path
    pool: Optional[str]
    instance: Optional[str]
    variables: tuple[Field, ...]
    events: tuple[Event, ...]
    states: tuple[State, ...]
    leaves: tuple[Leaf, ...]  # by number
    initial: str  # Leaf.name
    initial_actions: tuple[
        Statement, ...
    ]  # entry actions of the initial chain; empty for instance processes
    initial_timers: tuple[
        Timer, ...
    ]  # armed at initialisation before initial_actions; singletons only
    timers: tuple[Timer, ...]
    handlers: tuple[
        Handler, ...
    ]  # events in declaration order, then timers; within each, leaves by number
    locals: tuple[Local, ...]  # of all rows, entry and exit actions
    recall: Optional[Recall] = None  # where states defer events

    def leaf(self, name: str) -> Leaf:
        return next(leaf for leaf in self.leaves if leaf.name == name)

    def handlers_of(self, event: str) -> tuple[Handler, ...]:
        """Of an event, one per leaf."""
        return tuple(h for h in self.handlers if h.timer is None and h.event == event)

    def handlers_of_timer(self, timer: Timer) -> tuple[Handler, ...]:
        """Of a timer, one per leaf below the state that owns it."""
        return tuple(h for h in self.handlers if h.timer is timer)


# What a process may run on: the two CPUs of the chip, and the computer the board sits in.
PROCESSORS = ("A", "B", "host")
# Where either CPU takes the next event.
EITHER = "A or B"


@dataclass(frozen=True, kw_only=True)
class Placement(Declaration):
    """What crosses between processors stands in placement.py. Data are named as there; a pool or a table alone stands for
    all of it."""

    processors: tuple[
        tuple[str, str], ...
    ]  # (process, processor) in declaration order of the processes
    locked: tuple[str, ...] = ()  # used under the lock alone
    shared: tuple[tuple[str, str], ...] = ()  # (one word read at any time, its meaning)

    def processor(self, process: str) -> str:
        return dict(self.processors)[process]

    @property
    def dynamic(self) -> bool:
        """Either processor takes the next event, whatever process it is of: then all processes are on EITHER."""
        return any(where == EITHER for _, where in self.processors)


@dataclass(frozen=True, kw_only=True)
class Check(Declaration):
    settings: tuple[tuple[str, int], ...]  # constants and parameter defaults
    within: str  # the world it names; "": it names none
    world: tuple[tuple[str, int], ...]  # keys the model's world gives a meaning


@dataclass(frozen=True, kw_only=True)
class Profile(Declaration):
    default: bool
    settings: tuple[tuple[str, str], ...]  # constants and parameters; as written


@dataclass(frozen=True, kw_only=True)
class Protocol(Declaration):
    """A whole spec. `check` is the name of the configuration applied, None for the spec as it stands; `profile` the
    variant of the spec this is, None where it declares none."""

    check: Optional[str]
    profile: Optional[str]
    profiles: tuple[Profile, ...]
    files: tuple[str, ...]  # in order of inclusion, as in Place.file
    hash: int  # 32 bits of SHA-256 over the text of all files and a profile other than the default; not the check
    constants: tuple[Constant, ...]
    parameters: tuple[Parameter, ...]
    enumerations: tuple[Enumeration, ...]
    layouts: tuple[Layout, ...]
    payloads: tuple[Payload, ...]
    pools: tuple[Pool, ...]
    tables: tuple[Table, ...]
    devices: tuple[Device, ...]
    counters: tuple[Counter, ...]
    properties: tuple[Property, ...]
    functions: tuple[Function, ...]  # callees before callers
    actions: tuple[Action, ...]  # callees before callers
    processes: tuple[Process, ...]
    timers: tuple[Timer, ...]
    placements: tuple[Placement, ...]
    checks: tuple[Check, ...]
    worlds: tuple[World, ...] = ()  # with a check applied its own, if it has one

    def world_of(self, check: str) -> Optional[World]:
        """In which a check is searched: the one it names, or the only one. None: the spec has none."""
        named = next(c.within for c in self.checks if c.name == check)
        return next((w for w in self.worlds if named in ("", w.name)), None)

    def rows(self) -> Iterator[Row]:
        """All transitions by number."""
        for process in self.processes:
            for handler in process.handlers:
                yield from handler.rows

    def process(self, name: str) -> Process:
        return next(p for p in self.processes if p.name == name)

    def pool(self, name: str) -> Pool:
        return next(p for p in self.pools if p.name == name)

    def enumeration(self, name: str) -> Enumeration:
        return next(e for e in self.enumerations if e.name == name)

    def payload(self, name: str) -> Payload:
        return next(p for p in self.payloads if p.name == name)
