#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that every source file names its licence in an SPDX line; --write adds the line where it is missing.

The line is the first one, behind `#!`; of a spec the last one, because reports and documents cite its lines. Test data
(everything a test reads or compares) and documents have none: LICENSE covers them.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, Optional

TOP = Path(__file__).resolve().parents[1]
IDENTIFIER = "SPDX-License-Identifier: MIT"
# Code of the kernel has the kernel's licence; its interface to programs may be used by any of them.
KERNEL = re.compile(r"^host/driver/")
KERNEL_IDENTIFIER = "SPDX-License-Identifier: GPL-2.0"
SLASHES = f"/* {IDENTIFIER} */"
HASH = f"# {IDENTIFIER}"
LINES = {
    **dict.fromkeys(
        (".c", ".h", ".S", ".inc", ".lds", ".in", ".rl", ".js", ".css"), SLASHES
    ),
    **dict.fromkeys(
        (".py", ".mk", "Kbuild", ".sh", ".hsm", "Makefile", "hsmc", "run"), HASH
    ),
    ".j2": f"{{#- {IDENTIFIER} -#}}",
    ".lark": f"// {IDENTIFIER}",
}
DATA = re.compile(r"(^|/)golden/|^tests/.*\.(hsm|js|h\.in)$|^tests/compiler/.*\.inc$")


def line_of(path: str) -> Optional[str]:
    """
    >>> line_of("sim/core/cpu.c"), line_of("gen/bin/hsmc"), line_of("docs/board.md"), line_of("tests/a/golden/x.c")
    ('/* SPDX-License-Identifier: MIT */', '# SPDX-License-Identifier: MIT', None, None)
    >>> line_of("host/driver/card.c")
    '/* SPDX-License-Identifier: GPL-2.0 */'
    """
    if DATA.search(path):
        return None
    name = Path(path)
    line = LINES.get(name.suffix or name.name)
    if line and KERNEL.search(path):
        return line.replace(IDENTIFIER, KERNEL_IDENTIFIER)
    return line


def identifier_of(line: str) -> str:
    """
    >>> identifier_of("/* SPDX-License-Identifier: GPL-2.0 */")
    'SPDX-License-Identifier: GPL-2.0'
    """
    return KERNEL_IDENTIFIER if KERNEL_IDENTIFIER in line else IDENTIFIER


def with_line(path: str, text: str, line: str) -> str:
    """
    >>> with_line("a.sh", "#!/bin/sh\\ntrue\\n", "# X")
    '#!/bin/sh\\n# X\\ntrue\\n'
    """
    if path.endswith(".hsm"):
        return f"{text}{line}\n"
    begin = text.index("\n") + 1 if text.startswith("#!") else 0
    return f"{text[:begin]}{line}\n{text[begin:]}"


def missing(top: Path) -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        ["git", "-C", str(top), "ls-files", "-z"], check=True, capture_output=True
    ).stdout.decode()
    if not listed:
        sys.exit(f"{top}: git knows no file here")
    for path in filter(None, listed.split("\0")):
        line = line_of(path)
        file = top / path
        if line is None or not file.is_file() or file.is_symlink():
            continue
        if identifier_of(line) not in file.read_text():
            yield path, line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="add the missing lines")
    parser.add_argument("--top", type=Path, default=TOP)
    options = parser.parse_args()
    found = list(missing(options.top))
    for path, line in found:
        if options.write:
            file = options.top / path
            file.write_text(with_line(path, file.read_text(), line))
        else:
            print(
                f"{path}: no line '{line}'; scripts/licence.py --write adds it",
                file=sys.stderr,
            )
    return int(bool(found) and not options.write)


if __name__ == "__main__":
    sys.exit(main())
