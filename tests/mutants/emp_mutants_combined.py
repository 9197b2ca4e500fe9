# SPDX-License-Identifier: MIT
"""The broken specs of test_mutants.py that show only where features meet: in larger bounds, or with another feature at work."""

from tests.mutants.emp_mutants import Mutant

COMBINED_MUTANTS = [
    Mutant(
        "the last message that waits is forgotten to have left when it may pass",
        "passing.hsm",
        "if SendMessage[next].follower == none SendPeer[m.peer].last := none",
        "",
        "every_send_completes",
        "passed_in_turn:c:liveness",
        profile="modern",
    ),
    Mutant(
        "a peek is told the length of the first frame",
        "receive.hsm",
        "complete(d, PEEKED, f.total_length)",
        "complete(d, PEEKED, f.length)",
        "honest_peek",
        "peeked_frames:c:safety",
        profile="modern",
    ),
    Mutant(
        "a report that names a frame beyond the collection is believed",
        "repair.hsm",
        "return all & (all ^ f.frame)",
        "return all ^ f.frame",
        "nonsense_changes_nothing",
        "one_message:c:safety",
        profile="modern",
    ),
    Mutant(
        "damage hides from the watch that another frame has come",
        "receive.hsm",
        "raise Watch.begun(r)  # something new has come, though as many frames are missing as before",
        "",
        "honest_silence",
        "damaged_silent:c:safety",
        profile="modern",
    ),
]
