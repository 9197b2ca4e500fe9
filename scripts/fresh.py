#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the README's commands in a bare Debian 12, as a new user does: which package does set-up forget?

    make fresh

The machine of a developer has more installed than scripts/packages.txt names, so a missing line there shows only here.
A minimal Debian is made once (debootstrap, from where apt of this machine gets its packages) in build/fresh/bare. Each
run copies it, clones the last commit into the copy, and calls `make demo` and `make test` there. Mounts are made in a
mount namespace, which ends with each command, and processes in a process namespace: nothing stays outside the folder.
Packages and their lists are kept beside it, so that a second run fetches nothing that has not changed.

A test that is skipped there must be in scripts/fresh_skips.txt with the reason; any other skip fails. The copy of a run
that failed is kept in build/fresh/system. Ends with the line `N passed, N failed`, and with status 1 if one failed.
"""

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SKIPS = TOP / "scripts/fresh_skips.txt"
SUITE = "bookworm"  # Debian 12
INCLUDED = "ca-certificates,git,make"  # what the README asks for
PROJECT = Path("root/project")
REPORT = Path("build/tests/report.xml")
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$", re.MULTILINE)
MISSING = re.compile(
    r"No such file or directory|not found|cannot find|No module named|is needed|is missing"
)
LINES_SHOWN = 30
# Runs in the namespaces: what programs expect of a system, and the packages that are kept.
ENTER = """
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts"
ln -sf pts/ptmx "$1/dev/ptmx"
mount -t tmpfs tmpfs "$1/dev/shm"
mount --bind "$2/archives" "$1/var/cache/apt/archives"
mount --bind "$2/lists" "$1/var/lib/apt/lists"
exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c "cd /$3 && exec $4"
"""


class CannotRun(Exception):
    """No bare system can be made here, for the reason that it names."""


@dataclass(frozen=True)
class Source:
    """Where apt of this machine gets packages of Debian 12 from."""

    address: str
    suite: str
    component: str


def sources() -> list[Source]:
    result = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    found = []
    for line in result.stdout.splitlines():
        origin, address, suite, component = line.split("|")
        if origin == "Debian" and suite.startswith(SUITE):
            found.append(Source(address, suite, component))
    if not any(source.suite == SUITE for source in found):
        raise CannotRun(
            f"expected a source of Debian's suite {SUITE} among apt's, found "
            f"{', '.join(sorted({source.suite for source in found})) or 'none'}; "
            "name one in /etc/apt/sources.list and run 'apt-get update'"
        )
    return found


def apt_proxies() -> str:
    """apt's settings of proxies, as a configuration file."""
    result = subprocess.run(
        ["apt-config", "dump"], capture_output=True, text=True, check=False
    )
    lines = [
        line
        for line in result.stdout.splitlines()
        if re.match(r'Acquire::https?::.*[Pp]roxy[^ ]* ".+";', line)
    ]
    for scheme in ("http", "https"):
        if address := os.environ.get(f"{scheme}_proxy"):
            lines.append(f'Acquire::{scheme}::Proxy "{address}";')
    return "".join(f"{line}\n" for line in lines)


