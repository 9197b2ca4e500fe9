"""Timers that a world speaks of and the spec does not have, or not any more: an edit or a mutant has removed them.

Such a world still compiles: the timer is never armed, so what the world does when it is armed never happens.
"""

from __future__ import annotations

import re
from pathlib import Path

from .. import ir, naming
from ..backends.c_expressions import CNames

# `PREFIX_TIMER_NAME` that are no timers.
MACROS = {"ARM", "CANCEL", "COUNT", "STRIDE"}


def lost_timers(protocol: ir.Protocol, world: str, directory: Path) -> list[str]:
    """As the world writes them behind `PREFIX_TIMER_`."""
    prefix = CNames(protocol).prefix
    paths = sorted({*directory.glob("*.pml"), *directory.glob("*.h")})
    mine = [p for p in paths if p.name.startswith(f"{prefix}_")]
    text = "".join([world, *(path.read_text() for path in mine)])
    expires = re.findall(rf"\b{prefix}_expire_(\w+)", text)
    named = re.findall(rf"\b{prefix.upper()}_TIMER_(\w+)", text)
    known = {naming.upper(timer.name) for timer in protocol.timers}
    return sorted({*map(str.upper, expires), *named} - known - MACROS)


def with_lost_timers(
    files: dict[str, str], protocol: ir.Protocol, lost: list[str]
) -> dict[str, str]:
    """What is generated for a model, with those timers declared."""
    if not lost:
        return files
    prefix = CNames(protocol).prefix
    promela = ["", "/* --- timers of the world that the spec does not have --- */"]
    c = ["", "/* Timers of the world that the spec does not have. */"]
    # Their bits lie behind those of the others, as if they were declared last.
    for number, name in enumerate(lost, start=len(protocol.timers)):
        macro = f"{prefix.upper()}_TIMER_{name}"
        promela += [
            f"#define {macro} {number}",
            f"inline {prefix}_expire_{name.lower()}()",
            "{",
            "\tassert(false)",
            "}",
        ]
        c += [f"#ifndef {macro}", f"#define {macro} {number}u", "#endif"]
    result = dict(files)
    result[f"{prefix}.pml"] += "".join(f"{line}\n" for line in promela)
    result[f"{prefix}_check.h"] += "".join(f"{line}\n" for line in c)
    return result
