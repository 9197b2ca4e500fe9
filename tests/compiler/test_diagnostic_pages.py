# SPDX-License-Identifier: MIT
"""Each diagnostic has its page, whose wrong spec earns it and whose mended spec is clean."""

import re

import pytest

from hsmc.documents import diagnostic_pages
from hsmc.diagnostics import TABLE


def test_one_page_each() -> None:
    pages = {path.stem for path in diagnostic_pages.DIRECTORY.glob("HSM*.md")}
    assert pages == set(TABLE)


@pytest.mark.parametrize("code", TABLE)
def test_page(code: str) -> None:
    page = diagnostic_pages.page(code)
    assert page.text.startswith(f"# {code}: {TABLE[code].title}\n")
    wrong = page.compiled("wrong").report.diagnostics
    assert {d.code for d in wrong} == {code}
    assert page.compiled("mended").report.diagnostics == []
    assert re.search(r"^## How to mend it$", page.text, re.MULTILINE)
    # No path of the machine the page is built on.
    assert "/" not in page.messages().split(": ")[0]
