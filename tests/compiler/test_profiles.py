# SPDX-License-Identifier: MIT
"""Profiles: which lines exist, what is said of them, how the variants are told apart."""

import subprocess
from pathlib import Path

import pytest

import hsmc
from hsmc.backends import backend_c
from hsmc.compilation.compiler import Compilation, diagnose
from hsmc.dump import dump
from hsmc.frontend.profiles import UnknownProfile, find_marks
from hsmc.report import render

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
HSMC = TOP / "gen/bin/hsmc"
FEATURE = HERE / "features/profiles.hsm"
NAMES = ("paper", "modern")


def write(directory: Path, text: str, name: str = "t.hsm") -> Path:
    path = directory / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "code, names, code_end, stray",
    [
        ("on go -> A", [], 10, -1),
        ("on go -> A @paper", ["paper"], 10, -1),
        ("on go -> A@paper  @modern ", ["paper", "modern"], 10, -1),
        ('counter a "to @paper"', [], 21, -1),
        ('counter a "to @paper" @modern', ["modern"], 21, -1),
        ("on go @paper -> A", [], 17, 6),
        ("on go -> A @ paper", [], 18, 11),
        ("on go -> A @1", [], 13, 11),
        ("  @paper", ["paper"], 0, 2),
    ],
)
def test_marks(code: str, names: list[str], code_end: int, stray: int) -> None:
    marked = find_marks(code)
    assert [name for name, _ in marked.names] == names
    assert (marked.code_end, marked.first_misplaced) == (code_end, stray)
    assert all(code[at : at + 1 + len(n)] == "@" + n for n, at in marked.names)


def without_marks(text: str, profile: str) -> str:
    """What a person would write who had only this profile: an independent, line by line account for a text without
    continued lines."""
    lines: list[str] = []
    hidden = -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if 0 <= hidden < indent:
            continue
        hidden = -1
        words = line.split("#")[0].split()
        marks = [word[1:] for word in words if word.startswith("@")]
        if line.startswith("profile "):
            hidden = indent
        elif marks and profile not in marks:
            hidden = indent
        else:
            lines.append(" ".join(line.split("@")[:1]))
    return "\n".join(lines)


NESTED = """protocol t
profile paper
profile modern
  set size = 9
external constant size = 3
counter seen       @modern
process P
  external event go()
  external event stop()   @paper
  variable n: u16         @modern
  state A initial
    entry / step()        @modern
    on go -> B
    ignore stop           @paper
  state B
    on go                 @modern
      when n == 4 -> A
      else / step()
    on go -> C            @paper
    never stop            @paper
    state D initial       @modern
    state C initial       @paper
      on stop -> D
      state D initial     @paper @modern
action step()             @modern
  if n == 3
    count seen
  else
    n := u16(n + 1)
"""


@pytest.mark.parametrize("profile", NAMES)
def test_a_profile_is_the_text_without_the_rest(profile: str, tmp_path: Path) -> None:
    shared = write(tmp_path, NESTED)
    text = without_marks(NESTED, profile)
    if profile == "modern":
        text = text.replace("size = 3", "size = 9")
    alone = write(tmp_path, text, "alone.hsm")
    assert [render(d) for d in diagnose(alone)] == []
    assert [render(d) for d in diagnose(shared)] == []
    lines = dump(hsmc.compile_spec(shared, profile=profile)).split("\n")
    rest = [line for line in lines if not line.startswith(("profile", "protocol"))]
    expected = dump(hsmc.compile_spec(alone)).split("\n")[1:]
    # The place of a row is the only difference.
    assert [r.split("    # ")[0] for r in rest] == [
        e.split("    # ")[0] for e in expected
    ]


def test_the_default() -> None:
    protocols = {name: hsmc.compile_spec(FEATURE, profile=name) for name in NAMES}
    default = hsmc.compile_spec(FEATURE)
    assert default == protocols["paper"]
    assert default.profile == "paper"
    assert [(p.name, p.default) for p in default.profiles] == [
        ("modern", False),
        ("paper", True),
    ]
    assert protocols["modern"].profiles == default.profiles
    assert protocols["modern"].hash != default.hash
    assert hsmc.load(FEATURE, {"window": 2}, "modern").constants[0].value == 2


def test_the_first_is_the_default_where_none_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, NESTED)
    assert hsmc.compile_spec(path).profile == "paper"
    assert hsmc.compile_spec(path, profile="paper") == hsmc.compile_spec(path)


