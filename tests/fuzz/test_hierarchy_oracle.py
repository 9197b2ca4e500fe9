# SPDX-License-Identifier: MIT
"""The oracle written from the manual: the interpreter agrees with it, and with none that is wrong in one thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import manual
from tests.fuzz.batches import Batch, make_batch, watched
from tests.fuzz.machines import Event, Row, State
from tests.fuzz.manual import Arguments, Instance, Manual
from tests.fuzz.spec_writer import has_machines

SPECS = 80


class ExitOfTheInnermostAlone(Manual):
    def leave(self, instance: Instance, stays: list[State]) -> None:
        left = [s for s in instance.active if s not in stays]
        before = len(self.told.calls)
        super().leave(instance, stays)
        for state in left[:-1]:
            told = f"{instance.machine.device('out')}({state.number}"
            kept = [c for c in self.told.calls[before:] if not c.startswith(told)]
            self.told.calls[before:] = kept


class EntryTwice(Manual):
    def enter(self, instance: Instance, entered: list[State], taken: object) -> None:
        super().enter(instance, entered, taken)  # type: ignore[arg-type]
        for state in entered[:1]:
            instance.total = instance.total + state.entry_adds & 0xFFFF


class LocalRowsLeaveTheirState(Manual):
    @staticmethod
    def staying(source: State, row: Row) -> list[State]:
        common = list(source.around())[1:]
        return Manual.staying(source, row) if not row.local else common[::-1]


class NoHistory(Manual):
    @staticmethod
    def path_down(state: State, last: object = None) -> list[State]:
        return Manual.path_down(state)


class YoungestFirst(Manual):
    def deliver_waiting(self) -> None:
        for instance in (*self.records, self.tree):
            for queue in instance.waiting.values() if instance else ():
                queue.reverse()
        super().deliver_waiting()


class LastDeclaredFirst(Manual):
    def deliverable(self):  # type: ignore[no-untyped-def]
        return reversed(list(super().deliverable()))


class OneDelivery(Manual):
    """Until the next event."""

    def deliver_waiting(self) -> None:
        found = next(self.deliverable(), None)
        if found is not None:
            instance, event = found
            self.handle(instance, event, instance.waiting[event.name].pop(0))


class RecordsRemember(Manual):
    """What a record's machine keeps outlives it. `kept`: by record."""

    what = ""
    kept: dict[int, dict[str, object]] = {}

    def release(self, instance: Instance) -> None:
        self.kept[instance.owner] = getattr(instance, self.what)
        super().release(instance)

    def reset(self) -> None:
        self.kept = {}
        super().reset()

    def handle(self, instance: Instance, event: Event, arguments: Arguments) -> None:
        if event.name == "grow":
            getattr(instance, self.what).update(self.kept.get(instance.owner, {}))
        super().handle(instance, event, arguments)


class HistoryOutlivesItsRecord(RecordsRemember):
    what = "last_active"


class WaitingEventsOutliveTheirRecord(RecordsRemember):
    what = "waiting"


class ReleasedRecordsLeaveTheQueue(Manual):
    def release(self, instance: Instance) -> None:
        super().release(instance)
        self.queue = [k for k in self.queue if k != instance.owner]


class TimersOfOuterStatesRunOn(Manual):
    def leave(self, instance: Instance, stays: list[State]) -> None:
        left = [s for s in instance.active if s not in stays]
        running = {s.name for s in left[:-1] if s.name in instance.running}
        super().leave(instance, stays)
        cancelled = [f"cancel {self.timer(instance, s)}" for s in left[:-1]]
        self.told.calls = [c for c in self.told.calls if c not in cancelled]
        instance.running |= running


class InnerRowsFirst(Manual):
    """Rows `before` those inside are none at all."""

    def handle(self, instance: Instance, event: Event, arguments: Arguments) -> None:
        before = [state.before for state in instance.active]
        for state in instance.active:
            state.before = {}
        active = list(instance.active)
        super().handle(instance, event, arguments)
        for state, rows in zip(active, before):
            state.before = rows


class DurationsAfterEntries(Manual):
    def arm(
        self, instance: Instance, state: State, duration: int, into: list[str]
    ) -> None:
        if into is self.told.computed:
            duration += state.entry_adds
        super().arm(instance, state, duration, into)


WRONG = [
    *(ExitOfTheInnermostAlone, EntryTwice, LocalRowsLeaveTheirState, NoHistory),
    *(YoungestFirst, LastDeclaredFirst, OneDelivery, HistoryOutlivesItsRecord),
    *(WaitingEventsOutliveTheirRecord, TimersOfOuterStatesRunOn, InnerRowsFirst),
    *(DurationsAfterEntries, ReleasedRecordsLeaveTheQueue),
]


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    seeds = [seed for seed in range(3 * SPECS) if has_machines(seed)][:SPECS]
    made, refused = make_batch(seeds, tmp_path_factory.mktemp("manual") / "fuzz.hsm")
    assert made is not None and refused == 0
    assert len(made.watches) == SPECS
    return made


def anew(batch: Batch) -> Batch:
    return Batch(batch.program, batch.commands, batch.lines, batch.text, batch.parts)


def test_the_interpreter_does_as_the_manual_says(batch: Batch) -> None:
    assert watched(anew(batch)) is None


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_a_wrong_manual_is_found(
    wrong: type[Manual], batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the events reach what it is wrong in, and the comparison sees it."""
    monkeypatch.setattr(manual, "Manual", wrong)
    divergence = watched(anew(batch))
    assert divergence is not None and "by the manual" in divergence.found
