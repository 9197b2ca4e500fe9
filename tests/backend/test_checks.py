# SPDX-License-Identifier: MIT
"""Checks of generated C: each kind fails where it should, in a build for them alone, and names the line of the spec.

What a correct spec never does is made to happen by spoiling its state from outside.
"""

from __future__ import annotations

import pathlib
import subprocess

import pytest

import hsmc
from hsmc.backends import backend_c

TOP = pathlib.Path(__file__).resolve().parents[2]

SPEC = """protocol checks
device told(l: Letter)
payload Letter
  kind: u8 range 1..3
property few(j: Job) safety = j.size <= limit and waiting <= limit
constant limit = 3
pool Job[2] written by Worker, created by Worker
  size: u8
  next: Job
table Desk[8] written by Clerk
  job: Job
  seen: bits[5]
  drawers: u8[3]
process Worker(j: Job)
  external event start(size: u8) creates
  external event grow()
  external event touch()
  external event twin()
  state NEW initial
    on start(size) / j.size := min(size, 3) -> BUSY
    never grow, touch, twin
  state BUSY
    on grow / j.size := j.size + 1
    on touch when j.next != none / j.next.size := 1
    ignore touch
    on twin when available(Job) / told_of(2); make_twin(j)
    ignore twin
    after 100 / told_of(2)
    never start
process Clerk
  external event open()
  external event note()
  external event pull()
  external event wait()
  external event tell()
  external event shift()
  external event grow()
  external event free()
  variable place: u8 range 0..7
  variable bit: u8 range 0..4
  variable drawer: u8 range 0..2
  variable step: u8 range 0..1
  variable level: u8 range 0..9
  variable sort: u8 range 1..3 = 1
  variable places: u8 range 0..31
  variable current: Job
  variable waiting: u8
  variable word: u32
  state READY initial
    on open / Desk[place].job := current
    on note / set(Desk[0].seen, bit)
    on pull / Desk[0].drawers[drawer] := 1; bit := Desk[0].drawers[0] & 1; drawer := 0
    on wait when has(Desk[1].seen, 0) / waiting := 0
    on wait else / waiting := waiting + 1; place := 0; step := 0; places := 0; sort := 1
    on tell / told_of(sort)
    on shift / word := word + (1 << places)
    on grow when level < 9 / level := level + step
    ignore grow
    on free when current != none and Desk[2].job == none and word != 7 / raise Worker[current].grow()
    ignore free
action make_twin(j: Job)
  let k: Job = create Job
  j.next := k
action told_of(what: u8)
  let l: Letter = Letter(kind: what)
  told(l)
"""

MAIN = """#include <string.h>
#include "checks.h"
static uint32_t taken; /* records that somebody takes behind the protocol's back */
void checks_device_told(const struct checks_letter *l) { (void)l; checks_state.job_used[0] |= taken; }
void checks_timer_arm(enum checks_timer t, uint32_t i, uint32_t us) { (void)t; (void)i; (void)us; }
void checks_timer_cancel(enum checks_timer t, uint32_t i) { (void)t; (void)i; }
int main(void)
{
    checks_initialise();
    SPOIL;
    return 0;
}
"""
START = "checks_worker_start(1); "
# Kind; what spoils the state and calls the event; line of SPEC and text of the check.
CASES = [
    (
        "INDEX",
        "checks_state.place = 200; checks_clerk_open()",
        "Desk[place].job",
        "index",
    ),
    ("INDEX", "checks_state.bit = 30; checks_clerk_note()", "on note", "index"),
    ("INDEX", "checks_state.drawer = 3; checks_clerk_pull()", "on pull", "index"),
    (
        "REFERENCE",
        "checks_state.current = 9; checks_clerk_free()",
        "on free",
        "names no record",
    ),
    (
        "USE",
        START + "checks_state.job[0].next = 2; checks_worker_touch(1)",
        "on touch",
        "a record that is free",
    ),
    (
        "ROOM",
        START + "taken = 3; checks_worker_twin(1)",
        "let k:",
        "no record is free",
    ),
    (
        "RANGE",
        "checks_state.level = 8; checks_state.step = 7; checks_clerk_grow()",
        "on grow when",
        "range of its place",
    ),
    (
        "FIELD",
        "checks_state.sort = 4; checks_clerk_tell()",
        "let l:",
        "range of its field",
    ),
    (
        "SHIFT",
        "checks_state.places = 32; checks_clerk_shift()",
        "on shift",
        "more than 31",
    ),
    (
        "NEVER",
        "checks_state.current = 2; checks_clerk_free()",
        "external event grow",
        "cannot come",
    ),
    ("PROPERTY", "for (int i = 0; i < 4; i++) checks_clerk_wait()", None, None),
    (
        "PROPERTY",
        START + "for (int i = 0; i < 4; i++) checks_clerk_wait()",
        "property few",
        "property",
    ),
    (
        "PROPERTY",
        START + "for (int i = 0; i < 3; i++) checks_worker_grow(1)",
        "property few",
        "property",
    ),
    (
        "REFERENCE",
        START + "checks_timer_expired(CHECKS_TIMER_WORKER_BUSY, 3)",
        "after 100",
        "names no record",
    ),
]


def line_of(text: str) -> int:
    found = [n for n, line in enumerate(SPEC.split("\n"), start=1) if text in line]
    return found[0]


@pytest.fixture(name="generated", scope="module")
def fixture_generated(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    directory = tmp_path_factory.mktemp("checks")
    (directory / "checks.hsm").write_text(SPEC)
    protocol = hsmc.compile_spec(directory / "checks.hsm")
    for name, text in backend_c.generate(protocol).items():
        (directory / name).write_text(text)
    return directory


def run(
    generated: pathlib.Path, directory: pathlib.Path, spoil: str, checked: str
) -> subprocess.CompletedProcess[str]:
    (directory / "main.c").write_text(MAIN.replace("SPOIL", spoil))
    flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command = ["gcc", *flags, *([checked] if checked else []), f"-I{generated}"]
    command += [f"-I{TOP}", "-o", "program", str(generated / "checks.c"), "main.c"]
    subprocess.run(command, cwd=directory, check=True)
    return subprocess.run(
        [str(directory / "program")], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("kind, spoil, where, text", CASES)
def test_kind(
    kind: str,
    spoil: str,
    where: str | None,
    text: str | None,
    generated: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:
    alone = f"-DHSM_CHECKED=HSM_CHECK_SET(HSM_CHECK_{kind})"
    others = f"-DHSM_CHECKED=(HSM_CHECK_ALL & ~HSM_CHECK_SET(HSM_CHECK_{kind}))"
    for checked in ("-DHSM_CHECKED", alone):
        result = run(generated, tmp_path, spoil, checked)
        if where is None:
            assert (result.returncode, result.stderr) == (0, "")
            continue
        assert result.returncode == -6, result
        assert result.stderr.startswith(f"checks.hsm:{line_of(where)}: ")
        assert str(text) in result.stderr
    if kind in ("RANGE", "FIELD", "NEVER", "PROPERTY"):
        # Nothing else is wrong, and without checks nothing is said.
        for checked in (others, ""):
            assert run(generated, tmp_path, spoil, checked).returncode == 0
