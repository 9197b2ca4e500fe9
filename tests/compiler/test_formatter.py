# SPDX-License-Identifier: MIT
"""hsmc fmt: the layout of real specs and of a messy one, what it keeps, what it refuses."""

import os
import random
import re
import stat
from pathlib import Path

import pytest
from tests.compiler.test_mutations import ROUNDS, SOURCES, mutate
from tests.in_process import Result, run_hsmc
from tests.interpreter.random_specs import random_spec
from tests.long_tests import one_in

import hsmc
from hsmc.formatting import formatter
from hsmc.dump import dump
from hsmc.formatting.formatter import InternalError, format_text
from hsmc.report import SpecError

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
MESSY = HERE / "format/messy.hsm"
SPECS = sorted(p for p in TOP.rglob("*.hsm") if "build" not in p.parts)


def run(*arguments: object, text: str = "") -> Result:
    return run_hsmc("fmt", *arguments, text=text)


@pytest.mark.parametrize("one_of", one_in(2, [3, 1]))
def test_every_spec_in_the_repository(one_of: int) -> None:
    """The formatter compares the trees itself; here: a second time nothing changes, and no code is too long that
    could be broken. The mark of a profile does not count."""
    formatted = 0
    for path in SPECS[::one_of]:
        try:
            text = format_text(path.read_text(), path)
        except SpecError:
            assert path.parent.name in ("errors", "format"), path
            continue
        formatted += 1
        assert format_text(text, path) == text
        for line in text.split("\n"):
            code = re.sub(r" +@\w+$", "", line.split("#")[0].rstrip())
            assert len(code) <= 120 or code.lstrip()[0] == '"', line
    assert formatted > 60 // one_of


def test_the_projects_specs_have_their_layout() -> None:
    assert run("--check", *sorted((TOP / "spec").glob("*/*.hsm"))).stderr == ""


@pytest.mark.parametrize("seed", range(3))
def test_the_meaning_stays(seed: int, tmp_path: Path) -> None:
    """The intermediate form, which is more than the tree, but for places and the text they show."""
    text = random_spec(seed)
    path = tmp_path / "random.hsm"
    dumps: list[list[str]] = []
    for version in (text, format_text(text, path)):
        path.write_text(version)
        lines = dump(hsmc.compile_spec(path)).split("\n")
        dumps.append([line.split("    # ")[0] for line in lines])
    assert dumps[0] == dumps[1]


def test_messy() -> None:
    """Its layout is format/messy.expected: HSMC_REFRESH=1 after an intended change, then read the difference."""
    text = format_text(MESSY.read_text(), MESSY)
    golden = MESSY.with_suffix(".expected")
    if os.environ.get("HSMC_REFRESH"):
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("path", one_in(3, SOURCES), ids=lambda path: path.stem)
def test_comments_everywhere(path: Path) -> None:
    """At the end of any line and between any two, each is there afterwards, in order."""
    random_ = random.Random(path.stem)
    lines: list[str] = []
    for number, line in enumerate(path.read_text().split("\n")):
        if random_.randrange(3) == 0:
            lines.append(" " * random_.randrange(8) + f"#between {number}")
        lines.append(line if random_.randrange(2) else f"{line} #end {number}")
    text = "\n".join(lines) + "\n"
    formatted = format_text(text, path)
    assert comments(formatted) == comments(text)
    assert format_text(formatted, path) == formatted


def comments(text: str) -> list[str]:
    found: list[str] = []
    for line in text.split("\n"):
        without = "".join(line.split('"')[::2])
        if "#" in without:
            found.append(without[without.index("#") :].rstrip())
    return found


@pytest.mark.parametrize("path", one_in(3, SOURCES), ids=lambda path: path.stem)
def test_damage_never_breaks_the_formatter(path: Path) -> None:
    """It refuses or lays out, whatever the text: tokens moved about, and bytes changed."""
    text = path.read_text()
    for seed in range(ROUNDS // 2):
        random_ = random.Random(f"{path.stem} {seed}")
        damaged = mutate(text, random_)
        if seed % 2:
            characters = list(text)
            for _ in range(random_.choice((1, 3, 8))):
                at = random_.randrange(len(characters))
                characters[at] = random_.choice("\t\x0b\x0c\r\0 \n@#\"'()[]/é\u2028=x0")
            damaged = "".join(characters)
        try:
            formatted = format_text(damaged, path)
        except SpecError:
            continue
        assert format_text(formatted, path) == formatted


def test_a_layout_that_says_something_else_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = formatter._layout
    text = MESSY.read_text()
    for before, after in (
        ("a := 1", "a := 2"),
        ("@modern", "@paper"),
        ("# end of the file", "# of the file"),
        ("count seen", "count seen; count seen"),
        ("nowhere", "anywhere"),
    ):
        assert before in format_text(text, MESSY)
        with monkeypatch.context() as patch:
            patch.setattr(
                formatter, "_layout", lambda i: right(i).replace(before, after)
            )
            with pytest.raises(InternalError):
                format_text(text, MESSY)


# --- the command


def test_command(tmp_path: Path) -> None:
    messy, expected = MESSY.read_text(), MESSY.with_suffix(".expected").read_text()
    path = tmp_path / "messy.hsm"
    path.write_text(messy)
    path.chmod(0o640)
    link = tmp_path / "link.hsm"
    link.symlink_to(path)

    checked = run("--check", path)
    assert checked.returncode == 1
    assert f"{path} would change" in checked.stderr
    shown = run("--diff", path)
    assert shown.returncode == 0
    assert shown.stdout.startswith(f"--- {path}\n+++ {path} (formatted)\n")
    assert path.read_text() == messy

    assert run(link).returncode == 0
    assert link.is_symlink()
    assert path.read_text() == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    changed = path.stat().st_mtime_ns
    assert run("--check", path).returncode == 0
    assert run(path).returncode == 0
    assert path.stat().st_mtime_ns == changed
    assert run("-", text=messy).stdout == expected
    assert run("-", "--check", text=messy).returncode == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.hsm", "messy.hsm"]


def test_line_ends_become_those_of_the_project(tmp_path: Path) -> None:
    path = tmp_path / "t.hsm"
    path.write_bytes(b"constant a = 1\r\nconstant b = 2")
    assert run("--check", path).returncode == 1
    assert run(path).returncode == 0
    assert path.read_bytes() == b"constant a = 1\nconstant b = 2\n"


def test_what_does_not_parse_is_left_alone(tmp_path: Path) -> None:
    broken, sound = tmp_path / "broken.hsm", tmp_path / "sound.hsm"
    broken.write_text("constant  a = = 1\n")
    sound.write_text("constant  a = 1\n")
    result = run(broken, sound)
    assert result.returncode == 1
    assert f"{broken}:1:15: error HSM0101" in result.stderr
    assert broken.read_text() == "constant  a = = 1\n"
    assert sound.read_text() == "constant a = 1\n"
    assert run(tmp_path / "missing.hsm").returncode == 2
    (tmp_path / "binary.hsm").write_bytes(b"\xff\xfe")
    assert run(tmp_path / "binary.hsm").returncode == 2
