# SPDX-License-Identifier: MIT
"""Swarms of searches with bit states: what they find is a violation like any other, what they do not find proves nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.verification.test_verification import ABP, HASTY, hsmc, report, seeded
from tests.long_tests import long, one_in

VERIFY = "verify abp.hsm --level quick --kind safety --engine c"


def test_no_proof(tmp_path: Path) -> None:
    """As many states as there are, in this small world; the verdict does not claim it."""
    (tmp_path / "abp.hsm").write_text(ABP)
    (exact,) = report(hsmc(tmp_path, *VERIFY.split(), "--json"))
    result = hsmc(tmp_path, *VERIFY.split(), *"--swarm 3 --minutes 1 --json".split())
    assert result.returncode == 1
    (record,) = report(result)
    assert record["verdict"] == "incomplete" and not record["exhaustive"]
    assert record["states"] == exact["states"]
    assert f"stored {exact['states']}, all together" in str(record["incomplete"])
    told = hsmc(tmp_path, *VERIFY.split(), *"--swarm 3 --accept-incomplete".split())
    assert told.returncode == 0
    assert "INCOMPLETE, no proof: a swarm of 3" in told.stdout
    assert "0 exhaustive" in told.stdout


@pytest.mark.parametrize("engine", one_in(2, ["c", "promela"]))
def test_a_violation(tmp_path: Path, engine: str) -> None:
    """It is found, shortened and written down."""
    seeded(tmp_path, HASTY)
    command = f"verify abp.hsm --level quick --kind safety --engine {engine} --swarm 4"
    result = hsmc(tmp_path, *command.split())
    assert result.returncode == 1
    assert "VIOLATED: no_early_completion" in result.stdout
    trail = "build/verify/abp/two_items/no_early_completion/counterexample.trail"
    again = hsmc(tmp_path, "replay", trail)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "violates no_early_completion" in again.stdout


@long
def test_members_differ(tmp_path: Path) -> None:
    """In a depth that does not reach every state, another order reaches others."""
    (tmp_path / "abp.hsm").write_text(ABP)
    sums = [0]
    for members in (1, 2, 3):
        limits = f"--depth 12 --swarm {members} --json".split()
        (record,) = report(hsmc(tmp_path, *VERIFY.split(), *limits))
        whole, cut_short = str(record["incomplete"]).split("', '")
        visited = re.search(r"no more than (\d+)", whole)
        assert visited is not None
        sums.append(int(visited[1]))
        assert cut_short.startswith(f"{members} of them did not come to their end")
    stored = {later - earlier for earlier, later in zip(sums, sums[1:])}
    assert len(stored) == 3, sums


def test_minutes_need_a_swarm(tmp_path: Path) -> None:
    (tmp_path / "abp.hsm").write_text(ABP)
    result = hsmc(tmp_path, *VERIFY.split(), "--minutes", "1")
    assert result.returncode == 2
    assert "--swarm takes a number of searches" in result.stderr
