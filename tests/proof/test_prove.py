# SPDX-License-Identifier: MIT
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
from hsmc import frames, ir  # noqa: E402
from hsmc.backends import backend_c  # noqa: E402
from models.proof import accessors, codec, frame_parser, support, symbolic  # noqa: E402
from models.proof.symbolic import Refuted  # noqa: E402
from scripts import demo  # noqa: E402
from tests.long_tests import long, one_in  # noqa: E402

GENERATED = ROOT / demo.GENERATED


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
    header = max(found.header_limit for found in frames.codecs(protocol))
    assert f"every bit of the {header} bytes" in told
    assert "writes nothing" in told


# What is put into the parser, and what the proof says of it.
FAULTS: dict[str, tuple[str, Replacement, str]] = {
    "mask shifted by one": (
        r"EMP_FRAME_LENGTH_SHIFT & EMP_FRAME_LENGTH_MASK",
        r"(EMP_FRAME_LENGTH_SHIFT + 1) & EMP_FRAME_LENGTH_MASK",
        "the parser and the spec part on",
    ),
    "one bit of a mask is missing": (
        r"EMP_FRAME_LENGTH_SHIFT & EMP_FRAME_LENGTH_MASK",
        r"EMP_FRAME_LENGTH_SHIFT & (EMP_FRAME_LENGTH_MASK >> 1)",
        "the parser and the spec part on",
    ),
    "truncation after the kind is forgotten": (
        r"bytes < EMP_FRAME_BYTES \|\|",
        "",
        "a read of the frame beyond what is there",
    ),
    "truncation of the message header is forgotten": (
        r"bytes >= EMP_FRAME_HEADER_LIMIT &&",
        "",
        "the parser and the spec part on",
    ),
    "truncation is off by one": (
        r"bytes >= EMP_FRAME_HEADER_LIMIT",
        "bytes + 1 >= EMP_FRAME_HEADER_LIMIT",
        "the parser and the spec part on",
    ),
    "a read beyond the header": (
        r"length = \*p >>",
        "length = p[4] & 0; length = *p >>",
        "a read of the frame beyond what is there",
    ),
    "a verdict is another": (
        r"(EMP_FRAME_SIZE_MASK\) == 0\)\s+)return EMP_ACCEPTANCE_MALFORMED;",
        r"\1return EMP_ACCEPTANCE_FOREIGN;",
        "the parser and the spec part on",
    ),
    "an empty collection is accepted": (
        r"EMP_FRAME_SIZE_MASK\) == 0\)",
        "EMP_FRAME_SIZE_MASK) == 16)",
        "the parser and the spec part on",
    ),
    "the own address is not compared": (
        r"if \(\*p != own\)\s+return EMP_ACCEPTANCE_FOREIGN;",
        "(void)own;",
        "the parser and the spec part on",
    ),
    "a kind more": (
        r"\(\*p\) <= (\d+)u \)",
        lambda m: f"(*p) <= {int(m[1]) + 1}u )",
        "the parser and the spec part on",
    ),
    "a verdict is dropped": (
        r"ours = EMP_ACCEPTANCE_MALFORMED;",
        "",
        "the parser and the spec part on",
    ),
    "no verdict": (
        r"\? EMP_ACCEPTANCE_OK",
        "? (enum emp_acceptance)7",
        "part on|no verdict",
    ),
    "no end": (
        r"length = \*p >>",
        "while (*p == 0x12345678u) { } length = *p >>",
        "no end",
    ),
    "the frame is written to": (
        r"length = \*p >>",
        "((uint32_t *)words)[0] = 0; length = *p >>",
        "the frame is written to",
    ),
}


@pytest.mark.parametrize("name", one_in(6, FAULTS))
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


def codec_with(
    directory: Path, protocol: ir.Protocol, old: str, new: Replacement
) -> list[str]:
    path = GENERATED.parent / protocol.name
    text = replaced((path / f"{protocol.name}_codec.h").read_text(), old, new)
    (directory / f"{protocol.name}_codec.h").write_text(text)
    return codec.prove(protocol, [directory, path], directory)[0]


