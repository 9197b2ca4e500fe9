# SPDX-License-Identifier: MIT
"""A tutorial done as a reader would: blocks put into a file, commands run, output compared with the page.

A page marks its blocks: `hsm step` changes the file for good, `hsm slip` for the next commands only, `console` holds commands
behind `$` and what they print. HSMC_REFRESH=1 writes what they print into the page.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^```(hsm step|hsm slip|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
DECLARATION = re.compile(r"(?:external )?(\w+)(?: (\w+))?")
# What differs from run to run: memory and seconds of a search.
VARYING = [
    (
        re.compile(r"^(  (?:safety|liveness) +\w+ +\d+ +\d+) +\d+ +\d+\.\d+", re.M),
        r"\1",
    ),
    (re.compile(r"; \d+\.\d s$", re.M), ""),
]


def declarations(text: str) -> dict[str, str]:
    """By kind and name, in order."""
    found: dict[str, str] = {}
    for chunk in re.split(r"^(?=\w)", text, flags=re.MULTILINE):
        match = DECLARATION.match(chunk)
        if match:
            found[f"{match[1]} {match[2]}"] = chunk.rstrip("\n") + "\n"
    return found


def merged(spec: dict[str, str], text: str) -> dict[str, str]:
    return {**spec, **declarations(text)}


def written(spec: dict[str, str]) -> str:
    return "\n".join(spec.values())


def console(block: str, directory: Path) -> str:
    """The block with the output of its commands as it is now."""
    environment = {
        **os.environ,
        "PATH": f"{TOP / 'gen/bin'}:{os.environ['PATH']}",
        "COLUMNS": "120",
    }
    lines: list[str] = []
    for line in block.split("\n"):
        if not line.startswith("$ "):
            continue
        result = subprocess.run(
            ["sh", "-c", line[2:]],
            cwd=directory,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
        )
        lines.append(line)
        lines += [each.rstrip() for each in result.stdout.rstrip("\n").split("\n")]
        if not result.stdout:
            lines.pop()
    return "\n".join(lines) + "\n"


def masked(text: str) -> str:
    for pattern, by in VARYING:
        text = pattern.sub(by, text)
    return text


def follow(page: Path, section: str, file: Path, beginning: str = "") -> None:
    """Does what a section of a page says. `section` is its heading; `file` is the spec its blocks change."""
    whole = page.read_text()
    tutorial = whole.split(f"\n## {section}", 1)[1].split("\n## ", 1)[0]
    spec = declarations(beginning)
    refreshed = tutorial
    for match in BLOCK.finditer(tutorial):
        if match[1] == "hsm step":
            spec = merged(spec, match[2])
            file.write_text(written(spec))
        elif match[1] == "hsm slip":
            file.write_text(written(merged(spec, match[2])))
        else:
            found = console(match[2], file.parent)
            if masked(found) != masked(match[2]):
                refreshed = refreshed.replace(match[0], f"```console\n{found}```", 1)
            file.write_text(written(spec))
    if os.environ.get("HSMC_REFRESH"):
        page.write_text(whole.replace(tutorial, refreshed))
    else:
        assert refreshed == tutorial
