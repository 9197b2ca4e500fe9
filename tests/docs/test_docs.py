# SPDX-License-Identifier: MIT
"""The site: every link leads somewhere, everything the spec declares is there, and the same spec gives the same site.

Then the pictures: golden text of the small protocol, and what they show of hierarchy.
"""

import doctest
import importlib
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Iterator, Optional

import pytest

from hsmc import ir
from hsmc.backends import backend_c, backend_wireshark
from hsmc.c_names import CNames
from hsmc.documents import backend_docs, statechart
from hsmc.compilation.compiler import Compilation
from hsmc.documents.docs_references import address, source_address, source_page
from tests.compiled import compiled
from tests.places import tells_place
from tests.long_tests import one_in

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
HSMC = TOP / "gen/bin/hsmc"
FEATURES = sorted((TOP / "tests/compiler/features").glob("*.hsm"))
SPECS = [TOP / f"spec/{name}/{name}.hsm" for name in ("emp", "abp", "fetch")]
MANUAL = """# A manual

## A heading

[the other one](other.md#part), [a source](../spec/emp/emp.hsm), [above](#a-heading)

```hsm compile
state A initial   # of "machine" <m>
```
"""
OTHER = "# Other\n\n## Part\n"


def load(path: Path) -> backend_docs.Spec:
    compilation = Compilation(path)
    protocol = compilation.protocol(None)
    assert protocol is not None
    return backend_docs.Spec(protocol, compilation.texts())


class Page(HTMLParser):
    """Ids and links of a page; complains of what is not closed."""

    VOID = {"meta", "link", "input", "br", "hr", "img"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, Optional[str]]]
    ) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "src", "xlink:href"):
                self.links.append(value or "")

    def handle_startendtag(
        self, tag: str, attributes: list[tuple[str, Optional[str]]]
    ) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


@pytest.fixture(scope="module")
def specs() -> list[backend_docs.Spec]:
    return [load(path) for path in SPECS]


@pytest.fixture(scope="module")
def site(specs: list[backend_docs.Spec]) -> dict[str, str]:
    manuals = [
        backend_docs.Manual("language.md", MANUAL),
        backend_docs.Manual("other.md", OTHER),
    ]
    return backend_docs.generate(specs, manuals)


@pytest.fixture(scope="module")
def pages(site: dict[str, str]) -> dict[str, Page]:
    return {name: Page(text) for name, text in site.items() if name.endswith(".html")}


def test_dissectors_are_offered(
    site: dict[str, str], specs: list[backend_docs.Spec]
) -> None:
    for protocol in protocols(specs):
        name = f"{protocol.name}.lua"
        assert site[f"{protocol.name}/{name}"] == backend_wireshark.generate(protocol)
        assert f'href="{name}"' in site[f"{protocol.name}/index.html"]


def protocols(specs: list[backend_docs.Spec]) -> Iterator[ir.Protocol]:
    return (spec.protocol for spec in specs)


def exists(site: dict[str, str], pages: dict[str, Page], link: str) -> bool:
    file, _, fragment = link.partition("#")
    if fragment:
        return file in pages and fragment in pages[file].ids
    return file in site


# --- the site as a whole


def test_links_resolve(site: dict[str, str], pages: dict[str, Page]) -> None:
    broken = []
    for name, page in pages.items():
        for link in page.links:
            own, _, fragment = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), own))
            target = target if own else name
            full = f"{target}#{fragment}" if fragment else target
            if not exists(site, pages, full):
                broken.append((name, link))
    assert broken == []


def test_names_found_by_search_exist(
    site: dict[str, str], pages: dict[str, Page]
) -> None:
    names = json.loads(site["names.js"].partition("=")[2].rstrip().rstrip(";"))
    assert len(names) > 300
    assert [n for n in names if not exists(site, pages, n[2])] == []


