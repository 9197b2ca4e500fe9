"""What is searched: a spec, the world around it, its check configurations and their bounds."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Mapping, Optional, Sequence

from .. import ir, naming
from ..backends import backend_c, backend_promela, backend_world
from ..command_line import Failure, choose
from ..compiler import Compilation, bounds_of
from ..report import SpecError
from .lost_timers import lost_timers, with_lost_timers

TOP = Path(__file__).resolve().parents[3]  # holds gen/, models/ and fw-runtime/
ENGINES = ("promela", "c")
KINDS = ("safety", "liveness")
LEVELS = ("quick", "default", "nightly")

# Lines of the world's opening comment: ` * Faults: loss, reordering (in_flight > 1)`. What is named besides is no fault
# of the wire, or happens only so many times.
FAULTS = re.compile(r"^\s*\*?\s*Faults:\s*(.+)$", re.MULTILINE)
BESIDES = re.compile(r"^\s*\*?\s*Besides:\s*(.+)$", re.MULTILINE)
WIRE = re.compile(r"^\s*\*?\s*Wire:\s*(.+)$", re.MULTILINE)
CONDITION = re.compile(r"(.*?)\s*\((\w+) ([<>]) (\w+)\)$")


@dataclass(frozen=True)
class World:
    """What surrounds the nodes, `<protocol>_world.pml`: generated from the spec, or written by hand with its devices beside
    it. `directory`: where that is; for a generated one, where the spec is."""

    name: str  # of the file
    directory: Path
    text: str = field(
        repr=False
    )  # with its opening comment; of a generated one only that
    generated: bool = False

    def faults(self, values: Mapping[str, int]) -> list[str]:
        """What the world does to frames, as its opening comment says; a fault may depend on a bound or a setting."""
        return [text for text, there in self._named(FAULTS, values) if there]

    def besides(self, values: Mapping[str, int]) -> list[str]:
        """What else befalls nodes and hosts."""
        return [text for text, there in self._named(BESIDES, values) if there]

    def absent(self, values: Mapping[str, int]) -> list[str]:
        """What this world can do and does not, with these bounds and settings."""
        named = (
            *self._named(FAULTS, values),
            *self._named(BESIDES, values),
        )
        return [text for text, there in named if not there]

    def _named(
        self, line: re.Pattern[str], values: Mapping[str, int]
    ) -> Iterator[tuple[str, bool]]:
        for found in line.finditer(self.text):
            for item in found[1].split(","):
                text = item.strip().rstrip(".")
                condition = CONDITION.match(text)
                if condition is None:
                    yield text, True
                    continue
                left = values.get(condition[2], 0)
                right = condition[4]
                bound = int(right) if right.isdigit() else values.get(right, 0)
                there = left > bound if condition[3] == ">" else left < bound
                yield condition[1], there

    @property
    def wire_devices(self) -> list[str]:
        """Device operations that put a frame on the wire, as the opening comment says."""
        found = WIRE.search(self.text)
        return [w.strip().rstrip(".") for w in found[1].split(",")] if found else []


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
    besides: list[str]
    absent: list[str]  # what the world can do, and does not here
    directory: Path

    @property
    def name(self) -> str:
        return f"{self.protocol}/{self.check} {self.engine} {self.kind}"


class Subject:
    """A spec that is verified. Everything made for it lies below `directory`."""

    def __init__(
        self,
        spec: Path,
        build: Path,
        world: Optional[Path] = None,
        profile: Optional[str] = None,
    ) -> None:
        self.spec = spec
        self.profile = profile
        self.compilation = Compilation(spec, profile=profile)
        self.protocol = self._protocol(None)
        self.name = self.protocol.name
        self.directory = (build / self.name).absolute()
        self.named_world = None if world is None else str(world)
        # By check; the one written by hand is there where a check needs it.
        self.worlds: dict[str, World] = {}
        self.world_by_hand: Optional[World] = None
        self.lost_timers: list[str] = []
        for check in self.protocol.checks:
            self.worlds[check.name] = self._world(check, world)
        if world is not None and self.world_by_hand is None:
            raise Failure(f"{spec} has all its worlds: --world {world} is for nothing")
        self._checked: dict[str, ir.Protocol] = {}
        self._generated: dict[str, list[Path]] = {}

    def _world(self, check: ir.Check, named: Optional[Path]) -> World:
        world = self.protocol.world_of(check.name)
        if world is not None and (named is None or check.within):
            return generated_world(self.spec, self.protocol, world)
        if self.world_by_hand is None:
            found = read_world(named or find_world(self.spec, self.name))
            self.world_by_hand = found
            self.lost_timers = lost_timers(self.protocol, found.text, found.directory)
        return self.world_by_hand

    def _protocol(self, check: Optional[str], liveness: bool = False) -> ir.Protocol:
        protocol = self.compilation.protocol(check, liveness)
        if protocol is None:
            raise SpecError(self.compilation.report.diagnostics)
        return protocol

    def checked(self, check: str) -> ir.Protocol:
        """With the configuration applied."""
        if check not in self._checked:
            self._checked[check] = self._protocol(check)
        return self._checked[check]

    def check(self, name: str) -> ir.Check:
        return next(check for check in self.protocol.checks if check.name == name)

    def generated(self, check: str, kind: str = "safety") -> list[Path]:
        """Writes what is generated for a configuration; the directories to look into for headers: first its own, then
        the world's."""
        world = self.worlds[check].directory
        if self.worlds[check].generated:
            world = self.directory / check / kind
        common = self._common(check)
        return [common[0], world, *common[1:]]

    def _common(self, check: str) -> list[Path]:
        """The same for both kinds of search."""
        if check in self._generated:
            return self._generated[check]
        plain = self.directory / "c"
        write(plain, backend_c.generate(self.protocol))
        own = self.directory / check
        try:
            files = backend_promela.generate(self.checked(check))
        except backend_promela.Unsupported as error:
            raise Failure(f"{self.name}/{check}: {error}", 1) from None
        write(own, with_lost_timers(files, self.protocol, self.lost_timers))
        try:
            for kind in KINDS if self.worlds[check].generated else ():
                protocol = self._protocol(check, kind == "liveness")
                write(own / kind, backend_world.generate(protocol, kind == "liveness"))
        except backend_world.Unsupported as error:
            raise Failure(f"{self.name}/{check}: {error}", 1) from None
        self._generated[check] = [own, plain, TOP / "models", TOP]
        return self._generated[check]

    @property
    def path_by_hand(self) -> Optional[Path]:
        """Of the world that is not in the spec."""
        world = self.world_by_hand
        return world.directory / world.name if world is not None else None

    def bounds(self, check: ir.Check, kind: str) -> dict[str, int]:
        """The world's settings. `X_liveness`, where a check has it, takes the place of `X` when searching for cycles."""
        bounds = bounds_of(self.protocol, check.name, kind == "liveness")
        bounds.pop("nightly", None)
        world = self.protocol.world_of(check.name)
        if self.worlds[check.name].generated and world is not None:
            declared = {b.name: b.value for b in world.bounds}
            bounds = {**declared, **bounds}
        return bounds

    def search(self, check: str, engine: str, kind: str) -> Search:
        declared = self.check(check)
        bounds = self.bounds(declared, kind)
        directory = self.directory / check / f"{engine}_{kind}"
        settings = dict(declared.settings)
        values = {**self.constants, **settings, **bounds}
        world = self.worlds[check]
        return Search(
            self.name,
            check,
            engine,
            kind,
            bounds,
            settings,
            world.faults(values),
            world.besides(values),
            world.absent(values),
            directory,
        )

    @property
    def constants(self) -> dict[str, int]:
        """As the spec has them, before a check changes them."""
        return {c.name: c.value for c in self.protocol.constants}

    def searches(
        self,
        checks: Sequence[str] = (),
        level: str = "default",
        engines: Sequence[str] = ENGINES,
        kinds: Sequence[str] = KINDS,
    ) -> Iterator[Search]:
        """Those asked for; both engines of a configuration next to each other. Naming a check overrides the level."""
        for position, check in enumerate(self.protocol.checks):
            wanted = {
                "quick": position == 0,
                "default": not is_nightly(check),
                "nightly": True,
            }[level]
            if check.name in checks if checks else wanted:
                for kind in KINDS:
                    for engine in ENGINES:
                        if kind in kinds and engine in engines:
                            yield self.search(check.name, engine, kind)

    def left_out(self, level: str) -> list[str]:
        """Configurations that the level does not search."""
        run = {search.check for search in self.searches(level=level)}
        return [check.name for check in self.protocol.checks if check.name not in run]

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


