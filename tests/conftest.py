"""Makes each compiled test program a pytest item.

The Makefile lists the programs it built in build/tests/programs.txt; a program passes when it exits with 0.
Run from the repository's top, as `make test` does.
"""

import subprocess
from pathlib import Path
from typing import Any, Iterator

import pytest

PROGRAMS = Path("build/tests/programs.txt")
TIME_LIMIT_SECONDS = 300


class ProgramItem(pytest.Item):
    """One compiled test program."""

    def __init__(self, *, program: Path, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.program = program

    def runtest(self) -> None:
        result = subprocess.run(
            [str(self.program)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
        if result.returncode != 0:
            text = result.stdout.decode(errors="replace")
            raise AssertionError(
                f"{self.program} ended with status {result.returncode}\n{text[-20000:]}"
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
            yield ProgramItem.from_parent(self, name=program.name, program=program)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> ProgramFile | None:
    # This file stands for the list, so that the programs are found once, from the tests' top directory.
    if file_path.name == "test_programs.md" and PROGRAMS.exists():
        return ProgramFile.from_parent(parent, path=file_path)
    return None
