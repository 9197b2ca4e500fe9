# SPDX-License-Identifier: MIT
"""The page of a simulation in headless Chromium: driven by clicks and keys, and compared with the terminal."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Iterator

import hsmc
import pytest
from hsmc.interpreter.interpreter import Program
from tests.compiled import compiled
from tests.docs.browser import Browser
from tests.interpreter.emp_guide import EmpGuide
from tests.simulation.test_scenarios import random_scenario

TOP = Path(__file__).resolve().parents[2]
HSMC = TOP / "gen/bin/hsmc"
ABP = TOP / "spec/abp/abp.hsm"
EMP = TOP / "spec/emp/emp.hsm"
JOBS = TOP / "tests/interpreter/jobs.hsm"
DEFER = TOP / "tests/compiler/features/defer.hsm"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    directory = tmp_path_factory.mktemp("pages")
    result = {}
    for spec in (ABP, EMP, JOBS, DEFER):
        result[spec] = directory / f"{spec.stem}.html"
        subprocess.run([HSMC, "simulation", spec, "--output", result[spec]], check=True)
    return result


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """Whatever a test does, the page does not complain."""
    chromium.complaints.clear()
    yield chromium
    chromium.evaluate("1")
    assert chromium.complaints == []


def texts(browser: Browser, selector: str) -> list[str]:
    """Of all elements that are seen."""
    found: list[str] = browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        ".filter((e) => e.getClientRects().length).map((e) => e.textContent.trim())"
    )
    return found


def click(browser: Browser, selector: str, text: str) -> None:
    browser.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        f".find((e) => e.textContent.trim() === {json.dumps(text)}).click()"
    )


def fill(browser: Browser, label: str, value: str) -> None:
    browser.evaluate(
        f"{{ const input = document.querySelector('[aria-label={json.dumps(label)}]');"
        f"input.value = {json.dumps(value)};"
        "input.dispatchEvent(new Event('input', { bubbles: true })); }"
    )


def trace(browser: Browser, selector: str) -> list[str]:
    """Of all steps, the first one first."""
    found: list[str] = browser.evaluate(
        "[...document.querySelectorAll('.trace li')].reverse()"
        f".flatMap((e) => [...e.querySelectorAll({json.dumps(selector)})].map((f) => f.textContent))"
    )
    return found


def active(browser: Browser) -> list[str]:
    """Headings of the states marked, in each panel."""
    headings: list[str] = browser.evaluate(
        "[...document.querySelectorAll('.node.active')]"
        ".filter((e) => e.getClientRects().length).map((e) => e.querySelector('text').textContent)"
    )
    return headings


def scenario(browser: Browser) -> str:
    text: Any = browser.evaluate("document.querySelector('[data-part=\"text\"]').value")
    return str(text)


def terminal(spec: Path, text: str, tmp_path: Path) -> tuple[str, str]:
    """What `hsmc run` prints when it replays a scenario, and what it saves."""
    before, after = tmp_path / "before.scenario", tmp_path / "after.scenario"
    before.write_text(text)
    result = subprocess.run(
        [HSMC, "run", spec, "--replay", before, "--save", after],
        input="",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout, after.read_text()


def test_clicks_make_a_scenario_the_terminal_replays(
    pages: dict[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    browser.open(pages[ABP])
    assert active(browser) == ["READY"]
    fill(browser, "Sender.submit item", "0x2A")
    click(browser, ".event button", "submit")
    assert active(browser) == ["WAIT_ACK"]
    assert texts(browser, ".edge.taken")[0].endswith("submit.0")
    fill(browser, "Receiver.data f.kind", "DATA")
    fill(browser, "Receiver.data f.item", "42")
    click(browser, ".event button", "data")
    assert active(browser) == ["LISTENING"]
    click(browser, ".timers button", "expire")
    click(browser, ".event button", "ack")
    assert active(browser) == ["READY"]

    text = scenario(browser)
    transcript, saved = terminal(ABP, text, tmp_path)
    assert saved == text
    rows = [
        "Sender.READY.submit.0",
        "Receiver.LISTENING.data.0",
        "Sender.WAIT_ACK.after.0",
        "Sender.WAIT_ACK.ack.0",
    ]
    assert trace(browser, ".row .id") == rows
    # Every effect and every change the terminal prints stands in the trace.
    effects = [line[5:] for line in transcript.split("\n") if line.startswith("  => ")]
    assert effects and trace(browser, ".effect") == effects
    changes = texts(browser, ".trace li:first-child .change")
    assert "Sender.state: WAIT_ACK → READY" in changes


def test_what_cannot_come_is_disabled_with_the_reason(
    pages: dict[Path, Path], browser: Browser
) -> None:
    browser.open(pages[ABP], "scenario=sender.submit\n")
    state = "[...document.querySelectorAll('.event button')].find((e) => e.textContent === 'submit')"
    assert browser.evaluate(f"{state}.disabled") is True
    note = f"{state}.parentElement.querySelector('.note a')"
    assert browser.evaluate(f"{note}.textContent") == "never in WAIT_ACK"
    assert browser.evaluate(f"{note}.title") == "abp.hsm:55"
    line = browser.evaluate(
        f"document.getElementById({note}.getAttribute('href').slice(1)).textContent"
    )
    assert "never submit" in line
    # Not by the back door either: the state is as before.
    assert browser.evaluate("simulation.perform('sender.submit 5')") is False
    message = texts(browser, ".message.error")
    assert message[0].startswith("abp.hsm:55: Sender gets submit in state WAIT_ACK")
    assert active(browser) == ["WAIT_ACK"]


def test_every_transition_and_state_of_the_pictures_leads_to_its_line(
    pages: dict[Path, Path], browser: Browser
) -> None:
    for spec in (ABP, EMP, JOBS):
        browser.open(pages[spec])
        missing = browser.evaluate(
            "[...document.querySelectorAll('.picture g.edge.transition, .picture g.node:not(.start):not(.history),"
            " .picture g.cluster')].filter((e) => !e.querySelector('a[href]')).map((e) => e.innerHTML)"
        )
        assert missing == []
        broken = browser.evaluate(
            "[...document.querySelectorAll('.picture a, .trace a, .event a')].map((e) => e.getAttribute('href'))"
            ".filter((h) => !document.getElementById(h.slice(1)))"
        )
        assert broken == []


def test_undo_redo_restart_by_keys(pages: dict[Path, Path], browser: Browser) -> None:
    browser.open(pages[ABP], "scenario=sender.submit item=1\nsender.ack\n")
    text = scenario(browser)
    browser.press("z", 90, control=True)
    browser.press("z", 90, control=True)
    assert active(browser) == ["READY"] and texts(browser, ".trace .row") == []
    browser.press("z", 90, control=True)
    assert texts(browser, ".message") == ["there is nothing to undo"]
    browser.press("y", 89, control=True)
    assert active(browser) == ["WAIT_ACK"]
    browser.press("y", 89, control=True)
    assert scenario(browser) == text
    fill(browser, "timeout", "7")
    click(browser, ".toolbar button", "Restart")
    assert active(browser) == ["READY"]
    # Enter in a field delivers its event.
    browser.evaluate(
        "document.querySelector('[aria-label=\"Sender.submit item\"]').focus()"
    )
    browser.press("Enter", 13)
    assert "arm Sender_WAIT_ACK for 7 us" in texts(browser, ".trace .effect")
    assert scenario(browser).split("\n")[1:3] == [
        "parameters timeout=7",
        "sender.submit",
    ]


def test_parameters_that_are_live(pages: dict[Path, Path], browser: Browser) -> None:
    browser.open(pages[ABP])
    fill(browser, "set timeout", "9")
    click(browser, ".event button", "set")
    fill(browser, "set timeout", "0")
    click(browser, ".event button", "set")
    wanted = "timeout must be 1 to 60000000, not 0"
    assert texts(browser, ".message.error") == [wanted]
    assert scenario(browser).split("\n")[1:] == ["set timeout=9", ""]


def test_instances(pages: dict[Path, Path], browser: Browser) -> None:
    browser.open(pages[JOBS])
    for size in ("3", "4", "5"):
        browser.evaluate(f"simulation.perform('worker.start size={size} desk={size}')")
    # There is no desk 5: that event broke the contract.
    assert (
        "5 is outside Desk, which has 4 records" in texts(browser, ".message.error")[0]
    )
    browser.evaluate("simulation.panels[0].choose(MODEL.processes[0], 1)")
    instances = texts(browser, ".chooser button")
    assert instances[0] == "1: WAITING"
    assert active(browser) == ["WAITING"]
    # cancel is never in WAITING: for no instance.
    assert browser.evaluate(
        "[...document.querySelectorAll('.event button')].find((e) => e.textContent === 'cancel').disabled"
    )
    browser.evaluate("simulation.perform('worker.step size=1 desk=3')")
    choice = "document.querySelector('[aria-label=\"Worker instance for cancel\"]')"
    options = browser.evaluate(f"[...{choice}.options].map((o) => o.textContent)")
    assert options[0] == "1: BUSY.PREPARING"
    assert browser.evaluate("document.querySelectorAll('.cluster.around').length") == 1
    click(browser, ".event button", "cancel")
    assert scenario(browser).count("worker[1].cancel") == 1


def test_deferred_events_wait(pages: dict[Path, Path], browser: Browser) -> None:
    browser.open(pages[DEFER])
    program = Program(hsmc.compile_spec(DEFER))
    defers = [
        (p, h) for p in program.protocol.processes for h in p.handlers if h.defers
    ]
    assert defers
    answers = browser.evaluate(
        "MODEL.processes.flatMap((p) => p.events.flatMap((e) => Object.values(e.answers).map((a) => a[0])))"
    )
    assert "defer" in answers


def test_emp_as_in_the_terminal(
    pages: dict[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    program = Program(compiled(EMP))
    text = random_scenario(program, EmpGuide, 3)
    browser.open(pages[EMP])
    assert browser.evaluate(f"simulation.replay({json.dumps(text)}, 'x')") is True
    assert scenario(browser) == text
    _, saved = terminal(EMP, text, tmp_path)
    assert saved == text
    shown = trace(browser, ".row .id")
    wanted = [line.split()[1] for line in text.split("\n") if line.startswith("  -> ")]
    assert shown == wanted and len(shown) > 30


def test_a_pasted_scenario_with_a_mistake(
    pages: dict[Path, Path], browser: Browser
) -> None:
    browser.open(pages[ABP])
    browser.evaluate(
        "document.querySelector('[data-part=\"text\"]').value = 'sender.submit 1\\nsender.sumbit 2\\n'"
    )
    click(browser, ".aside button", "Play the text")
    assert texts(browser, ".message.error")[0].startswith(
        "scenario:2: there is no external event of Sender 'sumbit'"
    )


def test_two_nodes_and_a_wire_that_loses_and_repeats(
    pages: dict[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    browser.open(pages[ABP])
    click(browser, ".toolbar button", "Two nodes")
    assert active(browser) == ["READY", "READY"]
    fill(browser, "Sender.submit item", "42")
    click(browser, ".event button", "submit")  # the first panel: node A
    assert texts(browser, ".wire .way") == ["A → B"]
    click(browser, ".wire button", "duplicate")
    click(browser, ".wire button", "deliver")
    click(browser, ".wire button", "deliver")
    assert texts(browser, ".wire .way") == ["B → A", "B → A"]
    assert texts(browser, ".wire li code") == ["Frame(kind: ACK)"] * 2
    click(browser, ".wire button", "lose")
    click(browser, ".wire button", "deliver")
    assert texts(browser, ".wire li") == ["nothing"]
    assert active(browser) == ["READY", "LISTENING"]
    assert trace(browser, ".row .id") == [
        "Sender.READY.submit.0",
        "Receiver.LISTENING.data.0",
        "Receiver.LISTENING.data.1",
        "Sender.WAIT_ACK.ack.0",
    ]
    for _ in range(6):
        browser.press("z", 90, control=True)
    assert texts(browser, ".trace .row") == [] and texts(browser, ".wire li") == [
        "nothing"
    ]
    for _ in range(6):
        browser.press("y", 89, control=True)
    browser.evaluate(
        "{ const which = document.querySelector('[data-part=which]'); which.value = '1';"
        "which.dispatchEvent(new Event('change')); }"
    )
    text = scenario(browser)
    assert text.count("receiver.data kind=1 item=42") == 2
    _, saved = terminal(ABP, text, tmp_path)
    assert saved == text


def test_two_nodes_with_parameters_of_their_own(
    pages: dict[Path, Path], browser: Browser, tmp_path: Path
) -> None:
    """An EMP message of one frame from node 0 to node 1, until the sender hears of it."""
    browser.open(pages[EMP])
    fill(browser, "node", "0, 1")
    click(browser, ".toolbar button", "Two nodes")
    perform = "simulation.perform({}, {})".format
    for text, node in (
        ("match.posted descriptor=5 peer=0 length=100", 1),
        ("send.posted descriptor=3 peer=1 length=100", 0),
        ("transmit.slot", 0),
    ):
        assert browser.evaluate(perform(json.dumps(text), node)) is True
    assert texts(browser, ".wire li code")[0].startswith("Frame(kind: HEADER")
    # Node A does not know node B yet: the refusal tells.
    click(browser, ".wire button", "deliver")
    assert texts(browser, ".wire li code")[0].startswith("Frame(kind: NACK")
    click(browser, ".wire button", "deliver")
    assert "Send.WAIT_ACK.again.0" in trace(browser, ".row .id")
    assert browser.evaluate(perform(json.dumps("transmit.slot"), 0)) is True
    click(browser, ".wire button", "deliver")
    assert "Match.LISTENING.header.2" in trace(browser, ".row .id")
    # What the device of node B was given is no frame for node A.
    click(browser, ".wire button", "lose")
    placed = "receive[1].placed size=1"
    assert browser.evaluate(perform(json.dumps(placed), 1)) is True
    assert texts(browser, ".wire li code")[0].startswith("Frame(kind: ACK")
    click(browser, ".wire button", "deliver")
    # It was sent twice, so it ends when both copies have been read.
    read = "send[1].memory_read"
    assert browser.evaluate(perform(json.dumps(read), 0)) is True
    effects = trace(browser, ".effect")
    assert [e for e in effects if e.startswith("complete(descriptor: 3")]
    assert [e for e in effects if e.startswith("complete(descriptor: 5")]
    browser.evaluate(
        "{ const which = document.querySelector('[data-part=which]'); which.value = '1';"
        "which.dispatchEvent(new Event('change')); }"
    )
    text = scenario(browser)
    assert text.split("\n")[1] == "parameters node=1"
    assert terminal(EMP, text, tmp_path)[1] == text


@pytest.mark.parametrize("width", [1200, 700])
def test_nothing_is_wider_than_the_window(
    pages: dict[Path, Path], browser: Browser, width: int
) -> None:
    browser.resize(width, 900)
    try:
        for spec in pages:
            browser.open(pages[spec])
            for nodes in (1, 2):
                if nodes == 2:
                    click(browser, ".toolbar button", "Two nodes")
                seen = browser.evaluate("document.documentElement.scrollWidth")
                assert seen <= width, (spec.stem, nodes)
    finally:
        browser.resize(1200, 900)


def test_usage(tmp_path: Path) -> None:
    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(HSMC), "simulation", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )

    result = run(ABP)
    assert result.returncode == 0 and result.stdout.startswith("<!DOCTYPE html>")
    assert result.stdout == run(ABP).stdout
    assert run(ABP, "--check", "nothing").returncode == 2
    assert run("/nowhere.hsm").returncode != 0
    assert run(ABP, "--output", tmp_path / "no" / "x" / "page.html").returncode == 0
