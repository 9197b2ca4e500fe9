# SPDX-License-Identifier: MIT
"""Frames built from layouts, files of frames, and what tshark makes of them."""

from __future__ import annotations

import os
import random
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Sequence

from hsmc import ir, naming
from hsmc.backends import backend_wireshark

Values = dict[tuple[str, str], int]  # (layout, field) -> what it holds


@dataclass
class Built:
    """A frame and what is in it."""

    content: bytes
    values: Values
    data: dict[tuple[str, str], bytes] = field(default_factory=dict)


def holds(condition: Optional[ir.LayoutCondition], layout: str, values: Values) -> bool:
    if condition is None:
        return True
    return values[layout, condition.field] in {v.value for v in condition.values}


class Builder:
    """Makes frames that fit a layout, random where the spec leaves it open."""

    def __init__(self, protocol: ir.Protocol, seed: int) -> None:
        self.protocol = protocol
        self.random = random.Random(seed)
        self.members = {
            e.name: [m.value for m in e.members] for e in protocol.enumerations
        }
        self.limits = {
            (layout, item.name): item.range
            for payload in protocol.payloads
            for layout in payload.sources
            for item in payload.fields
            if item.range is not None
        }

    def frame(self, layout: ir.Layout, choice: Optional[Values] = None) -> Built:
        built = Built(b"", {})
        content, data = self._layout(layout, built, choice or {})
        built.content = content + data
        return built

    def _layout(
        self, layout: ir.Layout, built: Built, choice: Values
    ) -> tuple[bytes, bytes]:
        """The words of the layout and its parts, and the bytes behind them."""
        number = 0
        for item in layout.fields:
            value = choice.get((layout.name, item.name))
            if value is None:
                value = self._value(layout, item, built.values)
            built.values[layout.name, item.name] = value
            number |= value << 8 * layout.bytes - item.offset - item.bits
        for area in layout.areas:
            count = area.count.value
            own = bytes([area.fixed.value] * count if area.fixed else range(count))
            number |= int.from_bytes(own, "big") << 8 * (
                layout.bytes - area.offset - count
            )
            built.data[layout.name, area.name] = own
        content = number.to_bytes(layout.bytes, "big")
        data = b""
        for part in self.protocol.layouts:
            if part.within == layout.name and holds(
                part.when, layout.name, built.values
            ):
                assert (part.at.value if part.at else layout.bytes) == len(content)
                words, inner = self._layout(part, built, choice)
                content, data = content + words, data + inner
        if layout.data and holds(layout.data.when, layout.name, built.values):
            length = built.values[layout.name, layout.data.length]
            own = self.random.randbytes(length)
            built.data[layout.name, layout.data.name] = own
            data += own
        return content, data

    def _value(self, layout: ir.Layout, item: ir.LayoutField, values: Values) -> int:
        limits = self.limits.get((layout.name, item.name))
        if item.fixed is not None:
            return item.fixed.value
        if item.enumeration and holds(item.when, layout.name, values):
            return self.random.choice(self.members[item.enumeration])
        if layout.data is not None and item.name == layout.data.length:
            return self.random.choice([0, 1, 7, 100])
        if limits is not None:
            return self.random.randint(limits.low.value, limits.high.value)
        # Small ones at times, so that conditions hold.
        return self.random.getrandbits(
            self.random.choice([min(item.bits, 3), item.bits])
        )


def write_pcap(path: Path, frames: Sequence[bytes], captured: int = 65535) -> None:
    """Frames one second apart; `captured`: bytes of each that the file holds at most."""
    with path.open("wb") as stream:
        stream.write(struct.pack(">IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, captured, 1))
        for second, frame in enumerate(frames):
            kept = frame[:captured]
            stream.write(struct.pack(">IIII", second, 0, len(kept), len(frame)) + kept)


class Tshark:
    """tshark with dissectors loaded, whoever runs it and whatever the user has set."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.scripts: list[Path] = []
        settings = directory / "config"
        settings.mkdir()
        # Versions that distrust root read this before they load anything else.
        (settings / "init.lua").write_text("run_user_scripts_when_superuser = true\n")
        self.environment = {
            **os.environ,
            "WIRESHARK_CONFIG_DIR": str(settings),
            "LC_ALL": "C.UTF-8",
        }

    def load(self, protocol: ir.Protocol, name: Optional[str] = None) -> "Tshark":
        path = self.directory / f"{name or naming.snake(protocol.name)}.lua"
        path.write_text(backend_wireshark.generate(protocol, name))
        self.scripts.append(path)
        return self

    def run(self, capture: Path, *arguments: str) -> str:
        command = ["tshark", "-n", "-r", str(capture), *arguments]
        for script in self.scripts:
            command += ["-X", f"lua_script:{script}"]
        result = subprocess.run(
            command,
            capture_output=True,
            env=self.environment,
            timeout=600,
            check=False,
        )
        errors = result.stderr.decode(errors="replace")
        assert result.returncode == 0, errors
        assert "lua" not in errors.lower(), errors
        return result.stdout.decode(errors="replace")

    def fields(self, capture: Path, *names: str) -> list[dict[str, str]]:
        """Of each frame the fields by name, empty where it has none."""
        arguments = ["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a"]
        for name in names:
            arguments += ["-e", name]
        lines = self.run(capture, *arguments).split("\n")[:-1]
        return [dict(zip(names, line.split("\t"))) for line in lines]
