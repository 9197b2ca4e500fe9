# SPDX-License-Identifier: MIT
"""Error numbers: the table in libemp.h has each number that library and driver return, and a test asserts each of them."""

import re
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
LIBEMP = TOP / "host/emp/libemp.h"
UAPI = TOP / "host/driver/uapi/emp_ioctl.h"
NUMBER = re.compile(r"-(E[A-Z0-9]{2,})\b")
# What programs of the library see: its files, those of host/board, and what the driver shares with both.
SOURCES = [
    path
    for folder in ("host/emp", "host/board")
    for path in sorted((TOP / folder).glob("*.[ch]"))
]
KERNEL = sorted((TOP / "host/driver").glob("*.[ch]"))
# Of the kernel, for callers that a signal kills, and commands that no program of ours has.
KERNEL_ALONE = {"EINTR", "ENOTTY"}
TESTS = sorted(
    path
    for folder in ("host", "attack", "driver", "end_to_end")
    for path in (TOP / "tests" / folder).glob("*.c")
)


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


@cache
def table() -> dict[str, str]:
    """The rows: number and meaning."""
    text = LIBEMP.read_text()
    text = text[text.index(" * Errors. ") : text.index(" * Blocking. ")]
    rows = re.findall(
        r"^ \*     -(E[A-Z0-9]+) +(\S.*(?:\n \*  {20,}\S.*)*)$", text, re.M
    )
    assert len({number for number, _ in rows}) == len(rows), "a number has two rows"
    return {number: re.sub(r"\s+\*?\s*", " ", meaning) for number, meaning in rows}


def returned(paths: list[Path]) -> dict[str, Path]:
    """Numbers that code, not comments, has, and a file of each."""
    return {
        number: path
        for path in paths
        for number in NUMBER.findall(without_comments(path.read_text()))
    }


def test_each_number_that_the_library_returns_has_a_row() -> None:
    missing = {
        number: str(path.relative_to(TOP))
        for number, path in returned(SOURCES).items()
        if number not in table()
    }
    assert not missing


def test_each_row_is_returned() -> None:
    used = returned(SOURCES) | returned(KERNEL)
    assert not set(table()) - set(used)


def test_each_number_of_the_driver_has_a_row() -> None:
    used = set(returned(KERNEL)) - KERNEL_ALONE
    assert not used - set(table())


def test_the_uapi_tells_each_number_of_its_calls() -> None:
    told = set(re.findall(r"\bE[A-Z0-9]{2,}\b", UAPI.read_text()))
    calls = [
        path
        for path in KERNEL
        if path.name
        in ("calls.c", "endpoint_submit.c", "file.c", "memory.c", "trusted.c")
    ]
    assert not set(returned(calls)) - KERNEL_ALONE - told


@pytest.mark.parametrize("number", sorted(table()))
def test_each_row_is_provoked(number: str) -> None:
    """Some test in C asserts it. Those tests run with the others."""
    asserted = [
        path
        for path in TESTS
        if re.search(rf"-{number}\b", without_comments(path.read_text()))
    ]
    assert asserted, f"no test asserts -{number}: {table()[number]}"


@pytest.mark.parametrize("header", ["host/emp/libemp.h", "host/board/board.h"])
def test_documents_name_numbers_of_the_table_alone(header: str) -> None:
    named = set(NUMBER.findall((TOP / header).read_text()))
    assert not named - set(table())


@pytest.mark.parametrize("page", sorted((TOP / "host/man").glob("*.3")), ids=str)
def test_manual_pages_name_numbers_of_the_table_alone(page: Path) -> None:
    named = set(re.findall(r"\\?-(E[A-Z0-9]{2,})\b", page.read_text()))
    assert not named - set(table())
