# SPDX-License-Identifier: MIT
"""The whole front end: from the top file to the intermediate form."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Callable, Literal, Mapping, Optional, Sequence

from .. import ir, walk
from ..frontend import ast
from ..analysis.checks import CallGraph, check_ownership
from ..frontend.constants import Constants
from ..frontend.context import Body, Context
from ..frontend.declarations import Declarations
from ..frontend.executions import premises_of
from ..frontend.flatten import Flattener, flatten, raises_of
from ..analysis.guard_checks import check_guards
from ..frontend.machines import Machine, MachineBuilder
from ..frontend.parser import parse
from ..frontend.profiles import default_of, setting_texts
from ..frontend.raises import Raises
from ..analysis.protocol_checks import check_protocol
from ..analysis.raise_checks import TailCheck, check_raise_cycles
from ..report import Diagnostic, Report, SpecError
from ..source import Span
from ..analysis.state_checks import check_events, check_reachability
from ..frontend.statements import Statements
from ..frontend.world_sight import devices_with_timers_seen
from ..frontend.worlds import (
    DIVIDED,
    LIVENESS,
    WorldBuilder,
    check_worlds,
    key_known,
    world_of,
    worlds_of,
)
from ..analysis.unused import check_unused
from .statement_spans import statement_spans

Step = Callable[[str], None]  # receives the name of each step, for a progress line


def _silent(what: str) -> None:
    pass


def compile_spec(
    path: str | Path, check: Optional[str] = None, profile: Optional[str] = None
) -> ir.Protocol:
    """The protocol in `path`, with the named check configuration applied, in the profile named or the default one.
    Raises SpecError."""
    compilation = Compilation(Path(path), profile=profile)
    protocol = compilation.protocol(check)
    if protocol is None:
        raise SpecError(compilation.report.diagnostics)
    return protocol


def load(
    path: str | Path, overrides: dict[str, int], profile: Optional[str] = None
) -> ir.Protocol:
    """As compile_spec, with constants and parameter defaults given by name. Raises SpecError."""
    compilation = Compilation(Path(path), profile=profile)
    protocol = compilation.resolve(overrides, None)
    if protocol is None:
        raise SpecError(compilation.report.diagnostics)
    return protocol


def diagnose(path: Path, step: Step = _silent) -> list[Diagnostic]:
    """What is wrong with a spec, in each of its profiles, with all their checks. A message that holds in some profiles
    only says in which."""
    first = Compilation(path)
    names = list(dict.fromkeys(p.name.text for p in first.spec.profiles))
    if len(names) < 2:
        return first.diagnostics(step)
    found: dict[tuple[str, int, str, str], tuple[Diagnostic, list[str]]] = {}
    for name in names:
        for diagnostic in Compilation(path, profile=name).diagnostics(step):
            key = diagnostic.sort_key()
            found.setdefault(key, (diagnostic, []))[1].append(name)
    result: list[Diagnostic] = []
    for key in sorted(found):
        diagnostic, holds = found[key]
        if len(holds) < len(names):
            where = f"profile{'s' * (len(holds) > 1)} {', '.join(holds)}"
            message = f"{diagnostic.message} (in {where})"
            diagnostic = dataclasses.replace(diagnostic, message=message)
        result.append(diagnostic)
    return result


class Compilation:
    """One spec in one profile, parsed once; each check configuration resolves the same tree anew."""

    def __init__(
        self,
        path: Path,
        overlay: Mapping[Path, str] = {},
        report: Optional[Report] = None,
        profile: Optional[str] = None,
    ) -> None:
        """`overlay`: texts to be read instead of files, by resolved path: what an editor has not saved yet.
        `profile`: None for the default one. Raises UnknownProfile."""
        self.path = path
        self.report = report or Report()
        self.spec = parse(path, self.report, overlay, profile)
        # Of the spec as it stands, once it is resolved.
        self.context: Optional[Context] = None
        self._settings: dict[str, dict[str, int]] = {}
        # The protocol without a check, once it is resolved; None when it has errors.
        self._base: Optional[ir.Protocol] = None
        self._resolved = False

    def texts(self) -> dict[str, str]:
        """What was read, by the names of the files."""
        return {source.name: source.text for source in self.spec.sources}

    def diagnostics(self, step: Step = _silent) -> list[Diagnostic]:
        """Of the spec and, if it has no errors, of each of its checks. `step` receives the name of each step."""
        step(f"compiling {self.path}")
        base = self.protocol(None)
        if base is not None:
            found: dict[str, list[Diagnostic]] = {}
            alike: Optional[_Resolution] = None
            before: Optional[dict[str, int]] = None
            # Those that set the same numbers one after the other: they differ in their worlds alone.
            for number, check in enumerate(sorted(self._settings, key=self._sets), 1):
                step(f"compiling check {check} ({number} of {len(self._settings)})")
                settings, report = self._settings[check], Report()
                bounds = bounds_of(base, check, False, False)
                if alike is None or settings != before:
                    alike = self._resolution(report, settings, check, bounds)
                    alike.run()
                else:
                    alike.examine_world(report, check, bounds)
                if report.errors != 0:
                    alike = None
                before, found[check] = settings, report.diagnostics
            for check in self._settings:
                self._take_errors(check, found[check])
        return self.report.diagnostics

    def _sets(self, check: str) -> list[tuple[str, int]]:
        return sorted(self._settings[check].items())

    def _take_errors(self, check: str, diagnostics: list[Diagnostic]) -> None:
        """Of a check, whose warnings are about the spec as it stands."""
        for diagnostic in diagnostics:
            if diagnostic.severity == "error":
                message = f"{diagnostic.message} (in check {check})"
                self.report.add(
                    diagnostic.code, diagnostic.span, message, diagnostic.notes
                )

    def protocol(
        self, check: Optional[str], liveness: bool = False, divided: bool = False
    ) -> Optional[ir.Protocol]:
        """None when there are errors: see `report`. `liveness`: the world has the bounds of searches for cycles;
        `divided`: those of nodes that a placement divides."""
        if not self._resolved:
            self._base = self.resolve({}, None)
            self._resolved = True
        base = self._base
        if check is None or base is None:
            return base
        if check not in self._settings:
            names = ", ".join(self._settings) or "none"
            raise ValueError(f"there is no check '{check}'; there are: {names}")
        report = Report()
        bounds = bounds_of(base, check, liveness, divided)
        resolution = self._resolution(report, self._settings[check], check, bounds)
        protocol = resolution.run()
        self._take_errors(check, report.diagnostics)
        return protocol if report.errors == 0 else None

    def resolve(
        self, overrides: dict[str, int], check: Optional[str]
    ) -> Optional[ir.Protocol]:
        resolution = self._resolution(self.report, overrides, check, {})
        protocol = resolution.run()
        if check is None and not overrides:
            self.context = resolution.context
            self._settings = {c.name: dict(c.settings) for c in protocol.checks}
        return protocol if self.report.errors == 0 else None

    def _resolution(
        self,
        report: Report,
        overrides: dict[str, int],
        check: Optional[str],
        bounds: dict[str, int],
    ) -> "_Resolution":
        context = Context(report, self.spec, overrides, bounds)
        context.in_check = check is not None
        return _Resolution(context, check)


def bounds_of(
    protocol: ir.Protocol, check: str, liveness: bool, divided: bool
) -> dict[str, int]:
    """Of the world, in searches of one kind: `X_liveness` takes the place of X where cycles are searched for, and
    `X_divided` that of both where a placement divides the nodes."""
    world = dict(next(c for c in protocol.checks if c.name == check).world)
    bounds = {k: v for k, v in world.items() if not k.endswith((LIVENESS, DIVIDED))}
    for suffix, wanted in ((LIVENESS, liveness), (DIVIDED, divided)):
        if wanted:
            own = {k: v for k, v in world.items() if k.endswith(suffix)}
            bounds |= {key.removesuffix(suffix): value for key, value in own.items()}
    return bounds


def has_divided_bounds(check: ir.Check) -> bool:
    """Does the check take part in searches of nodes that a placement divides?"""
    return any(key.endswith(DIVIDED) for key, _ in check.world)


class _Resolution:
    def __init__(self, context: Context, check: Optional[str]) -> None:
        self.context = context
        self.check = check
        self.constants = Constants(context)
        self.types = Declarations(context, self.constants)
        self.machines: list[Machine] = []
        self.properties: list[ir.Property] = []
        self.functions: dict[str, ir.Function] = {}
        self.actions: dict[str, ir.Action] = {}
        self.raises: Optional[Raises] = None  # where no function calls itself
        self.worlds: list[ir.World] = []

    def run(self) -> ir.Protocol:
        context = self.context
        context.collect()
        self.types.declare_all()
        self.constants.declare_all()
        self._check_protocol()
        builders = [
            MachineBuilder(context, self.types, node)
            for node in context.spec.declarations
            if isinstance(node, ast.Process) and context.is_first(node)
        ]
        for builder in builders:
            builder.build_tree()
        self._bodies()
        self._properties()
        for builder in builders:
            builder.resolve()
        self.machines = [builder.machine for builder in builders]
        graph = CallGraph(context)
        if not graph.recursive:
            self.raises = Raises(context, self.machines, self.functions, self.actions)
        self._finish_bodies(graph)
        processes = self._processes()
        placements = self._placements()
        checks = self._checks()
        self.worlds = self._worlds()
        self._check_whole(graph, processes)
        protocol = self._protocol(processes, placements, checks)
        if context.report.errors == 0 and not context.overrides:
            check_protocol(context, protocol)
        return protocol

    def examine_world(self, report: Report, check: str, bounds: dict[str, int]) -> None:
        """Of another check that sets the same numbers, after `run` has found no error: only its world is another one."""
        self.context.report, self.context.bounds, self.check = report, bounds, check
        self._worlds()

    def _check_protocol(self) -> None:
        nodes = [
            d for d in self.context.spec.declarations if isinstance(d, ast.Protocol)
        ]
        for again in nodes[1:]:
            self.context.error(
                "HSM0107",
                again.name.span,
                "the protocol has a name already",
                [("here", nodes[0].name.span)],
            )
        if not nodes and not self.context.spec.damaged:
            spec = self.context.spec
            first = next(iter(spec.declarations), None)
            for source in spec.sources[:1]:
                span = first.name.span if first is not None else Span(source, 0, 0)
                self.context.error("HSM0107", span, "a spec begins with: protocol name")

    # --- functions and actions

    def _bodies(self) -> None:
        context = self.context
        for node in context.spec.declarations:
            if not isinstance(node, (ast.Function, ast.Action)):
                continue
            if not context.is_first(node):
                continue
            name = node.name.text
            kind = "function" if isinstance(node, ast.Function) else "action"
            body = Body(kind, name)
            context.bodies[name] = body
            signature = context.signatures[name]
            resolver = Statements(context, self.types, body)
            resolver.result = signature.result
            for argument, resolved in zip(node.arguments, signature.arguments):
                resolver.bind(
                    argument.name,
                    ir.ArgumentName(
                        type=resolved.type,
                        place=argument.name.span.place(),
                        name=argument.name.text,
                    ),
                    "argument",
                )
            statements = resolver.block(node.body)
            if isinstance(node, ast.Action):
                self.actions[name] = ir.Action(
                    name=name,
                    doc=node.doc,
                    place=node.name.span.place(),
                    arguments=signature.arguments,
                    body=statements,
                    locals=tuple(body.locals),
                    raises=(),
                    processes=(),
                    code=node.code,
                    text=_source(node.span),
                )
                continue
            if not _returns(node.body):
                context.error(
                    "HSM0309",
                    node.name.span,
                    f"function '{name}' may end without 'return'",
                )
            if signature.result is not None:
                self.functions[name] = ir.Function(
                    name=name,
                    doc=node.doc,
                    place=node.name.span.place(),
                    arguments=signature.arguments,
                    result=signature.result,
                    body=statements,
                    locals=tuple(body.locals),
                    reads_state=body.reads_state,
                    code=node.code,
                    text=_source(node.span),
                )

    # --- properties

    def _properties(self) -> None:
        """With what one node can see of them."""
        for node in self.context.spec.declarations:
            if not isinstance(node, ast.Property) or not self.context.is_first(node):
                continue
            kind: Literal["safety", "liveness"] = (
                "safety" if node.kind == "safety" else "liveness"
            )
            instance, condition = self._condition(node)
            self.properties.append(
                ir.Property(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    kind=kind,
                    instance=instance,
                    condition=condition,
                    premises=premises_of(node.condition),
                )
            )

    def _condition(
        self, node: ast.Property
    ) -> tuple[Optional[ir.Argument], Optional[ir.Expression]]:
        context = self.context
        if node.kind != "safety" and node.condition is not None:
            context.error(
                "HSM0333",
                node.condition.span,
                "a liveness property says what happens in the end: no state can contradict it",
            )
        elif node.instance is not None and node.condition is None:
            self._report_unused_instance(node)
        body = Body("function", f"property {node.name.text}")
        resolver = Statements(context, self.types, body)
        instance: Optional[ir.Argument] = None
        if node.instance is not None:
            name, type_ = node.instance.name, self.types.type(node.instance.type)
            if isinstance(type_, ir.ReferenceType):
                instance = ir.Argument(name=name.text, type=type_)
                place = name.span.place()
                bound = ir.ArgumentName(type=type_, place=place, name=name.text)
                resolver.bind(name, bound, "the record")
            else:
                if type_ is not None:
                    context.error(
                        "HSM0206", node.instance.type.span, "a pool is needed here"
                    )
                context.report.damaged_names.add(name.text)
        if node.condition is None:
            return instance, None
        condition = resolver.condition(node.condition)
        if instance is not None and condition is not None:
            if not walk.uses_argument([condition], instance.name):
                self._report_unused_instance(node)
        return instance, condition

    def _report_unused_instance(self, node: ast.Property) -> None:
        assert node.instance is not None
        self.context.error(
            "HSM0334",
            node.instance.span,
            f"property '{node.name.text}' names a record and says nothing of it",
        )

    def _finish_bodies(self, graph: CallGraph) -> None:
        """What is known only through calls: who raises, who reads state, which process uses what."""
        self.functions.update(self.context.finds)
        users: dict[str, list[str]] = {}
        if not graph.recursive:
            for machine in self.machines:
                for effect, _ in graph.effects(machine.body):
                    names = users.setdefault(effect.name, [])
                    if effect.kind == "action" and machine.name not in names:
                        names.append(machine.name)
        raises: dict[str, tuple[tuple[str, str], ...]] = {}
        for name in graph.order:
            function = self.functions.pop(name, None)
            action = self.actions.pop(name, None)
            if function is not None:
                reads = function.reads_state or any(
                    effect.kind == "function"
                    and effect.name in self.functions
                    and self.functions[effect.name].reads_state
                    for effect in self.context.bodies[name].effects
                )
                self.functions[name] = dataclasses.replace(function, reads_state=reads)
            if action is not None:
                raises[name] = raises_of(action.body, raises)
                # Put back first: its effects are read below.
                self.actions[name] = action
                body = self.raises.last(action.body) if self.raises else action.body
                self.actions.pop(name)
                self.actions[name] = dataclasses.replace(
                    action,
                    body=body,
                    raises=raises[name],
                    processes=tuple(users.get(name, ())),
                )

    # --- processes, placements, checks

    def _processes(self) -> list[ir.Process]:
        raises = {name: action.raises for name, action in self.actions.items()}
        flattener = Flattener(
            self.context,
            lambda statements: raises_of(statements, raises),
            self.raises.row if self.raises else lambda actions, entry: (actions, entry),
        )
        found = (
            flatten(self.context, machine, index, flattener)
            for index, machine in enumerate(self.machines)
        )
        return [process for process in found if process is not None]

    def _placements(self) -> list[ir.Placement]:
        result: list[ir.Placement] = []
        for node in self.context.spec.declarations:
            if not isinstance(node, ast.Placement):
                continue
            placed: dict[str, tuple[str, Span]] = {}
            unknown = False
            for line in node.lines:
                where = self._processor(line)
                for name in line.processes:
                    if self.context.process(name) is None:
                        unknown = True
                    elif name.text in placed:
                        self.context.error(
                            "HSM0602",
                            name.span,
                            f"placement {node.name.text} names process {name.text} twice",
                            [("first here", placed[name.text][1])],
                        )
                    else:
                        placed[name.text] = (where, name.span)
            names = [machine.name for machine in self.machines]
            missing = [name for name in names if name not in placed]
            if missing and not unknown and not self.context.spec.damaged:
                self.context.error(
                    "HSM0601",
                    node.name.span,
                    f"placement {node.name.text} does not say where {', '.join(missing)} "
                    + ("runs" if len(missing) == 1 else "run"),
                )
            self._check_either(node)
            result.append(
                ir.Placement(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    processors=tuple((n, placed[n][0]) for n in names if n in placed),
                    locked=tuple(filter(None, map(self._data, node.locked))),
                    shared=tuple(
                        (said, line.meaning)
                        for line in node.shared
                        if (said := self._data(line.data))
                    ),
                )
            )
        return result

    def _processor(self, line: ast.Placed) -> str:
        """Where the processes of a line run."""
        named = [line.processor] if line.other is None else [line.processor, line.other]
        for name in named:
            if name.text not in ir.PROCESSORS:
                self.context.error(
                    "HSM0610",
                    name.span,
                    f"there is no processor '{name.text}': a process runs on "
                    f"{', '.join(ir.PROCESSORS[:-1])} or {ir.PROCESSORS[-1]}",
                )
        if line.other is None:
            return line.processor.text
        if {name.text for name in named} != {"A", "B"}:
            self.context.error(
                "HSM0614",
                line.other.span,
                f"'{line.processor.text} or {line.other.text}' are not the two processors of the chip: expected "
                f"'{ir.EITHER}', which take the next event when they are free",
            )
        return ir.EITHER

    def _check_either(self, node: ast.Placement) -> None:
        """Where one process is on either processor, all are: each event may be any processor's, with all that it
        raises."""
        either = [line for line in node.lines if line.other is not None]
        for line in node.lines if either else ():
            if line.other is None:
                self.context.error(
                    "HSM0614",
                    line.processor.span,
                    f"in placement {node.name.text} {', '.join(name.text for name in line.processes)} must be on "
                    f"'{line.processor.text}', and other processes are on either processor: expected '{ir.EITHER}' for all "
                    "of them",
                    [("on either processor here", either[0].processor.span)],
                )

    def _data(self, node: ast.Data) -> str:
        """What a placement says of data: a pool or a table, or a field of one. Empty if there is none."""
        context = self.context
        name = node.container.text
        symbol = context.symbols.get(name)
        holder = context.pools.get(name) or context.tables.get(name)
        if holder is None and symbol and isinstance(symbol.node, (ast.Pool, ast.Table)):
            return ""  # its own error is reported
        if holder is None:
            context.report.unknown(
                "HSM0201",
                node.container.span,
                f"there is no pool or table '{name}'",
                name,
                context.names(ast.Pool, ast.Table),
            )
            return ""
        context.refer(node.container.span, holder.place)
        if node.field is None:
            return name
        for member in holder.fields:
            if member.name == node.field.text:
                context.refer(node.field.span, member.place)
                return f"{name}.{member.name}"
        context.report.unknown(
            "HSM0205",
            node.field.span,
            f"'{name}' has no field '{node.field.text}'",
            node.field.text,
            [member.name for member in holder.fields],
        )
        return ""

    def _checks(self) -> list[ir.Check]:
        result: list[ir.Check] = []
        nodes = [d for d in self.context.spec.declarations if isinstance(d, ast.Check)]
        if self.check is None:
            check_worlds(self.context, nodes)
        for node in nodes:
            world = world_of(self.context.spec, node)
            values: dict[str, dict[str, int]] = {"set": {}, "world": {}}
            for setting in node.settings:
                name = setting.name
                size = self.constants.size(setting.value)
                if setting.kind == "set" and not self._settable(name):
                    continue
                if setting.kind == "world" and not self._bound(world, name):
                    continue
                if name.text in values[setting.kind]:
                    self.context.error(
                        "HSM0603",
                        name.span,
                        f"check {node.name.text} sets '{name.text}' twice",
                    )
                elif size is not None:
                    values[setting.kind][name.text] = size.value
            result.append(
                ir.Check(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    settings=tuple(values["set"].items()),
                    within=node.world.text if node.world is not None else "",
                    world=tuple(values["world"].items()),
                )
            )
        return result

    def _settable(self, name: ast.Name) -> bool:
        symbol = self.context.symbols.get(name.text)
        if symbol is not None and isinstance(
            symbol.node, (ast.Constant, ast.Parameter)
        ):
            self.context.refer(name.span, symbol.span)
            if isinstance(symbol.node, ast.Constant) and symbol.node.fixed:
                self.context.error(
                    "HSM0327",
                    name.span,
                    f"a check sets '{name.text}', which is fixed: the spec is right for this number only",
                    [("declared here", symbol.span)],
                )
                return False
            return True
        self.context.report.unknown(
            "HSM0210",
            name.span,
            f"a check sets constants and parameters; '{name.text}' is neither",
            name.text,
            self.context.names(ast.Constant, ast.Parameter),
        )
        return False

    def _bound(self, world: Optional[ast.World], name: ast.Name) -> bool:
        """Without a world they mean nothing."""
        if world is None:
            return True
        for bound in world.bounds:
            if bound.name.text == name.text:
                self.context.refer(name.span, bound.name.span)
        if key_known(world, name.text):
            return True
        self.context.report.unknown(
            "HSM0608",
            name.span,
            f"world {world.name.text} has no bound '{name.text}'",
            name.text,
            [bound.name.text for bound in world.bounds],
        )
        return False

    def _worlds(self) -> list[ir.World]:
        """All; of a check only its own, for its sizes say nothing of the others."""
        spec = self.context.spec
        nodes: Sequence[Optional[ast.World]] = worlds_of(spec)
        if self.check is not None:
            nodes = [
                world_of(spec, node)
                for node in spec.declarations
                if isinstance(node, ast.Check) and node.name.text == self.check
            ]
        worlds = (self._world(node) for node in nodes if node is not None)
        return [world for world in worlds if world is not None]

    def _world(self, node: ast.World) -> Optional[ir.World]:
        """A build may set numbers that are too small for a world, which it does not need: then there is none."""
        builder = WorldBuilder(self.context, self.types, node, self.functions)
        if self.check is not None or not self.context.overrides:
            return builder.build()
        report, self.context.report = self.context.report, Report()
        try:
            world = builder.build()
            return world if self.context.report.errors == 0 else None
        finally:
            self.context.report = report

    # --- the whole

    def _check_whole(self, graph: CallGraph, processes: list[ir.Process]) -> None:
        context = self.context
        spans = statement_spans(context.spec)
        if not graph.recursive:
            check_ownership(context, graph, self.machines)
            TailCheck(context, self.actions, spans, self.raises).check(self.machines)
            check_raise_cycles(context, processes, spans)
        if not context.overrides:
            # A check makes numbers small; guards that overlap then say nothing about the spec.
            check_guards(context, self.machines)
        check_reachability(context, self.machines)
        if context.report.errors == 0:
            check_events(context, self.machines)
            check_unused(context, self.machines)

    def _protocol(
        self,
        processes: list[ir.Process],
        placements: list[ir.Placement],
        checks: list[ir.Check],
    ) -> ir.Protocol:
        context = self.context
        spec = context.spec
        nodes = [d for d in spec.declarations if isinstance(d, ast.Protocol)]
        timers_seen = devices_with_timers_seen(spec)
        order = {d.name.text: i for i, d in enumerate(spec.declarations)}
        counters: list[ir.Counter] = []
        for node in spec.declarations:
            if isinstance(node, ast.Counter) and context.is_first(node):
                counters.append(
                    ir.Counter(
                        name=node.name.text,
                        doc=node.doc,
                        place=node.name.span.place(),
                        index=len(counters),
                    )
                )
        return ir.Protocol(
            name=nodes[0].name.text if nodes else "",
            doc=nodes[0].doc if nodes else "",
            place=nodes[0].name.span.place() if nodes else ir.Place("", 1, 1),
            check=self.check,
            profile=spec.profile,
            profiles=tuple(
                ir.Profile(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    default=node is default_of(spec.profiles),
                    settings=tuple(setting_texts(node)),
                )
                for node in spec.profiles
            ),
            files=tuple(spec.files),
            hash=spec.hash,
            constants=tuple(
                sorted(
                    context.constants.values(),
                    key=lambda c: order.get(c.name, len(order)),
                )
            ),
            parameters=tuple(context.parameters.values()),
            enumerations=tuple(context.enumerations.values()),
            layouts=tuple(context.layouts.values()),
            payloads=tuple(context.payloads.values()),
            pools=tuple(context.pools.values()),
            tables=tuple(context.tables.values()),
            devices=tuple(
                ir.Device(
                    name=node.name.text,
                    doc=node.doc,
                    place=node.name.span.place(),
                    arguments=context.signatures[node.name.text].arguments,
                    timers_seen=node.name.text in timers_seen,
                )
                for node in spec.declarations
                if isinstance(node, ast.Device) and context.is_first(node)
            ),
            counters=tuple(counters),
            properties=tuple(self.properties),
            functions=(
                *context.handle_functions.values(),
                *self.functions.values(),
            ),
            actions=tuple(self.actions.values()),
            processes=tuple(processes),
            timers=tuple(context.timers),
            placements=tuple(placements),
            checks=tuple(checks),
            worlds=tuple(self.worlds),
        )


def _returns(statements: tuple[ast.Statement, ...]) -> bool:
    """Does every way through the statements end in a return?"""
    for statement in statements:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If):
            if _returns(statement.then) and _returns(statement.otherwise):
                return True
    return False


def _source(span: Span) -> tuple[str, ...]:
    """As written, without the lines of other profiles."""
    lines = span.text.rstrip().split("\n")
    excluded = span.file.excluded_lines
    return tuple(
        line.rstrip()
        for number, line in enumerate(lines, start=span.line)
        if number not in excluded
    )
