# SPDX-License-Identifier: MIT
"""At which calls of devices a world looks at timers: there the moment at which a row arms one can be seen.

Read from the tree, of all worlds: with a check applied only one of them is resolved, but the code of the nodes is the
same.
"""

from __future__ import annotations

from . import ast
from .executions import nodes_of
from .worlds import worlds_of


def devices_with_timers_seen(spec: ast.Spec) -> frozenset[str]:
    """The devices at whose calls a line `observe` or `wire` reads `timers_stopped`."""
    return frozenset(name for world in worlds_of(spec) for name in _of_world(world))


def _of_world(world: ast.World) -> set[str]:
    names, known = {"timers_stopped"}, 0
    while known != len(names):
        known = len(names)
        names |= {f.name.text for f in world.functions if _reads(f.body, names)}
        # `quiet` asks whether a host line can occur.
        if any(_reads(offer.when, names) for offer in world.offers):
            names.add("quiet")
    seen = {
        watch.device.text
        for watch in world.observers
        if watch.device is not None and _reads(watch.actions, names)
    }
    return seen | {
        wire.device.text for wire in world.wires if _reads((wire.when, wire.at), names)
    }


def _reads(item: object, names: set[str]) -> bool:
    return any(
        isinstance(node, ast.NameUse) and node.name in names for node in nodes_of(item)
    )
