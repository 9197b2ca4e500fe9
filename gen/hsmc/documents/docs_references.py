# SPDX-License-Identifier: MIT
"""Where each name of a spec is documented, where it is used, and the spec's text with both as links.

The uses come from the places in the intermediate form, so a name is linked to what the compiler resolved it to, not to
whatever looks alike. Only names the form keeps no place of (types of fields and arguments, targets, the events of
`ignore`) are found by how their line reads.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from html import escape
from typing import Iterator, Mapping, Optional, Sequence, Union

from .. import ir, walk
from ..frontend.ast import BEFORE_TARGETS

# Which page a kind of name is described on. Kinds that belong to a process have the process' own page.
PAGES = {
    "layout": "formats.html",
    "layout_field": "formats.html",
    "payload": "formats.html",
    "payload_field": "formats.html",
    "enumeration": "formats.html",
    "member": "formats.html",
    "pool": "data.html",
    "table": "data.html",
    "record_field": "data.html",
    "parameter": "data.html",
    "constant": "data.html",
    "counter": "data.html",
    "device": "interface.html",
    "function": "actions.html",
    "action": "actions.html",
    "property": "checks.html",
    "placement": "checks.html",
    "check": "checks.html",
}
OF_PROCESS = ("state", "event", "variable", "timer", "transition")

KEYWORDS = frozenset(
    "action after and at before bits by bytes check clear cold constant count counter create created creates defer device else "
    "entry enumeration ethernet event exit external false final find fixed for from function history if ignore in include initial keeps "
    "layout let live liveness local locked never none not of on once or parameter payload placement pool process property "
    "protocol raise range rare release repeat return safety select set shared shown state table true unit variable when where while "
    "world written".split()
)
TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>\"[^\"\n]*\")|(?P<number>\b0[xX][0-9A-Fa-f_]+|\b[0-9][0-9_]*\b)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
)
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def anchor(kind: str, *names: str) -> str:
    """The id of the element that describes a name.

    >>> anchor("state", "Send", "ACTIVE.PHY"), anchor("transition", "Send", "Send.PHY.ack.0")
    ('state-ACTIVE.PHY', 'transition-Send.PHY.ack.0')
    """
    own = names[1:] if kind in OF_PROCESS else names
    return f"{kind}-{'.'.join(own)}"


def address(kind: str, *names: str) -> str:
    """Relative to the protocol's directory.

    >>> address("process", "Send"), address("pool", "SendMessage")
    ('machine-Send.html', 'data.html#pool-SendMessage')
    """
    if kind == "process":
        return f"machine-{names[0]}.html"
    page = f"machine-{names[0]}.html" if kind in OF_PROCESS else PAGES[kind]
    return f"{page}#{anchor(kind, *names)}"


def source_page(file: str) -> str:
    """
    >>> source_page("send.hsm"), source_page("../shared/wire.hsm")
    ('source-send.hsm.html', 'source-shared-wire.hsm.html')
    """
    return f"source-{re.sub(r'[^A-Za-z0-9._]+', '-', file.replace('../', ''))}.html"


def source_address(place: ir.Place) -> str:
    return f"{source_page(place.file)}#L{place.line}"


class SourceText:
    """The text of one spec file."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.links: dict[int, str] = {}  # offset of a name -> address

    @property
    def lines(self) -> int:
        return self.text.rstrip("\n").count("\n") + 1

    def offset(self, place: ir.Place) -> int:
        return self.starts[place.line - 1] + place.column - 1

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def line(self, number: int) -> str:
        start = self.starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]

    def html(self, start: int, end: int) -> str:
        """A piece of the text with its names linked and its parts marked."""
        parts = []
        position = start
        for token in TOKEN.finditer(self.text, start, end):
            parts.append(escape(self.text[position : token.start()]))
            parts.append(self._token_html(token))
            position = token.end()
        parts.append(escape(self.text[position:end]))
        return "".join(parts)

    def _token_html(self, token: re.Match[str]) -> str:
        text = escape(token.group())
        link = self.links.get(token.start())
        if link is not None:
            return f'<a href="{escape(link)}">{text}</a>'
        kind = str(token.lastgroup)
        if kind == "word":
            before = self.text[: token.start()].rstrip(" ")[-1:]
            after = self.text[token.end() : token.end() + 1]
            if token.group() not in KEYWORDS or before == "." or after == ":":
                return text
            kind = "keyword"
        return f'<span class="{kind}">{text}</span>'


