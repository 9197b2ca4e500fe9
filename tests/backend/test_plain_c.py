# SPDX-License-Identifier: MIT
"""What generated C promises its reviewer: one state of plain data, nothing hidden, nothing allocated, no recursion.

Looked up in what compilers make of it, for every spec there is.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hsmc import naming
from hsmc.backends import backend_c
from hsmc.compilation.compiler import compile_spec

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "fw-runtime/tools"
SPECS = [
    ROOT / "spec/emp/emp.hsm",
    ROOT / "spec/abp/abp.hsm",
    ROOT / "spec/fetch/fetch.hsm",
    *sorted((ROOT / "tests/compiler/features").glob("*.hsm")),
]
ids = [path.stem for path in SPECS]
# As on the chip, loops are not turned into calls of a library.
GCC = """gcc -std=c11 -O2 -ffreestanding -fno-tree-loop-distribute-patterns -Wall -Wextra -Wconversion -Werror""".split()


class Generated:
    """The C of one spec, as object and as call graph."""

    def __init__(self, spec: Path, directory: Path) -> None:
        protocol = compile_spec(spec)
        self.prefix = naming.compact(protocol.name)
        self.stem = naming.plain(protocol.name)
        self.files = backend_c.generate(protocol)
        self.directory = directory
        for name, text in self.files.items():
            (directory / name).write_text(text)

    def compile(self, *options: str) -> subprocess.CompletedProcess[str]:
        command: list[str | Path] = [*GCC, *options, f"-I{ROOT}", f"-I{self.directory}"]
        command += ["-c", f"{self.stem}.c"]
        return subprocess.run(
            command, cwd=self.directory, capture_output=True, text=True, check=False
        )

    def symbols(self) -> list[tuple[str, str]]:
        """(kind, name) of the object."""
        output = subprocess.run(
            ["nm", f"{self.stem}.o"],
            cwd=self.directory,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        found = re.findall(r"^[0-9a-f ]* ([A-Za-z]) (\S+)$", output, re.MULTILINE)
        return [(kind, name) for kind, name in found]


@pytest.fixture(scope="module")
def generated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generated:
    """One for all tests of a spec, which only look at it."""
    return Generated(request.param, tmp_path_factory.mktemp("generated"))


@pytest.mark.parametrize("generated", SPECS, indirect=True, ids=ids)
def test_nothing_hidden(generated: Generated) -> None:
    """State, parameters, counters, and not a byte besides; it calls the runtime and nothing else."""
    assert generated.compile().returncode == 0
    prefix = generated.prefix
    own = {f"{prefix}_state", f"{prefix}_parameters", f"{prefix}_counters"}
    data = {name for kind, name in generated.symbols() if kind in "bBdDcCsSgG"}
    assert data <= own
    assert f"{prefix}_state" in data
    needed = {name for kind, name in generated.symbols() if kind == "U"}
    runtime = re.compile(f"{prefix}_(device_.*|timer_arm|timer_cancel)")
    assert [name for name in needed if not runtime.fullmatch(name)] == []


@pytest.mark.parametrize("generated", SPECS, indirect=True, ids=ids)
def test_state_is_plain_data(generated: Generated) -> None:
    """Unsigned numbers of fixed width, bools, arrays and structs of these: no pointer, no union, no bit field."""
    header = generated.files[f"{generated.stem}.h"]
    structs = re.findall(r"^struct \w+ \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL)
    assert structs
    for text in structs:
        bare = re.sub(r"/\*.*?\*/|^#.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
        for member in filter(None, (part.strip() for part in bare.split(";"))):
            assert re.fullmatch(
                r"(uint8_t|uint16_t|uint32_t|bool|struct \w+) \w+(\[.+\])?", member
            ), member


@pytest.mark.parametrize("generated", SPECS, indirect=True, ids=ids)
def test_no_recursion(generated: Generated) -> None:
    """Nor a call through a pointer; and the stack of the deepest chain is bounded."""
    sys.path.insert(0, str(TOOLS))
    import check_stack

    assert generated.compile("-fno-inline", "-fcallgraph-info=su").returncode == 0
    graph = generated.directory / f"{generated.stem}.ci"
    frames, calls = check_stack.read([str(graph)])
    assert frames
    known: dict[str, check_stack.Path] = {}
    for function in sorted(frames):
        need, _ = check_stack.deepest(function, frames, calls, known, [])
        assert need < 2000, function


@pytest.mark.parametrize("generated", SPECS, indirect=True, ids=ids)
def test_rows_stand_beside_their_code(generated: Generated) -> None:
    """Every transition names the file and line it is written at, in a comment directly above it."""
    source = generated.files[f"{generated.stem}.c"]
    numbers = re.findall(r"_TRACE\((\d+)u,", source)
    lines = source.split("\n")
    for position, line in enumerate(lines):
        if "_TRACE(" in line:
            above = "\n".join(lines[max(0, position - 4) : position])
            assert re.search(r"/\* \S+\.hsm:\d+: ", above), line
    assert sorted(set(map(int, numbers))) == list(range(len(set(numbers))))


def test_other_runtime(tmp_path: Path) -> None:
    """Code made for another hsm_support.h, or built with more records than a reference can name, does not compile."""
    generated = Generated(ROOT / "tests/compiler/features/records.hsm", tmp_path)
    header = tmp_path / f"{generated.stem}.h"
    assert generated.compile().returncode == 0
    text = header.read_text()
    expected = f"HSM_SUPPORT_VERSION == {backend_c.SUPPORT_VERSION}u"
    assert expected in text
    header.write_text(text.replace(expected, "HSM_SUPPORT_VERSION == 99u"))
    result = generated.compile()
    assert result.returncode != 0 and "hsm_support.h is the one" in result.stderr


def test_more_records_than_names(tmp_path: Path) -> None:
    generated = Generated(ROOT / "spec/emp/emp.hsm", tmp_path)
    assert generated.compile("-DEMP_SEND_LIMIT=8u").returncode == 0
    result = generated.compile("-DEMP_SEND_LIMIT=300u")
    assert result.returncode != 0
    assert "a reference to SendMessage has 8 bits" in result.stderr


def test_state_limit(tmp_path: Path) -> None:
    generated = Generated(ROOT / "spec/abp/abp.hsm", tmp_path)
    assert generated.compile("-DABP_STATE_LIMIT=12").returncode == 0
    result = generated.compile("-DABP_STATE_LIMIT=4")
    assert result.returncode != 0 and "hsmc stats" in result.stderr
