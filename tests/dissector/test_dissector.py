# SPDX-License-Identifier: MIT
"""The generated Wireshark dissectors: every field of every frame as tshark shows it, frames that end early or hold
nonsense, protocols that share an Ethertype, and the capture of a transfer over a wire that loses frames."""

from __future__ import annotations

import doctest
import itertools
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
DIRECTIONS = ("left to right", "right to left")  # as the demo names its boards
sys.path.insert(0, str(TOP / "gen"))
sys.path.insert(0, str(TOP))

from hsmc import compile_spec, ir, naming  # noqa: E402
from hsmc.backends import backend_wireshark  # noqa: E402
from tests.compiled import compiled
from tests.dissector.wireshark import Builder, Tshark, write_pcap  # noqa: E402
from tests.places import tells_place  # noqa: E402
from tests.long_tests import one_in

HSMC = TOP / "gen/bin/hsmc"
DEMO = [str(TOP / "build/host/emp_demo"), "transfer", "--quiet"]
DEMO += ["--image", str(TOP / "build/firmware/emp_a.elf")]
EMP = TOP / "spec/emp/emp.hsm"
ABP = TOP / "spec/abp/abp.hsm"
FRAMES = TOP / "tests/compiler/features/frames.hsm"
EVERYTHING = TOP / "tests/codecs/everything.hsm"
SPECS = [EMP, ABP, FRAMES, EVERYTHING]
GOLDEN = TOP / "tests/backend/golden/abp.lua"
ETHERNET_BYTES = 14
REMARKS = ("malformed", "unexpected", "unknown", "out_of_range", "cut_short")


@pytest.fixture(name="tshark")
def fixture_tshark(tmp_path: Path) -> Tshark:
    return Tshark(tmp_path)


def ethernet(protocol: ir.Protocol) -> list[ir.Layout]:
    return [layout for layout in protocol.layouts if layout.ethertype]


def filter_name(*names: str) -> str:
    return ".".join(map(naming.snake, names))


def fields_of(protocol: ir.Protocol) -> dict[tuple[str, str], str]:
    """What filters call each field; the Ethernet header's are Wireshark's own."""
    result = {}
    frames = {layout.name for layout in protocol.layouts if layout.ethertype}
    for layout in protocol.layouts:
        if layout.within in frames or layout.ethertype:
            start = 8 * ETHERNET_BYTES if layout.ethertype else 0
            for field in layout.fields:
                if field.offset >= start:
                    name = filter_name(protocol.name, layout.name, field.name)
                    result[layout.name, field.name] = name
    return result


def data_of(protocol: ir.Protocol) -> dict[tuple[str, str], str]:
    return {
        (x.name, item.name): filter_name(protocol.name, x.name, item.name)
        for x in protocol.layouts
        for item in (*x.areas, *([x.data] if x.data else []))
    }


def remarks_of(protocol: ir.Protocol) -> dict[str, str]:
    return {remark: f"{protocol.name}.{remark}" for remark in REMARKS}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_field(path: Path, tshark: Tshark, tmp_path: Path) -> None:
    """Random frames of every layout: tshark shows just what was put in, and complains of nothing."""
    protocol = compiled(path)
    builder = Builder(protocol, seed=1)
    built = [builder.frame(x) for x in ethernet(protocol) for _ in range(300)]
    write_pcap(tmp_path / "t.pcap", [frame.content for frame in built])
    names = fields_of(protocol)
    data = data_of(protocol)
    remarks = remarks_of(protocol).values()
    asked = [*names.values(), *data.values(), *remarks]
    rows = tshark.load(protocol).fields(tmp_path / "t.pcap", *asked)
    assert len(rows) == len(built)
    shown: set[str] = set()
    for row, frame in zip(rows, built):
        for key, name in names.items():
            if key in frame.values:
                assert int(row[name], 0) == frame.values[key], name
                shown.add(name)
            else:
                assert row[name] == "", name
        for key, name in data.items():
            assert row[name].replace(":", "") == frame.data.get(key, b"").hex()
        assert not any(row[name] for name in remarks)
    assert shown == set(names.values())  # conditions of parts held at times


