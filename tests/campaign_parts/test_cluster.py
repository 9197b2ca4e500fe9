# SPDX-License-Identifier: MIT
"""A campaign through Slurm and through GNU parallel gives the sums that one machine gives (make test-cluster)."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.campaign_parts.slurm_cluster import Cluster, installed, wait_until
from tests.campaign_parts.test_campaign_parts import campaign, sums

PARTS = 6
WORLDS = ["--mode=fast", "--messages=3000000", "--seed=5", "--jobs=1"]
PART = ["scripts/campaign.py", *WORLDS, f"--parts={PARTS}"]


@pytest.fixture(name="work")
def work_directory() -> Iterator[Path]:
    """Short, because the path of a socket is short."""
    with tempfile.TemporaryDirectory(prefix="cluster") as directory:
        yield Path(directory)


@pytest.fixture(name="whole", scope="module")
def whole_campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("whole") / "campaign.json"
    result = campaign(*WORLDS, "--output", file)
    assert result.returncode == 0, result.stderr
    return file


def check_merged(parts: Path, whole: Path) -> None:
    merged = parts / "campaign.json"
    result = campaign("--merge", parts, "--output", merged)
    assert result.returncode == 0, result.stderr
    assert sums(merged) == sums(whole)


@pytest.mark.skipif(not installed(), reason="no Slurm: make test-cluster installs it")
def test_slurm_array_whose_node_is_lost(work: Path, whole: Path) -> None:
    parts = work / "parts"
    script = f"{shlex.join(PART)} --part=$SLURM_ARRAY_TASK_ID --into={parts}"
    with Cluster(work, processors=2) as cluster:
        submitted = cluster.run(
            "sbatch",
            f"--array=1-{PARTS}",
            "--requeue",
            f"--output={work}/part-%a.log",
            "--wrap",
            script,
        )
        assert submitted.startswith("Submitted batch job"), submitted
        wait_until("a part that is done", lambda: any(parts.glob("part-*")), 60)
        wait_until("parts that run", lambda: bool(cluster.jobs("RUNNING")), 60)
        cluster.lose_node()
        lost = campaign("--merge", parts)
        assert "parts are missing; run again --part" in lost.stderr
        cluster.start_node()
        wait_until("all parts", lambda: not cluster.jobs(), 120)
    check_merged(parts, whole)


@pytest.mark.skipif(
    shutil.which("parallel") is None,
    reason="no GNU parallel: make test-cluster installs it",
)
def test_gnu_parallel_whose_worker_is_killed(work: Path, whole: Path) -> None:
    """The first worker of part 2 kills itself; --retries runs the part again."""
    part = f"{shlex.join(PART)} --part={{}} --into={work}"
    killed = f"[ {{}} = 2 ] && mkdir {work}/killed 2>/dev/null && kill -9 $$; {part}"
    command = ["parallel", "--jobs=2", "--retries=3", killed, ":::"]
    result = subprocess.run(
        [*command, *map(str, range(1, PARTS + 1))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert (work / "killed").exists()
    check_merged(work, whole)
