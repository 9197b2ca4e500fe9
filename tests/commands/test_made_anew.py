# SPDX-License-Identifier: MIT
"""What is built is made anew when it would be another file today (scripts/make_file.mk), and only then."""

import re
from pathlib import Path

from tests.built_tree import fixture_tree, run

TOP = Path(__file__).resolve().parents[2]
__all__ = ["fixture_tree"]

# One of each kind of file, and what changes all of them.
TARGETS = (
    "build/obj/sim/base/observers.o",
    "build/gen/abp/abp.c",
    "build/firmware/fw-runtime/port/tigon2/memory.o",
    "build/firmware/firmware.lds",
    "build/firmware/observed.lds",
    "build/overhead/hand.elf",
)
CHANGES = (
    "CFLAGS=-std=c11 -D_GNU_SOURCE -O1",
    "OPTIONS_abp=--set=timeout=2000",
    "FW_EXTRA=-Os",
    "FW_ANY_DYNAMIC=yes",
    "FW_CHECKED_MEMORY=",
)


def images(tree: Path) -> dict[str, bytes]:
    """EMP's image of both profiles, made anew, after a run of it."""
    made = {}
    for profile in ("", "modern"):
        build = tree / "build" / profile
        for pattern in ("firmware/*_a.elf", "firmware/*.lds", "firmware/*/*.lds"):
            for path in build.glob(pattern):
                path.unlink()
        arguments = [f"PROFILE={profile}"] if profile else []
        wanted = [
            str((build / name).relative_to(tree))
            for name in ("firmware/emp_a.elf", "emp/host.so")
        ]
        run(tree, "make", *arguments, *wanted)
        scenario = tree / "spec/emp/boards.scenario"
        text = scenario.read_text()
        scenario.write_text(text.replace("build/", f"build/{profile}/"))
        run(tree, "build/tigonsim", "run", "--quiet", "spec/emp/boards.scenario")
        scenario.write_text(text)
        made[profile] = (build / "firmware/emp_a.elf").read_bytes()
    return made


def test_emp_beside_two_new_protocols_has_the_same_image(tree: Path) -> None:
    """Alone, beside them, and after they are gone."""
    alone = images(tree)
    for name in ("zebra", "yak"):
        run(tree, "gen/bin/hsmc", "new", name)
    # Both profiles know them: what follows is not the same for want of them.
    assert "yak_a.elf" in run(tree, "make", "-n", "PROFILE=modern", "firmware")
    assert images(tree) == alone
    run(tree, "rm", "-r", "spec/zebra", "spec/yak")
    assert images(tree) == alone


def test_files_depend_on_what_they_are_made_with(tree: Path) -> None:
    def made(*arguments: str) -> tuple[str, list[bytes]]:
        # GCC puts random names into objects that can be optimised as one.
        told = run(tree, "make", "LTO_OBJECTS=", *TARGETS, *arguments)
        return told, [(tree / target).read_bytes() for target in TARGETS]

    before = made()[1]
    changed = made(*CHANGES)[1]
    same = [name for name, *two in zip(TARGETS, before, changed) if two[0] == two[1]]
    assert same == []
    told, again = made()
    assert again == before and told.count("\n") > len(TARGETS)
    # What would be the same is not made, nor what variants share when one of them has other flags.
    for arguments in ((), ("BUILD=build/variant", "VARIANT_CFLAGS=-O1")):
        told = run(
            tree,
            "make",
            "LTO_OBJECTS=",
            *arguments,
            *TARGETS[: 1 if arguments else None],
        )
        assert all(line.startswith("make: ") for line in told.splitlines())


def test_programs_are_optimised_at_their_link_or_not(tree: Path) -> None:
    """What is linked, and the objects that can be optimised then, are as good: make test, make demo and the tests that build a
    variant follow one another, and some of them run the simulator meanwhile."""
    shared = ("build/obj/sim/base/observers.o", "build/tigonsim")
    run(tree, "make", "LTO_LINK=-fno-lto", *shared)
    for arguments in ((), ("LTO_LINK=-fno-lto",), ()):
        told = run(tree, "make", *arguments, *shared)
        assert all(line.startswith("make: ") for line in told.splitlines()), told


RECIPE = re.compile(
    r"(?m)^(?!define)(?P<rule>[^\t#\n][^\n]*)\n(?P<recipe>(?:\t[^\n]*\n)+)"
)
ASKS = re.compile(r"\((?:call )?(?:make_file|FW_LINK|FW_MAKE_SCRIPT)\b")


def test_every_rule_asks_with_which_command_its_file_was_made() -> None:
    """FORCE has make look, make_file compares."""
    asking, faults = 0, []
    for makefile in (TOP / "Makefile", *TOP.glob("[!b]*/**/*.mk")):
        text = makefile.read_text().replace("\\\n", " ")
        for found in RECIPE.finditer(text):
            # What has no variable in its name is a name for people.
            makes = "$" in found["rule"].split(":")[0] and re.search(
                r"\$@|\(@[DF]?\)", found["recipe"]
            )
            asks = ASKS.search(found["recipe"])
            asking += bool(asks)
            if makes and not asks or asks and "FORCE" not in found["rule"].split():
                faults.append(f"{makefile.relative_to(TOP)}: {found['rule']}")
    assert faults == [] and asking > 60


def needed_for(target: str, *variables: str) -> set[str]:
    """All that make would look at for it."""
    known: dict[str, list[str]] = {}
    for line in run(TOP, "make", "-np", *variables, target).splitlines():
        found = re.match(r"(?P<target>[^\s#:=%]+):(?P<from>[^=]*)$", line)
        if found:
            known.setdefault(found["target"], []).extend(found["from"].split())
    needed, waiting = set(), [target]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += known.get(name, ())
    return needed


def test_a_bench_builds_no_test_programs() -> None:
    recipe = (TOP / "Makefile").read_text().split("\nbench-emp:")[1].split("\n\n")[0]
    assert "placements-bench" in recipe and recipe.count("$(MAKE)") == 1
    for variables in (("PLACEMENT=DSR",), ("PROFILE=modern",)):
        needed = needed_for("bench-programs", *variables)
        assert any(name.endswith("/host/emp_demo") for name in needed)
        assert any(name.endswith("obj/host/demo/pair.o") for name in needed)
        made = {name for name in needed if re.match(r"build.*/tests/", name)}
        assert made == set()
    assert any(
        "/tests/" in name for name in needed_for("profile-programs", "PROFILE=modern")
    )
