# SPDX-License-Identifier: MIT
"""Names of the spec that become one name in generated code: `First` and `first`, `Foo.bar` and `FooBar`.

Spelling changes on the way (naming.py), parts are joined, and the generated code has names of its own. Here every name
the back ends make is made once and entered in the name space of C or Promela it will live in; what meets is reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Optional, Sequence, Union

from .. import ir, naming, walk
from ..c_names import CNames
from ..frontend.places import Places

# Behind the prefix: what every generated header or model defines.
OWN_MACROS = """H LAYOUT_H CHECK_H PROTOCOL_HASH PARAMETERS PARAMETERS_DEFAULT COUNTERS PARAMETER_COUNT COUNTER_COUNT
    PROCESS_COUNT EVENT_COUNT TIMER_COUNT TRANSITION_COUNT STATE PARAMETER TIMER_ARM TIMER_CANCEL COUNT TRACE NEVER HOT
    COLD STATE_LIMIT PORT_HEADER PORT_DEVICES OWN_STATE OWN_PARAMETERS OWN_COUNTERS NAMES NO_PADDING
    TIMER_STRIDE FILES STATIC_ASSERT CHECK_FAILED RECORD IN_USE ENTRY ENTRY_OF""".split()
OWN_FUNCTIONS = """state parameters counters timer_arm timer_cancel initialise timer_expired transition_name
    transition_place recall_ node nodes node_state check_place check_file properties_ properties""".split()
OWN_TAGS = "process event timer parameter counter state parameters".split()
# Where placements may divide the protocol (backends/c_messages.py).
MESSAGE_MACROS = """MESSAGES_H MESSAGE_ROOM MESSAGE_BEGIN MESSAGE_PUT MESSAGE_TAKE MESSAGE_COUNT MESSAGE_WORDS MESSAGES_AT_ONCE
    COMMON_MEMBERS LOCK UNLOCK COMMON""".split()
MESSAGE_FUNCTIONS = "message_came wait_for_room_".split()
# Where payloads come from layouts: of the protocol, and of each such payload.
CODEC_MACROS = "CODEC_H ACCEPTANCE_OK ACCEPTANCE_FOREIGN ACCEPTANCE_MALFORMED".split()
CODEC_FUNCTIONS = "load_words store_words".split()
CODEC_TAGS = ["acceptance"]
PAYLOAD_FUNCTIONS = "accept unpack pack header_bytes bytes read write".split()
# Without the prefix, in models.
OWN_IN_MODELS = """never_event pool_exhausted value_in_range hsm_verdict hsm_answer hsm_below hsm_shift_right hsm_has_all hsm_trace
    hsm_timer_arm hsm_timer_cancel NODES ENGINE_C HSM_DONE HSM_IGNORED HSM_NO_ROOM HSM_REFUSED""".split()

Owner = Union[ir.Function, ir.Action]


@dataclass(frozen=True)
class Named:
    """`what` with the name as in the spec: "variable 'first'"."""

    what: str
    place: ir.Place


@dataclass
class NameSpace:
    """`taken`: None where the generated code needs the name itself."""

    language: str
    taken: dict[str, Optional[Named]] = field(default_factory=dict)

    def reserve(self, names: Iterable[str]) -> None:
        for name in names:
            self.taken[name] = None


def check_generated_names(protocol: ir.Protocol, places: Places) -> None:
    _NameCheck(protocol, places).check()


class _NameCheck:
    def __init__(self, protocol: ir.Protocol, places: Places) -> None:
        self.protocol = protocol
        self.places = places
        self.names = CNames(protocol)
        prefix, capitals = self.names.prefix, self.names.capitals
        self.clashing: set[str] = set()
        self.globals = NameSpace("C")
        self.globals.reserve(f"{capitals}_{name}" for name in OWN_MACROS)
        self.globals.reserve(f"{prefix}_{name}" for name in OWN_FUNCTIONS)
        self.globals.reserve(naming.C_WORDS)
        if protocol.placements:
            self.globals.reserve(f"{capitals}_{name}" for name in MESSAGE_MACROS)
            self.globals.reserve(f"{prefix}_{name}" for name in MESSAGE_FUNCTIONS)
        self.tags = NameSpace("C")
        self.tags.reserve(f"{prefix}_{name}" for name in OWN_TAGS)
        if any(payload.sources for payload in protocol.payloads):
            self.globals.reserve(f"{capitals}_{name}" for name in CODEC_MACROS)
            self.globals.reserve(f"{prefix}_{name}" for name in CODEC_FUNCTIONS)
            self.tags.reserve(f"{prefix}_{name}" for name in CODEC_TAGS)
        self.model = NameSpace("the model")
        self.model.reserve([*naming.PROMELA_WORDS, *OWN_IN_MODELS])

    def enter(self, space: NameSpace, name: str, what: str, place: ir.Place) -> None:
        new = Named(what, place)
        if name not in space.taken:
            space.taken[name] = new
            return
        old = space.taken[name]
        if old != new:
            self.clashing.add(name)
        if old is None:
            self.places.error(
                "HSM0217",
                place,
                f"{what} becomes '{name}' in {space.language}, which means something else there",
            )
        elif old != new:
            first, second = sorted([old, new], key=lambda n: _position(n.place))
            self.places.error(
                "HSM0217",
                second.place,
                f"{second.what} becomes '{name}' in {space.language}, as {first.what} does",
                [("the other", first.place)],
            )

    def check(self) -> None:
        if self.names.prefix == "hsm":
            self.places.error(
                "HSM0217",
                self.protocol.place,
                "protocol 'hsm' has the names of fw-runtime/hsm_support.h",
            )
        self._constants()
        self._layouts()
        self._codecs()
        self._processes()
        self._bodies()
        self._members()
        for property_ in self.protocol.properties:
            what = f"property '{property_.name}'"
            self.enter(self.model, property_.name, what, property_.place)

    def _constants(self) -> None:
        names, protocol = self.names, self.protocol
        bytes_of_layouts = {names.upper(l.name, "bytes") for l in protocol.layouts}
        for constant in protocol.constants:
            name = names.upper(constant.name)
            # A constant may say how long a layout is; an assertion ties them (templates/c/layout.h.j2).
            if name not in bytes_of_layouts:
                what = f"constant '{constant.name}'"
                self.enter(self.globals, name, what, constant.place)
        for enumeration in protocol.enumerations:
            what = f"enumeration '{enumeration.name}'"
            tag = names.lower(enumeration.name)
            self.enter(self.tags, tag, what, enumeration.place)
            for member in enumeration.members:
                what = f"member '{enumeration.name}.{member.name}'"
                name = names.upper(enumeration.name, member.name)
                self.enter(self.globals, name, what, member.place)
        for parameter in protocol.parameters:
            for kind in ("parameter", "value", "initial"):
                what = f"parameter '{parameter.name}'"
                name = names.upper(kind, parameter.name)
                self.enter(self.globals, name, what, parameter.place)
        for counter in protocol.counters:
            name = names.upper("counter", counter.name)
            what = f"counter '{counter.name}'"
            self.enter(self.globals, name, what, counter.place)

    def _layouts(self) -> None:
        names = self.names
        for layout in self.protocol.layouts:
            what = f"layout '{layout.name}'"
            for part in ("bytes", *(["at"] if layout.at else [])):
                name = names.upper(layout.name, part)
                self.enter(self.globals, name, what, layout.place)
            for field_ in layout.fields:
                what = f"field '{layout.name}.{field_.name}'"
                for part in ("WORD", "SHIFT", "MASK", "VALUE"):
                    name = f"{names.upper(layout.name, field_.name)}_{part}"
                    self.enter(self.globals, name, what, field_.place)
                for part in ("get", "set"):
                    name = names.lower(layout.name, part, field_.name)
                    self.enter(self.globals, name, what, field_.place)
            for area in layout.areas:
                for part in ("AT", "BYTES", "VALUE"):
                    name = f"{names.upper(layout.name, area.name)}_{part}"
                    what = f"'{layout.name}.{area.name}'"
                    self.enter(self.globals, name, what, area.place)

    def _codecs(self) -> None:
        for payload in self.protocol.payloads:
            what = f"payload '{payload.name}'"
            for part in PAYLOAD_FUNCTIONS if payload.sources else ():
                name = self.names.lower(payload.name, part)
                self.enter(self.globals, name, what, payload.place)
            for part in ("header_limit", "fields") if payload.sources else ():
                name = self.names.upper(payload.name, part)
                self.enter(self.globals, name, what, payload.place)

    def _processes(self) -> None:
        names = self.names
        for process in self.protocol.processes:
            what = f"process '{process.name}'"
            name = names.upper("process", process.name)
            self.enter(self.globals, name, what, process.place)
            tag = names.lower(process.name, "state")
            self.enter(self.tags, tag, what, process.place)
            if process.pool:
                name = names.leaf(process.name, "none")
                self.enter(self.globals, name, what, process.place)
            for leaf in process.leaves:
                what = f"state '{process.name}.{leaf.path}'"
                name = names.leaf(process.name, leaf.name)
                self.enter(self.globals, name, what, leaf.place)
            for event in process.events:
                what = f"event '{process.name}.{event.name}'"
                spelt = [
                    names.event(process.name, event.name),
                    names.handler(process.name, event.name),
                ]
                if event.external or self.protocol.placements:
                    spelt.append(names.lower(process.name, event.name))
                if self.protocol.placements and not event.external:
                    spelt.append(names.message(process.name, event.name))
                    spelt.append(names.put(process.name, event.name))
                for name in spelt:
                    self.enter(self.globals, name, what, event.place)
            for timer in process.timers:
                what = f"the timer of state '{process.name}.{timer.state}'"
                after = f"after_{timer.state}"
                for name in (
                    names.timer(timer),
                    names.event(process.name, after),
                    names.handler(process.name, after),
                    f"{names.prefix}_expire_{naming.snake(timer.name)}",
                ):
                    self.enter(self.globals, name, what, timer.place)

    def _bodies(self) -> None:
        """Functions, and afterwards what they declare: that may meet the name of any function."""
        names, protocol = self.names, self.protocol
        owners: list[tuple[str, Owner]] = []
        owners += [("function", f) for f in protocol.functions]
        owners += [("action", a) for a in protocol.actions]
        for kind, owner in owners:
            what = f"{kind} '{owner.name}'"
            self.enter(self.globals, names.lower(owner.name), what, owner.place)
            self.enter(self.model, names.lower(owner.name), what, owner.place)
        for device in protocol.devices:
            name = names.lower("device", device.name)
            what = f"device '{device.name}'"
            self.enter(self.globals, name, what, device.place)
            self._locals(device.name, device.arguments, (), "", device.place)
        for container in (*protocol.pools, *protocol.tables):
            kind = "pool" if isinstance(container, ir.Pool) else "table"
            what = f"{kind} '{container.name}'"
            for part in ("available", "create", "release", "clear"):
                name = names.lower(container.name, part) + "_"
                self.enter(self.globals, name, what, container.place)
            if kind == "pool" and self.protocol.placements:
                name = names.releases(container.name)
                self.enter(self.globals, name, what, container.place)
            self.enter(self.tags, names.lower(container.name), what, container.place)
        for payload in protocol.payloads:
            what = f"payload '{payload.name}'"
            self.enter(self.tags, names.lower(payload.name), what, payload.place)
        for _, owner in owners:
            self._locals(owner.name, owner.arguments, owner.locals, "", owner.place)
        for process in protocol.processes:
            instance = process.instance or ""
            for event in process.events:
                owner_name = f"{naming.plain(process.name)}_{naming.plain(event.name)}"
                locals_ = _declared(process.handlers_of(event.name))
                self._locals(
                    owner_name, event.arguments, locals_, instance, event.place
                )
            for timer in process.timers:
                locals_ = _declared(process.handlers_of_timer(timer))
                owner_name = f"{naming.plain(process.name)}_after_{timer.state}"
                self._locals(owner_name, (), locals_, instance, timer.place)

    def _locals(
        self,
        owner: str,
        arguments: Sequence[ir.Argument],
        locals_: Sequence[ir.Local],
        instance: str,
        place: ir.Place,
    ) -> None:
        """What one C function declares: hidden variables of the whole model in Promela."""
        space = NameSpace("C")
        clashes = self.names.lower(owner) in self.clashing
        references = [instance] if instance else []
        found = [(instance, f"the record '{instance}'", place)] if instance else []
        for argument in arguments:
            if isinstance(argument.type, ir.ReferenceType):
                references.append(argument.name)
            found.append((argument.name, f"argument '{argument.name}'", place))
        for local in locals_:
            found.append((local.unique, f"local '{local.name}'", local.place))
        for reference in references:
            # Pointers to records (CWriter.enter).
            base = naming.snake(reference)
            space.reserve([f"{base}_record"])
            space.reserve(
                f"{base}_{naming.snake(t.name)}" for t in self.protocol.tables
            )
        for name, what, where in found:
            spelt = naming.snake(name)
            self.enter(space, spelt, what, where)
            if not clashes:
                hidden_variable = f"{self.names.lower(owner)}_{spelt}"
                self.enter(self.model, hidden_variable, what, where)
            if spelt in self.globals.taken:
                self.enter(self.globals, spelt, what, where)

    def _members(self) -> None:
        protocol = self.protocol
        state = NameSpace("C")
        for process in protocol.processes:
            if not process.pool:
                name = f"{naming.snake(process.name)}_state_"
                what = f"process '{process.name}'"
                self.enter(state, name, what, process.place)
            for variable in process.variables:
                what = f"variable '{variable.name}'"
                self.enter(state, naming.snake(variable.name), what, variable.place)
        for pool in protocol.pools:
            name = f"{naming.snake(pool.name)}_used"
            self.enter(state, name, f"pool '{pool.name}'", pool.place)
        containers: list[Union[ir.Pool, ir.Table]] = [*protocol.pools, *protocol.tables]
        for container in containers:
            kind = "pool" if isinstance(container, ir.Pool) else "table"
            what = f"{kind} '{container.name}'"
            self.enter(state, naming.snake(container.name), what, container.place)
            self._fields(container.name, container.fields, ["state_", "padding_"])
        for payload in protocol.payloads:
            self._fields(payload.name, payload.fields, [])
        parameters = NameSpace("C")
        for parameter in protocol.parameters:
            what = f"parameter '{parameter.name}'"
            self.enter(parameters, naming.snake(parameter.name), what, parameter.place)

    def _fields(
        self, owner: str, fields: Sequence[ir.Field], own: Sequence[str]
    ) -> None:
        space = NameSpace("C")
        space.reserve(own)
        for field_ in fields:
            what = f"field '{owner}.{field_.name}'"
            self.enter(space, naming.snake(field_.name), what, field_.place)


def _declared(handlers: Iterable[ir.Handler]) -> list[ir.Local]:
    """The locals of one C function. Two that differ in their blocks only are one."""
    found: dict[str, ir.Local] = {}
    for handler in handlers:
        for node in walk.nodes(walk.handler_parts(handler)):
            if isinstance(node, (ir.Let, ir.Create)):
                found.setdefault(node.local.unique, node.local)
    return list(found.values())


def _position(place: ir.Place) -> tuple[str, int, int]:
    return place.file, place.line, place.column
