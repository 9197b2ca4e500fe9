# SPDX-License-Identifier: MIT
"""A plugin for pytest that repeats each test that starts something which runs beside it, on a loaded machine.

`make test-stress` uses it. A test is repeated when sitecustomize.py, its neighbour, notes that the test or a fixture
of it starts a thread, a process, a socket or boards. It ends at its first failure.

The parameters of a test function share its TIMES runs, but each has LEAST of them. A test that takes long has as many
runs as begin within SECONDS, and LEAST of them; the summary names it.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

import pytest
from _pytest.runner import runtestprotocol

from tests.stress import sitecustomize

TIMES = int(os.environ.get("STRESS_TIMES", "50"))
LEAST = min(TIMES, 3)
SECONDS = float(os.environ.get("STRESS_SECONDS", "30"))
# One for each processor, so that the tests have half of it.
LOAD = "import os\nwhile os.getppid() == {}: pass"
RUNS = "runs of a test that starts something"


def function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


class Repeat:
    def __init__(self, log: Path) -> None:
        self.log = log
        self.fixtures: set[str] = set()  # that have started something
        self.parameters: Counter[str] = Counter()

    def noted(self) -> int:
        return self.log.stat().st_size

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.parameters = Counter(map(function, items))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        before = self.noted()
        yield
        if self.noted() > before:
            self.fixtures.add(fixturedef.argname)

    def starts_something(self, item: pytest.Item) -> bool:
        names = getattr(item, "fixturenames", [])
        return self.noted() > 0 or not self.fixtures.isdisjoint(names)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool:
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        self.log.write_text("")
        until = time.monotonic() + SECONDS
        wanted = max(LEAST, -(-TIMES // self.parameters[function(item)]))
        runs = 0
        ends = False
        while not ends:
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            runs += 1
            ends = (
                any(not report.passed for report in reports)
                or not self.starts_something(item)
                or runs >= wanted
                or (runs >= LEAST and time.monotonic() > until)
            )
        if self.starts_something(item):
            reports[-1].user_properties.append((RUNS, [runs, wanted]))
        for report in reports:
            if report.failed:
                report.sections.append(("stress", f"run {runs} of {wanted}"))
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


class Summary:
    """Of the process that the user has started, which also loads the machine."""

    def __init__(self) -> None:
        self.runs: dict[str, Any] = {}  # runs done, runs wanted
        command = [sys.executable, "-S", "-c", LOAD.format(os.getpid())]
        self.load = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == RUNS and report.when == "teardown":
                self.runs[report.nodeid] = value

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        total = sum(runs for runs, _ in self.runs.values())
        write = terminalreporter.write_line
        write(f"{len(self.runs)} tests start something and were run {total} times")
        for test, (runs, wanted) in sorted(self.runs.items()):
            if runs < wanted:
                write(f"  {runs} of {wanted} runs: {test}")

    def pytest_unconfigure(self) -> None:
        for process in self.load:
            process.kill()
            process.wait()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Summary())
        if config.getoption("numprocesses", None):
            return
    log = Path(f"build/tests/stress/{os.getpid()}").absolute()
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    config.pluginmanager.register(Repeat(log))
    os.environ[sitecustomize.VARIABLE] = str(log)
    here = str(Path(__file__).parent)
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = here + (f":{inherited}" if inherited else "")
    sys.addaudithook(sitecustomize.watch)
