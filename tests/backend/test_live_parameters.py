# SPDX-License-Identifier: MIT
"""What the host writes into a live parameter while the protocol runs: outside its range it is read as the default, by
the generated C as by whoever follows a run of it."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "gen"))

import hsmc  # noqa: E402
from hsmc.backends import backend_c  # noqa: E402

SPEC = """protocol t
constant least = 2
parameter size: u8 = 3 range 1..15 live "frames"
parameter named: u16 = 9 range least..300 live "its range begins with a constant"
parameter high: u32 = 0x80000000 range 0x80000000..0xFFFFFFFF live "its range ends with its type"
parameter narrow: u8 = 5 live "its type is its range"
parameter wide: u32 = 7 live "every word is in its range"
device tell(size: u8, named: u16, high: u32, narrow: u8, wide: u32)
process P
  external event go()
  state A initial
    on go / tell(size, named, high, narrow, wide)
"""

MAIN = """#include "t.c"
#include <stdio.h>
#include <stdlib.h>
void t_device_tell(const uint8_t size, const uint16_t named, const uint32_t high, const uint8_t narrow,
                   const uint32_t wide) {
    printf("%u %u %u %u %u\\n", size, named, (unsigned)high, narrow, (unsigned)wide);
}
void t_trace(const uint32_t transition, const uint32_t instance) { (void)transition; (void)instance; }
int main(int count, char **words) {
    t_initialise();
    for (int i = 1; i < count; i++) {
        const uint32_t word = (uint32_t)strtoul(words[i], NULL, 0);
        t_parameters = (struct t_parameters){word, word, word, word, word};
        (void)t_p_go();
    }
    return 0;
}
"""

BORDERS = (0, 1, 2, 15, 16, 255, 256, 300, 301, 0x10003, 0x7FFFFFFF, 0x80000000)
WORDS = (*BORDERS, 0xFFFFFFFF)


@pytest.fixture(scope="module", name="spec")
def written_spec(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    spec = tmp_path_factory.mktemp("live") / "t.hsm"
    spec.write_text(SPEC)
    return spec


def test_read_as_default(spec: pathlib.Path) -> None:
    protocol = hsmc.compile_spec(str(spec))
    for name, text in backend_c.generate(protocol).items():
        (spec.parent / name).write_text(text)
    (spec.parent / "main.c").write_text(MAIN)
    program = spec.parent / "main"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += [f"-I{ROOT}", "-o", str(program), str(spec.parent / "main.c")]
    subprocess.run(command, check=True)
    told = subprocess.run(
        [str(program), *map(str, WORDS)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    expected = [
        [parameter.counts_as(word) for parameter in protocol.parameters]
        for word in WORDS
    ]
    assert [list(map(int, line.split())) for line in told] == expected
    by_word = dict(zip(WORDS, expected))
    assert by_word[2] == [2, 2, 0x80000000, 2, 2]
    assert by_word[300] == [3, 300, 0x80000000, 5, 300]
    assert by_word[0xFFFFFFFF] == [3, 9, 0xFFFFFFFF, 5, 0xFFFFFFFF]


def test_fixed_parameters_are_read_as_they_are(spec: pathlib.Path) -> None:
    """Nobody changes them while the protocol runs, so whoever starts it looks at them once."""
    fixed = spec.parent / "fixed.hsm"
    fixed.write_text(SPEC.replace(" live", ""))
    source = backend_c.generate(hsmc.compile_spec(str(fixed)))["t.c"]
    assert "T_PARAMETER(size)" in source and "hsm_bounded" not in source