def test_ids_are_unique(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name


def test_nothing_from_the_network(site: dict[str, str]) -> None:
    for name, text in site.items():
        found = set(re.findall(r"https?://[^\s\"'<>]+", text))
        assert found <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


@pytest.mark.parametrize("names", one_in(2, ["abp fetch", "abp emp fetch"]))
def test_deterministic(names: str, tmp_path: Path) -> None:
    """Also across hash seeds, working directories and places of the spec; no page says when or where it was made."""
    sites = []
    shutil.copytree(TOP / "spec", tmp_path / "1/spec")
    shutil.copytree(tmp_path / "1/spec", tmp_path / "2/elsewhere")
    for seed, directory in (("1", TOP), ("2", tmp_path)):
        output = tmp_path / seed / "site"
        found = (tmp_path / seed).glob("*/*/*.hsm")
        specs = sorted(path for path in found if path.stem == path.parent.name)
        assert len(specs) == len(SPECS)
        specs = [path for path in specs if path.stem in names.split()]
        subprocess.run(
            [HSMC, "doc", *specs, "--output", output],
            check=True,
            cwd=directory,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        sites.append(
            {
                str(path.relative_to(output)): path.read_text()
                for path in output.rglob("*")
                if path.is_file()
            }
        )
    assert sites[0] == sites[1]
    everything = "".join(sites[0].values())
    assert not tells_place(everything, TOP) and not tells_place(everything, tmp_path)
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", everything)


# --- everything the spec declares


def expected(protocol: ir.Protocol) -> Iterator[str]:
    """Addresses that must exist."""
    for process in protocol.processes:
        for state in process.states:
            yield address("state", process.name, state.path)
        for event in process.events:
            yield address("event", process.name, event.name)
        for variable in process.variables:
            yield address("variable", process.name, variable.name)
        for timer in process.timers:
            yield address("timer", process.name, timer.name)
        for handler in process.handlers:
            for row in handler.rows:
                yield address("transition", process.name, row.id)
    for layout in protocol.layouts:
        for bits in layout.fields:
            yield address("layout_field", layout.name, bits.name)
    for payload in protocol.payloads:
        for field in payload.fields:
            yield address("payload_field", payload.name, field.name)
    for enumeration in protocol.enumerations:
        for member in enumeration.members:
            yield address("member", enumeration.name, member.name)
    for record in (*protocol.pools, *protocol.tables):
        assert isinstance(record, (ir.Pool, ir.Table))
        for field in record.fields:
            yield address("record_field", record.name, field.name)
    for kind, items in (
        ("parameter", protocol.parameters),
        ("constant", protocol.constants),
        ("counter", protocol.counters),
        ("device", protocol.devices),
        ("function", [f for f in protocol.functions if not f.hidden]),
        ("action", protocol.actions),
        ("property", protocol.properties),
        ("placement", protocol.placements),
        ("check", protocol.checks),
    ):
        for item in items:
            assert isinstance(item, ir.Declaration)
            yield address(kind, item.name)


def test_everything_is_described(
    specs: list[backend_docs.Spec], site: dict[str, str], pages: dict[str, Page]
) -> None:
    for protocol in protocols(specs):
        missing = [
            link
            for link in expected(protocol)
            if not exists(site, pages, f"{protocol.name}/{link}")
        ]
        assert missing == []


def test_every_line_of_the_spec_is_shown(
    specs: list[backend_docs.Spec], pages: dict[str, Page]
) -> None:
    for spec in specs:
        for file, text in spec.texts.items():
            page = pages[f"{spec.protocol.name}/{source_page(file)}"]
            for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
                assert f"L{number}" in page.ids
                assert line in page.text


def test_matrix_covers_leaves_and_events(specs: list[backend_docs.Spec]) -> None:
    """Every leaf has a cell for every event and timer, and all transitions are in them once."""
    for spec in specs:
        view = backend_docs.ProtocolView(spec)
        for process in spec.protocol.processes:
            lines = view.lines(process)
            assert [line.leaf for line in lines] == list(process.leaves)
            width = len(process.events) + len(process.timers)
            assert {len(line.cells) for line in lines} == {width}
            shown = [row.id for x in lines for cell in x.cells for row in cell.rows]
            assert sorted(shown) == sorted(row.id for row in view.rows_of(process))


def test_matrix_says_what_the_spec_says(specs: list[backend_docs.Spec]) -> None:
    emp = backend_docs.ProtocolView(specs[0])
    send = emp.protocol.process("Send")
    kinds = {
        line.leaf.name: [cell.kind for cell in line.cells] for line in emp.lines(send)
    }
    names = [event.name.split("_")[0] for event in send.events]
    names += [timer.name for timer in send.timers]
    told = dict(zip(names, kinds["WAIT_ACK"], strict=True))
    assert [
        told[name] for name in ("posted", "ack", "nack", "turn", "transmitted")
    ] == [
        "never",
        "rows",
        "rows",
        "never",
        "never",
    ]
    assert kinds["WAIT_ACK"][-1] == "rows"  # its timer
    assert kinds["DONE"] == ["never"] * len(send.events) + ["off"]


def test_bits_of_layouts_add_up(specs: list[backend_docs.Spec]) -> None:
    for spec in specs:
        view = backend_docs.ProtocolView(spec)
        for layout in spec.protocol.layouts:
            words = view.words(layout)
            assert all(sum(n for _, n in word.cells) == 32 for word in words)
            cells = [item for word in words for item, _ in word.cells if item]
            shown = list(dict.fromkeys(cells))
            assert [x for x in shown if x in layout.fields] == list(layout.fields)
            assert [x for x in shown if x in layout.areas] == list(layout.areas)
            assert len(shown) == len(layout.fields) + len(layout.areas)


def test_uses_are_where_the_name_stands(specs: list[backend_docs.Spec]) -> None:
    """Each link in the text of the spec is at the name it leads to."""
    for spec in specs:
        references = backend_docs.ProtocolView(spec).references
        for link, places in references.uses.items():
            name = re.split(r"[-.]", link.removesuffix(".html"))[-1]
            for place in places:
                line = references.sources[place.file].line(place.line)
                assert line[place.column - 1 :].startswith(name), (link, place)


def test_uses_tell_namesakes_apart(specs: list[backend_docs.Spec]) -> None:
    """`posted` is an event of Send and one of Match."""
    references = backend_docs.ProtocolView(specs[0]).references
    for process, file in (("Send", "send.hsm"), ("Match", "receive.hsm")):
        places = references.used("event", process, "posted")
        assert {place.file for place in places} == {file}


def test_steps_in_order_of_execution(specs: list[backend_docs.Spec]) -> None:
    emp = backend_docs.ProtocolView(specs[0])
    rows = {t.row.id: t for t in emp.transitions(emp.protocol.process("Send"))}
    last = rows["Send.WAIT_ACK.ack.1"]
    assert [step.kind for step in last.steps] == ["cancel", "action", "entry"]
    assert rows["Send.PHY.ack.0"].inherited == "ACTIVE"
    assert rows["Send.PHY.ack.1"].guard_word == "else"


def test_sizes_are_those_of_the_generated_c(
    specs: list[backend_docs.Spec], tmp_path: Path
) -> None:
    view = backend_docs.ProtocolView(specs[0])
    names = CNames(view.protocol)
    for name, text in backend_c.generate(view.protocol).items():
        (tmp_path / name).write_text(text)
    asserts = [
        f'_Static_assert(sizeof({names.struct(name)}) == {size}, "{name}");'
        for name, size in view.record_bytes.items()
    ]
    program = tmp_path / "sizes.c"
    program.write_text('#include "emp.h"\n' + "\n".join(asserts) + "\n")
    subprocess.run(
        ["gcc", "-std=c11", "-fsyntax-only", f"-I{tmp_path}", f"-I{TOP}", program],
        check=True,
    )


@pytest.mark.parametrize("path", FEATURES, ids=lambda path: path.stem)
def test_every_feature_of_the_language(path: Path) -> None:
    """The compiler's small specs have what the protocols lack: names that repeat, deep states, timers around states."""
    spec = [load(path)]
    site = backend_docs.generate(spec)
    pages = {name: Page(text) for name, text in site.items() if name.endswith(".html")}
    test_links_resolve(site, pages)
    test_ids_are_unique(pages)
    test_everything_is_described(spec, site, pages)
    test_every_line_of_the_spec_is_shown(spec, pages)
    test_matrix_covers_leaves_and_events(spec)
    test_bits_of_layouts_add_up(spec)
    test_uses_are_where_the_name_stands(spec)
    test_rows_of_composite_states_are_drawn_once(spec)
    test_pictures_link_to_the_spec(spec, pages)


# --- the manual's pages


def test_manual(site: dict[str, str]) -> None:
    page = site["language.html"]
    assert '<a href="other.html#part">the other one</a>' in page
    assert "spec/emp/emp.hsm" not in page  # has no place in the site
    assert '<span class="keyword">state</span> A' in page
    assert "&lt;m&gt;</span>" in page
    assert '<a href="language.html">A manual</a>' in site["index.html"]


# --- pictures


def test_golden_statechart() -> None:
    """The picture's text of the small protocol; after a wanted change write the new one over the golden file."""
    protocol = compiled(SPECS[1])
    text = "".join(statechart.statechart(p) for p in protocol.processes)
    text += statechart.conversation(protocol)
    assert text == (HERE / "abp.dot").read_text()


def test_rows_of_composite_states_are_drawn_once(
    specs: list[backend_docs.Spec],
) -> None:
    for protocol in protocols(specs):
        for process in protocol.processes:
            drawn = statechart.drawn_rows(process)
            places = [(row.row.place, row.state, row.row.text) for row in drawn]
            assert len(places) == len(set(places))
            ids = [name for row in drawn for name in row.ids]
            assert sorted(ids) == sorted(
                row.id
                for handler in process.handlers
                for row in handler.rows
                if row.kind != "recall"
            )


def test_hierarchy(specs: list[backend_docs.Spec]) -> None:
    link = specs[0].protocol.process("Link")
    text = statechart.statechart(link)
    assert text.count("subgraph cluster_") == 1
    # sync_lost is written once in SYNCHRONISED and leaves its border; back to DOWN, hence given the other way round.
    assert re.search(r"state_0 -> start_1 \[dir=back lhead=cluster_1 .*sync_lost", text)
    # What holds for all of its states begins at its border and leads into one of them.
    assert re.search(r"start_1 -> state_4 \[.*acknowledges\(word\)", text)


def test_pictures_link_to_the_spec(
    specs: list[backend_docs.Spec], pages: dict[str, Page]
) -> None:
    for protocol in protocols(specs):
        for process in protocol.processes:
            page = pages[f"{protocol.name}/{address('process', process.name)}"]
            for row in statechart.drawn_rows(process):
                # once in the picture, at least once in the table of transitions
                assert page.links.count(source_address(row.row.place)) >= 2


def test_svg_stands_alone(specs: list[backend_docs.Spec]) -> None:
    for process in specs[0].protocol.processes:
        text = statechart.svg(statechart.statechart(process))
        root = ElementTree.fromstring(text.encode())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        shown = " ".join(root.itertext())
        for leaf in process.leaves:
            assert leaf.name in shown
        for row in statechart.drawn_rows(process):
            assert row.label in shown


# --- the commands


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(HSMC), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_graph_command() -> None:
    result = run("graph", SPECS[1], "--process", "Sender")
    assert result.returncode == 0
    assert result.stdout == statechart.statechart(compiled(SPECS[1]).process("Sender"))
    result = run("graph", SPECS[0], "--format", "svg")
    assert result.returncode == 0 and "</svg>" in result.stdout
    result = run("graph", SPECS[1], "--process", "Sendr")
    assert result.returncode == 2 and "did you mean 'Sender'" in result.stderr


def test_wrong_spec_writes_nothing(tmp_path: Path) -> None:
    spec = tmp_path / "wrong.hsm"
    spec.write_text("protocol wrong\n\nprocess P\n  state A initial\n    on x -> B\n")
    output = tmp_path / "site"
    result = run("doc", SPECS[1], spec, "--output", output)
    assert result.returncode == 1 and "error HSM" in result.stderr
    assert not output.exists()


def test_same_protocol_twice(tmp_path: Path) -> None:
    result = run("doc", SPECS[1], SPECS[1], "--output", tmp_path / "site")
    assert result.returncode == 2 and "twice" in result.stderr


def test_missing_graphviz_is_said(tmp_path: Path) -> None:
    output = tmp_path / "site"
    for arguments in (
        ("doc", SPECS[1], "--output", output),
        ("graph", SPECS[1], "--process", "Sender", "--format", "svg"),
    ):
        result = run(*arguments, PATH=str(tmp_path))
        assert result.returncode == 2
        assert "install the package graphviz" in result.stderr
    assert not output.exists()


def test_inline_pictures_can_be_scaled(specs: list[backend_docs.Spec]) -> None:
    """Width, height and view box agree, and each state has an address."""
    for process in specs[0].protocol.processes:
        picture = statechart.svg(statechart.statechart(process))
        text = statechart.with_state_ids(
            statechart.inline_svg(picture), process, "at-{}".format
        )
        root = ElementTree.fromstring(text)
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        _, _, across, down = map(float, root.attrib["viewBox"].split())
        assert abs(width / height - across / down) < 0.02
        smallest = re.fullmatch(r"min-width: (\d+)px", root.attrib["style"])
        assert smallest is not None and 0.5 * width < int(smallest[1]) < 0.7 * width
        ids = {element.attrib.get("id") for element in root.iter()}
        assert {f"at-{state.path}" for state in process.states} <= ids


@pytest.mark.parametrize("name", ["docs_references", "pages", "statechart"])
def test_examples_in_the_code(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"hsmc.documents.{name}"))
    assert result.attempted > 0 and result.failed == 0
