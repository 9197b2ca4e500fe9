# SPDX-License-Identifier: MIT
"""A new kind of node: mypy names every place of the compiler that has no case for it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]

KIND = """
@dataclass(frozen=True{keywords})
class New{union}({base}):
    part: "{union}"


{union}{annotation} = Union[
    New{union},
"""

# Of each file with a union of kinds: the class they derive from, if not one for each union, and how they are declared.
UNIONS = {
    "ir_values.py": ("ExpressionBase", ", kw_only=True", ("Expression",)),
    "ir_statements.py": ("StatementBase", ", kw_only=True", ("Statement",)),
    "frontend/ast.py": ("Node", "", ("Expression", "Statement")),
}

# These visit a union of their own: what stands in worlds only.
ELSEWHERE = {"backends/backend_world.py"}

# The last case of these is a call with a type of its own, so that another kind does not fit it.
FRONT_END = {"frontend/expressions.py", "frontend/statements.py"}


@long
def test_each_visitor_without_a_case_is_an_error(tmp_path: Path) -> None:
    package = tmp_path / "gen/hsmc"
    ignored = shutil.ignore_patterns("__pycache__", ".mypy_cache")
    shutil.copytree(TOP / "gen/hsmc", package, ignore=ignored)
    for file, (base, keywords, unions) in UNIONS.items():
        path = package / file
        text = path.read_text()
        for union in unions:
            text, count = re.subn(
                rf"^{union}(: TypeAlias)? = Union\[\n",
                lambda found: KIND.format(
                    union=union,
                    base=base,
                    keywords=keywords,
                    annotation=found.group(1) or "",
                ),
                text,
                flags=re.MULTILINE,
            )
            assert count == 1, f"{file}: {union}"
        path.write_text(text)
    expected = {
        (str(path.relative_to(package)), number)
        for path in package.rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(r"^ +assert_never\(", line)
        and str(path.relative_to(package)) not in ELSEWHERE
    }
    assert len(expected) >= 13
    command = ["mypy", "--config-file", str(TOP / "scripts/mypy.ini"), "gen"]
    result = subprocess.run(
        [*command, "--no-pretty", "--no-error-summary"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": "gen"},
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"^gen/hsmc/(\S+):(\d+): error:", result.stdout, re.MULTILINE)
    assert errors, result.stdout + result.stderr
    found = {(file, int(line)) for file, line in errors}
    assert expected <= found, sorted(expected - found)
    assert FRONT_END <= {file for file, _ in found}
