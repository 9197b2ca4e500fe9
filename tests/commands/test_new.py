# SPDX-License-Identifier: MIT
"""hsmc new: a protocol from nothing to two boards, in a copy of the tree."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from hsmc.commands import new
from hsmc.compilation.compiler import Compilation
from scripts.demo import GENERATED
from tests.built_tree import fixture_tree, run
from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]
__all__ = ["fixture_tree"]


def test_from_the_manuals_two_commands_to_two_boards(tree: Path) -> None:
    run(tree, "gen/bin/hsmc", "new", "demo")
    told = run(tree, "make", "protocol", "NAME=demo")
    assert "4 searches, 4 exhaustive without a violation" in told
    assert "left on left: returned 0" in told and "right on right: returned 0" in told
    assert "2 passed, 0 failed" in told
    assert (tree / "build/docs/demo/index.html").is_file()
    # The simulator has the names of its transitions from its image.
    told = run(
        tree, "build/tigonsim", "run", "spec/demo/boards.scenario", "--profile=-"
    )
    assert " Sender.READY.submit.0\n" in told
    # It is in everybody's list now.
    assert "demo.hsm" in run(tree, "make", "-n", "verify", "docs")
    assert "spec/demo/host.c" in run(tree, "make", "-n", "lint-warnings")
    assert "demo_a.elf" in run(tree, "make", "-n", "firmware")
    told = run(tree, "gen/bin/hsmc", "new", "demo", status=2)
    assert "is there already: nothing was changed" in told


EITHER = """placement either "Either processor takes the next event."
  Sender, Receiver, Link on A or B

# --- what is proved"""


def placed_on_either(tree: Path) -> tuple[str, ...]:
    """What makes a new protocol of that placement."""
    run(tree, "gen/bin/hsmc", "new", "demo")
    spec = tree / "spec/demo/demo.hsm"
    text = spec.read_text()
    assert text.count("# --- what is proved") == 1
    spec.write_text(text.replace("# --- what is proved", EITHER))
    made = [f"build/either/{name}" for name in ("demo/host.so", "firmware/demo_a.elf")]
    return ("make", "PLACEMENT=either", *made)


def test_either_processor_runs_it_if_its_spec_says_so(tree: Path) -> None:
    run(tree, *placed_on_either(tree))
    scenario = tree / "spec/demo/boards.scenario"
    scenario.write_text(scenario.read_text().replace("build/", "build/either/"))
    told = run(
        tree, "build/tigonsim", "run", "--json", "--quiet", "spec/demo/boards.scenario"
    )
    for board in json.loads(told)["boards"]:
        assert board["figures"]["items"] == 200
        for core in ("core_a", "core_b"):
            assert board["statistics"][core]["locks_taken"] > 500


def test_boards_show_that_both_processors_take_one_event(tree: Path) -> None:
    """The lock is left out. The build runs the image to fill the scratchpads, and that run fails."""
    (tree / "fw-runtime").unlink()
    shutil.copytree(TOP / "fw-runtime", tree / "fw-runtime", copy_function=shutil.copy2)
    loops = tree / "fw-runtime/port/tigon2/dynamic.S"
    lock = "2:\tsw\t$zero, \\semaphore($k1)\n\tlw\t$8, \\semaphore($k1)\n\tbeq\t$8, $zero, 2b\n"
    text = loops.read_text()
    assert text.count(lock) == 1
    loops.write_text(text.replace(lock, ""))
    told = run(tree, *placed_on_either(tree), status=2)
    assert "the run ended by failure, expected programs" in told


@long
def test_the_variants_of_the_image_run_too(tree: Path) -> None:
    run(tree, "gen/bin/hsmc", "new", "demo")
    images = [f"build/firmware/demo_a_{name}.elf" for name in ("observed", "checked")]
    run(tree, "make", "build/demo/host.so", *images)
    scenario = tree / "spec/demo/boards.scenario"
    text = scenario.read_text()
    assert text.count("build/firmware/demo_a.elf") == 2
    for image in images:
        scenario.write_text(text.replace("build/firmware/demo_a.elf", image))
        told = run(tree, "build/tigonsim", "run", "spec/demo/boards.scenario")
        assert "left on left: returned 0" in told
        assert "right on right: returned 0" in told


@long
def test_a_header_of_64_bytes_whose_last_word_counts(tree: Path) -> None:
    """The longest there may be, over a wire on which frames wrap around the ends of the buffers."""
    run(tree, "gen/bin/hsmc", "new", "demo")
    spec = tree / "spec/demo/demo.hsm"
    text = spec.read_text()
    item = "  item:             32 bits shown"
    assert text.count(item) == 1
    spec.write_text(text.replace(item, f"  filler:           44 bytes\n{item}"))
    scenario = tree / "spec/demo/boards.scenario"
    scenario.write_text(scenario.read_text().replace('"200"', '"3000"'))
    run(tree, "make", "build/firmware/demo_a.elf", "build/demo/host.so")
    assert (
        "FRAME_BYTES 64u"
        in (tree / GENERATED.parent / "demo/demo_layout.h").read_text()
    )
    told = run(tree, "build/tigonsim", "run", "spec/demo/boards.scenario")
    assert "left on left: returned 0" in told and "right on right: returned 0" in told


@long
def test_a_mistake_in_the_glue_is_found_by_its_test(tree: Path) -> None:
    """The host takes an item twice as many times as it came: the boards stand still or deliver another."""
    run(tree, "gen/bin/hsmc", "new", "demo")
    glue = tree / "spec/demo/firmware/glue.c"
    text = glue.read_text()
    assert "OBJECT(ITEM) = item;" in text
    glue.write_text(text.replace("OBJECT(ITEM) = item;", "OBJECT(ITEM) = item + 1;"))
    told = run(tree, "make", "protocol", "NAME=demo", status=2)
    assert "returned -74" in told  # EBADMSG


@pytest.mark.parametrize("name", ["Demo", "2nd", "", "../demo", "a" * 40, "de-mo"])
def test_names_that_cannot_be(name: str) -> None:
    result = subprocess.run(
        [TOP / "gen/bin/hsmc", "new", "--", name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "cannot be the name of a protocol" in result.stderr


@pytest.mark.parametrize("name", ["d", "stop_and_wait_of_thirty_letters"])
def test_what_is_written_is_sound_whatever_the_name(name: str, tmp_path: Path) -> None:
    files = new.rendered(name, tmp_path)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    spec = tmp_path / f"{name}.hsm"
    compilation = Compilation(spec)
    assert compilation.diagnostics() == []
    run(TOP, "gen/bin/hsmc", "fmt", "--check", str(spec))
    if shutil.which("black"):
        run(TOP, "black", "-q", "--check", str(tmp_path / f"test_{name}.py"))
