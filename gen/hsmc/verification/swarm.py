# SPDX-License-Identifier: MIT
"""A swarm (Holzmann, Joshi, Groce: Swarm Verification Techniques, 2011) of what does not fit into memory.

Each member searches the same states with bits instead of states, in another random order and with another hash. So each
misses other states, and a violation that one does not reach another may. All of them together prove nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from .search import Limits, Run

HASHES = 500  # that pan knows
BITS = (2, 3, 4)  # set for a state, by members in turn


def compiler_flags(limits: Limits) -> list[str]:
    return ["-DT_RAND", "-DP_RAND"] if limits.swarm else []


def arguments(limits: Limits, member: int) -> list[str]:
    """Of pan, for a member counted from 1; none where there is no swarm."""
    if not limits.swarm:
        return []
    result = [f"-h{member % HASHES}", f"-k{BITS[member % len(BITS)]}", f"-RS{member}"]
    return result + ([f"-Q{limits.minutes}"] if limits.minutes else [])


def merge(run: Run, members: Sequence[Run]) -> None:
    """Of the members that ran, in order: the last one is the one that found a violation, if any did. States that several
    members have stored cannot be told apart, so the largest number is what the swarm has seen at least.
    """
    last = members[-1]
    run.states = max(member.states for member in members)
    run.transitions = sum(member.transitions for member in members)
    run.depth = max(member.depth for member in members)
    run.megabytes = max(member.megabytes for member in members)
    run.not_taken = sorted(set.intersection(*(set(m.not_taken) for m in members)))
    run.not_executed = sorted(set.intersection(*(set(m.not_executed) for m in members)))
    run.errors, run.failure, run.violated = last.errors, last.failure, last.violated
    run.member = len(members) if last.errors else 0
    run.incomplete = [
        f"a swarm of {len(members)}: states may have been missed; one of them stored {run.states}, "
        f"all together visited no more than {sum(member.states for member in members)}"
    ]
    cut_short = sum(member.cut_short for member in members)
    if cut_short:
        run.incomplete.append(f"{cut_short} of them did not come to their end")
