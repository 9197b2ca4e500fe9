# SPDX-License-Identifier: MIT
"""Highlighting: every token of every spec, as the compiler's own lexer sees it, has the right colour in both editors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator, Sequence

import pytest
from hsmc.frontend.build_parts import RESERVED
from hsmc.compilation.compiler import Compilation
from hsmc.editor import vim, vocabulary as words_module, vscode
from hsmc.editor.hover import WORDS
from hsmc.editor.vocabulary import BUILTINS, TYPES, Vocabulary, vocabulary
from hsmc.frontend.index import Index
from hsmc.frontend.parser import FileParser, SpecIndenter, lark_parser
from hsmc.frontend.profiles import Selection
from hsmc.report import Report
from hsmc.source import SourceFile
from lark import Lark

TOP = Path(__file__).resolve().parents[2]
SPECS = sorted((*TOP.glob("spec/*/*.hsm"), *TOP.glob("tests/compiler/features/*.hsm")))
Token = tuple[str, str, int]  # terminal, text, offset
specs = pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)


class _EveryProfile(Selection):
    def excludes(self, marks: Sequence[str]) -> bool:
        return False


@lru_cache(maxsize=None)
def tokens(path: Path) -> tuple[SourceFile, tuple[Token, ...]]:
    """Of the compiler: also which '/' begins actions, and which words are names where they stand."""
    file = SourceFile(path, path.name, path.read_text())
    parser = FileParser(file, Report())
    lines = parser._selected(_EveryProfile(None, None))
    found: list[Token] = []
    starts = [i for i, line in enumerate(lines) if line.indent == 0] + [len(lines)]
    for begin, end in zip(starts, starts[1:]):
        chunk = lines[begin:end]
        interactive = lark_parser().parse_interactive(parser._text(chunk))
        for token in interactive.exhaust_lexer():
            if token.type not in ("_NL", "_INDENT", "_DEDENT"):
                position = chunk[0].start + int(token.start_pos or 0)
                found.append((token.type, str(token), position))
    return file, tuple(found)


def expected(path: Path) -> Iterator[tuple[str, str, int]]:
    """What each piece of a file is: kind, text, offset."""
    file, found = tokens(path)
    words = vocabulary().words
    operators = set(vocabulary().operators())
    for terminal, text, offset in found:
        if terminal == "CONSTANT_WORD":
            yield "constant", text, offset
        elif terminal in words:
            yield "keyword", text, offset
        elif terminal in ("NAME", "NUMBER", "STRING"):
            kind = terminal.lower()
            if terminal == "NAME" and text in TYPES:
                kind = "type"
            yield kind, text, offset
        elif text in operators:
            yield "operator", text, offset
    for number, start in enumerate(file.line_starts, start=1):
        for match in re.finditer(r'"[^"]*"|#|@\w+', file.line_text(number)):
            if match[0][0] == "@":
                yield "mark", match[0], start + match.start()
            if match[0] == "#":
                yield "comment", file.line_text(number)[match.start() :], (
                    start + match.start()
                )
                break


@lru_cache(maxsize=None)
def meanings() -> dict[tuple[Path, int], str]:
    """Names that are states or events, by file and offset."""
    found: dict[tuple[Path, int], str] = {}
    for top in SPECS:
        if re.search(r"^protocol\b", top.read_text(), re.MULTILINE):
            compilation = Compilation(top)
            compilation.protocol(None)
            assert compilation.context is not None
            index = Index(compilation.context)
            for file, source in index.sources.items():
                for name in index.names(file):
                    if name.definition is not None:
                        key = (source.path.resolve(), name.span.start)
                        found[key] = name.definition.kind
    return found


# --- Vim


@pytest.fixture(scope="module")
def vim_groups(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, list[list[str]]]:
    """By file, line and column the syntax group Vim gives."""
    directory = tmp_path_factory.mktemp("vim")
    for name, text in vim.generate().items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    listed = [str(path) for path in SPECS]
    script = f"""
set nocompatible noswapfile encoding=utf-8
set rtp^={directory}
filetype plugin indent on
syntax on
let s:all = {{}}
for s:file in {json.dumps(listed)}
  exe 'view' fnameescape(s:file)
  let s:lines = [[&filetype, &commentstring, &shiftwidth, &expandtab]]
  for s:l in range(1, line('$'))
    call add(s:lines, map(range(1, len(getline(s:l))), 'synIDattr(synID(s:l, v:val, 1), "name")'))
  endfor
  let s:all[s:file] = s:lines
  bwipe!
