# SPDX-License-Identifier: MIT
"""The session in docs/board-debugging.md, run; HSMC_REFRESH=1 writes it anew.

Numbers change with every change of the spec, so only the words are compared.
"""

import os
import re
import subprocess
from pathlib import Path

from tests.sim_debug.gdb_session import Sessions

PAGE = Path("docs/board-debugging.md")
MARK, END = "<!-- gdb -->\n", "<!-- end -->\n"
SCENARIO = "sim/scenarios/emp-ping.scenario"
COMMANDS = [
    "target remote :1234",
    "break emp_on_transmit_slot",
    "continue",
    "print emp_state_send_message[0]",
    "info threads",
    "watch emp_state_send_message[0].next thread 1",
    "continue",
    "reverse-stepi",
    "reverse-continue",
    "print $cycle",
    "monitor registers transmit descriptor",
    "delete",
    "detach",
]


def words(text: str) -> list[str]:
    return re.findall(
        r"[A-Za-z_]{2,}", re.sub(r"\b(0x)?[0-9a-fA-F]*\d[0-9a-fA-F]*\b", "#", text)
    )


def test_session(sessions: Sessions) -> None:
    session = sessions.start("build/tigonsim", "run", SCENARIO, "-q", "--gdb=SOCKET")
    steps = []
    for command in COMMANDS:
        steps.append(f"echo (gdb) {command}\\n")
        steps.append(command.replace(":1234", str(session.socket)))
    arguments = [
        "gdb-multiarch",
        "-nx",
        "-batch",
        "-ex",
        "set pagination off",
        "-ex",
        "set width 0",
    ]
    for step in ["file build/firmware/emp_a.elf", *steps]:
        arguments += ["-ex", step]
    output = subprocess.run(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    ).stdout
    output = output[output.index("(gdb)") :]
    status, _, errors = session.end()
    assert status == 0, errors
    lines = [
        line if len(line) <= 118 else line[:115] + "..."
        for line in map(str.rstrip, output.splitlines())
        if line
    ]
    wanted = "```\n" + "\n".join(lines) + "\n```\n"
    page = PAGE.read_text()
    before, rest = page.split(MARK)
    found, after = rest.split(END, 1)
    if os.environ.get("HSMC_REFRESH"):
        PAGE.write_text(f"{before}{MARK}{wanted}{END}{after}")
    else:
        assert words(found) == words(wanted)


def test_options_and_commands_are_described() -> None:
    page = PAGE.read_text()
    shown = subprocess.run(
        ["build/tigonsim", "run", "--help"], capture_output=True, text=True, check=True
    ).stdout
    section = shown[shown.index("Debugging (docs") :]
    options = re.findall(r"--[a-z-]+", section[: section.index("\n\n")])
    assert len(options) >= 7
    assert [option for option in options if f"`{option}" not in page] == []
