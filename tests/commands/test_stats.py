# SPDX-License-Identifier: MIT
"""hsmc stats: every size and offset is what compilers make of the generated header, natively and for the chip."""

import doctest
import json
import subprocess
from pathlib import Path
from typing import Any, Optional

import pytest

from hsmc import ir
from hsmc.c_names import CNames
from hsmc.commands import statistics
from hsmc.backends import backend_c
from hsmc.compilation.compiler import compile_spec, load
from hsmc.backends.state_layout import state_layout
from tests.compiled import compiled
from tests.in_process import run_hsmc

TOP = Path(__file__).resolve().parents[2]
EMP = TOP / "spec/emp/emp.hsm"
ABP = TOP / "spec/abp/abp.hsm"
FEATURES = sorted((TOP / "tests/compiler/features").glob("*.hsm"))
CASES: list[tuple[Path, Optional[str]]] = [
    (EMP, None),
    (EMP, "two_messages"),
    (ABP, None),
    *((path, None) for path in FEATURES),
]
COMPILERS = {
    "gcc": ["gcc"],
    "chip": "mips-linux-gnu-gcc -EB -march=mips2 -mabi=32 -ffreestanding".split(),
}
AWKWARD = """protocol awkward

constant many = 33

pool Job[many] written by Worker
  flag:    bool
  big:     u32
  small:   u8
  name:    u16[3]
  pair:    u8[9]
  next:    Job
  seen:    bits[40]

table Wide[5] written by Clerk
  tail:    u8
  numbers: u32[10]
  odd:     u16

table Side[Job] written by Clerk
  only:    u8

process Worker(j: Job)
  external event start() creates
  external event stop()
  state NEW initial
    on start / j.flag := true; j.big := 1; j.small := 2; set(j.seen, 3); j.name[1] := 3; j.pair[2] := 3 -> BUSY
    ignore stop
  state BUSY
    on stop / release j
    ignore start

process Clerk
  external event note(n: u8)
  variable first: u8
  variable sum: u32
  variable second: u16[3]
  variable set_of: bits[70]
  state IDLE initial
    on note(n) / first := n; sum := n; second[1] := n; set(set_of, 5); Wide[1].tail := n
"""


def stats(spec: Path, *arguments: str) -> Any:
    return json.loads(printed(spec, "--json", *arguments))


def printed(*arguments: object) -> str:
    result = run_hsmc("stats", *arguments)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def assert_compiled(protocol: ir.Protocol, compiler: str, directory: Path) -> int:
    """Compiles one assertion per figure; how many."""
    for name, text in backend_c.generate(protocol).items():
        (directory / name).write_text(text)
    names = CNames(protocol)
    state = f"struct {names.prefix}_state"
    layout = state_layout(protocol)
    checks = [f"sizeof({state}) == {layout.bytes}"]
    for member in layout.members:
        slot = member.slot
        checks.append(f"offsetof({state}, {slot.name}) == {slot.offset}")
        checks.append(f"sizeof((({state} *)0)->{slot.name}) == {slot.bytes}")
    for record in layout.records:
        struct = f"struct {names.lower(record.declaration.name)}"
        checks.append(f"sizeof({struct}) == {record.bytes}")
        for slot in record.fields:
            checks.append(f"offsetof({struct}, {slot.name}) == {slot.offset}")
            checks.append(f"sizeof((({struct} *)0)->{slot.name}) == {slot.bytes}")
    source = directory / "layout_test.c"
    lines = [f'_Static_assert({c}, "{i}");' for i, c in enumerate(checks)]
    head = f'#include <stddef.h>\n#include "{names.stem}.h"\n'
    source.write_text(head + "\n".join(lines) + "\n")
    options = ["-std=gnu11", f"-I{TOP}", "-fsyntax-only", str(source)]
    command = [*COMPILERS[compiler], *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return len(checks)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "spec,check", CASES, ids=lambda value: getattr(value, "stem", value)
)
def test_layout(
    spec: Path, check: Optional[str], compiler: str, tmp_path: Path
) -> None:
    assert assert_compiled(compiled(spec, check), compiler, tmp_path) > 0


