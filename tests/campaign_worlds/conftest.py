# SPDX-License-Identifier: MIT
"""Lets the tests import the compiler, which is run from its directory and not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "gen"))
