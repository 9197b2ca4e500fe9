# SPDX-License-Identifier: MIT
"""The checks that follow values through the finished protocol. Run only when it has no errors."""

from __future__ import annotations

from .. import ir
from ..frontend.context import Context
from .data_flow import check_data_flow
from .constant_comparisons import check_comparisons
from .event_checks import check_ignored, check_timers
from .placement_checks import check_placements
from .generated_names import check_generated_names
from ..frontend.places import Places
from .ranges import Ranges
from .record_flow import RecordFlow
from .reference_checks import check_references
from .world_ranges import check_worlds


def check_protocol(context: Context, protocol: ir.Protocol) -> None:
    places = Places(context)
    check_generated_names(protocol, places)
    RecordFlow(protocol, places).check()
    check_references(protocol, places)
    ranges = Ranges(protocol, places)
    ranges.check()
    check_comparisons(protocol, places, ranges)
    check_worlds(protocol, places)
    check_timers(context, protocol, places, ranges)
    check_ignored(protocol, places)
    check_data_flow(protocol, places)
    check_placements(context, protocol, places)
