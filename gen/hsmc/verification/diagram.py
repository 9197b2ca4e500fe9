# SPDX-License-Identifier: MIT
"""A replayed trail as a sequence diagram: hosts outside, the wire in the middle, time downwards. Here as characters."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal, Sequence

from .trail_text import QUEUE, ReplayedStep, ending
from .trail import Trail

Style = Literal["plain", "lost", "again", "host"]

LANE = 26  # characters between two life lines at least
LABEL = 60  # characters a line of a label beside an arrow may have; a longer label takes several lines
EDGE = 8  # left of the first
ARROW = 4  # characters between two life lines that no label can have: blanks, the head, the second life line


@dataclass(frozen=True)
class Row:
    """An arrow from lane to lane, a note at a lane (both the same), or a band across all."""

    kind: Literal["arrow", "note", "band"]
    text: str
    start: int = 0
    end: int = 0
    style: Style = "plain"
    step: int = 0


class Lanes:
    """host 0 | node 0 | wire | node 1 | host 1; more nodes stand on the right, each with its host beside it."""

    def __init__(self, nodes: int, wired: bool) -> None:
        self.names: list[str] = ["host 0", "node 0"]
        self.nodes = {0: 1}
        self.hosts = {0: 0}
        self.wire = len(self.names)
        if wired:
            self.names.append("wire")
        for node in range(1, nodes):
            self.nodes[node] = len(self.names)
            self.hosts[node] = len(self.names) + 1
            self.names += [f"node {node}", f"host {node}"]


def lanes(trail: Trail) -> Lanes:
    # Also where no frame is on its way: a node may hand one over that the world then keeps from the wire.
    return Lanes(max(len(trail.parameters), 1), bool(trail.wire))


def rows(trail: Trail, replayed: Sequence[ReplayedStep]) -> list[Row]:
    """What the diagram shows, from top to bottom."""
    result: list[Row] = []
    places = lanes(trail)
    for each in replayed:
        if trail.loop is not None and each.number == trail.loop + 1:
            result.append(Row("band", "from here on the same again, for ever"))
        result += of_step(each, places)
    result.append(Row("band", ending(trail)))
    return result


def of_step(replayed: ReplayedStep, places: Lanes) -> list[Row]:
    step, number = replayed.step, replayed.number
    if step.do == "good":
        return [Row("band", "the link is good: nothing is lost any more", step=number)]
    if step.do == "lose":
        if replayed.only_copy:
            return []
        at = places.wire
        return [Row("note", f"x {step.frame} lost", at, at, "lost", number)]
    node = places.nodes[step.node]
    host = places.hosts[step.node]
    if step.do == "restart":
        return [Row("note", "restarts", node, node, step=number)]
    if step.do == "set":
        text = replayed.heading.split(": ", 1)[1]
        return [Row("arrow", text, host, node, "host", number)]
    result: list[Row] = []
    if step.frame:
        suffix = " (again)" if replayed.received_before else ""
        style: Style = "again" if replayed.received_before else "plain"
        text = step.frame + suffix
        result.append(Row("arrow", text, places.wire, node, style, number))
    elif step.do == "expire":
        instance = f"[{step.reference}]" if step.reference else ""
        text = f"timer {step.timer}{instance}"
        result.append(Row("note", text, node, node, step=number))
    elif replayed.heading.startswith(QUEUE):
        text = replayed.heading.split(": ", 1)[1]
        result.append(Row("note", f"message {text}", node, node, step=number))
    else:
        text = replayed.heading.split(": ", 1)[1]
        result.append(Row("arrow", text, host, node, "host", number))
    result += [Row("note", name, node, node) for name in replayed.transitions]
    if not replayed.transitions:
        result.append(Row("note", "(ignored)", node, node))
    put = [sent(frame, room, node, places.wire) for frame, room in replayed.sent]
    for text in replayed.devices:
        if text.split("(")[0] not in replayed.wire:
            result.append(Row("arrow", text, node, host, "host"))
        elif put:
            result.append(put.pop(0))
        else:  # the trail ends within the call
            result.append(Row("arrow", text, node, places.wire))
    return result + put


def sent(frame: str, room: bool, node: int, wire: int) -> Row:
    if room:
        return Row("arrow", frame, node, wire)
    return Row("arrow", f"{frame} x no room", node, wire, "lost")


def label_room(drawn: Sequence[Row], lane: int) -> int:
    """Characters that the labels of arrows between this life line and the next on its right need in a line."""
    needed = [
        min(len(row.text), LABEL)
        for row in drawn
        if row.kind == "arrow" and sorted((row.start, row.end)) == [lane, lane + 1]
    ]
    return max(needed, default=0)


def label_lines(row: Row, room: int) -> list[str]:
    return textwrap.wrap(row.text, room, break_on_hyphens=False) or [""]


def text(trail: Trail, drawn: Sequence[Row]) -> str:
    """For a terminal, in ASCII."""
    places = lanes(trail)
    at = [EDGE]
    for lane in range(len(places.names) - 1):
        at.append(at[-1] + max(LANE, label_room(drawn, lane) + ARROW))
    width = at[-1] + EDGE
    lines = [centred(places.names, at, width)]
    life = lambda: list(lines_at(at, width))  # noqa: E731
    for row in drawn:
        if row.kind == "band":
            lines.append(f"-- {row.text} ".ljust(width, "-"))
            continue
        number = f"{row.step}" if row.step else ""
        if row.kind == "note":
            line = life()
            place(line, at[row.start] - len(row.text) // 2 - 1, f" {row.text} ")
            place(line, 0, number)
            lines.append("".join(line).rstrip())
            continue
        left, right = sorted((at[row.start], at[row.end]))
        *above, label = label_lines(row, right - left - ARROW)
        for part in above:
            line = life()
            place(line, left + 1, f" {part} ".center(right - left - 1))
            place(line, 0, number)
            lines.append("".join(line).rstrip())
            number = ""
        stroke = {"again": "=", "lost": ".", "host": "-", "plain": "-"}[row.style]
        body = f" {label} ".center(right - left - 2, stroke)
        arrow = f"{body}>" if row.start < row.end else f"<{body}"
        line = life()
        place(line, left + 1, arrow)
        place(line, 0, number)
        lines.append("".join(line).rstrip())
    return "\n".join(lines) + "\n"


def lines_at(at: Sequence[int], width: int) -> str:
    return "".join("|" if column in at else " " for column in range(width))


def centred(names: Sequence[str], at: Sequence[int], width: int) -> str:
    line = [" "] * width
    for name, column in zip(names, at, strict=True):
        place(line, column - len(name) // 2, name)
    return "".join(line).rstrip()


def place(line: list[str], start: int, text: str) -> None:
    """Writes into a line, as far as there is one."""
    start = max(start, 0)
    for offset, character in enumerate(text):
        if start + offset < len(line):
            line[start + offset] = character
        else:
            line.append(character)