endfor
call writefile([json_encode(s:all)], '{directory}/groups.json')
qa!
"""
    (directory / "read.vim").write_text(script)
    subprocess.run(
        ["vim", "-Nu", "NONE", "-es", "-S", str(directory / "read.vim")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        timeout=600,
        check=True,
    )
    found = json.loads((directory / "groups.json").read_text())
    return {Path(name): lines for name, lines in found.items()}


VIM_GROUPS = {
    "keyword": {"hsmKeyword", "hsmTargetWord"},
    "constant": {"hsmConstant"},
    "number": {"hsmNumber"},
    "string": {"hsmString"},
    "comment": {"hsmComment", "hsmTodo"},
    "operator": {"hsmOperator", "hsmArrow"},
    "type": {"hsmType"},
    "mark": {"hsmMark"},
    "name": {
        "",
        "hsmName",
        "hsmState",
        "hsmEvent",
        "hsmTarget",
        "hsmField",
        "hsmCall",
        "hsmBuiltin",
    },
}


@specs
def test_vim_colours_every_token(
    path: Path, vim_groups: dict[Path, list[list[str]]]
) -> None:
    file, _ = tokens(path)
    settings, *lines = vim_groups[path]
    assert settings == ["hsm", "# %s", 2, 1]
    count = 0
    for kind, text, offset in expected(path):
        line = file.line_of(offset)
        column = len(
            file.text[file.line_starts[line - 1] : offset].encode()
        )  # Vim counts bytes
        groups = set(lines[line - 1][column : column + len(text.encode())])
        where = f"{path.name}:{line}: {text}: {groups}"
        assert groups <= VIM_GROUPS[kind] and len(groups) == 1, where
        meaning = meanings().get((path.resolve(), offset))
        if kind == "name" and meaning == "state":
            assert groups <= {"hsmState", "hsmTarget"}, where
        if kind == "name" and meaning == "event":
            assert groups <= {"hsmEvent", "hsmCall", "hsmField"}, where
        count += 1
    assert count > 10


def test_vim_indents_as_the_specs_are(tmp_path: Path) -> None:
    """A new line below one that opens a block is indented by two, any other as the one before."""
    for name, text in vim.generate().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    spec = tmp_path / "new.hsm"
    spec.write_text("")
    typed = [
        "protocol t",
        "process P",
        "state A initial",
        "on go",
        "when v == 1 -> A",
        "else / v := 1",
    ]
    script = tmp_path / "type.vim"
    script.write_text(
        f"set rtp^={tmp_path}\nfiletype plugin indent on\nedit {spec}\n"
        'exe "normal i' + "\\<CR>".join(typed) + '"\nwq\n'
    )
    subprocess.run(
        ["vim", "-Nu", "NONE", "-es", "-S", str(script)],
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
    )
    indents = [len(s) - len(s.lstrip()) for s in spec.read_text().split("\n")[:-1]]
    assert indents == [0, 0, 2, 4, 6, 6]


# --- TextMate


def textmate(rules: list[Any], line: str, begin: int, end: int) -> Iterator[Any]:
    """Pieces of a line with their innermost scope, as the editor's engine finds them: the leftmost match, of several
    at one place that of the first rule."""
    position = begin
    while position < end:
        best = None
        for rule in rules:
            match = compiled(rule["match"]).search(line, position, end)
            if match and match.end() > match.start():
                if best is None or match.start() < best[0].start():
                    best = (match, rule)
        if best is None:
            return
        match, rule = best
        if "name" in rule:
            yield match.start(), match.end(), rule["name"]
        for number, capture in rule.get("captures", {}).items():
            start, stop = match.span(int(number))
            if start >= 0 and "name" in capture:
                yield start, stop, capture["name"]
            if start >= 0 and "patterns" in capture:
                yield from textmate(capture["patterns"], line, start, stop)
        position = match.end()


@lru_cache(maxsize=None)
def compiled(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern)


SCOPES = {
    "keyword": ("keyword.control",),
    "constant": ("constant.language",),
    "number": ("constant.numeric",),
    "string": ("string.",),
    "comment": ("comment.",),
    "operator": ("keyword.operator",),
    "type": ("storage.type",),
    "mark": ("storage.modifier",),
    "name": ("entity.", "variable.", "support.function"),
}


@specs
def test_textmate_colours_every_token(path: Path) -> None:
    file, _ = tokens(path)
    rules = vscode.grammar()["patterns"]
    scopes = [""] * (len(file.text) + 1)
    for number, start in enumerate(file.line_starts, start=1):
        line = file.line_text(number)
        for begin, end, scope in textmate(rules, line, 0, len(line)):
            scopes[start + begin : start + end] = [scope] * (end - begin)
    for kind, text, offset in expected(path):
        found = set(scopes[offset : offset + len(text)])
        where = f"{path.name}:{file.line_of(offset)}: {text}: {found}"
        assert len(found) == 1 and found.pop().startswith(SCOPES[kind]), where
        meaning = meanings().get((path.resolve(), offset))
        if kind == "name" and meaning == "state":
            assert scopes[offset] == vscode.SCOPES["state"], where


def patterns(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "match" or key.endswith("Pattern"):
                yield inner
            else:
                yield from patterns(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from patterns(inner)


def test_patterns_mean_the_same_in_both_engines() -> None:
    """What Oniguruma and Python's re read differently does not occur."""
    found = [*patterns(vscode.grammar()), *patterns(vscode.configuration())]
    assert len(found) > 20
    for pattern in found:
        re.compile(pattern)
        assert not re.search(
            r"\(\?P|\(\?>|[*+?}]\+|\\[AZzGhHKRX]|\[\[|&&|\(\?[imsx]", pattern
        ), pattern
        for behind in re.findall(r"\(\?<[=!]((?:\[[^\]]*\]|\\.|[^)])*)\)", pattern):
            assert re.fullmatch(r"\[[^\]]*\]|\\?.|\\b[a-z]+ ", behind), pattern
        classes = re.findall(r"\[[^\]]*\]", pattern)
        assert not any("\\w-" in c or "[" in c[1:] for c in classes), pattern


