# SPDX-License-Identifier: MIT
"""Sequence diagrams show labels whole: lanes become wider, and a label that is wider still takes several lines."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from hsmc.verification import diagram, diagram_svg
from hsmc.verification.diagram import Row
from hsmc.verification.trail import Trail

SHORT = "DATA bit=0"
MIDDLE = "data kind=1 sequence=123456789 checksum=4000000000"
LONG = f"send(Frame({', '.join(f'field_{n}: {n * 1000}' for n in range(12))}))"
SVG = "{http://www.w3.org/2000/svg}"


def trail() -> Trail:
    return Trail(
        protocol="p",
        spec="p.hsm",
        hash=0,
        profile=None,
        placement=None,
        check="two",
        engine="c",
        kind="safety",
        violated="property",
        documentation="What must hold.",
        failure="",
        shortest=True,
        bounds={},
        wire=[],
        variables=[],
        parameters=[{}, {}],
        steps=[],
        loop=None,
    )


def arrows(label: str) -> list[Row]:
    """Without a wire the lanes are host 0, node 0, node 1, host 1."""
    return [
        Row("arrow", label, 0, 1, "host", 1),
        Row("note", "Sender.READY.submit.0", 1, 1),
        Row("arrow", SHORT, 2, 1),
        Row("arrow", label, 1, 3, step=2),
    ]


@pytest.mark.parametrize(
    "label", [SHORT, MIDDLE, LONG], ids=["short", "middle", "long"]
)
def test_text(label: str) -> None:
    lines = diagram.text(trail(), arrows(label)).splitlines()
    assert max(map(len, lines)) < 200
    # Between the life lines, heads and strokes of arrows taken away, what is left is the label.
    text = " ".join(re.sub(r"[|<>-]|^\d", " ", line) for line in lines[1:])
    assert " ".join(text.split()).count(label) == 2 + (label == SHORT)


@pytest.mark.parametrize(
    "label", [SHORT, MIDDLE, LONG], ids=["short", "middle", "long"]
)
def test_svg(label: str) -> None:
    root = ElementTree.fromstring(diagram_svg.svg(trail(), arrows(label)))
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width} {height}"
    assert width < 2000
    shown = []
    for group in root.iter(f"{SVG}g"):
        if group.attrib["class"].startswith("arrow"):
            shaft = group.find(f"{SVG}line")
            assert shaft is not None
            room = abs(float(shaft.attrib["x1"]) - float(shaft.attrib["x2"]))
            texts = [t for t in group.iter(f"{SVG}text") if "text-anchor" in t.attrib]
            for text in texts:
                assert len(text.text or "") * diagram_svg.CHARACTER <= room
                assert 0 < float(text.attrib["y"]) < height
            texts.sort(key=lambda t: float(t.attrib["y"]))
            shown.append(" ".join(t.text or "" for t in texts))
    assert shown == [label, SHORT, label]
    # Nothing lies on anything else.
    heights = [
        (text.attrib["x"], float(text.attrib["y"])) for text in root.iter(f"{SVG}text")
    ]
    assert len(set(heights)) == len(heights)
    rows = sorted({y for _, y in heights})
    assert min(b - a for a, b in zip(rows, rows[1:])) >= 3


def test_a_wire_that_carries_nothing_has_its_lane() -> None:
    """A node may hand over a frame that the world keeps from the wire: the arrow ends at that lane."""
    idle = replace(trail(), wire=["send"])
    assert diagram.lanes(idle).names[2] == "wire"
    text = diagram.text(idle, [Row("arrow", "send(1)", 1, diagram.lanes(idle).wire)])
    assert "send(1)" in text