@pytest.mark.parametrize("compiler", COMPILERS)
def test_awkward_layout(compiler: str, tmp_path: Path) -> None:
    """Holes between variables, padded records, sets of more than a word, a state amid the fields."""
    spec = tmp_path / "awkward.hsm"
    spec.write_text(AWKWARD)
    protocol = compile_spec(spec)
    assert assert_compiled(protocol, compiler, tmp_path) > 40
    layout = state_layout(protocol)
    assert layout.holes > 0
    assert any(record.padding for record in layout.records)


def test_no_member_is_missing() -> None:
    """The struct has exactly the members counted, whatever the template prints."""
    for spec, check in CASES:
        protocol = compiled(spec, check)
        names = CNames(protocol)
        text = backend_c.generate(protocol)[f"{names.stem}.h"]
        body = text.split(f"struct {names.prefix}_state {{")[1]
        declared = [
            line.split(";")[0].split("[")[0].split()[-1]
            for line in body.split("\n};")[0].split("\n")
            if ";" in line
        ]
        assert declared == [m.slot.name for m in state_layout(protocol).members]


def test_figures() -> None:
    figures = stats(EMP)
    assert set(figures) == {
        *("protocol", "check", "hash", "counts", "lines", "processes", "state")
    }
    state = figures["state"]
    parts = sum(v["bytes"] for v in state["variables"])
    parts += sum(p["bytes"] + p["used_bytes"] for p in state["pools"])
    parts += sum(t["bytes"] for t in state["tables"])
    assert parts + state["holes"] == state["bytes"]
    assert sum(p["rows"] for p in figures["processes"]) == figures["counts"]["rows"]
    small = stats(EMP, "--check", "one_message")["state"]
    assert small["bytes"] < state["bytes"]
    lines = figures["lines"]
    assert lines["c"] == sum(lines["c_files"].values())
    assert lines["promela"]["check"] == "one_message"


@pytest.mark.parametrize("profile,bytes_per_peer", [("paper", 24), ("modern", 68)])
def test_emp_keeps_little_of_a_peer(profile: str, bytes_per_peer: int) -> None:
    """All that grows with the nodes of EMP's state is this, whatever is being sent and received."""
    few, many = (
        state_layout(load(EMP, {"node_limit": nodes}, profile)) for nodes in (16, 64)
    )
    assert stats(EMP, "--profile", profile)["state"]["bytes"] == few.bytes
    assert many.bytes - few.bytes == (64 - 16) * bytes_per_peer


def test_text_says_the_same() -> None:
    figures = stats(EMP)
    text = printed(EMP)
    assert f"{figures['state']['bytes']} bytes of state" in text
    for kind in ("pools", "tables"):
        for record in figures["state"][kind]:
            assert f" {record['name']} " in text


@pytest.mark.parametrize("limit,fits", [("exact", True), ("less", False)])
def test_limit(limit: str, fits: bool, tmp_path: Path) -> None:
    """The limit a port sets is checked where the state is compiled."""
    protocol = compile_spec(ABP)
    for name, text in backend_c.generate(protocol).items():
        (tmp_path / name).write_text(text)
    size = state_layout(protocol).bytes - (limit == "less")
    command = ["gcc", f"-I{TOP}", f"-DABP_STATE_LIMIT={size}", "-fsyntax-only"]
    result = subprocess.run(
        [*command, tmp_path / "abp.c"], capture_output=True, check=False
    )
    assert (result.returncode == 0) == fits
    assert fits or b"hsmc stats" in result.stderr


def test_counting_lines() -> None:
    result = doctest.testmod(statistics)
    assert result.attempted == 3 and result.failed == 0
