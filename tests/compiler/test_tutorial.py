"""The ten steps of docs/language.md, done as a reader would: blocks put into a file, commands run, output compared.

HSMC_REFRESH=1 writes what the commands print into the manual.
"""

import os
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
MANUAL = TOP / "docs/language.md"
BLOCK = re.compile(
    r"^```(hsm step|hsm slip|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
DECLARATION = re.compile(r"(?:external )?(\w+)(?: (\w+))?")


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
            timeout=60,
        )
        lines.append(line)
        lines += [each.rstrip() for each in result.stdout.rstrip("\n").split("\n")]
        if not result.stdout:
            lines.pop()
    return "\n".join(lines) + "\n"


def test_steps(tmp_path: Path) -> None:
    manual = MANUAL.read_text()
    tutorial = manual.split("\n## Ten steps", 1)[1].split("\n## ", 1)[0]
    assert len(re.findall(r"^### Step \d+: ", tutorial, re.MULTILINE)) == 10
    spec: dict[str, str] = {}
    file = tmp_path / "abp.hsm"
    refreshed = tutorial
    for match in BLOCK.finditer(tutorial):
        if match[1] == "hsm step":
            spec = merged(spec, match[2])
            file.write_text(written(spec))
        elif match[1] == "hsm slip":
            file.write_text(written(merged(spec, match[2])))
        else:
            found = console(match[2], tmp_path)
            refreshed = refreshed.replace(match[0], f"```console\n{found}```", 1)
            file.write_text(written(spec))
    if os.environ.get("HSMC_REFRESH"):
        MANUAL.write_text(manual.replace(tutorial, refreshed))
    else:
        assert refreshed == tutorial
