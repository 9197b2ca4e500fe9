#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Debian's own kernel for virtual machines: fetched once, not installed.

    debian_kernel.py            fetch it, and print where vmlinux is
    debian_kernel.py MODULE...  print where these modules of it are

The release is that of the kernel headers that are installed (scripts/setup.sh driver), so that modules built with them
load. The package is downloaded with apt-get from where this machine gets its packages, into build/kernel/RELEASE; what
is there once is used again without a network.
"""

import argparse
import lzma
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path("build/kernel")
HEADERS = "linux-headers-amd64"
XZ_MAGIC = b"\xfd7zXZ\0"


class Unavailable(Exception):
    """There is no kernel here, for the reason that it names."""


@dataclass(frozen=True)
class Kernel:
    release: str  # as uname -r
    directory: Path

    @property
    def vmlinux(self) -> Path:
        """Uncompressed: the emulator starts it in half the time."""
        return self.directory / "vmlinux"

    @property
    def headers(self) -> Path:
        """What `make -C` builds modules with."""
        return Path("/lib/modules") / self.release / "build"

    def module(self, name: str) -> Path:
        """A module of the package, `acenic` or `acenic.ko`."""
        file = name.removesuffix(".ko") + ".ko"
        path = self.directory / file
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=self.directory) as place:
                extract(package_of(self.directory), f"*/kernel/*/{file}", Path(place))
                found = sorted(Path(place).rglob(file))
                if not found:
                    raise Unavailable(f"kernel {self.release} has no module {file}")
                found[0].replace(path)
        return path


def run(*command: str, directory: Path | None = None) -> str:
    result = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines() or ["no message"]
        raise Unavailable(f"{' '.join(command)}: {lines[-1]}")
    return result.stdout


def package_of(directory: Path) -> Path:
    return next(directory.glob("*.deb"))


def extract(package: Path, pattern: str, target: Path) -> None:
    archive = subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE
    )
    subprocess.run(
        ["tar", "-x", "-C", target, "--wildcards", pattern],
        stdin=archive.stdout,
        stderr=subprocess.DEVNULL,  # of a pattern that nothing matches
        check=False,
    )
    assert archive.stdout
    archive.stdout.close()
    archive.wait()


def installed_release() -> tuple[str, str]:
    """Release and package version of the headers that are installed."""
    if platform.machine() != "x86_64":
        raise Unavailable(f"needs an x86_64 machine, not {platform.machine()}")
    if not shutil.which("dpkg-query"):
        raise Unavailable("needs Debian's packages")
    depends = run("dpkg-query", "-W", "-f", "${Depends}", HEADERS)
    found = re.search(r"linux-headers-(\S+-amd64) \(= (\S+)\)", depends)
    if not found:
        raise Unavailable(f"{HEADERS} depends on no release: {depends!r}")
    return found[1], found[2]


def uncompress(image: Path, target: Path) -> None:
    """The kernel proper out of what boots on a PC."""
    data = image.read_bytes()
    start = data.find(XZ_MAGIC)
    if start < 0:
        raise Unavailable(f"{image} is not compressed with xz")
    target.write_bytes(lzma.LZMADecompressor().decompress(data[start:]))


def kernel(top: Path = DIRECTORY) -> Kernel:
    """Debian's kernel, fetched if it is not there. Raises Unavailable."""
    release, version = installed_release()
    directory = top / release
    if not (directory / "vmlinux").exists():
        top.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=top) as name:
            place = Path(name)
            run(
                "apt-get",
                "download",
                f"linux-image-{release}={version}",
                directory=place,
            )
            extract(package_of(place), "./boot/vmlinuz-*", place)
            uncompress(next(place.glob("boot/vmlinuz-*")), place / "vmlinux")
            shutil.rmtree(place / "boot")
            directory.mkdir(exist_ok=True)
            for file in (package_of(place), place / "vmlinux"):  # vmlinux last
                file.replace(directory / file.name)
    return Kernel(release, directory.resolve())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    arguments = parser.parse_args()
    try:
        found = kernel()
        paths = [found.module(name) for name in arguments.modules]
    except Unavailable as error:
        print(f"debian_kernel.py: no kernel: {error}", file=sys.stderr)
        return 1
    print(*(paths or [found.vmlinux]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
