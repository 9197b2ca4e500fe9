# SPDX-License-Identifier: MIT
"""hsmc conform: worlds that conform, damaged traces and mutated firmware that do not."""

import dataclasses
import json
import os
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator, Optional

import pytest

from hsmc import ir
from hsmc.backends import backend_c, backend_nic
from hsmc.conformance import watch
from hsmc.conformance.conform import Conformance, FileResult
from hsmc.conformance.trace_file import parse_trace
from tests.compiled import compiled
from tests.in_process import run_hsmc
from tests.long_tests import one_in

SPEC = Path("spec/emp/emp.hsm")
CAMPAIGN = Path("build/tests/campaign")
IMAGES = {
    "shipped": Path("build/firmware/emp_a.elf"),
    "observed": Path("build/firmware/emp_a_observed.elf"),
}
DAMAGES_EACH = 12


def worlds(
    image: Path, directory: Path, count: int, limit_s: int = 120, first: int = 3
) -> list[Path]:
    """Runs worlds under random faults; their traces, as far as they came when that much processor time was spent."""
    directory.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "EMP_IMAGE": str(image),
        "EMP_TRACES": str(directory),
    }
    command = ["prlimit", f"--cpu={limit_s}", str(CAMPAIGN), str(count), str(first)]
    subprocess.run(command, env=environment, capture_output=True, check=False)
    return sorted(directory.glob("*.trace"))


@pytest.fixture(name="conformance", scope="module")
def fixture_conformance() -> Conformance:
    return Conformance(compiled(SPEC))


@pytest.fixture(name="traces", scope="module")
def fixture_traces(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, list[Path]]:
    top = tmp_path_factory.mktemp("traces")
    return {name: worlds(image, top / name, 2) for name, image in IMAGES.items()}


