# SPDX-License-Identifier: MIT
"""GDB attached to boards that run the EMP firmware: stopping, looking, going back; and a run that stays the same."""

import json
import re
import signal as signals
import subprocess
import time
from pathlib import Path

import pytest
from tests.sim_debug.gdb_session import TIME_LIMIT_SECONDS, Sessions, values

DEBUGGED = "build/tests/debugged"
HANDLER = "emp_on_transmit_slot"


def result(output: str) -> str:
    """The line about the run, without the count of instructions: a core that idles at the end is not counted up to the
    last one when nobody looks."""
    lines = [line for line in output.splitlines() if " ticks; " in line]
    assert len(lines) == 1, output
    return re.sub(r"\d+ instructions", "", lines[0])


@pytest.fixture(scope="module")
def alone() -> str:
    """The run without a debugger."""
    done = subprocess.run([DEBUGGED], capture_output=True, text=True, check=True)
    return result(done.stdout)


def test_without_parking(alone: str) -> None:
    """What a debugger switches off, because it wants to see each instruction."""
    done = subprocess.run([DEBUGGED, "-p"], capture_output=True, text=True, check=True)
    assert result(done.stdout) == alone


def test_handler_record_and_threads(sessions: Sessions, alone: str) -> None:
    session = sessions.start(DEBUGGED, "-g", "SOCKET")
    output = session.gdb(
        [
            f"break {HANDLER}",
            "continue",
            "print $_thread",
            "print $cycle > 0 && $instructions > 0",
            "print emp_state_send_message[0]",
            "print/x $pc == (long)&emp_on_transmit_slot || 1",
            "info threads",
            "thread 2",
            "print/x $state",
            "print $pc",
            "thread 1",
            "delete",
            "watch emp_state_send_message[0].next",
            "continue",
            "delete",
            "tbreak emp_on_receive_abandoned",
            "continue",
        ]
    )
    shown = values(output)
    assert f"hit Breakpoint 1, {HANDLER} ()" in output
    assert shown[0] == "1" and shown[1] == "1"
    assert shown[2].startswith(
        "{total = 64, message = 0, settled = 0, descriptor = 1, tag = 1"
    )
    assert re.search(r'\* 1 +Thread 1 "board 0\.A" \(board 0 CPU A\)', output)
    assert re.search(r'2 +Thread 2 "board 0\.B" \(board 0 CPU B, halted\)', output)
    assert int(shown[4], 16) & 0x10000  # HW[240]: halted
    assert re.search(r"Old value = 1\nNew value = 0\n", output)
    assert "exited normally" in output
    status, text, _ = session.end()
    assert status == 0
    assert result(text) == alone


@pytest.mark.parametrize(
    "options",
    [
        ["-n", "0"],
        ["-s", "100000"],
        ["-s", "20000", "-n", "3"],
        ["-b", "1"],
        ["-e"],
    ],
    ids=" ".join,
)
def test_nothing_changes_the_run(
    sessions: Sessions, alone: str, options: list[str]
) -> None:
    session = sessions.start(DEBUGGED, "-g", "SOCKET", *options)
    output = session.gdb(
        [f"break {HANDLER}", "continue", "continue", "stepi", "next", "delete"]
        + ["continue"] * (2 if "-e" in options else 1)
    )
    assert "exited normally" in output, output
    status, text, _ = session.end()
    assert status == 0
    assert result(text) == alone


def test_detaching_lets_it_run(sessions: Sessions, alone: str) -> None:
    session = sessions.start(DEBUGGED, "-g", "SOCKET")
    output = session.gdb([f"break {HANDLER}", "continue", "reverse-stepi", "detach"])
    assert "detached" in output
    status, text, _ = session.end()
    assert status == 0
    assert result(text) == alone


def test_ended_from_outside(sessions: Sessions) -> None:
    """Whoever ends the program ends all of its processes, also those that went back in time."""
    for signal in (signals.SIGKILL, signals.SIGTERM):
        session = sessions.start(DEBUGGED, "-g", "SOCKET")
        output = session.gdb(
            [f"break {HANDLER}", "continue", "continue", "reverse-continue"]
            + [f"shell kill -{int(signal)} {session.program.pid}", "continue"]
        )
        assert "hit Breakpoint 1" in output
        session.program.wait(TIME_LIMIT_SECONDS)
        until = time.monotonic() + 5
        while session.processes() and time.monotonic() < until:
            time.sleep(0.01)
        assert not session.processes()