@pytest.mark.parametrize("path", one_in(4, SPECS), ids=lambda path: path.stem)
def test_frames_that_end_early(path: Path, tshark: Tshark, tmp_path: Path) -> None:
    """Cut at every byte: malformed. Where only the capture is cut, that is said, and it is no fault of the frame."""
    protocol = compiled(path)
    builder = Builder(protocol, seed=2)
    frames = [builder.frame(ethernet(protocol)[0]) for _ in range(40)]
    whole = max(
        frames, key=lambda frame: (len(frame.values), len(frame.content))
    ).content
    lengths = range(ETHERNET_BYTES + 1, len(whole))
    remarks = remarks_of(protocol)
    malformed, cut_short = remarks["malformed"], remarks["cut_short"]
    tshark.load(protocol)
    write_pcap(tmp_path / "cut.pcap", [*(whole[:n] for n in lengths), whole])
    rows = tshark.fields(tmp_path / "cut.pcap", malformed, cut_short)
    assert [bool(row[malformed]) for row in rows] == [True] * len(lengths) + [False]
    assert not any(row[cut_short] for row in rows)
    for captured in {*lengths[:: len(lengths) // 5], lengths[-1]}:
        write_pcap(tmp_path / "short.pcap", [whole], captured)
        (row,) = tshark.fields(tmp_path / "short.pcap", malformed, cut_short)
        assert row[cut_short] and not row[malformed], captured


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_nonsense(path: Path, tshark: Tshark, tmp_path: Path) -> None:
    """Bytes changed at random and random lengths: no error of the Lua, whatever is said about the frame."""
    protocol = compiled(path)
    builder = Builder(protocol, seed=3)
    chance = random.Random(4)
    frames = []
    for _ in range(1500):
        frame = bytearray(builder.frame(chance.choice(ethernet(protocol))).content)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(ETHERNET_BYTES, len(frame))
            frame[place] = chance.getrandbits(8)
        frames.append(bytes(frame[: chance.randint(ETHERNET_BYTES, len(frame) + 9)]))
    write_pcap(tmp_path / "t.pcap", frames)
    text = tshark.load(protocol).run(tmp_path / "t.pcap", "-V")
    assert f"\n    Frame Number: {len(frames)}\n" in text
    assert "Lua Error" not in text
    assert "means nothing" in text and "[malformed]" in text


def test_remarks(tshark: Tshark, tmp_path: Path) -> None:
    """A fixed field that differs, no member, out of range: each said of the frame that has it."""
    protocol = compile_spec(str(FRAMES))
    builder = Builder(protocol, seed=5)
    wrong: list[tuple[str, dict[tuple[str, str], int]]] = [
        ("", {}),
        ("unexpected", {("Packet", "version"): 4}),
        ("unknown", {("Packet", "kind"): 9}),
        ("unknown", {("Packet", "kind"): 3, ("Packet", "reason"): 7}),
        ("out_of_range", {("Packet", "port"): 101}),
        ("out_of_range", {("Packet", "port"): 1}),
        ("unexpected", {("Packet", "kind"): 1, ("Options", "more"): 5}),
    ]
    packet = ethernet(protocol)[0]
    frames = [builder.frame(packet, choice).content for _, choice in wrong]
    write_pcap(tmp_path / "t.pcap", frames)
    remarks = remarks_of(protocol)
    rows = tshark.load(protocol).fields(tmp_path / "t.pcap", *remarks.values())
    for (expected, _), row in zip(wrong, rows, strict=True):
        assert {r for r in REMARKS if row[remarks[r]]} == {expected} - {""}


EDGES = """protocol edges
constant top = 0x80000000
enumeration Mark: u32
  ZERO   = 0
  MOST   = 0x7FFFFFFF
  MIDDLE = 0x80000000
  LAST   = 0xFFFFFFFF
payload Frame from Frame
  wide: u32 range 0x7FFFFFFF..top + 1
  high: u32 range top..0xFFFFFFFE
layout Frame ethernet
  destination_high: 32 bits
  destination_low:  16 bits
  source_high:      16 bits
  source_low:       32 bits
  type:             16 bits = 0x88B7
  pad:              16 bits
  mark:             32 bits of Mark shown
  wide:             32 bits shown
  high:             32 bits
  fixed:            32 bits = top | 1
device sent(f: Frame)
process Host
  external event frame(f: Frame)
  state OPEN initial
    on frame(f) / sent(f)
"""


def test_numbers_with_the_highest_bit(tshark: Tshark, tmp_path: Path) -> None:
    """Ranges, members and fixed values on both sides of it."""
    spec = tmp_path / "edges.hsm"
    spec.write_text(EDGES)
    protocol = compile_spec(str(spec))
    builder = Builder(protocol, seed=7)
    (layout,) = ethernet(protocol)
    marks = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
    wides = (0x7FFFFFFE, 0x7FFFFFFF, 0x80000001, 0x80000002)
    highs = (0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
    choices = [
        {("Frame", n): v for n, v in zip(("mark", "wide", "high", "fixed"), values)}
        for values in itertools.product(marks, wides, highs, (0x80000001, 0x80000000))
    ]
    frames = [builder.frame(layout, choice).content for choice in choices]
    write_pcap(tmp_path / "t.pcap", frames)
    remarks = remarks_of(protocol)
    rows = tshark.load(protocol).fields(tmp_path / "t.pcap", *remarks.values())
    for choice, row in zip(choices, rows, strict=True):
        mark, wide, high, fixed = choice.values()
        within = wide in wides[1:3] and high in highs[1:3]
        wanted = {"unknown"} if mark == 1 else set()
        wanted |= set() if within else {"out_of_range"}
        wanted |= set() if fixed == 0x80000001 else {"unexpected"}
        assert {r for r in REMARKS if row[remarks[r]]} == wanted


def test_summary(tshark: Tshark, tmp_path: Path) -> None:
    protocol = compiled(EMP)
    choice = {"kind": 4, "message": 7, "frame": 3, "length": 1}
    built = Builder(protocol, seed=6).frame(
        ethernet(protocol)[0], {("Frame", name): n for name, n in choice.items()}
    )
    write_pcap(tmp_path / "t.pcap", [built.content + bytes(32)])
    tshark.load(protocol)
    columns = tshark.fields(tmp_path / "t.pcap", "_ws.col.Protocol", "_ws.col.Info")
    assert list(columns[0].values()) == ["EMP", "NACK message 7 frame 3"]
    text = tshark.run(tmp_path / "t.pcap", "-V")
    assert "length: 1 (RECEIVER_NOT_READY)" in text
    assert f"padding: {bytes(32).hex()}" in text
    assert "    data: " not in text  # a NACK's length counts nothing


@pytest.mark.parametrize("other_first", [False, True])
def test_shared_ethertype(other_first: bool, tshark: Tshark, tmp_path: Path) -> None:
    """Two protocols of one Ethertype, loaded in either order: each frame is its own protocol's."""
    text = FRAMES.read_text().replace("0x88B7", "0x88B6")
    (tmp_path / "other.hsm").write_text(
        text.replace("protocol frames", "protocol other")
    )
    abp = compile_spec(str(ABP))
    other = compile_spec(str(tmp_path / "other.hsm"))
    for protocol in (other, abp) if other_first else (abp, other):
        tshark.load(protocol)
    frames = [
        Builder(abp, seed=7).frame(ethernet(abp)[0]).content,
        Builder(other, seed=8).frame(ethernet(other)[0]).content,
        Builder(other, seed=9).frame(ethernet(other)[1]).content,
    ]
    write_pcap(tmp_path / "t.pcap", frames)
    rows = tshark.fields(tmp_path / "t.pcap", "_ws.col.Protocol", "other.beacon.level")
    assert [row["_ws.col.Protocol"] for row in rows] == ["ABP", "OTHER", "OTHER"]
    assert [bool(row["other.beacon.level"]) for row in rows] == [False, False, True]


def test_capture_of_a_transfer(tshark: Tshark, tmp_path: Path) -> None:
    """What crossed a lossy wire: the simulator's counts, times in order, and the file itself out of the frames."""
    content = random.Random(10).randbytes(150_000)
    (tmp_path / "sent").write_bytes(content)
    capture = tmp_path / "transfer.pcapng"
    command = [*DEMO, "--seed", "3", "--loss", "0.05", "--file", str(tmp_path / "sent")]
    command += ["--capture", str(capture), "--json", "-"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    counted = json.loads(result.stdout)
    protocol = compiled(EMP)
    members = next(e for e in protocol.enumerations if e.name == "FrameKind").members
    kinds = {str(member.value): member.name for member in members}
    names = [f"emp.frame.{n}" for n in ("message", "frame", "sender", "length", "data")]
    names += ["emp.frame.kind", "emp.message_header.total_length"]
    general = ["frame.interface_name", "frame.comment", "frame.time_epoch"]
    remarks = list(remarks_of(protocol).values())
    rows = tshark.load(protocol).fields(capture, *names, *general, *remarks)
    for row in rows:
        row["kind"] = kinds[row["emp.frame.kind"]]
    of_messages = [row for row in rows if row["kind"] in ("HEADER", "DATA")]
    acknowledgements = [row for row in rows if row["kind"] == "ACK"]
    lost = [row for row in rows if row["frame.comment"]]

    assert len(rows) == counted["frames"]
    assert len(of_messages) == counted["data_frames"]
    assert len(acknowledgements) == counted["acknowledgements"]
    assert len(rows) - len(of_messages) - len(acknowledgements) == (
        counted["negative_acknowledgements"]
    )
    assert counted["lost"] > 5 and counted["retransmissions"] > 5
    assert {row["frame.comment"] for row in lost} == {"lost on the wire"}
    assert len(lost) == counted["lost"]
    assert sum(row["kind"] == "ACK" for row in lost) == counted["lost_acknowledgements"]
    assert not any(row[remark] for row in rows for remark in remarks)
    times = [float(row["frame.time_epoch"]) for row in rows]
    assert times == sorted(times) and times[0] > 0
    for row in rows:
        side = 0 if row["kind"] in ("HEADER", "DATA") else 1
        assert row["frame.interface_name"] == DIRECTIONS[side]
        assert row["emp.frame.sender"] == str(side)

    arrived: dict[tuple[int, int], bytes] = {}
    lengths: dict[int, int] = {}
    for row in of_messages:
        key = (int(row["emp.frame.message"]), int(row["emp.frame.frame"]))
        data = bytes.fromhex(row["emp.frame.data"].replace(":", ""))
        assert len(data) == int(row["emp.frame.length"])
        assert (key[1] == 0) == (row["kind"] == "HEADER")
        if not row["frame.comment"]:
            assert arrived.setdefault(key, data) == data
        if row["kind"] == "HEADER":
            lengths[key[0]] = int(row["emp.message_header.total_length"])
    messages = {
        number: b"".join(arrived[key] for key in sorted(arrived) if key[0] == number)
        for number in sorted(lengths)
    }
    assert {number: len(data) for number, data in messages.items()} == lengths
    # Numbers begin at the incarnation of the sender; the first message announces the file.
    assert list(messages) == [(1 << 16) + n for n in range(counted["messages"])]
    assert b"".join(list(messages.values())[1:]) == content


def test_capture_that_cannot_be_written(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "no/where", "No such file or directory"),
        (Path("/dev/full"), "No space left on device"),
    ):
        command = [*DEMO, "--file", str(HSMC), "--capture", str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 1
        assert str(path) in result.stderr and reason in result.stderr


def test_golden() -> None:
    text = backend_wireshark.generate(compile_spec(str(ABP)))
    if os.environ.get("HSMC_REFRESH"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text(), "HSMC_REFRESH=1 accepts the change"
    assert not tells_place(text, TOP)


def hsmc(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(HSMC), "dissector", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_command(tmp_path: Path) -> None:
    assert hsmc(ABP).stdout == GOLDEN.read_text()
    assert hsmc(ABP, "--output", tmp_path / "x.lua").stdout == ""
    assert (tmp_path / "x.lua").read_text() == GOLDEN.read_text()
    renamed = hsmc(ABP, "--name", "abp2").stdout
    assert 'Proto("abp2", ' in renamed and '"abp2.frame.bit"' in renamed
    for status, arguments in (
        (2, (ABP, "--name", "No name")),
        (2, (ABP, "--output", tmp_path)),
        (1, (TOP / "tests/compiler/features/timers.hsm",)),
        (1, (TOP / "tests/compiler/errors/0211_layout.hsm",)),
    ):
        result = hsmc(*arguments)
        assert (result.returncode, result.stdout) == (status, "")
        assert result.stderr and "Traceback" not in result.stderr


def test_ethernet_header_decides_nothing(tmp_path: Path) -> None:
    """Wireshark has taken it off the frame."""
    text = FRAMES.read_text()
    changed = text.replace('when kind == OPEN "R', 'when source_low == 1 "R')
    assert changed != text
    (tmp_path / "t.hsm").write_text(changed)
    result = hsmc(tmp_path / "t.hsm")
    assert result.returncode == 1 and "source_low" in result.stderr


def test_doctests() -> None:
    result = doctest.testmod(backend_wireshark)
    assert result.attempted > 0 and result.failed == 0