@pytest.mark.parametrize("name", ["emp", "abp", "fetch"])
def test_codecs_are_proved(name: str, tmp_path: Path) -> None:
    protocol = hsmc.compile_spec(str(ROOT / f"spec/{name}/{name}.hsm"))
    told = codec_with(tmp_path, protocol, "$", "")
    assert len(told) == sum(bool(payload.sources) for payload in protocol.payloads)


@long
def test_codecs_of_the_language_are_proved(tmp_path: Path) -> None:
    """Areas, parts of parts, alternatives, bits that stay: what no spec of the repository has."""
    spec = ROOT / "tests/codecs/everything.hsm"
    protocol = hsmc.compile_spec(str(spec))
    for name, text in backend_c.generate(protocol).items():
        (tmp_path / name).write_text(text)
    assert codec.prove(protocol, [tmp_path], tmp_path)[0]


# What is put into a codec, and what the proof says of it.
CODEC_FAULTS: dict[str, tuple[str, str, Replacement, str]] = {
    "a field is absent and not 0": (
        "emp",
        r"f->tag = 0;",
        "f->tag = 1;",
        "tag is not what the layouts say",
    ),
    "a field is left as it was": (
        "emp",
        r"f->tag = 0;",
        "",
        r"\*f is read where nothing was written",
    ),
    "a local field is written to": (
        "emp",
        r"f->tag = 0;",
        "f->tag = 0; f->buffer = 0;",
        "buffer is not what the layouts say",
    ),
    "a part is unpacked of every frame": (
        "emp",
        r"if \(f->kind == EMP_FRAME_KIND_HEADER\) \{\s+f->total",
        "if (f->kind != 0) { f->total",
        "beyond what is there",
    ),
    "a neighbour's bits are spoiled": (
        "emp",
        r"\(\(uint32_t\)f->size & EMP_FRAME_SIZE_MASK\)",
        "(uint32_t)(f->size | 16u)",
        "is not that of the frame|does not come back",
    ),
    "a part is packed always": (
        "emp",
        r"if \(f->kind == EMP_FRAME_KIND_HEADER\)\s+return 36u;",
        "if (f->kind != 0) return 36u;",
        "the length is another",
    ),
    "the addresses are written": (
        "emp",
        r"words\[3\] =",
        "words[1] = 0; words[3] =",
        "word 1 is not that of the frame",
    ),
    "the Ethertype is left out": (
        "abp",
        r"\(uint32_t\)ABP_ETHERTYPE << ABP_FRAME_TYPE_SHIFT \|",
        "",
        "is not that of the frame|is not accepted",
    ),
    "two fields are swapped": (
        "abp",
        r"f->bit = \(uint8_t\)abp_frame_get_bit",
        "f->bit = (uint8_t)abp_frame_get_kind",
        "bit is not what the layouts say",
    ),
    "truncation is off by one": (
        "fetch",
        r"bytes < 24u",
        "bytes + 1u < 24u",
        "part on|beyond what is there",
    ),
    "a constant of a part is not asked for": (
        "fetch",
        r"if \(fetch_refusal_part_get_refusal_unused\(words \+ 5u\) != 0u\)\s+return \w+;",
        "",
        "accept and the layouts part on",
    ),
    "data may be cut": (
        "fetch",
        r"> bytes - header",
        "> bytes + header",
        "accept and the layouts part on",
    ),
    "another kind": (
        "fetch",
        r"FETCH_FRAME_KIND_CANCEL << ",
        "FETCH_FRAME_KIND_BLOCK << ",
        "is not that of the frame|is not accepted",
    ),
}


@pytest.mark.parametrize("fault", one_in(6, CODEC_FAULTS))
def test_a_faulty_codec_is_refuted(fault: str, tmp_path: Path) -> None:
    name, old, new, told = CODEC_FAULTS[fault]
    protocol = hsmc.compile_spec(str(ROOT / f"spec/{name}/{name}.hsm"))
    with pytest.raises(Refuted, match=told) as caught:
        codec_with(tmp_path, protocol, old, new)
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
