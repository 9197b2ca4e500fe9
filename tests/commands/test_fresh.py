# SPDX-License-Identifier: MIT
"""What `make fresh` concludes from outputs and reports of its commands."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts import fresh  # noqa: E402

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a.test_one" name="test_runs"/>
<testcase classname="tests.a.test_one" name="test_known"><skipped message="needs parallel"/></testcase>
<testcase classname="tests.a.test_one" name="test_other[x]"><skipped message="no terminal"/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", (0, 1)),
        ("collected\n3066 passed, 2 failed, 5 skipped\n", (3066, 2)),
        ("1 passed, 1 failed\nmore\n3 passed, 0 failed\n", (3, 0)),
        ("it says 3 passed, 0 failed somewhere\n", (0, 1)),
    ],
)
def test_counts_come_from_the_closing_line(
    text: str, expected: tuple[int, int]
) -> None:
    assert fresh.counts(text) == expected


def test_a_skip_without_a_reason_in_the_list_fails(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    allowed = fresh.allowed_skips("# comment\n\n*test_one::test_kn*  # why\n")
    assert allowed == ["*test_one::test_kn*"]
    assert fresh.unexpected_skips(report, allowed) == [
        "tests.a.test_one::test_other[x]: no terminal"
    ]


def test_what_is_missing_is_told_singly() -> None:
    text = "ld: cannot find libclang_rt.a: No such file\nfine\nld: cannot find libclang_rt.a: No such file\n"
    assert fresh.missing_lines(text) == ["ld: cannot find libclang_rt.a: No such file"]


def test_each_skip_that_is_allowed_has_a_reason() -> None:
    for line in fresh.SKIPS.read_text().splitlines():
        if line and not line.startswith("#"):
            assert line.partition("#")[2].strip(), line
