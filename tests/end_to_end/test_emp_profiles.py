# SPDX-License-Identifier: MIT
"""Each profile of EMP on simulated boards: random faults, traces against its spec, and what it gains under loss."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.programs import TOP, make_variant, succeeds
from tests.long_tests import long

PROFILES = ["modern"]
SEEDS = (1, 2, 3, 4, 5)


def goodput(build: Path, message_bytes: int, loss: float, work: Path) -> float:
    """Of a file over a wire that loses frames both ways, in Mb/s of simulated time: the same on every machine. Which frames
    are lost is chance: a mean of several seeds."""
    found = [goodput_of(build, message_bytes, loss, seed, work) for seed in SEEDS]
    return sum(found) / len(found)


def goodput_of(
    build: Path, message_bytes: int, loss: float, seed: int, work: Path
) -> float:
    sent = work / "sent"
    sent.write_bytes(bytes(range(256)) * 2000)
    command = [build / "host/emp_demo", "transfer", "--quiet", f"--file={sent}"]
    command += [f"--output={work / 'received'}", f"--json={work / 'json'}"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", f"--loss={loss}"]
    command += [f"--seed={seed}"]
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
    said = succeeds(build, "campaign", "20", image="emp_a_checked.elf")
    assert "1600 messages, 0 worlds failed" in said


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "program",
    [
        "end_to_end/test_inline",
        "end_to_end/test_long",
        "end_to_end/test_matching",
        "end_to_end/test_silence",
        "end_to_end/test_tagged",
        "host/test_claim",
        "host/test_descriptor",
        "host/test_ends_in_memory",
        "host/test_long",
        "host/test_post",
        "test_messages",
    ],
)
def test_programs(profile: str, program: str) -> None:
    succeeds(Path("build") / profile, program)


@pytest.mark.parametrize("profile", PROFILES)
def test_wildcards_between_many_nodes(profile: str) -> None:
    build = Path("build") / profile
    succeeds(build, "campaign_fast", "100", "12", "2000", "wildcard_chance=500000")


@pytest.mark.parametrize("profile", PROFILES)
def test_traces_agree_with_the_spec(profile: str) -> None:
    command = ["scripts/conform.py", "--worlds=5", "--jobs=1", f"--profile={profile}"]
    result = subprocess.run(
        [*command, f"--build=build/{profile}"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 unexplained" in result.stdout
    observed = [line for line in result.stdout.splitlines() if "observed image" in line]
    for line in observed:
        replayed = re.search(r"(\d+) events replayed, (\d+) end states", line)
        assert replayed and int(replayed[1]) > 100 and int(replayed[2]) > 1, line
    assert len(observed) == 2


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


def transfer(build: Path, work: Path, *options: str) -> dict[str, Any]:
    """A file over a wire that loses nothing but by these options."""
    sent = work / "sent"
    sent.write_bytes(bytes(range(251)) * 8000)
    command = [build / "host/emp_demo", "transfer", "--quiet", f"--file={sent}"]
    command += [f"--output={work / 'received'}", "--json=-", "--loss=0"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", *options]
    result = subprocess.run(
        [*map(str, command)], cwd=TOP, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["sha256_equal"]
    return found


def test_pause_frames_stop_the_sender(tmp_path: Path) -> None:
    """Half of the time a PAUSE frame holds both boards back. `paper` does not tell its peer that it obeys, and does not."""
    faults = tmp_path / "faults"
    faults.write_text("left<->right: pause by 2ms at 30ms every 4ms\n")
    for build, least, most in (
        (Path("build"), 0.99, 1.01),
        (Path("build/modern"), 0.4, 0.6),
    ):
        free = transfer(build, tmp_path)
        held = transfer(build, tmp_path, f"--faults={faults}")
        assert held["lost"] == 0
        assert least < held["mbps"] / free["mbps"] < most


def test_collections_grow_while_nothing_is_lost(tmp_path: Path) -> None:
    """An acknowledgement then stands for some twelve frames on average, instead of three. Losses bring it back to three."""
    build = Path("build/modern")
    clean = transfer(build, tmp_path, "--message-bytes=65536")
    lossy = transfer(build, tmp_path, "--message-bytes=65536", "--loss=0.05")
    assert clean["collections_retransmitted"] == 0
    assert clean["data_frames"] > 8 * clean["acknowledgements"]
    assert lossy["data_frames"] < 4 * lossy["acknowledgements"]


def test_long_round_trips_are_measured(tmp_path: Path) -> None:
    """A switch holds each frame for longer than the first time-outs. They grow until a collection is acknowledged before
    it is repeated; if they ended below the round trip, every collection would be repeated.
    """
    options = ("--switch", "--knob=switch_latency_ns=900000", "--message-bytes=4096")
    found = transfer(Path("build/modern"), tmp_path, *options)
    assert found["lost"] == 0
    assert found["collections_retransmitted"] < found["data_frames"] / 10


@long
def test_jumbo_frames(tmp_path: Path) -> None:
    """An image for an MTU of 9000 bytes carries long messages at its wire's limit, and repairs losses."""
    build = Path("build/mtu9000")
    make_variant(build, "--set mtu=9000", "host/emp_demo", "firmware/emp_a.elf")
    found = transfer(build, tmp_path)
    assert found["frames"] < 400
    assert found["mbps"] > 0.95 * found["limit_mbps"] and found["limit_mbps"] > 990
    assert transfer(build, tmp_path, "--loss=0.05")["lost"] > 0


