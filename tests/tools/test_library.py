# SPDX-License-Identifier: MIT
"""libemp as installed: what it offers, and programs outside the tree that use it."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.long_tests import long
from tests.sim_serve.serving import TIME_LIMIT_SECONDS
from tests.tools.installed import (
    BUILD,
    IMAGE,
    PREFIX,
    ROOT,
    TOP,
    Boards,
    clean,
    compiled,
    install,
)

EXAMPLES = PREFIX / "share/doc/libemp/examples"


@pytest.fixture(autouse=True, scope="module")
def fixture_installed() -> None:
    install()


def declared() -> set[str]:
    """Functions of the installed headers."""
    text = "".join(
        (PREFIX / "include/libemp" / name).read_text()
        for name in ("libemp.h", "board.h")
    )
    return set(
        re.findall(
            r"\b((?:libemp|board)_\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        )
    )


def test_offers_the_functions_of_its_headers_with_versions() -> None:
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", PREFIX / "lib/libemp.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    symbols = {line.split()[2] for line in listed.splitlines() if " T " in line}
    assert symbols == {f"{name}@@LIBEMP_0.1" for name in declared()}


def test_has_a_soname() -> None:
    shown = subprocess.run(
        ["readelf", "-d", PREFIX / "lib/libemp.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "soname: [libemp.so.0]" in shown
    assert (PREFIX / "lib/libemp.so.0").exists()


def test_nothing_installed_names_the_tree() -> None:
    """Neither the destination nor the place where it was built."""
    texts = [
        PREFIX / "lib/pkgconfig/libemp.pc",
        *(PREFIX / "include/libemp").iterdir(),
        *(PREFIX / "share").rglob("*.*"),
    ]
    for path in texts:
        assert str(ROOT).encode() not in path.read_bytes(), path


def test_image_is_the_one_of_the_build() -> None:
    assert IMAGE.read_bytes() == (BUILD / "firmware/emp_a.bin").read_bytes()


def test_results_must_be_looked_at(tmp_path: Path) -> None:
    source = tmp_path / "ignores.c"
    source.write_text(
        "#include <libemp.h>\nint main(void) { libemp_attach(0); return 0; }\n"
    )
    with pytest.raises(AssertionError, match="unused-result"):
        compiled(source, tmp_path / "ignores")


def run_pair(boards: Boards, left: list[str], right: list[str]) -> list[str]:
    environment = clean(LD_LIBRARY_PATH=f"{PREFIX}/lib")
    processes = [
        subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for command in (right, left)
    ]
    texts = [
        process.communicate(timeout=TIME_LIMIT_SECONDS)[0] for process in processes
    ]
    assert [process.returncode for process in processes] == [0, 0], texts
    return texts


@pytest.mark.parametrize("static", [False, True])
def test_first_program(tmp_path: Path, static: bool) -> None:
    hello = str(compiled(EXAMPLES / "hello.c", tmp_path / "hello", static=static))
    with Boards() as boards:
        boards.load()
        texts = run_pair(
            boards,
            [hello, boards.name("left"), "1", "good morning"],
            [hello, boards.name("right"), "0"],
        )
    assert texts == ["good morning\n", ""]


@pytest.mark.parametrize("messages", [800, pytest.param(10000, marks=long)])
def test_messages_of_random_sizes_come_intact(tmp_path: Path, messages: int) -> None:
    """Between two processes that know only the installed library."""
    exchange = str(compiled(EXAMPLES / "exchange.c", tmp_path / "exchange", "-O2"))
    with Boards() as boards:
        boards.load()
        texts = run_pair(
            boards,
            [exchange, boards.name("left"), "0", "1", str(messages)],
            [exchange, boards.name("right"), "1", "0", str(messages)],
        )
    assert texts == [f"{messages} messages each way, all intact\n"] * 2
