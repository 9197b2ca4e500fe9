# SPDX-License-Identifier: MIT
"""Generated C: as approved (golden/), free of warnings with every compiler, and without what the chip lacks.

After an intended change: HSMC_REFRESH=1 pytest tests/backend, then read the difference.
"""

from __future__ import annotations

import doctest
import functools
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "gen"))

import hsmc  # noqa: E402
from hsmc import naming  # noqa: E402
from hsmc.backends import backend_c, backend_promela, c_lines  # noqa: E402
from tests.compiled import compiled
from tests.places import tells_place  # noqa: E402

FEATURES = sorted((ROOT / "tests" / "compiler" / "features").glob("*.hsm"))
SPECS = [
    ROOT / "spec" / "emp" / "emp.hsm",
    ROOT / "spec" / "abp" / "abp.hsm",
    ROOT / "spec" / "fetch" / "fetch.hsm",
    *FEATURES,
]
GOLDEN = [
    ROOT / "spec" / "abp" / "abp.hsm",
    ROOT / "tests" / "compiler" / "features" / "records.hsm",
]

STRICT = "-std=c11 -O2 -Wall -Wextra -Wconversion -Werror".split()
COMPILERS = {
    "gcc": ["gcc", *STRICT],
    "clang": ["clang", *STRICT],
    # As the firmware is built; -ffixed-hi and -ffixed-lo make every multiplication and division an error.
    "chip": """mips-linux-gnu-gcc -std=gnu11 -O2 -EB -march=mips2 -mtune=r3000 -mabi=32 -mno-abicalls -fno-pic -G0
        -msoft-float -mno-branch-likely --param=max-delay-slot-insn-search=0 -ffreestanding -ffixed-hi -ffixed-lo
        --param=hot-bb-frequency-fraction=1000000 -fno-expensive-optimizations
        -mno-check-zero-division -mno-llsc -fno-delete-null-pointer-checks -fno-isolate-erroneous-paths-dereference
        -fno-tree-loop-distribute-patterns -fno-jump-tables -fno-stack-protector -fno-asynchronous-unwind-tables
        -fno-common -Wall -Wextra -Wconversion -Wcast-align=strict -Wstack-usage=256 -Werror -Wa,--fatal-warnings""".split(),
}
# Compilers for the chip turn it into a call of a library that is not there: a port names its own instruction.
CHIP_PORT = """#define hsm_lowest_bit(word) chip_lowest_bit(word)
uint32_t chip_lowest_bit(uint32_t word);
"""
FORBIDDEN = re.compile(
    r"\b(mult|multu|div|divu|lwl|lwr|swl|swr|teq|mflo|mfhi|sync|ll|sc|movz|movn)\b"
)
# A jump or call to what a register holds, returns excepted.
INDIRECT = re.compile(r"\b(j|jr|jal|jalr)\s+\$(?!31\b)")


@functools.lru_cache
def files_of(spec: pathlib.Path) -> dict[str, str]:
    return backend_c.generate(compiled(spec))


def generate(spec: pathlib.Path, directory: pathlib.Path) -> list[pathlib.Path]:
    files = files_of(spec)
    for name, text in files.items():
        (directory / name).write_text(text)
    return [directory / name for name in files]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_compiles(spec: pathlib.Path, compiler: str, tmp_path: pathlib.Path) -> None:
    source = next(path for path in generate(spec, tmp_path) if path.suffix == ".c")
    capitals = source.stem.upper()
    (tmp_path / "chip_port.h").write_text(CHIP_PORT)
    defines = (
        [f'-D{capitals}_PORT_HEADER="chip_port.h"']
        if compiler == "chip"
        else [f"-D{capitals}_NAMES"]
    )
    target = tmp_path / "out.s"
    arguments = [
        *COMPILERS[compiler],
        *defines,
        f"-I{ROOT}",
        f"-I{tmp_path}",
        "-S",
        "-o",
        str(target),
        str(source),
    ]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    if compiler == "chip":
        found = [
            line
            for line in target.read_text().split("\n")
            if FORBIDDEN.search(line.split("#")[0]) or INDIRECT.search(line)
        ]
        assert not found


def function(text: str, name: str) -> str:
    """With the line that begins it."""
    found = re.search(
        rf"^static [^;{{]*\b{name}\([^;{{]*\)\n{{\n(?:.*\n)*?}}\n", text, re.MULTILINE
    )
    assert found, name
    return found[0]


def test_rare_rows_are_apart() -> None:
    """Of each row, the function that takes it; and where the values of `let` lines are computed."""
    spec = ROOT / "tests" / "compiler" / "features" / "rare.hsm"
    text = backend_c.generate(hsmc.compile_spec(str(spec)))["rare.c"]
    common = function(text, "rare_on_front_submit")
    rare = function(text, "rare_on_front_submit_open_rare_")
    assert rare.startswith("static RARE_RARE RARE_ONCE void")
    assert re.findall(r"TRACE\((\d+)u", common) == ["0", "1"]
    assert re.findall(r"TRACE\((\d+)u", rare) == ["2", "3", "4"]
    assert "rest" not in common and "uint32_t rest =" in rare
    assert "uint32_t sum =" in common and "uint32_t sum =" not in rare
    # Rows of the states around are tried last, so they are apart, too.
    outer = function(text, "rare_on_worker_answer_first_rare_")
    assert (
        re.findall(r"on answer\(value\) (.*) \*/", outer)[-1]
        == "else / release m -> DONE"
    )
    # In a cold state, and of a rare event, nothing is apart.
    assert "look_open_rare_" not in text and "full_rare_" not in text


@pytest.mark.parametrize("spec", GOLDEN, ids=lambda path: path.stem)
def test_golden(spec: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for path in generate(spec, tmp_path):
        golden = HERE / "golden" / path.name
        if os.environ.get("HSMC_REFRESH"):
            golden.write_text(path.read_text())
        assert (
            path.read_text() == golden.read_text()
        ), f"{golden.name}: HSMC_REFRESH=1 accepts the change"


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)
def test_same_again(spec: pathlib.Path) -> None:
    """Byte-stable, and with no trace of where or when it was made."""
    first = backend_c.generate(hsmc.compile_spec(str(spec)))
    assert first == backend_c.generate(hsmc.compile_spec(str(spec)))
    assert not [name for name, text in first.items() if tells_place(text, ROOT)]


@pytest.mark.parametrize(
    "module", [naming, c_lines, backend_promela], ids=lambda module: module.__name__
)
def test_filters(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0 and result.failed == 0
