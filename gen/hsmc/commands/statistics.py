# SPDX-License-Identifier: MIT
"""What a spec consists of and what becomes of it: the figures of `hsmc stats`, as one value of plain data.

The keys are documented in docs/language.md; they stay, new ones may come.
"""

from __future__ import annotations

import re
from typing import Any, Optional, Sequence

from .. import ir
from ..backends import backend_c, backend_promela
from ..backends.state_layout import RecordLayout, StateLayout, state_layout

BLOCK_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|/\*.*?\*/', re.DOTALL)
LINE_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//.*')


def spec_lines(text: str) -> int:
    """Lines of a spec that are neither blank nor comment.

    >>> spec_lines("# about\\n\\nprotocol p # name\\n")
    1
    """
    stripped = [line.strip() for line in text.split("\n")]
    return sum(bool(line) and not line.startswith("#") for line in stripped)


def c_lines(text: str) -> int:
    """Lines of C or Promela that are neither blank nor comment.

    >>> c_lines('/* one\\n two */\\nint a; /* x */\\n\\nchar *b = "/*";\\n// three\\n')
    2
    """

    def blank(match: re.Match[str]) -> str:
        found = match.group(0)
        return found if found.startswith('"') else "\n" * found.count("\n")

    bare = BLOCK_COMMENT.sub(blank, text)
    bare = LINE_COMMENT.sub(lambda match: match.group(1) or "", bare)
    return sum(bool(line.strip()) for line in bare.split("\n"))


def statistics(
    protocol: ir.Protocol, texts: Sequence[str], model: Optional[ir.Protocol]
) -> dict[str, Any]:
    """`texts` are those of the spec's files; `model` is the protocol with the check applied that Promela is made for."""
    return {
        "protocol": protocol.name,
        "check": protocol.check,
        "hash": f"{protocol.hash:08x}",
        "counts": _counts(protocol),
        "lines": _lines(protocol, texts, model),
        "processes": [_process(process) for process in protocol.processes],
        "state": _state(protocol, state_layout(protocol)),
    }


def _counts(protocol: ir.Protocol) -> dict[str, int]:
    processes = protocol.processes
    rows = list(protocol.rows())
    return {
        "files": len(protocol.files),
        "processes": len(processes),
        "states": sum(len(p.states) for p in processes),
        "leaves": sum(len(p.leaves) for p in processes),
        "events": sum(len(p.events) for p in processes),
        "timers": len(protocol.timers),
        "rows": len({row.place for row in rows if row.kind == "written"}),
        "transitions": len(rows),
        "functions": sum(not f.hidden for f in protocol.functions),
        "actions": len(protocol.actions),
        "devices": len(protocol.devices),
        "pools": len(protocol.pools),
        "tables": len(protocol.tables),
        "constants": len(protocol.constants),
        "parameters": len(protocol.parameters),
        "counters": len(protocol.counters),
        "properties": len(protocol.properties),
        "placements": len(protocol.placements),
        "checks": len(protocol.checks),
    }


def _lines(
    protocol: ir.Protocol, texts: Sequence[str], model: Optional[ir.Protocol]
) -> dict[str, Any]:
    files = {n: c_lines(t) for n, t in backend_c.generate(protocol).items()}
    spec = sum(map(spec_lines, texts))
    c = sum(files.values())
    promela: Optional[dict[str, Any]] = None
    if model is not None:
        try:
            generated = backend_promela.generate(model).values()
            promela = {"check": model.check, "lines": sum(map(c_lines, generated))}
        except backend_promela.Unsupported:
            pass  # there is no model to count; hsmc build says why
    return {
        "spec": spec,
        "c": c,
        "c_files": files,
        "c_per_spec": round(c / spec, 2) if spec else None,
        "promela": promela,
    }


def _process(process: ir.Process) -> dict[str, Any]:
    rows = [row for handler in process.handlers for row in handler.rows]
    return {
        "name": process.name,
        "pool": process.pool,
        "states": len(process.states),
        "leaves": len(process.leaves),
        "events": len(process.events),
        "timers": len(process.timers),
        "rows": len({row.place for row in rows if row.kind == "written"}),
        "transitions": len(rows),
    }


