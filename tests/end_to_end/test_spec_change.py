# SPDX-License-Identifier: MIT
"""The promise to whoever edits the protocol: change the spec, build again, and firmware and figures follow.

Works on a copy of the tree with what is built of it, in which nothing but spec/ is touched.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from scripts.demo import GENERATED
from tests.built_tree import copied, fixture_tree, run
from tests.long_tests import long

__all__ = ["fixture_tree"]

FILE_BYTES = 300_000


@pytest.fixture(name="built", scope="module")
def fixture_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Image and programs of the spec as it stands."""
    tree = copied(tmp_path_factory.mktemp("built"))
    make(tree)
    return tree


@pytest.fixture(name="built_tree")
def fixture_built_tree(built: Path, tmp_path: Path) -> Path:
    """A copy of that, times included, in which make finds nothing to do until the test has edited something."""
    return shutil.copytree(built, tmp_path / "tree", symlinks=True)


def make(tree: Path) -> None:
    """Builds EMP's image and the demo's program. To link that as one takes longer than the test gains by it."""
    built = ["build/firmware/emp_a.elf", "build/host/emp_demo"]
    run(tree, "make", "LTO_LINK=-fno-lto", *built)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{path} should contain {old!r} once"
    path.write_text(text.replace(old, new))


def transfer(tree: Path, loss: float) -> dict[str, Any]:
    """Builds what has changed, sends a file, returns the counts."""
    make(tree)
    (tree / "file").write_bytes(bytes(i * 7 % 251 for i in range(FILE_BYTES)))
    command = ["build/host/emp_demo", "transfer", "--quiet", "--file=file"]
    told = run(tree, *command, f"--loss={loss}", "--json=-")
    counts: dict[str, Any] = json.loads(told[told.index("{") :])
    assert counts["sha256_equal"]
    return counts


def test_collection_size(built_tree: Path) -> None:
    """Twice the frames in a collection: half the acknowledgements, the same frames (EQ17)."""
    spec = built_tree / "spec/emp/emp.hsm"
    three = transfer(built_tree, 0)
    edit(spec, "collection_size:    u8  = 3", "collection_size:    u8  = 6")
    six = transfer(built_tree, 0)
    assert three["data_frames"] == six["data_frames"]
    # One acknowledgement a collection; a message's last collection may be short.
    frames, messages = three["data_frames"], three["messages"]
    assert frames / 3 <= three["acknowledgements"] <= frames / 3 + messages
    assert frames / 6 <= six["acknowledgements"] <= frames / 6 + messages


@long
def test_retransmit_timeout(built_tree: Path) -> None:
    """Ten times the time-out: the same file over the same losses takes several times as long."""
    spec = built_tree / "spec/emp/emp.hsm"
    quick = transfer(built_tree, 0.05)
    edit(spec, "retransmit_timeout: u32 = 1000", "retransmit_timeout: u32 = 10000")
    slow = transfer(built_tree, 0.05)
    assert quick["retransmissions"] > 0
    assert slow["time_us"] > 3 * quick["time_us"]


def test_misspelt_state(tree: Path) -> None:
    """One clear error with its place, and nothing written."""
    source = tree / "spec/emp/send.hsm"
    lines = source.read_text().splitlines()
    number = next(
        i for i, line in enumerate(lines, 1) if "-> RETRANSMIT  @paper" in line
    )
    column = lines[number - 1].index("RETRANSMIT") + 1
    lines[number - 1] = lines[number - 1].replace("-> RETRANSMIT", "-> RETRANSMITT")
    source.write_text("\n".join(lines) + "\n")

    output = tree / GENERATED
    for name in ("gen", "firmware", "modern"):
        shutil.rmtree(tree / "build" / name)
    command = ["gen/bin/hsmc", "build", "spec/emp/emp.hsm", "--output", str(output)]
    told = run(tree, *command, status=1)
    errors = [line for line in told.splitlines() if " error " in line]
    assert len(errors) == 1, told
    assert errors[0].startswith(f"spec/emp/send.hsm:{number}:{column}: error HSM")
    assert "did you mean 'RETRANSMIT'" in told
    assert not output.exists()

    run(tree, "make", "firmware", status=2)
    assert not list((tree / "build").rglob("emp_a.elf"))
    assert not list((tree / "build").rglob("emp.c"))