def test_backwards(sessions: Sessions, alone: str) -> None:
    session = sessions.start(DEBUGGED, "-g", "SOCKET", "-s", "50000", "-n", "8")
    position = 'printf "%d.%d.%x\\n", $_thread, $cycle, $pc'
    output = session.gdb(
        [f"break {HANDLER}"]
        + ["continue", position] * 4
        + ["reverse-continue", position] * 3
        + ["continue", position] * 3
        + ["reverse-stepi", position] * 6
        + ["stepi", position] * 6
        + ["delete", "reverse-continue", position, "continue"]
    )
    places = re.findall(r"^\d\.\d+\.[0-9a-f]+$", output, re.MULTILINE)
    there, back, again = places[:4], places[4:7], places[7:10]
    assert len(set(there)) == 4
    assert back == there[2::-1]
    assert again == there[1:]
    backward, forward = places[10:16], places[16:22]
    assert forward == [*backward[4::-1], there[3]]
    cycles = [int(place.split(".")[1]) for place in backward]
    assert cycles == sorted(cycles, reverse=True) and len(set(cycles)) == 6
    assert "No more reverse-execution history" in output
    assert places[22].split(".")[1] == "0"
    status, text, _ = session.end()
    assert status == 0
    assert result(text) == alone


def test_watchpoints_both_ways(sessions: Sessions, alone: str) -> None:
    """Scratchpads lie at the same address on every core, so only one board is looked at."""
    session = sessions.start(DEBUGGED, "-g", "SOCKET", "-b", "0")
    change = r"Old value = (\d+)\nNew value = (\d+)\n"
    output = session.gdb(
        [f"break {HANDLER}", "continue", "delete"]
        + ["watch emp_state_send_message[0].next"]
        + ["continue", "print $cycle"] * 4
        + ["reverse-continue", "print $cycle"] * 3
        + ["delete", "continue"]
    )
    changes = re.findall(change, output)
    cycles = [int(value) for value in values(output)]
    assert len(changes) == 7 and len(cycles) == 7
    # Going back from the last one undoes it, then those before.
    assert changes[4:] == [(new, old) for old, new in changes[3:0:-1]]
    assert cycles[:4] == sorted(cycles[:4])
    assert cycles[4:] == sorted(cycles[4:], reverse=True)
    for index in range(3):  # before the store instead of behind it
        assert 0 < cycles[3 - index] - cycles[4 + index] <= 20
    _, text, _ = session.end()
    assert result(text) == alone


def test_what_others_write_is_watched(sessions: Sessions, alone: str) -> None:
    """The host writes the posting ring, the firmware only reads it; and a register of the chip."""
    session = sessions.start(DEBUGGED, "-g", "SOCKET")
    output = session.gdb(
        [f"break {HANDLER}", "continue", "delete", "watch glue_posting_ring[3]"]
        + [
            "continue",
            "awatch *(unsigned *)0xc0000060",
            "continue",
            "delete",
            "continue",
        ]
    )
    assert "Hardware watchpoint 2: glue_posting_ring[3]" in output
    # Whether the register has changed by the next access depends on when the board came up.
    ring, access, _ = output.partition("Hardware access (read/write) watchpoint 3")
    assert len(re.findall(r"Old value = ", ring)) == 1 and access
    assert "exited normally" in output
    _, text, _ = session.end()
    assert result(text) == alone


def test_a_change_lives_in_history(sessions: Sessions) -> None:
    """What the user writes is kept by going back to later moments, and undone by going back further."""
    session = sessions.start(DEBUGGED, "-g", "SOCKET")
    output = session.gdb(
        [f"break {HANDLER}", "continue"]
        + ["set emp_state_send_message[0].tag = 77", "set $v1 = 0x1234"]
        + ["stepi", "stepi", "reverse-stepi", "reverse-stepi"]
        + ["print emp_state_send_message[0].tag", "print/x $v1"]
        + ["reverse-stepi", "print emp_state_send_message[0].tag", "kill"]
    )
    assert values(output) == ["77", "0x1234", "1"]
    session.end()


def test_a_change_is_undone_for_good_by_going_back_beyond_it(
    sessions: Sessions,
) -> None:
    """From there the run goes forward as it did at first: docs/board-debugging.md."""
    session = sessions.start(DEBUGGED, "-g", "SOCKET")
    output = session.gdb(
        [f"break {HANDLER}", "continue", "set emp_state_send_message[0].tag = 77"]
        + ["print $cycle", "stepi", "reverse-stepi", "reverse-stepi", "stepi"]
        + ["print $cycle", "print emp_state_send_message[0].tag"]
        + ["monitor snapshots", "kill"]
    )
    there, again, tag = values(output)
    assert (again, tag) == (there, "1")
    positions = re.findall(r"^snapshot \d+ at \d+ ns, position (\d+)", output, re.M)
    now = re.search(r"^now at position (\d+)", output, re.MULTILINE)
    assert now and all(int(position) <= int(now[1]) for position in positions)
    session.end()


