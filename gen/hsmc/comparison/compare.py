# SPDX-License-Identifier: MIT
"""What changed between two versions of a spec, in terms of the language (`hsmc diff`).

Declarations are identified by kind and name. Machines are compared as written (written.py): states by their path, a state
that is gone and one that is new by their content; rows within one event of one state by order and text, since rows
have no name. Comments, blanks and the order of declarations are no change; the order of the rows of one event in one
state is, because the first whose guard holds is taken.

Everything becomes a list of `Change`s; compare_report.py prints them.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Iterator, Literal, Optional, Sequence

from .. import ir
from .compare_declarations import Item, items_of
from ..compilation.compiler import Compilation
from .written import TIMER, WrittenProcess, WrittenRow, WrittenState, written_processes

Kind = Literal["added", "removed", "changed", "moved", "renamed"]

# A state that is gone and one that is new are one renamed when this share of their content is the same.
RENAMED_SIMILARITY = 0.6
# Two rows of one event and state are one edited when this share of their text is the same.
EDITED_SIMILARITY = 0.4

WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Detail:
    """One aspect of what changed; "" where that version has none. Bodies have several lines."""

    what: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """`item` is "state" or "row", else the kind of declaration. `name` is the new one where there is one: of a state its
    path, of a row its text. A place is None on the side that lacks it. `state` is the path of the state a row is in,
    `former` what the name or the state was before."""

    change: Kind
    item: str
    name: str
    process: str = ""
    state: str = ""
    former: str = ""
    old: Optional[ir.Place] = None
    new: Optional[ir.Place] = None
    details: tuple[Detail, ...] = ()


@dataclass(frozen=True)
class Version:
    """A compiled spec, and its machines as written."""

    protocol: ir.Protocol
    items: tuple[Item, ...]
    processes: tuple[WrittenProcess, ...]


def version(compilation: Compilation, protocol: ir.Protocol) -> Version:
    return Version(
        protocol,
        tuple(items_of(protocol, compilation.spec)),
        written_processes(compilation.spec),
    )


def compare(old: Version, new: Version) -> list[Change]:
    """Declarations first, then process by process in the order of the new version: what it declares, then its states."""
    declared = list(_declarations(old.items, new.items))
    changes = [change for change in declared if not change.process]
    before = {process.name: process for process in old.processes}
    after = {process.name: process for process in new.processes}
    for name in dict.fromkeys([*after, *before]):
        changes += [change for change in declared if change.process == name]
        nothing = WrittenProcess(name, ())
        machines = _Machines(before.get(name, nothing), after.get(name, nothing))
        changes += machines.changes()
    return changes


def details_between(old: dict[str, str], new: dict[str, str]) -> tuple[Detail, ...]:
    """Aspects that differ, in the order of the new version, then those that went."""
    names = [*new, *(name for name in old if name not in new)]
    return tuple(
        Detail(name, old.get(name, ""), new.get(name, ""))
        for name in names
        if old.get(name, "") != new.get(name, "")
    )


def _declarations(old: Sequence[Item], new: Sequence[Item]) -> Iterator[Change]:
    before = {item.key: item for item in old}
    after = {item.key: item for item in new}
    for item in new:
        former = before.get(item.key)
        details = details_between(former.attributes if former else {}, item.attributes)
        if former is None or details:
            yield Change(
                change="changed" if former else "added",
                item=item.kind,
                name=item.name,
                process=item.process,
                old=former.place if former else None,
                new=item.place,
                details=details,
            )
    for item in old:
        if item.key not in after:
            yield Change(
                change="removed",
                item=item.kind,
                name=item.name,
                process=item.process,
                old=item.place,
                details=details_between(item.attributes, {}),
            )


class _Machines:
    """Two versions of one process."""

    def __init__(self, old: WrittenProcess, new: WrittenProcess) -> None:
        self.name = new.name
        self.old = {state.path: state for state in old.walk()}
        self.new = {state.path: state for state in new.walk()}
        self.pairs: dict[str, str] = {}  # new path -> old path
        self.names: dict[str, str] = {}  # old name -> new name, of renamed states
        self._pair()
        # Rows gone and rows new of the whole process: the same text in both has moved to another state.
        self.removed: list[tuple[str, WrittenRow]] = []
        self.added: list[tuple[str, WrittenRow]] = []

    # --- which state is which

    def _pair(self) -> None:
        self.pairs = {path: path for path in self.new if path in self.old}
        old_left, new_left = self._left()
        for new in new_left:
            same = [state for state in old_left if state.name == new.name]
            if len(same) == 1:
                self.pairs[new.path] = same[0].path
                old_left.remove(same[0])
        self._pair_similar()

    def _left(self) -> tuple[list[WrittenState], list[WrittenState]]:
        taken = set(self.pairs.values())
        return (
            [state for path, state in self.old.items() if path not in taken],
            [state for path, state in self.new.items() if path not in self.pairs],
        )

    def _pair_similar(self) -> None:
        """The most similar first; among equals the order of the text."""
        old_left, new_left = self._left()
        old_names = {state.name for state in old_left}
        new_names = {state.name for state in new_left}
        found = []
        for i, new in enumerate(new_left):
            content = _content(new, new_names)
            for j, old in enumerate(old_left):
                similarity = _similarity(_content(old, old_names), content)
                if similarity >= RENAMED_SIMILARITY:
                    found.append((-similarity, abs(i - j), i, j))
        taken: set[int] = set()
        for _, _, i, j in sorted(found):
            if j not in taken and new_left[i].path not in self.pairs:
                taken.add(j)
                self.pairs[new_left[i].path] = old_left[j].path
                self.names[old_left[j].name] = new_left[i].name

    # --- what changed in them

    def changes(self) -> list[Change]:
        result: list[Change] = []
        for state in self.new.values():
            if state.path in self.pairs:
                result += self._state(self.old[self.pairs[state.path]], state)
            else:
                result.append(
                    Change(
                        change="added",
                        item="state",
                        name=state.path,
                        process=self.name,
                        new=state.place,
                        details=details_between({}, _attributes(state)),
                    )
                )
                self.added += [(state.path, row) for row in state.rows]
        old_left, _ = self._left()
        for state in old_left:
            attributes = _attributes(state)
            result.append(
                Change(
                    change="removed",
                    item="state",
                    name=state.path,
                    process=self.name,
                    old=state.place,
                    details=details_between(attributes, {}),
                )
            )
            self.removed += [(state.path, row) for row in state.rows]
        return [*result, *self._added_and_removed()]

    def _state(self, old: WrittenState, new: WrittenState) -> Iterator[Change]:
        kind: Optional[Kind] = None
        if old.name != new.name:
            kind = "renamed"
        elif self._enclosing_state(new) != _outer(old.path):
            kind = "moved"
        details = details_between(_attributes(old), _attributes(new))
        if kind is not None or details:
            yield Change(
                change=kind or "changed",
                item="state",
                name=new.path,
                process=self.name,
                former=old.path if old.path != new.path else "",
                old=old.place,
                new=new.place,
                details=details,
            )
        events = dict.fromkeys(row.event for row in (*new.rows, *old.rows))
        for event in events:
            yield from self._rows(
                new.path,
                [row for row in old.rows if row.event == event],
                [row for row in new.rows if row.event == event],
            )

    def _enclosing_state(self, state: WrittenState) -> str:
        """Path of the old version of the state around it."""
        outer = _outer(state.path)
        return self.pairs.get(outer, "?") if outer else ""

    def _rows(
        self, path: str, old: Sequence[WrittenRow], new: Sequence[WrittenRow]
    ) -> Iterator[Change]:
        before = [self._row_attributes(row, self.names) for row in old]
        after = [self._row_attributes(row, {}) for row in new]
        pairs = _row_pairs(before, after)
        self.removed += [(path, r) for i, r in enumerate(old) if i not in pairs]
        matched = set(pairs.values())
        self.added += [(path, r) for j, r in enumerate(new) if j not in matched]
        in_order = _increasing(sorted(pairs.items()))
        for i, j in sorted(pairs.items(), key=lambda pair: pair[1]):
            details = details_between(before[i], after[j])
            if (i, j) not in in_order:
                order = (f"row {i + 1} of {len(old)}", f"row {j + 1} of {len(new)}")
                details = (*details, Detail("order", *order))
            if details:
                only_order = all(detail.what == "order" for detail in details)
                yield Change(
                    change="moved" if only_order else "changed",
                    item="row",
                    name=new[j].text,
                    process=self.name,
                    state=path,
                    former=old[i].text if old[i].text != new[j].text else "",
                    old=old[i].place,
                    new=new[j].place,
                    details=details,
                )

    def _row_attributes(self, row: WrittenRow, names: dict[str, str]) -> dict[str, str]:
        """What may differ between two versions of a row; `names` are those of states to be replaced."""
        return {
            "arguments": ", ".join(row.bindings),
            "before": "before" if row.before else "",
            "guard": row.guard,
            "actions": row.actions,
            "target": WORD.sub(
                lambda word: names.get(word.group(0), word.group(0)), row.target
            ),
        }

    def _added_and_removed(self) -> Iterator[Change]:
        removed = list(self.removed)
        for path, row in self.added:
            attributes = self._row_attributes(row, {})
            former = next(
                (
                    (state, other)
                    for state, other in removed
                    if state != path
                    and other.event == row.event
                    and other.duration == row.duration
                    and self._row_attributes(other, self.names) == attributes
                ),
                None,
            )
            if former is not None:
                removed.remove(former)
            yield Change(
                change="moved" if former else "added",
                item="row",
                name=row.text,
                process=self.name,
                state=path,
                former=former[0] if former else "",
                old=former[1].place if former else None,
                new=row.place,
            )
        for path, row in removed:
            yield Change(
                change="removed",
                item="row",
                name=row.text,
                process=self.name,
                state=path,
                old=row.place,
            )


def _attributes(state: WrittenState) -> dict[str, str]:
    """Of a state without its rows. The lets of a block and the duration of a timer belong to all rows of it."""
    result = {
        "initial": "initial" if state.initial else "",
        "final": "final" if state.final else "",
        "cold": "cold" if state.cold else "",
        "entry": state.entry,
        "exit": state.exit,
    }
    blocks: dict[str, dict[tuple[str, ...], None]] = {}
    for row in state.rows:
        if row.event == TIMER:
            result["timer"] = row.duration
        if row.lets:
            blocks.setdefault(row.event, {})[row.lets] = None
    for event, lets in blocks.items():
        result[f"lets of {event}"] = "\n".join("\n".join(block) for block in lets)
    for event, kind, _ in state.verdicts:
        result[f"answer to {event}"] = kind
    return {**result, "documentation": state.doc}


def _content(state: WrittenState, left: set[str]) -> Counter[str]:
    """What a state consists of, whatever it is called; `left` are names that may have been given to others."""

    def anonymous(text: str) -> str:
        return WORD.sub(lambda w: "?" if w.group(0) in left else w.group(0), text)

    parts = [f"{what}: {text}" for what, text in _attributes(state).items() if text]
    for row in state.rows:
        event = (
            f"{'before ' if row.before else ''}{row.event}({', '.join(row.bindings)})"
        )
        parts.append(f"{event} {row.guard} / {row.actions}")
        parts.append(f"{event} -> {anonymous(row.target)}")
    parts += [f"state {anonymous(inner.name)}" for inner in state.states]
    return Counter(parts)


def _similarity(one: Counter[str], other: Counter[str]) -> float:
    """Twice what they share by what both have; two empty ones are the same."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _outer(path: str) -> str:
    return path.rpartition(".")[0]


