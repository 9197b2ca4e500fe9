# SPDX-License-Identifier: MIT
"""The sources may lie in a directory with a name so short that it occurs everywhere."""

from pathlib import Path

import pytest

from tests.places import tells_place

PLACE = Path("/p")


@pytest.mark.parametrize(
    "text",
    ["/p", "in /p.", '"/p/spec/a.hsm"', "file:///p/a", "-I/p/gen", "a=/p", "</p> /p"],
)
def test_named(text: str) -> None:
    assert tells_place(text, PLACE)


@pytest.mark.parametrize(
    "text",
    ["</p>", "a/p", "fw/port.h", "/proc", "/p-1/a", "/p.c", "../p", "/", "x/p/y"],
)
def test_not_named(text: str) -> None:
    assert not tells_place(text, PLACE)