Declared = Union[ir.Declaration, ir.Timer]


@dataclass(frozen=True)
class Name:
    """Something that can be looked up."""

    name: str
    kind: str
    address: str
    doc: str


class References:
    """Links both ways between the names of a protocol and the text of its spec."""

    def __init__(self, protocol: ir.Protocol, texts: Mapping[str, str]) -> None:
        self.protocol = protocol
        self.sources = {name: SourceText(name, texts[name]) for name in protocol.files}
        self.names: list[Name] = []
        self.uses: dict[str, dict[ir.Place, None]] = {}
        self._declare()
        for node in self._nodes():
            self._use(node)
        for source in self.sources.values():
            self._read(source)

    # --- what templates ask for

    def text(self, place: ir.Place) -> str:
        """As written, on one line, without comments."""
        source = self.sources[place.file]
        start = source.offset(place)
        text = source.text[start : start + place.length]
        return " ".join(re.sub(r"#[^\n]*", "", text).split())

    def html(self, place: ir.Place) -> str:
        source = self.sources[place.file]
        start = source.offset(place)
        return source.html(start, start + place.length)

    def block(self, place: ir.Place, lines: int) -> str:
        """Whole lines of the spec from that of a place on."""
        source = self.sources[place.file]
        last = min(place.line + lines - 1, source.lines)
        start = source.starts[place.line - 1]
        return source.html(start, source.starts[last - 1] + len(source.line(last)))

    def remark(self, declaration: Declared) -> str:
        """What the spec says of a name: its text in quotes, or else the comment on its line."""
        documented = (ir.Declaration, ir.World, ir.Bound)
        if isinstance(declaration, documented) and declaration.doc:
            return declaration.doc
        line = self.sources[declaration.place.file].line(declaration.place.line)
        comment = re.sub(r'"[^"]*"', "", line).partition("#")[2]
        return comment.strip()

    def used(self, kind: str, *names: str) -> list[ir.Place]:
        """One place a line, in the order of the files."""
        order = {name: index for index, name in enumerate(self.protocol.files)}
        lines: dict[tuple[int, int], ir.Place] = {}
        for place in self.uses.get(address(kind, *names), {}):
            lines.setdefault((order[place.file], place.line), place)
        return [lines[key] for key in sorted(lines)]

    # --- declarations

    def _declare(self) -> None:
        p = self.protocol
        for process in p.processes:
            self._name(process, "process", process.name)
            for state in process.states:
                self._name(state, "state", process.name, state.path)
            for event in process.events:
                self._name(event, "event", process.name, event.name)
            for variable in process.variables:
                self._name(variable, "variable", process.name, variable.name)
            for timer in process.timers:
                link = address("timer", process.name, timer.name)
                self.names.append(Name(timer.name, "timer", link, ""))
            for handler in process.handlers:
                for row in handler.rows:
                    link = address("transition", process.name, row.id)
                    self.names.append(Name(row.id, "transition", link, row.text))
        for layout in p.layouts:
            self._name(layout, "layout", layout.name)
            for bits in layout.fields:
                self._name(bits, "layout_field", layout.name, bits.name)
            for area in layout.areas:
                self._name(area, "layout_field", layout.name, area.name)
            if layout.data:
                data = layout.data
                self._name(data, "layout_field", layout.name, data.name)
        for payload in p.payloads:
            self._name(payload, "payload", payload.name)
            for field in payload.fields:
                self._name(field, "payload_field", payload.name, field.name)
        for enumeration in p.enumerations:
            self._name(enumeration, "enumeration", enumeration.name)
            for member in enumeration.members:
                self._name(member, "member", enumeration.name, member.name)
        records: Sequence[Union[ir.Pool, ir.Table]] = (*p.pools, *p.tables)
        for record in records:
            kind = "pool" if isinstance(record, ir.Pool) else "table"
            self._name(record, kind, record.name)
            for field in record.fields:
                self._name(field, "record_field", record.name, field.name)
        plain: Sequence[tuple[str, Sequence[ir.Declaration]]] = (
            ("parameter", p.parameters),
            ("constant", p.constants),
            ("counter", p.counters),
            ("device", p.devices),
            ("function", [f for f in p.functions if not f.hidden]),
            ("action", p.actions),
            ("property", p.properties),
            ("placement", p.placements),
            ("check", p.checks),
        )
        for kind, declarations in plain:
            for declaration in declarations:
                self._name(declaration, kind, declaration.name)

    def _name(self, declaration: ir.Declaration, kind: str, *names: str) -> None:
        link = address(kind, *names)
        source = self.sources[declaration.place.file]
        source.links[source.offset(declaration.place)] = link
        shown = (
            ".".join(names)
            if kind in ("layout_field", "payload_field", "record_field")
            or kind in OF_PROCESS
            else names[-1]
        )
        remark = self.remark(declaration)
        self.names.append(Name(shown, kind.replace("_", " "), link, remark))

    # --- uses the intermediate form knows of

    def _nodes(self) -> Iterator[object]:
        """Every expression and statement of the protocol."""
        p = self.protocol
        for constant in p.constants:
            yield from _below(constant.expression)
        for parameter in p.parameters:
            yield from _sizes(parameter.default, parameter.range)
        for layout in p.layouts:
            conditions = [layout.when, *(bits.when for bits in layout.fields)]
            conditions.append(layout.data.when if layout.data else None)
            yield from _sizes(layout.at)
            for bits in layout.fields:
                yield from _sizes(bits.fixed)
            for area in layout.areas:
                yield from _sizes(area.count, area.fixed)
            for condition in conditions:
                yield from _sizes(*(condition.values if condition else ()))
        for payload in p.payloads:
            yield from _field_nodes(payload.fields)
            yield from _sizes(*(payload.when.values if payload.when else ()))
        for pool in p.pools:
            yield from _sizes(pool.count)
            yield from _field_nodes(pool.fields)
        for table in p.tables:
            if table.pool is None:
                yield from _sizes(table.count)
            yield from _field_nodes(table.fields)
        for device in p.devices:
            yield from _sizes(*(a.range for a in device.arguments))
        bodies: list[Union[ir.Function, ir.Action]] = [*p.functions, *p.actions]
        for body in bodies:
            yield from _sizes(*(a.range for a in body.arguments))
            yield from _below(body.body)
        for process in p.processes:
            yield from _field_nodes(process.variables)
            for event in process.events:
                yield from _sizes(*(a.range for a in event.arguments))
                yield from _below(event.select)
            for state in process.states:
                yield from _below((state.entry, state.exit))
            for timer in process.timers:
                yield from _below(timer.duration)
            for handler in process.handlers:
                for group in handler.groups:
                    yield from _below(group.lets)
                    for row in group.rows:
                        yield from _below((row.guard, row.actions))

    def _use(self, node: object) -> None:
        if isinstance(node, ir.ConstantName):
            self._link(node.place, node.name, "constant", node.name)
        elif isinstance(node, ir.ParameterName):
            self._link(node.place, node.name, "parameter", node.name)
        elif isinstance(node, ir.MemberName):
            self._link(node.place, node.name, "member", node.enumeration, node.name)
        elif isinstance(node, ir.VariableName):
            self._link(node.place, node.name, "variable", node.process, node.name)
        elif isinstance(node, ir.RecordField):
            kind = node.container_kind
            self._link(node.place, node.container, kind, node.container)
            names = (node.container, node.field)
            self._link(node.place, node.field, "record_field", *names, at_end=True)
        elif isinstance(node, ir.PayloadField):
            names = (node.payload, node.field)
            self._link(node.place, node.field, "payload_field", *names, at_end=True)
        elif isinstance(node, ir.Call):
            self._link(node.place, node.function, "function", node.function)
        elif isinstance(node, (ir.Available, ir.InUse)):
            self._link(node.place, node.pool, "pool", node.pool)
        elif isinstance(node, ir.BuildPayload):
            self._link(node.place, node.payload, "payload", node.payload)
        elif isinstance(node, ir.ActionCall):
            self._link(node.place, node.action, "action", node.action)
        elif isinstance(node, ir.DeviceCall):
            self._link(node.place, node.device, "device", node.device)
        elif isinstance(node, ir.Count):
            self._link(node.place, node.counter, "counter", node.counter)
        elif isinstance(node, ir.Clear):
            self._link(node.place, node.table, "table", node.table)
        elif isinstance(node, ir.Create):
            self._link(node.place, node.pool, "pool", node.pool)
        elif isinstance(node, ir.Raise):
            self._link(node.place, node.process, "process", node.process)
            names = (node.process, node.event)
            self._link(node.place, node.event, "event", *names, after_dot=True)

    def _link(
        self,
        place: ir.Place,
        name: str,
        kind: str,
        *names: str,
        at_end: bool = False,
        after_dot: bool = False,
    ) -> None:
        """The name stands somewhere in the piece of text at `place`; where exactly, the piece itself says."""
        source = self.sources[place.file]
        start = source.offset(place)
        text = source.text[start : start + place.length]
        word = re.escape(name) + r"(?![A-Za-z0-9_])"
        if at_end:
            found = re.search(rf"(?<=\.){word}$", text)
        elif after_dot:
            found = re.search(rf"(?<=\.){word}", text)
        else:
            found = re.search(rf"(?<![A-Za-z0-9_.]){word}", text)
        if found is not None:
            self._used_at(source, start + found.start(), address(kind, *names))

    def _used_at(self, source: SourceText, offset: int, link: str) -> None:
        source.links.setdefault(offset, link)
        line = source.line_of(offset)
        place = ir.Place(source.name, line, offset - source.starts[line - 1] + 1)
        self.uses.setdefault(link, {})[place] = None

    # --- uses that only the line tells

    def _read(self, source: SourceText) -> None:
        p = self.protocol
        types = {n.name: address("layout", n.name) for n in p.layouts}
        types |= {n.name: address("payload", n.name) for n in p.payloads}
        types |= {n.name: address("enumeration", n.name) for n in p.enumerations}
        types |= {n.name: address("process", n.name) for n in p.processes}
        types |= {n.name: address("pool", n.name) for n in p.pools}
        types |= {n.name: address("table", n.name) for n in p.tables}
        settings = {n.name: address("constant", n.name) for n in p.constants}
        settings |= {n.name: address("parameter", n.name) for n in p.parameters}
        process: Optional[ir.Process] = None
        owners = {x.place.line: x for x in p.processes if x.place.file == source.name}
        for number in range(1, source.lines + 1):
            line = source.line(number)
            if line[:1].strip() and not line.startswith("#"):
                process = owners.get(number)
            words = line.split()
            known = dict(types)
            if words[:1] == ["set"]:
                known |= settings
            if process is not None:
                known |= self._names_of_row(process, words)
            start = source.starts[number - 1]
            for token in TOKEN.finditer(line):
                offset = start + token.start()
                link = known.get(token.group())
                if token.lastgroup != "word" or link is None:
                    continue
                if offset not in source.links and line[token.end() :][:1] != ":":
                    self._used_at(source, offset, link)

    def _names_of_row(
        self, process: ir.Process, words: Sequence[str]
    ) -> dict[str, str]:
        """Names that mean an event or a state in this line only."""
        known: dict[str, str] = {}
        if words[:1] == ["before"]:
            words = words[1:]
        if words[:1] in (["on"], ["ignore"], ["never"], ["defer"]):
            count = 2 if words[0] == "on" else len(words)
            mentioned = set(WORD.findall(" ".join(words[1:count])))
            for event in process.events:
                if event.name in mentioned:
                    known[event.name] = address("event", process.name, event.name)
        if "->" in words[:-1]:
            behind = words[words.index("->") + 1 :]
            target = next((w for w in behind if w not in BEFORE_TARGETS), "")
            for state in process.states:
                if target in (state.path, state.name) or state.path.endswith(
                    f".{target}"
                ):
                    known[target] = address("state", process.name, state.path)
        return known


def _below(item: object) -> Iterator[object]:
    """As walk.nodes, with the bounds of loops."""
    for node in walk.nodes(item):
        yield node
        if isinstance(node, ir.Repeat):
            yield from walk.nodes(node.count.expression)
        elif isinstance(node, ir.For):
            yield from walk.nodes((node.low.expression, node.high.expression))


def _sizes(*items: Union[ir.Size, ir.Range, None]) -> Iterator[object]:
    for item in items:
        if isinstance(item, ir.Range):
            yield from _sizes(item.low, item.high)
        elif item is not None:
            yield from walk.nodes(item.expression)


def _field_nodes(fields: Sequence[ir.Field]) -> Iterator[object]:
    for field in fields:
        yield from _sizes(field.range, field.initial)
        if isinstance(field.type, (ir.ArrayType, ir.BitsType)):
            yield from _sizes(field.type.count)
