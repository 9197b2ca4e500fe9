# SPDX-License-Identifier: MIT
"""Pictures of a protocol as Graphviz text: the statechart of a process, and which process raises what in which.

A statechart shows the hierarchy as it is written: a row of a composite state is drawn once, from the composite state,
though it stands for one transition per leaf below. A label `ack.1` at an edge out of WAIT_ACK therefore names the
transition `Send.WAIT_ACK.ack.1`. Rows without a target stand inside their state. The text is the same for the same
spec; only `svg` depends on the installed Graphviz.
"""

from __future__ import annotations

import re
import subprocess
import textwrap
from dataclasses import dataclass
from html import escape
from typing import Callable, Iterator, Optional, Sequence

from .. import ir, walk
from ..dump import statement_lines

Link = Callable[[ir.Place], str]

TARGET = re.compile(r"-> ?(local )?(history )?([\w.]+)$")
FONT = "Helvetica,Arial,sans-serif"
GUARD_WIDTH = 34  # characters of a line beside an edge
INSIDE_WIDTH = 58  # of a line inside a state
GUARD_LINES = 3
SMALLEST = 0.6  # of its size, a page may show a picture that is wider than the page; beyond that it scrolls

# Plain colours, so that a picture by itself is readable on white; pages restyle it by its classes.
EDGE = 'color="#44546a" fontcolor="#1d2733"'
STATE = 'color="#44546a" fillcolor="#f4f6f8" fontcolor="#1d2733"'


class NoGraphviz(Exception):
    """The program `dot` is missing or failed."""


def spec_link(place: ir.Place) -> str:
    """Of a picture that stands beside the spec."""
    return f"{place.file}#L{place.line}"


@dataclass(frozen=True)
class DrawnRow:
    """A row as written, with the numbers of the transitions it became."""

    row: ir.Row  # one of them
    state: str  # name of the state it is written in
    target: Optional[str]  # path of the state written behind the arrow
    label: str  # ack.0
    local: bool  # does not leave the state it is written in
    history: bool  # goes back to the child of its target that was active last
    ids: tuple[str, ...]


def drawn_rows(process: ir.Process) -> list[DrawnRow]:
    """In the order of the spec's events, each written row once."""
    found: dict[tuple[ir.Place, str, str], list[tuple[ir.Handler, ir.Row]]] = {}
    for handler in process.handlers:
        for row in handler.rows:
            if row.kind != "recall":
                key = (row.place, row.state, row.text)
                found.setdefault(key, []).append((handler, row))
    result = []
    for (_, state, _), flattened in found.items():
        handler, row = flattened[0]
        numbers = sorted({int(row.id.rpartition(".")[2]) for _, row in flattened})
        written = TARGET.search(row.text) if row.target is not None else None
        result.append(
            DrawnRow(
                row=row,
                state=state,
                target=state_named(process, written.group(3)) if written else None,
                label=f"{handler.event}.{','.join(map(str, numbers))}",
                local=written is not None and written.group(1) is not None,
                history=written is not None and written.group(2) is not None,
                ids=tuple(row.id for _, row in flattened),
            )
        )
    return result


def state_named(process: ir.Process, name: str) -> str:
    """The full path of a state a row names."""
    for state in process.states:
        if name in (state.path, state.name):
            return state.path
    return next(s.path for s in process.states if s.path.endswith("." + name))


def guard_of(text: str) -> str:
    """The guard of a row as written, "" when there is none.

    >>> guard_of("on ack(f) when settles_all(m, f) / settle(m, f) -> DONE")
    'settles_all(m, f)'
    >>> guard_of("on posted(p) else / open(m, p)"), guard_of("on turn / start(m) -> ACTIVE")
    ('else', '')
    """
    if (
        re.match(r"(before on|on|after) .*?\belse\b( [/-]|$)", text)
        and " when " not in text
    ):
        return "else"
    _, when, rest = text.partition(" when ")
    return actions_split(rest)[0] if when else ""


def actions_of(text: str) -> str:
    """The actions of a row as written.

    >>> actions_of("on ack(f) when settles_all(m, f) / settle(m, f); stop() -> DONE")
    'settle(m, f); stop()'
    """
    return actions_split(text)[1]


def actions_split(text: str) -> tuple[str, str]:
    """What stands before the slash that begins the actions, and the actions. A row has no other slash outside
    parentheses."""
    text = TARGET.sub("", text).rstrip()
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "/" and depth == 0:
            return text[:position].rstrip(), text[position + 1 :].strip()
    return text, ""


def statechart(process: ir.Process, link: Link = spec_link) -> str:
    """Graphviz text of one process."""
    return "\n".join(_Statechart(process, link).lines()) + "\n"


