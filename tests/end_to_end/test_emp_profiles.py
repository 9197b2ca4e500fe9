# SPDX-License-Identifier: MIT
"""Each profile of EMP on simulated boards: random faults, traces against its spec, and what it gains under loss."""

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROFILES = ["modern"]


def goodput(build: Path, message_bytes: int, loss: float, work: Path) -> float:
    """Of a file over a wire that loses frames both ways, in Mb/s of simulated time: the same on every machine."""
    sent = work / "sent"
    sent.write_bytes(bytes(range(256)) * 2000)
    command = [build / "host/emp_demo", "transfer", "--quiet", f"--file={sent}"]
    command += [f"--output={work / 'received'}", f"--json={work / 'json'}"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", f"--loss={loss}"]
    subprocess.run(
        [*map(str, command), f"--message-bytes={message_bytes}"],
        cwd=TOP,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    result = json.loads((work / "json").read_text(encoding="utf-8"))
    assert result["sha256_equal"]
    return float(result["mbps"])


@pytest.mark.parametrize("profile", PROFILES)
def test_random_faults(profile: str) -> None:
    build = Path("build") / profile
    image = str(build / "firmware/emp_a_checked.elf")
    result = subprocess.run(
        [build / "tests/campaign", "20"],
        cwd=TOP,
        env={**os.environ, "EMP_IMAGE": image},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1600 messages, 0 worlds failed" in result.stdout


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("program", ["test_messages", "end_to_end/test_tagged"])
def test_programs_of_a_profile(program: str, profile: str) -> None:
    build = Path("build") / profile
    result = subprocess.run(
        [build / "tests" / program],
        cwd=TOP,
        env={**os.environ, "EMP_IMAGE": str(build / "firmware/emp_a.elf")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("profile", PROFILES)
def test_traces_agree_with_the_spec(profile: str) -> None:
    command = ["scripts/conform.py", "--worlds=10", f"--profile={profile}"]
    result = subprocess.run(
        [*command, f"--build=build/{profile}"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 unexplained" in result.stdout


@pytest.mark.parametrize(
    "message_bytes, loss, gain",
    [(4096, 0.01, 1.8), (4096, 0.1, 3.5), (65536, 0.01, 1.3), (65536, 0.1, 1.5)],
)
def test_modern_keeps_more_under_loss(
    message_bytes: int, loss: float, gain: float, tmp_path: Path
) -> None:
    """It sends only missing frames again, as soon as it knows: at least so many times what `paper` carries."""
    paper = goodput(Path("build"), message_bytes, loss, tmp_path)
    modern = goodput(Path("build/modern"), message_bytes, loss, tmp_path)
    assert modern > gain * paper


@pytest.mark.parametrize("message_bytes", [4096, 65536])
def test_modern_shares_a_receiver_among_many_senders(message_bytes: int) -> None:
    """Fifteen whole windows would overflow the switch. Windows that follow the round trips keep the wire to the receiver
    full, and no sender waits for the others."""
    command = ["build/modern/host/emp_demo", "incast", "--quiet", "--json=-"]
    command += ["--image=build/modern/firmware/emp_a.elf", f"--size={message_bytes}"]
    result = subprocess.run(
        command, cwd=TOP, check=True, capture_output=True, text=True
    )
    (found,) = json.loads(result.stdout)
    assert found["senders"] == 15
    assert found["goodput_mbps"] > 0.9 * found["limit_mbps"]
    assert found["least_share"] > 0.9
