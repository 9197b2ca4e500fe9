# SPDX-License-Identifier: MIT
"""A pytest plugin: seconds of processor time by test file, those of all that its tests started included.

    scripts/test.py -n 3 --dist loadfile -p tests.processor_time tests spec

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


def used_s() -> tuple[float, float]:
    """In programs and in the kernel for them, by this process and by those it has waited for."""
    times = os.times()
    return times.user + times.children_user, times.system + times.children_system


class Clock:
    before_s = used_s()  # when the test before this one had ended
    by_file: Counter[str] = Counter()
    in_kernel: Counter[str] = Counter()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[None]:
    if call.when == "teardown":
        now_s = used_s()
        used = [now - before for now, before in zip(now_s, Clock.before_s)]
        item.user_properties.append((PROPERTY, used))
        Clock.before_s = now_s
    yield


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that prints, for the tests of all workers."""
    if report.when == "teardown":
        file = report.nodeid.split("::")[0]
        for name, used in report.user_properties:
            if name == PROPERTY:
                program_s, kernel_s = map(float, used)  # type: ignore[call-overload]
                Clock.by_file[file] += program_s + kernel_s
                Clock.in_kernel[file] += kernel_s


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    terminalreporter.section("processor time in seconds, of these in the kernel")
    found = Clock.by_file.most_common()
    for file, seconds in found:
        if seconds >= LEAST_S:
            terminalreporter.write_line(
                f"{seconds:8.1f} {Clock.in_kernel[file]:8.1f}  {file}"
            )
    rest = sum(seconds for _, seconds in found if seconds < LEAST_S)
    total = sum(Clock.by_file.values())
    terminalreporter.write_line(f"{rest:8.1f} {'':8}  all other files")
    terminalreporter.write_line(
        f"{total:8.1f} {sum(Clock.in_kernel.values()):8.1f}  together"
    )