def _row_pairs(
    old: Sequence[dict[str, str]], new: Sequence[dict[str, str]]
) -> dict[int, int]:
    """Old index -> new index: equal rows in order, equal rows elsewhere, then the most similar."""
    before, after = ([" ".join(row.values()) for row in rows] for rows in (old, new))
    pairs: dict[int, int] = {}
    for block in SequenceMatcher(None, before, after, False).get_matching_blocks():
        pairs.update((block.a + k, block.b + k) for k in range(block.size))
    found = []
    for i in range(len(old)):
        for j in range(len(new)):
            if i in pairs or j in pairs.values():
                continue
            ratio = SequenceMatcher(None, before[i], after[j]).ratio()
            # A row keeps its meaning best when its guard or all of what it does stays.
            same = old[i]["guard"] == new[j]["guard"]
            same = same or all(old[i][w] == new[j][w] for w in ("actions", "target"))
            if same or ratio >= EDITED_SIMILARITY:
                equal = before[i] == after[j]
                found.append((not equal, -ratio, abs(i - j), i, j))
    for _, _, _, i, j in sorted(found):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return pairs


def _increasing(pairs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """A longest selection of the pairs in which both numbers grow: those that kept their order."""
    ends: list[int] = []  # smallest last number of a selection of each length
    lengths: list[int] = []
    for _, number in pairs:
        position = bisect.bisect_left(ends, number)
        ends[position : position + 1] = [number]
        lengths.append(position)
    result: set[tuple[int, int]] = set()
    wanted = len(ends) - 1
    limit: Optional[int] = None
    for index in range(len(pairs) - 1, -1, -1):
        if lengths[index] == wanted and (limit is None or pairs[index][1] < limit):
            result.add(pairs[index])
            limit = pairs[index][1]
            wanted -= 1
    return result
