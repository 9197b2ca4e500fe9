# SPDX-License-Identifier: MIT
"""hsmc place: what crosses between processors, by kind, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hsmc.commands.main import main

TOP = Path(__file__).resolve().parents[2]

SPEC = """
protocol shop

payload Order
  number: u16
  size:   u8
  colour: u8

device shout(o: Order)
device tell(number: u16)
counter orders
counter refused

pool Job[4] written by Worker, created by Clerk
  number: u16
  parts:  bits[8]

table Shelf[4] written by Clerk
  price: u32
  names: u8[3]

action hand_over(o: Order)
  let j = create Job
  raise Worker[j].begin(o, 7)

process Clerk
  external event order(o: Order)
  event finished(number: u16)
  variable spare: u32

  state OPEN initial
    on order(o) when available(Job) and o.size > 1
      / count orders; Shelf[o.size & 3].price := spare; Shelf[0].names[1] := 2; spare := 5; hand_over(o)
    on order               / count refused
    on finished(number)    / tell(number)

process Worker(j: Job)
  event begin(o: Order, urgency: u8)
  external event stop()

  state IDLE initial
    on begin(o, urgency)   / j.number := o.number + urgency; count orders; set(j.parts, 1)  -> BUSY
    never stop
  state BUSY
    on stop                / let n = j.number; release j; raise Clerk.finished(n)           -> DONE
    never begin
  state DONE final

process Auditor
  external event audit()
  variable sum: u32
  state READY initial
    on audit               / sum := sum + Shelf[0].price; tell(1)

placement together "Everything on one."
  Clerk, Worker, Auditor on A

placement apart
  Clerk on A
  Worker on B
  Auditor on host
  locked Job
  shared Shelf.price "a price may be one order old"
"""


@pytest.fixture(name="spec")
def _spec(tmp_path: Path) -> Path:
    path = tmp_path / "shop.hsm"
    path.write_text(SPEC)
    return path


def reported(spec: Path, capsys: Any, *options: str) -> Any:
    assert main(["place", str(spec), "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_nothing_crosses_on_one_processor(spec: Path, capsys: Any) -> None:
    together, apart = reported(spec, capsys)
    assert together["placement"] == "together"
    assert (together["raises"], together["data"], together["uses"]) == ([], [], [])
    assert apart["processors"] == {"Clerk": "A", "Worker": "B", "Auditor": "host"}


def test_raises_carry_what_the_receiver_reads(spec: Path, capsys: Any) -> None:
    (apart,) = reported(spec, capsys, "--placement", "apart")
    raises = {(r["source"], r["target"], r["event"]): r for r in apart["raises"]}
    assert set(raises) == {
        ("Clerk", "Worker", "begin"),
        ("Worker", "Clerk", "finished"),
    }
    begin = raises["Clerk", "Worker", "begin"]
    # Not o.size and o.colour: nobody on the other side looks at them.
    assert begin["carries"] == [
        {"name": "j", "type": "Job"},
        {"name": "o.number", "type": "u16"},
        {"name": "urgency", "type": "u8"},
    ]
    line = SPEC[: SPEC.index("raise Worker")].count("\n") + 1
    assert [place["line"] for place in begin["places"]] == [line]


def test_data_that_one_writes_and_another_uses(spec: Path, capsys: Any) -> None:
    (apart,) = reported(spec, capsys, "--placement", "apart")
    data = {d["name"]: d for d in apart["data"]}
    # Shelf.names, Clerk.spare and the fields of Job stay on the processor that writes them.
    assert set(data) == {"Shelf.price", "Job.used"}
    price = data["Shelf.price"]
    assert (price["kind"], price["type"], price["one_word"]) == ("table", "u32", True)
    assert (price["writers"], price["users"]) == (["Clerk"], ["Auditor"])
    used = data["Job.used"]
    assert (used["type"], used["one_word"]) == (None, False)
    assert used["writers"] == ["Clerk", "Worker"]


def test_events_that_use_locked_data_run_under_the_lock(
    spec: Path, capsys: Any
) -> None:
    (apart,) = reported(spec, capsys, "--placement", "apart")
    entries = {(e["process"], e["event"]): e for e in apart["entries"]}
    # Worker.begin is raised from the other processor; Clerk.finished is, too, and uses nothing that crosses.
    assert {key: e["locked"] for key, e in entries.items()} == {
        ("Clerk", "order"): ["Job.used"],
        ("Clerk", "finished"): [],
        ("Worker", "begin"): ["Job.used"],
        ("Worker", "stop"): ["Job.used"],
        ("Auditor", "audit"): [],
    }
    assert {key: e["messages"] for key, e in entries.items()} == {
        ("Clerk", "order"): 1,
        ("Clerk", "finished"): 0,
        ("Worker", "begin"): 0,
        ("Worker", "stop"): 1,
        ("Auditor", "audit"): 0,
    }


OWN = """
protocol board