def hsmc_conform(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["gen/bin/hsmc", "conform", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# --- what is right


@pytest.mark.parametrize("image", list(IMAGES))
def test_worlds_conform(traces: dict[str, list[Path]], image: str) -> None:
    paths = list(map(str, traces[image]))
    result = hsmc_conform(str(SPEC), *paths, "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    totals = json.loads(result.stdout)["totals"]
    assert totals["files"] == 4 and totals["transitions"] > 4 * 200
    assert totals["unexplained"] == totals["lost"] == 0
    if image == "observed":
        assert totals["events"] > 4 * 100 and totals["states"] == 4
    assert all(file["complete"] for file in json.loads(result.stdout)["files"])


@pytest.mark.parametrize("image", list(IMAGES))
def test_storms_of_cancels_conform(tmp_path: Path, image: str) -> None:
    """Every eighth world of the campaign: hosts take receives back, in time and too late."""
    paths = worlds(IMAGES[image], tmp_path, 1, first=8)
    result = hsmc_conform(str(SPEC), *map(str, paths), "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    totals = json.loads(result.stdout)["totals"]
    assert totals["files"] == 2 and totals["unexplained"] == totals["lost"] == 0
    rows = [
        row.id
        for process in compiled(SPEC).processes
        for handler in process.handlers
        for row in handler.rows
    ]
    for path in paths:
        lines = [line.split() for line in path.read_text().splitlines()]
        taken = Counter(rows[int(w[2])] for w in lines if w[0] == "row")
        assert taken["Match.LISTENING.cancel.0"] > 20
        assert taken["Match.LISTENING.cancel.1"] > 0


def test_recording_changes_nothing(tmp_path: Path) -> None:
    """The same world ends the same and at the same time whether it is recorded or not."""
    (tmp_path / "file").write_bytes(bytes(range(256)) * 300)
    command = ["build/host/emp_demo", "transfer", "--quiet", "--loss=0.05"]
    command += [f"--file={tmp_path}/file", "--json=-"]
    plain = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    recorded = subprocess.run(
        [*command, f"--trace={tmp_path}/demo"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert recorded == plain
    result = hsmc_conform(str(SPEC), *map(str, tmp_path.glob("demo.*.trace")))
    assert result.returncode == 0 and "0 unexplained" in result.stdout, result.stdout


# --- damaged traces

Damage = Callable[[list[str], list[int], int, random.Random], Optional[list[str]]]


def words(line: str, index: int, value: object) -> str:
    parts = line.split()
    parts[index] = str(value)
    return " ".join(parts) + "\n"


def number(
    lines: list[str], rows: list[int], at: int, chance: random.Random
) -> Optional[list[str]]:
    """Another transition than the one taken."""
    here = int(lines[at].split()[2])
    other = (here + chance.randrange(1, 40)) % 70
    if other == here:
        return None
    return [*lines[:at], words(lines[at], 2, other), *lines[at + 1 :]]


def drop(lines: list[str], rows: list[int], at: int, _: random.Random) -> list[str]:
    return [*lines[:at], *lines[at + 1 :]]


def repeat(lines: list[str], rows: list[int], at: int, _: random.Random) -> list[str]:
    return [*lines[: at + 1], *lines[at:]]


def swap(
    lines: list[str], rows: list[int], at: int, _: random.Random
) -> Optional[list[str]]:
    """Two transitions in the other order, the times as they were."""
    after = next(row for row in rows if row > at)
    here, there = lines[at].split(), lines[after].split()
    if here[2:] == there[2:]:
        return None
    result = list(lines)
    result[at] = " ".join(["row", here[1], *there[2:]]) + "\n"
    result[after] = " ".join(["row", there[1], *here[2:]]) + "\n"
    return result


def early(lines: list[str], rows: list[int], at: int, _: random.Random) -> list[str]:
    """Back by a second, across 0 if need be."""
    time_ = (int(lines[at].split()[1]) - 1_000_000) % 2**32
    return [*lines[:at], words(lines[at], 1, time_), *lines[at + 1 :]]


def record(lines: list[str], rows: list[int], at: int, _: random.Random) -> list[str]:
    other = int(lines[at].split()[3]) + 1
    return [*lines[:at], words(lines[at], 3, other), *lines[at + 1 :]]


def check_lines(conformance: Conformance, lines: list[str]) -> bool:
    """Is there anything unexplained?"""
    trace = parse_trace(Path("damaged"), lines)
    results = [conformance.check_run(run) for run in trace.runs]
    return any(result.findings for result in results)


# The share that transitions alone prove wrong, where data are not known; replaying finds every one.
@pytest.mark.parametrize(
    "damage, share",
    one_in(
        3,
        [
            (number, 0.8),
            (drop, 0.5),
            (repeat, 0.6),
            (swap, 0.8),
            (early, 1),
            (record, 0.8),
        ],
    ),
)
def test_damage_is_found(
    traces: dict[str, list[Path]],
    conformance: Conformance,
    damage: Damage,
    share: float,
) -> None:
    for image, least in (("shipped", share), ("observed", 1.0)):
        lines = traces[image][0].read_text().splitlines(keepends=True)
        rows = [i for i, line in enumerate(lines) if line.startswith("row")]
        chance = random.Random(1)
        found = tried = 0
        while tried < DAMAGES_EACH:
            damaged = damage(lines, rows, chance.choice(rows[5:-2]), chance)
            if damaged is not None:
                tried += 1
                found += check_lines(conformance, damaged)
        assert found >= least * tried, f"{image}: {found} of {tried}"


def test_damaged_state_and_arguments(
    traces: dict[str, list[Path]], conformance: Conformance
) -> None:
    """A device called with another argument, another answer, another end."""
    lines = traces["observed"][0].read_text().splitlines(keepends=True)
    for kind, position in (("device", -1), ("verdict", -1), ("state", -1)):
        chosen = [i for i, line in enumerate(lines) if line.startswith(kind + " ")]
        at = next(i for i in reversed(chosen) if lines[i].split()[-1].isdigit())
        value = int(lines[at].split()[position]) ^ 1
        damaged = [*lines[:at], words(lines[at], position, value), *lines[at + 1 :]]
        assert check_lines(conformance, damaged), lines[at]


def test_gap(traces: dict[str, list[Path]], conformance: Conformance) -> None:
    """What was lost is told, and what follows is checked from what can be known on."""
    lines = traces["shipped"][0].read_text().splitlines(keepends=True)
    rows = [i for i, line in enumerate(lines) if line.startswith("row")]
    first, last = rows[len(rows) // 3], rows[len(rows) // 2]
    gap = [*lines[:first], f"gap {last - first}\n", *lines[last:]]
    (run,) = parse_trace(Path("gap"), gap).runs
    result = conformance.check_run(run)
    assert result.findings == [] and result.lost == last - first
    hidden = [*lines[:first], *lines[last:]]
    assert check_lines(conformance, hidden)


@pytest.mark.parametrize("value, wrong", [(0, False), (255, False), (1, True)])
def test_nonsense_in_a_live_parameter(
    traces: dict[str, list[Path]], conformance: Conformance, value: int, wrong: bool
) -> None:
    """Whatever the host writes there: outside its range the boards read the default, here as in the world recorded."""
    default, written = (f"parameter collection_size {v}\n" for v in (3, value))
    for path in traces["observed"]:
        lines = path.read_text().splitlines(keepends=True)
        begun = lines.index("return\n") + 1
        started = [written if line == default else line for line in lines]
        assert check_lines(conformance, started) == wrong
        assert (
            check_lines(conformance, [*lines[:begun], written, *lines[begun:]]) == wrong
        )


def test_what_is_no_trace(tmp_path: Path, traces: dict[str, list[Path]]) -> None:
    path = tmp_path / "no.trace"
    lines = traces["observed"][0].read_text().splitlines(keepends=True)
    good = "".join(lines[:3000])
    for text in ("", "hello\n", "hsmc-trace 1\nrow 1 2 3\n", "hsmc-trace 1\nrow x\n"):
        path.write_text(text)
        result = run_hsmc("conform", "spec/abp/abp.hsm", path)
        assert result.returncode == 2 and f"{path}:" in result.stderr, text
    path.write_text("".join(lines) + "row 1 2 3\n")
    assert run_hsmc("conform", SPEC, path).returncode == 2
    assert run_hsmc("conform", SPEC, tmp_path / "none").returncode == 2
    path.write_text(good[: len(good) // 2])
    result = run_hsmc("conform", SPEC, path)
    assert result.returncode == 0 and "before its 'end'" in result.stdout
    path.write_bytes(good.encode()[:5000] + bytes(range(256)) + good.encode()[5000:])
    result = run_hsmc("conform", SPEC, path)
    assert result.returncode in (1, 2) and "Traceback" not in result.stderr
    other = run_hsmc("conform", "spec/abp/abp.hsm", traces["observed"][0])
    assert other.returncode == 1 and "hash" in other.stdout


# --- mutated firmware


def changed_rows(
    protocol: ir.Protocol, change: Callable[[ir.Process, ir.Row], ir.Row]
) -> ir.Protocol:
    processes = []
    for process in protocol.processes:
        handlers = []
        for handler in process.handlers:
            groups = [
                dataclasses.replace(g, rows=tuple(change(process, r) for r in g.rows))
                for g in handler.groups
            ]
            handlers.append(dataclasses.replace(handler, groups=tuple(groups)))
        processes.append(dataclasses.replace(process, handlers=tuple(handlers)))
    return dataclasses.replace(protocol, processes=tuple(processes))


def negated(chosen: int) -> Callable[[ir.Process, ir.Row], ir.Row]:
    def change(_: ir.Process, row: ir.Row) -> ir.Row:
        if row.number != chosen or row.guard is None:
            return row
        guard = ir.Unary(
            operator="not",
            operand=row.guard,
            type=ir.BoolType(),
            place=row.guard.place,
            value=None,
        )
        return dataclasses.replace(row, guard=guard)

    return change


def led_astray(chosen: int) -> Callable[[ir.Process, ir.Row], ir.Row]:
    """To the next leaf that is not final, in the order of declaration."""

    def change(process: ir.Process, row: ir.Row) -> ir.Row:
        if row.number != chosen or row.target is None:
            return row
        names = [leaf.name for leaf in process.leaves if not leaf.final]
        other = names[(names.index(row.target) + 1) % len(names)]
        return dataclasses.replace(row, target=other)

    return change


def mutants(traces: list[Path], protocol: ir.Protocol) -> Iterator[tuple[str, int]]:
    """Transitions these worlds take, for each kind of mutation those taken most."""
    taken = Counter(
        int(line.split()[2])
        for path in traces
        for line in path.read_text().splitlines()
        if line.startswith("row")
    )
    rows = list(protocol.rows())
    final = {
        (process.name, leaf.name)
        for process in protocol.processes
        for leaf in process.leaves
        if leaf.final
    }
    owners = {
        row.number: process.name
        for process in protocol.processes
        for handler in process.handlers
        for row in handler.rows
    }
    often = [n for n, _ in taken.most_common()]
    guarded = [n for n in often if rows[n].guard is not None]
    leading = [
        n
        for n in often
        if rows[n].target is not None and (owners[n], rows[n].target) not in final
    ]
    yield from (("guard", n) for n in guarded[:1])
    yield from (("target", n) for n in leading[:1])


def built(protocol: ir.Protocol, directory: Path) -> Path:
    """The observed image of this protocol. What make would generate is there already, so it must not call the compiler.
    Without checks: one of them would stop the board before the trace shows what is wrong.
    """
    generated = directory / "gen/emp"
    generated.mkdir(parents=True)
    for name, text in {
        **backend_c.generate(protocol),
        **backend_nic.generate(protocol),
        **watch.generate(protocol),
    }.items():
        (generated / name).write_text(text)
    image = directory / "firmware/emp_a_observed.elf"
    subprocess.run(
        [
            "make",
            f"BUILD={directory}",
            "OBSERVED_CHECKS=",
            "HSMC=/bin/true",
            str(image),
        ],
        check=True,
        capture_output=True,
    )
    return image


@pytest.mark.parametrize("kind", one_in(2, ["guard", "target"]))
def test_mutants_are_found(
    traces: dict[str, list[Path]], conformance: Conformance, tmp_path: Path, kind: str
) -> None:
    """Firmware of a spec with one guard negated, or one target changed, against the spec as it is."""
    protocol = conformance.protocol
    chosen = list(mutants(traces["observed"], protocol))
    assert len(chosen) == 2
    row = dict(chosen)[kind]
    change = negated(row) if kind == "guard" else led_astray(row)
    image = built(changed_rows(protocol, change), tmp_path)
    paths = worlds(image, tmp_path / "traces", 1, limit_s=2)
    results: list[FileResult] = [conformance.check_file(path) for path in paths]
    found = [f for result in results for f in result.findings]
    assert found, f"{kind} of {list(protocol.rows())[row].id}: nothing unexplained"