# What else is asserted, by worlds and devices of what they are asked for and answered, by words of the assertion.
CONTRACTS = {
    "invalid array index": (
        "index_in_bounds",
        "No element outside an array, table or set of bits is read or written.",
    ),
    "hsm_verdict": (
        "event_accepted",
        "An event that the world may offer is never refused.",
    ),
    "slot_wanted": (
        "one_slot_at_a_time",
        "A slot on the wire is asked for once, by the side that sends.",
    ),
}


def is_nightly(check: ir.Check) -> bool:
    """Is the check too long for every day? It says so itself: `world nightly = 1`."""
    return bool(dict(check.world).get("nightly", 0))


def find_world(spec: Path, protocol: str) -> Path:
    """`models/<protocol>_world.pml` beside the spec or above it, then in the project the compiler belongs to."""
    name = f"{protocol}_world.pml"
    above = list(spec.resolve().parents)
    for directory in [above[0], *(each / "models" for each in [*above, TOP])]:
        if (directory / name).is_file():
            return directory / name
    raise Failure(
        f"there is no world for protocol {protocol}: expected models/{name} beside {spec} or above it; "
        "--world names another file; 'check NAME in WORLD' takes one of the spec"
    )


def read_world(path: Path) -> World:
    from ..command_line import read_text

    path = path.resolve()
    return World(path.name, path.parent, read_text(path))


