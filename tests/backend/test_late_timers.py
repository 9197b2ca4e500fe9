# SPDX-License-Identifier: MIT
"""A timer with a computed duration is armed behind what its row raises, where nothing can tell the difference."""

from __future__ import annotations

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "gen"))

import hsmc  # noqa: E402
from hsmc.backends import backend_c  # noqa: E402

SPEC = """protocol t
table Pace[1] written by Teller
  pause: u32 range 0..1000
  told:  u32
function pause(): u32 = Pace[0].pause + 1
device tell(number: u32)
action note()
  {noted}
  tell(Pace[0].told)
process Waiter
  external event go()
  event stop()
  state IDLE initial
    on go                / raise Teller.told()  -> WAITING
    ignore stop
  state WAITING
    on stop              -> IDLE
    after pause()        -> IDLE
    ignore go
process Teller
  event told()
  state READY initial
    on told              / note(){after}
"""


def order(tmp_path: pathlib.Path, noted: str, after: str) -> tuple[int, int]:
    """Where the function of the event arms the timer, and where it calls what it raises."""
    path = tmp_path / "t.hsm"
    path.write_text(SPEC.format(noted=noted, after=after))
    files = backend_c.generate(hsmc.compile_spec(str(path)))
    text = files["t.c"]
    body = text[text.index("static T_HOT void t_on_waiter_go(void)\n{") :]
    return body.index("T_TIMER_ARM("), body.index("t_on_teller_told();")


def test_armed_last(tmp_path: pathlib.Path) -> None:
    arming, raising = order(tmp_path, "Pace[0].told := Pace[0].told + 1 & 7", "")
    assert raising < arming


@pytest.mark.parametrize(
    "noted, after",
    [
        pytest.param(
            "Pace[0].pause := Pace[0].told & 7", "", id="the duration changes"
        ),
        pytest.param(
            "Pace[0].told := 1", "; raise Waiter.stop()", id="the timer is stopped"
        ),
    ],
)
def test_armed_before(tmp_path: pathlib.Path, noted: str, after: str) -> None:
    arming, raising = order(tmp_path, noted, after)
    assert arming < raising
