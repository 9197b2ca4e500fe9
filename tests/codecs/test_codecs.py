# SPDX-License-Identifier: MIT
"""Frames to payloads and back: the interpreter's view (hsmc/frames.py), the C here and the C on the chip's core agree, on
random values and on frames that are cut, damaged or noise; and each does what the layouts say.

`make prove` says the same of the C for all inputs, on words; here is the way through bytes, and gcc.
"""

from __future__ import annotations

import functools
import random
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import hsmc
from hsmc import frames, ir
from hsmc.backends import backend_c
from tests.compiled import compiled

ROOT = Path(__file__).resolve().parents[2]
CODECS = ROOT / "build/tests/codecs"
SPECS = {name: ROOT / f"spec/{name}/{name}.hsm" for name in ("emp", "abp", "fetch")} | {
    "everything": ROOT / "tests/codecs/everything.hsm"
}

READ, WRITE, READ_WORDS, WRITE_WORDS = range(4)
VALUES, FRAME_BYTES = 16, 64
RESULTS = (frames.OK, frames.FOREIGN, frames.MALFORMED)
ROUNDS = 60


# Compiled when the first test needs them: each worker of pytest imports this module.
@functools.cache
def codecs_of(name: str) -> list[frames.Codec]:
    return frames.codecs(compiled(SPECS[name]))


@functools.cache
def all_codecs() -> list[frames.Codec]:
    """In the order of PAYLOADS in codecs.c."""
    return [codec for name in SPECS for codec in codecs_of(name)]


@dataclass
class Question:
    codec: frames.Codec
    verb: int
    count: int
    values: list[int]
    frame: bytes

    @property
    def record(self) -> bytes:
        values = (self.values + VALUES * [0])[:VALUES]
        head = struct.pack(
            f">3I{VALUES}I",
            all_codecs().index(self.codec),
            self.verb,
            self.count,
            *values,
        )
        return head + self.frame[:FRAME_BYTES].ljust(FRAME_BYTES, b"\0")


@dataclass
class Answer:
    result: int
    values: list[int]
    frame: bytes


