# SPDX-License-Identifier: MIT
"""Two features meet where one path of a search has both; a pair that never meets has a reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hsmc.failure import Failure
from hsmc.verification import features
from hsmc.verification.search import Run, run_search
from hsmc.verification.subject import ENGINES, KINDS, Subject
from tests.verification.test_verification import hsmc

FORK = Path(__file__).parent / "together/fork.hsm"
FEATURES = """
[[feature]]
name  = "left"
of    = []
shown = ["A.CHOOSING.left.*"]

[[feature]]
name  = "right"
of    = []
shown = ["A.CHOOSING.right.0"]

[[feature]]
name  = "begun"
of    = ["choices"]
shown = ["one.host.A.go.0"]
"""
APART = """
[[apart]]
one    = ["left"]
other  = ["right"]
reason = "One way is taken, and no other after it."
"""


def fork(directory: Path, text: str) -> Path:
    shutil.copy(FORK, directory)
    (directory / "fork_features.toml").write_text(text)
    return directory / FORK.name


def searched(spec: Path, engine: str, kind: str) -> Run:
    subject = Subject(spec, spec.parent / "build")
    (search,) = subject.searches(engines=[engine], kinds=[kind])
    return run_search(search, subject, quick=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_one_path_has(engine: str, kind: str, tmp_path: Path) -> None:
    """A search takes both ways, one after the other: what the first had shown does not count for the second."""
    run = searched(fork(tmp_path, FEATURES), engine, kind)
    assert run.holds
    assert run.together == [("begun", "left"), ("begun", "right")]


@pytest.mark.parametrize(("least", "met"), [(1, True), (2, False)])
def test_a_feature_of_some_bounds_only(least: int, met: bool, tmp_path: Path) -> None:
    text = FEATURES + f"where = {{ choices = {least} }}\n"
    run = searched(fork(tmp_path, text), "c", "safety")
    assert (("begun", "left") in run.together) == met


def test_a_pair_without_a_reason_is_an_error(tmp_path: Path) -> None:
    result = hsmc(tmp_path, "verify", str(fork(tmp_path, FEATURES)))
    assert result.stdout.count("holds, exhaustive") == 4
    assert result.returncode == 1
    assert (
        result.stderr
        == "no search of fork has left together with right: add a check that has, or list the pair with its reason in "
        "fork_features.toml\n"
    )


def test_a_pair_with_a_reason_is_none(tmp_path: Path) -> None:
    result = hsmc(tmp_path, "verify", str(fork(tmp_path, FEATURES + APART)))
    assert (result.returncode, result.stderr) == (0, "")


def test_a_reason_for_what_meets_is_an_error(tmp_path: Path) -> None:
    wrong = APART.replace('["right"]', '["right", "begun"]')
    result = hsmc(tmp_path, "verify", str(fork(tmp_path, FEATURES + wrong)))
    assert result.returncode == 1
    assert "says that begun and left never meet, and they do" in result.stderr


def test_some_checks_alone_are_not_judged(tmp_path: Path) -> None:
    result = hsmc(tmp_path, "verify", str(fork(tmp_path, FEATURES)), "chosen")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FEATURES.replace('["choices"]', "[]"), "list choices in the `of` of a feature"),
        (FEATURES.replace('"choices"', '"choicse"'), "choicse; did you mean 'choices'?"),
        (FEATURES.replace("right.0", "rihgt.0"), "no row or line A.CHOOSING.rihgt.0; did"),
        (FEATURES.replace('"left"', '"right"', 1), "each of another name"),
        (FEATURES + "where = { chioces = 1 }", "no bound chioces; did you mean"),
        (FEATURES + APART.replace('"left"', '"lft"'), "no feature lft; did you mean 'left'"),
        (FEATURES + APART.replace('"left"', '"right"'), "right with right is no pair"),
        (FEATURES + APART + APART, "left with right is no pair, or listed twice"),
        (FEATURES + "shwon = []", "feature 3 has not the keys name, of, shown, where"),
        (FEATURES.replace('"begun"', "3"), "feature 3: name is no str as it should"),
        (FEATURES.replace('["choices"]', "[3]"), "feature 3: of is no list as it should"),
        (FEATURES + 'boards = ["A.CHOOSING.rihgt.0"]', "no row A.CHOOSING.rihgt.0; did you mean"),
        (FEATURES + 'boards = ["one.host.A.go.0"]', "feature 3: the spec has no row one.host.A.go.0"),
        (FEATURES + "boards = [3]", "feature 3: boards is no list as it should"),
        ("[[feature", "fork_features.toml: "),
        ("[[features]]", "expected feature, size, apart, found features"),
    ],
)  # fmt: skip
def test_a_wrong_file(text: str, said: str, tmp_path: Path) -> None:
    subject = Subject(fork(tmp_path, text), tmp_path / "build")
    with pytest.raises(Failure) as failure:
        features.known(subject)
    assert said in str(failure.value)


def test_what_boards_show_is_nothing_to_a_search(tmp_path: Path) -> None:
    """A name without a point is a campaign's."""
    text = FEATURES + 'boards = ["begin", "A.CHOOSING.*"]\n'
    run = searched(fork(tmp_path, text), "c", "safety")
    assert run.together == [("begun", "left"), ("begun", "right")]


def test_no_file_and_no_features(tmp_path: Path) -> None:
    shutil.copy(FORK, tmp_path)
    assert features.known(Subject(tmp_path / FORK.name, tmp_path / "build")) is None
    assert searched(tmp_path / FORK.name, "c", "safety").together == []


def test_page(tmp_path: Path) -> None:
    page = tmp_path / "features.md"
    spec = fork(tmp_path, FEATURES + APART)
    hsmc(tmp_path, "verify", str(spec), "--features", str(page))
    assert page.read_text().split("\n## fork\n\n")[1].splitlines() == [
        "| | | 1 | 2 | 3 |",
        "|--:|---|--:|--:|--:|",
        "| 1 | left |  |  |  |",
        "| 2 | right | a |  |  |",
        "| 3 | begun | 1 | 1 |  |",
        "",
        "* a: One way is taken, and no other after it.",
    ]


def test_no_page_without_features(tmp_path: Path) -> None:
    shutil.copy(FORK, tmp_path)
    page = tmp_path / "features.md"
    result = hsmc(tmp_path, "verify", FORK.name, "--features", str(page))
    assert result.returncode == 2 and not page.exists()
    assert "none of the specs has a list of features" in result.stderr
