# SPDX-License-Identifier: MIT
"""The manual pages: every function is on one, as its header declares it; examples compile; nothing is misspelt for man."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.tools.installed import EMP, PREFIX, TOP, clean, compiled, install

PAGES = sorted((TOP / "host/man").iterdir())
CALLS = [page for page in PAGES if page.suffix == ".3"]
HEAD = "#include <libemp.h>\n#include <stdio.h>\n"


def section(page: Path, name: str) -> str:
    text = page.read_text()
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", text, re.M | re.S)
    return found[1] if found else ""


def prototypes(text: str) -> dict[str, str]:
    """By name, without blanks and attributes."""
    plain = re.sub(r"/\*.*?\*/|(?:BOARD|LIBEMP)_CHECKED ", "", text, flags=re.S)
    found = re.findall(
        r"((?:^|(?<=[;}\n]))[\w \*]*?\b((?:libemp|board)_\w+)\([^;{}()]*\));", plain
    )
    return {name: re.sub(r"\s+", "", whole) for whole, name in found}


def declared() -> dict[str, str]:
    return {
        **prototypes((TOP / "host/emp/libemp.h").read_text()),
        **prototypes((TOP / "host/board/board.h").read_text()),
    }


def test_every_function_is_on_one_page_as_declared() -> None:
    stated: dict[str, str] = {}
    for page in CALLS:
        lines = re.findall(r'^\.B "(.*)"$', section(page, "SYNOPSIS"), re.M)
        here = prototypes("\n".join(lines).replace('""', '"'))
        names = section(page, "NAME").split(r" \- ")[0].split(", ")
        assert names == list(here), page.name
        assert not stated.keys() & here.keys()
        stated.update(here)
    assert stated == declared() and len(stated) > 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_render_without_warnings(page: Path) -> None:
    result = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
        env=clean(LC_ALL="C.UTF-8", MANROFFSEQ=""),
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0 and result.stderr == b"", result.stderr


def test_examples_compile(tmp_path: Path) -> None:
    install()
    for page in PAGES:
        example = section(page, "EXAMPLE")
        if page.suffix == ".1":
            continue
        code = re.search(r"^\.EX\n(.*?)^\.EE", example, re.M | re.S)
        assert code, f"{page.name} has no example"
        source = tmp_path / f"{page.stem}.c"
        text = code[1].replace(r"\e", "\\")
        whole = "int main(" in text
        source.write_text(text if whole else HEAD + text)
        compiled(source, tmp_path / page.stem, *([] if whole else ["-c"]))


def test_every_function_has_an_installed_page() -> None:
    install()
    pages = PREFIX / "share/man/man3"
    groups = {page.stem for page in CALLS}
    assert {path.stem for path in pages.iterdir()} == groups | set(declared())
    for path in pages.iterdir():
        text = path.read_text()
        target = re.fullmatch(r"\.so (man3/\w+\.3)\n", text)
        assert text.startswith('.\\" SPDX') or (
            target and (pages.parent / target[1]).exists()
        )


def test_the_commands_are_on_their_page() -> None:
    install()
    told = subprocess.run(
        [EMP, "--help"], capture_output=True, text=True, check=True
    ).stdout
    commands = re.findall(r"^  (\w+) ", told, re.M)
    described = section(TOP / "host/man/emp.1", "COMMANDS")
    found = re.findall(r'^\.BR? "?(\w+)(?:.*, "? ?(\w+))?', described, re.M)
    assert {name for names in found for name in names if name} >= set(commands)


def complete(*words: str) -> list[str]:
    """What bash offers for the last word."""
    script = (
        f"source {PREFIX}/share/bash-completion/completions/emp\n"
        f"COMP_WORDS=({' '.join(words)}) COMP_CWORD={len(words) - 1}\n"
        f"_emp {EMP}\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    listed = subprocess.run(
        ["bash", "-c", script.replace("(emp", f"({EMP}")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not listed.stderr
    return listed.stdout.split()


def test_completion() -> None:
    install()
    assert complete("emp", "pe") == ["perf"]
    assert complete("emp", "i") == ["install", "info", "image"]
    assert complete("emp", "load", "--f") == ["--force"]
    assert complete("emp", "perf", "--test", "s") == ["stream"]
    assert "--board" in complete("emp", "stat", "-")
