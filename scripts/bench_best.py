# SPDX-License-Identifier: MIT
"""Which placements are worth choosing, of those that `make bench-emp` has measured: those that no other one surpasses."""

from dataclasses import dataclass

from scripts.bench_records import Record


@dataclass(frozen=True)
class Aim:
    """A figure by which placements are compared."""

    title: str
    metric: str
    bytes: int
    less_is_better: bool = False


AIMS = (
    Aim("latency", "latency", 4, less_is_better=True),
    Aim("one way", "bandwidth", 65536),
    Aim("both ways", "both_ways", 65536),
    Aim("messages", "message_rate", 4),
)

# The figures of a placement, one for each aim; a larger one is better.
Figures = tuple[float, ...]


def figures(records: list[Record]) -> dict[str, dict[str, Figures]]:
    """By profile and placement, of the placements that have a figure for each aim."""
    values = {(r.profile, r.placement, r.metric, r.bytes): r.value for r in records}
    found: dict[str, dict[str, Figures]] = {}
    for profile, placement in dict.fromkeys((r.profile, r.placement) for r in records):
        row = [values.get((profile, placement, aim.metric, aim.bytes)) for aim in AIMS]
        signed = tuple(
            -value if aim.less_is_better else value
            for aim, value in zip(AIMS, row)
            if value is not None
        )
        if len(signed) == len(AIMS):
            found.setdefault(profile, {})[placement] = signed
    return found


def surpasses(one: Figures, other: Figures) -> bool:
    """At least as good by every aim, and better by one."""
    return one != other and all(a >= b for a, b in zip(one, other))


def surpassed_by(placements: dict[str, Figures], name: str) -> list[str]:
    """The placements that surpass this one; of a placement of the Pareto set there are none."""
    mine = placements[name]
    return [other for other in placements if surpasses(placements[other], mine)]


def print_best(records: list[Record]) -> None:
    for profile, placements in figures(records).items():
        print(f"\nPlacements, profile {profile}: those that no other one surpasses")
        heads = (f"{aim.title} {aim.bytes} B" for aim in AIMS)
        print(f"{'':12}" + "".join(f"{head:>20}" for head in heads))
        for name, row in placements.items():
            shown = "".join(f"{abs(value):>20.2f}" for value in row)
            others = surpassed_by(placements, name)
            verdict = f"surpassed by {', '.join(others)}" if others else "may be best"
            print(f"{name:12}{shown}  {verdict}")
