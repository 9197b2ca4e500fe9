# SPDX-License-Identifier: MIT
"""What is searched: a spec, the world around it, its check configurations and their bounds."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, NoReturn, Optional, Sequence

from .. import ir, naming
from ..backends import backend_c, backend_promela, backend_world, c_units
from ..backends import executions, model_size
from ..backends.exchange import Exchange, divided
from ..failure import Failure, choose
from ..compilation.compiler import Compilation, has_divided_bounds
from ..placement import PlacementAnalysis
from ..report import SpecError

TOP = Path(__file__).resolve().parents[3]  # holds gen/, models/ and fw-runtime/
ENGINES = ("c", "promela")
KINDS = ("safety", "liveness")
LEVELS = ("quick", "default", "nightly")


@dataclass(frozen=True)
class Search:
    """One thing to search: a configuration, with one engine, for one kind of property."""

    protocol: str
    check: str
    engine: str
    kind: str
    bounds: dict[str, int]  # of the world
    settings: dict[str, int]  # of the spec
    faults: list[str]
    other_faults: list[str]
    absent: list[str]  # what the world can do, and does not here
    directory: Path

    @property
    def name(self) -> str:
        return f"{self.protocol}/{self.check} {self.engine} {self.kind}"


# A protocol as a placement divides it; no placement, no exchange.
Divided = tuple[ir.Protocol, Optional[Exchange]]


class Subject:
    """A spec that is verified, in one profile. Everything made for it lies below `directory`. `name`: the protocol's, with
    the profile if it is not the default one, as in "emp@modern", and the placement: "emp@SO". With a placement whose
    processors exchange messages, the nodes are divided as it says. With one whose events all run under the lock, on either
    processor, nothing is divided: `same_as_one` is this placement, and all else that of one processor.
    """

    def __init__(
        self,
        spec: Path,
        build: Path,
        profile: Optional[str] = None,
        placement: Optional[str] = None,
    ) -> None:
        self.spec = spec
        self.profile = profile
        self.compilation = Compilation(spec, profile=profile)
        self.placement: Optional[ir.Placement] = None
        self.protocol = self._protocol(None)
        default = next((p.name for p in self.protocol.profiles if p.default), None)
        self.name = self.protocol.name
        if self.protocol.profile != default:
            self.name += f"@{self.protocol.profile}"
        self.placement = self._placement(placement)
        self.same_as_one: Optional[ir.Placement] = None
        if self.placement is not None and self.placement.dynamic:
            self.same_as_one, self.placement = self.placement, None
        if self.placement is not None:
            self.name += f"@{self.placement.name}"
        self.directory = (build / self.name).absolute()
        if self.protocol.checks and not self.protocol.worlds:
            raise Failure(
                f"{spec} has no world in which its checks could be searched: write what surrounds the nodes, "
                "'world NAME' with nodes, hosts and wires; docs/language.md, 'Worlds', shows how"
            )
        self._checked: dict[tuple[str, str], Divided] = {}
        self._written: set[tuple[str, str]] = set()  # check, kind

    def _protocol(self, check: Optional[str], liveness: bool = False) -> ir.Protocol:
        protocol = self.compilation.protocol(
            check, liveness, self.placement is not None
        )
        if protocol is None:
            raise SpecError(self.compilation.report.diagnostics)
        return protocol

    def _placement(self, name: Optional[str]) -> Optional[ir.Placement]:
        if name is None:
            return None
        known = [declared.name for declared in self.protocol.placements]
        choose("placement", name, known)
        return self.protocol.placements[known.index(name)]

    def _divided(self, protocol: ir.Protocol) -> Divided:
        """As the placement divides it, and what its processors have to do with each other. Raises Failure where no image
        has such a placement."""
        if self.placement is None:
            return protocol, None
        try:
            analysis = PlacementAnalysis(protocol)
            exchange = c_units.exchange_of(analysis, self.placement)
        except c_units.Unsupported as error:
            raise Failure(str(error)) from None
        return divided(exchange), exchange

    def _configured(self, check: str, kind: str) -> Divided:
        if (check, kind) not in self._checked:
            whole = self._protocol(check, kind == "liveness")
            self._checked[check, kind] = self._divided(whole)
        return self._checked[check, kind]

    def checked(self, check: str, kind: str = "safety") -> ir.Protocol:
        """With the configuration applied, and the bounds of this kind of search; divided as the placement says."""
        return self._configured(check, kind)[0]

    def world(self, check: str, kind: str = "safety") -> ir.World:
        world = self.checked(check, kind).world_of(check)
        assert world is not None
        return world

    def executions(self, check: str) -> list[ir.Execution]:
        """What a search of this check may execute besides transitions."""
        return executions.all_of(self.protocol, self.world(check))

    @property
    def world_file(self) -> str:
        """The name of what SPIN reads."""
        return f"{naming.plain(self.protocol.name)}_world.pml"

    def check(self, name: str) -> ir.Check:
        return next(check for check in self.protocol.checks if check.name == name)

    def generated(self, check: str, kind: str = "safety") -> list[Path]:
        """Writes what is generated for a configuration; the directories to look into for headers: first its own, then
        the world's."""
        own, plain = self.directory / check, self.directory / "c"
        try:
            if not self._written:
                write(plain, backend_c.generate(self._divided(self.protocol)[0]))
            if (check, "") not in self._written:
                write(own, backend_promela.generate(self.checked(check)))
            if (check, kind) not in self._written:
                protocol, exchange = self._configured(check, kind)
                files = backend_world.generate(protocol, kind == "liveness", exchange)
                write(own / kind, files)
        except (backend_promela.Unsupported, backend_world.Unsupported) as error:
            raise Failure(f"{self.name}/{check}: {error}", 1) from None
        self._written |= {(check, ""), (check, kind)}
        return [own, own / kind, plain, TOP / "models", TOP]

    def need_room(self, check: str, kind: str) -> None:
        """Raises SpecError where SPIN has no room for the generated Promela."""
        own, world, *_ = self.generated(check, kind)
        texts = {p.name: p.read_text() for d in (own, world) for p in d.glob("*.pml")}
        protocol = self.checked(check, kind)
        if found := model_size.too_large(protocol, texts):
            self.no_room(check, found)

    def no_room(self, check: str, found: model_size.TooLarge) -> NoReturn:
        sources = self.compilation.spec.sources
        raise SpecError([model_size.diagnostic(sources, check, found)])

    def search(self, check: str, engine: str, kind: str) -> Search:
        world = self.world(check, kind)
        return Search(
            self.name,
            check,
            engine,
            kind,
            {bound.name: bound.value for bound in world.bounds},
            dict(self.check(check).settings),
            *possible_faults(world),
            self.directory / check / f"{engine}_{kind}",
        )

    def searches(
        self,
        checks: Sequence[str] = (),
        level: str = "default",
        engines: Sequence[str] = ENGINES,
        kinds: Sequence[str] = KINDS,
    ) -> Iterator[Search]:
        """Those asked for; both engines of a configuration next to each other. Naming a check overrides the level."""
        out = self.left_out(level)
        for check in self.protocol.checks:
            if check.name in checks if checks else check.name not in out:
                for kind in KINDS:
                    for engine in ENGINES:
                        if kind in kinds and engine in engines:
                            yield self.search(check.name, engine, kind)

    def left_out(self, level: str) -> list[str]:
        """Configurations that the level does not search. With a placement these are also those without bounds for it, which
        may be too large for divided nodes."""
        fit = [
            c
            for c in self.protocol.checks
            if self.placement is None or has_divided_bounds(c)
        ]
        searched = {
            "quick": fit[:1],
            "default": [check for check in fit if not is_nightly(check)],
            "nightly": fit,
        }
        return [c.name for c in self.protocol.checks if c not in searched[level]]

    def property_of(self, message: str) -> str:
        """The property a message of pan's speaks of."""
        for candidate in self.protocol.properties:
            if re.search(rf"\b{candidate.name}\b", message):
                return candidate.name
        liveness = [p.name for p in self.protocol.properties if p.kind == "liveness"]
        if "acceptance cycle" in message:
            return liveness[0] if liveness else "liveness"
        if "invalid end state" in message:
            return "no_deadlock"
        for internal in INTERNAL:
            if internal in message:
                return internal
        for words, (contract, _) in CONTRACTS.items():
            if words in message:
                return contract
        return message

    def documentation(self, name: str) -> str:
        """What a property says."""
        for candidate in self.protocol.properties:
            if candidate.name == name:
                return candidate.doc
        return dict(CONTRACTS.values()).get(name, INTERNAL.get(name, ""))


