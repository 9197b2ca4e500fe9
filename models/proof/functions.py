# SPDX-License-Identifier: MIT
"""Functions of a spec, as the C that hsmc makes of them, against the statements of spec/NAME/proofs.c, for all inputs.

Model checking reaches these functions at the sizes of its checks; here all sizes are covered that a statement supposes
(statements.h), with the constants of the spec as it stands. proofs.c is proved in every profile, and proofs_PROFILE.c
in its own. Every statement must be reached by some input, so that no proof holds because its suppositions exclude all.
"""

from __future__ import annotations

import pathlib
import re

import z3

import hsmc
from hsmc import ir, naming
from hsmc.backends import backend_c

from . import c_code
from .llvm_text import Function, Integer
from .symbolic import Executor, Refuted, State, Tally, Undecided

PREFIX = "proof_"
ASSERTS = "proof_must_hold"


def statements_of(folder: pathlib.Path, profile: str) -> list[pathlib.Path]:
    """The files of statements in a protocol's folder that say something of this profile."""
    files = [folder / "proofs.c", folder / f"proofs_{profile}.c"]
    return [path for path in files if path.exists()]


def prove_all(spec: pathlib.Path, directory: pathlib.Path) -> tuple[list[str], Tally]:
    """What was proved of a spec in each of its profiles, in words. Raises Refuted where something does not hold."""
    told, tally = [], Tally()
    profiles = [profile.name for profile in hsmc.compile_spec(spec).profiles]
    known = {path for name in profiles for path in statements_of(spec.parent, name)}
    for path in sorted(spec.parent.glob("proofs*.c")):
        if path not in known and path.name != "proofs.c":
            raise Undecided(f"{path.name} is of no profile of {spec.name}")
    for profile in profiles or [""]:
        sources = statements_of(spec.parent, profile)
        if not sources:
            continue
        protocol = hsmc.compile_spec(spec, profile=profile or None)
        words, executor = prove(protocol, sources, directory)
        told += words
        tally.add(executor.tally)
    return told, tally


def prove(
    protocol: ir.Protocol,
    sources: list[pathlib.Path],
    directory: pathlib.Path,
    only: str = "",
) -> tuple[list[str], Executor]:
    """What was proved of a protocol in one profile; `only`: by this proof. Raises Refuted."""
    whose = " ".join(filter(None, (protocol.name, protocol.profile)))
    own = directory / f"functions_{whose.replace(' ', '_')}"
    own.mkdir(parents=True, exist_ok=True)
    for name, content in backend_c.generate(protocol).items():
        (own / name).write_text(content)
    lines = [
        "models/proof/statements.h",
        f"{naming.plain(protocol.name)}.c",
        *(str(path.resolve()) for path in sources),
    ]
    text = "".join(f'#include "{line}"\n' for line in lines)
    module = c_code.compile_text(text, own, "functions", [own], partly=True)
    executor = Executor(module, asserts=ASSERTS)
    said = {
        name: (path.name, text)
        for path in sources
        for name, text in proofs_in(path.read_text()).items()
    }
    readable = module.functions.keys() | module.unreadable.keys()
    if said.keys() != {name for name in readable if name.startswith(PREFIX)}:
        raise Undecided(f"{whose}: expected each proof to begin `void {PREFIX}NAME(`")
    told = []
    for name, (file, text) in said.items():
        if only and name != PREFIX + only:
            continue
        executor.asserted.clear()
        function = executor.function(name)
        try:
            paths = _prove_one(executor, function)
        except Refuted as refuted:
            where = f"{whose}, {file}, in {name}: {refuted.where}"
            raise Refuted(refuted.what, where, refuted.input) from refuted
        told.append(
            f"{whose}: {name.removeprefix(PREFIX)}: statements {len(executor.asserted)}, paths {paths}, "
            + bounds(function, text)
        )
    return told, executor


def _prove_one(executor: Executor, function: Function) -> int:
    """The number of paths. Raises Refuted."""
    arguments = []
    for type, name in function.parameters:
        if not isinstance(type, Integer):
            raise Undecided(f"{function.name}: expected numbers as parameters")
        arguments.append(z3.BitVec(name, type.bits))
    ends = executor.call(function.name, arguments, State())
    lines = {
        step.line
        for block in function.blocks.values()
        for step in block
        if step.operation == "call" and step.callee == ASSERTS
    }
    unreached = sorted(lines - executor.asserted.keys())
    if unreached or not lines:
        where = f"line {unreached[0]}" if lines else "no line"
        raise Refuted(
            "no input reaches this statement: the proof would say nothing",
            f"{function.name}, {where}",
            {},
        )
    return len(ends)


def proofs_in(source: str) -> dict[str, str]:
    """The text of each proof, by its name.

    >>> proofs_in("void proof_half(uint32_t n) {\\n    PROVE(half(2 * n) == n);\\n}\\n")
    {'proof_half': '    PROVE(half(2 * n) == n);\\n'}
    """
    found = re.findall(
        rf"^void ({PREFIX}\w+)\([^)]*\) {{\n(.*?)^}}$", source, re.MULTILINE | re.DOTALL
    )
    return dict(found)


def bounds(function: Function, text: str) -> str:
    """Of what all values are covered."""
    names = ", ".join(name for _, name in function.parameters)
    supposed = [
        " ".join(condition.split())
        for condition in re.findall(
            r"SUPPOSE\((.*?)\);$", text, re.MULTILINE | re.DOTALL
        )
    ]
    return f"for all {names}" + (f" with {', '.join(supposed)}" if supposed else "")
