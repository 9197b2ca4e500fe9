# SPDX-License-Identifier: MIT
"""hsmc conform: raises that cross between processors are put by one event and come as another, in their order."""

from pathlib import Path

import pytest

import hsmc
from hsmc.conformance.conform import Conformance
from hsmc.conformance.trace_file import parse_trace

SPEC = """
protocol post

payload Parcel
  number: u16
  weight: u8

device tell(number: u16)

process Clerk
  external event order(p: Parcel)
  event packed(number: u16)

  state READY initial
    on order(p)        / tell(p.weight); raise Packer.pack(p)
    on packed(number)  / tell(number)

process Packer
  event pack(p: Parcel)
  state READY initial
    on pack(p)         / raise Clerk.packed(p.number)

placement TWO "Packing beside the rest."
  Clerk on A
  Packer on B
"""
# Two orders; their rows and operations, and the messages of Packer for them.
ORDERS = """event Clerk.order 7 1
row 10 0 0
device tell 1
device put_Packer_pack 7 1
verdict 0
event Clerk.order 8 2
row 11 0 0
device tell 2
device put_Packer_pack 8 2
verdict 0
"""
PACKED = """event Packer.pack {number} 0
row 12 2 0
device put_Clerk_packed {number}
verdict 0
"""
HEARD = """event Clerk.packed {number}
row 13 1 0
device tell {number}
verdict 0
"""


def findings(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "post.hsm"
    path.write_text(SPEC)
    protocol = hsmc.compile_spec(path)
    conformance = Conformance(protocol)
    head = f"hsmc-trace 1\nstart events\nprotocol post {protocol.hash:x}\nplacement TWO\nreturn\n"
    lines = (head + body + "idle\nend\n").splitlines(keepends=True)
    (run,) = parse_trace(path, lines).runs
    return [finding.what for finding in conformance.check_run(run).findings]


def of(text: str, *numbers: int) -> str:
    return "".join(text.format(number=number) for number in numbers)


@pytest.mark.parametrize(
    "body",
    [
        ORDERS + of(PACKED, 7, 8) + of(HEARD, 7, 8),
        ORDERS + of(PACKED, 7) + of(HEARD, 7) + of(PACKED, 8) + of(HEARD, 8),
        ORDERS + of(PACKED, 7),  # the rest is still to come
    ],
)
def test_messages_come_in_their_order(tmp_path: Path, body: str) -> None:
    """A message carries what its receiver reads: not the weight."""
    assert findings(tmp_path, body) == []


@pytest.mark.parametrize(
    "body, what",
    [
        (
            of(PACKED, 7) + ORDERS,
            "the message put_Packer_pack(7,) comes",
        ),  # before it was put
        (
            ORDERS + of(PACKED, 8, 7),
            "the message put_Packer_pack(8,) comes",
        ),  # the later one first
        (
            ORDERS + of(PACKED, 7, 7),
            "the message put_Packer_pack(7,) comes",
        ),  # once more
        (
            ORDERS + of(PACKED, 9),
            "the message put_Packer_pack(9,) comes",
        ),  # with another value
        (
            ORDERS.replace("device put_Packer_pack 8 2\n", ""),
            "Clerk.order(8, 2): nothing",
        ),  # not put at all
        (
            ORDERS.replace("put_Packer_pack 8 2", "put_Packer_pack 8 3"),
            "Clerk.order(8, 2): put_Packer_pack(8, 3)",
        ),
    ],
)
def test_other_messages_are_found(tmp_path: Path, body: str, what: str) -> None:
    assert findings(tmp_path, body) == [what]
