# SPDX-License-Identifier: MIT
"""Model checking: every `check` of a spec in the world written for it, as generated Promela and as generated C.

    subject         a spec with its world and its configurations
    search          building and running one verifier, reading what it printed
    verdicts        what came of searches: tables, JSON, unequal engines, transitions never taken
    narration       what a verifier prints while it executes a trail
    counterexample  from a violation to a trail people can read
    trail           the file of a counterexample
    trail_text      a trail replayed by the reference interpreter, as text
    diagram         the same as a sequence diagram, in the terminal and as SVG
    native          a trail on the generated C with the world's devices, without SPIN
"""
