# SPDX-License-Identifier: MIT
"""The records of build/bench.json: one for each figure that a bench measures on the simulated boards."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

RESULT = Path("build/bench.json")
PLOTS = Path("build/bench")


@dataclass
class Record:
    """A figure: what was measured of which build, beside what the wire allows and what was published (none: null)."""

    profile: str
    placement: str
    metric: str
    bytes: int
    loss: float
    value: float
    unit: str
    limit: Optional[float]
    paper: Optional[float]
    detail: str = ""


def write(records: list[Record], result: Path = RESULT) -> None:
    """Replaces the records of the same profiles in the file; those of other profiles are another bench's and stay."""
    profiles = {record.profile for record in records}
    kept: list[dict[str, Any]] = []
    if result.exists():
        found = json.loads(result.read_text(encoding="utf-8"))
        kept = [record for record in found if record["profile"] not in profiles]
    merged = sorted(
        kept + [asdict(record) for record in records], key=lambda r: r["profile"]
    )
    result.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
