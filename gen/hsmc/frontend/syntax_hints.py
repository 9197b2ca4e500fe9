# SPDX-License-Identifier: MIT
"""What to write instead, where a syntax error comes of a habit of C or of an indentation that is no multiple of two.

Asked only once the parser has refused a text, so nothing here decides what is a spec: it looks at the characters around
the place of the error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional, Sequence

INDENTATION = 2  # blanks per level
COMPARISON = re.compile(r"==|!=|<=|>=|<(?!<)|>(?!>)")
# What an assignment may have on its left, at the end of what stands before the error.
PLACE = re.compile(r"\s*([A-Za-z_]\w*(?:\.\w+|\[[^\]]*\])*)\s*$")
ROWS = re.compile(r"\s*(on|when|else|after|entry|exit)\b")
ROWS_ACTIONS = re.compile(r"(?:^|\s)/(?=\s|$)|^/")
LOOP = re.compile(r"[ ]*(while\b|do(?=[ ]*\{|[ ]*\n)|for(?=\s*\())")
REPEAT = "a loop is written 'repeat N while CONDITION', where N, a constant, is how often it runs at most"
OPENS_EXPRESSION = re.compile(r"\b(?:when|if|else|while|and|or|not|return|select)\b|:=")

# What C writes, and what to write here.
WRITTEN = {
    "===": "write '==' to compare",
    "!==": "write '!=' for unequal",
    "&&": "write 'and'",
    "||": "write 'or'",
    "!": "write 'not'",
    "=<": "write '<='",
    "=>": "write '>=' to compare, '->' before the state a row leads to",
    "<>": "write '!='",
    "?": "write 'a if condition else b'",
    "//": "a comment begins with '#'",
    "/*": "a comment begins with '#', in each of its lines",
    "{": "a block is marked by its indentation, without braces",
    "}": "a block is marked by its indentation, without braces",
}
# What these should be depends on where they stand.
DEPENDING = "<<= >>= += -= *= /= %= &= |= ^= ++ -- := == != <= >= = < > ; :".split()
SIGNS = sorted([*WRITTEN, *DEPENDING], key=len, reverse=True)
SEMICOLON = "';' stands between two statements on one line: leave it out at the end"


@dataclass(frozen=True)
class Hint:
    start: int
    length: int
    message: str


def habit_hint(text: str, position: int) -> Optional[Hint]:
    """For an error at the position of the text, where a line is a logical one: continued lines are joined."""
    start = text.rfind("\n", 0, position) + 1
    if not text[
        start:position
    ].strip():  # a block where none may be: what opens it is the line before
        above = _loop(text, text.rfind("\n", 0, max(start - 1, 0)) + 1)
        if above is not None:
            return above
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    column = position - start
    loop = _loop(text, start)
    if loop is not None:
        return loop
    before = line[:column].rstrip()
    if before.endswith(";"):
        return Hint(start + len(before) - 1, 1, SEMICOLON)
    for operator in SIGNS:
        for offset in range(len(operator)):
            at = column - offset
            if at >= 0 and line.startswith(operator, at):
                message = _message(operator, line[:at], line[at + len(operator) :])
                if message is None:
                    return None
                return Hint(start + at, len(operator), message)
    return None


def _loop(text: str, start: int) -> Optional[Hint]:
    """For a line that begins at `start` and is a loop of C."""
    loop = LOOP.match(text, start)
    if loop is None:
        return None
    word = loop.group(1)
    return Hint(loop.start(1), len(word), f"'{word}': {REPEAT}")


def _message(operator: str, before: str, after: str) -> Optional[str]:
    if operator in WRITTEN:
        return f"'{operator}': {WRITTEN[operator]}"
    place = _assigned_place(before)
    if operator in ("++", "--"):
        following = re.match(r"\s*([\w.]+)", after)
        name = place or (following.group(1) if following else "x")
        return f"'{operator}': write '{name} := {name} {operator[0]} 1'"
    if operator == ";":
        return SEMICOLON if not after.strip() or after.lstrip()[:2] == "->" else None
    if operator == ":":
        opens = re.match(r"\s*(if|else|when|repeat)\b", before)
        if after.strip() or not opens:
            return None
        return "':': a block follows its line without a colon"
    if operator == ":=":
        if re.match(r"\s*(let|constant|external|parameter|set|world)\b", before):
            return "':=': write '=', which gives a name its value; ':=' assigns to what exists already"
        return (
            "':=': an assignment is a statement and has no value; write '==' to compare"
        )
    if operator in ("=", "=="):
        if place is not None:
            return f"'{operator}': write ':=' to assign"
        if operator == "=":
            return (
                "'=': write '==' to compare"
                if OPENS_EXPRESSION.search(before)
                else None
            )
    if operator in ("==", "!=", "<", "<=", ">", ">="):
        return _chained(operator, before)
    if place is not None:  # += and its like
        return f"'{operator}': write '{place} := {place} {operator[:-1]} ...'"
    return None


def _assigned_place(before: str) -> Optional[str]:
    """What stands before the error, if a statement begins with it and it could be assigned to."""
    segment = before
    if ROWS.match(before):
        begin = ROWS_ACTIONS.search(before)
        if begin is None:
            return None
        segment = before[begin.end() :]
    elif before.lstrip().startswith("/"):
        segment = before.lstrip()[1:]
    found = PLACE.match(segment.split(";")[-1])
    return found.group(1) if found else None


def _chained(operator: str, before: str) -> Optional[str]:
    """`a < b <= c`: the message for the second comparison of a chain."""
    depth, begin = 0, len(before)
    while begin > 0:  # back to what the innermost bracket encloses
        character = before[begin - 1]
        depth += (character in ")]") - (character in "([")
        if depth < 0 or depth == 0 and character in ",;":
            break
        begin -= 1
    tail = before[begin:]
    for opens in OPENS_EXPRESSION.finditer(tail):
        tail = before[begin + opens.end() :]
    first = COMPARISON.search(tail)
    if first is None:
        return None
    left = tail[: first.start()].strip()
    middle = tail[first.end() :].strip()
    if not left or not middle:
        return None
    return (
        "comparisons are not chained: write "
        f"'{left} {first.group()} {middle} and {middle} {operator} ...'"
    )


def odd_line(indents: Sequence[int], index: int) -> Optional[int]:
    """Which of the lines, of which the one at the index fits no block, has an indentation that is no multiple of two: it
    or one before it in the blocks around. None: all have."""
    if indents[index] % INDENTATION:
        return index
    odd: Optional[int] = None
    for number in range(index - 1, -1, -1):
        if indents[number] % INDENTATION:
            odd = number  # the first one of the block: the others follow it
        elif odd is not None or indents[number] < indents[index]:
            break
    return odd


def indentation_message(blanks: int) -> str:
    return (
        f"{blanks} blank{'s' * (blanks != 1)} of indentation: a level has {INDENTATION}, "
        f"so {blanks - blanks % INDENTATION} or {blanks + INDENTATION - blanks % INDENTATION} are meant"
    )
