# SPDX-License-Identifier: MIT
"""Specs of the tree, each compiled once by a process of the tests: for tests of what is made of them, which leave it as
it is. To compile EMP takes longer than most of them do otherwise."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Optional

from hsmc import ir
from hsmc.compilation.compiler import compile_spec

TOP = Path(__file__).resolve().parents[1]


@functools.cache
def _compiled(spec: Path, check: Optional[str], profile: Optional[str]) -> ir.Protocol:
    return compile_spec(spec, check, profile)


def compiled(
    spec: str | Path, check: Optional[str] = None, profile: Optional[str] = None
) -> ir.Protocol:
    """As compile_spec does. A spec that a test has written may be another one under its path by now."""
    path = Path(spec).resolve()
    assert path.relative_to(TOP).parts[0] != "build"
    return _compiled(path, check, profile)
