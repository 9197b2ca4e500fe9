#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make bench-loss` prints: what EMP carries over a wire that loses frames, for each profile and size of messages.

A file crosses between two simulated boards, and each frame is lost with the same probability in both directions. Times
are simulated, so results are the same everywhere. build/bench_loss.json has a record for each figure.
"""

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

BUILDS = {"paper": Path("build"), "modern": Path("build/modern")}
SIZES = (4096, 65536)
LOSSES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.3)
FILE_BYTES = 2_000_000
SEEDS = (1, 2, 3)
LIMITS = {4096: 961.5, 65536: 965.4}  # of the wire, Mb/s: docs/reference/targets.md 3.1
RESULT = Path("build/bench_loss.json")


def content() -> bytes:
    """Of the file: the same everywhere."""
    blocks = (FILE_BYTES + 31) // 32
    data = b"".join(hashlib.sha256(str(i).encode()).digest() for i in range(blocks))
    return data[:FILE_BYTES]


def goodput(build: Path, size: int, loss: float, seed: int, work: Path) -> float:
    """In Mb/s; the file must arrive as it was sent."""
    command = [str(build / "host/emp_demo"), "transfer", "--quiet"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", f"--file={work / 'sent'}"]
    command += [f"--output={work / 'received'}", f"--json={work / 'result'}"]
    command += [f"--message-bytes={size}", f"--loss={loss}", f"--seed={seed}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    result = json.loads((work / "result").read_text(encoding="utf-8"))
    if not result["sha256_equal"]:
        raise SystemExit(f"the file changed on its way: {' '.join(command)}")
    return float(result["mbps"])


def main() -> None:
    records = []
    print("Goodput of a file of 2 MB, Mb/s of simulated time, mean of three seeds")
    print("profile  bytes " + "".join(f"{100 * loss:8g} %" for loss in LOSSES))
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "sent").write_bytes(content())
        for size in SIZES:
            for profile, build in BUILDS.items():
                row = []
                for loss in LOSSES:
                    found = [goodput(build, size, loss, s, work) for s in SEEDS]
                    row.append(sum(found) / len(found))
                    records.append(
                        {
                            "profile": profile,
                            "placement": "base",
                            "metric": "goodput",
                            "bytes": size,
                            "loss": loss,
                            "value": round(row[-1], 1),
                            "unit": "Mb/s",
                            "limit": LIMITS[size],
                            "paper": None,
                        }
                    )
                print(f"{profile:7} {size:6} " + "".join(f"{v:10.1f}" for v in row))
                shares = "".join(f"{100 * v / row[0]:9.0f} %" for v in row)
                print(f"{'':7} {'':6} " + shares)
    RESULT.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
