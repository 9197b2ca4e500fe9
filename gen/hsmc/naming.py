"""Names and literals of the generated languages, as plain functions: the templates use them as filters."""

from __future__ import annotations

import re


def snake(name: str) -> str:
    """A name of the spec in lower case with underscores.

    >>> snake("SendMessage"), snake("next_frame"), snake("WAIT_ACK"), snake("ACTIVE.PHY")
    ('send_message', 'next_frame', 'wait_ack', 'active_phy')
    >>> snake("MACAddress")
    'mac_address'
    """
    name = name.replace(".", "_")
    if name.upper() == name:
        return name.lower()
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return name.lower()


def upper(name: str) -> str:
    """A name of the spec as a macro or enumerator.

    >>> upper("SendMessage"), upper("node_limit")
    ('SEND_MESSAGE', 'NODE_LIMIT')
    """
    return snake(name).upper()


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
