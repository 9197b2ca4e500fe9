"""The proofs of `make prove` hold, and fail where the C is wrong: each fault is put into the C the proof reads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Callable, Union

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

import hsmc  # noqa: E402
from hsmc import ir  # noqa: E402
from models.proof import accessors, frame_parser, support, symbolic  # noqa: E402
from models.proof.symbolic import Refuted  # noqa: E402

GENERATED = ROOT / "build/gen/emp"


@pytest.fixture(scope="module")
def protocol() -> ir.Protocol:
    return hsmc.compile_spec(str(ROOT / "spec/emp/emp.hsm"))


Replacement = Union[str, Callable[[re.Match[str]], str]]


def replaced(text: str, old: str, new: Replacement) -> str:
    """A fault must be where it is put: the text is there, once or more."""
    changed, count = re.subn(old, new, text)
    assert count > 0, f"nothing like {old} to put a fault into"
    return changed


def parser_with(directory: Path, fault: Callable[[str], str]) -> Path:
    path = directory / "faulty.c"
    path.write_text(fault((GENERATED / "frame.c").read_text()))
    return path


def proof(protocol: ir.Protocol, parser: Path, directory: Path) -> list[str]:
    return frame_parser.ParserProof(protocol, parser, [GENERATED], directory).prove()


def test_the_parser_is_proved(protocol: ir.Protocol, tmp_path: Path) -> None:
    told = "\n".join(proof(protocol, GENERATED / "frame.c", tmp_path))
    header = frame_parser.Reference(protocol).header_bytes
    assert f"every bit of the {header} bytes" in told
    assert "left alone: buffer" in told


# What is put into the parser, and what the proof says of it.
FAULTS: dict[str, tuple[str, Replacement, str]] = {
    "mask shifted by one": (
        r"word >> EMP_FRAME_CONTACT_SHIFT & EMP_FRAME_CONTACT_MASK",
        r"word >> (EMP_FRAME_CONTACT_SHIFT + 1) & EMP_FRAME_CONTACT_MASK",
        "contact is not what the layouts say",
    ),
    "one bit of a mask is missing": (
        r"EMP_FRAME_COLLECTION_SHIFT & EMP_FRAME_COLLECTION_MASK",
        r"EMP_FRAME_COLLECTION_SHIFT & (EMP_FRAME_COLLECTION_MASK >> 1)",
        "collection is not what the layouts say",
    ),
    "truncation after the kind is forgotten": (
        r"bytes < EMP_FRAME_BYTES \|\| ",
        "",
        "a read of the frame beyond what is there",
    ),
    "truncation of the message header is forgotten": (
        r"if \(bytes < EMP_PARSE_BYTES\)\s+return EMP_PARSE_MALFORMED;",
        "",
        "a read of the frame beyond what is there",
    ),
    "truncation is off by one": (
        r"bytes < EMP_PARSE_BYTES",
        "bytes + 1 < EMP_PARSE_BYTES",
        "a read of the frame beyond what is there",
    ),
    "a read beyond the longest header": (
        r"frame->total_length = \*p;",
        "frame->total_length = *p; if (p[2] == 0) return EMP_PARSE_MALFORMED;",
        r"a read beyond the end of the frame|a pointer leaves the frame|beyond what is there",
    ),
    "a verdict is another": (
        r"if \(frame->size == 0\)\s+return EMP_PARSE_MALFORMED;",
        "if (frame->size == 0) return EMP_PARSE_FOREIGN;",
        "the parser and the spec part on",
    ),
    "an empty collection is accepted": (
        r"if \(frame->size == 0\)\s+return EMP_PARSE_MALFORMED;",
        "",
        "the parser and the spec part on",
    ),
    "the own address is not compared": (
        r"if \(\*p != own\)\s+return EMP_PARSE_FOREIGN;",
        "(void)own;",
        "the parser and the spec part on",
    ),
    "a kind more": (
        r"\(\*p\) <= (\d+)u \)",
        lambda m: f"(*p) <= {int(m[1]) + 1}u )",
        "the parser and the spec part on",
    ),
    "a field is absent and not 0": (
        r"frame->tag = 0;",
        "frame->tag = 1;",
        "tag is not what the layouts say",
    ),
    "a field is left as it was": (
        r"frame->tag = 0;",
        "",
        r"\*frame is read where nothing was written",
    ),
    "a verdict is dropped": (
        r"ours = EMP_PARSE_MALFORMED;",
        "",
        "the parser and the spec part on",
    ),
    "no verdict": (
        r"return frame->length <= bytes - EMP_PARSE_BYTES \? EMP_PARSE_OK",
        "return frame->length <= bytes - EMP_PARSE_BYTES ? (enum emp_parse)7",
        "part on|no verdict",
    ),
    "no end": (
        r"frame->message = \*p;",
        "frame->message = *p; while (frame->message == 0x12345678u) { }",
        "no end",
    ),
    "the frame is written to": (
        r"frame->message = \*p;",
        "frame->message = *p; ((uint32_t *)words)[0] = 0;",
        "the frame is written to",
    ),
    "the place of the payload is written to": (
        r"frame->message = \*p;",
        "frame->message = *p; frame->buffer = 0;",
        "buffer is not what the layouts say",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_parser_is_refuted(
    name: str,
    protocol: ir.Protocol,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Far above what a parser takes; the whole limit would cost minutes where there is no end.
    monkeypatch.setattr(symbolic, "STEP_LIMIT", 5_000)
    old, new, told = FAULTS[name]
    parser = parser_with(tmp_path, lambda text: replaced(text, old, new))
    with pytest.raises(Refuted, match=told) as caught:
        proof(protocol, parser, tmp_path)
    print(caught.value)


def test_the_accessors_are_proved(protocol: ir.Protocol, tmp_path: Path) -> None:
    told, _ = accessors.prove(protocol, [GENERATED], tmp_path)
    fields = sum(len(layout.fields) for layout in protocol.layouts)
    assert told[0].startswith(f"{fields} fields")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"(#define EMP_FRAME_COLLECTION_SHIFT) 4u", r"\1 5u"),
        (r"(#define EMP_FRAME_LENGTH_MASK) \S+", r"\1 0x3u"),
        (r"(#define EMP_MESSAGE_HEADER_TAG_WORD) \S+", r"\1 0u"),
        (r"& ~\(EMP_FRAME_KIND_MASK << EMP_FRAME_KIND_SHIFT\)", ""),
    ],
)
def test_faulty_accessors_are_refuted(
    old: str, new: str, protocol: ir.Protocol, tmp_path: Path
) -> None:
    header = replaced((GENERATED / "emp_layout.h").read_text(), old, new)
    (tmp_path / "emp_layout.h").write_text(header)
    with pytest.raises(Refuted, match="field"):
        accessors.prove(protocol, [tmp_path], tmp_path)


SUPPORT = (ROOT / "fw-runtime/hsm_support.h").read_text()


def support_proof(directory: Path, text: str, lengths: list[int]) -> list[str]:
    (directory / "hsm_support.h").write_text(text)
    shim = support.SHIM.replace(
        "fw-runtime/hsm_support.h", str(directory / "hsm_support.h")
    )
    found = support.SupportProof([], directory, shim)
    found.lengths, found.factors = lengths, [1, 20, 3 << 16]
    return found.prove()


def test_sets_and_pools_are_proved(tmp_path: Path) -> None:
    assert "for sets of 7, 33 bits" in support_proof(tmp_path, SUPPORT, [7, 33])[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"offset \+ length > 32", "offset + length > 33"),
        (r"offset \+ length > 32", "offset + length >= 32"),
        (r"if \(length == 0\)\s+return true;", ""),
        (
            r"left != 0; left--\)\n        \*word\+\+ = 0;",
            r"left != 0; left--)\n        *++word = 0;",
        ),
        (r"words % 12u", "words % 11u + 1u"),
        (r"return left >= 32 \?", "return left > 32 ?"),
        (r"used\[word\] \|= 1u << bit;", ""),
        (r"used\[\(reference - 1u\) >> 5\]", "used[reference >> 5]"),
        (r"\(count \+ 31u\) / 32u; word", "count / 32u; word"),
        (
            r"hsm_times_half\(value, factor >> 16\) << 16",
            "hsm_times_half(value, factor >> 16) << 15",
        ),
        (
            r"return left < right \? left : right;",
            "return left < right ? right : left;",
        ),
    ],
)
def test_faulty_sets_and_pools_are_refuted(old: str, new: str, tmp_path: Path) -> None:
    text = replaced(SUPPORT, old, new)
    with pytest.raises(Refuted):
        support_proof(tmp_path, text, [7, 33, 64])


def test_the_command_tells_its_bounds() -> None:
    command = ["/usr/bin/python3", "models/prove.py", "--only", "accessors"]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "accessors: PROVED" in result.stdout
    assert "fields of" in result.stdout and "questions to Z3" in result.stdout
