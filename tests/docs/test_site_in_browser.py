# SPDX-License-Identifier: MIT
"""Every page of the site in headless Chromium: no error on the console, nothing that cannot be loaded, nothing from the
network, nothing wider than the window."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.docs.browser import Browser
from tests.long_tests import one_in

TOP = Path(__file__).resolve().parents[2]
HSMC = TOP / "gen/bin/hsmc"
SPECS = [TOP / "spec/emp/emp.hsm", TOP / "spec/abp/abp.hsm"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make docs` makes it."""
    directory = tmp_path_factory.mktemp("site")
    manuals = [
        str(part)
        for manual in sorted((TOP / "docs").glob("*.md"))
        for part in ("--manual", manual)
    ]
    subprocess.run(
        [HSMC, "doc", *SPECS, "--output", directory, *manuals],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return directory


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.mark.parametrize("one_of", one_in(2, [6, 1]))
def test_every_page_opens_without_a_complaint(
    site: Path, browser: Browser, one_of: int
) -> None:
    complaints = []
    wide = []
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 100
    for page in pages[::one_of]:
        name = str(page.relative_to(site))
        browser.complaints.clear()
        browser.open(page)
        if browser.evaluate("document.documentElement.scrollWidth") > 1200:
            wide.append(name)
        complaints += [f"{name}: {complaint}" for complaint in browser.complaints]
        assert browser.evaluate("document.querySelector('h1, .home') !== null"), name
    assert complaints == []
    assert wide == []


@pytest.mark.parametrize("one_of", one_in(2, [4, 1]))
def test_narrow_windows_scroll_tables_not_pages(
    site: Path, browser: Browser, one_of: int
) -> None:
    browser.resize(700, 900)
    try:
        pages = [*sorted(site.glob("*.html")), *sorted((site / "emp").glob("*.html"))]
        wide = []
        for page in pages[::one_of]:
            browser.open(page)
            if browser.evaluate("document.documentElement.scrollWidth") > 700:
                wide.append(page.name)
        assert wide == []
    finally:
        browser.resize(1200, 900)


def test_elements_of_pictures_lead_to_the_spec(site: Path, browser: Browser) -> None:
    """States, states around others, transitions along edges and inside states: each is a link to a line."""
    for page in sorted(site.glob("*/machine-*.html")):
        browser.open(page)
        missing = browser.evaluate(
            "[...document.querySelectorAll('.picture g.edge.transition, .picture g.cluster, .picture g.state,"
            " .picture g.final, .picture g.notes')].filter((e) => !e.querySelector('a[href*=\"#L\"]')).length"
        )
        assert missing == 0, page.name
        # A row is a link of its own, also inside a state.
        rows = browser.evaluate(
            "[...document.querySelectorAll('.picture a[data-title]')].map((e) => e.dataset.title).join('\\n').split('\\n')"
        )
        ids = browser.evaluate(
            "[...document.querySelectorAll('.transitions tbody tr')].map((e) => e.querySelector('code.id').textContent)"
        )
        drawn = [name for name in ids if ".recall." not in name]
        assert drawn and set(drawn) <= set(rows), page.name


def wide_spec(states: int) -> str:
    """A machine whose states stand side by side."""
    lines = ["protocol wide", "", "process Star"]
    lines += [f"  external event to_{n}()" for n in range(states)]
    lines += ["", "  state HUB initial"]
    lines += [f"    on to_{n} -> SIDE_{n}" for n in range(states)]
    for n in range(states):
        others = ", ".join(f"to_{m}" for m in range(states) if m != n)
        lines += [
            "",
            f"  state SIDE_{n}",
            f"    on to_{n} -> HUB",
            f"    ignore {others}",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("states, scrolls", [(2, False), (9, False), (40, True)])
def test_statecharts_fit_their_page(
    tmp_path: Path, browser: Browser, states: int, scrolls: bool
) -> None:
    """A wide one is scaled, one that would become unreadable scrolls, and its states are reached by links."""
    spec = tmp_path / "wide.hsm"
    spec.write_text(wide_spec(states))
    subprocess.run([HSMC, "doc", spec, "--output", tmp_path / "site"], check=True)
    browser.open(tmp_path / "site/wide/machine-Star.html")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 1200
    shown, natural, room, content = browser.evaluate(
        "(() => { const frame = document.querySelector('.picture'); const svg = frame.firstElementChild;"
        " return [svg.getBoundingClientRect().width, Number(svg.getAttribute('width')), frame.clientWidth,"
        " frame.scrollWidth]; })()"
    )
    assert (content > room) == scrolls
    assert shown <= natural + 1
    if scrolls:
        assert 0.55 * natural < shown < 0.65 * natural
    elif states > 2:
        assert shown < natural and shown <= room
    else:
        assert abs(shown - natural) <= 1
    # The page's own shape is kept: nothing is squeezed.
    assert browser.evaluate(
        "(() => { const svg = document.querySelector('.picture svg'); const box = svg.viewBox.baseVal;"
        " const shown = svg.getBoundingClientRect();"
        " return Math.abs(shown.width / shown.height - box.width / box.height) < 0.02 * box.width / box.height; })()"
    )
    for state in ("HUB", "SIDE_0", f"SIDE_{states - 1}"):
        browser.evaluate(
            f"[...document.querySelectorAll('.legend a')].find((a) => a.textContent === '{state}').click()"
        )
        assert (
            browser.evaluate(
                "(() => { const e = document.querySelector('.picture :target'); if (!e) return 'no target';"
                " const box = e.getBoundingClientRect(); const frame = e.closest('.picture').getBoundingClientRect();"
                f" if (!e.textContent.includes('{state}')) return e.textContent;"
                " return box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= 0 && box.bottom <= innerHeight; })()"
            )
            is True
        ), state


def test_the_tests_would_see_what_is_wrong(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<link rel="icon" href="data:,"><script src="missing.js"></script>'
        '<img src="http://nowhere.invalid/x.png"><script>console.error("oh"); oops()</script>'
    )
    browser.complaints.clear()
    browser.open(page)
    found = "\n".join(browser.complaints)
    assert "request failed: net::ERR_FILE_NOT_FOUND" in found
    assert "asks the network for http://nowhere.invalid/x.png" in found
    assert "console: oh" in found
    assert "oops is not defined" in found
    browser.complaints.clear()
