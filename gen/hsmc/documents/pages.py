# SPDX-License-Identifier: MIT
"""The templates of web pages, and what they call: for the site about specs and for single pages."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import jinja2
from markupsafe import Markup

from .docs_references import address, anchor, source_address, source_page
from ..backends.template_cache import TemplateCache

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"


def template_text(name: str) -> str:
    """A file that is taken as it stands: simulation/node.js."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def environment() -> jinja2.Environment:
    result = jinja2.Environment(
        loader=jinja2.FileSystemLoader(
            [str(TEMPLATES / "docs"), str(TEMPLATES / "simulation")]
        ),
        undefined=jinja2.StrictUndefined,
        bytecode_cache=TemplateCache(),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    result.filters.update(prose=prose)
    result.globals.update(
        address=address,
        anchor=anchor,
        source_address=source_address,
        source_page=source_page,
    )
    return result


def prose(text: str) -> Markup:
    """Documentation of the spec; names between backticks are code.

    >>> prose("NACK: `length` holds a reason < 3")
    Markup('NACK: <code>length</code> holds a reason &lt; 3')
    """
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
