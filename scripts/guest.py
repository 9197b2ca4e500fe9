#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A virtual machine with Debian's kernel and a served board in its PCI slot: runs a shell script and gives its output.

    make guest
    build/tigonsim serve SCENARIO &
    guest.py left.sock --module acenic --file image.bin:lib/firmware/acenic/tg2.bin --run 'insmod /acenic.ko; dmesg'

The script runs as root under busybox, with modules and programs in `/`. For tests, class Guest is the same:

    with Guest(socket, "insmod /emp.ko\\n", modules=["host/driver/emp.ko"]) as guest:
        result = guest.finish()
    assert result.status == 0, result.output
    assert not warnings(result.log)

docs/kernel.md is the manual.
"""

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Iterable, Iterator, Mapping, Self, Sequence

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripts.debian_kernel import Kernel, Unavailable, kernel  # noqa: E402

BRIDGE = Path("build/tigon_qemu")
BUSYBOX = Path("/bin/busybox")
NEEDED = ("qemu-system-x86_64", "cpio")
TIME_LIMIT_SECONDS = 600  # against what hangs; the machine may be busy
STATUS = "guest: status "
LOG = "guest: kernel log"
END = "guest: end"
# idle=poll: the processor executes instructions while it waits, so that time passes for a board in lock step.
# oops=panic: a guest whose kernel has failed ends.
# cryptomgr.notests: the kernel's test of its own ciphers is two thirds of the time until a script begins.
APPEND = "console=ttyS0 panic=-1 oops=panic quiet no_timer_check mitigations=off nokaslr idle=poll cryptomgr.notests"
# Where time runs freely, a busy host keeps the virtual processor waiting for longer than the kernel's own watches
# allow.
UNWATCHED = "rcupdate.rcu_cpu_stall_suppress=1 nowatchdog"
INIT = f"""#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t debugfs debugfs /sys/kernel/debug
mount -t tmpfs tmpfs /tmp
stty -F /dev/ttyS1 raw -echo
exec < /dev/ttyS1 > /dev/ttyS1 2>&1
sh /script
echo "{STATUS}$?"
echo "{LOG}"
dmesg -r
echo "{END}"
poweroff -f
"""
# What a kernel prints when something is wrong with it or with a driver, whatever the level.
WARNING = re.compile(
    r"BUG|WARNING|Oops|Call Trace|leak|general protection|Kernel panic|hung task|stall|nobody cared|DMA-API"
)
KEPT_WAITING = "clocksource: Long readout interval"


@dataclass(frozen=True)
class Result:
    """What became of a guest."""

    output: str  # of the script
    status: int  # of the script; -1 when the guest did not come to its end
    log: str  # of the kernel, each line with its level: <4>[    1.234567] text
    console: str  # what the kernel printed itself: the reason when there is no log


def warnings(log: str, from_line: str = "Run /init") -> list[str]:
    """Lines of a kernel log from that text on that are warnings or worse, but for those of a virtual processor that its busy
    host has kept waiting. An empty log is an error, for it says nothing."""
    lines = log.splitlines()
    if not lines:
        raise AssertionError(
            "the log of the kernel is empty: the guest did not send it"
        )
    start = next((at for at, line in enumerate(lines) if from_line in line), 0)
    return [
        line
        for line in lines[start:]
        if (re.match(r"<[0-4]>", line) or WARNING.search(line))
        and KEPT_WAITING not in line
    ]


def libraries(program: Path) -> list[Path]:
    """Shared libraries that the dynamic loader maps for it, itself included."""
    listed = subprocess.run(
        ["ldd", program], capture_output=True, text=True, check=False
    ).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]


def add(root: Path, source: Path, target: str) -> None:
    path = root / target.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, path)


def initramfs(
    path: Path,
    script: str,
    modules: Iterable[Path] = (),
    programs: Iterable[Path] = (),
    files: Mapping[str, Path] | None = None,
) -> None:
    """Writes the archive that is the guest's file system. Equal files make equal archives."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for directory in ("bin", "proc", "sys", "dev", "tmp"):
            (root / directory).mkdir()
        shutil.copy(BUSYBOX, root / "bin/busybox")
        (root / "init").write_text(INIT)
        (root / "init").chmod(0o755)
        (root / "script").write_text(script)
        for file in (*modules, *programs):
            add(root, file, file.name)
        for program in programs:
            for library in libraries(program):
                add(root, library, str(library))
        for target, source in (files or {}).items():
            add(root, source, target)
        names = sorted(root.rglob("*"))
        for entry in (root, *names):
            os.utime(entry, (0, 0))
        with path.open("wb") as archive:
            subprocess.run(
                ["cpio", "-o", "-0", "-H", "newc", "--reproducible", "-R", "+0:+0"],
                cwd=root,
                input=b"\0".join(bytes(entry.relative_to(root)) for entry in names),
                stdout=archive,
                stderr=subprocess.DEVNULL,
                check=True,
            )


def require() -> Kernel:
    """The kernel for guests. Raises Unavailable when this machine cannot run one, with the reason."""
    for program in NEEDED:
        if not shutil.which(program):
            raise Unavailable(f"no {program}: scripts/setup.sh driver installs it")
    if not BUSYBOX.exists() or libraries(BUSYBOX):
        raise Unavailable("no static busybox: scripts/setup.sh driver installs it")
    return kernel()


