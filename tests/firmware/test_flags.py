# SPDX-License-Identifier: MIT
"""EMP's images compiled with other flags carry messages, too: what they do must not depend on how GCC optimises.

The first set showed the fault that docs/reference/toolchain.md 1.6 describes. Flags that the core, a reserved register
or a gate needs stay as they are.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]
SCENARIO = TOP / "tests/firmware/flags.scenario"
VARIANTS = (
    ("modern", ""),
    ("", "DSR"),
    ("", ""),
    ("modern", "DSR"),
)
FLAGS = (
    "-ftree-vrp",
    "-O1",
    "-O3",
    "-Os",
    "-O1 -ftree-vrp -ftree-pre",
    "-O3 -ftree-vrp -ftree-pre -ftree-vectorize -ftree-tail-merge -fipa-sra",
    "-ftree-pre",
    "-ftree-tail-merge -fipa-sra",
    "-ftree-vectorize",
    "-freorder-blocks",
    "-ftree-vrp -fno-gcse",
    "-ftree-vrp -fno-tree-dominator-opts",
    "-ftree-vrp -fno-ipa-ra",
    "-fno-crossjumping",
    "-fno-ipa-pure-const -fno-ipa-modref",
    "-fno-inline-small-functions",
    "-fno-schedule-insns2",
    "-fno-strict-aliasing -fwrapv",
    "-fno-ivopts -fno-tree-ter",
    "-fno-if-conversion -fno-if-conversion2 -fno-caller-saves",
    "-fno-shrink-wrap -fno-tree-sra",
    "-fno-delayed-branch",
    "--param=hot-bb-frequency-fraction=1000000",
    " ".join(f"-fcall-saved-s{number}" for number in range(2, 8)),
)
QUICK = {  # one variant of each of three sets
    (FLAGS[0], VARIANTS[0]),
    (FLAGS[1], VARIANTS[1]),
    (FLAGS[2], VARIANTS[2]),
}
# What a set of flags may lead to instead of an image: no room, or a multiplication (toolchain.md 1.1).
NO_IMAGE = re.compile(r"region \S+ overflowed|unable to generate reloads")


@pytest.mark.parametrize(
    "flags, variant",
    [
        pytest.param(
            flags,
            variant,
            marks=() if (flags, variant) in QUICK else long,
            id=f"{'-'.join(filter(None, variant)) or 'paper'}: {flags}",
        )
        for variant in VARIANTS
        for flags in FLAGS
    ],
)
def test_messages_arrive(flags: str, variant: tuple[str, str], tmp_path: Path) -> None:
    profile, placement = variant
    build = Path("build", profile, placement)
    image = build / "firmware/emp/tried/none.elf"
    # For make: flags of the make that runs the tests are not for this one.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    made = subprocess.run(
        ["make", "-s", "--no-print-directory", f"PROFILE={profile}"]
        + [f"PLACEMENT={placement}", f"TRIED_FLAGS={flags}", str(image)],
        cwd=TOP,
        env=environment,
        capture_output=True,
        text=True,
    )
    if made.returncode != 0 and (reason := NO_IMAGE.search(made.stderr)):
        pytest.skip(f"no image: {reason[0]}")
    assert made.returncode == 0, made.stderr
    scenario = tmp_path / "flags.scenario"
    scenario.write_text(
        SCENARIO.read_text()
        .replace('"emp_a.elf"', f'"{TOP / image}"')
        .replace('"host.so"', f'"{TOP / build / "emp/host.so"}"')
    )
    ran = subprocess.run(
        ["build/tigonsim", "run", "--quiet", scenario],
        cwd=TOP,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
