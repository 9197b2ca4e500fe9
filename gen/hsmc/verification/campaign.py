# SPDX-License-Identifier: MIT
"""`hsmc verify`: many searches, two at a time, and what is said of them."""

from __future__ import annotations

import concurrent.futures
import itertools
import shutil
import sys
import threading
import time
from typing import Optional, Sequence

from ..progress import Progress
from .search import CHILDREN, Limits, Run, Sample, need_tools, run_search
from .subject import Search, Subject

PARALLEL_RUNS = 2


class Watch:
    """What all searches at work say, on one line of the terminal. SPIN speaks every million states; in between the
    line is written anew twice a second, so that a build is seen too."""

    def __init__(self, total: int) -> None:
        self.progress = Progress()
        self.total = total
        self.done = 0
        self.working: dict[str, str] = {}
        self._end = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> "Watch":
        if sys.stderr.isatty():
            self._thread.start()
        return self

    def __exit__(self, *what: object) -> None:
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()
        self.progress.done()

    def _tick(self) -> None:
        while not self._end.wait(0.5):
            self.show()

    def begin(self, search: Search) -> None:
        with self._lock:
            self.working[search.name] = "building and searching"

    def sample(self, search: Search, sample: Sample) -> None:
        with self._lock:
            self.working[search.name] = str(sample)

    def end(self, search: Search) -> None:
        with self._lock:
            self.working.pop(search.name, None)
            self.done += 1

    def show(self) -> None:
        with self._lock:
            texts = [f"{name}: {text}" for name, text in self.working.items()]
        width = shutil.get_terminal_size().columns - 8
        line = f"{self.done} of {self.total} | {' | '.join(texts)}"
        self.progress.step(line[:width])


def run_all(
    searches: Sequence[tuple[Search, Subject]],
    limits: Limits = Limits(),
    quick: bool = False,
) -> list[Run]:
    """The runs in the order of the searches. Those of one check should be next to each other: all but the first are then
    compiled for about as many states as the one before has found."""
    need_tools()
    watch = Watch(len(searches))

    def one(search: Search, subject: Subject, states: Optional[int]) -> Run:
        watch.begin(search)

        def sample(sample: Sample) -> None:
            watch.sample(search, sample)

        try:
            return run_search(search, subject, limits, quick, sample, states)
        finally:
            watch.end(search)

    def chain(same: Sequence[tuple[Search, Subject]]) -> list[Run]:
        runs: list[Run] = []
        for search, subject in same:
            runs.append(one(search, subject, runs[-1].states if runs else None))
        return runs

    with watch, concurrent.futures.ThreadPoolExecutor(PARALLEL_RUNS) as pool:
        futures: list[concurrent.futures.Future[list[Run]]] = []
        try:
            for _, group in itertools.groupby(searches, lambda s: (s[1], s[0].check)):
                same = list(group)
                # Here, for compiling a spec is not for two threads at once.
                for search, subject in same:
                    subject.generated(search.check, search.kind)
                    if search.engine == "promela":
                        subject.need_room(search.check, search.kind)
                futures.append(pool.submit(chain, same))
            return [run for future in futures for run in future.result()]
        except BaseException:
            for future in futures:
                future.cancel()
            CHILDREN.stop()
            raise
