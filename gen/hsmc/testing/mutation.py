# SPDX-License-Identifier: MIT
"""Specs broken on purpose: for each piece of a spec that says what is done, texts that say something else.

A mutant is the text of one file with a few characters changed, as a slip of the pen would change it. Its name tells the
operator, where the piece stands and what became of it, without line numbers: it outlives changes elsewhere.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

from ..frontend import ast
from ..source import SourceFile, Span

# In the order they are applied to one place.
OPERATORS = {
    "drop-row": "a row of several is left out",
    "drop-timer": "a state has no timer",
    "ignore-event": "the rows of an event become 'ignore'",
    "drop-entry": "a state has no entry actions",
    "drop-exit": "a state has no exit actions",
    "forbid-event": "an event that is ignored may 'never' come",
    "swap-rows": "two rows change places",
    "negate-guard": "a guard holds when it did not",
    "force-guard": "a guard holds always",
    "swap-target": "a row leads to another state",
    "drop-target": "a row leads nowhere",
    "drop-assignment": "an assignment is left out",
    "drop-call": "an action or device operation is left out",
    "drop-raise": "nothing is raised",
    "drop-release": "a record is not released",
    "drop-clear": "an element of a table is not cleared",
    "drop-count": "a counter does not count",
    "drop-if": "a condition is left out with all that hangs on it",
    "drop-repeat": "a loop is left out",
    "duplicate-call": "an action or device operation is done twice",
    "negate-condition": "an 'if' or 'while' holds when it did not",
    "comparison": "a comparison is another one",
    "connective": "'and' becomes 'or', and the other way round",
    "drop-operand": "of two conditions one is left",
    "arithmetic": "plus becomes minus, and so on",
    "swap-arms": "the arms of a conditional change places",
    "number": "a number is off by one",
    "constant": "a constant is off by one",
    "word": "true becomes false, and the other way round",
    "member": "a member of an enumeration is another one",
    "field": "a field is another one of the same type",
}

COMPARISONS = {
    "==": ("!=",),
    "!=": ("==",),
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
}
CONNECTIVES = {"and": "or", "or": "and"}
ARITHMETIC = {"+": "-", "-": "+", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
DROPPED: dict[type, str] = {
    ast.Assign: "drop-assignment",
    ast.CallStatement: "drop-call",
    ast.Raise: "drop-raise",
    ast.Release: "drop-release",
    ast.Clear: "drop-clear",
    ast.Count: "drop-count",
    ast.If: "drop-if",
    ast.Repeat: "drop-repeat",
    ast.For: "drop-repeat",
}

Body = Union[ast.Function, ast.Action]


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Mutant:
    operator: str
    owner: str  # action, function, constant, PROCESS.STATE or transition
    change: str  # in a few words
    file: SourceFile
    line: int
    edits: tuple[Edit, ...]
    process: str = ""  # whose states it is about
    # The rows outside which nothing is different, by line: what they do, not when they are taken.
    rows: tuple[int, ...] = ()
    number: int = 1  # among mutants that would have the same name

    @property
    def name(self) -> str:
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.operator} {self.owner}: {self.change}{again}"

    @property
    def place(self) -> str:
        return f"{self.file.name}:{self.line}"

    @property
    def text(self) -> str:
        """Of the whole file."""
        result = self.file.text
        for edit in sorted(self.edits, key=lambda e: e.start, reverse=True):
            result = result[: edit.start] + edit.text + result[edit.end :]
        return result

    def difference(self) -> str:
        """What a reviewer would see."""
        lines = difflib.unified_diff(
            self.file.text.splitlines(), self.text.splitlines(), lineterm="", n=0
        )
        return "\n".join(list(lines)[2:])


def mutants(spec: ast.Spec, operators: Sequence[str] = ()) -> list[Mutant]:
    """In order of the text. Not all compile."""
    found: list[Mutant] = []
    seen: dict[str, int] = {}
    texts: set[tuple[str, tuple[Edit, ...]]] = set()
    for mutant in Mutator(spec).everything():
        if operators and mutant.operator not in operators:
            continue
        key = (mutant.file.name, mutant.edits)
        if key in texts:
            continue
        texts.add(key)
        seen[mutant.name] = number = seen.get(mutant.name, 0) + 1
        found.append(dataclasses.replace(mutant, number=number))
    return found


class Mutator:
    def __init__(self, spec: ast.Spec) -> None:
        self.spec = spec
        self.members: dict[str, str] = {}  # of an enumeration, to the next one
        self.siblings: dict[str, list[str]] = {}  # of a field, in any record
        for declaration in spec.declarations:
            if isinstance(declaration, ast.Enumeration):
                names = [member.name.text for member in declaration.members]
                if len(names) > 1:
                    self.members.update(zip(names, [*names[1:], names[0]]))
            elif isinstance(declaration, (ast.Payload, ast.Pool, ast.Table)):
                self._find_siblings(declaration.fields)
        self.owner = ""
        self.process = ""
        self.rows: tuple[int, ...] = ()

    def _find_siblings(self, fields: Sequence[ast.Field]) -> None:
        by_type: dict[str, list[str]] = {}
        for field in fields:
            by_type.setdefault(field.type.span.squeezed, []).append(field.name.text)
        for names in by_type.values():
            for name, following in zip(names, [*names[1:], names[0]]):
                known = self.siblings.setdefault(name, [])
                if following != name and following not in known:
                    known.append(following)

    def _mutant(
        self, operator: str, span: Span, change: str, *edits: Edit, rows: bool = True
    ) -> Mutant:
        return Mutant(
            operator,
            self.owner,
            change,
            span.file,
            span.line,
            edits,
            self.process,
            self.rows if rows else (),
        )

    def _replace(
        self, operator: str, span: Span, text: str, start: int = -1, end: int = -1
    ) -> Mutant:
        """`span` is what the change tells of; `start` and `end` what is replaced, the same unless given."""
        start = span.start if start < 0 else start
        end = trimmed_end(span) if end < 0 else end
        old = Span(span.file, start, end).squeezed
        if old == text:
            return self._mutant(operator, span, old)
        description = context_of(span, start, end, text)
        return self._mutant(operator, span, description, Edit(start, end, text))

    # --- declarations

    def everything(self) -> Iterator[Mutant]:
        for declaration in self.spec.declarations:
            self.process = ""
            self.rows = ()
            if isinstance(declaration, ast.Constant):
                self.owner = declaration.name.text
                yield from self._constant(declaration)
            elif isinstance(declaration, (ast.Function, ast.Action)):
                self.owner = declaration.name.text
                yield from self._statements(declaration.body)
            elif isinstance(declaration, ast.Process):
                self.process = declaration.name.text
                for event in declaration.events:
                    self.owner = f"{declaration.name.text}.{event.name.text}"
                    if event.select is not None:
                        yield from self._expression(event.select)
                for state in declaration.states:
                    yield from self._state(state, declaration)

    def _constant(self, constant: ast.Constant) -> Iterator[Mutant]:
        if isinstance(constant.value, ast.Number):
            for mutant in self._number(constant.value):
                yield dataclasses.replace(mutant, operator="constant")

    # --- states

    def _state(self, state: ast.State, process: ast.Process) -> Iterator[Mutant]:
        here = f"{process.name.text}.{state.name.text}"
        file = state.span.file
        for word, statements in (("entry", state.entry), ("exit", state.exit)):
            self.owner = f"{here}.{word}"
            self.rows = ()
            if statements:
                lines = whole_lines(extent(statements[0]).to(extent(statements[-1])))
                squeezed = Span(file, lines.start, lines.end).squeezed
                yield self._mutant(f"drop-{word}", lines, squeezed, cut(lines))
                yield from self._statements(statements)
        numbers: dict[str, int] = {}
        for rows in state.rows:
            event = rows.event.text if rows.event is not None else "after"
            self.owner = f"{here}.{event}"
            yield from self._rows(rows, process, state, numbers.get(event, 0))
            numbers[event] = numbers.get(event, 0) + len(rows.choices)
        for verdict in state.verdicts:
            self.owner = here
            self.rows = ()
            if verdict.kind == "ignore":
                yield from self._verdict(verdict)
        for inner in state.states:
            yield from self._state(inner, process)

    def _verdict(self, verdict: ast.Verdict) -> Iterator[Mutant]:
        for name in verdict.events:
            rest = [other.text for other in verdict.events if other is not name]
            text = f"never {name.text}"
            if rest:
                start = verdict.span.start
                column = verdict.span.column - 1
                text = f"ignore {', '.join(rest)}\n{' ' * column}{text}"
                edit = Edit(start, trimmed_end(verdict.span), text)
            else:
                edit = Edit(verdict.span.start, trimmed_end(verdict.span), text)
            yield self._mutant("forbid-event", name.span, f"ignore {name.text}", edit)

    def _rows(
        self, rows: ast.Rows, process: ast.Process, state: ast.State, number: int
    ) -> Iterator[Mutant]:
        """`number` of the first row, as transition ids count them."""
        choices = rows.choices
        first = whole_lines(rows.span if rows.is_block else choices[0].span)
        everything = first.to(whole_lines(choices[-1].span))
        several = self._rows_of(rows, state) > 1
        self.rows = ()
        if rows.event is None:
            yield self._mutant(
                "drop-timer", everything, first.squeezed, cut(everything)
            )
        elif not several:
            indent = " " * (len(first.text) - len(first.text.lstrip()))
            text = f"{indent}ignore {rows.event.text}\n"
            edit = Edit(everything.start, everything.end, text)
            yield self._mutant(
                "ignore-event", everything, f"ignore {rows.event.text}", edit
            )
        for let in rows.lets:
            if not isinstance(let.value, ast.Create):
                yield from self._expression(let.value)
        handler = self.owner
        for position, choice in enumerate(choices):
            self.rows = ()
            self.owner = f"{handler}.{number + position}"
            if several and (len(choices) > 1 or rows.event is not None):
                lines = whole_lines(choice.span)
                if len(choices) == 1 and rows.is_block:
                    lines = everything
                yield self._mutant(
                    "drop-row", choice.span, choice.span.squeezed, cut(lines)
                )
            following = choices[position + 1] if position + 1 < len(choices) else None
            if following is not None and not following.is_else:
                yield self._swap(choice, following)
            if choice.guard is not None:
                yield from self._guard(choice, choices[position + 1 :])
                yield from self._expression(choice.guard)
            self.rows = (choice.span.line,)
            yield from self._target(choice, process)
            yield from self._statements(choice.actions, choice)

    def _rows_of(self, rows: ast.Rows, state: ast.State) -> int:
        """How many rows the state has for the event."""
        event = rows.event.text if rows.event is not None else None
        return sum(
            len(other.choices)
            for other in state.rows
            if (other.event.text if other.event is not None else None) == event
        )

    def _swap(self, one: ast.Choice, other: ast.Choice) -> Mutant:
        first, second = whole_lines(one.span), whole_lines(other.span)
        change = f"{one.span.squeezed} <-> {other.span.squeezed}"
        return self._mutant(
            "swap-rows",
            one.span,
            change,
            Edit(first.start, first.end, second.text),
            Edit(second.start, second.end, first.text),
        )

    def _guard(
        self, choice: ast.Choice, following: Sequence[ast.Choice]
    ) -> Iterator[Mutant]:
        guard = choice.guard
        assert guard is not None
        start, end = guard_of(choice)
        text = Span(choice.span.file, start + len("when"), end).squeezed
        negated = Edit(start, end, f"when not ({text}) ")
        yield self._mutant("negate-guard", guard.span, text, negated)
        own = choice.span.file.clean[choice.span.start : start].strip()
        forced = [Edit(start, end, " " if own else "else ")]
        if following:
            forced.append(
                cut(whole_lines(following[0].span).to(whole_lines(following[-1].span)))
            )
        yield self._mutant("force-guard", guard.span, text, *forced)

    def _target(self, choice: ast.Choice, process: ast.Process) -> Iterator[Mutant]:
        if not choice.target:
            return
        span = choice.target[0].span.to(choice.target[-1].span)
        arrow = span.file.clean.rfind("->", 0, span.start)
        states = list(state_names(process.states))
        path = ".".join(name.text for name in choice.target)
        now = choice.target[-1].text
        for other in states:
            if other != now:
                edit = Edit(arrow, span.end, f"-> {other}")
                yield self._mutant("swap-target", span, f"{path} => {other}", edit)
        yield self._mutant("drop-target", span, path, Edit(arrow, span.end, ""))

    # --- statements

    def _statements(
        self, statements: Sequence[ast.Statement], row: Optional[ast.Choice] = None
    ) -> Iterator[Mutant]:
        for position, statement in enumerate(statements):
            operator = DROPPED.get(type(statement))
            if operator is not None:
                span = extent(statement)
                change = span.file.clean[span.start : trimmed_end(span)]
                edit = removal(statements, position)
                yield self._mutant(operator, span, " ".join(change.split()), edit)
            yield from self._statement(statement)

    def _statement(self, statement: ast.Statement) -> Iterator[Mutant]:
        if isinstance(statement, ast.Let):
            if not isinstance(statement.value, ast.Create):
                yield from self._expression(statement.value)
        elif isinstance(statement, ast.Assign):
            yield from self._expression(statement.target)
            yield from self._expression(statement.value)
        elif isinstance(statement, ast.CallStatement):
            yield self._twice(statement)
            yield from self._expression(statement.call)
        elif isinstance(statement, ast.Raise):
            yield from self._expression(statement.call)
        elif isinstance(statement, (ast.Release, ast.Clear)):
            target = (
                statement.reference
                if isinstance(statement, ast.Release)
                else statement.record
            )
            yield from self._expression(target)
        elif isinstance(statement, ast.Return):
            if statement.value is not None:
                yield from self._expression(statement.value)
        elif isinstance(statement, ast.If):
            yield self._condition(statement.condition)
            yield from self._expression(statement.condition)
            yield from self._statements(statement.then)
            yield from self._statements(statement.otherwise)
        elif isinstance(statement, ast.Repeat):
            if statement.condition is not None:
                yield self._condition(statement.condition)
                yield from self._expression(statement.condition)
            yield from self._expression(statement.count)
            yield from self._statements(statement.body)
        elif isinstance(statement, ast.For):
            # With other ends it would be another loop; without them, none.
            yield from self._statements(statement.body)

    def _twice(self, statement: ast.CallStatement) -> Mutant:
        span = statement.span
        end = trimmed_end(span)
        text = " ".join(span.file.clean[span.start : end].split())
        lines = whole_lines(span)
        if span.file.clean[lines.start : lines.end].split() == text.split():
            edit = Edit(lines.end, lines.end, lines.text)
        else:
            edit = Edit(end, end, f"; {text}")
        return self._mutant("duplicate-call", span, text, edit)

    def _condition(self, condition: ast.Expression) -> Mutant:
        span = condition.span
        text = span.squeezed
        edit = Edit(span.start, trimmed_end(span), f"not ({text})")
        return self._mutant("negate-condition", span, text, edit)

    # --- expressions

    def _expression(self, node: ast.Expression) -> Iterator[Mutant]:
        if isinstance(node, ast.Number):
            yield from self._number(node)
        elif isinstance(node, ast.Word):
            other = {"true": "false", "false": "true"}.get(node.text)
            if other is not None:
                yield self._replace("word", node.span, other)
        elif isinstance(node, ast.NameUse):
            if node.name in self.members:
                yield self._replace("member", node.span, self.members[node.name])
        elif isinstance(node, ast.Unary):
            yield from self._expression(node.operand)
        elif isinstance(node, ast.Binary):
            yield from self._binary(node)
        elif isinstance(node, ast.Conditional):
            yield from self._arms(node)
            for part in (node.then, node.condition, node.otherwise):
                yield from self._expression(part)
        elif isinstance(node, ast.Member):
            for sibling in self.siblings.get(node.name.text, ()):
                yield self._replace(
                    "field",
                    node.span,
                    sibling,
                    node.name.span.start,
                    node.name.span.end,
                )
            yield from self._expression(node.base)
        elif isinstance(node, ast.Index):
            yield from self._expression(node.base)
            yield from self._expression(node.index)
        elif isinstance(node, ast.Find):
            yield self._condition(node.condition)
            yield from self._expression(node.condition)
        elif isinstance(node, ast.Call):
            if not isinstance(node.callee, ast.NameUse):
                yield from self._expression(node.callee)
            for argument in node.arguments:
                yield from self._expression(argument.value)

    def _number(self, node: ast.Number) -> Iterator[Mutant]:
        yield self._replace("number", node.span, str(node.value + 1))
        if node.value > 0:
            yield self._replace("number", node.span, str(node.value - 1))

    def _binary(self, node: ast.Binary) -> Iterator[Mutant]:
        span = node.span
        at = operator_of(node)
        end = at + len(node.operator)
        clean = span.file.clean
        for other in COMPARISONS.get(node.operator, ()):
            yield self._replace("comparison", span, other, at, end)
        if node.operator in CONNECTIVES:
            other = CONNECTIVES[node.operator]
            yield self._replace("connective", span, other, at, end)
            for start, stop in ((span.start, at), (end, trimmed_end(span))):
                replacement = " ".join(clean[start:stop].split())
                text = f"{span.squeezed} => {replacement}"
                edit = Edit(span.start, trimmed_end(span), replacement)
                yield self._mutant("drop-operand", span, text, edit)
        if node.operator in ARITHMETIC:
            other = ARITHMETIC[node.operator]
            yield self._replace("arithmetic", span, other, at, end)
        yield from self._expression(node.left)
        yield from self._expression(node.right)

    def _arms(self, node: ast.Conditional) -> Iterator[Mutant]:
        clean = node.span.file.clean
        middle = clean.rfind(" if ", node.then.span.end - 1, node.condition.span.start)
        last = clean.find("else", node.condition.span.end)
        if middle < 0 or last < 0:
            return
        then = " ".join(clean[node.span.start : middle].split())
        otherwise = " ".join(clean[last + 4 : trimmed_end(node.span)].split())
        between = " ".join(clean[middle:last].split())
        edit = Edit(
            node.span.start,
            trimmed_end(node.span),
            f"{otherwise} {between} else {then}",
        )
        yield self._mutant("swap-arms", node.span, node.span.squeezed, edit)


# --- text


def trimmed_end(span: Span) -> int:
    text = span.file.clean[span.start : span.end]
    return span.start + len(text.rstrip())


def whole_lines(span: Span) -> Span:
    """From the beginning of the first line to that of the line after the last."""
    text = span.file.text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", max(span.start, trimmed_end(span)))
    return Span(span.file, start, len(text) if end < 0 else end + 1)


def cut(span: Span) -> Edit:
    return Edit(span.start, span.end, "")


def extent(statement: ast.Statement) -> Span:
    """With what hangs on it: the span of an 'if' is that of its condition."""
    span = statement.span
    if isinstance(statement, (ast.If, ast.Repeat, ast.For)):
        words = {ast.If: "if", ast.Repeat: "repeat", ast.For: "for"}
        word = words[type(statement)]
        start = span.file.clean.rfind(word, 0, span.start)
        line = span.file.line_starts[span.file.line_of(start) - 1]
        if span.file.clean[line:start].strip() == "else":
            start = span.file.clean.rfind("else", line, start)
        span = Span(span.file, start, span.end)
        inner = (
            (*statement.then, *statement.otherwise)
            if isinstance(statement, ast.If)
            else statement.body
        )
        for each in inner:
            span = span.to(extent(each))
    return span


def removal(statements: Sequence[ast.Statement], position: int) -> Edit:
    """Leaves a statement out, with the separator: a line of its own, or between ';' and ';'."""
    span = extent(statements[position])
    end = trimmed_end(span)
    clean = span.file.clean
    lines = whole_lines(span)
    if clean[lines.start : lines.end].split() == clean[span.start : end].split():
        return cut(lines)
    if position + 1 < len(statements):
        return Edit(span.start, extent(statements[position + 1]).start, "")
    if position > 0:
        return Edit(trimmed_end(extent(statements[position - 1])), end, "")
    slash = clean.rfind("/", 0, span.start)
    own = clean[lines.start : slash].split()
    if own in (["entry"], ["exit"]):
        return cut(lines)
    return Edit(slash, end, "")


def guard_of(choice: ast.Choice) -> tuple[int, int]:
    """From `when` to what follows the guard."""
    assert choice.guard is not None
    clean = choice.span.file.clean
    start = clean.rfind("when", 0, choice.guard.span.start)
    if choice.actions:
        end = clean.rfind("/", 0, choice.actions[0].span.start)
    elif choice.target:
        end = clean.rfind("->", 0, choice.target[0].span.start)
    else:
        end = trimmed_end(choice.span)
    return start, end


def operator_of(node: ast.Binary) -> int:
    """Where the operator stands; brackets may stand around it."""
    clean = node.span.file.clean
    if node.operator.isalpha():
        pattern = re.compile(rf"\b{node.operator}\b")
    else:
        pattern = re.compile(re.escape(node.operator))
    # What is in brackets has the span of what they hold.
    found = pattern.search(clean, trimmed_end(node.left.span), node.right.span.start)
    assert found is not None, node.span.squeezed
    return found.start()


def context_of(span: Span, start: int, end: int, text: str) -> str:
    """`f.bit == bit => f.bit != bit`"""
    clean = span.file.clean
    last = max(trimmed_end(span), end)
    after = clean[span.start : start] + text + clean[end:last]
    before = clean[span.start : last]
    return f"{' '.join(before.split())} => {' '.join(after.split())}"


def state_names(states: Sequence[ast.State]) -> Iterator[str]:
    for state in states:
        yield state.name.text
        yield from state_names(state.states)
