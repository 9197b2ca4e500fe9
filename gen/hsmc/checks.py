"""Checks over the whole spec, after all names and types are known: recursion, who may write what, raises as tail
calls and without cycles, overlapping guards, what is unreachable, what is unused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Optional, Sequence

from . import ast, ir
from .constants import LARGEST
from .context import Body, Context, Effect
from .dump import expression_text
from .machines import Choice, Machine, StateNode, initial_of, walk
from .source import Span
from .ways import ways


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
                    problem = f"records of '{effect.name}' are released by those who create or write them"
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


# --- raises are tail calls ---------------------------------------------------------------------------------------


@dataclass
class _Flow:
    """Where control may be: `goes_on` past the statements seen, having raised at `raised`."""

    goes_on: bool
    raised: Optional[ir.Place]


class TailCheck:
    def __init__(
        self,
        context: Context,
        actions: dict[str, ir.Action],
        spans: "dict[ir.Place, Span]",
    ) -> None:
        self.context = context
        self.actions = actions
        self.spans = spans
        self.raising = {name for name, a in actions.items() if a.raises}

    def check(self, machines: Sequence[Machine]) -> None:
        for action in self.actions.values():
            self._scan(action.body, None)
        for machine in machines:
            seen: set[tuple[ir.Place, ...]] = set()
            for leaf in machine.leaves:
                for state in leaf.chain():
                    for rows in state.rows:
                        for choice in rows.choices:
                            for statements in self._executed(
                                machine, leaf, state, choice
                            ):
                                key = tuple(s.place for s in statements)
                                if key not in seen:
                                    seen.add(key)
                                    self._scan(statements, None)

    @staticmethod
    def _executed(
        machine: Machine, leaf: StateNode, state: StateNode, choice: Choice
    ) -> Iterator[tuple[ir.Statement, ...]]:
        """What the row executes, in each way it may go."""
        if choice.target is None:
            yield choice.actions
            return
        for way in ways(machine, leaf, state, choice):
            yield (
                *(s for e in way.exited for s in e.exit),
                *choice.actions,
                *(s for e in way.entered for s in e.entry),
            )

    def _scan(
        self, statements: Iterable[ir.Statement], raised: Optional[ir.Place]
    ) -> _Flow:
        flow = _Flow(True, raised)
        for statement in statements:
            if not flow.goes_on:
                break
            if flow.raised is not None and not self._only_raises(statement):
                self._error(statement.place, flow.raised, "comes after a raise")
                return _Flow(True, None)
            if isinstance(statement, ir.Raise):
                flow.raised = statement.place
            elif isinstance(statement, ir.ActionCall):
                if statement.action in self.raising:
                    flow.raised = statement.place
            elif isinstance(statement, ir.Return):
                flow.goes_on = False
            elif isinstance(statement, ir.If):
                then = self._scan(statement.then, flow.raised)
                otherwise = self._scan(statement.otherwise, flow.raised)
                places = [b.raised for b in (then, otherwise) if b.goes_on and b.raised]
                flow = _Flow(
                    then.goes_on or otherwise.goes_on, places[0] if places else None
                )
            elif isinstance(statement, ir.Repeat):
                inside = self._first_raise(statement.body)
                if inside is not None:
                    self._error(inside, None, "stands in a loop")
        return flow

    def _first_raise(self, statements: Iterable[ir.Statement]) -> Optional[ir.Place]:
        for statement in walk(statements):
            if isinstance(statement, ir.Raise) or (
                isinstance(statement, ir.ActionCall)
                and statement.action in self.raising
            ):
                return statement.place
        return None

    def _only_raises(self, statement: ir.Statement) -> bool:
        if isinstance(statement, (ir.Raise, ir.Return)):
            return True
        if isinstance(statement, ir.If):
            return all(map(self._only_raises, statement.then + statement.otherwise))
        if isinstance(statement, ir.ActionCall):
            action = self.actions.get(statement.action)
            return action is not None and all(map(self._only_raises, action.body))
        return False

    def _error(self, place: ir.Place, raised: Optional[ir.Place], problem: str) -> None:
        span = self.spans.get(place)
        if span is None:
            return
        notes = []
        if raised is not None and raised in self.spans:
            notes.append(("the raise", self.spans[raised]))
            self.context.error(
                "HSM0515", span, f"this {problem}: a raise must come last", notes
            )
        else:
            self.context.error("HSM0515", span, f"this raise {problem}")


def check_raise_cycles(
    context: Context, processes: Sequence[ir.Process], spans: "dict[ir.Place, Span]"
) -> None:
    edges: dict[tuple[str, str], dict[tuple[str, str], ir.Place]] = {}
    for process in processes:
        for handler in process.handlers:
            for row in handler.rows:
                node = (process.name, handler.event)
                for raised in row.raises:
                    edges.setdefault(node, {}).setdefault(raised, row.place)
    done: set[tuple[str, str]] = set()

    def visit(node: tuple[str, str], path: list[tuple[str, str]]) -> None:
        for callee, place in edges.get(node, {}).items():
            if callee in path:
                names = [".".join(n) for n in path[path.index(callee) :] + [callee]]
                if place in spans:
                    context.error(
                        "HSM0516",
                        spans[place],
                        f"events raise each other in a circle: {' -> '.join(names)}",
                    )
            elif callee not in done:
                visit(callee, [*path, callee])
        done.add(node)

    for start in edges:
        if start not in done:
            visit(start, [start])


# --- guards ------------------------------------------------------------------------------------------------------


def check_guards(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        for state in machine.states:
            by_event: dict[Optional[str], list[Choice]] = {}
            for rows in state.rows:
                # Lets may give one name two meanings in two blocks; guards are compared within a block, and
                # between blocks only where no lets are involved.
                if rows.lets:
                    _compare_guards(context, list(rows.choices))
                else:
                    by_event.setdefault(rows.event, []).extend(rows.choices)
            for choices in by_event.values():
                _compare_guards(context, choices)


def _compare_guards(context: Context, choices: list[Choice]) -> None:
    for later, second in enumerate(choices):
        if second.guard is None or second.node.guard is None:
            continue
        if second.guard.value is not None:
            truth = "always" if second.guard.value else "never"
            context.error(
                "HSM0525", second.node.guard.span, f"this guard {truth} holds"
            )
            continue
        for first in choices[:later]:
            if first.guard is None or first.node.guard is None:
                continue
            notes = [("the row before", first.node.guard.span)]
            if expression_text(first.guard) == expression_text(second.guard):
                context.error(
                    "HSM0509",
                    second.node.guard.span,
                    "this guard stands in a row before: the row is never taken",
                    notes,
                )
                break
            overlap = _overlap(first.guard, second.guard)
            if overlap == "inside":
                context.error(
                    "HSM0509",
                    second.node.guard.span,
                    "a row before holds whenever this one does: the row is never taken",
                    notes,
                )
                break
            if overlap == "partly":
                context.error(
                    "HSM0510",
                    second.node.guard.span,
                    "this guard overlaps one before; the first row wins",
                    notes,
                )
                break


Intervals = list[tuple[int, int]]


def _comparison(guard: ir.Expression) -> Optional[tuple[str, Intervals]]:
    """For `operand op constant`: the operand's text and the values for which it holds."""
    if not isinstance(guard, ir.Binary):
        return None
    operator, left, right = guard.operator, guard.left, guard.right
    if left.value is not None and right.value is None:
        mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
        left, right = right, left
        operator = mirrored.get(operator, operator)  # type: ignore[assignment]
    if right.value is None or left.value is not None:
        return None
    value = right.value
    intervals: dict[str, Intervals] = {
        "==": [(value, value)],
        "!=": [(0, value - 1), (value + 1, LARGEST)],
        "<": [(0, value - 1)],
        "<=": [(0, value)],
        ">": [(value + 1, LARGEST)],
        ">=": [(value, LARGEST)],
    }
    if operator not in intervals:
        return None
    return expression_text(left), [i for i in intervals[operator] if i[0] <= i[1]]


