#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Proves small C functions for all their inputs: `make prove`.

    models/prove.py                     everything
    models/prove.py --only parser       one subject: parser, codecs, accessors, support, functions,
                                        processors, units, loops

The C is compiled by clang for a big-endian machine with 32-bit addresses, as the chip is, without optimisation, and
its intermediate code executed symbolically (models/proof/symbolic.py): no input is chosen, all are covered, and every
path is followed to its end. Verdicts with their bounds go to build/prove.json. The exit status is 1 when something
does not hold, with an input for which it does not, and 2 when no answer was found.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from typing import Any, Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "gen")]

import hsmc  # noqa: E402
from hsmc import ir  # noqa: E402
from models.proof import (
    accessors,
    codec,
    event_loops,
    frame_parser,
    functions,
    processors,
    support,
    units,
)  # noqa: E402
from models.proof.interleaving import Violated  # noqa: E402
from models.proof.llvm_text import Unreadable  # noqa: E402
from models.proof.symbolic import Refuted, Tally, Undecided  # noqa: E402

# Those of which `make generate` makes C: spec/NAME/NAME.hsm.
SPECS = {
    path.stem: f"spec/{path.stem}/{path.name}"
    for path in sorted(ROOT.glob("spec/*/*.hsm"))
    if path.stem == path.parent.name
}
SUBJECTS = (
    *("parser", "codecs", "accessors", "support", "functions"),
    *("processors", "units", "loops"),
)


class Proofs:
    """What can be proved, by subject. Each gives what was proved in words, and what it took."""

    def __init__(self, build: pathlib.Path) -> None:
        self.build = build
        self.directory = build / "prove"
        self.protocols: dict[str, ir.Protocol] = {
            name: hsmc.compile_spec(str(ROOT / path)) for name, path in SPECS.items()
        }

    def generated(self, name: str) -> pathlib.Path:
        return (self.build / "gen" / name).resolve()

    def parser(self) -> tuple[list[str], Tally]:
        emp = self.generated("emp")
        proof = frame_parser.ParserProof(
            self.protocols["emp"], emp / "frame.c", [emp], self.directory
        )
        return proof.prove(), proof.executor.tally

    def codecs(self) -> tuple[list[str], Tally]:
        told, tally = [], Tally()
        for name, protocol in self.protocols.items():
            if not any(payload.sources for payload in protocol.payloads):
                continue
            words, executor = codec.prove(
                protocol, [self.generated(name)], self.directory
            )
            told += [f"{name}: {text}" for text in words]
            tally.add(executor.tally)
        return told, tally

    def accessors(self) -> tuple[list[str], Tally]:
        told, tally = [], Tally()
        for name, protocol in self.protocols.items():
            if not protocol.layouts:
                continue
            words, executor = accessors.prove(
                protocol, [self.generated(name)], self.directory
            )
            told += [f"{name}: {text}" for text in words]
            tally.add(executor.tally)
        return told, tally

    def support(self) -> tuple[list[str], Tally]:
        proof = support.SupportProof(list(self.protocols.values()), self.directory)
        return proof.prove(), proof.executor.tally

    def functions(self) -> tuple[list[str], Tally]:
        told, tally = [], Tally()
        for path in SPECS.values():
            words, taken = functions.prove_all(ROOT / path, self.directory)
            told += words
            tally.add(taken)
        return told, tally

    def processors(self) -> tuple[list[str], Tally]:
        """Not for all inputs but in all orders: each is a path."""
        told, states = processors.prove(self.directory)
        return told, Tally(paths=states)

    def units(self) -> tuple[list[str], Tally]:
        """In all orders, too."""
        told, states = units.prove(self.directory)
        return told, Tally(paths=states)

    def loops(self) -> tuple[list[str], Tally]:
        """In all orders, too."""
        told, states = event_loops.prove(self.directory)
        return told, Tally(paths=states)


def prove(subject: str, work: Callable[[], tuple[list[str], Tally]]) -> dict[str, Any]:
    """Runs one proof and prints its verdict."""
    started = time.monotonic()
    verdict: dict[str, Any] = {"subject": subject}
    try:
        told, tally = work()
        verdict |= {"result": "proved", "proved": told, **vars(tally)}
        # No function found, or no path through one: then nothing was shown.
        if not told or tally.paths == 0:
            why = f"nothing was proved: {len(told)} functions, {tally.paths} paths"
            verdict |= {"result": "undecided", "why": why}
    except Refuted as refuted:
        verdict |= {
            "result": "refuted",
            "why": str(refuted),
            "where": refuted.where,
            "input": refuted.input,
        }
    except Violated as violated:
        verdict |= {"result": "refuted", "why": str(violated)}
    except (Undecided, Unreadable) as problem:
        verdict |= {"result": "undecided", "why": str(problem)}
    verdict["seconds"] = round(time.monotonic() - started, 1)
    print(f"{subject}: {verdict['result'].upper()} in {verdict['seconds']} s", end="")
    if verdict["result"] == "proved":
        print(
            f", {verdict['paths']} paths, {verdict['instructions']} instructions, {verdict['questions']} questions to Z3"
        )
        print("".join(f"  {text}\n" for text in verdict["proved"]), end="", flush=True)
    else:
        print(f"\n  {verdict['why']}", flush=True)
    return verdict


def main() -> int:
    arguments = argparse.ArgumentParser(
        description="Proves small C functions for all their inputs."
    )
    arguments.add_argument(
        "--build",
        type=pathlib.Path,
        default=ROOT / "build",
        help="where the generated C is",
    )
    arguments.add_argument("--only", choices=SUBJECTS, help="one subject")
    options = arguments.parse_args()
    if not (options.build / "gen/emp/frame.c").exists():
        print(
            f"{options.build}/gen/emp/frame.c is not there: run `make prove`, which makes it",
            file=sys.stderr,
        )
        return 2
    proofs = Proofs(options.build)
    subjects = [options.only] if options.only else list(SUBJECTS)
    verdicts = [prove(subject, getattr(proofs, subject)) for subject in subjects]
    (options.build / "prove.json").write_text(json.dumps(verdicts, indent=1) + "\n")
    results = {verdict["result"] for verdict in verdicts}
    return 1 if "refuted" in results else 2 if "undecided" in results else 0


if __name__ == "__main__":
    sys.exit(main())
