#!/usr/bin/python3
"""Prints X(member) for each member of the state struct of a generated header.

A port that gives every member a place of its own (emp_port.h) needs their names, and must not fall
behind the spec. Reads the plain struct the compiler writes: one member a line.
"""

import re
import sys

MEMBER = re.compile(r"^\s+(?:struct\s+)?\w+\s+(\w+)(?:\[.*\])?;")


def main() -> None:
    path, prefix = sys.argv[1:]
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    found = re.search(r"^struct " + prefix + r"_state \{\n(.*?)^\};", text, re.M | re.S)
    if not found:
        sys.exit(f"{path}: no struct {prefix}_state")
    lines = [line for line in found[1].splitlines() if ";" in line]
    members = [match[1] for match in map(MEMBER.match, lines) if match]
    if not members or len(members) != len(lines):
        sys.exit(f"{path}: struct {prefix}_state is not one plain member a line")
    print(
        f"/* Generated from {path.rsplit('/', 1)[-1]} by state_members.py; do not edit. */"
    )
    print(f"#define {prefix.upper()}_STATE_MEMBERS(X) \\")
    print(" \\\n".join(f"    X({member})" for member in members))


if __name__ == "__main__":
    main()
