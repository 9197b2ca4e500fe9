#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The demonstration behind `make demo`: from the spec to messages over a lossy wire, step by step.

Everything measured is simulated time, so the figures are the same on every machine. The results land in
build/demo.json.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator

# Of a placement on both processors, or "": on one.
PLACEMENT = os.environ.get("EMP_PLACEMENT", "")
BUILD = Path("build") / PLACEMENT
PROGRAM = BUILD / "host/emp_demo"
IMAGE = BUILD / "firmware/emp_a.elf"
SPEC = Path("spec/emp/emp.hsm")
GENERATED = BUILD / "gen/emp"  # tests have it from here
MODELS = BUILD / "model/emp"
RESULT = BUILD / "demo.json"
CAPTURE = BUILD / "demo.pcapng"

# The shell is on every Debian system and big enough to lose frames of.
DEFAULT_FILE = Path("/usr/bin/bash")

SIZES = [4, 10, 64, 1472, 1500, 4096, 10240, 65536, 1048576]
LOSS = 0.01

SILENCE_S = 4.0  # without a word about what runs, on standard error


class Failure(Exception):
    """Something did not work; the text says what, for people."""


def heading(number: int, title: str) -> None:
    print(f"\n{number}. {title}", flush=True)


def print_indented(text: str) -> None:
    for line in text.rstrip().splitlines():
        print(f"   {line}".rstrip(), flush=True)


@contextmanager
def telling(what: Callable[[], str]) -> Iterator[None]:
    """Says every few seconds what is at work and for how long, whether or not there is a terminal."""
    begin, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(SILENCE_S):
            seconds = time.monotonic() - begin
            over = "\r\033[K" if sys.stderr.isatty() else ""
            print(f"{over}   {seconds:3.0f} s  {what()}", file=sys.stderr, flush=True)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def run(command: list[str]) -> str:
    """Runs a command to its end and returns what it printed; its words are shown when it fails."""
    with telling(lambda: " ".join(command[:3])):
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    if result.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{result.stdout}")
    return result.stdout


def make(*targets: str) -> None:
    """Builds targets, with the file at work shown: each on a terminal, else every few seconds."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    environment.pop("MFLAGS", None)
    command = ["make", "--no-print-directory", "-j2", f"PLACEMENT={PLACEMENT}"]
    command += targets
    lines: list[str] = ["make"]
    with (
        telling(lambda: lines[-1].strip()[:70]),
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if sys.stderr.isatty():
                print(
                    f"\r\033[K   {line.strip()[:70]}",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if process.returncode != 0:
        raise Failure(f"{' '.join(command)}\n{''.join(lines[1:])}")


def measure(arguments: list[str]) -> Any:
    """Runs the demo's program; its progress goes to the terminal, its JSON is returned."""
    command = [str(PROGRAM), *arguments, f"--image={IMAGE}", "--json", "-"]
    with telling(lambda: " ".join([PROGRAM.name, *arguments[:3]])):
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise Failure(" ".join(command))
    return json.loads(result.stdout)


def show_packages() -> None:
    heading(1, "Packages")
    wanted = [
        line.split()[1]
        for line in Path("scripts/packages.txt").read_text().splitlines()
        if line.startswith("demo ")
    ]
    print_indented(f"{len(wanted)} Debian packages are installed: {', '.join(wanted)}")


def show_spec() -> None:
    heading(2, f"The spec, {SPEC}, compiled")
    make(str(GENERATED / "emp_layout.h"))
    print_indented(run(["gen/bin/hsmc", "stats", str(SPEC)]))
    warnings = run(["gen/bin/hsmc", "check", str(SPEC)]).strip()
    print_indented(warnings or "no errors, no warnings")
    names = sorted(path.name for path in GENERATED.glob("emp*.[ch]"))
    print_indented(f"C written to {GENERATED}/: {', '.join(names)}")
    command = ["gen/bin/hsmc", "build", str(SPEC), "--output", str(GENERATED)]
    run([*command, "--check-model-dir", str(MODELS)])
    names = sorted(path.parent.name for path in MODELS.glob("*/emp.pml"))
    print_indented(f"Promela written to {MODELS}/, for the checks {', '.join(names)}")


def show_image() -> None:
    heading(3, f"The image, {IMAGE}")
    make("firmware", str(PROGRAM))
    print_indented(run(["fw-runtime/tools/sizes.py", str(IMAGE)]))


