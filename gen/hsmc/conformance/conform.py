# SPDX-License-Identifier: MIT
"""Traces of board runs against a spec: what `hsmc conform` does with its files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence

from .. import ir
from ..backends.exchange import Exchange, divided
from ..failure import Failure
from ..interpreter.interpreter import Program
from ..placement import PlacementAnalysis
from .trace_control import ControlCheck, Finding, Tables, place_of
from .trace_file import Item, Run, TraceError, read_trace
from .trace_replay import Replay

NEIGHBOURS = 3  # records shown before and after
EXPECTED_SHOWN = 6
FINDINGS_SHOWN = 10  # of a file; all of them are counted


@dataclass
class RunResult:
    run: Run
    transitions: int = 0
    lost: int = 0  # in gaps
    events: int = 0  # replayed
    state_compared: bool = False
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what could not be checked


@dataclass
class FileResult:
    path: Path
    runs: list[RunResult]
    complete: bool

    @property
    def findings(self) -> Iterator[tuple[Run, Finding]]:
        for result in self.runs:
            for finding in result.findings:
                yield result.run, finding


class Prepared:
    """A spec as one placement runs it: raises that cross are messages, which are put and come."""

    def __init__(self, protocol: ir.Protocol, placement: str) -> None:
        for declared in protocol.placements:
            if declared.name == placement:
                crossings = PlacementAnalysis(protocol).crossings(declared)
                exchange = Exchange(protocol, crossings)
                self.exchange = exchange
                protocol = divided(exchange)
        self.program = Program(protocol)
        self.tables = Tables(protocol)

    exchange: Optional[Exchange] = None


class Conformance:
    """A spec ready to check traces."""

    def __init__(self, protocol: ir.Protocol, any_hash: bool = False) -> None:
        self.protocol = protocol
        self.any_hash = any_hash
        self._prepared: dict[str, Prepared] = {}

    def prepared(self, placement: str) -> Prepared:
        """Of a run without a placement: ""."""
        if placement not in self._prepared:
            self._prepared[placement] = Prepared(self.protocol, placement)
        return self._prepared[placement]

    @property
    def program(self) -> Program:
        return self.prepared("").program

    def check_file(self, path: Path) -> FileResult:
        """Raises TraceError or OSError."""
        trace = read_trace(path)
        return FileResult(path, [self.check_run(r) for r in trace.runs], trace.complete)

    def check_run(self, run: Run) -> RunResult:
        result = RunResult(run)
        foreign = run.protocol != self.protocol.name or run.hash != self.protocol.hash
        if foreign and not self.any_hash:
            what = f"the run is of protocol {run.protocol or '?'}, hash {run.hash:08x}"
            wanted = f"{self.protocol.name}, hash {self.protocol.hash:08x}"
            result.findings.append(Finding(run.line, what, (wanted,)))
            return result
        placements = [placement.name for placement in self.protocol.placements]
        if run.placement and run.placement not in placements:
            what = f"the run is of placement {run.placement}"
            result.findings.append(Finding(run.line, what, tuple(placements)))
            return result
        run = self._as_read(run)
        prepared = self.prepared(run.placement)
        control = ControlCheck(prepared.tables, run)
        control.check()
        result.transitions, result.lost = control.rows, control.lost
        result.findings += control.findings
        if run.begins_midway:
            result.notes.append("begins amid a run: checked from what can be known on")
        if control.lost:
            result.notes.append(f"{control.lost} records lost in gaps")
        if run.observed:
            replay = Replay(prepared.program, run, prepared.exchange)
            replay.check()
            result.events = replay.events
            result.state_compared = replay.state_compared
            known = {finding.line for finding in result.findings}
            result.findings += [f for f in replay.findings if f.line not in known]
            result.findings.sort(key=lambda finding: finding.line)
        return result

    def _as_read(self, run: Run) -> Run:
        """With the values that the protocol saw in its parameters, whatever the host had written there."""
        known = {parameter.name: parameter for parameter in self.protocol.parameters}

        def seen(name: str, value: int) -> int:
            return known[name].counts_as(value) if name in known else value

        return replace(
            run,
            parameters={n: seen(n, value) for n, value in run.parameters.items()},
            items=[
                (
                    item._replace(numbers=(seen(item.name, item.numbers[0]),))
                    if item.kind == "parameter"
                    else item
                )
                for item in run.items
            ],
        )

    # --- words

    def describe(self, path: Path, run: Run, finding: Finding) -> str:
        lines = [f"{path}:{finding.line}: unexplained: {finding.what}"]
        if finding.expected:
            shown = list(finding.expected[:EXPECTED_SHOWN])
            rest = len(finding.expected) - len(shown)
            shown += [f"and {rest} more"] if rest else []
            lines.append(f"  expected: {', '.join(shown)}")
        for item in self.neighbours(run, finding.line):
            mark = ">" if item.line == finding.line else " "
            lines.append(f"  {mark} {item.line}: {self.item_text(item)}")
        return "\n".join(lines)

    def neighbours(self, run: Run, line: int) -> Sequence[Item]:
        index = next((i for i, item in enumerate(run.items) if item.line >= line), None)
        if index is None:
            return run.items[-NEIGHBOURS:]
        return run.items[max(0, index - NEIGHBOURS) : index + NEIGHBOURS + 1]

    def item_text(self, item: Item) -> str:
        numbers = ", ".join(map(str, item.numbers))
        if item.kind == "row":
            time, number, argument = item.numbers
            if number >= len(self.program.rows):
                return f"{time} us  transition {number}, which does not exist"
            pool = self.prepared("").tables.rows[number].process.pool
            shown = f"  record {argument}" if pool is not None else ""
            row = self.program.rows[number]
            return f"{time} us  {row.id}{shown}  {place_of(self.program, number)}"
        if item.kind in ("event", "device"):
            return f"{item.kind} {item.name}({numbers})"
        if item.kind == "expiry" and item.numbers[0] < len(self.protocol.timers):
            name = self.protocol.timers[item.numbers[0]].name
            return f"expiry of {name}, instance {item.numbers[1]}"
        if item.kind == "gap":
            return f"{item.numbers[0]} records lost"
        return f"{item.kind} {item.name + ' ' if item.name else ''}{numbers}".rstrip()


@dataclass
class Totals:
    files: int = 0
    runs: int = 0
    transitions: int = 0
    events: int = 0
    states: int = 0
    lost: int = 0
    unexplained: int = 0

    def add(self, result: FileResult) -> None:
        self.files += 1
        for run in result.runs:
            self.runs += 1
            self.transitions += run.transitions
            self.events += run.events
            self.states += run.state_compared
            self.lost += run.lost
            self.unexplained += len(run.findings)

    def __str__(self) -> str:
        return (
            f"{self.files} trace{'s' * (self.files != 1)}, {self.runs} runs: {self.transitions} transitions checked, "
            f"{self.events} events replayed, {self.states} end states compared, {self.lost} records lost, "
            f"{self.unexplained} unexplained"
        )


def command(
    protocol: ir.Protocol, paths: Sequence[Path], as_json: bool, any_hash: bool
) -> tuple[int, Optional[dict[str, Any]]]:
    """The report on standard output; the status, and the report as data where JSON is wanted."""
    conformance = Conformance(protocol, any_hash)
    totals = Totals()
    files = []
    for path in paths:
        try:
            result = conformance.check_file(path)
        except TraceError as error:
            raise Failure(str(error)) from None
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None
        totals.add(result)
        files.append(_as_data(result))
        if not as_json:
            _print_result(conformance, result)
    status = 1 if totals.unexplained or not totals.transitions else 0
    if as_json:
        return status, {
            "protocol": protocol.name,
            "files": files,
            "totals": vars(totals),
        }
    if not totals.transitions:
        print("the traces have no transitions")
    print(totals)
    return status, None


def _print_result(conformance: Conformance, result: FileResult) -> None:
    for number, (run, finding) in enumerate(result.findings):
        if number == FINDINGS_SHOWN:
            rest = sum(1 for _ in result.findings) - number
            print(f"{result.path}: {rest} more unexplained steps")
            break
        print(conformance.describe(result.path, run, finding))
    for part in result.runs:
        for note in part.notes:
            print(f"{result.path}:{part.run.line}: {note}")
    if not result.complete:
        print(
            f"{result.path}: the file ends before its 'end': checked as far as it goes"
        )


def _as_data(result: FileResult) -> dict[str, Any]:
    return {
        "file": str(result.path),
        "complete": result.complete,
        "runs": [
            {
                "line": run.run.line,
                "observed": run.run.observed,
                "transitions": run.transitions,
                "events": run.events,
                "state_compared": run.state_compared,
                "lost": run.lost,
                "notes": run.notes,
                "unexplained": [
                    {"line": f.line, "what": f.what, "expected": list(f.expected)}
                    for f in run.findings
                ],
            }
            for run in result.runs
        ],
    }