table Board[1] written by Left
  number: u16

device tell(number: u16)

process Left
  external event write(number: u16)
  external event look()
  state READY initial
    on write(number)  / Board[0].number := number
    on look           / tell(Board[0].number)

process Right
  external event look()
  state READY initial
    on look           / tell(Board[0].number)

placement apart
  Left on A
  Right on B
  locked Board
"""


def test_the_only_writer_reads_without_the_lock(tmp_path: Path, capsys: Any) -> None:
    spec = tmp_path / "board.hsm"
    spec.write_text(OWN)
    (apart,) = reported(spec, capsys)
    entries = {(e["process"], e["event"]): e["locked"] for e in apart["entries"]}
    assert entries == {
        ("Left", "write"): ["Board.number"],
        ("Left", "look"): [],
        ("Right", "look"): ["Board.number"],
    }


def test_what_the_runtime_provides_to_several(spec: Path, capsys: Any) -> None:
    (apart,) = reported(spec, capsys, "--placement", "apart")
    assert [(u["kind"], u["name"], u["processes"]) for u in apart["uses"]] == [
        ("counter", "orders", ["Clerk", "Worker"]),
        ("device", "tell", ["Clerk", "Auditor"]),
    ]


def test_text(spec: Path, capsys: Any) -> None:
    assert main(["place", str(spec)]) == 0
    text = capsys.readouterr().out
    assert (
        "placement together: Everything on one.\n  A: Clerk, Worker, Auditor\n" in text
    )
    assert "    A to B: Clerk raises Worker.begin with j: Job, o.number: u16" in text
    assert "    Shelf.price  u32" in text


@pytest.mark.parametrize("profile", ["paper", "modern"])
def test_dedicated_processors_of_emp_share_nothing(profile: str, capsys: Any) -> None:
    # So what is proved of one processor holds of these two (docs/placements.md).
    options = ("--placement", "DSR", "--profile", profile)
    (split,) = reported(TOP / "spec/emp/emp.hsm", capsys, *options)
    assert set(split["processors"].values()) == {"A", "B"}
    assert split["raises"] == [] and split["data"] == []
    assert all(e["locked"] == [] and e["messages"] == 0 for e in split["entries"])


@pytest.mark.parametrize("profile", ["paper", "modern"])
def test_either_processor_runs_all_of_emp_under_the_lock(
    profile: str, capsys: Any
) -> None:
    options = ("--placement", "dynamic", "--profile", profile)
    (either,) = reported(TOP / "spec/emp/emp.hsm", capsys, *options)
    assert either["dynamic"] and set(either["processors"].values()) == {"A or B"}
    assert either["raises"] == [] and either["data"] == [] and either["uses"] == []
    entries = {(e["process"], e["event"]): e for e in either["entries"]}
    assert {("Send", "ack"), ("Match", "header"), ("Transmit", "slot")} <= set(entries)
    # What another process raises belongs to its event.
    assert ("Receive", "frame") not in entries
    assert "SendMessage.used" in entries["Send", "posted"]["locked"]
    assert all(e["messages"] == 0 for e in entries.values())


EITHER = """
placement either
  Clerk, Worker, Auditor on A or B
  locked Job
"""


def test_a_lock_that_either_processor_has_anyway_is_told(
    spec: Path, capsys: Any
) -> None:
    spec.write_text(SPEC + EITHER)
    assert main(["place", str(spec), "--placement", "either"]) == 0
    said = capsys.readouterr().out
    assert "  A or B: Clerk, Worker, Auditor\n  nothing crosses\n" in said
    assert "has the lock from its first guard to its last action: 3 events" in said
    assert "events under the lock" not in said
    main(["check", str(spec)])
    said = "".join(capsys.readouterr())
    assert "Job does not cross: every event runs under the lock" in said


@pytest.mark.parametrize("placement", ["SO", "RO", "SR"])
def test_split_paths_of_emp_cross_with_messages_and_locked_data(
    placement: str, capsys: Any
) -> None:
    (split,) = reported(TOP / "spec/emp/emp.hsm", capsys, "--placement", placement)
    assert split["raises"] and split["data"]
    assert any(entry["locked"] for entry in split["entries"])
    assert not all(entry["locked"] for entry in split["entries"])


def test_unknown_placement(spec: Path, capsys: Any) -> None:
    assert main(["place", str(spec), "--placement", "apar"]) == 2
    assert "apart" in capsys.readouterr().err
