# SPDX-License-Identifier: MIT
"""Lets the tests import the compiler, which is run from its directory and not installed, and each other."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "gen")]
