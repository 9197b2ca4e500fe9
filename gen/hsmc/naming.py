# SPDX-License-Identifier: MIT
"""Names and literals of the generated languages, as plain functions: the templates use them as filters."""

from __future__ import annotations

import re
from typing import Sequence


# What a name by itself may not be in C (or C++, for headers hosts include), in any spelling: keywords, macros of
# compilers and standard headers, types of SPIN's verifiers, and what generated bodies are made of.
C_WORDS = frozenset(
    """alignas alignof and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr
    continue decltype default delete do double dynamic_cast else enum errno explicit export extern false float for friend
    goto i386 if inline int int8_t int16_t int32_t int64_t linux long main mips mutable namespace new noexcept not_eq
    nullptr operator or_eq private protected public register reinterpret_cast restrict return short signed sizeof static
    static_assert static_cast stderr stdin stdout struct switch template this thread_local throw true try typedef typeid
    typename typeof typeof_unqual uchar uint uint8_t uint16_t uint32_t uint64_t ulong union unix unsigned using ushort
    virtual void volatile wchar_t while wire_direction wire_number wire_put wire_store queue_put xor xor_eq""".split()
)
PROMELA_WORDS = frozenset(
    """active assert atomic bit bool break byte chan d_step do else empty enabled end eval false fi for full get_priority
    goto hidden if in init inline int len local ltl mtype nempty never nfull notrace od of pc_value print printf printm
    priority proctype product provided run select set_priority short show skip timeout trace true typedef unless
    unsigned xr xs""".split()
)
# Counters of loops, and what fw-runtime/hsm_support.h declares.
GENERATED = re.compile(r"turn_[0-9]+$|hsm_|_")


def snake(name: str) -> str:
    """A name of the spec as one of generated code that stands by itself: in lower case with underscores, kept clear of
    words that mean something else.

    >>> snake("SendMessage"), snake("next_frame"), snake("WAIT_ACK"), snake("ACTIVE.PHY")
    ('send_message', 'next_frame', 'wait_ack', 'active_phy')
    >>> snake("MACAddress"), snake("default"), snake("turn_1")
    ('mac_address', 'default_', 'turn_1_')
    """
    name = plain(name)
    return f"{name}_" if name in C_WORDS or GENERATED.match(name) else name


def plain(name: str) -> str:
    """The same where it is a part of a name only.

    >>> plain("default")
    'default'
    """
    name = name.replace(".", "_")
    if name.upper() == name:
        return name.lower()
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return name.lower()


def compact(name: str) -> str:
    """The same without underscores: what names of a protocol begin with.

    >>> compact("net_link"), compact("NetLink"), compact("emp")
    ('netlink', 'netlink', 'emp')
    """
    return plain(name).replace("_", "")


def upper(name: str) -> str:
    """A name of the spec as a macro or enumerator, of which it is a part.

    >>> upper("SendMessage"), upper("node_limit")
    ('SEND_MESSAGE', 'NODE_LIMIT')
    """
    return plain(name).upper()


def comment(text: str) -> str:
    """Text that may stand inside a C comment.

    >>> comment("a */ b /* c")
    'a * / b / * c'
    """
    return text.replace("*/", "* /").replace("/*", "/ *")


def quoted(text: str) -> str:
    r"""A C string literal.

    >>> print(quoted('say "so"'))
    "say \"so\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def unsigned(text: str) -> str:
    """A number as written in the spec, as an unsigned C literal.

    >>> unsigned("0x2000"), unsigned("15")
    ('0x2000u', '15u')
    """
    return f"{text}u"


def hexadecimal(number: int) -> str:
    """A 32-bit word.

    >>> hexadecimal(255)
    '0x000000ffu'
    """
    return f"0x{number:08x}u"


def indented(text: str, depth: int) -> str:
    """Every line that is not empty one tab per level deeper.

    >>> indented("a\\n\\nb", 1)
    '\\ta\\n\\n\\tb'
    """
    tabs = "\t" * depth
    return "\n".join(tabs + line if line else line for line in text.split("\n"))


def filled(parts: Sequence[str], mark: str, columns: int) -> list[str]:
    """Parts joined by a mark and a blank, as many on a line as fit.

    >>> filled(["first", "second", "third"], ",", 14)
    ['first, second,', 'third']
    """
    lines = [""]
    for index, part in enumerate(parts):
        text = part + (mark if index + 1 < len(parts) else "")
        if lines[-1] and len(lines[-1]) + 1 + len(text) > columns:
            lines.append(text)
        else:
            lines[-1] += (" " if lines[-1] else "") + text
    return lines


def sum_terms(number: int) -> int:
    """How many shifted terms must be added or subtracted to multiply by the number.

    >>> [sum_terms(n) for n in (1, 8, 36, 28, 168, 172)]
    [1, 1, 2, 2, 3, 4]
    """
    terms = 0
    while number:
        if number & 1:
            terms += 1
            number += 1 if number & 2 else -1
        number >>= 1
    return terms
