# SPDX-License-Identifier: MIT
"""The documentation back end: one static site from any number of specs.

`generate` returns file names with texts; nothing in them depends on dates, paths or the order of a hash, so the same
specs give the same site. The pages stand in a directory per protocol, the templates under templates/docs arrange what
the views below prepare. Needs Graphviz for the pictures, python3-markdown for the manual's pages.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from typing import Mapping, Optional, Sequence, Union

import jinja2
from markupsafe import Markup

from . import diagnostic_pages
from .. import dump, ir, walk
from ..backends import backend_c, backend_javascript, backend_wireshark, c_records
from . import simulation_page, statechart
from ..diagnostics import TABLE
from .docs_references import (
    Declared,
    References,
    SourceText,
    address,
    anchor,
    source_address,
    source_page,
)
from ..interpreter.interpreter import Program
from .pages import environment, prose, template_text

PLURAL_EXCEPTIONS = {"process": "processes", "property": "properties"}


@dataclass(frozen=True)
class Manual:
    """A hand-written page in Markdown."""

    name: str  # of its file: language.md
    text: str

    @property
    def page(self) -> str:
        return f"{self.name.removesuffix('.md')}.html"

    @property
    def title(self) -> str:
        heading = re.search(r"^# +(.+)$", self.text, re.MULTILINE)
        return heading.group(1).replace("`", "") if heading else self.name


@dataclass(frozen=True)
class Spec:
    """A compiled protocol and the text it came from."""

    protocol: ir.Protocol
    texts: Mapping[str, str]  # by Place.file


# --- views: what a template prints, computed beforehand


@dataclass(frozen=True)
class Cell:
    """What a leaf does with an event. `kind` is "rows", "ignored", "deferred", "never" or "off" (a timer that is not
    running)."""

    kind: str
    rows: tuple[ir.Row, ...] = ()
    otherwise: str = ""  # "ignored" or "never" when no guard holds


@dataclass(frozen=True)
class Column:
    title: str
    link: str
    timer: bool


@dataclass(frozen=True)
class Line:
    """A leaf in the table of states and events. `above` names composite states that begin here."""

    leaf: ir.Leaf
    above: tuple[str, ...]
    depth: int
    initial: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Step:
    """One thing a transition does: `kind` exit, cancel, action, arm or entry."""

    kind: str
    html: Markup


@dataclass(frozen=True)
class Transition:
    row: ir.Row
    leaf: ir.Leaf
    event: str
    inherited: str  # name of the composite state the row is written in, "" when it is the leaf's own
    lets: tuple[Markup, ...]
    guard: Optional[Markup]
    guard_word: str  # "always" or "else" when there is no guard
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Raiser:
    process: str
    row: ir.Row


@dataclass(frozen=True)
class Setting:
    """A constant, a parameter or a key of the world, in the spec and in every check; None where it is not set."""

    name: str
    link: str  # "" for the world's keys
    value: Optional[int]
    values: tuple[Optional[int], ...]


@dataclass(frozen=True)
class Word:
    """32 bits of a layout, most significant first. Of an area of many words only the first is shown."""

    byte: int
    # None: bits no field uses
    cells: tuple[tuple[Optional[Union[ir.LayoutField, ir.LayoutArea]], int], ...]


class ProtocolView:
    """Everything the templates ask about one protocol."""

    def __init__(self, spec: Spec) -> None:
        self.protocol = spec.protocol
        self.references = References(spec.protocol, spec.texts)
        self.title = spec.protocol.doc or spec.protocol.name
        self.directory = spec.protocol.name
        writer = backend_c.CWriter(spec.protocol)
        records: Sequence[Union[ir.Pool, ir.Table]] = (
            *spec.protocol.pools,
            *spec.protocol.tables,
        )
        self._charts: dict[str, Markup] = {}
        self.record_bytes: dict[str, int] = {}
        for declaration in records:
            record = c_records.record_of(writer, declaration)
            has_state = isinstance(declaration, ir.Pool) and bool(declaration.process)
            size = c_records.record_bytes(record.fields, has_state)
            self.record_bytes[declaration.name] = size + record.padding

    @property
    def dissector(self) -> str:
        """Name of the file for Wireshark, "" when nothing of the protocol is a frame."""
        if not backend_wireshark.is_dissectable(self.protocol):
            return ""
        return backend_wireshark.file_name(self.protocol)

    # --- counts

    @property
    def counts(self) -> list[tuple[int, str, str]]:
        """(number, what, link)"""
        p = self.protocol
        return [
            (n, word if n == 1 else PLURAL_EXCEPTIONS.get(word, word + "s"), link)
            for n, word, link in (
                (len(p.processes), "process", "index.html#processes"),
                (sum(len(x.leaves) for x in p.processes), "leaf state", ""),
                (sum(len(x.events) for x in p.processes), "event", ""),
                (sum(1 for _ in p.rows()), "transition", ""),
                (len(p.timers), "timer", "data.html#timers"),
                (len(p.layouts), "layout", "formats.html"),
                (len(p.pools) + len(p.tables), "record type", "data.html#records"),
                (len(p.parameters), "parameter", "data.html#parameters"),
                (len(p.devices), "device operation", "interface.html#devices"),
                (len(p.properties), "property", "checks.html#properties"),
                (len(p.checks), "check configuration", "checks.html#checks"),
            )
        ]

    def rows_of(self, process: ir.Process) -> list[ir.Row]:
        return [row for handler in process.handlers for row in handler.rows]

    # --- machines

    def columns(self, process: ir.Process) -> list[Column]:
        events = [
            Column(e.name, address("event", process.name, e.name), False)
            for e in process.events
        ]
        timers = [
            Column(
                f"after {dump.expression_text(t.duration)}",
                address("timer", process.name, t.name),
                True,
            )
            for t in process.timers
        ]
        return events + timers

    def lines(self, process: ir.Process) -> list[Line]:
        result = []
        open_states: tuple[str, ...] = ()
        for leaf in process.leaves:
            above = tuple(leaf.path.split(".")[:-1])
            paths = tuple(".".join(above[: n + 1]) for n in range(len(above)))
            cells = [self._cell(process, leaf, e.name, None) for e in process.events]
            cells += [self._cell(process, leaf, "", t) for t in process.timers]
            result.append(
                Line(
                    leaf=leaf,
                    above=tuple(p for p in paths if p not in open_states),
                    depth=len(above),
                    initial=leaf.name == process.initial,
                    cells=tuple(cells),
                )
            )
            open_states = paths
        return result

    def _cell(
        self,
        process: ir.Process,
        leaf: ir.Leaf,
        event: str,
        timer: Optional[ir.Timer],
    ) -> Cell:
        handlers = (
            process.handlers_of(event)
            if timer is None
            else process.handlers_of_timer(timer)
        )
        words = {"handled": "", "ignore": "ignored", "never": "never"}
        for handler in handlers:
            if handler.leaf == leaf.name:
                otherwise = words[handler.otherwise]
                if handler.defers:
                    return Cell("deferred", handler.rows)
                if handler.rows:
                    return Cell("rows", handler.rows, otherwise)
                return Cell(otherwise)
        return Cell("off" if timer is not None else "never")

    def transitions(self, process: ir.Process) -> list[Transition]:
        result = []
        for handler in process.handlers:
            leaf = process.leaf(handler.leaf)
            first = True
            for group in handler.groups:
                lets = tuple(self.html(let.place) for let in group.lets)
                for row in group.rows:
                    result.append(
                        Transition(
                            row=row,
                            leaf=leaf,
                            event=handler.event,
                            inherited="" if row.state == leaf.name else row.state,
                            lets=lets,
                            guard=self._guard(row.guard) if row.guard else None,
                            guard_word="always" if first else "else",
                            steps=tuple(self._steps(process, row)),
                        )
                    )
                    first = False
        return result

    def _guard(self, guard: ir.Expression) -> Markup:
        """As written, or, where the compiler added a test of its own, what it became."""
        if self._uses_hidden(guard):
            return Markup(escape(dump.expression_text(guard)))
        return self.html(guard.place)

    def _statement(self, statement: ir.Statement) -> Markup:
        """As written, or in the notation of the intermediate form where it is generated."""
        if self._uses_hidden(statement):
            return self._formal(statement)
        return self.html(statement.place)

    def _formal(self, statement: ir.Statement) -> Markup:
        lines = (line.strip() for line in dump.statement_lines([statement], ""))
        return Markup(escape("; ".join(lines)))

    def _uses_hidden(self, item: object) -> bool:
        p = self.protocol
        added_variables = {
            (q.name, v.name) for q in p.processes for v in q.variables if v.hidden
        }
        added_variables |= {
            (q.name, f.name) for q in p.pools for f in q.fields if f.hidden
        }
        for node in walk.nodes(item):
            if isinstance(node, ir.VariableName):
                found = (node.process, node.name) in added_variables
            elif isinstance(node, ir.RecordField):
                found = (node.container, node.field) in added_variables
            else:
                continue
            if found:
                return True
        return False

    def _steps(self, process: ir.Process, row: ir.Row) -> list[Step]:
        """In the order of execution."""
        written = row.kind == "written"
        steps = [Step("exit", self._statement(s)) for s in row.exit_actions]
        steps += [Step("cancel", self._timer(process, t)) for t in row.cancelled]
        given = [t for t in row.armed if not t.computed]
        steps += [Step("arm", self._timer(process, t)) for t in given]
        steps += [
            Step("action", self._statement(s) if written else self._formal(s))
            for s in row.actions
        ]
        computed = [t for t in row.armed if t.computed]
        steps += [Step("arm", self._timer(process, t)) for t in computed]
        steps += [Step("entry", self.html(s.place)) for s in row.entry_actions]
        return steps

    def _timer(self, process: ir.Process, timer: ir.Timer) -> Markup:
        link = address("timer", process.name, timer.name)
        return Markup('<a href="{}">{}</a>').format(link, timer.name)

    def raisers(self, process: ir.Process, event: ir.Event) -> list[Raiser]:
        """Transitions that may raise the event, directly or in an action."""
        return [
            Raiser(other.name, row)
            for other in self.protocol.processes
            for row in self.rows_of(other)
            if (process.name, event.name) in row.raises
        ]

    def devices_of(self, process: ir.Process) -> list[str]:
        return statechart.devices_of(self.protocol, process)

    def users_of_device(self, device: ir.Device) -> list[str]:
        return [
            process.name
            for process in self.protocol.processes
            if device.name in self.devices_of(process)
        ]

    def processors(self, process: ir.Process) -> list[tuple[str, str]]:
        """(placement, processor)"""
        return [(p.name, p.processor(process.name)) for p in self.protocol.placements]

    def chart(self, process: ir.Process) -> Markup:
        if process.name not in self._charts:
            picture = statechart.svg(statechart.statechart(process, source_address))
            inline = statechart.with_state_ids(
                statechart.inline_svg(picture),
                process,
                lambda path: anchor("chart", path),
            )
            self._charts[process.name] = Markup(inline)
        return self._charts[process.name]

    def conversation(self) -> Markup:
        dot = statechart.conversation(
            self.protocol, lambda process: address("process", process.name)
        )
        return Markup(statechart.inline_svg(statechart.svg(dot)))

    # --- checks

    def settings(self) -> list[Setting]:
        """In order of first mention, the world's keys last."""
        p = self.protocol
        known = {c.name: ("constant", c.value) for c in p.constants}
        known |= {q.name: ("parameter", q.default.value) for q in p.parameters}
        names = dict.fromkeys(n for check in p.checks for n, _ in check.settings)
        keys = dict.fromkeys(n for check in p.checks for n, _ in check.world)
        result = []
        for name in names:
            kind, value = known[name]
            values = tuple(dict(check.settings).get(name) for check in p.checks)
            result.append(Setting(name, address(kind, name), value, values))
        bounds: dict[str, set[int]] = {}
        for bound in (b for w in p.worlds for b in w.bounds):
            bounds.setdefault(bound.name, set()).add(bound.value)
        for name in keys:
            values = tuple(dict(check.world).get(name) for check in p.checks)
            own = bounds.get(name, set())
            default = next(iter(own)) if len(own) == 1 else None
            result.append(Setting(name, "", default, values))
        return result

    # --- text of the spec

    def remark(self, declaration: Declared) -> Markup:
        """An enumeration named at the start of a remark, as fields do that hold one, is a link."""
        text = prose(self.references.remark(declaration))
        first = re.match(r"[A-Za-z0-9_]+", text)
        if first and first[0] in {e.name for e in self.protocol.enumerations}:
            link = address("enumeration", first[0])
            rest = Markup(text[first.end() :])
            return Markup('<a href="{}">{}</a>').format(link, first[0]) + rest
        return text

    def html(self, place: ir.Place) -> Markup:
        return Markup(self.references.html(place))

    def expression(self, expression: ir.Expression) -> Markup:
        return self.html(expression.place)

    def size(self, size: ir.Size) -> Markup:
        """The number, and what it was written as when that says more."""
        written = self.html(size.expression.place)
        if self.references.text(size.expression.place) == str(size.value):
            return Markup(size.value)
        return Markup('{} <span class="written">{}</span>').format(size.value, written)

    def type(self, kind: ir.Type) -> Markup:
        """With the names of types as links."""
        if isinstance(kind, ir.ArrayType):
            return Markup("{}[{}]").format(self.type(kind.element), kind.count.value)
        if isinstance(kind, ir.ReferenceType):
            link = address("pool", kind.pool)
        elif isinstance(kind, ir.EnumerationType):
            link = address("enumeration", kind.name)
        elif isinstance(kind, ir.PayloadType):
            link = address("payload", kind.name)
        else:
            return Markup(escape(str(kind)))
        return Markup('<a href="{}">{}</a>').format(link, str(kind))

    def loops(self, item: Union[ir.Function, ir.Action]) -> list[tuple[int, ir.Place]]:
        """How often each of its loops turns at most, those of a `find` included."""
        functions = {f.name: f for f in self.protocol.functions}
        found: list[tuple[int, ir.Place]] = []
        for node in walk.nodes(item.body):
            if isinstance(node, (ir.Repeat, ir.For)):
                found.append((walk.turns(node), node.place))
            elif isinstance(node, ir.Call) and functions[node.function].hidden:
                found += self.loops(functions[node.function])
        return found

    def declared(self, item: Union[ir.Function, ir.Action]) -> Markup:
        return Markup(self.references.block(item.place, len(item.text)))

    # --- formats

    def words(self, layout: ir.Layout) -> list[Word]:
        start = layout.at.value if layout.at is not None else 0
        spans: list[tuple[int, int, Union[ir.LayoutField, ir.LayoutArea]]] = [
            (field.offset, field.offset + field.bits, field) for field in layout.fields
        ]
        for area in layout.areas:
            spans.append((8 * area.offset, 8 * (area.offset + area.count.value), area))
        spans.sort(key=lambda span: span[0])
        result: list[Word] = []
        for first in range(0, 8 * layout.bytes, 32):
            cells: list[tuple[Optional[Union[ir.LayoutField, ir.LayoutArea]], int]] = []
            position = first
            for begin, end, item in spans:
                begin, end = max(begin, first), min(end, first + 32)
                if begin < end:
                    if begin > position:
                        cells.append((None, begin - position))
                    cells.append((item, end - begin))
                    position = end
            if position < first + 32:
                cells.append((None, first + 32 - position))
            continues = len(cells) == 1 and result and result[-1].cells[-1] == cells[0]
            if not continues or not isinstance(cells[0][0], ir.LayoutArea):
                result.append(Word(start + first // 8, tuple(cells)))
        return result

    def condition(self, condition: ir.LayoutCondition) -> str:
        return dump.condition_text(condition)

    def source_lines(self, file: str) -> list[Markup]:
        source = self.references.sources[file]
        return [
            Markup(source.html(start, start + len(source.line(number))))
            for number, start in enumerate(source.starts[: source.lines], 1)
        ]


# --- the site


def generate(
    specs: Sequence[Spec],
    manuals: Sequence[Manual] = (),
    diagnostics: Sequence[diagnostic_pages.Page] = (),
) -> dict[str, str]:
    """File name within the site -> text. Raises statechart.NoGraphviz."""
    env = environment()
    views = [ProtocolView(spec) for spec in specs]
    env.globals.update(views=views, manuals=manuals, diagnostics=diagnostics)
    env.globals.update(expression=dump.expression_text)
    files = {
        "site.css": env.get_template("site.css.j2").render(),
        "site.js": template_text("docs/theme.js") + template_text("docs/site.js"),
        "simulation.css": template_text("simulation/simulation.css"),
        "simulation.js": simulation_page.shared_script(),
        "names.js": search_index(views, diagnostics),
        "index.html": env.get_template("front.html.j2").render(root="", page="index"),
    }
    pages = {manual.name: manual.page for manual in manuals}
    pages |= {
        f"{page.code}.md": f"diagnostics/{page.code}.html" for page in diagnostics
    }
    for page in diagnostics:
        body, _ = markdown_html(page.with_messages(), {})
        files[f"diagnostics/{page.code}.html"] = env.get_template(
            "diagnostic.html.j2"
        ).render(root="../", page=page.code, code=page.code, body=body)
    if diagnostics:
        files["diagnostics/index.html"] = env.get_template(
            "diagnostics.html.j2"
        ).render(root="../", page="diagnostics", table=TABLE)
    for manual in manuals:
        body, contents = markdown_html(manual.text, pages)
        files[manual.page] = env.get_template("manual.html.j2").render(
            root="", page=manual.page, manual=manual, body=body, contents=contents
        )
    for view in views:
        for name, text in _protocol_pages(env, view).items():
            files[f"{view.directory}/{name}"] = text
    return files


def _protocol_pages(env: jinja2.Environment, view: ProtocolView) -> dict[str, str]:
    def render(template: str, page: str, **context: object) -> str:
        return env.get_template(template).render(
            root="../", page=page, view=view, protocol=view.protocol, **context
        )

    pages = {
        "index.html": render("protocol.html.j2", "index.html"),
        "formats.html": render("formats.html.j2", "formats.html"),
        "data.html": render("data.html.j2", "data.html"),
        "actions.html": render("actions.html.j2", "actions.html"),
        "interface.html": render("interface.html.j2", "interface.html"),
        "checks.html": render("checks.html.j2", "checks.html"),
    }
    charts = [
        (process.name, simulation_page.without_ids(view.chart(process)))
        for process in view.protocol.processes
    ]
    pages["simulation.html"] = render(
        "simulation.html.j2", "simulation.html", charts=charts
    )
    pages["model.js"] = backend_javascript.generate(
        Program(view.protocol), source_address
    )
    if view.dissector:
        pages[view.dissector] = backend_wireshark.generate(view.protocol)
    for process in view.protocol.processes:
        page = address("process", process.name)
        pages[page] = render("machine.html.j2", page, process=process)
    for file in view.protocol.files:
        page = source_page(file)
        pages[page] = render("source.html.j2", page, file=file)
    return pages


def search_index(
    views: Sequence[ProtocolView], diagnostics: Sequence[diagnostic_pages.Page]
) -> str:
    """As a script, since a page opened from a file may not fetch data."""
    names = [
        [name.name, name.kind, f"{view.directory}/{name.address}", name.doc]
        for view in views
        for name in view.references.names
    ]
    names += [
        [
            page.code,
            "diagnostic",
            f"diagnostics/{page.code}.html",
            TABLE[page.code].title,
        ]
        for page in diagnostics
    ]
    lines = ",\n".join(json.dumps(name, ensure_ascii=False) for name in names)
    return f"const NAMES = [\n{lines}\n];\n"


def highlighted(text: str) -> str:
    """A piece of a spec that stands by itself."""
    return SourceText("", text).html(0, len(text))


def markdown_html(text: str, pages: Mapping[str, str]) -> tuple[Markup, Markup]:
    """The page and its table of contents. Links to Markdown files that are pages follow; other links into the
    repository have nowhere to lead and become plain text."""
    import markdown

    converter = markdown.Markdown(
        extensions=["tables", "fenced_code", "toc", "sane_lists"],
        extension_configs={"toc": {"toc_depth": "2-3"}},
    )
    # Words behind the language of a fence are for the tests that compile the examples.
    html = converter.convert(re.sub(r"^```(\w+) .*$", r"```\1", text, flags=re.M))
    html = re.sub(
        r'(?<=<pre><code class="language-hsm">)(.*?)(?=</code></pre>)',
        lambda match: highlighted(unescape(match[1])),
        html,
        flags=re.DOTALL,
    )

    def link(match: re.Match[str]) -> str:
        target, label = match[1], match[2]
        file, mark, fragment = target.partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match[0]
        page = pages.get(file.rpartition("/")[2])
        return f'<a href="{page}{mark}{fragment}">{label}</a>' if page else label

    html = re.sub(r'<a href="([^"]*)">(.*?)</a>', link, html, flags=re.DOTALL)
    html = re.sub(r"<img [^>]*>", "", html)
    return Markup(html), Markup(converter.toc)
