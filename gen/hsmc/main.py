"""The command line: check, build, explain, stats, dump, doc, graph. Exit status 0, 1 (the spec has errors) or 2 (usage)."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Optional, Sequence

from . import ir
from .compiler import Compilation
from .diagnostics import TABLE
from .dump import dump
from .report import Diagnostic, did_you_mean, render, render_json


def main(arguments: Optional[Sequence[str]] = None) -> int:
    try:
        return run(arguments)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def run(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="hsmc", description="Compiles hierarchical state-machine specs."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="report what is wrong with a spec")
    build = commands.add_parser("build", help="generate C and models")
    explain = commands.add_parser("explain", help="explain a diagnostic, HSM0123")
    stats = commands.add_parser("stats", help="count what a spec consists of")
    show = commands.add_parser("dump", help="print the intermediate form")
    step = commands.add_parser("run", help="step a node through events by hand")
    taken = commands.add_parser("coverage", help="which transitions traces take")
    for command in (check, build, stats, show, step, taken):
        command.add_argument("file", type=Path)
        command.add_argument(
            "--json", action="store_true", help="diagnostics as JSON on standard output"
        )
    check.add_argument("--warnings-are-errors", action="store_true")
    build.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="for the C"
    )
    build.add_argument(
        "--check-model-dir",
        type=Path,
        metavar="DIR",
        help="for the models: DIR/CHECK/ per check",
    )
    build.add_argument(
        "--depfile", type=Path, help="make rule naming all files read (as gcc -MMD -MP)"
    )
    show.add_argument("--ir", action="store_true", help="the only form there is")
    show.add_argument("--check", help="with this check configuration applied")
    for command in (step, taken):
        command.add_argument("--check", help="with this check configuration applied")
    step.add_argument("--node-parameters", nargs="+", default=[], metavar="NAME=VALUE")
    step.add_argument("--replay", type=Path, metavar="FILE", help="a scenario, first")
    step.add_argument(
        "--save", type=Path, metavar="FILE", help="the events, at the end"
    )
    taken.add_argument("--traces", nargs="+", type=Path, required=True, metavar="FILE")
    explain.add_argument("number", nargs="?", help="without: list all")
    document = commands.add_parser("doc", help="generate a site about specs")
    document.add_argument("files", type=Path, nargs="+", metavar="file")
    document.add_argument("--output", type=Path, required=True, metavar="DIR")
    document.add_argument(
        "--manual",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a page in Markdown to take along; may be given again",
    )
    graph = commands.add_parser("graph", help="draw a process, or how all talk")
    graph.add_argument("file", type=Path)
    graph.add_argument("--process", metavar="P", help="its statechart")
    graph.add_argument("--format", choices=("dot", "svg"), default="dot")
    for command in (document, graph):
        command.set_defaults(json=False)
    options = parser.parse_args(arguments)
    if options.command == "explain":
        return _explain(options.number)
    if options.command == "doc":
        return _document(options)
    compilation = Compilation(options.file)
    if options.command == "check":
        return _check(compilation, options)
    diagnostics = compilation.diagnostics()
    if _errors(diagnostics):
        _print(diagnostics, options.json)
        return 1
    try:
        protocol = compilation.protocol(getattr(options, "check", None))
    except ValueError as error:
        print(f"hsmc: {error}", file=sys.stderr)
        return 2
    if protocol is None:
        _print(compilation.report.diagnostics, options.json)
        return 1
    if options.command == "dump":
        sys.stdout.write(dump(protocol))
        return 0
    if options.command == "graph":
        return _graph(protocol, options)
    if options.command == "run":
        from . import session

        return session.command(protocol, options)
    if options.command == "coverage":
        from . import coverage

        return coverage.command(protocol, options.traces)
    if options.command == "stats":
        sys.stdout.write(_statistics(protocol, options.file.parent))
        return 0
    _print(diagnostics, options.json)
    return _build(compilation, protocol, options)


def _errors(diagnostics: Sequence[Diagnostic]) -> int:
    return sum(d.severity == "error" for d in diagnostics)


def _print(diagnostics: Sequence[Diagnostic], as_json: bool) -> None:
    if as_json:
        print(render_json(diagnostics))
        return
    for diagnostic in diagnostics:
        print(render(diagnostic), file=sys.stderr)
    errors = _errors(diagnostics)
    warnings = len(diagnostics) - errors
    if diagnostics:
        print(
            f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}; "
            "'hsmc explain NUMBER' tells more",
            file=sys.stderr,
        )


def _check(compilation: Compilation, options: argparse.Namespace) -> int:
    diagnostics = compilation.diagnostics()
    _print(diagnostics, options.json)
    if _errors(diagnostics) or (diagnostics and options.warnings_are_errors):
        return 1
    return 0


def _explain(number: Optional[str]) -> int:
    if number is None:
        for code, entry in TABLE.items():
            print(f"{code} {entry.severity:7} {entry.title}")
        return 0
    code = number.upper()
    if code.isdigit():
        code = f"HSM{int(code):04}"
    if code not in TABLE:
        print(
            f"hsmc: there is no diagnostic {number}{did_you_mean(code, TABLE)}",
            file=sys.stderr,
        )
        return 2
    entry = TABLE[code]
    text = textwrap.fill(entry.text, 79)
    print(f"{code} {entry.severity}: {entry.title}\n\n{text}\n")
    print("\n".join(f"    {line}" for line in entry.example.split("\n")))
    return 0


def _statistics(protocol: ir.Protocol, directory: Path) -> str:
    lines = sum(
        sum(
            1
            for line in (directory / name).read_text().split("\n")
            if line.strip() and not line.strip().startswith("#")
        )
        for name in protocol.files
    )
    rows = list(protocol.rows())
    written = {row.place for row in rows}
    result = [
        f"protocol {protocol.name}: {len(protocol.files)} files, {lines} lines, hash {protocol.hash:08x}",
        f"{len(protocol.processes)} processes, "
        f"{sum(len(p.states) for p in protocol.processes)} states "
        f"({sum(len(p.leaves) for p in protocol.processes)} leaves), "
        f"{sum(len(p.events) for p in protocol.processes)} events, "
        f"{len(protocol.timers)} timers",
        f"{len(written)} rows written, {len(rows)} transitions when flattened",
        f"{len(protocol.functions)} functions, {len(protocol.actions)} actions, "
        f"{len(protocol.devices)} device operations",
        f"{len(protocol.pools)} pools, {len(protocol.tables)} tables, "
        f"{len(protocol.constants)} constants, {len(protocol.parameters)} parameters, "
        f"{len(protocol.counters)} counters",
        f"{len(protocol.properties)} properties, {len(protocol.placements)} placements, "
        f"{len(protocol.checks)} checks",
    ]
    for process in protocol.processes:
        own = [row for h in process.handlers for row in h.rows]
        result.append(
            f"  {process.name}: {len(process.leaves)} leaves, {len(process.events)} events, "
            f"{len(process.timers)} timers, {len(own)} transitions"
        )
    return "\n".join(result) + "\n"


def _build(
    compilation: Compilation, protocol: ir.Protocol, options: argparse.Namespace
) -> int:
    """Everything is generated before anything is written."""
    from . import backend_c, backend_promela

    files: dict[Path, str] = {}
    for name, text in backend_c.generate(protocol).items():
        files[options.output / name] = text
    if options.check_model_dir is not None:
        for check in protocol.checks:
            configured = compilation.protocol(check.name)
            assert configured is not None
            for name, text in backend_promela.generate(configured).items():
                files[options.check_model_dir / check.name / name] = text
    if options.depfile is not None:
        files[options.depfile] = _depfile(
            list(files), options.file.parent, protocol.files
        )
    for path, text in files.items():
        write_if_changed(path, text)
    return 0


def _document(options: argparse.Namespace) -> int:
    """Everything is generated before anything is written."""
    from . import backend_docs, statechart

    specs: list[backend_docs.Spec] = []
    for file in options.files:
        compilation = Compilation(file)
        diagnostics = compilation.diagnostics()
        protocol = compilation.protocol(None)
        if protocol is None or _errors(diagnostics):
            _print(diagnostics, options.json)
            return 1
        if protocol.name in [spec.protocol.name for spec in specs]:
            print(f"hsmc: protocol {protocol.name} is given twice", file=sys.stderr)
            return 2
        texts = {name: (file.parent / name).read_text() for name in protocol.files}
        specs.append(backend_docs.Spec(protocol, texts))
    try:
        manuals = [backend_docs.Manual(m.name, m.read_text()) for m in options.manual]
        files = backend_docs.generate(specs, manuals)
    except (OSError, statechart.NoGraphviz) as error:
        print(f"hsmc: {error}", file=sys.stderr)
        return 2
    for name, text in files.items():
        write_if_changed(options.output / name, text)
    return 0


def _graph(protocol: ir.Protocol, options: argparse.Namespace) -> int:
    from . import statechart

    if options.process is None:
        picture = statechart.conversation(protocol)
    else:
        names = [process.name for process in protocol.processes]
        if options.process not in names:
            print(
                f"hsmc: there is no process {options.process}"
                f"{did_you_mean(options.process, names)}",
                file=sys.stderr,
            )
            return 2
        picture = statechart.statechart(protocol.process(options.process))
    if options.format == "svg":
        try:
            picture = statechart.svg(picture)
        except statechart.NoGraphviz as error:
            print(f"hsmc: {error}", file=sys.stderr)
            return 2
    sys.stdout.write(picture)
    return 0


def _depfile(
    targets: Sequence[Path], directory: Path, spec_files: Sequence[str]
) -> str:
    compiler = sorted(
        path
        for path in Path(__file__).parent.rglob("*")
        if path.suffix in (".py", ".j2", ".lark") and "__pycache__" not in path.parts
    )
    read = [str(directory / name) for name in spec_files]
    read += [os.path.relpath(path) for path in compiler]
    rule = f"{' '.join(map(str, targets))}: \\\n  " + " \\\n  ".join(read) + "\n"
    return rule + "".join(f"\n{path}:\n" for path in read)


def write_if_changed(path: Path, text: str) -> bool:
    """Never leaves half a file, and keeps the time stamp of a file that stays the same."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return False
    except (OSError, UnicodeDecodeError):
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
