# SPDX-License-Identifier: MIT
"""The gates: what each runs, what it depends on, and what it prints when it holds.

A new one is a line of GATES. A gate of a profile or of a placement is one, too, with `PROFILE=modern` before its target.
Inputs are patterns of scripts/gate_inputs.py. `scripts/gate_trace.py NAME` runs a gate and tells the files of this tree
that it reads and that its line does not name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Sequence


@dataclass(frozen=True)
class Evidence:
    """A line that a gate prints when it holds, so often at least. Numbers in parentheses are summed up, for `words`."""

    line: str
    words: str = ""
    times: int = 1

    def found(self, output: str) -> Optional[str]:
        """None where it is missing."""
        matches = list(re.finditer(self.line, output, re.MULTILINE))
        if len(matches) < self.times:
            return None
        sums = [
            sum(int(match[n]) for match in matches)
            for n in range(1, 1 + re.compile(self.line).groups)
        ]
        return self.words.format(*sums, n=len(matches))


@dataclass(frozen=True)
class Gate:
    name: str
    make: tuple[str, ...]  # arguments; the last is the target
    inputs: tuple[str, ...]
    tools: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    never: str = ""  # what no line of the output may say
    minutes: int = 240  # it hangs if it takes longer
    uses: tuple[str, ...] = ()  # other targets of `make help` that it calls
    small: tuple[str, ...] = ()  # arguments for a short run (scripts/gate_trace.py)

    @property
    def target(self) -> str:
        return self.make[-1]

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target, *self.uses)


# Parts of the compiler that make no code, model or proof.
COMPILER = (
    "gen/",
    "!gen/hsmc/editor/*",
    "!gen/hsmc/templates/docs/*",
    "!gen/hsmc/templates/editor/*",
    "!gen/hsmc/templates/new/*",
)
# What model checking reads besides, and where its commands stand. Of the Makefile they take only where things land.
MODELS = (*COMPILER, "models/*.[ch]", "models/build.mk", "fw-runtime/*.h")
# What C is built from, and how.
RULES = ("Makefile", "spec/build.mk", "host/build.mk", "tests/build.mk")
RUNTIME = ("fw-runtime/",)
EMP = ("spec/emp/", "!spec/emp/*.toml", "!spec/emp/proofs*.c")
# Boards with EMP: simulator, library, firmware. An image whose functions are placed by a run needs the whole simulator.
BOARDS = (
    *RULES,
    *COMPILER,
    *RUNTIME,
    *EMP,
    "sim/",
    "!sim/serve/qemu/*",
    "host/board/",
    "host/emp/",
    "host/demo/",
    "host/programs/",
    "host/tools/",
    "host/driver/uapi/",
)
END_TO_END = (
    *BOARDS,
    "tests/end_to_end/*.[ch]",
    "tests/end_to_end/build.mk",
    "!tests/end_to_end/test_*",
)
# What pytest reads by itself.
PYTEST = ("tests/conftest.py", "tests/compiled.py", "tests/long_tests.py")

HOST_TOOLS = ("cc", "python", "machine")
CHECKER = (*HOST_TOOLS, "spin", "tcc")
CHIP = (*HOST_TOOLS, "mips gcc", "mips ld", "ragel")

SEARCHES = (
    r"^([1-9]\d*) search(?:es)?, \1 exhaustive without a violation",
    "{} searches, all exhaustive without a violation",
)
WORLDS_FAILED = r"^([1-9]\d*) worlds, ([1-9]\d*) messages, .*?\b0 worlds failed"


def verify(name: str) -> Gate:
    return Gate(
        f"verify-{name}",
        (f"NAME={name}", "verify"),
        (*MODELS, f"spec/{name}/*.hsm", f"spec/{name}/*.toml"),
        CHECKER,
        (Evidence(*SEARCHES),),
    )


def mutants(name: str, spec: str, survivors: str) -> Gate:
    return Gate(
        f"mutants-{name}",
        (f"mutants-{name}",),
        (*MODELS, f"spec/{spec}/*.hsm", f"tests/mutants/{survivors}"),
        CHECKER,
        (
            Evidence(r"^([1-9]\d*) mutants of ", "{} mutants"),
            Evidence(
                r"^ *(\d+) survivors explained, of \1$", "{} survivors, all explained"
            ),
        ),
    )


def gates(protocols: Sequence[str]) -> list[Gate]:
    """In the order in which they run: those that end soon first. `protocols`: the folders of spec/."""
    return [
        Gate(
            "prove",
            ("prove",),
            (*COMPILER, "Makefile", "models/build.mk", "spec/build.mk")
            + ("fw-runtime/", "spec/*/*", "!spec/*/*.toml", "models/prove.py")
            + ("spec/emp/firmware/build.mk", "models/proof/"),
            (*HOST_TOOLS, "clang", "z3", "ragel"),
            (
                Evidence(
                    r"^\w+: PROVED in [\d.]+ s, ([1-9]\d*) paths",
                    "{n} subjects proved, {} paths",
                    times=8,
                ),
            ),
            never="REFUTED|UNDECIDED",
        ),
        Gate(
            "bench-published",
            ("bench-published",),
            (*BOARDS, "spec/*/*.hsm", "scripts/published*.py", "scripts/bench_plots.py")
            + ("scripts/bench_records.py", "scripts/bench_others.py")
            + ("scripts/figure_files.py",),
            CHIP,
            (
                Evidence(
                    r"^([1-9]\d*) published figures and ratios: (\d+) as published, (\d+) explained, 0 unexplained$",
                    "{} figures and ratios: {} as published, {} explained",
                ),
            ),
        ),
        Gate(
            "quiet",
            ("BOARDS_QUIETED=250", "quiet"),
            END_TO_END,
            CHIP,
            (
                Evidence(
                    r"^([1-9]\d*) worlds, [1-9]\d* of each bus kind; 0 not quiet$",
                    "{} worlds, all quiet",
                ),
            ),
            small=("BOARDS_QUIETED=1",),
        ),
        Gate(
            "sim-check",
            ("TIGON_IMAGE=", "sim-check"),
            (*RULES, *COMPILER, "sim/", "!sim/serve/qemu/*", "fw-runtime/")
            + ("host/board/board.hsm", "spec/emp/*.hsm")
            + ("tests/acceptance/", "tests/ethernet/", "!tests/ethernet/*.py"),
            CHIP,
            (
                Evidence(
                    r"^([1-9]\d*) passed, 0 failed$", "{} acceptance tests passed"
                ),
                Evidence(r"^\[ +PASSED +\] ([1-9]\d*) test", "{} tests of Ethernet"),
                Evidence(
                    r"^.*: ([1-9]\d*) held, 0 did not hold(?:; of the firmware's items .*)?$",
                    "{} items of Ethernet",
                ),
            ),
        ),
        Gate(
            "kills",
            ("BOARDS_KILLED=1000", "kills"),
            END_TO_END,
            CHIP,
            (
                Evidence(
                    r"^([1-9]\d*) worlds, 0 ends unexplained$",
                    "{} worlds with a fault, all explained",
                ),
                Evidence(
                    r"^([1-9]\d*) worlds, [1-9]\d* of them lossy; 0 not as they must be$",
                    "{} worlds with a board loaded anew",
                ),
            ),
            small=("BOARDS_KILLED=2",),
        ),
        Gate(
            "fuzz-glue",
            ("RUNS=1000000", "fuzz-glue"),
            (*RULES, *COMPILER, *RUNTIME, *EMP, "tests/native_port/")
            + ("!tests/native_port/test_*",),
            (*HOST_TOOLS, "clang", "ragel"),
            (
                Evidence(
                    r"^stat::number_of_executed_units: ([1-9]\d{6,})$",
                    "{} programs run",
                ),
            ),
            never="ERROR: |SUMMARY: ",
            small=("RUNS=1000",),
        ),
        Gate(
            "attack",
            ("FRAMES=1000000", "SEED=1", "attack"),
            (*BOARDS, "tests/attack/", "!tests/attack/*.py"),
            CHIP,
            (
                Evidence(
                    r"^([1-9]\d*) hostile frames and writes in ([1-9]\d*) worlds",
                    "{} hostile frames and writes in {} worlds, none failed",
                ),
                Evidence(r"^seed \d+, .*; 0 worlds failed$"),
            ),
            small=("FRAMES=2000",),
        ),
        Gate(
            "campaign-fast",
            ("MESSAGES=1000000", "SEED=1", "campaign-fast"),
            (*RULES, *COMPILER, *RUNTIME, *EMP, "tests/native_worlds/")
            + ("tests/native_port/*", "tests/campaign_worlds/", "scripts/campaign.py")
            + ("sim/base/",)
            + ("!tests/*/test_*",),
            (*HOST_TOOLS, "ragel"),
            (Evidence(WORLDS_FAILED, "{} worlds, {} messages, none failed"),),
            small=("MESSAGES=1000",),
        ),
        Gate(
            "conform",
            ("WORLDS=200", "conform"),
            (*END_TO_END, "scripts/conform.py", "tests/host/check.h"),
            CHIP,
            (
                Evidence(
                    r"^([1-9]\d*) worlds, .* image: [1-9]\d* traces?, [1-9]\d* runs: (\d+) transitions checked, "
                    r"(\d+) events replayed, .* 0 unexplained$",
                    "{} worlds, {} transitions and {} events, all explained",
                    times=4,
                ),
            ),
            small=("WORLDS=10",),
        ),
        Gate(
            "campaign",
            ("MESSAGES=16000", "SEED=1", "campaign"),
            (*BOARDS, *PYTEST, "spec/", "models/*.[ch]", "scripts/campaign.py")
            + ("host/replay/",)
            + ("tests/few_checks.py", "tests/in_process.py", "tests/tutorial.py")
            + ("tests/campaign_worlds/", "tests/simulated_worlds/")
            + ("!tests/*_worlds/test_*", "tests/verification/conftest.py")
            + ("tests/verification/test_boards.py", "tests/verification/golden/")
            + ("docs/verification.md", "tests/interpreter/*.py", "tests/compiler/*.py")
            + ("tests/interpreter/build.mk", "tests/compiler/features/"),
            (*CHIP, "spin", "tcc", "clang", "pytest"),
            (
                Evidence(WORLDS_FAILED, "{} worlds, {} messages, none failed"),
                Evidence(
                    r"^([1-9]\d*) passed(?:, \d+ warnings?)? in ",
                    "{} tests of counterexamples, damages and sequences",
                    times=3,
                ),
            ),
            small=("MESSAGES=200", "SEQUENCES=1200", "DAMAGES=1"),
        ),
        Gate(
            "driver-check",
            ("driver-check",),
            (*BOARDS, *PYTEST, "sim/serve/qemu/", "host/driver/", "host/*.mk")
            + ("tests/driver/", "tests/kernel/", "tests/ethernet/firmware/")
            + ("tests/ethernet/*.h", "tests/end_to_end/*.h", "tests/host/check.h")
            + ("tests/ethernet/build.mk", "tests/ethernet/ethernet.scenario")
            + ("tests/sim_serve/", "scripts/test.py")
            + ("tests/end_to_end/programs.py", "scripts/guest.py")
            + ("scripts/debian_kernel.py", "docs/driver.md", "docs/kernel.md"),
            (*CHIP, "kernel", "qemu", "pytest"),
            # A machine without virtual machines skips what needs one.
            (Evidence(r"^([1-9]\d*) passed, 0 failed$", "{} tests passed"),),
            uses=("driver",),
        ),
        *(verify(name) for name in protocols),
        Gate(
            "verify-placements",
            ("verify-placements",),
            (*MODELS, "spec/emp/*.hsm"),
            CHECKER,
            (Evidence(*SEARCHES, times=11),),
        ),
        mutants("abp", "abp", "survivors_abp.toml"),
        mutants("emp", "emp", "survivors_emp.toml"),
        mutants("emp-modern", "emp", "survivors_emp_modern.toml"),
        Gate(
            "mutants-placements",
            ("mutants-placements",),
            (*COMPILER, "models/", "fw-runtime/", "spec/*/*.hsm")
            + ("tests/verification/divided/",),
            (*CHECKER, "clang"),
            (
                Evidence(
                    r"^ *([1-9]\d*) killed by a named property$",
                    "{} mutants killed by a named property",
                ),
                Evidence(
                    r"^ *(\d+) survivors explained, of \1$",
                    "{} survivors, all explained",
                ),
            ),
        ),
        # It tells what set-up forgets, which any file of the tree may come to need.
        Gate(
            "fresh",
            ("fresh",),
            ("Makefile", "*.md", "gen/", "spec/", "models/", "fw-runtime/", "sim/")
            + ("host/", "scripts/", "tests/", "!tests/mutants/results_*.json")
            + ("docs/*.m[dk]", "docs/diagnostics/", "docs/reference/")
            + ("docs/ir.schema.json",),
            (),
            (
                Evidence(r"^make demo: 1 passed, 0 failed", "the demo passed"),
                Evidence(r"^make test: ([1-9]\d*) passed, 0 failed", "{} tests passed"),
                Evidence(r"^[1-9]\d* passed, 0 failed$"),
            ),
            uses=("demo", "test"),
        ),
    ]