def _overlap(first: ir.Expression, second: ir.Expression) -> str:
    a, b = _comparison(first), _comparison(second)
    if a is None or b is None or a[0] != b[0]:
        return ""
    if all(any(x <= low and high <= y for x, y in a[1]) for low, high in b[1]):
        return "inside"
    common = any(low <= y and x <= high for x, y in a[1] for low, high in b[1])
    return "partly" if common else ""


# --- what is never reached ---------------------------------------------------------------------------------------


def check_reachability(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        if machine.damaged or not machine.roots or context.spec.damaged:
            continue
        alive = _alive(machine)
        for state in machine.states:
            if state not in alive and (state.parent is None or state.parent in alive):
                context.error(
                    "HSM0504",
                    state.node.name.span,
                    f"state {state.dotted} of process {machine.name} is never entered",
                )
        for state in machine.states:
            for rows in state.rows:
                for choice in rows.choices:
                    if not choice.reached:
                        context.error(
                            "HSM0508",
                            choice.node.span,
                            "this row is never tried: every state inside handles the event itself",
                        )


def _alive(machine: Machine) -> set[StateNode]:
    """States some chain of transitions leads to, whatever the guards."""
    reached: set[StateNode] = set()
    alive: set[StateNode] = set()
    histories: set[StateNode] = set()
    pending = [list(initial_of(machine.roots).initial_chain())[-1]]
    while pending:
        leaf = pending.pop()
        if leaf not in reached:
            reached.add(leaf)
            alive.update(leaf.chain())
            for state in leaf.chain():
                for rows in state.rows:
                    for choice in rows.choices:
                        if choice.target is not None:
                            pending.append(list(choice.target.initial_chain())[-1])
                            if choice.node.history:
                                histories.add(choice.target)
        if not pending:
            # A history brings back children that were active once, each with its initial states.
            again = {
                list(child.initial_chain())[-1]
                for state in histories
                for child in state.children
                if child in alive
            }
            pending += [leaf for leaf in machine.leaves if leaf in again - reached]
    return alive


def check_events(context: Context, machines: Sequence[Machine]) -> None:
    for machine in machines:
        for event in machine.node.events:
            name = f"{machine.name}.{event.name.text}"
            if not event.external and ("event", name) not in context.used:
                context.error(
                    "HSM0505",
                    event.name.span,
                    f"nobody raises event '{event.name.text}' of process {machine.name}",
                )


# --- what is unused ----------------------------------------------------------------------------------------------


def check_unused(context: Context, machines: Sequence[Machine]) -> None:
    """Warnings; only asked for when the spec has no errors."""
    for node in context.spec.declarations:
        name, span = node.name.text, node.name.span
        if isinstance(node, ast.Constant):
            if not node.external and ("constant", name) not in context.used:
                context.error(
                    "HSM0701",
                    span,
                    f"constant '{name}' is not used; if host or runtime need it: external constant",
                )
        elif isinstance(node, ast.Parameter):
            if ("parameter", name) not in context.used:
                context.error("HSM0702", span, f"parameter '{name}' is not used")
        elif isinstance(node, ast.Counter):
            if ("counter", name) not in context.used:
                context.error("HSM0703", span, f"counter '{name}' never counts")
        elif isinstance(node, (ast.Function, ast.Action, ast.Device)):
            kind = (
                "function"
                if isinstance(node, ast.Function)
                else "action"
                if isinstance(node, ast.Action)
                else "device"
            )
            if (kind, name) not in context.used:
                context.error("HSM0704", span, f"{kind} '{name}' is not used")
            elif kind != "device":
                for argument in node.arguments:
                    if (f"argument of {name}", argument.name.text) not in context.used:
                        context.error(
                            "HSM0708",
                            argument.name.span,
                            f"argument '{argument.name.text}' of {kind} '{name}' is not used",
                        )
        elif isinstance(node, ast.Payload):
            passed_to_device = any(
                entry.startswith(f"{name}>device ")
                for entry in context.payloads_passed_on
            )
            for field in node.fields:
                if (
                    not passed_to_device
                    and (name, field.name.text) not in context.fields_read
                ):
                    context.error(
                        "HSM0705",
                        field.name.span,
                        f"field '{field.name.text}' of payload '{name}' is never read",
                    )
        elif isinstance(node, (ast.Pool, ast.Table)):
            _check_fields(context, name, node.fields, "field")
        elif isinstance(node, ast.Process):
            _check_fields(context, name, node.variables, "variable")
    for body in [*context.bodies.values(), *(m.body for m in machines)]:
        for local, span in body.local_spans:
            if id(local) not in context.locals_used:
                context.error("HSM0708", span, f"local name '{local.name}' is not used")


def _check_fields(
    context: Context, owner: str, fields: Sequence[ast.Field], what: str
) -> None:
    for field in fields:
        name = field.name.text
        if (owner, name) not in context.fields_read:
            context.error(
                "HSM0706",
                field.name.span,
                f"{what} '{name}' of '{owner}' is never read",
            )
        if (owner, name) not in context.fields_written:
            context.error(
                "HSM0707",
                field.name.span,
                f"{what} '{name}' of '{owner}' is never written",
            )
