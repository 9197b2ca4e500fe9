# SPDX-License-Identifier: MIT
"""An extension for Visual Studio Code: a TextMate grammar, settings of the language, a client for the server.

The regular expressions keep to what Oniguruma, which the editor uses, and Python's `re`, which the tests use, read
alike: lookbehinds of one character, no possessive quantifiers, no named groups.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .vim import environment
from .vocabulary import BUILTINS, TYPES, Group, Keyword, Vocabulary, pattern
from .vocabulary import vocabulary, words_of

Rule = dict[str, Any]
SCOPES = {
    "name": "entity.name.type.hsm",
    "state": "entity.name.class.state.hsm",
    "event": "entity.name.tag.event.hsm",
}
KEYWORD = "keyword.control.hsm"


def generate() -> dict[str, str]:
    """By the path below the extension's directory."""
    env = environment()
    return {
        "package.json": as_json(package()),
        "language-configuration.json": as_json(configuration()),
        "syntaxes/hsm.tmLanguage.json": as_json(grammar()),
        "extension.js": env.get_template("extension.js.j2").render(),
        "README.md": env.get_template("vscode.md.j2").render(),
    }


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def package() -> dict[str, Any]:
    setting = {
        "type": "array",
        "items": {"type": "string"},
        "default": ["hsmc", "language-server"],
        "description": "The command that starts the language server, one word an item.",
    }
    return {
        "name": "hsm",
        "displayName": "Hierarchical state-machine specs",
        "description": "Highlighting, diagnostics and navigation for .hsm specs of hsmc.",
        "version": "1.0.0",
        "publisher": "hsmc",
        "private": True,
        "engines": {"vscode": "^1.75.0"},
        "categories": ["Programming Languages"],
        "main": "./extension.js",
        "activationEvents": ["onLanguage:hsm"],
        "contributes": {
            "languages": [
                {
                    "id": "hsm",
                    "aliases": ["State-machine spec", "hsm"],
                    "extensions": [".hsm"],
                    "configuration": "./language-configuration.json",
                }
            ],
            "grammars": [
                {
                    "language": "hsm",
                    "scopeName": "source.hsm",
                    "path": "./syntaxes/hsm.tmLanguage.json",
                }
            ],
            "configuration": {
                "title": "State-machine specs",
                "properties": {"hsm.server.command": setting},
            },
            "configurationDefaults": {
                "[hsm]": {"editor.tabSize": 2, "editor.insertSpaces": True}
            },
        },
        "dependencies": {"vscode-languageclient": "^8.1.0"},
    }


def configuration() -> dict[str, Any]:
    pairs = [["(", ")"], ["[", "]"]]
    openers = "|".join(vocabulary().openers())
    return {
        "comments": {"lineComment": "#"},
        "brackets": pairs,
        "autoClosingPairs": [
            *(
                {"open": a, "close": b, "notIn": ["string", "comment"]}
                for a, b in pairs
            ),
            {"open": '"', "close": '"', "notIn": ["string", "comment"]},
        ],
        "surroundingPairs": [*pairs, ['"', '"']],
        "wordPattern": pattern("NAME"),
        "indentationRules": {
            # A row that is complete by itself opens no block.
            "increaseIndentPattern": rf"^\s*({openers})\b(?!.*(->|\s/\s|\bwhen\b))",
            "decreaseIndentPattern": r"^\s*else\b(?!.*(->|\s/\s))",
        },
        "folding": {"offSide": True},
    }


