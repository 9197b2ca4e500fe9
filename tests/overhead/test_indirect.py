# SPDX-License-Identifier: MIT
"""The gate against jumps to computed addresses: what it lets through, and what it stops."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "fw-runtime/tools/check_indirect.py"
IMAGE = ROOT / "build/firmware/emp_a.elf"
COMPILE = """mips-linux-gnu-gcc -EB -march=mips2 -mabi=32 -mno-abicalls -fno-pic -G0 -O2 -ffreestanding
    -ffunction-sections -c""".split()

SWITCH = """
void a(void), b(void), c(void), d(void), e(void), f(void);
void dispatch(unsigned state)
{
    switch (state) {
    case 0: a(); break;
    case 1: b(); break;
    case 2: c(); break;
    case 3: d(); break;
    case 4: e(); break;
    default: f();
    }
}
"""
POINTER = (
    "void (*handler)(unsigned); int dispatch(unsigned i) { handler(i); return 1; }"
)
TAIL = "void (*handler)(unsigned); void dispatch(unsigned i) { handler(i); }"
# JOFF as the event loop has it, in another function: word of tigon2.md 1.3.
JOFF = 'void dispatch(void) { __asm__ volatile(".word 0x0209000a"); }'
TWICE = """void tigon2_event_loop(void) { __asm__ volatile(".word 0x0209000a\\n\\t.word 0x0209000a"); }"""
ONCE = """void tigon2_event_loop(void) { __asm__ volatile(".word 0x0209000a"); }"""
DIRECT = "void a(void); int dispatch(int i) { a(); return i + 1; }"


def check(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TOOL, path, *options], capture_output=True, text=True, check=False
    )


def compiled(source: str, directory: Path, *options: str) -> Path:
    (directory / "bad.c").write_text(source)
    target = directory / "bad.o"
    subprocess.run([*COMPILE, *options, "-o", target, directory / "bad.c"], check=True)
    return target


@pytest.mark.parametrize(
    "source, name",
    [
        (SWITCH, "jr"),
        (POINTER, "jalr"),
        (TAIL, "jr"),
        (JOFF, "joff"),
        (TWICE, "joff"),
    ],
    ids=["switch", "pointer", "tail_call", "joff", "second_dispatch"],
)
def test_stops(source: str, name: str, tmp_path: Path) -> None:
    result = check(compiled(source, tmp_path))
    function = "tigon2_event_loop" if source == TWICE else "dispatch"
    assert result.returncode == 1
    assert f"{function} (" in result.stderr
    assert f"{name} jumps to a computed address" in result.stderr


def test_lets_through(tmp_path: Path) -> None:
    for source in (DIRECT, ONCE):
        assert check(compiled(source, tmp_path)).returncode == 0
    # The remedy it names helps.
    assert check(compiled(SWITCH, tmp_path, "-fno-jump-tables")).returncode == 0


def test_nothing_to_check(tmp_path: Path) -> None:
    assert check(compiled("int nothing;", tmp_path)).returncode == 1


def test_firmware() -> None:
    """One computed jump an event, and none in generated code."""
    result = check(IMAGE, "--list")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "  jr in _start: enters the event loop, once",
        "  joff in tigon2_event_loop: dispatches one event",
    ]


def test_decoding() -> None:
    sys.path.insert(0, str(TOOL.parent))
    import check_indirect

    result = doctest.testmod(check_indirect)
    assert result.attempted > 0 and result.failed == 0
