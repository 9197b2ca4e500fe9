# SPDX-License-Identifier: MIT
"""A spec of many rows: what `make bench` measures `hsmc check` with, and a test checks."""

from __future__ import annotations

ROWS_OF_A_PROCESS = 100
STATES = 5
EVENTS = ROWS_OF_A_PROCESS // STATES // 2  # two rows each


def large_spec(rows: int) -> str:
    """A multiple of a hundred. Each process has guards with a function, assignments, calls of a device, counters."""
    lines = ["protocol large", "", "device tell(number: u32)", "", "counter lost"]
    for process in range(rows // ROWS_OF_A_PROCESS):
        lines += [
            "",
            f"function ahead_{process}(number: u32): bool = number & 0xFFFF < {process + 16}",
            "",
            f"process Part{process}",
        ]
        lines += [f"  external event event_{e}(number: u32)" for e in range(EVENTS)]
        lines.append(f"  variable last_{process}: u32")
        for state in range(STATES):
            lines.append(f"  state STATE_{state}{' initial' if state == 0 else ''}")
            for event in range(EVENTS):
                lines += [
                    f"    on event_{event}(number)",
                    f"      when ahead_{process}(number) / last_{process} := number + {event}; "
                    f"tell(last_{process}) -> STATE_{(state + event + 1) % STATES}",
                    "      else / count lost",
                ]
    return "\n".join(lines) + "\n"
