# SPDX-License-Identifier: MIT
"""Two features meet on boards where one world of a campaign shows both."""

from __future__ import annotations

from pathlib import Path

import pytest

from hsmc.failure import Failure
from hsmc.verification import features_on_boards
from hsmc.verification.features_on_boards import Boards
from tests.verification.test_features_that_meet import APART, FEATURES

DEEDS = ["restart", "cancel"]
MORE = """
[[feature]]
name   = "restarted"
of     = []
shown  = ["one.fault.restart.0"]
boards = ["restart"]

[[feature]]
name   = "hidden"
of     = []
shown  = ["A.CHOOSING.*"]
boards = []
"""
LEFT, RIGHT, OTHER = 0, 1, 2
NAMES = b"""protocol fork
profile wide
hash 0x12
file fork.hsm
transition A.CHOOSING.left.0
transition A.CHOOSING.right.0
transition A.LEFT.go.0
symbol 0x4000 4 start
"""


def boards(directory: Path, text: str = FEATURES + MORE) -> Boards:
    (directory / "fork_features.toml").write_text(text)
    program = directory / "image"
    program.write_bytes(b"\x7fELF\0protocol \0" + NAMES + b"\0" + NAMES)
    return features_on_boards.read(directory / "fork_features.toml", program, DEEDS)


def test_what_shows_a_feature(tmp_path: Path) -> None:
    """The rows of `shown`; `boards` instead, if it is there."""
    assert boards(tmp_path).shown == {
        "left": {"A.CHOOSING.left.0"},
        "right": {"A.CHOOSING.right.0"},
        "begun": set(),
        "restarted": {"restart"},
        "hidden": set(),
    }


def test_worlds_are_counted_apart(tmp_path: Path) -> None:
    """What one world has shown does not count for the next."""
    counted = boards(tmp_path)
    counted.add([LEFT, OTHER], [])
    counted.add([RIGHT, LEFT], ["cancel"])
    counted.add([RIGHT], ["restart"])
    assert counted.record() == {
        "of": "fork, profile wide",
        "worlds": 3,
        "met": [
            ["left", "left", 2],
            ["left", "right", 1],
            ["restarted", "restarted", 1],
            ["restarted", "right", 1],
            ["right", "right", 2],
        ],
    }


def test_sums_of_two_campaigns(tmp_path: Path) -> None:
    one, other = boards(tmp_path), boards(tmp_path)
    for counted in (one, other):
        counted.add([RIGHT, LEFT], [])
    other.add([LEFT], ["restart"])
    one.add_record(other.record())
    assert (one.worlds, one.met["left", "right"]) == (3, 2)
    assert one.met["left", "restarted"] == 1


def test_report(tmp_path: Path) -> None:
    counted = boards(tmp_path, FEATURES + MORE + APART)
    counted.add([LEFT], [])
    counted.add([], ["restart"])
    assert counted.report() == [
        "features of fork, profile wide: 0 of 10 pairs have met in 2 worlds",
        "  left not with restarted",
        "  in no world: right",
        "  boards cannot show: begun, hidden",
    ]
    counted.add([LEFT, RIGHT], ["restart"])
    assert counted.report() == [
        "features of fork, profile wide: 3 of 10 pairs have met in 3 worlds",
        "  boards cannot show: begun, hidden",
        "  left in no search with right",
    ]


def test_page(tmp_path: Path) -> None:
    apart = APART.replace('["right"]', '["right", "begun"]')
    counted = boards(tmp_path, FEATURES + MORE + apart)
    counted.add([LEFT, RIGHT], [])
    counted.add([LEFT], [])
    counted.add([], ["restart"])
    page = counted.page("campaign --seed 1")
    assert "    campaign --seed 1\n" in page and "in how many of 3 worlds" in page
    assert page.split("\n## fork, profile wide\n\n")[1].splitlines() == [
        "| | | 1 | 2 | 3 | 4 | 5 |",
        "|--:|---|--:|--:|--:|--:|--:|",
        "| 1 | left | 2 |  |  |  |  |",
        "| 2 | right | 1 a | 1 |  |  |  |",
        "| 3 | begun | a | - | - |  |  |",
        "| 4 | restarted | 0 | 0 | - | 1 |  |",
        "| 5 | hidden | - | - | - | - | - |",
        "",
        "* a: One way is taken, and no other after it.",
        "",
        "### In searches, not on boards",
        "",
        "* left not with restarted",
        "* restarted not with right",
        "* boards cannot show: begun, hidden",
        "",
        "### On boards, not in searches",
        "",
        "* left with right",
    ]


def test_lists_and_rows_that_differ_have_sums_that_differ(tmp_path: Path) -> None:
    one = boards(tmp_path).digest
    assert boards(tmp_path).digest == one
    assert boards(tmp_path, FEATURES).digest != one


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MORE.replace('"restart"', '"restrat"'), "feature 1: the campaign has no restrat; did you mean 'restart'?"),
        (MORE.replace('"restart"', '"x"'), "the campaign has no x; it has restart, cancel"),
        (MORE.replace('"restart"', '"A.GONE.go.*"'), "feature 1: the spec has no row A.GONE.go.*"),
        (FEATURES + MORE.replace("hidden", "left"), "each of another name"),
    ],
)  # fmt: skip
def test_a_wrong_list(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Failure) as failure:
        boards(tmp_path, text)
    assert said in str(failure.value)


def test_a_program_without_names(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"protocol fork\nhash 0x12\nfile fork.hsm\n")
    with pytest.raises(Failure) as failure:
        features_on_boards.rows_in(program)
    assert "has no names of rows" in str(failure.value)