class Guest:
    """A running virtual machine."""

    def __init__(
        self,
        socket: Path,
        script: str,
        modules: Sequence[str | Path] = (),
        programs: Sequence[Path] = (),
        files: Mapping[str, Path] | None = None,
        append: str = "",
        options: Sequence[str] = (),
        bridge: Path = BRIDGE,
    ) -> None:
        """Starts it. `modules`: files, or names of Debian's; `files`: by their paths in the guest; `append`: for the
        kernel's command line; `options`: of the bridge. Raises Unavailable."""
        found = require()
        watches = UNWATCHED if "--free" in options else ""
        if not bridge.exists():
            raise Unavailable(f"no {bridge}: make guest builds it")
        self.holder = tempfile.TemporaryDirectory(prefix="guest")
        place = Path(self.holder.name)
        self.console = place / "console"
        self.console.touch()
        initramfs(
            place / "initramfs",
            script,
            [
                module if isinstance(module, Path) else found.module(module)
                for module in modules
            ],
            programs,
            files,
        )
        self.process = subprocess.Popen(
            [
                bridge,
                *options,
                socket,
                "--",
                *("-kernel", found.vmlinux, "-initrd", place / "initramfs"),
                *("-append", f"{APPEND} {watches} {append}"),
                *("-serial", f"file:{self.console}", "-serial", "stdio"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self.lines: list[str] = []
        self.queue: queue.Queue[str | None] = queue.Queue()
        self.errors: list[str] = []
        # Both are read all the time: a full pipe would stop the guest.
        self.readers = [
            threading.Thread(target=self.read_output, daemon=True),
            threading.Thread(target=self.read_errors, daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def read_output(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.queue.put(line)
        self.queue.put(None)

    def read_errors(self) -> None:
        assert self.process.stderr
        self.errors += self.process.stderr.readlines()

    def next_line(self, deadline: float) -> str | None:
        try:
            line = self.queue.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            self.process.kill()
            raise TimeoutError(f"the guest hangs:\n{self.all_text()}") from None
        if line is not None:
            self.lines.append(line)
        return line

    def all_text(self) -> str:
        return "".join(self.lines) + "".join(self.errors) + self.console.read_text()

    def wait_for(self, text: str) -> str:
        """Waits until the script prints a line with this text; gives that line."""
        deadline = time.monotonic() + TIME_LIMIT_SECONDS
        while (line := self.next_line(deadline)) is not None:
            if text in line:
                return line
        raise AssertionError(f"no line with {text!r} in\n{self.all_text()}")

    def output(self) -> Iterator[str]:
        """Each line of the script as it comes, to its end."""
        deadline = time.monotonic() + TIME_LIMIT_SECONDS
        while (line := self.next_line(deadline)) is not None:
            if line.startswith(STATUS):
                return
            yield line

    def say(self, line: str) -> None:
        """A line for the script to read."""
        pipe: IO[str] | None = self.process.stdin
        assert pipe
        pipe.write(line + "\n")
        pipe.flush()

    def finish(self, limit_seconds: float = TIME_LIMIT_SECONDS) -> Result:
        """Waits for the end of the script and of the guest."""
        deadline = time.monotonic() + limit_seconds
        while self.next_line(deadline) is not None:
            pass
        self.process.wait(timeout=TIME_LIMIT_SECONDS)
        for reader in self.readers:
            reader.join()
        text = "".join(self.lines)
        console = "".join(self.errors) + self.console.read_text(errors="replace")
        output, _, rest = text.partition(STATUS)
        status, _, log = rest.partition(f"\n{LOG}\n")
        if END not in log:
            return Result(text, -1, log, console)
        return Result(output, int(status), log.partition(END)[0], console)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        self.holder.cleanup()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("socket", type=Path, help="of the served board")
    parser.add_argument(
        "--module", action="append", default=[], help="a file, or a name of Debian's"
    )
    parser.add_argument("--program", action="append", default=[], type=Path)
    parser.add_argument(
        "--file", action="append", default=[], metavar="FILE:PATH-IN-GUEST"
    )
    parser.add_argument("--run", help="the script; default: standard input")
    parser.add_argument("--log", type=Path, help="file for the kernel log")
    arguments = parser.parse_args()
    files = {}
    for pair in arguments.file:
        source, _, target = pair.partition(":")
        files[target or Path(source).name] = Path(source)
    modules = [Path(name) if Path(name).exists() else name for name in arguments.module]
    script = sys.stdin.read() if arguments.run is None else arguments.run
    try:
        with Guest(
            arguments.socket, script, modules, arguments.program, files
        ) as guest:
            for line in guest.output():
                print(line, end="", flush=True)
            result = guest.finish()
    except Unavailable as error:
        print(f"guest.py: no virtual machine: {error}", file=sys.stderr)
        return 2
    if arguments.log:
        arguments.log.write_text(result.log)
    if result.status < 0:
        print(result.console, end="", file=sys.stderr)
        print("guest.py: the guest did not come to its end", file=sys.stderr)
        return 2
    return result.status


if __name__ == "__main__":
    sys.exit(main())