def show_boards() -> list[Any]:
    heading(4, "Two simulated boards, back to back")
    boards: list[Any] = measure(["start"])["boards"]
    for board in boards:
        print_indented(
            f"board {board['node']}: {board['sram_bytes'] // 1024} kB of memory found, "
            f"{board['free_bytes'] // 1024} kB free, link {'up' if board['link'] else 'down'}"
        )
    return boards


def show_transfer(path: Path, loss: float, seed: int) -> Any:
    heading(5, f"{path} from host 0 to host 1, {loss:.1%} of all frames lost")
    result = measure(
        ["transfer", "--file", str(path), "--loss", str(loss), "--seed", str(seed)]
        + ["--capture", str(CAPTURE)]
    )
    print_indented(
        f"{result['bytes']} bytes in {result['messages']} messages and {result['data_frames']} frames, "
        f"{result['acknowledgements']} acknowledgements;\n"
        f"{result['lost']} frames were lost, {result['lost_acknowledgements']} of them acknowledgements, "
        f"and {result['retransmissions']} sent again;\n"
        f"{result['time_us'] / 1000:.1f} ms of simulated time, {result['mbps']:.0f} Mb/s"
    )
    print_indented(f"SHA-256 sent      {result['sha256_sent']}")
    print_indented(f"SHA-256 received  {result['sha256_received']}")
    if not result["sha256_equal"]:
        raise Failure("the received file differs from the sent one")
    print_indented("equal")
    print_indented(
        f"{CAPTURE} holds every frame; 'make docs' writes the dissector for Wireshark"
    )
    return result


def sweep() -> list[Any]:
    """All sizes, two at a time, the long ones first."""
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(
            lambda size: measure(["sweep", "--size", str(size)])[0], reversed(SIZES)
        )
        return sorted(results, key=lambda result: result["bytes"])


def figure(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def show_table() -> list[Any]:
    heading(6, "Latency and bandwidth on a clean wire")
    sizes = sweep()
    print_indented(
        "Latency is half a round trip, bandwidth a one-way stream with a returned message, both between\n"
        "the hosts' programs. The wire limit counts every header and gap. The paper's figures were\n"
        "measured on the real card with its authors' firmware: a scale, not a target met.\n"
    )
    print_indented(
        f"{'bytes':>8} {'latency':>10} {'paper':>7} {'bandwidth':>11} {'limit':>7} {'share':>6} {'paper':>6}  claim"
    )
    print_indented(
        f"{'':>8} {'us':>10} {'us':>7} {'Mb/s':>11} {'Mb/s':>7} {'%':>6} {'Mb/s':>6}"
    )
    for row in sizes:
        share = 100 * row["bandwidth_mbps"] / row["limit_mbps"]
        print_indented(
            f"{row['bytes']:>8} {row['latency_us']:>10.2f} {figure(row['paper_latency_us'], 2):>7} "
            f"{row['bandwidth_mbps']:>11.1f} {row['limit_mbps']:>7.1f} {share:>6.1f} "
            f"{figure(row['paper_bandwidth_mbps'], 0):>6}  {row['paper_source'] or ''}"
        )
    return sizes


def show_next() -> None:
    heading(7, "Where to go next")
    command = f"make PLACEMENT={PLACEMENT}" if PLACEMENT else "make"
    print_indented(
        f"edit the protocol   $EDITOR spec/emp/send.hsm && {command} demo\n"
        "check reliability   make verify\n"
        f"flash and run       {command} firmware && {PROGRAM} transfer --file FILE --loss 0.05"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=DEFAULT_FILE, help="what to send")
    parser.add_argument("--loss", type=float, default=LOSS, help="of each frame")
    parser.add_argument("--seed", type=int, default=1, help="of everything random")
    arguments = parser.parse_args()
    begin = time.monotonic()
    try:
        if not arguments.file.is_file():
            raise Failure(f"{arguments.file}: no such file")
        show_packages()
        show_spec()
        show_image()
        boards = show_boards()
        result = show_transfer(arguments.file, arguments.loss, arguments.seed)
        result["boards"] = boards
        result["sizes"] = show_table()
    except Failure as failure:
        print(f"make demo: {failure}", file=sys.stderr)
        return 1
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    show_next()
    print(f"\n{RESULT} holds these figures; {time.monotonic() - begin:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
