# SPDX-License-Identifier: MIT
"""The sequence diagram as SVG, drawn here, so that equal trails give equal files everywhere."""

from __future__ import annotations

from html import escape
from math import ceil
from typing import Sequence

from .diagram import Row, label_lines, label_room, lanes
from .trail_text import heading
from .trail import Trail

LANE = 250  # pixels between two life lines at least
EDGE = 120
ROW = 26
LINE = 13  # more for each further line of a label
MARGIN = 16  # of a label between two life lines
TOP = 84
CHARACTER = 6.6  # width of one in the diagram's font

STYLE = """\
svg { background: #ffffff; font: 11px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace; }
text { fill: #1b1f24; } .title { font-size: 14px; font-weight: bold; } .lane { font-weight: bold; }
.life { stroke: #b6bcc4; } .wire { stroke-dasharray: 4 4; }
.shaft { stroke: #1f5fa8; stroke-width: 1.4; fill: none; } .head { fill: #1f5fa8; }
.host .shaft { stroke: #6a737d; } .host .head { fill: #6a737d; }
.again .shaft { stroke: #a15c00; stroke-dasharray: 6 3; } .again .head { fill: #a15c00; } .again text { fill: #a15c00; }
.lost .shaft { stroke: #c4232c; stroke-dasharray: 2 3; } .lost .head { fill: #c4232c; } .lost text { fill: #c4232c; }
.note rect { fill: #eef2f6; stroke: #b6bcc4; } .lost rect { fill: #fdecec; stroke: #c4232c; }
.band rect { fill: #fff5d6; stroke: #d6b656; } .number { fill: #8a929b; }
@media (prefers-color-scheme: dark) {
  svg { background: #14181d; } text { fill: #dfe4ea; } .life { stroke: #47505a; }
  .shaft { stroke: #69a8f0; } .head { fill: #69a8f0; }
  .host .shaft { stroke: #98a2ad; } .host .head { fill: #98a2ad; }
  .again .shaft { stroke: #f0a848; } .again .head { fill: #f0a848; } .again text { fill: #f0a848; }
  .lost .shaft { stroke: #ff7b81; } .lost .head { fill: #ff7b81; } .lost text { fill: #ff7b81; }
  .note rect { fill: #222a32; stroke: #47505a; } .lost rect { fill: #3a1d20; stroke: #ff7b81; }
  .band rect { fill: #3a3118; stroke: #b08f2c; } .number { fill: #76808b; }
}
"""


def svg(trail: Trail, drawn: Sequence[Row]) -> str:
    names = lanes(trail).names
    at = [EDGE]
    for lane in range(len(names) - 1):
        wanted = ceil(label_room(drawn, lane) * CHARACTER) + MARGIN
        at.append(at[-1] + max(LANE, wanted))
    titles = heading(trail)
    width = at[-1] + EDGE
    bands = [len(row.text) for row in drawn if row.kind == "band"]
    longest = max([len(title) for title in titles] + bands)
    width = max(width, int(longest * CHARACTER * 1.3) + 40)
    lines = [len(_label(row, at)) for row in drawn]
    height = TOP + ROW * (len(drawn) + 1) + LINE * (sum(lines) - len(lines))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(titles[0])}</title>",
        f"<style>{STYLE}</style>",
        f'<text class="title" x="16" y="22">{escape(titles[0])}</text>',
        f'<text x="16" y="40">{escape(titles[1])}</text>',
    ]
    for name, x in zip(names, at, strict=True):
        parts.append(
            f'<text class="lane" x="{x}" y="{TOP - 18}" text-anchor="middle">{escape(name)}</text>'
        )
        wire = " wire" if name == "wire" else ""
        parts.append(
            f'<line class="life{wire}" x1="{x}" y1="{TOP - 10}" x2="{x}" y2="{height - 10}"/>'
        )
    y = TOP + 10
    for row, count in zip(drawn, lines, strict=True):
        y += LINE * (count - 1)
        parts += one(row, at, y, width)
        y += ROW
    return "\n".join([*parts, "</svg>"]) + "\n"


def _label(row: Row, at: Sequence[int]) -> list[str]:
    """In lines; only the label of an arrow may have several."""
    if row.kind != "arrow":
        return [row.text]
    room = int((abs(at[row.end] - at[row.start]) - MARGIN) / CHARACTER)
    return label_lines(row, room)


def one(row: Row, at: Sequence[int], y: int, width: int) -> list[str]:
    label = escape(row.text)
    parts = [f'<g class="{row.kind} {row.style}">']
    if row.step:
        parts.append(f'<text class="number" x="8" y="{y + 4}">{row.step}</text>')
    if row.kind == "band":
        parts.append(
            f'<rect x="30" y="{y - 9}" width="{width - 46}" height="19" rx="3"/>'
        )
        parts.append(f'<text x="40" y="{y + 4}">{label}</text>')
    elif row.kind == "note":
        wide = int(len(row.text) * CHARACTER) + 14
        x = at[row.start]
        parts.append(
            f'<rect x="{x - wide // 2}" y="{y - 9}" width="{wide}" height="18" rx="3"/>'
        )
        parts.append(f'<text x="{x}" y="{y + 4}" text-anchor="middle">{label}</text>')
    else:
        start, end = at[row.start], at[row.end]
        way = 1 if start < end else -1
        parts.append(f"<title>{label}</title>")
        parts.append(
            f'<line class="shaft" x1="{start}" y1="{y + 6}" x2="{end - 7 * way}" y2="{y + 6}"/>'
        )
        tip = f"{end},{y + 6} {end - 8 * way},{y + 2} {end - 8 * way},{y + 10}"
        parts.append(f'<polygon class="head" points="{tip}"/>')
        for above, line in enumerate(reversed(_label(row, at))):
            parts.append(
                f'<text x="{(start + end) // 2}" y="{y + 1 - LINE * above}" text-anchor="middle">{escape(line)}</text>'
            )
    return [*parts, "</g>"]