def test_extension_is_whole(tmp_path: Path) -> None:
    files = vscode.generate()
    for name, text in files.items():
        if name.endswith(".json"):
            json.loads(text)
    package = json.loads(files["package.json"])
    named = [package["main"]]
    named += [g["path"] for g in package["contributes"]["grammars"]]
    named += [l["configuration"] for l in package["contributes"]["languages"]]
    assert {str(Path(name)) for name in named} <= set(files)
    node = shutil.which("node")
    if node is not None:
        (tmp_path / "extension.js").write_text(files["extension.js"])
        subprocess.run([node, "--check", str(tmp_path / "extension.js")], check=True)


# --- the vocabulary


def missing(keywords: set[str]) -> set[str]:
    """Words that one of the outputs does not know."""
    syntax = re.findall(
        r"\w+", re.sub(r"\\[<>|%a-z=]", " ", vim.generate()["syntax/hsm.vim"])
    )
    rules = json.dumps(vscode.grammar())
    grammar = re.findall(r"\w+", re.sub(r"\\\\[bsw]", " ", rules))
    return {w for w in keywords if w not in syntax or w not in grammar}


def test_every_word_is_in_both_outputs() -> None:
    keywords = {k.word for k in vocabulary().keywords} | set(vocabulary().constants)
    assert len(keywords) > 60
    assert missing({*keywords, *TYPES, *BUILTINS}) == set()
    assert missing({"no_such_word"}) == {"no_such_word"}


def test_every_word_is_of_some_kind() -> None:
    keywords = {k.word for k in vocabulary().keywords}
    assert RESERVED <= {*keywords, *TYPES, *BUILTINS, *vocabulary().constants}
    assert set(WORDS) == {*TYPES, *BUILTINS}


def test_a_new_word_of_the_grammar_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = (TOP / "gen/hsmc/frontend/grammar.lark").read_text()
    changed = (
        grammar.replace("| ignore |", "| ignore | linger |")
        .replace("ignore:  ", 'linger: "linger" names _NL\nignore:  ', 1)
        .replace(
            'counter:     "counter" NAME', 'counter:     "counter" NAME [STICKY]', 1
        )
        .replace("LIVE:", 'STICKY: "sticky"\nLIVE:', 1)
        .replace("start: protocol", "start: cable | protocol", 1)
        .replace("counter:  ", 'cable: "cable" NAME _NL\ncounter:  ', 1)
    )
    parser = Lark(
        changed, parser="lalr", postlex=SpecIndenter(), maybe_placeholders=True
    )
    monkeypatch.setattr(words_module, "lark_parser", lambda: parser)
    found = Vocabulary()
    for module in (vim, vscode):
        monkeypatch.setattr(module, "vocabulary", lambda: found)
    assert missing({"linger", "sticky", "cable"}) == set()
    assert "linger" in [k.word for k in found.of_events()]
    assert "cable" in [k.word for k in found.declaring()]
    scopes = {
        text: scope
        for line in ("    linger soon, late", "cable Cable", "counter c sticky")
        for begin, end, scope in textmate(vscode.grammar()["patterns"], line, 0, 99)
        for text in [line[begin:end]]
    }
    assert scopes["soon"] == scopes["late"] == vscode.SCOPES["event"]
    assert scopes["Cable"] == vscode.SCOPES["name"]
    assert scopes["linger"] == scopes["cable"] == scopes["sticky"] == vscode.KEYWORD
