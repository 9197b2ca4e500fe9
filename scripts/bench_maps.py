#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `make bench-maps` prints: EMP in every way of dividing its processes between the two processors of the board.

`hsmc place --maps` names the ways. Each becomes a placement of a copy of the spec, with all data that cross under the
lock, and an image is built of it. Compiler and glue refuse most, and say why. The others are measured as `make bench-emp`
does it, and those that no other one surpasses are the best. build/bench_maps.json has all of it.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import cpu_count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.bench_best import AIMS, Figures, figures, surpassed_by  # noqa: E402
from scripts.bench_emp import Bench  # noqa: E402

SPEC = Path("spec/emp")
BUILD = Path("build/maps")
RESULT = Path("build/bench_maps.json")
PROFILES = ("paper", "modern")
INDENT = " " * 6
# What says why there is no image: the compiler's words, an assertion of the glue, any other error.
REASONS = (
    r"^hsmc: (?P<reason>.*)",
    r'static assertion failed: "(?P<reason>.*)"',
    r"error: (?P<reason>.*)",
)


@dataclass
class Found:
    """A map, and what became of it."""

    profile: str
    on_b: list[str]
    name: str
    named: bool  # by the spec
    crosses: dict[str, int]
    lines: list[str]
    refused: str = ""
    figures: Figures = field(default=())

    @property
    def title(self) -> str:
        return f"{', '.join(self.on_b) or 'nothing'}{f' ({self.name})' if self.named else ''}"

    def build(self) -> Path:
        return BUILD / self.profile / self.name


def maps(profile: str) -> list[Found]:
    command = ["gen/bin/hsmc", "place", str(SPEC / "emp.hsm"), "--profile", profile]
    done = subprocess.run(
        [*command, "--maps", "--json"], stdout=subprocess.PIPE, text=True, check=True
    )
    return [
        Found(
            profile,
            each["on_b"],
            each["placement"] or "_".join(["on_b", *each["on_b"]]).lower(),
            each["placement"] is not None,
            {key: each[key] for key in ("raises", "data", "locked_events", "messages")},
            each["lines"],
        )
        for each in json.loads(done.stdout)
    ]


def write_spec(profile: str, found: list[Found]) -> Path:
    """A copy of the spec that has all maps as placements."""
    folder = BUILD / profile / "spec"
    folder.mkdir(parents=True, exist_ok=True)
    for file in SPEC.glob("*.hsm"):
        shutil.copy(file, folder)
    spec = folder / "emp.hsm"
    text = spec.read_text(encoding="utf-8")
    placements = [
        "\n".join([f'placement {each.name} "A map."', *each.lines, ""])
        for each in found
        if not each.named
    ]
    spec.write_text("\n".join([text, *placements]), encoding="utf-8")
    return spec


def build_host(profile: str, spec: Path) -> None:
    """What no map changes, which all of them share (HOST_BUILD in the Makefile): before they are built beside one another."""
    made = BUILD / profile
    settings = [f"PROFILE={profile}", f"SPEC_emp={spec}", f"BUILD={made}"]
    targets = [f"{made}/host/emp_demo", f"{made}/emp/host.so"]
    subprocess.run(["make", "-s", *settings, *targets], check=True)


def build(found: Found, spec: Path) -> None:
    """Its image, and the program that measures; or why there is none."""
    settings = [
        f"PROFILE={found.profile}",
        f"SPEC_emp={spec}",
        f"BUILD={found.build()}",
    ]
    if found.on_b:
        settings.append(f"PLACEMENT={found.name}")
    targets = [
        f"{found.build()}/{part}" for part in ("firmware/emp_a.elf", "host/emp_demo")
    ]
    done = subprocess.run(
        ["make", "-s", *settings, *targets],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        found.refused = reason(done.stdout)


def reason(output: str) -> str:
    for pattern in REASONS:
        match = re.search(pattern, output, re.MULTILINE)
        if match:
            return match["reason"]
    return output[-300:]


def measure(found: Found) -> None:
    bench = Bench(found.profile, found.build().parent, found.name)
    bench.build = found.build()
    records = []
    for aim in AIMS:
        job = (
            bench.bandwidth
            if aim.metric == "message_rate"
            else getattr(bench, aim.metric)
        )
        records += [r for r in job(aim.bytes) if r.metric == aim.metric]
    found.figures = figures(records)[found.profile][found.name]


def print_measured(found: list[Found]) -> None:
    measured = {each.name: each.figures for each in found if each.figures}
    titles = {each.name: each.title for each in found}
    width = max(len(titles[name]) for name in measured)
    heads = "".join(f"{aim.title + f' {aim.bytes} B':>18}" for aim in AIMS)
    print(
        f"\nMaps of profile {found[0].profile} that have an image\n{'on B':{width}}{heads}"
    )
    for name, row in measured.items():
        shown = "".join(f"{abs(value):>18.2f}" for value in row)
        others = surpassed_by(measured, name)
        verdict = f"surpassed by {', '.join(others)}" if others else "may be best"
        print(f"{titles[name]:{width}}{shown}  {verdict}")


def print_refused(found: list[Found]) -> None:
    reasons: dict[str, list[str]] = {}
    for each in found:
        if each.refused:
            why = each.refused.replace(each.name, "NAME")
            reasons.setdefault(why, []).append(each.title)
    print(f"\nMaps of profile {found[0].profile} without an image")
    for why, titles in reasons.items():
        print(f"  {len(titles)}: {why}")
        print(
            textwrap.fill(
                "; ".join(titles), 120, initial_indent=INDENT, subsequent_indent=INDENT
            )
        )


def as_json(found: Found) -> dict[str, Any]:
    return {
        "profile": found.profile,
        "on_b": found.on_b,
        "crosses": found.crosses,
        "lines": found.lines,
        "refused": found.refused or None,
        "figures": {
            f"{aim.metric}_{aim.bytes}": abs(value)
            for aim, value in zip(AIMS, found.figures)
        }
        or None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--profile", action="append", choices=PROFILES, help="one only (both)"
    )
    arguments = parser.parse_args()
    everything = []
    for profile in arguments.profile or PROFILES:
        found = maps(profile)
        spec = write_spec(profile, found)
        build_host(profile, spec)
        with ThreadPoolExecutor(cpu_count()) as pool:
            list(pool.map(lambda each: build(each, spec), found))
            list(pool.map(measure, [each for each in found if not each.refused]))
        print_measured(found)
        print_refused(found)
        everything += found
    RESULT.write_text(
        json.dumps([as_json(each) for each in everything], indent=1) + "\n",
        encoding="utf-8",
    )
    print(f"\n{RESULT} has all maps, with the lines of a placement for each")


if __name__ == "__main__":
    main()
