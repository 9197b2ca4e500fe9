# SPDX-License-Identifier: MIT
"""Values of make's variables that cannot be meant are refused before anything is made (scripts/variables.mk)."""

import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
TABLE = re.compile(r"^(?:ONE_OF|EACH_OF|EXISTS)_(\w+) +:?=|\$\(call numbers,[^,]*,([\w ]+)\)", re.M)  # fmt: skip
# Anything may be said of these; gates.py looks at AGAIN itself.
FREE = {"BUILD", "PREFIX", "DESTDIR", "AGAIN", "TIGON_IMAGE_NAME", "LTO_OBJECTS", "LTO_LINK", "PAGE"}  # fmt: skip


def make(
    *arguments: str, goal: tuple[str, ...] = ("-n", "clean")
) -> tuple[int, str, str]:
    result = subprocess.run(
        ["make", "--no-print-directory", *arguments, *goal],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize(
    "said, told",
    [
        ("PROFILE=moder", "one of modern paper stop_and_wait windowed, found 'moder'; did you mean 'modern'?"),
        ("PLACEMENT=dsr", "found 'dsr'; did you mean 'DSR'?"),
        ("PLACEMENT=base", "one of DSR RO SO SR dynamic, found 'base'"),
        ("NAME=emq", "did you mean 'emp'?"),
        ("NAME=emp abp", "found 'emp abp'"),
        ("NODES=1000", "a number from 2 to 256, found '1000'"),
        ("BOARDS=32", "one of 2 4 8 16, found '32'"),
        ("FRAMES=1e6", "a number from 1 to"),
        ("FW_CHECKS=ROOM RNGE", "found 'RNGE'; did you mean 'RANGE'?"),
        ("OPERATORS=drop-rows", "did you mean 'drop-row'?"),
        ("NIC_TRACE=2", "one of 0 1"),
        ("FILE=it's not there", "something that is there, found 'it's not there'"),
        ("TIGON_IMAGE=none.bin:prefix", "found 'none.bin'"),
        ("SPEC_emp=none.hsm", "found 'none.hsm'"),
        ("PLACMENT=DSR", "there is no variable PLACMENT; did you mean 'PLACEMENT'?"),
        ("OPTIONS_epm=--set=mtu=9000", "did you mean 'OPTIONS_emp'?"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_with_what_is_near(
    said: str, told: str
) -> None:
    status, out, errors = make(said)
    assert (status, out) == (2, "") and told in errors, errors


def test_what_can_be_meant_is_taken() -> None:
    values = ["PROFILE=modern", "PLACEMENT=DSR", "NAME=abp", "NODES=64", "BOARDS=16"]
    values += [
        "SEED=0",
        "FW_CHECKS=ROOM RANGE",
        "CHECKED=ALL",
        "FILE=README.md",
        "RUNS=",
    ]
    values += ["TIGON_IMAGE=Makefile:prefix", "OPTIONS_emp=--set=mtu=9000 --set=x=1"]
    status, out, errors = make(*values)
    assert (status, errors) == (0, "") and "rm -rf" in out


def test_the_manuals_name_no_variable_that_is_looked_at_nowhere() -> None:
    known = set(FREE)
    for one, several in TABLE.findall((TOP / "scripts/variables.mk").read_text()):
        known |= {one, *several.split()}
    pages = [TOP / "README.md", TOP / "CONTRIBUTING.md", *TOP.glob("docs/**/*.md")]
    texts = [page.read_text().replace("\\\n", " ") for page in pages]
    texts.append(make(goal=("help",))[1])
    named = set()
    for command in re.findall(r"\bmake [^`#|\n]*", "\n".join(texts)):
        named |= set(re.findall(r"\b([A-Z][A-Z_]+)=", command))
    assert {"PROFILE", "MESSAGES", "PLAIN"} <= named
    assert {name for name in named - known} == set()
