# SPDX-License-Identifier: MIT
"""The C of each processor where a placement divides a protocol: `hsmc build --placement`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hsmc.commands.main import main

SPEC = """
protocol shop

device tell(number: u16)
counter orders

pool Job[4] written by Worker, created by Worker
  number: u16

function twice(number: u16): u16 = u16(number + number)

action keep(number: u16)
  Shelf[0].number := twice(number)

table Shelf[4] written by Clerk
  number: u16

property shelf_is_even safety = Shelf[0].number & 1 == 0
  "What is on the shelf is even."

process Clerk
  external event order(number: u16)

  state OPEN initial
    on order(number)  / count orders; keep(number)  -> BUSY
  state BUSY
    after 10          / tell(1)                      -> OPEN
    on order(number)  / count orders

process Worker(j: Job)
  external event begin(number: u16) creates
  external event stop()

  state IDLE initial
    on begin(number)  / j.number := number; count orders  -> BUSY
    never stop
  state BUSY
    on stop           / tell(j.number); release j          -> DONE
    never begin
  state DONE
    never begin, stop

{placements}
"""
TWO = """placement TWO "Side by side."
  Clerk on A
  Worker on B
"""


def build(tmp_path: Path, placements: str, name: str) -> int:
    spec = tmp_path / "shop.hsm"
    spec.write_text(SPEC.replace("{placements}", placements))
    return main(["build", str(spec), "--output", str(tmp_path), "--placement", name])


def test_a_unit_has_its_processes_and_what_they_reach(tmp_path: Path) -> None:
    assert build(tmp_path, TWO, "TWO") == 0
    a, b = ((tmp_path / f"shop_{unit}.c").read_text() for unit in "ab")
    whole = (tmp_path / "shop.c").read_text()
    for text in ("shop_on_clerk_order", "shop_keep", "shop_twice", "SHELF_IS_EVEN"):
        assert text.lower() in a.lower() and text.lower() not in b.lower(), text
        assert text.lower() in whole.lower()
    for text in ("shop_on_worker_begin", "shop_job_create_", "shop_job_release_"):
        assert text in b and text not in a and text in whole
    assert "case SHOP_TIMER_CLERK_BUSY" in a and "case SHOP_TIMER_CLERK_BUSY" not in b
    # The numbers are those of the whole protocol.
    rows = [f"SHOP_TRACE({row}u" for row in range(5)]
    assert [row in a for row in rows] == [True, True, True, False, False]
    assert [row in b for row in rows] == [False, False, False, True, True]


@pytest.mark.parametrize(
    "placements, name, told",
    [
        (
            'placement ONE "All on A."\n  Clerk, Worker on A\n',
            "ONE",
            "expected some on each of A and B",
        ),
        (TWO, "THREE", "THREE"),
    ],
)
def test_other_placements_are_refused(
    tmp_path: Path,
    placements: str,
    name: str,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert build(tmp_path, placements, name) != 0
    assert told in capsys.readouterr().err
    assert not (tmp_path / "shop_a.c").exists()


def test_either_processor_runs_the_c_of_one(tmp_path: Path) -> None:
    either = 'placement EITHER "As free."\n  Clerk, Worker on A or B\n'
    assert build(tmp_path, either, "EITHER") == 0
    both = (tmp_path / "shop.c").read_text()
    assert sorted(path.name for path in tmp_path.glob("*.c")) == ["shop.c"]
    assert main(["build", str(tmp_path / "shop.hsm"), "--output", str(tmp_path)]) == 0
    assert (tmp_path / "shop.c").read_text() == both


def test_the_port_learns_that_either_processor_runs_it(tmp_path: Path) -> None:
    """Nothing else in the C that an image has differs from an image for one processor."""
    texts = []
    options: tuple[list[str], ...] = ([], ["--placement", "dynamic"])
    for placement in options:
        into = tmp_path / "-".join(["emp", *placement])
        command = ["build", "spec/emp/emp.hsm", "--nic", "--output", str(into)]
        assert main([*command, *placement]) == 0
        texts.append({path.name: path.read_text() for path in into.iterdir()})
    one, either = texts
    assert set(one) == set(either)
    assert [name for name in one if one[name] != either[name]] == ["emp_nic.h"]
    more = set(either["emp_nic.h"].splitlines()) - set(one["emp_nic.h"].splitlines())
    code = [line for line in more if line.startswith("#")]
    assert code == ["#define NIC_DYNAMIC 1"]


@pytest.mark.parametrize("profile", ["paper", "modern"])
@pytest.mark.parametrize("placement", ["SO", "RO", "SR"])
def test_each_crossing_placement_of_emp_has_units(
    tmp_path: Path, placement: str, profile: str
) -> None:
    """A raise that crosses is put in the one unit and taken in the other."""
    command = ["build", "spec/emp/emp.hsm", "--output", str(tmp_path)]
    assert main([*command, "--placement", placement, "--profile", profile]) == 0
    units = [(tmp_path / f"emp_{unit}.c").read_text() for unit in "ab"]
    header = (tmp_path / "emp_messages.h").read_text()
    kinds = re.findall(r"^    (EMP_MESSAGE_\w+),$", header, re.MULTILINE)
    assert len(kinds) >= 4
    for kind in kinds:
        puts = [f"message_[0] = {kind};" in unit for unit in units]
        takes = [f"case {kind}:" in unit for unit in units]
        assert sorted(puts) == [False, True] and takes == puts[::-1], kind
    for unit in units:
        assert unit.count("EMP_LOCK();") == unit.count("EMP_UNLOCK();") > 0
