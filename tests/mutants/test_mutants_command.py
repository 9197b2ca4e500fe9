# SPDX-License-Identifier: MIT
"""`hsmc mutants`: a sample of the alternating-bit protocol's, against the page and the explanations in the tree."""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

import pytest
from tests.long_tests import long

ROOT = pathlib.Path(__file__).resolve().parents[2]
ABP = ROOT / "spec/abp/abp.hsm"
SURVIVORS = ROOT / "tests/mutants/survivors_abp.toml"
PAGE = ROOT / "docs/mutants-abp.md"
ENTRY = '[[survivor]]\nmutant = "{}"\nkind = "{}"\nreason = "because"\n'
SILENT = "drop-assignment Sender.WAIT_ACK.ack.0: pending := 0"


def hsmc(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "gen/bin/hsmc"), "mutants", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


@pytest.fixture(scope="module", name="sample")
def fixture_sample(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Makes what the other tests find already kept."""
    output = tmp_path_factory.mktemp("mutants")
    page = output / "page.md"
    found = hsmc(
        ABP, "--sample", 12, "--survivors", SURVIVORS, "--output", output, "--json",
        "--page", page, "--results", output / "results.json",
    )  # fmt: skip
    assert found.stderr == ""
    assert found.returncode == 0
    return {"output": output, "page": page.read_text(), **json.loads(found.stdout)}


def test_every_mutant_of_the_sample_is_shown_or_explained(
    sample: dict[str, Any]
) -> None:
    fates = {mutant["fate"] for mutant in sample["mutants"]}
    assert fates == {"property", "compiler", "survived"}
    assert sample["searches"] == {"two_items safety": 115, "two_items liveness": 334}
    for mutant in sample["mutants"]:
        if mutant["fate"] == "survived":
            assert mutant["explained"]["reason"]
            assert len(mutant["found"]) == 2
        elif mutant["fate"] == "property":
            assert mutant["found"][-1]["steps"] > 0


def test_page_is_current(sample: dict[str, Any]) -> None:
    table = "| mutant | place | shown by |"
    rows = sample["page"].split(table)[1].splitlines()[2:]
    assert len(rows) == len(sample["mutants"]) >= 10
    page = PAGE.read_text().splitlines()
    assert [row for row in rows if row not in page] == [], "run 'make mutants'"


def test_what_is_known_is_not_searched_again(
    sample: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    """By a clone, which has no cache: results are believed as long as nothing changes but comments."""
    spec, results, cache = tmp_path / "abp.hsm", tmp_path / "r.json", tmp_path / "cache"
    known = (sample["output"] / "results.json").read_text()
    text = ABP.read_text()
    arguments = ("--sample", 12, "--survivors", SURVIVORS, "--json")
    options = (*arguments, "--results", results, "--output", tmp_path)

    spec.write_text(f"# A comment moves all lines.\n{text}")
    results.write_text(known)
    found = hsmc(spec, *options)
    assert found.returncode == 0, found.stderr
    told = json.loads(found.stdout)["mutants"]
    assert not cache.exists() and results.read_text() == known
    for before, now in zip(sample["mutants"], told, strict=True):
        assert [now[each] for each in ("name", "fate", "by", "same_states")] == [
            before[each] for each in ("name", "fate", "by", "same_states")
        ]
        if before["fate"] == "property":
            last = now["found"][-1]
            assert last["steps"] == before["found"][-1]["steps"]
            assert last["search"] == before["found"][-1]["search"]

    # Another guard is another spec: what a mutant of it does is searched.
    name = killed(sample)
    one = ("--name", name, "--results", results, "--output", tmp_path)
    spec.write_text(
        text.replace("and submitted == reported", "and submitted <= reported")
    )
    assert hsmc(spec, *one).returncode == 0
    assert cache.exists()
    assert line_of(name, results.read_text()) != line_of(name, known)


def test_again_believes_nothing(sample: dict[str, Any], tmp_path: pathlib.Path) -> None:
    results = tmp_path / "results.json"
    known = (sample["output"] / "results.json").read_text()
    name = killed(sample)
    one = (ABP, "--name", name, "--results", results, "--output", tmp_path)
    results.write_text(known.replace('"delivered_once"', '"no_deadlock"'))
    assert "no_deadlock (two_items" in hsmc(*one).stdout
    assert "delivered_once (two_items" in hsmc(*one, "--again").stdout
    assert line_of(name, results.read_text()) == line_of(name, known)


def killed(sample: dict[str, Any]) -> str:
    names = [m["name"] for m in sample["mutants"] if m["by"] == "delivered_once"]
    return str(names[0])


def line_of(name: str, results: str) -> str:
    (line,) = [each for each in results.splitlines() if each.startswith(f'"{name}"')]
    return line.rstrip(",")


@pytest.mark.parametrize("text", ["{", '{"spec": {}, "mutants": {}}'])
def test_bad_results(tmp_path: pathlib.Path, text: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(text)
    found = hsmc(ABP, "--sample", 1, "--results", file, "--output", tmp_path)
    assert found.returncode == 2
    assert "results.json has no results of mutants" in found.stderr
    assert "Traceback" not in found.stderr


def test_survivor_without_explanation(sample: dict[str, Any]) -> None:
    found = hsmc(ABP, "--name", SILENT, "--output", sample["output"])
    assert found.returncode == 1
    assert f"survives unexplained: {SILENT}" in found.stderr
    assert "(the same number of states in all searches)" in found.stderr


def test_explanation_without_survivor(
    sample: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    killed = "drop-assignment Sender.READY.submit.0: pending := item"
    file = tmp_path / "survivors.toml"
    file.write_text(ENTRY.format(killed, "equivalent"))
    found = hsmc(
        ABP, "--name", killed, "--survivors", file, "--output", sample["output"]
    )
    assert found.returncode == 1
    assert found.stderr == f"no such mutant survives any more: {killed}\n"
    assert "delivered_once (two_items safety, step" in found.stdout


@pytest.mark.parametrize(
    "text, message",
    [
        (ENTRY.format("x", "harmless"), "there is no kind 'harmless'"),
        ('[[survivor]]\nmutant = "x"\n', "has not exactly the keys"),
        (ENTRY.format("x", "beyond").replace("because", " "), "none empty"),
        ("[other]\n", "expected [[survivor]] and nothing else, found other"),
        ("= 1\n", "survivors.toml: "),
    ],
)
def test_bad_survivors(tmp_path: pathlib.Path, text: str, message: str) -> None:
    file = tmp_path / "survivors.toml"
    file.write_text(text)
    found = hsmc(ABP, "--survivors", file, "--output", tmp_path)
    assert found.returncode == 2
    assert message in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--operators", "drop-al"], "there is no operator drop-al"),
        (["--process", "Sendr"], "did you mean 'Sender'"),
        (["--name", "nothing"], "there is no mutant nothing"),
        (["--sample", "0"], "--sample takes a number from 1 on"),
        (["--jobs", "0"], "--jobs takes a number from 1 on"),
        (["--checks", "no"], "there is no check configuration no"),
    ],
)
def test_wrong_usage(
    tmp_path: pathlib.Path, arguments: list[str], message: str
) -> None:
    found = hsmc(ABP, *arguments, "--output", tmp_path)
    assert found.returncode == 2
    assert message in found.stderr


def test_list_names_without_searching(tmp_path: pathlib.Path) -> None:
    found = hsmc(ABP, "--list", "--operators", "drop-timer", "--output", tmp_path)
    assert found.stdout == (
        "abp.hsm:54  drop-timer Sender.WAIT_ACK.after: after timeout -> WAIT_ACK\n"
    )


@long
def test_a_world_outlives_the_timers_it_speaks_of(tmp_path: pathlib.Path) -> None:
    """The only one of the spec: a mutant without it is searched, and so is an edited spec."""
    lines = ABP.read_text().splitlines(keepends=True)
    constant = [
        line.replace("after timeout", "after 1000")
        for line in lines
        if not line.startswith("parameter timeout")
    ]
    assert "".join(constant).count("after 1000") == 1
    spec = tmp_path / "abp.hsm"
    spec.write_text("".join(constant))
    world = ("--output", tmp_path / "out")
    found = hsmc(spec, "--operators", "drop-timer", *world, "--json")
    (mutant,) = json.loads(found.stdout)["mutants"]
    assert (mutant["fate"], mutant["by"]) == ("property", "no_deadlock"), found.stderr

    spec.write_text("".join(line for line in constant if "after 1000" not in line))
    told = subprocess.run(
        [
            ROOT / "gen/bin/hsmc",
            "verify",
            spec,
            "two_items",
            "--kind",
            "safety",
            *world,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert told.returncode == 1 and told.stderr == ""
    assert "no_deadlock" in told.stdout


def test_no_mutant_is_no_success(tmp_path: pathlib.Path) -> None:
    """A process without guards has no mutants of guards."""
    spec = tmp_path / "bare.hsm"
    world = "world w\n  nodes only\n  host P.go() at only\n"
    process = "process P\n  external event go()\n  state S initial\n    ignore go\n"
    spec.write_text(
        f"protocol bare\n\n{process}\n{world}\ncheck c\n  world nightly = 0\n"
    )
    found = hsmc(spec, "--operators", "drop-assignment", "--output", tmp_path)
    assert found.returncode == 1
    assert "no such mutant" in found.stderr
