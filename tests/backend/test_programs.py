# SPDX-License-Identifier: MIT
"""What is generated, and the headers of the host, in programs of others: several protocols in one, warnings as errors, C++."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hsmc import compile_spec
from hsmc.backends import backend_c

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def generated(spec: Path, directory: Path) -> None:
    """As a build has it: in a directory with the name of the protocol."""
    own = directory / spec.stem
    own.mkdir(parents=True)
    for name, text in backend_c.generate(compile_spec(str(spec))).items():
        (own / name).write_text(text)


def compiled(directory: Path, *command: str) -> None:
    result = subprocess.run(
        [*command, *WARNINGS, f"-I{ROOT}", f"-I{directory}"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", ["unused_recall", "unused_release"])
def test_what_is_never_called_is_not_there(
    name: str, compiler: str, tmp_path: Path
) -> None:
    """An event whose deferring states all end with the record; a release in the row of an event that nothing raises."""
    generated(PROGRAMS / f"{name}.hsm", tmp_path)
    (source,) = tmp_path.glob("*/*.c")
    compiled(tmp_path, compiler, "-std=c11", "-Wconversion", "-c", str(source))


TWO = """
#include "net/net.h"
#include "net_link/net_link.h"

int main(void)
{
	net_initialise();
	netlink_initialise();
	(void)net_link_go_up();
	(void)netlink_go_up();
	return net_state.n == 1 && netlink_state.m == 1 ? 0 : 1;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_two_protocols_in_one_program(compiler: str, tmp_path: Path) -> None:
    """Of which the name of one begins with that of the other: no name of one is a name of the other."""
    for name in ("net", "net_link"):
        generated(PROGRAMS / f"{name}.hsm", tmp_path)
    (tmp_path / "main.c").write_text(TWO)
    sources = ("main.c", "net/net.c", "net_link/net_link.c")
    compiled(tmp_path, compiler, "-std=c11", *sources, "-o", "both")
    subprocess.run([tmp_path / "both"], check=True)


# Each header alone, then what a program calls.
HOST_HEADERS = [
    *sorted(ROOT.glob("host/board/*.h")),
    *sorted(ROOT.glob("host/emp/*.h")),
]
OF_THE_LIBRARIES = {"internal.h", "ahead.h", "image_format.h"}
CALLS = """
int main()
{
	board_close(nullptr);
	libemp_costs_defaults(nullptr);
	const uint32_t words[] = {1, 2, 3, 4, 5, 6};
	return (int)GET(words) + (int)NETLINK_COUNTER_COUNT;
}
"""


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_headers_of_a_host_as_cpp(compiler: str, standard: str, tmp_path: Path) -> None:
    """What they declare is C to the linker, and no warning is left."""
    specs = [ROOT / "host/board/board.hsm", PROGRAMS / "net_link.hsm"]
    specs += [ROOT / f"spec/{name}/{name}.hsm" for name in ("emp", "abp", "fetch")]
    for spec in specs:
        generated(spec, tmp_path)
    layouts = [f"{spec.stem}/{spec.stem}_layout.h" for spec in specs]
    headers = [
        str(header.relative_to(ROOT))
        for header in HOST_HEADERS
        if header.name not in OF_THE_LIBRARIES
    ]
    assert "host/emp/libemp.h" in headers and "host/board/board.h" in headers
    for header in (*layouts, *headers):
        path = tmp_path / header if header in layouts else ROOT / header
        assert 'extern "C" {' in path.read_text(), header
        unit = tmp_path / "unit.cpp"
        unit.write_text(f'#include "{header}"\n')
        compiled(tmp_path, compiler, f"-std={standard}", "-c", unit.name)
    includes = "".join(f'#include "{header}"\n' for header in (*layouts, *headers))
    field = re.search(
        r"emp_descriptor_get_\w+",
        (tmp_path / "emp/emp_layout.h").read_text(),
    )
    assert field is not None
    text = CALLS.replace("GET", field[0])
    (tmp_path / "main.cpp").write_text(includes + text)
    compiled(tmp_path, compiler, f"-std={standard}", "-c", "main.cpp")
    symbols = subprocess.run(
        ["nm", "main.o"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    for function in ("board_close", "libemp_costs_defaults"):
        assert re.search(rf" U {function}$", symbols, re.M)
