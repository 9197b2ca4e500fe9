# SPDX-License-Identifier: MIT
"""What spec/emp/proofs*.c says of functions holds, and no longer where the spec is wrong (`make prove`, subject functions):
faults that no search shows, because they need sizes beyond those of the checks."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

import hsmc  # noqa: E402
from models.proof import functions  # noqa: E402
from models.proof.symbolic import Refuted, Undecided  # noqa: E402
from tests.long_tests import one_in  # noqa: E402

EMP = ROOT / "spec/emp"


def proved(profile: str, only: str, directory: Path, folder: Path = EMP) -> list[str]:
    protocol = hsmc.compile_spec(folder / "emp.hsm", profile=profile)
    sources = functions.statements_of(folder, profile)
    return functions.prove(protocol, sources, directory, only)[0]


@pytest.mark.parametrize(
    ("profile", "name"),
    [
        ("paper", "collection_frames"),
        ("paper", "slot"),
        ("modern", "offset_and_length"),
        ("modern", "frame_of"),
        ("modern", "large_size"),
        ("modern", "missing_by"),
        ("modern", "lowest"),
        ("modern", "plausible"),
        ("modern", "in_window"),
    ],
)
def test_functions_are_proved(profile: str, name: str, tmp_path: Path) -> None:
    [told] = proved(profile, name, tmp_path)
    assert told.startswith(f"emp {profile}: {name}: statements ")
    assert "for all " in told


# Faults of the spec: profile, the proof that refutes each, file, the text of the spec, the text in its place.
FAULTS: dict[str, tuple[str, str, str, str, str]] = {
    "collections of four and more begin too early": (
        *("modern", "frame_of", "send.hsm"),
        *(" + (c << 2 if m.size & 4 != 0 else 0)", ""),
    ),
    "collections of eight and more begin too early": (
        *("modern", "frame_of", "send.hsm"),
        *("+ (c << 3 if m.size & 8 != 0 else 0))", ")"),
    ),
    "a report names positions beyond the collection": (
        *("modern", "missing_by", "repair.hsm"),
        *("return all & (all ^ f.frame)", "return all ^ f.frame"),
    ),
    "a report may name every position": (
        *("modern", "missing_by", "repair.hsm"),
        *("return all & (all ^ f.frame)", "return 0x7FFF & (0x7FFF ^ f.frame)"),
    ),
    "large collections are one frame smaller": (
        *("modern", "large_size", "send.hsm"),
        "while covered >= frames + collections",
        "while covered + 1 >= frames + collections",
    ),
    "large collections are one frame larger": (
        *("modern", "large_size", "send.hsm"),
        "while covered >= frames + collections",
        "while covered > frames + collections",
    ),
    "a large collection is smaller than a usual one": (
        *("modern", "large_size", "send.hsm"),
        *("return max(collection_size, size)", "return size"),
    ),
    "the longest messages have a frame less": (
        *("modern", "frames_of_long", "send.hsm"),
        *(
            "repeat 11 while rest >= frame_payload",
            "repeat 10 while rest >= frame_payload",
        ),
    ),
    "a multiple of the payload has a frame less": (
        *("paper", "frames_for", "send.hsm"),
        "length - first_frame_payload + frame_payload - 1",
        "length - first_frame_payload + frame_payload - 2",
    ),
    "the last collection is as long as the others": (
        *("paper", "collection_frames", "send.hsm"),
        *("min(m.size, m.frames - first)", "m.size"),
    ),
    "the last frame is as long as the others": (
        *("modern", "offset_and_length", "transmit.hsm"),
        "u16(total - offset_of(frame)) if frame + 1 == frames",
        "u16(total - offset_of(frame)) if frame == frames",
    ),
    "frames overlap by the header": (
        *("modern", "offset_and_length", "transmit.hsm"),
        "frame * frame_payload - message_header_bytes",
        "frame * frame_payload - message_header_bytes - message_header_bytes",
    ),
    "a header is believed that has a frame too few": (
        *("modern", "plausible", "receive.hsm"),
        "f.total_length <= offset_of(f.frames))",
        "f.total_length <= offset_of(f.frames) + 1)",
    ),
    "a frame is placed behind the buffer": (
        *("paper", "room", "receive.hsm"),
        *(
            "if offset_of(f.frame) >= r.capacity",
            "if offset_of(f.frame) > r.capacity + 1",
        ),
    ),
    "not the lowest": (
        *("modern", "lowest", "send.hsm"),
        "while positions & (1 << (i & 15)) == 0",
        "while positions & (1 << (i & 7)) == 0",
    ),
    "two collections of the window share a place": (
        *("modern", "in_window", "send.hsm"),
        *("c & (collection_window - 1)", "c & (collection_window - 2)"),
    ),
    "what is acknowledged is sent again": (
        *("paper", "next_lost", "send.hsm"),
        "(c <= m.cursor or m.settled & (1 << (c - m.base & 31)) != 0)",
        "(c <= m.cursor or m.settled & (1 << (c - m.base & 7)) != 0)",
    ),
}
# Those of which the mutants of EMP found that no search shows them: always.
MISSED = [name for name in FAULTS if "begin too early" in name or "report" in name]


def with_fault(directory: Path, file: str, old: str, new: str) -> Path:
    folder = directory / "emp"
    shutil.copytree(EMP, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / file).read_text()
    assert old in text, f"nothing like {old} to put a fault into"
    (folder / file).write_text(text.replace(old, new))
    return folder


@pytest.mark.parametrize(
    "name", [*MISSED, *one_in(4, [name for name in FAULTS if name not in MISSED])]
)
def test_a_faulty_function_is_refuted(name: str, tmp_path: Path) -> None:
    profile, proof, *change = FAULTS[name]
    folder = with_fault(tmp_path, *change)
    with pytest.raises(Refuted, match=rf"proof_{proof}, line \d+: .*") as caught:
        proved(profile, proof, tmp_path, folder)
    assert caught.value.input, "expected the values for which it does not hold"
    print(caught.value)


def with_statement(directory: Path, text: str) -> Path:
    path = directory / "proofs.c"
    path.write_text(f"void proof_it(uint16_t number) {{\n{text}}}\n")
    return path


def test_a_wrong_statement_is_refuted_with_values(tmp_path: Path) -> None:
    text = "    SUPPOSE(number < 1000);\n    PROVE(number != 77 + emp_offset_of(0));\n"
    protocol = hsmc.compile_spec(EMP / "emp.hsm")
    with pytest.raises(Refuted, match="does not hold") as caught:
        functions.prove(protocol, [with_statement(tmp_path, text)], tmp_path)
    assert caught.value.input == {"number": 77}
    assert str(caught.value).startswith(
        "emp paper, proofs.c, in proof_it: proof_it, line 3: does not hold"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "    SUPPOSE(number > 9 && number < 3);\n    PROVE(number == 5);\n",
            "line 3: no input reaches this statement",
        ),
        ("    (void)number;\n", "no line: no input reaches"),
        (
            "    PROVE(emp_collection_frames(1, number) != 1);\n",
            "@emp_state is read where nothing was written",
        ),
        ("    PROVE(1 << number != 0);\n", "a shift by the width"),
    ],
)
def test_a_statement_that_says_nothing_is_refuted(
    text: str, told: str, tmp_path: Path
) -> None:
    protocol = hsmc.compile_spec(EMP / "emp.hsm")
    with pytest.raises(Refuted, match=re.escape(told)):
        functions.prove(protocol, [with_statement(tmp_path, text)], tmp_path)


def test_statements_of_a_profile_that_is_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "emp"
    shutil.copytree(EMP, folder)
    (folder / "proofs_moderm.c").write_text("")
    with pytest.raises(Undecided, match="proofs_moderm.c is of no profile"):
        functions.prove_all(folder / "emp.hsm", tmp_path)
