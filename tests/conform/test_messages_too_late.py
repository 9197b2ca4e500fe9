# SPDX-License-Identifier: MIT
"""hsmc conform: a message for a record that has had its end, or has been released since, is answered with IGNORED."""

from pathlib import Path

import pytest

import hsmc
from hsmc.conformance.conform import Conformance
from hsmc.conformance.trace_file import parse_trace

SPEC = Path(__file__).resolve().parents[1] / "backend/messages/late.hsm"

BEGUN = """event Clerk.order 7
row 10 0 0
device put_Packer_pack 1 7
verdict 0
event Packer.pack 1 7
row 10 5 1
verdict 0
"""
ENDED = """event Packer.wrapped 1
row 10 7 1
device put_Clerk_packed 1
verdict 0
"""
HINTED = """event Clerk.hint 3
row 10 2 0
device put_Packer_hint 1 3
verdict 0
"""
RELEASED = """event Clerk.packed 1
row 10 4 0
device tell 7
verdict 0
"""
HEARD = """event Packer.hint 1 3
row 10 6 1
device wrap 3
verdict 0
"""
LATE = """event Packer.hint 1 3
verdict 1
"""


def findings(tmp_path: Path, body: str) -> list[str]:
    protocol = hsmc.compile_spec(SPEC)
    head = f"hsmc-trace 1\nstart events\nprotocol late {protocol.hash:x}\nplacement TWO\nreturn\n"
    lines = (head + body + "end\n").splitlines(keepends=True)
    (run,) = parse_trace(tmp_path / "trace", lines).runs
    found = Conformance(protocol).check_run(run).findings
    return [finding.what for finding in found]


@pytest.mark.parametrize(
    "body",
    [
        BEGUN + HINTED + HEARD,
        BEGUN + ENDED + HINTED + LATE,
        BEGUN + ENDED + HINTED + RELEASED + LATE,
        BEGUN
        + ENDED
        + HINTED
        + RELEASED
        + BEGUN.partition("event Packer")[0]
        + LATE
        + "event Packer.pack 1 7\nrow 10 5 1\nverdict 0\n"
        + HINTED
        + HEARD,
    ],
    ids=["in time", "after the end", "free", "in use again"],
)
def test_late_messages_are_ignored(tmp_path: Path, body: str) -> None:
    assert not findings(tmp_path, body)


@pytest.mark.parametrize(
    "body, what",
    [
        (BEGUN + HINTED + LATE, "Packer.hint(1, 3): nothing"),
        (
            BEGUN + ENDED + HINTED + HEARD,
            "{hint} starts in PACKING, but Packer[1] is in DONE since line 14",
        ),
    ],
    ids=["in time", "after the end"],
)
def test_no_others_are(tmp_path: Path, body: str, what: str) -> None:
    protocol = hsmc.compile_spec(SPEC)
    (found,) = findings(tmp_path, body)
    rows = [r.id for p in protocol.processes for h in p.handlers for r in h.rows]
    assert found == what.format(hint=rows[6])