def test_a_check_goes_over_the_profile() -> None:
    for profile, values in (("paper", (4, 2)), ("modern", (8, 2))):
        plain = hsmc.compile_spec(FEATURE, profile=profile)
        small = hsmc.compile_spec(FEATURE, "small", profile)
        found = tuple(p.constants[0].value for p in (plain, small))
        # The check's own setting is marked @modern.
        assert found == (values if profile == "modern" else (4, 4))
    with pytest.raises(ValueError, match="no check 'large'; there are: small"):
        hsmc.compile_spec(FEATURE, "large", "paper")


def test_generated_c_names_the_profile_and_shows_its_lines_only() -> None:
    for name, other in (NAMES, NAMES[::-1]):
        files = backend_c.generate(hsmc.compile_spec(FEATURE, profile=name))
        for text in files.values():
            first = text.split("\n")[0]
            assert f"from profiles.hsm, profile {name}; do not edit" in first
        source = files["profiles.c"]
        assert ("== 7u" in source) == (name == "modern")
        assert f"@{other}" not in source


def test_messages_say_where_they_hold(tmp_path: Path) -> None:
    text = NESTED.replace("ignore stop ", "ignore stopp").replace(
        "n := u16(n + 1)", "n := u16(m + 1)"
    )
    text += "counter unused\n"
    found = [d.message for d in diagnose(write(tmp_path, text))]
    assert found == [
        "process P has no event 'stopp'; did you mean 'stop'? (in profile paper)",
        "there is no name 'm' (in profile modern)",
    ]
    text = NESTED + "counter unused\n"
    assert [d.message for d in diagnose(write(tmp_path, text))] == [
        "counter 'unused' never counts"
    ]


def test_included_files(tmp_path: Path) -> None:
    """An include may be marked, and lines of an included file too."""
    write(
        tmp_path,
        "external constant speed = 1  @paper\nexternal constant speed = 2  @modern\n",
        "speed.hsm",
    )
    write(tmp_path, "external constant colour = 1\n", "colour.hsm")
    path = write(
        tmp_path,
        NESTED + 'include "speed.hsm"\ninclude "colour.hsm" @modern\n',
    )
    assert diagnose(path) == []
    for name, speed, files in (
        ("paper", 1, ("t.hsm", "speed.hsm")),
        ("modern", 2, ("t.hsm", "speed.hsm", "colour.hsm")),
    ):
        protocol = hsmc.compile_spec(path, profile=name)
        assert protocol.files == files
        values = {c.name: c.value for c in protocol.constants}
        assert values["speed"] == speed


def test_a_spec_without_profiles_has_none() -> None:
    protocol = hsmc.compile_spec(TOP / "spec/abp/abp.hsm")
    assert (protocol.profile, protocol.profiles) == (None, ())
    with pytest.raises(UnknownProfile, match="there are: none"):
        Compilation(TOP / "spec/abp/abp.hsm", profile="modern")


def test_command_line(tmp_path: Path) -> None:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([HSMC, *arguments], capture_output=True, text=True)

    assert run("check", FEATURE).returncode == 0
    assert run("check", FEATURE, "--profile", "modern").returncode == 0
    for command in ("check", "dump", "stats", "graph"):
        unknown = run(command, FEATURE, "--profile", "modren")
        assert unknown.returncode == 2
        assert "did you mean 'modern'" in unknown.stderr
    assert run("dump", FEATURE).stdout.startswith("protocol profiles profile paper\n")
    modern = run("dump", FEATURE, "--profile", "modern", "--check", "large")
    assert modern.stdout.startswith("protocol profiles profile modern check large\n")
    assert (
        "EAGER" in run("graph", FEATURE, "--profile=modern", "--process=Window").stdout
    )
    built = run(
        *("build", FEATURE, "--profile", "modern", "--output", tmp_path / "c"),
        *("--check-model-dir", tmp_path / "models"),
    )
    assert built.returncode == 0
    assert sorted(p.name for p in (tmp_path / "models").iterdir()) == ["large", "small"]
    built = run("build", FEATURE, "--output", tmp_path, "--check-model-dir", tmp_path)
    assert not (tmp_path / "large").exists()
    assert "profile paper," in (tmp_path / "small/profiles.pml").read_text()
