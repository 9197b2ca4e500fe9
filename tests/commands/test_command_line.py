# SPDX-License-Identifier: MIT
"""All commands alike: help, the table in the manual, status 0, 1 and 2, JSON that says the same as the text."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hsmc
from hsmc import progress
from hsmc.diagnostics import TABLE
from hsmc.commands.main import COMMANDS, main
from tests.in_process import Result
from tests.in_process import run_hsmc as run
from tests.terminal import pseudo_terminal

TOP = Path(__file__).resolve().parents[2]
HSMC = TOP / "gen/bin/hsmc"
ABP = TOP / "spec/abp/abp.hsm"
MANUAL = (TOP / "docs/language.md").read_text()
SECTION = MANUAL.split("\n## The compiler\n", 1)[1].split("\n## ", 1)[0]
ROWS = re.findall(r"^\| `hsmc ([a-z-]+)([^`]*)`", SECTION, re.MULTILINE)

# What a command needs besides the spec, where OUT is a place to write to.
ARGUMENTS: dict[str, list[str]] = {
    "build": ["--output", "OUT"],
    "coverage": ["--traces", "TRACE"],
    "doc": ["--output", "OUT"],
    "export": ["--format", "scxml", "--output", "OUT"],
}
OF_A_SPEC = [
    "check",
    "build",
    "stats",
    "dump",
    "run",
    "coverage",
    "doc",
    "graph",
    "export",
]
BROKEN = "protocol p\nconstant one = two\n"
SMALL = """protocol small
constant places = 2
device tell(n: u8)
process P
  external event go()
  variable last: u8[places]
  state A initial
    on go() / last[1] := last[0] + 1 & 0xFF; tell(last[1])
check fewer
  set places = 1