def generated_world(spec: Path, protocol: ir.Protocol, world: ir.World) -> World:
    """What a spec's own world does to frames and nodes, in the form of the opening comment of one written by hand."""
    named = (("loss", world.loses), ("duplication", world.repeats))
    faults = [name for name, fault in named if fault and fault.limit is None]
    faults += ["reordering (in_flight > 1)"] * world.reorders
    lines = [f"Faults: {', '.join(faults)}"] if faults else []
    for name, fault in named:
        if fault and fault.limit is not None:
            condition = f" ({fault.bound} > 0)" if fault.bound else ""
            lines.append(f"Besides: {name} up to a limit{condition}")
    for offer in world.offers:
        if offer.fault and offer.doc:
            conditions = [f"{bound} > 0" for bound in offer.bounds]
            condition = f" ({conditions[0]})" if conditions else ""
            lines.append(f"Besides: {offer.doc.rstrip('.')}{condition}")
    devices = dict.fromkeys(wire.device for wire in world.wires)
    lines += [f"Wire: {', '.join(devices)}"] if devices else []
    lines = list(dict.fromkeys(lines))
    name = f"{naming.plain(protocol.name)}_world.pml"
    return World(name, spec.resolve().parent, "\n".join(lines), True)


def shown(path: Path) -> str:
    """As a person would write it here."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)


def choose_checks(subjects: Sequence[Subject], names: Sequence[str]) -> None:
    """Ends the command when no spec has a configuration of that name."""
    known = [check.name for s in subjects for check in s.protocol.checks]
    for name in names:
        choose("check configuration", name, known, f"; there are: {', '.join(known)}")


def write(directory: Path, files: dict[str, str]) -> None:
    from ..command_line import write_all

    write_all({directory / name: text for name, text in files.items()})