INTERNAL = {
    "never_event": "An event comes only where the spec does not say 'never'.",
    "pool_exhausted": "A record is created only when one is free.",
    "no_deadlock": "The world ends only when everything is done.",
    # What generated C checks (fw-runtime/hsm_checks.h); the Promela looks at ranges, too.
    "index_in_bounds": "No element outside an array, table or set of bits is read or written.",
    "reference_names_record": "Where a record is needed, a reference names one of its pool.",
    "record_in_use": "No record that is free is written, or released again.",
    "value_in_range": "A place with a declared range holds nothing else.",
    "shift_in_word": "No shift is by more than 31.",
}


# What else is asserted, by words of the assertion.
CONTRACTS = {
    "invalid array index": (
        "index_in_bounds",
        "No element outside an array, table or set of bits is read or written.",
    ),
    "hsm_verdict": (
        "event_accepted",
        "An event that the world may offer is never refused.",
    ),
}


def is_nightly(check: ir.Check) -> bool:
    """Is the check too long for every day? It says so itself: `world nightly = 1`."""
    return bool(dict(check.world).get("nightly", 0))


def possible_faults(world: ir.World) -> tuple[list[str], list[str], list[str]]:
    """Faults of the link without a limit; other faults, of link, nodes and hosts; and what this world can do and
    does not, with the bounds and settings of a check."""
    named = (("loss", world.loses), ("duplication", world.repeats))
    faults = {name: True for name, fault in named if fault and fault.limit is None}
    if world.reorders:
        faults["reordering"] = world.in_flight > 1
    other_faults = {
        f"{name} up to a limit": fault.limit != 0
        for name, fault in named
        if fault and fault.limit is not None
    }
    for offer in world.offers:
        if offer.doc:
            text = offer.doc.rstrip(".")
            other_faults[text] = other_faults.get(text, False) or not ir.ruled_out(
                offer.when
            )
    return (
        [text for text, present in faults.items() if present],
        [text for text, present in other_faults.items() if present],
        [text for text, present in {**faults, **other_faults}.items() if not present],
    )


def shown(path: Path) -> str:
    """As a person would write it here."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def choose_checks(subjects: Sequence[Subject], names: Sequence[str]) -> None:
    """Ends the command when no spec has a configuration of that name."""
    known = [check.name for s in subjects for check in s.protocol.checks]
    for name in names:
        choose("check configuration", name, known, f"; there are: {', '.join(known)}")


def write(directory: Path, files: dict[str, str]) -> None:
    from ..files import write_all

    write_all({directory / name: text for name, text in files.items()})