def test_snapshots_and_monitor(sessions: Sessions, alone: str) -> None:
    session = sessions.start(DEBUGGED, "-g", "SOCKET")
    output = session.gdb(
        [f"break {HANDLER}", "continue", "print $cycle", "monitor snapshot"]
        + ["continue", "print $cycle", "continue"]
        + ["monitor snapshots"]
        + ["monitor restore 29", "maintenance flush register-cache"]
        + ["thread 1", "print $cycle"]
        + ["continue", "print $cycle", "monitor restore 999", "monitor nonsense"]
        + [
            "monitor registers event word",
            "monitor statistics",
            "monitor time",
            "monitor help",
        ]
        + ["delete", "continue"]
    )
    number = re.search(r"^snapshot (\d+)$", output, re.MULTILINE)
    assert number and number[1] == "29", output
    shown = values(output)
    assert shown[2] == shown[0]
    assert shown[3] == shown[1]
    assert 'no snapshot "999"' in output and 'no command "nonsense"' in output
    assert re.search(r"^HW\[060\] [0-9A-F]{8}  event word A$", output, re.MULTILINE)
    assert re.search(r"^CPU A: \d+ instructions", output, re.MULTILINE)
    _, text, _ = session.end()
    assert result(text) == alone


def test_output_is_printed_once(sessions: Sessions, directory: Path) -> None:
    """A pcapng file is cut back and written again: it is what a run alone writes. Many snapshots come and go."""
    scenario = "sim/scenarios/emp-loss.scenario"
    for name in ("alone", "debugged"):
        (directory / name).mkdir()
    subprocess.run(
        ["build/tigonsim", "run", scenario, "-q", f"--capture={directory}/alone"],
        check=True,
    )
    session = sessions.start(
        "build/tigonsim",
        "run",
        scenario,
        "-q",
        f"--capture={directory}/debugged",
        "--gdb=SOCKET",
        f"--json={directory}/result",
    )
    output = session.gdb(
        [f"break {HANDLER}"]
        + ["continue"] * 30
        + ["reverse-continue"] * 12
        + ["delete", "continue"]
    )
    assert "exited normally" in output, output
    status, _, errors = session.end()
    assert status == 0, errors
    files = sorted((directory / "alone").iterdir())
    assert files
    for file in files:
        assert (directory / "debugged" / file.name).read_bytes() == file.read_bytes()
    assert json.loads((directory / "result").read_text())


def test_backtrace_agrees_with_gdb(sessions: Sessions) -> None:
    """GDB unwinds by call frame information, the report by reading code."""
    session = sessions.start(
        "build/tigonsim",
        "run",
        "sim/scenarios/emp-ping.scenario",
        "-q",
        "--gdb=SOCKET",
    )
    commands = ["break emp_settle", "break emp_give_back", "break nic_gather_move"]
    commands += ["break emp_device_place"]
    for _ in range(8):
        commands += [
            "continue",
            "echo <\\n",
            "bt -frame-info location-and-address",
            "monitor report json",
            "echo >\\n",
        ]
    output = session.gdb([*commands, "kill"])
    compared = 0
    for part in re.findall(r"^<\n(.*?)^>$", output, re.MULTILINE | re.DOTALL):
        text, report = part[: part.index("\n{")], part[part.index("\n{") :]
        inlined = [line for line in text.splitlines() if re.match(r"#\d+ ", line)]
        gdb = [
            int(pc, 16)
            for pc in re.findall(r"^#\d+ +0x([0-9a-f]+) in", text, re.MULTILINE)
        ]
        boards = json.loads(report[: report.rindex("}") + 1])["boards"]
        ours = [
            [int(frame["pc"], 16) for frame in core.get("backtrace", [])]
            for board in boards
            for core in board["cores"]
        ]
        assert gdb and inlined
        # GDB shows inlined calls as frames of the same address.
        distinct = [
            pc for index, pc in enumerate(gdb) if index == 0 or pc != gdb[index - 1]
        ]
        assert any(frames[: len(distinct)] == distinct for frames in ours), (text, ours)
        compared += 1
    assert compared >= 6
    session.end()