class _Statechart:
    def __init__(self, process: ir.Process, link: Link) -> None:
        self.process = process
        self.link = link
        self.rows = drawn_rows(process)
        self.by_name = {state.name: state for state in process.states}
        self.by_path = {state.path: state for state in process.states}
        self.numbers = {s.path: n for n, s in enumerate(process.states)}

    def lines(self) -> Iterator[str]:
        yield f"digraph {quoted(self.process.name)} {{"
        yield "  compound=true nodesep=0.35 ranksep=0.45 pad=0.1"
        yield f'  node [shape=box style="rounded,filled" margin="0.08,0.05" fontname="{FONT}" fontsize=11 {STATE}]'
        yield f'  edge [fontname="{FONT}" fontsize=10 arrowsize=0.7 {EDGE}]'
        yield f'  graph [fontname="{FONT}" fontsize=11]'
        yield from self._level(None, "  ")
        for row in self.rows:
            if row.target is not None:
                yield from self._edge(row, row.target)
        yield "}"

    # --- states

    def _children(self, parent: Optional[str]) -> list[ir.State]:
        """`parent` is a path."""
        return [
            state
            for state in self.process.states
            if (state.path.rpartition(".")[0] or None) == parent
        ]

    def _level(self, parent: Optional[str], indent: str) -> Iterator[str]:
        """The states within one state, and where it begins."""
        first = next((s for s in self._children(parent) if s.initial), None)
        hidden = "" if first is not None else " style=invis"
        yield f'{indent}{self._start(parent)} [shape=point width=0.11 fillcolor="#44546a" class=start{hidden}]'
        for state in self._children(parent):
            if not state.children:
                yield f"{indent}{self._node(state)} [{self._box(state)}]"
                continue
            yield f"{indent}subgraph cluster_{self.numbers[state.path]} {{"
            inner = indent + "  "
            yield f"{inner}label=<<B>{escape(state.name)}</B>> labeljust=l"
            yield f'{inner}style="rounded,filled" color="#44546a" fillcolor="#ffffff" class=composite'
            yield f"{inner}href={quoted(self.link(state.place))} tooltip={quoted(state.path)}"
            if self._inside(state):
                yield f"{inner}{self._notes(state)} [{self._box(state, notes=True)}]"
            if any(row.history and row.target == state.path for row in self.rows):
                yield f'{inner}{self._history(state)} [shape=circle label="H" margin=0 width=0.25 class=history]'
            yield from self._level(state.path, inner)
            yield f"{indent}}}"
        if first is None:  # the point is for edges to and from the state around
            return
        head = self._start(first.path) if first.children else self._node(first)
        border = f" lhead=cluster_{self.numbers[first.path]}" if first.children else ""
        yield f"{indent}{self._start(parent)} -> {head} [class=start{border}]"

    def _start(self, parent: Optional[str]) -> str:
        return "start" if parent is None else f"start_{self.numbers[parent]}"

    def _node(self, state: ir.State) -> str:
        return f"state_{self.numbers[state.path]}"

    def _notes(self, state: ir.State) -> str:
        return f"notes_{self.numbers[state.path]}"

    def _history(self, state: ir.State) -> str:
        return f"history_{self.numbers[state.path]}"

    def _box(self, state: ir.State, notes: bool = False) -> str:
        """`notes`: what a composite state does itself, as a box without a name."""
        cells = [] if notes else [_heading(state.name)]
        inside = self._inside(state)
        if inside and not notes:
            cells.append("<HR/>")
        cells += inside
        attributes = [
            f"label={_table(cells)}",
            f"href={quoted(self.link(state.place))}",
            f"tooltip={quoted(state.path)}",
            f"class={quoted('notes' if notes else 'final' if state.final else 'state')}",
        ]
        if state.final:
            attributes.append("peripheries=2")
        if notes:
            attributes.append('style="filled" color="#ffffff" fillcolor="#ffffff"')
        return " ".join(attributes)

    def _inside(self, state: ir.State) -> list[str]:
        cells = []
        for kind, statements in (("entry", state.entry), ("exit", state.exit)):
            if statements:
                names = "; ".join(self._called(s) for s in statements)
                place = statements[0].place
                cells.append(
                    self._cell(f"<I>{kind}</I>", names, place, f"{kind} / {names}")
                )
        for row in self.rows:
            if row.target is None and row.state == state.name:
                guard = guard_of(row.row.text)
                guard = f"[{guard}] " if guard else ""
                text = f"{guard}/ {actions_of(row.row.text)}"
                if row.row.kind == "defer":
                    text = "waits"
                name = f"<B>{escape(row.label)}</B>"
                cells.append(self._cell(name, text, row.row.place, "\n".join(row.ids)))
        return cells

    def _cell(self, name: str, text: str, place: ir.Place, title: str) -> str:
        # A bare line break in an attribute would be read as a blank.
        tooltip = escape(title).replace("\n", "&#10;")
        attributes = f'HREF="{escape(self.link(place))}" TITLE="{tooltip}"'
        return _pair(
            name, textwrap.wrap(text, INSIDE_WIDTH, break_long_words=False), attributes
        )

    def _called(self, statement: ir.Statement) -> str:
        """With the fields of the instance's record as the spec writes them."""
        lines = statement_lines([statement], "")
        text = " ".join(line.strip().removeprefix("device ") for line in lines)
        process = self.process
        return text.replace(
            f"{process.pool}[{process.instance}]", str(process.instance)
        )

    # --- edges

    def _edge(self, row: DrawnRow, target: str) -> Iterator[str]:
        source = self.by_name[row.state]
        guard = guard_of(row.row.text)
        if row.row.text.startswith("after "):
            guard = _duration(row.row.text) + (f" [{guard}]" if guard else "")
        elif guard:
            guard = f"[{guard}]"
        text = "".join(
            f"<BR/>{escape(line)}"
            for line in shortened(guard, GUARD_WIDTH, GUARD_LINES)
        )
        if row.local:
            text = f"<BR/><I>local</I>{text}"
        label = _table(
            [f'<TR><TD CELLPADDING="4"><B>{escape(row.label)}</B>{text}</TD></TR>']
        )
        place = self.link(row.row.place)
        title = "\n".join((*row.ids, row.row.text))
        attributes = [
            f"label={label}",
            f"href={quoted(place)}",
            f"tooltip={quoted(title)}",
            f"labeltooltip={quoted(title)}",
            "class=transition",
            *(["style=dashed"] if row.local else []),
        ]
        tail, head, ends = self._ends(source, self.by_path[target], row.history)
        yield f"  {tail} -> {head} [{' '.join((*ends, *attributes))}]"

    def _ends(
        self, source: ir.State, target: ir.State, history: bool
    ) -> tuple[str, str, tuple[str, ...]]:
        """Both ends of an edge and the attributes they need.

        An edge to a state that the spec declares earlier is given the other way round, with its arrow at the back:
        ranks then follow the order of the spec.
        """
        inside = f"{target.path}.".startswith(f"{source.path}.")
        tail, head = self._node(source), self._node(target)
        tail_border = head_border = ""
        if source.children:
            has_notes = bool(self._inside(source))
            tail = self._notes(source) if has_notes else self._start(source.path)
            if not inside:
                tail_border = f"cluster_{self.numbers[source.path]}"
        if history:
            head = self._history(target)
        elif target.children:
            head = self._start(target.path)
            if not f"{source.path}.".startswith(f"{target.path}."):
                head_border = f"cluster_{self.numbers[target.path]}"
        back = self.numbers[target.path] < self.numbers[source.path]
        if back:
            tail, head = head, tail
            tail_border, head_border = head_border, tail_border
        attributes = (
            "dir=back" if back else "",
            f"ltail={tail_border}" if tail_border else "",
            f"lhead={head_border}" if head_border else "",
        )
        return tail, head, tuple(filter(None, attributes))


