# SPDX-License-Identifier: MIT
"""What tigonsim run shows of a run (docs/board-debugging.md, "Looking inside"): every file is read back by a strict
reader and compared with what the run itself counted, and the run is the same with and without."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any, Iterator

import pytest
from elftools.elf.elffile import ELFFile

from scripts.demo import GENERATED

TOP = Path.cwd()
TIGONSIM = TOP / "build/tigonsim"
SANITIZED = TOP / "build/tests/tigonsim"
IMAGE = TOP / "build/firmware/emp_a.elf"
PROGRAMS = TOP / "build/emp/host.so"
SCENARIOS = TOP / "sim/scenarios"
PS_PER_US = 1_000_000
SCENARIO = """
boards = (
  {{ name = "left";  image = "{image}"; dump = ( {{ memory = 0; length = 0x80000; file = "{dump}"; }} ); }},
  {{ name = "right"; image = "{image}"; }}
);
wires = ( {{ between = [ "left", "right" ]; }} );
{more}
programs = (
  {{ name = "ping"; board = "left";  run = "{programs}"; arguments = [ "ping", "--image=$image", "--peer=1", "--count=12" ]; }},
  {{ name = "pong"; board = "right"; run = "{programs}"; arguments = [ "pong", "--image=$image", "--peer=0", "--count=12" ]; }}
);
stop = {{ time = "1 s"; }};
"""


def tigonsim(
    *arguments: object, program: Path = SANITIZED, cwd: Path = SCENARIOS
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), "run", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )


def results(*arguments: object, **options: Any) -> Any:
    done = tigonsim(*arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "ping.scenario"
    path.write_text(
        SCENARIO.format(image=IMAGE, programs=PROGRAMS, dump="left.sram", more="")
    )
    return path


class Looked:
    """One run with every observer."""

    def __init__(self, directory: Path, scenario: Path) -> None:
        self.vcd = directory / "run.vcd"
        self.timeline = directory / "run.json"
        self.profile = directory / "run.callgrind"
        self.log = directory / "run.jsonl"
        names = "*,left.hw_0c4,*.function_a"
        self.results = results(
            scenario,
            f"--vcd={self.vcd}:{names}",
            f"--timeline={self.timeline}",
            f"--profile={self.profile}",
            f"--log={self.log}:all",
        )
        self.sram = (scenario.parent / "left.sram").read_bytes()

    def statistics(self, board: str) -> Any:
        return next(b for b in self.results["boards"] if b["name"] == board)[
            "statistics"
        ]


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory, scenario: Path) -> Looked:
    return Looked(tmp_path_factory.mktemp("looked"), scenario)


@pytest.fixture(scope="module")
def entries() -> dict[int, str]:
    """Functions of the image by address."""
    with open(IMAGE, "rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        return {
            symbol["st_value"]: symbol.name
            for symbol in table.iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC"
        }


# --- the same run


def test_run_is_the_same_with_and_without_observers(
    looked: Looked, scenario: Path
) -> None:
    plain = results(scenario)
    assert plain == looked.results
    assert (scenario.parent / "left.sram").read_bytes() == looked.sram


def test_files_are_the_same_twice(
    looked: Looked, scenario: Path, tmp_path: Path
) -> None:
    again = Looked(tmp_path, scenario)
    for first, second in (
        (looked.vcd, again.vcd),
        (looked.timeline, again.timeline),
        (looked.profile, again.profile),
        (looked.log, again.log),
    ):
        assert first.read_bytes() == second.read_bytes()


# --- waveforms

Changes = list[tuple[int, str]]


def read_vcd(path: Path) -> dict[str, Changes]:
    """Changes by name, times in ps; AssertionError for whatever IEEE 1364 or common sense forbids."""
    lines = path.read_text().split("\n")
    assert lines.pop() == "", "the last line ends"
    header = " ".join(lines[: lines.index("$enddefinitions $end") + 1])
    scopes: list[str] = []
    kinds: dict[str, tuple[str, int]] = {}
    changes: dict[str, Changes] = {}
    name_of: dict[str, str] = {}
    for command, body in re.findall(r"\$(\w+) (.*?) ?\$end", header):
        words = body.split()
        if command == "scope":
            assert words[0] == "module"
            scopes.append(words[1])
        elif command == "upscope":
            scopes.pop()
        elif command == "var":
            kind, width, identifier, name = words[:4]
            assert identifier not in name_of and all(
                33 <= ord(c) <= 126 for c in identifier
            )
            assert int(width) == 1 or words[4:] == [f"[{int(width) - 1}:0]"]
            full = ".".join([*scopes, name])
            assert full not in changes
            name_of[identifier], changes[full] = full, []
            kinds[identifier] = kind, int(width)
        else:
            assert command in ("version", "timescale", "enddefinitions"), command
    assert not scopes and "$timescale 1 ps $end" in header
    time, dumping, last = -1, False, dict[str, str]()
    for line in lines[lines.index("$enddefinitions $end") + 1 :]:
        if line.startswith("#"):
            assert int(line[1:]) > time, "time goes on"
            time = int(line[1:])
        elif line == "$dumpvars":
            dumping = True
        elif line == "$end":
            assert dumping and set(last) == {
                i for i, (kind, _) in kinds.items() if kind != "event"
            }
            dumping = False
        else:
            assert time >= 0
            match = re.fullmatch(r"b([01]+|x) (\S+)|([01x])(\S+)", line)
            assert match, line
            value = match[1] or match[3]
            identifier = match[2] or match[4]
            kind, width = kinds[identifier]
            assert (width == 1) == bool(match[3])
            assert len(value) <= width and (
                len(value) == 1 or value[0] == "1"
            ), "no leading zeroes"
            if kind == "event":
                assert value == "1" and not dumping
            else:
                assert last.get(identifier) != value, "a change changes something"
            last[identifier] = value
            changes[name_of[identifier]].append((time, value))
    changes["end"] = [(time, "")]
    return changes


@pytest.fixture(scope="module")
def waves(looked: Looked) -> dict[str, Changes]:
    return read_vcd(looked.vcd)


def rises(changes: Changes) -> int:
    return sum(value == "1" for _, value in changes)


def high_ps(changes: Changes, end: int) -> int:
    """How long a line was 1."""
    total = 0
    for (time, value), (following, _) in zip(changes, [*changes[1:], (end, "")]):
        total += (following - time) * (value == "1")
    return total


def test_waveform_agrees_with_the_statistics(
    looked: Looked, waves: dict[str, Changes]
) -> None:
    end = waves["end"][0][0]
    # Cores are up to 256 cycles ahead when the programs end.
    assert 0 <= end // 1000 - looked.results["time_ns"] < 256 * 12
    for board in ("left", "right"):
        statistics = looked.statistics(board)
        assert (
            rises(waves[f"{board}.dma_read"]) == statistics["dma_read"]["transfers"] > 0
        )
        assert (
            rises(waves[f"{board}.dma_write"]) == statistics["dma_write"]["transfers"]
        )
        assert rises(waves[f"{board}.out_busy"]) == statistics["transmit_frames"] > 12
        assert rises(waves[f"{board}.transmit"]) == statistics["transmit_frames"]
        assert len(waves[f"{board}.receive"]) == statistics["receive_frames"]
        assert rises(waves[f"{board}.link"]) == 1
        # Frames of 60 bytes, with CRC and preamble, of 8 ns each.
        busy = high_ps(waves[f"{board}.out_busy"], end)
        assert (
            busy
            >= statistics["transmit_frames"] * (60 + 4 + 8) * 8_000
            - statistics["transmit_frames"]
        )
        idle_cycles = high_ps(waves[f"{board}.idle_a"], end) * 88 / 1e6
        # But for the end, where a parked core may be ahead, too.
        assert abs(idle_cycles - statistics["core_a"]["parked_cycles"]) < 256
        running = high_ps(waves[f"{board}.running_a"], end) * 88 / 1e6
        assert 0 <= running - statistics["core_a"]["cycles"] + 1 < 256
    assert waves["left.in_busy"] == waves["right.out_busy"]
    assert waves["left.out_frame"] == waves["right.in_frame"]


def test_waveform_shows_fill_levels_registers_and_functions(
    waves: dict[str, Changes], entries: dict[int, str]
) -> None:
    assert [name for name in waves if "hw_" in name] == ["left.hw_0c4"]
    producer = [int(value, 2) for _, value in waves["left.hw_0c4"]]
    assert len(producer) > 12 and producer[0] == 0 and all(p % 8 == 0 for p in producer)
    for level in ("transmit_ring_used", "receive_ring_used", "receive_buffer_used"):
        values = [int(value, 2) for _, value in waves[f"right.{level}"]]
        assert max(values) > 0 and min(values) == 0
    executed = {int(value, 2) for _, value in waves["left.function_a"] if value != "x"}
    assert executed <= set(entries)
    assert {"tigon2_event_loop", "tigon2_on_receive"} <= {entries[a] for a in executed}


def test_waveform_of_chosen_names(scenario: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.vcd"
    results(scenario, f"--vcd={path}:right.dma_*,left.event_a")
    waves = read_vcd(path)
    assert set(waves) == {
        "left.event_a",
        "right.dma_read",
        "right.dma_write",
        "right.dma_read_queue",
        "right.dma_write_queue",
        "end",
    }


# --- the time line


def read_timeline(path: Path) -> list[dict[str, Any]]:
    """Events of a trace in the Trace Event Format; AssertionError for what a viewer would not show right."""
    document = json.loads(path.read_text())
    assert document["displayTimeUnit"] == "ns"
    open_slices: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    last: dict[tuple[int, int], float] = defaultdict(float)
    whole: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    titles = set()
    arrows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in document["traceEvents"]:
        track, phase = (event["pid"], event["tid"]), event["ph"]
        if phase == "M":
            titles.add(track if event["name"] == "thread_name" else event["pid"])
            assert event["args"]
            continue
        assert track in titles and event["pid"] in titles, "a track has a name"
        assert event["ts"] >= 0
        if phase in "BE":
            assert event["ts"] >= last[track], "a track goes on"
            last[track] = event["ts"]
        if phase == "B":
            assert event["name"]
            open_slices[track].append(event)
        elif phase == "E":
            begun = open_slices[track].pop()
            assert event.get("name", begun["name"]) == begun["name"]
        elif phase == "X":
            start = round(event["ts"] * PS_PER_US)
            whole[track].append((start, start + round(event["dur"] * PS_PER_US)))
        elif phase in "sf":
            assert phase == "s" or event["bp"] == "e"
            arrows[event["id"]].append(event)
        else:
            assert phase == "i" and event["s"] == "p"
    assert not any(open_slices.values()), "every slice ends"
    for slices in whole.values():
        around: list[tuple[int, int]] = []
        for start, end in sorted(slices, key=lambda each: (each[0], -each[1])):
            while around and around[-1][1] <= start:
                around.pop()
            assert not around or end <= around[-1][1], "slices lie in each other"
            around.append((start, end))
    for ends in arrows.values():
        assert [end["ph"] for end in ends] in (["s", "f"], ["s"])
        assert ends[0]["ts"] <= ends[-1]["ts"]
        for one in ends:
            at = round(one["ts"] * PS_PER_US)
            assert any(a <= at <= b for a, b in whole[one["pid"], one["tid"]])
    return list(document["traceEvents"])


def track(
    events: list[dict[str, Any]], process: int, name: str
) -> list[dict[str, Any]]:
    number = next(
        e["tid"]
        for e in events
        if e["pid"] == process
        and e.get("name") == "thread_name"
        and e["args"]["name"] == name
    )
    return [
        e
        for e in events
        if e["pid"] == process and e["tid"] == number and e["ph"] != "M"
    ]


def test_timeline_agrees_with_the_statistics(looked: Looked) -> None:
    events = read_timeline(looked.timeline)
    assert [e["args"]["name"] for e in events if e.get("name") == "process_name"] == [
        "left",
        "right",
    ]
    frames = 0
    for process, board in ((1, "left"), (2, "right")):
        statistics = looked.statistics(board)

        def slices(name: str) -> list[dict[str, Any]]:
            return [e for e in track(events, process, name) if e["ph"] == "X"]

        assert len(slices("DMA read")) == statistics["dma_read"]["transfers"]
        assert len(slices("DMA write")) == statistics["dma_write"]["transfers"]
        assert len(slices("MAC transmit")) == statistics["transmit_frames"]
        assert len(slices("MAC receive")) == statistics["receive_frames"]
        frames += statistics["transmit_frames"]
        names = {e["name"] for e in slices("transitions of A")}
        assert "Send.BOOKKEEPING.posted.2" in names
        executed = track(events, process, "CPU A")
        assert {"idle", "tigon2_on_receive", "_start"} <= {
            e["name"] for e in executed if e["ph"] == "B"
        }
        assert not track(events, process, "CPU B")
    assert sum(e["ph"] == "s" for e in events) == frames
    assert sum(e["ph"] == "f" for e in events) == frames
    states = {e["name"] for e in track(events, 1, "program ping") if e["ph"] == "B"}
    assert {"busy"} < states


# --- profiles


def self_costs(path: Path) -> tuple[dict[str, list[int]], list[int], dict[str, int]]:
    """Own costs by function, the summary, calls by function, of a file of callgrind."""
    own: dict[str, list[int]] = defaultdict(lambda: [0] * 4)
    calls: dict[str, int] = defaultdict(int)
    summary: list[int] = []
    function, callee, of_call = "", "", False
    for line in path.read_text().splitlines():
        if line.startswith("summary:"):
            summary = [int(word) for word in line.split()[1:]]
        elif line.startswith("fn="):
            function = line[3:]
        elif line.startswith("cfn="):
            callee = line[4:]
        elif line.startswith("calls="):
            calls[callee] += int(line[6:].split()[0])
            of_call = True
        elif re.match(r"0x[0-9a-f]+ ", line):
            costs = [int(word) for word in line.split()[2:]]
            assert len(costs) == 4
            if not of_call:
                own[function] = [a + b for a, b in zip(own[function], costs)]
            of_call = False
    return own, summary, calls


def test_profile_counts_every_instruction(looked: Looked) -> None:
    own, summary, calls = self_costs(looked.profile)
    instructions = sum(costs[1] for costs in own.values())
    assert instructions == sum(
        looked.statistics(board)["core_a"]["instructions"]
        for board in ("left", "right")
    )
    assert summary == [sum(costs[i] for costs in own.values()) for i in range(4)]
    for board in ("left", "right"):
        assert calls[f"{board}.A:tigon2_on_receive"] >= 24
    text = looked.profile.read_text()
    assert (
        f"fl={GENERATED}/emp.c" in text and "fi=" in text
    )  # lines, also of inlined functions


def test_profile_is_what_callgrind_annotate_reads(looked: Looked) -> None:
    done = subprocess.run(
        ["callgrind_annotate", str(looked.profile)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    _, summary, _ = self_costs(looked.profile)
    totals = next(line for line in done.stdout.splitlines() if "PROGRAM TOTALS" in line)
    assert f"{summary[0]:,} (100.0%)" in totals and f"{summary[1]:,}" in totals
    assert "left.A:tigon2_on_receive" in done.stdout


def test_tables_and_flame_graph_agree(scenario: Path, tmp_path: Path) -> None:
    table = tigonsim(scenario, "--quiet", "--profile=-").stdout
    folded = tmp_path / "run.folded"
    results(scenario, f"--profile={folded}")
    stacks: dict[str, int] = defaultdict(int)
    for line in folded.read_text().splitlines():
        chain, cycles = line.rsplit(" ", 1)
        assert chain.startswith(("left;A;_start", "right;A;_start"))
        stacks[chain.split(";")[0]] += int(cycles)
    for board in ("left", "right"):
        busy = re.search(
            rf"^{board}, processor A: \d+ cycles, of these (\d+) busy", table, re.M
        )
        assert busy and int(busy[1]) == stacks[board]
        assert f"{board}, transitions:" in table
    counts = re.findall(r"^ +(\d+) +\d+ .* Send\.BOOKKEEPING\.posted\.2$", table, re.M)
    assert len(counts) == 2 and all(int(count) >= 12 for count in counts)


def test_profile_from_a_time(scenario: Path) -> None:
    whole = tigonsim(scenario, "--quiet", "--profile=-").stdout
    rest = tigonsim(scenario, "--quiet", "--profile=-", "--profile-from=22.7ms").stdout
    assert "tigon2_receive_start" in whole and "tigon2_receive_start" not in rest

    def rows(text: str) -> list[tuple[int, ...]]:
        found = re.findall(
            r"^  (?:tigon2_)?\w+ +(\d+) +(\d+) +[\d.]+ +(\d+) +(\d+) +(\d+)$",
            text,
            re.M,
        )
        return [tuple(map(int, row)) for row in found]

    assert (
        0 < sum(row[1] for row in rows(rest)) < sum(row[1] for row in rows(whole)) / 2
    )


def test_profile_of_a_raw_image() -> None:
    done = tigonsim("raw.scenario", "--quiet", "--profile=-")
    assert done.returncode == 0, done.stderr
    counted = results("raw.scenario")["boards"][0]["statistics"]["core_a"]
    assert re.search(
        rf"processor A: \d+ cycles, .* {counted['instructions']} instructions",
        done.stdout,
    )
    assert re.search(r"^  at_00004000 +1 ", done.stdout, re.M)
    assert "transitions" not in done.stdout


# --- the log


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    last = 0
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        assert list(entry) == ["ps", "board", "kind", "text"]
        assert entry["ps"] >= last, "in the order of time"
        last = entry["ps"]
        yield entry


def test_log_agrees_with_the_statistics(looked: Looked) -> None:
    count: dict[tuple[str, str], int] = defaultdict(int)
    for entry in read_log(looked.log):
        count[entry["board"], entry["kind"]] += 1
    for board in ("left", "right"):
        statistics = looked.statistics(board)
        assert count[board, "send"] == statistics["transmit_frames"]
        assert count[board, "receive"] == statistics["receive_frames"]
        assert count[board, "dma"] == sum(
            statistics[engine]["transfers"] for engine in ("dma_read", "dma_write")
        )
        assert count[board, "signal"] > 50 and count[board, "program"] > 50
        assert count[board, "transition"] > 50


def test_log_tells_what_faults_did(tmp_path: Path) -> None:
    path = tmp_path / "bad.scenario"
    faults = (
        'faults = ( "left->right: lose frame 2", "right->left: duplicate frame 3" );'
    )
    path.write_text(
        SCENARIO.format(image=IMAGE, programs=PROGRAMS, dump="left.sram", more=faults)
    )
    log = tmp_path / "bad.log"
    results(path, f"--log={log}:send,receive,fault")
    text = log.read_text()
    assert len(re.findall(r"left +send +frame 2 to right, .*: lost$", text, re.M)) == 1
    assert not re.search(r"right +receive +frame 2 from left", text)
    assert (
        len(re.findall(r"left +receive +frame 3 from right, .*, again$", text, re.M))
        == 1
    )
    assert len(re.findall(r" fault +left->right frame 2: ", text)) == 1
    kinds = {line.split()[2] for line in text.splitlines()}
    assert kinds == {"send", "receive", "fault"}


# --- many boards, settings, mistakes


def of_the_chip(looked: Any) -> Any:
    """Without what a core was parked: a core that is looked at parks in fewer loops, which no cycle shows."""
    for board in looked["boards"]:
        for core in ("core_a", "core_b"):
            del board["statistics"][core]["parked_cycles"]
    return looked


def test_boards_on_a_switch(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("run.vcd", "run.json", "run.log")}
    looked = results(
        "emp-switch.scenario",
        f"--vcd={files['run.vcd']}",
        f"--timeline={files['run.json']}",
        f"--log={files['run.log']}:send,receive",
        program=TIGONSIM,
    )
    alone = results("emp-switch.scenario", program=TIGONSIM)
    assert of_the_chip(looked) == of_the_chip(alone)
    waves = read_vcd(files["run.vcd"])
    events = read_timeline(files["run.json"])
    for index, board in enumerate(looked["boards"]):
        statistics = board["statistics"]
        assert (
            rises(waves[f"{board['name']}.out_busy"]) == statistics["transmit_frames"]
        )
        assert rises(waves[f"{board['name']}.in_busy"]) >= statistics["receive_frames"]
        arrived = track(events, index + 1, "MAC receive")
        assert sum(e["ph"] == "f" for e in arrived) >= statistics["receive_frames"]
    assert track(events, 5, "port 3 sends")
    assert re.search(r"hub +send +frame \d+ to north", files["run.log"].read_text())


def test_setting_of_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "look.scenario"
    setting = 'observe = { vcd = "a.vcd"; signals = "left.link"; log = "a.log"; kinds = "message"; };'
    path.write_text(
        SCENARIO.format(image=IMAGE, programs=PROGRAMS, dump="left.sram", more=setting)
    )
    results(path)
    assert set(read_vcd(tmp_path / "a.vcd")) == {"left.link", "end"}
    results(path, f"--log={tmp_path / 'b.log'}:dma")  # an option wins
    assert "dma" in (tmp_path / "b.log").read_text()
    path.write_text(path.read_text().replace("kinds", "kind"))
    done = tigonsim(path)
    assert done.returncode == 2 and "look.scenario:7: " in done.stderr
    path.write_text(path.read_text().replace('kind = "message"', 'kinds = "odd"'))
    done = tigonsim(path)
    assert done.returncode == 2 and "found odd" in done.stderr


@pytest.mark.parametrize(
    "argument, message",
    [
        ("--vcd=run.vcd:left.dam_*", "no signal of any board fits left.dam_\\*"),
        ("--vcd=/no/such/run.vcd", "/no/such/run.vcd: No such file"),
        ("--timeline=/no/such/run.json", "/no/such/run.json: No such file"),
        ("--log=/no/such/run.log", "/no/such/run.log: No such file"),
        ("--profile=/no/such/run.txt", "/no/such/run.txt: No such file"),
        ("--log=run.log:frames", "no kind is called frames"),
        ("--profile-from=soon", "expected a time such as 1.5ms, found soon"),
    ],
)
def test_mistakes(scenario: Path, tmp_path: Path, argument: str, message: str) -> None:
    done = tigonsim(scenario, "--quiet", argument, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(message, done.stderr)


# --- captures and the manual


def test_captures_of_every_wire_have_the_times_of_the_log(tmp_path: Path) -> None:
    captures, log = tmp_path / "captures", tmp_path / "run.jsonl"
    captures.mkdir()
    results(
        "emp-switch.scenario",
        f"--capture={captures}",
        f"--log={log}:send",
        program=TIGONSIM,
    )
    sent: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in read_log(log):
        receiver = entry["text"].split()[3].rstrip(",")
        sent[entry["board"], receiver].append(f"{entry['ps'] // 1000}")
    files = sorted(captures.iterdir())
    assert len(files) == 4 and len(sent) == 8
    for file in files:
        board, hub = file.stem.split("-")
        done = subprocess.run(
            ["tshark", "-r", str(file), "-T", "fields"]
            + ["-e", "frame.interface_id", "-e", "frame.time_epoch"],
            capture_output=True,
            text=True,
        )
        found: dict[str, list[str]] = defaultdict(list)
        for line in done.stdout.splitlines():
            interface, seconds = line.split("\t")
            found[interface].append(str(int(seconds.replace(".", ""))))
        assert found["0"] == sent[board, hub]
        assert found["1"] == sent[hub, board]


def test_the_manual_names_what_there_is(waves: dict[str, Changes]) -> None:
    text = (TOP / "docs/board-debugging.md").read_text()
    chapter = text[text.index("## Looking inside") : text.index("## Debugging")]
    signals = {
        name.split(".")[1] for name in waves if "." in name and "hw_" not in name
    }
    assert {signal for signal in signals if f"`{signal}`" not in chapter} == set()
    options = tigonsim("--help").stdout
    for option in ("--vcd", "--timeline", "--profile", "--profile-from", "--log"):
        assert option in options and option in chapter
    kinds = options[options.index("by kind: ") :].split(";")[0].split()[2:]
    assert len(kinds) == 9
    assert all(f"`{kind.rstrip(',')}`" in chapter for kind in kinds)
