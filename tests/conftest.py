# SPDX-License-Identifier: MIT
"""Makes each compiled test program a pytest item.

The Makefile lists the programs it built in build/tests/programs.txt; a program passes when it exits with 0.
Run from the repository's top, as `make test` does.
"""

import contextlib
import gc
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

TOP = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP), str(TOP / "gen")]

from hsmc.conformance import conform  # noqa: E402
from tests.compiled import compiled  # noqa: E402

EMP = Path("spec/emp/emp.hsm")

PROGRAMS = Path("build/tests/programs.txt")
TIME_LIMIT_SECONDS = 900  # against programs that hang; the machine may be busy
# Modules above 10 s of processor time, and the compiled programs.
LONGEST = (
    "test_programs",
    "test_emp_placements",
    "test_language_server",
    "test_kills",
    "test_tutorial",
    "test_made_anew",
    "test_verification",
    "test_frame_checks",
    "test_regressions",
    "test_generated_tests",
    "test_engines",
    "test_spec_change",
    "test_mutants",
    "test_conform",
    "test_driver_traffic",
    "test_driver_emp",
    "test_module",
    "test_new",
    "test_specs",
    "test_boards",
    "test_differential",
    "test_syntax",
    "test_prove",
    "test_dissector",
    "test_docs",
    "test_emp_profiles",
    "test_generated_c",
    "test_mutants_command",
    "test_driver_checks",
    "test_corner_cases",
    "test_site_in_browser",
    "test_diff",
    "test_mutations",
)
TRACES = Path("build/tests/traces")


class ProgramItem(pytest.Item):
    """One compiled test program."""

    def __init__(self, *, program: Path, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.program = program
        self.recorded = program.parent.name == "end_to_end"

    def runtest(self) -> None:
        """What boards do in an end-to-end test must conform to the spec, too: docs/conformance.md."""
        environment = dict(os.environ)
        traces = TRACES / self.program.name
        if self.recorded:
            shutil.rmtree(traces, ignore_errors=True)
            traces.mkdir(parents=True)
            environment["EMP_TRACES"] = str(traces)
        self.execute([str(self.program)], environment)
        recorded = sorted(traces.iterdir()) if self.recorded else []
        if recorded:  # a program that skips every test of this profile records none
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                status, _ = conform.command(
                    compiled(EMP), recorded, as_json=False, any_hash=False
                )
            assert status == 0, said.getvalue()

    def execute(self, command: list[str], environment: dict[str, str]) -> None:
        result = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
        if result.returncode != 0:
            text = result.stdout.decode(errors="replace")
            raise AssertionError(
                f"{' '.join(command[:3])} ended with status {result.returncode}\n{text[-20000:]}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.program, None, f"program {self.program}"


class ProgramFile(pytest.File):
    """The list of compiled test programs."""

    def collect(self) -> Iterator[ProgramItem]:
        for line in PROGRAMS.read_text().split():
            program = Path(line)
            # Of its own, not of the list: what comes from one file is run by one worker.
            yield ProgramItem.from_parent(
                self, name=program.name, nodeid=line, program=program
            )


def pytest_configure(config: pytest.Config) -> None:
    # As gen/bin/hsmc does: trees of specs are kept, and looking for cycles among them took a tenth of the time.
    gc.set_threshold(200_000, 20, 100)
    config.addinivalue_line(
        "markers", "long: left to `make test-long` (LONG_TESTS=1 runs all tests)"
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """What takes longest comes first, so that no worker is left with it at the end."""
    if not os.environ.get("LONG_TESTS"):
        left = [item for item in items if item.get_closest_marker("long")]
        items[:] = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left)
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> ProgramFile | None:
    # This file stands for the list, so that the programs are found once, from the tests' top directory.
    if file_path.name == "test_programs.md" and PROGRAMS.exists():
        return ProgramFile.from_parent(parent, path=file_path)
    return None