def ask(command: list[str], questions: list[Question], file: Path) -> list[Answer]:
    """The program reads records from a file (run_program: from memory) and writes its answers."""
    content = struct.pack(">I", len(questions)) + b"".join(q.record for q in questions)
    file.write_bytes(content)
    result = subprocess.run(command, input=content, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode()
    size = 4 + 4 * VALUES + FRAME_BYTES
    assert len(result.stdout) == size * len(questions)
    answers = []
    for at in range(0, len(result.stdout), size):
        record = result.stdout[at : at + size]
        numbers = list(struct.unpack(f">{1 + VALUES}I", record[: 4 + 4 * VALUES]))
        answers.append(Answer(numbers[0], numbers[1:], record[4 + 4 * VALUES :]))
    return answers


def programs(directory: Path) -> dict[str, tuple[list[str], Path]]:
    file = directory / "questions"
    run = [str(ROOT / "build/tests/run_program"), "0x4000"]
    run += [f"0x4000:{CODECS}/codecs.bin", f"0x100000:{file}"]
    return {"here": ([str(CODECS / "codecs")], file), "chip": (run, file)}


# --- random frames


def in_range(slot: frames.Slot, codec: frames.Codec, source: random.Random) -> int:
    """A value the field may have, and at times an end of what it may."""
    kind = slot.field.type
    enumeration = slot.bits.enumeration if slot.bits.when is None else None
    if isinstance(kind, ir.EnumerationType):
        enumeration = kind.name
    if enumeration is not None:
        return source.choice([m.value for m in codec.enumerations[enumeration].members])
    low, high = 0, slot.bits.mask
    if slot.field.range is not None:
        low, high = slot.field.range.low.value, slot.field.range.high.value
    return source.choice([low, high, source.randint(low, high), min(low + 3, high)])


def random_values(codec: frames.Codec, source: random.Random) -> dict[str, int]:
    values = {slot.field.name: in_range(slot, codec, source) for slot in codec.slots}
    for data in codec.data:  # short ones: bytes behind the header are not looked at
        if data.length.name in values:
            values[data.length.name] %= 8
    return values


def carried(codec: frames.Codec, values: dict[str, int]) -> dict[str, int]:
    """The values that come through: 0 where their part is not there."""
    frame = codec.pack(values)
    return {
        slot.field.name: (
            values[slot.field.name] if frames.holds(frame, slot.part.tests) else 0
        )
        for slot in codec.slots
    }


def order(codec: frames.Codec, values: dict[str, int]) -> list[int]:
    return [values[slot.field.name] for slot in codec.slots]


def whole(codec: frames.Codec, values: dict[str, int], before: bytes) -> bytes:
    frame = codec.pack(values, before)
    return frame.ljust(codec.bytes(values), b"\xd7")


def damaged(frame: bytes, source: random.Random) -> bytes:
    content = bytearray(frame)
    for _ in range(source.randint(1, 3)):
        at = source.randrange(12, min(len(content), FRAME_BYTES))
        content[at] ^= 1 << source.randrange(8)
    return bytes(content)


def read_questions(codec: frames.Codec, source: random.Random) -> list[Question]:
    """Sound, cut, damaged frames and noise, as bytes and as words."""
    questions = []
    for _ in range(ROUNDS):
        before = source.randbytes(FRAME_BYTES)
        sound = whole(codec, random_values(codec, source), before)
        found = [sound, sound[: source.randrange(len(sound) + 1)]]
        if len(sound) > 12:
            found.append(damaged(sound, source))
        found.append(source.randbytes(source.randrange(FRAME_BYTES)))
        for frame in found:
            for verb in (READ, READ_WORDS):
                questions.append(Question(codec, verb, len(frame), [], frame))
    return questions


def write_questions(codec: frames.Codec, source: random.Random) -> list[Question]:
    questions = []
    for _ in range(ROUNDS):
        values = order(codec, random_values(codec, source))
        before = source.randbytes(FRAME_BYTES)
        for verb in (WRITE, WRITE_WORDS):
            questions.append(Question(codec, verb, 0, values, before))
    return questions


# --- the tests


def test_the_order_is_that_of_the_program() -> None:
    text = (ROOT / "tests/codecs/codecs.c").read_text()
    names = [
        f"{name}_{codec.payload.name.lower()}"
        for name in SPECS
        for codec in codecs_of(name)
    ]
    found = [
        line.split("(")[1].split(",")[0]
        for line in text.splitlines()
        if line.startswith("    X(")
    ]
    assert found == names


@pytest.mark.parametrize("where", ["here", "chip"])
def test_frames_are_read_alike(where: str, tmp_path: Path) -> None:
    source = random.Random(1)
    questions = [q for codec in all_codecs() for q in read_questions(codec, source)]
    answers = ask(programs(tmp_path)[where][0], questions, tmp_path / "questions")
    met = set()
    for question, answer in zip(questions, answers, strict=True):
        codec = question.codec
        wanted = codec.accept(question.frame)
        found = RESULTS[answer.result]
        assert found == wanted, (codec.payload.name, question)
        met.add((codec.payload.name, wanted))
        if wanted == frames.OK:
            values = codec.unpack(question.frame)
            assert answer.values[: len(codec.slots)] == order(codec, values), question
    for name in (codec.payload.name for codec in all_codecs()):
        assert {(name, frames.OK), (name, frames.FOREIGN)} <= met


@pytest.mark.parametrize("where", ["here", "chip"])
def test_payloads_are_written_alike(where: str, tmp_path: Path) -> None:
    source = random.Random(2)
    questions = [q for codec in all_codecs() for q in write_questions(codec, source)]
    answers = ask(programs(tmp_path)[where][0], questions, tmp_path / "questions")
    for question, answer in zip(questions, answers, strict=True):
        codec = question.codec
        names = [slot.field.name for slot in codec.slots]
        values = dict(zip(names, question.values, strict=True))
        header = codec.pack(values, question.frame)
        assert answer.result == codec.bytes(values)
        assert answer.frame == header + question.frame[len(header) :], question


@pytest.mark.parametrize("name", SPECS)
def test_round_trip(name: str) -> None:
    for codec in codecs_of(name):
        source = random.Random(codec.payload.name)
        for _ in range(ROUNDS):
            values = random_values(codec, source)
            frame = whole(codec, values, source.randbytes(FRAME_BYTES))
            assert codec.accept(frame) == frames.OK, values
            assert codec.unpack(frame) == carried(codec, values)
            assert (
                codec.pack(codec.unpack(frame), frame)
                == frame[: len(codec.pack(values))]
            )


@pytest.mark.parametrize("name", SPECS)
def test_truncated_frames_are_refused(name: str) -> None:
    for codec in codecs_of(name):
        source = random.Random(codec.payload.name)
        for _ in range(20):
            frame = whole(codec, random_values(codec, source), b"")
            for length in range(len(frame)):
                assert codec.accept(frame[:length]) != frames.OK


@pytest.mark.parametrize("name", SPECS)
def test_constants_are_checked(name: str) -> None:
    """Each bit of what is fixed, turned over by itself."""
    for codec in codecs_of(name):
        source = random.Random(codec.payload.name)
        values = random_values(codec, source)
        frame = whole(codec, values, b"")
        bits: list[int] = []
        for part in codec.parts:
            if not frames.holds(frame, part.tests):
                continue
            for field, _ in codec.fixed(part):
                first = 8 * part.start + field.offset
                bits += range(first, first + field.bits)
            for area in part.layout.areas:
                first = 8 * (part.start + area.offset)
                bits += range(first, first + 8 * area.count.value) if area.fixed else []
        for bit in bits:
            wrong = bytearray(frame)
            wrong[bit // 8] ^= 0x80 >> bit % 8
            assert codec.accept(bytes(wrong)) != frames.OK, bit
        assert bits


def test_optional_parts_come_and_go() -> None:
    """Every combination of parts of the spec that has everything is met, and its fields with it."""
    codec = next(c for c in all_codecs() if c.payload.name == "Any")
    source = random.Random(3)
    met = set()
    for _ in range(500):
        values = random_values(codec, source)
        frame = codec.pack(values)
        there = [p.layout.name for p in codec.parts if frames.holds(frame, p.tests)]
        met.add(tuple(there))
        assert len(frame) == max(
            part.end for part in codec.parts if part.layout.name in there
        )
    assert met == {
        ("Frame",),
        ("Frame", "Name"),
        ("Frame", "Long"),
        ("Frame", "Long", "Extra"),
    }


def test_the_example_of_the_manual_answers(tmp_path: Path) -> None:
    """docs/language.md, Frames: its spec and its C, which answers an ASK frame with a READING."""
    manual = (ROOT / "docs/language.md").read_text().split("### Frames\n")[1]
    spec, text = (
        re.findall(rf"^```{kind}\n(.*?)^```", manual, re.S | re.M)[0]
        for kind in ("hsm compile", "c")
    )
    (tmp_path / "sensors.hsm").write_text(spec)
    protocol = hsmc.compile_spec(str(tmp_path / "sensors.hsm"))
    for name, content in backend_c.generate(protocol).items():
        (tmp_path / name).write_text(content)
    found = {codec.payload.name: codec for codec in frames.codecs(protocol)}
    addresses = bytes(range(1, 13))
    asking = found["Any"].pack({"kind": 3, "sensor": 7}, addresses)
    (tmp_path / "main.c").write_text(
        f"""#include <stdio.h>
#include <string.h>
#include "sensors_codec.h"
int main(void) {{
    const uint8_t own_address[6] = "own__", values[2] = {{0xAB, 0xCD}};
    const uint8_t received[] = {{{", ".join(map(str, asking))}}};
    const uint32_t received_bytes = sizeof received;
    {text}
    return fwrite(frame, sizeof frame, 1, stdout) != 1;
}}
"""
    )
    program = tmp_path / "main"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    command += [
        f"-I{tmp_path}",
        f"-I{ROOT}",
        "-o",
        str(program),
        str(tmp_path / "main.c"),
    ]
    subprocess.run(command, check=True)
    answer = subprocess.run([str(program)], capture_output=True, check=True).stdout
    assert answer[:12] == addresses[6:] + b"own__\0"
    assert found["Reading"].accept(answer) == frames.OK
    assert found["Reading"].unpack(answer) == {
        "sensor": 7,
        "scale": 0,
        "count": 2,
        "unit": 0,
    }
    assert answer[found["Reading"].header_limit :][:2] == b"\xab\xcd"
