# SPDX-License-Identifier: MIT
"""The world of the intermediate form: what surrounds the nodes when a protocol is checked. Contracts: docs/verification.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Optional

from .ir_statements import Assert, Local, Statement
from .ir_values import Binary, Expression, Place, Type


@dataclass(frozen=True, kw_only=True)
class Bound:
    """`value` is that of the check and the kind of search, if it has one."""

    name: str
    doc: str
    value: int
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class WorldField:
    """A variable. What is transient is 0 again after the events of one step."""

    name: str
    doc: str
    type: Type
    transient: bool
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Statements with the local names they use."""

    statements: tuple[Statement, ...]
    locals: tuple[Local, ...]


@dataclass(frozen=True, kw_only=True)
class Offered:
    """An external event of a process. Of one that is for a record: `each`: for every record in use, the lowest first;
    else for `record`. A payload among the arguments is an ArgumentName or a BuildPayload.
    """

    process: str
    event: str
    each: bool
    record: Optional[Expression]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A frame that the world puts on the wire, as if the node had called the device."""

    device: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, kw_only=True)
class Unchanged:
    """A step after which all is as it was, but for the wire and what is transient, where the condition holds: the
    property says so."""

    property: str
    when: Optional[Expression]
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Wire:
    """What a call of a device puts on the wire: the first line of the device whose condition holds. `at`: the node it goes
    to; `kept`: arguments of the device, or fields of payloads among them, that are known again when the frame arrives, as
    soon as `arrives` holds; then `block` runs and the event comes. All expressions are in the device's own names.
    """

    device: str
    when: Optional[Expression]
    at: Expression
    kept: tuple[tuple[str, str], ...]  # argument, field or ""
    arrives: Optional[Expression]
    event: Offered
    label: str  # what people call the frame ...
    told: tuple[
        tuple[str, Expression], ...
    ]  # ... and the values that trails show of them
    unchanged: Optional[Unchanged]
    block: Block
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Events that come at a node, one after the other and nothing in between; or the world puts a frame on the wire, the
    node restarts, or only the variables change. `fault`: no more once the link is good; `waits`: from then on only where
    the wire has room. A line with choices is one of these for each combination of their values.
    """

    fault: bool
    waits: bool
    events: tuple[Offered, ...]
    sent: Optional[Sent]
    restart: bool
    unchanged: Optional[Unchanged]
    at: Expression
    when: Optional[Expression]
    block: Block
    doc: str
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Observer:
    """What follows from a call of a device, before anything of it is on the wire; before a timer runs out, `timer` is its
    name; with neither, at the end of each step."""

    device: str
    timer: str
    block: Block
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class End:
    when: Expression
    block: Block
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Eventually:
    property: str
    condition: Expression
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class View:
    """A field of a node's state. `at` is constant."""

    name: str
    doc: str
    value: Expression
    at: Expression
    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class WorldParameter:
    """What a parameter of the spec is at a node, WorldFact `node`, at each moment."""

    name: str
    value: Expression


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the link may do to frames: so often in all, or, None, as often as it likes."""

    limit: Optional[int]


ExecutionKind = Literal[
    "host",
    "fault",
    "wire",
    "observe",
    "assert",
    "premise",
    "unchanged",
    "eventually",
    "repeats",
    "timers",
]


@dataclass(frozen=True, kw_only=True)
class Execution:
    """What a search of the world may execute or not, whatever its bounds: its name says what it is. `position`: of a
    premise, among those of the condition that stands at `place`."""

    kind: ExecutionKind
    name: str
    place: Place = field(compare=False, repr=False)
    position: int = 0


@dataclass(frozen=True, kw_only=True)
class World:
    name: str
    doc: str
    place: Place = field(compare=False, repr=False)
    nodes: tuple[str, ...]
    bounds: tuple[Bound, ...]
    loses: Optional[Fault]
    repeats: Optional[Fault]
    reorders: bool
    in_flight: int  # frames on their way: of a link that keeps order in each direction
    ready: Optional[Expression]  # where not, only what hosts do happens
    timers: Optional[Expression]  # where not, no timer runs out
    good: bool  # the link is good from the beginning
    variables: tuple[WorldField, ...]
    parameters: tuple[WorldParameter, ...]
    views: tuple[View, ...]
    wires: tuple[Wire, ...]
    offers: tuple[Offer, ...]
    observers: tuple[Observer, ...]
    end: Optional[End]
    always: tuple[Assert, ...]  # after each step
    eventually: tuple[Eventually, ...]
    executions: tuple[Execution, ...]


def ruled_out(condition: Optional[Expression]) -> bool:
    """Do the bounds alone make the condition false? No number is less than 0."""
    if isinstance(condition, Binary):
        if condition.operator == "and":
            return ruled_out(condition.left) or ruled_out(condition.right)
        if condition.operator == "<" and condition.right.value == 0:
            return True
    return condition is not None and condition.value == 0
