# SPDX-License-Identifier: MIT
"""The tables of docs/board-model.md that the simulator itself knows: knobs, and registers as measured.

HSMC_REFRESH=1 writes them anew.
"""

import os
import subprocess
from pathlib import Path

PAGE = Path("docs/board-model.md")
MEASURED = Path("tests/acceptance/golden/registers.txt")
TIGONSIM = Path("build/tigonsim")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def compare(section: str, wanted: str) -> None:
    """The text between the section's marks; with HSMC_REFRESH it is replaced."""
    page = PAGE.read_text()
    mark = f"<!-- {section} -->\n"
    assert page.count(mark) == 1, f"{PAGE} needs the mark {mark!r} once"
    before, rest = page.split(mark)
    found, after = rest.split("<!-- end -->\n", 1)
    if os.environ.get("HSMC_REFRESH"):
        PAGE.write_text(f"{before}{mark}{wanted}<!-- end -->\n{after}")
        return
    assert (
        found == wanted
    ), f"the table '{section}' of {PAGE} is not what the simulator says; HSMC_REFRESH=1 writes it"


def test_knobs() -> None:
    """`tigonsim knobs` prints name, value, unit and reason in columns."""
    printed = subprocess.run(
        [TIGONSIM, "knobs"], stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    rows = []
    for line in printed.splitlines():
        name, rest = line.split(None, 1)
        value, rest = rest.split(None, 1)
        unit, reason = rest[:20].strip(), rest[20:].strip()
        rows.append([f"`{name}`", value, unit, reason])
    assert len(rows) > 50
    compare("knobs", table(["knob", "default", "unit", "reason"], rows))


def test_registers() -> None:
    """Consecutive words that behave alike share a line."""
    groups: list[tuple[str, str, list[str]]] = []
    for line in MEASURED.read_text().splitlines()[1:-1]:
        offset, reset, ones, zeros, clears, name = line.split(None, 5)
        changes = f"{int(ones, 16) ^ int(zeros, 16):08X}"
        behaviour = [name, reset, changes, clears]
        follows = groups and int(offset, 16) == int(groups[-1][1], 16) + 4
        if follows and groups[-1][2] == behaviour:
            groups[-1] = (groups[-1][0], offset, behaviour)
        else:
            groups.append((offset, offset, behaviour))
    rows = [
        [first if first == last else f"{first}-{last}", *behaviour]
        for first, last, behaviour in groups
    ]
    assert len(rows) > 70
    compare(
        "registers", table(["offset", "register", "reset", "changes", "clears"], rows)
    )
