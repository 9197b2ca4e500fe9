# SPDX-License-Identifier: MIT
"""A syntax error that comes of a habit of C says what to write instead, and stands where the habit shows."""

from pathlib import Path

import pytest

from hsmc.compilation.compiler import Compilation

ROW = """protocol t
device tell(n: u32)
action act()
  %s
process P
  external event go(n: u32)
  variable v: u32
  state A initial
    on go(n)
      when %s / %s -> A
      else / act(); tell(v)
"""
GOOD_LINE, GOOD_GUARD, GOOD_ACTION = "tell(1)", "n == 1", "v := n"
LOOP = "a loop is written 'repeat N while CONDITION', where N, a constant, is how often it runs at most"
SEMICOLON = "';' stands between two statements on one line: leave it out at the end"

GUARDS = {
    "n == 1 && v == 2": ("&&", "'&&': write 'and'"),
    "n == 1 &&v == 2": ("&&", "'&&': write 'and'"),
    "n == 1 || v == 2": ("||", "'||': write 'or'"),
    "!(n == 1)": ("!", "'!': write 'not'"),
    "n == 1 and !v": ("!", "'!': write 'not'"),
    "n = 1": ("= 1", "'=': write '==' to compare"),
    "n === 1": ("===", "'===': write '==' to compare"),
    "n =< 1": ("=<", "'=<': write '<='"),
    "n <> 1": ("<>", "'<>': write '!='"),
    "1 < n <= 3": (
        "<=",
        "comparisons are not chained: write '1 < n and n <= ...'",
    ),
    "v == 1 and min(1, v) < n + 1 < 3": (
        "< 3",
        "comparisons are not chained: write 'min(1, v) < n + 1 and n + 1 < ...'",
    ),
    "n == 1 ? true : false": ("?", "'?': write 'a if condition else b'"),
}
ACTIONS = {
    "v == n": ("== n", "'==': write ':=' to assign"),
    "tell(1); v = n": ("= n", "'=': write ':=' to assign"),
    "v++": ("++", "'++': write 'v := v + 1'"),
    "++v": ("++", "'++': write 'v := v + 1'"),
    "v--": ("--", "'--': write 'v := v - 1'"),
    "v += 2": ("+=", "'+=': write 'v := v + ...'"),
    "v := n;": (";", SEMICOLON),
    "v := 1 // as before": ("//", "'//': a comment begins with '#'"),
}
LINES = {
    "tell(1);": (";", SEMICOLON),
    "while v < 3": ("while", f"'while': {LOOP}"),
    "while (v < 3)\n    tell(v)": ("while", f"'while': {LOOP}"),
    "while (v < 3) {": ("while", f"'while': {LOOP}"),
    "do\n    tell(v)": ("do", f"'do': {LOOP}"),
    "for (i = 0; i < 3; i++)": ("for", f"'for': {LOOP}"),
    "let x := 3": (
        ":=",
        "':=': write '=', which gives a name its value; ':=' assigns to what exists already",
    ),
    "if v = 3\n    tell(1)": ("=", "'=': write '==' to compare"),
    "if v := 3\n    tell(1)": (
        ":=",
        "':=': an assignment is a statement and has no value; write '==' to compare",
    ),
    "if v == 3 {\n    tell(1)": (
        "{",
        "'{': a block is marked by its indentation, without braces",
    ),
    "if v == 3:\n    tell(1)": (
        ":",
        "':': a block follows its line without a colon",
    ),
    "v = 3": ("=", "'=': write ':=' to assign"),
}


def errors(tmp_path: Path, text: str) -> list[tuple[str, int, int, str]]:
    path = tmp_path / "t.hsm"
    path.write_text(text)
    return [
        (d.code, d.span.line, d.span.column, d.message)
        for d in Compilation(path).diagnostics()
    ]


def check(
    tmp_path: Path, fields: tuple[str, str, str], line: int, sign: str, message: str
) -> None:
    text = ROW % fields
    column = text.split("\n")[line - 1].rindex(sign) + 1
    assert errors(tmp_path, text) == [("HSM0101", line, column, message)]


@pytest.mark.parametrize("guard", GUARDS)
def test_guard(tmp_path: Path, guard: str) -> None:
    check(tmp_path, (GOOD_LINE, guard, GOOD_ACTION), 10, *GUARDS[guard])


@pytest.mark.parametrize("action", ACTIONS)
def test_action(tmp_path: Path, action: str) -> None:
    check(tmp_path, (GOOD_LINE, GOOD_GUARD, action), 10, *ACTIONS[action])


@pytest.mark.parametrize("line", LINES)
def test_line(tmp_path: Path, line: str) -> None:
    check(tmp_path, (line, GOOD_GUARD, GOOD_ACTION), 4, *LINES[line])


def test_without_mistakes_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert errors(tmp_path, ROW % (GOOD_LINE, GOOD_GUARD, GOOD_ACTION)) == []


@pytest.mark.parametrize(
    "before, after, line, blanks",
    [
        # The line itself.
        ("      else", "     else", 11, 5),
        ("      else", "       else", 11, 7),
        # Not the next line, which only stands where it should.
        ("      when", "     when", 10, 5),
        ("  external", "   external", 6, 3),
        ("  external event go(n: u32)\n", "   external event go(n: u32)\n\n", 6, 3),
    ],
)
def test_odd_indentation(
    tmp_path: Path, before: str, after: str, line: int, blanks: int
) -> None:
    text = ROW % (GOOD_LINE, GOOD_GUARD, GOOD_ACTION)
    assert before in text
    found = errors(tmp_path, text.replace(before, after))
    low = blanks // 2 * 2
    message = f"{blanks} blanks of indentation: a level has 2, so {low} or {low + 2} are meant"
    assert [e[1:] for e in found] == [(line, blanks + 1, message)]
