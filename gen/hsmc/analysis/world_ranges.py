# SPDX-License-Identifier: MIT
"""What is certainly wrong in the lines of worlds, and comparisons there that say nothing.

As in specs, an index, a shift, a number of bits that is outside whatever happens is an error, and so is a number whose
bits are always lost. What only may be outside is checked while a search runs, for all values that there can be within
the bounds (models/world_support.h): what bounds the variables of a world is how its lines play together.
"""

from __future__ import annotations

from typing import Optional

from .. import ir, walk
from ..frontend.places import Places
from .constant_comparisons import LOGICAL, outcome_of
from .facts import Facts
from .ranges import Ranges

CERTAIN = ("HSM0315", "HSM0319")

Outcome = Optional[tuple[bool, str]]


class WorldRanges(Ranges):
    """The bounds are those of the spec without a check."""

    def report(self, code: str, place: ir.Place, message: str) -> None:
        if code in CERTAIN:
            super().report(code, place, message)

    def step(self, statement: ir.Statement, facts: Facts) -> Facts:
        if isinstance(statement, ir.Assert):
            self.value(statement.condition, facts)
            return facts
        return super().step(statement, facts)

    def check_world(self, world: ir.World) -> None:
        for wire in world.wires:
            self._condition(wire.when)
            still = wire.unchanged.when if wire.unchanged is not None else None
            self._line(wire.arrives, (still, *wire.event.arguments), wire.block)
        for offer in world.offers:
            sent = offer.sent.arguments if offer.sent is not None else ()
            offered = [(event.record, *event.arguments) for event in offer.events]
            parts = [part for event in offered for part in event]
            self._line(offer.when, (*parts, *sent), offer.block)
        for observer in world.observers:
            self.run(observer.block.statements, Facts({}))
        if world.end is not None:
            self._line(world.end.when, (), world.end.block)
        claims = [claim.condition for claim in world.always]
        claims += [claim.condition for claim in world.eventually]
        for condition in (world.ready, world.timers, *claims):
            self._condition(condition)

    def _condition(self, condition: Optional[ir.Expression]) -> Facts:
        """What is known where it holds."""
        facts = Facts({})
        if condition is not None:
            self.value(condition, facts)
            self.assume(condition, True, facts)
        return facts

    def _line(
        self,
        condition: Optional[ir.Expression],
        parts: tuple[Optional[ir.Expression], ...],
        block: ir.Block,
    ) -> None:
        facts = self._condition(condition)
        if facts.dead:
            return  # the bounds rule it out
        for part in parts:
            if part is not None:
                self.value(part, facts)
        self.run(block.statements, facts)

    # --- comparisons

    def check_comparisons(self, world: ir.World) -> None:
        """What is written once may stand in several lines, with other arguments or choices: all must say the same. Of
        bounds, which checks set, and of arguments of functions nothing is known."""
        outcomes: dict[ir.Place, Outcome] = {}
        written: dict[ir.Place, str] = {}
        without_reports = self.without_reports()
        for node in walk.nodes(list(walk.world_parts(world))):
            if not isinstance(node, ir.Binary) or node.operator not in LOGICAL:
                continue
            outcome: Outcome = None
            if node.value is None and self._says_itself(node):
                left = without_reports.value(node.left, Facts({}))
                right = without_reports.value(node.right, Facts({}))
                found, reason = outcome_of(node, left, right)
                outcome = (found, reason) if found is not None else None
            before = outcomes.setdefault(node.place, outcome)
            if (before and before[0]) != (outcome and outcome[0]):
                outcomes[node.place] = None
            written[node.place] = (
                "condition" if node.operator in ("and", "or") else "comparison"
            )
        for place, decided in outcomes.items():
            if decided is not None:
                truth = "always" if decided[0] else "never"
                message = f"this {written[place]} {truth} holds: {decided[1]}"
                self.places.error("HSM0318", place, message)

    def _says_itself(self, node: ir.Expression) -> bool:
        """Are all numbers in it written there?"""
        return all(
            self.places.text(each.place) == each.text
            for each in walk.nodes(node)
            if isinstance(each, ir.Number)
        )


def check_worlds(protocol: ir.Protocol, places: Places) -> None:
    ranges = WorldRanges(protocol, places)
    for world in protocol.worlds:
        ranges.check_world(world)
        ranges.check_comparisons(world)
