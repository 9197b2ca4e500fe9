# SPDX-License-Identifier: MIT
"""A timer with a computed duration is armed between what a row does and what it raises, and a world may see it: the two
engines arm it at the same moment."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from hsmc import compile_spec
from hsmc.backends import backend_c, backend_promela
from hsmc.late_timers import LateTimers
from tests.verification.test_verification import hsmc

ARMED = Path(__file__).parent / "armed"


@pytest.mark.parametrize("name", ["actions_first", "raises_last"])
@pytest.mark.parametrize("holds", [True, False])
def test_both_engines_arm_at_the_same_moment(
    name: str, holds: bool, tmp_path: Path
) -> None:
    """What the world sees then holds, and its contrary is violated, in both."""
    text = (ARMED / f"{name}.hsm").read_text()
    if not holds:
        before, seen = text.split("_when_told: ")
        negated = seen[4:] if seen.startswith("not ") else f"not {seen}"
        text = f"{before}_when_told: {negated}"
    (tmp_path / "order.hsm").write_text(text)
    result = hsmc(tmp_path, "verify", "order.hsm", "--kind", "safety")
    verdict = "holds, exhaustive" if holds else "VIOLATED: "
    assert result.stdout.count(verdict) == 2, result.stdout + result.stderr
    assert "the two back ends differ" not in result.stderr


@pytest.mark.parametrize(
    "world, late",
    [
        pytest.param("observe told() / note := 1", True, id="nothing of timers"),
        pytest.param("observe told() / note := 1 if timers_stopped else 2", False),
        pytest.param(
            "function rests(): bool = timers_stopped\n"
            "  function idle(): bool = rests()\n"
            "  observe told()\n    if idle()\n      note := 1",
            False,
            id="by a function that calls another",
        ),
        pytest.param("observe told() / note := 1 if quiet else 2", True, id="quiet"),
        pytest.param(
            "host nothing at only when timers_stopped and note < 2 / note := 2\n"
            "  observe told() / note := 1 if quiet else 2",
            False,
            id="quiet, where a host looks at timers",
        ),
        pytest.param("observe step / note := 1 if timers_stopped else 2", True),
        pytest.param("observe other() / note := 1 if timers_stopped else 2", True),
        pytest.param(
            "bound in_flight = 1\n"
            "  wire told() when timers_stopped -> P.go(1) at only",
            False,
            id="a wire",
        ),
        pytest.param(
            "bound in_flight = 1\n"
            "  wire told() -> P.go(1) at only when timers_stopped",
            True,
            id="a wire, on arrival",
        ),
    ],
)
@pytest.mark.parametrize("check", [None, "main", "elsewhere"])
def test_what_of_a_world_sees_it(
    check: Optional[str], world: str, late: bool, tmp_path: Path
) -> None:
    """With any check and without: the code of the nodes is the same."""
    text = (ARMED / "raises_last.hsm").read_text()
    head, _, tail = text.partition("  observe told()")
    _, _, tail = tail.partition("\n")
    text = f"{head}  variable note: u8\n  {world}\n{tail}".replace(
        "device told()", "device told()\ndevice other()"
    )
    text = text.replace("check main\n", "check main in one\n")
    text = text.replace("host P", "always timed_when_told: true\n  host P")
    text += (
        "\nworld two\n  nodes only\n  variable n: u8\n  host P.go(1) at only\n"
        "  always timed_when_told: n == 0\n  end when n == 0\n\ncheck elsewhere in two\n"
    )
    text = text.replace(
        "check elsewhere in two\n", "check elsewhere in two\n  world nightly = 0\n"
    )
    spec = tmp_path / "order.hsm"
    spec.write_text(text)
    protocol = compile_spec(str(spec), check)
    (row,) = (row for row in protocol.rows() if row.id == "P.IDLE.go.0")
    assert row.raises == (("Q", "note"),)
    assert LateTimers(protocol).in_row(row) == late


def test_rows_that_a_model_leaves_out_count() -> None:
    """A row that cannot be taken arms a timer: in C and in Promela alike, what raises its event is not late."""
    protocol = compile_spec(str(ARMED / "left_out.hsm"))
    text = backend_promela.generate(protocol)["order.pml"]
    row = text[text.index("/* P.IDLE.go.0,") :]
    assert row.index("hsm_timer_arm(") < row.index("order_on_q_note()")
    code = backend_c.generate(protocol)["order.c"]
    row = code[code.index("void order_on_p_go(") :]
    row = row[row.index("{") :]
    assert row.index("ORDER_TIMER_ARM(") < row.index("order_on_q_note(")
