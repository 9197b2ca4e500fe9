# SPDX-License-Identifier: MIT
"""EMP's records of messages being sent: a node that never answers leaves some to the others, because some are reserved."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hsmc.verification.campaign import run_all
from hsmc.verification.search import Run
from hsmc.verification.subject import Subject
from tests.long_tests import long
from tests.verification.test_verification import TOP


def searched(spec: Path, build: Path, profile: str, engine: str) -> Run:
    subject = Subject(spec / "emp/emp.hsm", build, profile)
    (result,) = run_all(
        [(subject.search("scarce", engine, "liveness"), subject)], quick=True
    )
    return result


@pytest.mark.parametrize(
    "profile, engine",
    [
        ("paper", "c"),
        ("paper", "promela"),
        ("modern", "c"),
        pytest.param("modern", "promela", marks=long),
    ],
)
def test_without_reserved_records_nothing_goes_to_the_living(
    profile: str, engine: str, tmp_path: Path
) -> None:
    spec = tmp_path / "spec"
    shutil.copytree(TOP / "spec", spec)
    path = spec / "emp/emp.hsm"
    check, after = path.read_text().split("check scarce_two in shortage")
    head, check = check.split("check scarce in shortage")
    assert check.count("reserved_records = 2") == 1, "the spec has changed"
    check = check.replace("reserved_records = 2", "reserved_records = 0")
    path.write_text(
        f"{head}check scarce in shortage{check}check scarce_two in shortage{after}"
    )
    assert (
        searched(spec, tmp_path / "build", profile, engine).violated == "living_served"
    )


@pytest.mark.parametrize("profile", ["paper", "modern"])
def test_with_reserved_records_every_send_to_the_living_ends(
    profile: str, tmp_path: Path
) -> None:
    found = searched(TOP / "spec", tmp_path, profile, "c")
    assert found.holds, found.failure