def make_bare(bare: Path) -> None:
    """A minimal system. It appears under its name when it is whole."""
    found = sources()
    address = next(source.address for source in found if source.suite == SUITE)
    print(f"making a minimal Debian 12 from {address}", flush=True)
    part = bare.with_name("bare.part")
    shutil.rmtree(part, ignore_errors=True)
    log = bare.with_name("debootstrap.log")
    with log.open("w") as output:
        status = subprocess.run(
            ["unshare", "--mount", "debootstrap", "--variant=minbase", f"--include={INCLUDED}", SUITE, part, address],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode  # fmt: skip
    if status != 0:
        last = log.read_text(errors="replace").strip().splitlines()[-3:]
        raise CannotRun("debootstrap failed (" + " / ".join(last) + f"); see {log}")
    (part / "etc/apt/sources.list").write_text(
        "".join(
            f"deb {source.address} {source.suite} {source.component}\n"
            for source in dict.fromkeys(found)
        )
    )
    part.rename(bare)


def make_system(directory: Path) -> Path:
    """A copy of the minimal system with a clone of the last commit."""
    bare, system = directory / "bare", directory / "system"
    if not bare.exists():
        make_bare(bare)
    shutil.rmtree(system, ignore_errors=True)
    subprocess.run(["cp", "-a", bare, system], check=True)
    (system / "etc/apt/apt.conf.d/90fresh").write_text(apt_proxies())
    for name in ("etc/resolv.conf", "etc/hosts"):
        if Path("/", name).exists():
            shutil.copyfile(Path("/", name), system / name)
    for name in ("archives/partial", "lists/partial"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["git", "clone", "-q", "--no-local", TOP, system / PROJECT], check=True
    )
    return system


def run_in(system: Path, command: str, log: Path) -> tuple[int, float]:
    """Runs a command in the clone; shows its output and keeps it. Gives its status and the seconds that it took."""
    start = time.monotonic()
    process = subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-e", "-c", ENTER, "sh"]
        + [str(system), str(system.parent), str(PROJECT), command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout
    with log.open("wb") as kept:
        for line in process.stdout:
            kept.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
    return process.wait(), time.monotonic() - start


def allowed_skips(text: str) -> list[str]:
    """The patterns of fresh_skips.txt."""
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line]


def unexpected_skips(report: Path, allowed: list[str]) -> list[str]:
    """The skipped tests of a JUnit report that no pattern names, each with its reason."""
    found = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        skipped = case.find("skipped")
        name = f"{case.get('classname')}::{case.get('name')}"
        if skipped is None or any(
            fnmatch.fnmatchcase(name, pattern) for pattern in allowed
        ):
            continue  # fmt: skip
        found.append(f"{name}: {skipped.get('message')}")
    return found


def counts(text: str) -> tuple[int, int]:
    """Of the last closing line, passed and failed; a text without one has failed."""
    found = CLOSING.findall(text)
    return (int(found[-1][0]), int(found[-1][1])) if found else (0, 1)


def missing_lines(text: str) -> list[str]:
    """Lines of an output that name something that is not there."""
    lines = [line.strip()[:200] for line in text.splitlines() if MISSING.search(line)]
    return list(dict.fromkeys(lines))[:LINES_SHOWN]


def check(directory: Path) -> tuple[int, int]:
    """Both commands in a new system. Gives how many checks passed and failed: demo, each test, skips."""
    system = make_system(directory)
    commit = subprocess.run(
        ["git", "-C", TOP, "log", "-1", "--format=%h %s"], capture_output=True, text=True, check=True
    ).stdout.strip()  # fmt: skip
    print(f"in a bare Debian 12: {commit}", flush=True)
    passed = failed = 0
    rows = []
    for name in ("demo", "test"):
        log = directory / f"{name}.log"
        print(f"$ make {name}", flush=True)
        status, seconds = run_in(system, f"make {name}", log)
        text = log.read_text(errors="replace")
        good, bad = counts(text) if name == "test" else (int(status == 0), 0)
        if status != 0 and bad == 0:
            bad = 1
        passed, failed = passed + good, failed + bad
        rows.append(
            f"make {name}: {good} passed, {bad} failed, {seconds:.0f} s with its set-up"
        )
        if bad:
            rows += ["  " + line for line in missing_lines(text)]
    report = system / PROJECT / REPORT
    skips = (
        unexpected_skips(report, allowed_skips(SKIPS.read_text()))
        if report.exists()
        else [f"make test left no report, {REPORT}: what it skipped is not known"]
    )
    failed += len(skips)
    rows += [f"skipped, and not in {SKIPS.relative_to(TOP)}: {skip}" for skip in skips]
    print(*rows, sep="\n")
    if failed:
        print(f"kept: {system}; outputs are in {directory}")
    else:
        shutil.rmtree(system)
    return passed, failed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--directory", type=Path, default=TOP / "build/fresh")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print(
            "make fresh needs root, for debootstrap and chroot: sudo make fresh",
            file=sys.stderr,
        )
        return 2
    directory = arguments.directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    try:
        passed, failed = check(directory)
    except CannotRun as error:
        print(f"fresh.py: {error}", file=sys.stderr)
        passed, failed = 0, 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