def _heading(name: str) -> str:
    return f'<TR><TD COLSPAN="2"><B>{escape(name)}</B></TD></TR>'


def _pair(name: str, lines: Sequence[str], attributes: str = "") -> str:
    """A line of a box: what it is about, and its text."""
    text = "".join(f'{escape(line)}<BR ALIGN="LEFT"/>' for line in lines)
    return (
        f'<TR><TD ALIGN="LEFT" VALIGN="TOP" {attributes}>{name}</TD>'
        f'<TD ALIGN="LEFT" BALIGN="LEFT" {attributes}>{text}</TD></TR>'
    ).replace(" >", ">")


def _table(cells: Sequence[str]) -> str:
    return (
        '<<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">'
        f'{"".join(cells)}</TABLE>>'
    )


def _duration(text: str) -> str:
    """
    >>> _duration("after retransmit_timeout when busy -> RETRANSMIT")
    'after retransmit_timeout'
    """
    before, _ = actions_split(text)
    return before.partition(" when ")[0].removesuffix(" else")


def shortened(text: str, width: int, lines: int) -> list[str]:
    """In lines, with a mark where something is left out.

    >>> shortened("a or b or c or d", 6, 2)
    ['a or b', 'or c …']
    """
    wrapped = textwrap.wrap(text, width, break_long_words=False)
    if len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], f"{wrapped[lines - 1]} …"]
    return wrapped


# --- how the processes talk


