# SPDX-License-Identifier: MIT
"""What verdicts say befalls frames, nodes and hosts, and what a world can do and does not with the bounds of a check."""

from __future__ import annotations

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "gen"))

from hsmc.verification.subject import Subject  # noqa: E402

SPEC = """\
protocol t
constant desks = 2
device send(n: u8)
process P
  external event data(n: u8)
  external event go()
  variable last: u8
  state A initial
    on data(n) / last := n
    on go      / send(last)
world w
  nodes one, two
  bound guests    = 0
  bound copies    = 0
  bound in_flight = 1
  link loses repeats copies reorders
  variable gone: u8
  wire send(n) -> P.data(n)
  host P.go() at one
  host P.go() at two when guests > 0 and gone == 0 "Late guests."
  fault P.go() at n for n in one..two when desks < guests and gone < 3 "want of desks"
  fault P.data(1) at one when gone < copies "noise"
  fault P.data(2) at one when gone == 0 "strangers"
check nobody
  world guests = 0
check few
  world guests = 1, copies = 1, in_flight = 2, in_flight_liveness = 1
check many
  world guests = 2
  set desks = 1
"""


def test_what_befalls_nodes_depends_on_the_check(tmp_path: Path) -> None:
    spec = tmp_path / "t.hsm"
    spec.write_text(SPEC)
    subject = Subject(spec, tmp_path)
    told = {
        (search.check, search.kind): (search.faults, search.other_faults, search.absent)
        for search in subject.searches(engines=["c"])
    }
    limited = "duplication up to a limit"
    assert told["nobody", "safety"] == (
        ["loss"],
        ["strangers"],
        ["reordering", limited, "Late guests", "want of desks", "noise"],
    )
    assert told["few", "safety"] == (
        ["loss", "reordering"],
        [limited, "Late guests", "noise", "strangers"],
        ["want of desks"],
    )
    assert told["few", "liveness"][0] == ["loss"]
    assert told["many", "safety"][1] == ["Late guests", "want of desks", "strangers"]
