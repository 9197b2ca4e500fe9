"""Shared by the compiler's tests: finds the package and the specs."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SPECS = [TOP / "spec/abp/abp.hsm", TOP / "spec/emp/emp.hsm"]
HSMC = TOP / "gen/bin/hsmc"

sys.path.insert(0, str(TOP / "gen"))