def grammar() -> dict[str, Any]:
    words = vocabulary()
    rules: list[Rule] = [
        {"name": "comment.line.number-sign.hsm", "match": "#.*$"},
        {
            "name": "string.quoted.double.hsm",
            "match": pattern("STRING").replace("\n", ""),
        },
        {"name": "storage.modifier.profile.hsm", "match": f"@{pattern('NAME')}"},
        {"name": "invalid.illegal.string.hsm", "match": '"[^"]*$'},
        observed(),
        # The first rule wins, so those that take the declared name along stand before those that do not.
        *(starting(group) for group in reversed(words.by_place())),
        events(words),
        targets(words),
        *(
            inside(words, k)
            for k in words.keywords
            if not k.reserved and not k.only_begins
        ),
        {"name": "storage.type.hsm", "match": r"(?<![.\w])bits\b(?=\s*\[)"},
        {"name": "support.function.hsm", "match": plain(BUILTINS) + r"(?=\s*\()"},
        {"name": "storage.type.hsm", "match": plain(TYPES[:-1]) + r"(?!\s*:)"},
        {
            "name": "constant.language.hsm",
            "match": plain(words.constants) + r"(?!\s*:)",
        },
        {
            "name": KEYWORD,
            "match": plain(words_of(k for k in words.keywords if k.reserved))
            + r"(?!\s*:)",
        },
        {"name": "entity.name.function.hsm", "match": name(r"(?=\s*\()")},
        {"name": "variable.other.member.hsm", "match": rf"(?<=\.){pattern('NAME')}"},
        # A name is passed over as a whole: no number or word is found inside it.
        {"name": "variable.other.hsm", "match": name("")},
        {"name": "constant.numeric.hsm", "match": rf"\b(?:{pattern('NUMBER')})\b"},
        {
            "name": "keyword.operator.hsm",
            "match": "|".join(re.escape(o) for o in words.operators()),
        },
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Generated by hsmc from its grammar: do not edit.",
        "name": "State-machine spec",
        "scopeName": "source.hsm",
        "fileTypes": ["hsm"],
        "patterns": rules,
    }


def name(after: str) -> str:
    return rf"(?<![.\w]){pattern('NAME')}{after}"


def plain(words: tuple[str, ...]) -> str:
    return rf"(?<![.\w])(?:{'|'.join(words)})\b"


def starting(group: Group) -> Rule:
    """Words that begin a line, and the name they declare."""
    match = "^" if group.top else r"^\s*"
    scopes = [KEYWORD]
    if group.prefixes:
        match += rf"(?:({'|'.join(group.prefixes)})\s+)?"
        scopes.append(KEYWORD)
    match += f"({'|'.join(group.words)})"
    if group.role:
        match += rf"\s+({pattern('NAME')})"
        scopes.append(SCOPES[group.role])
    else:
        match += rf"\b(?=\s*{characters(group.following)})"
    captures = {str(i): {"name": scope} for i, scope in enumerate(scopes, start=1)}
    return {"match": match, "captures": captures}


def events(words: Vocabulary) -> Rule:
    one = pattern("NAME")
    found = "|".join(words_of(words.of_events()))
    return {
        "match": rf"^\s*({found})\s+({one}(?:\s*,\s*{one})*)",
        "captures": {
            "1": {"name": KEYWORD},
            "2": {"patterns": [{"match": one, "name": SCOPES["event"]}]},
        },
    }


def observed() -> Rule:
    """The state whose timer a world observes."""
    one = pattern("NAME")
    return {
        "match": rf"^\s*(observe)\s+(after)\s+({one})\s*\.\s*({one})",
        "captures": {
            "1": {"name": KEYWORD},
            "2": {"name": KEYWORD},
            "3": {"name": "variable.other.hsm"},
            "4": {"name": SCOPES["state"]},
        },
    }


def targets(words: Vocabulary) -> Rule:
    one = pattern("NAME")
    marks = "|".join(words.of_targets()) or "(?!)"
    return {
        "match": rf"(->)\s*((?:(?:{marks})\s+)*)({one}(?:\s*\.\s*{one})*)\b(?!\s*[(.])",
        "captures": {
            "1": {"name": "keyword.operator.hsm"},
            "2": {"name": KEYWORD},
            "3": {"name": SCOPES["state"]},
        },
    }


def inside(words: Vocabulary, keyword: Keyword) -> Rule:
    """A word that is a keyword in its place only: by what may stand after it, and before it where that is another word."""
    following, ends = words.following(keyword)
    after = characters(following)
    if ends:
        after = f"(?:{after}|$)"
    preceding = words.preceding(keyword)
    before = "|".join(rf"(?<=\b{word} )" for word in preceding) or r"(?<=\s)"
    match = rf"(?:{before}){keyword.word}\b(?!\()(?=\s*{after})"
    return {"name": KEYWORD, "match": match}


def characters(following: str) -> str:
    r"""
    >>> print(characters("A-Z(-/~"))
    [A-Z(\-/~]
    """
    return f"[{re.sub(r'(?<=[^A-Za-z0-9])-', lambda m: chr(92) + '-', following)}]"