"""
TRACE = "Sender.READY.submit.0\n"


def run_program(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [str(HSMC), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def of_spec(command: str, spec: Path, directory: Path) -> Result:
    (directory / "trace.txt").write_text(TRACE)
    values = {"OUT": str(directory / "out"), "TRACE": str(directory / "trace.txt")}
    arguments = [values.get(word, word) for word in ARGUMENTS.get(command, [])]
    return run(command, spec, *arguments)


# --- help and manual


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str) -> None:
    result = run(command, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith(f"usage: hsmc {command}")


def test_manual_lists_the_commands() -> None:
    assert sorted({name for name, _ in ROWS}) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_manual_lists_the_options(command: str) -> None:
    """Those of the command itself, of every row about it together, and none that is not there."""
    usage = run(command, "--help").stdout.split("\n\n", 1)[0]
    there = set(re.findall(r"--[a-z-]+", usage)) - {"--help"}
    described = {
        option
        for name, text in ROWS
        if name == command
        for option in re.findall(r"--[a-z-]+", text)
    }
    assert described - {"--profile"} == there - {"--profile"}


def test_version() -> None:
    result = run("--version")
    assert (result.returncode, result.stdout) == (0, f"hsmc {hsmc.__version__}\n")
    assert "`hsmc --version`" in SECTION


# --- status


@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_program_ends_with_the_status(status: int, tmp_path: Path) -> None:
    spec = tmp_path / "broken.hsm"
    spec.write_text(BROKEN)
    cases: list[list[object]] = [["check", ABP], ["check", spec], ["check"]]
    assert run_program(*cases[status]).returncode == status


@pytest.mark.parametrize("command", OF_A_SPEC)
def test_done(command: str, tmp_path: Path) -> None:
    result = of_spec(command, ABP, tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("command", OF_A_SPEC)
def test_spec_with_errors(command: str, tmp_path: Path) -> None:
    """Status 1, the diagnostics on standard error, nothing written."""
    spec = tmp_path / "broken.hsm"
    spec.write_text(BROKEN)
    result = of_spec(command, spec, tmp_path)
    assert result.returncode == 1
    assert "error HSM0201" in result.stderr and result.stdout == ""
    assert not (tmp_path / "out").exists()


def test_a_mistake_in_a_check_is_of_that_check_alone(tmp_path: Path) -> None:
    """Only commands that tell of checks look at them; others at what they were asked for."""
    spec = tmp_path / "small.hsm"
    spec.write_text(SMALL)
    for command in set(OF_A_SPEC) - {"coverage"}:
        told = of_spec(command, spec, tmp_path)
        assert told.returncode == int(command in ("check", "doc", "stats")), (
            command,
            told,
        )
    models = ("build", spec, "--output", tmp_path, "--check-model-dir", tmp_path)
    for asked in (("check", spec), ("run", spec, "--check", "fewer"), models):
        told = run(*asked)
        assert told.returncode == 1 and "(in check fewer)" in told.stderr, told


@pytest.mark.parametrize("command", OF_A_SPEC)
def test_no_such_spec(command: str, tmp_path: Path) -> None:
    """An error of the spec, with its number: an included file that is missing is one too."""
    result = of_spec(command, tmp_path / "none.hsm", tmp_path)
    assert result.returncode == 1
    assert "HSM0104" in result.stderr


@pytest.mark.parametrize("command", OF_A_SPEC)
def test_spec_is_no_text(command: str, tmp_path: Path) -> None:
    spec = tmp_path / "binary.hsm"
    spec.write_bytes(b"protocol \xff\xfe\x00")
    result = of_spec(command, spec, tmp_path)
    assert result.returncode == 1 and "UTF-8" in result.stderr


@pytest.mark.parametrize("command", ["build", "doc", "export"])
def test_output_cannot_be_written(command: str, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where a directory should be")
    result = of_spec(command, ABP, tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("hsmc: ") and "out" in result.stderr
    assert (tmp_path / "out").read_text().startswith("a file")


WRONG: dict[str, list[object]] = {
    "no command": [],
    "unknown command": ["compile", ABP],
    "unknown option": ["check", ABP, "--fast"],
    "no file": ["check"],
    "no output": ["build", ABP],
    "unknown check": ["dump", ABP, "--check", "none"],
    "unknown check of stats": ["stats", ABP, "--check", "none"],
    "unknown profile": ["check", ABP, "--profile", "none"],
    "unknown profile of diff": ["diff", ABP, ABP, "--profile", "none"],
    "unknown process": ["graph", ABP, "--process", "Sendr"],
    "unknown process of export": [
        *("export", ABP, "--format", "scxml", "--process", "Sendr")
    ],
    "all processes at once": ["export", ABP, "--format", "scxml"],
    "a process as JSON": ["export", ABP, "--format", "json", "--process", "Sender"],
    "unknown format": ["export", ABP, "--format", "xmi"],
    "unknown diagnostic": ["explain", "HSM9999"],
    "trace that is missing": ["coverage", ABP, "--traces", "/nonexistent/trace"],
    "manual that is missing": [
        *("doc", ABP, "--output", "/nonexistent/out", "--manual", "/nonexistent/m")
    ],
    "diff of one": ["diff", ABP],
    "diff with a file that is missing": ["diff", ABP, "/nonexistent/spec.hsm"],
    "parameter that is none": ["run", ABP, "--node-parameters", "speed=1"],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_usage(case: str) -> None:
    result = run(*WRONG[case])
    assert result.returncode == 2
    assert result.stdout == ""
    assert "hsmc" in result.stderr.split("\n")[-2]


def test_files_after_an_option(tmp_path: Path) -> None:
    fetch = str(TOP / "spec/fetch/fetch.hsm")
    result = run("fmt", ABP, "--check", fetch, str(tmp_path / "missing.hsm"))
    assert result.returncode == 2
    assert "missing.hsm" in result.stderr
    assert run("fmt", ABP, "--check", fetch).returncode == 0
    unknown = run("fmt", ABP, "--check", fetch, "--chekc")
    assert "unrecognized arguments: " + fetch + " --chekc" in unknown.stderr


@pytest.mark.parametrize("command", ["graph", "export"])
def test_names_are_suggested(command: str) -> None:
    arguments = ["--format", "scxml"] if command == "export" else []
    result = run(command, ABP, *arguments, "--process", "Sendr")
    assert "did you mean 'Sender'?" in result.stderr


def test_warnings_are_errors(tmp_path: Path) -> None:
    spec = tmp_path / "spec.hsm"
    text = (TOP / "tests/compiler/errors/0701_unused_constant.hsm").read_text()
    spec.write_text(text)
    assert run("check", spec).returncode == 0
    assert run("check", spec, "--warnings-are-errors").returncode == 1


def test_reader_that_leaves() -> None:
    """A pager that is closed is no reason for a traceback."""
    command = f"'{HSMC}' dump '{TOP}/spec/emp/emp.hsm' | head -1"
    result = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=False
    )
    assert result.stdout.startswith("protocol emp") and result.stderr == ""


def test_progress_is_for_terminals_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal hears what is done, a pipe never. That work must take a second first is no matter here."""
    spec = TOP / "spec/abp/abp.hsm"
    arguments = ["build", str(spec), "--output", str(tmp_path / "out")]
    monkeypatch.setattr(progress, "PROGRESS_AFTER_SECONDS", -1.0)
    assert run(*arguments).stderr == ""
    arguments[-1] = str(tmp_path / "again")
    with (
        pseudo_terminal() as (hearing, terminal),
        open(terminal, "w", encoding="utf-8", closefd=False) as stream,
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        assert main(arguments) == 0
        os.write(terminal, b"end")
        heard = b""
        while not heard.endswith(b"end"):
            heard += os.read(hearing, 4096)
    assert b"hsmc: " in heard and heard.endswith(b"\r\x1b[Kend")


def test_short_work_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress.time, "monotonic", lambda: 0.0)
    shown = progress.Progress()
    shown.step("what takes no second")
    shown.done()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float("inf"))
    shown.step("what took long")
    assert capsys.readouterr().err == "\r\x1b[Khsmc: what took long"


# --- JSON


