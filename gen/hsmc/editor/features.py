# SPDX-License-Identifier: MIT
"""What the language server can do, by the protocol's names. Anything that concerns a file it does not know, or a place
in it where nothing is, has the answer null."""

from __future__ import annotations

import difflib
import logging
from pathlib import Path
from typing import Any, Callable, Optional

from pylsp_jsonrpc.exceptions import JsonRpcException, JsonRpcInvalidParams

from ..documents.diagnostic_pages import DIRECTORY
from ..formatting.formatter import InternalError, format_text
from ..frontend.index import Definition
from ..report import Diagnostic, SpecError
from ..source import SourceFile, Span
from . import completion, hover, rename, symbols
from .positions import Json, offset, path_of, range_of
from .workspace import Analysis, Workspace

log = logging.getLogger(__name__)

REQUEST_FAILED = -32803
SEVERITIES = {"error": 1, "warning": 2}
INFORMATION = 3
UNNECESSARY = 1  # a tag: shown faded
NO_SPEC = "no file with a 'protocol' line includes this one: only its syntax is checked"


def _uri(params: Any) -> str:
    try:
        uri = params["textDocument"]["uri"]
    except (KeyError, TypeError):
        uri = None
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("textDocument.uri is missing")
    return uri


class Features:
    def __init__(self, notify: Callable[[str, Json], None]) -> None:
        self.notify = notify
        self.workspace = Workspace()
        # A client may write a file's URI in its own way; it is called by that.
        self.uris: dict[Path, str] = {}
        # Files that were changed since diagnostics were last sent.
        self.waiting: set[Path] = set()
        # The checks were not compiled with what was changed last.
        self.unchecked = False
        # By spec and file what was said of it last.
        self.said: dict[Path, dict[Path, list[Json]]] = {}
        self.handlers: dict[str, Callable[[Json], Any]] = {
            "textDocument/didOpen": self.did_open,
            "textDocument/didChange": self.did_change,
            "textDocument/didClose": self.did_close,
            "textDocument/didSave": self.did_save,
            "workspace/didChangeWatchedFiles": self.did_save,
            "workspace/didChangeWorkspaceFolders": self.did_change_folders,
            "textDocument/definition": self.definition,
            "textDocument/references": self.references,
            "textDocument/documentHighlight": self.highlight,
            "textDocument/hover": self.hover,
            "textDocument/prepareRename": self.prepare_rename,
            "textDocument/rename": self.rename,
            "textDocument/documentSymbol": self.document_symbols,
            "workspace/symbol": self.workspace_symbols,
            "textDocument/completion": self.completion,
            "textDocument/formatting": self.formatting,
        }

    def handler(self, method: str) -> Callable[[Any], Any]:
        """Raises KeyError."""
        found = self.handlers[method]

        def checked(params: Any) -> Any:
            if params is not None and not isinstance(params, dict):
                raise JsonRpcInvalidParams("params must be an object")
            return found(params or {})

        return checked

    # --- beginning

    def initialize(self, params: Json) -> Json:
        folders = params.get("workspaceFolders") or []
        roots = [f.get("uri") for f in folders if isinstance(f, dict)]
        if not roots and params.get("rootUri"):
            roots = [params["rootUri"]]
        self._add_roots(roots)
        return {
            "capabilities": {
                "textDocumentSync": {"openClose": True, "change": 1, "save": True},
                "definitionProvider": True,
                "referencesProvider": True,
                "documentHighlightProvider": True,
                "hoverProvider": True,
                "renameProvider": {"prepareProvider": True},
                "documentSymbolProvider": True,
                "workspaceSymbolProvider": True,
                "documentFormattingProvider": True,
                "completionProvider": {"triggerCharacters": [".", ">", " "]},
                "workspace": {
                    "workspaceFolders": {"supported": True, "changeNotifications": True}
                },
            },
            "serverInfo": {"name": "hsmc"},
        }

    def _add_roots(self, uris: list[Any]) -> None:
        paths = (path_of(uri) for uri in uris if isinstance(uri, str))
        self.workspace.roots += [p for p in paths if p is not None]
        self.workspace.files_changed()

    # --- texts

    def did_open(self, params: Json) -> None:
        document = params.get("textDocument")
        uri = _uri(params)
        path = path_of(uri)
        if path is None or not isinstance(document, dict):
            return
        text = document.get("text")
        if not isinstance(text, str):
            raise JsonRpcInvalidParams("textDocument.text is missing")
        self.uris[path] = uri
        self.workspace.files_changed()
        self.workspace.open(path, text)
        self.waiting.add(path)

    def did_change(self, params: Json) -> None:
        """The whole text each time: specs are small."""
        path = path_of(_uri(params))
        if path is None or path not in self.workspace.texts:
            return
        for change in params.get("contentChanges") or []:
            text = change.get("text") if isinstance(change, dict) else None
            if not isinstance(text, str) or "range" in change:
                raise JsonRpcInvalidParams("whole texts only, as was agreed")
            self.workspace.open(path, text)
        self.waiting.add(path)

    def did_close(self, params: Json) -> None:
        path = path_of(_uri(params))
        if path is None:
            return
        self.workspace.close(path)
        # What is on disk counts again, for other files of the spec too.
        self.waiting |= set(self.workspace.texts) or {path}

    def did_save(self, _params: Json) -> None:
        self.workspace.files_changed()
        self.waiting |= set(self.workspace.texts)

    def did_change_folders(self, params: Json) -> None:
        event = params.get("event") or {}
        removed = [path_of(f.get("uri", "")) for f in event.get("removed", [])]
        self.workspace.roots = [r for r in self.workspace.roots if r not in removed]
        self._add_roots([f.get("uri") for f in event.get("added", [])])
        self.waiting |= set(self.workspace.texts)

    # --- diagnostics

    def publish(self, checks: bool) -> None:
        """Sends the diagnostics of all specs that have a file open, where they are other than before. `checks`: those
        of the checks too."""
        waiting, self.waiting = self.waiting, set()
        self.unchecked = not checks
        specs: dict[Path, list[Analysis]] = {}
        for path in self.workspace.texts:
            try:
                for analysis in self.workspace.analyses(path):
                    if checks:
                        analysis.compile_checks()
                    known = specs.setdefault(analysis.top, [])
                    if analysis not in known:
                        known.append(analysis)
            except Exception:  # the compiler failed; the next text may suit it better
                log.exception("no diagnostics for %s", path)
        now = {top: self._judged(analyses) for top, analyses in specs.items()}
        paths = {
            p for said in (self.said, now) for files in said.values() for p in files
        }
        before = {path: self._all(path) for path in paths}
        self.said = now
        for path in sorted(paths):
            diagnostics = self._all(path)
            if diagnostics != before[path] or path in waiting:
                self.notify(
                    "textDocument/publishDiagnostics",
                    {"uri": self.uri(path), "diagnostics": diagnostics},
                )

    def _all(self, path: Path) -> list[Json]:
        """Of all specs the file belongs to, each once."""
        found: list[Json] = []
        for files in self.said.values():
            found += [d for d in files.get(path, ()) if d not in found]
        return found

    def _judged(self, analyses: list[Analysis]) -> dict[Path, list[Json]]:
        """What is wrong with a spec in any of its profiles."""
        analysis = analyses[0]
        found: dict[Path, list[Json]] = {path: [] for path in analysis.files}
        for profile in analyses:
            for diagnostic in profile.diagnostics:
                at = found.setdefault(diagnostic.span.file.path.resolve(), [])
                judged = self._diagnostic(diagnostic)
                if judged not in at:
                    at.append(judged)
        if analysis.part and analysis.top in analysis.files:
            file = analysis.files[analysis.top]
            end = len(file.line_text(1))
            found[analysis.top].append(
                {
                    "range": range_of(Span(file, 0, end)),
                    "severity": INFORMATION,
                    "source": "hsmc",
                    "message": NO_SPEC,
                }
            )
        return found

    def _diagnostic(self, diagnostic: Diagnostic) -> Json:
        result: Json = {
            "range": range_of(_visible(diagnostic.span)),
            "severity": SEVERITIES[diagnostic.severity],
            "code": diagnostic.code,
            "source": "hsmc",
            "message": diagnostic.message,
        }
        page = DIRECTORY / f"{diagnostic.code}.md"
        if page.exists():
            result["codeDescription"] = {"href": page.as_uri()}
        if diagnostic.code.startswith("HSM07"):
            result["tags"] = [UNNECESSARY]
        if diagnostic.notes:
            result["relatedInformation"] = [
                {"location": self.location(span), "message": message}
                for message, span in diagnostic.notes
            ]
        return result

    # --- places

    def uri(self, path: Path) -> str:
        return self.uris.get(path) or path.as_uri()

    def location(self, span: Span) -> Json:
        return {"uri": self.uri(span.file.path.resolve()), "range": range_of(span)}

    def _place(self, params: Json) -> Optional[tuple[Path, list[Analysis], int]]:
        """The file, the specs it belongs to, and the offset of the request."""
        path = path_of(_uri(params))
        position = params.get("position")
        try:
            line, character = int(position["line"]), int(position["character"])  # type: ignore[index]
        except (KeyError, TypeError, ValueError):
            raise JsonRpcInvalidParams("position is missing") from None
        if path is None or not self.workspace.text(path):
            return None
        analyses = self.workspace.analyses(path)
        file = analyses[0].files.get(path)
        if file is None:
            return None
        return path, analyses, offset(file, line, character)

    def _definitions(self, params: Json) -> list[tuple[Analysis, Definition]]:
        """What the name at the place means in each of the specs."""
        place = self._place(params)
        if place is None:
            return []
        path, analyses, at = place
        found = ((a, a.name_at(path, at)) for a in analyses)
        return [
            (analysis, name.definition)
            for analysis, name in found
            if name is not None and name.definition is not None
        ]

    def _spans(self, params: Json) -> list[Span]:
        """All occurrences of the name at the place, in all specs, each once."""
        found: dict[tuple[Path, int], Span] = {}
        for analysis, definition in self._definitions(params):
            for span in analysis.index.occurrences(definition):
                found.setdefault(rename.key(span), span)
        return list(found.values())

    # --- requests

    def definition(self, params: Json) -> Any:
        """Of an `include`: the file."""
        place = self._place(params)
        if place is None:
            return None
        path, analyses, at = place
        for span, included in analyses[0].compilation.spec.includes:
            same = span.file.path.resolve() == path
            if same and span.start <= at <= span.end and included.exists():
                start = Span(SourceFile(included, included.name, ""), 0, 0)
                return self.location(start)
        spans = {rename.key(d.span): d.span for _, d in self._definitions(params)}
        return [self.location(span) for span in spans.values()] or None

    def references(self, params: Json) -> Any:
        context = params.get("context")
        declared = {rename.key(d.span) for _, d in self._definitions(params)}
        with_declaration = not isinstance(context, dict) or context.get(
            "includeDeclaration", True
        )
        return [
            self.location(span)
            for span in self._spans(params)
            if with_declaration or rename.key(span) not in declared
        ]

    def highlight(self, params: Json) -> Any:
        path = path_of(_uri(params))
        return [
            {"range": range_of(span)}
            for span in self._spans(params)
            if span.file.path.resolve() == path
        ]

    def hover(self, params: Json) -> Any:
        place = self._place(params)
        if place is None:
            return None
        path, analyses, at = place
        known = (a for a in analyses if hover.knows(a, path, at))
        found = hover.hover(next(known, analyses[0]), path, at)
        if found is None:
            return None
        text, span = found
        return {
            "contents": {"kind": "markdown", "value": text},
            "range": range_of(span),
        }

    def prepare_rename(self, params: Json) -> Any:
        place = self._place(params)
        if place is None:
            return None
        try:
            found = rename.renameable(self.workspace, place[0], place[2])
        except rename.Refused as refused:
            raise JsonRpcException(str(refused), REQUEST_FAILED) from None
        return {"range": range_of(found.span), "placeholder": found.span.text}

    def rename(self, params: Json) -> Any:
        place = self._place(params)
        name = params.get("newName")
        if not isinstance(name, str):
            raise JsonRpcInvalidParams("newName is missing")
        if place is None:
            return None
        try:
            edits = rename.rename(self.workspace, place[0], place[2], name)
        except rename.Refused as refused:
            raise JsonRpcException(str(refused), REQUEST_FAILED) from None
        return {
            "changes": {
                self.uri(path): [
                    {"range": range_of(span), "newText": name} for span in spans
                ]
                for path, spans in edits.items()
            }
        }

    def document_symbols(self, params: Json) -> Any:
        path = path_of(_uri(params))
        if path is None or not self.workspace.text(path):
            return None
        analysis = self.workspace.analyses(path)[0]
        if path not in analysis.files:
            return None
        return symbols.outline(analysis.compilation.spec, analysis.files[path])

    def workspace_symbols(self, params: Json) -> Any:
        """Names with the query in them, of the specs that are open; not those known in one row or body only."""
        query = str(params.get("query") or "").lower()
        found: dict[tuple[Path, int], Json] = {}
        for path in self.workspace.texts:
            for analysis in self.workspace.analyses(path):
                for definition in analysis.index.definitions.values():
                    if definition.kind in ("argument", "local name", "record"):
                        continue
                    if query in definition.text.lower():
                        found[rename.key(definition.span)] = {
                            "name": definition.text,
                            "kind": symbols.kind_of(definition.node),
                            "location": self.location(definition.span),
                            "containerName": ".".join(
                                owner.name.text for owner in definition.owners
                            ),
                        }
        return [found[place] for place in sorted(found)]

    def completion(self, params: Json) -> Any:
        place = self._place(params)
        if place is None or place[0] not in self.workspace.texts:
            return []
        return completion.complete(self.workspace, place[0], place[2])

    def formatting(self, params: Json) -> Any:
        """As `hsmc fmt` does; null for a text that does not parse, which stays as it is."""
        path = path_of(_uri(params))
        if path is None or path not in self.workspace.texts:
            return None
        text = self.workspace.texts[path]
        try:
            formatted = format_text(text, path)
        except SpecError:
            return None
        except InternalError as error:
            raise JsonRpcException(str(error), REQUEST_FAILED) from None
        return _edits(SourceFile(path, path.name, text), formatted)


def _edits(file: SourceFile, text: str) -> list[Json]:
    """What makes the file's text this one, by whole lines, so that the cursor stays where nothing changes."""
    before, after = file.text.split("\n"), text.split("\n")
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    edits: list[Json] = []
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        # A piece that reaches the last line, which no newline ends, takes the newline before it along.
        final = end == len(before) or last == len(after)
        if final and start > 0 and first > 0:
            start, first = start - 1, first - 1
        begin = file.line_starts[start]
        if final:
            piece = Span(file, begin, len(file.text))
            edits.append(_edit(piece, "\n".join(after[first:])))
            break
        piece = Span(file, begin, file.line_starts[end])
        edits.append(_edit(piece, "".join(f"{line}\n" for line in after[first:last])))
    return edits


def _edit(span: Span, text: str) -> Json:
    return {"range": range_of(span), "newText": text}


def _visible(span: Span) -> Span:
    """An empty piece of text cannot be underlined."""
    if span.end > span.start:
        return span
    if span.start < len(span.file.text) and span.file.text[span.start] != "\n":
        return Span(span.file, span.start, span.start + 1)
    return Span(span.file, max(0, span.start - 1), span.start)
