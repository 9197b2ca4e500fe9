# SPDX-License-Identifier: MIT
"""A protocol as a page to play with: its statecharts, the events that can come now, what each of them does.

The transitions are JavaScript from the intermediate form (backend_javascript.py); the files under templates/simulation
are the same for every protocol. Either a page of the site, or one file that needs nothing else.
"""

from __future__ import annotations

import re
from html import escape
from typing import Mapping

import jinja2
from markupsafe import Markup

from .. import ir
from ..backends import backend_javascript
from . import statechart
from .docs_references import SourceText, source_page
from ..interpreter.interpreter import Program
from .pages import environment, template_text

SCRIPTS = ("node.js", "scenario.js", "simulation.js", "panel.js", "page.js")


def shared_script() -> str:
    """What every page of a simulation runs after its MODEL."""
    parts = (template_text(f"simulation/{name}") for name in SCRIPTS)
    return "\n".join(['"use strict";', "", *parts])


def without_ids(picture: str) -> Markup:
    """Graphviz numbers what it draws; a page with several pictures would have each number several times."""
    return Markup(re.sub(r' id="[^"]*"', "", picture))


def single_page(protocol: ir.Protocol, texts: Mapping[str, str]) -> str:
    """One file: styles, scripts, pictures and the spec itself, which its links lead to. Raises
    statechart.NoGraphviz."""
    env = environment()
    charts = [(p.name, _chart(p)) for p in protocol.processes]
    sources = []
    for file in protocol.files:
        source = SourceText("", texts[file])
        lines = [
            Markup(source.html(start, start + len(source.line(number))))
            for number, start in enumerate(source.starts[: source.lines], 1)
        ]
        sources.append((file, _anchor(file), lines))
    styles = env.get_template("site.css.j2").render()
    script = "\n".join(
        (
            backend_javascript.generate(Program(protocol), own_address),
            template_text("docs/theme.js"),
            shared_script(),
        )
    )
    return env.get_template("single.html.j2").render(
        title=protocol.doc or protocol.name,
        profile=protocol.profile,
        check=protocol.check,
        charts=charts,
        sources=sources,
        styles=Markup(styles + template_text("simulation/simulation.css")),
        script=Markup(script),
    )


def own_address(place: ir.Place) -> str:
    """Of a line of the spec within the page."""
    return f"#{_anchor(place.file)}-L{place.line}"


def _anchor(file: str) -> str:
    return source_page(file).removesuffix(".html")


def _chart(process: ir.Process) -> Markup:
    picture = statechart.svg(statechart.statechart(process, own_address))
    return without_ids(statechart.inline_svg(picture))
