# SPDX-License-Identifier: MIT
"""From files to a syntax tree.

Declarations start in column 1 and are parsed one by one. Inside a declaration that does not parse, the offending
line is blanked together with what hangs on it, and the rest is parsed again, so that one run shows several mistakes.
The words of what was blanked are remembered (Report.damaged_names): they explain names missing later.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Iterator, Mapping, Optional

import lark
from lark import Lark, Token
from lark.exceptions import (
    LarkError,
    UnexpectedCharacters,
    UnexpectedInput,
    UnexpectedToken,
)
from lark.indenter import Indenter

from .. import disk_cache
from . import ast, includes, kept_trees, lalr
from .build_ast import AstBuilder
from .kept_trees import Parsed
from .profiles import (
    DECLARES_PROFILE,
    NOTHING_SELECTED,
    Marked,
    Selection,
    apply_settings,
    choose,
    default_of,
    find_marks,
)
from ..report import Report
from ..source import SourceFile, Span, decoded
from .syntax_hints import INDENTATION, habit_hint, indentation_message, odd_line

# A line that begins so continues the line before it.
CONTINUES = re.compile(
    r'(=|and\b|or\b|"|/|->|[-+*|^&<>!]|(at|told|unchanged)\b(?!\s*[:=(.\[]))'
)
# A line that ends so is continued by the next.
CONTINUED = re.compile(r"([-+*|^&<>=,]|\b(and|or|not|if))$")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORD_END = re.compile(r"[A-Za-z0-9_]\Z")
WORD_BEGIN = re.compile(r"[A-Za-z0-9_]")
ERRORS_PER_DECLARATION = 8
TOO_DEEP = "nested too deeply, or too many operators in one expression: give parts names, with 'let', a function or an action"

TERMINALS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "CONSTANT_WORD": "a number",
    "_NL": "the end of the line",
    "_INDENT": "an indented block",
    "_DEDENT": "the end of the block",
    "$END": "the end of the declaration",
    "_THEN": "'/'",
    "COMPARE": "a comparison",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COLON": "':'",
    "COMMA": "','",
    "SEMICOLON": "';'",
    "EQUAL": "'='",
    "DOT": "'.'",
    "__ANON_0": "'..'",
    "BAR": "'|'",
}


class SpecIndenter(Indenter):
    """Indentation tokens; also tells the '/' that begins a row's actions from the division."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR", "LSQB"]
    CLOSE_PAREN_types = ["RPAR", "RSQB"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8

    ROWS = {"BEFORE", "ON", "WHEN", "WHENEVER", "ELSE", "AFTER", "ENTRY", "EXIT"}
    ROWS |= {"WIRE", "OFFER", "OBSERVE", "END"}  # of a world

    # SLASH: which meaning it has is decided below, after the lexer.
    @property
    def always_accept(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.NL_type, "SLASH")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return super().process(self._mark_actions(_check_separated(stream)))

    def _mark_actions(self, stream: Iterator[Token]) -> Iterator[Token]:
        first: Optional[str] = None
        depth = 0
        for token in stream:
            if token.type == self.NL_type:
                first, depth = None, 0
            elif first is None:
                first = token.type
            if token.type in self.OPEN_PAREN_types:
                depth += 1
            elif token.type in self.CLOSE_PAREN_types:
                depth -= 1
            elif token.type == "SLASH" and depth == 0 and first in self.ROWS:
                first = ""
                token = Token.new_borrow_pos("_THEN", token.value, token)
            yield token


def _check_separated(stream: Iterator[Token]) -> Iterator[Token]:
    """Refuses words that run into each other: where no name may stand the lexer would take `constantlimit` for two."""
    before: Optional[Token] = None
    for token in stream:
        if (
            before is not None
            and before.end_pos == token.start_pos
            and WORD_END.search(before)
            and WORD_BEGIN.match(token)
        ):
            whole = Token.new_borrow_pos("NAME", f"{before}{token}", before)
            raise UnexpectedToken(whole, set())
        before = token
        yield token


@lru_cache(maxsize=None)
def lark_parser() -> Lark:
    """The parser; its tables are cached (disk_cache.py), as making them takes longer than to compile most specs."""
    grammar = Path(__file__).with_name("grammar.lark").read_text()
    options = {"postlex": SpecIndenter(), "propagate_positions": True}
    name = disk_cache.name_for(grammar, lark.__version__) + ".tables"
    content = disk_cache.read(name)
    if content is not None:
        try:
            saved = pickle.loads(content)
            # As the parsers do that Lark generates: Lark.load() takes no post-lexer.
            return Lark._load_from_dict(saved["data"], saved["memo"], **options)
        except Exception:  # spoilt, in whatever way
            pass
    parser = Lark(grammar, parser="lalr", maybe_placeholders=True, **options)
    buffer = io.BytesIO()
    parser.save(buffer, options)
    disk_cache.write(name, buffer.getvalue())
    return parser


@dataclass
class LogicalLine:
    """A line with those that continue it: [start, end) without the final newline."""

    start: int
    end: int
    indent: int


def parse(
    path: Path,
    report: Report,
    overlay: Mapping[Path, str] = {},
    profile: Optional[str] = None,
) -> ast.Spec:
    """The spec in `path` and all it includes, in the profile named or the default one. Raises UnknownProfile.
    `overlay`: texts by resolved path, read instead of the files."""
    loader = _Loader(report, path.parent, overlay, profile)
    loader.load(path, None, ())
    spec = loader.spec
    apply_settings(spec, report)
    default = default_of(spec.profiles)
    if spec.profile is not None and default and spec.profile != default.name.text:
        loader.digest.update(f"\0profile {spec.profile}".encode())
    spec.hash = int.from_bytes(loader.digest.digest()[:4], "big")
    return spec


def parse_text(
    text: str, path: Path, report: Report, selection: Selection
) -> list[ast.AnyDeclaration | ast.Include | ast.Profile]:
    """One file by itself: what it includes stays unread; profiles it declares come first."""
    parser = FileParser(SourceFile(path, path.name, text), report)
    return [*parser.profiles(), *parser.declarations(selection)]


class _Loader:
    def __init__(
        self,
        report: Report,
        root: Path,
        overlay: Mapping[Path, str],
        profile: Optional[str],
    ) -> None:
        self.report = report
        self.root = root
        self.overlay = overlay
        self.wanted = profile
        self.selection = NOTHING_SELECTED
        self.spec = ast.Spec()
        self.digest = hashlib.sha256()
        self.loaded: dict[Path, Span] = {}

    def load(
        self, path: Path, included_at: Optional[Span], outer: tuple[Path, ...]
    ) -> None:
        try:
            resolved = path.resolve()
        except (OSError, RuntimeError, ValueError):  # links in a circle; no name at all
            resolved = path
        name = includes.shown(path, self.root)
        if included_at is not None and resolved in self.loaded:
            if resolved in outer:
                self.report.add(
                    "HSM0105", included_at, f"'{name}' includes itself, through others"
                )
            else:
                self.report.add(
                    "HSM0105",
                    included_at,
                    f"'{name}' is included twice",
                    [("first included here", self.loaded[resolved])],
                )
            return
        try:
            text = self.overlay.get(resolved)
            if text is None:
                text = decoded(path.read_bytes())
        except (OSError, ValueError) as error:
            reason = "no file can have this name"
            if isinstance(error, OSError):
                reason = error.strerror or "cannot be read"
            elif isinstance(error, UnicodeDecodeError):
                reason = "it is not UTF-8 text"
            span = included_at or Span(SourceFile(path, name, ""), 0, 0)
            self.report.add("HSM0104", span, f"cannot read '{path.name}': {reason}")
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        top = included_at is None
        selection = Selection(self.wanted, ()) if top else self.selection
        kept = kept_trees.name_of(text, selection, top)
        parsed = kept_trees.read(kept, path, name)
        file = parsed.file if parsed else SourceFile(path, name, text)
        self.loaded[resolved] = included_at or Span(file, 0, 0)
        self.spec.files.append(name)
        self.spec.sources.append(file)
        self.digest.update(file.text.encode())
        if parsed is not None:
            self._declare_profiles(parsed.profiles, top)
        else:
            parsed = self._parse(file, top, kept)
        for declaration in parsed.declarations:
            if isinstance(declaration, ast.Include):
                wanted = includes.find(path.parent, declaration.path, self.overlay)
                self.spec.includes.append((declaration.span, wanted))
                self.load(wanted, declaration.span, (*outer, resolved))
            else:
                self.spec.declarations.append(declaration)
        self.spec.marks += parsed.marks

    def _parse(self, file: SourceFile, top: bool, kept: Optional[str]) -> Parsed:
        """Keeps what has no mistake."""
        parser = FileParser(file, self.report)
        complaints = self.report.number
        profiles = parser.profiles()
        sound = self.report.number == complaints
        self._declare_profiles(profiles, top)
        complaints = self.report.number
        declarations = list(parser.declarations(self.selection))
        self.spec.damaged |= parser.damaged
        parsed = Parsed(file, profiles, declarations, parser.marks)
        if sound and self.report.number == complaints and not parser.damaged:
            kept_trees.write(kept, parsed)
        return parsed

    def _declare_profiles(self, declared: list[ast.Profile], is_top: bool) -> None:
        if is_top:
            self.selection = choose(declared, self.wanted, self.report)
            self.spec.profiles = declared
            self.spec.profile = self.selection.chosen
            return
        for profile in declared:
            self.report.add(
                "HSM0605", profile.name.span, "profiles are declared in the top file"
            )


class FileParser:
    """The declarations of one file: first `profiles`, then `declarations`, each asked for once."""

    def __init__(self, file: SourceFile, report: Report) -> None:
        self.file = file
        self.report = report
        self.damaged = False
        # Positions of mistakes after which the lines of a declaration make no sense.
        self.fatal_offsets: list[int] = []
        self.marks: list[ast.Name] = []
        self.lines = self._logical_lines()

    def profiles(self) -> list[ast.Profile]:
        """They exist in every profile, and must be known before any mark can be read."""
        found: list[ast.Profile] = []
        others: list[LogicalLine] = []
        for chunk in _chunks(self.lines):
            code = self._code(chunk[0])
            if chunk[0].indent > 0 or not DECLARES_PROFILE.match(code):
                others += chunk
                continue
            for line in chunk:
                marked = find_marks(self._code(line))
                if marked.names:
                    at = line.start + marked.names[0][1]
                    message = "the declaration of a profile is part of all profiles"
                    self._error("HSM0605", at, line.end, message)
                    self._blank(line.start + marked.code_end, line.end)
            parsed = self._parse_chunk(chunk)
            found += (d for d in parsed if isinstance(d, ast.Profile))
        self.lines = others
        return found

    def declarations(
        self, selection: Selection
    ) -> Iterator[ast.AnyDeclaration | ast.Include]:
        for chunk in _chunks(self._selected(selection)):
            for declaration in self._parse_chunk(chunk):
                assert not isinstance(declaration, ast.Profile)
                yield declaration

    # --- profiles

    def _selected(self, selection: Selection) -> list[LogicalLine]:
        """Blanks marks, and the lines of other profiles with what hangs on them."""
        remaining: list[LogicalLine] = []
        excluded_indent: Optional[int] = None
        for line in self.lines:
            marked = find_marks(self._code(line))
            sound = self._check_marks(line, marked, selection)
            if excluded_indent is not None and line.indent <= excluded_indent:
                excluded_indent = None
            names = [name for name, _ in marked.names]
            if excluded_indent is None and (not sound or selection.excludes(names)):
                excluded_indent = line.indent
            if excluded_indent is None:
                if names:
                    self._blank(line.start + marked.code_end, line.end)
                remaining.append(line)
                continue
            if not sound:
                self._note_damage(line.start, line.end)
            first = self.file.line_of(line.start)
            self.file.excluded_lines.update(
                range(first, self.file.line_of(line.end) + 1)
            )
            self._blank(line.start, line.end)
        return remaining

    def _check_marks(
        self,
        line: LogicalLine,
        marked: Marked,
        selection: Selection,
    ) -> bool:
        if marked.first_misplaced >= 0:
            at = line.start + marked.first_misplaced
            message = "'@' is out of place: @NAME stands at the very end of a line, continued ones included"
            self._error("HSM0108", at, at + 1, message)
            return False
        for name, offset in marked.names:
            at = line.start + offset + 1
            self.marks.append(ast.Name(Span(self.file, at, at + len(name)), name))
            unknown = selection.unknown(name)
            if unknown is not None:
                if name not in self.report.damaged_names:
                    at = line.start + offset
                    self._error("HSM0213", at, at + 1 + len(name), unknown)
                return False
        return True

    def _code(self, line: LogicalLine) -> str:
        return self.file.clean[line.start : line.end]

    def _blank(self, start: int, end: int) -> None:
        clean = self.file.clean
        blank = "".join(c if c in "\n\x0b" else " " for c in clean[start:end])
        self.file.clean = clean[:start] + blank + clean[end:]

    # --- lines

    def _error(self, code: str, start: int, end: int, message: str) -> None:
        self.damaged = True
        self.report.add(code, Span(self.file, start, end), message)

    def _note_damage(self, start: int, end: int) -> None:
        self.damaged = True
        self.report.damaged_names.update(WORD.findall(self.file.text[start:end]))

    def _logical_lines(self) -> list[LogicalLine]:
        """Blanks comments and joins lines in file.clean; gives the lines that are left."""
        clean = list(self.file.text)
        lines: list[LogicalLine] = []
        open_brackets: list[int] = []
        before = ""  # the code of the line before
        for number, start in enumerate(self.file.line_starts, start=1):
            text = self.file.line_text(number)
            end = start + len(text)
            code_end, tab = self._scan_comment(clean, start, text)
            code = "".join(clean[start:code_end])
            if not code.strip():
                clean[start:end] = " " * (end - start)
                continue
            indent = len(code) - len(code.lstrip(" \t"))
            if tab >= 0:
                if tab < indent:
                    self._error(
                        "HSM0102",
                        start + tab,
                        start + tab + 1,
                        "tab in the indentation; indent with blanks",
                    )
                    self.fatal_offsets.append(start)
                for position in range(start, end):
                    if clean[position] == "\t":
                        clean[position] = " "
            body = code.strip()
            if open_brackets and indent == 0:
                self._error(
                    "HSM0101",
                    open_brackets[-1],
                    open_brackets[-1] + 1,
                    f"'{clean[open_brackets[-1]]}' is never closed",
                )
                self.fatal_offsets.append(open_brackets[-1])
                open_brackets.clear()
            continues = lines and (
                open_brackets
                or indent > lines[-1].indent
                and (CONTINUES.match(body) or CONTINUED.search(before))
            )
            # A text does not go on in the next line.
            before = _without_strings(body)
            if continues:
                for position in range(lines[-1].end, start):
                    clean[position] = "\x0b" if clean[position] == "\n" else " "
                lines[-1].end = start + len(code.rstrip())
            else:
                lines.append(LogicalLine(start, start + len(code.rstrip()), indent))
            self._scan_brackets(clean, start, code_end, open_brackets)
        if open_brackets:
            self._error(
                "HSM0101",
                open_brackets[-1],
                open_brackets[-1] + 1,
                f"'{clean[open_brackets[-1]]}' is never closed",
            )
            self.fatal_offsets.append(open_brackets[-1])
        self.file.clean = "".join(clean)
        return lines

    def _scan_comment(self, clean: list[str], start: int, text: str) -> tuple[int, int]:
        """Blanks the comment of a line. Gives the end of the code and the offset of the first tab, or -1."""
        quoted = -1
        for offset, character in enumerate(text):
            if character == '"':
                quoted = offset if quoted < 0 else -1
            elif character == "#" and quoted < 0:
                clean[start + offset : start + len(text)] = " " * (len(text) - offset)
                return start + offset, text[:offset].find("\t")
        if quoted >= 0:
            self._error(
                "HSM0101",
                start + quoted,
                start + len(text),
                "text without closing quote",
            )
            clean[start + quoted : start + len(text)] = " " * (len(text) - quoted)
        return start + len(text), text.find("\t")

    @staticmethod
    def _scan_brackets(
        clean: list[str], start: int, end: int, open_brackets: list[int]
    ) -> None:
        quoted = False
        for position in range(start, end):
            character = clean[position]
            if character == '"':
                quoted = not quoted
            elif not quoted and character in "([":
                open_brackets.append(position)
            elif not quoted and character in ")]" and open_brackets:
                open_brackets.pop()

    # --- declarations

    def _parse_chunk(
        self, chunk: list[LogicalLine]
    ) -> Iterator[ast.AnyDeclaration | ast.Include | ast.Profile]:
        if any(chunk[0].start <= at < chunk[-1].end for at in self.fatal_offsets):
            self._note_damage(chunk[0].start, chunk[-1].end)
            return
        chunk = self._check_dedents(chunk)
        for _attempt in range(ERRORS_PER_DECLARATION):
            if not chunk:
                return
            base = chunk[0].start
            text = self._text(chunk)
            complaints = Report()  # they count only if the text parses
            builder = AstBuilder(self.file, base, complaints)
            try:
                declaration = lalr.parse(lark_parser(), text, builder)
            except lalr.NotParsed:
                pass
            else:
                for each in complaints.diagnostics:
                    self.report.add(each.code, each.span, each.message, each.notes)
                yield declaration
                return
            try:
                tree = lark_parser().parse(text)
            except UnexpectedInput as error:
                position = self._position(error, text) + base
                if (
                    isinstance(error, UnexpectedToken)
                    and error.token.type == "_INDENT"
                    and self._earlier_line_is_odd(chunk, _line_at(chunk, position))
                ):
                    return
                self._report_syntax(error, base, text)
            except LarkError as error:
                self._error("HSM0101", base, chunk[0].end, str(error).split("\n")[0])
                position = base
            else:
                position = base + _too_deep(tree)
                self._error("HSM0101", position, position + 1, TOO_DEEP)
            chunk = self._without_line_at(chunk, position)

    def _text(self, chunk: list[LogicalLine]) -> str:
        """The lines of the chunk, everything else blank; positions count from the first line's start."""
        pieces: list[str] = []
        position = chunk[0].start
        for line in chunk:
            gap = self.file.clean[position : line.start]
            pieces.append("".join(c if c == "\n" else " " for c in gap))
            pieces.append(self.file.clean[line.start : line.end])
            position = line.end
        return "".join(pieces) + "\n"

    def _check_dedents(self, chunk: list[LogicalLine]) -> list[LogicalLine]:
        levels = [0]
        remaining: list[LogicalLine] = []
        if chunk[0].indent > 0:
            self._error(
                "HSM0103",
                chunk[0].start + chunk[0].indent,
                chunk[0].end,
                "a declaration must start in column 1",
            )
            self._note_damage(chunk[0].start, chunk[-1].end)
            return []
        for number, line in enumerate(chunk):
            if line.indent > levels[-1]:
                levels.append(line.indent)
            else:
                while levels and line.indent < levels[-1]:
                    levels.pop()
                if not levels or line.indent != levels[-1]:
                    if self._earlier_line_is_odd(chunk, number):
                        return []
                    message = "indentation fits no enclosing block"
                    if line.indent % INDENTATION:
                        message = indentation_message(line.indent)
                    self._error("HSM0103", line.start + line.indent, line.end, message)
                    self._note_damage(line.start, line.end)
                    levels.append(line.indent)
                    continue
            remaining.append(line)
        return remaining

    def _earlier_line_is_odd(self, chunk: list[LogicalLine], index: int) -> bool:
        """Where the line at the index fits no block only because one before it is indented by an odd number of blanks, that
        one is the mistake, and nothing can be said of the rest of the declaration."""
        odd = odd_line([line.indent for line in chunk], index)
        if odd is None or odd == index:
            return False
        line = chunk[odd]
        message = indentation_message(line.indent)
        self._error("HSM0103", line.start + line.indent, line.end, message)
        self._note_damage(chunk[0].start, chunk[-1].end)
        return True

    @staticmethod
    def _position(error: UnexpectedInput, text: str) -> int:
        """Where in the text the error is to be shown."""
        if not isinstance(error, UnexpectedToken):
            return error.pos_in_stream or 0
        token = error.token
        if token.type == "_INDENT":
            position = min((token.end_pos or len(text)) - 1, len(text) - 1)
            while position < len(text) - 1 and text[position] in " \n":
                position += 1
            return position
        if token.type not in ("_NL", "_DEDENT", "$END"):
            return token.start_pos or 0
        ends = token.start_pos is None or token.type == "$END"
        position = min(len(text) if ends else token.start_pos, len(text) - 1)
        while position > 0 and text[position] in " \n":
            position -= 1
        return position

    def _report_syntax(self, error: UnexpectedInput, base: int, text: str) -> None:
        position = self._position(error, text)
        hint = habit_hint(text, position)
        if hint is not None:
            start = base + hint.start
            self._error("HSM0101", start, start + hint.length, hint.message)
            return
        length = 1
        found = ""
        expected: set[str] = set()
        if isinstance(error, UnexpectedToken):
            expected = set(error.accepts or error.expected)
            token = error.token
            if token.type == "_INDENT":
                found = "indentation"
            elif token.type in ("_NL", "_DEDENT", "$END"):
                found = TERMINALS[token.type].removeprefix("the ")
            else:
                length = len(str(token))
                found = f"'{token}'"
        elif isinstance(error, UnexpectedCharacters):
            found = f"'{text[position]}'" if position < len(text) else "the end"
        message = f"unexpected {found}"
        names = sorted({_terminal(t) for t in expected} - {"'%'", "'~'"})
        if 0 < len(names) <= 6:
            message += ", expected " + " or ".join(names)
        blanks = position - text.rfind("\n", 0, position) - 1
        if found == "indentation" and blanks % INDENTATION:
            message = indentation_message(blanks)
        self._error(
            "HSM0101", base + position, base + position + max(1, length), message
        )

    def _without_line_at(
        self, chunk: list[LogicalLine], position: int
    ) -> list[LogicalLine]:
        """Takes out the line at the position, what hangs on it, and blocks left empty."""
        index = _line_at(chunk, position)
        while True:
            indent = chunk[index].indent
            end = index + 1
            while end < len(chunk) and (
                chunk[end].indent > indent
                or chunk[end].indent == indent
                and self._begins(chunk[index], "if")
                and self._begins(chunk[end], "else")
            ):
                end += 1
            self._note_damage(chunk[index].start, chunk[end - 1].end)
            opened_block = index > 0 and chunk[index - 1].indent < indent
            last_of_block = end == len(chunk) or chunk[end].indent < indent
            chunk = chunk[:index] + chunk[end:]
            if not (opened_block and last_of_block):
                return chunk if index > 0 else []
            index -= 1

    def _begins(self, line: LogicalLine, word: str) -> bool:
        text = self.file.clean[line.start + line.indent : line.end]
        return re.match(word + r"\b", text) is not None


def _chunks(lines: list[LogicalLine]) -> Iterator[list[LogicalLine]]:
    """By declaration: each begins in column 1."""
    chunk: list[LogicalLine] = []
    for line in lines:
        if line.indent == 0 and chunk:
            yield chunk
            chunk = []
        chunk.append(line)
    if chunk:
        yield chunk


def _line_at(chunk: list[LogicalLine], position: int) -> int:
    return max(i for i, line in enumerate(chunk) if line.start <= position)


def _too_deep(tree: lark.Tree[Token]) -> int:
    """Where in the text a tree is deeper than the limit."""
    pending = [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        if depth > lalr.DEPTH_LIMIT:
            return node.meta.start_pos if not node.meta.empty else 0
        for child in node.children:
            if isinstance(child, lark.Tree):
                pending.append((child, depth + 1))
    raise AssertionError("the two parsers differ")


def _without_strings(text: str) -> str:
    return re.sub(r'"[^"]*"', "", text).rstrip()


@lru_cache(maxsize=None)
def _terminal(name: str) -> str:
    if name in TERMINALS:
        return TERMINALS[name]
    for terminal in lark_parser().terminals:
        if terminal.name == name and terminal.pattern.type == "str":
            return f"'{terminal.pattern.value}'"
    return f"'{name.lower()}'"