def _state(protocol: ir.Protocol, layout: StateLayout) -> dict[str, Any]:
    return {
        "bytes": layout.bytes,
        "holes": layout.holes,
        "members": [
            {
                "name": member.slot.name,
                "kind": member.kind,
                "owner": member.owner,
                "offset": member.slot.offset,
                "bytes": member.slot.bytes,
            }
            for member in layout.members
        ],
        "variables": [
            {
                "process": process.name,
                "bytes": layout.owned(process.name, "state", "variable"),
            }
            for process in protocol.processes
            if layout.owned(process.name, "state", "variable")
        ],
        "pools": [
            {**_record(r), "used_bytes": layout.owned(r.declaration.name, "used")}
            for r in layout.records
            if isinstance(r.declaration, ir.Pool)
        ],
        "tables": [
            _record(r) for r in layout.records if isinstance(r.declaration, ir.Table)
        ],
    }


def _record(record: RecordLayout) -> dict[str, Any]:
    return {
        "name": record.declaration.name,
        "count": record.count,
        "record_bytes": record.bytes,
        "padding": record.padding,
        "bytes": record.total,
        "fields": [
            {"name": slot.name, "offset": slot.offset, "bytes": slot.bytes}
            for slot in record.fields
        ],
    }


def table(figures: dict[str, Any]) -> str:
    """The same for people."""
    counts = figures["counts"]
    lines = figures["lines"]
    result = [
        f"protocol {figures['protocol']}"
        + (f", check {figures['check']}" if figures["check"] else "")
        + f": {_many(counts['files'], 'file')}, {lines['spec']} lines, hash {figures['hash']}",
        f"{_many(counts['processes'], 'process', 'processes')}, {_many(counts['states'], 'state')} "
        f"({_many(counts['leaves'], 'leaf', 'leaves')}), {_many(counts['events'], 'event')}, "
        f"{_many(counts['timers'], 'timer')}",
        f"{_many(counts['rows'], 'row')} written, {_many(counts['transitions'], 'transition')} when flattened",
        f"{_many(counts['functions'], 'function')}, {_many(counts['actions'], 'action')}, "
        f"{_many(counts['devices'], 'device operation')}",
        f"{_many(counts['pools'], 'pool')}, {_many(counts['tables'], 'table')}, "
        f"{_many(counts['constants'], 'constant')}, {_many(counts['parameters'], 'parameter')}, "
        f"{_many(counts['counters'], 'counter')}",
        f"{_many(counts['properties'], 'property', 'properties')}, "
        f"{_many(counts['placements'], 'placement')}, {_many(counts['checks'], 'check')}",
    ]
    for process in figures["processes"]:
        result.append(
            f"  {process['name']}: {_many(process['leaves'], 'leaf', 'leaves')}, "
            f"{_many(process['events'], 'event')}, {_many(process['timers'], 'timer')}, "
            f"{_many(process['transitions'], 'transition')}"
        )
    result.append("lines without blank ones and comments")
    ratio = "" if lines["c_per_spec"] is None else f", {lines['c_per_spec']} per line"
    files = ", ".join(f"{name} {count}" for name, count in lines["c_files"].items())
    result.append(f"  C: {lines['c']}{ratio} of the spec ({files})")
    if lines["promela"] is not None:
        promela = lines["promela"]
        result.append(f"  Promela: {promela['lines']} (check {promela['check']})")
    result += _memory(figures["state"])
    return "\n".join(result) + "\n"


def _memory(state: dict[str, Any]) -> list[str]:
    rows: list[tuple[int, str, str]] = []
    for variables in state["variables"]:
        what = f"process {variables['process']}"
        rows.append((variables["bytes"], what, "state and variables"))
    for kind in ("pool", "table"):
        for record in state[kind + "s"]:
            how = f"{record['count']} of {_many(record['record_bytes'], 'byte')}"
            if record["padding"]:
                how += f", {record['padding']} of them padding"
            rows.append((record["bytes"], f"{kind} {record['name']}", how))
    used = sum(pool["used_bytes"] for pool in state["pools"])
    if used:
        rows.append((used, "records in use", "a bit each"))
    if state["holes"]:
        rows.append((state["holes"], "holes", "for alignment"))
    widest = max((len(what) for _, what, _ in rows), default=0)
    result = [f"{_many(state['bytes'], 'byte')} of state"]
    result += [f"  {size:>7}  {what:{widest}}  {how}" for size, what, how in rows]
    return result


def _many(count: int, one: str, many: str = "") -> str:
    """
    >>> _many(1, "leaf", "leaves"), _many(2, "row")
    ('1 leaf', '2 rows')
    """
    return f"{count} {one}" if count == 1 else f"{count} {many or one + 's'}"
