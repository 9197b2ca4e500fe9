# SPDX-License-Identifier: MIT
"""docs/emp.md agrees with spec and tests: fields, sizes, names, and a row for each claim of the papers."""

import re
from pathlib import Path

import pytest

from hsmc.compilation.compiler import load
from hsmc.ir import LayoutField, Protocol
from tests.compiled import compiled

TOP = Path(__file__).resolve().parents[2]
PAGE = (TOP / "docs/emp.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.lstrip().startswith("|")
]


@pytest.fixture(name="protocol", scope="module")
def fixture_protocol() -> Protocol:
    return compiled(TOP / "spec/emp/emp.hsm")


def first_bit(field: LayoutField) -> int:
    """Counted from the most significant bit of the layout's first word."""
    return 32 * field.word + 32 - field.shift - field.bits


def places(protocol: Protocol, *layouts: str) -> list[tuple[str, int, int]]:
    """Every field of these layouts in order, with the byte in which it begins."""
    return [
        (
            field.name,
            (layout.at.value if layout.at else 0) + first_bit(field) // 8,
            field.bits,
        )
        for layout in protocol.layouts
        if layout.name in layouts
        for field in layout.fields
    ]


def test_fields(protocol: Protocol) -> None:
    """Of the two headers, of the message header in the profile modern, and of the checks."""
    spec = TOP / "spec/emp/emp.hsm"
    modern = compiled(spec, profile="modern")
    checked = load(spec, {"checks_frames": 1}, "modern")
    frame = places(protocol, "Frame")
    assert places(modern, "Frame") == frame
    stated = [
        (row[0].strip("`"), int(row[1]), int(row[2]))
        for row in ROWS
        if len(row) == 4
        and row[0].startswith("`")
        and row[1].isdigit()
        and row[2].isdigit()
    ]
    headers = [places(each, "MessageHeader") for each in (protocol, modern)]
    checks = places(checked, "Frame")[len(frame) :]
    assert places(checked, "Frame")[: len(frame)] == frame and len(checks) == 2
    assert stated == frame + headers[0] + headers[1] + checks


def test_sizes(protocol: Protocol) -> None:
    values = {constant.name: constant.value for constant in protocol.constants}
    stated = {
        row[0].strip("`"): int(row[1])
        for row in ROWS
        if len(row) == 3 and row[1].isdigit()
    }
    assert stated and all(values[name] == value for name, value in stated.items())


def test_every_claim_and_every_silence() -> None:
    """Once each, in order, and with one of three verdicts."""
    claims = [row for row in ROWS if re.fullmatch(r"EF\d+", row[0])]
    assert [row[0] for row in claims] == [f"EF{i}" for i in range(1, 41)]
    assert {row[2] for row in claims} == {"holds", "holds partly", "not yet"}
    entries = re.findall(r"^- ((?:\*\*G\d+\*\*(?:, )?)+)", PAGE, re.MULTILINE)
    ids = re.findall(r"G\d+", " ".join(entries))
    assert ids == [f"G{i}" for i in range(1, 22)]


def test_evidence_exists(protocol: Protocol) -> None:
    """Each test is defined in the one file of that name; properties and checks are the spec's."""
    shown = [row[3] for row in ROWS if re.fullmatch(r"(EF\d+)?", row[0])]
    assert len(shown) > 40
    checks = {check.name for check in protocol.checks}
    properties = {stated.name for stated in protocol.properties}
    for evidence in shown:
        if evidence == "no test":
            continue
        kind, name = re.split(r" |::", evidence.strip("`"))
        if kind == "check":
            assert name in checks
        elif kind == "property":
            assert name in properties
        else:
            (file,) = (TOP / "tests").rglob(kind)
            start = "def " if kind.endswith(".py") else "static void "
            assert f"\n{start}{name}(" in file.read_text(encoding="utf-8"), evidence


def test_names_of_the_spec() -> None:
    """Functions, actions, events and properties that the page names stand in the spec."""
    texts = "".join(
        path.read_text(encoding="utf-8")
        for path in (*(TOP / "spec/emp").glob("*.*"), *(TOP / "gen").rglob("nic/*.hsm"))
    )
    stated = re.findall(
        r"\b(?:functions?|actions?|property|properties|events?) ((?:`\w+`(?:, | and )?)+)",
        re.sub(r"\s+", " ", PAGE),
    )
    names = re.findall(r"`(\w+)`", " ".join(stated))
    assert len(names) > 20
    assert [n for n in names if not re.search(rf"\b{n}\b", texts)] == []