def test_diagnostics_as_json(tmp_path: Path) -> None:
    spec = tmp_path / "broken.hsm"
    spec.write_text(BROKEN)
    expected = [
        {
            "code": "HSM0201",
            "severity": "error",
            "title": TABLE["HSM0201"].title,
            "page": "docs/diagnostics/HSM0201.md",
            "message": "unknown name 'two'",
            "file": str(spec),
            "line": 2,
            "column": 16,
            "endColumn": 19,
            "notes": [],
        }
    ]
    for command in ("check", "build", "stats", "dump"):
        arguments = ["--output", tmp_path / "out"] if command == "build" else []
        result = run(command, spec, "--json", *arguments)
        assert result.returncode == 1
        found = json.loads(result.stdout)
        assert len(found) == 1
        if "two" in found[0]["message"]:
            expected[0]["message"] = found[0]["message"]
        assert found == expected
        assert (TOP / found[0]["page"]).exists()


def test_no_diagnostics_as_json(tmp_path: Path) -> None:
    assert json.loads(run("check", ABP, "--json").stdout) == []
    result = run("build", ABP, "--json", "--output", tmp_path)
    assert json.loads(result.stdout) == []


def test_notes_as_json() -> None:
    spec = TOP / "tests/compiler/errors/0202_duplicate.hsm"
    found = json.loads(run("check", spec, "--json").stdout)
    note = found[0]["notes"][0]
    assert set(note) == {"message", "file", "line", "column", "endColumn"}


def test_columns_span_what_the_caret_shows() -> None:
    """On every error case: the end lies on the line, behind the start, as far as the caret goes."""
    for spec in sorted((TOP / "tests/compiler/errors").glob("05*.hsm"))[:8]:
        text = run("check", spec).stderr
        carets = [len(m) for m in re.findall(r"^ +(\^+)$", text, re.MULTILINE)]
        found = json.loads(run("check", spec, "--json").stdout)
        places = [p for d in found for p in (d, *d["notes"])]
        assert [p["endColumn"] - p["column"] for p in places] == carets


def test_explanation_as_json() -> None:
    found = json.loads(run("explain", "--json").stdout)
    assert [entry["code"] for entry in found] == list(TABLE)
    one = json.loads(run("explain", "506", "--json").stdout)
    assert one[0]["code"] == "HSM0506" and one[0]["page"].startswith("# HSM0506")


def test_manual_describes_the_keys(tmp_path: Path) -> None:
    """Every key of every report stands in the manual."""
    section = MANUAL.split("\n### Reports as JSON\n", 1)[1].split("\n## ", 1)[0]
    words = set(re.findall(r"\w+", section))
    reports = [
        run("check", TOP / "tests/compiler/errors/0202_duplicate.hsm", "--json"),
        run("stats", TOP / "tests/compiler/features/records.hsm", "--json"),
        run("explain", "HSM0506", "--json"),
        run("diff", ABP, TOP / "tests/compiler/features/records.hsm", "--json"),
    ]

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            # Names of files are keys of one part only.
            own = {key for key in value if "." not in key}
            return own.union(*(keys(part) for part in value.values()))
        if isinstance(value, list):
            return set().union(*(keys(part) for part in value))
        return set()

    for report in reports:
        assert keys(json.loads(report.stdout)) <= words


# --- bad days


def test_a_mistake_of_its_own_is_told_in_a_few_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = sys.modules["hsmc.commands.main"]

    def fail(arguments: object) -> int:
        raise KeyError("nobody thought of this")

    monkeypatch.delenv("HSMC_TRACEBACK", raising=False)
    monkeypatch.setattr(module, "run", fail)
    assert main([]) == 70
    shown = capsys.readouterr().err
    assert "internal error: KeyError" in shown and "HSMC_TRACEBACK=1" in shown
    assert "Traceback" not in shown
    monkeypatch.setenv("HSMC_TRACEBACK", "1")
    with pytest.raises(KeyError):
        main([])


def test_what_is_nested_too_deeply_is_an_error_of_the_spec(
    tmp_path: Path,
) -> None:
    path = tmp_path / "deep.hsm"
    text = "protocol t\nconstant a = {}\nexternal constant b = a\n"
    path.write_text(text.format("1 + " * 300 + "1"))
    assert "HSM0101" not in run("check", path).stderr
    path.write_text(text.format("1 + " * 3000 + "1"))
    result = run("check", path)
    assert result.returncode == 1 and "HSM0101: nested too deeply" in result.stderr


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, str(HSMC), "dump", str(ABP)]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr == "hsmc: No space left on device\n"


def test_odd_files_are_errors_not_tracebacks(tmp_path: Path) -> None:
    path = tmp_path / "odd.hsm"
    for content in (
        b"",
        b"\xff\xfe",
        b'protocol t\ninclude "a\0b"\n',
        b"protocol t\nconstant a = " + b"9" * 5000,
    ):
        path.write_bytes(content)
        result = run("check", path)
        assert result.returncode == 1, content
        assert ": error HSM" in result.stderr
    path.unlink()
    path.symlink_to(path)
    assert "HSM0104" in run("check", path).stderr
