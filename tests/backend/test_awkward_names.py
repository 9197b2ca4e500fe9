# SPDX-License-Identifier: MIT
"""Specs with awkward names everywhere: what `hsmc check` accepts compiles as C and is a model SPIN reads; where two
names become one it says so.
"""

from __future__ import annotations

import pathlib
import random
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "gen"))

from hsmc import naming  # noqa: E402
from hsmc.backends import backend_c, backend_promela  # noqa: E402
from hsmc.frontend.build_parts import RESERVED  # noqa: E402
from hsmc.compilation.compiler import Compilation

# Words of Lua and JavaScript that C and Promela do not have, and names generated code has.
OTHERS = """end function local nil repeat then until await debugger in instanceof let super var with yield arguments
    used state_ padding_ record element reference index words word value timer instance transition event process state
    j_record n_desk turn_1 hsm_set assert errno NULL EOF INT_MAX stdin t_state t_on_p_go t_parameters UINT32_MAX
    first First FIRST firstItem first_item waiting_go P_state A_history _x x_ count_ X_WORD""".split()
NAMES = sorted((naming.C_WORDS | naming.PROMELA_WORDS | set(OTHERS)) - RESERVED)
STRICT = "-std=c11 -Wall -Wextra -Wconversion -Werror -S -o /dev/null -x c".split()

SPEC = """protocol t
constant {0} = 3
parameter {1}: u32 = 5 range 1..9 unit us live
enumeration {2}: u8
  {3} = 1
  {4} = 2
payload {5}
  {6}: u8 range 0..3
  {7}: u8
pool {8}[4] written by {9}
  {10}: u8
  {11}: {8}
table {12}[4] written by {13}
  {14}: u8
  {15}: {8}
device {16}({17}: u8, {18}: {5})
counter {19}
property {20} safety
function {21}({22}: u8, {23}: u8): u8
  let {24} = {22} + {23}
  repeat 3 while {24} < 3
    {24} := {24} + 1
  return {24}
action {25}({26}: u8, {27}: {8})
  let {28} = {26} + {8}[{27}].{10}
  let {29}: {5} = {5}({6}: 1, {7}: {28})
  {16}({26}, {29})
  count {19}
process {9}({30}: {8})
  external event {31}({32}: u8) creates
  external event {33}({34}: {5}) keeps 2
  state {35} initial
    on {31}({32}) / {30}.{10} := {32}; {30}.{11} := {30} -> {36}
    defer {33}
  state {36}
    on {33}({34}) when {34}.{6} == {4} / {25}({34}.{7}, {30}.{11}); release {30} -> {37}
    ignore {33}
    after {1} / release {30} -> {37}
    never {31}
  state {37} final
process {13}
  variable {38}: u8
  external event {39}({40}: u8)
  state {41} initial
    state {42} initial
      on {39}({40}) when {40} < {0} / {12}[{40}].{14} := {21}({40}, {38}); {38} := {12}[{40}].{14} -> {43}
      ignore {39}
    state {43}
      on {39}({40}) when {12}[{0}].{15} != none / {12}[{0}].{15} := none -> {44}
      ignore {39}
  state {44}
    on {39} -> history {41}
check {45}
  set {0} = 2
"""
HOLES = 46
PLAIN = [f"name{number}" for number in range(HOLES)]


def spec_with(holes: dict[int, str]) -> str:
    return SPEC.format(*(holes.get(n, plain) for n, plain in enumerate(PLAIN)))


def examine(text: str, directory: pathlib.Path) -> bool:
    """Is it accepted? Then C and model have to be, too."""
    path = directory / "t.hsm"
    path.write_text(text)
    compilation = Compilation(path)
    protocol = compilation.protocol(None)
    if protocol is None:
        return False
    for name, generated in backend_c.generate(protocol).items():
        (directory / name).write_text(generated)
    harmless = "#include <assert.h>\n#include <errno.h>\n#include <limits.h>\n#include <stdio.h>\n"
    unit = harmless + f'#include "{directory}/t.c"\n'
    command = [
        "gcc",
        *STRICT,
        "-D",
        "T_NAMES",
        "-I",
        str(ROOT),
        "-I",
        str(directory),
        "-",
    ]
    result = subprocess.run(command, input=unit, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr + "\n" + text
    configured = compilation.protocol(protocol.checks[0].name)
    assert configured is not None
    model = backend_promela.generate(configured)
    spin = shutil.which("spin")
    if spin is not None:
        inlines = "".join(
            f"inline {name} {{ skip }}\n"
            for name in ("hsm_timer_arm(which)", "hsm_timer_cancel(which)")
        )
        device = protocol.devices[0].name
        inlines += f"inline t_device_{naming.plain(device)}(one, two) {{ skip }}\n"
        whole = "#define NODES 1\n" + inlines + model["t.pml"]
        whole += "\ninit { d_step { t_initialise() } }\n"
        (directory / "whole.pml").write_text(whole)
        checked = subprocess.run(
            [spin, "-a", "whole.pml"], cwd=directory, capture_output=True, text=True
        )
        assert checked.returncode == 0, checked.stdout + "\n" + text
    return True


def test_plain_names_are_accepted(tmp_path: pathlib.Path) -> None:
    assert examine(spec_with({}), tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_awkward_names_everywhere(seed: int, tmp_path: pathlib.Path) -> None:
    """As many as are accepted together: each hole gets a name, and gives it back where that is refused."""
    chance = random.Random(seed)
    pool = chance.sample(NAMES, HOLES)
    chosen: dict[int, str] = {}
    path = tmp_path / "t.hsm"
    step = 8
    for first in range(0, HOLES, step):
        more = {n: pool[n] for n in range(first, min(first + step, HOLES))}
        path.write_text(spec_with({**chosen, **more}))
        if Compilation(path).protocol(None) is not None:
            chosen |= more
            continue
        for hole, name in more.items():
            path.write_text(spec_with({**chosen, hole: name}))
            if Compilation(path).protocol(None) is not None:
                chosen[hole] = name
    assert len(chosen) > HOLES // 2
    assert examine(spec_with(chosen), tmp_path)
