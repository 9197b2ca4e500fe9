# SPDX-License-Identifier: MIT
"""The names of a world: what its lines declare, and what resolves a line that knows them."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

from .. import ir
from . import ast
from .context import Body, Context, Signature
from .declarations import Declarations
from .expressions import BOOL, U32, Binding
from ..source import Span
from .world_statements import FACTS, WorldFunction, WorldStatements

NODE = ir.IntegerType(8)
LONGEST_SET = 31  # bits: a set is one integer of the model
IN_FLIGHT = "in_flight"


class WorldNames:
    def __init__(
        self,
        context: Context,
        types: Declarations,
        node: ast.World,
        functions: Mapping[str, ir.Function],
    ) -> None:
        self.context = context
        self.types = types
        self.node = node
        self.functions = functions
        self.nodes: list[str] = []
        self.bounds: list[ir.Bound] = []
        self.variables: list[ir.WorldField] = []
        # The names every line knows.
        self.names: list[tuple[ast.Name, Binding, str]] = []
        # The names of all lines, and how many of `names` are among them: binding them anew for each line takes long.
        self.common_scope: dict[str, tuple[Binding, Span]] = {}
        self.names_bound: Optional[int] = None
        self.own_functions: dict[str, WorldFunction] = {}
        self.known_values: dict[
            tuple[str, tuple[Optional[int], ...]], ir.Expression
        ] = {}

    # --- what is declared

    def _single(self, lines: Sequence[Span], what: str, needed: bool) -> None:
        if not lines and needed and not self.context.spec.damaged:
            self.context.error(
                "HSM0607", self.node.name.span, f"a world needs a line '{what}'"
            )
        for again in lines[1:]:
            self.context.error(
                "HSM0607",
                again,
                f"a world has one line '{what}'",
                [("the first one", lines[0])],
            )

    def _nodes(self) -> None:
        lines = self.node.nodes
        self._single([names[0].span for names in lines], "nodes", True)
        for number, name in enumerate(lines[0] if lines else ()):
            self.nodes.append(name.text)
            value = ir.Number(
                type=NODE, place=name.span.place(), value=number, text=str(number)
            )
            self.names.append((name, value, "node"))

    def _bounds(self) -> None:
        for node in self.node.bounds:
            size = self.types.constants.size(node.value)
            if size is None:
                self.context.report.damaged_names.add(node.name.text)
                continue
            name = node.name.text
            value = self.context.bounds.get(name, size.value)
            place = node.name.span.place()
            self.bounds.append(
                ir.Bound(name=name, doc=node.doc, value=value, place=place)
            )
            number = ir.Number(type=U32, place=place, value=value, text=str(value))
            self.names.append((node.name, number, "bound"))

    def _link(self) -> ast.Link:
        self._single([link.span for link in self.node.links], "link", False)
        link = next(
            iter(self.node.links), ast.Link(self.node.name.span, None, None, False)
        )
        if link.repeats and link.repeats.limit is None and not link.loses:
            self.context.error(
                "HSM0607",
                link.span,
                "a link that repeats without a limit also loses: what may come again stays until it is lost",
            )
        bounds = [bound.name.text for bound in self.node.bounds]
        if self.node.wires and IN_FLIGHT not in bounds:
            self.context.error(
                "HSM0607",
                self.node.wires[0].device.span,
                "what is on the wire needs a bound: bound in_flight = 2",
            )
        self._single([end.span for end in self.node.ends], "end", False)
        return link

    def _fault(self, node: Optional[ast.Fault]) -> Optional[ir.Fault]:
        if node is None:
            return None
        if node.limit is None:
            return ir.Fault(limit=None)
        value = self._line("limit").number(node.limit)
        if value is not None and (value.value is None or value.value > 255):
            self.context.error(
                "HSM0303", node.limit.span, "a limit must be constant, in 0..255"
            )
        return ir.Fault(limit=value.value if value is not None else None)

    def _variables(self) -> None:
        for node in self.node.variables:
            type_ = self._type(node.type)
            if type_ is None:
                self.context.report.damaged_names.add(node.name.text)
                continue
            place = node.name.span.place()
            self.variables.append(
                ir.WorldField(
                    name=node.name.text,
                    doc=node.doc,
                    type=type_,
                    transient=node.transient,
                    place=place,
                )
            )
            variable = ir.WorldVariable(type=type_, place=place, name=node.name.text)
            self.names.append((node.name, variable, "variable"))

    def _view(self, node: ast.View) -> Optional[ir.View]:
        line = self._line("view")
        line.views = True
        value = line.single(node.value)
        at = self._node_number(line, node.at)
        wrong: Optional[Span] = node.value.span
        if isinstance(value, ir.RecordField):
            wrong = None if value.index.value is not None else wrong
        elif isinstance(value, ir.VariableName):
            wrong = None
        if value is None or at is None:
            self.context.report.damaged_names.add(node.name.text)
            return None
        if wrong is not None or at.value is None:
            self.context.error(
                "HSM0607",
                wrong or node.at.span,
                "a view shows a variable of a process, or a field of one record, at one node",
            )
            self.context.report.damaged_names.add(node.name.text)
            return None
        place = node.name.span.place()
        shown = ir.WorldView(type=value.type, place=place, name=node.name.text)
        self.names.append((node.name, shown, "view"))
        return ir.View(
            name=node.name.text, doc=node.doc, value=value, at=at, place=place
        )

    def _functions(self) -> None:
        """Each is resolved once by itself, so that a mistake in it is reported there."""
        taken = {name.text: name.span for name, _, _ in self.names}
        for node in self.context.distinct(
            self.node.functions, "world", self.node.name.text
        ):
            name = node.name
            body = node.body[0] if len(node.body) == 1 else None
            symbol = self.context.symbols.get(name.text)
            other = taken.get(name.text) or (symbol.span if symbol else None)
            if other is not None:
                self.context.error(
                    "HSM0209",
                    name.span,
                    f"function '{name.text}' hides another name",
                    [("this one", other)],
                )
            if not isinstance(body, ast.Return) or body.value is None:
                self.context.error(
                    "HSM0607", name.span, "a function of a world is one expression"
                )
                self.context.report.damaged_names.add(name.text)
                continue
            arguments = self.types.arguments(node.arguments)
            result = self.types.scalar(node.result, "result")
            self.own_functions[name.text] = WorldFunction(
                node, Signature(arguments, result), body.value
            )
        for called, function in list(self.own_functions.items()):
            values = [
                ir.ArgumentName(
                    type=a.type, place=function.node.name.span.place(), name=a.name
                )
                for a in function.signature.arguments
            ]
            line = self._line(called)
            if len(values) < len(function.node.arguments):
                value = None
            else:
                value = line.inlined(function, values, function.node.name.span)
            if value is None:
                del self.own_functions[called]
                self.context.report.damaged_names.add(called)

    def _parameter(self, node: ast.WorldParameter) -> Optional[ir.WorldParameter]:
        name = node.parameter
        parameter = self.context.parameters.get(name.text)
        if parameter is None:
            self.context.report.unknown(
                "HSM0201",
                name.span,
                f"there is no parameter '{name.text}'",
                name.text,
                self.context.parameters,
            )
            return None
        self.context.refer(name.span, self.context.symbols[name.text].span)
        lines = self.node.parameters
        same = [p.span for p in lines if p.parameter.text == name.text]
        if node.span == same[0]:
            self._single(same, f"parameter {name.text}", False)
        line = self._line(name.text)
        value = line.single(node.value)
        if value is not None:
            what = f"parameter '{name.text}'"
            value = line.fit(
                value, parameter.type, node.value.span, what, parameter.range
            )
        if value is None:
            return None
        return ir.WorldParameter(name=name.text, value=value)

    def _gate(self, node: ast.Gate) -> Optional[ir.Expression]:
        same = [gate.span for gate in self.node.gates if gate.kind == node.kind]
        if node.span == same[0]:
            self._single(same, node.kind, False)
        when = self._line(node.kind).condition(node.when)
        if when is not None and node.kind == "good" and when.value is None:
            self.context.error(
                "HSM0607",
                node.when.span,
                "whether the link is good from the beginning depends on bounds alone",
            )
            return None
        return when

    def _type(self, use: ast.TypeUse) -> Optional[ir.Type]:
        """As of a variable of a process, but the count may be made of bounds."""
        if use.count is None or use.name.text == "handle":
            type_ = self.types.type(use)
        else:
            count = self._line("count").number(use.count)
            if count is None:
                return None
            if count.value is None or not 1 <= count.value <= 255:
                self.context.error(
                    "HSM0303", use.count.span, "a count must be constant, in 1..255"
                )
                return None
            size = ir.Size(count.value, count)
            if use.name.text == "bits":
                if count.value > LONGEST_SET:
                    self.context.error(
                        "HSM0303",
                        use.count.span,
                        f"a set of {count.value} bits: a world has room for {LONGEST_SET}",
                    )
                    return None
                return ir.BitsType(size)
            element = self.types.type(ast.TypeUse(use.span, use.name, None))
            if element is None:
                return None
            if isinstance(element, (ir.PayloadType, ir.BitsType, ir.ArrayType)):
                self._refused(use)
                return None
            type_ = ir.ArrayType(element, size)
        inner = type_.element if isinstance(type_, ir.ArrayType) else type_
        if isinstance(inner, (ir.PayloadType, ir.ReferenceType)):
            self._refused(use)
            return None
        return type_

    def _refused(self, use: ast.TypeUse) -> None:
        self.context.error(
            "HSM0206", use.span, "a world keeps numbers, bools, sets and arrays of them"
        )

    # --- lines

    def _line(self, name: str) -> WorldStatements:
        """What resolves one line, which has local names of its own."""
        line = WorldStatements(self.context, self.types, Body("world", name))
        line.functions = self.own_functions
        line.known = self.known_values
        line.functions_of_spec = self.functions
        if self.names_bound == len(self.names):
            line.scopes = [self.common_scope, {}]
            return line
        here = self.node.name.span
        for fact in FACTS[1:]:
            value = ir.WorldFact(type=BOOL, place=here.place(), name=fact)  # type: ignore[arg-type]
            line.scopes[0][fact] = (value, here)
        node = ir.WorldFact(type=NODE, place=here.place(), name="node")
        line.scopes[0]["node"] = (node, here)
        for declared, binding, what in self.names:
            line.bind(declared, binding, what)
        self.common_scope, self.names_bound = line.scopes[0], len(self.names)
        line.scopes.append({})
        return line

    def _node_number(
        self, line: WorldStatements, node: ast.Expression
    ) -> Optional[ir.Expression]:
        value = line.number(node)
        if value is not None and value.value is not None:
            if value.value >= max(len(self.nodes), 1):
                self.context.error(
                    "HSM0607", node.span, f"there is no node {value.value}"
                )
                return None
        return value