def devices_of(protocol: ir.Protocol, process: ir.Process) -> list[str]:
    """Device operations a process may call, in order of declaration."""
    actions = {action.name: action for action in protocol.actions}
    parts: list[object] = [process.initial_actions]
    for handler in process.handlers:
        parts += walk.handler_parts(handler)
    called: set[str] = set()
    visited: set[str] = set()
    while parts:
        for node in walk.nodes(parts.pop()):
            if isinstance(node, ir.DeviceCall):
                called.add(node.device)
            elif isinstance(node, ir.ActionCall) and node.action not in visited:
                visited.add(node.action)
                parts.append(actions[node.action].body)
    return [device.name for device in protocol.devices if device.name in called]


def raises_of(process: ir.Process) -> list[tuple[str, str]]:
    """(process, event) its transitions may raise, each once."""
    return list(
        dict.fromkeys(
            pair for h in process.handlers for row in h.rows for pair in row.raises
        )
    )


def conversation(
    protocol: ir.Protocol, link: Optional[Callable[[ir.Process], str]] = None
) -> str:
    """Graphviz text: processes with the events they get from outside and the device operations they use, and the
    events they raise in each other."""
    return "\n".join(_conversation(protocol, link)) + "\n"


def _conversation(
    protocol: ir.Protocol, link: Optional[Callable[[ir.Process], str]]
) -> Iterator[str]:
    yield f"digraph {quoted(protocol.name)} {{"
    yield "  rankdir=LR nodesep=0.3 ranksep=0.7 pad=0.1"
    yield f'  node [shape=box style="rounded,filled" margin="0.08,0.05" fontname="{FONT}" fontsize=11 {STATE}]'
    yield f'  edge [fontname="{FONT}" fontsize=10 arrowsize=0.7 {EDGE}]'
    for process in protocol.processes:
        cells = [_heading(process.name)]
        outside = [event.name for event in process.events if event.external]
        listed = (("in", outside), ("out", devices_of(protocol, process)))
        if any(names for _, names in listed):
            cells.append("<HR/>")
        for title, names in listed:
            if names:
                lines = textwrap.wrap(", ".join(names), 36)
                cells.append(_pair(f"<I>{title}</I>", lines))
        address = spec_link(process.place) if link is None else link(process)
        yield (
            f"  process_{process.index} [label={_table(cells)} href={quoted(address)}"
            f" tooltip={quoted(process.name)} class=state]"
        )
    for process in protocol.processes:
        raised: dict[str, list[str]] = {}
        for name, event in raises_of(process):
            raised.setdefault(name, []).append(event)
        for name, events in raised.items():
            label = "<BR/>".join(map(escape, events))
            yield (
                f"  process_{process.index} -> process_{protocol.process(name).index}"
                f" [label=<{label}> class=transition]"
            )
    yield "}"


# --- rendering


def quoted(text: str) -> str:
    r"""A Graphviz string; Graphviz itself reads \n as a line break.

    >>> print(quoted('say "so"'))
    "say \"so\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def svg(dot: str) -> str:
    """The picture. Raises NoGraphviz."""
    try:
        result = subprocess.run(
            ["dot", "-Tsvg"],
            input=dot,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    except FileNotFoundError as error:
        raise NoGraphviz(
            "pictures need the program 'dot': install the package graphviz"
        ) from error
    except subprocess.CalledProcessError as error:
        raise NoGraphviz(f"dot failed: {error.stderr.strip()}") from error
    # The comments name the version of Graphviz.
    return re.sub(r"<!--.*?-->\s*", "", result.stdout, flags=re.DOTALL)


def inline_svg(text: str) -> str:
    """For a page: without prolog and white background, in CSS pixels so that 11 point text looks like text. The page makes
    it as wide as there is room, but its text does not become too small to read."""
    text = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.DOTALL)
    text = re.sub(
        r'<polygon fill="(white|#ffffff)" stroke="transparent"[^>]*/>', "", text, 1
    )
    text = text.replace("xlink:href=", "href=").replace("xlink:title=", "data-title=")
    text = re.sub(
        r'width="(\d+)pt" height="(\d+)pt"',
        lambda m: f'width="{_pixels(m[1])}" height="{_pixels(m[2])}" role="img" '
        f'style="min-width: {round(_pixels(m[1]) * SMALLEST)}px"',
        text,
        count=1,
    )
    return "\n".join(line for line in text.split("\n") if line.strip())


def with_state_ids(text: str, process: ir.Process, name: Callable[[str], str]) -> str:
    """An inline picture of the process in which each state has the id that `name` makes of its path, to be linked to."""
    return re.sub(
        r'<g id="\w+" class="([\w ]+)">\s*<title>(state|cluster)_(\d+)</title>',
        lambda m: f'<g id="{escape(name(process.states[int(m[3])].path))}" class="{m[1]}">'
        f"<title>{m[2]}_{m[3]}</title>",
        text,
    )


def _pixels(points: str) -> int:
    return round(int(points) * 1.18)
