"""The checks that follow values through the finished protocol. Run only when it has no errors."""

from __future__ import annotations

from . import ir
from .context import Context
from .places import Places
from .record_flow import RecordFlow


def check_protocol(context: Context, protocol: ir.Protocol) -> None:
    places = Places(context)
    RecordFlow(protocol, places).check()