def incast(
    message_bytes: int, build: str = "build/modern", senders: int = 15
) -> dict[str, float]:
    """Boards of `modern` send to one: what the receiver gets."""
    command = [f"{build}/host/emp_demo", "incast", "--quiet", "--json=-"]
    command += [f"--image={build}/firmware/emp_a.elf", f"--size={message_bytes}"]
    command += [f"--senders={senders}"]
    result = subprocess.run(
        command, cwd=TOP, check=True, capture_output=True, text=True
    )
    found: dict[str, float]
    (found,) = json.loads(result.stdout)
    assert found["senders"] == senders
    return found


def late(build: Path, message_bytes: int, *options: str) -> dict[str, float]:
    """From the post of a receive that comes 10 to 20 ms late until the message is there."""
    command = [build / "host/emp_demo", "late", "--quiet", "--json=-"]
    command += [f"--image={build / 'firmware/emp_a.elf'}", f"--size={message_bytes}"]
    result = subprocess.run(
        [*map(str, command), "--iterations=20", *options],
        cwd=TOP,
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float]
    (found,) = json.loads(result.stdout)
    return found


@pytest.mark.parametrize("message_bytes, most_us", [(4, 60), (4096, 100)])
def test_modern_calls_for_what_it_has_refused(
    message_bytes: int, most_us: float
) -> None:
    """The sender sends at once when a receive is posted late. Without calls it sends after its time-out, up to 1.6 ms
    later, as in `paper`, whose time-out is 1 ms."""
    found = late(Path("build/modern"), message_bytes)
    assert found["refusals"] > 5
    # A probe of what is refused brings a refusal, not all of the message again.
    assert found["repeated_frames"] < 60
    assert found["most_us"] < most_us
    assert late(Path("build"), message_bytes)["most_us"] > 500


def test_in_paper_a_message_without_a_receive_holds_up_later_ones() -> None:
    """G17: also those of another tag, whose receive is posted. They come soon after the late receive, which is posted 15 ms
    after the send on average."""
    found = late(Path("build"), 4, "--behind")
    assert 14_500 < found["behind_mean_us"] - found["mean_us"] < 15_500
    assert found["behind_mean_us"] < 15_600


@pytest.mark.parametrize("message_bytes, most_us", [(4, 100), (4096, 250)])
def test_in_modern_messages_pass_one_whose_receive_is_late(
    message_bytes: int, most_us: float
) -> None:
    """G17: from the first message of a contact on. The late one comes as soon after its receive as it does alone."""
    found = late(Path("build/modern"), message_bytes, "--behind")
    assert found["behind_most_us"] < most_us
    assert found["most_us"] < most_us
    assert found["refusals"] > 5


def test_modern_takes_postings_among_frames() -> None:
    """Frames of 1400 bytes keep the receiver busy. If it took postings only behind all of them it would have no receive
    for half of the messages."""
    assert incast(1400)["goodput_mbps"] > 700


@pytest.mark.parametrize("message_bytes", [4096, 65536])
def test_modern_shares_a_receiver_among_many_senders(message_bytes: int) -> None:
    """Fifteen whole windows would overflow the switch. Windows that follow the round trips keep the wire to the receiver
    full, and no sender waits for the others."""
    found = incast(message_bytes)
    assert found["goodput_mbps"] > 0.9 * found["limit_mbps"]
    assert found["least_share"] > 0.9


@long
def test_sixty_three_senders_share_a_receiver() -> None:
    """With messages of one frame, which get as much from 15 senders. Longer ones get less (docs/emp.md)."""
    build = "build/modern/nodes-256"
    command = ["make", "-s", "--no-print-directory", "PROFILE=modern", "NODES=256"]
    command += [f"{build}/host/emp_demo", f"{build}/firmware/emp_a.elf"]
    subprocess.run(command, cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    found = incast(1400, build, 63)
    assert found["goodput_mbps"] > 0.88 * found["limit_mbps"]
    assert found["least_share"] > 0.9


def exchange(build: Path, work: Path, *options: str) -> dict[str, Any]:
    """Two hosts send each other messages over a wire that loses frames, and compare every byte. The result of the run."""
    programs = ",\n".join(
        f"""{{ board = "{board}"; run = "{TOP / build / 'emp/host.so'}"; arguments = """
        f"""[ "exchange", "--image=$image", "--nodes=2", "--bytes=6000", "--count=60" """
        + "".join(f', "{option}"' for option in options)
        + " ]; }"
        for board in ("left", "right")
    )
    image = TOP / build / "firmware/emp_a.elf"
    (work / "run.scenario").write_text(
        f"""boards = ( {{ name = "left"; image = "{image}"; }}, {{ name = "right"; image = "{image}"; }} );
wires = ( {{ between = [ "left", "right" ]; }} );
faults = ( "left<->right: lose 5%" );
programs = ( {programs} );
stop = {{ time = "2 s"; }};
expect = {{ end = "programs"; }};
""",
        encoding="utf-8",
    )
    command = [TOP / "build/tigonsim", "run", "--quiet", "--json=-"]
    done = subprocess.run(
        [*map(str, command), str(work / "run.scenario")],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_ends_in_memory_save_register_reads(tmp_path: Path) -> None:
    build = Path("build/modern")
    on_board = exchange(build, tmp_path)
    in_memory = exchange(build, tmp_path, "--ends-in-memory")
    for result in (on_board, in_memory):
        assert [program["result"] for program in result["programs"]] == [0, 0]
    reads = [
        [board["statistics"]["host_register_reads"] for board in result["boards"]]
        for result in (on_board, in_memory)
    ]
    assert all(before - after > 1000 for before, after in zip(*reads)), reads
