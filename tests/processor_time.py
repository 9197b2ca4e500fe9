# SPDX-License-Identifier: MIT
"""A pytest plugin: seconds of processor time by test file, those of all that its tests started included.

    scripts/test.py -n 2 --dist loadfile -p tests.processor_time tests spec

Unlike --durations it says the same on a machine that is busy with something else. What a fixture of a module costs counts for
the test that comes first.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Iterator

import pytest
from _pytest.terminal import TerminalReporter

PROPERTY = "processor_s"
LEAST_S = 1.0  # files below are one line


def used_s() -> float:
    """By this process and by those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Clock:
    before_s = used_s()  # when the test before this one had ended
    by_file: Counter[str] = Counter()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[None]:
    if call.when == "teardown":
        now_s = used_s()
        item.user_properties.append((PROPERTY, now_s - Clock.before_s))
        Clock.before_s = now_s
    yield


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that prints, for the tests of all workers."""
    if report.when == "teardown":
        used = [value for name, value in report.user_properties if name == PROPERTY]
        Clock.by_file[report.nodeid.split("::")[0]] += sum(map(float, used))  # type: ignore[arg-type]


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    terminalreporter.section("processor time in seconds")
    found = Clock.by_file.most_common()
    for file, seconds in found:
        if seconds >= LEAST_S:
            terminalreporter.write_line(f"{seconds:8.1f}  {file}")
    rest = sum(seconds for _, seconds in found if seconds < LEAST_S)
    total = sum(Clock.by_file.values())
    terminalreporter.write_line(f"{rest:8.1f}  all other files")
    terminalreporter.write_line(f"{total:8.1f}  together")
