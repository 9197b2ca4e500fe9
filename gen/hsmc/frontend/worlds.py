# SPDX-License-Identifier: MIT
"""The world of a spec: names and types in its lines. What its lines mean: docs/verification.md."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Iterable, Iterator, Optional, Sequence, Union

from .. import ir, walk
from . import ast
from .context import Context, Signature
from .executions import executions_of, nodes_of, premises_of
from .expressions import U32
from .world_names import IN_FLIGHT, WorldNames
from .world_statements import WorldStatements

RECORD = ir.IntegerType(8)  # a reference, which for a world is a number from 1
CHOICES = 64  # of one line
# What a check's `world` may set besides bounds; `X_liveness` takes the place of X in searches for cycles, `X_divided` where
# a placement divides the nodes.
OTHER_KEYS = ("nightly",)
LIVENESS = "_liveness"
DIVIDED = "_divided"


def worlds_of(spec: ast.Spec) -> list[ast.World]:
    return [node for node in spec.declarations if isinstance(node, ast.World)]


def world_of(spec: ast.Spec, check: ast.Check) -> Optional[ast.World]:
    """In which a check is: the one it names, or the only one."""
    worlds = worlds_of(spec)
    if check.world is None:
        return worlds[0] if len(worlds) == 1 else None
    name = check.world.text
    return next((world for world in worlds if world.name.text == name), None)


def check_worlds(context: Context, checks: Sequence[ast.Check]) -> None:
    """Does each check say in which world it is, and is each property said to mean something?"""
    worlds = worlds_of(context.spec)
    names = [world.name.text for world in worlds]
    for check in checks:
        if check.world is None and len(worlds) > 1:
            context.error(
                "HSM0607",
                check.name.span,
                f"say in which world it is: check {check.name.text} in {names[0]}",
                [("a second world", worlds[1].name.span)],
            )
        if check.world is None:
            continue
        symbol = context.separate.get(ast.World, {}).get(check.world.text)
        if symbol is not None:
            context.refer(check.world.span, symbol.span)
            continue
        context.report.unknown(
            "HSM0201",
            check.world.span,
            f"there is no world '{check.world.text}'",
            check.world.text,
            names,
        )
    if worlds:
        _check_properties(context, worlds)


def _check_properties(context: Context, worlds: Sequence[ast.World]) -> None:
    stated = {name.text for world in worlds for name in _properties_named(world)}
    says = f"world {worlds[0].name.text} says" if len(worlds) == 1 else "the worlds say"
    for symbol in context.separate.get(ast.Property, {}).values():
        assert isinstance(symbol.node, ast.Property)
        if symbol.node.condition is None and symbol.name not in stated:
            context.error(
                "HSM0609", symbol.span, f"{says} nothing of property '{symbol.name}'"
            )


def key_known(world: ast.World, key: str) -> bool:
    bounds = [bound.name.text for bound in world.bounds]
    names = (key, key.removesuffix(LIVENESS), key.removesuffix(DIVIDED))
    return key in OTHER_KEYS or any(name in bounds for name in names)


class WorldBuilder(WorldNames):
    def build(self) -> ir.World:
        node = self.node
        self._nodes()
        self._bounds()
        self._variables()
        views = [view for each in node.views if (view := self._view(each))]
        self._functions()
        parameters = [p for each in node.parameters if (p := self._parameter(each))]
        gates = {gate.kind: self._gate(gate) for gate in node.gates}
        good = gates.get("good")
        wires = [wire for each in node.wires if (wire := self._wire(each))]
        offers = [offer for each in node.offers for offer in self._offers(each)]
        observers = [watch for each in node.observers if (watch := self._observe(each))]
        ends = [end for each in node.ends if (end := self._end(each)) is not None]
        always = [a for each in node.always if (a := self._always(each))]
        eventually = [e for each in node.eventually if (e := self._eventually(each))]
        link = self._link()
        return ir.World(
            name=node.name.text,
            doc=node.doc,
            place=node.name.span.place(),
            nodes=tuple(self.nodes),
            bounds=tuple(self.bounds),
            loses=self._fault(link.loses),
            repeats=self._fault(link.repeats),
            reorders=link.reorders,
            in_flight=next((b.value for b in self.bounds if b.name == IN_FLIGHT), 1),
            ready=gates.get("ready"),
            timers=gates.get("timers"),
            good=good is not None and bool(good.value),
            variables=tuple(self.variables),
            parameters=tuple(parameters),
            views=tuple(views),
            wires=tuple(wires),
            offers=tuple(offers),
            observers=tuple(observers),
            end=ends[0] if ends else None,
            always=tuple(always),
            eventually=tuple(eventually),
            executions=executions_of(node),
        )

    # --- lines

    def _block(self, line: WorldStatements, nodes: Sequence[ast.Statement]) -> ir.Block:
        statements = line.block(nodes)
        return ir.Block(statements=statements, locals=tuple(line.body.locals))

    def _device(
        self, line: WorldStatements, name: ast.Name, bindings: tuple[ast.Name, ...]
    ) -> Optional[Signature]:
        """Binds the arguments of a device operation by position."""
        symbol = self.context.symbols.get(name.text)
        if symbol is None or not isinstance(symbol.node, ast.Device):
            self.context.report.unknown(
                "HSM0201",
                name.span,
                f"there is no device operation '{name.text}'",
                name.text,
                self.context.names(ast.Device),
            )
            return None
        self.context.refer(name.span, symbol.span)
        signature = self.context.signatures.get(name.text)
        if signature is None:
            return None
        count = len(signature.arguments)
        if bindings and len(bindings) != count:
            self.context.error(
                "HSM0302",
                name.span,
                f"device {name.text} has {count} argument{'s' * (count != 1)}, not {len(bindings)}",
                [("declared here", symbol.span)],
            )
            return None
        for bound, argument in zip(bindings, signature.arguments):
            reference = isinstance(argument.type, ir.ReferenceType)
            value = ir.ArgumentName(
                type=RECORD if reference else argument.type,
                place=bound.span.place(),
                name=argument.name,
            )
            line.bind(bound, value, "argument")
        return signature

    def _offered(
        self, line: WorldStatements, node: ast.Expression, each: bool
    ) -> Optional[ir.Offered]:
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.callee, ast.Member)
            and isinstance(
                node.callee.base.base
                if isinstance(node.callee.base, ast.Index)
                else node.callee.base,
                ast.NameUse,
            )
        ):
            self.context.error(
                "HSM0211", node.span, "an event is needed here: Process.event(...)"
            )
            return None
        named = node.callee.base
        base = named.base if isinstance(named, ast.Index) else named
        assert isinstance(base, ast.NameUse)
        process = self.context.process(ast.Name(base.span, base.name))
        event, signature = (
            line.event(process, node.callee.name) if process else (None, None)
        )
        if process is None or event is None or signature is None:
            return None
        name = f"{process.name.text}.{event.name.text}"
        needs_record = (
            process.instance is not None and not event.creates and event.select is None
        )
        if not event.external:
            self.context.error(
                "HSM0211",
                node.span,
                f"event {name} comes from other processes: only external ones come from the world",
                [("declared here", event.name.span)],
            )
            return None
        if needs_record != (each or named is not base) or each and named is not base:
            self.context.error(
                "HSM0607",
                node.span,
                f"event {name} is for one record: 'each' offers it to all in use, {process.name.text}[r] to one"
                if needs_record
                else f"event {name} names no record: neither 'each' nor '[]' means anything here",
            )
            return None
        record = None
        if isinstance(named, ast.Index):
            assert process.instance is not None
            pool = process.instance.type.name.text
            if pool not in self.context.pools:
                return None
            record = line.reference(named.index, pool)
            if record is None:
                return None
        arguments = self._arguments(line, node, signature, f"event {name}")
        if arguments is None:
            return None
        return ir.Offered(
            process=process.name.text,
            event=event.name.text,
            each=each,
            record=record,
            arguments=arguments,
        )

    def _sent(self, line: WorldStatements, node: ast.Expression) -> Optional[ir.Sent]:
        """A call of a device operation by the world itself."""
        assert isinstance(node, ast.Call) and isinstance(node.callee, ast.NameUse)
        name = ast.Name(node.callee.span, node.callee.name)
        signature = self._device(line, name, ())
        if signature is None:
            return None
        arguments = self._arguments(line, node, signature, f"device {name.text}")
        if arguments is None:
            return None
        if name.text not in [wire.device.text for wire in self.node.wires]:
            self.context.error(
                "HSM0607",
                node.span,
                f"device {name.text} puts nothing on the wire: no line 'wire {name.text}'",
            )
            return None
        return ir.Sent(device=name.text, arguments=arguments)

    def _unchanged(
        self, line: WorldStatements, node: Optional[ast.Unchanged]
    ) -> Optional[ir.Unchanged]:
        if node is None or not line.names_property(node.property, "safety"):
            return None
        when = line.condition(node.when) if node.when is not None else None
        return ir.Unchanged(
            property=node.property.text, when=when, place=node.span.place()
        )

    def _arguments(
        self, line: WorldStatements, node: ast.Call, signature: Signature, what: str
    ) -> Optional[tuple[ir.Expression, ...]]:
        """A payload may be built in place."""
        wanted = len(signature.arguments)
        if not line.count_arguments(node, wanted, what, node.arguments):
            return None
        result: list[ir.Expression] = []
        for passed, argument in zip(node.arguments, signature.arguments):
            call = passed.value
            value: Optional[ir.Expression]
            if (
                isinstance(call, ast.Call)
                and isinstance(call.callee, ast.NameUse)
                and call.callee.name in self.context.payloads
            ):
                value = line.build_payload(call)
            else:
                value = line.expression(call)
            if value is not None:
                value = line.fit(
                    value, argument.type, call.span, f"argument '{argument.name}'"
                )
            if value is None:
                return None
            result.append(value)
        return tuple(result)

    def _wire(self, node: ast.Wire) -> Optional[ir.Wire]:
        line = self._line(node.device.text)
        signature = self._device(line, node.device, node.bindings)
        if signature is None:
            return None
        when = line.condition(node.when) if node.when is not None else None
        other = ast.Binary(
            node.span,
            "-",
            ast.Number(node.span, "1", 1),
            ast.NameUse(node.span, "node"),
        )
        if node.at is None and len(self.nodes) != 2:
            self.context.error(
                "HSM0607", node.span, "say where it goes: '-> event at NODE'"
            )
        at = self._node_number(line, node.at or other)
        event = self._offered(line, node.event, False)
        arrives = line.condition(node.arrives) if node.arrives is not None else None
        trail_values = self._trail_values(node, line, signature)
        unchanged = self._unchanged(line, node.unchanged)
        still = unchanged.when if unchanged is not None else None
        block = self._block(line, node.actions)
        if at is None or event is None:
            return None
        arrival = (event.record, event.arguments, arrives, still, block.statements)
        used = _numbers_used((*arrival, [value for _, value in trail_values]))
        return ir.Wire(
            device=node.device.text,
            when=when,
            at=at,
            kept=tuple(self._frame_values(signature, used)),
            arrives=arrives,
            event=event,
            label=node.told[0].text if node.told else node.device.text,
            told=tuple(trail_values),
            unchanged=unchanged,
            block=block,
            place=node.span.place(),
        )

    def _frame_values(
        self, signature: Signature, used: set[tuple[str, str]]
    ) -> Iterator[tuple[str, str]]:
        """Arguments and fields that a frame carries, in the order of declaration."""
        for argument in signature.arguments:
            payload = (
                self.context.payloads.get(argument.type.name)
                if isinstance(argument.type, ir.PayloadType)
                else None
            )
            whole = (argument.name, "") in used
            if payload is None and whole:
                yield argument.name, ""
            for field in payload.fields if payload is not None else ():
                if whole or (argument.name, field.name) in used:
                    yield argument.name, field.name

    def _trail_values(
        self, node: ast.Wire, line: WorldStatements, signature: Signature
    ) -> list[tuple[str, ir.Expression]]:
        """Numbers among the arguments and in their payloads: those named, or all."""
        found: dict[str, ir.Expression] = {}
        place = node.span.place()
        bound = {n.text: a for n, a in zip(node.bindings, signature.arguments)}
        for name, argument in bound.items():
            value = ir.ArgumentName(type=argument.type, place=place, name=argument.name)
            if not isinstance(argument.type, ir.PayloadType):
                found[name] = value
                continue
            payload = self.context.payloads.get(argument.type.name)
            for field in payload.fields if payload else ():
                found[field.name] = ir.PayloadField(
                    type=field.type,
                    place=place,
                    base=value,
                    payload=argument.type.name,
                    field=field.name,
                )
        if not node.told:
            return list(found.items())
        result = []
        for wanted in node.told[1:]:
            if wanted.text in found:
                result.append((wanted.text, found[wanted.text]))
            else:
                self.context.report.unknown(
                    "HSM0205",
                    wanted.span,
                    f"the frame has no number '{wanted.text}'",
                    wanted.text,
                    found,
                )
        return result

    def _offers(self, node: ast.Offer) -> Iterator[ir.Offer]:
        """One for each combination of values of its choices."""
        ranges = []
        line = self._line("choices")
        for choice in node.choices:
            ends = line.ends_of_loop(choice)
            if ends is None:
                self.context.report.damaged_names.add(choice.name.text)
                return
            ranges.append(range(ends[0].value, ends[1].value + 1))
        if math.prod(map(len, ranges)) > CHOICES:
            self.context.error(
                "HSM0303",
                node.choices[0].span,
                f"{math.prod(map(len, ranges))} choices: a world has room for {CHOICES} of a line",
            )
            return
        for values in itertools.product(*ranges):
            offer = self._offer(node, values)
            if offer is not None:
                yield offer

    def _offer(self, node: ast.Offer, values: Sequence[int]) -> Optional[ir.Offer]:
        line = self._line("offer")
        for choice, value in zip(node.choices, values):
            place = choice.name.span.place()
            number = ir.Number(type=U32, place=place, value=value, text=str(value))
            line.bind(choice.name, number, "choice")
        at = self._node_number(line, node.at)
        when = line.condition(node.when) if node.when is not None else None
        if self.context.in_check and at is not None and ir.ruled_out(when):
            # Models have no place for it; its mistakes are known from the spec without a check.
            return self._named(node, at, when)
        sent = None
        events: list[Optional[ir.Offered]] = []
        called = node.events[0].event if len(node.events) == 1 else None
        if isinstance(called, ast.Call) and isinstance(called.callee, ast.NameUse):
            sent = self._sent(line, called)
        else:
            events = [self._offered(line, e.event, e.each) for e in node.events]
        unchanged = self._unchanged(line, node.unchanged)
        block = self._block(line, node.actions)
        found = tuple(event for event in events if event is not None)
        if at is None or len(found) < len(events):
            return None
        if not found and sent is None and not node.alone:
            return None
        return dataclasses.replace(
            self._named(node, at, when),
            events=found,
            sent=sent,
            restart=node.alone == "restart",
            unchanged=unchanged,
            block=block,
        )

    def _named(
        self, node: ast.Offer, at: ir.Expression, when: Optional[ir.Expression]
    ) -> ir.Offer:
        """What a line is called and when it applies, without what it does."""
        return ir.Offer(
            fault=node.kind == "fault",
            waits=node.waits,
            events=(),
            sent=None,
            restart=False,
            unchanged=None,
            at=at,
            when=when,
            block=ir.Block(statements=(), locals=()),
            doc=node.doc,
            place=node.span.place(),
        )

    def _observe(self, node: ast.Observe) -> Optional[ir.Observer]:
        line = self._line("observe")
        timer = self._timer(node) if node.timer else ""
        if timer is None or (
            node.device is not None
            and self._device(line, node.device, node.bindings) is None
        ):
            return None
        line.asserts = True
        block = self._block(line, node.actions)
        return ir.Observer(
            device=node.device.text if node.device is not None else "",
            timer=timer,
            block=block,
            place=node.span.place(),
        )

    def _timer(self, node: ast.Observe) -> Optional[str]:
        """The timer of `after Process.STATE`."""
        process, state = node.timer
        declared = self.context.process(process)
        if declared is None:
            return None
        states = [n for n in nodes_of(declared.states) if isinstance(n, ast.State)]
        own = {t.state: t for t in self.context.timers if t.process == process.text}
        for each in states:
            if each.name.text == state.text:
                self.context.refer(state.span, each.name.span)
                if state.text in own:
                    return own[state.text].name
                if not self.context.spec.damaged:
                    self.context.error(
                        "HSM0203",
                        state.span,
                        f"state '{state.text}' of process {process.text} has no timer",
                        [("declared here", each.name.span)],
                    )
                return None
        self.context.report.unknown(
            "HSM0203",
            state.span,
            f"process {process.text} has no state '{state.text}'",
            state.text,
            own,
        )
        return None

    def _end(self, node: ast.End) -> Optional[ir.End]:
        line = self._line("end")
        when = line.condition(node.when)
        line.asserts = True
        block = self._block(line, node.actions)
        if when is None:
            return None
        return ir.End(when=when, block=block, place=node.span.place())

    def _claim(
        self, node: Union[ast.Always, ast.Eventually], word: str, kind: str
    ) -> Optional[ir.Expression]:
        """The condition of a line that says what a property of this kind means."""
        line = self._line(word)
        condition = line.condition(node.condition)
        known = line.names_property(node.property, kind)
        if condition is None or not known:
            return None
        return condition

    def _always(self, node: ast.Always) -> Optional[ir.Assert]:
        condition = self._claim(node, "always", "safety")
        if condition is None:
            return None
        return ir.Assert(
            place=node.span.place(),
            property=node.property.text,
            condition=condition,
            text=node.condition.span.squeezed,
            premises=premises_of(node.condition),
        )

    def _eventually(self, node: ast.Eventually) -> Optional[ir.Eventually]:
        condition = self._claim(node, "eventually", "liveness")
        if condition is None:
            return None
        return ir.Eventually(
            property=node.property.text,
            condition=condition,
            place=node.span.place(),
        )


def _numbers_used(item: object) -> set[tuple[str, str]]:
    """Arguments of the device that stand in it, and fields of payloads, as (argument, field); "" is all of it."""
    nodes = list(walk.nodes(item))
    fields = [
        (node.base, node.field)
        for node in nodes
        if isinstance(node, ir.PayloadField) and isinstance(node.base, ir.ArgumentName)
    ]
    bases = {id(base) for base, _ in fields}
    return {(base.name, field) for base, field in fields} | {
        (node.name, "")
        for node in nodes
        if isinstance(node, ir.ArgumentName) and id(node) not in bases
    }


def _properties_named(world: ast.World) -> Iterable[ast.Name]:
    for node in nodes_of(world):
        if isinstance(node, (ast.Assert, ast.Unchanged, ast.Always, ast.Eventually)):
            yield node.property
